# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest


def found(result):
    assert not result.failed, result.msg
    return [row["id"] for row in result["wordlists"]]


def test_all_wordlists_are_returned_without_their_words(service, run):
    result = run("wordlist_info")
    assert found(result) == [1600, 1601, 1602, 1700]
    assert [row for row in result["wordlists"] if "words" in row] == []
    assert service.calls() == ["GET /wordlists"]


@pytest.mark.parametrize("reference", [{"name": "Our hosts"}, {"id": 1700}])
@pytest.mark.parametrize("form", ["json_string", "text", "wrapped"])
def test_a_wordlist_is_returned_with_its_words_on_request(service, run, reference, form):
    service.settings(contents=form)
    assert run("wordlist_info", contents=True, **reference)["wordlists"] == [
        {
            "id": 1700,
            "name": "Our hosts",
            "description": "made by a user",
            "num_words": 4,
            "predefined": False,
            "words": ["alpha", "beta", "gamma", "über"],
        }
    ]


@pytest.mark.parametrize("form", ["json_string", "text", "wrapped"])
@pytest.mark.parametrize(
    "words, expected",
    [
        ([], []),
        (["one"], ["one"]),
        (["one", ""], ["one"]),
        (["one", "", "two"], ["one", "", "two"]),
        (["one\r", "two\r"], ["one", "two"]),
        (["☕", " with space "], ["☕", " with space "]),
    ],
)
def test_words_are_the_lines_of_the_contents(service, run, form, words, expected):
    service.settings(contents=form)
    service.add(wordlists=[{"id": 1800, "name": "Lines", "words": words}])
    assert run("wordlist_info", id=1800, contents=True)["wordlists"][0]["words"] == expected


def test_a_list_of_words_is_read_as_well(service, run):
    service.fault(path=r"/wordlists/1700/contents", action="wrong_type", data=["a", "b"])
    assert run("wordlist_info", id=1700, contents=True)["wordlists"][0]["words"] == ["a", "b"]


def test_all_contents_cost_one_call_for_each_list(service, run):
    result = run("wordlist_info", contents=True)
    assert len(service.calls()) == 5
    assert result["wordlists"][0]["words"] == ["www", "mail", "api", "dev", "vpn"]


@pytest.mark.parametrize(
    "settings, read",
    [({}, 4), ({"json_type": "text/plain; charset=utf-8"}, 1), ({"contents": "text"}, 4)],
    ids=str,
)
def test_contents_that_are_misread_show_in_their_number(service, run, settings, read):
    """A JSON text that is sent as plain text is one line."""
    service.settings(**settings)
    result = run("wordlist_info", id=1700, contents=True)
    assert len(result["wordlists"][0]["words"]) == read
    assert result.warnings == (
        []
        if read == 4
        else [
            "Wordlist 'Our hosts' (id 1700) has 4 words by its num_words, but 1 in its contents: some may be missing, or read"
            " in a wrong way. Compare with the web application."
        ]
    )
