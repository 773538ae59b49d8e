# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Apply a plan for many objects, and find out what became of each of its steps."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Optional

from .._http.client import Client
from .._http.rate_limit import Budget
from .._http.transport import Transport
from .._model.errors import (
    ApiError,
    CallError,
    Incomplete,
    NetworkError,
    Refused,
    ScannerError,
    counted,
    elapsed,
    printable,
)
from .._model.families import TARGET, WORKSPACE
from .._model.family import Family
from .._model.records import Record, difference, rows_in, stored_otherwise
from .._task.host import Warn
from .._task.lookup import Place, whereabouts
from .._task.name_match import Names
from .declaration import IN_WORKSPACE
from .outcome import Pacing, limits_in_force, time_left
from .plan import Step, writing_order
from .saving import Saver

_NOT_LISTED = "the service accepted its creation, but does not list it"
# seconds between two lines of progress
_INTERVAL = 5

# the query or form field that names a workspace, empty for the account
_Query = dict[str, Optional[int]]


class _List(Names):
    """A list that was read after a write."""

    def __init__(self, family: Family, rows: Sequence[Record]) -> None:
        super().__init__(family, rows)
        self.rows = rows
        self.ids = {row["id"] for row in rows}

    def find(self, name: str) -> Record | None:
        """The first of the records that the name may mean."""
        return next(iter(self.all(name)), None)


def pacing_of(budget: Budget) -> Pacing:
    """What decides now how long the calls of a task wait."""
    return Pacing(limits_in_force(budget.limits()), budget.share, budget.window)


class _Progress:
    """Shows how far the task is, every few seconds; a task that is quicker shows nothing."""

    def __init__(self, transport: Transport, total: int) -> None:
        self._transport = transport
        self._total = total
        # numbers of objects
        self.done = self.failed = 0
        self._began = self._shown = transport.now()
        transport.budget.on_wait = lambda seconds: self._line(seconds) if seconds >= _INTERVAL else None

    def show(self) -> None:
        if self._transport.now() - self._shown >= _INTERVAL:
            self._line()

    def _line(self, wait: float = 0.0) -> None:
        """wait: the seconds until the next call, if that is long."""
        self._shown = self._transport.now()
        failed = f", {self.failed} failed" if self.failed else ""
        took = self._shown - self._began
        left = time_left(self.done, self._total, took, pacing_of(self._transport.budget))
        text = f"{self.done} of {counted(self._total, 'object')} done{failed}, {elapsed(took)}"
        if left is not None:
            left = max(left, wait)
            text += f"; about {elapsed(left) if left < 60 else f'{math.ceil(left / 60)} min'} left"
        if wait:
            text += f"; waiting {elapsed(wait)} for the rate limit"
        self._transport.show(text)


class Run:
    """One application of a plan."""

    def __init__(
        self,
        client: Client,
        ids: Mapping[str, int | None],
        goes_on: bool,
        warn: Warn,
        saver: Saver | None,
    ) -> None:
        """ids: the ids of the workspaces by name, None for those that do not exist yet; goes_on: whether it goes on after an
        error; saver: saves the findings of what is deleted."""
        self._client = client
        self._goes_on = goes_on
        self._warn = warn
        self._ids = dict(ids)
        self._saver = saver
        # whether anything was written, or may have been
        self.wrote = False
        # the error that ended the run, and the first error of all
        self.failure: ScannerError | None = None
        self.first_failure: ScannerError | None = None
        # the first error of what was not deleted, because its findings were not saved; the others are deleted all the same
        self.unsaved: ScannerError | None = None
        # the step that ended the run
        self._ended_at: Step | None = None
        # the lists that were read again, by family and workspace
        self._read_again: dict[tuple[object, ...], _List] = {}
        # where the new objects are that a list does not have
        self._elsewhere: dict[tuple[Family, str | None], str] = {}
        # whether the service has stopped answering
        self._silent = False

    def apply(self, steps: Sequence[Step]) -> list[Step]:
        """Write; returns what became of each step, in the order of ``steps``."""
        done = list(steps)
        order = writing_order(steps)
        progress = _Progress(self._client.transport, len(order))
        for position in order:
            progress.show()
            done[position] = self._write(steps[position])
            progress.done += 1
            progress.failed += done[position].action == "failed"
        return self._read_back(done)

    # --- what was created or deleted, read again

    def _read_back(self, done: Sequence[Step]) -> list[Step]:
        """Read what was created, and its ids, and what was deleted: one listing for each list. What a list does not confirm
        has failed: how a create is answered is documented nowhere, and no answer proves that something was done."""
        lists: dict[tuple[Family, str | None], _List | None] = {}
        filled = []
        for step in done:
            if step.deletes or (step.creates and step.object_id is None):
                if step.listing not in lists:
                    lists[step.listing] = self._names_in(*step.listing)
                step = self._confirmed(step, lists[step.listing])
            filled.append(step)
        return filled

    def _confirmed(self, step: Step, names: _List | None) -> Step:
        """A create with its id, or a delete. names: None where the list cannot be read."""
        what, doubt = ("creation", "it exists") if step.creates else ("deletion", "it is gone")
        if names is None:
            reason = f"the service accepted its {what}, but reading the list again failed"
        elif step.deletes and step.live["id"] in names.ids:
            reason = "the service accepted its deletion, but still lists it"
        elif not step.creates:
            return step
        else:
            record = names.find(step.name)
            if record:
                other = stored_otherwise(record, self._sent(step))
                step = step._replace(object_id=record["id"])
                return self._failed(step, f"it was created, but {other}") if other else step
            reason = _NOT_LISTED
            if step.family.hides_workspace:
                # read for the first one of each list
                where = self._elsewhere.get(step.listing)
                if where is None:
                    place = Place(self._ids[step.workspace], step.workspace)
                    where = whereabouts(self._client, step.family, step.name, place)
                    self._elsewhere[step.listing] = where
                return self._failed(step, f"it was created, but {where}")
        return self._failed(step, f"{reason}; run the task again to see whether {doubt}")

    def _failed(self, step: Step, reason: str) -> Step:
        # something may have been written all the same
        self.wrote = True
        return step._replace(action="failed", reason=reason)

    def _names_in(self, family: Family, workspace: str | None) -> _List | None:
        if self._silent:
            return None
        try:
            with self._client.transport.stop.last_calls():
                return self._read(family, {"workspace_id": self._ids[workspace]} if workspace else {})
        except CallError as error:
            # what was written must be reported all the same
            self.first_failure = self.first_failure or error
            self._silent = True
            self._warn(f"What became of the {family.noun}s is not known, because reading them back failed: {error}")
            return None

    def _read(self, family: Family, place: _Query) -> _List:
        return _List(family, rows_in(self._client.all(family, place), place.get("workspace_id")))

    # --- one step

    def _write(self, step: Step) -> Step:
        if self._ended_at is not None:
            where = printable(self._ended_at.name, 60)
            return step._replace(action="refused", reason=f"not tried, because the run ended at {where!r}")
        if self.first_failure and (step.purged or step.recreates):
            what = "deleted" if step.purged else "recreated"
            return step._replace(action="refused", reason=f"not {what}, because an earlier step failed")
        if step.family.in_workspace and self._ids.get(step.workspace) is None:
            return step._replace(action="failed", reason="its workspace could not be created")
        try:
            self._check_deletion(step)
        except ScannerError as error:
            # of the others, each is saved before it is deleted
            self.unsaved = self.unsaved or error
            self._end(step, error, always=isinstance(error, NetworkError))
            return step._replace(action="refused", reason=str(error))
        try:
            return self._send(step)
        except ScannerError as error:
            self.first_failure = self.first_failure or error
            self.wrote = self.wrote or bool(error.result.get("changed"))
            self._end(step, error, always=not self._goes_on)
            return step._replace(action="failed", reason=str(error))

    def _check_deletion(self, step: Step) -> None:
        """Save the findings of what a step deletes. Raises ScannerError where it must not be deleted."""
        place = self._ids.get(step.workspace)
        if not step.deletes or place is None:
            return
        if self._saver and step.family is TARGET:
            self._saver.save(place, step.live)
        if step.family is not WORKSPACE:
            return
        if self._saver:
            self._saver.save_all(place)
        for name, ids in step.held.items():
            family = next(each for each in IN_WORKSPACE if each.plural == name)
            if sorted(row["id"] for row in self._read(family, {"workspace_id": place}).rows) != [*ids]:
                raise Refused(f"its {family.noun}s have changed since they were read; run the task again")
        now = (self._client.read(WORKSPACE, place) or step.live)[WORKSPACE.key]
        if now != step.live[WORKSPACE.key]:
            raise Refused(f"it is {printable(now)!r} now; run the task again")

    def _end(self, step: Step, error: ScannerError, always: bool) -> None:
        """End the run, always or if no further call would succeed."""
        # after an interrupt, calls fail although the service answers
        interrupted = self._client.transport.stop.reason is not None
        # it cannot be reached, or a write failed and so did the read after it
        unreachable = isinstance(error, NetworkError) and not error.maybe_done
        silent = unreachable or (isinstance(error, CallError) and error.unread)
        self._silent = self._silent or (silent and not interrupted)
        # every further call would fail too: the key, the rate limit
        final = isinstance(error, ApiError) and error.status in (401, 429)
        if always or self._silent or final or interrupted:
            self.failure = error
            self._ended_at = step

    def _send(self, step: Step) -> Step:
        if step.action == "create":
            return self._create(step, step.after or {})
        object_id = step.live["id"]
        if step.action == "delete":
            deleted = self._client.delete(step.family, object_id, read_back=False)
            self.wrote = self.wrote or deleted
            return step if deleted else step._replace(action="unchanged")
        if step.recreates:
            return self._recreate(step)
        self._client.update(step.family, step.live, step.changes or {})
        self.wrote = True
        return step

    def _recreate(self, step: Step) -> Step:
        family = step.family
        self._client.delete(family, step.live["id"], read_back=False)
        self.wrote = True
        kept = {field: step.live[field] for field in (family.key, *family.declared)}
        try:
            # an interrupt must not end the task between the two
            with self._client.transport.stop.last_calls():
                created = self._create(step, {**kept, **(step.changes or {})})
        except CallError as error:
            # the reader must know that it is gone
            raise error.with_sentence(f"it was deleted, and creating it again failed: {error}") from None
        return step._replace(object_id=created.object_id)

    def _create(self, step: Step, fields: Mapping[str, str]) -> Step:
        family = step.family
        place: _Query = {"workspace_id": self._ids[step.workspace]} if family.in_workspace else {}
        created = self._client.create(
            family,
            {field: value for field, value in fields.items() if value != ""},
            look=lambda status: self._read_by_name(family, step.name, place, status),
            place=place,
            # what a recreation deletes is lost, so its text is read before the next one
            read_back=step.recreates,
        )
        if created.note:
            self._warn(created.note)
        self.wrote = self.wrote or created.made
        if family.holds and not created.shown:
            # what comes next needs the id, and an answer with nothing else proves none
            try:
                record = self._read_by_name(family, step.name, place)
            except CallError as error:
                failed = error.with_sentence(f"it was created, but reading it back failed: {error}")
                raise failed.with_facts(unread=True) from None
            if record is None:
                raise Incomplete(f"{_NOT_LISTED}; run the task again to see whether it exists")
            created = created._replace(record=record, shown=True)
        if family.holds and created.record[family.key] == step.name:
            self._ids[step.name] = created.record["id"]
        again = step.recreates
        known = created.made and created.shown
        other = stored_otherwise(created.record, self._sent(step), family.key, again) if known else None
        if other:
            raise Incomplete(f"it was {'recreated' if again else 'created'}, but {other}")
        # what is elsewhere, the list of its workspace does not have
        here = created.record.get("workspace_id") in (None, place.get("workspace_id"))
        seen = created.shown and here and not family.hides_workspace
        step = step._replace(object_id=created.record["id"] if seen else None)
        return step._replace(action="create") if created.made else self._adjust(step, created.record)

    def _sent(self, step: Step) -> Record:
        """The fields that a create declares, without the name of a target, which is found in normal form."""
        fields = {**(step.after or {}), **(step.changes or {})}
        return {field: value for field, value in fields.items() if field not in step.family.target_names}

    def _adjust(self, step: Step, live: Record) -> Step:
        """Compare what somebody else has created since the plan, as any live object."""
        family = step.family
        fields = {field: value for field, value in (step.after or {}).items() if field != family.key}
        changes, drift = difference(family, live, fields)
        if changes:
            self._client.update(family, live, changes)
            self.wrote = True
        return step._replace(action="update" if changes else "drifted" if drift else "unchanged")

    def _read_by_name(self, family: Family, name: str, place: _Query, status: int | None = None) -> Record | None:
        """The live record of this name, read again. An account that is full refuses every create with 403, so after the
        first of them what was read then counts."""
        known = (family, *place.values())
        if status != 403 or known not in self._read_again:
            self._read_again[known] = self._read(family, place)
        return self._read_again[known].find(name)
