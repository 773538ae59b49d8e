# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The table of forms: tasks of all modules on every form in which the service may answer.

python tests/forms                 every cell
python tests/forms scan-start/     the cells whose names begin with this
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from functools import partial

from ansible_collections.scanops.scanner.tests.faults.pool import run
from ansible_collections.scanops.scanner.tests.forms.attempt import Tried, all_cells, attempt
from ansible_collections.scanops.scanner.tests.forms.classes import CLASSES
from ansible_collections.scanops.scanner.tests.forms.table import FORMS, tasks


def main() -> int:
    parser = argparse.ArgumentParser(prog="python tests/forms", description="Try tasks on every form of answers.")
    parser.add_argument("begins", nargs="*", help="only cells whose names begin with this")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: %(default)s)")
    parser.add_argument("--why", action="store_true", help="print each cell that is not the same, and why")
    given = parser.parse_args()
    began = time.monotonic()
    every = tasks()
    cells = [cell for cell in all_cells(every) if not given.begins or str(cell).startswith(tuple(given.begins))]
    print(f"{len(every)} tasks, {len(FORMS)} forms; trying {len(cells)} cells.", flush=True)
    tried: list[Tried] = run(partial(attempt, every), cells, given.jobs)
    for each in tried:
        if given.why and each.verdict.name != "same":
            print(f"{each.verdict.name} {each.cell}: {each.verdict.why}")
    counts = Counter(each.verdict.name for each in tried)
    print(", ".join(f"{counts[name]} {name}" for name in CLASSES), f"in {time.monotonic() - began:.0f} s.")
    problems = [each for each in tried if each.problem]
    print(*(f"{each.cell}: {each.problem}" for each in problems), sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
