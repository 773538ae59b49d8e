# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The gate against the local service: what it reads, what it decides, what it writes."""

from __future__ import annotations

import html
import json
import os
import pathlib
import sys
import threading
import time

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.html import template
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.registry import FORMATS
from ansible_collections.scanops.scanner.plugins.module_utils._gate.gate_files import diff_of
from ansible_collections.scanops.scanner.plugins.module_utils._model.galaxy import section_of

WEB, PORTS = 170, 70
LATER = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 30 * 86400))
COUNTS = ("critical", "high", "medium", "low", "info")
SCAN = {"target": "www.example.com", "workspace_id": 2, "tool_id": WEB}


def scans(**more):
    return {"id": 40001, **SCAN, **more}


@pytest.fixture(autouse=True)
def _account(service):
    service.settings(scan_run_time=1000, scan_queue_time=1000)
    service.add(
        workspaces=[{"id": 2, "name": "Web shop"}, {"id": 3, "name": "Empty"}],
        targets=[{"id": 1001, "name": "www.example.com", "workspace_id": 2}],
    )


@pytest.fixture
def found(service):
    """Add a finished scan with findings of these risk levels."""

    def add(*levels, scan_id=40001, **more):
        counts = {name: levels.count(level) for level, name in enumerate(("info", "low", "medium", "high", "critical"))}
        service.add(
            scans=[{"id": scan_id, **SCAN, "result_summary": {"text": "", **counts}, **more}],
            findings=[
                {"id": scan_id * 10 + index, "name": f"Finding {index}", "vuln_id": f"WEB-{index}", "risk_level": level}
                | {"task_id": scan_id, "target_id": 1001}
                for index, level in enumerate(levels)
            ],
        )

    return add


def judged(result, outcome):
    """The result of a gate with this outcome, which fails the task unless it is passed."""
    assert result.result.get("outcome") == outcome, result
    assert result["passed"] is (outcome == "passed")
    assert result.failed is (outcome != "passed"), result
    assert str(result.msg).startswith("The gate passed: ") is (outcome == "passed"), result
    assert result.msg
    return result


# --- outcomes


@pytest.mark.parametrize(
    "status, outcome",
    [
        ("running", "incomplete"),
        ("waiting", "incomplete"),
        ("stopped", "scan_failed"),
        ("aborted", "scan_failed"),
        ("failed to start", "scan_failed"),
        ("timed out", "run_timeout"),
        ("auth failed", "scan_failed"),
        ("hibernating", "unknown_state"),
    ],
)
def test_the_newest_scan_counts_even_if_an_older_one_was_clean(service, run, found, status, outcome):
    found(0)
    service.add(scans=[scans(id=40002, status_name=status)])
    result = judged(run("gate", workspace_id=2), outcome)
    assert result["targets"][0]["scan_id"] == 40002


@pytest.mark.parametrize(
    "times, expected",
    [
        (["2026-01-31 11:45:00", "2026-01-31 12:00:00"], ["2026-01-31T12:00:00Z", 900]),
        (["2026-01-31 12:45:00", "2026-01-31 12:00:00"], ["2026-01-31T12:00:00Z", None]),
        (["2026-01-31 12:00:00", None], ["2026-01-31T12:00:00Z", None]),
        ([None, "2026-01-31 12:00:00"], ["2026-01-31T12:00:00Z", None]),
        ([None, None], [None, None]),
        (["2026-01-31 11:45:00", "2126-01-31 12:00:00"], [None, None]),
    ],
)
def test_a_target_says_when_its_scan_ended_and_how_long_it_took(run, found, times, expected):
    found(0, **dict(zip(("start_time", "end_time"), times)))
    (target,) = run("gate", workspace_id=2)["targets"]
    assert [target["finished"], target["duration"]] == expected


def test_a_light_scan_closes_nothing_that_a_deep_scan_found(service, run, found, tmp_path):
    baseline = str(tmp_path / "baseline.json")
    options = dict(workspace="Web shop", baseline=baseline, policy={"only_new": True}, artifacts=str(tmp_path))
    found(3, 4, tool_params={"scan_type": "deep"})
    judged(run("gate", baseline_missing="create", **options), "passed")
    found(3, scan_id=40002, tool_params={"scan_type": "light"})
    result = judged(run("gate", baseline_update=True, **options), "passed")
    assert (result["counts"]["gone"], result["gone"], result["counts"]["unseen"]) == (0, [], 1)
    assert result["unseen"][0]["reason"].startswith("not seen by this scan (light): ")
    text = (tmp_path / "gate.md").read_text()
    assert "0 gone, 1 not seen by this scan." in text and "### Gone" not in text
    # nor does another light scan after the update
    found(3, scan_id=40003, tool_params={"scan_type": "light"})
    assert judged(run("gate", **options), "passed")["counts"]["gone"] == 0
    found(3, scan_id=40004, tool_params={"scan_type": "deep"})
    assert judged(run("gate", **options), "passed")["counts"]["gone"] == 1


def test_a_catalogue_of_2022_is_said(run, found, tmp_path):
    found(4)
    path = tmp_path / "kev.json"
    path.write_text('{"dateReleased": "2022-03-01T00:00:00Z", "vulnerabilities": [{"cveID": "CVE-2021-44228"}]}')
    options = dict(
        workspace_id=2, known_exploited_file=str(path), policy={"known_exploited": True}, artifacts=str(tmp_path)
    )
    result = run("gate", **options)
    assert [" is of 2022-03-01, " in each for each in result.warnings] == [True]
    assert "Known exploited vulnerabilities of `2022-03-01`." in (tmp_path / "gate.md").read_text()
    strict = judged(run("gate", stale_catalogues="fail", **options), "misconfigured")
    assert "is of 2022-03-01" in strict["reasons"][0]
    assert "Known exploited vulnerabilities of 2022-03-01." in strict.msg
    assert (
        run("gate", known_exploited_max_age="9999d", stale_catalogues="fail", **options)["outcome"] == result["outcome"]
    )
    wrong = run("gate", **{**options, "known_exploited_max_age": "soon"})
    assert wrong.failed and "known_exploited_max_age is 'soon'" in wrong.msg


def test_a_known_finding_that_is_exploited_now_fails(service, run, tmp_path):
    baseline = str(tmp_path / "baseline.json")
    options = dict(workspace="Web shop", baseline=baseline, policy={"only_new": True, "known_exploited": True})

    def scanned(scan_id, exploited):
        service.add(
            scans=[scans(id=scan_id, result_summary={"text": "", **dict.fromkeys(COUNTS, 0), "high": 1})],
            findings=[
                {"id": scan_id * 10, "name": "Old server", "vuln_id": "WEB-1", "risk_level": 3, "task_id": scan_id}
                | {"target_id": 1001, "in_cisa_catalog": exploited}
            ],
        )

    scanned(40001, False)
    judged(run("gate", baseline_missing="create", **options), "passed")
    scanned(40002, True)
    (row,) = judged(run("gate", **options), "findings")["failing"]
    assert (row["change"], row["reasons"][-1]) == (
        "worse",
        "it is worse than in the baseline, where it was not known to be exploited",
    )


# --- scans whose records lack their target or tool


@pytest.fixture
def unplaced(service, found):
    """Add two targets with finished scans of two tools, and judge them with a list in which some fields are not as they
    should be."""
    found(0)
    shop = {"target": "shop.example.com", "workspace_id": 2}
    service.add(
        targets=[{"id": 1002, "name": "shop.example.com", "workspace_id": 2}],
        scans=[
            scans(id=40002, tool_id=PORTS),
            scans(id=40003, **{**shop, "tool_id": WEB}),
            scans(id=40004, **{**shop, "tool_id": PORTS}),
            scans(id=40005, **shop),
        ],
    )

    def change(scan_id, *missing, **fields):
        rows = [dict(row) for row in service.scans()]
        (row,) = [row for row in rows if row["id"] == scan_id]
        row.update(fields)
        for name in missing:
            del row[name]
        # the contract has no such record
        service.allow_violations = True
        service.fault(method="GET", path="/scans", action="wrong_type", data=rows, times=1)

    return change


def outcomes_of(result):
    return {f"{row['target'][:4]} {row['tool_id']}": row["outcome"] for row in result["targets"]}


ALL = {"www. 70": "passed", "www. 170": "passed", "shop 70": "passed", "shop 170": "passed"}
LACKS = [
    (["target_id"], ["www. 170", "shop 170"], "target_id"),
    (["tool_id"], ["shop 70", "shop 170"], "tool_id"),
    (["target_id", "tool_id"], list(ALL), "target_id and no tool_id"),
]


@pytest.mark.parametrize("fields, incomplete, said", LACKS, ids=str)
def test_a_newer_scan_may_be_of_all_that_its_record_does_not_exclude(run, unplaced, fields, incomplete, said):
    first, *others = fields
    unplaced(40005, *others, **{first: None})
    result = judged(run("gate", workspace_id=2), "incomplete")
    assert outcomes_of(result) == {**ALL, **dict.fromkeys(incomplete, "incomplete")}
    assert f"Scan 40005 may be a newer scan of it, because its record has no {said}." in str(result["reasons"])
    assert result["coverage"] == "partial"


@pytest.mark.parametrize("options", [{}, {"tools": ["20", "70"], "outcomes": {"not_covered": "pass"}}], ids=str)
def test_a_scan_of_unknown_target_may_be_of_what_has_no_scan(run, unplaced, options):
    unplaced(40005, target_id=None, tool_id=20)
    result = run("gate", workspace_id=2, **options)
    assert result.failed
    assert "Scan 40005 may be of a target and tool without another scan" in str(result["reasons"])
    assert result["outcome"] == ("incomplete" if not options else "not_covered")


def test_named_scans_without_a_target_or_tool_are_incomplete(service, run, found):
    found(0)
    found(0, scan_id=40002)
    service.allow_violations = True
    service.settings(null_fields={"scans": ["target_id"]})
    result = judged(run("gate", workspace_id=2, scan_ids=[40001, 40002]), "incomplete")
    # neither replaces the other
    assert [(row["scan_id"], row["outcome"]) for row in result["targets"]] == [
        (40001, "incomplete"),
        (40002, "incomplete"),
    ]
    assert "has no target_id" in result["reasons"][0]


FAULTS = [
    {"action": "status", "status": 500},
    {"action": "status", "status": 401},
    {"action": "html"},
    {"action": "reset"},
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: str(fault.get("status", fault["action"])))
@pytest.mark.parametrize("path", ["/workspaces", "/targets", "/scans", "/findings"])
def test_a_service_that_fails_is_never_clean(service, run, found, tmp_path, path, fault):
    found(0)
    service.fault(method="GET", path=path, times=99, **fault)
    result = judged(run("gate", workspace="Web shop", retries=1, artifacts=str(tmp_path / "out")), "service_error")
    assert json.loads((tmp_path / "out" / "gate.json").read_text())["outcome"] == "service_error"
    assert "service_error" in (tmp_path / "out" / "gate.md").read_text()
    assert result["reasons"]


# --- what is judged


def test_the_registered_results_of_scans_are_judged(service, run, found):
    found(0)
    service.settings(scan_run_time=0, scan_queue_time=0, scan_findings=[])
    options = {"target": "www.example.com", "workspace_id": 2, "tool": "Website Scanner"}
    waited = run("scan", poll_interval=1, **options)
    judged(run("gate", workspace_id=2, scan_results=[waited.result]), "passed")
    rows = service.scans()[:-1]
    started = run("scan", wait=False, **options)
    judged(run("gate", workspace_id=2, scan_results=[started.result]), "passed")
    # a list that lacks it
    service.fault(method="GET", path="/scans", action="wrong_type", data=rows, times=1)
    result = judged(run("gate", workspace_id=2, scan_results=[started.result]), "incomplete")
    assert "was started, but scan" in result["reasons"][0]
    predicted = run("scan", check=True, **options)
    judged(run("gate", check=True, workspace_id=2, scan_results=[predicted.result]), "incomplete")


@pytest.mark.parametrize(
    "newer, outcome, said",
    [
        (
            {"tool_params": {"scan_type": "light"}},
            "incomplete",
            "may see less: it is light, and the other one is deep.",
        ),
        ({"tool_params": {}}, "incomplete", "may see less: it is of no level, and the other one is deep."),
        ({"tool_params": {"scan_type": "deep"}}, "passed", ""),
    ],
)
@pytest.mark.parametrize("in_loop", [False, True])
def test_a_newer_scan_that_may_see_less_does_not_replace_the_one_of_the_task(
    service, run, found, newer, outcome, said, in_loop
):
    deep = {"scan_type": "deep"}
    found(4, age=7200, tool_params=deep)
    found(scan_id=40002, age=600, **newer)
    used = run("scan", workspace_id=2, targets=["www.example.com"], tool=str(WEB), tool_params=deep, max_age="1d")
    assert [each["scan"]["id"] for each in used["scans"]] == [40002 if outcome == "passed" else 40001]
    results = [{"results": [{**used.result, "item": "x"}]}] if in_loop else [used.result]
    gate = judged(run("gate", workspace_id=2, scan_results=results), outcome)
    assert said in gate.msg
    assert not said or "Scan 40002 is newer than scan 40001, which the task before the gate has used" in gate.msg


def test_targets_that_could_not_be_declared_are_not_hidden_by_older_scans(service, run, found):
    found(0)
    service.fault(method="POST", path="/targets", action="status", status=403, times=None)
    declared = run("estate", workspaces=[{"name": "Web shop", "targets": ["www.example.com", "new.example.com"]}])
    assert declared.failed
    assert declared["results"]
    result = run("gate", workspace_id=2, scan_results=[declared.result])
    assert "was answered 403" in judged(result, "service_error")["reasons"][0]


@pytest.mark.parametrize("form", ["plain", "offset", "utc", "unix", "unix_ms"])
@pytest.mark.parametrize("days, outcome", [(-60, "not_covered"), (60, "passed"), (0, "passed")])
def test_an_answer_with_another_date_makes_no_scan_recent(service, run, found, form, days, outcome):
    service.settings(clock_offset=days * 86400, time_form=form)
    found(0, age=3600)
    result = judged(run("gate", workspace_id=2, expect={"max_age": "1d"}), outcome)
    assert result["targets"][0]["age"] // 86400 == max(0, -days)
    said = f"{abs(days)} days {'ahead of' if days > 0 else 'behind'} the clock of this host"
    assert [said in warning for warning in result.warnings] == [True] * bool(days)


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/Los_Angeles"])
def test_the_zone_of_this_machine_makes_no_scan_younger(run, found, monkeypatch, zone):
    ended = time.gmtime(time.time() - 3 * 3600)
    found(0, start_time=None, end_time=time.strftime("%Y-%m-%d %H:%M:%S", ended))
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        judged(run("gate", workspace_id=2, expect={"max_age": "2h"}), "not_covered")
        result = judged(run("gate", workspace_id=2, expect={"max_age": "4h"}), "passed")
    finally:
        monkeypatch.undo()
        time.tzset()
    assert result["targets"][0]["finished"] == time.strftime("%Y-%m-%dT%H:%M:%SZ", ended)


# --- baseline and waivers


def test_a_baseline_is_created_and_makes_findings_known(run, found, tmp_path):
    found(3, 4)
    baseline = str(tmp_path / "baseline.json")
    policy = {"only_new": True}
    options = dict(workspace="Web shop", baseline=baseline, baseline_missing="create", policy=policy)
    assert run("gate", check=True, **options)["outcome"] == "passed"
    assert not os.path.exists(baseline)
    result = judged(run("gate", **options), "passed")
    assert result.changed is True
    assert "created with 2 findings" in result.warnings[0]
    assert result["counts"]["known"] == 2
    before = pathlib.Path(baseline).read_text()
    assert judged(run("gate", **options), "passed").changed is False
    found(3, 4, 4, scan_id=40002)
    result = judged(run("gate", **options), "findings")
    assert [row["change"] for row in result["failing"]] == ["new"]
    assert pathlib.Path(baseline).read_text() == before
    judged(run("gate", baseline_update=True, **options), "findings")
    assert pathlib.Path(baseline).read_text() != before
    judged(run("gate", **options), "passed")


def in_places(*paths):
    """Where a scanner saw a finding, as evidence."""
    return {"type": "table", "data": {"headers": ["URL", "Method"], "rows": [[path, "GET"] for path in paths]}}


def test_a_new_place_of_a_known_finding_fails(service, run, tmp_path):
    def scanned(scan_id, *paths):
        service.add(
            scans=[scans(id=scan_id, result_summary={"text": "", **dict.fromkeys(COUNTS, 0), "critical": 1})],
            findings=[
                {"id": scan_id * 10, "name": "SQL injection", "vuln_id": "WEB-1", "risk_level": 4, "task_id": scan_id}
                | {"target_id": 1001, "vuln_evidence": in_places(*paths)}
            ],
        )

    baseline, saved = str(tmp_path / "baseline.json"), str(tmp_path / "gate.json")
    options = dict(workspace="Web shop", baseline=baseline, policy={"only_new": True})
    scanned(40001, "/shop", "/cart")
    judged(run("gate", baseline_missing="create", **options), "passed")
    scanned(40002, "/cart", "/shop", "/admin")
    (row,) = judged(run("gate", artifacts=str(tmp_path), **options), "findings")["failing"]
    assert row["change"] == "new"
    assert [each["path"] for each in row["places"]] == ["/admin", "/cart", "/shop"]
    # the saved file has the same places
    again = judged(run("gate", findings_file=saved), "findings")
    assert again["findings"][0]["places"] == row["places"]
    assert again["findings"][0]["fingerprint"] == row["fingerprint"]
    scanned(40003, "/cart")
    assert judged(run("gate", **options), "passed")["counts"]["known"] == 1


def test_a_missing_baseline_is_said_first(run, found, tmp_path):
    path = str(tmp_path / "nope.json")
    said = f"The baseline {path!r} does not exist, so every finding counts as new."
    options = dict(
        workspace_id=2, baseline=path, policy={"only_new": True}, artifacts=str(tmp_path), formats=["markdown", "html"]
    )
    found(3)
    result = judged(run("gate", **options), "findings")
    assert result.msg.startswith(f"The gate ended with findings. {said} ")
    assert [each for each in result.warnings if each.startswith(said)], result.warnings
    assert result["baseline"]["reason"].startswith(said)
    assert said in (tmp_path / "gate.md").read_text().splitlines()[2]
    assert said in html.unescape((tmp_path / "gate.html").read_text().partition("<ul>")[2][:300])


def test_a_baseline_that_was_not_created_says_why(service, run, found, tmp_path):
    found(3)
    service.add(scans=[scans(id=40002, target="www.example.com", tool_id=PORTS, status_name="stopped")])
    path = str(tmp_path / "baseline.json")
    result = judged(run("gate", workspace_id=2, baseline=path, baseline_missing="create"), "scan_failed")
    said = f"The baseline {path!r} does not exist, and was not created because not everything could be read,"
    assert [each for each in result.warnings if each.startswith(said)], result.warnings
    assert not os.path.exists(path)


def test_no_baseline_is_created_from_a_file(run, found, tmp_path):
    found(3)
    saved, baseline = tmp_path / "findings.jsonl", tmp_path / "baseline.json"
    run("finding_info", workspace_id=2, dest=str(saved))
    options = dict(findings_file=str(saved), workspace="Web shop", baseline=str(baseline))
    refused = run("gate", baseline_missing="create", **options)
    assert refused.failed and "outcome" not in refused.result
    assert refused.msg.startswith(
        "baseline_missing is create, but a file of findings_file does not prove what was scanned"
    )
    judged(run("gate", **options), "findings")


@pytest.mark.parametrize("outcome, status", [("incomplete", "running"), ("scan_failed", "stopped")])
def test_a_run_that_saw_too_little_never_changes_a_baseline(service, run, found, tmp_path, outcome, status):
    found(3)
    baseline = str(tmp_path / "baseline.json")
    judged(run("gate", workspace_id=2, baseline=baseline, baseline_missing="create"), "findings")
    before = pathlib.Path(baseline).read_text()
    service.add(scans=[scans(id=40002, status_name=status)])
    result = judged(run("gate", workspace_id=2, baseline=baseline, baseline_update=True), outcome)
    assert pathlib.Path(baseline).read_text() == before
    assert result["gone"] == []


WAIVER = """\
version: 1
waivers:
  - check: WEB-1
    reason: Behind a login
    owner: Web team
    expires: {expires}
    status: accepted
"""


@pytest.mark.parametrize("expires, outcome", [(LATER, "passed"), ("2020-12-31", "findings")])
def test_a_waiver_counts_until_it_expires(run, found, tmp_path, expires, outcome):
    found(0, 4)
    waivers = tmp_path / "waivers.yml"
    waivers.write_text(WAIVER.format(expires=expires))
    result = judged(run("gate", workspace_id=2, waivers=[str(waivers)]), outcome)
    assert len(result["waivers"]["expired"]) == (outcome == "findings")
    assert result["counts"]["waived"] == (outcome == "passed")


GOOD_WAIVER = WAIVER.format(expires=LATER)
SPOILT = {
    "truncated": GOOD_WAIVER[:-30].encode(),
    "large": b"#" * (51 << 20),
}


def test_each_problem_of_the_waivers_is_a_line(account, run, tmp_path):
    path = tmp_path / "waivers.yml"
    path.write_text("version: 1\nwaivers:\n  - {check: a, reason: b, expires: soon}\n  - {severity: high}\n")
    result = run("gate", workspace_id=2, waivers=[str(path)])
    assert result.failed and account.calls() == []
    assert [each.partition(": ")[0].rpartition(":")[2] for each in result["problems"]] == ["3", "3", "4", "4", "4", "4"]
    assert "\n" not in result.msg and result["problems"][0] in result.msg
    assert result.msg.startswith("The waivers have 6 problems; nothing is waived. The first is in ")


@pytest.mark.parametrize("spoilt", SPOILT)
@pytest.mark.parametrize("option", ["waivers", "baseline"])
def test_a_spoilt_file_never_passes(service, run, found, tmp_path, option, spoilt):
    found(0, 4)
    path = tmp_path / "spoilt"
    path.write_bytes(SPOILT[spoilt])
    result = run("gate", workspace_id=2, **{option: [str(path)] if option == "waivers" else str(path)})
    assert result.failed
    assert "spoilt" in result.msg
    assert result.result.get("outcome") in (None, "stale_baseline")
    assert path.read_bytes() == SPOILT[spoilt]


def test_the_line_of_a_red_gate_names_what_is_red(run, found, tmp_path):
    found(*[4] * 2, *[3] * 10)
    waivers = tmp_path / "waivers.yml"
    waivers.write_text(WAIVER.format(expires="2020-12-31"))
    result = judged(
        run(
            "gate",
            workspace_id=2,
            waivers=[str(waivers)],
            artifacts=str(tmp_path),
            formats=["json", "html", "markdown"],
        ),
        "findings",
    )
    named = [
        f"{row['severity']} {row['name']} on www.example.com (check {row['check']})" for row in result["failing"][:5]
    ]
    assert result.msg == (
        "The gate ended with findings. 12 findings fail the policy: 2 critical, 10 high. Failing:"
        f" {'; '.join(named)}; and 7 more. 1 waiver has expired (1 accepted), the last one on 2020-12-31 at 24:00 UTC."
        f" See {tmp_path}/gate.html and {section_of('findings')}"
    )
    without = run("gate", workspace_id=2, artifacts=str(tmp_path), formats=["markdown"])
    assert without.msg.endswith(f"; and 7 more. See {tmp_path}/gate.md and {section_of('findings')}")
    assert run("gate", workspace_id=2).msg.endswith(f"; and 7 more. See {section_of('findings')}")


# --- files that anybody could have put there


FOUND = json.dumps({"id": 1, "name": "Banner", "risk_level": 0})
INPUTS = {
    "baseline": lambda path: dict(workspace_id=2, baseline=path),
    "waivers": lambda path: dict(workspace_id=2, waivers=[path]),
    "findings_file": lambda path: dict(findings_file=path),
    "epss_file": lambda path: dict(workspace_id=2, epss_file=path),
    "estate_files": lambda path: dict(workspace_id=2, estate_files=[path]),
}


@pytest.fixture
def put(run, found, tmp_path):
    """Write a valid file for an option into a new directory with this mode, and return its path."""

    def write(option, mode, *below):
        found(0)
        directory = tmp_path / "given"
        # estate_files need a repository
        (tmp_path / ".git").mkdir()
        (directory / "/".join(below)).mkdir(parents=True)
        path = directory.joinpath(*below, "file")
        if option == "baseline":
            run("gate", workspace_id=2, baseline=str(path), baseline_missing="create")
        else:
            texts = {
                "waivers": WAIVER.format(expires=LATER),
                "findings_file": FOUND,
                "epss_file": "cve,epss\nCVE-2021-44228,0.5\n",
            }
            path.write_text(texts.get(option, "[]\n"))
        directory.chmod(mode)
        return path

    return write


@pytest.mark.parametrize("option", INPUTS)
def test_a_file_that_everybody_can_write_is_refused(service, run, put, option):
    path = put(option, 0o755)
    path.chmod(0o646)
    service.clear_log()
    refused = run("gate", **INPUTS[option](str(path)))
    assert refused.failed and "outcome" not in refused.result
    assert "can be written by every user of this machine, so anybody may have changed it" in refused.msg
    assert refused.msg.startswith(option) and service.calls() == []
    path.chmod(0o644)
    judged(run("gate", **INPUTS[option](str(path))), "passed")


@pytest.mark.parametrize("mode", [0o777, 0o1777])
@pytest.mark.parametrize("option", INPUTS)
def test_a_file_of_another_user_where_everybody_can_write_is_refused(run, put, foreign, option, mode):
    path = put(option, mode)
    alone = run("gate", **INPUTS[option](str(path)))
    if mode == 0o777:
        # without the sticky bit, anybody can also put another file of root or one's own there
        assert f"because every user can write in {str(path.parent)!r}" in alone.msg
        return
    judged(alone, "passed")
    foreign(path)
    refused = run("gate", **INPUTS[option](str(path)))
    assert refused.failed and f"cannot be trusted, because {str(path)!r} belongs to another user" in refused.msg


@pytest.mark.parametrize("option", INPUTS)
def test_a_checkout_of_another_user_goes_on_working(run, put, foreign, option):
    path = put(option, 0o755)
    foreign(path)
    foreign(path.parent)
    judged(run("gate", **INPUTS[option](str(path))), "passed")


def test_a_directory_above_and_a_link_count(run, put, foreign, tmp_path):
    path = put("waivers", 0o1777, "checkout", "security")
    foreign(path.parent.parent)
    refused = run("gate", workspace_id=2, waivers=[str(path)])
    assert f"because {str(path.parent.parent)!r} belongs to another user" in refused.msg
    link = tmp_path / "link"
    link.symlink_to(path)
    assert "belongs to another user" in run("gate", workspace_id=2, waivers=[str(link)]).msg


def test_a_link_that_anybody_could_have_put_there_is_refused(run, put, foreign, tmp_path):
    path = put("waivers", 0o755)
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    (shared / "link").symlink_to(path)
    judged(run("gate", workspace_id=2, waivers=[str(shared / "link")]), "passed")
    foreign(shared / "link")
    assert "cannot be trusted" in run("gate", workspace_id=2, waivers=[str(shared / "link")]).msg


@pytest.mark.parametrize("mode, own, trusted", [(0o777, True, False), (0o755, True, True), (0o755, False, True)])
def test_a_directory_of_artefacts_that_everybody_can_write_is_refused(
    service, run, found, foreign, tmp_path, mode, own, trusted
):
    found(0)
    directory = tmp_path / "out"
    directory.mkdir()
    directory.chmod(mode)
    if not own:
        foreign(directory)
    service.clear_log()
    result = run("gate", workspace_id=2, artifacts=str(directory))
    if trusted:
        assert result["outcome"] == "passed" or not os.access(directory, os.W_OK)
    else:
        assert "artifacts" in result.msg and "can be written by every user" in result.msg
        assert service.calls() == [] and list(directory.iterdir()) == []


def test_a_directory_of_artefacts_that_another_user_put_there_is_refused(run, found, foreign, tmp_path):
    found(0)
    tmp_path.chmod(0o1777)
    directory = tmp_path / "out"
    directory.mkdir(0o755)
    foreign(directory)
    assert "cannot be trusted" in run("gate", workspace_id=2, artifacts=str(directory)).msg
    tmp_path.chmod(0o755)


# --- artefacts


@pytest.mark.parametrize("check", [True, False])
def test_artefacts_are_written_also_for_a_failure(run, found, tmp_path, check):
    found(4)
    where = tmp_path / "artifacts"
    subjects = [{"name": "shop", "sha256": "a" * 64}]
    result = run("gate", check=check, workspace_id=2, artifacts=str(where), formats=list(FORMATS), subjects=subjects)
    assert result["outcome"] == "findings"
    assert where.exists() is not check
    # a directory that this task would create is no cause for a warning
    assert result.warnings == []
    assert [(row["format"], row["path"]) for row in result["files"]] == [
        (name, str(where / each.name)) for name, each in FORMATS.items()
    ]
    if not check:
        assert sorted(os.listdir(where)) == sorted(each.name for each in FORMATS.values())


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("library", ["jinja2", "markupsafe"])
def test_without_jinja2_the_page_is_refused_before_any_call(service, run, monkeypatch, tmp_path, library, check):
    monkeypatch.setitem(sys.modules, library, None)
    template.cache_clear()
    result = run("gate", check=check, workspace_id=2, artifacts=str(tmp_path / "out"), formats=["json", "html"])
    assert result.failed and result.msg == (
        "formats has html, which needs the Python library Jinja2: install it where the module runs, or remove html from"
        " formats."
    )
    assert service.calls() == [] and not (tmp_path / "out").exists()


@pytest.mark.parametrize("files", [{"formats": ["json", "markdown", "csv"]}, {"formats": ["html"], "artifacts": None}])
def test_without_jinja2_a_gate_without_a_page_is_judged(run, found, monkeypatch, tmp_path, files):
    found(0)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    template.cache_clear()
    judged(run("gate", workspace_id=2, **{"artifacts": str(tmp_path / "out"), **files}), "passed")


@pytest.mark.parametrize("check", [True, False])
def test_files_of_an_earlier_run_are_removed(run, found, tmp_path, check):
    found(0)
    old = ("gate-2.sarif", "gate-3.sarif", "gate-defectdojo.json")
    for name in (*old, "gate.csv", "gate-x.sarif"):
        (tmp_path / name).write_text("{}")
    options = dict(artifacts=str(tmp_path), formats=["sarif", "defectdojo"], expect={"targets": ["gone.example"]})
    result = run("gate", check=check, workspace_id=2, **options)
    # another format, and another name, are none of its business
    kept = {"gate.csv", "gate-x.sarif", *(old if check else [])}
    assert set(os.listdir(tmp_path)) == kept
    assert result["changed"] and result["files"] == []
    for name in ("gate.sarif", "gate-defectdojo.json"):
        assert [warning for warning in result.warnings if f"{name} was not written" in warning], result.warnings
    for name in old:
        (tmp_path / name).unlink(missing_ok=True)
    again = run("gate", workspace_id=2, artifacts=str(tmp_path), formats=["sarif", "defectdojo"])
    assert set(os.listdir(tmp_path)) == {"gate.csv", "gate-x.sarif", "gate.sarif", "gate-defectdojo.json"}
    assert again["changed"]


# --- what must not end as passed


def test_half_of_a_character_in_a_saved_file_is_replaced(run, found, tmp_path):
    found(1, 3)
    saved = tmp_path / "findings.jsonl"
    assert not run("finding_info", workspace_id=2, dest=str(saved)).failed
    saved.write_text(saved.read_text().replace('"www.example.com"', '"www.\\ud83d"'))
    result = run("gate", findings_file=str(saved))
    assert [row["target"] for row in result["failing"]] == ["www.\ufffd"]
    json.dumps(result.result, ensure_ascii=False).encode()


def test_a_saved_list_is_compared_with_the_baseline_of_any_tool(run, found, tmp_path):
    found(3)
    baseline, saved = tmp_path / "baseline.json", tmp_path / "findings.jsonl"
    run("gate", workspace="Web shop", baseline=str(baseline), baseline_missing="create")
    accepted = baseline.read_bytes()
    assert not run("finding_info", workspace_id=2, dest=str(saved)).failed
    options = {"findings_file": str(saved), "baseline": str(baseline), "policy": {"only_new": True}}
    result = judged(run("gate", **options), "stale_baseline")
    assert "is for the workspace 'Web shop', not for no workspace. If all findings are of" in result["reasons"][0]
    judged(run("gate", workspace="Other", **options), "stale_baseline")
    options["workspace"] = "Web shop"
    result = judged(run("gate", baseline_update=True, **options), "passed")
    assert result["counts"]["known"] == 1
    assert (result["coverage"], result["gone"]) == ("unknown", [])
    assert baseline.read_bytes() == accepted


@pytest.mark.parametrize("check", [False, True])
def test_the_diff_shows_the_baseline(run, found, tmp_path, check):
    found(3)
    baseline = tmp_path / "baseline.json"
    options = {"workspace_id": 2, "baseline": str(baseline)}
    created = run("gate", baseline_missing="create", check=check, diff=True, **options)["diff"]
    assert created["before"] == "" and "Finding 0" in created["after"]
    run("gate", baseline_missing="create", **options)
    accepted = baseline.read_text()
    found(3, 4, scan_id=40002)
    assert "diff" not in run("gate", diff=True, **options).result
    diff = run("gate", baseline_update=True, check=check, diff=True, **options)["diff"]
    assert (diff["before"], diff["before_header"], diff["after_header"]) == (accepted, str(baseline), str(baseline))
    assert "Finding 1" not in diff["before"] and "Finding 1" in diff["after"]
    assert (baseline.read_text() == diff["after"]) is not check


def test_a_long_baseline_is_not_compared_line_by_line():
    diff = diff_of("baseline.json", b"1" * 600_000, "2" * 600_000)
    assert (diff["before"], diff["after"]) == ("600,000 characters\n", "600,000 characters\n")


@pytest.mark.parametrize(
    "named, outcome",
    [
        ("stale_baseline", "stale_baseline"),
        ("nothing_scanned", "nothing_scanned"),
        ("findings", "service_error"),
        ("passed", "service_error"),
        ([], "service_error"),
    ],
)
def test_a_failed_task_can_say_why_nothing_was_scanned(run, tmp_path, named, outcome):
    empty = tmp_path / "empty"
    empty.touch()
    options = {"findings_file": str(empty), "scan_results": [{"failed": True, "outcome": named, "msg": "Because."}]}
    result = judged(run("gate", **options), outcome)
    assert result["reasons"] == ["Because."]
    # an outcome that may pass explains nothing
    if outcome == "stale_baseline":
        judged(run("gate", outcomes={"stale_baseline": "pass"}, **options), "nothing_scanned")


@pytest.mark.slow
def test_a_baseline_that_changed_meanwhile_is_not_overwritten(service, run, found, tmp_path):
    found(3)
    baseline = tmp_path / "baseline.json"
    options = {"workspace_id": 2, "baseline": str(baseline)}
    run("gate", baseline_missing="create", **options)
    found(3, 4, scan_id=40002)
    service.clear_log()
    service.fault(method="GET", path="/findings", action="delay", seconds=3)
    other = baseline.read_text() + "\n"

    def update():
        while "GET /scans" not in service.calls():
            time.sleep(0.05)
        baseline.write_text(other)

    writer = threading.Thread(target=update)
    writer.start()
    result = run("gate", baseline_update=True, **options)
    writer.join()
    assert (result.failed, result["outcome"]) == (True, "findings")
    assert "changed while the gate ran, and was not overwritten" in result.msg
    assert baseline.read_text() == other


def test_an_artefact_never_overwrites_the_baseline(run, found, tmp_path):
    found(3)
    options = {"workspace_id": 2, "baseline": str(tmp_path / "gate.json")}
    run("gate", baseline_missing="create", **options)
    before = (tmp_path / "gate.json").read_bytes()
    result = run("gate", artifacts=str(tmp_path), **options)
    assert (result.failed, result["outcome"]) == (True, "findings")
    assert "would overwrite the baseline" in result.msg
    assert (tmp_path / "gate.json").read_bytes() == before


@pytest.mark.parametrize(
    "fields, said",
    [
        ({"status_message": "0 alive hosts of 1"}, "0 alive hosts of 1"),
        ({"result_summary": {"text": "Target unreachable"}}, "Target unreachable"),
        ({}, ""),
    ],
)
def test_a_green_gate_warns_of_what_a_scan_without_findings_says(service, run, fields, said):
    summary = {"text": "", **dict.fromkeys(("critical", "high", "medium", "low", "info"), 0)}
    fields = {**fields, "result_summary": {**summary, **fields.get("result_summary", {})}}
    scan = {"target_id": 1001, "tool_id": 170, "status_name": "finished", "age": 100, **fields}
    target = {"id": 1001, "name": "a.example", "workspace": "W"}
    state = {"workspaces": [{"id": 2, "name": "W"}], "targets": [target], "scans": [scan]}
    service.reset(settings={"rate_limits": None}, state=state)
    result = run("gate", workspace_id=2)
    assert (result.failed, result["outcome"]) == (False, "passed"), result
    assert [each for each in result.warnings if "Check that the target was reached" in each] == (
        [f"a.example, Website Scanner: Scan 40001 says {said!r}. Check that the target was reached."] if said else []
    )
