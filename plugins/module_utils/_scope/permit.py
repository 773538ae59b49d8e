# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Judges the exact request of each write, and gives the permit that sending requires. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Protocol

from .._model.errors import Refused, printable
from .._model.families import FAMILIES
from .._model.family import Family
from .places import Mention, places_in
from .sealed import SEAL, Permit


class _Unknown(Family):
    """A path outside the table is judged as if its body could name targets."""

    name = plural = noun = path = key = ""
    fields = ()


class Verdicts(Protocol):
    """What Permits needs of a Scope."""

    def __bool__(self) -> bool:
        """Tell whether it restricts anything."""

    def verdict(self, name: str) -> str | None:
        """Return why a name is outside, None for one inside."""


class Permits:
    """What a task may write. Created once for each task.

    scope: None for a task that can neither create nor scan a target; closed: why nothing may be written at all, a clause.
    """

    def __init__(self, scope: Verdicts | None = None, closed: str | None = None) -> None:
        self._scope = scope
        self._closed = closed

    def verdict(self, name: str) -> str | None:
        """None where a target may have this name, or why not, a clause."""
        return None if self._scope is None else self._scope.verdict(name)

    def refuse(self, names: Iterable[str | None]) -> None:
        """Raise Refused for the first name that the scope does not permit."""
        for name in names:
            if name is not None:
                self._judge(Mention("", name, is_name=True), name)

    def refuse_body(self, path: str, body: object) -> None:
        """Raise Refused for the first place in a body of POST ``path`` that the scope does not permit. Call this before the
        first write of several. It leaves ids to ``permit``."""
        for place in places_in(_family(path), body):
            if isinstance(place.value, str):
                self._judge(place, place.value)

    def permit(
        self,
        method: str,
        path: str,
        query: object,
        form: object,
        json: object,
        name_of: Callable[[int], str | None],
    ) -> Permit:
        """The Permit for a write, or Refused. name_of: from the id of a target to its live name, None if it is unknown."""
        if self._closed:
            raise Refused(f"{method} {path} was not sent: {self._closed}.")
        entry = _family(path)
        harmless = method in entry.harmless_methods or path.rpartition("/")[2] in entry.harmless_actions
        if entry.scoped and not harmless:
            if self._scope is None:
                raise RuntimeError(f"{method} {path} can reach a target, and the task has no scope")
            for place in chain.from_iterable(places_in(entry, body) for body in (query, form, json)):
                if self._scope:
                    name = place.value if isinstance(place.value, str) else name_of(place.value)
                    if name is None:
                        raise Refused(
                            f"{place.field} {place.value} is not a target that this API key can see, so it cannot be checked"
                            f" against scope. The request was not sent. Correct {place.field}."
                        )
                    self._judge(place, name)
        return Permit(SEAL, (method, path, query, form, json))

    def _judge(self, place: Mention, name: str) -> None:
        reason = self._scope.verdict(name) if self._scope else None
        if reason:
            is_target = place.is_name or isinstance(place.value, int)
            what = f"target {printable(name)!r}" if is_target else place.field
            raise Refused(outside_scope(what, reason))


def outside_scope(what: str, reason: str) -> str:
    """The message for a target or a field that the scope refuses. reason: a verdict of the scope."""
    next_step = getattr(reason, "next_step", "Remove it, or widen that scope if you are authorised to scan it.")
    return f"{what} is outside the authorised scope: {reason}. The request was not sent. {next_step}"


def _family(path: str) -> Family:
    """The family to which the path of a write belongs."""
    for family in FAMILIES.values():
        if path == family.path or path.startswith(family.path + "/"):
            return family
    return _Unknown()
