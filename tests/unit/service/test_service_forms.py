# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Forms of answers that other clients have seen, and some that the contract does not allow, each by a setting."""

from __future__ import annotations

import gzip
from urllib.parse import parse_qs, urlsplit

import pytest
from ansible_collections.scanops.scanner.tests.service.families import FAMILIES, LISTS

STATE = {
    **{family.name: list(family.examples) for family in FAMILIES},
    "workspaces": [{"name": "w"}],
    "targets": [{"name": "t.example"}, {"name": "u.example", "workspace": "w"}],
    "http_loggers": [{"label": "l"}, {"label": "m", "workspace": "w"}],
    "scans": [{"target": "t.example"}],
    "findings": [{"name": "f", "task_id": 40001}],
    "reports": [{"resources": [40001]}],
    "vpn_profiles": [{"name": "p"}],
}


@pytest.fixture(autouse=True)
def state(service):
    service.reset(state=STATE)


@pytest.mark.parametrize("family", LISTS)
def test_fields_can_be_missing_or_null_in_every_family(service, send, family):
    path = LISTS[family]
    name = {"http_loggers": "label", "scans": "workspace_id", "reports": "format"}.get(family, "name")
    assert send("GET", path).data[0][name] is not None
    service.settings(null_fields={family: [name]})
    assert send("GET", path).data[0][name] is None
    service.settings(missing_fields={family: [name]})
    assert name not in send("GET", path).data[0]
    service.settings(missing_fields={}, null_fields={})
    assert send("GET", path).data[0][name] is not None
    assert service.violations() == []


def test_a_field_inside_of_a_field_can_be_missing(service, send):
    service.settings(missing_fields={"scans": ["result_summary.critical", "tool_params.x", "id.y"]})
    summary = send("GET", "/scans/40001").data["result_summary"]
    assert "critical" not in summary and summary["high"] == 0
    assert "critical" in service.scans()[0]["result_summary"]


def test_what_is_against_the_contract_on_purpose_is_a_deviation(service, send):
    service.settings(missing_fields={"workspaces": ["name"]})
    send("GET", "/workspaces/1")
    entry = service.log()[-1]
    assert entry["violations"] == [] and "'name' is a required property" in entry["deviations"][0]


@pytest.fixture
def many(service):
    """250 findings, of which the last one is critical."""
    levels = [1] * 249 + [4]
    service.add(findings=[{"name": f"n{number}", "risk_level": level} for number, level in enumerate(levels)])
    return "/findings"


def test_the_total_can_be_told_beside_the_data(service, send, many):
    service.settings(capped_lists={"findings": 100}, beside_data="total")
    assert send("GET", many).json["meta"] == {"total": 251}
    assert send("GET", "/targets?limit=1&page=1").json["meta"] == {"total": 1}
    assert send("GET", "/workspaces").json["meta"] == {"total": 2}
    service.settings(lists="bare")
    assert isinstance(send("GET", many).json, list)


def test_pages_of_a_cut_list_can_be_asked_for(service, send, many):
    service.settings(capped_lists={"findings": 100}, paged_lists=["findings"], beside_data="pages")
    seen, path = [], many
    while path:
        answer = send("GET", path)
        seen.append(len(answer.data))
        path = answer.json["links"]["next"]
        assert answer.json["meta"]["last_page"] == 3 and answer.json["meta"]["current_page"] == len(seen)
        if path:
            assert parse_qs(urlsplit(path).query) == {"page": [str(len(seen) + 1)]}
    assert seen == [100, 100, 51]
    assert send("GET", f"{many}?page=4").data == []
    assert len(send("GET", f"{many}?limit=1000").data) == 100
    assert service.violations() == []
    assert service.log()[-1]["deviations"] == ["unknown in the query: limit"]


# each list with its own way to more pages
PAGED = {"targets": "limit=1", "scans": "limit=1", "finding_templates": "limit=1"}


@pytest.fixture
def three(service):
    """Three of everything that a list shows."""
    service.reset(
        state={
            **STATE,
            **{
                family.name: [{**each, "id": 5000 + number} for number in range(3) for each in family.examples[:1]]
                for family in FAMILIES
                if family.examples
            },
            "workspaces": [{"name": "w"}, {"name": "x"}],
            "targets": [{"name": f"{name}.example"} for name in "tuv"],
            "http_loggers": [{"label": label} for label in "lmn"],
            "scans": [{"target": "t.example"}] * 3,
            "findings": [{"name": name} for name in "fgh"],
            "reports": [{"resources": [40001]}] * 3,
            "vpn_profiles": [{"name": name} for name in "pqr"],
        }
    )


@pytest.mark.parametrize("family", LISTS)
@pytest.mark.parametrize("beside_data", ["pages", "cursor", "link"])
def test_every_list_can_announce_its_next_page(service, send, three, family, beside_data):
    service.settings(beside_data=beside_data)
    if family not in PAGED:
        service.settings(capped_lists={family: 1}, paged_lists=[family])
    every = len(service.state()[family])
    path = f"{LISTS[family]}?{PAGED.get(family, '')}"
    seen, more = [], path
    while more and len(seen) <= every:
        answer = send("GET", more)
        seen += answer.data
        more = following(answer, path, beside_data)
    assert len(seen) == len({str(row) for row in seen}) == every > 1
    assert service.violations() == []


def following(answer, path, beside_data):
    """The address of the page that this one announces, or None."""
    if beside_data == "pages":
        return answer.json["links"]["next"]
    if beside_data == "cursor":
        cursor = answer.json["meta"]["next_cursor"]
        return cursor and f"{path}&cursor={cursor}"
    link = answer.headers["Link"]
    return link and link.removeprefix("</api/v2").removesuffix('>; rel="next"')


def test_a_cursor_that_no_answer_had_is_refused(service, send):
    service.settings(beside_data="cursor")
    service.allow_violations = True
    assert [send("GET", f"/targets?cursor={cursor}").status for cursor in ("after-1", "1")] == [200, 400]
    service.settings(beside_data="total")
    assert send("GET", "/targets?cursor=1").status == 200


@pytest.mark.parametrize("family,more", [("targets", "page=2"), ("scans", "page=2"), ("finding_templates", "offset=2")])
def test_pages_can_end_before_the_total(service, send, three, family, more):
    path = f"{LISTS[family]}?limit=2"
    service.settings(capped_lists={family: 2}, beside_data="total")
    first = send("GET", path)
    assert (len(first.data), first.json["meta"]["total"]) == (2, 3)
    assert send("GET", f"{path}&{more}").data == []


def test_a_plan_can_limit_the_assets(service, send):
    service.settings(max_assets=2)
    # a URL belongs to the asset that its host is
    assert send("POST", "/targets", form={"name": "https://t.example/x"}).status == 201
    refused = send("POST", "/targets", form={"name": "new.example"})
    assert refused.json == {"status": 403, "message": "Your current plan only allows 2 assets"}
    refused = send("POST", "/scans", body={"tool_id": 170, "target_name": "new.example"})
    assert refused.json["message"] == "Your current plan only allows 2 assets"


def test_ids_can_be_texts(service, send):
    service.settings(id_form="text")
    assert send("GET", "/targets").data[0]["id"] == "1001"
    record = send("GET", "/findings/70001").data
    assert (record["id"], record["target_id"], record["task_id"], record["vuln_id"]) == (
        "70001",
        "1001",
        "40001",
        "WEBSCAN-00-0000001",
    )
    assert send("POST", "/targets", form={"name": "a.example"}).data == {"created_id": "1003"}
    assert send("GET", "/targets/1003").status == 200
    assert service.violations() == []


@pytest.mark.parametrize(
    "form,expected",
    [
        ("plain", "2024-05-17 10:30:00"),
        ("offset", "2024-05-17T10:30:00+02:00"),
        ("utc", "2024-05-17T08:30:00Z"),
        ("unix", 1715934600),
        ("unix_ms", 1715934600000),
    ],
)
def test_times_have_other_forms(service, send, form, expected):
    service.settings(record_zone=7200, time_form=form)
    moment = "2024-05-17 10:30:00"
    service.add(scans=[{"id": 40001, "target": "t.example", "end_time": moment}])
    service.capture(501, {"request_date": moment})
    assert send("GET", "/scans/40001").data["end_time"] == expected
    assert send("GET", "/scans").data[0]["end_time"] == expected
    assert send("GET", "/http_loggers/501/data").data["requests"][0]["request_date"] == expected


REDIRECTS = {"http://a.example/": "https://www.a.example/", "http://b.example/": "https://c.test/"}


@pytest.mark.parametrize(
    "name,more,status",
    [
        ("http://a.example/", {}, 400),
        ("http://a.example/", {"redirect_level": "same_domain"}, 201),
        ("http://a.example/", {"scan_original_url": True}, 201),
        ("http://a.example/", {"scan_original_url": False}, 400),
        ("http://b.example/", {"redirect_level": "same_domain"}, 400),
        ("http://b.example/", {"scan_original_url": True}, 201),
        ("http://d.example/", {}, 201),
    ],
)
def test_a_start_can_be_refused_because_the_target_redirects(service, send, name, more, status):
    service.settings(redirecting_targets=REDIRECTS)
    answer = send("POST", "/scans", body={"tool_id": 170, "target_name": name, **more})
    assert answer.status == status
    if status == 400:
        assert answer.json["message"] == f"Target URL redirects to {REDIRECTS[name]}"
        # a start that is refused leaves no target behind
        assert name not in [target["name"] for target in service.targets()]


@pytest.mark.parametrize(
    "settings,path,expected",
    [
        ({"lists": "items"}, "/vpn_profiles", {"data": {"items": "rows"}}),
        ({"lists": "results"}, "/vpn_profiles", {"results": "rows"}),
        ({"lists": "results", "beside_data": "total"}, "/vpn_profiles", {"results": "rows", "meta": {"total": 1}}),
        ({"empty_list": "null"}, "/targets?type=url", {"data": None}),
        ({"empty_list": "missing"}, "/targets?type=url", {}),
        ({"records": "bare"}, "/workspaces/2", {"id": 2, "name": "w", "description": ""}),
        ({"records": "list"}, "/workspaces/2", {"data": [{"id": 2, "name": "w", "description": ""}]}),
        ({"unknown_id": "null"}, "/workspaces/99", {"data": None}),
        ({"extra_members": True}, "/vpn_profiles", {"success": True, "status": 200, "message": "OK", "data": "rows"}),
        ({"errors": "nested"}, "/workspaces/99", {"error": {"status": 404, "message": "no data for id 99"}}),
        ({"errors": "text"}, "/workspaces/99", {"error": "no data for id 99"}),
    ],
    ids=str,
)
def test_envelopes(service, send, settings, path, expected):
    (row,) = send("GET", "/vpn_profiles").data
    service.settings(**settings)

    def filled(value):
        return {name: filled(each) for name, each in value.items()} if isinstance(value, dict) else rows(value)

    def rows(value):
        return [row] if value == "rows" else value

    assert send("GET", path).json == filled(expected)


@pytest.mark.parametrize(
    "settings,path,status",
    [
        ({"empty_list": 204}, "/targets?type=url", 204),
        ({"empty_list": 404}, "/targets?type=url", 404),
        ({"unknown_id": 403}, "/scans/99", 403),
        ({"unknown_id": 410}, "/scans/99", 410),
    ],
)
def test_statuses_of_what_does_not_exist(service, send, settings, path, status):
    service.settings(**settings)
    assert send("GET", path).status == status
    assert service.violations() == []


@pytest.mark.parametrize("status,body", [(200, b'{"data":{}}'), (202, b'{"data":{}}'), ("empty", b""), (404, None)])
def test_answers_to_a_delete(service, send, status, body):
    service.settings(delete_status=status)
    answer = send("DELETE", "/targets/1001")
    assert answer.status == (200 if status == "empty" else status)
    assert body is None or answer.raw == body
    assert [target["id"] for target in service.targets()] == [1002]


@pytest.mark.parametrize("form,status", [("nothing", 204), ("empty", 200), ("record", 200)])
def test_answers_to_an_update(service, send, form, status):
    service.settings(update_answer=form)
    answer = send("PUT", "/workspaces/2", body={"description": "d"})
    assert (answer.status, answer.data) == (status, (form == "record" and service.workspaces()[1]) or None)


def test_values_have_other_types(service, send):
    service.settings(number_form="text", boolean_form="number", status_form="upper")
    record = send("GET", "/scans/40001").data
    assert (record["id"], record["progress"], record["vpn_scan"], record["status_name"]) == (
        40001,
        "100",
        0,
        "FINISHED",
    )
    service.settings(number_form="float", boolean_form="text", status_form="status")
    record = send("GET", "/scans/40001").data
    assert (record["progress"], record["vpn_scan"], record["status"]) == (100.0, "false", "finished")
    assert "status_name" not in record
    assert service.violations() == []


def test_rows_are_given_twice(service, send):
    service.settings(duplicate_rows=True)
    assert [each["id"] for each in send("GET", "/workspaces").data] == [1, 1, 2, 2]


@pytest.mark.parametrize("encoding,start", [("utf-8", b"{"), ("utf-8-sig", b"\xef\xbb\xbf"), ("utf-16", b"\xff\xfe")])
def test_encodings_and_headers(service, send, encoding, start):
    service.settings(encoding=encoding, json_type="text/json", limit_headers="unlimited")
    service.add(workspaces=[{"name": "ü"}])
    answer = send("GET", "/workspaces")
    assert (answer.type, answer.headers["X-RateLimit-Remaining"]) == ("text/json", "unlimited")
    assert answer.raw.startswith(start) and "ü" in answer.raw.decode(encoding)


def test_a_body_is_compressed(service, send):
    plain = send("GET", "/workspaces").raw
    service.settings(compressed=True)
    answer = send("GET", "/workspaces")
    assert answer.headers["Content-Encoding"] == "gzip" and gzip.decompress(answer.raw) == plain
    service.allow_violations = True
