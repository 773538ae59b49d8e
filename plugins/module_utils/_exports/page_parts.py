# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The sections of the page that need no script, as HTML. Pure.

Whatever is inserted passes ``text`` or ``link``, which escape it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from .._errors import counted
from .._findings.model import SUMMARY
from .._gate_words import FAIL, FAILING, FINDINGS, NONE, PASSED, STATES, UNPROVEN, VERDICTS
from .document import Document, Row, first_sentences, is_new, is_whole, place
from .page_summary import (
    Bar,
    Fix,
    Used,
    ages,
    changes,
    fixes,
    headline,
    severities,
    short_duration,
    target_lines,
    used_waivers,
)
from .text import attribute, line, xml

# longer lists only hide what comes first; everything is in gate.json
_MOST_REASONS = 12
_MOST_FIXES = 5
MOST_LINES = 200
_MOST_ROWS = 50
_LONGEST_ADVICE = 280


def text(value: object, longest: int = 500) -> str:
    """Untrusted text between tags."""
    return xml(line("" if value is None else str(value), longest))


def anchor(row: Row) -> str:
    """The id of a finding in the page, which the script computes in the same way."""
    return f"f-{line(row['fingerprint'])}" + ("" if row["index"] == 1 else f"-{row['index']}")


def link(words: str, row: Row) -> str:
    """A link to a finding. words: escaped."""
    return f"<a href={attribute('#' + quote(anchor(row), safe=':'))}>{words}</a>"


def filtered(words: str, **filters: str) -> str:
    """A link to the findings of a filter. words: escaped."""
    return f"<a href={attribute('#?' + urlencode(filters, errors='replace'))}>{words}</a>"


def outcome(document: Document) -> str:
    """The outcome with its reasons, and whether it can be relied on."""
    verdict = document["verdict"] if document["verdict"] in VERDICTS else FAIL
    reasons = document["reasons"]
    first = [f"<li>{text(sentence)}</li>" for sentence in first_sentences(document)]
    shown = [f"<li>{text(reason)}</li>" for reason in reasons[:_MOST_REASONS]]
    if len(reasons) > _MOST_REASONS:
        shown.append(f"<li>{counted(len(reasons) - _MOST_REASONS, 'more reason')}, see the targets below.</li>")
    if not shown:
        shown.append(f"<li>{_no_reason(document)}</li>")
    where = f"{text(document['workspace'])} · " if document["workspace"] else ""
    return (
        f'<header class="outcome {verdict}"><div>\n'
        f'<p class="soft small">Security gate · {where}{moment(document["generated"])}</p>\n'
        f"<h1>{text(headline(document))}</h1>\n<ul>{''.join(first + shown)}</ul>\n{_banner(document)}</div></header>\n"
    )


def _no_reason(document: Document) -> str:
    total = document["counts"]["total"]
    if document["outcome"] == PASSED:
        return f"{counted(total, 'finding')} read, and none fails the policy."
    return f"The outcome is {text(document['outcome'])}."


def _banner(document: Document) -> str:
    if not is_whole(document):
        bad = sum(pair["outcome"] not in (FINDINGS, PASSED) for pair in document["targets"])
        number = f"{bad} of {counted(len(document['targets']), 'scan')} could not be judged. " if bad else ""
        return (
            f'<div class="banner" role="note"><p><strong>This run is not complete.</strong> {number}'
            "Findings may be missing, so a target without findings is not proven clean.</p></div>\n"
        )
    if document["coverage"] == UNPROVEN:
        return (
            '<div class="banner" role="note"><p>The findings come from a saved file, which does not prove that everything'
            " was scanned.</p></div>\n"
        )
    return ""


def moment(moment: object) -> str:
    shown = text(moment, 40)
    return shown[:16].replace("T", " ") + " UTC" if shown.endswith("Z") and len(shown) == 20 else shown


# --- what to fix first


def fix_first(document: Document) -> str:
    found = fixes(document)
    if not found:
        return ""
    items = "\n".join(map(_fix, found[:_MOST_FIXES]))
    rest = len(found) - _MOST_FIXES
    more = f"<p>{filtered(f'{rest} more to fix', state=FAILING)}</p>" if rest > 0 else ""
    return (
        '<section aria-labelledby="fix">\n<h2 id="fix">Fix first</h2>\n'
        f'<ol class="fixes">\n{items}\n</ol>{more}\n</section>\n'
    )


def _fix(fix: Fix) -> str:
    row = fix.first
    tags = [f'<span class="tag hot">{words}</span>' for words in _tags(fix)]
    if row["cvss"] is not None:
        tags.append(f'<span class="tag">CVSS {text(row["cvss"])}</span>')
    if row["epss"] is not None:
        tags.append(f'<span class="tag">EPSS {text(row["epss"])}</span>')
    also = f" · {counted(fix.number, 'finding')} of this kind" if fix.number > 1 else ""
    if fix.targets > 1:
        also += f" on {counted(fix.targets, 'target')}"
    advice = line(row["recommendation"], 5000)
    if len(advice) > _LONGEST_ADVICE:
        advice = f"{advice[:_LONGEST_ADVICE].rsplit(' ', 1)[0]} …"
    return (
        f"<li>{severity_mark(row['severity'], 'div')}<div>"
        f"<p><strong>{link(text(row['name'], 200) or '(no name)', row)}</strong> {' '.join(tags)}</p>"
        f'<p class="small">{text(place(row))}{also}</p>'
        f"{f'<p>{xml(advice)}</p>' if advice else ''}"
        f'<p class="soft small">Fails because {_clauses(row)}.</p></div></li>'
    )


def _tags(fix: Fix) -> list[str]:
    tags = ["known to be exploited"] if fix.first["known_exploited"] else []
    if is_new(fix.first):
        tags.append(text(fix.first["change"]))
    return tags


def _clauses(row: Row) -> str:
    return "; ".join(text(reason) for reason in row["reasons"]) or "no reason is recorded"


def severity_mark(severity: object, tag: str = "span") -> str:
    known = f" s-{severity}" if severity in SUMMARY else ""
    return f'<{tag} class="sev{known}">{text(severity)}</{tag}>'


# --- numbers


def panels(document: Document) -> str:
    if not document["findings"] and not document["gone"]:
        return ""
    compared = changes(document)
    baseline = _panel("Against the baseline", compared) if compared else (
        '<div><h3>Against the baseline</h3><p class="small">The findings were compared with no baseline, so none is'
        " called new or known.</p></div>\n"
    )  # fmt: skip
    return (
        '<section class="panels" aria-label="Numbers">\n'
        f"{_panel('By severity', severities(document))}{baseline}{_panel('By age', ages(document))}</section>\n"
    )


def _panel(title: str, bars: Sequence[Bar]) -> str:
    most = max((strip.number for strip in bars), default=0) or 1
    lines = "".join(
        f'<tr><th scope="row">{severity_mark(strip.label) if strip.key == "severity" else text(strip.label)}</th>'
        f'<td class="bar {f"s-{strip.label}" if strip.key == "severity" else ""}">{_bar(strip, most)}</td>'
        f'<td class="n">{_number(strip)}</td><td class="n small">{_failing(strip.failing)}</td></tr>\n'
        for strip in bars
    )
    return (
        f'<div><h3>{title}</h3><table aria-label="{title}"><thead class="label"><tr><th scope="col">Kind</th>'
        '<th scope="col">Bar</th><th scope="col">Findings</th><th scope="col">Failing</th></tr></thead>'
        f"<tbody>\n{lines}</tbody></table></div>\n"
    )


def _number(strip: Bar) -> str:
    if not strip.number:
        return '<span class="soft">0</span>'
    return filtered(str(strip.number), **{strip.key: strip.label}) if strip.key else str(strip.number)


def _failing(number: int) -> str:
    return f'<span class="bad">{number} failing</span>' if number else ""


def _bar(strip: Bar, most: int) -> str:
    whole, failing = (round(200 * number / most, 1) for number in (strip.number, strip.failing))
    return (
        '<svg viewBox="0 0 200 12" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="rest" width="{whole}" height="12"/><rect width="{failing}" height="12"/></svg>'
    )


def targets(document: Document) -> str:
    lines = target_lines(document)
    if not lines:
        return ""
    most = max(sum(each.numbers.values()) for each in lines) or 1
    heads = "".join(f'<th scope="col" class="n">{severity}</th>' for severity in SUMMARY)
    rows = []
    for each in lines[:MOST_LINES]:
        pair = each.pair
        whole = pair["outcome"] in (FINDINGS, PASSED)
        reasons = [] if whole else pair["reasons"]
        scanned = "never" if pair["age"] is None else f"{short_duration(pair['age'])} ago"
        verdict = "" if pair["outcome"] == PASSED else ' class="bad"'
        rows.append(
            f'<tr{" class=more" if reasons else ""}><th scope="row" class="full">'
            f"{filtered(text(pair['target']) or 'unknown target', target=line(pair['target']))}</th>"
            f"<td class=word>{text(pair['tool'])}</td><td class=date><span{verdict}>{text(pair['outcome'], 40)}</span></td>"
            f'<td class="n" data-label="scanned">{scanned}</td>'
            f"{_count(sum(each.failing.values()), 'failing', 'bad')}"
            f"{''.join(_count(each.numbers[name], name) for name in SUMMARY)}"
            f'<td class="bar full">{_stack(each.numbers, most)}</td></tr>\n'
        )
        if reasons:
            rows.append(
                f'<tr><td class="why full" colspan="{6 + len(SUMMARY)}">{"<br>".join(map(text, reasons))}</td></tr>\n'
            )
    rest = len(lines) - MOST_LINES
    more = f"<p>{counted(rest, 'more target')} with fewer problems in gate.json.</p>" if rest > 0 else ""
    return (
        '<section aria-labelledby="by-targets">\n<h2 id="by-targets">Targets</h2>\n'
        '<table class="wide targets" aria-label="Targets"><thead><tr>'
        '<th scope="col">Target</th><th scope="col">Tool</th><th scope="col">Outcome</th>'
        '<th scope="col" class="n">Scanned</th><th scope="col" class="n">Failing</th>'
        f'{heads}<th scope="col"><span class="label">Bar</span></th></tr></thead>\n'
        f"<tbody>\n{''.join(rows)}</tbody></table>{more}\n</section>\n"
    )


def _count(number: int, label: str, of: str = "") -> str:
    return f'<td class="n {of if number else "zero"}" data-label="{label}">{number}</td>'


def _stack(numbers: Mapping[str, int], most: int) -> str:
    parts, at = [], 0.0
    for severity in SUMMARY:
        width = round(200 * numbers.get(severity, 0) / most, 2)
        if width:
            parts.append(f'<rect class="s-{severity}" x="{at:g}" width="{width}" height="12"/>')
            at += width
    return f'<svg viewBox="0 0 200 12" preserveAspectRatio="none" aria-hidden="true">{"".join(parts)}</svg>'


# --- waivers


def expired(document: Document) -> str:
    found = document["waivers"]["expired"]
    if not found:
        return ""
    dates = [f'<span class="bad date">{text(each["expires"], 26)}</span>' for each in found]
    table = _waiver_table(found, dates, [_matcher(each) for each in found], "Expired")
    title = f"{counted(len(found), 'expired waiver')}: what {'it' if len(found) == 1 else 'they'} waived counts again"
    return f'<section class="alarm" aria-labelledby="expired">\n<h2 id="expired">{title}</h2>\n{table}</section>\n'


def _matcher(waiver: Mapping[str, Any]) -> str:
    return f"<code>{text(', '.join(f'{key}: {value}' for key, value in waiver['matcher'].items()))}</code>"


def waivers(document: Document) -> str:
    """The waivers in force, and those that need attention."""
    used, unused, doubled = used_waivers(document), document["waivers"]["unused"], document["waivers"]["doubled"]
    if not used and not unused and not doubled:
        return ""
    parts = ['<section aria-labelledby="waived">\n<h2 id="waived">Waived</h2>\n']
    if used:
        shown = [each.waiver for each in used]
        parts.append(_waiver_table(shown, list(map(_until, used)), list(map(_waives, used)), "Until"))
    if doubled:
        items = "".join(
            f"<li><code>{text(each['fingerprint'])}</code>: {', '.join(_file(waiver) for waiver in each['waivers'])}</li>"
            for each in doubled[:MOST_LINES]
        )
        parts.append(f"<h3>Findings that several waivers match</h3><ul>{items}</ul>\n")
    if unused:
        items = "".join(
            f"<li>{_file(each)}: {_matcher(each)}, {text(each['reason'])}"
            f" ({text(each['owner'])}, until {text(each['expires'], 40)})</li>"
            for each in unused[:MOST_LINES]
        )
        parts.append(f"<h3>Unused waivers: no finding matches them</h3><ul>{items}</ul>\n")
    return "".join([*parts, "</section>\n"])


def _waiver_table(
    shown: Sequence[Mapping[str, Any]], dates: Sequence[str], findings: Sequence[str], date_title: str
) -> str:
    rows = "".join(
        f'<tr><td data-label="{date_title.lower()}">{date}</td>'
        f'<td class="date">{text(each["status"], 20).replace("_", " ")}</td>'
        f'<td class="full">{text(each["reason"])}</td><td class="file" data-label="owner">{text(each["owner"])}</td>'
        f'<td class="full">{waived}</td><td class="full file">{_file(each)}</td></tr>\n'
        for each, date, waived in list(zip(shown, dates, findings))[:MOST_LINES]
    )
    rest = len(shown) - MOST_LINES
    more = f"<p>{counted(rest, 'more waiver')} in gate.json.</p>" if rest > 0 else ""
    return (
        f'<table class="wide" aria-label="Waivers"><thead><tr><th scope="col">{date_title}</th>'
        '<th scope="col">Status</th><th scope="col">Reason</th><th scope="col">Owner</th><th scope="col">Waives</th>'
        f'<th scope="col">File</th></tr></thead>\n<tbody>\n{rows}</tbody></table>{more}\n'
    )


def _until(used: Used) -> str:
    date = f'<span class="date">{text(used.waiver["expires"], 26)}</span>'
    if used.left is None:
        return date
    left = f"in {short_duration(max(0, used.left))}"
    return f'{date}<br><span class="{"bad" if used.ends_soon else "soft"} small">{left}</span>'


def _waives(used: Used) -> str:
    first = used.rows[0]
    more = f" and {counted(len(used.rows) - 1, 'more finding')}" if len(used.rows) > 1 else ""
    return f"{severity_mark(first['severity'])} {link(text(first['name'], 120) or '(no name)', first)}{more}"


def _file(waiver: Mapping[str, Any]) -> str:
    return f"<code>{text(waiver['file'])}:{text(waiver['line'])}</code>"


# --- findings without the script, and the rest


def meanings(document: Document) -> str:
    """What the words of the policy mean."""
    least = (document.get("policy") or {}).get("fail_on")
    threshold = "" if least is None else (
        f"<strong>fail_on: {text(least)}</strong> "
        + ("means that no severity fails by itself." if least == NONE else "is the lowest severity that fails.")
        + "<br>"
    )  # fmt: skip
    return (
        f'<p class="small">{threshold}<strong>below</strong> means that the policy does not count the finding, mostly'
        " because its severity is lower.</p>\n"
    )


def plain_findings(document: Document) -> str:
    """The first failing findings, for readers without the script."""
    failing = [row for row in document["findings"] if row["state"] == FAILING]
    numbers = ", ".join(f"{document['counts'].get(state, 0)} {state}" for state in STATES)
    rows = "".join(
        f"<tr id={attribute(anchor(row))}><td>{severity_mark(row['severity'])}</td><td>{text(row['name'], 200)}</td>"
        f"<td>{text(place(row))}</td><td class=word>{text(row['change'])}</td><td>{_clauses(row)}</td></tr>\n"
        for row in failing[:_MOST_ROWS]
    )
    head = "".join(f'<th scope="col">{title}</th>' for title in ("Severity", "Finding", "Where", "Change", "Why"))
    table = (
        f"<table aria-label='Failing findings'><thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody></table>\n"
        if rows
        else ""
    )
    first = f" Without JavaScript, this page lists the first {len(failing[:_MOST_ROWS])} failing ones." if rows else ""
    return f'<div id="plain"><p>{counted(len(document["findings"]), "finding")}: {numbers}.{first}</p>\n{table}</div>\n'
