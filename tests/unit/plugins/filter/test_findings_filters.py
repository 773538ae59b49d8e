# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filters that export the findings of a gate."""

from __future__ import annotations

import importlib
import json

import ansible.template
import pytest
import yaml
from ansible.errors import AnsibleFilterError
from ansible.parsing.dataloader import DataLoader
from ansible_collections.scanops.scanner.plugins.filter.findings_csv import findings_csv
from ansible_collections.scanops.scanner.plugins.filter.findings_defectdojo import findings_defectdojo
from ansible_collections.scanops.scanner.plugins.filter.findings_gitlab import findings_gitlab
from ansible_collections.scanops.scanner.plugins.filter.findings_html import findings_html
from ansible_collections.scanops.scanner.plugins.filter.findings_junit import findings_junit
from ansible_collections.scanops.scanner.plugins.filter.findings_markdown import findings_markdown
from ansible_collections.scanops.scanner.plugins.filter.findings_sarif import findings_sarif
from ansible_collections.scanops.scanner.plugins.module_utils._exports import sarif
from ansible_collections.scanops.scanner.plugins.module_utils._exports.formats import Choices, write
from ansible_collections.scanops.scanner.tests.unit.collection_loader import install_collection_loader
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_documents import document, mixed, row

try:
    from ansible.template import trust_as_template as trusted
except ImportError:
    # before ansible-core 2.19, every text is a template
    def trusted(text):
        return text


TEXTS = {
    "csv": findings_csv,
    "defectdojo": findings_defectdojo,
    "gitlab": findings_gitlab,
    "html": findings_html,
    "junit": findings_junit,
    "markdown": findings_markdown,
}
ESTATE = "estate:\n  - name: Web shop\n    targets:\n      - https://shop.example.com\n"


@pytest.mark.parametrize("name", TEXTS)
def test_a_result_of_the_module_and_gate_json_are_exported_alike(name):
    ((dummy, expected),) = write(name, mixed()).artefacts
    result = {**mixed(), "failing": [], "files": [], "changed": False, "failed": True, "msg": "The gate failed."}
    for given in (mixed(), json.dumps(mixed()), result):
        assert TEXTS[name](given) == expected


@pytest.mark.parametrize("name", ["gitlab", "defectdojo"])
def test_every_lists_all_findings(name):
    ((dummy, expected),) = write(name, mixed(), Choices(every=True)).artefacts
    assert TEXTS[name](mixed(), every=True) == expected != TEXTS[name](mixed())


@pytest.mark.parametrize("name", [*TEXTS, "sarif"])
@pytest.mark.parametrize("given", [None, 7, "x", [], {}, {"changed": False}])
def test_anything_else_is_refused_with_a_sentence(name, given):
    with pytest.raises(AnsibleFilterError, match=rf"^findings_{name}: The input .*gate\.json\.$"):
        {**TEXTS, "sarif": findings_sarif}[name](given)


@pytest.mark.parametrize("name", [*TEXTS, "sarif"])
def test_failing_findings_alone_are_enough_for_markdown_only(name):
    given = {**document([row(1), row(2, state="below")]), "findings": [row(1)]}
    if name == "markdown":
        assert "### Failing" in findings_markdown(given)
    else:
        with pytest.raises(AnsibleFilterError, match=r"has 1 of 2 findings, .*remove rows: failing"):
            {**TEXTS, "sarif": findings_sarif}[name](given)


# --- SARIF


def test_sarif_reads_the_lines_of_estate_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "estate.yml").write_text(ESTATE, encoding="utf-8")
    (file,) = findings_sarif(document([row(1)]), "full", ["estate.yml"], category="nightly")
    assert file["name"] == "gate.sarif"
    (run,) = json.loads(file["content"])["runs"]
    assert run["results"][0]["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "estate.yml"},
        "region": {"startLine": 4},
    }
    assert run["automationDetails"]["id"] == "nightly/"
    assert "evidence" in run["results"][0]["properties"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, r"names a file that cannot be read, '.*estate\.yml' \(No such file or directory\): correct the path"),
        (b"\xff\xfe", r"cannot be read, .* \('utf-8' codec"),
        (b"a: [", r"findings_sarif: The estate file .* is not valid YAML"),
    ],
)
def test_an_estate_file_that_cannot_be_read_is_named(content, message, tmp_path):
    path = tmp_path / "estate.yml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(AnsibleFilterError, match=message):
        findings_sarif(document([row(1)]), estate_files=[str(path)])


def test_one_path_is_not_a_list():
    with pytest.raises(AnsibleFilterError, match="estate_files is a text: give a list of paths"):
        findings_sarif(document([row(1)]), estate_files="estate.yml")


def test_several_files_come_with_a_warning(monkeypatch):
    monkeypatch.setattr(sarif, "MOST_RESULTS", 1)
    warnings = []
    module = importlib.import_module(findings_sarif.__module__)
    monkeypatch.setattr(module.Display, "warning", lambda self, text, **options: warnings.append(text))
    files = findings_sarif(document([row(1), row(2)]), fallback_file="estate.yml")
    assert [file["name"] for file in files] == ["gate-1.sarif", "gate-2.sarif"]
    assert len(warnings) == 1 and "2 files" in warnings[0]


# --- examples


@pytest.fixture(scope="module")
def _collection_loader():
    install_collection_loader()


@pytest.mark.usefixtures("_collection_loader")
@pytest.mark.parametrize("name", [*TEXTS, "sarif"])
def test_the_examples_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    (tmp_path / "results/gate.json").write_text(json.dumps(mixed()), encoding="utf-8")
    (tmp_path / "estate.yml").write_text(ESTATE, encoding="utf-8")
    module = importlib.import_module(f"ansible_collections.scanops.scanner.plugins.filter.findings_{name}")
    loader = DataLoader()
    loader.set_basedir(str(tmp_path))

    def template(text, **variables):
        return ansible.template.Templar(loader, {"judged": mixed(), **variables}).template(trusted(text))

    tasks = yaml.safe_load(module.EXAMPLES)
    assert len(tasks) == 2
    for task in tasks:
        options = task["ansible.builtin.copy"]
        for item in template(task["loop"]) if "loop" in task else [None]:
            assert template(options["dest"], item=item).startswith("results/g")
            content = template(options["content"], item=item)
            # some releases of ansible-core read JSON in templates
            text = content if isinstance(content, str) else json.dumps(content)
            assert "Weak cipher" in text
