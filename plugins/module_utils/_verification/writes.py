# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What service_verification creates, so that it can judge creates and deletes, and how it deletes that again."""

from __future__ import annotations

import secrets

from .._errors import CallError, Refused, ScannerError, printable
from .._names import UnreadableName, normal_form, read_name
from .._resources import HTTP_LOGGER, TARGET, WORKSPACE
from .judges import data_of


class Trial:
    """Creates two workspaces, a target and an HTTP logger, and deletes what bears their names and nothing else.

    left: phrases for what could not be deleted; failure: the ScannerError that ended it early, or None.
    """

    def __init__(self, task, visit):
        self.client = task.client
        self.gate = task.gate
        self.visit = visit
        # nothing in an account has this name already
        self.mark = f"verify-{secrets.token_hex(6)}"
        self.given = task.params["target"]
        self.target = self.given if self.given is not None else f"{self.mark.capitalize()}.example.com"
        self.made = []
        self.left = []
        self.failure = None

    def refuse(self):
        """Raise Refused where the target may not be created. Makes no call."""
        try:
            read_name(self.target)
        except UnreadableName as error:
            raise Refused(f"target {error}: give the name of a target that does not exist yet.") from None
        reason = self.gate.verdict(self.target)
        if reason:
            raise Refused(
                f"target {printable(self.target)!r} is outside the authorised scope: {reason}. Nothing was sent. Set target"
                " to a name that the scope permits and that does not exist yet, or leave writes out."
            )

    def refuse_target_that_exists(self):
        """Raise Refused where the account has a target of the declared name, so that it is never taken for our own."""
        if self.given is None:
            return
        wanted = normal_form(self.given)
        for workspace in self.client.all(WORKSPACE):
            for row in self.client.all(TARGET, dict(workspace_id=workspace["id"])):
                if normal_form(row["name"]).casefold() == wanted.casefold():
                    raise Refused(
                        f"target {printable(self.given)!r} exists already, in workspace {workspace['id']}. Nothing was"
                        " created. Set target to a name that does not exist yet."
                    )

    def run(self):
        """Create, note the answers, and delete."""
        try:
            self._create_all()
        except ScannerError as error:
            self.failure = error
        finally:
            self._delete_all()

    def _create_all(self):
        workspace = self._create("create", WORKSPACE, dict(name=self.mark.capitalize()))
        self._create("create_in_lower_case", WORKSPACE, dict(name=self.mark))
        if workspace is None:
            return
        declared = dict(name=self.target, workspace_id=workspace)
        target = self._create("create_target", TARGET, declared, dict(workspace_id=workspace))
        if target is not None:
            self.visit.ask("stored_target", f"{TARGET.path}/{target}", asked=declared)
        place = dict(workspace_id=workspace)
        self._create("create_http_logger", HTTP_LOGGER, dict(label=self.mark), place, query=place)

    def _create(self, answer, resource, values, place=None, query=None):
        """Create an object; its id, or None."""
        name = values[resource.key]

        def look(_status):
            self._note_write(answer, "POST", values)
            return self._find(resource, name, place)

        record, why = self._created(answer, resource, values, look, query)
        if record is None:
            # what is inside a workspace goes with it
            if why and resource is WORKSPACE:
                self.left.append(f"{resource.noun} {name!r} ({why})")
            return None
        self.made.append((resource, record["id"], name))
        return record["id"]

    def _created(self, answer, resource, values, look, query):
        """(record or None, why an object may exist all the same or None)."""
        try:
            record = self.client.create(resource, values, look, query=query, read_back=False).record
        except CallError as error:
            self._note_write(answer, "POST", values)
            return None, "may have been created" if error.may_have_worked else None
        self._note_write(answer, "POST", values)
        if record["id"] is None:
            record = self._named_in(answer) or self._found(look)
        return record, "id unknown" if record is None else None

    def _named_in(self, answer):
        """The record with the id of an answer in which ids have another form, or None."""
        data = data_of(self.visit.answers.get(answer))
        text = str(data.get("created_id")) if isinstance(data, dict) else ""
        return dict(id=int(text)) if text.isascii() and text.isdigit() else None

    @staticmethod
    def _found(look):
        try:
            return look(None)
        except CallError:
            return None

    def _note_write(self, answer, method, values=None):
        last = self.client.transport.last
        if last is not None and last.method == method and answer not in self.visit.answers:
            self.visit.note(answer, values or {})

    def _find(self, resource, name, place):
        """The record of what was just created, or None."""
        made = {(entry.name, object_id) for entry, object_id, _name in self.made}
        rows = [row for row in self.client.all(resource, place) if (resource.name, row["id"]) not in made]
        return next((row for row in rows if _same(row[resource.key], name)), None)

    def _delete_all(self):
        """Delete what was created, the workspaces last: what is in one goes with it."""
        remaining = []
        for resource, object_id, name in sorted(self.made, key=lambda each: each[0] is WORKSPACE):
            if not self._delete(resource, object_id, name):
                remaining.append((resource, object_id, name))
        workspaces = [entry for entry in remaining if entry[0] is WORKSPACE]
        for resource, object_id, name in workspaces:
            self.left.append(f"{resource.noun} {name!r} (id {object_id})")

    def _delete(self, resource, object_id, name):
        """Whether it was deleted. What bears another name is not touched."""
        path = f"{resource.path}/{object_id}"
        answer = f"delete_{resource.name}"
        try:
            record = self.visit.ask("own", path)
            if not (isinstance(record, dict) and _same(record.get(resource.key), name)):
                return False
            self.client.delete(resource, object_id)
        except ScannerError:
            self._note_write(answer, "DELETE")
            return False
        self._note_write(answer, "DELETE")
        if resource is TARGET:
            self.visit.ask("deleted_target", path)
        return True


def _same(live, name):
    """Whether a live name is this one, in whatever spelling the service stores it."""
    return isinstance(live, str) and (
        live.casefold() == name.casefold() or normal_form(live).casefold() == normal_form(name).casefold()
    )
