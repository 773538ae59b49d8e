# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What the sections of the page list: numbers, targets, waivers, addresses. Without any markup. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from ..._evidence.findings import SUMMARY
from ..._model.outcomes import FAILING, FINDINGS, KNOWN, NEW, PASSED, REOPENED, VERDICTS, WORSE
from ..._model.safe_text import line
from ..._model.times import iso_moment, utc_text
from .document import Document, Row, by_waiver, waived_by, waiver_place

# the outcomes of a target that was read completely
WHOLE = (FINDINGS, PASSED)
_LONGEST_ADVICE = 280

_DAY = 86400
_AGES = {
    _DAY: "under 1 day",
    7 * _DAY: "1 to 6 days",
    30 * _DAY: "7 to 29 days",
    90 * _DAY: "30 to 89 days",
    float("inf"): "90 days or more",
}
_UNKNOWN_AGE = "unknown"
_ADDRESS = re.compile(r"https?://[!-~]+")


# a waiver, whether its end is marked, and the findings that it waives
_Listed = tuple[Mapping[str, Any], bool, list[Row]]


# --- addresses and texts


def anchor(row: Row) -> str:
    """The id of a finding in the page, which the script computes in the same way."""
    return f"f-{line(row['fingerprint'])}" + ("" if row["index"] == 1 else f"-{row['index']}")


def link(row: Row) -> str:
    """The address of a finding in the page."""
    return "#" + quote(anchor(row), safe=":")


def query(filters: Mapping[str, str]) -> str:
    """The address of the findings of a filter."""
    return "#?" + urlencode(filters, errors="replace")


def address(url: str) -> str:
    """A web address, "" for any other text."""
    return url if _ADDRESS.fullmatch(url) else ""


def advice(text: str) -> str:
    """The begin of a recommendation."""
    advice = line(text, 5000)
    return advice if len(advice) <= _LONGEST_ADVICE else f"{advice[:_LONGEST_ADVICE].rsplit(' ', 1)[0]} …"


def moment(time: str | None) -> str:
    """A time to the minute; any other text as it is."""
    shown = line(time, 40)
    return shown[:16].replace("T", " ") + " UTC" if shown.endswith("Z") and len(shown) == 20 else shown


def before(age: int | None, now: int | None) -> str:
    """The time that was ``age`` seconds before the gate, which is the same whenever the page is read."""
    return "unknown" if now is None or age is None else moment(utc_text(now - age))


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


# --- targets


class Target(NamedTuple):
    """A target and tool with the numbers of its findings by severity."""

    pair: Mapping[str, Any]
    numbers: Counter[str]
    failing: Counter[str]

    def place(self) -> tuple[object, ...]:
        """The place among other targets, the worst first."""
        pair, verdict = self.pair, self.pair["verdict"]
        return (
            VERDICTS.index(verdict) if verdict in VERDICTS else 0,
            pair["outcome"] in WHOLE,
            *(-self.failing[severity] for severity in SUMMARY),
            str(pair["target"]),
            str(pair["tool"]),
        )


def targets(document: Document) -> list[Target]:
    """The targets, the worst first."""
    found = [Target(pair, Counter(), Counter()) for pair in document["targets"]]
    by_scan = {each.pair["scan_id"]: each for each in found if each.pair["scan_id"] is not None}
    by_name = {(each.pair["target"], each.pair["tool"]): each for each in found}
    keys = itemgetter("target", "tool", "scan_id", "severity", "state")
    for (target, tool, scan, severity, state), number in Counter(map(keys, document["findings"])).items():
        each = by_name.get((target, tool), by_scan.get(scan))
        if each:
            each.numbers[severity] += number
            each.failing[severity] += number if state == FAILING else 0
    return sorted(found, key=Target.place)


# --- waivers


def expired(document: Document) -> list[_Listed]:
    return [(waiver, True, []) for waiver in document["waivers"]["expired"]]


def waivers(document: Document) -> list[_Listed]:
    """The waivers in force, first those that end first."""
    soon = set(map(waiver_place, document["waivers"]["ending"]))
    now = iso_moment(document["generated"])
    used = []
    for rows in by_waiver(document).values():
        waiver = rows[0]["waiver"]
        end = iso_moment(str(waiver["expires"]))
        left = float("inf") if end is None or now is None else end - now
        used.append((left, waived_by(waiver), (waiver, waiver_place(waiver) in soon, rows)))
    return [listed for _left, _words, listed in sorted(used, key=itemgetter(0, 1))]
