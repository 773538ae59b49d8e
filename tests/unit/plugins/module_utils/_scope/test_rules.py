# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a scope is declared: wrong declarations, what messages say, what happens where a library is missing or differs."""

from __future__ import annotations

from urllib.parse import SplitResult

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.scanops.scanner.plugins.module_utils._model import target_names as _names
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import WrongOption
from ansible_collections.scanops.scanner.plugins.module_utils._scope.option import SCOPE_OPTION
from ansible_collections.scanops.scanner.plugins.module_utils._scope.rules import combine, compile_scope


@pytest.mark.cases("mapping, words")
def test_wrong_declaration_is_named(mapping, words):
    with pytest.raises(WrongOption) as caught:
        compile_scope(mapping)
    sentence = str(caught.value)
    assert words in sentence
    assert sentence.startswith("scope")
    assert sentence.endswith(".")


def test_source_names_the_mapping():
    with pytest.raises(WrongOption, match=r"^machine\.deny\[1\]"):
        compile_scope({"deny": ["a.example", "b example"]}, "machine")
    assert compile_scope({"allow": []}, "machine").verdict("a.example") == "a.example is not in machine.allow"


@pytest.mark.cases("mapping")
def test_every_form_is_read(mapping):
    compile_scope(mapping)


def test_reason_hides_user_info_and_query():
    reason = compile_scope({"allow": []}).verdict("https://user:secret@a.example:8443/x?token=secret#secret")
    assert reason == "https://a.example:8443/x is not in scope.allow"


def test_reason_has_no_control_characters():
    scope = compile_scope({"allow": []})
    for name in ("a\x1b[31m.example", "https://a.example/\u202e", "\ud800"):
        assert scope.verdict(name).isprintable()


@pytest.mark.parametrize(
    "name, reason",
    [
        ("10.0.0.5", "10.0.0.5 is a private address and scope.private is false"),
        ("https://[::1]/", "::1 is a loopback address and scope.private is false"),
        ("www.evil.example", "www.evil.example is refused by scope.deny[0] (evil.example)"),
        ("https://a.example/", "https://a.example/ includes https://a.example/x, which scope.deny[1] refuses"),
        (
            "2002:a00:5::1",
            "[2002:a00:5::1] leads to 10.0.0.5, and 10.0.0.5 is a private address and scope.private is false",
        ),
    ],
)
def test_reason_is_a_clause(name, reason):
    assert compile_scope({"deny": ["evil.example", "https://a.example/x"]}).verdict(name) == reason


def test_option_gives_what_compile_scope_takes():
    validator = ArgumentSpecValidator({"scope": SCOPE_OPTION})
    assert validator.validate({}).validated_parameters["scope"] is None
    empty = validator.validate({"scope": {}}).validated_parameters["scope"]
    assert compile_scope(empty).verdict("10.0.0.5") is not None
    assert compile_scope(empty).verdict("a.example") is None
    one = validator.validate({"scope": {"allow": "a.example,10.0.0.0/8", "private": "yes"}}).validated_parameters[
        "scope"
    ]
    assert compile_scope(one).verdict("10.0.0.5") is None
    assert compile_scope(one).verdict("b.example") is not None
    assert validator.validate({"scope": {"alow": []}}).error_messages


def test_combine_keeps_its_parts_unchanged():
    machine, task = compile_scope({"deny": ["evil.example"]}), compile_scope({"allow": ["evil.example"]})
    assert combine(machine, task).verdict("evil.example") is not None
    assert task.verdict("evil.example") is None
    assert machine.verdict("good.example") is None


def test_international_names_need_the_idna_package(monkeypatch):
    scope = compile_scope({"allow": ["example"]})
    monkeypatch.setattr(_names, "idna", None)
    assert scope.verdict("www.a.example") is None
    for name in ("bücher.example", "xn--bcher-kva.example", "ａ.example"):
        assert "international name" in scope.verdict(name)


def test_another_reading_of_the_standard_library_is_a_refusal(monkeypatch):
    scope = compile_scope({"allow": ["good.example"]})
    name = "https://good.example/"
    assert scope.verdict(name) is None
    for parts in (
        SplitResult("https", "evil.example", "/", "", ""),
        SplitResult("http", "good.example", "/", "", ""),
        SplitResult("https", "good.example:81", "/", "", ""),
        SplitResult("https", "x@good.example", "/", "", ""),
        SplitResult("https", "good.example", "", "", ""),
    ):
        monkeypatch.setattr(_names, "urlsplit", lambda text, parts=parts: parts)
        assert "read differently" in scope.verdict(name)


def test_names_that_are_the_same_target_get_the_same_verdict():
    scope = compile_scope({"allow": ["bücher.example:443", "10.0.0.5"]})
    for names in (("https://BÜCHER.example:443/", "https://xn--bcher-kva.example."), ("10.0.0.5", "10.0.0.5.")):
        assert len({_names.normal_form(name) for name in names}) == 1
        assert {scope.verdict(name) for name in names} == {None}


def test_a_lookup_does_not_scan_the_lists():
    scope = compile_scope(
        {
            "allow": [f"d{number}.example" for number in range(5000)] + ["198.0.0.0/8", "https://u.example/0"],
            "deny": [f"x.d{number}.example" for number in range(5000)]
            + [f"198.{number // 250}.{number % 250}.0/24" for number in range(5000)]
            + [f"https://u.example/{number}" for number in range(1, 5000)],
        }
    )
    looked_at = 0
    layer = scope._layers[0]
    for entries in (layer.allow, layer.deny):
        for name in ("www.d4999.example", "198.200.1.1"):
            looked_at += len(list(entries.at(_names.read_name(name))))
    assert looked_at == 2
    assert scope.verdict("www.d4999.example") is None
    assert scope.verdict("www.x.d4999.example") is not None
    assert scope.verdict("198.200.1.1") is None
    assert scope.verdict("198.19.1.1") is not None
    assert scope.verdict("https://u.example/0/x") is None
    assert scope.verdict("https://u.example/4999/x") is not None
