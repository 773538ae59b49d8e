# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the service sends: any bytes are a record, a list or an error of ours, and never an empty list by mistake."""

from __future__ import annotations

import base64
import json

from ansible_collections.scanops.scanner.plugins.module_utils._contract.openapi import parse as read_schema
from ansible_collections.scanops.scanner.plugins.module_utils._estate.logger_data import Filters, decoded, selected
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.findings import finding_of
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.fingerprint import Sighting, identify, places_of
from ansible_collections.scanops.scanner.plugins.module_utils._http import connection, listing, redact
from ansible_collections.scanops.scanner.plugins.module_utils._http.answer import Answer, refusal
from ansible_collections.scanops.scanner.plugins.module_utils._http.listing import beside
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import AnswerError, CallError, ScannerError
from ansible_collections.scanops.scanner.plugins.module_utils._model.families import FAMILIES, FINDING
from ansible_collections.scanops.scanner.plugins.module_utils._scan.output import parsed_output
from ansible_collections.scanops.scanner.tests.fuzz.properties import growth, prop
from ansible_collections.scanops.scanner.tests.fuzz.strategies import (
    as_json,
    changed,
    fields,
    odd,
    spoilt,
    texts,
    values,
)
from hypothesis import strategies as st
from requests.structures import CaseInsensitiveDict

KEY = "unmistakable-fuzz-key-7c9a"
ROW = {
    "id": 7, "name": "Weak cipher", "risk_level": 3, "cve": ["CVE-2024-1000"], "target_id": 5, "task_id": 9,
    "workspace_id": 1, "port": 443, "protocol": "tcp", "status": "open", "vuln_id": "TLS-7", "target_name": "a.example",
    "label": "l", "description": "d", "handler": "https://h.example/x", "words": 3, "status_name": "finished",
    "tool_id": 20, "start_time": "2026-11-20 10:00:00", "end_time": "2026-11-20 10:00:00",
    "vuln_evidence": {"type": "table", "data": {"headers": ["URL", "Method"], "rows": [["https://a.example/x", "GET"]]}},
}  # fmt: skip
LIST = {"data": [ROW, {**ROW, "id": 8}], "meta": {"total": 2, "last_page": 1}, "links": {"next": None}}

rows = st.one_of(changed(ROW), fields(*ROW))
lists = st.one_of(changed(LIST), st.fixed_dictionaries({"data": st.lists(rows, max_size=4)}), values)
bodies = st.one_of(spoilt(lists.map(as_json)), st.binary(max_size=60))
families = st.sampled_from(sorted(FAMILIES))
headers = st.dictionaries(
    st.sampled_from(["Content-Type", "Link", "X-Total-Count", "Total-Count", "Retry-After", "Date"]),
    st.one_of(texts, st.just('<https://a.example/x?page=2&limit=5>; rel="next"')),
    max_size=3,
)


def answer(body, given=None, status=200, method="GET", path="/findings", key=KEY):
    return Answer(method, path, status, CaseInsensitiveDict(given or {}), body, redactor=redact.Redactor(key))


def is_said_well(error):
    """Whether an error has a text for people: sentences on one line, without the key."""
    text = str(error)
    return bool(text) and text.isprintable() and text[0].isupper() and KEY not in text


@prop(body=bodies, given=headers, family=families)
def test_a_list_is_read_completely_or_is_an_error(body, given, family):
    try:
        records, found = listing.rows_of(FAMILIES[family], answer(body, given))
    except AnswerError as error:
        assert is_said_well(error)
        return
    read = json.loads(body.decode("utf-8-sig"))
    assert len(records) == len(read["data"] if isinstance(read, dict) else read)
    assert found.total is None or found.total >= 0


@prop(
    members=fields(
        "total", "count", "next", "next_page", "last_page", "page", "has_more", "meta", "links", "next_cursor"
    ),
    given=headers,
)
def test_what_is_beside_the_rows_never_makes_reading_fail(members, given):
    found = beside(members, given)
    reading = listing.Reading(FINDING)
    reading.note(3, 3, found)
    for name, value in reading.next_place().items():
        assert isinstance(name, str) and isinstance(value, (str, int))


@prop(
    body=st.one_of(
        spoilt(
            st.one_of(
                values, fields("message", "details", "error", "errors", "title", "detail"), st.just({"message": KEY})
            ).map(as_json)
        ),
        st.binary(max_size=60),
    ),
    status=st.integers(300, 599),
    method=st.sampled_from(["GET", "POST", "PUT", "DELETE"]),
    given=headers,
)
def test_each_refusal_is_an_error_that_says_what_failed(body, status, method, given):
    error = refusal(answer(body, given, status, method))
    assert isinstance(error, CallError)
    assert error.status == status and is_said_well(error)
    assert KEY not in repr(error.result)


@prop(location=st.one_of(texts, st.lists(odd, max_size=6).map(lambda parts: "https://a.example" + "".join(parts))))
def test_a_redirect_never_leads_to_another_address(location):
    try:
        followed = connection.redirected("GET", "/targets", 302, "https://a.example/api/v2/targets", location)
    except AnswerError as error:
        assert is_said_well(error)
        return
    assert followed.split("#")[0].split("?")[0].rstrip("/") == "https://a.example/api/v2/targets"


@prop(row=rows, target=texts)
def test_each_row_that_is_a_finding_has_a_severity_and_a_fingerprint(row, target):
    try:
        records, _found = listing.rows_of(FINDING, answer(as_json([row])))
    except AnswerError:
        return
    (finding,) = map(finding_of, records)
    assert finding["severity"] in ("critical", "high", "medium", "low", "info", "unknown")
    assert [cve for cve in finding["cve"] if not (isinstance(cve, str) and cve)] == []
    (identity,) = identify([Sighting(finding, target, "tls")])
    assert identity.fingerprint.startswith("1:")


@prop(entry=fields("ip_address", "request_method", "request_date", "request_body_base64", "http_headers"))
def test_each_recorded_request_is_decoded_and_judged(entry):
    read = decoded(entry)
    assert read["body"] is None or isinstance(read["body"], str)
    assert selected(read, Filters("GET")) in (True, False, None)


@prop(body=bodies)
def test_the_output_of_a_scan_is_an_object_or_an_error(body):
    try:
        assert isinstance(parsed_output(answer(body)), dict)
    except AnswerError as error:
        assert is_said_well(error)


@prop(text=st.one_of(texts, values.map(lambda value: as_json(value).decode())))
def test_each_published_schema_is_read_or_refused(text):
    try:
        read_schema(text.encode("utf-8", "surrogatepass"))
    except (ScannerError, ValueError) as error:
        assert str(error)


FORMS = st.sampled_from(
    [
        lambda key: key,
        str.upper,
        lambda key: "".join(f"%{ord(c):02x}" for c in key),
        lambda key: "".join(f"%25{ord(c):02X}" for c in key),
        lambda key: "".join(f"\\u{ord(c):04x}" for c in key),
        lambda key: base64.b64encode(f"Bearer {key}".encode()).decode(),
    ]
)


@prop(
    form=FORMS,
    before=texts,
    after=texts,
    status=st.sampled_from([200, 302, 400, 401, 404, 500]),
    size=st.integers(1, 9),
)
def test_a_key_that_the_service_repeats_is_in_nothing_that_is_shown(form, before, after, status, size):
    planted = f"{before}PLANTED{after}"
    body = as_json({"message": planted, "data": [{"id": 1, "name": planted}], planted: planted})
    body = body.replace(b"PLANTED", form(KEY).encode())
    given = answer(body, {"Location": f"https://a.example/{form(KEY)}"}, status)
    shown = [str(refusal(given)), repr(refusal(given).result), *given.headers.values()]
    try:
        shown.append(repr(given.json()))
    except AnswerError as error:
        shown.append(str(error))
    # also where the body arrives in pieces
    watch = redact.Watch(redact.Redactor(KEY))
    for place in range(0, len(body), size):
        watch.feed(body[place : place + size])
    assert watch.seen
    for text in shown:
        assert form(KEY) not in text and KEY not in text.lower()


@prop(unit=st.one_of(odd, texts), shape=st.sampled_from(["text", "keys", "rows", "headers", "nested", "bare"]))
def test_reading_an_answer_costs_no_more_than_its_length(unit, shape):
    unit = unit[:20]

    def body(number):
        if shape == "text":
            return as_json({"data": [{"id": 1, "name": unit * number}]})
        if shape == "keys":
            return as_json({"data": [], **{f"{unit}{index}": index for index in range(number)}})
        if shape == "rows":
            return as_json({"data": [{"id": index + 1, "name": unit} for index in range(number)]})
        if shape == "headers":
            table = {"type": "table", "data": {"headers": [unit + str(i) for i in range(number)], "rows": []}}
            return as_json([{"id": 1, "name": "n", "vuln_evidence": table}])
        if shape == "nested":
            return as_json({"data": [{"id": 1, "name": "n", "x": [[unit] for _index in range(number)]}]})
        return (unit.encode("utf-8", "surrogatepass") or b" ") * number

    def read(number):
        given = body(number)

        def places():
            for row in listing.rows_of(FINDING, answer(given))[0]:
                places_of(row)

        return places

    less, more = growth(read, 60)
    assert more <= 4.5 * less + 2000
