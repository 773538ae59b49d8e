# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the modules of all simple families do with duplicates, deletions, and ids and keys without a record."""

from __future__ import annotations

import sys
import types

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._estate.ensure import ensure, options_of, references_of
from ansible_collections.scanops.scanner.plugins.module_utils._model.families import (
    FAMILIES,
    HTTP_LOGGER,
    TARGET,
    WORDLIST,
    WORKSPACE,
)
from ansible_collections.scanops.scanner.plugins.module_utils._model.family import FORM, Body
from ansible_collections.scanops.scanner.plugins.module_utils._scope.file import scope_in_force
from ansible_collections.scanops.scanner.plugins.module_utils._task.module import Module
from ansible_collections.scanops.scanner.plugins.module_utils._task.module import run as run_declared
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scenarios import ACCOUNT
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.simple_families import (
    SIMPLE,
    Sample,
    option_cases,
    write_tasks,
)

on_each = pytest.mark.parametrize("family", SIMPLE, ids=lambda family: family.name)
on_each_with_ids = pytest.mark.parametrize(
    "family", [family for family in SIMPLE if family.identity == "id"], ids=lambda family: family.name
)
on_each_deleted = pytest.mark.parametrize(
    "family", [family for family in SIMPLE if not family.read_only], ids=lambda family: family.name
)


@on_each
def test_all_with_one_key_are_returned_and_another_case_is_another_key(account, run, family):
    this = Sample(family, ACCOUNT)
    again = {name: value for name, value in this.row.items() if name not in ("id", "uuid", "requests")}
    account.add(**{family.plural: [{**again, "id": 4000, "uuid": "0e37df36-f698-11e6-8dd4-cb9ced3df977"}]})
    assert len(run(f"{family.name}_info", **this.by_key)[family.plural]) == 2
    other = {family.key: this.row[family.key].swapcase()}
    assert run(f"{family.name}_info", **other)[family.plural] == []


@on_each_with_ids
def test_in_check_mode_a_null_id_returns_an_empty_list_and_a_warning(account, run, family):
    result = run(f"{family.name}_info", check=True, id=None)
    assert result[family.plural] == []
    assert len(result.warnings) == 1
    assert account.calls() == []


@on_each_deleted
@pytest.mark.parametrize("by", ["by_key", "by_id"])
def test_a_deleted_object_is_gone_and_its_key_is_in_the_diff(account, run, family, by):
    this = Sample(family, ACCOUNT)
    force = {"force": True} if family.holds else {}
    before = account.state()[family.plural]
    result = run(family.name, **getattr(this, by), state="absent", **force)
    assert (result.changed, result[family.name]) == (True, None)
    assert result.diff["before"].items() >= this.by_key.items()
    rest = [record["id"] for record in before if record["id"] != this.row["id"]]
    assert [record["id"] for record in account.state()[family.plural]] == rest


@on_each_deleted
def test_an_object_that_does_not_exist_is_absent(account, run, family):
    for reference in ({family.key: "Never"}, {"id": 99}):
        result = run(family.name, state="absent", **reference)
        assert (result.failed, result.changed, result[family.name]) == (False, False, None)


@pytest.mark.parametrize("name", WORKSPACE.holds)
def test_a_workspace_is_deleted_with_what_it_holds_only_by_force(account, run, name):
    family = FAMILIES[name]
    example = {field: value for field, value in ACCOUNT[family.plural][0].items() if field in family.declared}
    account.add(**{family.plural: [{**example, family.key: "only.example.com", "workspace_id": 3}]})
    result = run("workspace", id=3, state="absent")
    assert result.failed and f"holds at least 1 {family.noun}, which the service deletes with it" in result.msg
    assert account.writes() == []
    assert run("workspace", id=3, state="absent", force=True).changed
    assert [row for row in account.state()[family.plural] if row["workspace_id"] == 3] == []


# --- what no family of the API has yet: each declares something else of a family that the local service keeps


class Fixed(type(WORKSPACE)):
    """PUT does not take the description."""

    updatable = ("name",)
    holds = ()


class Demanding(type(WORKSPACE)):
    """A create needs more than the key."""

    creates = Body(FORM, ("name", "description"))
    holds = ()


class Numbered(type(HTTP_LOGGER)):
    """A task declares a number."""

    declared = ("active_days",)


class Flagged(type(WORDLIST)):
    """A task declares a boolean."""

    declared = ("predefined",)
    kept = ""
    creates = Body(FORM, ("name",), ("predefined",))


class Elsewhere(type(TARGET)):
    """Its target is not its key."""

    target_names = ("description",)
    unscoped_fields = ()
    updatable = ("description",)


@pytest.fixture
def invent(monkeypatch):
    """Replace a family of the API and its module by an invented one."""

    def replace(kind):
        family = kind()
        scope = scope_in_force if family.scoped else None
        declared = Module(
            options_of(family), lambda task: ensure(task, family), scope_in_force=scope, **references_of(family)
        )
        module = types.SimpleNamespace(MODULE=declared, OPTIONS=declared.options, main=lambda: run_declared(declared))
        place = f"ansible_collections.scanops.scanner.plugins.modules.{family.name}"
        monkeypatch.setitem(sys.modules, place, module)
        monkeypatch.setitem(FAMILIES, family.name, family)
        return family

    return replace


def assert_predicted(service, run, task):
    """Check mode predicts what a task does, which sends the calls of the task, and a second run writes nothing."""
    service.reset(settings={"rate_limits": None, "validate": True}, state=ACCOUNT)
    check = run(task.module, check=True, **task.options)
    assert (check.failed, service.writes()) == (False, []), check.msg
    service.clear_log()
    real = run(task.module, **task.options)
    assert not real.failed, real.msg
    assert (check.changed, real.changed, check.diff) == (task.changed, task.changed, real.diff)
    assert service.calls() == list(task.calls)
    assert [task.warns in warning for warning in real.warnings] == [True] * (task.warns is not None)
    assert not run(task.module, **task.options).changed


@pytest.mark.parametrize("kind", [Fixed, Demanding])
def test_the_tasks_of_an_invented_family_do_what_is_derived_from_it(service, run, invent, kind):
    tasks = write_tasks(invent(kind), ACCOUNT)
    assert any("drift" in name for name in tasks) is (kind is Fixed)
    for task in tasks.values():
        assert_predicted(service, run, task)


@pytest.mark.parametrize("kind", [Fixed, Demanding])
def test_the_options_of_an_invented_family_have_cases(account, run, invent, kind):
    family = invent(kind)
    cases = option_cases(family, ACCOUNT)
    assert {option for module, option in cases if module == family.name} == set(options_of(family))
    for (module, _option), case in cases.items():
        account.reset(settings={"rate_limits": None, "validate": True}, state=ACCOUNT)
        if module == family.name:
            case(account, run)


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("given", [{}, {"description": ""}], ids=["unset", "empty"])
def test_a_create_without_a_field_that_it_needs_is_refused(account, run, invent, check, given):
    invent(Demanding)
    result = run("workspace", check=check, name="New", **given)
    assert result.failed
    assert "'New' does not exist, and the service creates none without description: set it" in result.msg
    assert account.writes() == []
    assert not run("workspace", check=check, name="Web shop").changed


TYPED = {
    Numbered: (dict(label="canary"), "active_days", 30, 31, [{}, {"number_form": "text"}, {"number_form": "float"}]),
    Flagged: (
        dict(name="Subdomains, small"),
        "predefined",
        True,
        False,
        [{}, {"boolean_form": "text"}, {"boolean_form": "number"}],
    ),
}


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("kind", TYPED)
def test_a_declared_number_or_boolean_is_compared_however_the_service_writes_it(account, run, invent, kind, check):
    family = invent(kind)
    options, field, live, other, forms = TYPED[kind]
    for form in forms:
        account.settings(**form)
        same = run(family.name, check=check, state="present", **options, **{field: live})
        assert (same.failed, same.changed, same["drift"], same.warnings) == (False, False, {}, []), form
        assert same[family.name][field] == live
        differs = run(family.name, check=check, state="present", **options, **{field: other})
        assert differs["drift"] == {field: {"declared": other, "live": live}}
    assert account.writes() == []


@pytest.mark.parametrize("missing", ["missing_fields", "null_fields"])
@pytest.mark.parametrize("kind", TYPED)
def test_a_declared_number_or_boolean_that_the_service_does_not_show_is_not_compared(
    account, run, invent, kind, missing
):
    family = invent(kind)
    options, field, _live, other, _forms = TYPED[kind]
    account.settings(**{missing: {family.plural: [field]}})
    result = run(family.name, state="present", **options, **{field: other})
    assert (result.failed, result.changed, result["drift"]) == (False, False, {})
    assert [f"does not show the {field}" in warning for warning in result.warnings] == [True]
    assert account.writes() == []


@pytest.mark.parametrize("check", [True, False])
def test_a_target_that_is_not_the_key_is_judged_before_the_first_call(account, run, invent, check):
    invent(Elsewhere)
    scope = {"allow": ["*.example.com"]}
    for name in ("new.example.com", "www.example.com"):
        result = run("target", check=check, workspace_id=2, name=name, description="evil.example", scope=scope)
        assert result.failed and "target 'evil.example' is outside the authorised scope" in result.msg
    assert account.calls() == []


@pytest.mark.parametrize("check", [True, False])
def test_the_live_target_is_judged_before_an_update_of_another_field(account, run, invent, check):
    class Typed(Elsewhere):
        declared, updatable = ("type",), ("type",)

    invent(Typed)
    options = dict(workspace_id=2, name="www.example.com", type="url")
    result = run("target", check=check, **options, scope={"allow": ["*.example.com"]})
    assert result.failed and "target 'Front' is outside the authorised scope" in result.msg
    assert account.writes() == []
    assert run("target", check=True, **options, scope={"allow": ["Front"]}).changed
