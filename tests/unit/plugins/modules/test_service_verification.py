# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
import yaml
from ansible_collections.scanops.scanner.plugins.module_utils._contract.assumptions import ROWS
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scenarios import ACCOUNT
from ansible_collections.scanops.scanner.tests.unit.sampling import one_of_each, pairs

pytestmark = pytest.mark.slow

LIMITS = {"GET": 100000, "write": 90000, "output": 100000}


RATES = {"X-RateLimit-Limit": 1000, "X-RateLimit-Remaining": 900}
COUNTS = {"text": "", "critical": 0, "high": 1, "medium": 0, "low": 0, "info": 2}

FIELDS = (
    "id", "workspace_id", "target_id", "tool_id", "task_id", "name", "label", "type", "status_name", "format", "num_words",
    "num_requests", "requests", "result_summary", "start_time", "duration", "description", "created_id", "risk_level", "cve",
)  # fmt: skip

# what a service that differs from some assumptions is like, what this refutes, and what it hides
DEVIATIONS = {
    **yaml.safe_load(Path(__file__).with_name("deviations.yml").read_text(encoding="utf-8")),
    "counts as text": {
        "refutes": ["scan-counts"],
        "hides": ["findings-whole"],
        "state": {
            "scans": [
                {**ACCOUNT["scans"][0], "result_summary": {name: str(count) for name, count in COUNTS.items()}},
                *ACCOUNT["scans"][1:],
            ]
        },
    },
    "no findings": {
        "hides": ["scan-counts", "findings-whole", "scan-status-filter"],
        "state": {
            "scans": [{**scan, "result_summary": dict.fromkeys(COUNTS, 0)} for scan in ACCOUNT["scans"]],
            "findings": [],
        },
    },
}
# rows of an account, and the assumptions that they refute
ODD_ROWS = {
    "an unknown status": ("scans", {"status_name": "exploded"}, {"scan-outcomes"}),
    "a status in capitals": ("scans", {"status_name": "Stopped"}, set()),
    "an unknown tool": ("scans", {"tool_id": 999}, {"tools"}),
    "an unknown risk": ("findings", {"risk_level": 7}, {"risk-levels"}),
    "cves as text": ("findings", {"cve": "CVE-2021-44228"}, {"cve"}),
    "a status as a number": ("findings", {"status": 3}, {"finding-status"}),
}
# a scan that has ended with five findings, and three findings of others
WEB = {"tool_id": 170, "target": "www.example.com", "workspace": "Web shop"}
RUNNING = {**WEB, "status_name": "running"}
STATE = {
    **ACCOUNT,
    "scans": [
        {**ACCOUNT["scans"][0], "result_summary": COUNTS},
        *ACCOUNT["scans"][1:],
        {"id": 40004, **RUNNING, "age": 3600, "script": {"run": 60}},
        {"id": 40005, **WEB, "tool_id": 30, "target": "192.0.2.7", "status_name": "stopped", "age": 3600},
        {"id": 40006, **RUNNING, "age": 300, "script": {"run": 100000}},
    ],
    "findings": [
        *ACCOUNT["findings"],
        *(
            {"id": 70010 + task, "name": "Cookie", "task_id": 40000 + task % 3, "workspace": "Web shop"}
            for task in (1, 2, 4)
        ),
    ],
}


def verified(run, **options):
    result = run("service_verification", **options)
    assert not result.failed, result.msg
    return result


def refuted(result):
    return names_of(result, "refuted")


@pytest.fixture
def full(account):
    """The account of the scenarios, and limits that show their headers."""
    account.reset(settings={"rate_limits": LIMITS, "validate": True}, state=STATE)
    return account


def test_the_local_service_refutes_nothing(full, run):
    result = verified(run, writes=True)
    assert refuted(result) == set()
    assert result["summary"]["confirmed"] > 55
    assert not result.changed


def verdict(result, name):
    (row,) = [row for row in result["rows"] if row["name"] == name]
    return row["verdict"], row["seen"]


def names_of(result, verdict):
    return {row["name"] for row in result["rows"] if row["verdict"] == verdict}


def kinds_of(name):
    deviation = DEVIATIONS[name]
    return [*deviation.get("settings", ()), *deviation.get("refutes", ()), *deviation.get("hides", ())]


@pytest.mark.parametrize("name", one_of_each(DEVIATIONS, kinds_of))
def test_a_deviating_service_confirms_nothing_false(full, run, name):
    form = {"settings": {}, "state": {}, "faults": [], "refutes": [], "hides": [], "writes": False, **DEVIATIONS[name]}
    full.reset(settings={"rate_limits": LIMITS, **form["settings"]}, state={**STATE, **form["state"]})
    for fault in form["faults"]:
        answer = {"content_type": "application/json"} if "body" in fault else {}
        full.fault(**{"method": "GET", "times": None, "headers": RATES, **answer, **fault})
    full.allow_violations = True
    result = run("service_verification", writes=form["writes"])
    assert result.failed == (name == "deletes that do nothing"), result.msg
    assert names_of(result, "refuted") == set(form["refutes"])
    assert names_of(result, "confirmed") & set(form["hides"]) == set()
    assert result.failed or "verify-" not in json.dumps(full.state()).lower()


def test_a_list_without_an_end_is_found(full, run):
    full.settings(endless_lists=True)
    full.allow_violations = True
    assert "past-end" in refuted(verified(run))


@pytest.mark.parametrize("name", ODD_ROWS)
def test_an_odd_row_is_found(full, run, name):
    family, fields, expected = ODD_ROWS[name]
    odd = {**WEB, "name": "Odd", **fields}
    full.add(**{family: [odd if family == "scans" else {**odd, "task_id": 40004}]})
    # the summary of a scan that has ended does not count it
    assert refuted(verified(run)) - {"scan-counts"} == expected


@pytest.mark.parametrize(
    "settings",
    [
        *({"time_form": form} for form in ("offset", "utc", "unix", "unix_ms")),
        {"page_cap": 1}, {"order": "newest_first"}, {"clock_offset": 7200}, {"unknown_workspace": "empty"},
        {"report_status": "none"}, {"report_status": "status_name"}, {"raw_only_tools": [170]},
        {"target_deletion": False},
    ],
    ids=str,
)  # fmt: skip
def test_accepted_forms_are_not_refuted(full, run, settings):
    full.settings(**settings)
    assert refuted(verified(run, writes=True)) == set()


@pytest.mark.parametrize(
    "settings",
    [{"max_targets": 0}, {"licence_valid": False}, {"blacklist": ["verify.example.com"]}],
    ids=str,
)
def test_a_target_that_the_account_does_not_permit_is_not_tried(full, run, settings):
    full.settings(**settings)
    result = verified(run, writes=True, target="verify.example.com")
    assert refuted(result) == set()
    assert verdict(result, "create-refusals")[0] == "confirmed"
    judged, seen = verdict(result, "name-spelling")
    assert judged == "not tried" and seen.startswith("POST /targets: status 403, an object with ")
    assert verdict(result, "create-answer")[0] == "confirmed"


@pytest.mark.parametrize("options", [{}, {"check": True, "writes": True}], ids=str)
def test_without_writes_only_reads_are_sent(full, run, options):
    result = verified(run, **options)
    assert {entry["method"] for entry in full.log()} == {"GET"}
    assert verdict(result, "create-answer") == ("not tried", "requires writes: true")


def test_created_objects_are_deleted(full, run):
    before = full.state()
    verified(run, writes=True)
    after = full.state()
    for family in ("workspaces", "targets", "http_loggers"):
        assert [row["id"] for row in after[family]] == [row["id"] for row in before[family]]
    created = [entry for entry in full.log() if entry["method"] == "POST" and entry["status"] == 201]
    assert len(created) == 8


def test_an_object_that_its_list_lacks_is_found(full, run):
    full.fault(method="GET", path="/http_loggers", action="wrong_type", data=[], times=None)
    result = verified(run, writes=True)
    assert verdict(result, "created-listed") == ("refuted", "missing in its list: HTTP logger")


def test_a_workspace_that_cannot_be_deleted_is_named(full, run):
    full.fault(method="DELETE", path="/workspaces/.*", action="status", status=500, times=9)
    result = run("service_verification", writes=True)
    assert result.failed
    assert result.changed
    assert "could not be deleted" in result.msg
    assert "verify-" in result.msg.lower()


def test_the_result_has_no_text_of_the_account(full, run):
    text = json.dumps([verified(run, writes=True)["rows"], verified(run, writes=True)["summary"]])
    words = [row[key] for rows in ACCOUNT.values() if isinstance(rows, list) for row in rows if isinstance(row, dict)
             for key in ("name", "label", "description") if isinstance(row.get(key), str) and len(row[key]) > 4]  # fmt: skip
    assert words
    assert [word for word in words if word in text] == []


def test_most_assumptions_are_not_tried_with_an_empty_account(service, run):
    service.reset(settings={"rate_limits": LIMITS})
    result = verified(run)
    assert refuted(result) == set()
    assert result["summary"]["not tried"] > 20


# --- whatever the service does

HTML = {"action": "html", "status": 200}
ODD = [
    HTML,
    *({"action": "wrong_type", "data": data} for data in (None, 7, "text", {"items": [{"id": 1}]}, [None, 1, "x", []])),
    *(
        {"action": "wrong_type", "data": [dict.fromkeys(FIELDS, value)]}
        for value in (None, [1], {"a": 1}, "7", -1, True)
    ),
    *({"action": "wrong_type", "data": dict.fromkeys(FIELDS, value)} for value in ([1], "7")),
    {"action": "status", "status": 200, "body": "[1, 2", "content_type": "application/json"},
    {"action": "status", "status": 200, "body": {"results": []}, "content_type": "application/json"},
    {"action": "status", "status": 500},
    {"action": "redirect", "location": "https://elsewhere.example.com/"},
    {"action": "reset"},
]


@pytest.mark.parametrize("writes", [False, True])
@pytest.mark.parametrize("path", [".*", "/workspaces", "/(?!workspaces).*"])
@pytest.mark.parametrize("odd", one_of_each(ODD, lambda odd: [odd["action"], str(odd.get("data"))[:9]]), ids=str)
def test_the_table_is_complete_whatever_the_service_answers(full, run, odd, path, writes):
    full.fault(method="GET", path=path, times=None, **odd)
    full.allow_violations = True
    result = run("service_verification", writes=writes, retries=0)
    assert "unexpected error" not in result.msg, result.msg
    assert [row["name"] for row in result["rows"]] == [row.name for row in ROWS]
    assert [row for row in result["rows"] if not row["seen"]] == []
    left = json.dumps(full.state()).lower().count("verify-")
    assert not left or "could not be deleted" in result.msg


@pytest.mark.parametrize(
    "options, said",
    [({"api_key": "not-the-key"}, "401"), ({"base_url": "http://127.0.0.1:9/api/v2", "retries": 0}, "127.0.0.1:9")],
)
def test_a_service_that_cannot_be_asked_fails_with_a_table(full, run, options, said):
    result = run("service_verification", writes=True, **options)
    assert result.failed and not result.changed
    assert said in result.msg
    assert result["summary"]["confirmed"] <= 5 and result["summary"]["refuted"] == 0
    assert full.writes() == []


def test_a_refused_limit_is_said_and_everything_else_is_tried(full, run):
    before = names_of(verified(run), "confirmed")
    full.settings(max_limit=100)
    full.allow_violations = True
    result = verified(run)
    assert names_of(result, "confirmed") == before - {"pages", "scan-pages"}
    assert verdict(result, "scan-pages")[1].startswith("limit 1000: status 400")


def test_a_refusal_is_the_reason_of_what_was_not_tried(full, run):
    full.fault(method="GET", path="/scans", action="status", status=403, times=None)
    assert verdict(verified(run), "scan-outcomes")[1].startswith("GET /scans: status 403, an object with ")


def test_findings_are_searched_in_further_workspaces(full, run):
    full.add(
        workspaces=[{"id": 9, "name": "Late"}], targets=[{"id": 1009, "name": "late.example.com", "workspace": "Late"}]
    )
    full.reset(
        settings={"rate_limits": LIMITS},
        state={
            "workspaces": [{"id": 2, "name": "Clean"}, {"id": 3, "name": "Late"}],
            "targets": [
                {"id": 1000 + number, "name": f"{name}.example.com", "workspace": name}
                for number, name in enumerate(("Clean", "Late"))
            ],
            "scans": [
                {"id": 40001, "tool_id": 170, "target": "Clean.example.com", "workspace": "Clean"},
                {"id": 40002, "tool_id": 170, "target": "Late.example.com", "workspace": "Late",
                 "result_summary": {**COUNTS, "info": 0}},
            ],
            "findings": [{"id": 70001, "name": "Loose planks", "risk_level": 3, "task_id": 40002}],
        },
    )  # fmt: skip
    result = verified(run)
    tried = {"scan-counts", "finding-names", "finding-fields", "finding-status"}
    assert tried <= names_of(result, "confirmed")
    assert verdict(result, "risk-levels") == ("not tried", "true of 2 rows, none with 0, 4")


@pytest.mark.parametrize("setting", ["query", "form"])
def test_where_the_workspace_of_a_logger_is_read_is_said(full, run, setting):
    full.settings(logger_workspace=setting)
    result = verified(run, writes=True)
    other = {"query": "form", "form": "query"}[setting]
    judged, seen = verdict(result, "logger-workspace")
    assert judged == "confirmed" and f"in the {setting} alone: yes" in seen and f"in the {other} alone: no" in seen


def test_totals_are_compared_with_the_complete_list(full, run):
    full.settings(beside_data="total")
    full.allow_violations = True
    assert verdict(verified(run), "totals") == ("confirmed", "targets: 3 of 3 rows, scans: 5 of 5 rows")


def test_a_redirect_that_was_followed_is_seen(full, run):
    full.settings(redirects="slash")
    full.allow_violations = True
    judged, seen = verdict(verified(run), "redirects")
    assert judged == "refuted" and "GET /workspaces" in seen


# --- a failure at every call


SMALL = {"scans": [], "findings": [], "reports": [], "vpn_profiles": [], "http_loggers": [], "targets": [],
         "workspaces": [], "finding_templates": []}  # fmt: skip
CALLS = 65
ACTIONS = [
    {"action": "status", "status": 500},
    {"action": "reset", "when": "after"},
    {"action": "status", "status": 404},
    {"action": "html", "status": 200, "when": "after"},
]


@pytest.mark.parametrize("number, action", pairs(range(1, CALLS + 1), range(len(ACTIONS))))
def test_nothing_is_left_unnamed_after_a_failure_at_any_call(service, run, number, action):
    service.reset(settings={"rate_limits": None}, state=SMALL)
    service.fault(nth=number, **ACTIONS[action])
    result = run("service_verification", writes=True, retries=0, sleep=lambda _s: None)
    assert "unexpected error" not in result.msg, result.msg
    state = service.state()
    left = [
        row["id"]
        for family in ("workspaces", "targets", "http_loggers")
        for row in state[family]
        if "verify-" in json.dumps(row).lower()
    ]
    assert [object_id for object_id in left if f"(id {object_id})" not in result.msg] == []
    assert bool(left) <= result.failed and bool(left) <= result.changed


def test_each_call_of_a_run_with_writes_fails_once(service, run):
    service.reset(settings={"rate_limits": None}, state=SMALL)
    assert CALLS - 5 <= len(verified(run, writes=True).calls) <= CALLS


# --- the target


def test_a_declared_target_is_created(full, run):
    result = verified(run, writes=True, target="verify.shop.example.org", scope={"allow": ["shop.example.org"]})
    assert {entry["form"]["name"] for entry in full.log() if entry["path"] == "/targets" and entry["form"]} == {
        "verify.shop.example.org"
    }
    assert verdict(result, "name-spelling") == (
        "not tried",
        "target has no capital letter that the service could change",
    )
    assert verdict(result, "target-delete")[0] == "confirmed"


@pytest.mark.parametrize(
    "name, way",
    pairs(
        ["www.example.com", "WWW.example.com.", "here.example.com"],
        list(itertools.product([{}, {"create_answer": "nothing", "ignored_filters": ["workspace_id"]}], [False, True])),
    ),
    ids=str,
)
def test_an_existing_target_is_not_changed(full, run, name, way):
    settings, check = way
    full.settings(**settings)
    full.allow_violations = True
    before = full.state()
    result = run("service_verification", check=check, writes=True, target=name)
    assert result.failed
    assert "already exists" in result.msg
    assert full.writes() == []
    # a scan in progress goes on
    assert {**full.state(), "scans": []} == {**before, "scans": []}


def test_a_finding_is_sent_the_status_that_it_has(full, run):
    before = full.findings()
    result = verified(run, writes=True)
    assert verdict(result, "finding-update") == ("confirmed", "status 204; the value that it had was kept")
    (sent,) = [entry for entry in full.log() if entry["method"] == "PATCH"]
    assert (sent["path"], sent["json"]) == ("/findings/70015", {"status": {"value": "open"}})
    assert full.findings() == before


def test_a_finding_that_changed_all_the_same_is_named(full, run):
    changed = {**next(row for row in full.findings() if row["id"] == 70015), "status": "ignored"}
    full.fault(method="PATCH", path=".*", action="do", do="create", resource="findings", record=changed, times=1)
    full.fault(method="PATCH", path=".*", action="status", status=204)
    result = run("service_verification", writes=True)
    assert result.failed and result.changed
    assert (
        "The status of finding 70015 has changed, although the verification sent the one that it had, 'open'."
        in result.msg
    )
    assert verdict(result, "finding-update") == ("refuted", "status 204; the value that it had has changed")
    assert "verify-" not in json.dumps(full.state()).lower()


def test_without_a_finding_that_has_a_status_no_finding_is_changed(full, run):
    full.settings(missing_fields={"findings": ["status"]})
    result = verified(run, writes=True)
    assert verdict(result, "finding-update") == (
        "not tried",
        "an object that it requires was neither created nor found",
    )
    assert [entry for entry in full.log() if entry["method"] == "PATCH"] == []


def test_an_object_with_another_name_is_not_deleted(full, run):
    full.fault(method="POST", path="/targets", action="wrong_type", status=201, data={"created_id": 1001})
    verified(run, writes=True)
    assert [target["name"] for target in full.targets()] == [row["name"] for row in ACCOUNT["targets"]]
    assert "DELETE /targets/1001" not in full.calls()


@pytest.mark.parametrize("path", ["/workspaces", "/targets", "/http_loggers"])
def test_an_object_whose_create_answer_was_lost_is_deleted(full, run, path):
    before = full.state()
    full.fault(method="POST", path=path, action="reset", when="after")
    verified(run, writes=True)
    assert {family: full.state()[family] for family in ("workspaces", "targets", "http_loggers")} == {
        family: before[family] for family in ("workspaces", "targets", "http_loggers")
    }


def test_a_workspace_that_may_have_been_created_is_named(full, run):
    full.fault(method="POST", path="/workspaces", action="reset", when="after")
    full.fault(method="GET", path="/workspaces", nth=2, times=None, action="status", status=500)
    result = run("service_verification", writes=True)
    assert result.failed
    assert result.changed
    assert "may have been created" in result.msg
    assert result["summary"]["confirmed"] > 20
