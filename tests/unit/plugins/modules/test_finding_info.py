# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import hashlib
import json

import pytest

LEVELS = {70001: 0, 70002: 1, 70003: 2, 70004: 3, 70005: 4}


@pytest.fixture(autouse=True)
def _account(service):
    service.add(
        workspaces=[{"id": 2, "name": "Web shop"}],
        targets=[
            {"id": 1001, "name": "www.example.com", "workspace_id": 2},
            {"id": 1002, "name": "shop.example.com", "workspace_id": 2},
            {"id": 1003, "name": "here.example.com"},
        ],
        findings=[
            *(
                {"id": each, "name": f"Level {level}", "risk_level": level, "target_id": 1001}
                for each, level in LEVELS.items()
            ),
            {"id": 70006, "name": "Elsewhere", "risk_level": 4, "target_id": 1002},
            {"id": 70007, "name": "Here", "risk_level": 1, "target_id": 1003},
        ],
    )


def found(result):
    assert not result.failed, result.msg
    return [row["id"] for row in result["findings"]]


def queries(service):
    return [entry["query"] for entry in service.log() if entry["path"] == "/findings"]


# --- which findings are listed


@pytest.mark.parametrize("reference", [{"workspace": "Web shop"}, {"workspace_id": 2}])
def test_a_workspace_gives_its_own_with_their_severities_and_numbers(run, reference):
    result = run("finding_info", **reference)
    assert found(result) == [*LEVELS, 70006]
    assert [row["severity"] for row in result["findings"]] == ["info", "low", "medium", "high", "critical", "critical"]
    assert [row["risk_level"] for row in result["findings"]] == [0, 1, 2, 3, 4, 4]
    assert result["total"] == 6
    assert result["summary"] == {"critical": 2, "high": 1, "medium": 1, "low": 1, "info": 1, "unknown": 0}
    assert list(result["summary"]) == ["critical", "high", "medium", "low", "info", "unknown"]


@pytest.mark.parametrize(
    "reference", [{"workspace_id": 2}, {"workspace_id": 2, "target": "shop.example.com"}, {"target_id": 1002}]
)
def test_each_finding_has_the_name_of_its_target(run, reference):
    named = {row["target_id"]: row["target_name"] for row in run("finding_info", **reference)["findings"]}
    assert named[1002] == "shop.example.com"
    assert named.get(1001, "www.example.com") == "www.example.com"


def test_a_finding_of_a_deleted_target_has_no_name(service, run):
    service.add(findings=[{"id": 70008, "name": "Orphan", "risk_level": 1, "target_id": 999, "workspace_id": 2}])
    named = {row["id"]: row["target_name"] for row in run("finding_info", workspace_id=2)["findings"]}
    assert named[70008] is None


def test_a_target_by_name_is_looked_for_in_its_workspace(service, run):
    assert found(run("finding_info", workspace_id=2, target="SHOP.example.com.")) == [70006]
    assert queries(service) == [{"workspace_id": "2", "target_id": "1002"}]


def test_a_target_by_id_brings_its_workspace_along(service, run):
    """Without it the service may look in its current workspace, and find nothing in any other one."""
    result = run("finding_info", target_id=1002)
    assert found(result) == [70006]
    assert result.warnings == []
    assert queries(service) == [{"workspace_id": "2", "target_id": "1002"}]


@pytest.mark.parametrize(
    "options",
    [
        {"workspace": "Later"},
        {"workspace_id": None},
        {"workspace_id": 2, "target": "later.example.com"},
        {"target_id": None},
        {"scan_id": None},
        {"id": None},
    ],
    ids=str,
)
def test_in_check_mode_what_is_not_made_yet_gives_an_empty_list_and_a_warning(run, options):
    result = run("finding_info", check=True, **options)
    assert found(result) == []
    assert (result["total"], set(result["summary"].values())) == (0, {0})
    assert len(result.warnings) == 1
    assert "does not exist yet" in result.warnings[0]


def test_an_id_gives_one_and_filters_count_for_it_as_well(service, run):
    result = run("finding_info", id=70005)
    assert found(result) == [70005]
    assert result["summary"]["critical"] == result["total"] == 1
    assert result["findings"][0]["target_name"] == "www.example.com"
    assert service.calls() == ["GET /findings/70005", "GET /targets/1001"]
    assert found(run("finding_info", id=70001, min_severity="low")) == []
    assert found(run("finding_info", id=99)) == []


def test_a_service_that_ignores_the_target_gives_no_other_target_s_findings(service, run):
    rows = service.findings()
    odd = [{"id": 80000, "name": "Nobody's"}, {"id": 80001, "name": "A text", "target_id": "1002"}]
    service.fault(path="/findings", action="wrong_type", data=[*rows, *odd])
    assert found(run("finding_info", target_id=1002)) == [70006, 80000, 80001]


def test_duplicates_are_left_out_by_the_service(service, run):
    again = {"name": "Level 2", "risk_level": 2, "target_id": 1001}
    service.add(findings=[{"id": 70010, **again}, {"id": 70011, **again}])
    assert found(run("finding_info", target_id=1001, group_duplicates=True)) == [70001, 70002, 70004, 70005, 70011]
    assert found(run("finding_info", target_id=1001)) == [*LEVELS, 70010, 70011]
    assert [query.get("group_duplicates") for query in queries(service)] == ["true", None]


# --- what is left of them


ODD = [
    {"id": 70101, "name": "No level", "missing": ["risk_level", "cve", "status"], "target_id": 1002},
    {"id": 70102, "name": "Null level", "risk_level": None, "cve": None, "status": None, "target_id": 1002},
    {"id": 70103, "name": "New level", "risk_level": 5, "cve": "N/A", "status": "accepted", "target_id": 1002},
    {"id": 70104, "name": "A word", "risk_level": "extreme", "cve": "cve-2021-44228", "target_id": 1002},
]


@pytest.mark.parametrize("severity", [None, "info", "critical"])
def test_findings_of_an_unknown_severity_are_never_dropped_and_are_counted(service, run, severity):
    service.allow_violations = True
    service.add(findings=ODD)
    result = run("finding_info", target_id=1002, **({"min_severity": severity} if severity else {}))
    assert found(result) == [70006, 70101, 70102, 70103, 70104]
    assert [row["severity"] for row in result["findings"]] == ["critical", *["unknown"] * 4]
    assert [row["risk_level"] for row in result["findings"]] == [4, None, None, 5, "extreme"]
    assert result["summary"] == {"critical": 1, "high": 0, "medium": 0, "low": 0, "info": 0, "unknown": 4}
    assert result["doubts"] == []


# --- how many


@pytest.mark.parametrize("limit, ids", [(0, []), (1, [70001]), (6, [*LEVELS, 70006])])
def test_a_limit_cuts_the_list_and_not_the_numbers(run, limit, ids):
    result = run("finding_info", workspace_id=2, limit=limit)
    assert found(result) == ids
    assert result["total"] == sum(result["summary"].values()) == 6
    assert [f"Only the first {limit} of 6" in warning for warning in result.warnings] == [True] * (limit < 6)


@pytest.mark.parametrize("number, warned", [(999, False), (1000, True), (1001, False)])
def test_exactly_a_page_of_findings_is_warned_of(service, run, number, warned):
    service.fill("Bulk", findings=number)
    result = run("finding_info", workspace="Bulk", limit=2000)
    assert result["total"] == number
    assert ["exactly 1,000 findings" in warning for warning in result.warnings] == [True] * warned


# --- the findings of a scan


@pytest.fixture
def scans(service):
    service.add(
        scans=[
            {"id": 40001, "target_id": 1001, "age": 60},
            {"id": 40002, "target_id": 1001, "status_name": "running", "script": {"run": 1000}},
            {"id": 40003, "target_id": 1001, "status_name": "timed out"},
        ],
        findings=[{"id": 70300 + number, "name": "Found", "task_id": 40000 + number} for number in (1, 2, 3)],
    )


def test_a_scan_brings_its_workspace_along(service, scans, run):
    result = run("finding_info", scan_id=40001)
    assert found(result) == [70301]
    # the scans of this account count nothing
    assert ["more findings than its scans counted" in warning for warning in result.warnings] == [True]
    assert queries(service) == [{"workspace_id": "2", "task_id": "40001"}]


@pytest.mark.parametrize("number, status", [(2, "running"), (3, "timed out")])
def test_a_scan_that_is_not_finished_is_warned_of(scans, run, number, status):
    result = run("finding_info", scan_id=40000 + number)
    assert found(result) == [70300 + number]
    assert [f"is not finished, its status is '{status}'" in warning for warning in result.warnings] == [True]


@pytest.mark.parametrize("status", ["Finished", "FINISHED"])
def test_a_finished_scan_is_so_in_whatever_case(service, scans, run, status):
    service.add(scans=[{"id": 40004, "target_id": 1001, "status_name": status}])
    assert run("finding_info", scan_id=40004).warnings == []


def test_a_scan_that_tells_neither_workspace_nor_target_nor_counts_is_read_only_where_that_is_allowed(
    service, scans, run
):
    service.settings(omitted_workspace="all")
    service.fault(path="/scans/40001", action="wrong_type", data={"id": 40001, "status": "finished"}, times=None)
    assert (
        "The findings are incomplete: the workspace of scan 40001 is not known"
        in run("finding_info", scan_id=40001).msg
    )
    result = run("finding_info", scan_id=40001, allow_mismatch=True)
    assert found(result) == [70301]
    assert ["No workspace is given" in warning for warning in result.warnings] == [True, False]


@pytest.mark.parametrize(
    "options, words",
    [
        ({"scan_id": 99}, "No scan with id 99 is visible to this API key: correct scan_id"),
        ({"scan_id": 40001, "workspace_id": 1}, "scan 40001 is not in workspace 1"),
        ({"scan_id": 0}, "scan_id is 0: give the id that"),
        ({"target_id": -1}, "target_id is -1: give the id that"),
    ],
    ids=str,
)
def test_a_missing_scan_fails(service, scans, run, options, words):
    result = run("finding_info", **options)
    assert result.failed
    assert words in result.msg
    assert "GET /findings" not in service.calls()


def test_a_service_that_ignores_the_scan_gives_no_other_scan_s_findings(service, scans, run):
    rows = service.findings()
    service.fault(path="/findings", action="wrong_type", data=rows)
    assert found(run("finding_info", scan_id=40001, workspace_id=2)) == [*LEVELS, 70006, 70007, 70301]


# --- the file


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]


def test_a_file_gets_all_that_pass_beyond_the_limit_too(run, tmp_path):
    dest = tmp_path / "findings.jsonl"
    result = run("finding_info", workspace_id=2, min_severity="medium", limit=1, dest=str(dest))
    assert found(result) == [70003]
    assert [row["id"] for row in lines(dest)] == [70003, 70004, 70005, 70006]
    assert lines(dest)[0] == result["findings"][0]
    assert result.changed
    content = dest.read_bytes()
    assert (result["dest"], result["size"], result["total"]) == (str(dest), len(content), 4)
    assert result["checksum"] == hashlib.sha1(content).hexdigest()
    assert result.warnings == []
    assert [path.name for path in tmp_path.iterdir()] == ["findings.jsonl"]


def test_a_second_run_and_check_mode_leave_the_file_alone(run, tmp_path):
    dest = tmp_path / "findings.jsonl"
    options = dict(workspace_id=2, dest=str(dest))
    check = run("finding_info", check=True, **options)
    assert not dest.exists()
    first = run("finding_info", **options)
    then = dest.stat().st_mtime_ns
    second, check_again = run("finding_info", **options), run("finding_info", check=True, **options)
    assert [each.changed for each in (check, first, second, check_again)] == [True, True, False, False]
    assert len({each["checksum"] for each in (check, first, second, check_again)}) == 1
    assert dest.stat().st_mtime_ns == then
    assert run("finding_info", **options, min_severity="high").changed
    assert [row["id"] for row in lines(dest)] == [70004, 70005, 70006]


def test_without_a_file_there_is_no_change_and_its_results_are_null(run):
    result = run("finding_info", workspace_id=2)
    assert [result[key] for key in ("changed", "dest", "size", "checksum")] == [False, None, None, None]


@pytest.mark.parametrize(
    "options, number", [({"id": 70001}, 1), ({"id": 99}, 0), ({"workspace_id": 2, "name": "x"}, 0)]
)
def test_a_file_may_have_one_finding_or_none(run, tmp_path, options, number):
    dest = tmp_path / "findings.jsonl"
    assert run("finding_info", dest=str(dest), **options).changed
    assert len(lines(dest)) == number


def test_text_of_the_service_does_nothing_to_a_terminal_that_shows_the_file(service, run, tmp_path):
    name = "\x1b[31mred\x7f\x9b \u202e\u2028 \ufeffü\n"
    service.add(findings=[{"id": 70200, "name": name, "target_id": 1003}])
    dest = tmp_path / "findings.jsonl"
    assert run("finding_info", id=70200, dest=str(dest)).changed
    (line,) = dest.read_text(encoding="ascii").splitlines()
    assert [character for character in line if not " " <= character <= "~"] == []
    assert json.loads(line)["name"] == name


def test_a_broken_answer_leaves_nothing_of_it_in_the_file(service, run, tmp_path):
    service.fill("Bulk", findings=500, finding_size=2000)
    service.fault(path="/findings", action="truncate")
    dest = tmp_path / "findings.jsonl"
    result = run("finding_info", workspace="Bulk", dest=str(dest))
    assert result["total"] == len(lines(dest)) == len({row["id"] for row in lines(dest)}) == 500


@pytest.mark.parametrize(
    "fault", [{"action": "truncate"}, {"action": "html", "status": 200}, {"action": "truncated_json"}], ids=str
)
def test_where_reading_fails_the_file_stays_as_it_was(service, run, tmp_path, fault):
    service.fill("Bulk", findings=500, finding_size=2000)
    service.fault(path="/findings", times=None, **fault)
    dest = tmp_path / "findings.jsonl"
    for before in (None, b"before"):
        if before is not None:
            dest.write_bytes(before)
        result = run("finding_info", workspace="Bulk", dest=str(dest))
        assert result.failed
        assert "GET /findings" in result.msg
        assert not result.changed
        assert [path.read_bytes() for path in tmp_path.iterdir()] == ([] if before is None else [before])
