# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import Refused
from ansible_collections.scanops.scanner.plugins.module_utils._model.families import HTTP_LOGGER, TARGET, WORKSPACE
from ansible_collections.scanops.scanner.plugins.module_utils._model.target_names import normal_form
from ansible_collections.scanops.scanner.plugins.module_utils._task.lookup import NOWHERE, Place, existing_workspaces
from ansible_collections.scanops.scanner.plugins.module_utils._task.name_match import named
from hypothesis import given
from hypothesis import strategies as st

HOST = st.sampled_from(["a.example", "A.example", "a.example.", "b.example", "B.Example", "https://a.example", "x"])
ROWS = st.lists(HOST, max_size=6).map(lambda names: [{"id": 9 - n, "name": name} for n, name in enumerate(names)])


def test_without_one_the_normal_form_counts():
    assert named(TARGET, [{"id": 1, "name": "A.example"}], "a.example.", "target")["id"] == 1
    assert named(TARGET, [{"id": 1, "name": "A.example"}], "a.example.", "target", exact=True) is None
    assert named(WORKSPACE, [{"id": 1, "name": "A.example"}], "a.example.", "workspace") is None


@pytest.mark.parametrize(
    "family, names, wanted, options, message",
    [
        (
            TARGET,
            ["a.example"] * 2,
            "a.example",
            ("name", "id"),
            "name 'a.example' names 2 targets, with the ids 19, 20: give id instead.",
        ),
        (
            TARGET,
            ["A.example", "a.example."],
            "a.example",
            ("target", "target_id"),
            "target 'a.example' names 2 targets, with the ids 19, 20: write one of the names as the service has it,"
            " 'A.example', 'a.example.', or give target_id instead.",
        ),
        (
            TARGET,
            ["A.example", "a.example."],
            "a.example",
            ("targets[3]",),
            "targets[3] 'a.example' names 2 targets, with the ids 19, 20: write one of the names as the service has it,"
            " 'A.example', 'a.example.'.",
        ),
        (
            WORKSPACE,
            ["A"] * 2,
            "A",
            ("workspace", "workspace_id"),
            "workspace 'A' names 2 workspaces, with the ids 19, 20: give workspace_id instead.",
        ),
        (
            WORKSPACE,
            ["A"] * 2,
            "A",
            ("workspaces",),
            "workspaces 'A' names 2 workspaces, with the ids 19, 20: rename or delete all but one of them in the web"
            " application.",
        ),
    ],
)
def test_two_matches_are_refused_with_the_options_that_the_task_has(family, names, wanted, options, message):
    rows = [{"id": 20 - number, "name": name} for number, name in enumerate(names)]
    with pytest.raises(Refused) as refused:
        named(family, rows, wanted, *options)
    assert str(refused.value) == message


def test_a_label_that_two_loggers_have_is_refused():
    with pytest.raises(Refused, match=r"^label 'A' names 2 HTTP loggers"):
        named(HTTP_LOGGER, [{"id": 1, "label": "A"}, {"id": 2, "label": "A"}], "A", "label", "id")


@given(ROWS, HOST)
def test_a_match_is_the_only_one_of_its_kind(rows, wanted):
    exact = [row for row in rows if row["name"] == wanted]
    near = [row for row in rows if normal_form(row["name"]) == normal_form(wanted)]
    kind = exact or near
    if len(kind) > 1:
        with pytest.raises(Refused):
            named(TARGET, rows, wanted, "name")
    else:
        assert named(TARGET, rows, wanted, "name") == (kind[0] if kind else None)


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
