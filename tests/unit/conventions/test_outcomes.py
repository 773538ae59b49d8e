# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each word that a gate or a role ends with has a section, its address leads there, and the inputs in it are right."""

from __future__ import annotations

import re

import pytest
import yaml
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.rows import outcome_of_scan
from ansible_collections.scanops.scanner.plugins.module_utils._gate.policy import Policy, policy_of
from ansible_collections.scanops.scanner.plugins.module_utils._gate.prove import verdict
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import WrongOption
from ansible_collections.scanops.scanner.plugins.module_utils._model.families import (
    QUEUE_TIMEOUT,
    RUN_TIMEOUT,
    TIMED_OUT,
)
from ansible_collections.scanops.scanner.plugins.module_utils._model.galaxy import DOCUMENTATION, section_of
from ansible_collections.scanops.scanner.plugins.module_utils._model.outcomes import OUTCOMES
from ansible_collections.scanops.scanner.plugins.plugin_utils import _estate_role as estate
from ansible_collections.scanops.scanner.tests.generate_outcomes import PAGE, SOURCE
from ansible_collections.scanops.scanner.tests.unit.conventions.collection import ROOT

SECTIONS = yaml.safe_load((ROOT / SOURCE).read_text(encoding="utf-8"))
WORDS = {
    "outcome": OUTCOMES,
    "policy": Policy._fields,
    "fix": verdict.VERDICTS,
    "estate": (estate.UNCHANGED, estate.DIFFERS, estate.APPLIED, estate.REFUSED, estate.ERROR),
}
GREEN = {"passed", "fixed", "unchanged", "applied"}
EACH = [(kind, word) for kind, words in WORDS.items() for word in words]
ROLES = {
    role: yaml.safe_load((ROOT / f"roles/{role}/meta/argument_specs.yml").read_text(encoding="utf-8"))
    for role in ("scan_gate", "prove_fix", "estate_apply")
}


def test_the_documentation_is_where_galaxy_says_it_is():
    galaxy = yaml.safe_load((ROOT / "galaxy.yml").read_text(encoding="utf-8"))
    assert galaxy["documentation"] == DOCUMENTATION


def test_each_word_has_a_section_in_the_order_of_the_code():
    assert {kind: list(sections) for kind, sections in SECTIONS.items()} == {
        kind: list(words) for kind, words in WORDS.items()
    }


@pytest.mark.parametrize("kind, word", EACH)
def test_an_address_leads_to_a_section(kind, word):
    file, _mark, anchor = section_of(word, kind).removeprefix(f"{DOCUMENTATION}/blob/main/").partition("#")
    assert file == PAGE
    titles = re.findall(r"^(.+)\n\^+$", (ROOT / PAGE).read_text(encoding="utf-8"), re.MULTILINE)
    # as the host of the repository makes anchors of headings, and as docutils does
    ours = [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles]
    theirs = [re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") for title in titles]
    assert ours.count(anchor) == theirs.count(anchor) == 1


@pytest.mark.parametrize("kind, word", EACH)
def test_a_section_has_an_input_before_and_after(kind, word):
    section = SECTIONS[kind][word]
    assert set(section) <= {"since", "means", "do", "before", "after"}
    assert section["means"].endswith(".") and section["do"].endswith(".")
    assert {"before", "after"} & set(section) == (set() if word in GREEN else {"before", "after"})
    if word in GREEN:
        return
    before, after = (yaml.safe_load(section[when]) for when in ("before", "after"))
    assert before != after
    for name in {*before, *after}:
        role = next((each for each in ROLES if name.startswith(f"{each}_")), None)
        assert role is None or name in ROLES[role]["argument_specs"]["main"]["options"], name
    policy = after.get("scan_gate_policy")
    if policy is not None:
        policy_of(policy)


@pytest.mark.parametrize("scan, outcome, option", [
    (TIMED_OUT, "run_timeout", "max_scan_time"), (RUN_TIMEOUT, "run_timeout", "run_timeout"),
    (QUEUE_TIMEOUT, "queue_timeout", "queue_timeout"),
])  # fmt: skip
def test_the_limit_of_a_scan_is_in_the_section_of_its_outcome(scan, outcome, option):
    assert outcome_of_scan(scan) == outcome
    named = [
        word for word, section in SECTIONS["outcome"].items() if re.search(rf"\b(scan_gate_)?{option}\b", str(section))
    ]
    assert f"``{option}``" in SECTIONS["outcome"][outcome]["means"] and {*named} <= {outcome}


@pytest.mark.parametrize("word", ["min_cvss", "min_epss"])
def test_the_policy_before_is_refused(word):
    with pytest.raises(WrongOption, match=word):
        policy_of(yaml.safe_load(SECTIONS["policy"][word]["before"])["scan_gate_policy"])
