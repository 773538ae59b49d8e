# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What the results of tasks say about scans, and which scans are started again, each target and tool at most once. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..._evidence.must_see import Control, look
from ..._evidence.rows import Pair
from ..._evidence.scans import lacks, newest_of
from ..._model.errors import WrongOption, printable
from ..._model.families import FINISHED
from ..._model.outcomes import FINDINGS, PASSED
from ..._model.records import Record, read_id
from ..gate_json import rows_in
from .verdict import found_of, run_of, unknown_parameters

# the result of a task
Result = Mapping[str, Any]


def read_of(scan_id: int, record: Result, gate: Result, output: Result, controls: Sequence[Control] = ()) -> Record:
    """A scan in the form that tasks hand on. problem: why it could not be read, a sentence, or "".

    record, gate, output: the results of scan_info, of gate and of scan_output_info for this scan; controls: what it must see,
    where they are for it.
    """
    records = record.get("scans") or [{}]
    targets = [each for each in gate.get("targets") or () if each["scan_id"] == scan_id]
    read: Record = {
        "id": scan_id,
        "record": records[0],
        "found": [],
        "runs": [],
        "gaps": [],
        "controls": [],
        "problem": "",
    }
    if records[0].get("id") != scan_id or not targets:
        gone = f"Scan {scan_id} does not exist any more." if record.get("scans") == [] else ""
        said = record.get("msg") or gate.get("msg") or f"Scan {scan_id} could not be read."
        return {**read, "problem": gone or printable(said, 2000)}
    (target,) = targets
    if not target["complete"]:
        read["gaps"] += target["reasons"] or [f"The findings of scan {scan_id} are not known to be complete."]
    if output.get("msg"):
        read["gaps"].append(f"The output of scan {scan_id} could not be read: {printable(output['msg'], 2000)}")
    entries = ((output.get("output") or {}).get("output_data") or {}).get("findings")
    read["found"] = [list(found_of(row)) for row in gate["findings"]]
    read["runs"] = [list(run_of(each)) for each in entries or () if isinstance(each, dict)]
    own = [each for each in controls if each.names(target["target"], target["tool_id"])]
    if own:
        # a control that is to be proven fixed is a finding, too
        was_read = PASSED if target["outcome"] == FINDINGS else target["outcome"]
        known = (target[key] for key in ("target", "target_id", "workspace", "tool", "tool_id", "scan_id", "status"))
        pair = Pair(*known)._replace(outcome=was_read, complete=target["complete"])
        sight = look(own, [pair], [*rows_in([*gate["findings"]], lambda key: 0)])
        read["controls"] = [each._asdict() for each in sight.controls]
        read["gaps"] += [*sight.pairs[0].blind, *sight.wrong]
    return {**read, **{key: target[key] for key in ("target", "workspace", "tool")}}


def refuse_unused(controls: Iterable[Control], reads: Sequence[Record]) -> None:
    """Raise WrongOption for a control that is for none of the scans that will be repeated."""
    scans = [(each["target"], each["record"].get("tool_id")) for each in reads if not each["problem"]]
    for control in controls:
        if len(scans) == len(reads) > 0 and not any(control.names(*each) for each in scans):
            raise WrongOption(
                f"{control.option} is for a target or tool that is not scanned again, so no scan can see it: correct it, or"
                " remove it."
            )


def planned(before: Iterable[Record], reasons: Mapping[int, str], authentication: str | None) -> Record:
    """groups: the options of the tasks that scan again; left_out: the scans that are not repeated, each with the reason;
    sentence: both for check mode.

    before: made by ``read_of``; reasons: known ones, by id; authentication: the type of the login that the user gives.
    """
    left_out: list[Record] = []
    listed = sorted(before, key=lambda each: -int(each["id"]))
    whys = {
        each["id"]: reasons.get(each["id"]) or each["problem"] or _why_not(each["record"], authentication)
        for each in listed
    }
    newest = newest_of(each["record"] for each in listed if not whys[each["id"]])
    groups: dict[str, Record] = {}
    again: list[str] = []
    for read in listed:
        record = read["record"]
        reason = whys[read["id"]]
        if not reason and newest[record["target_id"], record["tool_id"]] is not record:
            reason = f"Scan {read['id']} is not the newest selected one of its target and tool."
        if reason:
            left_out.append({"id": read["id"], "reason": reason})
            continue
        # one task starts the scans of a set of options
        options = _options(read)
        key = json.dumps(options, sort_keys=True)
        group = groups.setdefault(key, {"options": options, "targets": [], "before": []})
        group["targets"].append(read["target"])
        group["before"].append(read["id"])
        again.append(f"{printable(read['target'], 100)} with {read['tool']}")
    parts = [
        f"Would scan {', '.join(again) or 'nothing'} again. Nothing was proven.",
        *(each["reason"] for each in left_out),
    ]
    return {"groups": list(groups.values()), "left_out": left_out, "sentence": " ".join(parts)}


def _why_not(record: Record, authentication: str | None) -> str | None:
    unknown = unknown_parameters(record)
    if unknown or lacks(record):
        return unknown or f"The record of scan {record['id']} has no {lacks(record)}."
    theirs = record["tool_params"].get("authentication")
    kind = theirs.get("type") if isinstance(theirs, dict) else None
    if theirs and (kind is None or kind != authentication):
        return (
            f"Scan {record['id']} logged in with {printable(kind or 'an unknown type', 60)}: set prove_fix_authentication"
            " to a login of this type."
        )
    return None


def _options(read: Record) -> Record:
    """The options of the module scan that repeat a scan, without its target."""
    record = read["record"]
    params = {name: value for name, value in record["tool_params"].items() if name != "authentication"}
    options: Record = {"tool": str(record["tool_id"]), "tool_params": params}
    place = "workspace" if record.get("workspace_id") is None else "workspace_id"
    options[place] = read["workspace"] if place == "workspace" else record["workspace_id"]
    if "vpn_profile_uuid" in record:
        options["vpn_profile"] = record["vpn_profile_uuid"] or ""
    for name in ("redirect_level", "scan_original_url"):
        if record.get(name) is not None:
            options[name] = record[name]
    return {**options, "authenticated": bool(record["tool_params"].get("authentication"))}


def started_in(results: Iterable[Result]) -> list[Record]:
    """What became of each scan to repeat: before, the id of that one; id, started, and problem, as in ``read_of``.

    results: of the tasks that scan, each with its group as ``item``.
    """
    found: list[Record] = []
    for result in results:
        scans: Sequence[Result] = result.get("scans") or ()
        for number, before in enumerate(result["item"]["before"]):
            entry: Result = scans[number] if number < len(scans) else {}
            scan_id, outcome = read_id((entry.get("scan") or {}).get("id")), entry.get("outcome")
            problem = ""
            if outcome != FINISHED or scan_id is None:
                ended = f"Scan {scan_id} ended as {printable(outcome, 60)}." if scan_id and outcome else None
                problem = printable(entry.get("error") or ended or result.get("msg") or "No scan was started.", 2000)
            started = entry.get("started") is True
            found.append({"before": before, "id": scan_id, "started": started, "problem": problem})
    return found
