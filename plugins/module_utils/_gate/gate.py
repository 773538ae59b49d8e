# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What the module gate does with what was read: judge it, write the artefacts, and fail or pass."""

from __future__ import annotations

import gc
import os
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .._evidence.must_see import Seen, Sight, look
from .._evidence.rows import Pair, Reading, Trouble, enriched
from .._model.errors import (
    Incomplete,
    Refused,
    ScannerError,
    WrongOption,
    counted,
    first_of,
    printable,
    shown,
    without_secrets,
)
from .._model.galaxy import COLLECTION_VERSION, section_of
from .._model.inputs import content_of, needed_content_of
from .._model.outcomes import CREATED, FAIL, KNOWN, MISCONFIGURED, MISSING, MOVED, NEW, PASSED, REOPENED, WARN, WORSE
from .._model.records import Record
from .._model.times import expiry_of, in_days, is_date
from .._task.host import Host
from .baseline import Run, run_of
from .baseline_file import remember
from .build import build_of, moved_in
from .formats.attestation import NAME as ATTESTATION
from .formats.document import Choices, catalogues
from .formats.registry import NOTHING_WRITTEN, Written, outdated, write
from .gate_files import (
    LONGEST_FINDINGS,
    File,
    diff_of,
    make_directory,
    remove_files,
    write_files,
)
from .gate_json import document_of, names_in, of_workspace, saved_of
from .judge import Decision, Judged, decide
from .options import Options, options_of
from .policy import gaps_in
from .scan_results import with_results
from .waivers import Ending, Waiver, waive

# findings that the message of a failed task names
_MOST_NAMED = 5
# reasons that it quotes
_MOST_REASONS = 3
_LONGEST_NAME = 80
_LONGEST_PATH = 200
# a result keeps its keys and types
_NO_PROSE: Record = {**dict.fromkeys(("description", "risk", "recommendation", "evidence"), ""), "references": []}


class _NotPassed(ScannerError):
    """The gate has judged, and its outcome fails the task. The result says what was written."""


def run_gate(host: Host, warn: Callable[[str], None], read: Callable[[], Reading]) -> Record:
    """The result of the module. Raises _NotPassed if the outcome fails the task.

    read: reads the scans of the service; called after the options and files are known to be right.
    """
    # findings have no cycles: with 1,000 waivers and 50,000 findings, searching for some makes 5.0 x json.loads 8.7 x
    gc.disable()
    try:
        return _result(host, warn, read)
    finally:
        gc.enable()


def _result(host: Host, warn: Callable[[str], None], read: Callable[[], Reading]) -> Record:
    params = host.params
    started = time.time()
    asked = options_of(params, started)
    reading = _reading(params, started, read)
    build = reading.build or params["build"]
    pairs, troubles = with_results(reading.pairs, params["scan_results"])
    if params["stale_catalogues"] == FAIL:
        troubles = (*troubles, *(Trouble(MISCONFIGURED, sentence) for sentence in asked.stale))
    moved = moved_in(build) if build else None
    if moved and MOVED not in {each.outcome for each in reading.troubles}:
        troubles = (Trouble(MOVED, moved, True), *troubles)
    now = reading.now or started
    sight = _sight(asked, reading, pairs)
    pairs, troubles = sight.pairs, (*troubles, *(Trouble(MISCONFIGURED, sentence) for sentence in sight.wrong))
    rows = enriched(sight.rows, asked.exploits)
    run = run_of(pairs, rows, sight.taken)
    if moved:
        # another build has other findings, so none is accepted or gone
        run = Run(run.rows, {}, run.occurrences, run.controls)
    memory, baseline = remember(
        params["baseline"],
        asked.baseline,
        run,
        reading.workspace,
        COLLECTION_VERSION,
        missing=params["baseline_missing"],
        wants_update=params["baseline_update"],
    )
    decision = decide(
        pairs,
        rows,
        policy=asked.policy,
        mapping=asked.mapping,
        now=now,
        expect=asked.expect,
        memory=memory,
        waived=waive(asked.waivers, rows, now, asked.notice),
        troubles=(*reading.troubles, *troubles),
        controls=sight.controls or [Seen(**each) for each in reading.controls],
    )
    document = document_of(
        decision,
        collection_version=COLLECTION_VERSION,
        now=now,
        workspace=reading.workspace,
        exploits=asked.exploits,
        origin=asked.origin,
        owners=asked.owners,
        run=secrets.token_hex(16),
        build=build_of(build) if build else None,
    )
    # a preview that has judged nothing: the run itself will warn
    silent = host.check_mode and not pairs
    if params["stale_catalogues"] == WARN and not silent:
        for sentence in asked.stale:
            warn(sentence)
    if asked.owners and not silent:
        for sentence in asked.owners.warnings(names_in(decision), complete=not troubles and not reading.troubles):
            warn(sentence)
    return _Ending(host, warn, decision, document, reading.api_error, silent).end(asked, baseline)


def _sight(asked: Options, reading: Reading, pairs: Sequence[Pair]) -> Sight:
    """What the scans saw of the controls. Raises WrongOption for findings of a file, which does not show that."""
    if asked.controls and any(pair.saved for pair in pairs):
        raise WrongOption(
            "must_see is set, but a file of findings_file does not show what the scans saw: judge the scans of the service, or"
            " remove must_see."
        )
    return look(asked.controls, pairs, reading.rows, gaps_in(asked.expect, pairs)[0], others=bool(reading.troubles))


def _reading(params: Record, now: float, read: Callable[[], Reading]) -> Reading:
    """What is judged, from the service or from a file."""
    path = params["findings_file"]
    if path is None:
        return read()
    # not in a variable: a large file has no room for its bytes beside its findings
    saved = of_workspace(
        saved_of(needed_content_of(path, "findings_file", LONGEST_FINDINGS), path, now), params["workspace"]
    )
    if saved.pairs and params["baseline"] and params["baseline_missing"] == "create":
        raise WrongOption(
            "baseline_missing is create, but a file of findings_file does not prove what was scanned, so no baseline is"
            " created from it: judge the scans of the service, or set baseline_missing to all_new or fail."
        )
    return saved


def _old_files(directory: str, name: str, written: Written) -> list[str]:
    """The files of a format that an earlier run has written, and this one has not."""
    present = os.listdir(directory) if os.path.isdir(directory) else []
    return [os.path.join(directory, each) for each in outdated(name, written, present)]


def _attestation_in(params: Mapping[str, Any]) -> list[str]:
    """The attestation that the directory of artefacts has. params: maybe not converted."""
    directory = params.get("artifacts")
    if not directory or not isinstance(directory, str):
        return []
    return _old_files(os.path.expanduser(os.path.expandvars(directory)), ATTESTATION, NOTHING_WRITTEN)


def withdraw(host: Host, result: Mapping[str, Any]) -> bool:
    """After a failure without an outcome, remove the attestation of an earlier run, which a later step would sign as that of
    this one; whether there was one. Raises Refused. host: its options may not be converted."""
    return "outcome" not in result and remove_files(host, _attestation_in(host.params))


class _Ending:
    """How a task ends that has judged."""

    def __init__(
        self,
        host: Host,
        warn: Callable[[str], None],
        decision: Decision,
        document: Record,
        api_error: Record | None,
        silent: bool,
    ) -> None:
        """silent: warn of nothing."""
        self._host = host
        self._warn = (lambda _sentence: None) if silent else warn
        self._decision = decision
        self._document = document
        self._api_error = {"api_error": api_error} if api_error else {}
        self._files: list[Record] = []
        self._removed = False
        self._diff: Record = {}

    def end(self, asked: Options, baseline: str | None) -> Record:
        """The result of the module, after the files are written. baseline: the new text of its file, if it changes.

        Raises _NotPassed, or Incomplete if a file is missing.
        """
        try:
            self._write_artefacts(asked)
            # last, so that nothing is accepted whose artefacts are missing
            if baseline is not None:
                self._write_baseline(self._host.params["baseline"], asked.baseline, baseline)
        except ScannerError as error:
            sentence = f"{error} The outcome of the gate is {self._decision.outcome}: {_why(self._decision)}"
            # of an earlier run, or of this one, whose task fails
            self._removed |= remove_files(self._host, _attestation_in(self._host.params))
            self._files = [each for each in self._files if each["format"] != ATTESTATION]
            kind = Incomplete if self._changed() else Refused
            raise kind(sentence, **self._failed()) from None
        self._warn_of_decision()
        if self._decision.verdict == FAIL:
            raise _NotPassed(self._sentence(), **self._failed(), **self._api_error)
        if self._decision.verdict == WARN:
            self._warn(self._sentence())
            return {**self._result(), "msg": self._sentence()}
        return {**self._result(), "msg": passed_sentence_of(self._decision)}

    def _write_artefacts(self, asked: Options) -> None:
        params = self._host.params
        directory, baseline = params["artifacts"], params["baseline"]
        if directory is None:
            return
        make_directory(self._host, directory)
        sarif = (params["sarif_profile"], asked.locations, asked.sarif_location)
        choices = Choices(*sarif, params["export_all"], params["sarif_category"], asked.subjects)
        for name in dict.fromkeys((*params["formats"], ATTESTATION)):
            written = write(name, self._document, choices) if name in params["formats"] else NOTHING_WRITTEN
            for warning in written.warnings:
                self._warn(warning)
            files = [File(os.path.join(directory, each.name), name, each.text) for each in written.artefacts]
            for file in files:
                if baseline is not None and os.path.realpath(file.path) == os.path.realpath(baseline):
                    raise Refused(
                        f"The {name} file of the gate would overwrite the baseline {shown(baseline)}: give another path for"
                        " one of them."
                    )
            write_files(self._host, files, self._files)
            # a program that takes all files of the directory would take them for those of this run
            self._removed |= remove_files(self._host, _old_files(directory, name, written))

    def _write_baseline(self, path: str, before: bytes | None, after: str) -> None:
        # calls may have taken minutes since it was read
        if content_of(path, "baseline") != before:
            raise Refused(
                f"The baseline {shown(path)} changed while the gate ran, and was not overwritten: run the task again."
            )
        write_files(self._host, [File(path, "baseline", after)], self._files)
        if self._host.diff_mode:
            self._diff = {"diff": diff_of(path, before, after)}

    def _warn_of_decision(self) -> None:
        memory, expired = self._decision.memory, self._decision.waived.expired
        missing = _without_baseline(self._decision)
        for sentence in (missing, *self._decision.warnings):
            if sentence:
                self._warn(sentence)
        if memory.state == CREATED:
            self._warn(
                f"The baseline {memory.path} was created with {counted(memory.accepted, 'finding')}, which the next runs"
                " treat as known. Review the file before you commit it."
            )
        if expired:
            one = len(expired) == 1
            self._warn(
                f"{counted(len(expired), 'waiver')} expired and no longer {'counts' if one else 'count'}: renew or remove"
                f" {'it' if one else 'them'}; see waivers."
            )

    def _sentence(self) -> str:
        written = {file["format"]: file["path"] for file in reversed(self._files)}
        dates = ", ".join(f"{name} of {date}" for name, date in catalogues(self._document).items())
        return sentence_of(self._decision, written.get("html") or written.get("markdown"), dates and f"{dates}.")

    def _result(self) -> Record:
        failing = [row for row in self._document["findings"] if row["state"] == "failing"]
        rows = failing if self._host.params["rows"] == "failing" else self._document["findings"]
        result = {**self._document, "findings": rows, "failing": failing, "files": self._files}
        return {**result, "changed": self._changed(), **self._diff}

    def _failed(self) -> Record:
        """The result of a task that fails, which ansible-core shows: what identifies findings, without their long texts."""
        result = self._result()
        return {**result, **{key: [{**row, **_NO_PROSE} for row in result[key]] for key in ("findings", "failing")}}

    def _changed(self) -> bool:
        return self._removed or any(file["changed"] for file in self._files)


# --- the message: the line of a pipeline that people read first


def sentence_of(decision: Decision, page: str | None, sources: str = "") -> str:
    """The complete line. page: the path of the artefact that a person should open; sources: the dates of the catalogues, a
    sentence, "" without any."""
    parts = (
        f"The gate ended with {decision.outcome}.",
        _without_baseline(decision),
        _why(decision),
        _failing(decision.failing),
        _expired(decision.waived.expired),
        _ending(decision.waived.ending),
        _unused(decision.waived.unused) if decision.failing else "",
        sources,
        # last, and without a full stop, so that it can be clicked
        f"See {f'{printable(page)} and ' if page else ''}{section_of(decision.decisive)}",
    )
    return " ".join(filter(None, parts))


# what the line of a gate that passed says of the baseline, by key of counts
_CHANGED = {**{key: key for key in (NEW, REOPENED, WORSE, KNOWN, "gone")}, "unseen": "not seen"}


def passed_sentence_of(decision: Decision) -> str:
    """The complete line of a gate that passed: what it judged, and what of it does not fail."""
    counts, waived = decision.counts, [each.waiver for each in decision.rows if each.waiver is not None]
    more = [f"{counts[key]:,} {words}" for key, words in _CHANGED.items() if counts[key]]
    if waived:
        ends = sorted({each.expires for each in waived}, key=lambda expires: expiry_of(expires) or 0)
        more.append(f"{len(waived):,} waived{', the first' if ends[1:] else ''} until {ends[0]}")
    seen = sum(each.seen is True for each in decision.controls)
    if decision.controls:
        every = counted(len(decision.controls), "control")
        more.append(f"{every} seen" if seen == len(decision.controls) else f"{seen} of {every} seen")
    pairs = [each.pair for each in decision.targets]
    judged = [_first_names(without_secrets(each.target) for each in pairs), _first_names(each.tool for each in pairs)]
    where = ", ".join(filter(None, judged))
    # rows of one fingerprint are findings of their own
    fail = (
        f"{counts['failing']:,} of {counts['total']:,} {'finding fails' if counts['total'] == 1 else 'findings fail'}"
    )
    ended = (
        "The gate passed"
        if decision.outcome == PASSED
        else f"The gate ended with {decision.outcome}, which does not fail it"
    )
    passed = f"{ended}: {', '.join([fail, *more])}{f' ({where})' if where else ''}."
    return " ".join(filter(None, (passed, _ending(decision.waived.ending))))


def _first_names(names: Iterable[str | None]) -> str:
    """The first of these names, each once, and how many more there are."""
    found = [printable(each, _LONGEST_NAME) for each in dict.fromkeys(names) if each]
    left = len(found) - _MOST_REASONS
    return ", ".join([*found[:_MOST_REASONS], *([f"{left:,} more"] if left > 0 else [])])


def _why(decision: Decision) -> str:
    """The first reasons, and how many more there are."""
    reasons = decision.reasons
    left = len(reasons) - _MOST_REASONS
    more = [f"{left:,} more {'is' if left == 1 else 'are'} in reasons of the result."] if left > 0 else []
    return " ".join([*reasons[:_MOST_REASONS], *more]) or "everything was read, and nothing fails the policy."


def _without_baseline(decision: Decision) -> str:
    """That the baseline does not exist, if something was judged and the reasons do not say it."""
    memory = decision.memory
    said = memory.state != MISSING or memory.blocks or not decision.targets
    return "" if said else memory.reason or ""


def _failing(failing: Sequence[Judged]) -> str:
    if not failing:
        return ""
    several = len({each.row.tool for each in failing}) > 1
    named = [_name(each, several) for each in failing[:_MOST_NAMED]]
    more = [f"and {len(failing) - len(named):,} more"] if len(failing) > len(named) else []
    return f"Failing: {'; '.join([*named, *more])}."


def _name(judged: Judged, with_tool: bool) -> str:
    row = judged.row
    check = f" (check {printable(row.check, _LONGEST_NAME)})" if row.check else ""
    target = printable(without_secrets(row.target), _LONGEST_NAME) or "an unknown target"
    tool = f", {printable(row.tool, _LONGEST_NAME)}" if with_tool else ""
    return f"{row.severity} {printable(row.name, _LONGEST_NAME) or 'finding without a name'} on {target}{tool}{check}"


def _unused(waivers: Sequence[Waiver]) -> str:
    """That waivers match nothing, which may be why a finding fails."""
    if not waivers:
        return ""
    first = f"{printable(waivers[0].file, _LONGEST_NAME)}:{waivers[0].line}"
    if len(waivers) == 1:
        return f"1 waiver matches no finding ({first}): check it for a typo."
    return f"{counted(len(waivers), 'waiver')} match no finding (the first is {first}): check them for typos."


def _ending(found: Sequence[Ending]) -> str:
    """That waivers end soon, after which their findings count again."""
    if not found:
        return ""
    named = [f"{printable(each.waiver.file, _LONGEST_PATH)}:{each.waiver.line} {in_days(each.days)}" for each in found]
    return f"{counted(len(found), 'waiver')} {'ends' if len(found) == 1 else 'end'} soon: {first_of(named, _MOST_REASONS)}."


def _expired(waivers: Sequence[Waiver]) -> str:
    if not waivers:
        return ""
    numbers = sorted(Counter(each.status for each in waivers).items())
    states = ", ".join(f"{number} {status}" for status, number in numbers)
    last = max((each.expires for each in waivers), key=lambda expires: expiry_of(expires) or 0)
    at = f"{last} at 24:00 UTC" if is_date(last) else last
    have = "has" if len(waivers) == 1 else "have"
    return f"{counted(len(waivers), 'waiver')} {have} expired ({states}), the last one on {at}."
