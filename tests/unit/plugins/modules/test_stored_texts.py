# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A service that stores texts in another form: what is equal in normal form is unchanged, and all else fails in the first
run. No target is ever recreated twice."""

from __future__ import annotations

import pytest

TEXT = " Für <b>Anna</b> & \u212bsa,\nline two of this text\n"
# the forms that are equal to what was sent
EQUAL = ["exact", "trimmed", "line_ends", "decomposed"]
OTHER = ["cut", "escaped", "ascii", "without_tags"]
# of descriptions: a workspace cannot have these names
REPLACED = ["dropped", "default", "extended", "prefixed"]
MODULES = {
    "workspace": {"name": "New", "description": TEXT},
    "target": {"name": "new.example", "workspace": "A", "description": TEXT},
    "targets": {"workspace": "A", "targets": [{"name": "new.example", "description": TEXT}]},
    "estate": {
        "workspaces": [
            {"name": "New", "description": TEXT, "targets": [{"name": "new.example", "description": TEXT}, "b.example"]}
        ]
    },
}
UPDATES = {
    "workspace": {"name": "A", "description": TEXT},
    "estate": {"workspaces": [{"name": "A", "description": TEXT, "targets": ["b.example"]}]},
}
RECREATED = {
    "target": {"name": "a.example", "workspace": "A", "description": TEXT},
    "targets": {"workspace": "A", "targets": [{"name": "a.example", "description": TEXT}]},
    "estate": {"workspaces": [{"name": "A", "targets": [{"name": "a.example", "description": TEXT}]}]},
}
STATE = {
    "workspaces": [{"id": 3, "name": "A", "description": "old"}],
    "targets": [{"id": 7, "name": "a.example", "workspace_id": 3, "description": "another owner"}],
}


@pytest.fixture
def stores(service):
    def begin(form, **settings):
        service.reset(settings={"rate_limits": None, "stored_text": form, **settings}, state=STATE)
        return service

    return begin


@pytest.mark.parametrize("answer", ["created_id", "record", "nothing"])
@pytest.mark.parametrize("form", EQUAL)
@pytest.mark.parametrize("module", MODULES)
def test_an_equal_form_is_unchanged_in_the_second_run(stores, run, module, form, answer):
    service = stores(form, create_answer=answer)
    first = run(module, **MODULES[module])
    assert first.changed and not first.failed, first
    service.clear_log()
    second = run(module, **MODULES[module])
    assert not second.changed and not second.failed and not second.warnings, second
    assert service.writes() == []


@pytest.mark.parametrize("answer", ["created_id", "record", "nothing"])
@pytest.mark.parametrize("form", OTHER)
@pytest.mark.parametrize("module", MODULES)
def test_another_form_fails_in_the_first_run(stores, run, module, form, answer):
    service = stores(form, create_answer=answer)
    first = (
        run(module, continue_on_error=True, **MODULES[module])
        if module in ("targets", "estate")
        else run(module, **MODULES[module])
    )
    assert first.failed and first.changed, first
    reasons = str(first.result)
    assert "stores its description as" in reasons and "declare the text as the service stores it" in reasons
    if module == "estate":
        # nothing behind it is left out
        assert {"b.example"} <= {each["name"] for each in service.targets()}


@pytest.mark.parametrize("form", REPLACED)
@pytest.mark.parametrize("module", ["target", "targets"])
def test_a_text_that_is_dropped_or_extended_fails_in_the_first_run(stores, run, module, form):
    stores(form)
    first = run(module, **MODULES[module])
    assert first.failed and first.changed, first
    assert "stores its description as" in str(first.result)


@pytest.mark.parametrize("form", EQUAL)
@pytest.mark.parametrize("module", UPDATES)
def test_an_update_in_an_equal_form_is_unchanged_in_the_second_run(stores, run, module, form):
    service = stores(form)
    first = run(module, **UPDATES[module])
    assert first.changed and not first.failed, first
    service.clear_log()
    second = run(module, **UPDATES[module])
    assert not second.changed and not second.failed, second
    assert service.writes() == []


@pytest.mark.parametrize("form", OTHER)
@pytest.mark.parametrize("module", UPDATES)
def test_an_update_in_another_form_fails_in_the_first_run(stores, run, module, form):
    stores(form)
    first = run(module, **UPDATES[module])
    assert first.failed and first.changed, first
    assert "instead of" in str(first.result) and "as the service stores it" in str(first.result)


@pytest.mark.parametrize("form", [*EQUAL, *OTHER, *REPLACED])
@pytest.mark.parametrize("module", RECREATED)
def test_a_target_is_recreated_once_at_most(stores, run, module, form):
    service = stores(form)
    options = {"on_drift": "recreate", "force": True, **RECREATED[module]}
    runs = [run(module, **options) for _time in range(3)]
    deletes = [call for call in service.writes() if call.startswith("DELETE")]
    assert len(deletes) == 1
    if form in EQUAL:
        assert [each.failed for each in runs] == [False] * 3
        assert [each.changed for each in runs] == [True, False, False]
    else:
        assert [each.failed for each in runs] == [True] * 3
        assert [each.changed for each in runs] == [True, False, False]
        assert "may be the form in which the service stores" in str(runs[1].result)
        if module == "target":
            assert runs[0]["lost"]["id"] == 7


@pytest.mark.parametrize("answer", ["created_id", "record", "nothing"])
@pytest.mark.parametrize("form", ["cut", "dropped", "translated"])
@pytest.mark.parametrize("module", ["targets", "estate"])
def test_the_first_recreation_in_another_form_is_the_last_one(stores, run, module, form, answer):
    """Each recreated target is read back before the next one is deleted."""
    service = stores(form)
    rows = [
        {"id": number, "name": f"{name}.example", "workspace_id": 3, "description": "another owner"}
        for number, name in enumerate("abc", 7)
    ]
    service.reset(
        settings={"rate_limits": None, "stored_text": form, "create_answer": answer}, state={**STATE, "targets": rows}
    )
    targets = [{"name": f"{name}.example", "description": TEXT} for name in "abc"]
    declared = {"targets": targets, "workspace": "A"} if module == "targets" else {}
    declared = declared or {"workspaces": [{"name": "A", "targets": targets}]}
    result = run(module, on_drift="recreate", force=True, continue_on_error=True, **declared)
    assert result.failed and "stores its description as" in str(result.result)
    assert len([call for call in service.writes() if call.startswith("DELETE")]) == 1


def test_a_text_that_no_form_explains_says_that_another_run_would_delete_again(stores, run):
    stores("translated")
    result = run("target", on_drift="recreate", force=True, **RECREATED["target"])
    assert result.failed and "another run with on_drift: recreate would delete the object again" in result.msg


@pytest.mark.parametrize("on_drift", ["warn", "fail", "ignore"])
def test_a_declared_text_in_an_equal_form_is_no_drift(stores, run, on_drift):
    stores("exact")
    options = {"name": "a.example", "workspace": "A", "description": "another owner\r\n", "on_drift": on_drift}
    result = run("target", **options)
    assert not result.failed and not result.changed and not result.warnings
    assert result["drift"] == {} and result["target"]["description"] == "another owner"


@pytest.mark.parametrize("form", ["trimmed", "line_ends", "decomposed", "cut", "escaped"])
@pytest.mark.parametrize("module, key", [("workspace", "name"), ("http_logger", "label")])
def test_a_name_in_another_form_fails_in_the_first_run(stores, run, module, key, form):
    """Names are looked up as they are declared."""
    stores(form)
    options = {key: " F\u00fcr Anna & the other one\n", **({} if module == "workspace" else {"workspace": "A"})}
    result = run(module, **options)
    assert result.failed and result.changed
    if module == "workspace":
        assert f"stores its {key} as" in result.msg and "declare the text as the service stores it" in result.msg


def test_a_change_of_the_meaning_is_still_one(stores, run):
    service = stores("exact")
    result = run("target", name="a.example", workspace="A", description="nobody", on_drift="recreate", force=True)
    assert result.changed and not result.failed
    assert [each["description"] for each in service.targets() if each["name"] == "a.example"] == ["nobody"]


@pytest.mark.parametrize("module", MODULES)
def test_a_description_that_the_service_does_not_show_is_no_other_form(stores, run, module):
    service = stores("exact", missing_fields={"workspaces": ["description"], "targets": ["description"]})
    service.allow_violations = True
    result = run(module, **MODULES[module])
    assert result.changed and not result.failed, result
