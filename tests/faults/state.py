# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The state of the local service without new ids and times, so that two runs are comparable. Pure."""

from __future__ import annotations

import json
from typing import Any

# what differs between runs, or changes with time
VOLATILE = {
    "created",
    "start_time",
    "end_time",
    "duration",
    "progress",
    "num_finished_tests",
    "handler_url",
    "last_request_id",
    "takes",
    "stopping",
    "state",
}
# the same in one family; the findings that a scan counts are compared themselves
VOLATILE_OF = {"reports": {"status", "status_name"}, "scans": {"result_summary"}}
# the family of the record that a field names
REFERENCES = {"workspace_id": "workspaces", "target_id": "targets", "task_id": "scans", "resources": "scans"}


Record = dict[str, Any]


class State:
    """The records that existed before by (family, id), and the new ones as a sorted list of (family, text)."""

    def __init__(self, snapshot: Record, known: State | None = None) -> None:
        families = {name: records for name, records in snapshot.items() if isinstance(records, list)}
        self.names = {
            family: {record["id"]: record.get("name") or record.get("label") or "" for record in records}
            for family, records in families.items()
        }
        self.kept: dict[tuple[str, int], Record] = {}
        new: list[tuple[str, str]] = []
        for family, records in families.items():
            for record in records:
                key = (family, record["id"])
                if known is None or key in known.kept:
                    self.kept[key] = _stable(family, record)
                else:
                    new.append((family, self._described(family, record)))
        self.new = sorted(new)

    def _described(self, family: str, record: Record) -> str:
        """A new record, with names in place of ids."""
        shown = _stable(family, record)
        shown.pop("id")
        for field, other in REFERENCES.items():
            if isinstance(shown.get(field), int):
                shown[field] = self.names[other].get(shown[field])
        # the findings of a new report are those of its scans
        shown.pop("findings", None)
        return json.dumps(shown, sort_keys=True)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and (self.kept, self.new) == (other.kept, other.new)

    def created(self, family: str) -> list[str]:
        return [text for name, text in self.new if name == family]


def _stable(family: str, record: Record) -> Record:
    volatile = VOLATILE | VOLATILE_OF.get(family, set())
    return {name: value for name, value in record.items() if name not in volatile}


def undeclared(before: State, after: State, declared: State) -> list[str]:
    """Changes that do not happen without a fault. A record that the task deletes may change first, for example by a stop."""
    found = []
    for key, record in before.kept.items():
        if key in after.kept and key not in declared.kept:
            continue
        if after.kept.get(key) not in (record, declared.kept.get(key)):
            found.append(f"{key[0]} {key[1]} {'was changed' if key in after.kept else 'was deleted'}")
    expected = list(declared.new)
    for each in after.new:
        if each in expected:
            expected.remove(each)
        else:
            found.append(f"{each[0]}: {each[1]} was created")
    return found


def differences(one: State, other: State) -> str:
    """A short text on how two states differ."""
    found = [f"{key}" for key in {**one.kept, **other.kept} if one.kept.get(key) != other.kept.get(key)]
    found += [f"new {family} {text}" for family, text in one.new if (family, text) not in other.new]
    found += [f"no new {family} {text}" for family, text in other.new if (family, text) not in one.new]
    if not found and len(one.new) != len(other.new):
        found = [f"{len(one.new)} new objects, not {len(other.new)}"]
    return "; ".join(found)[:600]
