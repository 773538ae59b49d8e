# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64

import pytest

REQUESTS = [
    {
        "ip_address": "192.0.2.7",
        "request_method": "POST",
        "request_body_base64": base64.b64encode("hällo".encode()).decode(),
    },
    {"ip_address": "198.51.100.9", "request_method": "get", "request_date": "2024-06-01 00:00:00"},
    {
        "ip_address": "2001:db8::1",
        "request_method": "PUT",
        "request_date": "2024-06-01 12:30:00",
        "url_params": "id=17",
        "http_headers": ["X-Canary: shop-1"],
    },
    {"ip_address": "unknown", "request_body_base64": "//79"},
]


@pytest.fixture(autouse=True)
def _account(service):
    service.add(http_loggers=[{"id": 501, "label": "canary", "requests": REQUESTS}, {"id": 502, "label": "quiet"}])


def found(result):
    assert not result.failed, result.msg
    return [row["id"] for row in result["requests"]]


@pytest.mark.parametrize("reference", [{"label": "canary"}, {"id": 501}])
def test_all_recorded_requests_are_returned_with_the_fields_of_the_service(run, reference):
    result = run("http_logger_data_info", **reference)
    assert found(result) == [1, 2, 3, 4]
    assert result["requests"][0] == {
        "id": 1,
        "ip_address": "192.0.2.7",
        "request_method": "POST",
        "url_params": "",
        "user_agent": "",
        "os": "Unknown",
        "http_headers": [],
        "request_body_type": "text",
        "request_body_base64": REQUESTS[0]["request_body_base64"],
        "request_date": "2024-05-17 08:30:00",
        "body": "hällo",
    }


@pytest.mark.parametrize(
    "filters, ids",
    [
        ({"method": "Get"}, [2, 4]),
        ({"source": "2001:db8::/32"}, [3]),
        ({"since": "2024-06-01 12:30:00"}, [3]),
        ({"path": "id=*"}, [3]),
        ({"header": "x-canary: shop-*"}, [3]),
        ({"after": 2}, [3, 4]),
        ({"after": 2, "method": "GET"}, [4]),
        ({"after": 4}, []),
        ({"method": "GET", "source": "198.51.100.9", "since": "2024-06-01"}, [2]),
        ({"method": "PUT", "source": "198.51.100.9"}, []),
    ],
)
def test_a_request_must_match_all_filters(run, filters, ids):
    assert found(run("http_logger_data_info", id=501, **filters)) == ids


@pytest.mark.parametrize(
    "filters, message",
    [
        ({"source": "example.com"}, "source 'example.com' is not an IP address or a network"),
        ({"source": "192.0.2.0/99"}, "source '192.0.2.0/99' is not an IP address or a network"),
        ({"source": ""}, "source '' is not an IP address or a network"),
        ({"method": ""}, "method is empty: give a value, or leave the option out."),
        ({"path": ""}, "path is empty"),
        ({"header": ""}, "header is empty"),
        ({"since": "noon"}, "since 'noon' is not a date or time"),
        ({"since": ""}, "since '' is not a date or time"),
        (
            {"since": "2024-06-01T12:00:00+02:00"},
            "since '2024-06-01T12:00:00+02:00' is not a date or time without a time zone",
        ),
    ],
)
def test_an_invalid_filter_is_refused_before_any_call(service, run, filters, message):
    result = run("http_logger_data_info", id=501, **filters)
    assert result.failed
    assert message in result.msg
    assert service.calls() == []


@pytest.mark.parametrize("module,options", [("http_logger_data_info", {}), ("http_logger_data", {"state": "absent"})])
@pytest.mark.parametrize("data", [[{}], [{"id": 1}], {"requests": [{"id": None}]}, [{"name": "x"}]])
def test_an_entry_without_any_field_of_a_request_is_refused(service, run, module, options, data):
    service.fault(method="GET", path="/http_loggers/502/data", action="wrong_type", data=data)
    result = run(module, id=502, **options)
    assert result.failed
    assert "not a list of recorded requests" in result.msg
    assert service.writes() == []


def test_an_entry_may_lack_some_of_its_fields(service, run):
    service.fault(method="GET", path="/http_loggers/502/data", action="wrong_type", data=[{"request_method": "GET"}])
    (row,) = run("http_logger_data_info", id=502)["requests"]
    assert (row["request_method"], row["body"]) == ("GET", "")


@pytest.mark.parametrize("filters", [{"source": "192.0.2.0/24"}, {"path": "*"}, {"header": "X-Canary"}])
def test_a_request_without_a_field_that_decides_is_counted(service, run, filters):
    rows = [{"id": 1, "request_method": "GET"}, {"id": 2, "request_method": "PUT"}]
    service.fault(method="GET", path="/http_loggers/502/data", action="wrong_type", data=rows, times=2)
    result = run("http_logger_data_info", id=502, **filters)
    assert (result["requests"], result["undecided"]) == ([], 2)
    # another filter decides
    assert run("http_logger_data_info", id=502, method="GET", **filters)["undecided"] == 1


def test_a_request_without_an_id_is_refused_where_ids_decide(service, run):
    rows = [{"request_method": "GET"}]
    service.fault(method="GET", path="/http_loggers/502/data", action="wrong_type", data=rows)
    result = run("http_logger_data_info", id=502, after=0)
    assert result.failed
    assert "no valid id" in result.msg


@pytest.mark.parametrize("reference", [{"label": "never"}, {"id": 99}])
def test_a_logger_that_does_not_exist_is_an_error(run, reference):
    result = run("http_logger_data_info", **reference)
    assert result.failed
    assert "No HTTP logger" in result.msg
    check = run("http_logger_data_info", check=True, **reference)
    assert found(check) == []
    assert len(check.warnings) == 1


def test_in_check_mode_the_null_id_of_a_logger_not_created_yet_is_accepted(service, run):
    result = run("http_logger_data_info", check=True, id=None)
    assert found(result) == []
    assert len(result.warnings) == 1
    assert service.calls() == []


def test_a_request_whose_time_cannot_be_read_is_kept_with_one_warning(service, run):
    rows = [
        {"id": number, "request_method": "GET", "request_date": date}
        for number, date in enumerate(["2024-06-01 12:00:00", "yesterday", None, "2023-01-01 00:00:00"], 1)
    ]
    service.fault(path="/http_loggers/.*/data", action="status", status=200, body={"data": {"requests": rows}}, times=2)
    label = service.http_loggers()[0]["label"]
    result = run("http_logger_data_info", label=label, since="2024-01-01")
    assert [request["id"] for request in result["requests"]] == [1, 2, 3]
    (warning,) = result.warnings
    assert (
        "2 requests cannot be compared with since, because request_date is missing or not a time ('yesterday'"
        in warning
    )
    # without the option, nothing is compared
    assert run("http_logger_data_info", label=label).warnings == []


# --- the list is complete


CUT = {
    "a total in data": ({"data": {"requests": [{"id": 1, "url_params": "a"}], "total": 2}}, "only 1 of 2 rows"),
    "a total beside data": ({"data": {"requests": []}, "total": 1}, "only 0 of 1 rows"),
    "a total in meta": ({"data": [], "meta": {"total": 1}}, "only 0 of 1 rows"),
    "a next page": ({"data": {"requests": [], "links": {"next": "/http_loggers/502/data?page=2"}}}, "only 0 rows"),
    "a cursor": ({"data": {"requests": [], "next_cursor": "x"}}, "only 0 rows"),
    "more": ({"data": [], "has_more": True}, "only 0 rows"),
}


@pytest.mark.parametrize("body, said", CUT.values(), ids=CUT)
def test_a_list_that_announces_more_is_no_complete_list(service, run, body, said):
    service.allow_violations = True
    service.fault(path="/http_loggers/502/data", action="status", status=200, body=body, times=None)
    result = run("http_logger_data_info", id=502)
    assert result.failed
    assert f"GET /http_loggers/502/data returned {said}, and the next page has no more." in result.msg


def test_further_pages_are_read(service, run):
    service.allow_violations = True
    pages = [{"id": number, "url_params": str(number)} for number in (1, 2, 3)]
    bodies = [
        {"data": {"requests": pages[:2], "next_page": 2}},
        {"data": {"requests": pages[2:]}},
    ]
    service.fault(path="/http_loggers/502/data", query={"page": 2}, action="status", status=200, body=bodies[1])
    service.fault(path="/http_loggers/502/data", action="status", status=200, body=bodies[0])
    assert found(run("http_logger_data_info", id=502)) == [1, 2, 3]


def test_equal_requests_without_ids_are_different_ones(service, run):
    service.allow_violations = True
    body = {"data": {"requests": [{"url_params": "a"}] * 2}}
    service.fault(path="/http_loggers/502/data", action="status", status=200, body=body)
    assert len(run("http_logger_data_info", id=502)["requests"]) == 2


@pytest.mark.parametrize("after, failed", [(2, True), (None, True), (1, False), (0, False)])
def test_the_count_of_the_logger_is_compared_before_and_after(service, run, after, failed):
    service.allow_violations = True
    record = {"id": 502, "label": "quiet", "active_days": 30, "num_requests": 2}
    one = {"data": {"requests": [{"id": 1, "url_params": "a"}]}}
    service.fault(path="/http_loggers/502/data", action="status", status=200, body=one)
    service.fault(
        path="/http_loggers/502$", nth=2, action="status", status=200, body={"data": {**record, "num_requests": after}}
    )
    service.fault(path="/http_loggers/502$", action="status", status=200, body={"data": record})
    result = run("http_logger_data_info", id=502)
    assert result.failed is failed
    if failed:
        assert "returned only 1 of the 2 requests that the HTTP logger counts in num_requests" in result.msg


def test_the_count_costs_no_call_while_it_is_right(service, run):
    run("http_logger_data_info", id=501)
    assert service.calls() == ["GET /http_loggers/501", "GET /http_loggers/501/data"]


def test_a_logger_that_records_nothing_is_warned_of(service, run):
    service.add(http_loggers=[{"id": 503, "label": "old", "active_days": 0}])
    result = run("http_logger_data_info", id=503)
    assert (result["records"], result["total"], result["requests"]) == (False, 0, [])
    assert "can no longer record requests" in result.warnings[0]
    assert "a request that is missing here proves nothing" in result.warnings[0]


def test_the_total_counts_what_the_filters_leave_out(run):
    result = run("http_logger_data_info", id=501, method="POST", after=1)
    assert (result["requests"], result["total"], result["records"]) == ([], 3, True)
