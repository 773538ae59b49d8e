# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The pure plan: properties over random declared and live estates, and the guards one by one."""

from __future__ import annotations

import itertools

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._estate import outcome
from ansible_collections.scanops.scanner.plugins.module_utils._estate import plan as _plan
from ansible_collections.scanops.scanner.plugins.module_utils._estate.declaration import read_estate, read_targets
from ansible_collections.scanops.scanner.plugins.module_utils._estate.plan import WRITES, Managed, Rules
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import Refused, WrongOption
from ansible_collections.scanops.scanner.plugins.module_utils._model.families import HTTP_LOGGER, TARGET, WORKSPACE
from ansible_collections.scanops.scanner.plugins.module_utils._model.records import InWorkspace
from ansible_collections.scanops.scanner.plugins.module_utils._model.target_names import normal_form
from ansible_collections.scanops.scanner.tests.service import limits as service_limits
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils._http.pace_simulation import Machine, simulate
from hypothesis import assume, given
from hypothesis import strategies as st

# few names, so that declared and live meet often; three of them are one host
NAMES = ["a.example", "A.example", "a.example.", "b.example", "c.example", "https://d.example", "https://d.example/"]
LABELS = ["one", "two", "three"]
SPACES = ["Shop", "Lab", "Office"]

descriptions = st.sampled_from(["", "x", "y"])
declared_target = st.fixed_dictionaries(
    {"name": st.sampled_from(NAMES)}, optional={"description": descriptions, "ignore": st.booleans()}
)
declared_logger = st.fixed_dictionaries({"label": st.sampled_from(LABELS)}, optional={"ignore": st.booleans()})
declared_space = st.fixed_dictionaries(
    {"name": st.sampled_from(SPACES)},
    optional={
        "description": descriptions,
        "targets": st.lists(declared_target, max_size=5, unique_by=lambda t: normal_form(t["name"])),
        "http_loggers": st.lists(declared_logger, max_size=2, unique_by=lambda e: e["label"]),
    },
)
estates = st.lists(declared_space, max_size=3, unique_by=lambda space: space["name"])


@st.composite
def accounts(draw):
    """A live account: {workspace: {description, targets: {name: description}, loggers: set}}; labels are unique in it."""
    labels = set(LABELS)
    account = {}
    for name in draw(st.sets(st.sampled_from(SPACES))):
        targets = draw(st.dictionaries(st.sampled_from(NAMES), descriptions, max_size=5))
        loggers = draw(st.sets(st.sampled_from(sorted(labels)))) if labels else set()
        labels -= loggers
        account[name] = {"description": draw(descriptions), "targets": targets, "loggers": loggers}
    return account


def managed(account, wanted):
    """The account as the task would have read it for a declaration."""
    ids = itertools.count(1)
    rows = {}
    for name, space in account.items():
        rows[name] = {
            "record": {"id": next(ids), "name": name, "description": space["description"]},
            TARGET: [{"id": next(ids), "name": n, "description": d} for n, d in sorted(space["targets"].items())],
            HTTP_LOGGER: [{"id": next(ids), "label": label} for label in sorted(space["loggers"])],
        }
    workspaces = []
    for entry in wanted:
        name = entry.workspace.name
        mine = rows.get(name, {"record": None, TARGET: [], HTTP_LOGGER: []})
        others = {row["label"]: row for other, space in rows.items() if other != name for row in space[HTTP_LOGGER]}
        lists = {kind: InWorkspace(mine[kind]) for kind in entry.lists}
        workspaces.append(Managed(name, entry, mine["record"], lists, others))
    return workspaces


def live(*targets, loggers=(), workspace="Shop"):
    """An account of one workspace."""
    return {workspace: {"description": "", "targets": dict.fromkeys(targets, ""), "loggers": set(loggers)}}


def planned(estate, account, **rules):
    wanted = read_estate(estate)
    rules = Rules(purge_max=10**6, purge_max_percent=100, **rules)
    workspaces = managed(account, wanted)
    steps = _plan.plan(workspaces, rules, _plan.refusals(wanted, rules))
    _plan.guard(steps, workspaces, rules)
    return steps


def checksum_of(steps):
    return outcome.as_result(steps, 0)["checksum"]


def in_writing_order(steps):
    return [steps[position] for position in _plan.writing_order(steps)]


def applied(steps, account):
    """The account after a plan, by a model that knows nothing of ``_estate``."""
    after = {
        name: {"description": s["description"], "targets": dict(s["targets"]), "loggers": set(s["loggers"])}
        for name, s in account.items()
    }
    for step in in_writing_order(steps):
        if step.family is WORKSPACE:
            space = after.setdefault(step.name, {"description": "", "targets": {}, "loggers": set()})
            space.update({key: value for key, value in step.after.items() if key == "description"})
            continue
        space = after[step.workspace]
        if step.family is HTTP_LOGGER:
            (space["loggers"].add if step.action == "create" else space["loggers"].discard)(step.name)
        elif step.action == "delete":
            del space["targets"][step.before["name"]]
        elif step.action == "update":
            space["targets"][step.before["name"]] = step.changes["description"]
        else:
            space["targets"][step.name] = step.after.get("description", "")
    return after


def unambiguous(estate, account, **rules):
    """The plan, or no example where the declaration cannot be told apart in the live account."""
    try:
        steps = planned(estate, account, **rules)
    except (Refused, WrongOption):
        assume(False)
    assume(not [step for step in steps if step.action == "refused"])
    return steps


@given(estates, accounts(), st.booleans())
def test_applied_plan_gives_the_declared_state_and_a_second_plan_is_empty(estate, account, purge):
    rules = {"purge": (TARGET, HTTP_LOGGER)} if purge else {}
    after = applied(unambiguous(estate, account, **rules), account)
    for space in estate:
        live = after[space["name"]]
        if "description" in space:
            assert live["description"] == space["description"]
        for target in space.get("targets", []):
            if not target.get("ignore"):
                assert normal_form(target["name"]) in {normal_form(name) for name in live["targets"]}
        for logger in space.get("http_loggers", []):
            if not logger.get("ignore"):
                assert logger["label"] in live["loggers"]
    second = planned(estate, after, **rules)
    assert [step for step in second if step.action in WRITES] == []
    assert checksum_of(second) == checksum_of([])


@given(estates, accounts())
def test_without_purge_nothing_is_ever_deleted(estate, account):
    steps = unambiguous(estate, account)
    assert not [step for step in steps if step.action == "delete"]
    after = applied(steps, account)
    for name, space in account.items():
        assert set(space["targets"]) <= set(after[name]["targets"])
        assert space["loggers"] <= after[name]["loggers"]


@given(estates, accounts())
def test_purge_leaves_undeclared_workspaces_and_lists_alone(estate, account):
    after = applied(unambiguous(estate, account, purge=(TARGET, HTTP_LOGGER)), account)
    declared = {space["name"]: space for space in estate}
    for name, space in account.items():
        if "targets" not in declared.get(name, {}):
            assert after[name]["targets"] == space["targets"]
        if "http_loggers" not in declared.get(name, {}):
            assert after[name]["loggers"] == space["loggers"]


@given(estates, accounts())
def test_ignored_objects_are_neither_touched_nor_purged(estate, account):
    after = applied(unambiguous(estate, account, purge=(TARGET, HTTP_LOGGER)), account)
    for space in estate:
        before = account.get(space["name"], {"targets": {}, "loggers": set()})
        for target in space.get("targets", []):
            if target.get("ignore"):
                same = normal_form(target["name"])
                live = [
                    {n: d for n, d in s["targets"].items() if normal_form(n) == same}
                    for s in (before, after[space["name"]])
                ]
                assert live[0] == live[1]
        for logger in space.get("http_loggers", []):
            if logger.get("ignore"):
                assert (logger["label"] in before["loggers"]) == (logger["label"] in after[space["name"]]["loggers"])


@given(estates, accounts(), st.randoms(use_true_random=False))
def test_the_plan_does_not_depend_on_the_order_of_the_declaration(estate, account, random):
    steps = unambiguous(estate, account, purge=(TARGET,))
    shuffled = [
        dict(
            space,
            **{
                kind: random.sample(space[kind], len(space[kind]))
                for kind in ("targets", "http_loggers")
                if kind in space
            },
        )
        for space in random.sample(estate, len(estate))
    ]
    others = planned(shuffled, account, purge=(TARGET,))
    assert checksum_of(steps) == checksum_of(others)
    assert sorted((s.action, s.family.name, s.workspace, s.name) for s in steps) == sorted(
        (s.action, s.family.name, s.workspace, s.name) for s in others
    )


@given(estates, accounts())
def test_writes_come_parents_first_and_deletes_last(estate, account):
    order = in_writing_order(unambiguous(estate, account, purge=(TARGET, HTTP_LOGGER)))
    kinds = ["delete" if s.action == "delete" else "workspace" if s.family is WORKSPACE else "inside" for s in order]
    assert kinds == sorted(kinds, key=["workspace", "inside", "delete"].index)


@given(accounts(), st.integers(0, 5), st.integers(0, 100), st.integers(0, 6))
def test_the_guards_hold(account, most, percent, floor):
    assume(account)
    name = sorted(account)[0]
    estate = [{"name": name, "targets": ["kept.example"]}]
    wanted = read_estate(estate)
    workspaces = managed(account, wanted)
    rules = Rules(purge=(TARGET,), purge_max=most, purge_max_percent=percent, purge_floor=floor)
    steps = _plan.plan(workspaces, rules, {})
    gone = sum(step.action == "delete" for step in steps)
    rows = len(account[name]["targets"])
    allowed = gone <= most and (rows < floor or gone * 100 <= percent * rows)
    if allowed:
        _plan.guard(steps, workspaces, rules)
    else:
        with pytest.raises(Refused, match="would be"):
            _plan.guard(steps, workspaces, rules)


def test_two_items_of_one_normal_form_are_named_by_both_positions():
    with pytest.raises(Refused, match=r"workspaces\[0\].targets\[0\] and workspaces\[0\].targets\[2\] are the same"):
        planned([{"name": "Shop", "targets": ["a.example", "b.example", "A.example."]}], {})


def test_two_items_of_one_normal_form_are_accepted_where_the_account_holds_both():
    account = live("a.example", "A.example")
    steps = planned([{"name": "Shop", "targets": ["a.example", "A.example"]}], account, purge=(TARGET,))
    assert [step.action for step in steps] == ["unchanged"] * 3


def test_ignore_keeps_every_live_spelling_from_purge():
    account = live("a.example", "A.example", "b.example")
    estate = [{"name": "Shop", "targets": [{"name": "a.example", "ignore": True}, "b.example"]}]
    steps = planned(estate, account, purge=(TARGET,))
    assert not [step for step in steps if step.action == "delete"]


@pytest.mark.cases("names, live, refused")
def test_two_spellings_of_one_name_are_refused_unless_both_exist(names, live, refused):
    rows = InWorkspace({"id": number, "name": name, "description": ""} for number, name in enumerate(live, 1))
    workspaces = [Managed("Shop", read_targets(names), {"id": 1, "name": "Shop"}, {TARGET: rows})]
    if refused is None:
        assert [step.before["name"] for step in _plan.plan(workspaces, Rules(), {})] == names
        return
    with pytest.raises(Refused) as caught:
        _plan.plan(workspaces, Rules(), {})
    assert str(caught.value) == f"{refused}: {'keep' if refused.count('targets') > 2 else 'remove'} one of them."


def test_an_item_that_names_two_live_objects_is_refused_with_their_ids():
    account = live("a.example", "A.example")
    steps = planned([{"name": "Shop", "targets": ["a.example."]}], account)
    assert steps[1].action == "refused"
    assert "ids" in steps[1].reason


def test_a_label_of_another_workspace_is_refused():
    account = live(loggers=["one"], workspace="Lab")
    steps = planned([{"name": "Shop", "http_loggers": [{"label": "one"}]}], account)
    assert [step.action for step in steps] == ["create", "refused"]


@pytest.mark.parametrize("ignore", [False, True])
def test_purge_keeps_what_is_declared_in_another_workspace(ignore):
    """The list of the one workspace holds a logger that the declaration expects in the other."""
    account = {**live(loggers=["one", "two"], workspace="Lab"), **live()}
    estate = [
        {"name": "Lab", "http_loggers": [{"label": "three"}]},
        {"name": "Shop", "http_loggers": [{"label": "one", "ignore": ignore}]},
    ]
    steps = planned(estate, account, purge=(HTTP_LOGGER,))
    kept = next(step for step in steps if step.name == "one" and step.item is None)
    assert (kept.action, kept.reason) == ("protected", "not declared here, but in workspace 'Shop'")


def test_purge_keeps_a_live_object_that_the_declaration_takes_in_another_workspace():
    row = {"id": 7, "name": "a.example", "description": ""}
    wanted = read_estate([{"name": "Lab", "targets": ["a.example"]}, {"name": "Shop", "targets": ["b.example"]}])
    workspaces = [
        Managed(name, entry, {"id": number, "name": name, "description": ""}, {TARGET: InWorkspace([row])})
        for number, name, entry in ((1, "Lab", wanted[0]), (2, "Shop", wanted[1]))
    ]
    steps = _plan.plan(workspaces, Rules(purge=(TARGET,)), {})
    assert [step.action for step in steps] == ["unchanged", "unchanged", "unchanged", "create", "protected"]


@pytest.mark.parametrize("rules", [{}, {"purge": (TARGET,)}, {"state": "absent"}])
def test_a_list_that_nobody_has_proven_is_not_planned_with(rules):
    rows = {TARGET: [{"id": 7, "name": "a.example", "description": ""}]}
    live = Managed("Lab", read_targets(["a.example"]), {"id": 1, "name": "Lab"}, rows)
    with pytest.raises(TypeError, match="expected InWorkspace"):
        _plan.plan([live], Rules(**rules), {})


def test_a_label_declared_twice_is_refused():
    with pytest.raises(WrongOption, match="same label"):
        planned(
            [{"name": "Shop", "http_loggers": [{"label": "one"}]}, {"name": "Lab", "http_loggers": [{"label": "one"}]}],
            {},
        )


def test_an_empty_declaration_is_not_purged():
    account = live("a.example")
    with pytest.raises(Refused, match="nothing is declared"):
        planned([{"name": "Shop", "targets": []}], account, purge=(TARGET,))


@pytest.mark.parametrize("pattern, action", [
    ("*.example", "protected"),
    ("*.EXAMPLE", "protected"),
    ("a.example.", "protected"),
    ("A.Example.", "protected"),
    ("b.*", "delete"),
    ("", "delete"),
])  # fmt: skip
def test_protect_compares_normal_names(pattern, action):
    account = live("A.Example.", "kept.test")
    steps = planned([{"name": "Shop", "targets": ["kept.test"]}], account, purge=(TARGET,), protect=(pattern,))
    reason = f"not declared, but protected by {pattern!r}" if action == "protected" else "not declared"
    assert (steps[-1].action, steps[-1].reason) == (action, reason)


def test_a_bracket_in_a_protected_name_is_no_pattern():
    account = live("http://[2001:db8::1]/x", "kept.test")
    estate = [{"name": "Shop", "targets": ["kept.test"]}]
    steps = planned(estate, account, purge=(TARGET,), protect=("http://[2001:db8::1]/x",))
    assert steps[-1].action == "protected"


def test_nothing_is_purged_while_an_item_is_refused():
    # the item means one of the two, and nobody knows which
    account = live("a.example", "A.example", "b.test")
    steps = planned([{"name": "Shop", "targets": ["a.example."]}], account, purge=(TARGET,))
    assert {step.action for step in steps[1:]} == {"refused"}
    assert len(steps) == 5


@pytest.mark.cases("on_drift, force, action")
def test_drift(on_drift, force, action):
    account = {"Shop": {"description": "", "targets": {"a.example": "old"}, "loggers": set()}}
    estate = [{"name": "Shop", "targets": [{"name": "a.example", "description": "new"}]}]
    steps = planned(estate, account, on_drift=on_drift, force=force)
    assert steps[1].action == action
    calls = outcome.calls_of(steps, 0, {})
    assert (calls["DELETE"], calls["POST"]) == ((1, 1) if action == "update" else (0, 0))


def test_the_checksum_changes_with_what_is_written():
    def checksum(targets, account=None, **rules):
        return checksum_of(planned([{"name": "Shop", "targets": targets}], account or {}, **rules))

    live = {"Shop": {"description": "", "targets": {"a.example": "", "b.example": ""}, "loggers": set()}}
    sums = {
        checksum(["a.example"]),
        checksum(["b.example"]),
        checksum([{"name": "a.example", "description": "x"}]),
        checksum(["a.example"], live, purge=(TARGET,)),
        checksum(["b.example"], live, purge=(TARGET,)),
        checksum(["a.example"], live),
    }
    assert len(sums) == 6


@pytest.mark.parametrize("posts, minutes", [(0, 0), (125, 0), (126, 1), (1000, 7)])
def test_predicted_minutes(posts, minutes):
    creates = [_plan.Step("create", TARGET, "Shop", f"{number}.example.com") for number in range(posts)]
    assert outcome.as_result(creates, reads=3)["minutes"] == minutes


def calls_of(writes, reads=3):
    return {"GET": reads, "POST": writes, "PUT": 0, "DELETE": 0}


DOCUMENTED = {"GET": 250, "write": 125}


@pytest.mark.cases("shown, expected")
def test_the_limit_of_writes_is_the_documented_one_only_if_reads_are_limited_so(shown, expected):
    limits = outcome.limits_in_force(dict(zip(("GET", "write"), shown)))
    assert [limits["GET"], limits["write"]] == expected


@pytest.mark.cases("writes, limits, share, seconds_a_call, expected")
def test_the_shortest_wait_of_a_plan(writes, limits, share, seconds_a_call, expected):
    wait = outcome.shortest_wait(calls_of(writes), outcome.Pacing(limits, share), seconds_a_call)
    assert wait == pytest.approx(expected)


def test_the_shortest_wait_for_reads():
    pacing = outcome.Pacing(DOCUMENTED)
    assert outcome.shortest_wait(calls_of(0, reads=1000), pacing, 0) == 2 * 60
    assert outcome.usual_wait(calls_of(0, reads=1000), pacing) == 3 * 60


@given(
    writes=st.integers(0, 5000),
    reads=st.integers(0, 5000),
    limit=st.integers(1, 500),
    share=st.integers(1, 100),
    seconds=st.floats(0, 2),
)
def test_no_wait_is_refused_that_is_enough(writes, reads, limit, share, seconds):
    calls, pacing = calls_of(writes, reads), outcome.Pacing({"GET": limit, "write": limit}, share)
    usual = outcome.usual_wait(calls, pacing)
    assert outcome.shortest_wait(calls, pacing, seconds) <= usual
    assert outcome.sufficient_wait(calls, pacing) >= usual + 60


@pytest.mark.parametrize("window", sorted(service_limits.WINDOWS))
@pytest.mark.parametrize("start", [0.5, 30, 59])
@pytest.mark.parametrize("writes", [300, 1000])
@pytest.mark.parametrize("share", [100, 50])
def test_the_number_to_set_suffices_and_the_shortest_wait_is_shorter_than_a_run(window, start, writes, share):
    found = simulate(window, 1, writes, 125, start=start, travel=0.05, machines=[Machine(share=share)])
    took = max(found.sent) - min(found.sent)
    pacing = outcome.Pacing(DOCUMENTED, share)
    assert (
        outcome.shortest_wait(calls_of(writes, 0), pacing, 0.05)
        <= took
        <= outcome.sufficient_wait(calls_of(writes, 0), pacing)
    )


@pytest.mark.cases("done, seconds, limit, expected")
def test_the_time_left_of_a_run(done, seconds, limit, expected):
    assert outcome.time_left(done, 2000, seconds, outcome.Pacing({"GET": 0, "write": limit})) == expected


@pytest.mark.slow
def test_100_000_items_are_planned_without_quadratic_work():
    # a plan that compared every item with every other would not end
    names = [f"host-{number}.example" for number in range(100_000)]
    wanted = read_targets(names)
    rows = [{"id": number, "name": name, "description": ""} for number, name in enumerate(names, 1)]
    live = Managed("bulk", wanted, {"id": 1, "name": "bulk"}, {TARGET: InWorkspace(rows)})
    steps = _plan.plan([live], Rules(purge=(TARGET,)), {})
    assert {step.action for step in steps} == {"unchanged"}


@pytest.mark.cases("entries, path")
def test_a_wrong_shape_is_named_by_its_path(entries, path):
    with pytest.raises(WrongOption, match=path):
        read_targets(entries)


@pytest.mark.cases("entries, path")
def test_a_wrong_estate_is_named_by_its_path(entries, path):
    with pytest.raises(WrongOption, match=path):
        read_estate(entries)


def test_a_target_may_be_called_as_a_logger_of_another_workspace():
    account = {
        "Shop": {"description": "", "targets": {}, "loggers": set()},
        "Office": {"description": "", "targets": {}, "loggers": {"canary.example"}},
    }
    steps = planned([{"name": "Shop", "targets": [{"name": "canary.example"}]}], account)
    assert [(step.name, step.action) for step in steps] == [("Shop", "unchanged"), ("canary.example", "create")]
