# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""finding_info: a list that may be incomplete is never reported as clean."""

from __future__ import annotations

import json

import pytest

LEVELS = ("info", "low", "medium", "high", "critical")


def summary(**counts):
    return {"text": "", **dict.fromkeys(LEVELS, 0), **counts}


def findings(first, task_id, levels, **more):
    return [
        {"id": first + place, "name": f"F{first + place}", "risk_level": level, "task_id": task_id, **more}
        for place, level in enumerate(levels)
    ]


@pytest.fixture
def account(many_findings):
    return many_findings


def good(result):
    assert not result.failed, result.msg
    return result


def incomplete(result, *words):
    assert result.failed, result
    for word in ("The findings are incomplete", "allow_mismatch", *words):
        assert word in result.msg, result.msg
    assert "\n" not in result.msg
    for key in ("findings", "total", "summary"):
        assert key not in result.result
    assert not result.changed


REFERENCES = {
    "workspace": {"workspace": "Shop"},
    "current": {},
    "target": {"workspace_id": 2, "target": "b.example.com"},
    "target by id": {"target_id": 1002},
    "scan": {"scan_id": 40002},
}
referenced = pytest.mark.parametrize("reference", REFERENCES.values(), ids=REFERENCES)


# --- what the answer holds beside the rows


@referenced
@pytest.mark.parametrize("beside", ["total", "pages"])
def test_a_total_above_the_rows_is_no_clean_list(account, run, reference, beside):
    account.add(current_workspace=2)
    # no scan tells how many findings it has
    account.settings(capped_lists={"findings": 60}, beside_data=beside, missing_fields={"scans": ["result_summary"]})
    account.allow_violations = True
    incomplete(run("finding_info", **reference), "and 60 could be read")


@pytest.mark.parametrize("beside", ["total", "pages"])
def test_further_pages_are_read_where_they_can_be_asked_for(account, run, beside):
    account.settings(capped_lists={"findings": 100}, paged_lists=["findings"], beside_data=beside)
    account.allow_violations = True
    result = good(run("finding_info", workspace_id=2))
    assert (result["total"], result["summary"]["critical"], result["complete"]) == (250, 100, True)
    # a total alone does not say whether page 1 is the first page
    assert account.calls().count("GET /findings") == (4 if beside == "total" else 3)


def test_a_page_that_breaks_off_is_asked_for_again_and_its_rows_count_once(account, run, tmp_path):
    account.settings(capped_lists={"findings": 100}, paged_lists=["findings"], beside_data="total")
    account.allow_violations = True
    for nth in (1, 3, 5):
        account.fault(path="/findings", nth=nth, action="truncate")
    dest = tmp_path / "findings.jsonl"
    result = good(run("finding_info", workspace_id=2, dest=str(dest)))
    ids = [json.loads(line)["id"] for line in dest.read_text().splitlines()]
    assert ids == [*range(70001, 70151), *range(70201, 70301)]
    assert result["total"] == 250


# --- the counts of the scans


@pytest.mark.parametrize("scan_id, failed", [(40001, False), (40002, True)])
def test_only_the_scan_that_was_asked_for_counts(account, run, scan_id, failed):
    account.fault(path="/findings", action="wrong_type", data=account.findings()[:150])
    result = run("finding_info", scan_id=scan_id)
    assert result.failed is failed
    if failed:
        incomplete(result, "scan 40002 counted 100 critical findings, and 0 of them could be read")


def test_filters_that_are_applied_here_do_not_count_as_missing_rows(account, run):
    for options in (
        {"min_severity": "critical"},
        {"status": "fixed"},
        {"cve": "CVE-2021-44228"},
        {"name": "no*"},
        {"limit": 0},
        {"since": "90m"},
    ):
        result = good(run("finding_info", workspace_id=2, **options))
        assert result["complete"], options
        account.settings(capped_lists={"findings": 150})
        incomplete(run("finding_info", workspace_id=2, **options))
        account.settings(capped_lists={})


def test_with_group_duplicates_each_severity_of_the_newest_scan_has_to_appear(account, run):
    again = {"target_id": 1001, "vuln_id": "X"}
    account.add(
        scans=[
            {"id": 40005, "target_id": 1001, "age": 60, "result_summary": summary(high=3, medium=1)},
        ],
        findings=[
            {"id": 90001, "name": "Same", "risk_level": 3, "task_id": 40005, **again},
            {"id": 90002, "name": "Same", "risk_level": 3, "task_id": 40005, **again},
            {"id": 90003, "name": "Same", "risk_level": 3, "task_id": 40005, **again},
            {"id": 90004, "name": "Other", "risk_level": 2, "task_id": 40005, **again},
        ],
    )
    result = good(run("finding_info", target_id=1001, group_duplicates=True))
    assert result["summary"]["high"] == 1
    assert not result["complete"]
    assert "group_duplicates" in result["doubts"][0]
    for reference in ({"target_id": 1001}, {"scan_id": 40005}, {"workspace_id": 2}):
        rows = [row for row in account.findings() if row["id"] != 90004]
        account.fault(path="/findings", action="wrong_type", data=rows)
        result = run("finding_info", group_duplicates=True, **reference)
        incomplete(result, "scan 40005 counted 1 medium finding, and none of this severity could be read")


@referenced
def test_a_mismatch_can_be_allowed_and_is_warned_of(account, run, reference, tmp_path):
    account.add(current_workspace=2)
    account.settings(capped_lists={"findings": 60})
    dest = tmp_path / "findings.jsonl"
    dest.write_bytes(b"before")
    incomplete(run("finding_info", dest=str(dest), **reference))
    assert dest.read_bytes() == b"before"
    result = good(run("finding_info", dest=str(dest), allow_mismatch=True, **reference))
    assert result["total"] == 60 == len(dest.read_text().splitlines())
    assert not result["complete"]
    assert [doubt for doubt in result["doubts"] if "scan 40002 counted 100 critical" in doubt], result["doubts"]
    assert [warning for warning in result.warnings if "scan 40002 counted 100 critical" in warning], result.warnings


# --- scans that have not finished, or do not count


# --- the workspace of a scan


@pytest.mark.parametrize("form", ["missing_fields", "null_fields"])
def test_the_workspace_of_a_scan_is_that_of_its_target(account, run, form):
    account.settings(**{form: {"scans": ["workspace_id"]}})
    result = good(run("finding_info", scan_id=40002))
    assert (result["total"], result["complete"], result.warnings) == (100, True, [])
    assert account.calls() == ["GET /scans/40002", "GET /targets/1002", "GET /findings"]
    assert account.log()[-1]["query"] == {"workspace_id": "2", "task_id": "40002"}
    result = run("finding_info", scan_id=40002, workspace_id=1)
    assert "scan 40002 is not in workspace 1" in result.msg


# --- since


def test_an_absolute_time_is_compared_with_the_end_of_the_scan(account, run):
    ends = {scan["id"]: scan["end_time"] for scan in account.scans()}
    at = ends[40002].replace(" ", "T")
    assert good(run("finding_info", workspace_id=2, since=f"{at}Z"))["total"] == 100
    assert good(run("finding_info", workspace_id=2, since=at))["total"] == 100
    assert good(run("finding_info", workspace_id=2, since="2000-01-01"))["total"] == 250
    for reference, number in (({"scan_id": 40001}, 0), ({"scan_id": 40002}, 100), ({"target_id": 1002}, 100)):
        assert good(run("finding_info", since=f"{at}Z", **reference))["total"] == number


# --- what it costs


def test_a_severity_under_its_other_name_is_read(account, run):
    account.settings(finding_names="alternative")
    account.allow_violations = True
    result = good(run("finding_info", id=70201))
    assert result["summary"]["critical"] == 1
