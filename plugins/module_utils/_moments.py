# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Times: those in records, in each form in which services write them, and ISO 8601 times in options. Pure."""

from __future__ import annotations

import calendar
import math
import re
from typing import NamedTuple

_TIME = re.compile(
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
    r"(?:[Tt ](?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?P<fraction>[.,][0-9]+)?)?"
    r"(?P<zone> ?(?:(?P<utc>[Zz]|UTC|GMT)|(?P<sign>[+-])(?P<hours>[0-9]{2}):?(?P<minutes>[0-9]{2})?))?)?"
)
# numbers from here on are milliseconds: as seconds they would be in the year 5138
_MILLISECONDS = 10**11
_LAST = 10**14


class Moment(NamedTuple):
    """A time in a record. at: Unix time, read as UTC where it names no zone; zoned: whether it says which zone it means."""

    at: float
    zoned: bool


class Clock(NamedTuple):
    """The present. now: Unix time; ahead: by how many seconds the times in records that name no zone are ahead of UTC."""

    now: float
    ahead: float = 0

    def age_of(self, moment: Moment) -> float:
        """Seconds since a moment, never less than none."""
        return max(0, self.now + (0 if moment.zoned else self.ahead) - moment.at)


def moment_of(value: object) -> Moment | None:
    """The Moment that a field of a record means, or None: a text with or without an offset, or a Unix time, in seconds or
    milliseconds, as number or text."""
    if isinstance(value, str):
        text = value.strip()
        if re.fullmatch(r"[0-9]{9,14}(\.[0-9]{1,9})?", text):
            return _numeric(float(text))
        # what comes behind a time is none of its zone
        found = _TIME.match(text)
        return _moment(found) if found else None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _numeric(value)
    return None


def iso_moment(text: str) -> int | None:
    """The Unix time of an ISO 8601 date or time, read as UTC where it names no zone, or None where the text is none."""
    found = _TIME.fullmatch(text)
    moment = _moment(found) if found else None
    return None if moment is None or moment.at < 0 else math.floor(moment.at)


def _numeric(number: float) -> Moment | None:
    # no scan ended in the first seconds of 1970: 0 is a time that is not set
    if not 0 < number < _LAST:
        return None
    return Moment(number / 1000 if number >= _MILLISECONDS else number, True)


def _moment(found: re.Match[str]) -> Moment | None:
    parts = [int(found[name] or 0) for name in ("year", "month", "day", "hour", "minute", "second")]
    if not _exists(*parts):
        return None
    at: float = calendar.timegm((*parts, 0, 0, 0))
    if found["fraction"]:
        at += float(f"0.{found['fraction'][1:]}")
    if not found["zone"]:
        return Moment(at, False)
    if found["utc"]:
        return Moment(at, True)
    hours, minutes = int(found["hours"]), int(found["minutes"] or 0)
    if hours > 23 or minutes > 59:
        return None
    offset = hours * 3600 + minutes * 60
    return Moment(at + offset if found["sign"] == "-" else at - offset, True)


def _exists(year: int, month: int, day: int, hour: int, minute: int, second: int) -> bool:
    """Whether there is such a day and time; calendar.timegm would carry over, or fail."""
    if not 1970 <= year <= 9998 or not 1 <= month <= 12 or hour > 23 or minute > 59 or second > 60:
        return False
    return 1 <= day <= calendar.monthrange(year, month)[1]
