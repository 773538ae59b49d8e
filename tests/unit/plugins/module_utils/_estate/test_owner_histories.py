# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random histories of one account that several owners share: what nobody may delete is never deleted.

Two repositories with an owner each and one without, a register, a gate, and people who edit by hand plan and apply in turn.
Plans are stale, runs end half way, and answers are lost. The model remembers who has created what, and reads no mark.
"""

from __future__ import annotations

import itertools
import random

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._estate.declaration import read_targets
from ansible_collections.scanops.scanner.plugins.module_utils._estate.outcome import as_result
from ansible_collections.scanops.scanner.plugins.module_utils._estate.plan import (
    Managed,
    PlanRefused,
    Rules,
    guard,
    plan,
    writing_order,
)
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import Refused
from ansible_collections.scanops.scanner.plugins.module_utils._model.families import TARGET
from ansible_collections.scanops.scanner.plugins.module_utils._model.records import InWorkspace
from ansible_collections.scanops.scanner.tests.unit.sampling import EXHAUSTIVE

STEPS = 100_000 if EXHAUSTIVE else 2_000
NAMES = [f"host{number}.example.com" for number in range(12)]
# who plans, with the owner and the options of its tasks
ACTORS = {
    "shop": {"owner": "shop"},
    "web": {"owner": "web"},
    "nobody": {},
    "register": {"owner": "estate_register: cmdb", "purge_only": "own", "on_drift": "ignore"},
    "gate": {"owner": "scan_gate", "purge": ()},
    "adopter": {"owner": "web", "adopt": ("shop",)},
}


class Account:
    """The live targets, and what the model knows of each."""

    def __init__(self, chance):
        self.chance = chance
        self.ids = itertools.count(1000)
        self.rows = {}
        # by id: the owner, None for nobody, "?" for one that nobody can tell, and whether it is protected
        self.owners, self.protected = {}, set()

    def create(self, name, description, owner=None, protected=False):
        if any(row["name"] == name for row in self.rows.values()):
            return
        number = next(self.ids)
        self.rows[number] = {"id": number, "name": name, "description": description, "workspace_id": 1}
        self.owners[number] = owner
        if protected:
            self.protected.add(number)

    def edit_by_hand(self):
        chance = self.chance
        if chance.random() < 0.5 or not self.rows:
            text, owner = chance.choice(
                [
                    ("", None),
                    ("Old", None),
                    ("x [managed by w", "?"),
                    ("[managed by shop] soon", "?"),
                    ("(managed by web)", "?"),
                ]
            )
            self.create(chance.choice(NAMES), text, owner)
        else:
            del self.rows[chance.choice(list(self.rows))]

    def managed(self, wanted):
        return Managed(
            "Shop", wanted, {"id": 1, "name": "Shop"}, {TARGET: InWorkspace([dict(row) for row in self.rows.values()])}
        )


def declared(chance):
    names = chance.sample(NAMES, chance.randint(1, 8))
    return [
        {"name": name, "description": chance.choice(["", "Till"]), "protect": chance.random() < 0.2} for name in names
    ]


def rules_of(actor, chance):
    options = {"purge": (TARGET,), "purge_max": 99, "purge_floor": 99, "on_drift": "recreate", "force": True}
    if chance.random() < 0.2:
        options["unprotect"] = tuple(chance.sample(NAMES, 2))
    return Rules(**{**options, **ACTORS[actor]})


def may_delete(account, number, rules):
    """Whether the actor may delete a target, by what the model remembers."""
    owner, name = account.owners[number], account.rows[number]["name"]
    if number in account.protected and name not in rules.unprotect:
        return False
    return owner in (None, rules.owner, *rules.adopt)


@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_deleted_that_the_actor_may_not_delete(seed):
    chance = random.Random(seed)
    account = Account(chance)
    deleted = kept = refused = 0
    for _step in range(STEPS // 4):
        if chance.random() < 0.25:
            account.edit_by_hand()
            continue
        actor = chance.choice(list(ACTORS))
        rules, wanted = rules_of(actor, chance), read_targets(declared(chance))
        steps = plan([account.managed(wanted)], rules, {})
        approved = as_result(steps, 0)["checksum"]
        if chance.random() < 0.3:
            # somebody is quicker
            account.edit_by_hand()
            steps = plan([account.managed(wanted)], rules, {})
            if as_result(steps, 0)["checksum"] != approved:
                refused += 1
                continue
        try:
            guard(steps, [account.managed(wanted)], rules)
        except (PlanRefused, Refused):
            continue
        order = writing_order(steps)
        # an outage
        order = order[: chance.randint(0, len(order))] if chance.random() < 0.2 else order
        for position in order:
            step = steps[position]
            if step.deletes:
                number = step.live["id"]
                if number not in account.rows:
                    continue
                assert may_delete(account, number, rules), (actor, rules, step, account.owners[number])
                assert rules.purge_only != "own" or step.recreates or account.owners[number] == rules.owner
                before = account.rows.pop(number), account.owners[number], number in account.protected
                deleted += 1
                if step.recreates:
                    protected = before[2] or step.item.protect
                    account.create(before[0]["name"], step.changes["description"], before[1] or rules.owner, protected)
            elif step.creates:
                account.create(step.name, step.after.get("description", ""), rules.owner, step.item.protect)
        kept += sum(step.action in ("foreign", "protected") for step in steps)
    assert deleted and kept and refused
