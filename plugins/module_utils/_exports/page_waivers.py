# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The sections of the page about waivers, as HTML. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._errors import counted
from .document import Document
from .page_parts import link, severity_mark, text
from .page_summary import Used, matcher_words, short_duration, used_waivers

# longer lists only hide what comes first; everything is in gate.json
_MOST_WAIVERS = 200


def expired(document: Document) -> str:
    found = document["waivers"]["expired"]
    if not found:
        return ""
    dates = [f'<span class="bad date">{text(each["expires"], 26)}</span>' for each in found]
    table = _waiver_table(found, dates, [_matcher(each) for each in found], "Expired")
    title = f"{counted(len(found), 'expired waiver')}: what {'it' if len(found) == 1 else 'they'} waived counts again"
    return f'<section class="alarm" aria-labelledby="expired">\n<h2 id="expired">{title}</h2>\n{table}</section>\n'


def _matcher(waiver: Mapping[str, Any]) -> str:
    return f"<code>{text(matcher_words(waiver['matcher']))}</code>"


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
            for each in doubled[:_MOST_WAIVERS]
        )
        parts.append(f"<h3>Findings that several waivers match</h3><ul>{items}</ul>\n")
    if unused:
        items = "".join(
            f"<li>{_file(each)}: {_matcher(each)}, {text(each['reason'])}"
            f" ({text(each['owner'])}, until {text(each['expires'], 40)})</li>"
            for each in unused[:_MOST_WAIVERS]
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
        for each, date, waived in list(zip(shown, dates, findings))[:_MOST_WAIVERS]
    )
    rest = len(shown) - _MOST_WAIVERS
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
