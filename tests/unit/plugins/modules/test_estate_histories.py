# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random histories of the workspaces of one account, over HTTP: two repositories with older and newer declarations, people who
rename by hand, answers that are lost, outages, plans that are out of date. No workspace appears twice, and none is lost.

The model is the account before each run, and the log of the service; it knows no plan.
"""

from __future__ import annotations

import random

import pytest
from ansible_collections.scanops.scanner.tests.unit.sampling import EXHAUSTIVE

STEPS = 2_000 if EXHAUSTIVE else 60
# what each repository declares, by its own names: the names that the workspace has had, and its targets
REPOSITORIES = {
    "shop": {"Shop": ["a.example.com", "b.example.com", "c.example.com"], "Lab": ["lab.example.com"]},
    "office": {"Office": ["vpn.example.com", "mail.example.com"]},
}
ENDINGS = ["", " (old)", " 2"]
# with the request that it disturbs
TROUBLES = [
    dict(action="close", when="after", method="POST", path="/workspaces"),
    dict(action="close", when="after", method="PUT", path="/workspaces/.*"),
    dict(action="close", when="after", method="POST", path="/targets"),
    dict(action="status", status=502, when="after", method="POST", path="/workspaces"),
    dict(action="status", status=503, method="GET", path="/workspaces", times=None),
    dict(action="reset", method="DELETE", path="/targets/.*"),
]


class Account:
    """The live account, as the model reads it from the service itself."""

    def __init__(self, service):
        state = service.state()
        self.names = {row["id"]: row["name"] for row in state["workspaces"] if row["id"] != 1}
        self.targets = {number: set() for number in self.names}
        for row in state["targets"]:
            if row["workspace_id"] in self.targets:
                self.targets[row["workspace_id"]].add(row["name"])

    def seems_renamed(self, name, targets, declared):
        """Whether a workspace that no entry means holds at least half of the targets of an entry that does not exist."""
        if name in self.names.values():
            return False
        others = [number for number, live in self.names.items() if live not in declared["names"] | {name}]
        others = [number for number in others if number not in declared["ids"]]
        return any(2 * len(self.targets[number] & set(targets)) >= len(targets) for number in others)


def rename_by_hand(chance, service, run):
    account = Account(service)
    if account.names:
        number = chance.choice(list(account.names))
        name = account.names[number].removesuffix(" (old)").removesuffix(" 2") + chance.choice(ENDINGS)
        if name not in account.names.values():
            assert not run("workspace", id=number, new_name=name).failed


def declaration_of(chance, repository, ids):
    """What a run declares: with the ids that are known, or without them as an older commit does."""
    entries = []
    for name, targets in REPOSITORIES[repository].items():
        entry = {"name": name + chance.choice(ENDINGS), "targets": list(targets)}
        if name in ids and chance.random() < 0.7:
            entry["id"] = ids[name]
        entries.append(entry)
    return entries


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_no_workspace_appears_twice_and_none_is_lost(service, run, seed):
    chance = random.Random(seed)
    service.reset(settings={"rate_limits": None})
    ids, done = {}, {"created": 0, "renamed": 0, "refused": 0, "disturbed": 0}
    for _step in range(STEPS // 2):
        if chance.random() < 0.2:
            rename_by_hand(chance, service, run)
            continue
        repository = chance.choice(list(REPOSITORIES))
        entries = declaration_of(chance, repository, ids)
        planned = run("estate", check=True, workspaces=entries, purge=["targets"]).result.get("plan", {})
        if chance.random() < 0.2:
            rename_by_hand(chance, service, run)
        before = Account(service)
        service.clear_log()
        if chance.random() < 0.4:
            service.fault(**chance.choice(TROUBLES))
            done["disturbed"] += 1
        expected = {"expect_plan": planned["checksum"]} if planned and chance.random() < 0.5 else {}
        result = run("estate", workspaces=entries, purge=["targets"], retries=0, **expected)
        service.clear_faults()
        after, writes = Account(service), service.writes()
        declared = {
            "names": {each["name"] for each in entries if "id" not in each},
            "ids": {each["id"] for each in entries if "id" in each},
        }
        created = [number for number in after.names if number not in before.names]
        # none is lost, with its targets
        assert before.names.keys() <= after.names.keys()
        assert len(set(after.names.values())) == len(after.names), after.names
        for each in entries:
            if "id" in each:
                # it exists, so none of its name appears beside it
                assert each["name"] not in [after.names[number] for number in created]
            elif before.seems_renamed(each["name"], each["targets"], declared):
                assert result.failed and created == [] and writes == [], (each, before.names, writes)
        if expected and "has changed since the plan was reviewed" in result.msg:
            assert writes == []
        done["refused"] += bool(result.failed and not writes)
        done["created"] += len(created)
        done["renamed"] += sum(after.names[number] != name for number, name in before.names.items())
        # what estate_export would write into the files
        for name in REPOSITORIES[repository]:
            ids.update((name, number) for number, live in after.names.items() if live.startswith(name))
    assert all(done.values()), done
