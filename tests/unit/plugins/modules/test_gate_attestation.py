# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The attestation that the module gate writes: for each outcome, never for none, and never that of an earlier run."""

from __future__ import annotations

import errno
import hashlib
import json
import os

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._gate.gate import _Ending
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import Refused

SUBJECTS = [{"name": "ghcr.io/example/shop", "sha256": "0123456789abcdef" * 4}]
FORMAT = {"formats": ["json", "attestation"], "subjects": SUBJECTS}
OLD = '{"predicate": {"result": "PASSED"}}'


@pytest.fixture
def judge(account, run, tmp_path):
    """Run the gate with these options, and return its result and its attestation, None if there is none."""

    def judged(**options):
        result = run("gate", **{"workspace": "Web shop", "artifacts": str(tmp_path / "out"), **FORMAT, **options})
        file = tmp_path / "out" / "gate.intoto.json"
        return result, json.loads(file.read_text()) if file.exists() else None

    return judged


@pytest.mark.parametrize(
    ("options", "outcome", "result"),
    [
        ({"scan_ids": [40001], "workspace": None}, "findings", "FAILED"),
        ({"scan_ids": [40001], "workspace": None, "outcomes": {"findings": "warn"}}, "findings", "WARNED"),
        ({"scan_ids": [40001], "workspace": None, "outcomes": {"findings": "pass"}}, "findings", "WARNED"),
        ({"scan_ids": [40001], "workspace": None, "policy": {"fail_on": "none"}}, "passed", "PASSED"),
        ({"targets": ["gone.example"]}, "nothing_scanned", "FAILED"),
    ],
)
def test_the_attestation_has_the_verdict_of_the_gate(judge, options, outcome, result):
    judged, statement = judge(**options)
    predicate = statement["predicate"]
    assert (judged["outcome"], predicate["result"]) == (outcome, result)
    assert (predicate["scanops_gate"]["run"], predicate["scanops_gate"]["outcome"]) == (judged["run"], outcome)
    assert [each["format"] for each in judged["files"]] == ["json", "attestation"]


def test_a_service_that_fails_is_attested_as_failed(service, judge):
    service.fault(method="GET", path="/workspaces", action="status", status=500)
    judged, statement = judge(retries=0)
    assert (judged["outcome"], statement["predicate"]["result"]) == ("service_error", "FAILED")


def test_the_attestation_names_the_file_that_the_gate_wrote(judge, tmp_path):
    _judged, statement = judge()
    content = (tmp_path / "out" / "gate.json").read_bytes()
    digest = {"sha256": hashlib.sha256(content).hexdigest()}
    assert statement["predicate"]["scanops_gate"]["gate"] == {"name": "gate.json", "digest": digest}


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"subjects": []}, "formats has attestation, but subjects is empty: "),
        ({"formats": ["json"]}, "subjects has an effect only with artifacts and attestation in formats: "),
        ({"artifacts": None}, "subjects has an effect only with artifacts and attestation in formats: "),
        ({"artifacts": None, "subjects": []}, "formats has attestation, but subjects is empty: "),
        ({"subjects": [{"name": "shop", "sha256": "A" * 64}]}, "subjects[0].sha256 is 'AAA"),
        ({"subjects": [*SUBJECTS, *SUBJECTS]}, "subjects[1].name is 'ghcr.io/example/shop', as in subjects[0]: "),
    ],
)
def test_wrong_subjects_are_refused_before_any_call(service, judge, tmp_path, options, message, check):
    judged, _statement = judge(check=check, **options)
    assert judged.failed and judged.msg.startswith(message), judged.msg
    assert service.calls() == [] and not (tmp_path / "out").exists()


@pytest.mark.parametrize("check", [True, False])
def test_an_attestation_of_an_earlier_run_does_not_stay(judge, tmp_path, check):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "gate.intoto.json").write_text(OLD)
    judged, statement = judge(check=check, formats=["json"], subjects=[])
    assert judged["changed"] and statement == (json.loads(OLD) if check else None)
    assert [each["format"] for each in judged["files"]] == ["json"]


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize(
    "options",
    [
        {"subjects": []},
        {"waivers": ["missing.yml"]},
        {"notice": "soon"},
        {"base_url": "https://"},
        {"api_key": ""},
        {"formats": ["attestaton"]},
        {"formated": ["json"]},
        {"subjects": [{"name": "shop"}]},
        {"workspace_id": 1},
    ],
)
def test_a_task_that_cannot_judge_leaves_no_attestation(service, judge, tmp_path, options, check):
    (tmp_path / "out").mkdir()
    for name in ("gate.intoto.json", "gate.json"):
        (tmp_path / "out" / name).write_text(OLD)
    judged, statement = judge(check=check, **options)
    assert judged.failed and service.calls() == [], judged.msg
    assert statement == (json.loads(OLD) if check else None)
    assert judged.changed == (not check)
    # it says when it was written
    assert (tmp_path / "out" / "gate.json").exists()


def test_an_attestation_that_cannot_be_removed_is_named(judge, tmp_path, monkeypatch):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "gate.intoto.json").write_text(OLD)

    def refuse(path):
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr(os, "remove", refuse)
    judged, _statement = judge(notice="soon")
    assert judged.failed and not judged.changed
    assert "notice" in judged.msg
    assert "gate.intoto.json' is of an earlier run and cannot be removed (Permission denied): remove it" in judged.msg


@pytest.mark.parametrize("formats", [["json", "attestation"], ["attestation", "json"]])
def test_a_task_that_fails_after_the_decision_leaves_no_attestation(judge, tmp_path, formats):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "gate.json").mkdir()
    judged, statement = judge(policy={"fail_on": "none"}, formats=formats)
    assert judged.failed and "The json file of the gate is missing" in judged.msg and statement is None
    (tmp_path / "out" / "gate.json").rmdir()
    baseline = tmp_path / "baseline.json"
    baseline.mkdir()
    judged, statement = judge(policy={"fail_on": "none"}, formats=formats, baseline=str(baseline))
    assert judged.failed and statement is None, judged.msg


def test_a_baseline_that_cannot_be_written_leaves_no_attestation(judge, tmp_path, monkeypatch):
    def refuse(*_arguments):
        raise Refused("The baseline changed.")

    monkeypatch.setattr(_Ending, "_write_baseline", refuse)
    options = {"baseline": str(tmp_path / "baseline.json"), "baseline_missing": "create"}
    judged, statement = judge(policy={"fail_on": "none"}, scan_ids=[40001], workspace=None, **options)
    assert judged.failed and judged["outcome"] == "passed" and statement is None, judged.msg
    assert [each["format"] for each in judged["files"]] == ["json"]


def test_an_attestation_never_overwrites_the_baseline(judge, tmp_path):
    (tmp_path / "out").mkdir()
    path = tmp_path / "out" / "gate.intoto.json"
    judged, _statement = judge(baseline=str(path), baseline_missing="create", policy={"fail_on": "none"})
    assert judged.failed and "would overwrite the baseline" in judged.msg
    assert os.listdir(tmp_path / "out") == ["gate.json"]
