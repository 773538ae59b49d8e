# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A file of an estate that gets what the account has, and keeps all other lines."""

from __future__ import annotations

import copy
import sys
from collections import Counter
from functools import partial

import pytest
import yaml
from ansible_collections.scanops.scanner.plugins.filter.estate_yaml import estate_yaml
from ansible_collections.scanops.scanner.plugins.module_utils._estate.declaration import read_estate
from ansible_collections.scanops.scanner.plugins.plugin_utils._estate_edit import OtherForm, edited, has_secrets
from ansible_collections.scanops.scanner.plugins.plugin_utils._estate_files import KEY, differing, lost_flags
from hypothesis import given
from hypothesis import strategies as st

TEXT = """\
# our shop
---
estate_apply_workspaces:
    # who: the shop team
    - id: 2
      name: "Web shop"    # as the customers call it
      description: >-
        All that
        customers reach
      targets:
          # the entry
          - www.example.com
          - name: api.example.com
            protect: true
            description: Old   # since 2019

          # by the partners
          - old.example.com

    - name: Office
      targets: []
"""
SHOP = {
    "id": 2,
    "name": "Web shop",
    "description": "All that customers reach",
    "targets": [
        {"name": "api.example.com", "description": "Old"},
        {"name": "old.example.com"},
        {"name": "www.example.com"},
    ],
    "http_loggers": [],
}
OFFICE = {"id": 3, "name": "Office", "targets": [], "http_loggers": []}


def shop(**changes):
    return {**SHOP, **changes}


# the account, and the lines that are replaced by others
CHANGES = {
    "a name": (
        [shop(name="Shop"), OFFICE],
        ['      name: "Web shop"'],
        ["      name: Shop    # as the customers call it"],
    ),
    "a folded description": (
        [shop(description="New"), OFFICE],
        ["      description: >-", "        All that", "        customers reach"],
        ["      description: New"],
    ),
    "no description": (
        [{key: each for key, each in SHOP.items() if key != "description"}, OFFICE],
        ["      description: >-", "        All that", "        customers reach"],
        [],
    ),
    "a target less": (
        [shop(targets=SHOP["targets"][:2]), OFFICE],
        ["          - www.example.com"],
        [],
    ),
    "a target more": (
        [shop(targets=[*SHOP["targets"], {"name": "new.example.com", "description": "New"}]), OFFICE],
        [],
        ["          - name: new.example.com", "            description: New"],
    ),
    "a description of a target": (
        [shop(targets=[{"name": "api.example.com", "description": "New: one"}, *SHOP["targets"][1:]]), OFFICE],
        ["            description: Old"],
        ['            description: "New: one"   # since 2019'],
    ),
    "a description of a short form": (
        [shop(targets=[*SHOP["targets"][:2], {"name": "www.example.com", "description": "New"}]), OFFICE],
        ["          - www.example.com"],
        ["          - name: www.example.com", "            description: New"],
    ),
    "a target in an empty list": (
        [SHOP, {**OFFICE, "targets": [{"name": "vpn.example.com"}]}],
        ["      targets: []"],
        ["      targets:", "        - name: vpn.example.com"],
    ),
    "a workspace less": ([SHOP], ["    - name: Office", "      targets: []"], []),
    "a workspace more": (
        [SHOP, OFFICE, {"id": 4, "name": "Lab", "targets": [], "http_loggers": []}],
        [],
        ["    - id: 4", "      name: Lab", "      targets: []", "      http_loggers: []"],
    ),
}


def loaded(text):
    return yaml.safe_load(text)[KEY]


@pytest.mark.parametrize("account, gone, new", CHANGES.values(), ids=CHANGES)
def test_only_what_differs_is_written(account, gone, new):
    text = edited(TEXT, loaded(TEXT), account)
    before, after = Counter(TEXT.splitlines()), Counter(text.splitlines())
    assert after - before == Counter(new)
    assert [line for line in before - after if not line.startswith(tuple(gone))] == []
    assert differing(loaded(text), account) == []


@pytest.mark.parametrize("targets", [[], SHOP["targets"]])
@pytest.mark.parametrize("http_loggers", [[], [{"label": "Till"}]])
def test_a_list_of_which_nothing_stays_is_empty(targets, http_loggers):
    text = TEXT.replace("    - name: Office", "      http_loggers:\n        - Canary\n    - name: Office")
    account = [shop(targets=targets, http_loggers=http_loggers), OFFICE]
    made = loaded(edited(text, loaded(text), account))
    read_estate(made)
    assert differing(made, account) == []


def test_what_the_account_does_not_know_stays():
    text = edited(TEXT, loaded(TEXT), [shop(name="Shop"), OFFICE])
    assert loaded(text)[0]["targets"][1]["protect"] is True


@pytest.mark.parametrize("name", ["[Office]", "{a: b}", "7", "null", "2020-01-01", "{1, 2}"])
@pytest.mark.parametrize("place", ["- name: Office\n", "- www.example.com\n", "- name: api.example.com\n"])
def test_a_name_that_is_no_text_costs_only_its_own_entry(place, name):
    wrong = TEXT.replace(place, f"- name: {name}\n")
    text = edited(wrong, loaded(wrong), [shop(), OFFICE])
    assert differing(loaded(text), [shop(), OFFICE]) == []
    lines = set(wrong.splitlines()) - set(text.splitlines())
    own = {"            protect: true", "            description: Old   # since 2019"} if "api" in place else set()
    assert lines <= {f"{' ' * (4 if 'Office' in place else 10)}- name: {name}", "      targets: []", *own}


@pytest.mark.parametrize(
    "entry",
    [
        "- Office",
        "- 7",
        "-",
        "- [Office]",
        "- {}",
        "- description: Office",
        "- name: Office\n      targets: 7",
        "- name: Office\n      targets: office.example.com",
        "- name: Office\n      targets: {a: b}",
        "- name: Office\n      targets:",
        "- name: Office\n      targets: 0",
        "- name: Office\n      http_loggers: ''",
        "- name: Office\n      targets:\n        - [x]\n        -\n        - {}",
        "- name: Office\n      http_loggers:\n        a: b",
        "- name: Office\n      description: [x]",
        "- name: Office\n      id: [3]",
    ],
)
@pytest.mark.parametrize("targets", [[], [{"name": "office.example.com"}]])
def test_an_entry_that_is_no_workspace_costs_only_its_own_lines(entry, targets):
    own, account = TEXT.partition("    - name: Office")[0], [shop(), {**OFFICE, "targets": targets}]
    wrong = f"{own}    {entry}\n"
    text = edited(wrong, loaded(wrong), account)
    read_estate(loaded(text))
    assert differing(loaded(text), account) == []
    assert set(own.splitlines()) <= set(text.splitlines())


def test_an_ignored_object_stays_whatever_the_account_has():
    text = TEXT.replace("- old.example.com", "- name: old.example.com\n            ignore: true")
    account = [shop(targets=[{"name": "www.example.com", "description": "New"}]), OFFICE]
    made = edited(text, loaded(text), account)
    assert "- name: old.example.com\n            ignore: true" in made and differing(loaded(made), account) == []


LISTED = f"{KEY}:\n  - name: Office\n    id: 3\n    description: Old\n    targets: {{}}\n"
VPN = {**OFFICE, "targets": [{"name": "vpn.example.com"}]}
# what a file declares, the account, and the text that is written
KEPT = {
    "a list in brackets that does not differ": (
        LISTED.format("[{name: vpn.example.com, protect: true}]"),
        VPN,
        LISTED.format("[{name: vpn.example.com, protect: true}]").replace("    description: Old\n", ""),
    ),
    "line ends of Windows": (
        LISTED.format("[]").replace("\n", "\r\n"),
        {**OFFICE, "description": "New"},
        LISTED.format("[]").replace("Old", "New").replace("\n", "\r\n"),
    ),
    "another spelling": (
        f"{KEY}:\n  - name: Office\n    targets:\n      - name: VPN.example.com  # main\n        protect: true\n",
        {**VPN, "description": "New"},
        f"{KEY}:\n  - name: Office\n    description: New\n    targets:\n      - name: VPN.example.com  # main\n"
        "        protect: true\n",
    ),
    # which no estate may have
    "what is null": (
        f"{KEY}:\n  - name: Office\n    targets: ~\n",
        {**OFFICE, "description": "New"},
        f"{KEY}:\n  - name: Office\n    description: New\n    targets: []\n",
    ),
    "only ignored objects": (
        f"{KEY}:\n  - name: Office\n    targets:\n      - {{name: a.example, ignore: true}}\n    description: Old\n",
        OFFICE,
        f"{KEY}:\n  - name: Office\n    targets:\n      - {{name: a.example, ignore: true}}\n",
    ),
    "what is retired": (
        f"{KEY}:\n  - name: Lab\n    state: absent\n  - name: Office\n    description: Old\n",
        OFFICE,
        f"{KEY}:\n  - name: Lab\n    state: absent\n  - name: Office\n",
    ),
    "what was retired and exists": (
        f"{KEY}:\n  - name: Office\n    state: absent\n",
        OFFICE,
        f"{KEY}:\n  - name: Office\n",
    ),
    "a text in another form": (
        f"{KEY}:\n  - name: Office\n    description: |\n      Old  # 1\n    targets:\n      - vpn.example.com\n",
        {**VPN, "description": "Old  # 1", "targets": [*VPN["targets"], {"name": "b.example"}]},
        f"{KEY}:\n  - name: Office\n    description: |\n      Old  # 1\n    targets:\n      - vpn.example.com\n"
        "      - name: b.example\n",
    ),
    "a workspace that was created again": (
        f"{KEY}:\n  - id: 9\n    name: Office\n    targets:\n      # the way in\n      - vpn.example.com\n",
        VPN,
        f"{KEY}:\n  - id: 3\n    name: Office\n    targets:\n      # the way in\n      - vpn.example.com\n",
    ),
}


@pytest.mark.parametrize("text, live, written", KEPT.values(), ids=KEPT)
def test_lines_that_mean_the_same_stay(text, live, written):
    made = edited(text, loaded(text), [live])
    assert made == written and differing(loaded(made), [live]) == []


@pytest.mark.parametrize(
    "text",
    [
        f"{KEY}: []\n",
        f"{KEY}: [{{name: Office, description: Old}}]\n",
        f"{KEY}:\n  - {{name: Office, description: Old}}\n",
        f"{KEY}:\n  - name: Office\n    targets: [a.example]\n",
        f"{KEY}:\n  - state: absent\n    name: Office\n",
        f"{KEY}:\n  - name: Office\n    targets: &one [a.example]\n    http_loggers: *one\n",
        f"{KEY}:\r  - name: Office\r",
        f"{KEY}:\r\n  - name: Office\n    description: Old\n",
    ],
)
def test_another_form_is_not_edited(text):
    with pytest.raises(OtherForm):
        edited(text, loaded(text), [OFFICE])


@pytest.mark.parametrize(
    "value, is_secret", [("!vault |\n      x", True), ("x  # !vault", False), ("'!vault'", False), ("[!vault x", True)]
)
def test_encrypted_values_are_noticed(value, is_secret):
    assert has_secrets(f"{KEY}:\n  - name: Office\n    description: {value}\n") is is_secret


def test_what_would_be_lost_is_named():
    before = [
        {"name": "Shop", "targets": [{"name": "a.example", "protect": True}, {"name": "b.example", "ignore": True}]}
    ]
    after = [{"name": "Shop", "targets": ["a.example", {"name": "b.example", "ignore": True}]}]
    assert lost_flags(before, after) == ["protect of target 'a.example' of 'Shop' would be lost"]
    # beside what is no workspace, and what is no list
    assert lost_flags([*before, "Office", {"name": "Till", "targets": 7}], after) == lost_flags(before, after)
    before[0]["targets"][0]["name"] = ["a.example"]
    assert lost_flags(before, after) == ["protect of target \"['a.example']\" of 'Shop' would be lost"]


NAMES = st.sampled_from([f"app-{number}.example.com" for number in range(8)])
TEXTS = st.sampled_from(["", "Till", "a: b", "#7", "'", "{{ x }}", "ü", "no"])
TARGETS = st.dictionaries(NAMES, TEXTS, max_size=6)
ACCOUNTS = st.dictionaries(st.integers(2, 5), st.tuples(TEXTS, TARGETS, st.sets(NAMES, max_size=2)), min_size=1)


def account_of(drawn):
    """Workspaces as estate_info returns them."""
    found = []
    for number, (description, targets, loggers) in sorted(drawn.items()):
        rows = [{"name": name, **({"description": text} if text else {})} for name, text in sorted(targets.items())]
        own = {"name": f"Workspace {number}", "id": number, **({"description": description} if description else {})}
        found.append({**own, "targets": rows, "http_loggers": [{"label": label} for label in sorted(loggers)]})
    return found


class Unsafe(yaml.SafeLoader):
    pass


Unsafe.add_constructor("!unsafe", lambda loader, node: node.value)


@given(ACCOUNTS, ACCOUNTS, st.randoms(use_true_random=False))
def test_any_account_is_written_and_no_comment_above_an_object_is_lost(before, after, random):
    declared = copy.deepcopy(account_of(before))
    for each in declared:
        random.shuffle(each["targets"])
    text, number = "", None
    for line in estate_yaml({KEY: declared}).splitlines():
        if line.startswith("  - id: "):
            number = int(line.removeprefix("  - id: "))
        # above each object
        text += f"# {number}: above {line}\n{line}\n" if "- " in line else f"{line}\n"
    made = edited(text, declared, account_of(after))
    assert differing(yaml.load(made, Loader=Unsafe)[KEY], account_of(after)) == []
    # with a workspace that is no more, those between its lines go; the one above it stays
    kept = tuple(f"# {each}: " for each in after)
    comments = [line for line in text.splitlines() if line.startswith(kept)]
    assert [line for line in made.splitlines() if line.startswith(kept)] == comments


def calls_of(work):
    """The number of calls that the file under test makes."""
    calls = 0

    def counted(frame, event, _called):
        nonlocal calls
        calls += event in ("call", "c_call") and frame.f_code.co_filename == edited.__code__.co_filename

    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


def many_targets(count):
    """A file with so many targets, of which the account lacks the first half, and has as many others."""
    names = [f"host-{number:04}.example" for number in range(count + count // 2)]
    own = [{**SHOP, "targets": [{"name": name} for name in names[:count]]}]
    return own, [{**SHOP, "targets": [{"name": name} for name in names[count // 2 :]]}]


def many_workspaces(count):
    """A file with so many workspaces, of which the account lacks the first half, and has as many others."""
    every = [{**OFFICE, "id": number, "name": f"Office {number}"} for number in range(count + count // 2)]
    return every[:count], every[count // 2 :]


@pytest.mark.parametrize("case", [many_targets, many_workspaces])
def test_the_work_grows_as_the_file(case):
    work = []
    for count in (60, 240):
        own, live = case(count)
        text = estate_yaml({KEY: own})
        work.append(calls_of(partial(edited, text, own, live)))
    # n log n; a look through all for each would make it 16
    assert work[1] <= 5 * work[0], work
