# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""One object: read, difference, write, with as few calls as can be."""

from __future__ import annotations

from typing import NamedTuple

from ._errors import Refused, ScannerError, printable
from ._lookup import NOWHERE, UNKNOWN_ID, find, match, not_empty, place_of, warn_current_workspace
from ._records import difference, new_record, not_compared, not_shown, revealed
from ._resources import RESOURCES, TARGET
from ._valid_names import refuse_name


class Outcome(NamedTuple):
    """before, after: the record or None; declared: what the diff shows of both sides, dicts; drift: see ``difference``;
    lost: the record that a recreate deleted, or None."""

    before: dict | None
    after: dict | None
    diff_before: dict | None = None
    diff_after: dict | None = None
    drift: dict | None = None
    lost: dict | None = None

    @property
    def changed(self):
        return self.before != self.after


def ensure(task, resource, normal_form=None):
    """Make the one object that the task declares present or absent; returns the module's result, a dict.

    normal_form: a function from a name to the form in which two names are the same object, or None.
    """
    return _result(task, resource, _outcome(task, resource, normal_form))


def _outcome(task, resource, normal_form):
    params = task.params
    if params.get("id") == UNKNOWN_ID:
        return _foreseen(task, resource)
    if resource is TARGET:
        task.gate.refuse([params["name"]])
    place = place_of(task) if resource.in_workspace else NOWHERE
    if resource is TARGET:
        warn_current_workspace(task, place)
    live, declared = _live_and_declared(task, resource, place, normal_form)
    if params["state"] == "absent":
        return _absent(task, resource, live, declared)
    if live is None:
        return _create(task, resource, place, declared, normal_form)
    return _adjust(task, resource, place, live, declared)


def _declared(task, resource):
    """The fields beside the key that the task declares: an option left out is not among them."""
    return {field: task.params[field] for field in resource.declared if task.params.get(field) is not None}


def _live_and_declared(task, resource, place, normal_form):
    declared = _declared(task, resource)
    new_key = task.params.get("new_" + resource.key)
    if new_key is None:
        # a real run finds out by the answer 409 that an object is there beyond a short page; these have no such answer
        whole = task.check_mode or task.params["state"] == "absent"
        return find(task, resource, place, normal_form, whole), declared
    not_empty("new_" + resource.key, new_key)
    if task.params["state"] == "absent":
        raise Refused(f"new_{resource.key} means a rename, which state: absent cannot do: leave it out.")
    declared = {resource.key: new_key, **declared}
    if task.params.get("id") is not None:
        return find(task, resource), declared
    old_key = task.params[resource.key]
    not_empty(resource.key, old_key)
    rows = task.client.all(resource)
    live, renamed = match(resource, rows, old_key), match(resource, rows, new_key)
    if live and renamed and live["id"] != renamed["id"]:
        raise Refused(
            f"new_{resource.key} {printable(new_key)!r} is taken by {resource.noun} {renamed['id']}, and"
            f" {printable(old_key)!r} is there too: choose another new_{resource.key}, or delete one of them first."
        )
    if not live and not renamed:
        if not task.check_mode:
            raise Refused(
                f"{resource.key} {printable(old_key)!r} names no {resource.noun} that could be renamed, and there is no"
                f" {printable(new_key)!r} either: correct the {resource.key}."
            )
        task.warn_foreseen(f"{resource.noun} {printable(old_key)!r}")
    return live or renamed, declared


def _foreseen(task, resource):
    """Check mode, and the id is the null of an object that an earlier task would have made."""
    task.warn_foreseen(f"the {resource.noun}")
    declared = _declared(task, resource)
    new_key = task.params.get("new_" + resource.key)
    if new_key is not None:
        declared = {resource.key: new_key, **declared}
    record = new_record(resource, declared)
    if task.params["state"] == "absent":
        return Outcome(record, None)
    if not declared:
        # an id makes nothing, so without a declared field nothing can change
        return Outcome(record, record)
    return Outcome(None, record, diff_after=declared)


def _create(task, resource, place, declared, normal_form):
    if task.params.get("id") is not None:
        raise Refused(
            f"id {task.params['id']} is no {resource.noun} that this key can see: correct the id, or declare it by"
            f" {resource.key}."
        )
    values = {resource.key: task.params[resource.key], **declared}
    if resource is TARGET:
        refuse_name(resource.key, values[resource.key])
    if task.check_mode:
        foreseen = dict(values, workspace_id=place.id) if resource.in_workspace else values
        return Outcome(None, new_record(resource, foreseen), diff_after=values)
    created = _post(task, resource, place, values, normal_form)
    if not created.made:
        return _adjust(task, resource, place, created.record, declared)
    # what was written is there, also where the service does not show it
    unknown = {field: values[field] for field in not_shown(created.record, values)}
    return Outcome(None, {**created.record, **unknown}, diff_after=values)


def _post(task, resource, place, values, normal_form):
    form = {field: value for field, value in values.items() if value != ""}
    if resource.in_workspace == "form":
        form.update(place.query)
    created = task.client.create(
        resource,
        form,
        look=lambda _status: find(task, resource, place, normal_form, whole=True),
        query=place.query if resource.in_workspace == "query" else None,
    )
    if created.note:
        task.warn(created.note)
    return created


def _adjust(task, resource, place, live, declared):
    if not_shown(live, declared):
        live = _read_whole(task, resource, live, declared)
    changes, drift = difference(resource, live, declared)
    shown = {resource.key: live[resource.key], **declared}
    shown_live = {field: live[field] for field in shown}
    if drift:
        return _drifted(task, resource, place, live, drift, shown_live)
    if changes and not task.check_mode:
        task.client.update(resource, live["id"], changes)
    return Outcome(live, {**live, **changes}, shown_live, {**shown_live, **changes})


def _read_whole(task, resource, live, declared):
    """The record with the declared fields that its list leaves out, at 1 GET; warns of those that are shown nowhere."""
    live = revealed(live, task.client.read(resource, live["id"]))
    unknown = not_shown(live, declared)
    if unknown:
        task.warn(not_compared(f"{resource.noun} {printable(live[resource.key])!r}", unknown))
    return live


def _drifted(task, resource, place, live, drift, shown_live):
    names = " and ".join(sorted(drift))
    what = f"{resource.noun} {printable(live[resource.key])!r} (id {live['id']}) has another {names} than declared"
    on_drift = task.params["on_drift"]
    if on_drift == "recreate":
        return _recreate(task, resource, place, live, drift, shown_live, what)
    if on_drift == "fail":
        raise Refused(
            f"{what}, and the service has no call to change it: declare the live text, edit it in the web application, or"
            " set on_drift.",
            drift=drift,
        )
    if on_drift == "warn":
        task.warn(f"{what}, and the service has no call to change it; it is left as it is (see drift and on_drift).")
    return Outcome(live, live, shown_live, shown_live, drift)


def _recreate(task, resource, place, live, drift, shown_live, what):
    if not task.params["force"]:
        raise Refused(
            f"{what}, and on_drift: recreate would delete it together with its scans: set force: true to accept that.",
            drift=drift,
        )
    values = {resource.key: live[resource.key], **{field: live[field] for field in resource.declared}}
    values.update({field: sides["declared"] for field, sides in drift.items()})
    refuse_name("the live name", values[resource.key])
    # by id no name was declared, and a live name may be spelled in another way than the declared one
    task.gate.refuse_body(resource.path, values)
    # the same workspace as before, also where the task named none
    place = place if place.declared else place._replace(id=live.get("workspace_id"))
    if task.check_mode:
        after = new_record(resource, dict(values, workspace_id=live.get("workspace_id")))
    else:
        task.client.delete(resource, live["id"])
        after = _made_again(task, resource, place, live, values)
    shown_after = {field: values[field] for field in shown_live}
    return Outcome(live, after, shown_live, shown_after, drift, lost=live)


def _made_again(task, resource, place, live, values):
    try:
        return _post(task, resource, place, values, None).record
    except ScannerError as error:
        advice = " Run the task again to create it."
        if task.params.get("id") is not None:
            advice = f" Its id is gone, so declare it by {resource.key} to create it."
        elif "run the task again" in str(error).lower():
            advice = ""
        raise Refused(
            f"{resource.noun} {printable(live[resource.key])!r} (id {live['id']}) was deleted, and creating it again failed:"
            f" {error}{advice}",
            **{**error.result, "changed": True, "lost": live},
        ) from None


def _absent(task, resource, live, declared):
    if live is None:
        return Outcome(None, None)
    name = live[resource.key]
    if resource.kept and live.get(resource.kept):
        raise Refused(f"{resource.noun} {printable(name)!r} (id {live['id']}) is {resource.kept} and is never deleted:"
                      " remove this task, or name one of your own lists.")  # fmt: skip
    if resource.holds and not task.params["force"]:
        _refuse_if_it_holds_anything(task, resource, live)
    wanted = task.params.get(resource.key)
    if wanted not in (None, name):
        task.warn(
            f"{printable(wanted)!r} is there as {printable(name)!r} (id {live['id']}), which is what this task deletes."
        )
    shown = {field: live[field] for field in (resource.key, *declared)}
    if not task.check_mode and not task.client.delete(resource, live["id"]):
        return Outcome(None, None)
    return Outcome(live, None, diff_before=shown)


def _refuse_if_it_holds_anything(task, resource, live):
    query = {"workspace_id": live["id"]}
    held = []
    for name in resource.holds:
        inside = RESOURCES[name]
        count = len(next(iter(task.client.pages(inside, query, whole=False)), []))
        if count:
            held.append(f"at least {count} {inside.noun}{'s' if count > 1 else ''}")
    if held:
        raise Refused(
            f"{resource.noun} {printable(live[resource.key])!r} (id {live['id']}) holds {' and '.join(held)}, which the"
            " service deletes with it: set force: true to accept that, or delete them first."
        )


def _result(task, resource, outcome):
    result = {"changed": outcome.changed, resource.name: outcome.after}
    if "on_drift" in task.params:
        result.update(drift=outcome.drift or {}, lost=outcome.lost)
    if task.diff_mode:
        result["diff"] = dict(
            before=outcome.diff_before or {},
            after=outcome.diff_after or {},
            before_header=resource.noun,
            after_header=resource.noun,
        )
    return result
