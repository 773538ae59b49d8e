# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Saves the findings of targets that are about to be deleted: all of them, as lines of JSON, or an error."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Sequence

from .._model.errors import Refused, WrongOption, printable
from .._model.families import FINDING, FINISHED, SCAN
from .._model.records import Record, rows_in
from .._task.files import Draft, check_directory, explained
from .._task.task import Task
from .findings import finding_of
from .proof import Tally, proof_of
from .scans import is_in_progress, outcome_of

_LONGEST_NAME = 60


class Saver:
    """Writes a file for each target into a directory. Costs the list of scans of each workspace, and 1 GET a target."""

    def __init__(self, task: Task, directory: str) -> None:
        """Raises WrongOption for a directory that cannot be written or trusted."""
        self._client = task.client
        self._directory = directory
        self._scans: dict[int, Sequence[Record]] = {}
        if not directory.strip():
            raise WrongOption("evidence is empty: give the path of a directory, or leave the option out.")
        # it is created for the first file
        above = os.path.dirname(os.path.abspath(directory))
        check_directory(task, directory if os.path.lexists(directory) else above, "evidence")

    def save(self, workspace_id: int, target: Record) -> str:
        """The path of a new file with the findings of a target. Raises Refused where these are not known to be all."""
        named = f"the findings of {printable(target['name'], 100)!r} were not saved"
        if workspace_id not in self._scans:
            self._scans[workspace_id] = rows_in(self._client.all(SCAN, {"workspace_id": workspace_id}), workspace_id)
        # one without a target may be of this one
        scans = [each for each in self._scans[workspace_id] if each.get("target_id") in (None, target["id"])]
        running = [each["id"] for each in scans if is_in_progress(each)]
        if running:
            raise Refused(f"{named}, because scan {running[0]} is in progress: wait for it, or stop it.")
        tally = Tally()
        # names of the service can be anything, and a second run must not overwrite
        safe = re.sub(r"[^a-z0-9.]+", "-", target["name"].lower()).strip("-.")[:_LONGEST_NAME]
        moment = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        dest = os.path.join(self._directory, f"target-{target['id']}-{safe or 'x'}-{moment}.jsonl")
        with explained(self._directory, "evidence"):
            os.makedirs(self._directory, 0o700, exist_ok=True)
        with Draft(dest, "evidence") as draft:

            def take(record: Record) -> None:
                finding = finding_of(record, {target["id"]: target["name"]})
                if finding["target_id"] == target["id"]:
                    tally.take(finding)
                    draft.write(json.dumps(finding, sort_keys=True).encode("ascii") + b"\n")

            query = {"workspace_id": workspace_id, "target_id": target["id"]}
            answer = self._client.stream(FINDING, query, take)
            ended = [each for each in scans if each.get("target_id") == target["id"] and outcome_of(each) == FINISHED]
            proof = proof_of(answer, ended, tally, grouped=False)
            if proof.all:
                raise Refused(f"{named}, because they are not known to be complete: {proof.all[0]}.")
            # fails where the file exists
            draft.put(os.link)
        return dest
