# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Try the cells of the table of forms on a bench of the fault matrix."""

from __future__ import annotations

from hashlib import sha256
from typing import NamedTuple

from ansible_collections.scanops.scanner.tests.faults.operations import Operation
from ansible_collections.scanops.scanner.tests.faults.worker import Bench
from ansible_collections.scanops.scanner.tests.forms.classes import Verdict, classify
from ansible_collections.scanops.scanner.tests.forms.known import SETTLED, UNDETECTABLE, WRONG
from ansible_collections.scanops.scanner.tests.forms.table import FORMS


class Cell(NamedTuple):
    """One task on one form of answers."""

    task: str
    form: str

    def __str__(self) -> str:
        return f"{self.task}/{self.form}"


class Tried(NamedTuple):
    """A cell, its class, and what a reader of the test must do about it, or ""."""

    cell: Cell
    verdict: Verdict
    problem: str


def all_cells(tasks: dict[str, Operation]) -> list[Cell]:
    """Every cell, task by task, because a bench prepares each task once."""
    return [Cell(task, form) for task in tasks for form in FORMS]


def sample(cells: list[Cell], of_each: int) -> list[Cell]:
    """A fixed sample: this many tasks of each form, chosen by their digest, and all cells of the list of known ones."""
    ordered = sorted(cells, key=lambda cell: sha256(str(cell).encode()).digest())
    chosen = {cell for cell in cells if (cell.form, cell.task) in {*SETTLED, *UNDETECTABLE, *WRONG}}
    for form in FORMS:
        chosen.update([cell for cell in ordered if cell.form == form][:of_each])
    for task in {cell.task for cell in cells} - {cell.task for cell in chosen}:
        chosen.add(next(cell for cell in ordered if cell.task == task))
    return [cell for cell in cells if cell in chosen]


def attempt(tasks: dict[str, Operation], place: Bench, cell: Cell) -> Tried:
    """Try a cell."""
    operation, form = tasks[cell.task], FORMS[cell.form]
    usual = place.learn(operation)
    run = place.run(operation, place.prepare(operation, **form.settings))
    verdict = classify(run, usual, form, place.service.api_key)
    key = (cell.form, cell.task)
    if verdict.name != "wrong":
        known = key in {*SETTLED, *UNDETECTABLE, *WRONG}
        return Tried(cell, verdict, "remove it from tests/forms/known.py" if known else "")
    if key in SETTLED:
        return Tried(cell, Verdict("settled", SETTLED[key]), "")
    if key in UNDETECTABLE:
        return Tried(cell, Verdict("undetectable", UNDETECTABLE[key].reason), "")
    return Tried(cell, verdict, "" if key in WRONG else verdict.why)
