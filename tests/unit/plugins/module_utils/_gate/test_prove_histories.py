# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Histories of fixes: some work, some work half, hosts vanish, scans die or are old, checks are skipped, weaknesses move, and
lists are cut. No verdict is a false ``fixed``.

``World`` knows what is true; ``Service`` scans it, and goes wrong in ways that it may not show. Each history has its number
as the seed: 10,000 of them, 100,000 with SCANNER_TEST_EXHAUSTIVE=1.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._gate.prove.verdict import (
    FIXED,
    PRESENT,
    UNPROVEN,
    CheckRun,
    Fix,
    Found,
    Scan,
    verdict,
)
from ansible_collections.scanops.scanner.plugins.module_utils._model.times import utc_text
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_values import NOW
from ansible_collections.scanops.scanner.tests.unit.sampling import EXHAUSTIVE

HISTORIES = 100_000 if EXHAUSTIVE else 10_000
PLACES = ["/", "/login", "/search", "/cart"]
CHECKS = ["WEB-1", "WEB-2", "WEB-3", "WEB-4"]
CVE = {"WEB-1": "CVE-2021-44228", "WEB-2": "CVE-2021-41773"}
# another check may find the same weakness
ALIAS = {"WEB-1": "WEB-1B"}
# the descriptions of the tests; two of the checks share one
DESCRIBED = {"WEB-1": "Looks for one", "WEB-2": "Looks for two", "WEB-3": "Looks", "WEB-4": "Looks"}
NOTHING = None


class World:
    """What is true of one target: which check has a weakness at which places."""

    def __init__(self, rng):
        self.rng = rng
        self.weak = {
            check: set(rng.sample(PLACES, rng.randint(1, 3))) for check in rng.sample(CHECKS, rng.randint(1, 4))
        }
        # what every scan of a running host sees
        self.banner = rng.random() < 0.9
        self.up = True
        # the check under which a weakness is found since it moved
        self.renamed = {}

    def fix(self, check):
        """What somebody does about a weakness; returns its name."""
        rng, places = self.rng, self.weak[check]
        kind = rng.choice(
            ["works", "works", "works", "works half", "does nothing", "moves", "renames", "breaks the host"]
        )
        if kind in ("works", "breaks the host"):
            places.clear()
        elif kind == "works half":
            places.remove(rng.choice(sorted(places)))
        elif kind == "moves":
            free = sorted(set(PLACES) - places)
            places.clear()
            places.add(rng.choice(free))
        elif kind == "renames" and check in ALIAS:
            self.renamed[check] = ALIAS[check]
        self.up = kind != "breaks the host" or rng.random() < 0.2
        return kind


class Service:
    """Scans a World."""

    def __init__(self, rng, world):
        self.rng, self.world, self.now, self.number = rng, world, NOW - 10_000, 40_000
        self.scans = []
        self.zoned = rng.random() < 0.5
        # how far times without a zone are ahead of UTC
        self.zone = rng.choice([0, 3600, -5 * 3600])
        self.names_checks = rng.random() < 0.5
        self.params = rng.choice([{}, {"scan_type": "light"}, {"attack_active": ["xss", "sqli"]}])

    def moment(self, at):
        return utc_text(at) if self.zoned else utc_text(at + self.zone)[:-1].replace("T", " ")

    def scan(self, faults=frozenset()):
        """The Scan, and whether the service started it now."""
        if "reuses a scan" in faults and self.scans:
            return self.rng.choice(self.scans), True
        if "answers with an older one" in faults and self.scans:
            return self.scans[-1], False
        self.number += 1
        began = self.now + 5
        self.now += 600
        rng, world = self.rng, self.world
        up = world.up and "host vanishes" not in faults
        skipped = {check for check in CHECKS if "checks are skipped" in faults and rng.random() < 0.6}
        unfinished = {check for check in CHECKS if "tests do not finish" in faults and rng.random() < 0.6}
        # a scan of less runs its checks, and sees nothing with them
        blind = not faults.isdisjoint({"tests less", "hides its parameters"})
        # every scan has entries that say that nothing was found
        found, runs = [Found(["1:nothing"], NOTHING)], []
        if up and world.banner:
            found.append(Found(["1:banner"], "check BANNER"))
        for check in sorted(set(CHECKS) - skipped):
            seen_as = world.renamed.get(check, check)
            is_seen = up and check not in unfinished and not blind
            places = sorted(world.weak.get(check, ())) if is_seen else []
            if places:
                # one finding with all of its places
                found.append(Found([f"1:{seen_as}{place}" for place in places], f"check {seen_as}", _cves(check)))
                runs.append(CheckRun(f"check {seen_as}", DESCRIBED.get(seen_as, "Looks again"), True))
            if not places or seen_as != check:
                name = f"check {check}" if self.names_checks else NOTHING
                runs.append(CheckRun(name, DESCRIBED[check], check not in unfinished))
        if not up and "silently" not in faults:
            # nobody answers, so no test ends
            runs = [run._replace(finished=False) for run in runs]
        if unfinished and rng.random() < 0.5:
            # the counts alone say it
            runs = [run._replace(finished=True) for run in runs]
        status, gaps = "finished", ()
        if "scan dies" in faults:
            status = rng.choice(["stopped", "timed out", "connection error"])
            found = found[: rng.randint(0, len(found))]
        if "list is cut" in faults:
            found, gaps = rng.sample(found, len(found) // 2), ("findings are missing.",)
        record = {
            "id": self.number,
            "target_id": 2 if "another target" in faults else 1,
            "tool_id": 170,
            "status_name": status,
            "tool_params": dict(self.params),
            "vpn_profile_uuid": None,
            "start_time": self.moment(began),
            "end_time": self.moment(self.now),
            "num_tests": len(CHECKS),
            "num_finished_tests": len(CHECKS) - len(unfinished),
        }
        if "tests less" in faults:
            less = [{"tool_params": {"scan_type": "x"}}, {"num_tests": 2}, {"vpn_profile_uuid": "1"}]
            record.update(rng.choice(less))
        if "hides its parameters" in faults:
            record["tool_params"] = None
        if "has no times" in faults:
            record["start_time"] = None
        if "another target" in faults:
            found = [each for each in found if each.check in (NOTHING, "check BANNER")]
        scan = Scan(record, found, runs, gaps)
        self.scans.append(scan)
        return scan, True


def _cves(check):
    return [CVE[check]] if check in CVE else []


FAULTS = [
    "reuses a scan",
    "answers with an older one",
    "host vanishes",
    "checks are skipped",
    "tests do not finish",
    "scan dies",
    "list is cut",
    "another target",
    "tests less",
    "hides its parameters",
    "has no times",
]


def weaknesses(scan):
    return [each for each in scan.found if each.check and each.check.startswith("check WEB")]


def history(seed):
    """The verdicts of one history, each with whether the weakness is gone, and what happened."""
    rng = random.Random(seed)
    world = World(rng)
    service = Service(rng, world)
    if rng.random() < 0.5:
        # an older scan, when some of it was not weak yet
        weak, world.weak = world.weak, {check: places for check, places in world.weak.items() if rng.random() < 0.5}
        service.scan()
        world.weak = weak
    before, _started = service.scan()
    service.now += 3600
    findings = weaknesses(before)
    kinds = {each.check: world.fix(each.check.removeprefix("check ")) for each in findings}
    early = None
    if rng.random() < 0.1:
        # somebody's scan that begins before the fix ends
        early, _started = service.scan()
        service.now += 3600
    # a list may lack scans
    known = [scan.record for scan in service.scans if scan is before or rng.random() < 0.9]
    fix = Fix(service.now, known)
    faults = set(rng.sample(FAULTS, rng.choice([0, 0, 1, 1, 2, 3]))) | ({"silently"} if rng.random() < 0.5 else set())
    after, started = service.scan(faults)
    for finding in findings:
        check = finding.check.removeprefix("check ")
        said = verdict(finding, before, after, started, fix)
        yield said, not world.weak[check], world.up, (kinds[finding.check], sorted(faults), early is not None)


@pytest.mark.slow
def test_no_history_ends_with_a_false_fixed():
    ends = Counter()
    for seed in range(HISTORIES):
        for said, gone, up, happened in history(seed):
            kind, faults, _early = happened
            honest = not set(faults) - {"silently"}
            ends[said.verdict, honest and up, kind] += 1
            assert said.verdict != FIXED or gone, (seed, said, happened)
            assert said.verdict != FIXED or up, (seed, said, happened)
            if said.verdict == PRESENT:
                assert not gone, (seed, said, happened)
    # a rule that doubts everything would pass
    assert ends[FIXED, True, "works"] > 0.3 * sum(ends[end, True, "works"] for end in (FIXED, PRESENT, UNPROVEN))
    for kind in ("does nothing", "works half"):
        assert ends[PRESENT, True, kind] > 0.5 * sum(ends[end, True, kind] for end in (FIXED, PRESENT, UNPROVEN))


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_occurs(fault):
    """With this fault alone, nothing is proven, or the service is honest nevertheless."""
    ends = Counter()
    for seed in range(300):
        rng = random.Random(seed)
        world = World(rng)
        service = Service(rng, world)
        before, _started = service.scan()
        for places in world.weak.values():
            places.clear()
        service.now += 3600
        fix = Fix(service.now, [scan.record for scan in service.scans])
        after, started = service.scan({fault, "silently"})
        for finding in before.found:
            if finding in weaknesses(before):
                ends[verdict(finding, before, after, started, fix).verdict] += 1
    assert ends[PRESENT] == 0
    assert ends[UNPROVEN]
    if fault not in ("checks are skipped", "tests do not finish"):
        assert not ends[FIXED]
