# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from ansible_collections.scanops.scanner.plugins.plugin_utils._canary_role import CanaryAction
from ansible_collections.scanops.scanner.plugins.plugin_utils._comment_role import CommentAction
from ansible_collections.scanops.scanner.plugins.plugin_utils._estate_role import EstateAction
from ansible_collections.scanops.scanner.plugins.plugin_utils._export_role import ExportAction
from ansible_collections.scanops.scanner.plugins.plugin_utils._gate_role import GateAction
from ansible_collections.scanops.scanner.plugins.plugin_utils._prove_role import ProveAction
from ansible_collections.scanops.scanner.plugins.plugin_utils._register_role import RegisterAction
from ansible_collections.scanops.scanner.plugins.plugin_utils._role_action import options_of, unknown_variables

ROLES = Path(__file__).resolve().parents[4] / "roles"
ACTIONS = {
    "estate_apply": EstateAction,
    "estate_export": ExportAction,
    "estate_register": RegisterAction,
    "gate_comment": CommentAction,
    "logger_canary": CanaryAction,
    "prove_fix": ProveAction,
    "scan_gate": GateAction,
}
NAMES = sorted(path.name for path in ROLES.iterdir())


def unknown(role, *names):
    known = (*ACTIONS[role].given, *ACTIONS[role].known)
    return unknown_variables(names, f"scanops.scanner.{role}", str(ROLES / role), known)


@pytest.mark.parametrize("role", NAMES)
def test_a_role_knows_what_it_documents_and_what_it_sets_itself(role):
    own = [*options_of(str(ROLES / role))]
    own += yaml.safe_load((ROLES / role / "defaults" / "main.yml").read_text())
    for path in (ROLES / role / "tasks").iterdir():
        own += [line.split()[1] for line in path.read_text().splitlines() if line.strip().startswith("register: ")]
    assert len(own) > 14
    assert unknown(role, *own) is None


@pytest.mark.parametrize(
    "role, name, near",
    [
        ("scan_gate", "scan_gate_polcy", "scan_gate_policy"),
        ("scan_gate", "scan_gate__policy", "scan_gate_policy"),
        ("scan_gate", "scan_gate_target", "scan_gate_targets"),
        ("prove_fix", "prove_fix_sourc", "prove_fix_source"),
        ("gate_comment", "gate_comment_repo", "gate_comment_repository"),
        ("estate_apply", "estate_apply_scop", "estate_apply_scope"),
        ("estate_apply", "estate_apply_Purge", "estate_apply_purge"),
        ("estate_export", "estate_export_force_", "estate_export_force"),
        ("logger_canary", "logger_canary_expects", "logger_canary_expect"),
        ("estate_register", "estate_register_workspac", "estate_register_workspace"),
    ],
)
def test_a_misspelt_variable_is_named_with_the_one_that_may_be_meant(role, name, near):
    assert unknown(role, name) == (
        f"{name} (did you mean {near}?) is no variable of the role scanops.scanner.{role}: correct it, or remove it."
    )


@pytest.mark.parametrize("role", NAMES)
def test_the_guides_set_only_variables_that_a_role_knows(role):
    guides = [*(ROLES.parent / "docs" / "docsite" / "rst").glob("*.rst"), ROLES / role / "README.md"]
    keys = {key for path in guides for key in re.findall(rf"^ +({role}_\w+): ", path.read_text(), re.MULTILINE)}
    assert unknown(role, *keys) is None
    # the guides set none of estate_export in YAML
    assert keys or role == "estate_export"


def test_several_misspelt_variables_are_named_together():
    assert unknown("scan_gate", "scan_gate_0123456789", "scan_gate_polcy") == (
        "scan_gate_0123456789, scan_gate_polcy (did you mean scan_gate_policy?) are no variables of the role"
        " scanops.scanner.scan_gate: correct them, or remove them."
    )


@pytest.mark.parametrize("name", ["scan_gates", "scan_gate", "my_scan_gate_polcy", "estate_apply_scop", "ansible_host"])
def test_only_a_variable_with_the_prefix_of_the_role_is_refused(name):
    assert unknown("scan_gate", name) is None


@pytest.mark.parametrize(
    "role, name",
    [
        # a workflow hands statistics of an earlier job on as variables
        ("scan_gate", "scan_gate_outcome"),
        ("scan_gate", "scan_gate_files"),
        ("scan_gate", "scan_gate_result"),
        ("prove_fix", "prove_fix_findings"),
        ("prove_fix", "prove_fix_result"),
        ("estate_apply", "estate_apply_outcome"),
        ("estate_export", "estate_export_report"),
        ("estate_register", "estate_register_targets"),
    ],
)
def test_what_a_role_returns_or_reads_elsewhere_is_known(role, name):
    assert unknown(role, name) is None


@pytest.mark.parametrize("role", NAMES)
def test_no_expression_of_a_role_decides(role):
    """Extra variables replace every variable, and what tasks register."""
    assert not (ROLES / role / "vars").exists()
    assert yaml.safe_load((ROLES / role / "defaults" / "main.yml").read_text()) == {}
    text = (ROLES / role / "tasks" / "main.yml").read_text()
    conditions = re.findall(r"when: (.+)|^ +- ((?:prove_fix|logger_canary)__.+)", text, re.MULTILINE)
    # what these two give to the tasks of their users is compared with what they noted
    assert {each for found in conditions for each in found if each} <= {
        "prove_fix__own.tasks | length > 0",
        "prove_fix__own.findings | length > 0",
        "logger_canary__own.tasks | length > 0",
        "logger_canary__found.requests is defined",
    }
