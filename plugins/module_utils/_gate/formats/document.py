# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The document that all exports read: gate.json, or the result of the module gate, which has the same keys. Pure."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from math import isinf
from typing import Any, NamedTuple

from ..._evidence.findings import SUMMARY
from ..._evidence.fingerprint import check_or_name
from ..._model.errors import WrongOption, first_of
from ..._model.families import SEVERITIES
from ..._model.outcomes import (
    CHANGES,
    COVERED,
    FAILING,
    FINDINGS,
    KNOWN,
    MISSING,
    NEW,
    OUTCOMES,
    PARTIAL,
    PASSED,
    REOPENED,
    SCHEMA,
    STATES,
    UNPROVEN,
    VERDICTS,
    VERSION,
    WAIVED,
    WORSE,
)
from ..._model.passwords import without_passwords, without_user_info
from ..._model.safe_text import LONGEST_LINE, block, fenced, line
from ..._model.target_names import UnreadableName, read_name
from ..._model.times import expiry_of, in_days, is_date, iso_moment, utc_text
from ..json_file import Wrong, parsed, text_of
from .schema import DOCUMENT, TOP

Document = Mapping[str, Any]
Row = Mapping[str, Any]
# the file and line that declare a target
Place = tuple[str, int]


class Choices(NamedTuple):
    """What a user can choose."""

    # one of sarif.PROFILES
    sarif_profile: str = "github"
    # for SARIF: by the lasting form of the target's name
    locations: Mapping[str, Place] = {}
    # for SARIF: the file for all other targets
    fallback: str | None = None
    # whether gitlab and defectdojo list all findings
    every: bool = True
    # for SARIF: tells analyses of one repository apart
    category: str | None = None
    # for an attestation: what was judged, each with name and sha256
    subjects: Sequence[Mapping[str, str]] = ()


# the keys that exports read, by their types
_KEYS = {
    (str,): ("outcome", "verdict", "coverage", "generated", "collection_version"),
    (str, type(None)): ("workspace",),
    (list,): ("reasons", "targets", "gone", "findings"),
    (Mapping,): ("baseline", "summary", "counts", "waivers"),
}
# the words of a run and of findings, which formats write as they are
_WORDS_OF_RUN = {"outcome": OUTCOMES, "verdict": VERDICTS, "coverage": (COVERED, PARTIAL, UNPROVEN)}
_WORDS = {"severity": SUMMARY, "state": STATES, "change": (None, *CHANGES)}
_WHAT = "give the result of the module gate, or the content of its gate.json"
_CWE = re.compile(r"(?:CWE-)?([0-9]{1,6})", re.IGNORECASE)
_CVE = re.compile(r"CVE-[0-9]{4}-[0-9]{4,19}")
# where programs rank findings, an unknown severity is as bad as the worst, as in the policy of the gate
_RANKED = {"unknown": "critical"}
_LONGEST_CHECK = 200
_MOST_OWNERS = 3
# a run with one of these outcomes read all that it should
_WHOLE = (FINDINGS, PASSED)


def read_document(value: object, every_row: bool = True) -> Document:
    """The document in a result of the module, in the dictionary of a gate.json or in its text. Raises WrongOption.

    every_row: whether the failing findings alone are not enough.
    """
    document = _of_this_version(value)
    for types, keys in _KEYS.items():
        for key in keys:
            if not isinstance(document.get(key, 0), types):
                raise WrongOption(f"The input has no valid key {key}: {_WHAT}.")
    numbers = [*document["counts"].values(), *document["summary"].values()]
    known = _has_known_words(document, _WORDS_OF_RUN) and iso_moment(document["generated"]) is not None
    if not known or not all(isinstance(number, int) for number in numbers):
        raise WrongOption(f"The input has a word, a number or a time that no gate writes: {_WHAT}.")
    if not all(_has_known_words(row, _WORDS) for row in document["findings"]):
        raise WrongOption(f"The input has a finding without a known severity, state and change: {_WHAT}.")
    # a result of the module has more keys, which no format reads
    problem = DOCUMENT.problem(document, TOP, others=isinstance(value, Mapping))
    if problem:
        raise WrongOption(f"The input is wrong in {problem}: {_WHAT}.")
    total, present = document["counts"].get("total"), len(document["findings"])
    if every_row and total != present:
        raise WrongOption(
            f"The input has {present} of {total} findings, and this format needs all of them: remove rows: failing from the"
            " task of the module gate, or give its gate.json."
        )
    return document


def _of_this_version(value: object) -> Document:
    if isinstance(value, (str, bytes)):
        try:
            value = parsed(text_of(value))
        except Wrong as error:
            raise WrongOption(f"The input {error}: {_WHAT}.") from None
    if not isinstance(value, Mapping):
        raise WrongOption(f"The input is not a dictionary but {type(value).__name__}: {_WHAT}.")
    if "schema" in value and value["schema"] != SCHEMA:
        raise WrongOption(f"The input has the schema {line(str(value['schema']), 100)!r}, not {SCHEMA!r}: {_WHAT}.")
    if value.get("version", VERSION) != VERSION:
        raise WrongOption(
            f"The input has version {line(str(value['version']), 20)} of gate.json, and this collection reads version"
            f" {VERSION}: use the collection that wrote it."
        )
    return value


def _has_known_words(record: object, known: Mapping[str, Sequence[str | None]]) -> bool:
    return isinstance(record, Mapping) and all(record.get(key) in words for key, words in known.items())


def is_whole(document: Document) -> bool:
    """Whether the run read all that it should: whether a finding that is not listed does not exist."""
    return document["outcome"] in _WHOLE and all(pair["outcome"] in _WHOLE for pair in document["targets"])


def is_proof(document: Document) -> bool:
    """Whether a finding that is not listed is known not to exist, so that programs may close it."""
    return is_whole(document) and document["coverage"] == COVERED


def problems(document: Document) -> list[str]:
    """Why the run is not whole, in sentences; empty for a whole run."""
    if is_whole(document):
        return []
    outcome = document["outcome"]
    found = [sentence for pair in document["targets"] for sentence in pair_problems(pair)]
    # what failed for no single target is only here
    if not found or outcome not in [pair["outcome"] for pair in document["targets"]]:
        found = [f"{outcome}: {line(reason)}" for reason in document["reasons"]] + found
    return found or [f"The outcome of the run is {outcome}."]


def tools_of(document: Document) -> list[str]:
    """The tools whose scans were judged, "" for an unknown one. A target without a scan has none."""
    return list(dict.fromkeys(pair["tool"] for pair in document["targets"] if pair["scan_id"] is not None))


def origin_of(document: Document, key: str) -> str:
    """The option ``origin`` has this value for the key, "" if none."""
    return line((document.get("origin") or {}).get(key), 2000)


def scanned_build(document: Document, show: Callable[[str], str] = line) -> str:
    """The build before the scans, and that after them if it is another one; "" if none was asked for. show: shows a text."""
    build = document.get("build")
    return " → ".join(dict.fromkeys(show(build[key] or "unknown") for key in ("before", "after"))) if build else ""


def catalogues(document: Document) -> dict[str, str]:
    """The dates of the catalogues that were used, by their names."""
    sources = document.get("sources") or {}
    names = {"known_exploited": "Known exploited vulnerabilities", "epss": "EPSS scores"}
    used = {name: sources.get(field) for field, name in names.items()}
    return {name: file.get("date") or "an unknown date" for name, file in used.items() if file}


def first_sentences(document: Document) -> list[str]:
    """What a reader has to know before the reasons: that the baseline does not exist, unless it is a reason itself."""
    baseline = document["baseline"]
    reason = baseline.get("reason")
    return [reason] if baseline.get("state") == MISSING and reason and reason not in document["reasons"] else []


def controls(document: Document) -> list[str]:
    """How many controls the scans saw, and each that they did not see or may not have seen, a line each; [] without any."""
    words = {True: "seen", False: "not seen", None: "unknown"}
    tally = Counter(row["seen"] for row in document["controls"])
    head = ", ".join(f"{tally[key]:,} {word}" for key, word in words.items() if tally[key])
    others = [
        f"{words[row['seen']]}: {row['name']} on {row['target'] or 'no judged target'}, {row['tool'] or 'any tool'}"
        f" ({row['reason']})"
        for row in document["controls"]
        if not row["seen"]
    ]
    return [f"Controls: {head}.", *map(line, others)] if head else []


def pair_problems(pair: Mapping[str, Any]) -> list[str]:
    """Why a target was not scanned or read completely, in sentences."""
    if pair["outcome"] in _WHOLE:
        return []
    where = line(f"{pair['target'] or 'unknown target'} with {pair['tool'] or 'any tool'}")
    reasons = [line(reason) for reason in pair["reasons"]] or [f"The scan has the status {line(pair['status'])!r}."]
    return [f"{where}: {pair['outcome']}: {reason}" for reason in reasons]


def coming(document: Document) -> list[tuple[str, str]]:
    """What begins to fail by time alone, each with its date, the next first: waivers end, and findings become too old."""
    ends = []
    for each in document["waivers"]["ending"]:
        day, at = each["expires"], expiry_of(each["expires"])
        # a time with a zone ends on its day in UTC
        if not is_date(day) and at is not None and not isinf(at):
            day = utc_text(at)[:10]
        where = f"{line(each['file'])}:{each['line']} of {line(each['owner'], 60)}"
        ends.append((day, f"the waiver in {where} ends {in_days(each['days'])}: {line(each['reason'], 200)}"))
    kinds: dict[tuple[str, ...], list[Row]] = {}
    for row in document["findings"]:
        if row["due"]:
            kinds.setdefault((row["due"], row["severity"], check_of(row), str(row["name"])), []).append(row)
    for (due, severity, _check, name), rows in kinds.items():
        more = f" and {len(rows) - 1:,} more" if rows[1:] else ""
        begins = "begin to fail" if more else "begins to fail"
        ends.append((due, f"{severity} {line(name, 120)} at {place(rows[0])}{more} {begins}"))
    return sorted(ends)


class Fix(NamedTuple):
    """Failing findings with one check, so usually one fix."""

    # the worst of them
    first: Row
    number: int
    targets: int
    # the first teams that own them, each with its contact, "" without any
    owners: str


def fixes(document: Document) -> list[Fix]:
    """What to fix, the most urgent first: by severity, then known exploits, verification, EPSS, CVSS, and the number."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in document["findings"]:
        if row["state"] == FAILING:
            groups.setdefault((check_of(row), str(row["name"])), []).append(row)
    found = []
    for rows in groups.values():
        rows.sort(key=_urgency)
        teams = dict.fromkeys((row["team"], row["contact"]) for row in rows if row["team"])
        owners = first_of([f"{team} ({contact})" if contact else str(team) for team, contact in teams], _MOST_OWNERS)
        found.append(Fix(rows[0], len(rows), len({str(row["target"]) for row in rows}), owners))
    return sorted(found, key=lambda fix: (*_urgency(fix.first), -fix.number))


def _urgency(row: Row) -> tuple[float, ...]:
    # a known danger comes first: unknown is between high and critical
    rank = _rank(row["severity"], SEVERITIES.index("high") + 0.5)
    return (-rank, not row["known_exploited"], not row["verified"], -(row["epss"] or 0), -(row["cvss"] or 0))


def worst(severities: Iterable[str]) -> str:
    """The worst of some severities. Anything but a known one is worse than critical."""
    return max(severities, key=lambda severity: _rank(severity, len(SEVERITIES)))


def _rank(severity: str, unknown: float) -> float:
    return SEVERITIES.index(severity) if severity in SEVERITIES else unknown


def by_state(document: Document) -> dict[str, int]:
    """The number of findings in each state, whose sum is that of all."""
    counts = document["counts"]
    others = {state: counts.get(state, 0) for state in STATES if state != KNOWN}
    # counts has the number of known ones by change, also of those that fail
    return {state: others.get(state, counts["total"] - sum(others.values())) for state in STATES}


def is_new(row: Row) -> bool:
    return row["change"] in (NEW, REOPENED, WORSE)


def listed(document: Document, every: bool) -> list[Row]:
    """All findings, or without ``every`` those that fail, and new ones that nobody has waived."""
    return [
        row
        for row in document["findings"]
        if every or row["state"] == FAILING or (row["state"] != WAIVED and is_new(row))
    ]


def check_of(row: Row) -> str:
    """A stable id of what a finding is about, as its fingerprint sees it: the service's check, else a digest of the name."""
    check, name = check_or_name(row["check"], row["name"])
    if check is not None and line(check, _LONGEST_CHECK) == check:
        return check
    kind, text = ("name", name) if check is None else ("check", check)
    return f"{kind}-{hashlib.sha256(str(text).encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def cves_of(row: Row) -> list[str]:
    """The CVE ids of a finding, each once, without other text in their field, such as "N/A"."""
    return list(dict.fromkeys(filter(_CVE.fullmatch, row["cve"])))


def references_of(row: Row) -> list[str]:
    """The references of a finding without the name and the password of a user."""
    return list(map(without_user_info, row["references"]))


def ranked_severity(row: Row) -> str:
    """The severity for programs that rank findings."""
    return _RANKED.get(row["severity"], str(row["severity"]))


def published(document: Document) -> Document:
    """The document as files and comments have it: without the passwords of its targets."""
    keys = ("targets", "gone", "unseen", "findings")
    names = (row["target"] for key in keys for row in document.get(key, ()))
    return without_passwords(document, names)


def cwe_number(row: Row) -> str | None:
    found = _CWE.fullmatch(row["cwe"] or "")
    return found and found[1]


def address_of(row: Row) -> str | None:
    """Scheme, host and port of a finding, without user info; None if programs may read its target as another place.

    The scheme is that of the target, so a finding at another port has none, unless its service is HTTP as well.
    """
    base = _base(row["target"])
    if base is None:
        return None
    scheme, host, named_port = base
    port = row["port"] or named_port
    said = f"{row['protocol']} {row['service']}".lower()
    is_web = "udp" not in said and (port == named_port or "http" in said)
    start = f"{scheme}{host}" if is_web else host
    return f"{start}:{port}" if port else start


@lru_cache(maxsize=10_000)
def _base(target: str) -> tuple[str, str, int | None] | None:
    """The start of a URL at a target, "" for a host, its host, and the port of its name."""
    try:
        name = read_name(target)
    except UnreadableName:
        return None
    host = f"[{name.host}]" if ":" in name.host else name.host
    return f"{name.scheme}://" if name.scheme else "", host, name.port


def titled_texts(row: Row, *keys: str) -> list[str]:
    """The long texts of a finding with these keys that it has, as code blocks of Markdown below their titles."""
    return [f"{key.capitalize()}:\n\n{fenced(block(row[key]))}" for key in keys if row[key]]


def identity(row: Row) -> str:
    """The fingerprint of a finding, with its number among those of the same fingerprint."""
    return f"{row['fingerprint']}#{row['index']}"


def place(row: Row) -> str:
    """Where a finding is, on one line."""
    where = line(row["target"]) or "an unknown target"
    if row["port"] is not None:
        where += f", port {row['port']}" + (f"/{line(row['protocol'], 20)}" if row["protocol"] else "")
    if row["path"]:
        method = f"{line(row['method'], 20)} " if row["method"] else ""
        where += f", {method}{line(row['path'])}"
    if row["parameter"]:
        where += f", parameter {line(row['parameter'])}"
    return where + (f", {len(row['places'])} places" if row["places"] else "")


def because(row: Row) -> str:
    """Why a finding has its state, on one line."""
    if row["state"] == WAIVED and row["waiver"]:
        return waived_by(row["waiver"])
    return rule_of(row)


def rule_of(row: Row) -> str:
    """What the policy and the baseline say of a finding, whatever waives it, on one line."""
    return "; ".join(map(line, row["reasons"])) or "no rule of the policy counts it"


def waived_by(waiver: Mapping[str, Any], longest: int = LONGEST_LINE) -> str:
    """A waiver on one line: its status and reason, its owner, its end, its place. longest: characters of each."""
    status, reason, owner, expires, file = (
        line(str(waiver[key]), longest) for key in ("status", "reason", "owner", "expires", "file")
    )
    return f"{status or 'waived'}: {reason} ({owner}, until {expires}; {file}:{waiver['line']})"


def by_waiver(document: Document) -> dict[tuple[str, int], list[Row]]:
    """The waived findings of each waiver, by its place."""
    found: dict[tuple[str, int], list[Row]] = {}
    for row in document["findings"]:
        if row["waiver"]:
            found.setdefault(waiver_place(row["waiver"]), []).append(row)
    return found


def waiver_place(waiver: Mapping[str, Any]) -> tuple[str, int]:
    return str(waiver["file"]), waiver["line"]


def facts(row: Row) -> str:
    """The facts of a finding that have no field of their own in most formats, on one line."""
    scores = [f"{key.upper()} {row[key]}" for key in ("cvss", "epss") if row[key] is not None]
    signs = {"known to be exploited": row["known_exploited"], "verified": row["verified"]}
    found = [f"tool {line(row['tool']) or 'unknown'}", *cves_of(row), line(row["cwe"]), *scores]
    return ", ".join([*filter(None, found), *(words for words, is_true in signs.items() if is_true)])
