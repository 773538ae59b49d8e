# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

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


def test_without_a_workspace_the_current_one_is_read_with_a_warning(run):
    result = run("finding_info")
    assert found(result) == [70007]
    assert "current one only" in result.warnings[0]


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
    "options, words",
    [
        (
            {"target": "never.example.com", "workspace_id": 2},
            ["target names no target of workspace 2", "never.example.com"],
        ),
        ({"target": "never.example.com"}, ["target names no target of the current workspace", "give target_id"]),
        ({"target_id": 99}, ["target_id names no target that this key may see, 99"]),
        ({"target_id": 1003, "workspace_id": 2}, ["target 1003 is not in workspace 2"]),
        ({"workspace": "Never"}, ["there are 'My Workspace', 'Web shop'"]),
        ({"workspace_id": 99}, ["no workspace has this id"]),
        ({"target": " ", "workspace_id": 2}, ["target is empty"]),
    ],
    ids=str,
)
def test_a_reference_to_what_is_not_there_fails(run, options, words):
    result = run("finding_info", **options)
    assert result.failed
    assert all(word in result.msg for word in words), result.msg
    assert "findings" not in result.result


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
    assert "is not there yet" in result.warnings[0]


def test_an_id_gives_one_and_filters_count_for_it_as_well(service, run):
    result = run("finding_info", id=70005)
    assert found(result) == [70005]
    assert result["summary"]["critical"] == result["total"] == 1
    assert service.calls() == ["GET /findings/70005"]
    assert found(run("finding_info", id=70001, min_severity="low")) == []
    assert found(run("finding_info", id=99)) == []


@pytest.mark.parametrize("option", ["workspace", "workspace_id", "target", "target_id", "scan_id", "name"])
def test_an_id_leaves_no_room_for_another_reference(service, run, option):
    result = run("finding_info", id=70001, **{option: 7})
    assert result.failed
    assert f"mutually exclusive: {option}|id" in result.msg
    assert service.calls() == []


def test_two_ways_to_say_whose_findings_are_refused(service, run):
    result = run("finding_info", target="www.example.com", scan_id=7)
    assert result.failed
    assert "mutually exclusive: target|target_id|scan_id" in result.msg
    assert service.calls() == []


def test_a_service_that_ignores_the_target_gives_no_other_target_s_findings(service, run):
    rows = service.findings()
    service.fault(path="/findings", action="wrong_type", data=[*rows, {"id": 80000, "name": "Nobody's"}])
    assert found(run("finding_info", target_id=1002)) == [70006, 80000]


def test_duplicates_are_left_out_by_the_service(service, run):
    again = {"name": "Level 2", "risk_level": 2, "target_id": 1001}
    service.add(findings=[{"id": 70010, **again}, {"id": 70011, **again}])
    assert found(run("finding_info", target_id=1001, group_duplicates=True)) == [70001, 70002, 70004, 70005, 70011]
    assert found(run("finding_info", target_id=1001)) == [*LEVELS, 70010, 70011]
    assert [query.get("group_duplicates") for query in queries(service)] == ["true", None]


# --- what is left of them


@pytest.mark.parametrize(
    "severity, ids",
    [
        ("info", [*LEVELS, 70006]),
        ("low", [70002, 70003, 70004, 70005, 70006]),
        ("medium", [70003, 70004, 70005, 70006]),
        ("high", [70004, 70005, 70006]),
        ("critical", [70005, 70006]),
    ],
)
def test_a_severity_and_what_is_worse_pass(run, severity, ids):
    result = run("finding_info", workspace_id=2, min_severity=severity)
    assert found(result) == ids
    assert sum(result["summary"].values()) == result["total"] == len(ids)


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


def test_n_a_and_null_are_no_cve(service, run):
    service.allow_violations = True
    service.add(findings=ODD)
    assert [row["cve"] for row in run("finding_info", target_id=1002)["findings"]] == [
        [],
        [],
        [],
        [],
        ["cve-2021-44228"],
    ]
    assert found(run("finding_info", target_id=1002, cve=["CVE-2021-44228"])) == [70104]
    assert found(run("finding_info", target_id=1002, cve=["CVE-2021-45046"])) == []


@pytest.mark.parametrize("cve", ["N/A", "CVE-2021", "log4shell", "CVE-2021-44228\x1b[31m"])
def test_what_is_no_cve_is_refused_as_a_filter(service, run, cve):
    result = run("finding_info", workspace_id=2, cve=["CVE-2021-44228", cve])
    assert result.failed
    assert "is no id of a CVE: write it as CVE-2021-44228" in result.msg
    assert "\x1b" not in result.msg
    assert service.calls() == []


def test_a_finding_without_status_never_passes_a_status(service, run):
    service.allow_violations = True
    service.add(findings=ODD)
    assert found(run("finding_info", target_id=1002, status=["OPEN", "accepted"])) == [70006, 70103, 70104]
    assert found(run("finding_info", target_id=1002, status="Accepted")) == [70103]
    assert found(run("finding_info", target_id=1002, status="None")) == []


@pytest.mark.parametrize("option", ["status", "cve"])
@pytest.mark.parametrize("value", [[], ["open", " "], ""], ids=str)
def test_an_empty_filter_is_refused(service, run, option, value):
    result = run("finding_info", workspace_id=2, **{option: value})
    assert result.failed
    assert f"{option} is empty, or has an empty item" in result.msg
    assert service.calls() == []


def test_a_name_is_a_pattern_for_the_whole_name(run):
    assert found(run("finding_info", workspace_id=2, name="level [34]")) == [70004, 70005]
    assert found(run("finding_info", workspace_id=2, name="level")) == []
    assert found(run("finding_info", workspace_id=2, name="*where")) == [70006]


def test_an_unknown_severity_as_a_minimum_is_refused(service, run):
    result = run("finding_info", workspace_id=2, min_severity="unknown")
    assert result.failed
    assert "min_severity must be one of" in result.msg
    assert service.calls() == []


# --- how many


@pytest.mark.parametrize("limit, ids", [(0, []), (1, [70001]), (6, [*LEVELS, 70006])])
def test_a_limit_cuts_the_list_and_not_the_numbers(run, limit, ids):
    result = run("finding_info", workspace_id=2, limit=limit)
    assert found(result) == ids
    assert result["total"] == sum(result["summary"].values()) == 6
    assert [f"Only the first {limit} of 6" in warning for warning in result.warnings] == [True] * (limit < 6)


def test_a_negative_limit_is_refused(service, run):
    result = run("finding_info", workspace_id=2, limit=-1)
    assert result.failed
    assert "limit is -1: set it to 0 or more" in result.msg
    assert service.calls() == []


@pytest.mark.parametrize("number, warned", [(999, False), (1000, True), (1001, False)])
def test_exactly_a_page_of_findings_is_warned_of(service, run, number, warned):
    service.fill("Bulk", findings=number)
    result = run("finding_info", workspace="Bulk", limit=2000)
    assert result["total"] == number
    assert ["exactly 1,000 findings" in warning for warning in result.warnings] == [True] * warned


def test_text_of_the_service_comes_back_as_it_is(service, run):
    name = "\x1b[31mred\x1b[0m {{ 7 * 7 }} \u202e <b>\n"
    service.add(findings=[{"id": 70200, "name": name, "target_id": 1003}])
    result = run("finding_info", id=70200)
    assert result["findings"][0]["name"] == name
