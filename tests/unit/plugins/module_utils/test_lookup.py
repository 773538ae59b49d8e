# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._errors import Refused
from ansible_collections.scanops.scanner.plugins.module_utils._families.http_logger import HTTP_LOGGER
from ansible_collections.scanops.scanner.plugins.module_utils._families.target import TARGET
from ansible_collections.scanops.scanner.plugins.module_utils._families.workspace import WORKSPACE
from ansible_collections.scanops.scanner.plugins.module_utils._lookup import NOWHERE, Place, existing_workspaces, match
from ansible_collections.scanops.scanner.plugins.module_utils._names import normal_form
from hypothesis import given
from hypothesis import strategies as st

HOST = st.sampled_from(["a.example", "A.example", "a.example.", "b.example", "B.Example", "https://a.example", "x"])
ROWS = st.lists(HOST, max_size=6).map(lambda names: [{"id": 9 - n, "name": name} for n, name in enumerate(names)])


def test_without_one_the_normal_form_counts():
    assert match(TARGET, [{"id": 1, "name": "A.example"}], "a.example.")["id"] == 1
    assert match(TARGET, [{"id": 1, "name": "A.example"}], "a.example.", exact=True) is None
    assert match(WORKSPACE, [{"id": 1, "name": "A.example"}], "a.example.") is None


@pytest.mark.parametrize(
    "names, wanted",
    [(["a.example", "a.example"], "a.example"), (["A.example", "a.example."], "a.example")],
)
def test_two_matches_are_refused_with_their_ids_in_order(names, wanted):
    rows = [{"id": 20 - number, "name": name} for number, name in enumerate(names)]
    with pytest.raises(Refused, match=r"name 'a\.example' names 2 targets, with the ids 19, 20: give id instead\."):
        match(TARGET, rows, wanted)


def test_a_refusal_names_the_options_of_the_task():
    rows = [{"id": 1, "name": "A"}, {"id": 2, "name": "A"}]
    with pytest.raises(
        Refused, match=r"^workspace 'A' names 2 workspaces, with the ids 1, 2: give workspace_id instead"
    ):
        match(WORKSPACE, rows, "A", "workspace", "give workspace_id instead")
    with pytest.raises(Refused, match=r"^label 'A' names 2 HTTP loggers"):
        match(HTTP_LOGGER, [{"id": 1, "label": "A"}, {"id": 2, "label": "A"}], "A")


@given(ROWS, HOST)
def test_a_match_is_the_only_one_of_its_kind(rows, wanted):
    exact = [row for row in rows if row["name"] == wanted]
    near = [row for row in rows if normal_form(row["name"]) == normal_form(wanted)]
    kind = exact or near
    if len(kind) > 1:
        with pytest.raises(Refused):
            match(TARGET, rows, wanted)
    else:
        assert match(TARGET, rows, wanted) == (kind[0] if kind else None)


def test_a_workspace_is_named_as_well_as_possible():
    assert str(Place(7, "Web shop", True)) == "workspace 'Web shop'"
    assert str(Place(7, None, True)) == "workspace 7"
    assert str(Place(None, None, True, True)) == "the workspace that an earlier task would have created"
    assert Place(7).query == {"workspace_id": 7}
    assert NOWHERE.query == {}


def test_existing_workspaces_are_listed_in_order_and_cut():
    assert existing_workspaces([]) == "the account has none"
    assert existing_workspaces([{"name": "B"}, {"name": "A\n"}]) == "the account has 'A\\\\n', 'B'"
    assert existing_workspaces([{"name": f"{n:02}"} for n in range(23)]).endswith("'19' and 3 more")
    assert len(existing_workspaces([{"name": "x" * 10_000}])) < 200
