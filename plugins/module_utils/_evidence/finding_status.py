# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The work of the module finding: change what people have decided about one finding, in as few calls as possible."""

from __future__ import annotations

from typing import Any

from .._http.client import Client
from .._model.errors import CallError, Refused, ScannerError, WrongOption
from .._model.families import CHANGEABLE, FINDING, SCAN, TARGET
from .._model.records import Record
from .._task.lookup import Contents, Place
from .._task.raw_options import UNKNOWN_ID
from .._task.references import existing, place_of, target_of_record
from .._task.task import Task
from .findings import finding_of
from .fingerprint import Sighting, identify
from .matchers import READERS
from .proof import Tally, proof_of

# with which a service may refuse a call or a body that it does not know
_UNKNOWN_CALL = (400, 404, 405, 415, 422, 501)


def change(task: Task) -> dict[str, Any]:
    """Give the finding that the task names the declared values; returns the result of the module."""
    declared = {field: task.params[field] for field in CHANGEABLE if task.params[field] is not None}
    if not declared:
        raise WrongOption(f"The task declares nothing: set at least one of {', '.join(CHANGEABLE)}.")
    object_id = task.params["id"]
    # the findings that the task means, as the service has them, and the names of their targets by id
    records: list[Record] = []
    names: dict[int, str] = {}
    if object_id is None:
        wanted = READERS["fingerprint"](task.params["fingerprint"], "fingerprint")
        records, names = _by_fingerprint(task.client, place_of(task), wanted)
    elif object_id == UNKNOWN_ID:
        task.warn_assumed("the finding")
    else:
        records = [existing(task.client, FINDING, object_id, "id")]
        target = target_of_record(task.client, records[0])
        names = {target["id"]: target["name"]} if target else {}
    before = {row["id"]: row for row in records if _differing(row, declared)}
    if task.check_mode:
        after = {each: {**row, **declared} for each, row in before.items()}
    else:
        after = _write(task.client, declared, task.params["reason"], before, reread=object_id is None)
    newest = max(records, key=lambda row: int(row["id"]), default=None)
    result: dict[str, Any] = dict(
        # what an earlier task would find is taken for different
        changed=bool(before) or newest is None,
        finding=newest and finding_of(after.get(newest["id"], newest), names),
        changed_ids=list(before),
    )
    if task.diff_mode:
        result["diff"] = {
            side: {str(each): {field: row[field] for field in declared} for each, row in rows.items()}
            for side, rows in (("before", before), ("after", after))
        }
    return result


def _differing(row: Record, declared: Record) -> Record:
    return {field: value for field, value in declared.items() if row[field] != value}


def _by_fingerprint(client: Client, place: Place, wanted: str) -> tuple[list[Record], dict[int, str]]:
    """All findings of the workspace with the fingerprint, of whatever scan, and the names of its targets by id. Raises Refused
    if none can be seen."""
    if place.id is None:
        return [], {}
    scans = client.all(SCAN, place.query)
    # the fingerprint of a finding elsewhere is equal if its target has the same name
    names: dict[int, str] = {row["id"]: row["name"] for row in Contents(client, [(place.id, TARGET)])[TARGET, place.id]}
    records: list[Record] = []
    tally = Tally()

    def take(record: Record) -> None:
        finding = finding_of(record)
        tally.take(finding)
        target = names.get(record["target_id"])
        if target is not None and identify([Sighting(finding, target)])[0].fingerprint == wanted:
            records.append(record)

    proof = proof_of(client.stream(FINDING, place.query, take), scans, tally, grouped=False)
    if not records:
        doubt = f", but some may be missing: {proof.all[0]}" if proof.all else ""
        raise Refused(
            f"No finding with fingerprint {wanted} was read in {place}{doubt}. Copy the present one from gate.json, or give the"
            " id."
        )
    if proof.problems:
        client.warn(f"{proof.sentence} One that could not be read is not changed, even if it has this fingerprint.")
    return records, names


def _write(
    client: Client, declared: Record, reason: str | None, differing: dict[int, Record], reread: bool
) -> dict[int, Record]:
    """Change findings, and return them as they are read then, by id. reread: whether to read them before, too."""
    because = {"reason": reason} if reason else {}
    done: dict[int, Record] = {}
    try:
        for object_id, row in differing.items():
            # the change of another finding may have reached this one, and a list may show fields in another form
            live = client.read(FINDING, object_id) if reread else row
            if live is None:
                raise Refused(f"Finding {object_id} was deleted after this task had found it: run the task again.")
            changes = _differing(live, declared)
            body = {field: {"value": value, **because} for field, value in changes.items()}
            done[object_id] = client.update(FINDING, live, changes, "PATCH", body) if changes else live
    except ScannerError as error:
        if isinstance(error, CallError) and error.method == "PATCH" and error.status in _UNKNOWN_CALL:
            error = error.with_sentence(
                f"{error.what}. Only newer public documentation of the service has this call, and it does not describe the"
                " body: see finding-update in the guide on assumptions. Change the finding in the web application."
            )
        raise error.with_result(changed=True, changed_ids=list(done)) if done else error from None
    return done
