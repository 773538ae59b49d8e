# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Texts as services store them."""

from __future__ import annotations

import html
import json
from urllib.parse import quote

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._model.texts import may_be_stored_form, same

TEXT = 'Für <b>Anna\'s</b> & "Åsa" \u65e5\u672c,\n50 % \\ done \U0001f600'


@pytest.mark.cases("left, right")
def test_what_is_the_same(left, right):
    for one, other in ((left, right), (right, left)):
        assert same(one, other)


@pytest.mark.parametrize(
    "left, right", [("a", "A"), ("a b", "a  b"), ("\ufb01", "fi"), ("a", None), ("7", 7), ("", None)]
)
def test_what_is_not_the_same(left, right):
    for one, other in ((left, right), (right, left)):
        assert not same(one, other)


STORED = {
    "cut": TEXT[:9],
    "cut with dots": TEXT[:9] + "...",
    "cut with an ellipsis": TEXT[:12] + "\u2026",
    "html": html.escape(TEXT),
    "html without quotes": html.escape(TEXT, quote=False),
    "html twice": html.escape(html.escape(TEXT)),
    "html, then cut in an entity": html.escape(TEXT)[:6],
    "numeric entities": "".join(f"&#{ord(each)};" for each in TEXT),
    "numeric entities beyond ASCII": TEXT.encode("ascii", "xmlcharrefreplace").decode(),
    "percent": quote(TEXT),
    "percent, cut": quote(TEXT)[:8],
    "JSON": json.dumps(TEXT)[1:-1],
    "Python": TEXT.encode("unicode_escape").decode(),
    "question marks": TEXT.encode("ascii", "replace").decode(),
    "only ASCII": TEXT.encode("ascii", "ignore").decode(),
    "latin-1": TEXT.encode().decode("latin-1"),
    "up to the emoji": TEXT.partition("\U0001f600")[0],
    "without tags": 'Für Anna\'s & "Åsa" \u65e5\u672c,\n50 % \\ done \U0001f600',
    "one line": " ".join(TEXT.split()),
    "upper case": TEXT.upper(),
    "lower case": TEXT.lower(),
    "without quotes": TEXT.replace("'", "").replace('"', ""),
    "doubled backslashes": TEXT.replace("\\", "\\\\").replace("'", "\\'"),
    "only question marks": "??? ??",
    "dropped": "",
    "the default text of version 1": "Added from API.",
    "with a word before": f"[API] {TEXT}",
    "with words behind": f"{TEXT} (imported on 2026-11-27)",
    "the middle left out": f"{TEXT[:12]}\u2026{TEXT[-9:]}",
    "the beginning left out": TEXT[9:],
    "wrapped": "\n".join(TEXT),
    "transliterated": 'Fuer <b>Anna\'s</b> & "AAsa" Ri Ben, 50 % \\ done',
    "escaped, with words behind": f"{html.escape(TEXT)} (imported)",
}


@pytest.mark.parametrize("form", STORED)
def test_a_form_in_which_a_service_may_store_a_text(form):
    assert may_be_stored_form(STORED[form], TEXT)


@pytest.mark.parametrize(
    "live, declared",
    [
        ("Production", "Staging"),
        ("Staging", "Production"),
        ("Web shop", "Till"),
        ("Owner: Bert", "Owner: Anna"),
        ("\u65e5\u672c", "\u4e2d\u56fd"),
        ("old", "of new owner"),
    ],
)
def test_another_text_is_no_stored_form(live, declared):
    assert not may_be_stored_form(live, declared)


@pytest.mark.parametrize(
    "live, declared",
    [
        ("", "Staging"),
        ("Staging", ""),
        ("-", "Staging"),
        ("Web shop", "Shop"),
        ("Shengchan", "\u751f\u4ea7"),
        ("\u65e5\u672c".encode().decode("latin-1"), "\u65e5\u672c"),
        ("\u20ac \u65e5".encode().decode("cp1252"), "\u20ac \u65e5"),
    ],
)
def test_a_text_that_may_be_a_stored_form_of_a_short_one(live, declared):
    assert may_be_stored_form(live, declared)


def test_a_text_that_was_sent_escaped_may_be_stored_unescaped():
    assert may_be_stored_form("a & b", "a &amp; b")


def test_a_long_text_is_judged_quickly():
    assert may_be_stored_form("&amp;" * 20000 + "a", "&" * 20000 + "ab")
