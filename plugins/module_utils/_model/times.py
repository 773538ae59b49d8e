# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Times in records, in every form in which services write them; ISO 8601 times and durations in options. Pure."""

from __future__ import annotations

import math
import re
from datetime import datetime, timedelta, timezone
from typing import NamedTuple

from .errors import WrongOption, counted, printable

# datetime.fromisoformat of Python 3.9 reads neither Z nor an offset without a colon
_TIME = re.compile(
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
    r"(?:[Tt ](?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?P<fraction>[.,][0-9]+)?)?"
    r"(?P<zone> ?(?:(?P<utc>[Zz]|UTC|GMT)|(?P<sign>[+-])(?P<hours>[0-9]{2}):?(?P<minutes>[0-9]{2})?))?)?"
)
# larger numbers are milliseconds: as seconds they would be in the year 5138
_MILLISECONDS = 10**11
# what follows a time: the name of a zone, or an offset in a form that is not understood
_OTHER_ZONE = re.compile(r"\s*(?:[A-Z]{1,5}\b|[A-Z][A-Za-z_]+/|[+-][0-9])")
# clocks differ by less than this, in seconds
_CLOCKS = 3600
# milliseconds in the year 2286; a number of 14 digits is a date and a time without separators
_LAST = 10**13
# what people write for something that does not expire
NEVER = "never"
# how long a waiver or an exclusion may last: five years, and a day for the end of the date
LONGEST_EXCEPTION = (5 * 366 + 1) * 86400
_DAY = 86400
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
# how many seconds the clocks of two machines may differ
TOLERANCE = 300
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


class Moment(NamedTuple):
    """A time in a record. at: Unix time, taken as UTC unless the record names a zone; zoned: whether the record names one."""

    at: float
    zoned: bool


class Clock(NamedTuple):
    """The present. now: Unix time; ahead: how many seconds the times without a zone are ahead of UTC."""

    now: float
    ahead: float = 0

    def age_of(self, moment: Moment) -> float:
        """The seconds since a moment, 0 for one in the future."""
        return max(0, self._since(moment))

    def is_past(self, moment: Moment) -> bool:
        """Whether a moment has passed. A record that says otherwise of an end is wrong, and shows no age."""
        return self._since(moment) > -_CLOCKS

    def _since(self, moment: Moment) -> float:
        return self.now + (0 if moment.zoned else self.ahead) - moment.at


def moment_of(value: object) -> Moment | None:
    """The Moment in a field of a record, or None: a text with or without an offset, or a Unix time in seconds or
    milliseconds, a number or a text."""
    if isinstance(value, str):
        text = value.strip()
        if re.fullmatch(r"[0-9]{9,14}(\.[0-9]{1,9})?", text):
            return _numeric(float(text))
        found = _TIME.match(text)
        # read as UTC, a time of a zone east of it would seem younger than it is
        if found is None or _OTHER_ZONE.match(text, found.end()):
            return None
        # ignores what else follows the time
        return _moment(found)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _numeric(value)
    return None


def iso_moment(text: str) -> int | None:
    """The Unix time of an ISO 8601 date or time, UTC by default; None for any other text."""
    found = _TIME.fullmatch(text)
    moment = _moment(found) if found else None
    return None if moment is None or moment.at < 0 else math.floor(moment.at)


def expiry_of(text: str) -> float | None:
    """The Unix time at which a waiver or an exclusion expires, infinity for ``never``.

    A date ends at 24:00 UTC. None for a date that does not exist, a time without a zone, and other text.
    """
    if text == NEVER:
        return math.inf
    start = iso_moment(text)
    if start is None:
        return None
    if is_date(text):
        return start + _DAY
    moment = moment_of(text)
    return moment.at if moment and moment.zoned else None


def is_date(text: str) -> bool:
    """Whether a text has the form of a date, without a time."""
    return bool(_DATE.fullmatch(text))


def _numeric(number: float) -> Moment | None:
    # 0 means that the time is not set
    if not 0 < number < _LAST:
        return None
    return Moment(number / 1000 if number >= _MILLISECONDS else number, True)


def _moment(found: re.Match[str]) -> Moment | None:
    year, month, day, hour, minute = (int(found[name] or 0) for name in ("year", "month", "day", "hour", "minute"))
    # a leap second is the first second of the next minute
    seconds = float(f"{found['second'] or 0}.{(found['fraction'] or '.0')[1:]}")
    offset = timedelta(hours=int(found["hours"] or 0), minutes=int(found["minutes"] or 0))
    try:
        zone = timezone(-offset if found["sign"] == "-" else offset)
        at = datetime(year, month, day, hour, minute, tzinfo=zone).timestamp()
    except ValueError:
        return None
    if not 1970 <= year <= 9998 or seconds >= 61 or int(found["minutes"] or 0) > 59:
        return None
    return Moment(at + seconds, bool(found["zone"]))


def seconds_of(text: object, option: str = "max_age") -> int:
    """The seconds in an age: a number, or one with s, m, h, d or w. Raises WrongOption."""
    found = re.fullmatch(r"\s*([0-9]{1,9})\s*([smhdw]?)\s*", str(text).lower())
    if not found:
        raise WrongOption(
            f"{option} is {printable(text, 60)!r}: give seconds, or a number with s, m, h, d or w, as in 90m or 7d."
        )
    return int(found[1]) * _UNITS[found[2] or "s"]


def span(seconds: float) -> str:
    """A duration in words, in the largest unit of which it has two, as in 2 days or 36 hours."""
    for noun, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= 2 * length:
            return counted(int(seconds // length), noun)
    return counted(int(seconds), "second")


def in_days(days: int) -> str:
    """How far away a number of whole days is."""
    return f"in {counted(days, 'day')}" if days else "in less than a day"


def utc_text(at: float) -> str:
    """A Unix time in UTC, as in 2026-11-22T10:00:00Z."""
    return datetime.fromtimestamp(at, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class Since(NamedTuple):
    """A declared ``since``."""

    # Unix time, or None for a duration
    moment: int | None
    # the duration
    seconds: int
    # as declared
    text: str

    def at(self, now: float) -> float:
        """The Unix time that it means at the Unix time ``now``. Raises WrongOption for a time in the future."""
        if self.moment is None:
            return now - self.seconds
        if self.moment > now + TOLERANCE:
            raise WrongOption(
                f"since {printable(self.text, 60)!r} is in the future, so nothing could match: give an earlier time."
            )
        return self.moment


def since_of(text: str | None) -> Since | None:
    """The Since that the option means, or None if it is not set. Raises WrongOption.

    A duration has the form of ``max_age``; a time without an offset is UTC, as in records.
    """
    if text is None:
        return None
    text = str(text).strip()
    moment = iso_moment(text)
    if moment is not None:
        return Since(moment, 0, text)
    try:
        return Since(None, seconds_of(text, "since"), text)
    except WrongOption:
        raise WrongOption(
            f"since is {printable(text, 60)!r}: give a duration, as in 90m or 7d, or a time in ISO 8601, as in"
            " 2026-01-31 or 2026-01-31T12:00:00Z."
        ) from None
