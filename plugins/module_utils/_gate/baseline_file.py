# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The text of a baseline file: sorted JSON for git. Whatever is wrong with a file is a value, never a traceback. Pure."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from operator import itemgetter
from typing import Any, NamedTuple

from .._errors import printable
from .._findings.model import SUMMARY
from .baseline import GONE, OPEN, Baseline, Entry, in_order
from .fingerprint import SCHEME, fingerprint_of, worst_first
from .place import Place, port_of
from .run import Key, Scan, is_moment

SCHEMA = "scanops.scanner/baseline"
VERSION = 1
# more than 100,000 findings take
LARGEST = 50_000_000 - 1
_MOST_EQUAL = 1_000_000
_LARGEST_ID = 2**63 - 1

_HEADER = {"schema", "version", "scheme", "collection_version", "workspace", "pairs", "findings"}
_PAIR = {"target", "tool", "scan_id", "finished"}
_PLACE = Place._fields
_FINDING_KEYS = (
    "fingerprint",
    "target",
    "tool",
    "state",
    "severities",
    "name",
    "check",
    "cve",
    *_PLACE,
    "first_seen",
    "last_seen",
    "gone_since",
)
_FINDING = set(_FINDING_KEYS)
_VALUES = itemgetter(*_FINDING_KEYS)
_PLACE_IN_VALUES = slice(_FINDING_KEYS.index(_PLACE[0]), _FINDING_KEYS.index(_PLACE[-1]) + 1)
_TEXTS = frozenset({str})
_STATES = f"{OPEN} or {GONE}"

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


class _Wrong(ValueError):
    """A file that is not a baseline; its text is the reason, which follows the file's name."""


def parse(content: bytes | str, workspace: str | None) -> Baseline | StaleBaseline:
    """The Baseline in a file, or why it is none for this workspace."""
    try:
        data = _header(_json(_text(content)))
        if data["version"] != VERSION:
            return StaleBaseline(f"has format version {_shown(data['version'])}, not {VERSION}", _UPGRADE)
        if data["scheme"] != SCHEME:
            return StaleBaseline(
                f"has fingerprints of scheme {_shown(data['scheme'])}, which this release does not know", _UPGRADE
            )
        if data["workspace"] != workspace:
            reason = f"is for {_of(data['workspace'])}, not for {_of(workspace)}"
            return StaleBaseline(reason, _UNNAMED if workspace is None else _OTHER)
        scans = _scans(data["pairs"])
        if _counted(data["findings"]) > _MOST_EQUAL:
            return StaleBaseline(f"counts more than {_MOST_EQUAL:,} findings")
        entries = in_order(_entries(data["findings"], scans))
        _refuse_doubles(entries)
    except _Wrong as error:
        return StaleBaseline(str(error))
    return Baseline(data["workspace"], data["collection_version"], scans, entries)


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
            {"target": target, "tool": tool, "scan_id": scan.scan_id, "finished": scan.finished}
            for (target, tool), scan in sorted(baseline.scans.items())
        ],
        "findings": [_finding(entry) for entry in in_order(baseline.entries)],
    }
    # ASCII, because names are untrusted text: no character of theirs changes how an editor shows the file
    return json.dumps(data, ensure_ascii=True, indent=2, sort_keys=True) + "\n"


def _finding(entry: Entry) -> dict[str, Any]:
    is_open = entry.state == OPEN
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
        "last_seen": None if is_open else entry.last_seen,
        "gone_since": entry.gone_since,
    }


def _text(content: bytes | str) -> str:
    if len(content) > LARGEST:
        raise _Wrong(f"has more than {LARGEST:,} bytes")
    if isinstance(content, str):
        return content
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _Wrong("is not encoded in UTF-8") from None


def _json(text: str) -> object:
    if not text.strip():
        raise _Wrong("is empty")
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_no_number)
    except _Wrong:
        raise
    except json.JSONDecodeError as error:
        if re.search(r"^(<{7}|={7}|>{7})", text, re.MULTILINE):
            raise _Wrong("has unresolved merge conflicts") from None
        raise _Wrong(f"is truncated or not valid JSON (line {error.lineno}: {error.msg})") from None
    except (ValueError, RecursionError):
        raise _Wrong("is not valid JSON of this format") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        (key, _number), *_others = Counter(key for key, _value in pairs).most_common(1)
        raise _Wrong(f"has the key {_shown(key)} twice in one object")
    return found


def _no_number(text: str) -> object:
    raise _Wrong(f"has {text} as a number")


def _header(data: object) -> dict[str, Any]:
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        what = "is an empty object" if data == {} else "is not a baseline of this collection"
        raise _Wrong(what)
    if not _is_integer(data.get("version")) or not _is_integer(data.get("scheme")):
        raise _Wrong("does not say its version and scheme")
    if data["version"] == VERSION and data["scheme"] == SCHEME:
        _check("the top level", data, _HEADER)
        _demand("the top level", "collection_version", isinstance(data["collection_version"], str), "a text")
        _demand("the top level", "workspace", _is_optional_text(data["workspace"]), "a text or null")
        for key in ("pairs", "findings"):
            _demand("the top level", key, isinstance(data[key], list), "a list")
    return data


def _scans(listed: list[object]) -> dict[Key, Scan]:
    scans: dict[Key, Scan] = {}
    for number, each in enumerate(listed):
        where = f"pairs[{number}]"
        scan = _check(where, each, _PAIR)
        for key in ("target", "tool"):
            _demand(where, key, isinstance(scan[key], str), "a text")
        _demand(where, "finished", is_moment(scan["finished"]), "a time in UTC, as in 2026-01-31T12:00:00Z")
        _demand(where, "scan_id", _is_id(scan["scan_id"]), "an id or null")
        if (scan["target"], scan["tool"]) in scans:
            raise _Wrong(f"has the pair of {_shown(scan['target'])} and {_shown(scan['tool'])} twice, as after a merge")
        scans[scan["target"], scan["tool"]] = Scan(scan["finished"], scan["scan_id"])
    return scans


def _entries(findings: list[Any], scans: Mapping[Key, Scan]) -> Iterator[Entry]:
    """The entries of a file. Most have values of the same types and the same times, which are checked once."""
    right: set[tuple[type, ...]] = set()
    known: dict[tuple[object, ...], tuple[str, str, str | None]] = {}
    for number, finding in enumerate(findings):
        # two forms of all of them take twice the memory
        findings[number] = None
        where = f"findings[{number}]"
        try:
            types = tuple(map(type, _VALUES(finding)))
        except (KeyError, TypeError):
            types = ()
        if types not in right or len(finding) != len(_FINDING):
            _check_types(where, finding)
            right.add(types)
        yield _entry(where, finding, scans, known)


def _check_types(where: str, each: object) -> None:
    finding = _check(where, each, _FINDING)
    for key in ("fingerprint", "target", "tool", "name"):
        _demand(where, key, isinstance(finding[key], str), "a text")
    for key in ("check", "protocol", "path", "method", "parameter"):
        _demand(where, key, _is_optional_text(finding[key]), "a text or null")


def _entry(
    where: str,
    finding: dict[str, Any],
    scans: Mapping[Key, Scan],
    known: dict[tuple[object, ...], tuple[str, str, str | None]],
) -> Entry:
    """known: the times that were found right, by what the file says of them."""
    values = _VALUES(finding)
    fingerprint, target, tool, state, counts, name, check, cve, port, *_place, first_seen, last_seen, gone_since = (
        values
    )
    if state != OPEN:
        _demand(where, "state", state == GONE, _STATES)
    if port is not None:
        _demand(where, "port", _is_port(port), "a port or null")
    if cve != []:
        _demand(where, "cve", isinstance(cve, list) and _TEXTS.issuperset(map(type, cve)), "a list of texts")
    scan = scans.get((target, tool))
    if scan is None:
        raise _Wrong(f"has no pair for {where}, of {_shown(target)} and {_shown(tool)}")
    said = (state, first_seen, last_seen, gone_since, scan)
    try:
        times = known.get(said)
    except TypeError:
        # not a text
        times = None
    if times is None:
        times = _times(where, finding, scan.finished if state == OPEN else last_seen, scan)
        known[said] = times
    severities = _severities(where, counts)
    place = Place(*values[_PLACE_IN_VALUES])
    entry = Entry(fingerprint, target, tool, state, severities, name, check, tuple(cve), place, *times)
    if fingerprint_of(entry.subject) != fingerprint:
        raise _Wrong(f"was edited: the fingerprint of {where} is not that of its target, check and place")
    return entry


def _times(where: str, finding: dict[str, Any], last_seen: object, scan: Scan) -> tuple[str, str, str | None]:
    first_seen, gone_since = finding["first_seen"], finding["gone_since"]
    is_open = finding["state"] == OPEN
    for key, value in (("first_seen", first_seen), ("last_seen", last_seen)):
        _demand(where, key, is_moment(value), "a time in UTC, as in 2026-01-31T12:00:00Z")
    if is_open:
        for key in ("last_seen", "gone_since"):
            _demand(where, key, finding[key] is None, f"null while its state is {OPEN}")
    else:
        _demand(where, "gone_since", is_moment(gone_since), "a time in UTC, as in 2026-01-31T12:00:00Z")
    order = [first_seen, last_seen, *([] if is_open else [gone_since]), scan.finished]
    if order != sorted(order):
        raise _Wrong(f"was edited: the times of {where} are not in order")
    return first_seen, str(last_seen), gone_since


def _counted(findings: Iterable[object]) -> int:
    """How many findings a file counts. Each of them takes memory, but not length of the file."""
    counts = [each.get("severities") for each in findings if isinstance(each, dict)]
    return sum(
        number
        for each in counts
        if isinstance(each, dict)
        for number in each.values()
        if isinstance(number, int) and 0 < number <= _MOST_EQUAL
    )


def _severities(where: str, counts: object) -> tuple[str, ...]:
    if not isinstance(counts, dict) or not counts or not set(counts) <= set(SUMMARY):
        raise _Wrong(f"is wrong in {where}: severities is not the number of findings by severity")
    if len(counts) == 1:
        (severity, number), *_none = counts.items()
        if number == 1 and _is_integer(number):
            # nearly every finding
            return (severity,)
    for number in counts.values():
        _demand(where, "severities", _is_integer(number) and 0 < number <= _MOST_EQUAL, "positive numbers")
    return tuple(severity for severity in worst_first(counts) for _one in range(counts[severity]))


def _refuse_doubles(entries: Iterable[Entry]) -> None:
    groups = Counter((entry.fingerprint, (entry.target, entry.tool), entry.state) for entry in entries)
    for (fingerprint, _key, _state), number in groups.items():
        if number > 1:
            raise _Wrong(f"has the finding {fingerprint} twice, as after a merge")


def _check(where: str, value: object, keys: set[str]) -> dict[str, Any]:
    """The value if it is an object with exactly these keys."""
    if not isinstance(value, dict):
        raise _Wrong(f"is wrong in {where}: not an object")
    if value.keys() != keys:
        for key in sorted(keys - set(value)):
            raise _Wrong(f"is wrong in {where}: {key} is missing")
        raise _Wrong(f"is wrong in {where}: {_shown(min(set(value) - keys))} is an unknown key")
    return value


def _demand(where: str, key: str, is_valid: bool, what: str) -> None:
    if not is_valid:
        raise _Wrong(f"is wrong in {where}: {key} is not {what}")


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_id(value: object) -> bool:
    return value is None or (isinstance(value, int) and _is_integer(value) and 0 < value <= _LARGEST_ID)


def _is_port(value: object) -> bool:
    return value is None or (_is_integer(value) and port_of(value) is not None)


def _is_optional_text(value: object) -> bool:
    return value is None or isinstance(value, str)


def _shown(value: object) -> str:
    return printable(repr(value), 60)


def _of(workspace: str | None) -> str:
    return "no workspace" if workspace is None else f"the workspace {_shown(workspace)}"
