# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The work of service_verification: query the service, judge its answers, and record their forms. Only reads, unless the
task sets writes: then it creates objects, changes one, and deletes these objects and nothing else; and sends a finding the
status that it has.
"""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

from ansible.module_utils.ansible_release import __version__ as ANSIBLE_CORE_VERSION

from .._http.client import Client
from .._model.errors import CallError, Incomplete, Interrupted, Refused, ScannerError, WrongOption, printable
from .._model.families import FINDING, HTTP_LOGGER, TARGET, WORKSPACE
from .._model.family import Family
from .._model.galaxy import COLLECTION_VERSION
from .._model.records import Record, read_id
from .._model.target_names import UnreadableName, normal_form, read_name
from .._model.times import utc_text
from .._task.atomic_files import Draft, check_place
from .._task.task import Task
from .answers import Observation
from .assumptions import NEEDS_WRITES, ROWS
from .judges import CONFIRMED, NOT_TRIED, REFUTED
from .reads import Survey
from .recording import Recorder

_DESCRIPTION = "Created by service_verification, which also deletes it"
_NO_LIST = "nothing was created, because the list of workspaces cannot be read"


def verify_and_record(task: Task) -> Record:
    """The result of service_verification. The recording is written even if the verification fails."""
    path = task.params["record"]
    if path is None:
        return verify(task)
    check_place(task.host, path, option="record")
    recorder = Recorder(time.time())
    task.client.transport.heard = recorder.hear
    try:
        result = verify(task)
    except ScannerError as error:
        if not recorder.answers:
            raise
        _write(path, recorder, error.result.get("rows", []), task.check_mode)
        raise error.with_result(changed=True) from None
    _write(path, recorder, result["rows"], task.check_mode)
    return {**result, "changed": True}


def _write(path: str, recorder: Recorder, rows: list[Record], check_mode: bool) -> None:
    """Write the recording, readable by its owner only. Check mode writes no file."""
    text = recorder.text(COLLECTION_VERSION, rows)
    if check_mode:
        return
    try:
        with Draft(path) as draft:
            draft.write(text.encode())
            draft.put()
    except ScannerError as error:
        raise Refused(f"The recording is missing: {error}") from None


def verify(task: Task) -> Record:
    """The result of service_verification, which an error has, too. Raises Incomplete if an object of the verification may
    remain."""
    survey = Survey(task.client)
    trial = Trial(task.client, survey, task.params["target"]) if task.params["writes"] else None
    if trial:
        _check_name(trial.target, task.permits.verdict)
    survey.read()
    unwritten = _NO_LIST if trial else NEEDS_WRITES
    if survey.failure:
        raise survey.failure.with_result(**_result(survey, [], unwritten, task.diff_mode))
    if trial is None or not isinstance(survey.answers["workspaces"].data, list):
        return _result(survey, [], unwritten, task.diff_mode)
    try:
        if task.params["target"] is not None:
            _check_absence(task.client, task.params["target"])
    except ScannerError as error:
        raise error.with_result(**_result(survey, [], "nothing was created", task.diff_mode)) from None
    if task.check_mode:
        return _result(survey, [], NEEDS_WRITES, task.diff_mode)
    trial.run()
    result = _result(survey, trial.left, "", task.diff_mode)
    failure = str(trial.failure) if trial.failure else task.client.transport.stop.failure or ""
    if trial.left:
        them = "it" if len(trial.left) == 1 else "them"
        remains = f"{', '.join(trial.left)} could not be deleted after the verification. Delete {them} in the web application."
        raise Incomplete(f"{failure} {remains}".lstrip(), **result)
    if isinstance(trial.failure, Incomplete):
        raise trial.failure.with_result(**{**result, "changed": True})
    if failure:
        raise ScannerError(failure, **result)
    return result


def _check_name(target: str, verdict: Callable[[str], str | None]) -> None:
    """Raise unless the target may be created. Makes no call."""
    try:
        read_name(target)
    except UnreadableName as error:
        raise WrongOption(f"target {error}: give the name of a target that does not exist yet.") from None
    reason = verdict(target)
    if reason:
        raise Refused(
            f"target {printable(target)!r} is outside the authorised scope: {reason}. Nothing was sent. Set target"
            " to a name that the scope permits and that does not exist yet, or leave out writes."
        )


def _check_absence(client: Client, declared: str) -> None:
    """Raise Refused if a target with the declared name exists, so that it is never taken for the one of the trial."""
    for workspace in client.all(WORKSPACE):
        for row in client.all(TARGET, dict(workspace_id=workspace["id"])):
            if is_same(row["name"], declared):
                raise Refused(
                    f"target {printable(declared)!r} already exists in workspace {workspace['id']}. Nothing was"
                    " created. Set target to a name that does not exist yet."
                )


def _result(survey: Survey, left: list[str], unwritten: str, diff_mode: bool) -> Record:
    """unwritten: why creates and deletes were not tried, "" if they were."""
    rows = [row.judged(survey.answers, unwritten) for row in ROWS]
    summary = {verdict: sum(row["verdict"] == verdict for row in rows) for verdict in (CONFIRMED, REFUTED, NOT_TRIED)}
    verified_with = dict(
        collection=COLLECTION_VERSION,
        ansible_core=ANSIBLE_CORE_VERSION,
        date=utc_text(time.time()),
        writes=not unwritten,
    )
    result: Record = dict(changed=bool(left), rows=rows, summary=summary, verified_with=verified_with)
    if diff_mode:
        result["diff"] = dict(before={}, after=dict(left=left) if left else {})
    return result


# --- writes


@dataclass
class _Object:
    """An object to create and to delete."""

    # the name of the answer to its create
    answer: str
    family: Family
    # the form, and the query
    values: Record
    query: Record | None = None
    # the filter of the list that shows it
    place: Record | None = None
    # 0 until the service has shown it
    id: int = 0
    # whether the list has shown the id beside the name
    is_listed: bool = False
    # whether it is certain that it does not exist
    is_gone: bool = False

    @property
    def name(self) -> str:
        return str(self.values[self.family.key])

    @property
    def path(self) -> str:
        return f"{self.family.path}/{self.id}"

    def __str__(self) -> str:
        known = f"id {self.id}" if self.id else "may have been created"
        return f"{self.family.noun} {self.name!r} ({known})"


class Trial:
    """Creates two workspaces with a target and HTTP loggers, and deletes them.

    It notes the answers as they are. The client's own creates and deletes would read again what the judges want to see.
    """

    def __init__(self, client: Client, survey: Survey, declared: str | None) -> None:
        # phrases for the objects that could not be deleted
        self.left: list[str] = []
        # the error that ended the trial early
        self.failure: ScannerError | None = None
        self._client = client
        self._survey = survey
        # random, so that no other object has this name
        self._mark = f"verify-{secrets.token_hex(6)}"
        self.target = f"{self._mark.capitalize()}.example.com" if declared is None else declared
        # whatever may exist, in the order of the creates
        self._own: list[_Object] = []
        # those that are to be deleted with their workspace
        self._kept: list[_Object] = []
        # their workspace
        self._second: _Object | None = None

    def run(self) -> None:
        """Create the objects, note the answers, and delete the objects, also after an interrupt."""
        try:
            self._create_all()
            self._repeat_status()
        except ScannerError as error:
            self.failure = error
        finally:
            with self._client.transport.stop.last_calls():
                # the workspaces last: with the second one goes what is to be deleted with it
                in_order = sorted(self._own, key=lambda each: bool(each.family.holds))
                for each in in_order:
                    each.is_gone = each.is_gone or (each not in self._kept and self._delete(each, "delete"))
                for each in self._kept:
                    answer = self._survey.ask("kept", each.path)
                    each.is_gone = answer is not None and answer.status == 404
                    if answer and self._second and self._second.is_gone:
                        self._survey.answers[f"kept_{each.family.name}"] = answer
                # once more what could not be deleted
                for each in in_order:
                    each.is_gone = each.is_gone or self._delete(each, "again")
            self.left = [str(each) for each in self._own if not each.is_gone]

    def _create_all(self) -> None:
        first = self._create(_Object("create", WORKSPACE, dict(name=self._mark.capitalize())))
        second_name = dict(name=self._mark, description=_DESCRIPTION)
        second = self._second = self._create(_Object("create_in_lower_case", WORKSPACE, second_name))
        if second:
            self._update(second)
        self._create(_Object("create_again", WORKSPACE, dict(name=self._mark.capitalize())))
        if not first:
            return
        self._survey.ask("created_workspace", first.path)
        here = dict(workspace_id=first.id)
        self._create_target("create_target", here)
        self._create_target("create_target_again", here)
        ids = {"both": self._create_logger("create_http_logger", "", here, here)}
        ids["form"] = self._create_logger("create_form_logger", "-form", here, None)
        ids["query"] = self._create_logger("create_query_logger", "-query", {}, here)
        created = {way: each.id for way, each in ids.items() if each}
        self._survey.ask("own_loggers", HTTP_LOGGER.path, here, expected=dict(created=created))
        if not second:
            return
        there = dict(workspace_id=second.id)
        self._survey.ask("other_own_loggers", HTTP_LOGGER.path, there)
        target = self._create_target("create_target_elsewhere", there)
        logger = self._create_logger("create_other_logger", "-other", there, there)
        self._kept = [each for each in (target, logger) if each]

    def _create_target(self, answer: str, place: Record) -> _Object | None:
        return self._create(_Object(answer, TARGET, dict(name=self.target, **place), place=place))

    def _create_logger(self, answer: str, suffix: str, form: Record, query: Record | None) -> _Object | None:
        return self._create(_Object(answer, HTTP_LOGGER, dict(label=f"{self._mark}{suffix}", **form), query))

    def _send(
        self,
        answer: str,
        method: str,
        path: str,
        expected: Record,
        query: Record | None = None,
        form: Record | None = None,
        json: Record | None = None,
    ) -> Observation | None:
        """Send a write once and note its answer; None without one. Raises CallError."""
        try:
            self._client.write(method, path, query, form, json)
        except CallError as error:
            self._survey.note_error(answer, method, path, expected, error)
            raise
        return self._survey.note(answer, expected)

    def _create(self, wanted: _Object) -> _Object | None:
        """Create an object and look for it in its list; None if that fails, or if it is not known which object it is."""
        family = wanted.family
        self._own.append(wanted)
        try:
            answer = self._send(
                wanted.answer, "POST", family.path, wanted.values, query=wanted.query, form=wanted.values
            )
        except Interrupted:
            raise
        except CallError as error:
            if not error.may_have_worked:
                wanted.is_gone = True
                return None
            answer = None
        record = answer.record if answer else {}
        wanted.id = read_id(next((record[field] for field in family.created if field in record), None)) or 0
        listed = self._look(wanted)
        if listed is not None and answer:
            rows = [dict(id=wanted.id)] if wanted.is_listed else []
            noted = listed._replace(body=rows, expected=dict(noun=family.noun))
            self._survey.answers[f"listed_{wanted.answer}"] = noted
            if wanted.is_listed:
                self._survey.answers[wanted.answer] = answer._replace(expected=dict(wanted.values, id=wanted.id))
        if family is TARGET and wanted.id and wanted.answer == "create_target":
            self._survey.ask("stored_target", wanted.path, expected=wanted.values)
        return wanted if wanted.id else None

    def _look(self, wanted: _Object) -> Observation | None:
        """Look for an object in its list, and note its id; the list, or None if it cannot be read."""
        family = wanted.family
        known = {each.id for each in self._own if each.family is family and each is not wanted}
        with self._client.transport.stop.last_calls():
            listed = self._survey.read_list("candidate", family.plural, wanted.place or {})
        if listed is None or not isinstance(listed.data, list):
            return None
        own = [
            object_id
            for row in listed.rows
            for object_id in [read_id(row.get("id"))]
            if object_id and object_id not in known and is_same(row.get(family.key), wanted.name)
        ]
        if own:
            wanted.id = wanted.id if wanted.id in own else own[0]
            wanted.is_listed = True
        return listed

    def _update(self, workspace: _Object) -> None:
        """Change the name of a workspace alone, then clear its description."""
        ask = self._survey.ask
        ask("workspace_before_update", workspace.path)
        steps = (("update", "updated", dict(name=f"{self._mark}-renamed")), ("clear", "cleared", dict(description="")))
        for step, done, values in steps:
            try:
                self._send(step, "PUT", workspace.path, values, json=values)
            except Interrupted:
                raise
            except CallError:
                # the read shows what came of it
                pass
            found = ask(f"{done}_workspace", workspace.path)
            workspace.values["name"] = found.record.get("name", workspace.name) if found else workspace.name

    def _repeat_status(self) -> None:
        """Send a finding the status that it has. Raises Incomplete if that changes it."""
        finding_id = read_id(self._survey.answers.record("finding").get("id"))
        path = f"{FINDING.path}/{finding_id}"
        live = self._survey.ask("finding", path) if finding_id else None
        status = live.record.get("status") if live else None
        if not isinstance(status, str):
            return
        with contextlib.suppress(ScannerError):
            # the read shows what came of it
            self._send("finding_change", "PATCH", path, dict(status=status), json={"status": {"value": status}})
        after = self._survey.ask("finding_after", path)
        if after and after.record.get("status", status) != status:
            raise Incomplete(
                f"The status of finding {finding_id} has changed, although the verification sent the one that it had,"
                f" {printable(status)!r}. Restore it in the web application."
            )

    def _delete(self, own: _Object, step: str) -> bool:
        """Delete an object. Whether it no longer exists; one with another name is left alone. step: how answers are named."""
        if not own.is_listed:
            is_absent = self._look(own) is not None
            if not own.is_listed:
                if not own.id:
                    return is_absent
                # the id that the create answered may be that of another object
                found = self._survey.ask("own", own.path)
                name = found.record.get(own.family.key) if found else None
                if not isinstance(name, str):
                    return is_absent and found is not None and found.status == 404
                if not is_same(name, own.name):
                    return is_absent
        with contextlib.suppress(ScannerError):
            # the read shows what came of it
            self._send(f"{step}_{own.answer}", "DELETE", own.path, {})
        after = self._survey.ask(f"after_{step}_{own.answer}", own.path)
        return after is not None and after.status == 404


def is_same(live: object, name: str) -> bool:
    """Whether a live name is this one, in whatever spelling the service stores it."""
    if not isinstance(live, str):
        return False
    return live.casefold() == name.casefold() or normal_form(live).casefold() == normal_form(name).casefold()
