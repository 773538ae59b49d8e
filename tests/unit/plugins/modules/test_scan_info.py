# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _account(service):
    service.add(
        workspaces=[{"id": 2, "name": "Web shop"}],
        targets=[
            {"id": 1001, "name": "www.example.com", "workspace_id": 2},
            {"id": 1002, "name": "shop.example.com", "workspace_id": 2},
            {"id": 1003, "name": "here.example.com"},
        ],
        scans=[
            {"id": 40001, "tool_id": 170, "target_id": 1001},
            {"id": 40002, "tool_id": 450, "target_id": 1001, "status_name": "VPN connection error"},
            {"id": 40003, "tool_id": 170, "target_id": 1002, "status_name": "running", "script": {"run": 1000}},
            {"id": 40004, "tool_id": 170, "target_id": 1002, "status_name": "resting"},
            {"id": 40005, "tool_id": 170, "target_id": 1003, "status_name": "Timed Out"},
        ],
    )


def found(result):
    assert not result.failed, result.msg
    return [row["id"] for row in result["scans"]]


def queries(service):
    asked = [entry["query"] for entry in service.log() if entry["path"] == "/scans"]
    return [{name: value for name, value in query.items() if name not in ("limit", "page")} for query in asked]


@pytest.mark.parametrize(
    "options, query, ids",
    [
        ({"target": "SHOP.example.com."}, {"target_id": "1002"}, [40003, 40004]),
        ({"tool": "170"}, {"tool_id": "170"}, [40001, 40003, 40004]),
        ({"tool": "website scanner"}, {"tool_id": "170"}, [40001, 40003, 40004]),
        ({"tool": "SSL/TLS Scanner"}, {"tool_id": "450"}, [40002]),
        ({"tool": "9999"}, {"tool_id": "9999"}, []),
        ({"status": "Finished"}, {"status": "finished"}, [40001]),
        ({"status": ["vpn connection error"]}, {"status": "VPN connection error"}, [40002]),
        ({"status": "failed_to_start"}, {"status": "failed to start"}, []),
        ({"status": ["running", "FINISHED"]}, {}, [40001, 40003]),
        ({"target": "www.example.com", "tool": "170", "status": "finished"}, None, [40001]),
        ({"target": "www.example.com", "tool": "170", "status": "stopped"}, None, []),
    ],
    ids=str,
)
def test_filters_leave_what_passes_all_of_them(service, run, options, query, ids):
    result = run("scan_info", workspace_id=2, **options)
    assert found(result) == ids
    assert result.warnings == []
    if query is not None:
        assert queries(service)[0] == {"workspace_id": "2", **query}


def test_a_target_by_id_brings_its_workspace_along(service, run):
    result = run("scan_info", target_id=1002)
    assert found(result) == [40003, 40004]
    assert result.warnings == []
    assert queries(service)[0] == {"workspace_id": "2", "target_id": "1002"}


def test_an_unknown_status_is_searched_for_with_a_warning(service, run):
    result = run("scan_info", workspace_id=2, status=["Resting", "finished"])
    assert found(result) == [40001, 40004]
    assert ["Unknown status 'resting'; it may match nothing" in warning for warning in result.warnings] == [True]
    assert queries(service)[0] == {"workspace_id": "2"}


def test_a_service_that_knows_no_filter_gives_nothing_that_was_not_asked_for(service, run):
    rows = service.scans()
    for options, ids in (
        ({}, [40001, 40002, 40003, 40004]),
        ({"target_id": 1001}, [40001, 40002]),
        ({"tool": "170"}, [40001, 40003, 40004]),
        ({"status": "finished"}, [40001]),
    ):
        service.clear_faults()
        service.fault(path="/scans", action="wrong_type", data=rows)
        assert found(run("scan_info", workspace_id=2, **options)) == ids


# --- since


def ended(service, **ages):
    service.add(
        workspaces=[{"id": 3, "name": "Aged"}],
        targets=[{"id": 1009, "name": "aged.example.com", "workspace_id": 3}],
    )
    service.add(scans=[{"id": int(name[1:]), "target_id": 1009, "age": age} for name, age in ages.items()])


@pytest.mark.parametrize("form", ["plain", "offset", "utc", "unix", "unix_ms"])
@pytest.mark.parametrize("zone", [0, 7200])
def test_scans_that_ended_since_a_duration(service, run, form, zone):
    service.settings(time_form=form, record_zone=zone)
    # the newest tells by how much the times of the service are ahead
    ended(service, s50001=5, s50002=3000, s50003=4200, s50004=90000)
    assert found(run("scan_info", workspace_id=3, since="1h")) == [50001, 50002]
    assert found(run("scan_info", workspace_id=3, since="7d")) == [50001, 50002, 50003, 50004]
    assert queries(service)[0] == {"workspace_id": "3"}


@pytest.mark.parametrize("offset", [0, 36000, -36000])
def test_since_goes_by_the_clock_of_the_service(service, run, offset):
    service.settings(clock_offset=offset)
    ended(service, s50001=3000, s50002=4200)
    assert found(run("scan_info", workspace_id=3, since="1h")) == [50001]


def test_since_a_time(service, run):
    ended(service, s50001=5)
    service.add(scans=[{"id": 50002, "target_id": 1009, "end_time": "2026-01-31 12:00:00"}])
    for since in ("2026-01-31", "2026-01-31T12:00:00Z", "2026-01-31T13:00:00+01:00"):
        assert found(run("scan_info", workspace_id=3, since=since)) == [50001, 50002]
    assert found(run("scan_info", workspace_id=3, since="2026-01-31T12:00:01Z")) == [50001]


def test_what_is_in_progress_passes_and_what_tells_no_time_does_with_a_warning(service, run):
    ended(service, s50001=90000)
    service.add(
        scans=[
            {"id": 50002, "target_id": 1009, "status_name": "running", "age": 90000, "script": {"run": 900000}},
            {"id": 50003, "target_id": 1009, "start_time": None, "end_time": None},
        ]
    )
    result = run("scan_info", workspace_id=3, since="1h")
    assert found(result) == [50002, 50003]
    assert ["scan 50003 does not say when it ended" in warning for warning in result.warnings] == [True]
