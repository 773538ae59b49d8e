# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from unittest import mock

import pytest
from ansible_collections.scanops.scanner.plugins.plugin_utils._gate_variables import (
    attested,
    classified,
    differing,
    digests,
    listed,
    mistake_in,
    named,
    usable_formats,
)
from ansible_collections.scanops.scanner.tests.unit.plugins.plugin_utils.role_steps import Role

OPTIONS = [f"scan_gate_{name}" for name in ("policy", "tools", "targets", "workspace", "max_age", "formats", "scope")]
SETTINGS = {
    "targets": ["a.example.com"],
    "tools": ["Website Scanner"],
    "tool_params": {},
    "formats": ["json"],
    "artifacts": "scan_gate",
}


@pytest.mark.parametrize("value, names", [("a", ["a"]), (["a", "b"], ["a", "b"]), ([], []), ("", ""), (None, None)])
def test_one_name_is_a_list_of_one(value, names):
    assert listed(value) == names


@pytest.mark.parametrize(
    "given, message",
    [
        ({}, None),
        ({"tools": "Website Scanner", "tool_params": {"Website Scanner": {}}}, None),
        ({"tools": [170], "tool_params": {"170": {}}}, None),
        ({"targets": []}, "scan_gate_targets is empty, so nothing would be judged: set it."),
        ({"targets": ""}, "scan_gate_targets is empty, so nothing would be judged: set it."),
        (
            {"tools": None, "artifacts": ""},
            "scan_gate_tools and scan_gate_artifacts are empty, so nothing would be judged: set them.",
        ),
        (
            {"tool_params": {"Website Scaner": {}}},
            "scan_gate_tool_params has the key 'Website Scaner', which is not in scan_gate_tools: write the name of the"
            " tool as in scan_gate_tools.",
        ),
    ],
)
def test_what_is_empty_or_belongs_to_no_tool_is_a_mistake(given, message):
    assert mistake_in({**SETTINGS, **given}) == message


@pytest.mark.parametrize(
    "given, usable",
    [
        (["sariff"], ["json", "markdown", "html"]),
        (["sariff", "junit"], ["junit"]),
        ("csv", ["csv"]),
        (None, ["json", "markdown", "html"]),
    ],
)
def test_the_artefacts_of_a_wrong_configuration_are_those_that_are_known(given, usable):
    assert usable_formats(given) == usable


@pytest.mark.parametrize("given, usable", [(["html"], ["json", "markdown"]), (["html", "csv"], ["csv"])])
@pytest.mark.parametrize("option", ["scan_gate_formats", "formats"])
def test_the_artefacts_of_a_host_without_jinja2_have_no_page(option, given, usable):
    assert usable_formats(given, f"{option} has html, which needs the Python library Jinja2") == usable


SUBJECTS = [{"name": "shop", "sha256": "a" * 64}]


@pytest.mark.parametrize(
    "formats, subjects, options",
    [
        (["json", "attestation"], SUBJECTS, {"subjects": SUBJECTS}),
        (["json", "attestation"], [], {"formats": ["json"]}),
        (["attestation"], "shop", {"formats": ["json", "markdown", "html"]}),
        (["attestation"], None, {"formats": ["json", "markdown", "html"]}),
        (["json"], SUBJECTS, {}),
        (["json"], "shop", {}),
    ],
)
def test_a_wrong_configuration_has_an_attestation_if_its_subjects_are_right(formats, subjects, options):
    assert attested(formats, subjects) == options


@pytest.mark.parametrize(
    "variables, subjects",
    [({"scan_gate_policy": {"fail_on": "hihg"}}, SUBJECTS), ({"scan_gate_subjects": [{"name": "shop"}]}, None)],
)
def test_the_attestation_of_a_wrong_configuration_replaces_an_older_one(tmp_path, variables, subjects):
    given = {"scan_gate_workspace": "Web shop", "scan_gate_targets": "a.example.com", "scan_gate_subjects": SUBJECTS}
    play = Role("scan_gate", tmp_path, {**given, "scan_gate_formats": ["json", "attestation"], **variables})
    play.run("enter")
    with play.acting("judge") as action:
        own = {**action.entry(), "problem": "scan_gate_x is wrong.", "settings": {}}
        with mock.patch.object(type(action), "entered", return_value=[own]):
            action.judge()
        assert play.last("gate").get("subjects") == subjects
        assert play.last("gate")["formats"] == (["json", "attestation"] if subjects else ["json"])


@pytest.mark.parametrize(
    "said, shown",
    [
        ("policy.max is a list", "scan_gate_policy.max is a list"),
        ("expect.tools[0] is 'x'", "scan_gate_tools[0] is 'x'"),
        ("expect.max_age is '1day'", "scan_gate_max_age is '1day'"),
        ("tool is empty", "scan_gate_tools is empty"),
        ("workspaces[0].targets[1] is empty", "scan_gate_targets[1] is empty"),
        ("workspaces[0].name is empty", "scan_gate_workspace is empty"),
        ("value of formats must be one of", "value of scan_gate_formats must be one of"),
        (
            "value of fail_on must be one of: info, got: hihg found in policy",
            "value of fail_on must be one of: info, got: hihg found in scan_gate_policy",
        ),
        ("policymaker is unknown", "policymaker is unknown"),
        ("The targets are unknown", "The targets are unknown"),
    ],
)
def test_a_message_names_the_variable_of_the_role(said, shown):
    assert named(said, OPTIONS) == shown
    # a message may pass here twice
    assert named(shown, OPTIONS) == shown


REFUSED = {"failed": True, "changed": False, "msg": "scope.allow[0] is empty: remove it."}


def test_a_task_that_refused_its_options_is_misconfigured():
    assert classified(REFUSED, OPTIONS) == {
        **REFUSED,
        "outcome": "misconfigured",
        "msg": "scan_gate_scope.allow[0] is empty: remove it.",
    }


@pytest.mark.parametrize(
    "more",
    [
        {"api_error": {"status": 401}},
        {"changed": True},
        {"scans": []},
        {"module_stdout": "", "msg": "MODULE FAILURE"},
        {"msg": "An unexpected error ended the task (KeyError)."},
        {"timedout": {"period": 5}},
        {"skipped": True},
        {"outcome": "stale_baseline"},
        {"msg": None},
    ],
    ids=str,
)
def test_a_task_that_failed_for_another_reason_is_not_misconfigured(more):
    assert classified({**REFUSED, **more}, OPTIONS) == {**REFUSED, **more}


def entered(host, **values):
    return {
        "host": host,
        "settings": digests({"scan_gate_targets": ["x"], "scan_gate_policy": {"a": 1, "b": 2}, **values}),
    }


def test_hosts_with_equal_values_share_a_decision():
    assert differing([entered("a"), entered("b", scan_gate_policy={"b": 2, "a": 1})]) is None


def test_hosts_with_other_values_are_refused_by_name():
    assert differing([entered("a"), entered("b"), entered("c", scan_gate_targets=["y"])]) == (
        "scan_gate_targets differs between the hosts a and c, and the gate judges once for all hosts of the play: give all"
        " hosts the same values, or run the role in a play for each of them."
    )


def test_a_mistake_that_only_the_first_host_has_is_named(tmp_path):
    play = Role("scan_gate", tmp_path, {"scan_gate_workspace": "Web shop", "scan_gate_targets": "a.example.com"})
    play.run("enter")
    with play.acting("judge") as action:
        own = {**action.entry(), "problem": "scan_gate_polcy is no variable.", "settings": {}}
        other = {**action.entry(), "host": "b"}
        with mock.patch.object(type(action), "entered", return_value=[own, other]):
            action.judge()
        assert play.last("gate")["scan_results"][0]["msg"] == "scan_gate_polcy is no variable."
