# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The variables of the roles are the options of the modules whose work they do, of the same types."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest
import yaml
from ansible_collections.scanops.scanner.plugins.module_utils._task.connection_options import CONNECTION_OPTIONS
from ansible_collections.scanops.scanner.plugins.modules import estate, gate, scan, targets
from ansible_collections.scanops.scanner.plugins.plugin_utils import (
    _estate_role,
    _gate_role,
    _prove_role,
    _register_role,
)

ROLES = Path(__file__).resolve().parents[4] / "roles"
# what a role has that its modules have not
OWN = {
    "scan_gate": {"workspace", "targets", "tools", "missing_targets"},
    "prove_fix": {
        "must_see",
        "source",
        "source_run",
        "source_max_age",
        "fingerprints",
        "select",
        "tasks",
        "artifacts",
        "authentication",
    },
    "estate_apply": {
        "workspaces",
        "files",
        "templates",
        "plan_dest",
        "reviewed_plan",
        "plan_max_age",
        "expect_plan",
        "expect",
    },
    "estate_register": {"workspace", "source", "group", "description", "retire"},
    "estate_export": {"dest", "split", "workspaces", "force"},
    "logger_canary": {"tasks", "workspace", "label", "expect", "within", "poll_interval", "match"},
}
MODULES = {
    "scan_gate": {**scan.OPTIONS, **gate.OPTIONS},
    "prove_fix": scan.OPTIONS,
    "estate_apply": estate.OPTIONS,
    "estate_register": targets.OPTIONS,
    "estate_export": {},
    "logger_canary": {},
}
OPTIONS = {
    "scan_gate": {*_gate_role.SCAN_OPTIONS, *gate.OPTIONS} - {*_gate_role._OF_GATE, *_gate_role._OF_BOTH, "expect"},
    "prove_fix": {*_prove_role._WAITING, "scope"},
    "estate_apply": {*estate.OPTIONS} - {*_estate_role._OF_ROLE, "expect_plan"},
    "estate_register": {*targets.OPTIONS} - {*_register_role._OF_ROLE},
    "estate_export": set(),
    "logger_canary": set(),
}
FLOATS = ("poll_interval", "queue_timeout", "run_timeout")


@functools.cache
def spec(role):
    text = (ROLES / role / "meta" / "argument_specs.yml").read_text()
    return yaml.safe_load(text)["argument_specs"]["main"]["options"]


@pytest.mark.parametrize("role", OPTIONS)
def test_every_option_of_the_modules_is_a_variable(role):
    expected = {*OPTIONS[role], *OWN[role], *CONNECTION_OPTIONS}
    assert {name.removeprefix(f"{role}_") for name in spec(role)} == expected


@pytest.mark.parametrize("role", OPTIONS)
def test_a_variable_has_the_type_of_its_option(role):
    options = {**CONNECTION_OPTIONS, **MODULES[role]}
    for name in {*OPTIONS[role], *CONNECTION_OPTIONS}:
        declared, option = spec(role)[f"{role}_{name}"], options[name]
        kind = "int" if name in FLOATS else option["type"]
        assert declared["type"] == ("raw" if name == "max_age" else kind), name
        # the module has a better message for an unknown format
        if name != "formats":
            assert declared.get("choices") == option.get("choices"), name
        assert declared.get("no_log") == option.get("no_log"), name
        if name == "authentication" or name == "scope":
            assert list(declared["options"]) == list(option["options"]), name


@pytest.mark.parametrize("role", OPTIONS)
def test_a_documented_default_is_that_of_the_module_or_of_the_role(role):
    own = {"scan_gate": _gate_role.DEFAULTS, "prove_fix": _prove_role._DEFAULTS}.get(role, {})
    for name in OPTIONS[role]:
        declared, option = spec(role)[f"{role}_{name}"], MODULES[role][name]
        if "default" in declared:
            default = own.get(name, option.get("default"))
            assert str(declared["default"]) == str(int(default) if isinstance(default, float) else default), name


def test_no_option_is_of_two_modules_in_different_meanings():
    assert {*scan.OPTIONS} & {*gate.OPTIONS} == {*_gate_role._OF_BOTH, "workspace_id"}


@pytest.mark.parametrize(
    "summary, check_mode, line",
    [
        (
            {"create": 2, "update": 1, "delete": 4, "unchanged": 41},
            False,
            "2 created, 1 updated, 4 deleted, 41 unchanged",
        ),
        ({"create": 1, "protected": 1, "unchanged": 0}, True, "Would be: 1 created, 1 protected"),
        ({"failed": 1200, "unchanged": 3}, False, "1,200 failed, 3 unchanged"),
        ({}, False, "nothing is declared"),
    ],
)
def test_one_line_counts_what_was_done(summary, check_mode, line):
    assert _estate_role.line_of(summary, check_mode) == line
