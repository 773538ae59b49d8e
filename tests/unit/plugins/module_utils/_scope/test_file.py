# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The machine's scope file: what is wrong with it is an error, never "no scope"."""

from __future__ import annotations

import os
import sys

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import WrongOption
from ansible_collections.scanops.scanner.plugins.module_utils._scope.file import (
    VARIABLE,
    read_scope_file,
    scope_in_force,
)


@pytest.fixture
def write(tmp_path):
    def write(content):
        path = tmp_path / "scope.yml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write


@pytest.fixture
def no_yaml(monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)


GOOD = """---
# who may be scanned from here
allow:
  - allowed.example
  - "*.wild.example"
  - 10.1.0.0/16
  - allowed.example:8443
deny: [old.allowed.example]
private: no
"""

# each list has the one before it twice, so that as a text this would have 2**60 items
LAUGHS = "deny: [[&a0 [x], " + ", ".join(f"&a{n + 1} [*a{n}, *a{n}]" for n in range(60)) + "]]\n"

WRONG = [
    ("", "is not a mapping"),
    ("---\n", "is not a mapping"),
    ("# nothing\n", "is not a mapping"),
    ("null\n", "is not a mapping"),
    ("- allowed.example\n", "is not a mapping"),
    ("allowed.example\n", "is not a mapping"),
    ("alow: [allowed.example]\n", "SCANNER_SCOPE_FILE has an unknown key 'alow'"),
    ("scope: {deny: [evil.example]}\n", "SCANNER_SCOPE_FILE has an unknown key 'scope'"),
    ("[deny]: [evil.example]\n", "SCANNER_SCOPE_FILE has an unknown key"),
    ("allow:\n", "has no value for the key allow"),
    ("deny:\n# - evil.example\n", "has no value for the key deny"),
    ("private:\n", "has no value for the key private"),
    ("private: 'true'\n", "SCANNER_SCOPE_FILE.private is neither true nor false"),
    ("deny: evil.example\n", "SCANNER_SCOPE_FILE.deny is not a list"),
    ("deny: [evil.example, 10:30]\n", "SCANNER_SCOPE_FILE.deny[1], '630', is not usable"),
    ("deny: [[2001:db8::1]]\n", "SCANNER_SCOPE_FILE.deny[0]"),
    ("deny:\n  - [::1]\n", "entries that begin with * or [ in quotes"),
    ("deny: [10.0.0.5/8]\n", "has host bits set"),
    ("deny: [*.evil.example]\n", "line 1: "),
    ("deny:\n  - a\n deny: b\n", "is not valid YAML (line 3: "),
    ("deny: [a.example]\ndeny: [b.example]\n", "has a key twice"),
    ("base: &base {deny: [a.example]}\n<<: *base\n", "is not valid YAML"),
    ("deny: []\n---\nallow: []\n", "is not valid YAML"),
    ("deny: !!python/object/apply:os.getcwd []\n", "is not valid YAML"),
    ("deny: [!!int '']\n", "is not valid YAML"),
    ("deny: [2001-99-99]\n", "is not valid YAML"),
    ("deny: ['\x07']\n", "is not valid YAML"),
    ("deny: !!timestamp soon\n", "is not valid YAML"),
    ("deny: [" + ":".join(["1"] * 200) + ".5]\n", "is not valid YAML"),
    (LAUGHS, "SCANNER_SCOPE_FILE.deny[0], a list, is not usable"),
    (LAUGHS.replace("deny: [", "? [").replace("]]\n", "]]\n: 1\n"), "SCANNER_SCOPE_FILE has an unknown key"),
    ("deny: " + "[" * 5_000, "is not valid YAML"),
    (b"deny: ['\xff']\n", "is not encoded in UTF-8"),
]


def sentence_of(path):
    with pytest.raises(WrongOption) as caught:
        read_scope_file(path)
    sentence = str(caught.value)
    assert sentence.endswith(".")
    assert sentence.isprintable()
    return sentence


def test_reads_yaml(write):
    scope = read_scope_file(write(GOOD))
    assert scope.verdict("www.allowed.example") is None
    assert scope.verdict("old.allowed.example") == (
        "old.allowed.example is refused by SCANNER_SCOPE_FILE.deny[0] (old.allowed.example)"
    )
    assert scope.verdict("evil.example") == "evil.example is not in SCANNER_SCOPE_FILE.allow"
    assert scope.verdict("10.1.2.3") is None


def test_reads_yaml_with_a_byte_order_mark(write):
    assert read_scope_file(write(b"\xef\xbb\xbfdeny: [evil.example]\n")).verdict("evil.example") is not None


def test_an_empty_mapping_is_a_scope(write):
    scope = read_scope_file(write("{}\n"))
    assert scope.verdict("good.example") is None
    assert scope.verdict("10.0.0.5") is not None


@pytest.mark.parametrize("content, words", WRONG, ids=[ascii(content)[:40] for content, words in WRONG])
def test_wrong_content_is_an_error(write, content, words):
    assert words in sentence_of(write(content))


def test_reads_json_without_pyyaml(write, no_yaml):
    scope = read_scope_file(write('{"deny": ["evil.example"], "private": true}'))
    assert scope.verdict("evil.example") is not None
    assert scope.verdict("10.0.0.5") is None


@pytest.mark.cases("content, words")
def test_wrong_json_is_an_error_without_pyyaml(write, no_yaml, content, words):
    assert words in sentence_of(write(content))


@pytest.mark.parametrize(
    "path, words",
    [
        ("", "is not an absolute path"),
        ("scope.yml", "is not an absolute path"),
        ("~/scope.yml", "is not an absolute path"),
        ("/nonexistent/scope.yml", "does not exist"),
        ("/nonexistent/\x00", "cannot be read"),
    ],
)
def test_wrong_path_is_an_error(path, words):
    assert words in sentence_of(path)


def test_unreadable_file_is_an_error(tmp_path):
    assert "is a directory: add the name of the file" in sentence_of(str(tmp_path))


def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "scope.yml")
    assert "is not a regular file" in sentence_of(str(tmp_path / "scope.yml"))


def test_file_overrides_the_task(write):
    environ = {VARIABLE: write("allow: [allowed.example, 10.1.0.0/16]\ndeny: [old.allowed.example]\n")}
    scope = scope_in_force({"allow": ["*", "10.0.0.0/8"], "deny": None, "private": True}, environ)
    assert scope.verdict("www.allowed.example") is None
    assert scope.verdict("10.1.0.1") is None
    assert "SCANNER_SCOPE_FILE.allow" in scope.verdict("evil.example")
    assert "SCANNER_SCOPE_FILE.allow" in scope.verdict("10.2.0.1")
    assert "SCANNER_SCOPE_FILE.deny[0]" in scope.verdict("old.allowed.example")
    narrowed = scope_in_force({"allow": ["www.allowed.example"]}, environ)
    assert narrowed.verdict("shop.allowed.example") == "shop.allowed.example is not in scope.allow"


def test_file_alone_task_alone_and_neither(write):
    environ = {VARIABLE: write("deny: [evil.example]\n")}
    assert scope_in_force(None, environ).verdict("evil.example") is not None
    assert scope_in_force({"deny": ["evil.example"]}, {}).verdict("evil.example") is not None
    assert scope_in_force(None, {}).verdict("evil.example") is None


def test_wrong_file_is_an_error_also_without_the_option():
    with pytest.raises(
        WrongOption, match=r"SCANNER_SCOPE_FILE '/nonexistent/scope\.yml' does not exist: correct the path"
    ):
        scope_in_force(None, {VARIABLE: "/nonexistent/scope.yml"})
    with pytest.raises(WrongOption, match="is not an absolute path"):
        scope_in_force(None, {VARIABLE: ""})
