# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import csv
import json
import time

import pytest

WEB, PORTS = 170, 70
OLD = {"start_time": "2026-01-01 00:00:00", "end_time": "2026-01-01 01:00:00"}
LATER = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 30 * 86400))


@pytest.fixture(autouse=True)
def _account(service):
    service.settings(scan_run_time=1000)
    service.add(
        workspaces=[{"id": 2, "name": "Web shop"}, {"id": 3, "name": "Empty"}],
        targets=[
            {"id": 1001, "name": "www.example.com", "workspace_id": 2},
            {"id": 1002, "name": "shop.example.com", "workspace_id": 2},
            {"id": 1003, "name": "new.example.com", "workspace_id": 2},
        ],
        scans=[
            {"id": 40001, "target": "www.example.com", "workspace_id": 2, "tool_id": WEB, **OLD},
            {"id": 40002, "target": "www.example.com", "workspace_id": 2, "tool_id": WEB, "status_name": "stopped"},
            {"id": 40003, "target": "shop.example.com", "workspace_id": 2, "tool_id": WEB, "status_name": "running"},
            {"id": 40004, "target": "shop.example.com", "workspace_id": 2, "tool_id": PORTS},
        ],
    )


def good(result):
    assert not result.failed, result.msg
    return result


def short(rows):
    return [(row["target"], row["tool"], row["covered"], row["scan_id"]) for row in rows]


def test_only_a_finished_scan_covers_a_target(run):
    result = good(run("coverage_info", workspace="Web shop", tools=["Website Scanner"]))
    assert short(result["rows"]) == [
        ("www.example.com", "Website Scanner", True, 40001),
        ("shop.example.com", "Website Scanner", False, None),
        ("new.example.com", "Website Scanner", False, None),
    ]
    assert [row["target"] for row in result["gaps"]] == ["shop.example.com", "new.example.com"]
    assert (result["total"], result["covered"], result["excluded"]) == (3, 1, 0)
    assert result.changed is False


@pytest.mark.parametrize(
    "fields, why",
    [
        (
            {"num_tests": 10, "num_finished_tests": 3},
            "Scan 40005 finished only 3 of its 10 tests (it says 'Host down').",
        ),
        ({"num_tests": 0, "num_finished_tests": 0}, "Scan 40005 has no tests (it says 'Host down')."),
        ({"progress": 40}, "Scan 40005 finished 40 % of its work only (it says 'Host down')."),
    ],
)
def test_a_finished_scan_that_ran_in_part_covers_nothing(service, run, fields, why):
    place = {"workspace_id": 2, "tool_id": WEB, "status_message": "Host down"}
    service.add(scans=[{"id": 40005, "target": "new.example.com", **place, **fields}])
    (row,) = good(run("coverage_info", workspace_id=2, targets=["new.example.com"]))["rows"]
    assert (row["covered"], row["scan_id"], row["reason"]) == (False, None, why)
    # an older one that could see covers it
    service.add(scans=[{"id": 40006, "target": "www.example.com", **place, **fields}])
    (row,) = good(run("coverage_info", workspace_id=2, targets=["www.example.com"]))["rows"]
    assert (row["covered"], row["scan_id"]) == (True, 40001)


@pytest.mark.parametrize("pattern, excluded", [("new.*", 1), ("w*", 0), ("none.*", 0)])
def test_each_row_counts_once_in_the_summary(run, pattern, excluded):
    """A covered row is not excluded, even if an exclusion matches it."""
    exclusion = {"target": pattern, "reason": "not public yet", "expires": LATER}
    result = good(run("coverage_info", workspace_id=2, tools=["Website Scanner"], exclusions=[exclusion]))
    assert result["summary"] == {"covered": 1, "excluded": excluded, "gaps": 2 - excluded}
    assert sum(result["summary"].values()) == result["total"] == len(result["rows"])
    assert result["summary"]["gaps"] == len(result["gaps"])


def test_without_tools_a_scan_with_any_tool_counts(run):
    rows = good(run("coverage_info", workspace_id=2))["rows"]
    assert short(rows) == [
        ("www.example.com", "Website Scanner", True, 40001),
        ("shop.example.com", "Port Scanner", True, 40004),
        ("new.example.com", "any tool", False, None),
    ]


@pytest.mark.parametrize("field", ["tool_id", "target_id"])
@pytest.mark.parametrize("form", ["null_fields", "missing_fields"])
@pytest.mark.parametrize("options", [{}, {"tools": ["Website Scanner"]}], ids=str)
def test_a_scan_whose_target_or_tool_is_unknown_covers_nothing(service, run, field, form, options):
    # the contract has no such record
    service.allow_violations = True
    service.settings(**{form: {"scans": [field]}})
    result = good(run("coverage_info", workspace="Web shop", **options))
    assert [row["covered"] for row in result["rows"]] == [False] * 3
    said = f"may be of it, but its record has no {field}."
    assert said in result["rows"][0]["reason"]
    # a target without any scan
    assert (said in result["rows"][2]["reason"]) is (field == "target_id")


def test_an_old_scan_is_a_gap(run):
    (row, *_others) = good(run("coverage_info", workspace_id=2, max_age="1h"))["rows"]
    assert (row["covered"], row["scan_id"]) == (False, 40001)
    assert "max_age is 60 minutes." in row["reason"]


def test_declared_targets_are_compared_with_those_that_exist(service, run):
    service.add(targets=[{"id": 1004, "name": "WWW.example.com.", "workspace_id": 2}])
    result = good(run("coverage_info", workspace_id=2, targets=["www.example.com", "gone.example.com"]))
    assert short(result["rows"])[1] == ("gone.example.com", "any tool", False, None)
    assert "does not exist" in result["rows"][1]["reason"]
    # the exact name is that of one target only
    assert [row["id"] for row in result["undeclared"]] == [1002, 1003, 1004]
    assert [row["id"] for row in result["duplicates"]] == [1001, 1004]


def test_a_target_or_a_tool_that_is_named_twice_counts_once(run):
    targets = ["www.example.com", "WWW.example.com.", "gone.example.com", "Gone.example.com"]
    result = good(run("coverage_info", workspace_id=2, targets=targets, tools=["Website Scanner", WEB]))
    assert [(row["target"], row["covered"]) for row in result["rows"]] == [(targets[0], True), (targets[2], False)]
    assert (result["total"], result["covered"], len(result["gaps"])) == (2, 1, 1)


def test_all_workspaces_are_read_without_one(service, run):
    result = good(run("coverage_info"))
    assert {row["workspace"] for row in result["rows"]} >= {"Web shop"}
    assert "Empty" in result["empty_workspaces"]
    listed = [entry["query"]["workspace_id"] for entry in service.log() if entry["path"] == "/scans"]
    assert set(listed) >= {"2", "3"}
    assert {entry["method"] for entry in service.log()} == {"GET"}


@pytest.mark.parametrize("expires, excluded", [(LATER, True), ("2020-01-01", False)])
def test_an_exclusion_counts_until_it_expires(run, expires, excluded):
    exclusion = {"target": "new.*", "reason": "not public yet", "expires": expires}
    result = good(run("coverage_info", workspace_id=2, exclusions=[exclusion]))
    row = result["rows"][2]
    assert (row["covered"], row["excluded"]) == (False, excluded)
    assert len(result["gaps"]) == (0 if excluded else 1)
    assert len(result["exclusions"]["expired"]) == (0 if excluded else 1)
    assert bool(result.warnings) is not excluded


@pytest.mark.parametrize("check", [True, False])
def test_a_csv_file_holds_every_row(run, tmp_path, check):
    dest = tmp_path / "coverage.csv"
    result = good(run("coverage_info", workspace_id=2, dest=str(dest), check=check))
    assert result.changed is True
    assert dest.exists() is not check
    if not check:
        rows = list(csv.DictReader(dest.read_text().splitlines()))
        assert [(row["target"], row["covered"]) for row in rows] == [
            ("www.example.com", "yes"),
            ("shop.example.com", "yes"),
            ("new.example.com", "no"),
        ]


def test_a_json_file_holds_the_result(run, tmp_path):
    dest = tmp_path / "coverage.json"
    result = good(run("coverage_info", workspace_id=2, dest=str(dest)))
    assert json.loads(dest.read_text())["rows"] == result["rows"]


def test_a_cell_is_never_a_formula(service, run, tmp_path):
    service.add(workspaces=[{"id": 9, "name": "=cmd()"}], targets=[{"name": "a.example.com", "workspace_id": 9}])
    dest = tmp_path / "coverage.csv"
    good(run("coverage_info", workspace_id=9, dest=str(dest)))
    (row,) = csv.DictReader(dest.read_text().splitlines())
    assert row["workspace"] == "'=cmd()"


@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_a_file_has_no_password_of_a_target(service, run, tmp_path, suffix):
    name = "https://scan:correct-horse@a.example.com/x"
    service.add(workspaces=[{"id": 9, "name": "0012"}], targets=[{"name": name, "workspace_id": 9}])
    dest = tmp_path / f"coverage.{suffix}"
    result = good(run("coverage_info", workspace_id=9, dest=str(dest)))
    # the result names the target as the service does
    assert result["rows"][0]["target"] == name
    text = dest.read_text()
    assert "horse" not in text and "https://scan@a.example.com/x" in text
    assert "0012" in text


# --- owners


def owned(tmp_path, text):
    path = tmp_path / "owners.yml"
    path.write_text(text)
    return str(path)


def test_each_row_has_the_owner_of_its_target(service, run, tmp_path):
    path = owned(
        tmp_path,
        "version: 1\nowners:\n- {targets: [WWW.example.com], team: Web, contact: w@example.com}\n"
        "- {targets: ['*.org', '=*'], team: '=1+1'}\n",
    )
    dest = tmp_path / "coverage.csv"
    result = good(run("coverage_info", workspace_id=2, owners=path, dest=str(dest)))
    assert [(row["target"], row["team"], row["contact"], row["channel"]) for row in result["rows"]] == [
        ("www.example.com", "Web", "w@example.com", None),
        ("shop.example.com", None, None, None),
        ("new.example.com", None, None, None),
    ]
    assert [each for each in result.warnings if "owner" in each] == [
        f"2 targets have no owner in {path} (shop.example.com, new.example.com): add a pattern to the file.",
        f"The patterns at {path}:4, {path}:4 match no judged target: check for a typo, or remove it.",
    ]
    table = list(csv.DictReader(dest.open()))
    assert [row["team"] for row in table] == ["Web", "", ""]


def test_without_owners_the_keys_are_null(run):
    assert {row["team"] for row in good(run("coverage_info", workspace_id=2))["rows"]} == {None}


@pytest.mark.parametrize("text", ["", "version: 1\nowners: x\n", None])
def test_a_wrong_file_of_owners_is_refused_before_any_call(service, run, tmp_path, text):
    path = str(tmp_path / "missing.yml") if text is None else owned(tmp_path, text)
    result = run("coverage_info", workspace_id=2, owners=path)
    assert result.failed and "owners" in result.msg and service.calls() == []


def test_a_file_has_no_password_of_a_target_that_was_not_declared(service, run, tmp_path):
    names = ["https://scan:correct-horse@a.example.com/x", "https://scan:correct-horse@A.example.com/x"]
    service.allow_violations = True
    service.add(targets=[{"name": name, "workspace_id": 2} for name in names])
    dest = tmp_path / "coverage.json"
    result = good(run("coverage_info", workspace_id=2, targets=["www.example.com"], dest=str(dest)))
    assert len(result["duplicates"]) == 2
    text = dest.read_text()
    assert "horse" not in text and text.count("https://scan@a.example.com/x") == text.count("scan@A.example.com") == 2
