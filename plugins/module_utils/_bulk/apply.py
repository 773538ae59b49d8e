# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Apply a plan for many objects, and find out what became of each of its steps."""

from __future__ import annotations

from .._errors import ApiError, CallError, NetworkError, ScannerError, printable
from .._names import normal_form
from .._records import difference
from .._resources import RESOURCES, TARGET, WORKSPACE
from .cost import list_of
from .plan import in_order
from .report import Done

_ACCEPTED = "the service answered its creation with success"


class Run:
    """One application of a plan.

    ids: {workspace name: id or None}; wrote: whether anything was written, or may have been; failure: the error that
    stopped the run, or None; first_failure: the first error of all, or None.
    """

    def __init__(self, task, ids):
        self.client = task.client
        self.warn = task.warn
        self.go_on = task.params["continue_on_error"]
        self.ids = ids
        self.wrote = False
        self.failure = None
        self.first_failure = None
        # the step that ended the run
        self._ended_at = None
        # the lists that were read again, by name and by normal form
        self._read_again = {}
        # whether the service has stopped answering
        self._silent = False

    def apply(self, steps, progress):
        """Write; returns the Done of each step, in the order of ``steps``. progress: a ``_progress.Progress``."""
        outcome = {}
        failed = 0
        writes = in_order(steps)
        self.client.transport.budget.on_wait = progress.waits
        for number, step in enumerate(writes):
            progress.tell(number, len(writes), failed)
            outcome[id(step)] = entry = self._write(step)
            failed += entry.step.action == "failed"
        progress.tell(len(writes), len(writes), failed)
        return self._read_back([outcome.get(id(step)) or Done(step) for step in steps])

    def _read_back(self, done):
        """Read what was created, and its ids: one listing for each list. What no list shows has failed: how a create is
        answered is documented nowhere, so an id in the answer proves nothing."""
        known = {}
        filled = []
        for entry in done:
            step = entry.step
            if entry.object_id is None and (step.action == "create" or step.recreates):
                read_as = list_of(step)
                if read_as not in known:
                    known[read_as] = self._ids_of(*read_as)
                entry = self._found(entry, known[read_as])
            filled.append(entry)
        return filled

    def _found(self, entry, ids):
        """The Done of a create with its id. ids: {normal name: id}, or None where the list cannot be read."""
        step = entry.step
        object_id = (ids or {}).get(_normal(step.resource, step.name))
        if object_id is not None:
            return entry._replace(object_id=object_id)
        if ids is None:
            reason = f"{_ACCEPTED}, but reading the list again failed; run the task again to see whether it exists"
        else:
            reason = f"{_ACCEPTED}, but does not list it; run the task again to see whether it exists"
        # something may have been created all the same
        self.wrote = True
        return Done(step._replace(action="failed"), None, reason, step.action)

    def _ids_of(self, resource_name, workspace):
        resource = RESOURCES[resource_name]
        if self._silent:
            return None
        try:
            rows = self._rows(resource, self._place(resource, workspace) if workspace else {})
        except CallError as error:
            # what was written must be reported all the same
            self.first_failure = self.first_failure or error
            self._silent = True
            self.warn(f"The ids of the new {resource.noun}s are not known, because reading them back failed: {error}")
            return None
        return {_normal(resource_name, row[resource.key]): row["id"] for row in rows}

    def _rows(self, resource, place):
        rows = self.client.all(resource, place)
        # a service that ignores the filter must not mix workspaces up
        return [row for row in rows if not place or row.get("workspace_id") in (None, place["workspace_id"])]

    def _place(self, resource, workspace):
        return {"workspace_id": self.ids[workspace]} if resource.in_workspace else {}

    def _write(self, step):
        if self._ended_at is not None:
            where = printable(self._ended_at.name, 60)
            return Done(
                step._replace(action="refused"), None, f"not tried, because the run ended at {where!r}", step.action
            )
        if self.first_failure and (step.purged or step.recreates):
            what = "deleted" if step.purged else "recreated"
            reason = f"not {what}, because an earlier step failed"
            return Done(step._replace(action="refused"), None, reason, step.action)
        if step.resource != WORKSPACE.name and self.ids.get(step.workspace) is None:
            return Done(step._replace(action="failed"), None, "its workspace could not be created", step.action)
        try:
            action, object_id = self._send(step)
        except ScannerError as error:
            self._note(step, error)
            return Done(step._replace(action="failed"), None, str(error), step.action)
        return Done(step._replace(action=action), object_id, None, step.action)

    def _note(self, step, error):
        self.first_failure = self.first_failure or error
        self.wrote = self.wrote or bool(error.result.get("changed"))
        self._silent = self._silent or _is_silent(error)
        if not self.go_on or self._silent or _is_final(error):
            self.failure = error
            self._ended_at = step

    def _send(self, step):
        resource = RESOURCES[step.resource]
        if step.action == "create":
            return self._create(resource, step, step.after)
        if step.action == "delete":
            done = self.client.delete(resource, step.before["id"])
            self.wrote = self.wrote or done
            return ("delete" if done else "unchanged"), step.before["id"]
        if step.recreates:
            return "update", self._recreate(resource, step)
        self.client.update(resource, step.before["id"], step.changes)
        self.wrote = True
        return "update", step.before["id"]

    def _recreate(self, resource, step):
        self.client.delete(resource, step.before["id"])
        self.wrote = True
        kept = {field: step.before[field] for field in (resource.key, *resource.declared)}
        try:
            return self._create(resource, step, dict(kept, **step.changes))[1]
        except CallError as error:
            # the reader must know that it is gone
            error.args = (f"it was deleted, and creating it again failed: {error}",)
            raise

    def _create(self, resource, step, fields):
        form = {field: value for field, value in fields.items() if value != ""}
        place = self._place(resource, step.workspace)
        if resource.in_workspace == "form":
            form.update(place)
        created = self.client.create(
            resource,
            form,
            look=lambda status: self._look(resource, step.name, place, status),
            query=place if resource.in_workspace == "query" else None,
            read_back=False,
        )
        if created.note:
            self.warn(created.note)
        self.wrote = self.wrote or created.made
        object_id = created.record["id"]
        if resource is WORKSPACE:
            # what comes next needs the id, so it is read now where the answer gave none
            object_id = object_id or self._new_id(resource, step.name, place)
            self.ids[step.name] = object_id
        if not created.shown:
            object_id = None
        return self._create_action(resource, step, created), object_id

    def _new_id(self, resource, name, place):
        try:
            return (self._look(resource, name, place) or {}).get("id")
        except CallError as error:
            error.args = (f"it was created, but reading it back failed: {error}",)
            error.unread = True
            raise

    def _create_action(self, resource, step, created):
        if created.made:
            return "create"
        # another made it since the plan; its fields are compared as those of any live object
        fields = {field: value for field, value in step.after.items() if field != resource.key}
        changes, drift = difference(resource, created.record, fields)
        if changes:
            self.client.update(resource, created.record["id"], changes)
            self.wrote = True
        return "update" if changes else "drifted" if drift else "unchanged"

    def _look(self, resource, name, place, status=None):
        """The live record of this name, read again. An account that is full refuses every create with 403, so after the
        first of them what was read then counts."""
        known = (resource.name, *place.values())
        if status != 403 or known not in self._read_again:
            rows = self._rows(resource, place)
            self._read_again[known] = (
                {row[resource.key]: row for row in reversed(rows)},
                {_normal(resource.name, row[resource.key]): row for row in reversed(rows)},
            )
        exact, normal = self._read_again[known]
        return exact.get(name) or normal.get(_normal(resource.name, name))


def _normal(resource_name, name):
    return normal_form(name) if resource_name == TARGET.name else name


def _is_final(error):
    """Whether every further call would fail too: the key, the rate limit, the network."""
    return isinstance(error, ApiError) and error.status in (401, 429)


def _is_silent(error):
    """Whether the service does not answer any more: it cannot be reached, or what a call did could not be read either."""
    unreachable = isinstance(error, NetworkError) and not error.maybe_done
    return unreachable or (isinstance(error, CallError) and error.unread)
