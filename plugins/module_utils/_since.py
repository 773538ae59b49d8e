# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The option ``since``: a duration before now, or an ISO 8601 time. Pure."""

from __future__ import annotations

from typing import NamedTuple

from ._errors import WrongOption, printable
from ._moments import iso_moment, seconds_of

# how many seconds the clocks of two machines may differ
_TOLERANCE = 300


class Since(NamedTuple):
    """A declared ``since``. moment: Unix time, or None for a duration; seconds: the duration; text: as declared."""

    moment: int | None
    seconds: int
    text: str

    def at(self, now: float) -> float:
        """The Unix time that it means at the Unix time ``now``. Raises WrongOption for a time in the future."""
        if self.moment is None:
            return now - self.seconds
        if self.moment > now + _TOLERANCE:
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
