# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Makes one object as declared: reads it, compares it, writes the difference, in as few calls as possible."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._http.client import NOT_GONE
from .._http.create import Created
from .._model.errors import ApiError, Incomplete, Refused, ScannerError, WrongOption, counted, printable
from .._model.families import FAMILIES, SCAN, TARGET
from .._model.family import Family
from .._model.records import (
    Record,
    difference,
    may_be_stored,
    new_record,
    not_compared,
    not_shown,
    revealed,
    rows_in,
    stored_otherwise,
)
from .._scope.option import SCOPE_OPTION
from .._scope.valid_names import refuse_name
from .._task.lookup import NOWHERE, misplaced, not_empty, whereabouts
from .._task.name_match import named
from .._task.raw_options import UNKNOWN_ID
from .._task.references import find, place_of, warn_current_workspace
from .._task.task import Task
from .saving import Saving

# the type of the option for a declared field, by the JSON type of the field
_OPTION_TYPES = {"string": "str", "integer": "int", "boolean": "bool"}


def options_of(resource: Family) -> dict[str, Any]:
    """The options of the module of a family: everything that ``ensure`` reads from its tasks."""
    options: dict[str, Any] = {resource.key: dict(type="str"), "id": dict(type="int")}
    if resource.key in resource.updatable:
        options[f"new_{resource.key}"] = dict(type="str")
    if resource.in_workspace:
        options.update(workspace=dict(type="str"), workspace_id=dict(type="int"))
    for field in resource.declared:
        values = resource.values.get(("POST", field))
        options[field] = dict(
            type=_OPTION_TYPES[resource.types[field]], **(dict(choices=list(values)) if values else {})
        )
    if resource.recreatable:
        options["on_drift"] = dict(type="str", choices=["warn", "fail", "ignore", "recreate"], default="warn")
    if resource.recreatable or resource.holds:
        options["force"] = dict(type="bool", default=False)
    if resource.holds:
        options["evidence"] = dict(type="path")
    if resource.creates:
        options["state"] = dict(type="str", choices=["present", "absent"], default="present")
    else:
        options["state"] = dict(type="str", choices=["absent"], required=True)
    return dict(options, scope=SCOPE_OPTION) if resource.creates and resource.scoped else options


def references_of(resource: Family) -> dict[str, Any]:
    """How the options of ``options_of`` name the object and its workspace, for ``Module``."""
    key = (resource.key, "id")
    places = [("workspace", "workspace_id")] if resource.in_workspace else []
    return dict(required_one_of=[key], mutually_exclusive=[key, *places])


class _Outcome(NamedTuple):
    """What a task led to."""

    # the record
    before: Record | None
    after: Record | None
    # see ``difference``
    drift: Record | None = None
    # the record that a recreate deleted
    lost: Record | None = None
    # what is deleted with it, for the diff: numbers by the names of lists
    held: Mapping[str, Any] = {}


def ensure(task: Task, resource: Family, saving: Saving | None = None) -> dict[str, Any]:
    """Make the one object that the task declares present or absent; returns the result of the module. saving: for a family
    with the option evidence."""
    # a deletion reads afresh, and check mode too, which has no 409 to correct it
    task.client.shares = task.params["state"] == "present" and not task.check_mode
    try:
        return _Object(task, resource, saving).result()
    except (Refused, ApiError) as error:
        # an earlier item of the loop may have read what is no longer true
        missing = not isinstance(error, ApiError) or error.status == 404
        if not missing or not task.client.start_over():
            raise
    return _Object(task, resource, saving).result()


class _Object:
    """The object that a task declares."""

    def __init__(self, task: Task, resource: Family, saving: Saving | None) -> None:
        self._task = task
        self._saving = saving
        self._client = task.client
        self._params = task.params
        self._resource = resource
        self._place = NOWHERE
        # without the key, except for a rename, which declares the new key; an option that is not set is no declared field
        names = {resource.key: "new_" + resource.key, **{field: field for field in resource.declared}}
        self._fields: Record = {
            field: task.params[name] for field, name in names.items() if task.params.get(name) is not None
        }

    def result(self) -> dict[str, Any]:
        """The result of the module."""
        resource, outcome = self._resource, self._outcome()
        before, after = outcome.before, outcome.after
        result: dict[str, Any] = {"changed": before != after, resource.name: after}
        if resource.recreatable:
            result.update(drift=outcome.drift or {}, lost=outcome.lost)
        if self._task.diff_mode:
            shown = (resource.key, *self._fields)
            sides = [
                {field: record[field] for field in shown if record and record[field] is not None}
                for record in (before, after)
            ]
            headers = dict(before_header=resource.noun, after_header=resource.noun)
            result["diff"] = dict(before={**sides[0], **outcome.held}, after=sides[1], **headers)
        return result

    def _outcome(self) -> _Outcome:
        task, params, resource = self._task, self._params, self._resource
        absent = params["state"] == "absent"
        if params.get("id") == UNKNOWN_ID:
            # in check mode, an object that an earlier task creates
            task.warn_assumed(f"the {resource.noun}")
            record = new_record(resource, self._fields)
            # an id creates nothing, so without a declared field nothing can change
            return _Outcome(record if absent or not self._fields else None, None if absent else record)
        if resource.scoped:
            # check mode sends nothing that the permit could judge
            task.permits.refuse_body(resource.path, {resource.key: params.get(resource.key), **self._fields})
        if resource.in_workspace:
            self._place = place_of(task)
        if resource.uses_current_workspace and params.get("id") is None:
            warn_current_workspace(self._place, task.warn)
        live = self._live()
        if absent:
            return self._absent(live)
        return self._create() if live is None else self._adjust(live)

    def _live(self) -> Record | None:
        """The object as it is, under its old name if it is to be renamed."""
        task, params, resource = self._task, self._params, self._resource
        key, absent = resource.key, params["state"] == "absent"
        new_key = self._fields.get(key)
        if new_key is None:
            # in a real run, the answer 409 to the create reveals an object beyond a short page; here nothing would
            return find(task, resource, self._place, whole=task.check_mode or absent)
        not_empty(f"new_{key}", new_key)
        if absent:
            raise WrongOption(f"new_{key} renames, which state: absent cannot do: leave it out.")
        if params.get("id") is not None:
            return find(task, resource)
        old_key = params[key]
        not_empty(key, old_key)
        rows = self._client.listed(resource)
        old, new = named(resource, rows, old_key, key, "id"), named(resource, rows, new_key, f"new_{key}")
        if old and new and old["id"] != new["id"]:
            raise Refused(
                f"new_{key} {printable(new_key)!r} is taken by {resource.noun} {new['id']}, and"
                f" {printable(old_key)!r} exists too: choose another new_{key}, or delete one of them first."
            )
        if not old and not new:
            if not task.check_mode:
                raise Refused(
                    f"{key} {printable(old_key)!r} cannot be renamed, because neither this {resource.noun} nor"
                    f" {printable(new_key)!r} exists: correct the {key}."
                )
            task.warn_assumed(f"{resource.noun} {printable(old_key)!r}")
        return old or new

    def _create(self) -> _Outcome:
        params, resource = self._params, self._resource
        if params.get("id") is not None:
            raise Refused(
                f"No {resource.noun} with id {params['id']} is visible to this API key: correct id, or declare the"
                f" {resource.noun} by {resource.key}."
            )
        values = {resource.key: params[resource.key], **self._fields}
        if resource.key_is_place:
            refuse_name(resource.key, values[resource.key])
        _refuse_incomplete(resource, values)
        if self._task.check_mode:
            predicted = dict(values, workspace_id=self._place.id) if resource.in_workspace else values
            return _Outcome(None, new_record(resource, predicted))
        created = self._post(values)
        if not created.made:
            return self._adjust(created.record)
        _refuse_other_form(resource, values, created.record, "created")
        return _Outcome(None, created.record)

    def _post(self, values: Record, exact: bool = False) -> Created:
        resource, place = self._resource, self._place
        created = self._client.create(
            resource,
            {field: value for field, value in values.items() if value != ""},
            look=lambda _status: find(self._task, resource, place, whole=True, exact=exact),
            place=place.query,
            confirm=(lambda: self._in_list(values)) if resource.hides_workspace and place.query else None,
        )
        if created.note:
            self._task.warn(created.note)
        if not created.made:
            return created
        if place.query and created.record.get("workspace_id") not in (None, place.id):
            raise _misplaced(resource, values, misplaced(place, created.record["workspace_id"]))
        # the service has the values, even if it does not show them
        hidden = {field: values[field] for field in not_shown(created.record, values)}
        return created._replace(record={**created.record, **hidden})

    def _in_list(self, values: Record) -> Record:
        """The new record, in the list of its workspace. Raises Incomplete. Costs 1 GET."""
        client, resource, place = self._client, self._resource, self._place
        key = values[resource.key]
        record = named(resource, client.all(resource, place.query), key, resource.key, "id")
        if record is None:
            raise _misplaced(resource, values, whereabouts(client, resource, key, place))
        return record

    def _adjust(self, live: Record) -> _Outcome:
        task, resource, fields = self._task, self._resource, self._fields
        if not_shown(live, fields):
            # its list leaves them out
            live = revealed(live, self._client.read(resource, live["id"]))
            hidden = not_shown(live, fields)
            if hidden:
                task.warn(not_compared(f"{resource.noun} {printable(live[resource.key])!r}", hidden))
        changes, drift = difference(resource, live, fields)
        if drift:
            on_drift = self._params["on_drift"]
            if on_drift == "recreate":
                if self._client.relies:
                    # only what this task has read itself permits that; ``ensure`` then starts over
                    raise Refused(f"{_called(resource, live)} may have changed in the meantime: run the task again.")
                return self._recreate(live, drift)
            what = f"{_differs(resource, live, drift)}, and the API cannot update it"
            if on_drift == "fail":
                raise Refused(
                    f"{what}: declare the live text, edit it in the web application, or set on_drift.", drift=drift
                )
            if on_drift == "warn":
                task.warn(f"{what}. It is not changed (see drift and on_drift).")
            return _Outcome(live, live, drift)
        if changes and resource.scoped:
            # a PUT of another field does not name the targets of the object
            unchanged = {field: live[field] for field in resource.target_names if field not in changes}
            task.permits.refuse_body(resource.path, {**unchanged, **changes})
        if changes and not task.check_mode:
            return _Outcome(live, self._client.update(resource, live, changes))
        return _Outcome(live, {**live, **changes})

    def _recreate(self, live: Record, drift: Record) -> _Outcome:
        task, resource = self._task, self._resource
        if not self._params["force"]:
            raise Refused(
                f"{_differs(resource, live, drift)}, and on_drift: recreate would delete the {resource.noun} together with"
                f" {resource.lost_with}: set force: true to accept that.",
                drift=drift,
            )
        problem = may_be_stored(drift)
        if problem:
            raise Refused(f"{_differs(resource, live, drift)}, and is not recreated: {problem}.", drift=drift)
        known = (resource.key, *resource.declared)
        values = {field: live[field] for field in known if live[field] is not None}
        values.update({field: sides["declared"] for field, sides in drift.items()})
        if resource.key_is_place:
            refuse_name("the live name", values[resource.key])
        _refuse_incomplete(resource, values)
        # the task may have named an id only, and a live name may be spelled differently from the declared one
        task.permits.refuse_body(resource.path, values)
        if task.check_mode:
            after = new_record(resource, dict(values, workspace_id=live.get("workspace_id")))
        else:
            # the same workspace as before, even if the task named none
            if not self._place.declared:
                self._place = self._place._replace(id=live.get("workspace_id"))
            # what is created next shows whether it was deleted
            self._client.delete(resource, live["id"], read_back=False)
            after = self._create_again(live, values)
            _refuse_other_form(resource, values, after, "recreated", lost=live)
        return _Outcome(live, after, drift, lost=live)

    def _create_again(self, live: Record, values: Record) -> Record:
        resource = self._resource
        try:
            # an interrupt must not end the task between the two
            with self._client.transport.stop.last_calls():
                # another spelling is another target, which exists beside the deleted one
                created = self._post(values, exact=True).record
        except ScannerError as error:
            advice = " Run the task again to create it."
            if self._params.get("id") is not None:
                advice = f" Its id no longer exists, so declare it by {resource.key} to create it."
            elif "run the task again" in str(error).lower():
                advice = ""
            raise Incomplete(
                f"{_called(resource, live)} was deleted, and creating it again failed: {error}{advice}",
                **{**error.result, "lost": live},
            ) from None
        if created["id"] == live["id"]:
            raise Incomplete(
                f"{_called(resource, live)} was not deleted, although the service accepted it: {NOT_GONE}."
            )
        return created

    def _absent(self, live: Record | None) -> _Outcome:
        task, resource = self._task, self._resource
        if live is None:
            return _Outcome(None, None)
        called = _called(resource, live)
        if resource.kept and live[resource.kept] is True:
            raise Refused(
                f"{called} is {resource.kept} and is never deleted: remove this task, or name one of your own lists."
            )
        if resource.kept and live[resource.kept] is not False:
            raise Refused(
                f"The service does not say whether {called} is {resource.kept}: the field is"
                f" {printable(live[resource.kept])!r}, neither true nor false. A {resource.kept} {resource.noun} is never"
                " deleted, so delete this one in the web application."
            )
        evidence = self._params.get("evidence")
        saved = [TARGET] if evidence is not None else []
        held = []
        for inside in [] if self._params.get("force") else [FAMILIES[name] for name in resource.holds]:
            pages = [] if inside in saved else self._client.pages(inside, {"workspace_id": live["id"]}, whole=False)
            count = len(next(iter(pages), []))
            if count:
                held.append(f"at least {counted(count, inside.noun)}")
        if held:
            save = ", evidence to keep the findings of targets" if resource.holds and not saved else ""
            raise Refused(
                f"{called} holds {' and '.join(held)}, which the service deletes with it: set force: true to accept that"
                f"{save}, or delete them first."
            )
        wanted = self._params.get(resource.key)
        if wanted not in (None, live[resource.key]):
            task.warn(f"This task deletes {called}, another spelling of {printable(wanted)!r}.")
        gone = self._gone_with(live) if task.diff_mode and resource.holds else {}
        if self._saving and evidence is not None:
            # also in check mode, where it refuses a wrong directory
            saver = self._saving(task, evidence)
            if not task.check_mode:
                saver.save_all(live["id"])
        if not task.check_mode and not self._client.delete(resource, live["id"]):
            return _Outcome(None, None)
        return _Outcome(live, None, held=gone)

    def _gone_with(self, live: Record) -> Record:
        """How much the service deletes with a workspace, by the names of the lists. 1 GET each."""
        found: Record = {}
        for inside in (*(FAMILIES[name] for name in self._resource.holds), SCAN):
            try:
                rows = self._client.all(inside, {"workspace_id": live["id"]})
                found[inside.plural] = len(rows_in(rows, live["id"]))
            except ApiError as error:
                # a key that may not read scans can still delete
                if error.status != 403:
                    raise
                found[inside.plural] = "not known, because this API key may not read them"
        return found


def _refuse_other_form(resource: Family, values: Record, record: Record, done: str, **result: Any) -> None:
    """Fail in the run that wrote a text which the service stores in another form, because no later run could change it."""
    # names of targets are found in normal form
    compared = {field: value for field, value in values.items() if field != resource.key or not resource.key_is_place}
    problem = stored_otherwise(record, compared, exact=resource.key, recreated=done == "recreated")
    if problem:
        raise Incomplete(
            f"{resource.noun} {printable(values[resource.key])!r} was {done}, but {problem}.",
            **{resource.name: record, **result},
        )


def _refuse_incomplete(resource: Family, values: Record) -> None:
    """Refuse a create without a field that the service demands, so that check mode predicts it."""
    needed = resource.creates.always if resource.creates else ()
    missing = [field for field in needed if values.get(field) in (None, "")]
    if missing:
        raise WrongOption(
            f"{resource.noun} {printable(values[resource.key])!r} does not exist, and the service creates none without"
            f" {' and '.join(missing)}: set {'it' if len(missing) == 1 else 'them'}, or correct the {resource.key}."
        )


def _misplaced(resource: Family, values: Record, where: str) -> Incomplete:
    return Incomplete(f"{resource.noun} {printable(values[resource.key])!r} was created, but {where}.")


def _called(resource: Family, live: Record) -> str:
    return f"{resource.noun} {printable(live[resource.key])!r} (id {live['id']})"


def _differs(resource: Family, live: Record, drift: Record) -> str:
    fields = " and ".join(sorted(drift))
    return f"The {fields} of {_called(resource, live)} differ{'' if len(drift) > 1 else 's'} from the declaration"
