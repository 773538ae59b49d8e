# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The result of a gate as one page for people, without anything from outside. Pure.

What a person needs first is HTML and works without the script, which adds the table of all findings. The content security
policy allows this style and this script, by their digests, and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from typing import Any

from .._errors import counted
from .._gate_words import FAIL, PASSED
from .document import Document
from .page_data import details_data, table_data
from .page_parts import (
    MOST_LINES,
    expired,
    fix_first,
    meanings,
    moment,
    outcome,
    panels,
    plain_findings,
    severity_mark,
    targets,
    text,
    waivers,
)
from .page_script import SCRIPT
from .page_style import STYLE
from .page_summary import headline

_COLUMNS = (
    ("severity", "Severity"),
    ("name", "Finding"),
    ("target", "Where"),
    ("change", "Change"),
    ("age", "Age"),
    ("state", "State"),
)
_FILTERS = (("state", "State"), ("severity", "Severity"), ("change", "Change"), ("target", "Target"))


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
            outcome(document),
            "<main>\n",
            fix_first(document),
            expired(document),
            panels(document),
            targets(document),
            waivers(document),
            '<section aria-labelledby="findings">\n<h2 id="findings">Findings</h2>\n',
            meanings(document),
            _TABLE,
            plain_findings(document),
            "</section>\n</main>\n<footer>\n",
            _gone(document),
            _about(document),
            '</footer>\n<script type="application/json" id="rows">',
            table_data(document),
            '</script>\n<script type="application/json" id="long">',
            details_data(document),
            f"</script>\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
        ]
    )


def _filter(name: str, title: str) -> str:
    return f'<label>{title}<select id="by-{name}"><option value="">all</option></select></label>'


_TABLE = (
    '<div id="table" hidden>\n<div class="filters" role="search" aria-label="Filter the findings">'
    '<label class="wide">Text<input type="search" id="by-text" autocomplete="off" spellcheck="false"'
    ' placeholder="name, path, check, CVE, fingerprint"></label>'
    + "".join(_filter(name, title) for name, title in _FILTERS)
    + '<button type="button" id="clear">Clear</button></div>\n'
    '<p class="soft small"><span id="count" role="status"></span>'
    ' <button type="button" id="every" class="screen">Open or close the details shown</button></p>\n'
    '<table class="wide" role="table" aria-label="Findings"><thead><tr role="row">'
    + "".join(
        f'<th scope="col" role="columnheader" class="c-{key}"><button type="button" data-key="{key}">{title}</button></th>'
        for key, title in _COLUMNS
    )
    + '</tr></thead><tbody id="body"></tbody></table>\n<p><button type="button" id="more" hidden></button></p>\n</div>\n'
)


def _gone(document: Document) -> str:
    found = document["gone"]
    if not found:
        return ""
    items = "".join(
        f"<li>{severity_mark(each['severity'])} {text(each['name'], 200)}, {text(each['target'])}, {text(each['tool'])}"
        f' <span class="soft small">last seen {moment(each["last_seen"]) or "unknown"}</span></li>\n'
        for each in found[:MOST_LINES]
    )
    rest = len(found) - MOST_LINES
    more = f"<p>{rest} more in gate.json.</p>" if rest > 0 else ""
    return f"<details><summary>Gone since the baseline: {len(found)}</summary><ul>{items}</ul>{more}</details>\n"


def _about(document: Document) -> str:
    """The facts behind the decision."""
    baseline, sources = document["baseline"], document.get("sources") or {}
    facts = [("Outcome", document["outcome"]), ("Coverage", document["coverage"])]
    facts += [("Baseline", _baseline(baseline))]
    for title, key in (("EPSS", "epss"), ("Known exploited", "known_exploited")):
        source = sources.get(key)
        if source:
            facts.append((title, f"{source['path']}, data of {source['date'] or 'an unknown date'}"))
    facts += [
        (f"policy.{key}", value if isinstance(value, str) else json.dumps(value, ensure_ascii=True))
        for key, value in (document.get("policy") or {}).items()
        if value not in (None, False, [], {}, "")
    ]
    mapped = {key: value for key, value in (document.get("outcomes") or {}).items() if value != FAIL and key != PASSED}
    facts += [("Outcomes that do not fail", ", ".join(f"{key}: {value}" for key, value in mapped.items()) or "none")]
    facts += [("Decided", document["generated"]), ("Written by", f"scanops.scanner {document['collection_version']}")]
    items = "".join(f"<dt>{text(title)}</dt><dd>{text(value, 2000)}</dd>" for title, value in facts)
    return f"<details><summary>Policy, baseline and sources</summary><dl>{items}</dl></details>\n"


def _baseline(baseline: Mapping[str, Any]) -> str:
    if not baseline.get("path"):
        return "none"
    reason = f": {baseline['reason']}" if baseline.get("reason") else ""
    return f"{baseline['path']}, {baseline['state']}, accepts {counted(baseline['accepted'], 'finding')}{reason}"
