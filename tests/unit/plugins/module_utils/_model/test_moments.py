# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._model.times import (
    Clock,
    Moment,
    iso_moment,
    moment_of,
    span,
)
from hypothesis import given
from hypothesis import strategies as st

# 2024-05-17 08:30:00 UTC
NOW = 1715934600


@pytest.mark.cases("value, at, zoned")
def test_times_in_records(value, at, zoned):
    assert moment_of(value) == Moment(at, zoned)


@pytest.mark.parametrize(
    "value",
    [
        "yesterday",
        "",
        "2024-13-01 00:00:00",
        "2024-00-01 00:00:00",
        "2023-02-29 00:00:00",
        "0000-01-01 00:00:00",
        "9999-12-31 23:59:59",
        "2024-05-17T10:30:00+24:00",
        "20240517",
        # read as UTC, a time east of it would seem younger
        "2024-05-17 10:30:00 CEST",
        "2024-05-17 10:30:00 EET and more",
        "2024-05-17 10:30:00 Europe/Helsinki",
        "2024-05-17 10:30:00 UTC+2",
        "2024-05-17T10:30:00+2",
        "2024-05-17 08:30:00 PM",
        "20240517083000",
        20240517083000,
        "20240517083000.5",
        "\u0662\u0660\u0662\u0664-05-17 08:30:00",
        None,
        True,
        0,
        -1,
        0.0,
        1e30,
        float("inf"),
        float("nan"),
        [],
        {},
    ],
)
def test_values_that_are_not_times(value):
    assert moment_of(value) is None


@given(
    st.one_of(st.text(), st.integers(), st.floats(), st.from_regex(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9:+Z.-]{0,16}"))
)
def test_nothing_in_a_record_makes_reading_it_fail(value):
    moment = moment_of(value)
    assert moment is None or Clock(NOW).age_of(moment) >= 0
    if isinstance(value, str):
        assert iso_moment(value) is None or iso_moment(value) >= 0


def test_an_end_in_the_future_is_no_time():
    assert Clock(NOW).is_past(Moment(NOW - 5, True))
    # clocks differ
    assert Clock(NOW).is_past(Moment(NOW + 3599, True))
    assert not Clock(NOW).is_past(Moment(NOW + 3600, True))
    assert Clock(NOW, 7200).is_past(Moment(NOW + 7200, False))
    assert not Clock(NOW, 7200).is_past(Moment(NOW + 7200, True))


def test_an_age_goes_by_the_zone_of_the_records_only_where_a_time_names_none():
    assert Clock(NOW, 7200).age_of(Moment(NOW, False)) == 7200
    assert Clock(NOW, 7200).age_of(Moment(NOW, True)) == 0
    assert Clock(NOW).age_of(Moment(NOW + 5, True)) == 0


@pytest.mark.cases("seconds, text")
def test_a_duration_has_a_unit_that_people_read(seconds, text):
    assert span(seconds) == text
