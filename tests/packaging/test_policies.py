# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The policies of docs/awx/policies: what they read is in the input of the platform, and what they answer."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.slow

CHECKOUT = Path(__file__).parents[2]
POLICIES = CHECKOUT / "docs" / "awx" / "policies"
PROJECT = CHECKOUT / "docs" / "awx" / "project"
POLICY = (POLICIES / "scanner.rego").read_text(encoding="utf-8")
LIMITS = json.loads((POLICIES / "data.json").read_text(encoding="utf-8"))
JOB = yaml.safe_load((Path(__file__).parent / "job_input.yml").read_text(encoding="utf-8"))
CONFIGURATION = (CHECKOUT / "docs" / "awx" / "configure.yml").read_text(encoding="utf-8")
RULES = ("purge", "scope", "place")


def job(**changes: object) -> dict:
    return {**copy.deepcopy(JOB), **changes}


def with_variables(**variables: object) -> dict:
    return job(extra_vars=variables)


# --- without an evaluator


@pytest.mark.parametrize("path", sorted(set(re.findall(r"\binput((?:\.\w+)+)", POLICY))))
def test_each_input_of_the_policy_is_in_the_data_of_a_job(path):
    node = JOB
    for name in path.strip(".").split("."):
        assert name in node
        node = node[name]


@pytest.mark.parametrize("name", sorted(set(re.findall(r"data\.limits\.(\w+)", POLICY)) | set(LIMITS["limits"])))
def test_each_limit_exists_and_is_read(name):
    assert LIMITS["limits"][name] and f"data.limits.{name}" in POLICY


@pytest.mark.parametrize("name", sorted(set(re.findall(r'"((?:plan|estate|declare|scan)_\w+)"', POLICY))))
def test_each_variable_of_the_policy_is_read_by_a_playbook_or_a_role(name):
    readers = [
        *PROJECT.glob("*.yml"),
        *(CHECKOUT / "roles").glob("*/tasks/*.yml"),
        *(CHECKOUT / "roles").glob("*/meta/argument_specs.yml"),
    ]
    assert [path for path in readers if re.search(rf"\b{name}\b", path.read_text(encoding="utf-8"))], readers


@pytest.mark.parametrize("kind", ["projects", "inventories", "credentials", "workflows"])
def test_the_limits_name_objects_of_the_kit(kind):
    for name in LIMITS["limits"][kind]:
        assert re.search(rf'^        name: "?{re.escape(name)}"?$', CONFIGURATION, re.MULTILINE), name


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_answers_with_both_fields(rule):
    assert f"\n{rule} := answer({rule}_violations)\n" in POLICY
    assert re.search(
        r'^answer\(violations\) := \{\n  "allowed": count\(violations\) == 0,\n  "violations": ', POLICY, re.MULTILINE
    )


# --- with an evaluator, where its wheel exists


def evaluate(query: str, given: dict) -> object:
    regopy = pytest.importorskip("regopy")
    interpreter = regopy.Interpreter()
    interpreter.add_module("scanner.rego", POLICY)
    interpreter.add_data_json(json.dumps(LIMITS))
    interpreter.set_input(given)
    (found,) = json.loads(str(interpreter.query(query)))["expressions"]
    return found


def violations(rule: str, given: dict) -> list[str]:
    found = evaluate(f"data.scanner.{rule}", given)
    assert set(found) == {"allowed", "violations"} and found["allowed"] is (found["violations"] == [])
    return found["violations"]


@pytest.mark.parametrize("rule", RULES)
def test_the_approved_job_of_the_workflow_is_allowed(rule):
    assert violations(rule, JOB) == []


@pytest.mark.parametrize("given", [
    with_variables(plan_purge="true"),
    with_variables(plan_purge="true", plan_checksum=""),
    with_variables(plan_purge="true", plan_checksum="yes"),
    with_variables(plan_purge=True),
    with_variables(estate_apply_purge=["targets"]),
    with_variables(estate_register_retire=True),
    job(launch_type="manual"),
    job(workflow_job_template=None),
    job(workflow_job_template={"id": 1, "name": "Another workflow", "job_type": None}),
])  # fmt: skip
def test_deletions_without_an_approved_plan_are_refused(given):
    assert violations("purge", given)


@pytest.mark.parametrize("given", [
    with_variables(),
    with_variables(plan_purge="false"),
    with_variables(plan_purge=False, estate_apply_purge=[]),
    job(job_type="check", extra_vars={"plan_purge": "true"}, launch_type="manual"),
])  # fmt: skip
def test_jobs_that_delete_nothing_need_no_plan(given):
    assert violations("purge", given) == []


@pytest.mark.parametrize("targets", [
    "example.com", "shop.example.com", "https://shop.example.com/admin", "https://Shop.Example.com.:8443/x?y=1",
    "192.0.2.10", "http://192.0.2.10:8080/", "shop.example.com\nwww.example.com\n", "",
])  # fmt: skip
def test_targets_in_scope_are_allowed(targets):
    assert violations("scope", with_variables(scan_targets=targets)) == []


@pytest.mark.parametrize("target", [
    "example.org", "notexample.com", "example.com.evil.test", "192.0.2.11", "https://example.com@evil.test/",
    "https://example.com:x@evil.test/", "https://evil.test/example.com", "[::1]", "ftp:example.com",
    "https://evil.test/@shop.example.com",
])  # fmt: skip
@pytest.mark.parametrize("variable", ["scan_targets", "declare_targets"])
def test_targets_outside_the_scope_are_refused(target, variable):
    (violation,) = violations("scope", with_variables(**{variable: f"shop.example.com\n{target}"}))
    assert target in violation


def test_a_target_with_a_backslash_is_refused():
    # the evaluator does not escape it in the text of a violation
    given = with_variables(scan_targets="https://evil.test\\.example.com/")
    assert evaluate("[data.scanner.scope.allowed, count(data.scanner.scope.violations)]", given) == [False, 1]


@pytest.mark.parametrize("name", [
    "scope", "estate_apply_scope", "scan_gate_scope", "estate_apply_base_url", "base_url", "scan_gate_api_key",
    "estate_apply_proxy", "estate_apply_allow_http", "estate_apply_validate_certs",
])  # fmt: skip
def test_variables_that_replace_the_credential_are_refused(name):
    (violation,) = violations("scope", with_variables(**{name: "x"}))
    assert violation.startswith(name)


@pytest.mark.parametrize("given", [
    job(project={**JOB["project"], "name": "Another"}),
    job(project=None),
    job(inventory={**JOB["inventory"], "name": "Another"}),
    job(inventory=None),
    job(scm_branch="experiment"),
])  # fmt: skip
def test_the_credential_in_another_place_is_refused(given):
    assert violations("place", given)
    assert violations("place", {**given, "credentials": []}) == []


# --- the rule for gate.json


def test_the_rule_of_the_recipe_refuses_new_exploited_findings():
    regopy = pytest.importorskip("regopy")
    rule = (CHECKOUT / "docs" / "recipes" / "gate.rego").read_text(encoding="utf-8")
    interpreter = regopy.Interpreter()
    interpreter.add_module("gate.rego", rule)
    rows = [("new and exploited", True, "new"), ("known", True, "known"), ("harmless", False, "new")]
    findings = [dict(zip(("name", "known_exploited", "change"), each)) for each in rows]
    interpreter.set_input({"findings": findings})
    (found,) = json.loads(str(interpreter.query("data.gate.deny")))["expressions"]
    assert found == ["new and exploited"]
