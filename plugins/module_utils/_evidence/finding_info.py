# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Read findings: which ones a task refers to, what it keeps of the answer, and whether the answer is complete."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from .._http.client import Client
from .._model.errors import Refused, WrongOption, printable
from .._model.families import FINDING, SCAN, TARGET
from .._model.records import Record
from .._model.times import Since, since_of
from .._task.atomic_files import Draft, store
from .._task.lookup import Place
from .._task.raw_options import UNKNOWN_ID
from .._task.references import (
    belongs,
    information,
    place_of,
    scan_of,
    target_filter,
    target_of_record,
    unplaced,
    warn_unplaced,
)
from .._task.task import Task
from .clock import old_scans
from .findings import SUMMARY, finding_of, is_cve, selector
from .proof import Proof, Tally, may_be_cut, proof_of, surplus_warning
from .scans import newest_of, uncounted
from .sight import finished, why_incomplete

_NOT_YET = Proof([], ["what this task refers to does not exist yet"])


class _Kept:
    """What a task keeps of the findings: at most ``limit`` of them, and the numbers of all.

    old: the ids of the scans that ended too long ago; draft: where each finding is written as one line of JSON; owners: the
    requested ids of target and scan, by field; target_names: by target id; tally: of all findings read, before any filter;
    proof: whether they are complete.
    """

    def __init__(self, selects: Callable[[Record], bool], limit: int) -> None:
        self._selects = selects
        self._limit = limit
        self.old: frozenset[int] = frozenset()
        self.draft: Draft | None = None
        self.owners: dict[str, int] = {}
        self.target_names: dict[int, str] = {}
        self.tally = Tally()
        self.proof = Proof([], [])
        self.findings: list[Record] = []
        self.total = 0
        self.summary = dict.fromkeys(SUMMARY, 0)

    def take(self, record: Record) -> None:
        """Filter, count and keep a finding."""
        finding = finding_of(record, self.target_names)
        if not belongs(finding, self.owners):
            return
        self.tally.take(finding)
        # a finding whose scan is unknown or has no end may be the newest
        is_old = isinstance(finding["task_id"], int) and finding["task_id"] in self.old
        if is_old or not self._selects(finding):
            return
        self.total += 1
        self.summary[finding["severity"]] += 1
        if len(self.findings) < self._limit:
            self.findings.append(finding)
        if self.draft is not None:
            # in ASCII, so that the service's text cannot control a terminal
            self.draft.write(json.dumps(finding).encode("ascii") + b"\n")


def read(task: Task) -> dict[str, Any]:
    """The work of finding_info."""
    params = task.params
    if params["limit"] < 0:
        raise WrongOption(f"limit is {params['limit']}: set it to 0 or more.")
    for option in ("status", "cve"):
        values = params[option]
        if values is not None and (not values or not all(each.strip() for each in values)):
            raise WrongOption(f"{option} is empty, or has an empty item: name at least one value, or omit the option.")
    for cve in params["cve"] or ():
        if not is_cve(cve.strip()):
            raise WrongOption(f"cve {printable(cve)!r} is not a CVE id: write it as CVE-2021-44228.")
    if params["name"] is not None and not params["name"].strip():
        raise WrongOption("name is empty: give the name of the object, or a pattern for it.")
    since = since_of(params["since"])
    selects = selector(params["min_severity"], params["status"], params["cve"], params["name"])
    kept = _Kept(selects, params["limit"])
    file: dict[str, Any] = dict(changed=False, dest=params["dest"], size=None, checksum=None)
    if params["dest"] is None:
        _collect(task, kept, since)
    else:
        stored = store(task.host, params["dest"], lambda draft: _collect(task, kept, since, draft))
        file.update(stored.after._asdict(), changed=stored.changed)
    if kept.total > len(kept.findings) and params["dest"] is None:
        task.warn(
            f"Only the first {len(kept.findings):,} of {kept.total:,} findings are returned; total and summary count all of"
            " them: raise limit, or set dest to write all of them to a file."
        )
    doubts = kept.proof.all
    return dict(
        findings=kept.findings, total=kept.total, summary=kept.summary, complete=not doubts, doubts=doubts, **file
    )


def _collect(task: Task, kept: _Kept, since: Since | None, draft: Draft | None = None) -> None:
    """Read the findings that the task refers to into ``kept``, with the Proof that they are complete."""
    kept.draft = draft
    client, params = task.client, task.params
    if params["id"] is not None:
        if params["id"] == UNKNOWN_ID:
            kept.proof = _NOT_YET
        for record in information(task, FINDING):
            kept.target_names = _names_of([target_of_record(client, record)])
            kept.take(record)
        return
    place = place_of(task)
    if params["scan_id"] is not None:
        referred = None if place.missing else scan_of(task, place)
        asked = _asked_of(*referred, task.warn) if referred else None
    else:
        wanted = target_filter(task, place)
        asked = _asked_of_targets(client, *wanted, params["target_id"]) if wanted else None
    if asked is None:
        kept.proof = _NOT_YET
        return
    # a service may ignore a filter, and the task must not return the findings of another target
    kept.owners = {field: asked.query[field] for field in ("target_id", "task_id") if field in asked.query}
    kept.target_names = asked.target_names
    if since is not None:
        kept.old = old_scans(client, since, asked.scans)
    grouped = {"group_duplicates": "true"} if params["group_duplicates"] else {}
    answer = client.stream(FINDING, {**asked.query, **grouped}, kept.take)
    if may_be_cut(answer):
        task.warn(
            f"The service returned exactly {answer.rows:,} findings. This task assumes that these are all. If the service"
            " limits its lists to this number, some are missing: compare with the web application, or read one target or scan"
            " at a time."
        )
    found = proof_of(answer, asked.scans, kept.tally, params["group_duplicates"])
    if found.notes:
        task.warn(surplus_warning(found.notes))
    newest = newest_of(asked.scans).values()
    blind = [why_incomplete(scan).rstrip(".") for scan in newest if finished(scan) and why_incomplete(scan)]
    problems, doubts = [*asked.problems, *found.problems], [*found.doubts, *blind]
    kept.proof = _accepted(found._replace(problems=problems, doubts=doubts), params["allow_mismatch"], task.warn)


def _accepted(proof: Proof, allow_mismatch: bool, warn: Callable[[str], None]) -> Proof:
    """The proof, unless findings are missing and the task does not allow that."""
    if proof.problems and not allow_mismatch:
        raise Refused(
            f"{proof.sentence} The missing findings may be the worst, so nothing is returned. Run the task again, or read one"
            " scan at a time; allow_mismatch: true returns what could be read, with a warning."
        )
    if proof.problems:
        warn(f"{proof.sentence} With allow_mismatch, the task returns what could be read; see doubts.")
    return proof


class _Asked(NamedTuple):
    """What a task asks for. Its scans are read before the findings: one that is found in between makes more rows than a scan
    has counted, never fewer."""

    # the parameters of the call
    query: dict[str, Any]
    # those whose findings these are
    scans: tuple[Record, ...]
    # why the answer may lack some, whatever it contains
    problems: list[str]
    # by target id
    target_names: dict[int, str]


def _asked_of(scan: Record, place: Place, target: Record | None, warn: Callable[[str], None]) -> _Asked:
    """What a task asks for that names a scan. target: of the scan."""
    warn_unplaced(place, "findings", warn)
    # without a workspace, only the counts of the scan prove that the service searched the right one
    problems = [] if place.declared or not uncounted(scan) else [unplaced("scan", scan["id"])]
    return _Asked({**place.query, "task_id": scan["id"]}, (scan,), problems, _names_of([target]))


def _asked_of_targets(
    client: Client, owners: dict[str, int], place: Place, target: Record | None, target_id: int | None
) -> _Asked:
    """What a task asks for that names a target, or none. owners: the filter by that target; target_id: the option."""
    warn_unplaced(place, "findings", client.warn)
    problems = [] if target_id is None or place.declared else [unplaced("target", target_id)]
    query = {**place.query, **owners}
    scans = tuple(scan for scan in client.all(SCAN, query) if belongs(scan, owners))
    targets = [target] if target else client.all(TARGET, place.query)
    return _Asked(query, scans, problems, _names_of(targets))


def _names_of(targets: Iterable[Record | None]) -> dict[int, str]:
    """The names of targets by id."""
    return {target["id"]: target["name"] for target in targets if target}
