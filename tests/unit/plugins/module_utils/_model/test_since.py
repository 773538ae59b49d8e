# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import WrongOption
from ansible_collections.scanops.scanner.plugins.module_utils._model.times import since_of
from hypothesis import given
from hypothesis import strategies as st

# 2024-05-17 08:30:00 UTC
NOW = 1715934600


@pytest.mark.parametrize(
    "text, seconds", [("0", 0), ("3600", 3600), (90, 90), ("90m", 5400), ("12h", 43200), (" 7D ", 604800)]
)
def test_a_duration_counts_back_from_now(text, seconds):
    assert since_of(text).at(NOW) == NOW - seconds


@pytest.mark.cases("text, moment")
def test_a_time_is_read_with_its_offset_and_without_one_as_utc(text, moment):
    assert since_of(text).at(NOW) == moment


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "7 days",
        "-1d",
        "2024-13-01",
        "2023-02-29",
        "2024-05-00",
        "2024-05-17T24:00:00",
        "2024-05-17T10:60",
        "2024-05-17T10:30:00+24:00",
        "2024-05-17T",
        "1969-12-31",
        "17.05.2024",
        "\u0662\u0660\u0662\u0664-05-17x",
        "2024-05-17\x1b[31m",
    ],
)
def test_any_other_text_is_refused_with_both_forms(text):
    with pytest.raises(WrongOption, match=r"since is .*7d, or a time in ISO 8601, as in 2026-01-31") as error:
        since_of(text)
    assert "\x1b" not in str(error.value)


def test_a_time_in_the_future_is_refused_because_nothing_could_match():
    assert since_of("2024-05-17T08:34:00Z").at(NOW) == NOW + 240
    with pytest.raises(WrongOption, match="since '2024-05-17T08:36:00Z' is in the future"):
        since_of("2024-05-17T08:36:00Z").at(NOW)


def test_an_unset_option_is_none():
    assert since_of(None) is None


@given(
    st.datetimes(datetime(1970, 1, 2), datetime(2100, 1, 1)),
    st.integers(-23 * 60, 23 * 60),
    st.sampled_from("T "),
    st.booleans(),
)
def test_every_time_that_python_writes_is_read_as_python_reads_it(naive, offset, separator, zoned):
    moment = naive.replace(tzinfo=timezone(timedelta(minutes=offset)) if zoned else timezone.utc, microsecond=0)
    text = (moment if zoned else moment.replace(tzinfo=None)).isoformat(separator)
    assert since_of(text).moment == moment.timestamp()
