# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The option must_see of gate and coverage_info against the local service."""

from __future__ import annotations

import json

import pytest

SCAN = {"target": "www.example.com", "workspace_id": 2, "tool_id": 170}
COUNTS = ("critical", "high", "medium", "low", "info")
CANARY = {
    "name": "Directory listing",
    "vuln_id": "WEB-9",
    "risk_level": 3,
    "vuln_evidence": {
        "type": "table",
        "data": {"headers": ["URL"], "rows": [["https://www.example.com/account/canary/"]]},
    },
}
CONTROL = {"name": "Directory listing", "path": "/account/canary/", "reason": "Only users get to this page"}
BANNER = {"name": "Banner", "vuln_id": "WEB-1", "risk_level": 1}
FILES = ["json", "markdown", "html", "junit", "csv", "sarif", "gitlab", "defectdojo"]
UNSEEN = "did not see Directory listing at /account/canary/ (Only users get to this page): the login may have failed"


@pytest.fixture(autouse=True)
def _account(service):
    service.settings(scan_run_time=1000, scan_queue_time=1000)
    service.add(
        workspaces=[{"id": 2, "name": "Web shop"}],
        targets=[{"id": 1001, "name": "www.example.com", "workspace_id": 2}],
    )


@pytest.fixture
def found(service):
    """Add a finished scan with these findings."""

    def add(*findings, scan_id=40001, **more):
        levels = [each["risk_level"] for each in findings]
        counts = {name: levels.count(level) for level, name in enumerate(reversed(COUNTS))}
        service.add(
            scans=[{"id": scan_id, **SCAN, "result_summary": {"text": "", **counts}, **more}],
            findings=[
                {"id": scan_id * 10 + index, "task_id": scan_id, "target_id": 1001, **each}
                for index, each in enumerate(findings)
            ],
        )

    return add


@pytest.fixture
def judge(run, tmp_path):
    def judge(*controls, **options):
        return run(
            "gate",
            **{"workspace_id": 2, "must_see": controls, "artifacts": str(tmp_path), "formats": FILES, **options},
        )

    return judge


def facts(result):
    return [(each["target"], each["tool"], each["scan_id"], each["seen"]) for each in result["controls"]]


# --- gate


def test_a_control_that_was_seen_is_in_no_file_but_as_a_control(judge, found, tmp_path):
    found(CANARY, BANNER)
    result = judge(CONTROL)
    assert (result["outcome"], result["coverage"]) == ("passed", "complete")
    assert result.msg == "The gate passed: 0 of 1 finding fails, 1 control seen (www.example.com, Website Scanner)."
    assert facts(result) == [("www.example.com", "Website Scanner", 40001, True)]
    assert [each["name"] for each in result["findings"]] == ["Banner"]
    assert (result["summary"]["high"], result["counts"]["total"]) == (0, 1)
    for path in sorted(tmp_path.iterdir()):
        text = path.read_text(encoding="utf-8")
        shows = path.name in ("gate.json", "gate.md", "gate.html")
        assert ("canary" in text or "Controls: 1 seen." in text) is shows, path.name
        assert "WEB-9" not in text, path.name


def test_a_control_that_was_not_seen_fails_a_clean_scan(judge, found, tmp_path):
    found(BANNER)
    result = judge(CONTROL)
    assert (result["outcome"], result["passed"], result.failed) == ("blind", False, True)
    assert f"Scan 40001 {UNSEEN}" in result.msg
    assert result["coverage"] == "partial"
    assert facts(result) == [("www.example.com", "Website Scanner", 40001, False)]
    # GitHub, GitLab and DefectDojo would close what the scan could not see
    assert not {"gate.sarif", "gl-dast-report.json", "gate-defectdojo.json"} & {
        each.name for each in tmp_path.iterdir()
    }
    assert '<error type="blind"' in (tmp_path / "gate-junit.xml").read_text()
    page, summary = (tmp_path / "gate.html").read_text(), (tmp_path / "gate.md").read_text()
    assert "Controls: 1 not seen.<br>not seen: Directory listing at /account/canary/" in page
    assert "a scan did not see a control" in page
    assert "Controls: 1 not seen.\n\n- `not seen: Directory listing at /account/canary/ on www.example.com" in summary


@pytest.mark.parametrize("verdict", ["warn", "pass"])
def test_a_mapping_makes_no_blind_run_passed(judge, found, verdict):
    found(BANNER, start_time="2026-01-31 11:00:00", end_time="2026-01-31 12:00:00")
    result = judge(CONTROL, outcomes={"blind": verdict})
    assert (result["outcome"], result["passed"], result.failed) == ("blind", False, False)
    assert "1 control" in result.msg or "did not see" in result.msg
    # nor does it hide what else is wrong
    result = judge(CONTROL, outcomes={"blind": verdict}, expect={"max_age": "1s"})
    assert (result["outcome"], result["verdict"]) == ("blind", "fail")


def test_a_scan_that_did_not_finish_keeps_its_own_outcome(judge, found):
    found(CANARY)
    found(scan_id=40002, status_name="aborted")
    result = judge(CONTROL)
    assert (result["outcome"], facts(result)) == ("scan_failed", [("www.example.com", "Website Scanner", 40002, None)])


def test_nothing_that_decides_about_findings_touches_a_control(judge, found, tmp_path):
    waivers = tmp_path / "waivers.yml"
    waivers.write_text(
        "version: 1\nwaivers:\n  - {name: Directory listing, reason: r, owner: o, expires: 2027-01-01, status: accepted}\n"
    )
    found({**CANARY, "status": "false_positive"}, BANNER)
    matchers = {"include": [{"name": "Banner"}], "exclude": [{"name": "Directory listing"}]}
    result = judge(CONTROL, waivers=[str(waivers)], policy=matchers)
    assert (result["outcome"], facts(result)[0][3]) == ("passed", True)
    assert [each["reason"] for each in result["waivers"]["unused"]] == ["r"]


def test_a_baseline_that_knows_a_control_stays_as_it_is(judge, found, tmp_path):
    path = tmp_path / "baseline.json"
    options = {"baseline": str(path), "workspace": "Web shop", "workspace_id": None, "policy": {"only_new": True}}
    found(CANARY, BANNER)
    assert judge(baseline_missing="create", **options)["outcome"] == "passed"
    before = json.loads(path.read_text())["findings"]
    found(CANARY, {**BANNER, "vuln_id": "WEB-2"}, scan_id=40002)
    result = judge(CONTROL, baseline_update=True, **options)
    assert [each["check"] for each in result["gone"]] == ["WEB-1"]
    after = json.loads(path.read_text())["findings"]
    # its last_seen is null as long as it is that of the newest scan
    known = [[dict(each, last_seen=None) for each in listed if each["check"] == "WEB-9"] for listed in (before, after)]
    assert known[0] == known[1] and len(known[0]) == 1
    # what is no control in the next run has been known all the time
    (row,) = [each for each in judge(**options)["findings"] if each["check"] == "WEB-9"]
    assert row["change"] == "known"


def test_a_blind_run_neither_creates_nor_updates_a_baseline(judge, found, tmp_path):
    path = tmp_path / "baseline.json"
    found(BANNER)
    result = judge(CONTROL, baseline=str(path), baseline_missing="create", outcomes={"blind": "pass"})
    assert (result["outcome"], path.exists()) == ("blind", False)


@pytest.mark.parametrize("more", [{"target": "typo.example.com"}, {"tool": "TCP Port Scanner"}], ids=str)
def test_a_control_that_nothing_can_see_is_misconfigured(judge, found, more):
    found(CANARY, BANNER)
    result = judge({**CONTROL, **more}, outcomes={"findings": "pass"})
    assert (result["outcome"], result.failed) == ("misconfigured", True)
    assert "must_see[0] is for a target or tool that is not judged, so no scan can see it" in result.msg
    assert facts(result) == [("", "", None, None)]


def test_a_control_that_could_hide_real_findings_is_misconfigured(judge, found):
    rows = [["https://www.example.com/account/canary/"], ["https://www.example.com/backup/"]]
    found({**CANARY, "vuln_evidence": {"type": "table", "data": {"headers": ["URL"], "rows": rows}}})
    result = judge({"name": "Directory listing", "reason": "r"})
    assert (result["outcome"], result["counts"]["failing"]) == ("misconfigured", 1)
    # with its path, the other place is a finding
    result = judge(CONTROL)
    assert (result["outcome"], [each["path"] for each in result["failing"]]) == ("findings", ["/backup/"])
    assert facts(result)[0][3] is True


def test_a_wrong_control_fails_before_any_call(service, judge):
    result = judge({"name": "a"})
    assert (result.failed, service.calls()) == (True, [])
    assert result.msg.startswith("must_see[0].reason is missing")


def test_a_saved_file_does_not_show_what_a_scan_saw(judge, found, tmp_path, run):
    found(BANNER)
    assert judge(CONTROL)["outcome"] == "blind"
    saved = str(tmp_path / "gate.json")
    result = run("gate", findings_file=saved, must_see=[CONTROL])
    assert result.failed
    assert result.msg.startswith("must_see is set, but a file of findings_file does not show what the scans saw:")
    # what was blind when the file was written stays blind
    again = run("gate", findings_file=saved)
    assert (again["outcome"], UNSEEN in again.msg) == ("blind", True)


@pytest.mark.parametrize("is_planted", [True, False])
def test_a_saved_file_keeps_what_the_scans_saw_of_controls(judge, found, tmp_path, run, is_planted):
    found(BANNER, *([CANARY] if is_planted else []))
    saved, out = judge(CONTROL), str(tmp_path / "again")
    path = str(tmp_path / "gate.json")
    again = run("gate", findings_file=path, artifacts=out, formats=["json", "markdown"])
    assert again["controls"] == saved["controls"]
    assert [each["seen"] for each in again["controls"]] == [is_planted]
    assert f"Controls: 1 {'seen' if is_planted else 'not seen'}." in (tmp_path / "again" / "gate.md").read_text()
    # and so does the file of a file
    assert run("gate", findings_file=f"{out}/gate.json")["controls"] == saved["controls"]
    if is_planted:
        assert (again["outcome"], "1 control seen" in again.msg) == ("passed", True)


def test_a_saved_file_with_wrong_controls_is_refused(judge, found, tmp_path, run):
    found(BANNER)
    judge(CONTROL)
    path = tmp_path / "gate.json"
    document = json.loads(path.read_text())
    for controls in (None, {}, ["x"], [{"name": "a"}], [{**document["controls"][0], "seen": "yes"}]):
        path.write_text(json.dumps({**document, "controls": controls}))
        result = run("gate", findings_file=str(path))
        assert result.failed and "is wrong in " in result.msg, controls


def test_a_service_that_does_not_answer_leaves_controls_unknown(service, judge):
    service.fault(path="/scans", action="status", status=500, times=None)
    result = judge(CONTROL)
    assert (result["outcome"], facts(result)) == ("service_error", [("", "", None, None)])


def test_a_hostile_reason_is_text_in_all_files(judge, found, tmp_path):
    found(BANNER)
    hostile = "<script>alert(1)</script> | `x` @admin ::error::\x1b[31m"
    judge({**CONTROL, "reason": hostile})
    assert "<script>alert" not in (tmp_path / "gate.html").read_text()
    for name in ("gate.md", "gate.html", "gate-junit.xml"):
        assert "\x1b" not in (tmp_path / name).read_text(), name


# --- coverage_info


def covered(result):
    return [(row["target"], row["covered"], row["reason"]) for row in result["rows"]]


def test_a_target_is_covered_only_if_its_control_was_seen(service, run, found):
    found(CANARY)
    result = run("coverage_info", workspace_id=2, must_see=[CONTROL])
    assert covered(result) == [("www.example.com", True, "")]
    assert facts(result) == [("www.example.com", "Website Scanner", 40001, True)]
    found(BANNER, scan_id=40002)
    result = run("coverage_info", workspace_id=2, must_see=[CONTROL])
    ((_target, is_covered, reason),) = covered(result)
    assert (is_covered, reason.startswith(f"blind: Scan 40002 {UNSEEN}")) == (False, True)
    assert [row["target"] for row in result["gaps"]] == ["www.example.com"]
    assert (result["covered"], facts(result)[0][3]) == (0, False)


def test_only_scans_that_must_see_a_control_are_read(service, run, found):
    service.add(targets=[{"id": 1002, "name": "new.example.com", "workspace_id": 2}])
    found(CANARY)
    service.clear_log()
    result = run("coverage_info", workspace_id=2, must_see=[{**CONTROL, "target": "new.*"}])
    assert [each for each in service.calls() if "findings" in each] == []
    assert facts(result) == [("new.example.com", "any tool", None, None)]
    assert [row["covered"] for row in result["rows"]] == [True, False]


def test_findings_that_could_not_be_read_completely_cover_nothing(service, run, found):
    found(CANARY, result_summary={"text": "", "info": 0, "low": 0, "medium": 0, "high": 2, "critical": 0})
    result = run("coverage_info", workspace_id=2, must_see=[CONTROL])
    ((_target, is_covered, reason),) = covered(result)
    assert (is_covered, bool(reason), facts(result)[0][3]) == (False, True, None)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"must_see": [{"name": "a"}]}, "must_see[0].reason is missing"),
        ({"must_see": [{**CONTROL, "tool": "170"}]}, "must_see[0].tool is a tool that tools does not name"),
        ({"must_see": [{**CONTROL, "tool": "170"}], "tools": ["70"]}, "must_see[0].tool is a tool that tools does not"),
        ({"must_see": [{**CONTROL, "target": "typo"}]}, "must_see[0] is for a target or tool that is not judged"),
    ],
)
def test_a_control_of_coverage_that_is_wrong_fails_the_task(run, found, options, message):
    found(CANARY)
    result = run("coverage_info", workspace_id=2, **options)
    assert result.failed and result.msg.startswith(message), result.msg
