# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Dates and durations: what cannot be read is no date, and no form of a past date is read as one in the future."""

from __future__ import annotations

import os
import time
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime

from ansible_collections.scanops.scanner.plugins.module_utils._http.retry import (
    asked_wait,
    moment,
    number_in,
    rate_limit_pause,
)
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import WrongOption
from ansible_collections.scanops.scanner.plugins.module_utils._model.times import (
    Clock,
    expiry_of,
    iso_moment,
    moment_of,
    seconds_of,
    since_of,
)
from ansible_collections.scanops.scanner.tests.fuzz.properties import prop
from ansible_collections.scanops.scanner.tests.fuzz.strategies import scalars, texts
from hypothesis import strategies as st

NOW = 1795341600
DAY = 86400

past = st.datetimes(datetime(1990, 1, 1), datetime(2026, 11, 20), timezones=st.just(timezone.utc)).map(
    lambda at: at.replace(microsecond=0)
)
zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))

# how programs write a time
FORMS = {
    "iso": lambda at: at.isoformat(),
    "blank": lambda at: at.isoformat(sep=" "),
    "short zone": lambda at: at.strftime("%Y-%m-%dT%H:%M:%S%z"),
    "utc": lambda at: at.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
    "fraction": lambda at: at.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.123456789Z"),
    "plain": lambda at: at.astimezone(timezone.utc).strftime("%Y-%m-%d %H:%M:%S"),
    "named": lambda at: at.astimezone(timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC"),
    "unix": lambda at: int(at.timestamp()),
    "unix text": lambda at: str(int(at.timestamp())),
    "unix ms": lambda at: int(at.timestamp()) * 1000,
    "unix ms text": lambda at: f"{int(at.timestamp()) * 1000}",
    "unix float": lambda at: at.timestamp() + 0.25,
}
# forms that are not read: any of them may be no date, but none is one in the future
OTHER_FORMS = {
    "compact": lambda at: at.astimezone(timezone.utc).strftime("%Y%m%d%H%M%S"),
    "compact minutes": lambda at: at.astimezone(timezone.utc).strftime("%Y%m%d%H%M"),
    "compact number": lambda at: int(at.astimezone(timezone.utc).strftime("%Y%m%d%H%M%S")),
    "compact ms": lambda at: at.astimezone(timezone.utc).strftime("%Y%m%d%H%M%S123"),
    "basic": lambda at: at.astimezone(timezone.utc).strftime("%Y%m%dT%H%M%SZ"),
    "day first": lambda at: at.strftime("%d-%m-%Y %H:%M:%S"),
    "american": lambda at: at.strftime("%m/%d/%Y %I:%M %p"),
    "date only": lambda at: at.strftime("%Y-%m-%d"),
    "week": lambda at: at.strftime("%G-W%V-%u"),
    "ordinal": lambda at: at.strftime("%Y-%j"),
    "us": lambda at: int(at.timestamp()) * 10**6,
    "ns": lambda at: int(at.timestamp()) * 10**9,
    "us text": lambda at: str(int(at.timestamp()) * 10**6),
    "http": lambda at: format_datetime(at.astimezone(timezone.utc), usegmt=True),
    "java": lambda at: at.strftime("%a %b %d %H:%M:%S UTC %Y"),
    "excel": lambda at: (at.replace(tzinfo=None) - datetime(1899, 12, 30)).total_seconds() / DAY,
    "filetime": lambda at: int((at.timestamp() + 11644473600) * 10**7),
}


@prop(at=past, zone=zones, form=st.sampled_from(sorted(FORMS)))
def test_a_time_is_read_in_each_form_that_services_write(at, zone, form):
    read = moment_of(FORMS[form](at.astimezone(zone)))
    assert read is not None and abs(read.at - at.timestamp()) < 1


@prop(
    at=past,
    zone=zones,
    form=st.sampled_from(sorted(OTHER_FORMS)),
    after=st.sampled_from(["", " ", "Z", ".5", " PM", "x"]),
)
def test_no_form_of_a_past_time_is_read_as_one_in_the_future(at, zone, form, after):
    value = OTHER_FORMS[form](at.astimezone(zone))
    for each in (value, f"{value}{after}"):
        read = moment_of(each)
        # a date without a time is at most a day and a zone early or late
        assert read is None or read.at <= at.timestamp() + 2 * DAY


@prop(value=st.one_of(scalars, texts, st.from_regex(r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}[ T]?[0-9:+Z.-]{0,20}\Z")))
def test_each_value_is_a_time_or_none(value):
    read = moment_of(value)
    assert read is None or (0 <= Clock(NOW).age_of(read) <= NOW and read.at < 10**12)
    if isinstance(value, str):
        assert iso_moment(value) is None or iso_moment(value) >= 0
        expiry = expiry_of(value)
        assert expiry is None or expiry >= 0


@prop(text=st.one_of(texts, st.from_regex(r"\A *[0-9]{1,12} *[smhdwMy]? *\Z")))
def test_each_duration_is_read_or_refused(text):
    for read in (lambda: seconds_of(text), lambda: since_of(text).at(NOW)):
        try:
            assert read() <= max(NOW + 300, 10**9 * 604800)
        except WrongOption as error:
            assert str(error).isprintable() and str(error).endswith(".")


http_dates = st.sampled_from(
    [
        "%a, %d %b %Y %H:%M:%S GMT",
        "%A, %d-%b-%y %H:%M:%S GMT",
        "%a %b %e %H:%M:%S %Y",
        "%a, %d %b %Y %H:%M:%S -0000",
        "%d %b %Y %H:%M:%S +0000",
    ]
)


@prop(at=past, form=http_dates, zone=st.sampled_from(["UTC", "Asia/Tokyo", "America/New_York", "Asia/Kathmandu"]))
def test_an_http_date_is_the_same_in_each_zone(at, form, zone):
    before = os.environ.get("TZ")
    os.environ["TZ"] = zone
    time.tzset()
    try:
        assert moment(at.strftime(form)) == at.timestamp()
    finally:
        os.environ.pop("TZ")
        if before is not None:
            os.environ["TZ"] = before
        time.tzset()


headers = st.dictionaries(
    st.sampled_from(["Date", "Retry-After", "X-RateLimit-Reset", "Content-Length"]),
    st.one_of(
        texts,
        st.integers().map(str),
        st.from_regex(r"\A[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} .{0,5}\Z"),
    ),
)


@prop(given=headers, jitter=st.floats(0, 1), attempt=st.integers(1, 100))
def test_each_wait_that_a_service_asks_for_is_a_number_or_none(given, jitter, attempt):
    wait = asked_wait(given, NOW)
    assert wait is None or 0 <= wait < 10**13
    assert rate_limit_pause(wait, attempt, jitter) >= 0
    for value in given.values():
        assert number_in(value) is None or number_in(value) >= 0
