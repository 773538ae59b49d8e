# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Whether a scan after a fix proves it. Every doubt is UNPROVEN, never FIXED. Pure.

A finding is missing from a scan for many reasons: the scan began before the fix, tested less, did not reach the target, skipped
the check, was read in part, or found the weakness elsewhere. FIXED requires that the scans show none of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..._evidence.fingerprint import check_or_name, stands_for_no_check
from ..._evidence.sight import finished, reach_of, why_incomplete, why_narrower
from ..._model.errors import printable
from ..._model.records import Record, read_flag
from ..._model.times import TOLERANCE, Moment, moment_of

FIXED = "fixed"
PRESENT = "present"
UNPROVEN = "unproven"
VERDICTS = (FIXED, PRESENT, UNPROVEN)


class Found(NamedTuple):
    """A finding, as far as verdicts need it."""

    # one for each of its places
    fingerprints: Sequence[str]
    # what identifies its check; None for an entry that says that nothing was found
    check: str | None
    # in upper case
    cve: Sequence[str] = ()


class CheckRun(NamedTuple):
    """A test in the output of a scan, which is a run of its check."""

    # as in Found
    check: str | None
    # what the test looks for, "" if the output does not say
    description: str
    # None if the output does not say
    finished: bool | None


class Scan(NamedTuple):
    """A scan and what it found, read after it ended."""

    # with its parameters
    record: Record
    found: Sequence[Found]
    runs: Sequence[CheckRun]
    # why findings may be missing, sentences
    gaps: Sequence[str] = ()
    # whether it saw a control, which shows that the target answered
    saw_control: bool = False


class Fix(NamedTuple):
    """When the fix ended. at: Unix time; scans: those of the target and tool that existed before, as a list shows them."""

    at: float
    scans: Sequence[Record]


class Verdict(NamedTuple):
    verdict: str
    # a sentence
    reason: str


def found_of(row: Record) -> Found:
    """The Found in a finding of gate.json."""
    places = [place["fingerprint"] for place in row["places"]]
    return Found(places or [row["fingerprint"]], _check(row["check"], row["name"]), list(row["cve"]))


def run_of(entry: Record) -> CheckRun:
    """The CheckRun in an entry of the output of a scan."""
    description = entry.get("test_description")
    return CheckRun(
        _check(entry.get("vuln_id"), entry.get("name")),
        description.strip() if isinstance(description, str) else "",
        read_flag(entry.get("test_finished")),
    )


def scan_in(read: Record) -> Scan:
    """The Scan that tasks handed on."""
    found, runs = [Found(*each) for each in read["found"]], [CheckRun(*each) for each in read["runs"]]
    return Scan(read["record"], found, runs, read["gaps"], any(each["seen"] for each in read["controls"]))


def _check(check: object, name: object) -> str | None:
    if stands_for_no_check(check):
        return None
    known, plain = check_or_name(check, name)
    return f"check {known}" if known else f"name {plain}"


def verdict(finding: Found, before: Scan, after: Scan, started: bool, fix: Fix) -> Verdict:
    """The verdict on a finding of the scan ``before``. started: whether this run started the scan ``after``."""
    wrong = _why_unfit(before, after, started, fix)
    if wrong:
        return Verdict(UNPROVEN, wrong)
    places = set(finding.fingerprints)
    left = places & _fingerprints(after)
    if left:
        where = f" at {len(left)} of its {len(places)} places" if len(places) > 1 else ""
        return Verdict(PRESENT, f"{_name(after)} still has it{where}.")
    for doubt in _doubts(finding, before, after):
        return Verdict(UNPROVEN, doubt)
    return Verdict(FIXED, f"{_name(after)} finished, reached the target, ran the check, and does not have it.")


def _name(scan: Scan) -> str:
    return f"Scan {scan.record['id']}"


def _fingerprints(scan: Scan) -> set[str]:
    return {each for found in scan.found for each in found.fingerprints}


def _why_unfit(before: Scan, after: Scan, started: bool, fix: Fix) -> str | None:
    """Why the scan is not known to be of the same target and tool, and to have begun after the fix, a sentence."""
    for field in ("target_id", "tool_id"):
        if before.record.get(field) is None or before.record[field] != after.record.get(field):
            return f"{_name(before)} and {_name(after).lower()} are not known to have the same {field}."
    known = [scan["id"] for scan in fix.scans]
    began = moment_of(after.record.get("start_time"))
    if before.record["id"] not in known:
        return (
            f"The list of scans lacks {_name(before).lower()}, so it does not show which scans existed before the fix."
        )
    if not started or after.record["id"] in known:
        return f"{_name(after)} was not started after the fix."
    if began is None:
        return f"The record of {_name(after).lower()} does not say when it began."
    # only times of one clock can be compared exactly
    earlier = [moment_of(scan.get(field)) for scan in fix.scans for field in ("start_time", "end_time")]
    marks = [Moment(fix.at - TOLERANCE, True), *filter(None, earlier)]
    if any(began.at < mark.at for mark in marks if mark.zoned == began.zoned):
        return f"{_name(after)} began before the fix, by its start_time."
    return None


def _doubts(finding: Found, before: Scan, after: Scan) -> Iterator[str]:
    """Why the finding may exist although the scan does not have it, sentences."""
    name = _name(after)
    if not finished(after.record):
        yield f"{name} did not finish: its status is {printable(after.record.get('status_name'), 60)!r}."
    elif why_incomplete(after.record):
        yield why_incomplete(after.record)
    yield from after.gaps
    unknown = [unknown_parameters(scan.record) for scan in (before, after)]
    yield from filter(None, unknown)
    narrower = "" if any(unknown) else why_narrower(reach_of(after.record), reach_of(before.record))
    if narrower:
        yield f"{name} may test less than {_name(before).lower()}: {narrower}."
    known = _fingerprints(before)
    if not known.issuperset(finding.fingerprints):
        yield f"{_name(before)}, which should have the finding, does not have it."
    if not after.saw_control and known.isdisjoint(
        each for found in after.found if found.check for each in found.fingerprints
    ):
        yield f"{name} has nothing that {_name(before).lower()} found, so the target may not have answered."
    yield from _not_run(finding, before, after)
    for other in after.found:
        if not known.issuperset(other.fingerprints):
            if other.check == finding.check:
                yield f"{name} has the same weakness at another place."
            if not set(other.cve).isdisjoint(finding.cve):
                yield f"{name} has the same CVE under another check or at another place."


def unknown_parameters(record: Record) -> str | None:
    """Why it is not known what a scan tests, a sentence, or None."""
    if reach_of(record) is not None:
        return None
    return f"The parameters of scan {record['id']} are unknown: its record has no tool_params."


def _not_run(finding: Found, before: Scan, after: Scan) -> Iterator[str]:
    """Why the check is not known to have run.

    The output names a check only if it found something. If not, the entry of the test has the description that the finding
    had, which counts if it belongs to this check alone.
    """
    others = {run.description for run in before.runs if run.check != finding.check}
    others |= {run.description for run in after.runs if run.check not in (finding.check, None)}
    own = {run.description for run in before.runs if run.check == finding.check} - others - {""}
    runs = [run for run in after.runs if run.check == finding.check or run.description in own]
    if finding.check is None or not runs:
        yield f"{_name(after)} does not show that it ran the check."
    elif not all(run.finished for run in runs):
        yield f"{_name(after)} does not show that it finished the check."
