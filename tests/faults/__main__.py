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
from functools import partial
from pathlib import Path

from ansible_collections.scanops.scanner.tests.faults.cells import Cell, all_cells, documented, sample
from ansible_collections.scanops.scanner.tests.faults.operations import Operation, all_operations
from ansible_collections.scanops.scanner.tests.faults.pool import run
from ansible_collections.scanops.scanner.tests.faults.worker import Bench, Failure, count_calls
from ansible_collections.scanops.scanner.tests.service.fault_catalogue import CATALOGUE

SAMPLE = 2500
GUIDE = Path(__file__).resolve().parents[2] / "docs/docsite/rst/guide_behaviour.rst"


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
    failing = [failed for failed in run(partial(attempt, operations), cells, given.jobs) if failed.reasons]
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


def attempt(operations: dict[str, Operation], place: Bench, cell: Cell) -> Failure:
    """Try a cell. The reasons are empty if it breaks no invariant."""
    return Failure(cell, place.try_cell(operations[cell.operation], cell))


if __name__ == "__main__":
    sys.exit(main())
