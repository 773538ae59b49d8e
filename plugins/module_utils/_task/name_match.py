# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The one rule by which a name of an option means a row of the service: exactly, else in normal form, and only one. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

from .._model.errors import Refused, first_of, printable
from .._model.family import Family
from .._model.records import Record, ids_of
from .._model.target_names import normal_form

NAMES_LISTED = 20

_Named = TypeVar("_Named")


def listed(names: Sequence[str]) -> str:
    """The first names, for a message, and the number of the others."""
    return first_of([repr(printable(name, 60)) for name in names], NAMES_LISTED)


class Spelled(Generic[_Named]):
    """Values by their names: exactly, else in the normal form of the names of targets."""

    def __init__(self, values: Sequence[_Named], name_of: Callable[[_Named], str], places: bool = True) -> None:
        """places: whether the names are those of targets; all others have no normal form."""
        self._values = values
        self._name_of = name_of
        self._places = places
        self._exact = self._by(lambda name: name)
        # a long list needs them only if a name is not found
        self._near: dict[str, list[_Named]] | None = None

    def _by(self, form: Callable[[str], str]) -> dict[str, list[_Named]]:
        found: dict[str, list[_Named]] = {}
        for value in self._values:
            found.setdefault(form(self._name_of(value)), []).append(value)
        return found

    def all(self, wanted: str, exact: bool = False) -> Sequence[_Named]:
        """The values that ``wanted`` may mean. exact: the normal form does not count."""
        found = self._exact.get(wanted)
        if found or exact or not self._places:
            return found or ()
        if self._near is None:
            self._near = self._by(normal_form)
        return self._near.get(normal_form(wanted), ())


class Names(Spelled[Record]):
    """The rows of a list by what names them."""

    def __init__(self, resource: Family, rows: Sequence[Record]) -> None:
        super().__init__(rows, lambda row: row[resource.key], resource.key_is_place)
        self._resource = resource

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


def look_alike(declared: Sequence[str], live: Iterable[str] = ()) -> str:
    """A sentence on the first declared name that looks the same as another name, or "".

    An accented letter is one character (NFC) or two (NFD), so one visible name can be two names.
    """
    forms: dict[str, dict[str, bool]] = {}
    for name in (*declared, *live):
        if not name.isascii():
            forms.setdefault(unicodedata.normalize("NFC", name), {})[name] = True
    for name in declared:
        others = [other for other in forms.get(unicodedata.normalize("NFC", name), ()) if other != name]
        if others:
            return (
                f"{printable(name)!r} ({name!a}) and {others[0]!a} look the same but are different names: their accented"
                " letters are encoded in different ways (Unicode NFC and NFD)."
            )
    return ""
