# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The work of service_verification: query the service, and judge its answers. Only reads, unless the task sets writes."""

from __future__ import annotations

import contextlib
import secrets
from dataclasses import dataclass

from .._errors import CallError, Incomplete, Refused, ScannerError, WrongOption, printable
from .._families.family import Family
from .._families.http_logger import HTTP_LOGGER
from .._families.target import TARGET
from .._families.workspace import WORKSPACE
from .._names import UnreadableName, normal_form, read_name
from .._records import Record
from .._task import Task
from .answers import Observation, Observations
from .assumptions import ROWS
from .judges import CONFIRMED, NOT_TRIED, REFUTED
from .reads import Survey


def verify(task: Task) -> Record:
    """The result of service_verification. Raises Incomplete if an object of the verification may remain."""
    survey = Survey(task.client)
    trial = _Trial(task, survey) if task.params["writes"] else None
    if trial:
        trial.check_name()
    survey.read()
    if trial:
        trial.check_absence()
    if trial is None or task.check_mode:
        return _result(task, survey.answers, [], wrote=False)
    trial.run()
    result = _result(task, survey.answers, trial.left, wrote=True)
    failure = str(trial.failure) if trial.failure else task.client.transport.stop.failure or ""
    if trial.left:
        them = "it" if len(trial.left) == 1 else "them"
        remains = f"{', '.join(trial.left)} could not be deleted after the verification. Delete {them} in the web application."
        raise Incomplete(f"{failure} {remains}".lstrip(), **result)
    if failure:
        raise ScannerError(failure, **result)
    return result


def _result(task: Task, answers: Observations, left: list[str], wrote: bool) -> Record:
    rows = [row.judged(answers, wrote) for row in ROWS]
    summary = {verdict: sum(row["verdict"] == verdict for row in rows) for verdict in (CONFIRMED, REFUTED, NOT_TRIED)}
    result: Record = dict(changed=bool(left), rows=rows, summary=summary)
    if task.diff_mode:
        result["diff"] = dict(before={}, after=dict(left=left) if left else {})
    return result


@dataclass
class _Object:
    """An object to create and to delete."""

    # the name of the answer to its create
    answer: str
    family: Family
    values: Record
    # the filter of the list that shows it, and the query of the create
    listed: Record | None = None
    query: Record | None = None
    # 0 until it has been created
    id: int = 0

    @property
    def name(self) -> str:
        return str(self.values[self.family.key])


class _Trial:
    """Creates two workspaces, a target and an HTTP logger, and deletes these objects and nothing else."""

    def __init__(self, task: Task, survey: Survey) -> None:
        # phrases for the objects that could not be deleted
        self.left: list[str] = []
        # the error that ended the trial early
        self.failure: ScannerError | None = None
        self._client = task.client
        self._permits = task.permits
        self._survey = survey
        # random, so that no other object has this name
        self._mark = f"verify-{secrets.token_hex(6)}"
        self._declared: str | None = task.params["target"]
        self._target = f"{self._mark.capitalize()}.example.com" if self._declared is None else self._declared
        self._created: list[_Object] = []

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
                if _is_same(row["name"], self._declared):
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
                # workspaces come last, because what they hold is deleted with them
                for each in sorted(self._created, key=lambda each: bool(each.family.holds)):
                    if not self._delete(each) and each.family.holds:
                        self.left.append(f"{each.family.noun} {each.name!r} (id {each.id or 'unknown'})")

    def _create_all(self) -> None:
        workspace_id = self._create(_Object("create", WORKSPACE, dict(name=self._mark.capitalize())))
        self._create(_Object("create_in_lower_case", WORKSPACE, dict(name=self._mark)))
        if workspace_id is None:
            return
        place = dict(workspace_id=workspace_id)
        target = dict(name=self._target, **place)
        target_id = self._create(_Object("create_target", TARGET, target, place))
        if target_id is not None:
            self._survey.ask("stored_target", f"{TARGET.path}/{target_id}", expected=target)
        self._create(_Object("create_http_logger", HTTP_LOGGER, dict(label=self._mark), place, place))

    def _create(self, wanted: _Object) -> int | None:
        """Create an object, look for it in its list, as every module reads it, and return its id, or None."""
        family = wanted.family

        def find_again(_status: int | None) -> Record | None:
            # before the answer of the read replaces that of the create
            self._note_write(wanted.answer, "POST", wanted.values)
            return self._find(wanted)

        try:
            record = self._client.create(family, wanted.values, find_again, wanted.query, read_back=False).record
            wanted.id = record["id"] or 0
            self._created.append(wanted)
        except CallError as error:
            # what a workspace holds is deleted with it
            if error.may_have_worked and family.holds:
                self.left.append(f"{family.noun} {wanted.name!r} (may have been created)")
            return None
        finally:
            self._note_write(wanted.answer, "POST", wanted.values)
        with contextlib.suppress(ScannerError):
            found = self._find(wanted)
            rows = [dict(id=found["id"])] if found else []
            self._survey.answers[f"listed_{family.name}"] = Observation(200, "json", rows, {}, {})
            wanted.id = found["id"] if found else wanted.id
        return wanted.id or None

    def _note_write(self, answer: str, method: str, values: Record | None = None) -> None:
        last = self._client.transport.last
        if last is not None and last.method == method and answer not in self._survey.answers:
            self._survey.note(answer, values or {})

    def _find(self, wanted: _Object) -> Record | None:
        """The record of the object that was just created, or None."""
        family = wanted.family
        known = {each.id for each in self._created if each.family is family and each is not wanted}
        # what is not found is not deleted
        with self._client.transport.stop.last_calls():
            rows = [row for row in self._client.all(family, wanted.listed) if row["id"] not in known]
        return next((row for row in rows if _is_same(row[family.key], wanted.name)), None)

    def _delete(self, created: _Object) -> bool:
        """Whether it was deleted. An object with another name is left alone."""
        if not created.id:
            return False
        family = created.family
        path = f"{family.path}/{created.id}"
        try:
            found = self._survey.ask("own", path)
            if found is None or not _is_same(found.record.get(family.key), created.name):
                return False
            self._client.delete(family, created.id, read_back=False)
        except ScannerError:
            return False
        finally:
            self._note_write(f"delete_{family.name}", "DELETE")
        if family is TARGET:
            self._survey.ask("deleted_target", path)
        return True


def _is_same(live: object, name: str) -> bool:
    """Whether a live name is this one, in whatever spelling the service stores it."""
    if not isinstance(live, str):
        return False
    return live.casefold() == name.casefold() or normal_form(live).casefold() == normal_form(name).casefold()
