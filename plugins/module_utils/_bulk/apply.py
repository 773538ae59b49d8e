# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Apply a plan for many objects, and find out what became of each of its steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Optional

from .._errors import ApiError, CallError, NetworkError, ScannerError, counted, elapsed, printable
from .._families.family import Family
from .._http.create import Created
from .._records import Record, difference
from .._task import Task
from .cost import Listing, listing_of
from .model import Done, Step, normal_name
from .plan import writing_order

# seconds between two lines of progress
_INTERVAL = 5

# the query or form field that names a workspace, empty for the account
_Place = dict[str, Optional[int]]

_ACCEPTED = "the service accepted its creation"
_SEE = "run the task again to see whether it exists"


class _Written(NamedTuple):
    """What a write did. action: the one that was taken; object_id: None where the service has not shown the object."""

    action: str
    object_id: int | None


class _Names:
    """The records of a list by their names. The first of several with the same name counts."""

    def __init__(self, resource: Family, rows: Sequence[Record]) -> None:
        self._resource = resource
        self._exact = {row[resource.key]: row for row in reversed(rows)}
        self._normal = {normal_name(resource, row[resource.key]): row for row in reversed(rows)}

    def find(self, name: str) -> Record | None:
        return self._exact.get(name) or self._normal.get(normal_name(self._resource, name))


class _Progress:
    """Shows how far the task is, every few seconds; a task that is quicker shows nothing."""

    def __init__(self, task: Task, total: int) -> None:
        self._task = task
        self._total = total
        self._done = self._failed = 0
        self._began = self._shown = task.client.transport.now()

    def show(self, done: int, failed: int) -> None:
        """done, failed: numbers of objects."""
        self._done, self._failed = done, failed
        if self._task.client.transport.now() - self._shown >= _INTERVAL:
            self._line("")

    def show_wait(self, seconds: float) -> None:
        """Show that the rate limit makes the task wait."""
        if seconds >= _INTERVAL:
            self._line(f"; waiting {elapsed(seconds)} for the rate limit")

    def _line(self, more: str) -> None:
        self._shown = self._task.client.transport.now()
        failed = f", {self._failed} failed" if self._failed else ""
        took = elapsed(self._shown - self._began)
        self._task.host.show(f"{self._done} of {counted(self._total, 'object')} done{failed}, {took}{more}")


class Run:
    """One application of a plan.

    ids: the ids of the workspaces by name, None for those that do not exist yet; wrote: whether anything was written, or
    may have been; failure: the error that ended the run; first_failure: the first error of all.
    """

    def __init__(self, task: Task, ids: Mapping[str, int | None]) -> None:
        self._task = task
        self.client = task.client
        self.warn = task.warn
        self.continue_on_error: bool = task.params["continue_on_error"]
        self.ids = dict(ids)
        self.wrote = False
        self.failure: ScannerError | None = None
        self.first_failure: ScannerError | None = None
        # the step that ended the run
        self._ended_at: Step | None = None
        # the lists that were read again, by family and workspace
        self._read_again: dict[tuple[object, ...], _Names] = {}
        # whether the service has stopped answering
        self._silent = False

    def apply(self, steps: Sequence[Step]) -> list[Done]:
        """Write; returns the outcome of each step, in the order of ``steps``."""
        done = [Done(step) for step in steps]
        failed = 0
        order = writing_order(steps)
        progress = _Progress(self._task, len(order))
        self.client.transport.budget.on_wait = progress.show_wait
        for number, position in enumerate(order):
            progress.show(number, failed)
            done[position] = self._write(steps[position])
            failed += done[position].step.action == "failed"
        return self._read_back(done)

    # --- what was created, read again

    def _read_back(self, done: Sequence[Done]) -> list[Done]:
        """Read what was created, and its ids: one listing for each list. What no list shows has failed: how a create is
        answered is documented nowhere, so an id in the answer proves nothing."""
        known: dict[Listing, dict[str, int] | None] = {}
        filled = []
        for entry in done:
            step = entry.step
            if entry.object_id is None and (step.action == "create" or step.recreates):
                listing = listing_of(step)
                if listing not in known:
                    known[listing] = self._ids_in(listing)
                entry = self._found(entry, known[listing])
            filled.append(entry)
        return filled

    def _found(self, entry: Done, ids: Mapping[str, int] | None) -> Done:
        """A create with its id. ids: by normal name, None where the list cannot be read."""
        step = entry.step
        object_id = (ids or {}).get(normal_name(step.family, step.name))
        if object_id is not None:
            return entry._replace(object_id=object_id)
        # something may have been created all the same
        self.wrote = True
        why = "reading the list again failed" if ids is None else "does not list it"
        return Done(step._replace(action="failed"), None, f"{_ACCEPTED}, but {why}; {_SEE}", step.action)

    def _ids_in(self, listing: Listing) -> dict[str, int] | None:
        if self._silent:
            return None
        resource = listing.family
        try:
            with self.client.transport.stop.last_calls():
                rows = self._rows(resource, self._place(resource, listing.workspace) if listing.workspace else {})
        except CallError as error:
            # what was written must be reported all the same
            self.first_failure = self.first_failure or error
            self._silent = True
            self.warn(f"The ids of the new {resource.noun}s are not known, because reading them back failed: {error}")
            return None
        return {normal_name(resource, row[resource.key]): row["id"] for row in rows}

    def _rows(self, resource: Family, place: _Place) -> list[Record]:
        rows = self.client.all(resource, place)
        # a service that ignores the filter must not mix workspaces up
        return [row for row in rows if not place or row.get("workspace_id") in (None, place["workspace_id"])]

    def _place(self, resource: Family, workspace: str) -> _Place:
        return {"workspace_id": self.ids[workspace]} if resource.in_workspace else {}

    # --- one step

    def _write(self, step: Step) -> Done:
        if self._ended_at is not None:
            where = printable(self._ended_at.name, 60)
            return _not_done(step, "refused", f"not tried, because the run ended at {where!r}")
        if self.first_failure and (step.purged or step.recreates):
            what = "deleted" if step.purged else "recreated"
            return _not_done(step, "refused", f"not {what}, because an earlier step failed")
        if step.family.in_workspace and self.ids.get(step.workspace) is None:
            return _not_done(step, "failed", "its workspace could not be created")
        try:
            written = self._send(step)
        except ScannerError as error:
            self._note(step, error)
            return _not_done(step, "failed", str(error))
        return Done(step._replace(action=written.action), written.object_id, planned=step.action)

    def _note(self, step: Step, error: ScannerError) -> None:
        self.first_failure = self.first_failure or error
        self.wrote = self.wrote or bool(error.result.get("changed"))
        # after an interrupt, calls fail although the service answers
        interrupted = self.client.transport.stop.reason is not None
        self._silent = self._silent or (_is_silent(error) and not interrupted)
        if not self.continue_on_error or self._silent or _is_final(error) or interrupted:
            self.failure = error
            self._ended_at = step

    def _send(self, step: Step) -> _Written:
        resource = step.family
        if step.action == "create":
            return self._create(step, step.after or {})
        object_id = step.live["id"]
        if step.action == "delete":
            deleted = self.client.delete(resource, object_id)
            self.wrote = self.wrote or deleted
            return _Written("delete" if deleted else "unchanged", object_id)
        if step.recreates:
            return _Written("update", self._recreate(step))
        self.client.update(resource, object_id, step.changes or {})
        self.wrote = True
        return _Written("update", object_id)

    def _recreate(self, step: Step) -> int | None:
        resource = step.family
        self.client.delete(resource, step.live["id"])
        self.wrote = True
        kept = {field: step.live[field] for field in (resource.key, *resource.declared)}
        try:
            # an interrupt must not end the task between the two
            with self.client.transport.stop.last_calls():
                return self._create(step, {**kept, **(step.changes or {})}).object_id
        except CallError as error:
            # the reader must know that it is gone
            raise error.with_sentence(f"it was deleted, and creating it again failed: {error}") from None

    def _create(self, step: Step, fields: Mapping[str, str]) -> _Written:
        resource = step.family
        form: Record = {field: value for field, value in fields.items() if value != ""}
        place = self._place(resource, step.workspace)
        if resource.in_workspace == "form":
            form.update(place)
        created = self.client.create(
            resource,
            form,
            look=lambda status: self._read_by_name(resource, step.name, place, status),
            query=place if resource.in_workspace == "query" else None,
            read_back=False,
        )
        if created.note:
            self.warn(created.note)
        self.wrote = self.wrote or created.made
        object_id = created.record["id"]
        if resource.holds:
            # what comes next needs the id, so it is read now where the answer gave none
            object_id = object_id or self._new_id(resource, step.name, place)
            self.ids[step.name] = object_id
        return _Written(self._create_action(step, created), object_id if created.shown else None)

    def _new_id(self, resource: Family, name: str, place: _Place) -> int | None:
        try:
            record = self._read_by_name(resource, name, place)
        except CallError as error:
            failed = error.with_sentence(f"it was created, but reading it back failed: {error}")
            raise failed.with_facts(unread=True) from None
        return record["id"] if record else None

    def _create_action(self, step: Step, created: Created) -> str:
        if created.made:
            return "create"
        # another made it since the plan; its fields are compared as those of any live object
        resource = step.family
        fields = {field: value for field, value in (step.after or {}).items() if field != resource.key}
        changes, drift = difference(resource, created.record, fields)
        if changes:
            self.client.update(resource, created.record["id"], changes)
            self.wrote = True
        return "update" if changes else "drifted" if drift else "unchanged"

    def _read_by_name(self, resource: Family, name: str, place: _Place, status: int | None = None) -> Record | None:
        """The live record of this name, read again. An account that is full refuses every create with 403, so after the
        first of them what was read then counts."""
        known = (resource.name, *place.values())
        if status != 403 or known not in self._read_again:
            self._read_again[known] = _Names(resource, self._rows(resource, place))
        return self._read_again[known].find(name)


def _not_done(step: Step, action: str, why: str) -> Done:
    return Done(step._replace(action=action), None, why, planned=step.action)


def _is_final(error: ScannerError) -> bool:
    """Whether every further call would fail too: the key, the rate limit."""
    return isinstance(error, ApiError) and error.status in (401, 429)


def _is_silent(error: ScannerError) -> bool:
    """Whether the service does not answer any more: it cannot be reached, or a write failed and so did the read after it."""
    unreachable = isinstance(error, NetworkError) and not error.maybe_done
    return unreachable or (isinstance(error, CallError) and error.unread)
