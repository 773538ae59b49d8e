# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The one rule by which a name of an option means a row of the service: exactly, else in normal form, and only one. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .._model.errors import Refused, first_of, printable
from .._model.family import Family
from .._model.names import normal_form
from .._model.records import Record, ids_of

NAMES_LISTED = 20


def listed(names: Sequence[str]) -> str:
    """The first names, for a message, and the number of the others."""
    return first_of([repr(printable(name, 60)) for name in names], NAMES_LISTED)


class Names:
    """The rows of a list by what names them: exactly, else the name of a target in normal form."""

    def __init__(self, resource: Family, rows: Sequence[Record]) -> None:
        self._resource = resource
        self._rows = rows
        self._exact = self._by(lambda name: name)
        # a long list needs them only if a name is not found
        self._near: dict[str, list[Record]] | None = None

    def _by(self, form: Callable[[str], str]) -> dict[str, list[Record]]:
        found: dict[str, list[Record]] = {}
        for row in self._rows:
            found.setdefault(form(row[self._resource.key]), []).append(row)
        return found

    def all(self, wanted: str, exact: bool = False) -> Sequence[Record]:
        """The rows that ``wanted`` may mean. exact: the normal form does not count."""
        found = self._exact.get(wanted)
        if found or exact or not self._resource.key_is_place:
            return found or ()
        if self._near is None:
            self._near = self._by(normal_form)
        return self._near.get(normal_form(wanted), ())

    def one(self, wanted: str, option: str, other: str = "", exact: bool = False) -> Record | None:
        """The only row that ``wanted`` means, None without one. Refuses several, with their ids.

        option: what the task calls ``wanted``; other: the option that names one by its id, "" without one.
        """
        found = self.all(wanted, exact)
        if len(found) < 2:
            return found[0] if found else None
        resource = self._resource
        names = sorted({row[resource.key] for row in found})
        advice = [f"give {other} instead"] if other else []
        if len(names) > 1:
            advice.insert(0, f"write one of the names as the service has it, {listed(names)}")
        if not advice:
            advice = ["rename or delete all but one of them in the web application"]
        raise Refused(
            f"{option} {printable(wanted)!r} names {len(found)} {resource.noun}s, with the ids {ids_of(found)}:"
            f" {', or '.join(advice)}."
        )


def named(
    resource: Family, rows: Sequence[Record], wanted: str, option: str, other: str = "", exact: bool = False
) -> Record | None:
    """The only one of some rows that ``wanted`` means; see ``Names.one``."""
    return Names(resource, rows).one(wanted, option, other, exact)
