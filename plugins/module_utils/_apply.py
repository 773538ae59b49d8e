# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Apply a plan for many objects, and find out what became of each of its steps."""

from __future__ import annotations

from . import _plan
from ._errors import ApiError, CallError, NetworkError, ScannerError, printable
from ._names import normal_form
from ._resources import RESOURCES, TARGET, WORKSPACE, difference


class Run:
    """One application of a plan. ids: {workspace name: id or None}; wrote: whether anything was written; failure: the
    error that stopped the run, or None; read: the lists that were read again, by name and by normal form."""

    def __init__(self, task, ids):
        self.client = task.client
        self.warn = task.warn
        self.go_on = task.params["continue_on_error"]
        self.ids = ids
        self.wrote = False
        self.failed = False
        self.failure = None
        self.read = {}

    def apply(self, steps):
        """Write; returns (step, id or None, error sentence or None) for each step, in the order of ``steps``."""
        outcome = {}
        for step in _plan.in_order(steps):
            outcome[id(step)] = self._write(step)
        done = [outcome.get(id(step), (step, None, None)) for step in steps]
        return self._with_ids(done)

    def _with_ids(self, done):
        """Where the service did not say the ids of what it made, read them: one listing for each list."""
        known = {}
        filled = []
        for step, object_id, error in done:
            if step.action == "create" and object_id is None:
                place = (step.resource, step.workspace)
                if place not in known:
                    known[place] = self._ids_of(*place)
                object_id = known[place].get(_normal(step.resource, step.name))
            filled.append((step, object_id, error))
        return filled

    def _ids_of(self, resource_name, workspace):
        resource = RESOURCES[resource_name]
        try:
            rows = self._rows(resource, self._place(resource, workspace))
        except CallError as error:
            # what was written must be reported all the same
            self.warn(f"The ids of the new {resource.noun}s are not known, because reading them back failed: {error}")
            return {}
        return {_normal(resource_name, row[resource.key]): row["id"] for row in rows}

    def _rows(self, resource, place):
        rows = self.client.all(resource, place)
        # a service that ignores the filter must not mix workspaces up
        return [row for row in rows if not place or row.get("workspace_id") in (None, place["workspace_id"])]

    def _place(self, resource, workspace):
        return {"workspace_id": self.ids[workspace]} if resource.in_workspace else {}

    def _write(self, step):
        if self.failure:
            return step._replace(action="refused"), None, "not done, because the run stopped at an earlier failure"
        if self.failed and (step.purged or step.recreates):
            what = "deleted" if step.purged else "recreated"
            return step._replace(action="refused"), None, f"not {what}, because an earlier step failed"
        if step.resource != WORKSPACE.name and self.ids.get(step.workspace) is None:
            return step._replace(action="failed"), None, "its workspace is not there"
        try:
            action, object_id = self._send(step)
        except ScannerError as error:
            self.failed = True
            self.wrote = self.wrote or bool(error.result.get("changed"))
            if not self.go_on or _is_final(error):
                self.failure = error
            return step._replace(action="failed"), None, str(error)
        return step._replace(action=action), object_id, None

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
            error.args = (f"{printable(step.name)!r} was deleted, and making it again failed: {error}",)
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
            object_id = object_id or (self._look(resource, step.name, place) or {}).get("id")
            self.ids[step.name] = object_id
        return self._create_action(resource, step, created), object_id

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
        if status != 403 or known not in self.read:
            rows = self._rows(resource, place)
            self.read[known] = (
                {row[resource.key]: row for row in reversed(rows)},
                {_normal(resource.name, row[resource.key]): row for row in reversed(rows)},
            )
        exact, normal = self.read[known]
        return exact.get(name) or normal.get(_normal(resource.name, name))


def _normal(resource_name, name):
    return normal_form(name) if resource_name == TARGET.name else name


def _is_final(error):
    """Whether every further call would fail too: the key, the rate limit, the network."""
    if isinstance(error, ApiError):
        return error.status in (401, 429)
    return isinstance(error, NetworkError) and not error.maybe_done
