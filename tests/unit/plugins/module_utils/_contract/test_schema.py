# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
import yaml
from ansible_collections.scanops.scanner.plugins.module_utils._contract import openapi
from ansible_collections.scanops.scanner.plugins.module_utils._contract.openapi import (
    LARGEST_FILE,
    Bounded,
    SchemaError,
    parse,
)


def doubling(first, line, times):
    return (first + "".join(line.format(new=number, old=number - 1) for number in range(1, times))).encode()


REFUSED = {
    "aliases that grow": (
        doubling("a: &a0 [x]\n", "b{new}: &a{new} [*a{old}, *a{old}, *a{old}]\n", 40),
        "300000 nodes",
    ),
    "merges that grow": (
        doubling("a: &a0 {x: 1}\n", "b{new}: &a{new}\n  <<: [*a{old}, *a{old}]\n", 60),
        "300000 nodes",
    ),
    "an alias in itself": (b"a: &a [*a]", "no earlier, complete node"),
    "many parts": (b"[" + b"x," * 400000 + b"]", "300000 nodes"),
    # the C reader would crash the process; PyYAML 6.0.4 has a limit of its own
    "deep lists": (b"[" * 300000, "deeper than 200|exceeded maximum nesting depth"),
    "deep mappings": (b"{a: " * 300000, "deeper than 200"),
    "a long number": (b"a: " + b"9" * 1000000, "a number in it is too long"),
    "an object of Python": (b"!!python/object/apply:os.getcwd []", "not valid YAML (line 1"),
    "two documents": (b"a: 1\n---\nb: 2", "not valid YAML (line 2"),
    "an alias of nothing": (b"a: *b", "no earlier, complete node"),
    "a list as a key": (b"{[a]: 1}", "not valid YAML"),
    "a day that is none": (b"a: 2024-99-99", "not valid YAML"),
    "no text": (b"\xff\xfe\xff\xff\x00", "not valid YAML"),
    "control characters": (b"a: \x1b[31m\n", "not valid YAML"),
}


@pytest.mark.parametrize("text, words", REFUSED.values(), ids=list(REFUSED))
def test_invalid_or_excessive_yaml_is_refused(text, words):
    with pytest.raises(SchemaError) as refused:
        parse(text)
    assert [each for each in words.split("|") if each in str(refused.value)], words.split("|")
    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    "text, document",
    [
        (b'{"openapi": "3.0.3"}', {"openapi": "3.0.3"}),
        (b"200: &a {x: [1]}\n201: *a\n", {200: {"x": [1]}, 201: {"x": [1]}}),
        (b"a: &a {x: 1}\nb:\n  <<: *a\n", {"a": {"x": 1}, "b": {"x": 1}}),
        (b"", None),
        (b"<html>", "<html>"),
    ],
)
def test_yaml_and_json_are_read(text, document):
    assert parse(text) == document


def test_a_repeated_answer_replaces_the_first_and_is_bounded():
    sink = Bounded()
    sink.write(b"half")
    sink.restart(None)
    sink.write(b"whole")
    assert bytes(sink.text) == b"whole"
    sink.restart(None)
    sink.write(b"x" * LARGEST_FILE)
    with pytest.raises(SchemaError, match="larger than 4 MiB"):
        sink.write(b"x")


def test_the_reader_without_libyaml_returns_no_half_of_a_character(monkeypatch):
    monkeypatch.setattr(openapi, "SafeLoader", yaml.SafeLoader)
    assert parse(b'{"\\ud83d": "\\ud83d\\ude00 \\udE00"}') == {"\ufffd": "\U0001f600 \ufffd"}
