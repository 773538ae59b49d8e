# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The table of forms: a sample of its cells, its classes, and that it has every module and every setting of answers."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from unittest import mock

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._contract.assumptions import ROWS
from ansible_collections.scanops.scanner.tests.faults.invariants import Outcome, Usual
from ansible_collections.scanops.scanner.tests.faults.state import State
from ansible_collections.scanops.scanner.tests.faults.worker import bench
from ansible_collections.scanops.scanner.tests.forms.attempt import all_cells, attempt, sample
from ansible_collections.scanops.scanner.tests.forms.classes import CLASSES, classify
from ansible_collections.scanops.scanner.tests.forms.known import SETTLED, UNDETECTABLE, WRONG
from ansible_collections.scanops.scanner.tests.forms.table import FORMS, TASKS, Form, tasks
from ansible_collections.scanops.scanner.tests.service.settings import SETTINGS
from ansible_collections.scanops.scanner.tests.unit.plugins.modules import scenarios
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.run_module import run_module

# settings that do not concern the form of an answer: what the account, the plan and the tools are, limits, files, times
OTHERS = {
    "max_targets",
    "max_name",
    "blacklist",
    "licence_valid",
    "api_access",
    "target_deletion",
    "rate_limits",
    "delay",
    "clock",
    "scan_queue_time",
    "scan_run_time",
    "scan_end",
    "scan_findings",
    "scan_scripts",
    "running_summary",
    "running_output",
    "raw_only_tools",
    "report_size",
    "report_type",
    "schema",
    "schema_text",
    "validate",
    "max_parallel_scans",
    "max_assets",
    "redirecting_targets",
    "unreachable_targets",
    "least_scan_time",
    "scan_time_status",
    # test_stored_texts.py tries its forms
    "stored_text",
}


@pytest.mark.slow
def test_no_cell_of_the_sample_is_silently_wrong():
    every = tasks()
    with mock.patch.dict(os.environ), bench() as place:
        tried = [attempt(every, place, cell) for cell in sample(all_cells(every), 1)]
    assert [(str(each.cell), each.problem) for each in tried if each.problem] == []
    counts = Counter(each.verdict.name for each in tried)
    print(counts)
    # the sample has something of every class
    assert set(counts) <= set(CLASSES) and counts["same"] > len(FORMS) / 2


def test_the_table_has_every_form_and_every_module():
    used = {name for form in FORMS.values() for name in form.settings}
    assert used | OTHERS == set(SETTINGS) and not used & OTHERS
    assert set(tasks()) == set(TASKS)
    # these say what the service is like, so that their results differ with its forms
    assert {task.module for task in tasks().values()} == set(scenarios.MODULES) - {
        "service_info",
        "service_verification",
    }


def test_what_is_known_is_in_the_table():
    known = [*SETTLED, *UNDETECTABLE, *WRONG]
    assert len(known) == len(set(known))
    assert {form for form, _task in known} <= set(FORMS)
    assert {task for _form, task in known} <= set(TASKS)


def test_no_cell_is_known_to_be_wrong():
    assert WRONG == {}


@pytest.mark.slow
@pytest.mark.parametrize("form, task", UNDETECTABLE)
def test_the_verification_does_not_confirm_what_a_task_cannot_notice(service, form, task):
    assumption = UNDETECTABLE[form, task].assumption
    (row,) = [row for row in ROWS if row.name == assumption]
    assert row.judge and not row.safe and task.partition("-")[0] in row.modules.split()
    for settings, expected in (({}, "confirmed"), (FORMS[form].settings, "refuted")):
        service.reset(settings={"rate_limits": None, **settings}, state=scenarios.ACCOUNT)
        service.allow_violations = True
        options = dict(base_url=service.base_url, api_key=service.api_key)
        rows = run_module("service_verification", options)["rows"]
        assert [each["verdict"] for each in rows if each["name"] == assumption] == [expected]


def test_the_sample_is_fixed_and_has_each_form_and_task():
    cells = all_cells(tasks())
    chosen = sample(cells, 1)
    assert chosen == sample(list(reversed(cells)), 1)[::-1]
    assert {cell.form for cell in chosen} == set(FORMS) and {cell.task for cell in chosen} == set(TASKS)
    assert {(cell.form, cell.task) for cell in chosen} >= {*SETTLED, *UNDETECTABLE, *WRONG}


# --- classes

ONE = {"id": 1, "name": "a.example", "workspace_id": 7, "description": ""}
FAMILIES = {family: [] for family in ("workspaces", "targets", "scans", "reports", "findings", "http_loggers")}
BEFORE = State({**FAMILIES, "targets": [ONE]})
WITHOUT = State(FAMILIES, BEFORE)
CHANGED = State({**FAMILIES, "targets": [{**ONE, "description": "x"}]}, BEFORE)
KEY = "a-key"


def outcome(state=BEFORE, **result):
    return Outcome(repr(result), [], state, {}, result)


READ = outcome(changed=False, targets=[{"id": 1, "name": "a", "type": "url"}])
READS = Usual(BEFORE, {}, READ, READ, READ, "target_info", False)
DELETED = outcome(WITHOUT, changed=True)
DELETES = Usual(BEFORE, {}, DELETED, DELETED, outcome(WITHOUT, changed=False), "target", False)
TYPES = Form({}, frozenset({"type"}), warns="one is missing")


@pytest.mark.parametrize(
    "expected, usual, run",
    [
        ("same", READS, READ),
        ("same", DELETES, DELETED),
        ("handed_on", READS, outcome(changed=False, targets=[{"id": 1, "name": "a", "type": None}])),
        ("wrong", READS, outcome(changed=False, targets=[{"id": 1, "name": "b", "type": "url"}])),
        ("wrong", READS, outcome(changed=False, targets=[])),
        ("warned", READS, outcome(changed=False, targets=[], warnings=["one is missing"])),
        # a warning about something else
        ("wrong", READS, outcome(changed=False, targets=[], warnings=["No workspace is given."])),
        ("incomplete", READS, outcome(changed=False, targets=[], complete=False, doubts=["one is missing"])),
        ("safe", READS, outcome(failed=True, changed=False, msg="It failed.")),
        ("wrong", READS, outcome(failed=True, changed=False, msg="")),
        ("wrong", READS, outcome(WITHOUT, changed=False, targets=READ.result["targets"])),
        # a delete that is answered and not done
        ("wrong", DELETES, outcome(BEFORE, changed=True)),
        ("warned", DELETES, outcome(BEFORE, changed=True, warnings=["one is missing"])),
        ("wrong", DELETES, outcome(BEFORE, changed=True, warnings=["it still exists"])),
        ("wrong", DELETES, outcome(WITHOUT, changed=False)),
        ("wrong", READS, outcome(CHANGED, changed=True, targets=[], warnings=["it was changed"])),
        ("safe", DELETES, outcome(WITHOUT, failed=True, changed=True, msg="It was deleted, and then it failed.")),
        ("wrong", DELETES, outcome(WITHOUT, failed=True, changed=False, msg="It failed.")),
    ],
)
def test_classes(expected, usual, run):
    assert classify(run, usual, TYPES, KEY).name == expected


def test_doubts_that_the_usual_run_has_say_nothing_about_a_form():
    doubtful = outcome(changed=False, complete=False, doubts=["one may be missing"], targets=[])
    usual = replace(READS, run=doubtful, twin=doubtful)
    for doubts, expected in ((["one may be missing"], "wrong"), (["one may be missing", "another one"], "incomplete")):
        run = outcome(changed=False, complete=False, doubts=doubts, targets=[{"id": 1}])
        assert classify(run, usual, TYPES, KEY).name == expected


def test_rows_in_another_order_are_the_same_where_the_form_says_so():
    rows = [{"id": 1}, {"id": 2}]
    usual = replace(READS, run=outcome(changed=False, targets=rows), twin=outcome(changed=False, targets=rows))
    run = outcome(changed=False, targets=rows[::-1])
    assert classify(run, usual, TYPES, KEY).name == "wrong"
    assert classify(run, usual, TYPES._replace(unordered=True), KEY).name == "same"
