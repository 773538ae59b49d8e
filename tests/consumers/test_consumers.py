# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The exports in the programs that read them, and the recipes of the guide for Open Policy Agent. A program that this machine
lacks skips its tests."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import junitparser
import pytest
from google.protobuf import json_format
from in_toto_attestation.predicates.test_result.v0.test_result_pb2 import TestResult
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(CHECKOUT / "tests" / "page"), str(CHECKOUT / "tests" / "unit" / "plugins" / "module_utils")]
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.document import Choices  # noqa: E402
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.registry import write  # noqa: E402
from browser import Browser, find_chromium  # noqa: E402
from gate_documents import HOSTILE, broken, document, mixed, pair, row, waived  # noqa: E402

MULTITOOL, AXE, SHEETJS = "@microsoft/sarif-multitool@5.7.0", "axe-core@4.10.3", "xlsx@0.18.5"
OFFICE, NPM, CHROMIUM = shutil.which("soffice"), shutil.which("npm"), find_chromium()
# the characters between cells, by their codes
SEPARATORS = {"comma": 44, "semicolon": 59, "tab": 9}
# ids that a spreadsheet takes for numbers or dates
IDS = ["0012", "1/2", "1E5", "1-2", "1.10", "5%", "(5)", "1,5", "12345678901234567890"]
# what begins a formula after a separator, a line break or a quote
FORMULAS = ["a;=1+1", 'a; "=1+1"', "a\n=1+1;b", "a\r\n;=1+1", "a\t=1+1", '";=1+1', 'x,"\n=1+1', "=1+1;=1+1"]


# pytest would take the class for a test
TestResult.__test__ = False


def file_of(name, of):
    subjects = [{"name": "ghcr.io/example/shop", "sha256": "0123456789abcdef" * 4}]
    (artefact,) = write(name, of, Choices(fallback="estate.yml", subjects=subjects)).artefacts
    return artefact.text


@pytest.fixture(scope="session")
def npm(tmp_path_factory):
    """Install a package of npm, and return its directory. The versions are pinned; no script of a package runs."""
    place = tmp_path_factory.mktemp("npm")

    def install(package):
        if NPM is None:
            pytest.skip("No npm was found: install Node.js")
        command = [NPM, "install", "--prefix", str(place), "--ignore-scripts", "--no-audit", "--no-fund", package]
        subprocess.run(command, check=True, capture_output=True, timeout=300)
        return place / "node_modules" / package.rpartition("@")[0]

    return install


@pytest.mark.parametrize("of", [mixed(), document([])], ids=["mixed", "empty"])
def test_sarif_multitool_finds_no_fault_by_the_rules_of_github(npm, tmp_path, of):
    if sys.platform != "linux":
        pytest.skip("The program of this test is for Linux")
    (tmp_path / "gate.sarif").write_text(file_of("sarif", of), encoding="utf-8")
    package = npm(MULTITOOL)
    program = package.parent / "sarif-multitool-linux" / "Sarif.Multitool"
    # a script of the package would do it
    program.chmod(0o755)
    output = tmp_path / "faults.sarif"
    command = [
        program, "validate", tmp_path / "gate.sarif", "--rule-kind", "Sarif;Gh", "--level", "Error;Warning;Note",
        "--output", output,
    ]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    faults = json.loads(output.read_text(encoding="utf-8-sig"))["runs"][0]["results"]
    # notes are advice; without one, the validation did not run
    assert faults and [each for each in faults if each.get("level") != "note"] == []


def test_junitparser_counts_each_finding_once(tmp_path):
    (tmp_path / "gate.xml").write_text(file_of("junit", mixed()), encoding="utf-8")
    cases = [case for suite in junitparser.JUnitXml.fromfile(str(tmp_path / "gate.xml")) for case in suite]
    results = Counter(type(result).__name__ for case in cases for result in case.result)
    assert results == {"Failure": 4, "Skipped": 2}
    # a finding has the same name in each report
    (alone,) = [row for row in mixed()["findings"] if row["fingerprint"].endswith("9")]
    (tmp_path / "alone.xml").write_text(file_of("junit", document([alone])), encoding="utf-8")
    names = [case.name for suite in junitparser.JUnitXml.fromfile(str(tmp_path / "alone.xml")) for case in suite]
    assert set(names) <= {case.name for case in cases}
    # a test for each target, too
    assert len(cases) == len(mixed()["findings"]) + 3
    assert len({(case.classname, case.name) for case in cases}) == len(cases)
    assert {case.time for case in cases} == {900.0, 0.0}
    assert junitparser.JUnitXml.fromfile(str(tmp_path / "gate.xml")).time == 3 * 900.0


@pytest.mark.parametrize("of", [mixed(), broken(), document([])], ids=["mixed", "broken", "empty"])
def test_in_toto_reads_the_attestation_as_it_is(of):
    """The messages of the package are the published schema; the specification lets readers ignore further fields."""
    text = file_of("attestation", of)
    written = json.loads(text)
    message = json_format.Parse(text, statement_pb2.Statement())
    Statement.copy_from_pb(message).validate()
    # no number is rounded, and no field is lost
    assert json_format.MessageToDict(message) == written
    predicate = {key: each for key, each in written["predicate"].items() if key != "scanops_gate"}
    result = json_format.ParseDict(predicate, TestResult())
    assert result.result == ("PASSED" if of["passed"] else "FAILED")
    assert json_format.MessageToDict(result) == {key: each for key, each in predicate.items() if each}
    with pytest.raises(json_format.ParseError, match="scanops_gate"):
        json_format.ParseDict(written["predicate"], TestResult())


@pytest.mark.skipif(OFFICE is None, reason="No LibreOffice was found: install libreoffice-calc")
@pytest.mark.parametrize("separator", SEPARATORS)
def test_libreoffice_runs_no_cell(separator, tmp_path):
    texts = [*FORMULAS, *(text for text in HOSTILE.values() if len(text) < 1000)]
    rows = [
        row(number, name=text, evidence=text, description=text, reasons=[text], references=[text], path=text)
        for number, text in enumerate(texts)
    ]

    def converted(text):
        (tmp_path / "gate.csv").write_text(text, encoding="utf-8")
        command = [
            OFFICE, f"-env:UserInstallation=file://{tmp_path}/profile", "--headless", "--convert-to", "fods",
            # quotes, Unicode, the first line, all columns as they are, formulas evaluated
            f"--infilter=CSV:{SEPARATORS[separator]},34,76,1,,0,false,true,false,false,false,-1,true",
            "--outdir", str(tmp_path), str(tmp_path / "gate.csv"),
        ]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True, timeout=180)
        return re.findall(r'table:formula="([^"]*)"', (tmp_path / "gate.fods").read_text(encoding="utf-8"))

    # the same options run a formula
    assert converted('"a"\r\n=1+1\r\n')
    assert converted(file_of("csv", document(rows))) == []


def test_ids_stay_texts_in_a_spreadsheet(npm, tmp_path):
    node = shutil.which("node")
    package = npm(SHEETJS)

    def column(text):
        """The cells of the column check below its head, as the program reads them."""
        (tmp_path / "gate.csv").write_text(text, encoding="utf-8")
        script = (
            f"const sheets = require({json.dumps(str(package))}).readFile({json.dumps(str(tmp_path / 'gate.csv'))}).Sheets;"
            "const [head, ...rows] = require(process.argv[1]).utils.sheet_to_json(sheets.Sheet1, {header: 1});"
            "console.log(JSON.stringify(rows.map((row) => row[head.indexOf('check')])));"
        )
        done = subprocess.run(
            [node, "-e", script, str(package)], check=True, capture_output=True, text=True, timeout=60
        )
        return json.loads(done.stdout)

    # without the apostrophe, each is a number
    assert [each for each in column("\r\n".join(["check", *IDS, ""])) if isinstance(each, str)] == []
    rows = [row(number, check=each) for number, each in enumerate(IDS)]
    assert column(file_of("csv", document(rows))) == [f"'{each}" for each in IDS]


@pytest.mark.skipif(
    CHROMIUM is None, reason="No Chromium or Chrome was found: install one, or set CHROMIUM to its path"
)
@pytest.mark.parametrize("of", [mixed(), broken(), document([])], ids=["mixed", "broken", "empty"])
def test_axe_finds_no_barrier_in_the_page(npm, tmp_path, of):
    script = (npm(AXE) / "axe.min.js").read_text(encoding="utf-8")
    (tmp_path / "gate.html").write_text(file_of("html", of), encoding="utf-8")
    with Browser(CHROMIUM) as browser:
        page = browser.open(tmp_path / "gate.html")
        page.run(f"{script}; 0")
        violations = page.run("axe.run().then((found) => found.violations.map((each) => `${each.id}: ${each.help}`))")
    assert violations == []


@pytest.fixture
def rego():
    """Evaluate the policy of docs/recipes with gate.json as its input; the value of a rule, without duplicates and sorted."""
    regopy = pytest.importorskip("regopy")
    policy = (CHECKOUT / "docs" / "recipes" / "gate.rego").read_text(encoding="utf-8")

    def run(rule, of, before=None):
        interpreter = regopy.Interpreter()
        interpreter.add_module("gate", policy)
        interpreter.add_data_json(json.dumps({"before": before or document([])}))
        interpreter.set_input(of)
        (found,) = json.loads(str(interpreter.query(f"data.gate.{rule}")))["expressions"]
        return found

    return run


def test_the_recipes_for_open_policy_agent_say_the_same_as_those_for_jq(rego):
    exploited = [row(1, known_exploited=True, name="A"), row(2, known_exploited=True, change="known"), row(3)]
    assert rego("deny", document(exploited)) == ["A"]
    assert rego("deny", document(exploited[1:])) == []
    other = waived(2, waiver={**waived(2)["waiver"], "owner": "team-db"})
    assert rego("waived", document([row(9), waived(1), other, waived(3)])) == {"team-db": 1, "team-web": 2}
    of = document([], [pair(), pair("b.example", "web", status="stopped", outcome="scan_failed")])
    assert rego("unscanned", of) == [["b.example", "web", "scan_failed"]]
    compared = rego("compared", document([row(2), row(3)]), document([row(1), row(2)]))
    assert compared == {"gone": [row(1)["fingerprint"]], "came": [row(3)["fingerprint"]]}
    assert rego("text", mixed()) == "findings: 4 of 10 findings fail."
