# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The option findings of the inventory: what scans have found on targets, and the variables and groups of their hosts.

Only the newest scan of each target and tool that could see everything counts, as for a gate; until one could, the newest one.
What an older scan found stays if the newest could not have seen it, because its parameters are narrower. The service is asked
for duplicates, too, because without them no number that a scan has counted proves that the list is complete.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from .._http.client import Client
from .._model.errors import Refused, first_of, printable
from .._model.families import FINDING, SCAN
from .._model.records import Record, number_in, rows_in
from .._model.times import Clock, moment_of, utc_text
from .clock import latest_clock
from .findings import SUMMARY, UNKNOWN, finding_of, is_cve, is_open
from .fingerprint import Sighting, identify, worst_first
from .proof import Tally, proof_of, surplus_warning
from .scans import ended_in, history_of, lacks, uncounted
from .sight import Reach, could_see, finished, reach_of, why_narrower

# records of older scans of one target and tool that are read to compare their parameters
_MOST_READ = 3
NEVER_SCANNED, STALE = "never_scanned", "stale"
_RANKED = worst_first(SUMMARY)
# all groups but STALE; they exist even if no host is in them
GROUPS = (*(f"severity_{severity}" for severity in _RANKED), NEVER_SCANNED)


def add_findings(client: Client, workspaces: Iterable[Record], targets: Mapping[int, Record]) -> None:
    """Add to the record of each target what its scans have found. targets: by id.

    Costs two lists for each workspace that has targets, and at most 4 GET for each target and tool of which an older scan has
    found what the newest does not have. Raises Refused unless the findings were seen to be complete.
    """
    for target in targets.values():
        # no time: never scanned; an empty one: a finished scan does not say when it ended
        target.update(findings=dict.fromkeys(SUMMARY, 0), cves=set(), unseen=[], last_scan=None)
    counts = [_Count(client, workspace, targets.values()) for workspace in workspaces]
    scans = [scan for count in counts for scan in count.read()]
    notes = [note for count in counts for note in count.notes]
    if notes:
        client.warn(surplus_warning(notes))
    clock = latest_clock(client, [*scans, *(scan for count in counts for scan, _kept in count.unseen)])
    # by the clock of this machine, so that an age that is counted later is not too small
    now = min(clock.now, time.time())

    def ended(scan: Record) -> str:
        age = ended_in(scan, clock)[1]
        return "" if age is None else utc_text(now - age)

    for scan in scans:
        found = targets.get(scan["target_id"])
        if found:
            found["last_scan"] = max(found["last_scan"] or "", ended(scan))
            # nothing shows that all of its findings were read
            found["findings"][UNKNOWN] += bool(uncounted(scan))
    for count in counts:
        for scan, kept in count.unseen:
            for owner in kept.owners:
                seen = {"severity": kept.severity, "scan_id": scan["id"], "seen": ended(scan) or None}
                targets[owner]["unseen"].append(seen)
    for target in targets.values():
        target["cves"] = sorted(target["cves"])
        if target["last_scan"] is None and not any(target["findings"].values()):
            target["findings"] = None


class _Found(NamedTuple):
    """An open finding of an older scan."""

    # at each of its places
    fingerprints: frozenset[str]
    severity: str
    cves: frozenset[str]
    # the ids of the targets that it is about
    owners: frozenset[int]


class _Count:
    """The open findings of the targets of a workspace."""

    def __init__(self, client: Client, workspace: Record, targets: Iterable[Record]) -> None:
        self._client = client
        self._workspace = workspace
        self._own = {target["id"]: target for target in targets if target["workspace_id"] == workspace["id"]}
        # what there is more than the scans counted
        self.notes: Sequence[str] = ()
        # what the newest scans could not see, each with the scan that found it
        self.unseen: list[tuple[Record, _Found]] = []
        # all scans of the workspace, those of other targets, and those of its targets
        self._known: set[int] = set()
        self._foreign: set[int] = set()
        self._scans: dict[int, Record] = {}
        # those whose counts the list must reach
        self._counted: dict[int, Record] = {}
        self._tally = Tally()
        # the fingerprints that the newest scan of a target and tool has found, where there are older ones
        self._latest: dict[int, set[str]] = {}
        # what older scans have found
        self._older: dict[int, list[_Found]] = {}

    def read(self) -> list[Record]:
        """Count them. Returns the scans that count and could see everything."""
        if not self._own:
            return []
        query = {"workspace_id": self._workspace["id"]}
        # before the findings, so that no scan has counted more of them than could be read
        listed = self._client.all(SCAN, query)
        self._known = {scan["id"] for scan in listed}
        self._foreign = {scan["id"] for scan in listed if scan["target_id"] not in (None, *self._own)}
        own = (scan for scan in rows_in(listed, query["workspace_id"]) if scan["target_id"] in (None, *self._own))
        groups = _groups(own)
        self._scans = {scan["id"]: scan for group in groups for scan in group}
        self._older = {scan["id"]: [] for group in groups for scan in group[1:]}
        self._latest = {group[0]["id"]: set() for group in groups if len(group) > 1}
        seeing = [group[0] for group in groups if could_see(group[0])]
        self._counted = {scan["id"]: scan for scan in seeing if not uncounted(scan)}
        answer = self._client.stream(FINDING, query, self._take)
        proof = proof_of(answer, self._counted.values(), self._tally, grouped=False)
        if proof.all:
            raise Refused(
                f"The findings in workspace {printable(self._workspace['name'])!r} may be incomplete: {first_of(proof.all, 1)}."
                " A host could seem to have fewer findings than it has, so no host is added. Run the command again. If it"
                " fails again, compare with the web application and scan the target again, leave the workspace out with"
                " workspaces, or set findings to false."
            )
        self.notes = proof.notes
        for group in groups:
            if len(group) > 1:
                self._keep_unseen(group)
        return seeing

    def _take(self, record: Record) -> None:
        finding = finding_of(record)
        target_id, scan_id = finding["target_id"], finding["task_id"]
        scan = self._scans.get(scan_id)
        # a row may name one target, and a scan of another one: neither of them is clean
        owners = frozenset({target_id, scan and scan["target_id"]} & self._own.keys())
        is_foreign = scan_id in self._foreign
        # of a scan that does not count, or of a target elsewhere
        if scan is None and ((scan_id in self._known and not is_foreign) or (not owners and target_id is not None)):
            return
        cves = frozenset(cve.upper() for cve in finding["cve"] if is_cve(cve))
        found = _Found(frozenset(), finding["severity"], cves, owners)
        if scan and (scan_id in self._latest or scan_id in self._older):
            # those at each of its places
            (identity,) = identify([Sighting(finding, self._own[scan["target_id"]]["name"])])
            spots = frozenset(spot.fingerprint for spot in identity.places)
            found = found._replace(fingerprints=spots or frozenset([identity.fingerprint]))
        if scan_id in self._latest:
            self._latest[scan_id] |= found.fingerprints
        if scan_id in self._older:
            self._older[scan_id] += [found] if is_open(finding["status"]) else []
            return
        # one of no scan is never proven to be the only one
        if (scan is None and not is_foreign) or scan_id in self._counted:
            self._tally.take(finding)
        if is_open(finding["status"]):
            self._add(found)

    def _add(self, found: _Found) -> None:
        for owner in found.owners:
            self._own[owner]["findings"][found.severity] += 1
            self._own[owner]["cves"].update(found.cves)

    def _keep_unseen(self, group: Sequence[Record]) -> None:
        """Keep what older scans have found and the newest one could not have seen. group: the newest first."""
        judged = set(self._latest[group[0]["id"]])
        reaches: dict[int, Reach | None] = {}

        def narrower(scan: Record) -> bool:
            tests = [number_in(each) for each in (group[0]["num_tests"], scan["num_tests"])]
            if tests[0] is not None and tests[1] is not None and tests[0] < tests[1]:
                return True
            if len(reaches) > _MOST_READ:
                # scans of one target and tool that ran as many tests are taken for equal
                return False
            for each in (group[0], scan):
                if each["id"] not in reaches:
                    reaches[each["id"]] = reach_of(self._client.read(SCAN, each["id"]) or {"id": each["id"]})
            return bool(why_narrower(reaches[group[0]["id"]], reaches[scan["id"]]))

        for scan in group[1:]:
            left = [each for each in self._older[scan["id"]] if not each.fingerprints <= judged]
            if left and narrower(scan):
                for each in left:
                    self._add(each)
                    self.unseen.append((scan, each))
            judged.update(*(each.fingerprints for each in left))


def _groups(scans: Iterable[Record]) -> list[list[Record]]:
    """The scans of each target and tool: first the newest that could see everything, else the newest finished one, else the
    newest; then the older finished ones, the newest first. A scan that lacks one of the two is a group of its own."""
    listed = list(scans)
    histories = history_of(scan for scan in listed if not lacks(scan))
    groups = []
    for history in (*histories.values(), *([scan] for scan in listed if lacks(scan))):
        first = next(filter(could_see, history), None) or next(filter(finished, history), history[0])
        groups.append([first, *(scan for scan in history if finished(scan) and scan["id"] < first["id"])])
    return sorted(groups, key=lambda group: (could_see(group[0]), finished(group[0]), group[0]["id"]), reverse=True)


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
        unseen=[seen for each in targets for seen in each["unseen"]],
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
