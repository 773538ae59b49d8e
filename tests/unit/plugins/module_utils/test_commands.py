# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""No text of the service is a command of a pipeline in what Ansible prints."""

from __future__ import annotations

import re

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import harmless
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.pipeline_commands import commands
from hypothesis import given, settings
from hypothesis import strategies as st

MARKS = [
    "::error::x",
    "  ::warning file=a,line=1::x",
    "\t::set-output name=a::b",
    "a\n::stop-commands::token",
    "a\r::stop-commands::token",
    "a\r\n   ::add-mask::b",
    "\u00a0::debug::x",
    "\u3000::debug::x",
    ":::debug::x",
    "::::debug::x",
    ":::::debug::x",
    ": ::debug::x",
    "::token-of-somebody::",
    "::DEBUG::x",
    "x" * 75 + "::error::x",
    "a-" * 30 + "::error::x",
    "2001:db8::error::x",
    "::1::error::x",
    "##[error]x",
    "###[error]x",
    "####[group]x",
    "x##[command]y",
    "##vso[task.setvariable variable=X]y",
    "##VSO[task.complete result=Succeeded;]",
    "#####vso[task.complete]",
    "##vso##vso[x]",
    "##teamcity[buildStatus text='x']",
    "##teamcity[##vso[a]",
    "a\n##teamcity[x]",
    "section_start:1560896352:my\r\x1b[0K",
    "section_end:1560896352:my",
    "xsection_start:1:my",
    "\x1b[2K\x1b[1A##[x]",
    "\x1b]0;title\x07",
    "\u202e::error::\u202c",
    "\u2028::error::x",
    "\x85::error::x",
    "\x0b::error::x",
]


@pytest.mark.parametrize("text", MARKS)
def test_no_runner_finds_a_command(text):
    shown = harmless(text)
    assert commands(shown) == []
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028]", shown)
    # again, because several parts of a message pass it
    assert harmless(shown) == shown
    assert commands(f"{shown}{shown}") == []


def test_the_cases_are_commands():
    assert sum(bool(commands(text)) for text in MARKS) > 25


@settings(max_examples=400, deadline=None, database=None)
@given(
    st.lists(
        st.sampled_from(
            ["#", "##", "[", "vso", "::", ":", " ", "\n", "error", "a", "0", "-", "x" * 30, "section_start:", "\r"]
        ),
        max_size=14,
    ).map("".join)
)
def test_no_mixture_of_marks_is_a_command(text):
    assert commands(harmless(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "shop.example.com",
        "https://[2001:db8::1]:8443/a?b=c#d",
        "2001:db8::",
        "::1",
        "[::1]:80",
        "fe80::dead:beef, and 2001:db8::bad",
        "::ffff:192.0.2.1",
        "# heading, ## heading, a[0], C#[1]",
        "12:30:15, a:b, http://x",
        "line\nline\ttab",
        "Ümlaut, 漢字, \U0001f600, a\u00a0b",
    ],
)
def test_other_text_stays_as_it_is(text):
    assert harmless(text) == text


def test_marks_are_broken_at_any_depth_also_in_keys():
    value = {"a": [{"##vso[x]": ("::error::x", 1, None, True)}]}
    assert harmless(value) == {"a": [{"# #vso[x]": [": :error: :x", 1, None, True]}]}
