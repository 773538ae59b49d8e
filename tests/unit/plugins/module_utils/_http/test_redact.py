# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The key is redacted in whatever form, and JSON is read only where it is unambiguous."""

from __future__ import annotations

import base64
import json
import tracemalloc
from urllib.parse import quote

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._http.answer import Answer
from ansible_collections.scanops.scanner.plugins.module_utils._http.redact import MASK, SHORTEST_KEY, Redactor, Watch
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import AnswerError
from ansible_collections.scanops.scanner.plugins.module_utils._model.strict_json import (
    DEEPEST,
    JSON,
    json_text,
    read_json,
    why_not_json,
    without_halves,
)
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.counted_text import CountedText, comparisons
from hypothesis import given
from hypothesis import strategies as st

KEY = "k3y+of/Nobody=0x9"
REDACTOR = Redactor(KEY)

# what a key may consist of, see _options
KEYS = st.text(
    st.characters(min_codepoint=0x21, max_codepoint=0x7E, blacklist_characters="*"), min_size=SHORTEST_KEY, max_size=40
)
AROUND = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=12)


def in_percent(text):
    return "".join(f"%{ord(character):02x}" for character in text)


def escaped(text):
    return "".join(f"\\u{ord(character):04X}" for character in text)


# how a service may write a key: a function of the key and of what is beside it
FORMS = {
    "as it is": lambda key, before, after: before + key + after,
    "upper case": lambda key, before, after: before + key.upper() + after,
    "percent-encoded": lambda key, before, after: before + quote(key, safe="") + after,
    "each character percent-encoded": lambda key, before, after: before + in_percent(key) + after,
    "percent-encoded twice": lambda key, before, after: before + quote(quote(key, safe=""), safe="") + after,
    "base64": lambda key, before, after: base64.b64encode((before + key + after).encode()).decode(),
    "base64 for URLs": lambda key, before, after: base64.urlsafe_b64encode((before + key + after).encode()).decode(),
    "base64 without its end": lambda key, before, after: (
        base64.b64encode((before + key + after).encode()).decode().rstrip("=")
    ),
    "base64, percent-encoded": lambda key, before, after: quote(
        base64.b64encode((before + key + after).encode()), safe=""
    ),
    "escaped in JSON": lambda key, before, after: before + escaped(key) + after,
}


@pytest.mark.parametrize("form", FORMS)
# a percent sign before the key could be the beginning of a code of its own
@given(key=KEYS, before=AROUND.map(lambda text: text.replace("%", "")), after=AROUND)
def test_no_form_of_the_key_passes(form, key, before, after):
    redactor = Redactor(key)
    text = FORMS[form](key, before, after)
    assert redactor.shows(text.encode())
    for clean in (redactor.text(text), redactor.data(text.encode()).decode()):
        assert MASK in clean
        assert not redactor.shows(clean.encode())


@pytest.mark.parametrize("form", FORMS)
def test_exactly_the_key_is_masked(form):
    for before in ("", "a", "ab", "abc", "Bearer ", "someone:"):
        clean = REDACTOR.text(FORMS[form](KEY, before, "-end"))
        assert clean != FORMS[form](KEY, before, "-end")
        if "base64" not in form:
            assert clean == f"{before}{MASK}-end"
        else:
            # what is beside the key stays, but for the characters that hold bits of both
            kept, own = clean.replace(MASK, ""), FORMS[form](KEY, before, "-end")
            assert len(kept) <= len(own) - len(KEY)
            assert own.startswith(clean.partition(MASK)[0])
            assert own.endswith(clean.rpartition(MASK)[2])


@given(st.text(max_size=200), KEYS)
def test_other_text_passes_as_it_is(text, key):
    redactor = Redactor(key)
    if not redactor.shows(text.encode("utf-8", "surrogatepass")):
        assert redactor.text(text) == text
    assert Redactor().text(text) == text


def test_what_is_like_the_key_passes():
    for text in (KEY[:-1], KEY.replace("+", "-"), KEY[1:], base64.b64encode(KEY[:-3].encode()).decode(), "100%"):
        assert REDACTOR.text(text) == text


def test_a_short_key_is_a_word_that_only_messages_lose():
    redactor = Redactor("example")
    assert redactor.text("no key example here") == f"no key {MASK} here"
    assert redactor.value(["www.example.com"]) == ["www.example.com"]
    assert redactor.data(b"www.example.com") == b"www.example.com"
    answer = Answer("GET", "/x", 200, {}, b'{"data": "www.example.com"}', redactor=redactor)
    assert answer.json() == {"data": "www.example.com"}


@given(st.sampled_from(sorted(FORMS)), st.integers(1, 40), st.integers(0, 60))
def test_a_key_that_arrives_in_pieces_is_seen(form, size, before):
    body = b"x" * before + FORMS[form](KEY, "", "").encode() + b"y" * 50
    watch = Watch(REDACTOR)
    for place in range(0, len(body), size):
        watch.feed(body[place : place + size])
    assert watch.seen


# --- an answer


def answer(body, **headers):
    return Answer(
        "GET", "/targets", 200, headers, body if isinstance(body, bytes) else body.encode(), redactor=REDACTOR
    )


@pytest.mark.parametrize("form", FORMS)
def test_no_text_of_an_answer_holds_the_key(form):
    said = FORMS[form](KEY, "", "")
    value = {"name": said, "rows": [{"description": f"a {said} b"}, [said]], said: {"id": 7, "on": True, "x": None}}
    body = json.dumps({"data": value})
    if form == "escaped in JSON":
        body = body.replace("\\\\u", "\\u")
    one = answer(body, **{"Content-Type": f"text/{said}", "Server": said, "Date": "today"})
    found = one.json()["data"]
    assert found["name"] == MASK
    assert list(found) == ["name", "rows", MASK]
    assert found["rows"] == [{"description": f"a {MASK} b"}, [MASK]]
    assert found[MASK] == {"id": 7, "on": True, "x": None}
    assert one.headers == {"Content-Type": f"text/{MASK}", "Server": MASK, "Date": "today"}
    for shown in (one.text(), one.body.decode(), str(one.unexpected("data")), one.content_type):
        assert not REDACTOR.shows(shown.encode())


def test_an_answer_without_the_key_is_passed_on_untouched():
    body = b'{"data": ["a", "\\u0041", "%41", 1.5]}'
    assert answer(body).json() == {"data": ["a", "A", "%41", 1.5]}
    assert answer(body).body is body


def test_a_key_that_is_repeated_in_json_that_is_none_is_not_shown():
    twice = json.dumps(KEY)
    with pytest.raises(AnswerError) as caught:
        answer(f'{{"a": 1, {twice}: 1, {twice}: 2}}').json()
    assert "occurs twice" in str(caught.value)
    assert KEY not in str(caught.value)


# --- JSON


@pytest.mark.parametrize(
    "body, why",
    [
        (b'{"id": NaN}', "NaN is not a JSON number"),
        (b"[Infinity]", "Infinity is not a JSON number"),
        (b"[-Infinity]", "-Infinity is not a JSON number"),
        (b"[1e999]", "a number is too large"),
        (b"[-1e999]", "a number is too large"),
        (b'{"id": 1, "id": 2}', "the key 'id' occurs twice in one object"),
        (b'{"data": [{"id": 1, "name": "a", "\\u0069d": 2}]}', "the key 'id' occurs twice in one object"),
        (b'{"\\u202e": 1, "\\u202e": 2}', r"the key '\u202e' occurs twice in one object"),
        (b"[" * 100000, f"it is nested deeper than {DEEPEST} levels"),
        (b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1), f"it is nested deeper than {DEEPEST} levels"),
        (b'{"a":' * (DEEPEST + 1) + b"1" + b"}" * (DEEPEST + 1), f"it is nested deeper than {DEEPEST} levels"),
        (b"", None),
        (b"{", None),
        (b'{"a": 1} x', None),
        (b'["\xff"]', None),
        ('["é"]'.encode("utf-16"), None),
    ],
    ids=lambda value: str(value)[:30],
)
def test_json_that_is_ambiguous_or_too_deep_is_refused(body, why):
    with pytest.raises((ValueError, RecursionError)) as caught:
        read_json(json_text(body))
    assert why_not_json(caught.value) == (f" ({why})" if why else "")
    with pytest.raises(AnswerError, match="with a body that is not JSON"):
        answer(body).json()


@pytest.mark.parametrize(
    "body, value",
    [
        (b"[" * DEEPEST + b"]" * DEEPEST, None),
        (b"\xef\xbb\xbf[1]", [1]),
        ('["é", 1.5e3, -0]'.encode(), ["é", 1500.0, 0]),
        (b'{"a": {"id": 1}, "b": {"id": 1}}', {"a": {"id": 1}, "b": {"id": 1}}),
        (b'"text"', "text"),
        ('"\\\\\u00e9 \\\\\\\\\U0001f600"'.encode(), "\\\u00e9 \\\\\U0001f600"),
    ],
)
def test_json_that_is_json_is_read(body, value):
    assert value is None or read_json(json_text(body)) == value
    read_json(json_text(body))


@pytest.mark.parametrize("character", ["\u00e9", "\u4e2d", "\U0001f600"])
def test_one_character_does_not_multiply_the_memory_of_an_answer(character):
    """Python keeps a text with an emoji in 4 bytes for each character."""

    def peak(text):
        value = [text, *["x" * 1000] * 1000]
        body = json.dumps(value, ensure_ascii=False).encode()
        tracemalloc.start()
        try:
            assert read_json(json_text(body)) == value
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(character) < 1.1 * peak("x")


@given(st.text(st.characters(codec="utf-8"), max_size=20))
def test_escapes_and_characters_are_read_alike(text):
    for ascii_only in (True, False):
        assert read_json(json_text(json.dumps({text: text}, ensure_ascii=ascii_only).encode())) == {text: text}


def test_finding_a_repeated_key_costs_no_more_than_reading_the_object():
    pairs = [(CountedText(f"key {number}"), number) for number in (*range(1000), 999)]
    assert comparisons(JSON.object_pairs_hook, pairs) < 10_000


HALVES = {
    '"\\ud83d"': "\ufffd",
    '"a\\uDE00b"': "a\ufffdb",
    '"\\ud83d\\ud83d\\ude00"': "\ufffd\U0001f600",
    '"\\ude00\\ud83d"': "\ufffd\ufffd",
    '"\\\\ud83d"': "\\ud83d",
    '[{"a\\ud800": [{"b": "\\ud800\\u0041"}], "c": 1}]': [{"a\ufffd": [{"b": "\ufffdA"}], "c": 1}],
    '"\\ud83d\\ude00 \U0001f600"': "\U0001f600 \U0001f600",
}


@pytest.mark.parametrize("body", HALVES)
def test_half_of_a_surrogate_pair_is_replaced(body):
    assert read_json(json_text(body.encode())) == HALVES[body]
    assert JSON.raw_decode(f" {body},", 1)[0] == HALVES[body]


KEYS = {
    '{"__ansible_type": 1, "a": [{"__ansible_unsafe": {"__ansible_vault": "__ansible_type"}}]}': {
        "___ansible_type": 1,
        "a": [{"___ansible_unsafe": {"___ansible_vault": "__ansible_type"}}],
    },
    '[{"\\u005f_ansible_typ\\u0065": 1}]': [{"___ansible_type": 1}],
    '{"ansible_host": 1, "__": 2, "_ansible_": 3, "__ansible": 4}': {
        "ansible_host": 1,
        "__": 2,
        "_ansible_": 3,
        "__ansible": 4,
    },
}


@pytest.mark.parametrize("body", KEYS)
def test_a_key_that_ansible_core_reads_as_a_value_is_broken(body):
    assert read_json(json_text(body.encode())) == KEYS[body]
    assert JSON.raw_decode(f" {body},", 1)[0] == KEYS[body]


def test_keys_that_only_differ_in_halves_of_characters_are_refused():
    with pytest.raises(ValueError, match="occurs twice"):
        read_json('{"\\ud800": 1, "\\ud801": 2}')


@given(st.text(st.characters(), max_size=20))
def test_what_was_read_can_be_written(text):
    read = without_halves({text: [text]})
    json.dumps(read, ensure_ascii=False).encode()
    assert read == {text: [text]} or any(0xD800 <= ord(character) <= 0xDFFF for character in text)
