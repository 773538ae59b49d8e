# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The option findings of the inventory plugin: what it sends, which findings count, and what cannot be seen."""

from __future__ import annotations

import json
import time

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._evidence import host_findings

LEVELS = ("info", "low", "medium", "high", "critical")
NONE = dict.fromkeys((*reversed(LEVELS), "unknown"), 0)
WEB, PORTS = 170, 70
LIST, PAGE, SCANS, FINDINGS = "GET /workspaces", "GET /targets", "GET /scans", "GET /findings"


def scan(scan_id, target_id, *levels, **more):
    """A finished scan that has counted these risk levels."""
    counts = {name: levels.count(number) for number, name in enumerate(LEVELS)}
    return {"id": scan_id, "target_id": target_id, "result_summary": {"text": "", **counts}, **more}


def findings(scan_id, *levels, **more):
    first = 100 * scan_id
    return [
        {"id": first + place, "name": f"Text of {scan_id}", "risk_level": level, "task_id": scan_id, **more}
        for place, level in enumerate(levels)
    ]


@pytest.fixture
def account(service):
    """Shop (2): a.example with a critical and two low findings, b.example clean, c.example never scanned. Office (3):
    a.example with a medium finding."""
    service.add(
        workspaces=[{"id": 2, "name": "Shop"}, {"id": 3, "name": "Office"}],
        targets=[
            {"id": 1001, "name": "a.example", "workspace": "Shop"},
            {"id": 1002, "name": "b.example", "workspace": "Shop"},
            {"id": 1003, "name": "c.example", "workspace": "Shop"},
            {"id": 1004, "name": "a.example", "workspace": "Office"},
        ],
        scans=[
            scan(11, 1001, 4, 1, 1, age=7200),
            scan(12, 1002, age=3600),
            scan(13, 1004, 2, age=90000),
        ],
        findings=[*findings(11, 4, 1, 1), *findings(13, 2)],
    )
    return service


def seen(inventory, name):
    assert inventory.error is None
    keys = ("findings", "worst", "cves", "last_scan", "scan_age")
    return {key: inventory.hosts[name][f"scanner_{key}"] for key in keys}


def groups(inventory):
    assert inventory.error is None
    return {name: hosts for name, hosts in inventory.groups.items() if not name.startswith(("workspace_", "type_"))}


# --- what it costs ---


def test_without_the_option_nothing_is_read_and_nothing_is_said(account, parse):
    inventory = parse(workspaces=["Shop"])
    assert account.calls() == [LIST, PAGE, PAGE]
    assert groups(inventory) == {}
    assert not [name for name in inventory.hosts["a.example"] if name.endswith(("findings", "worst", "cves", "age"))]
    assert set(inventory.hosts["a.example"]["scanner_targets"][0]) == {
        "id", "name", "type", "description", "workspace", "workspace_id"
    }  # fmt: skip


@pytest.mark.parametrize("more", [0, 40])
def test_each_workspace_with_targets_costs_two_lists_for_any_number_of_hosts(account, parse, more):
    account.add(
        targets=[{"id": 2000 + number, "name": f"t{number}.example", "workspace": "Shop"} for number in range(more)],
        scans=[scan(3000 + number, 2000 + number, 3) for number in range(more)],
        findings=[finding for number in range(more) for finding in findings(3000 + number, 3)],
    )
    inventory = parse(findings=True)
    assert len(inventory.hosts) == 3 + more
    # My Workspace has no target, so its scans and findings are not read
    assert account.calls() == [LIST, PAGE, *[PAGE] * 4, *[SCANS, SCANS, FINDINGS] * 2]
    asked = [entry["query"] for entry in account.log() if entry["path"] == "/findings"]
    assert asked == [{"workspace_id": "2"}, {"workspace_id": "3"}]


# --- what hosts say ---


def test_a_host_says_what_was_found_and_when(account, parse):
    inventory = parse(findings=True, workspaces=["Shop"])
    a, b, c = (seen(inventory, f"{name}.example") for name in "abc")
    assert a["findings"] == {**NONE, "critical": 1, "low": 2}
    assert (a["worst"], a["cves"]) == ("critical", [])
    ended = next(each["end_time"] for each in account.scans() if each["id"] == 11)
    assert a["last_scan"] == ended.replace(" ", "T") + "Z"
    assert 7200 <= a["scan_age"] < 7260
    assert (b["findings"], b["worst"], b["cves"]) == (NONE, None, [])
    assert inventory.hosts["a.example"]["scanner_unseen"] == []
    assert c == {"findings": None, "worst": None, "cves": [], "last_scan": None, "scan_age": None}
    assert groups(inventory) == {
        "severity_unknown": [], "severity_critical": ["a.example"], "severity_high": [], "severity_medium": [],
        "severity_low": [], "severity_info": [], "never_scanned": ["c.example"],
    }  # fmt: skip


def test_no_text_of_a_finding_is_in_the_inventory(account, parse):
    inventory = parse(findings=True)
    shown = json.dumps([inventory.hosts, inventory.groups], default=str)
    assert "critical" in shown
    for text in ("Text of", "weakness", "Somebody may use it", "Update the software", "seen in the answer"):
        assert text not in shown


def test_targets_of_one_host_are_summed_up(account, parse):
    inventory = parse(findings=True)
    a = seen(inventory, "a.example")
    assert a["findings"] == {**NONE, "critical": 1, "medium": 1, "low": 2}
    assert a["worst"] == "critical"
    # the scan that is longest ago
    assert 90000 <= a["scan_age"] < 90060
    own = inventory.hosts["a.example"]["scanner_targets"]
    assert [target["findings"]["medium"] for target in own] == [0, 1]
    apart = parse(findings=True, duplicates="suffix")
    assert seen(apart, "a.example_2")["findings"] == {**NONE, "medium": 1}
    assert groups(apart)["severity_medium"] == ["a.example_2"]


def test_a_host_with_a_target_that_was_never_scanned_does_not_seem_clean(account, parse):
    account.add(
        targets=[
            {"name": "https://b.example/x", "workspace": "Shop"},
            {"name": "https://a.example/x", "workspace_id": 2},
        ]
    )
    inventory = parse(findings=True, workspaces=["Shop"])
    assert seen(inventory, "b.example")["findings"] is None
    assert seen(inventory, "b.example")["last_scan"] is None
    assert seen(inventory, "a.example")["findings"]["critical"] == 1
    assert sorted(groups(inventory)["never_scanned"]) == ["a.example", "b.example", "c.example"]
    assert groups(inventory)["severity_critical"] == ["a.example"]


@pytest.mark.parametrize(
    "status, counts",
    [
        ("open", True), ("Open", True), ("reopened", True), ("", True), (None, True), (7, True), ("not fixed", True),
        ("fixed", False), ("FIXED", False), ("accepted", False), ("ignored", False), ("false_positive", False),
        ("False positive", True), (" Accepted ", False),
    ],
)  # fmt: skip
def test_a_finding_counts_unless_its_status_says_that_it_is_closed(account, parse, status, counts):
    account.allow_violations = True
    account.add(scans=[scan(14, 1003, 3)], findings=findings(14, 3, status=status, cve=["CVE-2020-1111"]))
    c = seen(parse(findings=True), "c.example")
    assert c["findings"] == {**NONE, "high": int(counts)}
    assert c["worst"] == ("high" if counts else None)
    assert c["cves"] == (["CVE-2020-1111"] if counts else [])


def test_a_finding_without_a_status_counts(account, parse):
    account.allow_violations = True
    account.add(scans=[scan(14, 1003, 3)], findings=findings(14, 3, missing=["status"]))
    assert seen(parse(findings=True), "c.example")["findings"]["high"] == 1


def test_cves_are_those_of_open_findings_once_and_in_their_strict_form(account, parse):
    own = ["cve-2021-44228", "CVE-2020-1234", "N/A", "CVE-2021-44228 {{ 1 }}", "CVE-1-2", "a text"]
    account.add(
        scans=[scan(14, 1003, 3, 2), scan(15, 1003, 1, tool_id=PORTS)],
        findings=[
            *findings(14, 3, 2, cve=own),
            *findings(15, 1, cve=["CVE-2019-0708"]),
        ],
    )
    assert seen(parse(findings=True), "c.example")["cves"] == ["CVE-2019-0708", "CVE-2020-1234", "CVE-2021-44228"]


@pytest.mark.parametrize("level", [5, -1, None, "critical", True])
def test_an_unknown_severity_is_the_worst(account, parse, level):
    account.allow_violations = True
    account.add(scans=[scan(14, 1003, 4)], findings=findings(14, 4, level))
    # one row more than the scan has counted
    account.add(scans=[scan(15, 1003, 4, 4)], findings=findings(15, 4, level))
    inventory = parse(findings=True)
    assert seen(inventory, "c.example")["findings"] == {**NONE, "critical": 1, "unknown": 1}
    assert groups(inventory)["severity_unknown"] == ["c.example"]
    assert groups(inventory)["severity_critical"] == ["a.example"]


# --- which scans count ---


def test_only_the_newest_finished_scan_of_a_tool_counts(account, parse):
    account.add(
        scans=[
            scan(21, 1003, 4, 3, age=9000),
            scan(22, 1003, 2, tool_id=PORTS, age=8000),
            scan(23, 1003, 3, age=7000),
            # the newest one did not finish, so that it shows neither that something is gone nor when it was looked for
            scan(24, 1003, age=10, status_name="stopped"),
        ],
        findings=[*findings(21, 4, 3), *findings(22, 2), *findings(23, 3)],
    )
    c = seen(parse(findings=True), "c.example")
    assert c["findings"] == {**NONE, "high": 1, "medium": 1}
    assert 7000 <= c["scan_age"] < 7060


@pytest.mark.parametrize("status", ["running", "timed out", "failed to start", "stopped", "something new"])
def test_without_a_finished_scan_a_target_was_never_scanned_but_what_was_found_counts(account, parse, status):
    account.settings(scan_run_time=1000)
    account.add(scans=[scan(14, 1003, status_name=status, age=10)])
    inventory = parse(findings=True)
    assert seen(inventory, "c.example")["findings"] is None
    account.add(findings=findings(14, 4))
    inventory = parse(findings=True)
    c = seen(inventory, "c.example")
    assert (c["findings"], c["worst"], c["last_scan"]) == ({**NONE, "critical": 1}, "critical", None)
    assert groups(inventory)["never_scanned"] == ["c.example"]
    assert "c.example" in groups(inventory)["severity_critical"]


@pytest.mark.parametrize("summary", [None, {}, {"text": "", **dict.fromkeys(LEVELS[:4], 0)}])
def test_a_scan_that_does_not_count_its_findings_is_of_unknown_severity(account, parse, summary):
    account.allow_violations = True
    account.add(scans=[scan(14, 1003, result_summary=summary)], findings=findings(14, 1))
    inventory = parse(findings=True)
    assert seen(inventory, "c.example")["findings"] == {**NONE, "low": 1, "unknown": 1}
    assert groups(inventory)["severity_unknown"] == ["c.example"]


@pytest.mark.parametrize("field", ["tool_id", "target_id"])
def test_no_finding_is_lost_where_scans_lack_a_target_or_a_tool(account, parse, field):
    account.settings(null_fields={"scans": [field]})
    account.add(
        scans=[scan(14, 1003, 4), scan(15, 1003, 2)],
        findings=[*findings(14, 4, target_id=1003), *findings(15, 2, target_id=1003)],
    )
    inventory = parse(findings=True)
    assert seen(inventory, "c.example")["findings"] == {**NONE, "critical": 1, "medium": 1}
    assert ("b.example" in groups(inventory)["never_scanned"]) is (field == "target_id")


# --- what a scan could have seen ---


def told(scan_id, target_id, *levels, scan_type, **more):
    """A scan with parameters."""
    return scan(scan_id, target_id, *levels, tool_params={"scan_type": scan_type}, **more)


@pytest.mark.parametrize("tests", [20, 80])
def test_a_light_scan_does_not_hide_what_a_deep_scan_found(account, parse, tests):
    deep = {"scan_type": "deep", "num_tests": tests, "num_finished_tests": tests}
    account.add(
        scans=[told(21, 1003, 4, 3, age=9000, **deep), told(22, 1003, 3, age=60, scan_type="light")],
        findings=[*findings(21, 4, 3, vuln_id="A"), *findings(22, 3, vuln_id="B")],
    )
    inventory = parse(findings=True, workspaces=["Shop"])
    c = seen(inventory, "c.example")
    assert c["findings"] == {**NONE, "critical": 1, "high": 2}
    assert groups(inventory)["severity_critical"] == ["a.example", "c.example"]
    # when the deep scan saw it, while the host was scanned a minute ago
    own = inventory.hosts["c.example"]["scanner_unseen"]
    assert sorted((each["severity"], each["scan_id"]) for each in own) == [("critical", 21), ("high", 21)]
    assert {time.strftime("%Y-%m-%dT%H", time.gmtime(time.time() - 9000))} == {each["seen"][:13] for each in own}
    assert c["scan_age"] < 120
    # a number of tests that is smaller is answer enough
    assert account.calls().count("GET /scans/22") == (1 if tests == 20 else 0)


def test_a_deep_scan_shows_that_what_a_light_scan_found_is_gone(account, parse):
    account.add(
        scans=[told(21, 1003, 4, age=9000, scan_type="light"), told(22, 1003, age=60, scan_type="deep")],
        findings=findings(21, 4),
    )
    inventory = parse(findings=True, workspaces=["Shop"])
    assert seen(inventory, "c.example")["findings"] == NONE
    assert inventory.hosts["c.example"]["scanner_unseen"] == []


def test_what_a_light_scan_finds_again_is_counted_once(account, parse):
    account.add(
        scans=[told(21, 1003, 4, age=9000, scan_type="deep"), told(22, 1003, 3, age=60, scan_type="light")],
        findings=[*findings(21, 4, vuln_id="A"), *findings(22, 3, vuln_id="A")],
    )
    inventory = parse(findings=True, workspaces=["Shop"])
    assert seen(inventory, "c.example")["findings"] == {**NONE, "high": 1}
    assert not [call for call in account.calls() if call.startswith("GET /scans/")]


def test_a_finding_that_a_matching_scan_lost_long_ago_stays_gone(account, parse):
    account.add(
        scans=[
            told(21, 1003, 4, age=9000, scan_type="deep"),
            told(22, 1003, 4, age=8000, scan_type="light"),
            told(23, 1003, age=60, scan_type="light"),
        ],
        findings=[*findings(21, 4, vuln_id="A"), *findings(22, 4, vuln_id="A")],
    )
    # a light scan has found it, so a light scan could see that it is gone
    assert seen(parse(findings=True, workspaces=["Shop"]), "c.example")["findings"] == NONE


def test_a_closed_finding_of_a_deep_scan_is_not_kept(account, parse):
    account.add(
        scans=[told(21, 1003, 4, age=9000, scan_type="deep"), told(22, 1003, age=60, scan_type="light")],
        findings=findings(21, 4, status="accepted"),
    )
    assert seen(parse(findings=True, workspaces=["Shop"]), "c.example")["findings"] == NONE


@pytest.mark.parametrize("history", [1, 3, 30])
def test_parameters_cost_at_most_four_calls_for_a_target_and_tool(account, parse, history):
    account.add(
        scans=[
            *(told(100 + each, 1003, 4, age=9000 - each, scan_type="light") for each in range(history)),
            told(500, 1003, age=60, scan_type="light"),
        ],
        findings=[
            {"id": 7000 + each, "name": "F", "vuln_id": f"V{each}", "risk_level": 4, "task_id": 100 + each}
            for each in range(history)
        ],
    )
    assert seen(parse(findings=True, workspaces=["Shop"]), "c.example")["findings"] == NONE
    assert len([call for call in account.calls() if call.startswith("GET /scans/")]) == min(history + 1, 4)


BLIND = {
    "three of ten tests": {"num_tests": 10, "num_finished_tests": 3},
    "none of none": {"num_tests": 0, "num_finished_tests": 0},
    "half way": {"progress": 40},
}


@pytest.mark.parametrize("fields", BLIND.values(), ids=BLIND)
def test_a_scan_that_ran_in_part_does_not_replace_one_that_could_see(account, parse, fields):
    account.add(
        scans=[scan(21, 1003, 4, age=9000), scan(22, 1003, age=60, **fields)],
        findings=findings(21, 4),
    )
    inventory = parse(findings=True, workspaces=["Shop"])
    c = seen(inventory, "c.example")
    assert c["findings"] == {**NONE, "critical": 1}
    assert 9000 <= c["scan_age"] < 9060


@pytest.mark.parametrize("fields", BLIND.values(), ids=BLIND)
def test_a_target_with_scans_that_ran_in_part_only_was_never_scanned(account, parse, fields):
    account.add(scans=[scan(21, 1003, 2, age=60, **fields)], findings=findings(21, 2))
    inventory = parse(findings=True, workspaces=["Shop"])
    assert seen(inventory, "c.example")["findings"] == {**NONE, "medium": 1}
    assert groups(inventory)["never_scanned"] == ["c.example"]


# --- what cannot be seen ---


def test_findings_that_name_no_target_belong_to_that_of_their_scan(account, parse):
    account.settings(null_fields={"findings": ["target_id"]})
    assert seen(parse(findings=True), "a.example")["findings"] == {**NONE, "critical": 1, "medium": 1, "low": 2}


INCOMPLETE = {
    "one is missing": (
        lambda service: service.add(scans=[scan(14, 1003, 4, 4)], findings=findings(14, 4)),
        "scan 14 counted 2 critical findings, and 1 of them could be read",
    ),
    "the list is cut": (
        lambda service: service.settings(capped_lists={"findings": 2}),
        "scan 11 counted 2 low findings, and 1 of them could be read",
    ),
    "the list says so": (
        lambda service: service.settings(capped_lists={"findings": 2}, beside_data="total"),
        "the service reports 3 findings, and 2 could be read",
    ),
    "as many as a page": (
        lambda service: service.add(scans=[scan(14, 1003, *[1] * 997)], findings=findings(14, *[1] * 997)),
        "the service returned exactly 1,000 findings",
    ),
}


@pytest.mark.parametrize("name", INCOMPLETE)
def test_findings_that_may_be_incomplete_add_no_host(account, parse, name):
    # the further page that the answer announces is asked for
    account.allow_violations = name == "the list says so"
    change, said = INCOMPLETE[name]
    change(account)
    inventory = parse(findings=True)
    assert f"The findings in workspace 'Shop' may be incomplete: {said}" in inventory.error
    assert "workspaces" in inventory.error and "web application" in inventory.error
    assert inventory.error.count("\n") == 0
    assert inventory.hosts == {} and inventory.groups == {}


@pytest.mark.parametrize("path", ["/scans", "/findings"])
@pytest.mark.parametrize(
    "fault",
    [
        dict(action="status", status=403, message="No API access"),
        dict(action="status", status=404, message="Data not found"),
        dict(action="reset", times=None),
        dict(action="short", times=None),
        dict(action="wrong_type", data="nothing"),
    ],
    ids=str,
)
def test_a_failed_read_adds_no_host(account, parse, path, fault):
    account.fault(method="GET", path=path, **fault)
    inventory = parse(findings=True)
    assert f" GET {path} " in f" {inventory.error}"
    assert inventory.hosts == {}


def test_findings_of_another_workspace_do_not_count(account, parse):
    account.settings(ignored_filters=["workspace_id"])
    inventory = parse(findings=True, workspaces=["Shop"])
    assert seen(inventory, "a.example")["findings"] == {**NONE, "critical": 1, "low": 2}
    assert seen(parse(findings=True), "a.example")["findings"] == {**NONE, "critical": 1, "medium": 1, "low": 2}


def test_a_list_of_another_workspace_is_not_a_list_without_findings(account, parse):
    account.fault(path="/findings", query={"workspace_id": "2"}, action="wrong_type", data=[])
    inventory = parse(findings=True)
    assert "scan 11 counted 1 critical and 2 low findings, and 0 and 0 of them could be read" in inventory.error
    assert inventory.hosts == {}


def test_targets_that_the_inventory_does_not_read_do_not_matter(account, parse):
    account.add(targets=[{"id": 1005, "name": "https://d.example", "workspace": "Shop"}], scans=[scan(14, 1005, 4)])
    assert "scan 14 counted 1 critical" in parse(findings=True).error
    inventory = parse(findings=True, type="hostname")
    assert groups(inventory)["severity_critical"] == ["a.example"]


MORE = {
    "more than a scan has counted": (
        lambda service: service.add(scans=[scan(14, 1003)], findings=findings(14, 0)),
        "scan 14 counted 0 findings, and 1 were read",
        ("c.example", "info"),
    ),
    "of a severity that no summary has": (
        lambda service: service.add(scans=[scan(14, 1003)], findings=findings(14, 9)),
        "scan 14 counted 0 findings, and 1 were read",
        ("c.example", "unknown"),
    ),
    "of no scan": (
        lambda service: service.add(findings=[{"name": "F", "target": "b.example", "workspace": "Shop"}]),
        None,
        ("b.example", "info"),
    ),
}


@pytest.mark.parametrize("name", MORE)
def test_more_findings_than_were_counted_are_hosts_with_one_warning(account, parse, name):
    account.allow_violations = True
    change, said, (host, severity) = MORE[name]
    change(account)
    inventory = parse(findings=True, workspaces=["Shop"])
    assert seen(inventory, host)["findings"] == {**NONE, severity: 1}
    assert seen(inventory, "a.example")["findings"] == {**NONE, "critical": 1, "low": 2}
    assert [said in warning for warning in parse.warned] == ([True] if said else [])


def test_a_finding_of_a_scan_of_another_target_is_on_both(account, parse):
    account.allow_violations = True
    account.add(scans=[scan(14, 1002, 4, tool_id=PORTS)], findings=findings(14, 4, target_id=1003))
    inventory = parse(findings=True, workspaces=["Shop"])
    # the one whose scan counted it, and the one that it names
    assert seen(inventory, "b.example")["findings"] == {**NONE, "critical": 1}
    assert seen(inventory, "c.example")["findings"] == {**NONE, "critical": 1}


def test_a_scan_of_another_workspace_does_not_have_to_be_proven_here(account, parse):
    account.allow_violations = True
    foreign = dict(scan(99, None, 4), workspace_id=3, tool_id=WEB, status_name="finished")
    own = dict(scan(11, 1001, 4, 1, 1), workspace_id=2, tool_id=WEB, status_name="finished")
    account.fault(path="/scans", query={"workspace_id": "2", "page": None}, action="wrong_type", data=[own, foreign])
    account.fault(path="/scans", query={"workspace_id": "2", "page": "2"}, action="wrong_type", data=[])
    assert seen(parse(findings=True, workspaces=["Shop"]), "a.example")["worst"] == "critical"


# --- age ---


def test_a_host_is_stale_unless_each_of_its_targets_has_a_recent_scan(account, parse):
    inventory = parse(findings=True, stale_after="59m")
    assert groups(inventory)["stale"] == ["a.example", "b.example", "c.example"]
    inventory = parse(findings=True, stale_after="1d")
    assert groups(inventory)["stale"] == ["a.example", "c.example"]
    inventory = parse(findings=True, stale_after=86400, workspaces=["Shop"])
    assert groups(inventory)["stale"] == ["c.example"]


def test_a_scan_that_does_not_say_when_it_ended_is_stale(account, parse):
    account.allow_violations = True
    account.add(scans=[scan(14, 1003, start_time=None, end_time="some day")])
    inventory = parse(findings=True, stale_after="9999d")
    c = seen(inventory, "c.example")
    assert (c["findings"], c["last_scan"], c["scan_age"]) == (NONE, None, None)
    assert groups(inventory)["never_scanned"] == []
    assert groups(inventory)["stale"] == ["c.example"]


def test_the_age_is_by_the_later_clock(account, parse):
    account.settings(clock_offset=7200)
    inventory = parse(findings=True, stale_after="2h")
    # the scans ended before the clock was changed
    assert 3600 + 7200 <= seen(inventory, "b.example")["scan_age"] < 3600 + 7260
    assert "b.example" in groups(inventory)["stale"]
    assert [text for text in parse.warned if "ahead of the clock of this host" in text]


@pytest.mark.parametrize(
    "options, said",
    [
        ({"stale_after": "7d"}, "stale_after needs the findings: set findings to true"),
        ({"findings": True, "stale_after": "a week"}, "stale_after is 'a week': give seconds"),
        ({"findings": True, "stale_after": None}, "stale_after is null"),
        ({"findings": None}, "findings is null"),
    ],
    ids=str,
)
def test_wrong_options_are_refused_before_any_call(account, parse, options, said):
    inventory = parse(**options)
    assert said in inventory.error
    assert account.calls() == [] and inventory.hosts == {}


# --- expressions ---


def test_expressions_see_the_findings(account, parse):
    inventory = parse(
        findings=True,
        strict=True,
        include=["scanner_worst == 'critical'", "scanner_findings is none"],
        hostnames=["scanner_name ~ '.' ~ (scanner_worst or 'none')"],
        compose={"serious": "scanner_findings.critical if scanner_findings else none"},
        groups={"log4j": "'CVE-2021-44228' in scanner_cves"},
        keyed_groups=[{"key": "scanner_worst or 'nothing'", "prefix": "worst"}],
    )
    assert groups(inventory)["worst_critical"] == ["a.example.critical"]
    assert groups(inventory)["worst_nothing"] == ["c.example.none"]
    # before ansible-core 2.19, a template gives text
    assert str(inventory.hosts["a.example.critical"]["serious"]) == "1"


def test_the_prefix_is_that_of_all_variables(account, parse):
    inventory = parse(findings=True, hostvars_prefix="x_", stale_after="1d")
    assert inventory.hosts["a.example"]["x_worst"] == "critical"
    assert groups(inventory)["severity_critical"] == ["a.example"]
    assert "c.example" in groups(inventory)["stale"]


# --- the cache ---


@pytest.fixture
def cached(account, parse, tmp_path):
    """Parse with a cache of files: cached(**options)."""

    def run(**options):
        given = {
            "plugin": "scanops.scanner.targets",
            "base_url": account.base_url,
            "api_key": account.api_key,
            "cache": True,
            "cache_plugin": "ansible.builtin.jsonfile",
            "cache_connection": str(tmp_path / "kept"),
            "findings": True,
            "stale_after": "3h",
            **options,
        }
        return parse(text=json.dumps({name: value for name, value in given.items() if value is not ...}))

    run.place = tmp_path / "kept"
    return run


def test_a_warm_cache_costs_no_call_and_its_scans_grow_older(account, cached, monkeypatch):
    cold = cached(cache_timeout=0)
    assert groups(cold)["stale"] == ["a.example", "c.example"]
    account.clear_log()
    now = time.time()
    monkeypatch.setattr(host_findings.time, "time", lambda: now + 7300)
    warm = cached(cache_timeout=0)
    assert account.calls() == []
    for name in cold.hosts:
        before, after = seen(cold, name), seen(warm, name)
        if before["scan_age"] is not None:
            assert 7295 <= after.pop("scan_age") - before.pop("scan_age") <= 7360
        assert after == before
    assert groups(warm) == {**groups(cold), "stale": ["a.example", "b.example", "c.example"]}


def test_a_warm_cache_remembers_the_clock_of_the_service(account, cached):
    account.settings(clock_offset=7200)
    cold = cached()
    account.clear_log()
    warm = cached()
    assert account.calls() == []
    assert 0 <= seen(warm, "b.example")["scan_age"] - seen(cold, "b.example")["scan_age"] < 60


def test_an_entry_without_findings_is_not_one_of_hosts_without_findings(account, cached):
    plain = cached(findings=False, stale_after=...)
    assert plain.error is None
    account.clear_log()
    assert seen(cached(), "a.example")["worst"] == "critical"
    assert FINDINGS in account.calls()
    # and the other way round
    account.clear_log()
    assert groups(cached(findings=False, stale_after=...)) == {}
    assert account.calls() == []


KEPT = {
    "no counts": lambda entry: entry["targets"][0].pop("findings"),
    "a count that is a text": lambda entry: entry["targets"][0]["findings"].update(critical="1"),
    "a severity less": lambda entry: entry["targets"][0]["findings"].pop("critical"),
    "no scan": lambda entry: entry["targets"][0].pop("last_scan"),
}


@pytest.mark.parametrize("name", KEPT)
def test_an_entry_that_lacks_something_is_read_again(account, cached, change_kept, name):
    cold = cached()
    (path,) = cached.place.iterdir()
    change_kept(path, KEPT[name])
    account.clear_log()
    again = cached()
    assert FINDINGS in account.calls()
    assert groups(again) == groups(cold)


def test_a_finding_of_a_scan_of_a_target_outside_of_the_inventory_is_not_lost(account, parse):
    account.allow_violations = True
    account.add(
        targets=[{"id": 1009, "name": "https://d.example/", "workspace": "Shop"}],
        scans=[scan(14, 1009, 4, tool_id=PORTS)],
        findings=findings(14, 4, target_id=1002),
    )
    kind = next(each["type"] for each in account.targets() if each["id"] == 1002)
    inventory = parse(findings=True, workspaces=["Shop"], type=kind)
    assert set(inventory.hosts) == {"a.example", "b.example", "c.example"}
    assert seen(inventory, "b.example")["findings"] == {**NONE, "critical": 1}
