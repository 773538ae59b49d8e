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
