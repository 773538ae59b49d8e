# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Reads what a gate judges: the newest scan of each target and tool, and the findings of that scan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from .._http.client import Client
from .._model.errors import ApiError, CallError, WrongOption, printable
from .._model.families import FINDING, SCAN, TARGET, WORKSPACE
from .._model.outcomes import INCOMPLETE, NOTHING_SCANNED, PASSED, SERVICE_ERROR
from .._model.records import Record, read_id
from .._model.target_names import normal_form
from .._model.times import Clock
from .._model.tools import tool_id_of, tool_name_of
from .._task.lookup import Contents, Place, not_empty
from .._task.name_match import Names
from .._task.raw_options import UNKNOWN_ID
from .._task.references import belongs, place_of, scan_by_id
from .._task.task import Task
from .clock import latest_clock
from .findings import finding_of
from .proof import Tally, proof_of, surplus_warning
from .registered import results_in, scans_in
from .rows import Pair, Reading, Trouble, outcome_of_scan, rows_of
from .scans import duration_of, ended_in, history_of, lacks, newest_of, outcome_of
from .sight import finished, reach_of, why_incomplete, why_narrower, words_of

# what stands for the tool of a target that has no scan
ANY_TOOL = "any tool"
# refusals that concern one object; after any other failure, the next call would fail too
_ABOUT_ONE_OBJECT = (404, 500)
_NOT_YET = Trouble(NOTHING_SCANNED, "In check mode, what this task names does not exist yet, so nothing was judged.")


class Wanted(NamedTuple):
    """A target and a tool, and their newest scan."""

    target: str
    target_id: int | None
    tool: str
    tool_id: int | None
    place: Place
    scan: Record | None = None
    # why there is none, a clause
    why: str = ""
    # why there may be a newer one, a sentence
    doubt: str = ""


# what is wanted, and what scans without a target or tool may be, sentences
Asked = tuple[list[Wanted], list[str]]


def read(task: Task) -> Reading:
    """The pairs that the task names, by ``scan_ids`` or by workspace. A call that fails becomes their outcome."""
    tools = [tool_id_of(tool, f"tools[{index}]") for index, tool in enumerate(task.params["tools"] or ())]
    try:
        place, scan_ids = place_of(task), task.params["scan_ids"]
        unknown = not place.missing and UNKNOWN_ID in (scan_ids or ())
        if unknown:
            task.warn_assumed("a scan among scan_ids")
        if unknown or place.missing:
            return Reading((), (), task.params["workspace"], (_NOT_YET,))
        if scan_ids is None:
            wanted, hidden = _of_workspace(task.client, place, task.params["targets"], tools)
        else:
            named = {scan_id: scan_by_id(task.client, scan_id, "scan_ids", place) for scan_id in sorted(set(scan_ids))}
            wanted, hidden = _of_scans(named, task.warn)
        wanted = list(_compared(task.client, wanted, task.params["scan_results"] or ()))
        names: dict[int | None, str | None] = {}
        for place_id, own in {each.place.id: each.place for each in wanted}.items():
            record = task.client.read(WORKSPACE, place_id) if own.name is None and place_id is not None else None
            names[place_id] = record["name"] if record else own.name
    except CallError as error:
        return Reading(
            (), (), task.params["workspace"], (Trouble(SERVICE_ERROR, str(error)),), error.result["api_error"]
        )
    clock = latest_clock(task.client, [each.scan for each in wanted if each.scan])
    failures: list[CallError] = []
    notes: list[str] = []
    pairs = tuple(_pairs(task.client, bool(task.params["baseline"]), wanted, names, clock, failures, notes))
    if notes:
        task.warn(surplus_warning(notes))
    return Reading(
        pairs,
        rows_of(pairs),
        next(iter(names.values())) if len(set(names.values())) == 1 else None,
        tuple(Trouble(INCOMPLETE, sentence) for sentence in hidden),
        failures[0].result["api_error"] if failures else None,
        clock.now,
    )


def asked_of(wanted: Sequence[Wanted], scans: Iterable[Record], any_tool: bool) -> Asked:
    """What is wanted, and what scans without a target or tool leave open: each may be of all that its record does not
    exclude. any_tool: whether each tool that has scanned a target is judged."""
    judged = list(wanted)
    hidden = []
    pairs = {(each.target_id, each.tool_id) for each in wanted}
    targets = {each.target_id for each in wanted} - {None}
    for scan in scans:
        missing = lacks(scan)
        if not missing:
            continue
        own = [number for number, each in enumerate(judged) if _may_be_of(scan, each)]
        for number in own:
            known = judged[number].scan
            if known is not None and known["id"] < scan["id"] and not wanted[number].doubt:
                doubt = f"Scan {scan['id']} may be a newer scan of it, because its record has no {missing}."
                judged[number] = judged[number]._replace(doubt=doubt)
        # of a judged target and a tool that would be judged, too, if the record said so
        theirs = targets if scan["target_id"] is None else targets & {scan["target_id"]}
        another = any(scan["tool_id"] is None or (each, scan["tool_id"]) not in pairs for each in theirs)
        if (any_tool and another) or any(judged[number].scan is None for number in own):
            hidden.append(
                f"Scan {scan['id']} may be of a target and tool without another scan, because its record has no {missing}:"
                " check it in the web application."
            )
    return judged, hidden


def _may_be_of(scan: Record, wanted: Wanted) -> bool:
    if wanted.target_id is None:
        # a target that does not exist
        return False
    same_tool = wanted.tool_id is None or scan["tool_id"] in (None, wanted.tool_id)
    return same_tool and scan["target_id"] in (None, wanted.target_id)


def _of_workspace(client: Client, place: Place, names: Sequence[str] | None, tools: Sequence[int]) -> Asked:
    """What is wanted of a workspace: the named targets or all, with the declared tools or all that have scanned them."""
    if place.id is None:
        raise WrongOption("gate needs to know what to judge: set workspace, workspace_id, scan_ids or findings_file.")
    live = list(Contents(client, [(place.id, TARGET)])[TARGET, place.id])
    if names is None:
        live.sort(key=lambda row: str(row["name"]))
    listed = [row for row in client.all(SCAN, place.query) if belongs(row, place.query)]
    newest = newest_of(scan for scan in listed if not lacks(scan))
    wanted = []
    for name, record in named_targets(names, live):
        if record is None:
            why = f"target {printable(name)!r} does not exist in {place}"
            wanted += [Wanted(name, None, tool, tool_id, place, None, why) for tool, tool_id in _named(tools)]
            continue
        own = tools or sorted(tool for target, tool in newest if target == record["id"] and isinstance(tool, int))
        for tool, tool_id in _named(own):
            why = f"target {printable(record['name'])!r} was never scanned with {tool}"
            newest_scan = newest.get((record["id"], tool_id))
            wanted.append(Wanted(record["name"], record["id"], tool, tool_id, place, newest_scan, why))
    return asked_of(wanted, listed, not tools)


def named_targets(names: Sequence[str] | None, live: Sequence[Record]) -> list[tuple[str, Record | None]]:
    """The targets to judge, each once with its live record, None for one that does not exist. names: None for all."""
    if names is None:
        return [(record["name"], record) for record in live]
    found = Names(TARGET, live)
    wanted: dict[object, tuple[str, Record | None]] = {}
    for index, name in enumerate(names):
        not_empty(f"targets[{index}]", name)
        record = found.one(name, f"targets[{index}]")
        # two targets of a workspace can have one normal form
        wanted.setdefault(record["id"] if record else normal_form(name), (name, record))
    return list(wanted.values())


def _compared(client: Client, wanted: Iterable[Wanted], registered: Iterable[object]) -> Iterator[Wanted]:
    """The targets and tools, with a doubt if their newest scan may see less than the one that a task before the gate has used,
    as one that somebody else has started since; 2 GET where these are two scans. registered: the results of these tasks."""
    used: dict[tuple[int | None, int | None], int] = {}
    for _path, result in results_in(registered):
        for _said, record in scans_in(result):
            key = read_id(record.get("target_id")), read_id(record.get("tool_id"))
            used[key] = max(used.get(key, 0), read_id(record.get("id")) or 0)
    for each in wanted:
        newest, before = each.scan, used.get((each.target_id, each.tool_id), 0)
        if newest is None or each.doubt or not finished(newest) or not 0 < before < newest["id"]:
            yield each
            continue
        narrower = why_narrower(
            *(reach_of(client.read(SCAN, number) or {"id": number}) for number in (newest["id"], before))
        )
        doubt = (
            f"Scan {newest['id']} is newer than scan {before}, which the task before the gate has used, and may see less:"
            f" {narrower}. Start a new scan with the parameters of the task."
        )
        yield each._replace(doubt=doubt) if narrower else each


def _named(tools: Sequence[int]) -> list[tuple[str, int | None]]:
    return [(tool_name_of(tool), tool) for tool in tools] or [(ANY_TOOL, None)]


def _of_scans(read: Mapping[int, tuple[Record, Place, Record | None]], warn: Callable[[str], None]) -> Asked:
    """The named scans, by id, with their targets. Of several scans of one target and tool, only the newest counts."""
    histories = history_of(scan for scan, _place, _target in read.values() if not lacks(scan))
    wanted = []
    for scan_id, (scan, its_place, target) in read.items():
        if lacks(scan):
            # it is not known to be of any target and tool, so none of the others replaces it
            tool = "an unknown tool" if scan["tool_id"] is None else tool_name_of(scan["tool_id"])
            doubt = f"Scan {scan_id} proves nothing, because its record has no {lacks(scan)}."
            name = target["name"] if target else "an unknown target"
            wanted.append(Wanted(name, scan["target_id"], tool, scan["tool_id"], its_place, scan, doubt=doubt))
            continue
        history = histories[scan["target_id"], scan["tool_id"]]
        if scan_id == history[-1]["id"]:
            newest, place, newest_target = read[history[0]["id"]]
            name, tool = _target_name(newest, newest_target), tool_name_of(newest["tool_id"])
            wanted.append(Wanted(name, newest["target_id"], tool, newest["tool_id"], place, newest))
        else:
            name = _target_name(scan, target)
            warn(f"Scan {scan_id} of {printable(name)!r} replaces an older one among scan_ids, which is not judged.")
    return asked_of(wanted, [each.scan for each in wanted if each.scan], False)


def _target_name(scan: Record, target: Record | None) -> str:
    return target["name"] if target else f"the deleted target {scan['target_id']}"


def _pairs(
    client: Client,
    needs_params: bool,
    wanted: Sequence[Wanted],
    workspaces: dict[int | None, str | None],
    clock: Clock,
    failures: list[CallError],
    notes: list[str],
) -> Iterator[Pair]:
    """The pairs. After a failure that the next call would meet too, no more calls are sent.

    needs_params: as in ``_in_full``; failures: gets the errors; notes: gets what there is more than the scans counted.
    """
    stopped: CallError | None = None
    for each in wanted:
        pair = _pair(each, workspaces[each.place.id], clock)
        if pair.outcome == PASSED and each.scan is not None:
            try:
                if stopped is not None:
                    raise stopped
                pair = _with_findings(client, each, _in_full(client, each.scan, needs_params), pair, notes)
            except CallError as error:
                failures.append(error)
                if not isinstance(error, ApiError) or error.status not in _ABOUT_ONE_OBJECT:
                    stopped = error
                pair = pair._replace(outcome=SERVICE_ERROR, complete=False, problems=(str(error),))
        yield pair._replace(complete=False, problems=(each.doubt, *pair.problems)) if each.doubt else pair


def _pair(wanted: Wanted, workspace: str | None, clock: Clock) -> Pair:
    """A pair without its findings."""
    scan = wanted.scan
    pair = Pair(wanted.target, wanted.target_id, workspace, wanted.tool, wanted.tool_id)
    if scan is None:
        return pair._replace(problems=(_sentence(wanted.why),) if wanted.why else ())
    ending, said = outcome_of(scan), words_of(scan, True)
    status = printable(scan["status_name"], 60)
    unfinished = f"Scan {scan['id']} did not finish: its status is {status!r}{f' ({said})' if said else ''}."
    outcome = outcome_of_scan(ending)
    # without an end, the record of a scan has its start only
    finished, age = (None, None) if ending is None else ended_in(scan, clock)
    return pair._replace(
        scan_id=scan["id"],
        status=str(scan["status_name"] or ""),
        outcome=outcome,
        finished=finished,
        age=age,
        duration=None if finished is None else duration_of(scan),
        problems=() if outcome == PASSED else (unfinished,),
    )


def _sentence(clause: str) -> str:
    return f"{clause[0].upper()}{clause[1:]}."


def _in_full(client: Client, scan: Record, needs_params: bool) -> Record:
    """A scan with its parameters, which a baseline records and lists do not show; 1 GET where they are needed."""
    known = "tool_params" in scan or not (needs_params or scan["num_tests"] is None)
    return scan if known else client.read(SCAN, scan["id"]) or scan


def read_pair(client: Client, wanted: Wanted, clock: Clock, notes: list[str]) -> Pair:
    """A finished scan with its findings. notes: as in ``_pairs``. Raises CallError."""
    scan = wanted.scan or {}
    return _with_findings(client, wanted, _in_full(client, scan, False), _pair(wanted, wanted.place.name, clock), notes)


def _with_findings(client: Client, wanted: Wanted, scan: Record, pair: Pair, notes: list[str]) -> Pair:
    """The pair with the findings of its scan, and whether these are all that the scan counted."""
    tally = Tally()
    rows: list[Record] = []
    owners = {"task_id": scan["id"]}
    names = {wanted.target_id: wanted.target} if wanted.target_id is not None else {}

    def take(record: Record) -> None:
        finding = finding_of(record, names)
        if belongs(finding, owners):
            tally.take(finding)
            rows.append(finding)

    answer = client.stream(FINDING, {**wanted.place.query, **owners}, take)
    proof = proof_of(answer, [scan], tally, grouped=False)
    notes += proof.notes
    blind = why_incomplete(scan)
    problems = (*filter(None, [blind]), *map(_sentence, proof.all))
    # what a scan says about itself is for a person to judge, as that the target did not answer
    # with findings, the text of the result counts them
    words = "" if blind else words_of(scan, not rows)
    said = [f"Scan {scan['id']} says {words!r}."] if words else []
    return pair._replace(findings=tuple(rows), complete=not problems, problems=(*problems, *said), reach=reach_of(scan))
