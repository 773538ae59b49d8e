# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role scan_gate with an attestation: the verdict of this run, and never that of an earlier one."""

from __future__ import annotations

import json

import pytest
from ansible_collections.scanops.scanner.tests.plays.playbook import LOCAL
from ansible_collections.scanops.scanner.tests.plays.test_role_runs import GATE, GREEN, RED, role, run

SUBJECTS = [{"name": "ghcr.io/example/shop", "sha256": "0123456789abcdef" * 4}]
ATTESTED = {**GATE, "scan_gate_formats": ["json", "attestation"], "scan_gate_subjects": SUBJECTS}
FILE = "scan_gate/gate.intoto.json"
ONE = f"a {LOCAL}\n"


def test_the_filter_writes_the_same_attestation_from_the_saved_file(service, tmp_path):
    export = (
        "{{ (lookup('ansible.builtin.file', 'scan_gate/gate.json')"
        " | scanops.scanner.findings_export('attestation', subjects=subjects) | first).content | b64encode }}"
    )
    tasks = [
        role("scan_gate", {**ATTESTED, **GREEN}),
        {"ansible.builtin.copy": {"dest": "exported", "content": export}, "vars": {"subjects": SUBJECTS}},
        # text that looks like JSON becomes a dictionary in some releases of ansible-core
        {"ansible.builtin.shell": "base64 --decode < exported | cmp - " + FILE, "args": {"chdir": str(tmp_path)}},
    ]
    done = run(tmp_path, service, tasks, inventory=ONE)
    assert done.status == 0, done.output
    assert json.loads((tmp_path / FILE).read_text())["predicate"]["result"] == "PASSED"


@pytest.mark.parametrize(
    ("variables", "outcome", "scans"), [(RED, "findings", 1), ({"scan_gate_max_age": "1day"}, "misconfigured", 0)]
)
def test_a_gate_that_fails_replaces_the_attestation_of_an_earlier_run(service, tmp_path, variables, outcome, scans):
    (tmp_path / "scan_gate").mkdir()
    (tmp_path / FILE).write_text('{"predicate": {"result": "PASSED"}}')
    done = run(tmp_path, service, [role("scan_gate", {**ATTESTED, **variables})], inventory=ONE)
    assert done.status == 2 and len(done.posts("/scans")) == scans, done.output
    predicate = json.loads((tmp_path / FILE).read_text())["predicate"]
    assert (predicate["result"], predicate["scanops_gate"]["outcome"]) == ("FAILED", outcome)


@pytest.mark.parametrize(
    ("subjects", "message"),
    [
        ([{"name": "shop", "sha256": "x"}], "scan_gate_subjects[0].sha256 is 'x': give the SHA-256 digest"),
        ([], "scan_gate_formats has attestation, but subjects is empty"),
    ],
)
def test_wrong_subjects_are_refused_before_any_scan(service, tmp_path, subjects, message):
    (tmp_path / "scan_gate").mkdir()
    (tmp_path / FILE).write_text('{"predicate": {"result": "PASSED"}}')
    done = run(tmp_path, service, [role("scan_gate", {**ATTESTED, "scan_gate_subjects": subjects})], inventory=ONE)
    assert done.status == 2 and message in done.output, done.output
    assert done.posts("/scans") == done.posts("/targets") == []
    assert not (tmp_path / FILE).exists()
    assert json.loads((tmp_path / "scan_gate/gate.json").read_text())["outcome"] == "misconfigured"
