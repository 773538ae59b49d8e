# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Set
from types import MappingProxyType
from typing import NamedTuple

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._contract.assumptions import ROWS
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scenarios import ACCOUNT
from ansible_collections.scanops.scanner.tests.unit.sampling import one_of_each, pairs

pytestmark = pytest.mark.slow

LIMITS = {"GET": 100000, "write": 90000, "output": 100000}
LISTS = ("workspaces", "targets", "http_loggers", "wordlists", "scans", "findings", "reports")


class Deviation(NamedTuple):
    """A service that differs from some assumptions: by settings of the local service, faults, or objects of the account."""

    settings: Mapping = MappingProxyType({})
    # the assumptions that it refutes
    refutes: Set = frozenset()
    # those that are false, too, or cannot be judged any more
    hides: Set = frozenset()
    faults: tuple = ()
    state: Mapping = MappingProxyType({})
    writes: bool = False


def fault(path, method="GET", **what):
    return {"method": method, "path": path, "times": None, "headers": RATES, **what}


def once(path, nth, status, **what):
    """The answer to the nth POST."""
    return fault(path, "POST", nth=nth, times=1, action="status", status=status, **what)


def answered(path, data, **what):
    return json_error(path, 200, {"data": data}, **what)


def without(family, field, *refuted, hides=()):
    return Deviation({"missing_fields": {family: [field]}}, {*refuted}, {*hides})


def json_error(path, status, body, **what):
    return fault(path, action="status", status=status, body=body, content_type="application/json", **what)


RATES = {"X-RateLimit-Limit": 1000, "X-RateLimit-Remaining": 900}
UNKNOWN = "/workspaces/2147483647"
COUNTS = {"text": "", "critical": 0, "high": 1, "medium": 0, "low": 0, "info": 2}

FIELDS = (
    "id", "workspace_id", "target_id", "tool_id", "task_id", "name", "label", "type", "status_name", "format", "num_words",
    "num_requests", "requests", "result_summary", "start_time", "duration", "description", "created_id", "risk_level", "cve",
)  # fmt: skip
# scans that have no findings
NO_FINDINGS = {"scans": [dict(scan, result_summary=dict.fromkeys(("text", *COUNTS), 0)) for scan in ACCOUNT["scans"]]}
FILTERED = ("scan-filters", "scan-status-filter")
DEVIATIONS = {
    # creates, updates and deletes
    "create record": Deviation({"create_answer": "record"}, {"create-answer"}, writes=True),
    "create 200": Deviation({"create_status": 200}, {"create-answer"}, writes=True),
    "create nothing": Deviation({"create_answer": "nothing"}, {"create-answer"}, writes=True),
    "delete 200": Deviation({"delete_status": 200}, {"delete-answer"}, writes=True),
    "deletes that do nothing": Deviation(
        {"deletes_done": False}, {"delete-answer", "target-delete"}, {"workspace-holds"}, writes=True
    ),
    "deletes answered 404": Deviation(
        {}, {"target-delete"}, faults=(fault("/targets/.*", "DELETE", action="status", status=404),), writes=True
    ),
    "a PUT that replaces": Deviation({"put_replaces": True}, {"partial-update"}, {"empty-description"}, writes=True),
    "a PUT without an empty description": Deviation(
        {}, {"empty-description"}, faults=(fault("/.*", "PUT", nth=2, action="status", status=422),), writes=True
    ),
    "a PUT with a budget of its own": Deviation(
        {},
        {"rate-limit-budgets"},
        writes=True,
        faults=(
            fault(
                "/.*",
                "PUT",
                action="status",
                status=204,
                when="after",
                headers={"X-RateLimit-Limit": LIMITS["GET"], "X-RateLimit-Remaining": LIMITS["GET"] - 1},
            ),
        ),
    ),
    "loggers of the current workspace": Deviation(
        {"logger_workspace": "form"},
        {"logger-workspace"},
        writes=True,
        faults=(answered("/http_loggers", [], query={"workspace_id": 4}),),
    ),
    "names in lower case": Deviation({"normalise_targets": True}, {"name-spelling"}, writes=True),
    "workspace names without case": Deviation(
        {},
        {"workspace-names"},
        {
            "partial-update",
            "empty-description",
            "target-names",
            "workspace-holds",
            "logger-workspace",
            "rate-limit-budgets",
        },
        faults=(once("/workspaces", 2, 409),),
        writes=True,
    ),
    "workspace names that repeat": Deviation(
        {},
        {"workspace-names", "created-listed"},
        faults=(once("/workspaces", 3, 201, body={"data": {"created_id": 1}}),),
        writes=True,
    ),
    "target names of the account": Deviation(
        {},
        {"target-names"},
        {"workspace-holds"},
        faults=(once("/targets", 3, 409),),
        writes=True,
    ),
    "a POST answered 308": Deviation(
        {},
        {"redirects"},
        {
            "create-answer",
            "created-listed",
            "delete-answer",
            "target-delete",
            "partial-update",
            "empty-description",
            "logger-workspace",
            "target-names",
            "workspace-holds",
            "name-spelling",
            "workspace-names",
            "rate-limit-budgets",
        },
        faults=(fault("/workspaces", "POST", action="redirect", status=308, location="/api/v2/workspaces/"),),
        writes=True,
    ),
    # envelopes and lists
    "bare lists": Deviation({"lists": "bare"}, {"lists-in-data"}),
    "lists in data.items": Deviation(
        {}, {"lists-in-data"}, faults=tuple(answered(f"/{name}", {"items": []}) for name in LISTS)
    ),
    "lists in results": Deviation(
        {},
        {"lists-in-data"},
        faults=tuple(json_error(f"/{name}", 200, {"results": [], "total": 0}) for name in LISTS),
    ),
    "workspaces in data.items": Deviation(
        {}, {"lists-in-data"}, faults=(answered("/workspaces", {"items": [{"id": 1, "name": "My Workspace"}]}),)
    ),
    "ids as text": Deviation({"id_form": "text"}, {"ids"}),
    "null descriptions": Deviation({"null_description": True}, {"descriptions"}),
    "a total": Deviation(
        {"capped_lists": {"http_loggers": 1}, "paged_lists": ["http_loggers"], "beside_data": "total"}, {"whole-lists"}
    ),
    "a list in pages": Deviation(
        {"capped_lists": {"wordlists": 1}, "paged_lists": ["wordlists"], "beside_data": "pages"}, {"whole-lists"}
    ),
    "a cursor": Deviation(
        {"capped_lists": {"wordlists": 1}, "paged_lists": ["wordlists"], "beside_data": "cursor"}, {"whole-lists"}
    ),
    "redirects": Deviation({"redirects": "slash"}, {"redirects"}),
    "redirects without the query": Deviation({"redirects": "without_query"}, {"redirects"}),
    # errors
    "errors with a title": Deviation(
        {}, {"error-body", "error-status"}, faults=(json_error(UNKNOWN, 404, {"title": "Not found"}),)
    ),
    "errors with a status as text": Deviation(
        {}, {"error-status"}, faults=(json_error(UNKNOWN, 404, {"status": "404", "message": "Not found"}),)
    ),
    "403 for an unknown id": Deviation({}, {"unknown-id"}, faults=(fault(UNKNOWN, action="status", status=403),)),
    "200 for an unknown id": Deviation(
        {}, {"unknown-id"}, {"error-body", "error-status"}, faults=(answered(UNKNOWN, {}),)
    ),
    "404 for every id": Deviation(
        {}, set(), {"unknown-id"}, faults=(fault("/workspaces/1", action="status", status=404),)
    ),
    # pages
    "404 past the end": Deviation({"past_end": 404}, {"past-end"}),
    "pages ignored": Deviation({"ignore_page": True}, {"pages", "scan-pages", "past-end", "finding-templates"}),
    "pages from 0": Deviation({"first_page": 0}, {"pages", "scan-pages"}),
    "small pages from 0": Deviation({"first_page": 0, "page_cap": 1}, {"pages", "scan-pages"}),
    "a smaller limit": Deviation({"max_limit": 100}, {"pages", "scan-pages"}),
    "totals of pages": Deviation(
        {},
        {"totals"},
        faults=(
            json_error(
                "/targets",
                200,
                {"data": [{"id": 1001, "name": "www.example.com"}], "meta": {"total": 1}},
                query={"limit": 1, "page": 1},
            ),
        ),
    ),
    # filters and workspaces
    "all workspaces": Deviation({"omitted_workspace": "all"}, {"current-workspace", "finding-workspace"}),
    "all workspaces in pages of one row": Deviation(
        {"omitted_workspace": "all", "page_cap": 1}, {"current-workspace", "finding-workspace"}
    ),
    "workspace_id ignored": Deviation(
        {"ignored_filters": ["workspace_id"]},
        # the last three because of a finding of the other workspace
        {
            "scan-filters",
            "object-workspaces",
            "current-workspace",
            "finding-workspace",
            "finding-fields",
            "risk-levels",
            "finding-status",
        },
        {"scan-status-filter", "scan-workspace"},
    ),
    "target_id ignored": Deviation({"ignored_filters": ["target_id"]}, {"scan-filters"}),
    "task_id ignored": Deviation({"ignored_filters": ["task_id"]}, {"finding-filters"}),
    "targets without a workspace": without(
        "targets", "workspace_id", "target-fields", "object-workspaces", hides={"scan-workspace"}
    ),
    "targets of null": Deviation(
        {"null_fields": {"targets": ["workspace_id"]}}, {"target-fields", "object-workspaces"}
    ),
    "scans of other workspaces than their targets": Deviation(
        {}, {"scan-workspace"}, faults=(answered("/targets/1001", {"id": 1001, "workspace_id": 3}),)
    ),
    "scans without a workspace": without("scans", "workspace_id", "scan-fields", hides={"scan-workspace"}),
    # targets, loggers and wordlists
    "loggers without an address": without("http_loggers", "handler_url", "target-fields"),
    "workspaces without a description": without("workspaces", "description", "descriptions"),
    "logger data in a list": Deviation({"logger_data": "array"}, {"logger-data"}),
    "contents as text": Deviation({"contents": "text"}, {"wordlist-contents"}),
    "contents in JSON as text": Deviation({"json_type": "text/plain; charset=utf-8"}, {"wordlist-contents"}),
    "contents in data": Deviation({"contents": "wrapped"}, {"wordlist-contents"}),
    "another wordlist": Deviation({}, {"wordlist-by-id"}, faults=(answered("/wordlists/1602", {"id": 1600}),)),
    # limits, clocks and schema
    "no rate limit headers": Deviation({"rate_limits": {**LIMITS, "headers": False}}, {"rate-limit-headers"}),
    "unlimited": Deviation(
        {},
        {"rate-limit-headers"},
        faults=(
            fault(
                "/reports",
                action="status",
                status=200,
                body={"data": []},
                content_type="application/json",
                headers={"X-RateLimit-Limit": 250, "X-RateLimit-Remaining": "unlimited"},
            ),
        ),
        hides={"report-list", "report-format", "report-status"},
    ),
    "a zone ahead": Deviation({"record_zone": 7200}, {"scan-zone"}, {"request-times"}),
    "a zone behind": Deviation({"record_zone": -18000}, {"scan-zone"}, {"request-times"}),
    "a zone behind, and scans without a duration": Deviation(
        {"record_zone": -18000, "missing_fields": {"scans": ["duration"]}},
        {"scan-fields"},
        {"scan-zone", "request-times"},
    ),
    "no schema": Deviation({"schema": "missing"}, {"schema"}),
    "a page for the schema": Deviation({"schema": "html"}, {"schema"}),
    "another file for the schema": Deviation({"schema_text": "hello"}, {"schema"}),
    # scans
    "scans without parameters": Deviation(
        {}, {"scan-tool-params", "scan-counts"}, faults=(answered("/scans/[0-9]+", {"id": 40004}),)
    ),
    "one count missing": without("scans", "result_summary.info", "scan-counts"),
    "counts as text": Deviation(
        {},
        {"scan-counts"},
        {"findings-whole"},
        state={
            "scans": [
                dict(ACCOUNT["scans"][0], result_summary={name: str(COUNTS[name]) for name in COUNTS}),
                *ACCOUNT["scans"][1:],
            ]
        },
    ),
    "no findings": Deviation(
        {}, set(), {"scan-counts", "findings-whole", "scan-status-filter"}, state={**NO_FINDINGS, "findings": []}
    ),
    "fewer findings counted": Deviation({"summary_off_by": {"critical": -1}}, {"scan-counts"}),
    "another severity counted": Deviation({"summary_off_by": {"critical": -1, "low": 1}}, {"scan-counts"}),
    "capped findings": Deviation(
        {"capped_lists": {"findings": 1}}, {"findings-whole", "scan-counts"}, {"finding-filters"}
    ),
    "partial output": Deviation({"running_output": "partial"}, set(), {"running-output"}),
    "400 for running output": Deviation(
        {}, {"running-output"}, faults=(fault("/scans/40006/output", action="status", status=400),)
    ),
    "400 for output that does not exist": Deviation(
        {}, {"output-refusals"}, faults=(fault("/scans/40002/output", action="status", status=400),)
    ),
    "output in another form": Deviation({}, {"output"}, faults=(answered("/scans/[0-9]+/output", {"findings": []}),)),
    "raw output in JSON": Deviation({}, {"raw-output"}, faults=(answered("/scans/.*/raw", "text"),)),
    # findings
    "findings without a severity": without("findings", "risk_level", "risk-levels", "finding-names"),
    "other names of finding fields": Deviation({"finding_names": "alternative"}, {"finding-names"}),
    "findings without a scan": without(
        "findings", "task_id", "scan-counts", "finding-fields", hides={"finding-filters"}
    ),
    "findings without CVEs": without("findings", "cve", "cve", "finding-fields"),
    "findings without a status": without("findings", "status", "finding-status", "finding-fields"),
    "no PATCH of findings": Deviation(
        {}, {"finding-update"}, faults=(fault("/.*", "PATCH", action="status", status=405),), writes=True
    ),
    "a page in place of a PATCH": Deviation(
        {}, {"finding-update"}, faults=(fault("/.*", "PATCH", action="html", status=404),), writes=True
    ),
    "a PATCH with another body": Deviation(
        {}, {"finding-update"}, faults=(fault("/.*", "PATCH", action="status", status=422),), writes=True
    ),
    "a PATCH that the key may not send": Deviation(
        {}, set(), {"finding-update"}, faults=(fault("/.*", "PATCH", action="status", status=403),), writes=True
    ),
    # other families
    "profiles without a uuid": without("vpn_profiles", "uuid", "vpn-profiles"),
    "templates without a name": without("finding_templates", "name", "finding-templates"),
    "reports without a format": without("reports", "format", "report-format", "report-list"),
    "a page in place of reports": Deviation(
        {},
        {"lists-in-data"},
        {"reports", "report-list", "report-format", "report-status"},
        faults=(fault("/reports", action="html", status=200),),
    ),
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
STATE = {
    **ACCOUNT,
    "scans": [
        dict(
            ACCOUNT["scans"][0], result_summary={"text": "", "critical": 0, "high": 1, "medium": 0, "low": 0, "info": 2}
        ),
        *ACCOUNT["scans"][1:],
        {
            "id": 40004,
            "tool_id": 170,
            "target": "www.example.com",
            "workspace": "Web shop",
            "status_name": "running",
            "age": 3600,
            "script": {"run": 60},
        },
        {
            "id": 40005,
            "tool_id": 30,
            "target": "192.0.2.7",
            "workspace": "Web shop",
            "status_name": "stopped",
            "age": 3600,
        },
        {
            "id": 40006,
            "tool_id": 170,
            "target": "www.example.com",
            "workspace": "Web shop",
            "status_name": "running",
            "age": 300,
            "script": {"run": 100000},
        },
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


def deviate(full, deviation):
    """Give the local service the form of a deviation."""
    full.reset(settings={"rate_limits": LIMITS, **deviation.settings}, state={**STATE, **deviation.state})
    for each in deviation.faults:
        full.fault(**each)
    full.allow_violations = True


def kinds_of(name):
    deviation = DEVIATIONS[name]
    return [*deviation.settings, *deviation.refutes, *deviation.hides]


@pytest.mark.parametrize("name", one_of_each(DEVIATIONS, kinds_of))
def test_a_deviating_service_confirms_nothing_false(full, run, name):
    deviation = DEVIATIONS[name]
    deviate(full, deviation)
    result = run("service_verification", writes=deviation.writes)
    assert result.failed == (name == "deletes that do nothing"), result.msg
    assert names_of(result, "refuted") == deviation.refutes
    assert names_of(result, "confirmed") & deviation.hides == set()
    assert result.failed or "verify-" not in json.dumps(full.state()).lower()


def test_forty_services_deviate():
    assert len(DEVIATIONS) > 40


def test_a_list_without_an_end_is_found(full, run):
    full.settings(endless_lists=True)
    full.allow_violations = True
    assert "past-end" in refuted(verified(run))


@pytest.mark.parametrize("name", ODD_ROWS)
def test_an_odd_row_is_found(full, run, name):
    family, fields, expected = ODD_ROWS[name]
    odd = {"target": "www.example.com", "workspace": "Web shop", "tool_id": 170, "name": "Odd", **fields}
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


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize(
    "options, message",
    [
        ({"scope": {"allow": ["shop.example.org"]}}, "outside the authorised scope: "),
        ({"target": "my host.example.com"}, "target 'my host.example.com'"),
    ],
)
def test_a_name_that_is_refused_fails_before_any_call(full, run, check, options, message):
    result = run("service_verification", check=check, writes=True, **options)
    assert result.failed
    assert message in result.msg
    assert full.calls() == []


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
