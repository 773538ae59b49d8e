# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import copy

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._contract.openapi import differences, openapi_of
from ansible_collections.scanops.scanner.plugins.module_utils._contract.relied_on import RELIED_ON
from ansible_collections.scanops.scanner.plugins.module_utils._model.family import JSON, Operation
from ansible_collections.scanops.scanner.tests.unit.plugins.case_files import cases_of

LIST = Operation(
    "GET", "/targets", query=("workspace_id", "type", "limit"), fields=("id", "name"), also={"name": "label"}
)
MAKE = Operation(
    "POST", "/reports", encoding=JSON, always=("format",), sometimes=("group_by",), one_of=("report_id", "id")
)
READ = Operation("GET", "/scans/{id}/output", accepts=("application/pdf",))
DATA = Operation("GET", "/http_loggers/{id}/data", fields=("ip_address",), inside="requests")
EDIT = Operation("PATCH", "/findings/{id}", encoding=JSON, sometimes=("status",))
OPERATIONS = (LIST, MAKE, READ, DATA, EDIT)

# a document without differences from the operations above
GOOD = cases_of(__file__)["GOOD"]


def at(document, path):
    """The holder and the last key of a path: words parted by a space."""
    *steps, last = path.split(" ")
    for step in steps:
        document = document[int(step) if step.isdigit() and not (isinstance(document, dict)) else _key(document, step)]
    return document, (int(last) if isinstance(document, list) else _key(document, last))


def _key(document, step):
    return int(step) if step.isdigit() and int(step) in document else step


def changed(path, value=None):
    document = copy.deepcopy(GOOD)
    holder, key = at(document, path)
    if value is None:
        del holder[key]
    else:
        holder[key] = value
    return document


def found(document):
    return [
        (each["kind"], each["part"], each["operation"], each["name"])
        for each in differences(document, "/api/v2", OPERATIONS)
    ]


def test_a_matching_schema_has_no_differences():
    assert found(GOOD) == []


PARAMETER = "paths /targets/ get parameters 1"
BODY = "paths /reports post requestBody content application/json"
CREATED = "paths /reports post responses 201 content application/json schema properties data properties"


@pytest.mark.cases("path, value, expected")
def test_each_kind_of_difference_is_found(path, value, expected):
    assert list(map(list, found(changed(path, value)))) == expected


def test_paths_may_begin_with_the_path_of_base_url():
    document = dict(GOOD, paths={f"/api/v2{path}": item for path, item in GOOD["paths"].items()})
    assert found(dict(document, servers=[{"url": "https://scanner.example.com"}])) == []


@pytest.mark.cases("server, prefix")
def test_server_and_path_together_make_the_address(server, prefix):
    document = dict(GOOD, paths={f"{prefix}{path}": item for path, item in GOOD["paths"].items()}, servers=[server])
    assert found(document) == []


@pytest.mark.parametrize("name", ["Accept", "Content-Type", "Authorization"])
def test_headers_of_every_call_are_not_compared(name):
    header = {"name": name, "in": "header", "required": True}
    document = copy.deepcopy(GOOD)
    document["paths"]["/targets/"]["parameters"].append(header)
    assert found(document) == []


@pytest.mark.parametrize("name", ["page", "offset", "cursor", "per_page"])
def test_paging_of_a_list_that_is_read_in_one_call_is_found(name):
    whole = Operation("GET", "/targets", query=("workspace_id", "type"), fields=("id", "name"))
    document = copy.deepcopy(GOOD)
    del document["components"]["parameters"]["Page"]
    document["paths"]["/targets/"]["get"]["parameters"][0] = {"name": name, "in": "query"}
    assert [(each["kind"], each["part"], each["name"]) for each in differences(document, "/api/v2", [whole])] == [
        ("contradicts", "parameter", name)
    ]
    assert found(GOOD) == []


@pytest.mark.parametrize(
    ("path", "operation"),
    [
        ("paths /reports post responses 201 content application/json schema", "POST /reports"),
        ("paths /http_loggers/{logger}/data get responses default content application/json schema", str(DATA)),
        ("paths /targets/ get responses 200 content application/json schema", "GET /targets"),
    ],
)
def test_an_answer_without_data_is_found(path, operation):
    holder, key = at(GOOD, path)
    inner = holder[key]["properties"]["data"]
    expected = ("contradicts", "answer", operation, "data")
    assert expected not in found(GOOD)
    bare = inner.get("items", inner)
    assert found(changed(path, bare)) == [expected]


def test_a_list_without_envelope_is_read_too():
    record = {"$ref": "#/components/schemas/Target"}
    for schema in (
        {"type": "array", "items": record},
        {"oneOf": [{"type": "array", "items": record}, {"type": "object"}]},
    ):
        content = {"application/json": {"schema": schema}}
        assert found(changed("paths /targets/ get responses", {"200": {"content": content}})) == []


@pytest.mark.cases("odd")
def test_cyclic_references_and_odd_shapes_are_tolerated(odd):
    assert ("missing", "field", "GET /targets", "name") in found(changed("components schemas Target", odd)) or (
        "missing", "answer", "GET /targets", "",
    ) in found(changed("components schemas Target", odd))  # fmt: skip


@pytest.mark.parametrize(
    "odd", [None, [], "x", 5, {"get": []}, {"get": {"parameters": {}, "responses": [], "requestBody": 1}}]
)
def test_paths_of_an_odd_shape_count_as_missing(odd):
    everything = [
        each["operation"] for each in differences(dict(GOOD, paths=dict.fromkeys(GOOD["paths"], odd)), "/api/v2")
    ]
    assert {str(operation) for operation in OPERATIONS} <= set(everything)


ODD = "\x1b]0;x\x07" + "y" * 500


@pytest.mark.parametrize(
    "path, value",
    [
        (f"{BODY} schema required", ["format", ODD]),
        (f"{PARAMETER} schema type", ["null", ODD]),
        ("servers 0 url", ODD),
        ("paths /reports post requestBody content", {ODD: {}}),
        ("paths /scans/{scan_id}/output get parameters", [{"name": ODD, "in": "query", "required": True}]),
    ],
)
def test_untrusted_text_of_the_schema_becomes_printable_and_short(path, value):
    (difference,) = differences(changed(path, value), "/api/v2", OPERATIONS)
    for text in difference.values():
        assert text.isprintable()
        assert len(text) < 250
    assert "null" not in difference["note"]


@pytest.mark.parametrize(
    "document", [None, [], "x", {}, {"openapi": "3.1.0"}, {"openapi": "2.0", "paths": {}}, {"paths": {}}]
)
def test_other_documents_are_not_openapi(document):
    assert openapi_of(document) is None
    assert openapi_of(GOOD) is GOOD


def test_the_table_has_each_call_once():
    calls = [str(operation) for operation in RELIED_ON]
    assert sorted(set(calls)) == sorted(calls)
    assert len(calls) > 30


@pytest.mark.parametrize("in_query", [True, False])
@pytest.mark.parametrize("in_body", [True, False])
def test_a_field_that_is_sent_in_the_query_and_in_the_body_is_missing_only_where_neither_has_it(in_query, in_body):
    operation = Operation("POST", "/http_loggers", ("workspace_id",), JSON, ("label",), ("workspace_id",))
    known = {"type": "integer"}
    properties = {"label": {"type": "string"}, **({"workspace_id": known} if in_body else {})}
    parameters = [{"name": "workspace_id", "in": "query", "schema": known}] if in_query else []
    body = {"content": {JSON: {"schema": {"properties": properties}}}}
    document = copy.deepcopy(GOOD)
    document["paths"]["/http_loggers"] = {"post": {"parameters": parameters, "requestBody": body, "responses": {}}}
    found = {each["part"] for each in differences(document, "/api/v2", [operation])}
    assert found == (set() if in_query or in_body else {"parameter", "body"})
