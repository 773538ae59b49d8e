# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role prove_fix: what it proves and on which hosts, the scans before and after the fix, and the verdicts."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from ansible.errors import AnsibleError

from ..module_utils._evidence.must_see import Control, controls_of
from ..module_utils._gate.gate_files import LONGEST_FINDINGS
from ..module_utils._gate.prove.artefacts import document_of, markdown_of, sentence_of
from ..module_utils._gate.prove.rescans import planned, read_of, refuse_unused, started_in
from ..module_utils._gate.prove.source import selected_of
from ..module_utils._gate.prove.verdict import Fix
from ..module_utils._model.errors import Refused, ScannerError, WrongOption, printable
from ..module_utils._model.galaxy import COLLECTION_VERSION, section_of
from ..module_utils._model.inputs import needed_content_of
from ..module_utils._model.target_names import lasting_form
from ..module_utils._model.trust import refuse_untrusted
from ..modules.scan import OPTIONS as SCAN
from ._core import as_module_reads
from ._gate_runs import refuse_other_run
from ._hosts import address_of
from ._local_files import remove, write
from ._role_action import SHOWN, SKIPPED, Result, RoleAction

# options of scan that a user of the role may set; the scan that is repeated gives the others
_WAITING = (
    "concurrency",
    "poll_interval",
    "queue_timeout",
    "run_timeout",
    "outage_wait",
    "on_timeout",
    "stop_on_interrupt",
)
_REPEATED = tuple(name for name in SCAN if name not in (*_WAITING, "scope", "max_scan_time", "start_params"))
# where an option has another default than the module
_DEFAULTS = {"poll_interval": 30, "stop_on_interrupt": True}
_OWN = "prove_fix__own"
_FILES = ("prove_fix.json", "prove_fix.md")


class ProveAction(RoleAction):
    """The steps are for all hosts. The first one that reaches a step does its work."""

    steps = ("before", "own", "after", "pass_on", "end")
    given = ("prove_fix_result", "prove_fix_findings", _OWN)
    together = "a scan could begin before a fix ends"

    def before(self) -> Result:
        """Choose the findings, and read the scans that found them."""
        try:
            entered = self.enter()
        except Refused:
            with contextlib.suppress(ScannerError, AnsibleError):
                self._directory()
            raise
        if entered or not self.claims("before"):
            return entered
        artifacts = self._directory()
        null = self.null_in(self.own_values())
        if null:
            raise WrongOption(null)
        source = self.value("source")
        path = self.absolute(source) if isinstance(source, str) else ""
        controls = controls_of(self.value("must_see"), "prove_fix_must_see")
        findings = self._findings(path, source)
        ids = sorted({each["scan_id"] for each in findings if each["scan_id"] is not None})
        reads = self._read(ids, "before")
        refuse_unused(controls, reads)
        known: list[Result] = []
        for each in reads:
            found: Result = {}
            if not each["problem"]:
                record = each["record"]
                options = {"target_id": record["target_id"], "tool": record["tool_id"]}
                found = self.call("scan_info", options, own=True, loop="known")
            # a scan that exists now proves nothing
            known.append({"msg": found.get("msg") if found.get("failed") else None, "scans": found.get("scans") or []})
        kept = {"findings": findings, "reads": reads, "known": known}
        self.keep("before", {**kept, "source": path or None, "artifacts": artifacts, "tasks": self.path("tasks")})
        return {}

    def _directory(self) -> str:
        """The directory of the files. Those of an earlier run are removed before anything can fail, so that nobody takes them
        for the verdicts of this one."""
        directory = self.path("artifacts", "prove_fix")
        if not directory:
            null = self.null_in(self.values(["artifacts"]))
            raise WrongOption(null or "prove_fix_artifacts is empty: give the path of a directory, or leave it out.")
        refuse_untrusted(directory, "prove_fix_artifacts")
        for name in () if self._task.check_mode else _FILES:
            remove(os.path.join(directory, name))
        return directory

    def wrong_play(self) -> str | None:
        problem = super().wrong_play()
        if problem is None and set(self.variables["ansible_play_batch"]) != set(self.variables["ansible_play_hosts"]):
            return (
                "With serial, prove_fix would scan again for each batch of hosts: fix the hosts in a play with serial, and run"
                " the role in a play without it."
            )
        return problem

    def _findings(self, path: str, source: Any) -> list[Result]:
        """The findings to prove, each with the hosts that carry its target."""
        content = needed_content_of(path, "prove_fix_source", LONGEST_FINDINGS) if path else source
        refuse = partial(
            refuse_other_run,
            option="prove_fix_source",
            source_run=self.value("source_run", "this"),
            max_age=self.value("source_max_age", "1h"),
        )
        selected = (self.value("fingerprints"), self.value("select"))
        findings = selected_of(content, path, *selected, refuse)
        # each read of a host's variables renders templates
        every = self.variables["hostvars"]
        known = {
            host: {name: every[host].get(name) for name in ("scanner_targets", "ansible_host")}
            for host in self.variables["ansible_play_hosts"]
        }
        for finding in findings:
            finding["hosts"] = [host for host, own in known.items() if carries(host, own, finding["target"])]
        return findings

    def _read(self, ids: Sequence[int], when: str, controls: Sequence[Control] = ()) -> list[Result]:
        """The scans with these ids. What fails here makes findings unproven, with its message as the reason."""
        # nothing of module_defaults changes what is read
        found = [
            # before ansible-core 2.19, its texts are no plain ones
            [as_module_reads(self.call(module, options, own=True, loop=f"{when} {module}")) for options in every]
            for module, every in (
                ("scan_info", [{"id": each} for each in ids]),
                ("gate", [{"scan_ids": [each], "policy": {"fail_on": "none"}} for each in ids]),
                ("scan_output_info", [{"id": each} for each in ids]),
            )
        ]
        return [read_of(scan_id, record, gate, output, controls) for scan_id, record, gate, output in zip(ids, *found)]

    def own(self) -> Result:
        """The findings of this host, and the file of the tasks that fix them, for these tasks."""
        before = self.kept("before")
        if self.is_out() or before is None:
            return {"findings": [], "tasks": ""}
        findings = [each for each in before["findings"] if self.host in each["hosts"]]
        return {"findings": findings, "tasks": before["tasks"]}

    def after(self) -> Result:
        """Scan again, compare, and write the files."""
        before = self.kept("before")
        if self.is_out() or before is None:
            return SKIPPED
        self.refuse_replaced(_OWN, self.own())
        return self._compare(before) if self.claims("after") else {}

    def _compare(self, before: Result) -> Result:
        left = list(self.variables["ansible_play_hosts"]) if before["tasks"] else None
        login = self.login()
        kind = login.get("type") if isinstance(login, Mapping) else None
        plans = plan(before["findings"], before["reads"], before["known"], left, kind)
        if self._task.check_mode:
            self.keep("verdicts", {"sentence": plans["sentence"], "fixed": True, "result": {"msg": plans["sentence"]}})
            return {}
        scanned = [{**self.scan_again(each, login), "item": each} for each in plans["groups"]]
        starts = started_in(scanned)
        controls = controls_of(self.value("must_see"), "prove_fix_must_see")
        after = self._read([each["id"] for each in starts if not each["problem"]], "after", controls)
        document = document_of(
            before["findings"],
            before["reads"],
            plans["left_out"],
            starts,
            after,
            {each["id"]: Fix(plans["at"], each["scans"]) for each in plans["known"]},
            source=before["source"],
            now=time.time(),
            collection_version=COLLECTION_VERSION,
            run=secrets.token_hex(16),
        )
        result: Result = {"document": document, "markdown": markdown_of(document), "sentence": sentence_of(document)}
        directory = before["artifacts"]
        texts = (json.dumps(document, indent=4, sort_keys=True), result["markdown"])
        for name, text in zip(_FILES, texts):
            write(os.path.join(directory, name), text, "prove_fix_artifacts")
        sentence = result["sentence"]
        if not document["fixed"]:
            # what is left to do comes first
            see = section_of(document["findings"][0]["verdict"], "fix")
            sentence += f" See {printable(directory, 500)}/prove_fix.md and {see}"
        self.keep("verdicts", {"sentence": sentence, "fixed": document["fixed"], "result": result})
        return {"changed": True}

    def login(self) -> Any:
        """The login of the scans that had one."""
        return self.value("authentication", self.defaults("scan").get("authentication"))

    def scan_again(self, group: Result, login: Any) -> Result:
        """The result of the scans of one set of options."""
        options = {name: each for name, each in group["options"].items() if name != "authenticated"}
        if group["options"]["authenticated"]:
            options["authentication"] = login
        waiting = {name: each for name, each in _DEFAULTS.items() if name not in self.defaults("scan")}
        waiting.update(self.values([*_WAITING, "scope"]))
        options = {**waiting, **options, "targets": group["targets"]}
        return self.call("scan", options, without=_REPEATED, loop="scan")

    def pass_on(self) -> Result:
        """The verdicts, for all hosts."""
        verdicts = self.kept("verdicts")
        return SKIPPED if verdicts is None else dict(verdicts["result"])

    def end(self) -> Result:
        """Fail unless all findings are fixed."""
        if self.is_out():
            return SKIPPED
        verdicts = self.kept("verdicts")
        if verdicts is None:
            return {"failed": True, "msg": "Nothing was compared, so no fix is proven: run the whole role again."}
        if not verdicts["fixed"]:
            return {"failed": True, "msg": verdicts["sentence"]}
        return {"msg": verdicts["sentence"], **SHOWN} if self.claims("end") else {}


def carries(host: str, variables: Mapping[str, Any], target: str) -> bool:
    """Whether a host carries a target, by the variable of the inventory plugin, else by its own name and its address."""
    records = variables.get("scanner_targets")
    if isinstance(records, list):
        return lasting_form(target) in [lasting_form(str(each["name"])) for each in records]
    address = address_of(target)
    return address is not None and address in [address_of(str(name)) for name in (host, variables.get("ansible_host"))]


def plan(
    findings: Iterable[Result],
    before: Sequence[Result],
    known: Iterable[Result],
    left: Sequence[str] | None = None,
    authentication: str | None = None,
) -> Result:
    """groups, left_out: see ``planned``; at: when the fix ended; known: the scans before it, by the id of the one to repeat.

    known: the lists of scans of the target and tool of each of ``before``; left: the hosts on which the fix succeeded, None
    without tasks.
    """
    reasons = {
        read["id"]: f"The scans of its target could not be read: {printable(each['msg'], 2000)}"
        for read, each in zip(before, known)
        if each.get("msg")
    }
    for finding in findings:
        if left is None:
            break
        failed = [host for host in finding["hosts"] if host not in left]
        if failed:
            reasons[finding["scan_id"]] = f"The tasks of the fix failed on {', '.join(failed)}."
        elif not finding["hosts"]:
            reasons[finding["scan_id"]] = "No host of the play carries its target, so the tasks of the fix ran on none."
    scans = [{"id": read["id"], "scans": each.get("scans") or []} for read, each in zip(before, known)]
    return {**planned(before, reasons, authentication), "at": time.time(), "known": scans}
