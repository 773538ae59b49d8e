# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The fault matrix: every operation of the modules with every fault of the local service, at its first, middle and last call.

python tests/faults                       a fixed sample
python tests/faults --all                 every cell
python tests/faults scan-start/           the cells whose names begin with this
python tests/faults --list target-create/
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from multiprocessing import Process, Queue
from pathlib import Path
from queue import Empty

from ansible_collections.scanops.scanner.tests.faults.cells import Cell, all_cells, documented, sample
from ansible_collections.scanops.scanner.tests.faults.operations import Operation, all_operations
from ansible_collections.scanops.scanner.tests.faults.worker import Failure, count_calls, try_pieces
from ansible_collections.scanops.scanner.tests.service.fault_catalogue import CATALOGUE

SAMPLE = 2500
STEP = 50
"""Print the progress after this many pieces."""
GUIDE = Path(__file__).resolve().parents[2] / "docs/docsite/rst/guide_behaviour.rst"
PIECE = 60
"""How many cells a worker takes at a time; few, so that all workers end at about the same time."""


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python tests/faults", description="Try the modules against every fault.")
    parser.add_argument("begins", nargs="*", help="only cells whose names begin with this")
    parser.add_argument("--all", action="store_true", help="every cell, not the sample")
    parser.add_argument("--sample", type=int, default=SAMPLE, help="how many cells (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: %(default)s)")
    parser.add_argument("--list", action="store_true", help="only print the names of the cells")
    return parser.parse_args(arguments)


def main() -> int:
    given = options()
    began = time.monotonic()
    operations = {operation.name: operation for operation in all_operations()}
    every = all_cells(count_calls(list(operations.values())), CATALOGUE)
    wrong = documented(GUIDE.read_text(encoding="utf-8"), len(operations), len(CATALOGUE), len(every))
    if given.begins:
        cells = [cell for cell in every if str(cell).startswith(tuple(given.begins))]
    else:
        cells = every if given.all else sample(every, given.sample)
    if given.list:
        print(*cells, sep="\n")
        return 0
    print(
        f"{len(operations)} operations, {len(CATALOGUE)} faults, {len(every)} cells; trying {len(cells)} of them.",
        flush=True,
    )
    failing = run(operations, cells, given.jobs)
    for failed in failing:
        print(f"\n{failed.cell}", *(f"  {each}" for each in failed.reasons), sep="\n")
    names = Counter(each.partition(":")[0] for failed in failing for each in failed.reasons)
    if failing:
        print("", *(f"{count:>6} {name}" for name, count in names.most_common()), sep="\n")
        print("To try a cell again, run python tests/faults NAME, with its name as printed above.")
    print(f"{len(cells) - len(failing)} of {len(cells)} cells passed in {time.monotonic() - began:.0f} s.")
    if wrong:
        print(f"{GUIDE.name} {wrong}")
    return 1 if failing or wrong else 0


def run(operations: dict[str, Operation], cells: list[Cell], jobs: int) -> list[Failure]:
    """Try the cells in several processes. Returns the failures in the order of the cells."""
    todo = [cells[start : start + PIECE] for start in range(0, len(cells), PIECE)]
    pieces: Queue[list[Cell] | None] = Queue()
    found: Queue[list[Failure]] = Queue()
    for piece in [*todo, *[None] * jobs]:
        pieces.put(piece)
    workers = [Process(target=try_pieces, args=(operations, pieces, found), daemon=True) for _job in range(jobs)]
    for worker in workers:
        worker.start()
    failing: list[Failure] = []
    for number in range(1, len(todo) + 1):
        failing += next_result(workers, found)
        if number % STEP == 0:
            tried = min(number * PIECE, len(cells))
            print(f"{tried} cells tried, {len(failing)} of them failed", flush=True)
    for worker in workers:
        worker.join()
    places = {cell: number for number, cell in enumerate(cells)}
    return sorted(failing, key=lambda failure: places[failure.cell])


def next_result(workers: Sequence[Process], found: Queue[list[Failure]]) -> list[Failure]:
    """Wait for the next result. Raises RuntimeError if a worker has failed."""
    while True:
        try:
            return found.get(timeout=5)
        except Empty:
            if any(worker.exitcode for worker in workers):
                raise RuntimeError("a worker has failed; its output is above") from None


if __name__ == "__main__":
    sys.exit(main())
