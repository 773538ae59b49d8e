# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The clocks by which tasks count the ages of scans. A difference that could make an old scan seem recent is a warning."""

from __future__ import annotations

import time
from collections.abc import Iterable
from email.utils import mktime_tz, parsedate_tz

from .._http.client import Client
from .._model.records import Record
from .._model.times import Clock, Since, span
from .scans import is_in_progress, last_moment_of

# time zones differ by multiples of this, in seconds
_ZONE_STEP = 900
# and no zone is farther ahead of UTC
_FARTHEST_ZONE = 14 * 3600
# the most seconds by which two clocks that are right differ
_MOST = 300


def latest_clock(client: Client, scans: Iterable[Record]) -> Clock:
    """The later of the service's clock and this host's, by which no scan is more recent than it may be: where the zone of the
    records is ahead of UTC, they are read as those of the farthest one."""
    clock, local = _clocks(client, scans)
    return Clock(max(clock.now, local), _FARTHEST_ZONE if clock.ahead else 0)


def old_scans(client: Client, since: Since, scans: Iterable[Record]) -> frozenset[int]:
    """The ids of the scans that ended before ``since``, by the service's clock and in any zone that the records may have."""
    clock, _local = _clocks(client, scans)
    longest = clock.now - since.at(clock.now)
    ends = {scan["id"]: last_moment_of(scan) for scan in scans if not is_in_progress(scan)}
    return frozenset(scan_id for scan_id, end in ends.items() if end is not None and clock.age_of(end) > longest)


def _clocks(client: Client, scans: Iterable[Record]) -> tuple[Clock, float]:
    """The clock of the service, by the last answer, and the time of this host when it came. Warns if they differ."""
    last = client.transport.last
    local = (last.moments[1] if last else 0) or time.time()
    clock = service_now(last.headers.get("Date") if last else None, scans, local)
    if abs(clock.now - local) > _MOST:
        client.warn(difference(clock.now - local))
    if clock.ahead:
        client.warn(
            "The newest time of a scan is in the future, so times without a time zone are not UTC, but of an unknown zone ahead"
            " of it. A scan counts as recent only if it is so in the zone that is farthest ahead, by 14 hours; since also"
            " returns what may be too old."
        )
    return clock, local


def service_now(date: str | None, rows: Iterable[Record], local: float) -> Clock:
    """The clock of the service.

    date: its Date header; rows: scans; local: the Unix time of this machine, used without a Date header.
    Times without a zone are read as UTC. If the newest of them is in the future, the records use a zone that is ahead of
    UTC, by at least the smallest such offset.
    """
    parsed = parsedate_tz(date) if date else None
    now = local if parsed is None else mktime_tz(parsed)
    moments = [moment for moment in map(last_moment_of, rows) if moment and not moment.zoned]
    ahead = max([moment.at - now for moment in moments if moment.at - now <= _FARTHEST_ZONE], default=0)
    return Clock(now, -(-ahead // _ZONE_STEP) * _ZONE_STEP if ahead > _MOST else 0)


def difference(seconds: float) -> str:
    """The warning about a clock of the service that is so many seconds ahead of this host's."""
    # to the minute: a date is cut to its second, and an answer takes time
    return (
        f"The date of the service's answer is {span(60 * round(abs(seconds) / 60))}"
        f" {'ahead of' if seconds > 0 else 'behind'} the clock of this host. A scan counts as recent only if it is so by both:"
        " set the clock of this host, or find out whether a proxy repeats old answers."
    )
