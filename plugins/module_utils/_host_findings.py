# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The option findings of the inventory: what scans have found on targets, and the variables and groups of their hosts.

Only the newest finished scan of each target and tool counts, as for a gate; until one has finished, the newest one. The service
is asked for duplicates, too, because without them no number that a scan has counted proves that the list is complete.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ._errors import Refused, first_of, printable
from ._families.finding import FINDING
from ._families.scan import FINISHED, SCAN
from ._findings.model import SUMMARY, UNKNOWN, finding_of, is_cve, is_open
from ._findings.proof import Tally, proof_of, surplus_warning
from ._gate.fingerprint import worst_first
from ._http.client import Client
from ._moments import Clock, moment_of, utc_text
from ._records import Record, rows_in
from ._scan.clock import latest_clock
from ._scan.record import ended_in, lacks, outcome_of, uncounted

NEVER_SCANNED, STALE = "never_scanned", "stale"
_RANKED = worst_first(SUMMARY)
# all groups but STALE; they exist even if no host is in them
GROUPS = (*(f"severity_{severity}" for severity in _RANKED), NEVER_SCANNED)


def add_findings(client: Client, workspaces: Iterable[Record], targets: Mapping[int, Record]) -> None:
    """Add to the record of each target what its scans have found. targets: by id.

    Costs two lists for each workspace that has targets. Raises Refused unless the findings were seen to be complete.
    """
    for target in targets.values():
        # no time: never scanned; an empty one: a finished scan does not say when it ended
        target.update(findings=dict.fromkeys(SUMMARY, 0), cves=set(), last_scan=None)
    notes: list[str] = []
    scans = [scan for workspace in workspaces for scan in _count(client, workspace, targets.values(), notes)]
    if notes:
        client.warn(surplus_warning(notes))
    clock = latest_clock(client, scans)
    # by the clock of this machine, so that an age that is counted later is not too small
    now = min(clock.now, time.time())
    for scan in scans:
        found = targets.get(scan["target_id"])
        if found:
            age = ended_in(scan, clock)[1]
            found["last_scan"] = max(found["last_scan"] or "", "" if age is None else utc_text(now - age))
            # nothing shows that all of its findings were read
            found["findings"][UNKNOWN] += bool(uncounted(scan))
    for target in targets.values():
        target["cves"] = sorted(target["cves"])
        if target["last_scan"] is None and not any(target["findings"].values()):
            target["findings"] = None


def _count(client: Client, workspace: Record, targets: Iterable[Record], notes: list[str]) -> list[Record]:
    """Count the open findings of the targets of a workspace. Returns the finished scans that count.

    notes: gets what there is more than the scans counted.
    """
    own = {target["id"]: target for target in targets if target["workspace_id"] == workspace["id"]}
    if not own:
        return []
    query = {"workspace_id": workspace["id"]}
    # before the findings, so that no scan has counted more of them than could be read
    listed = client.all(SCAN, query)
    known = {scan["id"] for scan in listed}
    scans = _newest(scan for scan in rows_in(listed, workspace["id"]) if scan["target_id"] in (None, *own))
    finished = [scan for scan in scans.values() if outcome_of(scan) == FINISHED]
    counted = {scan["id"]: scan for scan in finished if not uncounted(scan)}
    tally = Tally()

    def take(record: Record) -> None:
        finding = finding_of(record)
        target_id, scan_id = finding["target_id"], finding["task_id"]
        scan = scans.get(scan_id)
        # a row may name one target, and a scan of another one: neither of them is clean
        owners = {owner for owner in (target_id, scan and scan["target_id"]) if owner in own}
        # of a scan that does not count, or of a target elsewhere
        if scan is None and (scan_id in known or (not owners and target_id is not None)):
            return
        # one of no scan is never proven to be the only one
        if scan is None or scan_id in counted:
            tally.take(finding)
        for owner in owners if is_open(finding["status"]) else ():
            own[owner]["findings"][finding["severity"]] += 1
            own[owner]["cves"].update(cve.upper() for cve in finding["cve"] if is_cve(cve))

    proof = proof_of(client.stream(FINDING, query, take), counted.values(), tally, grouped=False)
    if proof.all:
        raise _incomplete(workspace, first_of(proof.all, 1))
    notes += proof.notes
    return finished


def _incomplete(workspace: Record, why: str) -> Refused:
    return Refused(
        f"The findings in workspace {printable(workspace['name'])!r} may be incomplete: {why}. A host"
        " could seem to have fewer findings than it has, so no host is added. Run the command again. If it fails again,"
        " compare with the web application and scan the target again, leave the workspace out with workspaces, or set"
        " findings to false."
    )


def _newest(scans: Iterable[Record]) -> dict[int, Record]:
    """By id, the newest finished scan of each target and tool, else the newest; and each scan that lacks one of the two."""
    newest: dict[object, Record] = {}
    for scan in sorted(scans, key=lambda scan: (outcome_of(scan) == FINISHED, scan["id"])):
        newest[scan["id"] if lacks(scan) else (scan["target_id"], scan["tool_id"])] = scan
    return {scan["id"]: scan for scan in newest.values()}


def variables_of(targets: Sequence[Record]) -> Record:
    """The variables of a host, without their prefix. targets: its records, with what ``add_findings`` has added.

    The findings are None where nothing was found, but a target was never scanned. The times are those of the target whose last
    scan is longest ago, None where one has no such time.
    """
    counts = {severity: sum(each["findings"][severity] for each in targets if each["findings"]) for severity in SUMMARY}
    worst = next((severity for severity in _RANKED if counts[severity]), None)
    moments = [moment_of(each["last_scan"]) for each in targets]
    oldest = None if None in moments else min(filter(None, moments))
    return dict(
        findings=counts if worst or _is_scanned(targets) else None,
        worst=worst,
        cves=sorted({cve for each in targets for cve in each["cves"]}),
        last_scan=oldest and utc_text(oldest.at),
        scan_age=oldest and int(Clock(time.time()).age_of(oldest)),
    )


def groups_of(targets: Sequence[Record], stale_after: int | None) -> Iterator[str]:
    """The groups of a host. targets: as for ``variables_of``; stale_after: the age beyond which it is stale, None for no such
    group."""
    variables = variables_of(targets)
    worst, age = variables["worst"], variables["scan_age"]
    if worst:
        yield f"severity_{worst}"
    if not _is_scanned(targets):
        yield NEVER_SCANNED
    if stale_after is not None and (age is None or age > stale_after):
        yield STALE


def _is_scanned(targets: Iterable[Record]) -> bool:
    return all(target["last_scan"] is not None for target in targets)
