# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The steps of the role prove_fix: whether it runs, what it proves and on which hosts, what it scans, and the verdicts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ansible_collections.scanops.scanner.plugins.module_utils._errors import ScannerError, printable
from ansible_collections.scanops.scanner.plugins.module_utils._gate.files import LONGEST_FINDINGS, needed_content_of
from ansible_collections.scanops.scanner.plugins.module_utils._http.connection import COLLECTION_VERSION
from ansible_collections.scanops.scanner.plugins.module_utils._names import lasting_form
from ansible_collections.scanops.scanner.plugins.module_utils._prove.plan import planned, read_of, started_in
from ansible_collections.scanops.scanner.plugins.module_utils._prove.report import document_of, markdown_of, sentence_of
from ansible_collections.scanops.scanner.plugins.module_utils._prove.source import selected_of
from ansible_collections.scanops.scanner.plugins.module_utils._prove.verdict import Fix
from ansible_collections.scanops.scanner.plugins.module_utils._trust import refuse_untrusted
from ansible_collections.scanops.scanner.plugins.plugin_utils._core import play_of
from ansible_collections.scanops.scanner.plugins.plugin_utils._hosts import address_of
from ansible_collections.scanops.scanner.plugins.plugin_utils._play import is_selected, wrong_strategy
from ansible_collections.scanops.scanner.plugins.plugin_utils._role_action import Result, RoleAction


class ProveAction(RoleAction):
    """The options are those of the method that the option ``step`` names."""

    def step(self, variables: Result) -> Result:
        given = dict(self._task.args)
        steps: dict[str, Callable[..., Result]] = {
            "enter": self._enter,
            "choose": self._choose,
            "read": _read,
            "plan": plan,
            "started": _started,
            "judge": _judge,
        }
        step = steps[given.pop("step")]
        try:
            return dict(step(variables, **given))
        except ScannerError as error:
            return {"failed": True, "msg": str(error)}

    def _enter(self, variables: Result) -> Result:
        """runs: whether the tags of the run select the role."""
        if not is_selected(self._task, variables):
            return {"runs": False}
        strategy = self._templar.template(play_of(self._task).strategy)
        problem = self.unknown(variables) or wrong_strategy(strategy, variables, "a scan could begin before a fix ends")
        if problem is None and set(variables["ansible_play_batch"]) != set(variables["ansible_play_hosts"]):
            problem = (
                "With serial, prove_fix would scan again for each batch of hosts: fix the hosts in a play with serial, and run"
                " the role in a play without it."
            )
        return {"failed": True, "msg": problem} if problem else {"runs": True}

    def _choose(
        self,
        variables: Result,
        source: Any,
        artifacts: str,
        fingerprints: Any = None,
        select: Any = None,
        hosts: Any = (),
    ) -> Result:
        """findings: each with its hosts; ids: of the scans that found them; hosts: the findings of each host."""
        refuse_untrusted(artifacts, "prove_fix_artifacts")
        path = source if isinstance(source, str) else ""
        content = needed_content_of(path, "prove_fix_source", LONGEST_FINDINGS) if path else source
        findings = selected_of(content, path, fingerprints, select)
        # each read of a host's variables renders templates
        known = {
            host: {name: variables["hostvars"][host].get(name) for name in ("scanner_targets", "ansible_host")}
            for host in hosts
        }
        for finding in findings:
            finding["hosts"] = [host for host, own in known.items() if carries(host, own, finding["target"])]
        return {
            "findings": findings,
            "ids": sorted({each["scan_id"] for each in findings if each["scan_id"] is not None}),
            "hosts": {host: [each for each in findings if host in each["hosts"]] for host in hosts},
        }


def carries(host: str, variables: Mapping[str, Any], target: str) -> bool:
    """Whether a host carries a target, by the variable of the inventory plugin, else by its own name and its address."""
    records = variables.get("scanner_targets")
    if isinstance(records, list):
        return lasting_form(target) in [lasting_form(str(each["name"])) for each in records]
    address = address_of(target)
    return address is not None and address in [address_of(str(name)) for name in (host, variables.get("ansible_host"))]


def _read(_variables: Result, ids: Any, records: Any, gates: Any, outputs: Any) -> Result:
    """scans: what loops over the ids have read."""
    return {"scans": [read_of(*each) for each in zip(ids, records, gates, outputs)]}


def plan(
    _variables: Result, findings: Any, before: Any, known: Any, left: Any = None, authentication: Any = None
) -> Result:
    """groups, left_out: see ``planned``; at: when the fix ended; known: the scans before it, by the id of the one to repeat.

    known: the results of a loop over ``before``; left: the hosts on which the fix succeeded, None without tasks.
    """
    reasons = {
        read["id"]: f"The scans of its target could not be read: {printable(each['msg'], 2000)}"
        for read, each in zip(before, known)
        if each.get("msg")
    }
    if left is not None:
        for finding in findings:
            reasons.update(_not_fixed(finding, left))
    scans = [{"id": read["id"], "scans": each.get("scans") or []} for read, each in zip(before, known)]
    return {**planned(before, reasons, authentication), "at": time.time(), "known": scans}


def _not_fixed(finding: Mapping[str, Any], left: Iterable[str]) -> dict[Any, str]:
    """The scan of a finding that no host, or not every host, has fixed, and why."""
    failed = [host for host in finding["hosts"] if host not in left]
    if failed:
        return {finding["scan_id"]: f"The tasks of the fix failed on {', '.join(failed)}."}
    if not finding["hosts"]:
        return {finding["scan_id"]: "No host of the play carries its target, so the tasks of the fix ran on none."}
    return {}


def _started(_variables: Result, scanned: Any) -> Result:
    """starts: see ``started_in``; ids: of the scans that finished."""
    starts = started_in(scanned)
    return {"starts": starts, "ids": [each["id"] for each in starts if not each["problem"]]}


def _judge(
    _variables: Result, findings: Any, before: Any, plan: Any, starts: Any, after: Any, source: Any = None
) -> Result:
    """The content of prove_fix.json; markdown: the summary; sentence: how it ended."""
    fixes = {each["id"]: Fix(plan["at"], each["scans"]) for each in plan["known"]}
    document = document_of(
        findings,
        before,
        plan["left_out"],
        starts,
        after,
        fixes,
        source=source if isinstance(source, str) else None,
        now=time.time(),
        collection_version=COLLECTION_VERSION,
    )
    return {"document": document, "markdown": markdown_of(document), "sentence": sentence_of(document)}
