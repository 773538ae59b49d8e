# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Many objects: read the account, make the plan, guard it, apply it. Decisions are in ``_plan``."""

from __future__ import annotations

from collections import Counter

from . import _plan
from ._apply import Run
from ._declaration import read_estate, read_targets, same_labels
from ._errors import CallError, NetworkError, Refused, ScannerError, printable
from ._gate import outside_scope
from ._live import live_estate, live_targets
from ._lookup import place_of
from ._names import normal_form
from ._resources import HTTP_LOGGER, RESOURCES, TARGET
from ._retry import GATEWAY

# the options of the modules that take many objects
MANY_OPTIONS = dict(
    on_drift=dict(type="str", choices=["warn", "fail", "ignore", "recreate"], default="warn"),
    force=dict(type="bool", default=False),
    continue_on_error=dict(type="bool", default=False),
    purge_max=dict(type="int", default=50),
    purge_max_percent=dict(type="int", default=30),
    purge_floor=dict(type="int", default=10),
    protect=dict(type="list", elements="str", default=[]),
    expect_plan=dict(type="str"),
    report_unchanged=dict(type="bool", default=True),
)


def reconcile_targets(task):
    """The work of the module targets: a list for one workspace."""
    params = task.params
    wanted = [read_targets(params["targets"])]
    purge = (TARGET.name,) if params["purge"] else ()
    if purge and params["state"] == "absent":
        raise Refused("purge deletes what is not declared, which state: absent cannot mean: leave one of them out.")
    if purge and params["purge_marker"] is not None and not params["purge_marker"].strip():
        raise Refused("purge_marker is empty, so every target would carry it: give the text, or leave the option out.")
    rules = _rules(task, purge, params["state"])
    refused = _refusals(task, wanted, rules)
    place = place_of(task)
    if place.missing and purge:
        raise Refused(f"purge needs a workspace that is there, and {place} is not: correct its name or make it first.")
    live, contents = live_targets(task.client, place)
    # a workspace that check mode has not made has neither name nor id
    return _carry_out(task, wanted, [live], [place.name or str(place.id or "")], rules, refused, contents)


def reconcile_estate(task):
    """The work of the module estate: workspaces with their targets and HTTP loggers."""
    wanted = read_estate(task.params["workspaces"])
    same_labels(wanted)
    purge = tuple(entry.name for entry in (TARGET, HTTP_LOGGER) if entry.plural in task.params["purge"])
    if purge and not wanted:
        raise Refused("workspaces is empty, so purge has nothing to compare: declare a workspace, or leave purge out.")
    rules = _rules(task, purge, "present")
    refused = _refusals(task, wanted, rules)
    lives, contents = live_estate(task.client, wanted)
    return _carry_out(task, wanted, lives, [entry.workspace.name for entry in wanted], rules, refused, contents)


def _rules(task, purge, state):
    params = task.params
    for option in ("purge_max", "purge_max_percent", "purge_floor"):
        if params[option] < 0:
            raise Refused(f"{option} is {params[option]}: set it to 0 or more.")
    if params["expect_plan"] is not None and not params["expect_plan"].strip():
        raise Refused(
            "expect_plan is empty, as an unset variable is: give the checksum of the reviewed plan, or leave the option out"
            " if none was reviewed."
        )
    return _plan.Rules(
        state=state,
        on_drift=params["on_drift"],
        force=params["force"],
        purge=purge,
        purge_marker=params.get("purge_marker"),
        purge_max=params["purge_max"],
        purge_max_percent=params["purge_max_percent"],
        purge_floor=params["purge_floor"],
        protect=tuple(params["protect"]),
        verdict=task.gate.verdict,
        normal_forms={TARGET.name: normal_form},
    )


def _refusals(task, wanted, rules):
    """Check the scope before any request; without continue_on_error one refused target stops all."""
    refused = _plan.refusals(wanted, rules)
    if refused and not task.params["continue_on_error"]:
        path, reason = next(iter(refused.items()))
        more = f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""
        raise Refused(
            outside_scope(f"{path}{more}", reason),
            refused=[dict(path=path, reason=str(reason)) for path, reason in refused.items()],
        )
    return refused


def _carry_out(task, wanted, lives, names, rules, refused, contents):
    steps = _plan.plan(wanted, lives, names, rules, refused)
    contents.refuse_shared(
        [(RESOURCES[step.resource], step.before) for step in steps if step.action == "delete" or step.recreates]
    )
    reads = len(task.client.transport.calls)
    result = dict(plan=_plan.as_result(steps, reads))
    if task.diff_mode:
        result["diff"] = _plan.as_diff(steps)
    try:
        _check(task, steps, lives, names, rules, result["plan"])
    except ScannerError as error:
        stopped = [step._replace(action="refused") if step.action in _plan.WRITES else step for step in steps]
        error.result.update(result, changed=False, **_report(task, [(step, None, None) for step in stopped]))
        raise
    _warn(task, steps, rules, result["plan"])
    run = Run(task, {name: live.record and live.record["id"] for name, live in zip(names, lives)})
    done = [(step, None, None) for step in steps] if task.check_mode else run.apply(steps)
    result.update(_report(task, done), changed=any(step.action in _plan.WRITES for step, _id, _error in done))
    if run.wrote:
        result["changed"] = True
    # what failed first: an earlier row may only be refused because of it
    problems = [
        error or step.reason for action in ("failed", "refused") for step, _id, error in done if step.action == action
    ]
    if problems:
        _fail(result, problems, run.failure)
    return result


def _check(task, steps, lives, names, rules, plan):
    """Everything that can refuse the whole plan before the first write."""
    _plan.guard(steps, lives, names, rules)
    expected = task.params["expect_plan"]
    writes = [step for step in steps if step.action in _plan.WRITES]
    if expected and writes and plan["checksum"] != expected:
        counts = Counter(step.action for step in writes)
        now = ", ".join(f"{counts[action]} {action}" for action in _plan.WRITES if counts[action])
        raise Refused(
            f"the estate or the declaration has changed since the plan was reviewed; now it would be {now}, beginning with"
            f" {writes[0].action} {writes[0].resource} {printable(writes[0].name)!r}: review the plan in this result and"
            " expect its checksum."
        )
    refused = [step for step in steps if step.action == "refused"]
    if refused and not task.params["continue_on_error"]:
        first = refused[0]
        more = f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""
        raise Refused(
            f"{first.item.path}{more}: {first.reason}; nothing was written: correct it, or set continue_on_error."
        )


def _warn(task, steps, rules, plan):
    drifted = [step for step in steps if step.action == "drifted"]
    if drifted and rules.on_drift == "warn":
        task.warn(
            f"{len(drifted)} targets have another description than declared, {printable(drifted[0].name)!r} first, and the"
            " service has no call to change it; they are left as they are (see plan and on_drift)."
        )
    wait = task.client.transport.connection.rate_limit_wait
    if plan["minutes"] * 60 > wait:
        task.warn(
            f"the documented rate limits make this plan wait {plan['minutes']} minutes or more, and rate_limit_wait allows"
            f" {wait} s: raise it, or run again until nothing is left."
        )


def _report(task, done):
    silent = () if task.params["report_unchanged"] else ("unchanged",)
    results = []
    for step, object_id, error in done:
        if step.action in silent:
            continue
        if object_id is None and step.before is not None:
            object_id = step.before["id"]
        results.append(
            dict(
                index=step.item.index if step.item else None,
                resource=step.resource,
                workspace=step.workspace,
                name=step.name,
                action=step.action,
                id=object_id,
                error=error or (step.reason if step.action in ("refused", "failed") else None),
            )
        )
    counts = Counter(step.action for step, _id, _error in done)
    return dict(results=results, summary={action: counts[action] for action in _plan.ACTIONS})


def _fail(result, problems, failure):
    """Fail with what was done: partial is never done."""
    done = sum(result["summary"][action] for action in _plan.WRITES)
    total = sum(result["summary"].values())
    more = f" (and {len(problems) - 1} more, see results)" if len(problems) > 1 else ""
    # only what stopped the run is known to pass; a name that is refused today is refused tomorrow
    passing = isinstance(failure, NetworkError) or getattr(failure, "status", None) in (429, *GATEWAY)
    again = "a second run completes it" if passing else "correct that, and a second run does what is left"
    error = dict(result)
    if isinstance(failure, CallError):
        error.update(failure.result)
    raise Refused(
        f"{len(problems)} of {total} objects were not done, {done} were written: {problems[0].rstrip('.')}"
        f"{more}; {again}.",
        **error,
    )
