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
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from ..._model.errors import counted
from ..._model.gate_words import (
    FAIL,
    FINDINGS,
    INCOMPLETE,
    MISCONFIGURED,
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
from ..._model.passwords import without_user_info
from ..._model.safe_text import block, encode, line
from .document import (
    Document,
    Row,
    by_waiver,
    first_sentences,
    is_whole,
    origin_of,
    tools_of,
    waived_by,
    waiver_place,
)
from .page_assets import SCRIPT, STYLE
from .page_parts import (
    MOST_LINES,
    expired,
    fix_first,
    panels,
    plain_findings,
    severity_mark,
    targets,
    text,
    waivers,
    web_link,
)

# longer lists only hide what comes first
_MOST_REASONS = 12
# encoding many rows at once is fast, and all at once takes twice the memory
_CHUNK = 1000
_LONGEST_REFERENCE = 2000

# what the table shows and filters
_TABLE = (
    "fingerprint", "state", "severity", "name", "target", "tool", "change", "check", "protocol", "path", "method", "parameter",
    "index", "first_seen", "port", "cve", "reasons",
)  # fmt: skip
# what the details add; a text is its place in the list of texts
_TEXTS = ("description", "risk", "recommendation", "evidence")
_FACTS = (
    "service", "cwe", "status", "workspace", "id", "scan_id", "cvss", "epss", "epss_percentile", "known_exploited",
    "verified",
)  # fmt: skip

_COLUMNS = {
    "severity": "Severity",
    "name": "Finding",
    "target": "Where",
    "change": "Change",
    "first_seen": "First seen",
    "state": "State",
}
_FILTERS = ("state", "severity", "change", "target", "tool")
# characters of a commit that people compare
_LONGEST_COMMIT = 12

_SAID = {
    SERVICE_ERROR: "the service did not answer as expected",
    MISCONFIGURED: "an option or a file is wrong",
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
    """The page."""
    return "".join(
        [
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            f'<meta http-equiv="Content-Security-Policy" content="{CONTENT_SECURITY_POLICY}">\n',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n',
            f"<title>{text(headline(document))}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n",
            '<a class="skip" href="#findings">Skip to the findings</a>\n',
            _outcome(document),
            "<main>\n",
            *(section(document) for section in (fix_first, expired, panels, targets, waivers)),
            '<section aria-labelledby="findings">\n<h2 id="findings">Findings</h2>\n',
            _meanings(document),
            _EMPTY_TABLE,
            plain_findings(document),
            "</section>\n</main>\n<footer>\n",
            _missing("Gone since the baseline", document["gone"]),
            _missing("Not seen by this scan", document.get("unseen", ())),
            _about(document),
            '</footer>\n<script type="application/json" id="rows">',
            _table_data(document),
            '</script>\n<script type="application/json" id="long">',
            _details_data(document),
            f"</script>\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
        ]
    )


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


def _outcome(document: Document) -> str:
    """The outcome with its reasons, and whether it can be relied on."""
    verdict = document["verdict"] if document["verdict"] in VERDICTS else FAIL
    reasons = document["reasons"]
    shown = [text(sentence) for sentence in (*first_sentences(document), *reasons[:_MOST_REASONS])]
    if not reasons:
        waived = document["counts"][WAIVED]
        decided = f" {counted(waived, 'finding')} {'is' if waived == 1 else 'are'} waived." if waived else ""
        passed = f"{counted(document['counts']['total'], 'finding')} read, and none fails the policy.{decided}"
        shown.append(passed if document["outcome"] == PASSED else f"The outcome is {text(document['outcome'])}.")
    elif len(reasons) > _MOST_REASONS:
        shown.append(f"{counted(len(reasons) - _MOST_REASONS, 'more reason')}, see the targets below.")
    items = "".join(f"<li>{sentence}</li>" for sentence in shown)
    return (
        f'<header class="outcome {verdict}"><div>\n'
        f'<p class="soft small">Security gate{_origin(document)} · {_moment(document["generated"])}</p>\n'
        f"<h1>{text(headline(document))}</h1>\n<ul>{items}</ul>\n{_banner(document)}</div></header>\n"
    )


def _origin(document: Document) -> str:
    """What was judged, and by which build."""
    build, commit = origin_of(document, "build"), origin_of(document, "commit")
    tools = ", ".join(filter(None, tools_of(document)))
    # the end of a URL is the number of the build
    name = f"build {text(build.rstrip('/').rpartition('/')[2], 100)}"
    found = [
        text(document["workspace"]),
        text(tools),
        web_link(build, name) if build else "",
        f"commit <code>{text(commit[:_LONGEST_COMMIT])}</code>" if commit else "",
    ]
    return "".join(f" · {each}" for each in found if each)


def _banner(document: Document) -> str:
    if not is_whole(document):
        bad = sum(pair["outcome"] not in (FINDINGS, PASSED) for pair in document["targets"])
        number = f"{bad} of {counted(len(document['targets']), 'scan')} could not be judged. " if bad else ""
        said = (
            f"<strong>This run is not complete.</strong> {number}Findings may be missing, so a target without findings is not"
            " proven clean."
        )
    elif document["coverage"] == UNPROVEN:
        said = "The findings come from a saved file, which does not prove that everything was scanned."
    else:
        return ""
    return f'<div class="banner" role="note"><p>{said}</p></div>\n'


def _moment(moment: object) -> str:
    shown = text(moment, 40)
    return shown[:16].replace("T", " ") + " UTC" if shown.endswith("Z") and len(shown) == 20 else shown


# --- the table


def _meanings(document: Document) -> str:
    """What the words of the policy mean."""
    least = (document.get("policy") or {}).get("fail_on")
    meaning = "means that no severity fails by itself." if least == NONE else "is the lowest severity that fails."
    threshold = "" if least is None else f"<strong>fail_on: {text(least)}</strong> {meaning}<br>"
    return (
        f'<p class="small">{threshold}<strong>below</strong> means that the policy does not count the finding, mostly'
        " because its severity is lower.</p>\n"
    )


_EMPTY_TABLE = "".join(
    [
        '<div id="table" hidden>\n<div class="filters" role="search" aria-label="Filter the findings">'
        '<label class="wide">Text<input type="search" id="by-text" autocomplete="off" spellcheck="false"'
        ' placeholder="name, path, check, CVE, fingerprint"></label>',
        *(
            f'<label>{name.capitalize()}<select id="by-{name}"><option value="">all</option></select></label>'
            for name in _FILTERS
        ),
        '<button type="button" id="clear">Clear</button></div>\n'
        '<p class="soft small"><span id="count" role="status"></span>'
        ' <button type="button" id="every" class="screen">Open or close the details shown</button></p>\n'
        '<table class="wide" role="table" aria-label="Findings"><thead><tr role="row">',
        *(
            f'<th scope="col" role="columnheader" class="c-{key}"><button type="button" data-key="{key}">{title}</button></th>'
            for key, title in _COLUMNS.items()
        ),
        '</tr></thead><tbody id="body"></tbody></table>\n<p><button type="button" id="more" hidden></button></p>\n</div>\n',
    ]
)


def _table_data(document: Document) -> str:
    """The block for the table."""
    head = {
        "columns": _TABLE,
        "waivers": [waived_by(rows[0]["waiver"]) for rows in by_waiver(document).values()],
        "scan": origin_of(document, "scan_url"),
    }
    rows = _chunks([_shown(row[name]) for name in _TABLE] for row in document["findings"])
    return f'{_escaped(head)[:-1]},"rows":[{rows}]}}'


def _details_data(document: Document) -> str:
    """The block for the details."""
    columns = (*_TEXTS, *_FACTS, "references", "places", "waiver")
    numbers: dict[str, int] = {}
    waived = {key: number for number, key in enumerate(by_waiver(document))}
    rows = _chunks(_details(row, numbers, waived) for row in document["findings"])
    return f'{{"columns":{encode(columns)},"rows":[{rows}],"texts":[{_chunks(map(block, numbers))}]}}'


def _details(row: Row, numbers: dict[str, int], waived: Mapping[tuple[str, int], int]) -> list[Any]:
    """The details of a finding. numbers: the place of each text, which this extends; waived: the place of each waiver."""
    return [
        *[numbers.setdefault(row[name], len(numbers)) if row[name] else None for name in _TEXTS],
        *[_shown(row[name]) for name in _FACTS],
        [line(without_user_info(each), _LONGEST_REFERENCE) for each in row["references"]],
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


def _chunks(items: Iterable[Any]) -> str:
    """The items as escaped JSON, with commas between them."""
    rest = iter(items)
    return ",".join(_escaped(chunk)[1:-1] for chunk in iter(lambda: list(islice(rest, _CHUNK)), []))


def _escaped(value: object) -> str:
    """JSON that no parser of HTML takes for markup. The rest of JSON is ASCII."""
    return encode(value).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


# --- the rest


def _missing(title: str, found: Sequence[Mapping[str, Any]]) -> str:
    """Findings of the baseline that no scan of this run has."""
    items = "".join(
        f"<li>{severity_mark(each['severity'])} {text(each['name'], 200)}, {text(each['target'])}, {text(each['tool'])}"
        f'<span class="soft small"> {text(each["reason"]) + ", " if each.get("reason") else ""}'
        f"last seen {_moment(each['last_seen']) or 'unknown'}</span></li>\n"
        for each in found[:MOST_LINES]
    )
    rest = len(found) - MOST_LINES
    more = f"<p>{rest} more in gate.json.</p>" if rest > 0 else ""
    summary = f"<summary>{title}: {len(found)}</summary>"
    return f"<details>{summary}<ul>{items}</ul>{more}</details>\n" if found else ""


def _about(document: Document) -> str:
    """The facts behind the decision."""
    sources = document.get("sources") or {}
    sources = {"EPSS": sources.get("epss"), "Known exploited": sources.get("known_exploited")}
    outcomes = (document.get("outcomes") or {}).items()
    mapped = ", ".join(f"{key}: {value}" for key, value in outcomes if value != FAIL and key != PASSED)
    facts = {
        "Outcome": document["outcome"],
        "Coverage": document["coverage"],
        "Build": origin_of(document, "build"),
        "Commit": origin_of(document, "commit"),
        "Baseline": _baseline(document["baseline"]),
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
    items = "".join(f"<dt>{text(title)}</dt><dd>{text(value, 2000)}</dd>" for title, value in facts.items() if value)
    return f"<details><summary>Policy, baseline and sources</summary><dl>{items}</dl></details>\n"


def _baseline(baseline: Mapping[str, Any]) -> str:
    if not baseline.get("path"):
        return "none"
    reason = f": {baseline['reason']}" if baseline.get("reason") else ""
    return f"{baseline['path']}, {baseline['state']}, accepts {counted(baseline['accepted'], 'finding')}{reason}"
