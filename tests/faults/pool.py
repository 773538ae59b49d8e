# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Try the cells of a table in several processes, each with a bench of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from multiprocessing import Process, Queue
from queue import Empty
from typing import Any

from ansible_collections.scanops.scanner.tests.faults.worker import Bench, bench

STEP = 50
"""Print the progress after this many pieces."""
PIECE = 60
"""How many cells a worker takes at a time; few, so that all workers end at about the same time."""


def run(attempt: Callable[[Bench, Any], Any], cells: Sequence[Any], jobs: int) -> list[Any]:
    """Try the cells in several processes. Returns what `attempt` returned for each, in the order of the cells."""
    todo = [(start, cells[start : start + PIECE]) for start in range(0, len(cells), PIECE)]
    pieces: Queue[Any] = Queue()
    found: Queue[Any] = Queue()
    for piece in [*todo, *[None] * jobs]:
        pieces.put(piece)
    workers = [Process(target=_try_pieces, args=(attempt, pieces, found), daemon=True) for _job in range(jobs)]
    for worker in workers:
        worker.start()
    tried: dict[int, list[Any]] = {}
    for number in range(1, len(todo) + 1):
        start, results = _next_result(workers, found)
        tried[start] = results
        if number % STEP == 0:
            print(f"{min(number * PIECE, len(cells))} cells tried", flush=True)
    for worker in workers:
        worker.join()
    return [result for start in sorted(tried) for result in tried[start]]


def _try_pieces(attempt: Callable[[Bench, Any], Any], pieces: Queue[Any], found: Queue[Any]) -> None:
    """Try pieces from a queue until None, and put the results of each into another queue. Runs in a process of its own."""
    with bench() as place:
        for start, cells in iter(pieces.get, None):
            found.put((start, [attempt(place, cell) for cell in cells]))


def _next_result(workers: Sequence[Process], found: Queue[Any]) -> Any:
    """Wait for the next result. Raises RuntimeError if a worker has failed."""
    while True:
        try:
            return found.get(timeout=5)
        except Empty:
            if any(worker.exitcode for worker in workers):
                raise RuntimeError("a worker has failed; its output is above") from None
