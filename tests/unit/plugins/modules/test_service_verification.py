# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import itertools
import json

import pytest
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scenarios import ACCOUNT
from ansible_collections.scanops.scanner.tests.unit.sampling import one_of_each, pairs

WITHOUT = {
    "targets": ({"targets": ["workspace_id"]}, {"target-fields", "object-workspaces"}),
    "loggers": ({"http_loggers": ["handler_url"]}, {"target-fields"}),
    "workspaces": ({"workspaces": ["description"]}, {"descriptions"}),
    "risk levels": ({"findings": ["risk_level"]}, {"risk-levels", "finding-names"}),
    "scans": ({"findings": ["task_id"]}, {"scan-counts"}),
    "one count": ({"scans": ["result_summary.info"]}, {"scan-counts"}),
    "cves": ({"findings": ["cve"]}, {"cve"}),
    "statuses": ({"findings": ["status"]}, {"finding-status"}),
    "profiles": ({"vpn_profiles": ["uuid"]}, {"vpn-profiles"}),
    "templates": ({"finding_templates": ["name"]}, {"finding-templates"}),
    "reports": ({"reports": ["format"]}, {"report-format", "report-list"}),
}
# settings of the local service that deviate, and the assumptions that they refute
DEVIATIONS = {
    "create record": ({"create_answer": "record"}, {"create-answer"}),
    "create 200": ({"create_status": 200}, {"create-answer"}),
    "bare lists": ({"lists": "bare"}, {"lists-in-data"}),
    "contents as text": ({"contents": "text"}, {"wordlist-contents"}),
    "contents in data": ({"contents": "wrapped"}, {"wordlist-contents"}),
    "logger data in a list": ({"logger_data": "array"}, {"logger-data"}),
    "null descriptions": ({"null_description": True}, {"descriptions"}),
    "404 past the end": ({"past_end": 404}, {"past-end"}),
    "delete 200": ({"delete_status": 200}, {"delete-answer"}),
    "names in lower case": ({"normalise_targets": True}, {"name-spelling"}),
    "pages ignored": ({"ignore_page": True}, {"pages", "past-end", "finding-templates"}),
    "pages from 0": ({"first_page": 0}, {"pages"}),
    "a smaller limit": ({"max_limit": 100}, {"pages"}),
    "all workspaces": ({"omitted_workspace": "all"}, {"current-workspace", "finding-workspace"}),
    "ids as text": ({"id_form": "text"}, {"ids"}),
    "a zone ahead": ({"record_zone": 7200}, {"scan-zone"}),
    "other names of finding fields": ({"finding_names": "alternative"}, {"finding-names"}),
    **{f"records without {name}": ({"missing_fields": fields}, rows) for name, (fields, rows) in WITHOUT.items()},
    "null workspaces": ({"null_fields": WITHOUT["targets"][0]}, WITHOUT["targets"][1]),
    "filters ignored": (
        {"ignored_filters": ["workspace_id", "target_id", "task_id"]},
        {
            "scan-filters",
            "finding-filters",
            "current-workspace",
            "finding-workspace",
            "finding-status",
            "risk-levels",
            "object-workspaces",
        },
    ),
    "capped findings": ({"capped_lists": {"findings": 1}}, {"findings-whole", "scan-counts"}),
    "fewer findings counted": ({"summary_off_by": {"critical": -1}}, {"scan-counts"}),
    "a total": (
        {"capped_lists": {"workspaces": 1}, "paged_lists": ["workspaces"], "beside_data": "total"},
        {"whole-lists"},
    ),
    "a list in pages": (
        {"capped_lists": {"workspaces": 1}, "paged_lists": ["workspaces"], "beside_data": "pages"},
        {"whole-lists"},
    ),
    "no schema": ({"schema": "missing"}, {"schema"}),
    "a page for the schema": ({"schema": "html"}, {"schema"}),
    "another file for the schema": ({"schema_text": "hello"}, {"schema"}),
    "no rate limit headers": ({"rate_limits": {"headers": False, "GET": 100000}}, {"rate-limit-headers"}),
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
    ],
    "findings": [
        *ACCOUNT["findings"],
        *(
            {"id": 70010 + task, "name": "Cookie", "task_id": 40000 + task % 3, "workspace": "Web shop"}
            for task in (1, 2, 4)
        ),
    ],
}
LIMITS = {"GET": 100000, "write": 100000, "output": 100000}


def verified(run, **options):
    result = run("service_verification", **options)
    assert not result.failed, result.msg
    return result


def refuted(result):
    return {row["name"] for row in result["rows"] if row["verdict"] == "refuted"}


@pytest.fixture
def full(account):
    """The account of the scenarios, and limits that show their headers."""
    account.reset(settings={"rate_limits": LIMITS, "validate": True}, state=STATE)
    return account


def test_the_local_service_refutes_nothing(full, run):
    result = verified(run, writes=True)
    assert refuted(result) == set()
    assert result["summary"]["confirmed"] > 35
    assert not result.changed


def verdict(result, name):
    (row,) = [row for row in result["rows"] if row["name"] == name]
    return row["verdict"], row["seen"]


@pytest.mark.parametrize("name", one_of_each(DEVIATIONS, lambda name: [*DEVIATIONS[name][0], *DEVIATIONS[name][1]]))
def test_a_deviation_is_found(full, run, name):
    settings, expected = DEVIATIONS[name]
    full.reset(settings={"rate_limits": LIMITS, **settings}, state=STATE)
    full.allow_violations = True
    assert refuted(verified(run, writes=True)) == expected
    assert "verify-" not in json.dumps(full.state()).lower()


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
    assert verdict(result, "name-spelling") == ("not tried", "refused with status 403")
    assert verdict(result, "create-answer")[0] == "confirmed"


@pytest.mark.parametrize("status, expected", [(404, "confirmed"), (409, "confirmed"), (400, "refuted")])
def test_the_output_of_a_running_scan_is_asked_for(full, run, status, expected):
    full.add(scans=[{"id": 40009, "tool_id": 170, "target": "www.example.com", "workspace": "Web shop",
                     "status_name": "running", "script": {"run": 3600}}])  # fmt: skip
    full.fault(method="GET", path="/scans/40009/output", action="status", status=status)
    assert verdict(verified(run), "output-refusals")[0] == expected


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
    created = [entry for entry in full.log() if entry["method"] == "POST"]
    assert len(created) == 4


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


def test_a_wrong_key_fails(full, run):
    assert "401" in run("service_verification", api_key="not-the-key").msg


# --- the target


def test_a_declared_target_is_created(full, run):
    result = verified(run, writes=True, target="verify.shop.example.org", scope={"allow": ["shop.example.org"]})
    assert [entry["form"]["name"] for entry in full.log() if entry["path"] == "/targets" and entry["form"]] == [
        "verify.shop.example.org"
    ]
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
    assert full.state() == before


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
