# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What holds for every module, on every form of the service's answers: check mode, diff, second run, cost in calls."""

from __future__ import annotations

import re

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._contract.relied_on import SCHEMA_PATH
from ansible_collections.scanops.scanner.plugins.module_utils._scope.permit import Permits
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scenarios import (
    ACCOUNT,
    ANSWER_FORMS,
    DEFAULT_FORM,
    MODULES,
    PROBES,
    READS,
    STARTS,
    WITHOUT_DIFF,
    WRITES,
    key_of,
)
from ansible_collections.scanops.scanner.tests.unit.sampling import EXHAUSTIVE

TASKS = {**WRITES, **READS, **PROBES}


def on_each_form(tasks):
    """Each form of answers on the first task of each module, one form on each other task."""
    cases, seen = [], set()
    for number, (name, task) in enumerate(tasks.items()):
        forms = [
            form
            for form, (_settings, calls) in ANSWER_FORMS.items()
            if any(re.search(calls, call) for call in task.calls)
        ]
        if task.module in seen and not EXHAUSTIVE:
            forms = [forms[number % len(forms)]]
        seen.add(task.module)
        cases += [pytest.param(task, ANSWER_FORMS[form][0], id=f"{name}-{form}") for form in forms]
    return cases


def set_up(service, settings):
    service.reset(settings={"rate_limits": None, "validate": True, **settings}, state=ACCOUNT)


def succeeded(result):
    assert not result.failed, result.msg
    return result


@pytest.fixture
def permits(monkeypatch):
    """What the gates of a test have permitted: (method, path, query, form, json) of each write."""
    given = []
    permit = Permits.permit

    def noted(gate, *request, **more):
        result = permit(gate, *request, **more)
        given.append(request[:5])
        return result

    monkeypatch.setattr(Permits, "permit", noted)
    return given


@pytest.mark.parametrize("task", [pytest.param(task, id=name) for name, task in TASKS.items() if task.writes])
def test_every_write_that_arrives_has_passed_the_gate(service, run, permits, task):
    set_up(service, {})
    succeeded(run(task.module, **task.options))
    arrived = [entry for entry in service.log() if entry["method"] != "GET"]
    assert [(entry["method"], entry["path"]) for entry in arrived] == [request[:2] for request in permits]
    for entry, (_method, _path, _query, form, json) in zip(arrived, permits):
        assert (entry["json"] or None) == json
        assert (entry["form"] or None) == (form and {name: str(value) for name, value in form.items()})


def without(result, *names):
    return {name: value for name, value in result.result.items() if name not in names}


@pytest.mark.parametrize("task, settings", on_each_form(WRITES))
def test_check_mode_predicts_the_run_and_a_second_run_changes_nothing(service, run, task, settings):
    set_up(service, settings)
    key = key_of(task.module)
    before = service.state()

    check = succeeded(run(task.module, check=True, **task.options))
    assert service.writes() == []
    assert service.state() == before

    real = succeeded(run(task.module, **task.options))
    assert (check.changed, real.changed) == (task.changed, task.changed)
    assert check.diff == real.diff
    assert (check.diff["before"] != check.diff["after"]) is task.changed
    assert check.warnings == real.warnings
    assert_foretold(check[key], real[key], settings)
    assert (service.state() != before) is task.writes
    assert bool(service.writes()) is task.writes

    service.clear_log()
    second = succeeded(run(task.module, **task.options))
    assert not second.changed
    assert service.writes() == []
    assert second.diff["before"] == second.diff["after"]
    if isinstance(real[key], dict):
        assert second[key] == real[key]


def assert_foretold(check, real, settings):
    """The record of check mode is that of the real run, with null where only the service knows."""
    if isinstance(check, list):
        assert [dict(entry, id=None) for entry in check] == [dict(entry, id=None) for entry in real]
        assert [new for new in real if new["action"] == "create" and new["id"] is None] == []
        pairs = [(old, new) for old, new in zip(check, real) if old["action"] != "update"]
        assert [(old, new) for old, new in pairs if old["id"] not in (None, new["id"])] == []
        return
    if not isinstance(check, dict):
        assert check == real
        return
    only_live = {"requests_left", "created_at", "x_unknown", "tool_params", "vpn_profile_uuid", "vpn_scan"}
    assert set(check) == set(real) - only_live or set(check) == set(real)
    known = {name: value for name, value in check.items() if value is not None}
    if settings.get("normalise_targets") and "type" in check:
        known["name"] = known["name"].lower()
    assert known == {name: real[name] for name in known}
    if check["id"] is not None:
        assert check == real


def timeless(value):
    """A result without what differs from run to run: ages, and the time and the random id of a judgement."""
    if isinstance(value, list):
        return [timeless(each) for each in value]
    if isinstance(value, dict):
        return {name: timeless(each) for name, each in value.items() if name not in ("age", "generated", "run")}
    return value


def place_of(row):
    """What a record is sorted by: not every family has an id."""
    return str(row["id"] if "id" in row else row["name"])


@pytest.mark.slow
@pytest.mark.parametrize("task, settings", on_each_form(READS))
def test_reading_is_the_same_in_check_mode_and_in_every_form(service, run, task, settings):
    set_up(service, settings)
    before = service.state()
    check = succeeded(run(task.module, check=True, **task.options))
    real = succeeded(run(task.module, **task.options))
    assert timeless(without(check, "invocation")) == timeless(without(real, "invocation"))
    assert "changed" not in real.result or real["changed"] is False
    assert service.writes() == []
    assert service.state() == before
    if not settings:
        return

    service.settings(**{name: DEFAULT_FORM[name] for name in settings})
    plain = succeeded(run(task.module, **task.options))[key_of(task.module)]
    found = real[key_of(task.module)]
    extra = {"created_at", "x_unknown"}
    if task.module in ("coverage_info", "estate_info", "gate", "service_info"):
        # in a shape and an order of their own, without unknown fields
        assert sorted(map(str, timeless(found))) == sorted(map(str, timeless(plain)))
        return
    if task.module == "scan_output_info":
        # what is in an output is the tool's
        assert (found is None) == (plain is None)
        return
    if settings.get("extra_fields") and "data" not in task.module:
        assert [row for row in found if not extra <= set(row)] == []
        assert [row for row in found if row["x_unknown"] != {"nested": [1, "two", None]}] == []
    found = [{name: value for name, value in row.items() if name not in extra} for row in found]
    assert sorted(found, key=place_of) == sorted(plain, key=place_of)


@pytest.mark.parametrize("name", TASKS)
def test_a_task_sends_these_calls_as_the_contract_has_them_and_warns_only_where_something_is_odd(account, run, name):
    task = TASKS[name]
    # a diff of a deletion costs further calls
    result = succeeded(run(task.module, diff=False, **task.options))
    log = account.log()
    assert [f"{entry['method']} {entry['path']}" for entry in log] == list(task.calls)
    assert [call.partition("?")[0].partition(" ->")[0] for call in result.calls] == list(task.calls)
    for entry in log:
        # the OpenAPI file is read without the key
        assert entry["authorization"] == ("missing" if entry["path"] == SCHEMA_PATH else "right")
        assert re.fullmatch(r"scanops\.scanner/\S+ ansible-core/\S+", entry["user_agent"])
        create = "application/json" if entry["path"] in STARTS else "application/x-www-form-urlencoded"
        expected = {"POST": create, "PUT": "application/json", "PATCH": "application/json"}.get(entry["method"])
        assert entry["content_type"] == expected
    assert len(result.warnings) == (task.warns is not None), result.warnings
    assert [warning for warning in result.warnings if task.warns not in warning] == []


@pytest.mark.parametrize("module", MODULES)
def test_the_diff_and_the_call_log_are_shown_where_they_are_asked_for(account, run, module):
    task = next(task for task in TASKS.values() if task.module == module)
    assert "diff" not in succeeded(run(module, check=True, diff=False, **task.options)).result
    for verbosity in range(4):
        result = succeeded(run(module, check=True, verbosity=verbosity, **task.options))
        assert ("api_calls" in result.result) is (verbosity >= 2)
        assert ("diff" in result.result) is (not module.endswith("_info") and module not in WITHOUT_DIFF)
