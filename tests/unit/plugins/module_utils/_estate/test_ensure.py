# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._model.families import (
    FAMILIES,
    HTTP_LOGGER,
    TARGET,
    WORKSPACE,
)
from ansible_collections.scanops.scanner.plugins.module_utils._model.records import (
    difference,
    identity_of,
    is_row,
    new_record,
    not_shown,
    record_of,
    revealed,
)
from ansible_collections.scanops.scanner.plugins.module_utils._model.texts import same
from hypothesis import example, given
from hypothesis import strategies as st

TEXT = st.text(max_size=10)


def test_a_difference_that_can_be_updated_is_a_change():
    live = {"id": 2, "name": "A", "description": "x"}
    assert difference(WORKSPACE, live, {"description": "y"}) == ({"description": "y"}, {})
    assert difference(WORKSPACE, live, {"name": "B", "description": "x"}) == ({"name": "B"}, {})


def test_a_difference_that_cannot_be_updated_is_drift():
    live = {"id": 2, "name": "a.example", "description": "x"}
    expected = ({}, {"description": {"declared": "y", "live": "x"}})
    assert difference(TARGET, live, {"description": "y"}) == expected


@given(st.fixed_dictionaries({}, optional={"name": TEXT, "description": TEXT}), TEXT, TEXT)
@example({"name": "\r", "description": "a\r\nb"}, "", "a\nb")
def test_a_live_record_with_its_changes_does_not_differ_any_more(declared, name, description):
    for resource in (WORKSPACE, TARGET):
        live = {"id": 2, "name": name, "description": description}
        changes, drift = difference(resource, live, declared)
        assert set(changes) | set(drift) == {field for field in declared if not same(declared[field], live[field])}
        assert not set(changes) & set(drift)
        assert set(changes) <= set(resource.updatable)
        settled = {**live, **changes, **{field: sides["declared"] for field, sides in drift.items()}}
        assert difference(resource, settled, declared) == ({}, {})


# --- the table


@pytest.mark.parametrize("resource", FAMILIES.values(), ids=lambda resource: resource.name)
def test_the_entries_of_the_table_agree_with_themselves(resource):
    assert {resource.identity, resource.key, *resource.text, *resource.declared} - {""} <= set(resource.fields)
    assert resource.key in (resource.identity, *resource.text)
    assert set(resource.also) <= set(resource.fields)
    # findings are created by no call
    assert resource.hides_workspace == (resource.name in ("finding", "http_logger"))
    assert set(resource.updatable) <= {resource.key, *resource.declared}
    assert set(resource.in_workspace) <= {"form", "query"} or resource.in_workspace == ("json",)
    assert [name for name in resource.holds if not FAMILIES[name].in_workspace] == []
    assert resource.path.startswith("/")
    assert resource.plural == f"{resource.name}s"


# --- records


@pytest.mark.parametrize("resource", FAMILIES.values(), ids=lambda resource: resource.name)
def test_a_record_has_every_field_of_the_table(resource):
    row = {resource.identity or resource.key: 7, resource.key: "x", "unknown": [1]}
    record = record_of(resource, row)
    assert set(record) == {*resource.fields, "unknown"}
    assert record["unknown"] == [1]
    assert [field for field in resource.text if field != resource.key and record[field] != ""] == []
    assert set(new_record(resource, {resource.key: "x", "other": 1})) == set(resource.fields)


def test_null_text_is_empty_text_and_a_number_is_text():
    record = record_of(WORKSPACE, {"id": 7, "name": 2026, "description": None})
    assert record == {"id": 7, "name": "2026", "description": ""}


def test_ids_are_integers():
    record = record_of(TARGET, {"id": "7", "name": "x", "workspace_id": "3"})
    assert (record["id"], record["workspace_id"]) == (7, 3)


def test_what_a_create_does_not_give_is_empty_text():
    assert new_record(WORKSPACE, {"name": "x"}) == {"id": None, "name": "x", "description": ""}


def test_a_read_completes_a_record():
    record = record_of(WORKSPACE, {"id": 7, "name": "x"})
    assert not_shown(record, record) == ["description"]
    assert revealed(record, {"id": 7, "name": "other", "description": "y"}) == {**record, "description": "y"}
    assert not_shown(revealed(record, None), record) == ["description"]
    assert not_shown(revealed(record, record_of(WORKSPACE, {"id": 7, "name": "x"})), record) == ["description"]


@pytest.mark.parametrize("resource", FAMILIES.values(), ids=lambda resource: resource.name)
def test_two_rows_of_one_object_have_one_identity(resource):
    row = {resource.key: "x", "b": 1, "a": 2}
    if resource.identity:
        assert identity_of(resource, {**row, resource.identity: 7}) == 7
    else:
        assert identity_of(resource, row) == identity_of(resource, dict(reversed(row.items())))
        assert identity_of(resource, row) != identity_of(resource, {**row, "b": 2})


@pytest.mark.cases("row")
def test_rows_that_are_not_records(row):
    assert not is_row(WORKSPACE, row)


def test_rows_that_are_records():
    assert is_row(WORKSPACE, {"id": 7, "name": "x"})
    assert is_row(WORKSPACE, {"id": 7, "name": "", "description": None, "unknown": {}})
    assert is_row(HTTP_LOGGER, {"id": 7, "label": 5})


@pytest.mark.parametrize("uuid, valid", [("a", True), ("", False), (7, False), (None, False)])
def test_an_identity_that_is_no_id_is_text(uuid, valid):
    assert is_row(FAMILIES["vpn_profile"], {"uuid": uuid, "name": "x"}) is valid
