# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from uuid import UUID

import pytest
from ansible_collections.scanops.scanner.plugins.plugin_utils._events import (
    Cursor,
    Owner,
    account_of,
    event,
    event_id,
    pause,
    plain,
    read_state,
)
from hypothesis import given
from hypothesis import strategies as st
from jinja2.nativetypes import NativeEnvironment

OWNER = Owner(["scan", "https://scanner.example.com/api/v2"], {"tools": [170]})


# --- the cursor


class Run:
    """A source that is killed: it goes on with the cursor that was kept last."""

    def __init__(self, first: dict, skip: bool = False):
        self.cursor = Cursor.first(first, skip)
        self.passed: list[int] = []

    def read(self, ended: dict, dies_after: int | None = None, keeps_last: bool = True):
        cursor = self.cursor.began(ended)
        for count, each in enumerate(cursor.due(ended), 1):
            self.passed.append(each)
            if count == dies_after and not keeps_last:
                return
            cursor = cursor.after(each)
            self.cursor = cursor
            if count == dies_after:
                return
        self.cursor = cursor.over(ended)


def test_a_first_run_passes_all_that_has_ended_on_or_only_what_is_new():
    before = {1: True, 2: True, 5: False}
    after = {1: True, 2: True, 5: True, 6: True}
    for skip, passed in ((False, [1, 2, 5, 6]), (True, [5, 6])):
        run = Run(before, skip)
        run.read(after)
        assert run.passed == passed
        run.read(after)
        assert run.passed == passed


def test_what_has_not_ended_is_passed_on_when_it_has():
    run = Run({})
    run.read({1: False, 2: True})
    run.read({1: False, 2: True})
    run.read({1: True, 2: True})
    assert run.passed == [2, 1]


def test_an_id_that_appears_after_a_higher_one_is_passed_on():
    run = Run({})
    run.read({10: True, 12: True})
    # another workspace was read before 11 was created in it
    run.read({10: True, 11: True, 12: True})
    run.read({10: True, 11: True, 12: True})
    assert run.passed == [10, 12, 11]


def test_a_scan_that_is_missing_in_one_list_is_still_open():
    run = Run({})
    run.read({1: False})
    run.read({2: True})
    run.read({1: True, 2: True})
    assert run.passed == [2, 1]


def test_a_workspace_that_is_added_later_brings_only_scans_that_end_later():
    run = Run({7: True}, skip=True)
    run.read({7: True})
    run.read({3: True, 4: False, 7: True})
    run.read({3: True, 4: True, 7: True})
    assert run.passed == [4]


# the rows appear one after the other, some too late, and end at some time
HISTORIES = st.lists(
    st.tuples(
        st.dictionaries(st.integers(1, 60), st.booleans(), max_size=8),
        st.one_of(st.none(), st.integers(1, 5)),
        st.booleans(),
    ),
    max_size=12,
)


@given(HISTORIES)
def test_nothing_is_lost_and_only_what_a_kill_interrupted_is_repeated(history):
    rows: dict[int, bool] = {}
    run, repeats = Run({}), 0
    for step, (changes, dies_after, keeps_last) in enumerate(history):
        for each, ended in changes.items():
            # a new id may be lower than those of the last read, and not than those of the read before
            number = each + step * 30
            rows[number] = ended or rows.get(number, False)
        before = len(run.passed)
        run.read(dict(rows), dies_after, keeps_last)
        if dies_after is not None and not keeps_last and len(run.passed) - before == dies_after:
            repeats += 1
    rows = dict.fromkeys(rows, True)
    run.read(rows)
    run.read(rows)
    assert set(run.passed) == set(rows)
    assert len(run.passed) - len(rows) <= repeats
    assert run.cursor.due(rows) == []
    # the file does not grow
    assert run.cursor == Cursor(max(rows, default=0), max(rows, default=0))


@given(HISTORIES)
def test_a_cursor_is_read_as_it_was_written(history):
    run = Run({})
    for rows, dies_after, keeps_last in history:
        run.read(rows, dies_after, keeps_last)
        assert read_state(run.cursor.text(OWNER, "scan"), OWNER) == ("scan", run.cursor)


STATE = json.loads(Cursor(3, 4, frozenset({4}), frozenset({2})).text(OWNER, "scan"))


@pytest.mark.parametrize("text", [
    "", "{", "[" * 100_000, "[]", "null", "7", '"text"', "{}",
    # a file without a selection has none
    *(json.dumps({key: value for key, value in STATE.items() if key != each}) for each in STATE if each != "selection"),
    *(json.dumps({**STATE, key: wrong}) for key in ("high", "seen") for wrong in (None, "3", -1, 1.5, True, [3])),
    *(json.dumps({**STATE, key: wrong}) for key in ("passed", "open") for wrong in (None, 3, ["3"], [None], [True])),
])  # fmt: skip
def test_a_broken_state_is_refused(text):
    with pytest.raises(ValueError, match="it is not the state of an event source"):
        read_state(text, OWNER)


def test_the_state_of_another_source_is_refused():
    with pytest.raises(ValueError, match=r'belongs to another source, \["scan", "https'):
        read_state(json.dumps(STATE), OWNER._replace(name=["http_logger", OWNER.name[1], "canary", None]))


@pytest.mark.parametrize("selection", [{}, {"tools": [70]}, {"tools": [70, 170]}, {"tools": [170], "workspaces": []}])
def test_the_state_of_another_selection_is_refused(selection):
    with pytest.raises(ValueError, match="belongs to a source that selects"):
        read_state(json.dumps(STATE), OWNER._replace(selection=selection))


# --- events


def test_an_event_has_the_same_id_whenever_it_is_passed_on():
    account = account_of("https://scanner.example.com/api/v2", "key")
    assert event_id(account, "scan", 7) == event_id(account, "scan", 7)
    assert UUID(event_id(account, "scan", 7)).version == 5


def test_another_account_another_source_and_another_object_have_other_ids():
    accounts = [
        account_of(url, key) for url in ("https://a.example/api/v2", "https://b.example/api/v2") for key in "xy"
    ]
    sources = ("scan", "http_logger/1", "http_logger/11")
    ids = {event_id(account, source, each) for account in accounts for source in sources for each in (1, 11, 111)}
    assert len(ids) == 4 * 3 * 3


def test_an_event_leaves_the_name_of_its_source_to_the_engine():
    """The engine finds the queue for an acknowledgement by this name."""
    assert event("scan", "u", {"id": 1}) == {"type": "scan", "scan": {"id": 1}, "meta": {"uuid": "u"}}


@pytest.mark.parametrize("text, expected", [
    ("{{ 6 * 7 }}", "{ { 6 * 7 }}"),
    ("{{{x}}}", "{ { {x}}}"),
    ("a{%b%}c{#d#}", "a{ %b%}c{ #d#}"),
    ("#jinja2: variable_start_string:'[['", "# jinja2: variable_start_string:'[['"),
    ("# jinja", "# jinja"),
    ('{"a": {"b": 1}}', '{"a": {"b": 1}}'),
    ("100 % {", "100 % { "),
    ("100 %", "100 %"),
    ('{"a": "b\\n", "c": [{"d": "\\u00e9"}]}', '{"a": "b\\n", "c": [{"d": "\\u00e9"}]}'),
    ("/a#b", "/a#b"),
])  # fmt: skip
def test_no_text_of_the_service_is_a_template(text, expected):
    assert plain(text) == expected
    assert plain({text: [text, {"x": (text, 1, None, True)}]}) == {
        expected: [expected, {"x": [expected, 1, None, True]}]
    }


@given(st.text(alphabet="{%#}j a\n", max_size=20))
def test_a_plain_text_has_no_beginning_of_a_template(text):
    assert [mark for mark in ("{{", "{%", "{#") if mark in plain(text)] == []
    assert plain(text).replace(" ", "") == text.replace(" ", "")


# what attackers write, each text in a field of its own; ansible-rulebook reads the text of a literal of Python as its value
LITERALS = [
    ["'{' '{ 6 * 7 }}'"],
    ["['{'\"{ 6 * 7 }}\"]"],
    ["'{' # x\n '{ 6 * 7 }}'"],
    ["{'a': '{'  r'% if x %}'}"],
    ["'\\x7b\\x7b 6 * 7 }}'"],
    ["'\\173{ 6 * 7 }}'"],
    ["'\\u007b\\U0000007b 6 * 7 }}'"],
    ["'\\N{LEFT CURLY BRACKET}{ 6 * 7 }}'"],
    ["'{\\\n{ 6 * 7 }}'"],
    ["'{\\u0025 if x %}'"],
    ["'#jinja2:variable_start_string: \"[[\"\\n[[ 6 * 7 ]]'"],
    ["'#'  'jinja2:variable_start_string: \"[[\"\\n[[ 6 * 7 ]]'"],
    ["'\\x23\\x6ainja2:variable_start_string: \"[[\"\\n[[ 6 * 7 ]]'"],
    ["'#\\u006ainja2:variable_start_string: \"[[\"\\n[[ 6 * 7 ]]'"],
    ["'{", "{ 6 * 7 }}'"],
    ["'{'", "'{ 6 * 7 }}'"],
    ["'\\", "x7b{ 6 * 7 }}'"],
    ["'\\u00", "7b{ 6 * 7 }}'"],
    ["'#", 'jinja2:variable_start_string: "[["\\n[[ 6 * 7 ]]\''],
]


def templates_in(value):
    """The texts of a value that ansible-core evaluates."""
    if isinstance(value, str):
        begins = value.startswith("#jinja2:") or any(mark in value for mark in ("{{", "{%", "{#"))
        return [value] if begins else []
    if isinstance(value, dict):
        value = [*value, *value.values()]
    return [text for part in value for text in templates_in(part)] if isinstance(value, (list, tuple, set)) else []


def rendered(texts, between):
    """What ansible-rulebook makes of a variable for a playbook that joins texts of an event."""
    fields = {f"x{number}": text for number, text in enumerate(texts)}
    template = between.join(f"{{{{ event.request.{name} }}}}" for name in fields)
    return NativeEnvironment().from_string(template).render(event=event("request", "u", fields))


@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("texts", LITERALS)
def test_no_literal_of_python_is_a_template_after_ansible_rulebook_has_read_it(texts):
    assert templates_in(rendered(texts, "")) == []


PIECES = st.lists(
    st.sampled_from(
        [*"{{{''\"\\\\ \n%#ru[],:x", "x7b", "7b", "u007b", "u00", "N{LEFT CURLY BRACKET}", "173", "#jinja2:", "jinja2:"]
    ),
    max_size=7,
).map("".join)


@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
@given(st.lists(PIECES, min_size=1, max_size=3), st.sampled_from(["", " ", "'", ", "]))
def test_no_text_becomes_a_template_in_ansible_rulebook(texts, between):
    quoted = [f"'{texts[0]}", *texts[1:-1], f"{texts[-1]}'"] if len(texts) > 1 else [f"'{texts[0]}'"]
    assert templates_in(rendered(quoted, between)) == []
    assert templates_in(rendered(texts, between)) == []


# --- pauses


def test_a_pause_is_bounded_and_never_shorter_than_the_interval():
    assert [pause(10, 0, jitter) for jitter in (0, 1)] == [10, 10]
    assert pause(10, 1, 1) == 10
    assert [pause(0.1, failures, 1) for failures in (1, 2, 3, 1000)] == [1, 2, 4, 30]
    assert pause(60, 1000, 1) == 60
