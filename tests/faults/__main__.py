# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The fault matrix: every operation of the modules, every fault of the local service, at the first, middle and last call.

python tests/faults                       a fixed sample
python tests/faults --all                 every cell
python tests/faults scan-start/           the cells whose name begins like this
python tests/faults --list target-create/
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from multiprocessing import Process, Queue
from pathlib import Path
from queue import Empty

from ansible_collections.scanops.scanner.tests.faults.cells import all_cells, documented, sample
from ansible_collections.scanops.scanner.tests.faults.operations import all_operations
from ansible_collections.scanops.scanner.tests.faults.worker import count_calls, try_pieces
from ansible_collections.scanops.scanner.tests.service.fault_catalogue import CATALOGUE

SAMPLE = 2500
STEP = 50
"""After how many pieces a line shows the progress."""
GUIDE = Path(__file__).resolve().parents[2] / "docs/docsite/rst/guide_behaviour.rst"
PIECE = 60
"""How many cells a worker takes at a time: few enough that all of them end at about the same time."""


def options(arguments: list | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python tests/faults", description="Try the modules against every fault.")
    parser.add_argument("begins", nargs="*", help="only cells whose names begin like this")
    parser.add_argument("--all", action="store_true", help="every cell, not the sample")
    parser.add_argument("--sample", type=int, default=SAMPLE, help="how many cells (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: %(default)s)")
    parser.add_argument("--list", action="store_true", help="only print the names of the cells")
    return parser.parse_args(arguments)


def main() -> int:
    given = options()
    began = time.monotonic()
    operations = {operation.name: operation for operation in all_operations()}
    whole = all_cells(count_calls(list(operations.values())), CATALOGUE)
    wrong = documented(GUIDE.read_text(encoding="utf-8"), len(operations), len(CATALOGUE), len(whole))
    if given.begins:
        cells = [cell for cell in whole if str(cell).startswith(tuple(given.begins))]
    else:
        cells = whole if given.all else sample(whole, given.sample)
    if given.list:
        print(*cells, sep="\n")
        return 0
    print(
        f"{len(operations)} operations, {len(CATALOGUE)} faults, {len(whole)} cells; trying {len(cells)} of them.",
        flush=True,
    )
    failing = run(operations, cells, given.jobs)
    for cell, what in failing:
        print(f"\n{cell}", *(f"  {each}" for each in what), sep="\n")
    names = Counter(each.partition(":")[0] for _cell, what in failing for each in what)
    if failing:
        print("", *(f"{count:>6} {name}" for name, count in names.most_common()), sep="\n")
        print("Try one again with python tests/faults NAME, as it is printed above.")
    print(f"{len(cells) - len(failing)} of {len(cells)} cells hold, in {time.monotonic() - began:.0f} s.")
    if wrong:
        print(f"{GUIDE.name} {wrong}")
    return 1 if failing or wrong else 0


def run(operations: dict, cells: list, jobs: int) -> list:
    """The cells in which something does not hold, in the order of the cells."""
    todo = [cells[start : start + PIECE] for start in range(0, len(cells), PIECE)]
    pieces, found = Queue(), Queue()
    for piece in [*todo, *[None] * jobs]:
        pieces.put(piece)
    workers = [Process(target=try_pieces, args=(operations, pieces, found), daemon=True) for _job in range(jobs)]
    for worker in workers:
        worker.start()
    failing = []
    for number in range(1, len(todo) + 1):
        failing += answer_of(workers, found)
        if number % STEP == 0:
            tried = min(number * PIECE, len(cells))
            print(f"{tried} cells tried, {len(failing)} of them do not hold", flush=True)
    for worker in workers:
        worker.join()
    places = {cell: number for number, cell in enumerate(cells)}
    return sorted(failing, key=lambda each: places[each[0]])


def answer_of(workers: list, found) -> list:
    """What comes next out of the queue. RuntimeError where a worker has ended before."""
    while True:
        try:
            return found.get(timeout=5)
        except Empty:
            if any(worker.exitcode for worker in workers):
                raise RuntimeError("a worker has failed; what it printed is above") from None


if __name__ == "__main__":
    sys.exit(main())
