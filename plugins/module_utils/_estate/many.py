# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Many objects: read the account, make the plan, guard it, apply it. The decisions are in ``plan``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .._http.pace import DOCUMENTED
from .._http.retry import GATEWAY
from .._http.transport import Transport
from .._model.errors import Incomplete, NetworkError, Refused, ScannerError, WrongOption, counted, first_of, printable
from .._model.families import TARGET, WORKSPACE
from .._model.family import Family
from .._model.records import Record
from .._scope.permit import outside_scope
from .._task.lookup import Contents
from .._task.name_match import look_alike
from .._task.references import place_of
from .._task.task import Task
from .account import Undeclared, live_estate, live_targets, refuse_renamed, renamed, reveal, with_lost_scans
from .apply import Run, pacing_of
from .declaration import IN_WORKSPACE, Wanted, read_estate, read_targets
from .marks import check_owner
from .notices import MOST_NAMED, deletions_not_made, unmarked, warnings_of
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
from .plan import WRITES, Managed, PlanRefused, Rules, Step, guard, plan, refusals
from .saving import Saving

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
    owner=dict(type="str"),
    purge_only=dict(type="str", choices=["all", "own"], default=_DEFAULTS.purge_only),
    adopt=dict(type="list", elements="str", default=[]),
    unprotect=dict(type="list", elements="str", default=[]),
    evidence=dict(type="path"),
    expect_plan=dict(type="str"),
    report_unchanged=dict(type="bool", default=True),
    report_full_plan=dict(type="bool", default=False),
)

_NOTHING_DECLARED = (
    "{} is an empty list, so nothing is declared and nothing is done. Remove the task if this is intended."
)


def reconcile_targets(task: Task, saving: Saving) -> dict[str, Any]:
    """The work of the module targets: a list for one workspace."""
    params = task.params
    wanted = read_targets(params["targets"])
    purge = [TARGET] if params["purge"] else []
    if purge and params["state"] == "absent":
        raise WrongOption("purge deletes what is not declared, which contradicts state: absent. Remove one of them.")
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
    return _carry_out(task, saving, workspaces, contents, rules, refused)


def reconcile_estate(task: Task, saving: Saving) -> dict[str, Any]:
    """The work of the module estate: workspaces with their targets and HTTP loggers."""
    params, unmanaged = task.params, task.params["unmanaged"]
    try:
        wanted = read_estate(params["workspaces"], params["declared_at"])
        purge = [family for family in (WORKSPACE, *IN_WORKSPACE) if family.plural in params["purge"]]
        if purge and not wanted:
            raise WrongOption(
                "workspaces is empty, so purge has nothing to compare. Declare a workspace, or remove purge."
            )
        rules = _rules(params, purge, task.permits.verdict)
        refused = _refusals(wanted, rules, params["continue_on_error"])
        workspaces, contents, undeclared = live_estate(task.client, wanted, bool(purge), unmanaged != "ignore")
        refuse_renamed(workspaces, undeclared)
        others = renamed(workspaces)
        if others:
            task.warn(
                f"{first_of(others, MOST_NAMED)}. A workspace with an id is renamed. In another account, remove the ids."
            )
        if unmanaged == "fail" and undeclared:
            shown = first_of([*map(str, undeclared)], MOST_NAMED)
            raise Refused(f"Not managed: {shown}. Declare them, or set unmanaged: report.")
        if not wanted:
            task.warn(_NOTHING_DECLARED.format("workspaces"))
        alike = look_alike([managed.name for managed in workspaces])
        if alike:
            task.warn(alike)
        return _carry_out(
            task, saving, workspaces, contents, rules, refused, [] if unmanaged == "ignore" else undeclared
        )
    except Refused as error:
        # the role estate_apply tells a guard from an error, also before there is a plan
        raise error.with_result(refused=error.result.get("refused", [])) from None


def _rules(params: Mapping[str, Any], purge: Sequence[Family], verdict: Callable[[str], str | None] | None) -> Rules:
    for option in ("purge_max", "purge_max_percent", "purge_floor"):
        if params[option] < 0:
            raise WrongOption(f"{option} is {params[option]}: set it to 0 or more.")
    if params["expect_plan"] is not None and not params["expect_plan"].strip():
        raise WrongOption(
            "expect_plan is empty, probably because a variable is unset: give the checksum of the reviewed plan, or"
            " leave the option out if none was reviewed."
        )
    for option, owners in (("owner", [params["owner"]]), ("adopt", params["adopt"])):
        for owner in owners:
            if owner is not None:
                check_owner(owner, option)
    if params["purge_only"] == "own" and params["owner"] is None:
        raise WrongOption("purge_only: own needs the owner whose targets may be purged: set owner.")
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
    task: Task,
    saving: Saving,
    workspaces: Sequence[Managed],
    contents: Contents,
    rules: Rules,
    refused: Mapping[str, str],
    undeclared: Sequence[Undeclared] = (),
) -> dict[str, Any]:
    params, client = task.params, task.client
    saver = saving(task, rules.evidence) if rules.evidence is not None else None
    ids = {managed.name: managed.record["id"] if managed.record else None for managed in workspaces}
    steps, result = _planned(task, workspaces, contents, rules, refused, undeclared, ids)
    try:
        guard(steps, workspaces, rules)
        _check_options(params, steps, result["plan"])
        short = _check_wait(client.transport, result["plan"]["calls"])
    except PlanRefused as error:
        first = first_of_each(steps, lambda step: step.action)
        rows = rows_of(refused_as_a_whole(first, error.reason), ("unchanged",))
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
    result["plan"]["warnings"] = [*task.warnings]
    run = Run(client, ids, params["continue_on_error"], task.warn, saver)
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


def _planned(
    task: Task,
    workspaces: Sequence[Managed],
    contents: Contents,
    rules: Rules,
    refused: Mapping[str, str],
    undeclared: Sequence[Undeclared],
    ids: Mapping[str, int | None],
) -> tuple[list[Step], dict[str, Any]]:
    """The steps, and the result with their ``plan``. Warns of what a person should know. ids: of the workspaces, by name."""
    client = task.client
    # what may be deleted may be somebody else's
    deletes_declared = rules.state == "absent" or rules.on_drift == "recreate"
    marks_of = "all" if rules.purge else "declared" if deletes_declared else "none"
    reveal(client, workspaces, marks_of, task.warn)
    for warning in warnings_of(workspaces, rules):
        task.warn(warning)
    steps = with_lost_scans(client, plan(workspaces, rules, refused), ids)
    kept = deletions_not_made(steps)
    if kept:
        task.warn(kept)
    contents.refuse_shared(_deleted(steps, workspaces))
    shown = as_result(
        steps,
        len(client.transport.calls),
        {each.name: len(each.rows.get(TARGET, ())) for each in workspaces},
        client.transport.connection.base_url,
        # that of targets is also made before an earlier task has created the workspace
        {each.name: each.record["id"] for each in workspaces if each.wanted.workspace and each.record},
        unmarked=unmarked(steps, rules),
        unmanaged=[
            dict(
                workspace=each.record["name"],
                id=each.record["id"],
                **{key.plural: len(rows) for key, rows in each.rows.items()},
            )
            for each in undeclared
        ],
        warnings=[*task.warnings],
    )
    result: dict[str, Any] = dict(plan=shown)
    if task.diff_mode:
        result["diff"] = as_diff(steps)
    return steps, result


def _deleted(steps: Iterable[Step], workspaces: Iterable[Managed]) -> list[tuple[Family, Record]]:
    """The live objects in workspaces that a plan deletes, also with their workspace."""
    gone = [step for step in steps if step.deletes]
    retired = {step.workspace for step in gone if step.family is WORKSPACE}
    held = [
        (family, row)
        for each in workspaces
        if each.name in retired
        for family in each.rows
        for row in each.rows[family]
    ]
    return [(step.family, step.live) for step in gone if step.family is not WORKSPACE] + held


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
    cause = stopped or run.first_failure or run.unsaved
    api_error = {name: each for name, each in (cause.result if cause else {}).items() if name == "api_error"}
    kind = Incomplete if run.wrote else Refused
    return kind(failure(done, temporary), **{**result, **api_error})
