# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Many objects: read the account, make the plan, guard it, apply it. The decisions are in ``plan``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._http.pace import DOCUMENTED
from .._http.retry import GATEWAY
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
    rules = _rules(task, purge)
    refused = _refusals(task, [wanted], rules)
    place = place_of(task)
    if place.missing and purge:
        raise Refused(f"purge needs an existing workspace, and {place} does not exist. Correct its name or create it.")
    # a target that the list hides would be neither purged nor deleted
    recheck = bool(purge) or params["state"] == "absent"
    workspaces, contents = live_targets(task.client, place, wanted, recheck)
    if not wanted.lists[TARGET]:
        _warn_nothing_declared(task, "targets")
    return _carry_out(task, workspaces, contents, rules, refused)


def reconcile_estate(task: Task) -> dict[str, Any]:
    """The work of the module estate: workspaces with their targets and HTTP loggers."""
    wanted = read_estate(task.params["workspaces"], task.params["declared_at"])
    purge = [family for family in IN_WORKSPACE if family.plural in task.params["purge"]]
    if purge and not wanted:
        raise WrongOption("workspaces is empty, so purge has nothing to compare. Declare a workspace, or remove purge.")
    rules = _rules(task, purge)
    refused = _refusals(task, wanted, rules)
    workspaces, contents, undeclared = live_estate(task.client, wanted, recheck=bool(purge))
    for warning in renamed(task.client, workspaces, undeclared):
        task.warn(warning)
    if not wanted:
        _warn_nothing_declared(task, "workspaces")
    _warn_alike(task, [managed.name for managed in workspaces])
    return _carry_out(task, workspaces, contents, rules, refused)


def _warn_nothing_declared(task: Task, option: str) -> None:
    task.warn(
        f"{option} is an empty list, so nothing is declared and nothing is done. Remove the task if this is intended."
    )


def _warn_alike(task: Task, declared: Sequence[str], live: Sequence[str] = ()) -> None:
    alike = look_alike(declared, live)
    if alike:
        task.warn(alike)


def _rules(task: Task, purge: Sequence[Family]) -> Rules:
    params = task.params
    for option in ("purge_max", "purge_max_percent", "purge_floor"):
        if params[option] < 0:
            raise WrongOption(f"{option} is {params[option]}: set it to 0 or more.")
    if params["expect_plan"] is not None and not params["expect_plan"].strip():
        raise WrongOption(
            "expect_plan is empty, probably because a variable is unset: give the checksum of the reviewed plan, or"
            " leave the option out if none was reviewed."
        )
    given = {name: params[name] for name in Rules._fields if name in params}
    return Rules(**{**given, "purge": purge, "verdict": task.permits.verdict})


def _refusals(task: Task, wanted: Sequence[Wanted], rules: Rules) -> dict[str, str]:
    """Check the scope before any request; without continue_on_error one refused target stops all."""
    refused = refusals(wanted, rules)
    if refused and not task.params["continue_on_error"]:
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
    _warn_of_names_alike(task, workspaces)
    _warn_of_idle_protection(task, workspaces, rules)
    if rules.state == "present":
        reveal(task, workspaces, marked=bool(rules.purge) and rules.purge_marker is not None)
    steps = plan(workspaces, rules, refused)
    contents.refuse_shared([(step.family, step.live) for step in steps if step.deletes])
    sizes = {managed.name: len(managed.rows.get(TARGET, ())) for managed in workspaces}
    result: dict[str, Any] = dict(plan=as_result(steps, len(task.client.transport.calls), sizes))
    if task.diff_mode:
        result["diff"] = as_diff(steps)
    try:
        guard(steps, workspaces, rules)
        _check_reviewed(task, steps, result["plan"])
        _check_refused(task, steps)
        _check_wait(task, result["plan"])
    except PlanRefused as error:
        raise _refused(task, result, steps, error) from None
    _warn(task, steps, rules)
    run = Run(task, {managed.name: managed.record["id"] if managed.record else None for managed in workspaces})
    done = steps if task.check_mode else run.apply(steps)
    failed = any(step.action in ("refused", "failed") for step in done)
    # what is unchanged is no news where something failed
    silent = ("unchanged",) if failed or not task.params["report_unchanged"] else ()
    result.update(results=rows_of(done, silent), summary=summary_of(done))
    result["changed"] = run.wrote or any(step.writes for step in done)
    if failed:
        raise _failed(task, result, done, run)
    return result


def _warn_of_idle_protection(task: Task, workspaces: Sequence[Managed], rules: Rules) -> None:
    idle = idle_protection(workspaces, rules)
    if idle:
        names = "matches" if len(idle) == 1 else "match"
        task.warn(
            f"{first_of(idle, _MOST_NAMED)} {names} no object that purge looks at: check for a typo, or remove what is no"
            " longer needed."
        )


def _warn_of_names_alike(task: Task, workspaces: Sequence[Managed]) -> None:
    for managed in workspaces:
        for family, items in managed.wanted.lists.items():
            live = [row[family.key] for row in managed.rows.get(family, ())]
            _warn_alike(task, [item.name for item in items], live)


def _check_reviewed(task: Task, steps: Iterable[Step], shown: Mapping[str, Any]) -> None:
    """Refuse a plan other than the one that expect_plan names. shown: the ``plan`` of the result."""
    expected = task.params["expect_plan"]
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


def _check_refused(task: Task, steps: Iterable[Step]) -> None:
    """Refuse a plan with a refused object, unless continue_on_error is set."""
    refused = [step for step in steps if step.action == "refused"]
    if refused and not task.params["continue_on_error"]:
        first = refused[0]
        raise PlanRefused(
            f"{first.place} {printable(first.name, 100)!r}{_more(refused)}: {first.reason}; nothing was written. Correct"
            " it, or set continue_on_error.",
            "nothing is written while another object is refused",
        )


def _check_wait(task: Task, shown: Mapping[str, Any]) -> None:
    """Refuse a plan that rate_limit_wait cannot suffice for; warn of one for which it may not. shown: as above."""
    transport = task.client.transport
    left, pacing = transport.budget.left, pacing_of(task)
    calls = {**shown["calls"], "GET": shown["calls"]["GET"] - len(transport.calls)}
    assumed = not pacing.limits["write"]
    if assumed:
        pacing = pacing._replace(limits=DOCUMENTED)
    usual = usual_wait(calls, pacing)
    if usual <= left:
        return
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
    task.warn(f"{sentence}. {advice}")
    # warnings are shown after the task, which is too late
    task.host.show(f"{sentence}. {advice}")


def _warn(task: Task, steps: Iterable[Step], rules: Rules) -> None:
    drifted = [step for step in steps if step.action == "drifted"]
    if drifted and rules.on_drift == "warn":
        one = len(drifted) == 1
        task.warn(
            f"{counted(len(drifted), 'target')} {'has' if one else 'have'} another description than declared,"
            f" {printable(drifted[0].name)!r}{'' if one else ' first'}. The API cannot update it, so"
            f" {'it is left as it is' if one else 'they are left as they are'}; see plan and on_drift."
        )


def _refused(task: Task, result: dict[str, Any], steps: Sequence[Step], error: PlanRefused) -> Refused:
    """The failure of a task that has written nothing."""
    rows = rows_of(refused_as_a_whole(first_of_each(steps), error.reason), ("unchanged",))
    result.update(results=rows, summary=summary_of(refused_as_a_whole(steps, error.reason)))
    if not error.in_full:
        _shorten(task, result)
    return Refused(str(error), **result, changed=False)


def _shorten(task: Task, result: dict[str, Any]) -> None:
    if not task.params["report_full_plan"]:
        result["plan"] = shortened(result["plan"])


def _failed(task: Task, result: dict[str, Any], done: Sequence[Step], run: Run) -> ScannerError:
    """The failure of a task, with what was done: partial is never done."""
    # only what stopped the run is known to pass; a name that is refused today is refused tomorrow
    stopped = run.failure
    temporary = isinstance(stopped, NetworkError) or getattr(stopped, "status", None) in (429, *GATEWAY)
    _shorten(task, result)
    cause = stopped or run.first_failure
    api_error = {name: each for name, each in (cause.result if cause else {}).items() if name == "api_error"}
    kind = Incomplete if run.wrote else Refused
    return kind(failure(done, temporary), **{**result, **api_error})
