# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What time alone changes about a gate, as a calendar (RFC 5545): waivers end, and findings begin to fail. Pure."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from math import isinf
from typing import Any

from ..._model.errors import counted
from ..._model.safe_text import encode, line
from ..._model.times import expiry_of, is_date, utc_text
from .document import Document, place, problems, waived_by, waiver_place

# octets in a line of the file, without its end (section 3.1)
_LONGEST_LINE = 75
_MOST_PROBLEMS = 3
_ESCAPED = str.maketrans({"\\": "\\\\", ";": "\\;", ",": "\\,"})
# a calendar needs a component (section 3.4), also one without events
_NO_EVENT = (
    *("BEGIN:VTIMEZONE", "TZID:UTC", "BEGIN:STANDARD", "DTSTART:19700101T000000"),
    *("TZOFFSETFROM:+0000", "TZOFFSETTO:+0000", "END:STANDARD", "END:VTIMEZONE"),
)


def calendar(document: Document) -> str:
    """The ends of waivers in force, and the days on which findings begin to fail."""
    stamp = f"DTSTAMP:{_compact(document['generated'])}"
    names: Counter[str] = Counter()
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//scanops//scanops.scanner gate//EN", "CALSCALE:GREGORIAN"]
    for identity, when, summary, description in _events(document):
        at = expiry_of(when)
        # a time that never comes
        if at is None or isinf(at):
            continue
        # a date is its whole day
        start = f";VALUE=DATE:{_compact(when)}" if is_date(when) else f":{_compact(utc_text(at))}"
        digest = hashlib.sha256(encode([document["workspace"], *identity]).encode()).hexdigest()[:32]
        names[digest] += 1
        lines += [
            "BEGIN:VEVENT",
            f"UID:{digest}-{names[digest]}@scanops.scanner",
            stamp,
            f"DTSTART{start}",
            f"SUMMARY:{summary.translate(_ESCAPED)}",
            f"DESCRIPTION:{description.translate(_ESCAPED)}",
            "TRANSP:TRANSPARENT",
            "END:VEVENT",
        ]
    lines += ["END:VCALENDAR"] if names else [*_NO_EVENT, "END:VCALENDAR"]
    return "".join(chain.from_iterable(map(_folded, lines)))


def _events(document: Document) -> Iterator[tuple[list[Any], str, str, str]]:
    """What identifies an event in every run, when it is, its summary and its description."""
    why = problems(document)
    # on the day of a run that did not read everything
    if why:
        said = f"{line(' '.join(why[:_MOST_PROBLEMS]), 2000)} What begins to fail may be missing from this calendar."
        yield ["run"], document["generated"][:10], f"Incomplete: {counted(len(why), 'problem')} of the gate", said
    listed = document["waivers"]
    doubled = chain.from_iterable(each["waivers"] for each in listed["doubled"])
    used = (row["waiver"] for row in document["findings"] if row["waiver"])
    every = {waiver_place(each): each for each in chain(used, listed["ending"], listed["unused"], doubled)}
    for _place, waiver in sorted(every.items()):
        matcher: Mapping[str, object] = waiver["matcher"]
        words = line(", ".join(f"{key}: {value}" for key, value in matcher.items()), 200)
        # its line changes with others, and its end when it is renewed
        identity = ["waiver", waiver["file"], dict(sorted(matcher.items()))]
        yield identity, waiver["expires"], f"Waiver ends: {words}", waived_by(waiver)
    for row in document["findings"]:
        if row["due"]:
            team = f" Team: {line(row['team'])}." if row["team"] else ""
            said = f"{place(row)}. It is older than the policy allows from this day on.{team}"
            identity = ["finding", row["workspace"], row["tool"], row["fingerprint"], row["index"]]
            yield identity, row["due"], f"Begins to fail: {row['severity']} {line(row['name'], 200)}", said


def _compact(time: str) -> str:
    return time.replace("-", "").replace(":", "")


def _folded(text: str) -> Iterator[str]:
    """A line in parts of at most 75 octets, none of which ends within a character."""
    if text.isascii():
        # several times faster
        rest = range(_LONGEST_LINE, len(text), _LONGEST_LINE - 1)
        yield "".join([text[:_LONGEST_LINE], *(f"\r\n {text[at:][: _LONGEST_LINE - 1]}" for at in rest), "\r\n"])
        return
    size, begin = 0, 0
    for at, character in enumerate(text):
        octets = len(character.encode())
        if size + octets > _LONGEST_LINE:
            yield f"{text[begin:at]}\r\n "
            # the space counts
            size, begin = 1, at
        size += octets
    yield f"{text[begin:]}\r\n"
