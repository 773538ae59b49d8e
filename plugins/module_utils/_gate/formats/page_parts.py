# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The sections of the page that need no script, as HTML: what to fix first, numbers, targets, waivers, findings. Pure.

Whatever is inserted passes ``text`` or ``link``, which escape it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from ..._evidence.findings import SUMMARY
from ..._model.errors import counted
from ..._model.gate_words import FAILING, FINDINGS, KNOWN, NEW, PASSED, REOPENED, VERDICTS, WORSE
from ..._model.safe_text import attribute, line, xml
from ..._model.times import iso_moment, utc_text
from .document import Document, Fix, Row, by_state, by_waiver, fixes, is_new, origin_of, place, tools_of, waived_by

# longer lists only hide what comes first; everything is in gate.json
MOST_LINES = 200
_MOST_FIXES = 5
_MOST_ROWS = 50
_LONGEST_ADVICE = 280

_DAY = 86400
# a waiver that ends within these days is marked
_SOON = 14 * _DAY
_AGES = {
    _DAY: "under 1 day",
    7 * _DAY: "1 to 6 days",
    30 * _DAY: "7 to 29 days",
    90 * _DAY: "30 to 89 days",
    float("inf"): "90 days or more",
}
_UNKNOWN_AGE = "unknown"
_ADDRESS = re.compile(r"https?://[!-~]+")

_CHART = '<svg viewBox="0 0 200 12" preserveAspectRatio="none" aria-hidden="true">'


def text(value: object, longest: int = 500) -> str:
    """Untrusted text between tags."""
    return xml(line("" if value is None else str(value), longest))


def link(words: str, row: Row) -> str:
    """A link to a finding. words: escaped."""
    return f"<a href={attribute('#' + quote(_anchor(row), safe=':'))}>{words}</a>"


def _anchor(row: Row) -> str:
    """The id of a finding in the page, which the script computes in the same way."""
    return f"f-{line(row['fingerprint'])}" + ("" if row["index"] == 1 else f"-{row['index']}")


def filtered(words: str, **filters: str) -> str:
    """A link to the findings of a filter. words: escaped."""
    return f"<a href={attribute('#?' + urlencode(filters, errors='replace'))}>{words}</a>"


def web_link(address: str, words: str) -> str:
    """A link to a web address; the words alone for any other text. words: escaped."""
    if not _ADDRESS.fullmatch(address):
        return words
    return f'<a href={attribute(address)} rel="noreferrer noopener nofollow">{words}</a>'


def severity_mark(severity: object, tag: str = "span") -> str:
    known = f" s-{severity}" if severity in SUMMARY else ""
    return f'<{tag} class="sev{known}">{text(severity)}</{tag}>'


def _left_out(number: int, words: str) -> str:
    return f"<p>{counted(number - MOST_LINES, words)} in gate.json.</p>" if number > MOST_LINES else ""


# --- what to fix first


def fix_first(document: Document) -> str:
    found = fixes(document)
    if not found:
        return ""
    several = len(tools_of(document)) > 1
    items = "\n".join(_fix(each, several) for each in found[:_MOST_FIXES])
    rest = len(found) - _MOST_FIXES
    more = f"<p>{filtered(f'{rest} more to fix', state=FAILING)}</p>" if rest > 0 else ""
    return (
        '<section aria-labelledby="fix">\n<h2 id="fix">Fix first</h2>\n'
        f'<ol class="fixes">\n{items}\n</ol>{more}\n</section>\n'
    )


def _fix(fix: Fix, several_tools: bool) -> str:
    row = fix.first
    hot = {"known to be exploited": row["known_exploited"], text(row["change"]): is_new(row)}
    tags = [f'<span class="tag hot">{words}</span>' for words, is_true in hot.items() if is_true]
    scores = (key for key in ("cvss", "epss") if row[key] is not None)
    tags += [f'<span class="tag">{key.upper()} {text(row[key])}</span>' for key in scores]
    also = f" · {text(row['tool'])}" if several_tools and row["tool"] else ""
    if fix.number > 1:
        also += f" · {counted(fix.number, 'finding')} of this kind"
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


def _clauses(row: Row) -> str:
    return "; ".join(map(text, row["reasons"])) or "no reason is recorded"


# --- numbers


class Bar(NamedTuple):
    """A line of a small chart."""

    label: str
    number: int
    # how many of them
    failing: int
    # the filter that shows those with this label, "" without one
    key: str = ""


def bars(document: Document) -> dict[str, list[Bar]]:
    """The bars of each chart, by its title. Against the baseline, there are none if no finding was compared with one."""
    ages = _bars(document, lambda row: _age(row["age"]), [*_AGES.values(), _UNKNOWN_AGE])
    gone, unseen = len(document["gone"]), len(document.get("unseen", ()))
    compared = gone or unseen or any(row["change"] for row in document["findings"])
    changes = _bars(document, itemgetter("change"), (NEW, REOPENED, WORSE, KNOWN), "change")
    return {
        "By severity": _bars(document, itemgetter("severity"), SUMMARY, "severity"),
        "Against the baseline": [*changes, Bar("gone", gone, 0), Bar("not seen", unseen, 0)] if compared else [],
        "By age at this run": ages if ages[-1].number else ages[:-1],
    }


def _bars(document: Document, label_of: Callable[[Row], Any], labels: Iterable[str], key: str = "") -> list[Bar]:
    tally = Counter((label_of(row), row["state"] == FAILING) for row in document["findings"])
    return [Bar(label, tally[label, True] + tally[label, False], tally[label, True], key) for label in labels]


def _age(age: int | None) -> str:
    return _UNKNOWN_AGE if age is None else next(label for limit, label in _AGES.items() if age < limit)


def panels(document: Document) -> str:
    if not (document["findings"] or document["gone"] or document.get("unseen")):
        return ""
    charts = "".join(_panel(title, found) for title, found in bars(document).items())
    return f'<section class="panels" aria-label="Numbers">\n{charts}</section>\n'


def _panel(title: str, found: Sequence[Bar]) -> str:
    if not found:
        return (
            f'<div><h3>{title}</h3><p class="small">The findings were compared with no baseline, so none is called new or'
            " known.</p></div>\n"
        )
    most = max(row.number for row in found) or 1
    lines = "".join(_panel_line(row, 200 / most) for row in found)
    return (
        f'<div><h3>{title}</h3><table aria-label="{title}"><thead class="label"><tr><th scope="col">Kind</th>'
        '<th scope="col">Bar</th><th scope="col">Findings</th><th scope="col">Failing</th></tr></thead>'
        f"<tbody>\n{lines}</tbody></table></div>\n"
    )


def _panel_line(row: Bar, scale: float) -> str:
    is_severity = row.key == "severity"
    number = str(row.number) if row.number else '<span class="soft">0</span>'
    if row.number and row.key:
        number = filtered(number, **{row.key: row.label})
    failing = f'<span class="bad">{row.failing} failing</span>' if row.failing else ""
    return (
        f'<tr><th scope="row">{severity_mark(row.label) if is_severity else row.label}</th>'
        f'<td class="bar {f"s-{row.label}" if is_severity else ""}">{_CHART}'
        f'<rect class="rest" width="{round(row.number * scale, 1)}" height="12"/>'
        f'<rect width="{round(row.failing * scale, 1)}" height="12"/></svg></td>'
        f'<td class="n">{number}</td><td class="n small">{failing}</td></tr>\n'
    )


# --- targets


class _Target(NamedTuple):
    """A target and tool with the numbers of its findings by severity."""

    pair: Mapping[str, Any]
    numbers: Counter[str]
    failing: Counter[str]

    def place(self) -> tuple[object, ...]:
        """The place among other targets, the worst first."""
        pair, verdict = self.pair, self.pair["verdict"]
        return (
            VERDICTS.index(verdict) if verdict in VERDICTS else 0,
            pair["outcome"] in (FINDINGS, PASSED),
            *(-self.failing[severity] for severity in SUMMARY),
            str(pair["target"]),
            str(pair["tool"]),
        )


def _targets(document: Document) -> list[_Target]:
    found = [_Target(pair, Counter(), Counter()) for pair in document["targets"]]
    by_scan = {each.pair["scan_id"]: each for each in found if each.pair["scan_id"] is not None}
    by_name = {(each.pair["target"], each.pair["tool"]): each for each in found}
    keys = itemgetter("target", "tool", "scan_id", "severity", "state")
    for (target, tool, scan, severity, state), number in Counter(map(keys, document["findings"])).items():
        each = by_name.get((target, tool), by_scan.get(scan))
        if each:
            each.numbers[severity] += number
            each.failing[severity] += number if state == FAILING else 0
    return sorted(found, key=_Target.place)


def targets(document: Document) -> str:
    found = _targets(document)
    if not found:
        return ""
    most = max(sum(each.numbers.values()) for each in found) or 1
    scan_url = origin_of(document, "scan_url")
    now = iso_moment(document["generated"])
    rows = "".join(_target_row(each, 200 / most, scan_url, now) for each in found[:MOST_LINES])
    heads = "".join(f'<th scope="col" class="n">{severity}</th>' for severity in SUMMARY)
    more = _left_out(len(found), "more target")
    return (
        '<section aria-labelledby="by-targets">\n<h2 id="by-targets">Targets</h2>\n'
        '<table class="wide targets" aria-label="Targets"><thead><tr>'
        '<th scope="col">Target</th><th scope="col">Tool</th><th scope="col">Outcome</th>'
        '<th scope="col" class="n">Scanned</th><th scope="col" class="n">Failing</th>'
        f'{heads}<th scope="col"><span class="label">Bar</span></th></tr></thead>\n'
        f"<tbody>\n{rows}</tbody></table>{more}\n</section>\n"
    )


def _target_row(each: _Target, scale: float, scan_url: str, now: int | None) -> str:
    pair, outcome = each.pair, each.pair["outcome"]
    reasons = [] if outcome in (FINDINGS, PASSED) else pair["reasons"]
    scanned = "never"
    if pair["scan_id"] is not None:
        scanned = web_link(scan_url.replace("{id}", str(pair["scan_id"])), _time(now, pair["age"]))
    why = f'<tr><td class="why full" colspan="{6 + len(SUMMARY)}">{"<br>".join(map(text, reasons))}</td></tr>\n'
    return (
        f'<tr{" class=more" if reasons else ""}><th scope="row" class="full">'
        f"{filtered(text(pair['target']) or 'unknown target', target=line(pair['target']))}</th><td class=word>"
        f"{text(pair['tool'])}</td><td class=date><span{'' if outcome == PASSED else ' class=bad'}>{text(outcome, 40)}"
        f'</span></td><td class="n when" data-label="scanned">{scanned}</td>'
        f"{_count(sum(each.failing.values()), 'failing', 'bad')}"
        f"{''.join(_count(each.numbers[name], name) for name in SUMMARY)}"
        f'<td class="bar full">{_stack(each.numbers, scale)}</td></tr>\n{why if reasons else ""}'
    )


def _count(number: int, label: str, of: str = "") -> str:
    return f'<td class="n {of if number else "zero"}" data-label="{label}">{number}</td>'


def _stack(numbers: Counter[str], scale: float) -> str:
    parts, at = [], 0.0
    for severity in filter(numbers.get, SUMMARY):
        width = round(numbers[severity] * scale, 2)
        parts.append(f'<rect class="s-{severity}" x="{at:g}" width="{width}" height="12"/>')
        at += width
    return f"{_CHART}{''.join(parts)}</svg>"


def _time(now: int | None, age: int | None) -> str:
    """The time that was ``age`` seconds before the gate, which is the same whenever the page is read."""
    return "unknown" if now is None or age is None else f"{utc_text(now - age)[:16].replace('T', ' ')} UTC"


# --- waivers


def expired(document: Document) -> str:
    found = document["waivers"]["expired"]
    if not found:
        return ""
    title = f"{counted(len(found), 'expired waiver')}: what {'it' if len(found) == 1 else 'they'} waived counts again"
    table = _waiver_table("Expired", [(each, _date(each, "bad "), _matcher(each)) for each in found])
    return f'<section class="alarm" aria-labelledby="expired">\n<h2 id="expired">{title}</h2>\n{table}</section>\n'


def waivers(document: Document) -> str:
    """The waivers in force, first those that end first, and those that need attention."""
    now, unused, doubled = (
        iso_moment(document["generated"]),
        document["waivers"]["unused"],
        document["waivers"]["doubled"],
    )
    used = []
    for rows in by_waiver(document).values():
        waiver = rows[0]["waiver"]
        end = iso_moment(str(waiver["expires"]))
        left = float("inf") if end is None or now is None else end - now
        used.append((left, waived_by(waiver), (waiver, _until(waiver, left), _waives(rows))))
    table = _waiver_table("Until", [shown for _left, _words, shown in sorted(used, key=itemgetter(0, 1))])
    doubles = (
        f"<code>{text(each['fingerprint'])}</code>: {', '.join(map(_file, each['waivers']))}" for each in doubled
    )
    idle = (
        f"{_file(each)}: {_matcher(each)}, {text(each['reason'])} ({text(each['owner'])}, until {text(each['expires'], 40)})"
        for each in unused
    )
    parts = [
        table if used else "",
        _bullets("Findings that several waivers match", doubles),
        _bullets("Unused waivers: no finding matches them", idle),
    ]
    head = '<section aria-labelledby="waived">\n<h2 id="waived">Waived</h2>\n'
    return f"{head}{''.join(parts)}</section>\n" if any(parts) else ""


def _bullets(title: str, items: Iterable[str]) -> str:
    lines = [f"<li>{each}</li>" for each in items][:MOST_LINES]
    return f"<h3>{title}</h3><ul>{''.join(lines)}</ul>\n" if lines else ""


def _waiver_table(date_title: str, found: Sequence[tuple[Mapping[str, Any], str, str]]) -> str:
    """Waivers, each with its date and what it waives, both escaped."""
    rows = "".join(
        f'<tr><td data-label="{date_title.lower()}">{date}</td>'
        f'<td class="date">{text(each["status"], 20).replace("_", " ")}</td>'
        f'<td class="full">{text(each["reason"])}</td><td class="file" data-label="owner">{text(each["owner"])}</td>'
        f'<td class="full">{waived}</td><td class="full file">{_file(each)}</td></tr>\n'
        for each, date, waived in found[:MOST_LINES]
    )
    heads = _heads(date_title, "Status", "Reason", "Owner", "Waives", "File")
    return (
        f'<table class="wide" aria-label="Waivers"><thead><tr>{heads}</tr></thead>\n'
        f"<tbody>\n{rows}</tbody></table>{_left_out(len(found), 'more waiver')}\n"
    )


def _heads(*titles: str) -> str:
    return "".join(f'<th scope="col">{title}</th>' for title in titles)


def _date(waiver: Mapping[str, Any], of: str = "") -> str:
    return f'<span class="{of}date">{text(waiver["expires"], 26)}</span>'


def _until(waiver: Mapping[str, Any], left: float) -> str:
    if left == float("inf"):
        return _date(waiver)
    of = "bad " if left < _SOON else ""
    return _date(waiver, of)


def _waives(rows: Sequence[Row]) -> str:
    first = rows[0]
    more = f" and {counted(len(rows) - 1, 'more finding')}" if len(rows) > 1 else ""
    return f"{severity_mark(first['severity'])} {link(text(first['name'], 120) or '(no name)', first)}{more}"


def _matcher(waiver: Mapping[str, Any]) -> str:
    return f"<code>{text(', '.join(f'{key}: {value}' for key, value in waiver['matcher'].items()))}</code>"


def _file(waiver: Mapping[str, Any]) -> str:
    return f"<code>{text(waiver['file'])}:{text(waiver['line'])}</code>"


# --- findings without the script


def plain_findings(document: Document) -> str:
    """The first failing findings, for readers without the script."""
    failing = [row for row in document["findings"] if row["state"] == FAILING][:_MOST_ROWS]
    numbers = ", ".join(f"{number} {state}" for state, number in by_state(document).items())
    first = table = ""
    if failing:
        rows = "".join(
            f"<tr id={attribute(_anchor(row))}><td>{severity_mark(row['severity'])}</td><td>{text(row['name'], 200)}</td>"
            f"<td>{text(place(row))}</td><td class=word>{text(row['change'])}</td><td>{_clauses(row)}</td></tr>\n"
            for row in failing
        )
        heads = _heads("Severity", "Finding", "Where", "Change", "Why")
        first = f" Without JavaScript, this page lists the first {len(failing)} failing ones."
        table = (
            f"<table aria-label='Failing findings'><thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody></table>\n"
        )
    return f'<div id="plain"><p>{counted(len(document["findings"]), "finding")}: {numbers}.{first}</p>\n{table}</div>\n'
