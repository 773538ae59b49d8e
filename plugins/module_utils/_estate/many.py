# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Many objects: read the account, make the plan, guard it, apply it. The decisions are in ``plan``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from .._http.pace import DOCUMENTED
from .._http.retry import GATEWAY
from .._http.transport import Transport
from .._model.errors import Incomplete, NetworkError, Refused, ScannerError, WrongOption, counted, first_of, printable
from .._model.families import TARGET
from .._model.family import Family
from .._scope.permit import outside_scope
from .._task.lookup import Contents, look_alike
from .._task.references import place_of
from .._task.task import Task
from .account import live_estate, live_targets, renamed, reveal
from .apply import Run, pacing_of
from .declaration import IN_WORKSPACE, Wanted, read_estate, read_targets
from .outcome import (
    as_diff,
    as_result,
    drift_warning,
    failure,
    first_of_each,
    refused_as_a_whole,
    rows_of,
    shortened,
    shortest_wait,
    sufficient_wait,
    summary_of,
    usual_wait,
)
from .plan import WRITES, Managed, PlanRefused, Rules, Step, guard, idle_protection, plan, refusals

_DEFAULTS = Rules()

# the options of the modules that take many objects
MANY_OPTIONS: dict[str, dict[str, Any]] = dict(
    on_drift=dict(type="str", choices=["warn", "fail", "ignore", "recreate"], default=_DEFAULTS.on_drift),
    force=dict(type="bool", default=_DEFAULTS.force),
    continue_on_error=dict(type="bool", default=False),
    purge_max=dict(type="int", default=_DEFAULTS.purge_max),
    purge_max_percent=dict(type="int", default=_DEFAULTS.purge_max_percent),
    purge_floor=dict(type="int", default=_DEFAULTS.purge_floor),
    protect=dict(type="list", elements="str", default=[]),
    expect_plan=dict(type="str"),
    report_unchanged=dict(type="bool", default=True),
    report_full_plan=dict(type="bool", default=False),
)

# what a warning names
_MOST_NAMED = 5

_NOTHING_DECLARED = (
    "{} is an empty list, so nothing is declared and nothing is done. Remove the task if this is intended."
)


def reconcile_targets(task: Task) -> dict[str, Any]:
    """The work of the module targets: a list for one workspace."""
    params = task.params
    wanted = read_targets(params["targets"])
    purge = [TARGET] if params["purge"] else []
    if purge and params["state"] == "absent":
        raise WrongOption("purge deletes what is not declared, which contradicts state: absent. Remove one of them.")
    if purge and params["purge_marker"] is not None and not params["purge_marker"].strip():
        raise WrongOption(
            "purge_marker is empty, and every target contains an empty text. Give the text, or leave the option out."
        )
    rules = _rules(params, purge, task.permits.verdict)
    refused = _refusals([wanted], rules, params["continue_on_error"])
    place = place_of(task)
    if place.missing and purge:
        raise Refused(f"purge needs an existing workspace, and {place} does not exist. Correct its name or create it.")
    # a target that the list hides would be neither purged nor deleted
    recheck = bool(purge) or params["state"] == "absent"
    workspaces, contents = live_targets(task.client, place, wanted, recheck)
    if not wanted.lists[TARGET]:
        task.warn(_NOTHING_DECLARED.format("targets"))
    return _carry_out(task, workspaces, contents, rules, refused)


def reconcile_estate(task: Task) -> dict[str, Any]:
    """The work of the module estate: workspaces with their targets and HTTP loggers."""
    params = task.params
    wanted = read_estate(params["workspaces"], params["declared_at"])
    purge = [family for family in IN_WORKSPACE if family.plural in params["purge"]]
    if purge and not wanted:
        raise WrongOption("workspaces is empty, so purge has nothing to compare. Declare a workspace, or remove purge.")
    rules = _rules(params, purge, task.permits.verdict)
    refused = _refusals(wanted, rules, params["continue_on_error"])
    workspaces, contents, undeclared = live_estate(task.client, wanted, recheck=bool(purge))
    for warning in renamed(task.client, workspaces, undeclared):
        task.warn(warning)
    if not wanted:
        task.warn(_NOTHING_DECLARED.format("workspaces"))
    alike = look_alike([managed.name for managed in workspaces])
    if alike:
        task.warn(alike)
    return _carry_out(task, workspaces, contents, rules, refused)


def _rules(params: Mapping[str, Any], purge: Sequence[Family], verdict: Callable[[str], str | None] | None) -> Rules:
    for option in ("purge_max", "purge_max_percent", "purge_floor"):
        if params[option] < 0:
            raise WrongOption(f"{option} is {params[option]}: set it to 0 or more.")
    if params["expect_plan"] is not None and not params["expect_plan"].strip():
        raise WrongOption(
            "expect_plan is empty, probably because a variable is unset: give the checksum of the reviewed plan, or"
            " leave the option out if none was reviewed."
        )
    given = {name: params[name] for name in Rules._fields if name in params}
    return Rules(**{**given, "purge": purge, "verdict": verdict})


def _refusals(wanted: Sequence[Wanted], rules: Rules, continue_on_error: bool) -> dict[str, str]:
    """Check the scope before any request; without continue_on_error one refused target stops all."""
    refused = refusals(wanted, rules)
    if refused and not continue_on_error:
        path, reason = next(iter(refused.items()))
        raise Refused(
            outside_scope(path + _more(refused), reason),
            refused=[dict(path=path, reason=str(reason)) for path, reason in refused.items()],
        )
    return refused


def _more(refused: Sequence[Step] | Mapping[str, str]) -> str:
    return f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""


def _carry_out(
    task: Task, workspaces: Sequence[Managed], contents: Contents, rules: Rules, refused: Mapping[str, str]
) -> dict[str, Any]:
    params, client = task.params, task.client
    for warning in _warnings(workspaces, rules):
        task.warn(warning)
    if rules.state == "present":
        reveal(client, workspaces, bool(rules.purge) and rules.purge_marker is not None, task.warn)
    steps = plan(workspaces, rules, refused)
    contents.refuse_shared([(step.family, step.live) for step in steps if step.deletes])
    sizes = {managed.name: len(managed.rows.get(TARGET, ())) for managed in workspaces}
    result: dict[str, Any] = dict(plan=as_result(steps, len(client.transport.calls), sizes))
    if task.diff_mode:
        result["diff"] = as_diff(steps)
    try:
        guard(steps, workspaces, rules)
        _check_options(params, steps, result["plan"])
        short = _check_wait(client.transport, result["plan"]["calls"])
    except PlanRefused as error:
        rows = rows_of(refused_as_a_whole(first_of_each(steps), error.reason), ("unchanged",))
        result.update(results=rows, summary=summary_of(refused_as_a_whole(steps, error.reason)))
        if not (error.in_full or params["report_full_plan"]):
            result["plan"] = shortened(result["plan"])
        raise Refused(str(error), **result, changed=False) from None
    if short:
        task.warn(short)
        # warnings are shown after the task, which is too late
        task.host.show(short)
    drifted = [step for step in steps if step.action == "drifted"]
    if drifted and rules.on_drift == "warn":
        task.warn(drift_warning(drifted))
    ids = {managed.name: managed.record["id"] if managed.record else None for managed in workspaces}
    run = Run(client, ids, params["continue_on_error"], task.warn)
    done = steps if task.check_mode else run.apply(steps)
    failed = any(step.action in ("refused", "failed") for step in done)
    # what is unchanged is no news where something failed
    silent = ("unchanged",) if failed or not params["report_unchanged"] else ()
    result.update(results=rows_of(done, silent), summary=summary_of(done))
    result["changed"] = run.wrote or any(step.writes for step in done)
    if failed:
        if not params["report_full_plan"]:
            result["plan"] = shortened(result["plan"])
        raise _failed(result, done, run)
    return result


def _warnings(workspaces: Sequence[Managed], rules: Rules) -> Iterator[str]:
    """What a person should know of the declaration and of what exists."""
    for managed in workspaces:
        for family, items in managed.wanted.lists.items():
            live = [row[family.key] for row in managed.rows.get(family, ())]
            alike = look_alike([item.name for item in items], live)
            if alike:
                yield alike
    idle = idle_protection(workspaces, rules)
    if idle:
        names = "matches" if len(idle) == 1 else "match"
        yield (
            f"{first_of(idle, _MOST_NAMED)} {names} no object that purge looks at: check for a typo, or remove what is no"
            " longer needed."
        )


def _check_options(params: Mapping[str, Any], steps: Iterable[Step], shown: Mapping[str, Any]) -> None:
    """Refuse a plan other than the one that expect_plan names, and one with a refused object, unless continue_on_error is
    set. shown: the ``plan`` of the result."""
    expected = params["expect_plan"]
    first = next((step for step in steps if step.writes), None)
    if expected and first and shown["checksum"] != expected:
        now = ", ".join(f"{shown['counts'][action]} {action}" for action in WRITES if action in shown["counts"])
        reason = "the estate or the declaration has changed since the plan was reviewed"
        raise PlanRefused(
            f"{reason}; now it would be {now}, beginning with {first.action} {first.family.name}"
            f" {printable(first.name)!r}. Review the plan in this result, and expect its checksum.",
            reason,
            in_full=True,
        )
    refused = [step for step in steps if step.action == "refused"]
    if refused and not params["continue_on_error"]:
        first = refused[0]
        raise PlanRefused(
            f"{first.place} {printable(first.name, 100)!r}{_more(refused)}: {first.reason}; nothing was written. Correct"
            " it, or set continue_on_error.",
            "nothing is written while another object is refused",
        )


def _check_wait(transport: Transport, planned: Mapping[str, int]) -> str:
    """Refuse a plan that rate_limit_wait cannot suffice for; a warning of one for which it may not, or "". planned: the
    ``calls`` of the plan."""
    left, pacing = transport.budget.left, pacing_of(transport.budget)
    calls = {**planned, "GET": planned["GET"] - len(transport.calls)}
    assumed = not pacing.limits["write"]
    if assumed:
        pacing = pacing._replace(limits=DOCUMENTED)
    usual = usual_wait(calls, pacing)
    if usual <= left:
        return ""
    enough = math.ceil((transport.budget.seconds - left + sufficient_wait(calls, pacing)) / 60) * 60
    kinds = dict(write="writes", GET="GET calls")
    limits = " and ".join(f"{pacing.used(name)} {kind}" for name, kind in kinds.items() if pacing.limits[name])
    sentence = (
        f"The {'documented ' if assumed else ''}rate limits ({limits} a minute) make this plan wait"
        f" {counted(math.ceil(usual / 60), 'minute')} or more, and rate_limit_wait allows {left:.0f} s"
    )
    advice = f"Set rate_limit_wait to {enough}, or more if other tasks use the API at the same time."
    # a write may take longer than the quickest read
    if shortest_wait(calls, pacing, 2 * (transport.quickest or 0.0)) > left and not assumed:
        raise PlanRefused(f"{sentence}, so nothing was written. {advice}", "rate_limit_wait is too short for the plan")
    return f"{sentence}. {advice}"


def _failed(result: Mapping[str, Any], done: Sequence[Step], run: Run) -> ScannerError:
    """The failure of a task, with what was done: partial is never done."""
    # only what stopped the run is known to pass; a name that is refused today is refused tomorrow
    stopped = run.failure
    temporary = isinstance(stopped, NetworkError) or getattr(stopped, "status", None) in (429, *GATEWAY)
    cause = stopped or run.first_failure
    api_error = {name: each for name, each in (cause.result if cause else {}).items() if name == "api_error"}
    kind = Incomplete if run.wrote else Refused
    return kind(failure(done, temporary), **{**result, **api_error})
