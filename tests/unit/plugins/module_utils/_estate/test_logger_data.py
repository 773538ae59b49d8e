# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import ipaddress
from datetime import datetime

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._estate.logger_data import (
    Filters,
    by_id,
    decoded,
    selected,
)
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import Refused
from hypothesis import given
from hypothesis import strategies as st

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=20)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=5,
)
FIELDS = ("request_body_base64", "request_method", "url_params", "http_headers", "ip_address", "request_date")
NETWORK = ipaddress.ip_network("192.0.2.0/24")
NOON = datetime(2026, 1, 31, 12)


@given(st.text())
def test_a_body_that_is_text_is_decoded(text):
    entry = {"id": 1, "request_body_base64": base64.b64encode(text.encode("utf-8", "replace")).decode()}
    assert decoded(entry) == {**entry, "body": text.encode("utf-8", "replace").decode()}


@pytest.mark.cases("body, expected")
def test_a_body_that_is_not_text_is_null(body, expected):
    assert decoded({"request_body_base64": body})["body"] == expected


@given(st.dictionaries(st.sampled_from(FIELDS), JSON))
def test_nothing_in_an_entry_makes_reading_it_fail(entry):
    assert set(decoded(entry)) == {*entry, "body"}
    for filters in ({}, {"method": "GET"}, {"source": NETWORK}, {"since": NOON}):
        assert selected(entry, Filters(**filters)) in (True, False, None)
    assert selected(entry, Filters())


@pytest.mark.parametrize(
    "value, passes", [("POST", True), ("post", True), ("GET", False), ("", None), (None, None), (7, False)]
)
def test_the_method_is_compared_whatever_its_case(value, passes):
    assert selected({"request_method": value}, Filters(method="Post")) is passes


@pytest.mark.parametrize(
    "value, passes",
    [
        ("192.0.2.7", True),
        ("192.0.3.7", False),
        ("::1", False),
        (int(NETWORK[7]), None),
        ("192.0.2.7:443", None),
        ("", None),
        (None, None),
        ([], None),
    ],
)
def test_the_source_is_a_network(value, passes):
    assert selected({"ip_address": value}, Filters(source=NETWORK)) is passes


@pytest.mark.cases("value, passes")
def test_the_moment_is_compared_in_each_form_of_a_time(value, passes):
    assert selected({"request_date": value}, Filters(since=NOON)) is passes


@given(st.dictionaries(st.sampled_from(FIELDS), JSON))
def test_more_filters_never_let_more_pass(entry):
    wanted = {"method": "GET", "path": "a*", "header": "X", "source": NETWORK, "since": NOON}
    each = [selected(entry, Filters(**{name: value})) for name, value in wanted.items()]
    assert selected(entry, Filters(**wanted)) is (False if False in each else None if None in each else True)


@pytest.mark.cases("value, passes")
def test_the_path_is_a_glob_pattern(value, passes):
    assert selected({"url_params": value}, Filters(path="id=17*")) is passes


@pytest.mark.cases("headers, pattern, passes")
def test_a_header_has_a_name_and_a_glob_pattern(headers, pattern, passes):
    assert selected({"http_headers": headers}, Filters(header=pattern)) is passes


def test_entries_by_their_ids():
    assert by_id([{"id": 7}, {"id": "3"}]) == {7: {"id": 7}, 3: {"id": "3"}}


@pytest.mark.parametrize("number", [None, 0, -1, True, 1.5, "x", [1]])
def test_an_entry_without_an_id_is_refused(number):
    with pytest.raises(Refused, match="no valid id"):
        by_id([{"id": 1}, {"id": number}])
