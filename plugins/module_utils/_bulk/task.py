# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Many objects: read the account, make the plan, guard it, apply it. Decisions are in ``_plan``."""

from __future__ import annotations

import contextlib

from .._errors import NetworkError, Refused, counted, printable
from .._http.retry import GATEWAY
from .._lookup import look_alike, place_of
from .._names import normal_form
from .._resources import HTTP_LOGGER, RESOURCES, TARGET
from .._scope.gate import outside_scope
from .apply import Run
from .declaration import read_estate, read_targets, same_labels
from .live import live_estate, live_targets, reveal
from .plan import WRITES, PlanRefused, Rules, as_result, guard, refusals
from .plan import plan as plan_of
from .progress import Progress
from .report import Done, as_diff, failure, first_of_each, refused_as_a_whole, rows_of, shortened, summary_of

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
    report_full_plan=dict(type="bool", default=False),
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
    if not wanted[0].lists[TARGET.name]:
        task.warn(
            "targets is an empty list, so nothing is declared and nothing is done: leave the task out if that is meant."
        )
    _warn_alike_in(task, wanted[0], live)
    if params["state"] == "present":
        reveal(task, wanted, [live], marked=bool(purge) and rules.purge_marker is not None)
    # a workspace that check mode has not made has neither name nor id
    return _carry_out(task, wanted, [live], [place.name or str(place.id or "")], rules, refused, contents)


def reconcile_estate(task):
    """The work of the module estate: workspaces with their targets and HTTP loggers."""
    wanted = read_estate(task.params["workspaces"], task.params["declared_at"])
    same_labels(wanted)
    purge = tuple(entry.name for entry in (TARGET, HTTP_LOGGER) if entry.plural in task.params["purge"])
    if purge and not wanted:
        raise Refused("workspaces is empty, so purge has nothing to compare: declare a workspace, or leave purge out.")
    rules = _rules(task, purge, "present")
    refused = _refusals(task, wanted, rules)
    lives, contents = live_estate(task.client, wanted)
    reveal(task, wanted, lives)
    if not wanted:
        task.warn(
            "workspaces is an empty list, so nothing is declared and nothing is done: leave the task out if that is meant."
        )
    _warn_alike(task, [entry.workspace.name for entry in wanted])
    for entry, live in zip(wanted, lives):
        _warn_alike_in(task, entry, live)
    return _carry_out(task, wanted, lives, [entry.workspace.name for entry in wanted], rules, refused, contents)


def _warn_alike(task, declared, live=()):
    alike = look_alike(declared, live)
    if alike:
        task.warn(alike)


def _warn_alike_in(task, entry, live):
    """Warn of names in one workspace that look the same and are not."""
    for resource, items in entry.lists.items():
        rows = live.rows.get(resource, ())
        _warn_alike(task, [item.name for item in items], [row[RESOURCES[resource].key] for row in rows])


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
    return Rules(
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
    refused = refusals(wanted, rules)
    if refused and not task.params["continue_on_error"]:
        path, reason = next(iter(refused.items()))
        more = f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""
        raise Refused(
            outside_scope(f"{path}{more}", reason),
            refused=[dict(path=path, reason=str(reason)) for path, reason in refused.items()],
        )
    return refused


def _carry_out(task, wanted, lives, names, rules, refused, contents):
    steps = plan_of(wanted, lives, names, rules, refused)
    contents.refuse_shared(
        [(RESOURCES[step.resource], step.before) for step in steps if step.action == "delete" or step.recreates]
    )
    reads = len(task.client.transport.calls)
    sizes = {name: len(live.rows.get(TARGET.name, ())) for name, live in zip(names, lives)}
    result = dict(plan=as_result(steps, reads, sizes))
    if task.diff_mode:
        result["diff"] = as_diff(steps)
    try:
        _check(task, steps, lives, names, rules, result["plan"])
    except PlanRefused as error:
        done = refused_as_a_whole(steps, error.reason)
        result.update(_report(task, first_of_each(done), failed=True), summary=summary_of(done))
        # a plan that differs from the reviewed one is reviewed again, so all of it is returned
        if not isinstance(error, _NotReviewed):
            _shorten(task, result)
        error.result.update(result, changed=False)
        raise
    _warn(task, steps, rules, result["plan"])
    run = Run(task, {name: live.record and live.record["id"] for name, live in zip(names, lives)})
    with contextlib.closing(Progress(task.ansible._tmpdir)) as progress:
        done = [Done(step) for step in steps] if task.check_mode else run.apply(steps, progress)
    failed = any(entry.step.action in ("refused", "failed") for entry in done)
    result.update(_report(task, done, failed), summary=summary_of(done))
    result["changed"] = run.wrote or any(entry.step.action in WRITES for entry in done)
    if failed:
        _fail(task, result, done, run)
    return result


class _NotReviewed(PlanRefused):
    """The plan is not the one that expect_plan names."""


def _check(task, steps, lives, names, rules, plan):
    """Everything that can refuse the whole plan before the first write."""
    guard(steps, lives, names, rules)
    expected = task.params["expect_plan"]
    writes = [step for step in steps if step.action in WRITES]
    if expected and writes and plan["checksum"] != expected:
        now = ", ".join(f"{plan['counts'][action]} {action}" for action in WRITES if action in plan["counts"])
        first = writes[0]
        reason = "the estate or the declaration has changed since the plan was reviewed"
        raise _NotReviewed(
            f"{reason}; now it would be {now}, beginning with {first.action} {first.resource} {printable(first.name)!r}."
            " Review the plan in this result, and expect its checksum.",
            reason,
        )
    refused = [step for step in steps if step.action == "refused"]
    if refused and not task.params["continue_on_error"]:
        first = refused[0]
        more = f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""
        name = printable(first.item.name, 100)
        raise PlanRefused(
            f"{first.item.path} {name!r}{more}: {first.reason}; nothing was written. Correct it, or set continue_on_error.",
            "nothing is written while another object is refused",
        )


def _warn(task, steps, rules, plan):
    drifted = [step for step in steps if step.action == "drifted"]
    if drifted and rules.on_drift == "warn":
        one = len(drifted) == 1
        task.warn(
            f"{counted(len(drifted), 'target')} {'has' if one else 'have'} another description than declared,"
            f" {printable(drifted[0].name)!r}{'' if one else ' first'}, and the service has no call to change it;"
            f" {'it is left as it is' if one else 'they are left as they are'} (see plan and on_drift)."
        )
    wait = task.client.transport.connection.rate_limit_wait
    if plan["minutes"] * 60 > wait:
        task.warn(
            f"the documented rate limits make this plan wait {counted(plan['minutes'], 'minute')} or more, and"
            f" rate_limit_wait allows {wait} s: raise it, or run the task again until nothing is left."
        )


def _report(task, done, failed):
    """The rows of a result. What is unchanged is no news where something failed."""
    silent = ("unchanged",) if failed or not task.params["report_unchanged"] else ()
    return dict(results=rows_of(done, silent))


def _shorten(task, result):
    if not task.params["report_full_plan"]:
        result["plan"] = shortened(result["plan"])


def _fail(task, result, done, run):
    """Fail with what was done: partial is never done."""
    # only what stopped the run is known to pass; a name that is refused today is refused tomorrow
    stopped = run.failure
    passing = isinstance(stopped, NetworkError) or getattr(stopped, "status", None) in (429, *GATEWAY)
    _shorten(task, result)
    cause = stopped or run.first_failure
    api_error = {name: each for name, each in (cause.result if cause else {}).items() if name == "api_error"}
    raise Refused(failure(done, passing), **{**result, **api_error})
