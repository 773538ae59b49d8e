# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a filter makes of untrusted text is data: each filter hands it to ``unsafe``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ansible_collections.scanops.scanner.plugins.filter import (
    estate_yaml,
    findings_export,
    plan_markdown,
    plan_record,
    reviewed_plan,
)
from ansible_collections.scanops.scanner.plugins.module_utils._estate.outcome import as_result
from ansible_collections.scanops.scanner.plugins.module_utils._estate.plan import ACTIONS, Step
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.registry import FORMATS
from ansible_collections.scanops.scanner.plugins.module_utils._model.families import TARGET
from ansible_collections.scanops.scanner.tests.unit.plugins.marked_text import TEMPLATE, assert_marked, observe
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_documents import document, row

STEP = Step("create", TARGET, TEMPLATE, "a.example", after={"name": "a.example", "description": TEMPLATE})
RESULT = {"plan": as_result([STEP], 5), "summary": dict.fromkeys(ACTIONS, 0)}
# of the plan of RESULT, as a file
RECORD = json.dumps(plan_record.plan_record(RESULT))
# formats that neither escape braces nor need the files of an estate
PLAIN = sorted(FORMATS.keys() - {"json", "html", "markdown", "sarif"})

CASES = {
    "estate_yaml": lambda: estate_yaml.estate_yaml([{"name": TEMPLATE}]),
    "plan_markdown": lambda: plan_markdown.plan_markdown({**RESULT, "failed": True, "msg": TEMPLATE}),
    "plan_record": lambda: plan_record.plan_record(RESULT),
    "reviewed_plan": lambda: reviewed_plan.reviewed_plan(RECORD, as_result([], 5)),
}


def test_each_filter_that_marks_text_has_a_case():
    files = Path(estate_yaml.__file__).parent.glob("*.py")
    marking = {path.stem for path in files if "import unsafe" in path.read_text(encoding="utf-8")}
    assert marking == {*CASES, "findings_export"}


@pytest.mark.parametrize("name", CASES)
def test_untrusted_text_is_marked(monkeypatch, name):
    observe(monkeypatch, globals()[name])
    assert_marked(CASES[name]())


@pytest.mark.parametrize("format", PLAIN)
def test_untrusted_text_of_an_export_is_marked(monkeypatch, format):
    observe(monkeypatch, findings_export)
    found = document([row(0, name=TEMPLATE), row(1, name=TEMPLATE, state="below", due="2026-12-31")])
    options = {}
    if format == "attestation":
        # it has no names of findings
        found["targets"][0]["target"] = TEMPLATE
        options["subjects"] = [{"name": "shop", "sha256": "a" * 64}]
    assert_marked(findings_export.findings_export({"playbook_dir": "/srv"}, found, format, **options))
