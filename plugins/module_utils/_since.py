# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The option ``since``: a duration before now, or an ISO 8601 time. Pure."""

from __future__ import annotations

import calendar
import re
from typing import NamedTuple

from ._errors import ConfigurationError, printable
from ._scanning import seconds_of

_TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)"
    r"(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?"
    r"(?:(?P<utc>[Zz])|(?P<sign>[+-])(?P<hours>\d\d):?(?P<minutes>\d\d)?)?)?"
)
# how far the clocks of two machines may differ
_TOLERANCE = 300


class Since(NamedTuple):
    """A declared ``since``. moment: Unix time, or None for a duration; seconds: the duration, or None; text: as declared."""

    moment: int | None
    seconds: int | None
    text: str

    def at(self, now):
        """The Unix time that it means when the present is ``now``. Raises ConfigurationError for a time in the future,
        which nothing could pass."""
        if self.moment is None:
            return now - self.seconds
        if self.moment > now + _TOLERANCE:
            raise ConfigurationError(
                f"since {printable(self.text, 60)!r} is in the future, so nothing could pass it: give an earlier time."
            )
        return self.moment


def since_of(text):
    """The Since that the option means, or None where it is not given. Raises ConfigurationError.

    A duration is read as ``max_age`` is; a time without an offset is UTC, as times in records are.
    """
    if text is None:
        return None
    text = str(text).strip()
    moment = _moment_of(text)
    if moment is not None:
        return Since(moment, None, text)
    try:
        return Since(None, seconds_of(text, "since"), text)
    except ConfigurationError:
        raise ConfigurationError(
            f"since is {printable(text, 60)!r}: give a duration, as in 90m or 7d, or a time in ISO 8601, as in"
            " 2026-01-31 or 2026-01-31T12:00:00Z."
        ) from None


def _moment_of(text):
    """The Unix time of an ISO 8601 time, or None where it is none."""
    found = _TIME.fullmatch(text)
    if not found:
        return None
    parts = [int(digits or 0) for digits in found.groups()[:6]]
    moment = calendar.timegm((*parts, 0, 0, 0)) if _exists(*parts) else None
    if moment is None or not found["sign"]:
        return moment
    hours, minutes = int(found["hours"]), int(found["minutes"] or 0)
    if hours > 23 or minutes > 59:
        return None
    offset = hours * 3600 + minutes * 60
    return moment + offset if found["sign"] == "-" else moment - offset


def _exists(year, month, day, hour, minute, second):
    """Whether there is such a day and time; calendar.timegm would carry over, or fail."""
    if year < 1970 or not 1 <= month <= 12 or hour > 23 or minute > 59 or second > 60:
        return False
    return 1 <= day <= calendar.monthrange(year, month)[1]
