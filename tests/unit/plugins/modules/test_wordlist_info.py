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
