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

from .._model.errors import Refused, WrongOption, printable, without_secrets
from .._model.families import FINDING, FINISHED, SCAN, TARGET
from .._model.family import Family
from .._model.records import Record, rows_in
from .._model.trust import refuse_untrusted
from .._task.atomic_files import Draft, check_directory, explained
from .._task.task import Task
from .findings import finding_of
from .proof import Tally, proof_of
from .scans import is_in_progress, outcome_of

_LONGEST_NAME = 60


class Saver:
    """Writes a file for each target into a directory. Each costs the list of scans of its workspace, and 1 GET."""

    def __init__(self, task: Task, directory: str) -> None:
        """Raises WrongOption for a directory that cannot be written or trusted."""
        self._client = task.client
        self._directory = directory
        if not directory.strip():
            raise WrongOption("evidence is empty: give the path of a directory, or leave the option out.")
        # it is created for the first file
        check_directory(task, directory, "evidence")

    def save(self, workspace_id: int, target: Record) -> str:
        """The path of a new file with the findings of a target. Raises Refused where these are not known to be all."""
        # the name of a target can have a password, which belongs neither in a message nor in the name of a file
        name = without_secrets(target["name"])
        named = f"the findings of {printable(name, 100)!r} were not saved"
        # one may have begun while another target was saved; one without a target may be of this one
        own = (None, target["id"])
        scans = [each for each in self._rows(SCAN, workspace_id) if each.get("target_id") in own]
        running = [each["id"] for each in scans if is_in_progress(each)]
        if running:
            raise Refused(f"{named}, because scan {running[0]} is in progress: wait for it, or stop it.")
        tally = Tally()
        # names of the service can be anything, and a second run must not overwrite
        safe = re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-.")[:_LONGEST_NAME]
        moment = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        dest = os.path.join(self._directory, f"target-{target['id']}-{safe or 'x'}-{moment}.jsonl")
        with explained(self._directory, "evidence"):
            os.makedirs(self._directory, 0o700, exist_ok=True)
            # somebody else may have created it meanwhile
            refuse_untrusted(self._directory, "evidence")
        with Draft(dest, "evidence") as draft:

            def take(record: Record) -> None:
                finding = finding_of(record, {target["id"]: target["name"]})
                if finding["target_id"] in own:
                    tally.take(finding)
                    draft.write(json.dumps(finding, sort_keys=True).encode("ascii") + b"\n")

            query = {"workspace_id": workspace_id, "target_id": target["id"]}
            answer = self._client.stream(FINDING, query, take)
            # one that did not finish may have findings, and is no reason to doubt the others
            ended = [each for each in scans if outcome_of(each) == FINISHED]
            problems = proof_of(answer, scans, tally, grouped=False).problems
            problems = problems + proof_of(answer, ended, tally, grouped=False).doubts
            if problems:
                raise Refused(f"{named}, because they are not known to be complete: {problems[0]}.")
            # fails where the file exists
            draft.put(os.link)
        return dest

    def save_all(self, workspace_id: int) -> None:
        """Save the findings of each target of a workspace. Raises Refused, also where one is added meanwhile."""
        targets = self._rows(TARGET, workspace_id)
        for target in targets:
            self.save(workspace_id, target)
        if {each["id"] for each in self._rows(TARGET, workspace_id)} - {each["id"] for each in targets}:
            raise Refused("targets were added while the findings were saved: run the task again.")

    def _rows(self, family: Family, workspace_id: int) -> Sequence[Record]:
        return rows_in(self._client.all(family, {"workspace_id": workspace_id}), workspace_id)
