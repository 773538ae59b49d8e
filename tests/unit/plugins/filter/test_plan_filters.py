# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filters plan_record, plan_markdown and reviewed_plan."""

from __future__ import annotations

import copy
import json
import re
import time
from collections import Counter

import pytest
from ansible_collections.scanops.scanner.plugins.filter.plan_markdown import plan_markdown
from ansible_collections.scanops.scanner.plugins.filter.plan_record import plan_record
from ansible_collections.scanops.scanner.plugins.filter.reviewed_plan import reviewed_plan
from ansible_collections.scanops.scanner.plugins.module_utils._estate.outcome import as_result, shortened
from ansible_collections.scanops.scanner.plugins.module_utils._estate.plan import ACTIONS, Step
from ansible_collections.scanops.scanner.plugins.module_utils._model.families import HTTP_LOGGER, TARGET, WORKSPACE
from ansible_collections.scanops.scanner.plugins.module_utils._model.safe_text import is_text
from hypothesis import given
from hypothesis import strategies as st

LOGGER = {
    "id": 501,
    "label": "canary",
    "handler_url": "https://handler.example/secret",
    "active_days": 3,
    "num_requests": 9,
}
STEPS = [
    Step("create", WORKSPACE, "Shop", "Shop", after={"name": "Shop", "description": "New"}),
    Step("create", TARGET, "Shop", "a.example", after={"name": "a.example"}),
    Step(
        "update",
        WORKSPACE,
        "Lab",
        "Lab",
        before={"id": 3, "name": "Lab", "description": "Old"},
        after={"name": "Lab", "description": ""},
        changes={"description": ""},
    ),
    Step("unchanged", TARGET, "Shop", "b.example", before={"id": 9, "name": "b.example", "description": ""}),
    Step(
        "drifted",
        TARGET,
        "Lab",
        "d.example",
        before={"id": 8, "name": "d.example", "description": "mine"},
        after={"name": "d.example", "description": "yours"},
        reason="its description differs, and the API cannot update it",
    ),
    Step("delete", HTTP_LOGGER, "Lab", "canary", before=LOGGER, reason="not declared", purged=True),
]


def result_of(steps, **more):
    counts = {action: sum(step.action == action for step in steps) for action in ACTIONS}
    return dict(plan=as_result(steps, 5), summary=counts, **more)


def as_file(result):
    return json.dumps(plan_record(result))


def test_the_file_holds_the_plan_and_nothing_else_that_the_service_said():
    text = as_file(result_of(STEPS))
    plan = json.loads(text)
    assert "handler" not in text
    assert plan["actions"][-1]["before"] == {"id": 501, "label": "canary"}
    assert plan["checksum"] == as_result(STEPS, 5)["checksum"]
    assert plan["summary"]["unchanged"] == 1
    own = {"base_url", "made", "outcome", "digest", "unmarked", "unmanaged", "warnings"}
    assert set(plan) == {"checksum", "actions", "counts", "left_out", "calls", "minutes", "summary", *own}


def test_a_file_is_read_back():
    result = result_of(STEPS)
    assert reviewed_plan(as_file(result), result["plan"]) == {
        "problem": None,
        "checksum": result["plan"]["checksum"],
        "new": [],
        "gone": [],
    }


def test_the_order_and_what_is_not_written_do_not_count():
    shuffled = result_of([step for step in STEPS[::-1] if step.action != "drifted"])
    read = reviewed_plan(as_file(result_of(STEPS)), shuffled["plan"])
    assert read["checksum"] == shuffled["plan"]["checksum"]
    assert (read["new"], read["gone"]) == ([], [])


def test_differing_writes_are_named():
    now = [
        *STEPS[:1],
        Step("create", TARGET, "Shop", "a.example", after={"name": "a.example", "description": "it's\nnew"}),
        Step("delete", HTTP_LOGGER, "Lab", "canary", before=dict(LOGGER, id=502)),
    ]
    read = reviewed_plan(as_file(result_of(STEPS)), result_of(now)["plan"])
    assert read["new"] == [
        "create target 'a.example' in 'Shop', description: \"it's\\\\nnew\"",
        "delete HTTP logger 'canary' (id 502) in 'Lab'",
    ]
    assert read["gone"] == [
        "create target 'a.example' in 'Shop'",
        "update workspace 'Lab' (id 3), description: ''",
        "delete HTTP logger 'canary' (id 501) in 'Lab'",
    ]


def test_a_write_in_another_workspace_of_the_same_name_is_told_apart():
    step = Step("create", TARGET, "Shop", "a.example", after={"name": "a.example"})
    plans = [dict(plan=as_result([step], 5, ids={"Shop": number}), summary={}) for number in (2, 12)]
    read = reviewed_plan(as_file(plans[0]), plans[1]["plan"])
    assert read["new"] == ["create target 'a.example' in 'Shop' (workspace 12)"]
    assert read["gone"] == ["create target 'a.example' in 'Shop' (workspace 2)"]


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", "null", "7", '{"actions": 7}', '{"actions": [7]}', '{"actions": [{}]}', "# Plan", "[" * 100_000],
    ids=lambda text: text[:20],
)
def test_a_file_without_a_plan_is_reported(text):
    read = reviewed_plan(text)
    assert read["problem"].startswith("is not a plan")
    assert read["checksum"] is None


@pytest.mark.parametrize(
    "change", ["name", "id", "after", "drop", "checksum", "base_url", "made", "warnings", "reason"]
)
def test_a_changed_plan_is_reported(change):
    plan = copy.deepcopy(plan_record(result_of(STEPS)))
    if change == "drop":
        del plan["actions"][0]
    elif change == "checksum":
        plan["checksum"] = "0" * 64
    elif change in ("base_url", "made", "warnings"):
        plan[change] = {"base_url": "https://other.example/api/v2", "made": "2999-01-01T00:00:00Z", "warnings": ["x"]}[
            change
        ]
    elif change == "reason":
        # no write, but what the reviewer read
        plan["actions"][-1]["reason"] = "nothing is lost"
    elif change == "id":
        plan["actions"][-1]["before"]["id"] = 1
    elif change == "after":
        plan["actions"][0]["after"]["description"] = "Other"
    else:
        plan["actions"][1]["name"] = "z.example"
    assert reviewed_plan(json.dumps(plan))["problem"].startswith("was changed after it was written")


def test_a_plan_of_another_address_is_another_plan():
    one, other = (as_result(STEPS, 5, base_url=f"https://{host}/api/v2") for host in ("a.example", "b.example"))
    assert one["checksum"] != other["checksum"]


@pytest.mark.parametrize(
    "age, problem",
    [
        (6.9, None),
        (7.1, "is 7 days old, and estate_apply_plan_max_age allows 7 days"),
        # clocks differ
        (-0.01, None),
        (-0.1, "is of 20"),
        (-3000, "is of 20"),
    ],
)
def test_a_plan_grows_old_and_is_not_of_the_future(monkeypatch, age, problem):
    text = as_file(result_of(STEPS))
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + age * 86400)
    found = reviewed_plan(text)["problem"]
    assert found is None if problem is None else problem in found


def test_what_is_not_managed_and_the_warnings_are_shown():
    unmanaged = [
        {"workspace": "Office", "id": 7, "targets": 19, "http_loggers": 1},
        {"workspace": "Shadow | IT", "id": 8, "targets": 0, "http_loggers": 0},
    ]
    result = result_of(STEPS)
    result["plan"].update(unmanaged=unmanaged, warnings=["Something is odd."], base_url="https://a.example/api/v2")
    shown = plan_markdown(result)
    assert "Not managed: `Office` (19 targets, 1 HTTP logger)" in shown and "(empty)." in shown
    assert shown.index("Something is odd.") < shown.index("| Action | Kind |")
    assert "Service: `https://a.example/api/v2`" in shown


def table(markdown):
    rows = [line for line in markdown.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def test_markdown_for_reviewers():
    markdown = plan_markdown(result_of(STEPS))
    assert "The plan writes 4 objects. **1 of them is deleted," in markdown
    assert "Calls: 10 GET, 2 POST, 1 PUT, 1 DELETE.\n" in markdown
    assert f"Checksum: `{as_result(STEPS, 5)['checksum']}`" in markdown
    rows = table(markdown)
    assert ["create", "2"] in rows
    assert ["unchanged", "1"] in rows
    # deletions first
    assert rows[-5] == ["delete", "HTTP logger", "`Lab`", "`canary`", "", "`not declared`"]
    assert rows[-4] == ["update", "workspace", "`Lab`", "`Lab`", "description: `Old` → empty", ""]
    assert rows[-3] == ["create", "workspace", "`Shop`", "`Shop`", "description: `New`", ""]
    assert rows[-1][4] == "description: `mine` → `yours`"
    assert "failed" not in markdown


def test_a_rename_is_shown_with_both_names():
    before, after = {"id": 3, "name": "Lab", "description": "Old"}, {"name": "Shop"}
    renamed = result_of([Step("update", WORKSPACE, "Shop", "Shop", before=before, after=after, changes=after)])
    text = plan_markdown(renamed)
    assert "| name: `Lab` → `Shop`, description: `Old` |" in text
    read = reviewed_plan(as_file(renamed), result_of(STEPS[:1])["plan"])
    assert read["gone"] == ["update workspace 'Shop' (id 3) from 'Lab'"]


def test_markdown_of_a_plan_without_writes():
    markdown = plan_markdown(result_of(STEPS[3:4]))
    assert "The plan writes nothing." in markdown
    assert "| Action | Kind |" not in markdown


def test_markdown_says_why_the_task_failed_and_what_was_not_reviewed():
    result = result_of(STEPS, failed=True, msg="50 of 100 | would go")
    markdown = plan_markdown(result, reviewed={"new": ["create `x`"], "gone": ["delete y"]})
    assert "The task that made this plan failed: `50 of 100 ¦ would go`" in markdown
    assert "- only in this plan: `` create `x` ``" in markdown
    assert "- only in the reviewed plan: `delete y`" in markdown


hostile = st.one_of(
    st.sampled_from(
        [
            "a|b",
            "`",
            "a`b|c",
            "<script>",
            "</code><img src=x>",
            "\n/close",
            "@all",
            "[a](b)",
            " ",
            " a ",
            "a\r\nb",
            "**",
            "\\",
            "\u202e",
        ]
    ),
    st.text(max_size=12),
)


@given(hostile, hostile)
def test_no_text_breaks_out_of_its_cell(name, description):
    step = Step("create", TARGET, "W", name, after={"name": name, "description": description}, reason=description)
    markdown = plan_markdown(result_of([step]))
    rows = [line for line in markdown.splitlines() if line.startswith("| create | target")]
    assert len(rows) == 1
    cells = rows[0].strip("|").split("|")
    assert len(cells) == 6
    for cell in (cells[3], cells[4].replace("description: ", ""), cells[5]):
        shown = cell.strip()
        fence = re.match("`*", shown)[0]
        assert bool(fence) == bool(shown) and shown.endswith(fence)
        inside = shown[len(fence) : len(shown) - len(fence)]
        # no other fence of this length ends the code
        assert fence not in re.findall("`+", inside)
        assert [character for character in inside if not is_text(character)] == []


def test_markdown_has_no_password_of_a_target():
    name = "https://me:hunter2!!@a.example/"
    live = {"id": 1, "name": name, "description": f"see {name}"}
    step = Step("drifted", TARGET, "Shop", name, live, {"name": name, "description": "x"}, reason=f"as {name}")
    text = plan_markdown(result_of([step], failed=True, msg=f"{name} was refused"))
    assert "https://me:***@a.example/" in text and "hunter2" not in text


def test_a_result_is_not_changed_by_being_shown():
    result = result_of(STEPS)
    before = copy.deepcopy(result)
    plan_record(result)
    plan_markdown(result)
    assert result == before


# --- the plan of a task that failed


def test_the_wait_for_the_rate_limit_is_shown_only_if_there_is_one():
    result = result_of(STEPS)
    result["plan"]["minutes"] = 15
    assert "1 DELETE. The documented rate limits make them wait at least 15 minutes.\n" in plan_markdown(result)


def test_a_refused_plan_is_not_said_to_write_anything():
    result = result_of(STEPS, failed=True, msg="purge_max_percent is 5")
    # as the module counts them if it refuses the plan as a whole
    result["summary"] = {"refused": 4, "unchanged": 1, "drifted": 1}
    markdown = plan_markdown(result)
    assert (
        "The plan was refused, so nothing was written. It would write 4 objects. **1 of them would be deleted,"
        in markdown
    )
    assert "The plan writes" not in markdown
    # the numbers are those of the rows below them
    numbers, rows = table(markdown.partition("Checksum")[0]), table(markdown.partition("Checksum")[2])
    counted = Counter(row[0] for row in rows[1:])
    assert {row[0]: int(row[1]) for row in numbers[1:] if row[0] != "unchanged"} == counted


MANY = [Step("delete", TARGET, "Shop", f"{n}.example", before={"id": n, "name": f"{n}.example", "description": ""})
        for n in range(1, 271)]  # fmt: skip


def short(steps):
    result = result_of(steps, failed=True, msg="no")
    return dict(result, plan=shortened(result["plan"]))


def test_a_shortened_plan_is_shown_with_the_numbers_that_it_omits():
    markdown = plan_markdown(short([*STEPS, *MANY]))
    assert "The plan writes 274 objects. **271 of them are deleted," in markdown
    assert "It omits: 261 delete." in markdown
    assert "omits" not in plan_markdown(short(STEPS))


def test_a_shortened_plan_cannot_be_reviewed_and_is_not_compared():
    read = reviewed_plan(as_file(short(MANY)))
    assert read["problem"].startswith("is incomplete because the task that made it failed")
    assert read["checksum"] is None
    whole = reviewed_plan(as_file(result_of(MANY)), short(MANY)["plan"])
    assert (whole["problem"], whole["new"], whole["gone"]) == (None, [], [])


@pytest.mark.parametrize("seconds, problem", [(-60, None), (-7200, "which is in the future")])
def test_a_plan_of_a_wrong_clock_would_never_grow_old(monkeypatch, seconds, problem):
    text = as_file(result_of(STEPS))
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + seconds)
    found = reviewed_plan(text)["problem"]
    assert found is None if problem is None else problem in found
