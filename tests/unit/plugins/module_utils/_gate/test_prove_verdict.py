# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One doubt at a time: each of them makes a proven fix unproven, and says why."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._gate.prove.verdict import (
    FIXED,
    PRESENT,
    UNPROVEN,
    CheckRun,
    Fix,
    Found,
    Scan,
    found_of,
    run_of,
    verdict,
)
from ansible_collections.scanops.scanner.plugins.module_utils._model.times import utc_text
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_values import NOW

FINDING = Found(["1:a"], "check A", ["CVE-2021-44228"])
OTHER = Found(["1:b"], "check B")
RECORD = {
    "id": 7,
    "target_id": 1,
    "tool_id": 170,
    "status_name": "finished",
    "tool_params": {"scan_type": "light"},
    "vpn_profile_uuid": None,
    "start_time": "2026-11-22 09:00:00",
    "end_time": "2026-11-22 09:30:00",
    "num_tests": 20,
    "num_finished_tests": 20,
}
LATER = {**RECORD, "id": 8, "start_time": "2026-11-22 10:00:00", "end_time": "2026-11-22 10:30:00"}
BEFORE = Scan(RECORD, [FINDING, OTHER], [CheckRun("check A", "Looks for A", True)])
AFTER = Scan(LATER, [OTHER], [CheckRun("check A", "Looks for A", True)])
FIX = Fix(NOW, [RECORD])


def judged(finding=FINDING, before=BEFORE, after=AFTER, started=True, fix=FIX, **record):
    """record: fields of the later scan that differ."""
    after = after._replace(record={**after.record, **record})
    return verdict(finding, before, after, started, fix)


def test_a_scan_without_a_doubt_proves_the_fix():
    assert judged() == (FIXED, "Scan 8 finished, reached the target, ran the check, and does not have it.")


@pytest.mark.parametrize(
    "changes, reason",
    [
        (
            {"fix": Fix(NOW, [])},
            "The list of scans lacks scan 7, so it does not show which scans existed before the fix.",
        ),
        ({"start_time": utc_text(NOW - 301)}, "Scan 8 began before the fix, by its start_time."),
        (
            {"before": BEFORE._replace(record={**RECORD, "tool_id": None}), "tool_id": None},
            "Scan 7 and scan 8 are not known to have the same tool_id.",
        ),
        ({"after": AFTER._replace(gaps=["A page is missing."])}, "A page is missing."),
        (
            {"before": BEFORE._replace(record={**RECORD, "tool_params": None})},
            "The parameters of scan 7 are unknown: its record has no tool_params.",
        ),
        ({"before": BEFORE._replace(found=[OTHER])}, "Scan 7, which should have the finding, does not have it."),
        (
            {"after": AFTER._replace(found=[])},
            "Scan 8 has nothing that scan 7 found, so the target may not have answered.",
        ),
        (
            # an entry that says that nothing was found
            {
                "before": BEFORE._replace(found=[FINDING, OTHER._replace(check=None)]),
                "after": AFTER._replace(found=[OTHER._replace(check=None)]),
            },
            "Scan 8 has nothing that scan 7 found, so the target may not have answered.",
        ),
        ({"after": AFTER._replace(runs=[])}, "Scan 8 does not show that it ran the check."),
        ({"finding": FINDING._replace(check=None)}, "Scan 8 does not show that it ran the check."),
        (
            {
                "finding": FINDING._replace(check=None),
                "after": AFTER._replace(runs=[CheckRun(None, "Looks for A", True)]),
            },
            "Scan 8 does not show that it ran the check.",
        ),
        (
            {"after": AFTER._replace(runs=[CheckRun("check A", "", None)])},
            "Scan 8 does not show that it finished the check.",
        ),
        (
            {"after": AFTER._replace(runs=[*AFTER.runs, CheckRun(None, "Looks for A", False)])},
            "Scan 8 does not show that it finished the check.",
        ),
        (
            {"after": AFTER._replace(found=[OTHER, Found(["1:c"], "check A")])},
            "Scan 8 has the same weakness at another place.",
        ),
        (
            {"after": AFTER._replace(found=[OTHER, Found(["1:c"], "check C", FINDING.cve)])},
            "Scan 8 has the same CVE under another check or at another place.",
        ),
    ],
)
def test_each_doubt_makes_it_unproven(changes, reason):
    assert judged(**changes) == (UNPROVEN, reason)


@pytest.mark.cases("changes, reason")
def test_each_doubt_about_the_record_makes_it_unproven(changes, reason):
    test_each_doubt_makes_it_unproven(changes, reason)


@pytest.mark.parametrize(
    "changes",
    [
        {"progress": 100},
        # a control is a sign that the target answered
        {"after": AFTER._replace(found=[], saw_control=True)},
        {"tool_params": {"scan_type": "deep"}, "num_tests": 80, "num_finished_tests": 80},
        {"num_tests": 21, "num_finished_tests": 21},
        {"start_time": "2026-11-22 09:30:00"},
        # a clock may be five minutes slow
        {"start_time": utc_text(NOW - 300)},
        {"after": AFTER._replace(found=[OTHER, Found(["1:c"], "check C", ["CVE-2021-41773"])])},
    ],
)
def test_what_is_no_doubt(changes):
    assert judged(**changes).verdict == FIXED


def test_the_same_check_elsewhere_is_no_doubt_if_it_was_known():
    elsewhere = Found(["1:c"], "check A", FINDING.cve)
    before = BEFORE._replace(found=[*BEFORE.found, elsewhere])
    assert judged(before=before, after=AFTER._replace(found=[OTHER, elsewhere])).verdict == FIXED


def test_the_entry_of_a_test_that_found_nothing_has_its_description():
    nothing = AFTER._replace(runs=[CheckRun(None, "Looks for A", True)])
    assert judged(after=nothing).verdict == FIXED
    shared = [*BEFORE.runs, CheckRun("check B", "Looks for A", True)]
    for changes in (
        {"before": BEFORE._replace(runs=shared)},
        {"before": BEFORE._replace(runs=[*BEFORE.runs, CheckRun(None, "Looks for A", True)])},
        {"before": BEFORE._replace(runs=[CheckRun("check A", "", True)])},
        {"after": nothing._replace(runs=[*nothing.runs, CheckRun("check B", "Looks for A", True)])},
    ):
        assert judged(**{"after": nothing, **changes}) == (UNPROVEN, "Scan 8 does not show that it ran the check.")
    blank = {"before": BEFORE._replace(runs=[CheckRun("check A", "", True)])}
    assert judged(after=AFTER._replace(runs=[CheckRun(None, "", True)]), **blank).verdict == UNPROVEN


def test_what_a_scan_finds_is_present_whatever_else_is_wrong():
    worst = {**LATER, "status_name": "stopped", "tool_params": None, "num_finished_tests": 0}
    assert judged(after=Scan(worst, [FINDING], [], ["cut"])) == (PRESENT, "Scan 8 still has it.")
    several = Found(["1:a", "1:b", "1:c"], "check A")
    assert judged(several) == (PRESENT, "Scan 8 still has it at 1 of its 3 places.")


def test_a_scan_from_before_the_fix_shows_nothing():
    assert judged(after=AFTER._replace(found=[FINDING]), started=False).verdict == UNPROVEN


def test_found_and_run_are_read_from_records():
    row = {"fingerprint": "1:x", "places": [], "check": "A", "name": "Weak", "cve": ("CVE-2021-44228",)}
    assert found_of(row) == FINDING._replace(fingerprints=["1:x"])
    assert found_of({**row, "places": [{"fingerprint": "1:p"}, {"fingerprint": "1:q"}]}).fingerprints == ["1:p", "1:q"]
    assert found_of({**row, "check": None}).check == "name weak"
    assert found_of({**row, "check": "NONVULN-00-0000000"}).check is None
    assert run_of({"vuln_id": "A", "name": "x", "test_description": " d ", "test_finished": True}) == (
        "check A",
        "d",
        True,
    )
    assert run_of({"name": "x", "test_finished": "yes"}) == ("name x", "", None)
