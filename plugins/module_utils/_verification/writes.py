# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The objects that service_verification creates and deletes, so that it can judge the answers."""

from __future__ import annotations

import contextlib
import secrets
from typing import NamedTuple

from .._errors import CallError, Refused, ScannerError, WrongOption, printable
from .._families.family import Family
from .._families.http_logger import HTTP_LOGGER
from .._families.target import TARGET
from .._families.workspace import WORKSPACE
from .._names import UnreadableName, normal_form, read_name
from .._records import Record
from .._task import Task
from .judges import Observation
from .reads import Survey


class _Creation(NamedTuple):
    """A create to try. answer: the name of its answer; listed: the filter of the list that shows the new object; query: the
    query of the create; read_deleted: the name of the answer to a read after the delete, "" for no read."""

    answer: str
    resource: Family
    values: Record
    listed: Record | None = None
    query: Record | None = None
    read_deleted: str = ""

    @property
    def name(self) -> str:
        return str(self.values[self.resource.key])


class _Created(NamedTuple):
    """An object that was created, to be deleted."""

    creation: _Creation
    id: int

    @property
    def resource(self) -> Family:
        return self.creation.resource

    @property
    def name(self) -> str:
        return self.creation.name


class _Outcome(NamedTuple):
    """The result of a create. doubt: why an object without a record may exist nevertheless."""

    record: Record | None
    doubt: str = ""


class Trial:
    """Creates two workspaces, a target and an HTTP logger, and deletes these objects and nothing else.

    left: phrases for the objects that could not be deleted; failure: the error that ended the trial early, or None.
    """

    def __init__(self, task: Task, survey: Survey) -> None:
        self.left: list[str] = []
        self.failure: ScannerError | None = None
        self._client = task.client
        self._permits = task.permits
        self._survey = survey
        # random, so that no other object has this name
        self._mark = f"verify-{secrets.token_hex(6)}"
        self._declared: str | None = task.params["target"]
        self._target = f"{self._mark.capitalize()}.example.com" if self._declared is None else self._declared
        self._created: list[_Created] = []

    def check_name(self) -> None:
        """Raise unless the target may be created. Makes no call."""
        try:
            read_name(self._target)
        except UnreadableName as error:
            raise WrongOption(f"target {error}: give the name of a target that does not exist yet.") from None
        reason = self._permits.verdict(self._target)
        if reason:
            raise Refused(
                f"target {printable(self._target)!r} is outside the authorised scope: {reason}. Nothing was sent. Set target"
                " to a name that the scope permits and that does not exist yet, or leave out writes."
            )

    def check_absence(self) -> None:
        """Raise Refused if a target with the declared name exists, so that it is never taken for the one of the trial."""
        if self._declared is None:
            return
        for workspace in self._client.all(WORKSPACE):
            for row in self._client.all(TARGET, dict(workspace_id=workspace["id"])):
                if _is_same_target(row["name"], self._declared):
                    raise Refused(
                        f"target {printable(self._declared)!r} already exists in workspace {workspace['id']}. Nothing was"
                        " created. Set target to a name that does not exist yet."
                    )

    def run(self) -> None:
        """Create the objects, note the answers, and delete the objects, also after an interrupt."""
        try:
            self._create_all()
        except ScannerError as error:
            self.failure = error
        finally:
            with self._client.transport.stop.last_calls():
                self._delete_all()

    def _create_all(self) -> None:
        workspace_id = self._create(_Creation("create", WORKSPACE, dict(name=self._mark.capitalize())))
        self._create(_Creation("create_in_lower_case", WORKSPACE, dict(name=self._mark)))
        if workspace_id is None:
            return
        place = dict(workspace_id=workspace_id)
        declared = dict(name=self._target, workspace_id=workspace_id)
        target_id = self._create(
            _Creation("create_target", TARGET, declared, listed=place, read_deleted="deleted_target"),
        )
        if target_id is not None:
            self._survey.ask("stored_target", f"{TARGET.path}/{target_id}", expected=declared)
        self._create(
            _Creation("create_http_logger", HTTP_LOGGER, dict(label=self._mark), listed=place, query=place),
        )

    def _create(self, creation: _Creation) -> int | None:
        """Create an object and return its id, or None."""
        record, doubt = self._try_create(creation)
        if record is not None:
            self._created.append(_Created(creation, record["id"]))
            self._note_listed(self._created[-1])
            return self._created[-1].id
        # what a workspace holds is deleted with it
        if doubt and creation.resource.holds:
            self.left.append(f"{creation.resource.noun} {creation.name!r} ({doubt})")
        return None

    def _note_listed(self, created: _Created) -> None:
        """Note which rows of its list, as every module reads it, are the new object."""
        with contextlib.suppress(ScannerError):
            rows = self._client.all(created.resource, created.creation.listed)
            found = [dict(id=row["id"]) for row in rows if row["id"] == created.id]
            name = f"listed_{created.resource.name}"
            self._survey.answers[name] = Observation(200, "json", found, {}, dict(id=created.id))

    def _try_create(self, creation: _Creation) -> _Outcome:
        def find_again(_status: int | None) -> Record | None:
            # before the answer of the read replaces that of the create
            self._note_write(creation.answer, "POST", creation.values)
            return self._find(creation)

        try:
            record = self._client.create(
                creation.resource, creation.values, find_again, query=creation.query, read_back=False
            ).record
        except CallError as error:
            self._note_write(creation.answer, "POST", creation.values)
            return _Outcome(None, "may have been created" if error.may_have_worked else "")
        self._note_write(creation.answer, "POST", creation.values)
        if record["id"] is not None:
            return _Outcome(record)
        object_id = self._id_in(creation.answer)
        if object_id is not None:
            return _Outcome(dict(id=object_id))
        try:
            found = self._find(creation)
        except CallError:
            found = None
        return _Outcome(found, "" if found else "id unknown")

    def _id_in(self, answer: str) -> int | None:
        """The id in the answer to a create, in whatever form, or None."""
        text = str((self._survey.answers.record(answer) or {}).get("created_id"))
        return int(text) if text.isascii() and text.isdigit() else None

    def _note_write(self, answer: str, method: str, values: Record | None = None) -> None:
        last = self._client.transport.last
        if last is not None and last.method == method and answer not in self._survey.answers:
            self._survey.note(answer, last, values or {})

    def _find(self, creation: _Creation) -> Record | None:
        """The record of the object that was just created, or None."""
        resource = creation.resource
        known = {each.id for each in self._created if each.resource is resource}
        # what is not found is not deleted
        with self._client.transport.stop.last_calls():
            rows = [row for row in self._client.all(resource, creation.listed) if row["id"] not in known]
        return next((row for row in rows if _is_same(row[resource.key], creation.name)), None)

    def _delete_all(self) -> None:
        """Delete what was created. Workspaces come last: what they hold is deleted with them."""
        for created in sorted(self._created, key=lambda each: bool(each.resource.holds)):
            if not self._delete(created) and created.resource.holds:
                self.left.append(f"{created.resource.noun} {created.name!r} (id {created.id})")

    def _delete(self, created: _Created) -> bool:
        """Whether it was deleted. An object with another name is left alone."""
        resource = created.resource
        path = f"{resource.path}/{created.id}"
        answer = f"delete_{resource.name}"
        try:
            record = self._survey.ask("own", path)
            if not (isinstance(record, dict) and _is_same(record.get(resource.key), created.name)):
                return False
            self._client.delete(resource, created.id)
        except ScannerError:
            self._note_write(answer, "DELETE")
            return False
        self._note_write(answer, "DELETE")
        if created.creation.read_deleted:
            self._survey.ask(created.creation.read_deleted, path)
        return True


def _is_same(live: object, name: str) -> bool:
    """Whether a live name is this one, in whatever spelling the service stores it."""
    return isinstance(live, str) and (live.casefold() == name.casefold() or _is_same_target(live, name))


def _is_same_target(live: str, name: str) -> bool:
    return normal_form(live).casefold() == normal_form(name).casefold()
