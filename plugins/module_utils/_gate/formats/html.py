# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The result of a gate as one page for people, without anything from outside. Pure.

What a person needs first is HTML and works without the script, which adds the table of all findings from two blocks of JSON:
one for the table, one for the details, which it reads when needed. A row is a list in the order of the columns. Texts that
findings share, such as descriptions, are written once. The content security policy allows this style and this script, by
their digests, and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from itertools import islice
from typing import Any

from ..._evidence.findings import SUMMARY
from ..._model.errors import WrongOption, counted, first_of
from ..._model.outcomes import (
    BLIND,
    FAIL,
    FAILING,
    FINDINGS,
    INCOMPLETE,
    MISCONFIGURED,
    MOVED,
    NONE,
    NOT_COVERED,
    NOTHING_SCANNED,
    PASSED,
    QUEUE_TIMEOUT,
    RUN_TIMEOUT,
    SCAN_FAILED,
    SERVICE_ERROR,
    STALE_BASELINE,
    UNKNOWN_STATE,
    UNPROVEN,
    VERDICTS,
    WAIVED,
    WARN,
)
from ..._model.safe_text import block, encode, line
from ..._model.times import iso_moment
from .document import (
    Document,
    Row,
    by_state,
    by_waiver,
    coming,
    controls,
    first_sentences,
    fixes,
    is_new,
    is_whole,
    origin_of,
    place,
    references_of,
    scanned_build,
    tools_of,
    waived_by,
    waiver_place,
)
from .page_parts import (
    WHOLE,
    address,
    advice,
    anchor,
    bars,
    before,
    expired,
    link,
    moment,
    query,
    targets,
    waivers,
)
from .page_script import SCRIPT
from .page_style import STYLE
from .page_template import TEMPLATE

# longer lists only hide what comes first; everything is in gate.json
_MOST_LINES = 200
_MOST_FIXES = 5
_MOST_ROWS = 50
_MOST_REASONS = 12
# encoding many rows at once is fast, and all at once takes twice the memory
_CHUNK = 1000
_LONGEST_REFERENCE = 2000

# what the table shows and filters
_TABLE = (
    "fingerprint", "state", "severity", "name", "target", "tool", "change", "check", "protocol", "path", "method", "parameter",
    "index", "first_seen", "port", "cve", "reasons", "team",
)  # fmt: skip
# what the details add; a text is its place in the list of texts
_TEXTS = ("description", "risk", "recommendation", "evidence")
_FACTS = (
    "service", "cwe", "status", "workspace", "id", "scan_id", "cvss", "epss", "epss_percentile", "known_exploited",
    "verified", "contact", "channel", "due",
)  # fmt: skip

_COLUMNS = {
    "severity": "Severity",
    "name": "Finding",
    "target": "Where",
    "change": "Change",
    "first_seen": "First seen",
    "state": "State",
}

_SAID = {
    BLIND: "a scan did not see a control",
    SERVICE_ERROR: "the service did not answer as expected",
    MISCONFIGURED: "an option or a file is wrong",
    MOVED: "another build may have been scanned",
    UNKNOWN_STATE: "a scan has an unknown status",
    NOTHING_SCANNED: "nothing was scanned",
    SCAN_FAILED: "a scan did not finish",
    QUEUE_TIMEOUT: "a scan did not start in time",
    RUN_TIMEOUT: "a scan did not finish in time",
    NOT_COVERED: "a target has no recent scan",
    INCOMPLETE: "some findings may be missing",
    STALE_BASELINE: "the baseline cannot be used",
}


def _digest(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode('utf-8')).digest()).decode('ascii')}'"


CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        f"script-src {_digest(SCRIPT)}",
        f"style-src {_digest(STYLE)}",
        "base-uri 'none'",
        "form-action 'none'",
        # the script needs none of the functions that make markup of text
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)


def html(document: Document) -> str:
    """The page. Raises WrongOption without Jinja2."""
    return str(template().render(document=document))


@cache
def template() -> Any:
    """The template, which shows each value as ``text`` does and fails for a missing one. Raises WrongOption without Jinja2."""
    try:
        jinja2, markup = import_module("jinja2"), import_module("markupsafe").Markup
    except ImportError:
        raise WrongOption(
            "formats has html, which needs the Python library Jinja2: install it where the module runs, or remove html from"
            " formats."
        ) from None

    def text(value: object, longest: int = 500) -> Any:
        """Untrusted text: on one line, at most ``longest`` characters, escaped. What is escaped stays as it is."""
        if isinstance(value, markup):
            return value
        return markup.escape(line("" if value is None else str(value), longest))

    def escaped(write: Callable[[Any], str]) -> Callable[[Any], Any]:
        return lambda value: markup.escape(write(value))

    environment = jinja2.Environment(
        autoescape=True, finalize=text, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    # without spaces, and in ASCII
    environment.policies.update({"json.dumps_function": encode, "json.dumps_kwargs": {}})
    environment.filters.update(
        {each.__name__: each for each in (text, line, counted, place, iso_moment, advice, moment, before)},
        # an address that is cut is another one
        **{each.__name__: escaped(each) for each in (anchor, link, query, address)},
    )
    environment.globals.update(
        {each.__name__: each for each in _READ}, **_WORDS, **{name: markup(each) for name, each in _MARKUP.items()}
    )
    return environment.from_string(TEMPLATE)


# --- the outcome


def headline(document: Document) -> str:
    """The outcome in words."""
    outcome, failing = document["outcome"], document["counts"]["failing"]
    if outcome == PASSED:
        return "The gate passed"
    said = {FAIL: "The gate failed", WARN: "The gate passed with a warning"}.get(
        document["verdict"], "The gate passed, as its mapping of outcomes says"
    )
    clauses = [] if outcome == FINDINGS else [_SAID.get(outcome) or line(outcome)]
    if failing:
        clauses.append(f"{counted(failing, 'finding')} {'fails' if failing == 1 else 'fail'} the policy")
    return f"{said}: {', and '.join(clauses)}" if clauses else said


def sentences(document: Document) -> list[str]:
    """The reasons of the outcome, and what a reader has to know before them."""
    outcome, reasons = document["outcome"], document["reasons"]
    shown = [*first_sentences(document), *reasons[:_MOST_REASONS]]
    if len(reasons) > _MOST_REASONS:
        shown.append(f"{counted(len(reasons) - _MOST_REASONS, 'more reason')}, see the targets below.")
    elif not reasons and outcome == PASSED:
        waived = document["counts"][WAIVED]
        decided = f" {counted(waived, 'finding')} {'is' if waived == 1 else 'are'} waived." if waived else ""
        shown.append(f"{counted(document['counts']['total'], 'finding')} read, and none fails the policy.{decided}")
    elif not reasons:
        shown.append(f"The outcome is {outcome}.")
    return shown


# --- the data of the table


def waived(document: Document) -> list[str]:
    """The waivers, to which the details refer by their places in this list."""
    return [waived_by(rows[0]["waiver"]) for rows in by_waiver(document).values()]


def table(document: Document) -> Iterator[list[Any]]:
    """The rows of the table, in chunks."""
    return _chunks(document["findings"], lambda row: [_shown(row[name]) for name in _TABLE])


def details(document: Document) -> tuple[Iterator[list[Any]], Iterator[list[str]]]:
    """The details of the findings, and the texts to which they refer, in chunks. The texts must be read last."""
    numbers: dict[str, int] = {}
    places = {key: number for number, key in enumerate(by_waiver(document))}
    return _chunks(document["findings"], lambda row: _details(row, numbers, places)), _chunks(numbers, block)


def _details(row: Row, numbers: dict[str, int], waived: Mapping[tuple[str, int], int]) -> list[Any]:
    """The details of a finding. numbers: the place of each text, which this extends; waived: the place of each waiver."""
    return [
        *[numbers.setdefault(row[name], len(numbers)) if row[name] else None for name in _TEXTS],
        *[_shown(row[name]) for name in _FACTS],
        [line(each, _LONGEST_REFERENCE) for each in references_of(row)],
        list(map(_place, row["places"])),
        waived[waiver_place(row["waiver"])] if row["waiver"] else None,
    ]


def _place(place: Mapping[str, Any]) -> str:
    """One of several places of a finding, and its fingerprint there."""
    parameter = f"parameter {line(place['parameter'])}" if place["parameter"] else ""
    parts = (line(place["method"], 20), line(place["path"]) or "unknown path", parameter, line(place["fingerprint"]))
    return " ".join(filter(None, parts))


def _shown(value: Any) -> Any:
    if isinstance(value, str):
        return line(value)
    return [_shown(each) for each in value] if isinstance(value, list) else value


def _chunks(items: Iterable[Any], write: Callable[[Any], Any]) -> Iterator[list[Any]]:
    rest = map(write, items)
    yield from iter(lambda: list(islice(rest, _CHUNK)), [])


# --- the rest


def facts(document: Document) -> dict[str, str]:
    """The facts behind the decision, by their titles."""
    sources = document.get("sources") or {}
    sources = {"EPSS": sources.get("epss"), "Known exploited": sources.get("known_exploited")}
    outcomes = (document.get("outcomes") or {}).items()
    baseline, accepted = document["baseline"], "none"
    if baseline.get("path"):
        reason = f": {baseline['reason']}" if baseline.get("reason") else ""
        findings = counted(baseline["accepted"], "finding")
        accepted = f"{baseline['path']}, {baseline['state']}, accepts {findings}{reason}"
    mapped = ", ".join(f"{key}: {value}" for key, value in outcomes if value != FAIL and key != PASSED)
    return {
        "Outcome": document["outcome"],
        "Coverage": document["coverage"],
        "Build": origin_of(document, "build"),
        "Commit": origin_of(document, "commit"),
        "Build that was scanned": scanned_build(document),
        "Baseline": accepted,
        **_owners(document["owners"]),
        **{
            title: f"{source['path']}, data of {source['date'] or 'an unknown date'}"
            for title, source in sources.items()
            if source
        },
        **{
            f"policy.{key}": value if isinstance(value, str) else json.dumps(value, ensure_ascii=True)
            for key, value in (document.get("policy") or {}).items()
            if value not in (None, False, [], {}, "")
        },
        "Outcomes that do not fail": mapped or "none",
        "Decided": document["generated"],
        "Written by": f"scanops.scanner {document['collection_version']}",
    }


def _owners(owners: Mapping[str, Any] | None) -> dict[str, str]:
    """The file of the owners, and the targets that nobody owns."""
    if not owners:
        return {}
    unowned = owners["unowned"]
    alone = f", no owner of {counted(len(unowned), 'target')}: {first_of(unowned, _MOST_REASONS)}" if unowned else ""
    return {"Owners": f"{owners['path']}{alone}"}


# what the template reads from the document
_READ = (
    headline, sentences, is_whole, origin_of, tools_of, fixes, is_new, expired, bars, targets, waivers, by_state, facts, table,
    details, waived, coming, controls,
)  # fmt: skip
_WORDS = {
    "SUMMARY": SUMMARY,
    "VERDICTS": VERDICTS,
    "FAIL": FAIL,
    "FAILING": FAILING,
    "PASSED": PASSED,
    "WHOLE": WHOLE,
    "UNPROVEN": UNPROVEN,
    "NONE": NONE,
    "COLUMNS": _COLUMNS,
    "TABLE": _TABLE,
    "DETAILS": (*_TEXTS, *_FACTS, "references", "places", "waiver"),
    "MOST_LINES": _MOST_LINES,
    "MOST_FIXES": _MOST_FIXES,
    "MOST_ROWS": _MOST_ROWS,
}
_MARKUP = {"STYLE": STYLE, "SCRIPT": SCRIPT, "CONTENT_SECURITY_POLICY": CONTENT_SECURITY_POLICY}
