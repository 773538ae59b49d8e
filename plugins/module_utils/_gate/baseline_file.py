# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The file of a baseline: sorted JSON for git. A gate compares, creates or updates it, or says why it cannot be used. Pure."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .._evidence.findings import SUMMARY
from .._evidence.fingerprint import SCHEME, Place, fingerprint_of, port_of, worst_first
from .._evidence.sight import Reach
from .._model.errors import printable
from .._model.outcomes import CREATED, MISSING, READ, STALE, UPDATED
from .baseline import (
    GONE,
    NO_MEMORY,
    OPEN,
    Baseline,
    CompleteRun,
    Entry,
    Facts,
    Key,
    Memory,
    Run,
    Scan,
    in_order,
    memory_of,
    update,
)
from .json_file import (
    INTEGER_OR_NULL,
    LIST,
    OBJECT,
    OBJECT_OR_NULL,
    TEXT,
    TEXT_OR_NULL,
    Fields,
    Wrong,
    demand,
    has_texts,
    is_time,
    parsed,
    text_of,
    types_in,
)

SCHEMA = "scanops.scanner/baseline"
VERSION = 1
# the keys that files of earlier releases lack
_NEW_OF_PAIR = {"reach": None}
_NEW_OF_FINDING = {"reach": None, **Facts()._asdict()}
# equal findings in one place; more do not come from a scan, but take memory
_MOST_EQUAL = 1_000_000

_HEADER = Fields(
    {
        "schema": TEXT,
        "version": INTEGER_OR_NULL,
        "scheme": INTEGER_OR_NULL,
        "collection_version": TEXT,
        "workspace": TEXT_OR_NULL,
        "pairs": LIST,
        "findings": LIST,
    },
    others=False,
)
_PAIR = Fields(
    {"target": TEXT, "tool": TEXT, "scan_id": INTEGER_OR_NULL, "finished": TEXT, "reach": OBJECT_OR_NULL}, others=False
)
_REACH = Fields({**types_in(Reach, ("level", "tests", "digest")), "checks": OBJECT}, others=False)
_FINDING = Fields(
    {
        **types_in(Entry, ("fingerprint", "target", "tool", "state")),
        "severities": OBJECT,
        **types_in(Entry, ("name", "check", "cve")),
        **types_in(Place, Place._fields),
        "first_seen": TEXT,
        "last_seen": TEXT_OR_NULL,
        "gone_since": TEXT_OR_NULL,
        **types_in(Facts, Facts._fields),
        "reach": OBJECT_OR_NULL,
    },
    others=False,
)

_RESTORE = "restore the file from version control, or delete it and create it again with baseline_missing: create"
_OTHER = (
    "give the baseline of this workspace, or another path for a new one. If the workspace was renamed, correct workspace in"
    " the file"
)
_UNNAMED = (
    "if all findings are of that workspace, set workspace to its name, because a baseline belongs to one workspace"
)
_UPGRADE = "update the collection, or create the baseline again with baseline_missing: create under another path"


class StaleBaseline(NamedTuple):
    """Why a baseline file cannot be used: a clause about the file. advice: a clause on what to do."""

    reason: str
    advice: str = _RESTORE

    def sentence(self, path: str) -> str:
        """The complete message for the file of this path."""
        advice = self.advice[0].upper() + self.advice[1:]
        return f"The baseline {printable(repr(path), 200)} {self.reason}. {advice}."


def parse(content: bytes | str, workspace: str | None) -> Baseline | StaleBaseline:
    """The Baseline in a file, or why it is none for this workspace."""
    try:
        data = _json(text_of(content))
        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            raise Wrong("is not a baseline of this collection")
        for key, known in (("version", VERSION), ("scheme", SCHEME)):
            if not isinstance(data.get(key), int) or isinstance(data[key], bool):
                raise Wrong("does not say its version and scheme")
            if data[key] != known:
                return StaleBaseline(f"has the {key} {_shown(data[key])}, and this release reads {known}", _UPGRADE)
        _schema, _version, _scheme, collection_version, named, pairs, findings = _HEADER.of(data, "the top level")
        if named != workspace:
            reason = f"is for {_of(named)}, not for {_of(workspace)}"
            return StaleBaseline(reason, _UNNAMED if workspace is None else _OTHER)
        scans = _scans(pairs)
        entries = in_order(_entries(findings, scans))
        groups = Counter((entry.fingerprint, entry.key, entry.state) for entry in entries)
        for (fingerprint, _key, _state), number in groups.items():
            if number > 1:
                raise Wrong(f"has the finding {fingerprint} twice, as after a merge")
    except Wrong as error:
        return StaleBaseline(str(error))
    return Baseline(named, collection_version, scans, entries)


def render(baseline: Baseline) -> str:
    """The text of a baseline file: keys, pairs and findings are sorted, one value per line, so that changes are few lines.

    The time at which an open finding was last seen is that of its scan, which the file has once.
    """
    data = {
        "schema": SCHEMA,
        "version": VERSION,
        "scheme": SCHEME,
        "collection_version": baseline.collection_version,
        "workspace": baseline.workspace,
        "pairs": [
            {
                "target": target,
                "tool": tool,
                "scan_id": scan.scan_id,
                "finished": scan.finished,
                "reach": _reach(scan.reach),
            }
            for (target, tool), scan in sorted(baseline.scans.items())
        ],
        "findings": [_finding(entry, baseline.scans.get(entry.key)) for entry in in_order(baseline.entries)],
    }
    # ASCII, because names are untrusted text: no character of theirs changes how an editor shows the file
    return json.dumps(data, ensure_ascii=True, indent=2, sort_keys=True) + "\n"


def _reach(reach: Reach | None) -> dict[str, Any] | None:
    return reach and {**reach._asdict(), "checks": {name: list(each) for name, each in reach.checks.items()}}


def _finding(entry: Entry, scan: Scan | None) -> dict[str, Any]:
    # most were last seen by the scan of their pair, whose time and parameters the file has once
    is_latest = entry.state == OPEN and scan is not None and entry.last_seen == scan.finished
    same = scan is not None and entry.reach == scan.reach
    return {
        "fingerprint": entry.fingerprint,
        "target": entry.target,
        "tool": entry.tool,
        "state": entry.state,
        "severities": dict(Counter(entry.severities)),
        "name": entry.name,
        "check": entry.check,
        "cve": list(entry.cve),
        **entry.place._asdict(),
        "first_seen": entry.first_seen,
        "last_seen": None if is_latest else entry.last_seen,
        "gone_since": entry.gone_since,
        **entry.facts._asdict(),
        # an empty object: unknown
        "reach": None if same else _reach(entry.reach) or {},
    }


def _json(text: str) -> object:
    if not text.strip():
        raise Wrong("is empty")
    try:
        return parsed(text)
    except Wrong:
        if re.search(r"^(<{7}|={7}|>{7})", text, re.MULTILINE):
            raise Wrong("has unresolved merge conflicts") from None
        raise


def _scans(listed: list[object]) -> dict[Key, Scan]:
    scans: dict[Key, Scan] = {}
    for number, each in enumerate(listed):
        where = f"pairs[{number}]"
        target, tool, scan_id, finished, reach = _PAIR.of(_with(_NEW_OF_PAIR, each), where)
        demand(is_time(finished), where, "finished", finished)
        demand(scan_id is None or 0 < scan_id < 2**63, where, "scan_id", scan_id)
        if (target, tool) in scans:
            raise Wrong(f"has the pair of {_shown(target)} and {_shown(tool)} twice, as after a merge")
        scans[target, tool] = Scan(finished, scan_id, _read_reach(reach, where))
    return scans


def _entries(findings: list[Any], scans: Mapping[Key, Scan]) -> Iterator[Entry]:
    total = 0
    for number, finding in enumerate(findings):
        # two forms of all of them take twice the memory
        findings[number] = None
        entry = _entry(f"findings[{number}]", finding, scans)
        total += len(entry.severities)
        if total > _MOST_EQUAL:
            raise Wrong(f"counts more than {_MOST_EQUAL:,} findings")
        yield entry


def _entry(where: str, finding: object, scans: Mapping[Key, Scan]) -> Entry:
    values = _FINDING.of(_with(_NEW_OF_FINDING, finding), where)
    of_place = len(values) - 3 - len(_NEW_OF_FINDING)
    fingerprint, target, tool, state, counts, name, check, cve, *parts = values[:of_place]
    first_seen, last_seen, gone_since, *facts, reach = values[of_place:]
    place = Place(*parts)
    demand(state in (OPEN, GONE), where, "state", state)
    demand(place.port is None or port_of(place.port) is not None, where, "port", place.port)
    demand(has_texts(cve), where, "cve", cve)
    scan = scans.get((target, tool))
    if scan is None:
        raise Wrong(f"has no pair for {where}, of {_shown(target)} and {_shown(tool)}")
    if state == OPEN:
        # the file has the time of the scan once
        demand(gone_since is None, where, "gone_since", gone_since)
        times: tuple[Any, ...] = (first_seen, last_seen or scan.finished)
    else:
        times = (first_seen, last_seen, gone_since)
    for key, value in zip(("first_seen", "last_seen", "gone_since"), times):
        demand(is_time(value), where, key, value)
    if not all(before <= after for before, after in zip(times, (*times[1:], scan.finished))):
        raise Wrong(f"was edited: the times of {where} are not in order")
    # JSON's true is 1 in Python
    numbers = [number for number in counts.values() if isinstance(number, int) and number is not True]
    known = bool(counts) and set(counts) <= set(SUMMARY) and len(numbers) == len(counts)
    demand(known and all(0 < number <= _MOST_EQUAL for number in numbers), where, "severities", counts)
    severities = tuple(severity for severity in worst_first(counts) for _each in range(counts[severity]))
    own = scan.reach if reach is None else _read_reach(reach or None, where)
    entry = Entry(fingerprint, target, tool, state, severities, name, check, tuple(cve), place, *times)
    entry = entry._replace(reach=own, facts=Facts(*facts))
    if fingerprint_of(entry.subject) != fingerprint:
        raise Wrong(f"was edited: the fingerprint of {where} is not that of its target, check and place")
    return entry


def _with(missing: Mapping[str, Any], value: Any) -> Any:
    """An object of the file with the keys that files of earlier releases lack."""
    return {**missing, **value} if isinstance(value, dict) else value


def _read_reach(value: Any, where: str) -> Reach | None:
    if value is None:
        return None
    level, tests, digest, checks = _REACH.of(value, f"{where}.reach")
    demand(all(isinstance(each, list) and has_texts(each) for each in checks.values()), where, "reach", value)
    return Reach(level, {name: tuple(each) for name, each in checks.items()}, tests, digest)


def _shown(value: object) -> str:
    return printable(repr(value), 60)


def _of(workspace: str | None) -> str:
    return "no workspace" if workspace is None else f"the workspace {_shown(workspace)}"


# --- what a gate does with the file


def remember(
    path: str | None,
    content: bytes | None,
    run: Run,
    workspace: str | None,
    collection_version: str,
    *,
    missing: str,
    wants_update: bool,
) -> tuple[Memory, str | None]:
    """What the baseline says of a run, and the new text of its file, None to leave the file as it is.

    content: of the file, None if it does not exist; workspace: the name of the one that was judged; missing: the option
    ``baseline_missing``.
    """
    if path is None:
        return NO_MEMORY, None
    if content is None:
        return _without_file(path, run, Baseline(workspace, collection_version), missing)
    baseline = parse(content, workspace)
    if isinstance(baseline, StaleBaseline):
        return Memory(path, STALE, reason=baseline.sentence(path), blocks=True), None
    after = update(baseline, run, collection_version) if wants_update and isinstance(run, CompleteRun) else baseline
    # the run is judged by what was accepted before it
    if after == baseline:
        return memory_of(path, READ, baseline, run), None
    return memory_of(path, UPDATED, baseline, run), render(after)


def _without_file(path: str, run: Run, empty: Baseline, missing: str) -> tuple[Memory, str | None]:
    if missing == "create" and isinstance(run, CompleteRun):
        baseline = update(empty, run, empty.collection_version)
        return memory_of(path, CREATED, baseline, run), render(baseline)
    absent = f"The baseline {printable(repr(path), 200)} does not exist"
    if missing == "fail":
        sentence = f"{absent}. Correct the path, or set baseline_missing to create or all_new."
        return Memory(path, MISSING, reason=sentence, blocks=True), None
    created = ", and was not created because not everything could be read" if missing == "create" else ""
    sentence = (
        f"{absent}{created}, so every finding counts as new. Correct the path, or create the baseline with a complete run and"
        " baseline_missing: create."
    )
    return memory_of(path, MISSING, empty, run)._replace(reason=sentence), None
