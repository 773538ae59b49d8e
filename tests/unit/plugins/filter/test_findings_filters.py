# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filters that export the findings of a gate."""

from __future__ import annotations

import csv
import functools
import json

import ansible.template
import pytest
import yaml
from ansible.errors import AnsibleFilterError
from ansible.parsing.dataloader import DataLoader
from ansible_collections.scanops.scanner.plugins.filter import findings_export as _plugin
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats import sarif
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.document import Choices
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.registry import FORMATS, write
from ansible_collections.scanops.scanner.tests.unit.collection_loader import install_collection_loader
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_documents import (
    broken,
    document,
    mixed,
    row,
)

try:
    from ansible.template import trust_as_template as trusted
except ImportError:
    # before ansible-core 2.19, every text is a template
    def trusted(text):
        return text


findings_export = functools.partial(_plugin.findings_export, {"playbook_dir": "/srv/play"})
TEXTS = sorted(name for name, each in FORMATS.items() if name != "json" and not each.several)
SUBJECTS = [{"name": "shop", "sha256": "a" * 64}]
ESTATE = "estate:\n  - name: Web shop\n    targets:\n      - https://shop.example.com\n"


@pytest.mark.parametrize("name", TEXTS)
def test_a_result_of_the_module_and_gate_json_are_exported_alike(name):
    ((file, expected),) = write(name, mixed(), Choices(subjects=SUBJECTS)).artefacts
    options = {"subjects": SUBJECTS} if name == "attestation" else {}
    result = {**mixed(), "failing": [], "files": [], "changed": False, "failed": True, "msg": "The gate failed."}
    for given in (mixed(), json.dumps(mixed()), result):
        assert findings_export(given, name, **options) == [{"name": file, "content": expected}]


@pytest.mark.cases("name, options, message")
def test_a_wrong_option_is_refused(name, options, message):
    with pytest.raises(AnsibleFilterError, match=message):
        findings_export(mixed(), name, **options)


@pytest.mark.parametrize("name", [*TEXTS, "sarif"])
def test_failing_findings_alone_are_enough_for_markdown_only(name):
    given = {**document([row(1), row(2, state="below")]), "findings": [row(1)]}
    if name == "markdown":
        assert "### Failing" in findings_export(given, name)[0]["content"]
    else:
        with pytest.raises(AnsibleFilterError, match=r"has 1 of 2 findings, .*remove rows: failing"):
            findings_export(given, name)


# --- the result of finding_info

FOUND = {
    "findings": [
        {"id": 9, "name": "=Weak cipher", "risk_level": 3, "severity": "high", "status": "open", "cve": ["CVE-2016-2183"],
         "target_id": 7, "target_name": "https://user:secret@a.example", "task_id": 5, "port": 443, "vuln_id": "0012"},
        {"id": 10, "name": "Mystery", "risk_level": None, "severity": "unknown", "status": None, "cve": [],
         "target_id": 8, "target_name": None, "task_id": 5},
    ],
    "total": 2, "complete": True, "doubts": [], "summary": {"high": 1, "unknown": 1}, "dest": None, "changed": False,
}  # fmt: skip


def table_of(given):
    ((name, text),) = (each.values() for each in findings_export(given, "csv"))
    assert name == "gate.csv" and "secret" not in text
    return list(csv.DictReader(text.splitlines()))


def test_a_result_of_finding_info_is_a_table_without_what_only_a_gate_knows():
    first, second = table_of(FOUND)
    shown = ("severity", "name", "target", "port", "check", "cve", "status", "scan_id", "id", "state", "change", "team")
    assert [first[key] for key in shown] == [
        "high", "'=Weak cipher", "https://user@a.example", "443", "'0012", "CVE-2016-2183", "open", "5", "9", "", "", "",
    ]  # fmt: skip
    assert [second[key] for key in shown[:3]] == ["unknown", "Mystery", "target 8"]
    assert first["fingerprint"] != second["fingerprint"] != ""
    assert table_of({**FOUND, "findings": [], "total": 0}) == []


@pytest.mark.parametrize(
    "more, doubt",
    [
        ({"complete": False, "doubts": ["Scan 5 has not finished."]}, "Scan 5 has not finished."),
        ({"complete": False}, "The list of findings may be incomplete."),
        ({"total": 1002}, "2 of 1,002 findings are listed: raise limit of finding_info."),
        ({"findings": [], "total": 1}, "0 of 1 findings are listed: raise limit of finding_info."),
    ],
)
def test_the_first_row_says_what_the_table_may_lack(more, doubt):
    first, *others = table_of({**FOUND, **more})
    assert (first["state"], first["name"]) == ("incomplete", f"incomplete: {doubt}")
    assert len(others) == len(FOUND["findings"] if "findings" not in more else [])


@pytest.mark.parametrize("name", [*sorted({*TEXTS} - {"csv"}), "sarif"])
def test_no_other_format_takes_findings_that_no_gate_judged(name):
    with pytest.raises(AnsibleFilterError, match=rf"result of finding_info, and {name} needs a result of gate"):
        findings_export(FOUND, name)


@pytest.mark.parametrize("wrong", [["x"], [{**FOUND["findings"][0], "id": "9"}], None, 3])
def test_a_changed_result_of_finding_info_is_refused(wrong):
    with pytest.raises(AnsibleFilterError, match=r"An item of findings .*give the unchanged result of finding_info"):
        findings_export({**FOUND, "findings": wrong}, "csv")


@pytest.mark.parametrize(
    "wrong", [{"total": None}, {"total": "2"}, {"doubts": "Scan 5"}, {"doubts": [1]}, {"doubts": None}], ids=str
)
def test_a_count_or_a_doubt_in_another_form_is_refused(wrong):
    with pytest.raises(AnsibleFilterError, match=r"total or doubts is not as finding_info returns it"):
        findings_export({**FOUND, **wrong}, "csv")


# --- SARIF


def test_sarif_reads_the_lines_of_estate_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plays").mkdir()
    (tmp_path / "plays/estate.yml").write_text(ESTATE, encoding="utf-8")
    context = {"playbook_dir": str(tmp_path / "plays")}
    (file,) = _plugin.findings_export(
        context, document([row(1)]), "sarif", profile="full", estate_files=["estate.yml"], category="nightly"
    )
    assert file["name"] == "gate.sarif"
    (run,) = json.loads(file["content"])["runs"]
    assert run["results"][0]["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "plays/estate.yml"},
        "region": {"startLine": 4},
    }
    assert run["automationDetails"]["id"] == "nightly/"
    assert "evidence" in run["results"][0]["properties"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, r"estate_files '.*estate\.yml' does not exist: correct the path"),
        (b"\xff\xfe", r"estate_files '.*estate\.yml' is not encoded in UTF-8: save it as UTF-8"),
        (b"a: [", r"findings_export: The estate file .* is not valid YAML"),
    ],
)
def test_an_estate_file_that_cannot_be_read_is_named(content, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "estate.yml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(AnsibleFilterError, match=message):
        findings_export(document([row(1)]), "sarif", estate_files=[str(path)])


@pytest.mark.parametrize("git", [True, False])
def test_a_path_starts_at_the_top_of_the_repository(git, tmp_path, monkeypatch):
    (tmp_path / "security").mkdir()
    (tmp_path / "security/estate.yml").write_text(ESTATE, encoding="utf-8")
    if git:
        # as in a worktree
        (tmp_path / ".git").touch()
    monkeypatch.chdir(tmp_path / "security" if git else tmp_path)
    of = document([row(1), row(2, target="other.example")])
    (file,) = findings_export(of, "sarif", estate_files=[str(tmp_path / "security/estate.yml")])
    (run,) = json.loads(file["content"])["runs"]
    places = [each["locations"][0]["physicalLocation"] for each in run["results"]]
    assert [(each["artifactLocation"]["uri"], each["region"]["startLine"]) for each in places] == [
        ("security/estate.yml", 4),
        # of another target
        ("security/estate.yml", 1),
    ]


def test_a_directory_whose_name_begins_with_dots_is_in_the_repository(tmp_path, monkeypatch):
    (tmp_path / "..estates").mkdir()
    (tmp_path / "..estates" / "estate.yml").write_text(ESTATE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (file,) = findings_export(document([row(1)]), "sarif", estate_files=[str(tmp_path / "..estates/estate.yml")])
    (run,) = json.loads(file["content"])["runs"]
    (result,) = run["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "..estates/estate.yml"


def test_a_file_outside_of_a_repository_is_refused(tmp_path, monkeypatch):
    (tmp_path / "estate.yml").write_text(ESTATE, encoding="utf-8")
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    with pytest.raises(AnsibleFilterError, match="in no git repository and not below the working directory"):
        findings_export(document([row(1)]), "sarif", estate_files=[str(tmp_path / "estate.yml")])
    with pytest.raises(AnsibleFilterError, match="is an absolute path"):
        findings_export(document([row(1)]), "sarif", fallback_file="/srv/estate.yml")


def test_an_incomplete_run_has_no_file_for_what_closes_findings(monkeypatch):
    warnings = []
    monkeypatch.setattr(_plugin.Display, "warning", lambda self, text, **options: warnings.append(text))
    assert findings_export(broken(), "defectdojo") == []
    assert len(warnings) == 1 and "DefectDojo closes each finding" in warnings[0]


def test_one_path_is_not_a_list():
    with pytest.raises(AnsibleFilterError, match="estate_files is a text: give a list of paths"):
        findings_export(document([row(1)]), "sarif", estate_files="estate.yml")


def test_several_files_come_with_a_warning(monkeypatch):
    monkeypatch.setattr(sarif, "MOST_RESULTS", 1)
    monkeypatch.setattr(sarif, "MOST_RUNS", 1)
    warnings = []
    monkeypatch.setattr(_plugin.Display, "warning", lambda self, text, **options: warnings.append(text))
    files = findings_export(document([row(1), row(2)]), "sarif", fallback_file="estate.yml")
    assert [file["name"] for file in files] == ["gate.sarif", "gate-2.sarif"]
    assert len(warnings) == 1 and "2 files" in warnings[0]


# --- examples


@pytest.fixture(scope="module")
def _collection_loader():
    install_collection_loader()


@pytest.mark.usefixtures("_collection_loader")
def test_the_examples_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    (tmp_path / "results/gate.json").write_text(json.dumps(mixed()), encoding="utf-8")
    (tmp_path / "estate.yml").write_text(ESTATE, encoding="utf-8")
    loader = DataLoader()
    loader.set_basedir(str(tmp_path))

    def template(text, **variables):
        return ansible.template.Templar(loader, {"judged": mixed(), "read": FOUND, **variables}).template(trusted(text))

    tasks = yaml.safe_load(_plugin.EXAMPLES)
    assert len(tasks) == 3
    for task in tasks:
        options = task["ansible.builtin.copy"]
        for item in template(task["loop"]) if "loop" in task else [None]:
            assert template(options["dest"], item=item).startswith("results/")
            content = template(options["content"], item=item)
            # some releases of ansible-core read JSON in templates
            text = content if isinstance(content, str) else json.dumps(content)
            assert "Weak cipher" in text


def test_no_error_and_no_warning_of_the_filter_is_a_command_of_a_pipeline(tmp_path, monkeypatch):
    evil = "##vso[x] ::error::y"
    warned = []
    monkeypatch.setattr(_plugin.Display, "warning", lambda _self, text, *_rest, **_named: warned.append(text))
    of = _plugin.write("csv", _plugin.read_document(document([row(1)]), False), Choices())
    monkeypatch.setattr(_plugin, "write", lambda *_given: of._replace(warnings=[evil]))
    findings_export(document([row(1)]), "csv")
    with pytest.raises(AnsibleFilterError) as caught:
        findings_export(document([row(1)]), evil)
    assert warned == ["# #vso[x] : :error: :y"]
    assert "# #vso[x] : :error: :y" in str(caught.value)
