# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
import yaml
from ansible.errors import AnsibleFilterError
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar
from ansible_collections.scanops.scanner.plugins.filter.estate_yaml import estate_yaml
from hypothesis import given
from hypothesis import strategies as st

# fmt: off
LOOK_ALIKES = [
    "no", "No", "NO", "y", "Y", "n", "on", "Off", "yes", "TRUE", "false", "null", "Null", "~", "nan", ".nan", ".inf",
    "-.inf", "1e3", "1E+3", "1.5", "0x1F", "0o17", "017", "0b11", "1_000", "+1", "-1", "12:30", "1:30:45", "2024-02-30",
    "2024-01-01T00:00:00Z", "2001-12-14 21:59:43", "192.0.2.1", "1.2.3", "!vault", "!unsafe x", "!!str x", "&a", "*a",
    "=", "<<", "- a", "-", "--", "---", "...", "? a", "?", ": a", ":", "a:", "a: b", "a :b", "a #b", "#a", "a\t#b", "@a",
    "`a", "%TAG", "{a: b}", "[a]", "{}", "[]", "a, b", "'a'", '"a"', "it's", "|", ">", "| a", "a|b", "a\\b", "\\n", "",
    " a", "a ", "a  b", "\ta", "a\tb", "a\nb", "a\n", "\n", "a\r\nb", "a\x00b", "a\x07b", "a\x7fb", "a\x85b", "a\xa0b",
    "a\u2028b", "\ufeffa", "a\u202eb", "a\u200bb", "e\u0301", "Überwachung", "Магазин", "店 舗", "🚀 launch",
    "\U0001f469\u200d\U0001f680", "\ufffe", "\U0010ffff", "²", "٣", "$ANSIBLE_VAULT;1.1;AES256",
    "https://shop.example.com/?a=1&b=2#c", "https://[2001:db8::1]:8443/", "2001:db8::1", "::1",
    "{{ 1 + 1 }}", "a {{ b }} c", "{% raw %}", "{# a #}", "{ {", "}}", "{{", "line\nwith {{ x }}",
    "#jinja2: variable_start_string: '[%'\n[% 1 %]", '{{ "quotes" }} \\', "null {{",
    "a" * 300, "word " * 60 + "end", "_a", "a_b", "don't, or do!", "what? (a & b)",
]
# fmt: on

# texts near the border between what is quoted and what is not
near = st.text(alphabet="aZ09eExXo_.:-+ ,;'\"#!?&*{}[]%@~|>=`\\\t\n\rÜß店🚀\u200d\x85\ufeff", max_size=12)
texts = st.one_of(
    st.sampled_from(LOOK_ALIKES),
    near,
    st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=20),
)
estates = st.recursive(
    st.one_of(texts, st.integers(), st.booleans(), st.none()),
    lambda part: st.one_of(st.lists(part, max_size=4), st.dictionaries(texts, part, max_size=4)),
    max_leaves=12,
)


class Loader(yaml.SafeLoader):
    """YAML as PyYAML reads it, where a text with the tag !unsafe is that text."""


class CLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """The same with libyaml, if it is installed."""


for each in (Loader, CLoader):
    each.add_constructor("!unsafe", lambda loader, node: node.value)


def assert_reads_back(data):
    # a plain text, as it comes from a file
    text = str.encode(estate_yaml(data)).decode()
    for loader in (Loader, CLoader):
        assert yaml.load(text, loader) == data
    loaded = DataLoader().load(text)
    assert loaded == data
    # nothing in it is a template
    assert Templar(loader=DataLoader(), variables={"a": "templated", "b": "templated"}).template(loaded) == data


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_look_alike_reads_back(text):
    assert_reads_back({"workspaces": [{"name": text, "targets": [text, {"name": text}]}], "alone": text})


@given(estates)
def test_any_data_reads_back(data):
    assert_reads_back(data)


@pytest.mark.parametrize("text", ["1e3", "0o17", "no", "y", "192.0.2.1", "2024-01-01", "12:30"])
def test_a_string_that_another_version_of_yaml_reads_otherwise_is_quoted(text):
    assert estate_yaml({"name": text}) == f'---\nname: "{text}"\n'


@pytest.mark.parametrize(
    "text", ["https://shop.example.com:8443/a?b=c", "Web shop, production", "Магазин", "10.example", "e3"]
)
def test_plain_text_stays_readable(text):
    assert estate_yaml({"name": text}) == f"---\nname: {text}\n"


def test_layout():
    estate = [
        {"name": "A", "targets": [{"name": "x.example", "description": "{{ no }}"}, "y.example"], "http_loggers": []}
    ]
    assert estate_yaml({"estate_apply_workspaces": estate}) == (
        "---\n"
        "estate_apply_workspaces:\n"
        "  - name: A\n"
        "    targets:\n"
        "      - name: x.example\n"
        '        description: !unsafe "{{ no }}"\n'
        "      - y.example\n"
        "    http_loggers: []\n"
    )


def test_invisible_characters_are_escapes():
    text = estate_yaml(["a\u202eb\u200b\x1b[0m\U000e0001"])
    assert text == '---\n- "a\\u202Eb\\u200B\\x1B[0m\\U000E0001"\n'


@pytest.mark.cases("data, message")
def test_data_that_no_estate_contains_is_reported(data, message):
    with pytest.raises(AnsibleFilterError) as caught:
        estate_yaml(data)
    assert message in str(caught.value)


def test_half_of_a_surrogate_pair_is_reported():
    with pytest.raises(AnsibleFilterError, match=r"name contains half of a surrogate pair \(U\+D800\)"):
        estate_yaml({"name": "a\ud800"})


@pytest.mark.parametrize("key", ["k" * 1025, "\u200b" * 200], ids=["long", "long when written"])
def test_a_key_that_no_reader_accepts_is_an_error(key):
    with pytest.raises(AnsibleFilterError, match=r"estate_yaml: estate contains a key of more than 1024 characters"):
        estate_yaml({"estate": {key: "a"}})


def test_the_longest_key_is_read_back():
    assert_reads_back({"k" * 1024: "a"})
