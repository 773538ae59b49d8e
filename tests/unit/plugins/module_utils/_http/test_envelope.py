# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an answer holds beside the rows of a list is read in the forms that common web frameworks use."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._http.listing import Reading, beside
from ansible_collections.scanops.scanner.plugins.module_utils._model.families import WORKSPACE


def progress(values, rows=100, headers=None):
    """The Reading after one page of this many rows."""
    seen = Reading(WORKSPACE)
    seen.note(rows, rows, beside(values, headers or {}))
    return seen


@pytest.mark.cases("values")
def test_a_total_above_the_rows_means_that_some_are_missing(values):
    seen = progress(values)
    assert (seen.total, seen.more, seen.is_over()) == (250, True, False)
    assert not progress(values, 250).more


@pytest.mark.cases("values, query")
def test_a_next_page_is_asked_for_as_the_answer_says(values, query):
    seen = progress(values)
    assert seen.more
    assert seen.next_place() == query


@pytest.mark.parametrize(
    "headers, query",
    [
        ({"X-Total-Count": "250"}, {"page": 1}),
        ({"Link": '<https://a.example/x?page=9>; rel="last", <https://a.example/x?page=5>; rel="next"'}, {"page": "5"}),
    ],
    ids=str,
)  # fmt: skip
def test_headers_count_as_well(headers, query):
    seen = progress({}, headers=headers)
    assert seen.more
    assert seen.next_place() == query


@pytest.mark.cases("values")
def test_what_says_nothing_of_more_rows_ends_the_list(values):
    assert not progress(values).more


@pytest.mark.parametrize(
    "link",
    [
        "/x?page=\x1b[31m",
        "/x?target_id=7",
        "/x?page=" + "9" * 501,
        "http://[broken?page=3",
        "/x?name=\u202e",
        "\u00b2",
        "\u0663",
        "7" * 5000,
    ],
)
def test_a_link_gives_only_places_in_the_list_in_plain_text(link):
    assert progress({"next": link}).next_place() == {"page": 1}
