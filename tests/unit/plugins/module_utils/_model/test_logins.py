# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Logins in long texts, and many logins."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._model import passwords
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import without_logins
from ansible_collections.scanops.scanner.plugins.module_utils._model.passwords import without_passwords

NAMES = [f"https://user{number}:hunter2secret{number}@{number}.example/" for number in range(50)]


# a search whose steps grow with the square of the length does not end on these
@pytest.mark.parametrize("unit", [",a:", "'a:", "//a:", "a:b ", "((", ":"])
def test_a_long_text_with_an_at_sign_is_read_to_its_end(unit):
    login = "https://me:hunter2@a.example/"
    text = f"{login} {unit * 300_000}"
    assert without_logins(text) == f"https://me:***@a.example/ {unit * 300_000}"


@pytest.mark.parametrize(
    "text, shown",
    [
        ("me:pw@a.example", "me:***@a.example"),
        ("'me:p@w@a.example'", "'me:***@a.example'"),
        ("x,me:pw@a", "x,me:***@a"),
        ("//:pw@a", "//:***@a"),
        ("a/b:c@d", "a/b:c@d"),
        ("me:@a", "me:@a"),
        ("at 10:00 someone@a.example", "at 10:00 someone@a.example"),
    ],
)
def test_the_password_of_a_login_is_replaced(text, shown):
    assert without_logins(text) == shown


def test_spellings_are_searched_only_where_a_text_has_a_sign_of_one():
    passwords._spelt.cache_clear()
    document = {"rows": ["nothing %20 &amp; \\u0041 of interest"] * 10, "one": "hunter2%73ecret7"}
    assert without_passwords(document, NAMES) == {**document, "one": "***"}
    assert passwords._spelt.cache_info().misses == 1


@pytest.mark.parametrize(
    "text",
    ["p&amp;s/w%6frd", "p%26s%2Fword", "p%2526s%252fword", "p\\u0026s\\/word", "cCZzL3dvcmQ=", "p&s/word"],
)
def test_each_spelling_of_a_password_is_replaced(text):
    assert without_passwords({"text": f"<{text}>"}, ["https://me:p%26s%2Fword@a.example/"]) == {"text": "<***>"}
