# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The work of the module gate: read, judge, write the artefacts, and fail or pass."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .._errors import Incomplete, Refused, ScannerError, WrongOption, counted
from .._exports.document import Choices, Place
from .._exports.formats import write
from .._exports.sarif import locations_of
from .._file.draft import shown
from .._gate_words import CREATED, FAIL, WARN
from .._http.connection import COLLECTION_VERSION
from .._records import Record
from .._task import Task
from .baseline_file import Remembering, Wanted, remember
from .enrichment import read_epss, read_known_exploited
from .expectation import Expect, expect_of
from .files import (
    LONGEST_FINDINGS,
    File,
    content_of,
    diff_of,
    make_directory,
    needed_content_of,
    refuse_untrusted_directory,
    refuse_without_directory,
    write_files,
)
from .finding_rows import rows_of
from .gate_json import document_of
from .judge import Decision, decide
from .policy import Policy, mapping_of, policy_of
from .read import read
from .run import run_of
from .saved import saved_of
from .scan_results import with_results
from .sentence import sentence_of, why, without_baseline
from .types import Exploits, Pair, Trouble
from .waiver_file import WaiverFile, read_waivers
from .waivers import Rule, waive


class NotPassed(ScannerError):
    """The gate has judged, and its outcome fails the task. The result says what was written."""


class _Asked(NamedTuple):
    """The options and files of a task, read and checked before any call."""

    policy: Policy
    expect: Expect
    mapping: Mapping[str, str]
    exploits: Exploits
    waivers: Sequence[Rule]
    baseline: bytes | None
    locations: Mapping[str, Place]


class _Found(NamedTuple):
    """What is judged. workspace: the name of the only one; now: Unix time; api_error: of the first call that
    failed."""

    pairs: Sequence[Pair]
    workspace: str | None
    troubles: Sequence[Trouble]
    now: float
    api_error: Record | None = None


def judge_task(task: Task) -> Record:
    """The work of the module. Raises NotPassed if the outcome fails the task."""
    # findings have no cycles: with 1,000 waivers and 50,000 findings, searching for some makes 5.5 x json.loads 7.8 x
    gc.disable()
    try:
        return _result(task)
    finally:
        gc.enable()


def _result(task: Task) -> Record:
    params = task.params
    started = time.time()
    asked = _asked(task, started)
    found = _found(task, started)
    now = found.now
    rows = rows_of(found.pairs, asked.exploits)
    wanted = Wanted(params["baseline"], params["baseline_missing"], params["baseline_update"])
    remembered = remember(wanted, asked.baseline, run_of(found.pairs, rows), found.workspace, COLLECTION_VERSION)
    decision = decide(
        found.pairs,
        rows,
        policy=asked.policy,
        mapping=asked.mapping,
        now=now,
        expect=asked.expect,
        memory=remembered.memory,
        waived=waive(asked.waivers, rows, now),
        troubles=found.troubles,
    )
    document = document_of(
        decision, collection_version=COLLECTION_VERSION, now=now, workspace=found.workspace, exploits=asked.exploits
    )
    return _Ending(task, decision, document, found.api_error).end(asked, remembered)


def _asked(task: Task, now: float) -> _Asked:
    params = task.params
    _refuse_bad_formats(params)
    if params["artifacts"] is not None:
        refuse_untrusted_directory(params["artifacts"])
    if params["tools"] is not None and not params["tools"]:
        raise WrongOption("tools is empty, so nothing would be judged: name at least one, or leave it out.")
    if params["baseline"] and params["baseline_missing"] == "create":
        refuse_without_directory(params["baseline"], "baseline")
    epss, exploited = params["epss_file"], params["known_exploited_file"]
    return _Asked(
        policy_of(params["policy"]),
        expect_of(params["expect"]),
        mapping_of(params["outcomes"]),
        Exploits(
            read_epss(needed_content_of(epss, "epss_file"), epss) if epss else None,
            read_known_exploited(needed_content_of(exploited, "known_exploited_file"), exploited)
            if exploited
            else None,
        ),
        read_waivers(
            [
                WaiverFile(path, needed_content_of(path, f"waivers[{index}]"))
                for index, path in enumerate(params["waivers"])
            ],
            now,
            params["allow_permanent"],
        ),
        content_of(params["baseline"], "baseline") if params["baseline"] else None,
        locations_of(
            [
                (path, needed_content_of(path, f"estate_files[{index}]").decode("utf-8", "replace"))
                for index, path in enumerate(params["estate_files"])
            ]
        ),
    )


def _refuse_bad_formats(params: Mapping[str, Any]) -> None:
    if params["artifacts"] is not None and not params["formats"]:
        raise WrongOption("formats is empty, so artifacts would hold no file: name a format, or remove artifacts.")
    if params["artifacts"] == "":
        raise WrongOption("artifacts is empty: give the path of a directory, or remove it.")


def _found(task: Task, now: float) -> _Found:
    path = task.params["findings_file"]
    if path is not None:
        saved = saved_of(needed_content_of(path, "findings_file", LONGEST_FINDINGS), path, now)
        saved = saved.of(task.params["workspace"])
        if saved.pairs and task.params["baseline"] and task.params["baseline_missing"] == "create":
            raise WrongOption(
                "baseline_missing is create, but a file of findings_file does not prove what was scanned, so no baseline is"
                " created from it: judge the scans of the service, or set baseline_missing to all_new or fail."
            )
        pairs, troubles = with_results(saved.pairs, task.params["scan_results"])
        return _Found(pairs, saved.workspace, (*saved.troubles, *troubles), now)
    reading = read(task)
    pairs, troubles = with_results(reading.pairs, task.params["scan_results"])
    return _Found(pairs, reading.workspace, (*reading.troubles, *troubles), reading.now or now, reading.api_error)


def _refuse_own_baseline(files: Sequence[File], baseline: str | None) -> None:
    for file in files:
        if baseline is not None and os.path.realpath(file.path) == os.path.realpath(baseline):
            raise Refused(
                f"The {file.kind} file of the gate would overwrite the baseline {shown(baseline)}: give another path for one"
                " of them."
            )


class _Ending:
    """How a task ends that has judged."""

    def __init__(self, task: Task, decision: Decision, document: Record, api_error: Record | None) -> None:
        self._task = task
        self._decision = decision
        self._document = document
        self._api_error = {"api_error": api_error} if api_error else {}
        self._files: list[Record] = []
        self._diff: Record = {}

    def end(self, asked: _Asked, remembered: Remembering) -> Record:
        """The result of the module, after the files are written. Raises NotPassed, or Incomplete if a file is missing."""
        try:
            self._write(asked, remembered)
        except ScannerError as error:
            sentence = f"{error} The outcome of the gate is {self._decision.outcome}: {why(self._decision)}"
            kind = Incomplete if any(file["changed"] for file in self._files) else Refused
            raise kind(sentence, **self._result()) from None
        self._warn(remembered)
        if self._decision.verdict == FAIL:
            raise NotPassed(self._sentence(), **self._result(), **self._api_error)
        if self._decision.verdict == WARN:
            self._task.warn(self._sentence())
        return self._result()

    def _write(self, asked: _Asked, remembered: Remembering) -> None:
        params = self._task.params
        directory = params["artifacts"]
        if directory is not None:
            make_directory(self._task, directory)
            choices = Choices(
                params["sarif_profile"],
                asked.locations,
                params["sarif_location"],
                params["export_all"],
                params["sarif_category"],
            )
            for name in dict.fromkeys(params["formats"]):
                written = write(name, self._document, choices)
                for warning in written.warnings:
                    self._task.warn(warning)
                files = [File(os.path.join(directory, each.name), name, each.text) for each in written.artefacts]
                _refuse_own_baseline(files, params["baseline"])
                write_files(self._task, files, self._files)
        # last, so that nothing is accepted whose artefacts are missing
        if remembered.text is not None and remembered.memory.path is not None:
            # calls may have taken minutes since it was read
            if content_of(remembered.memory.path, "baseline") != asked.baseline:
                raise Refused(
                    f"The baseline {shown(remembered.memory.path)} changed while the gate ran, and was not overwritten: run"
                    " the task again."
                )
            write_files(self._task, [File(remembered.memory.path, "baseline", remembered.text)], self._files)
            if self._task.diff_mode:
                self._diff = {"diff": diff_of(remembered.memory.path, asked.baseline, remembered.text)}

    def _warn(self, remembered: Remembering) -> None:
        memory, waived = remembered.memory, self._decision.waived
        missing = without_baseline(self._decision)
        if missing:
            self._task.warn(missing)
        if memory.state == CREATED:
            self._task.warn(
                f"The baseline {memory.path} was created with {counted(memory.accepted, 'finding')}, which the next runs"
                " treat as known. Review the file before you commit it."
            )
        if waived.expired:
            one = len(waived.expired) == 1
            self._task.warn(
                f"{counted(len(waived.expired), 'waiver')} expired and no longer {'counts' if one else 'count'}: renew or"
                f" remove {'it' if one else 'them'}; see waivers."
            )

    def _sentence(self) -> str:
        written = {file["format"]: file["path"] for file in reversed(self._files)}
        return sentence_of(self._decision, written.get("html") or written.get("markdown"))

    def _result(self) -> Record:
        failing = [row for row in self._document["findings"] if row["state"] == "failing"]
        rows = failing if self._task.params["rows"] == "failing" else self._document["findings"]
        changed = any(file["changed"] for file in self._files)
        result = {**self._document, "findings": rows, "failing": failing, "files": self._files, "changed": changed}
        return {**result, **self._diff}
