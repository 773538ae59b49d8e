# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A list of which rows are missing, by the service's own words or because a row moved between two pages, decides nothing."""

from __future__ import annotations

import pytest

PURGE = {"purge": True, "purge_max": 1000, "purge_max_percent": 100}
SHOP = {"name": "Web shop", "targets": ["www.example.com"]}

# page 1 has two rows and page 2 none, although page 1 says this beside its rows
BESIDE = {
    "a total": ({"meta": {"total": 5}}, {}, "only 2 of 5 rows"),
    "a total in another form": ({"meta": {"total": 5.0}}, {}, "only 2 of 5 rows"),
    "a cursor": ({"next_cursor": "x"}, {}, "only 2 rows"),
    "more": ({"has_more": True}, {}, "only 2 rows"),
    "more in another form": ({"has_more": "true"}, {}, "only 2 rows"),
    "a link": ({}, {"Link": '</targets?page=2>; rel="next"'}, "only 2 rows"),
}
# the module, its options, and the list that it relies on
RELY = {
    "target_info": ("target_info", {"workspace_id": 2}, "targets"),
    "target-absent": ("target", {"workspace_id": 2, "name": "never.example.com", "state": "absent"}, "targets"),
    "targets-absent": ("targets", {"workspace_id": 2, "targets": ["never.example.com"], "state": "absent"}, "targets"),
    "targets-purge": ("targets", {"workspace_id": 2, "targets": ["www.example.com"], **PURGE}, "targets"),
    "estate-purge": ("estate", {"workspaces": [SHOP], **PURGE, "purge": ["targets"]}, "targets"),
    "estate_info": ("estate_info", {"workspaces": ["Web shop"]}, "targets"),
    "coverage_info": ("coverage_info", {"workspace_id": 2}, "targets"),
    "finding_info": ("finding_info", {"workspace_id": 2}, "findings"),
    "finding_info-scan": ("finding_info", {"scan_id": 40001}, "findings"),
}


def cut(service, family, beside, headers, workspace_id=2):
    """Let a list end after two rows of this workspace, although it says that it goes on."""
    rows = [row for row in service.state()[family] if row.get("workspace_id", workspace_id) == workspace_id][:2]
    service.fault(path=f"/{family}", action="status", status=200, body={"data": rows, **beside}, headers=headers)
    service.fault(path=f"/{family}", nth=2, times=None, action="status", status=200, body={"data": []})
    # a list of one page is asked for no second page by the contract
    service.allow_violations = True


@pytest.mark.parametrize("module, options, family", RELY.values(), ids=RELY)
@pytest.mark.parametrize("beside, headers, said", BESIDE.values(), ids=BESIDE)
def test_a_list_that_says_that_rows_are_missing_is_an_error(
    account, run, module, options, family, beside, headers, said
):
    cut(account, family, beside, headers)
    result = run(module, **options)
    assert result.failed, result
    assert said in result.msg or "The findings are incomplete" in result.msg
    assert (result.changed, account.writes()) == (False, [])


# --- redirects

FILTERED = {
    "scan_info": {"workspace_id": 2, "status": "finished"},
    "http_logger_info": {"workspace_id": 2},
    "target_info": {"workspace_id": 2, "type": "hostname"},
    "finding_info": {"workspace_id": 2},
}


@pytest.mark.parametrize("module", FILTERED)
def test_a_redirect_that_drops_the_query_is_an_error_that_says_where_it_points(account, run, module):
    account.settings(redirects="without_query")
    result = run(module, **FILTERED[module])
    assert result.failed, result
    assert "/api/v2/" in result.msg
    # no list was read without its filters
    assert [entry for entry in account.log() if not entry["query"]] == []


@pytest.mark.parametrize("module", FILTERED)
def test_a_redirect_to_a_slash_at_the_end_is_followed(account, run, module):
    account.settings(redirects="slash")
    account.allow_violations = True
    result = run(module, **FILTERED[module])
    assert not result.failed, result.msg
    assert [each for each in result.result.values() if isinstance(each, list) and each], result


# --- rows that move

# these alone demand that no row was hidden; for a finding, the counts of its scan show it
RECHECK = {
    name: RELY[name] for name in ("targets-absent", "targets-purge", "estate-purge", "estate_info", "coverage_info")
}


@pytest.fixture
def long_list(service):
    """A workspace with pages of 50 targets, beginning with a.example.com; number: of its targets."""

    def filled(number):
        service.reset(
            settings={"rate_limits": None, "page_cap": 50}, state={"workspaces": [{"id": 2, "name": "Web shop"}]}
        )
        rows = [{"id": 1000 + each, "name": f"t{each}.example.com", "workspace_id": 2} for each in range(1, number)]
        service.add(targets=[{"id": 1000, "name": "www.example.com", "workspace_id": 2}, *rows])
        return service

    return filled


# how many targets there are, which of them is deleted before which page
MOVES = {"to page 1": (120, 1001, 2), "to page 2": (120, 1060, 3), "and no page 2 is left": (51, 1001, 2)}


@pytest.mark.slow
@pytest.mark.parametrize("module, options, _family", RECHECK.values(), ids=RECHECK)
@pytest.mark.parametrize("number, deleted, page", MOVES.values(), ids=MOVES)
def test_a_row_that_moved_to_a_page_that_was_read_is_an_error(
    long_list, run, module, options, _family, number, deleted, page
):
    service = long_list(number)
    service.fault(
        path="/targets", query={"page": page}, action="do", do="delete", resource="targets", record={"id": deleted}
    )
    result = run(module, **options)
    assert result.failed, result
    assert "GET /targets changed while it was read, so a row may be missing" in result.msg
    assert "Run the task again" in result.msg
    assert (result.changed, service.writes()) == (False, [])
    assert not run(module, **options).failed


# the calls for the list, without and with a recheck: of no list of one page, and of each page that is followed by another
COSTS = {30: (2, 2), 50: (3, 4), 120: (5, 7), 150: (5, 8)}


@pytest.mark.parametrize("number", COSTS)
@pytest.mark.parametrize("recheck", [False, True])
def test_a_recheck_reads_each_full_page_once_more(long_list, run, number, recheck):
    service = long_list(number)
    options = {**PURGE, "check": True} if recheck else {}
    assert not run("targets", workspace_id=2, targets=["www.example.com"], **options).failed
    assert [call for call in service.calls() if call != "GET /scans"] == ["GET /targets"] * COSTS[number][recheck]


def test_a_row_that_was_deleted_and_hid_no_other_is_no_error(long_list, run):
    service = long_list(120)
    # the last page is the only one that has changed
    service.fault(path="/targets", query={"page": 4}, action="do", do="delete", resource="targets", record={"id": 1119})
    assert len(run("estate_info")["workspaces"][-1]["targets"]) == 120
