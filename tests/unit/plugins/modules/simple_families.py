# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the modules of a simple family do, derived from its declaration: tasks with their calls, a case for each option.

A family is simple if its list has no pages and its key is a plain name. Tests that list tasks or cases by hand add to these,
or replace one by giving another under the same name.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

from ansible_collections.scanops.scanner.plugins.module_utils._model.families import FAMILIES
from ansible_collections.scanops.scanner.tests.service.families import FAMILIES as SERVED
from ansible_collections.scanops.scanner.tests.service.store import FRESH

SIMPLE = tuple(
    family for family in FAMILIES.values() if not family.paged and not family.key_is_place and family.key != "id"
)
# the module of each simple family, and the _info module
MODULES = {
    module: family
    for family in SIMPLE
    for module in ([] if family.read_only else [family.name]) + [f"{family.name}_info"]
}
ELSEWHERE = {"workspace": "Empty", "workspace_id": 3}


# a new target, a scope that refuses it, and one that permits it
SCOPES = {
    "scope": ("new.example.com", {"allow": ["example.net"]}, {"allow": ["example.com"]}),
    "scope.allow": ("new.example.com", {"allow": []}, {"allow": ["*.example.com"]}),
    "scope.deny": ("new.example.com", {"deny": ["example.com"]}, {"deny": ["example.net"]}),
    "scope.private": ("10.0.0.1", {"private": False}, {"private": True}),
}


class Task(NamedTuple):
    """One task. changed: bool; calls: what a real run sends; warns: a word of the one warning, or None."""

    module: str
    options: dict
    changed: bool
    calls: tuple
    warns: str | None = None

    @property
    def writes(self):
        """Whether it changes something at the service; some only change a file."""
        return any(not call.startswith("GET ") for call in self.calls)


def value_of(family, field, other_than=None):
    """A value for a declared field, which differs from another one."""
    values = family.values.get(("POST", field)) or {
        "integer": (7, 8),
        "boolean": (True, False),
    }.get(family.types.get(field), ("Fresh", "Other"))
    return next(value for value in values if value != other_than)


def _shows_workspace(family):
    """Whether a record says in which workspace it is; a search for others costs further calls."""
    return family.in_workspace and family.workspace_field in family.fields


def _distinct(module, named):
    """The tasks under their whole names, without those that are the same as an earlier one."""
    first = {str(task): name for name, task in reversed(list(named.items()))}
    return {f"{module}-{name}": named[name] for name in named if name in first.values()}


class Sample:
    """A family, a record of it in an account that may be deleted, and the id of the next record."""

    def __init__(self, family, account):
        served = next(each for each in SERVED if each.name == family.plural)
        rows = [*FRESH.get(family.plural, ()), *account.get(family.plural, ())]
        self.family = family
        self.row = next(row for row in account.get(family.plural, rows) if not row.get(family.kept or "predefined"))
        self.next_id = max([served.first_id - 1, *(row["id"] for row in rows if "id" in row)]) + 1
        self.by_key = {family.key: self.row[family.key]}
        self.by_id = {family.identity: self.row[family.identity]}
        self.one = f"{family.path}/{self.row[family.identity]}"
        always = family.creates.always if family.creates else ()
        self.bare = {field: value_of(family, field) for field in family.declared if field in always}
        self.bare[family.key] = "New"
        self.full = {**{field: value_of(family, field) for field in family.declared}, family.key: "New"}
        self.live = {field: self.row[field] for field in family.declared if field in self.row}

    def task(self, changed, *calls, info="", **options):
        return Task(self.family.name + info, options, changed, calls)


def write_tasks(family, account):
    """Tasks of the module that changes a simple family, by name."""
    if family.read_only:
        return {}
    this = Sample(family, account)
    key, listed, named = family.key, f"GET {family.path}", {}
    if family.creates:
        created = (f"POST {family.path}", f"GET {family.path}/{this.next_id}")
        named["create"] = this.task(True, listed, *created, **this.full)
        named["create-bare"] = this.task(True, listed, *created, **this.bare)
        named["there"] = this.task(False, listed, **this.by_key)
        named["there-as-declared"] = this.task(False, listed, **this.by_key, **this.live)
        named["there-by-id"] = this.task(False, f"GET {this.one}", **this.by_id)
    put = (f"PUT {this.one}", f"GET {this.one}")
    for field in sorted(set(family.updatable) & set(family.declared)):
        changes = {field: value_of(family, field, this.row.get(field))}
        named[f"update-{field}"] = this.task(True, listed, *put, **this.by_key, **changes)
    for field in sorted(set(family.declared) - set(family.updatable)):
        named.update(_drift_tasks(this, field))
    if key in family.updatable:
        named["rename"] = this.task(True, listed, *put, **this.by_key, **{f"new_{key}": "New"})
    if _shows_workspace(family):
        place = {"workspace": "Empty", **this.bare}
        named["create-in-workspace"] = this.task(True, "GET /workspaces", listed, *created, **place)
        place = {"workspace": this.row["workspace"], **this.by_key}
        named["there-in-workspace"] = this.task(False, "GET /workspaces", listed, **place)
    if not family.holds:
        gone = (f"DELETE {this.one}", f"GET {this.one}")
        named["delete"] = this.task(True, listed, *gone, **this.by_key, state="absent")
        named["delete-by-id"] = this.task(True, f"GET {this.one}", *gone, **this.by_id, state="absent")
    named["absent"] = this.task(False, listed, **{key: "Never"}, state="absent")
    named["absent-by-id"] = this.task(False, f"GET {family.path}/99", id=99, state="absent")
    return _distinct(family.name, named)


def _drift_tasks(this, field):
    """Tasks that declare another value of a field that PUT does not take."""
    listed = f"GET {this.family.path}"
    options = {**this.by_key, field: value_of(this.family, field, this.row.get(field))}
    again = (f"DELETE {this.one}", f"POST {this.family.path}", f"GET {this.family.path}/{this.next_id}")
    return {
        f"drift-{field}": this.task(False, listed, **options)._replace(warns="not changed"),
        f"drift-{field}-ignore": this.task(False, listed, **options, on_drift="ignore"),
        f"drift-{field}-recreate": this.task(True, listed, *again, **options, on_drift="recreate", force=True),
    }


def read_tasks(family, account):
    """Tasks of the _info module of a simple family, by name."""
    this = Sample(family, account)
    key, identity, listed = family.key, family.identity, f"GET {family.path}"
    # what has no read by id is found in the list
    one, none = (f"GET {this.one}", f"GET {family.path}/99") if identity == "id" else (listed, listed)
    task = functools.partial(this.task, False, info="_info")
    named = {
        "all": task(listed),
        key: task(listed, **this.by_key),
        identity: task(one, **this.by_id),
        f"no-{key}": task(listed, **{key: "Never"}),
        f"no-{identity}": task(none, **{identity: 99 if identity == "id" else "99"}),
    }
    if _shows_workspace(family):
        named["workspace"] = task("GET /workspaces", listed, workspace=this.row["workspace"])
    return _distinct(f"{family.name}_info", named)


# --- a case for each option: a function of (account, run), which fails without the code of the option


def _good(result):
    assert not result.failed, result.msg
    return result


def _records(account, family):
    return {record["id"]: record for record in account.state()[family.plural]}


def _creates(this, account, run):
    family = this.family
    assert _good(run(family.name, **this.bare)).changed
    (sent,) = [entry["form"] for entry in account.log() if entry["method"] == "POST"]
    # a form has only texts
    assert sent == {
        field: str(value).lower() if isinstance(value, bool) else str(value) for field, value in this.bare.items()
    }
    assert _good(run(family.name, **this.by_key))[family.name]["id"] == this.row["id"]


def _reads_by_id(this, account, run):
    family = this.family
    assert _good(run(family.name, **this.by_id))[family.name][family.key] == this.row[family.key]
    assert account.calls() == [f"GET {this.one}"]


def _deletes(this, account, run, by="by_key"):
    assert _good(run(this.family.name, **getattr(this, by), state="absent")).changed
    assert this.row["id"] not in _records(account, this.family)


def _changes(this, account, run, option, field):
    value = value_of(this.family, field, this.row.get(field))
    assert _good(run(this.family.name, **this.by_key, **{option: value})).changed
    assert _records(account, this.family)[this.row["id"]][field] == value


def _creates_with(this, account, run, field):
    options = {**this.bare, field: value_of(this.family, field)}
    assert _good(run(this.family.name, **options)).changed
    assert _records(account, this.family)[this.next_id][field] == options[field]


def _drifts(this, account, run):
    (field, *_more) = sorted(set(this.family.declared) - set(this.family.updatable))
    options = {**this.by_key, field: value_of(this.family, field, this.row.get(field))}
    result = run(this.family.name, **options, on_drift="fail")
    assert result.failed and set(result["drift"]) == {field}
    assert set(_good(run(this.family.name, **options))["drift"]) == {field}
    assert run(this.family.name, **options, on_drift="recreate").failed
    assert this.row["id"] in _records(account, this.family)
    assert _good(run(this.family.name, **options, on_drift="recreate", force=True)).changed
    assert this.row["id"] not in _records(account, this.family)


def scoped(run_it, account, option):
    """A scope that refuses a new target ends a task before its first call, and one that permits it does not. run_it: a
    function of the name of the target and the scope."""
    name, refused, permitted = SCOPES[option]
    for scope in (refused, permitted):
        result = run_it(name, scope)
        assert result.failed is (scope is refused), result.msg
        assert bool(account.calls()) is (scope is permitted)


def _scoped(this, account, run, option):
    def run_it(name, scope):
        return run(this.family.name, **{**this.full, **dict.fromkeys(this.family.target_names, name)}, scope=scope)

    scoped(run_it, account, option)


def _creates_elsewhere(this, account, run, option):
    place = {option: ELSEWHERE[option]}
    assert _good(run(this.family.name, **place, **this.bare)).changed
    assert _records(account, this.family)[this.next_id]["workspace_id"] == 3
    assert run(this.family.name, **place, **this.by_id).failed


def _finds(this, _account, run, option):
    family = this.family
    rows = _good(run(f"{family.name}_info", **{option: this.row[option]}))[family.plural]
    assert [row[family.identity] for row in rows] == [this.row[family.identity]]
    # the account may have only this one
    assert _good(run(f"{family.name}_info", **{option: 99 if option == "id" else "Never"}))[family.plural] == []


def _finds_nothing_elsewhere(this, _account, run, option):
    assert _good(run(f"{this.family.name}_info"))[this.family.plural]
    assert _good(run(f"{this.family.name}_info", **{option: ELSEWHERE[option]}))[this.family.plural] == []


def option_cases(family, account):
    """The case of each option, by (module, option)."""
    this, key = Sample(family, account), family.key
    places = ELSEWHERE if family.in_workspace else ()
    info = {option: functools.partial(_finds, this, option=option) for option in (key, family.identity)}
    info.update({option: functools.partial(_finds_nothing_elsewhere, this, option=option) for option in places})
    module = {}
    if not family.read_only:
        module["state"] = functools.partial(_deletes, this)
        module[key] = functools.partial(_creates if family.creates else _deletes, this)
        by_id = functools.partial(_deletes, by="by_id")
        module["id"] = functools.partial(_reads_by_id if family.creates else by_id, this)
        module.update({option: functools.partial(_creates_elsewhere, this, option=option) for option in places})
        if family.scoped and family.creates:
            module.update({option: functools.partial(_scoped, this, option=option) for option in SCOPES})
        if family.recreatable:
            module.update(dict.fromkeys(("on_drift", "force"), functools.partial(_drifts, this)))
        for field in set(family.declared) - set(family.updatable):
            module[field] = functools.partial(_creates_with, this, field=field)
        for field in family.updatable:
            option = f"new_{key}" if field == key else field
            module[option] = functools.partial(_changes, this, option=option, field=field)
    cases = {(family.name, option): case for option, case in module.items()}
    return {**cases, **{(f"{family.name}_info", option): case for option, case in info.items()}}
