# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Who owns which target."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.owners import NOBODY, Owner, read_owners
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import WrongOption

FILE = """\
version: 1
owners:
  - targets: ["*.example.com"]
    team: Web
  - targets:
      - shop.example.com
      - "*.shop.example.com"
    team: Checkout
    contact: checkout@example.com
    channel: "#checkout"
"""
WEB, CHECKOUT = Owner("Web"), Owner("Checkout", "checkout@example.com", "#checkout")


@pytest.mark.parametrize(
    ("target", "owner"),
    [
        ("www.example.com", WEB),
        ("shop.example.com", CHECKOUT),
        ("SHOP.example.com.", CHECKOUT),
        ("api.shop.example.com", CHECKOUT),
        ("example.org", NOBODY),
        ("", NOBODY),
    ],
)
def test_the_last_entry_that_matches_a_target_wins(target, owner):
    assert read_owners(FILE, "o.yml").of(target) == owner


def test_the_order_of_the_file_decides_and_not_the_length_of_a_pattern():
    text = 'version: 1\nowners:\n- {targets: [a.example], team: A}\n- {targets: ["*"], team: All}\n'
    assert read_owners(text, "o.yml").of("a.example") == Owner("All")


@pytest.mark.parametrize("target", ["[2001:db8::1]", "http://[2001:DB8::1]:8080/", "*.example"])
def test_a_target_matches_its_own_name_whatever_it_looks_like_as_a_pattern(target):
    owners = read_owners(f"version: 1\nowners:\n- targets: ['{target}']\n  team: A\n", "o.yml")
    assert owners.of(target) == Owner("A")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("    team: Web\n", "", "o.yml:3: owners[0].team is missing: name the team that answers for the targets."),
        ("team: Web", "team: ''", "o.yml:4: owners[0].team is not a text of 1 to 200 characters on one line: write one,"),
        ("team: Web", "team:", "o.yml:4: owners[0].team is not a text of 1 to 200 characters on one line: write one,"),
        ("team: Web", "team: [a]", "o.yml:4: owners[0].team is not a text of 1 to 200 characters on one line: write one,"),
        ("team: Web", 'team: "a\\nb"', "o.yml:4: owners[0].team is not a text of 1 to 200 characters on one line:"),
        ("team: Web", f"team: {'x' * 201}", "o.yml:4: owners[0].team is not a text of 1 to 200 characters on one line:"),
        ("team: Web", "teem: Web", "o.yml:4: teem is an unknown key: the closest one is team."),
        ("    team: Web\n", "    team: Web\n    team: X\n", "o.yml:5: team occurs twice in one mapping: remove one of them."),
        ('["*.example.com"]', "a", "o.yml:3: owners[0].targets is not a list of patterns: write one,"),
        ('["*.example.com"]', "[]", "o.yml:3: owners[0].targets is not a list of patterns: write one,"),
        ('["*.example.com"]', "[{a: b}]", "o.yml:3: owners[0].targets[0] is not a text of 1 to 2,000 characters"),
        ('["*.example.com"]', "['']", "o.yml:3: owners[0].targets[0] is not a text of 1 to 2,000 characters"),
        ("owners:", "owner:", "o.yml:2: owner is an unknown key: the closest one is owners."),
        ("version: 1", "version: 2", "o.yml:1: version is 2: write version: 1."),
        ("  - targets:\n      - shop", "  - shop\n  - targets:\n      - shop", "o.yml:5: owners[1] is not a mapping: write"),
        ("version: 1", "version: [", "o.yml:3: not valid YAML"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_line(before, after, expected):
    assert before in FILE
    with pytest.raises(WrongOption) as raised:
        read_owners(FILE.replace(before, after, 1), "o.yml")
    sentence = str(raised.value)
    assert sentence.startswith("The owners have ") and "; the file was not used. " in sentence
    assert expected in sentence and "\n" not in sentence


def test_an_empty_file_is_a_mistake_and_an_empty_list_is_not():
    with pytest.raises(WrongOption, match="the file is empty: write version: 1 and a list named owners"):
        read_owners("", "o.yml")
    assert read_owners("version: 1\nowners: []\n", "o.yml").of("a") is NOBODY


def test_targets_without_an_owner_are_named_once():
    owners = read_owners(FILE, "o.yml")
    targets = ["shop.example.com", "www.example.com", "a.org", "a.org", "https://user:secret@b.org/", "\x1b.org"]
    (sentence,) = owners.warnings([*targets, "x.shop.example.com"])
    assert sentence.startswith("3 targets have no owner in o.yml (a.org, ") and "secret" not in sentence
    assert sentence.endswith("): add a pattern to the file.") and sentence.isprintable()
    assert list(owners.warnings(["www.example.com", "shop.example.com", "x.shop.example.com", "a.org"])) == [
        "1 target has no owner in o.yml (a.org): add a pattern to the file."
    ]
    assert "secret" not in str(owners.without(targets))


def test_a_pattern_that_matches_no_target_is_named_with_its_line():
    owners = read_owners(FILE, "o.yml")
    assert list(owners.warnings(["shop.example.com"])) == [
        "The pattern at o.yml:7 matches no judged target: check for a typo, or remove it."
    ]
    assert list(owners.warnings(["www.example.com"])) == [
        "The patterns at o.yml:6, o.yml:7 match no judged target: check for a typo, or remove it."
    ]
    # one that could not be read may be what it is for
    assert list(owners.warnings(["shop.example.com"], complete=False)) == []
    assert list(owners.warnings([])) == []


def test_many_targets_and_patterns_take_seconds():
    lines = "".join(f"- {{targets: ['t{number}.example'], team: T{number}}}\n" for number in range(300))
    owners = read_owners(f"version: 1\nowners:\n{lines}", "o.yml")
    names = [f"t{number}.example" for number in range(300)] * 50
    assert [owners.of(name).team for name in names] == [f"T{number}" for number in range(300)] * 50
