# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The state of one account: tables of records with fast paging, and indexes for names and groups.

For each group that lists can request, a table keeps its records in the order of their rank (usually the id), so that the
cost of a page depends on its size only. It caches the JSON text of a record until the record or a setting changes.
"""

from __future__ import annotations

import secrets
import time
from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass

from .answers import dumps
from .records import Record
from .settings import Settings
from .shapes import shaped


@dataclass(frozen=True)
class Family:
    """How one family of records is kept."""

    name: str
    first_id: int
    fields: tuple[str, ...]
    """The fields that the service shows."""
    unique: Callable[[Record], tuple[Hashable, ...]]
    """The key that the service wants to be unique among the records of the family."""
    complete: Callable[[Account, Record], Record]
    """Adds the fields that a given record leaves out. Raises StateError if it makes no sense."""
    groups: Callable[[Record], Iterable[Hashable]] = lambda record: (None,)
    """The lists that a record is in; None is the list of all records."""
    derived: Callable[[Record], Record] = lambda record: {}
    """Values that are computed when the record is shown."""
    advance: Callable[[Account], None] | None = None
    """Updates the records to the present. Called before anything is read or written."""
    needs: tuple[str, ...] = ()
    """The families that its records refer to. A state adds theirs first."""
    paged: bool = False
    """Whether the documentation has pages for its list."""
    examples: tuple[Record, ...] = ()
    """Records of a state, with ids, for tests of all families."""


class StateError(ValueError):
    """A state from the control API that makes no sense."""


class Shelf:
    """Records in the order of their rank."""

    __slots__ = ("ranks", "records")

    def __init__(self) -> None:
        self.ranks: list[int] = []
        self.records: list[Record] = []

    def add(self, rank: int, record: Record) -> None:
        place = len(self.ranks) if not self.ranks or rank > self.ranks[-1] else bisect_left(self.ranks, rank)
        self.ranks.insert(place, rank)
        self.records.insert(place, record)

    def remove(self, rank: int) -> None:
        place = bisect_left(self.ranks, rank)
        del self.ranks[place], self.records[place]

    def page(self, start: int, count: int | None, newest_first: bool) -> list[Record]:
        if not newest_first:
            return self.records[start:] if count is None else self.records[start : start + count]
        end = len(self.records) - start
        begin = 0 if count is None else max(0, end - count)
        return self.records[begin:end][::-1] if end > 0 else []


class Table:
    """The records of one family."""

    def __init__(self, family: Family) -> None:
        self.family = family
        self.next_id = family.first_id
        self.by_id: dict[int, Record] = {}
        self.by_unique: dict[tuple[Hashable, ...], list[int]] = {}
        self.shelves: dict[Hashable, Shelf] = {}
        self.ranks: dict[int, int] = {}
        self.rows: dict[int, bytes] = {}
        self.lowest = 0

    def __len__(self) -> int:
        return len(self.by_id)

    def __iter__(self) -> Iterator[Record]:
        return iter(self.shelf(None).records)

    def shelf(self, group: Hashable) -> Shelf:
        return self.shelves.get(group) or self.shelves.setdefault(group, Shelf())

    def get(self, record_id: int | None) -> Record | None:
        return None if record_id is None else self.by_id.get(record_id)

    def same(self, *key: Hashable) -> Record | None:
        """A record with this unique key, or None."""
        ids = self.by_unique.get(key)
        return self.by_id[ids[0]] if ids else None

    def add(self, record: Record, in_front: bool = False) -> Record:
        """Keep a record, with a new id if it has none. `in_front` places it before all others."""
        record.setdefault("id", self.next_id)
        self.next_id = max(self.next_id, record["id"] + 1)
        if record["id"] in self.by_id:
            self.remove(record["id"])
        if in_front:
            self.lowest -= 1
            self.ranks[record["id"]] = self.lowest
        self.by_id[record["id"]] = record
        self.by_unique.setdefault(self.family.unique(record), []).append(record["id"])
        for group in self.family.groups(record):
            self.shelf(group).add(self._rank(record), record)
        return record

    def change(self, record: Record, changes: Record) -> None:
        """Change fields that no group depends on."""
        self._forget_unique(record)
        record.update(changes)
        self.by_unique.setdefault(self.family.unique(record), []).append(record["id"])
        self.rows.pop(record["id"], None)

    def remove(self, record_id: int) -> None:
        record = self.by_id.pop(record_id)
        self._forget_unique(record)
        for group in self.family.groups(record):
            self.shelf(group).remove(self._rank(record))
        self.ranks.pop(record_id, None)
        self.rows.pop(record_id, None)

    def remove_group(self, group: Hashable) -> None:
        """Remove all records of a group in one pass over the table."""
        removed = {record["id"] for record in self.shelf(group).records}
        if not removed:
            return
        for record_id in removed:
            self._forget_unique(self.by_id.pop(record_id))
            self.rows.pop(record_id, None)
        for shelf in self.shelves.values():
            kept = [(rank, record) for rank, record in zip(shelf.ranks, shelf.records) if record["id"] not in removed]
            shelf.ranks = [rank for rank, record in kept]
            shelf.records = [record for rank, record in kept]
        for record_id in removed:
            self.ranks.pop(record_id, None)

    def page(self, group: Hashable, start: int, count: int | None, newest_first: bool) -> list[Record]:
        return self.shelf(group).page(start, count, newest_first)

    def public(self, record: Record, settings: Settings, in_list: bool = False) -> Record:
        """The record as the service shows it with these settings."""
        shown = {**record, **self.family.derived(record)}
        # a record of a state may lack a field, as an older service would
        shown = {name: shown[name] for name in self.family.fields if name in shown}
        for name in record.get("missing", ()):
            shown.pop(name, None)
        if settings.null_description and shown.get("description") == "":
            shown["description"] = None
        if settings.extra_fields:
            shown["created_at"] = "2024-05-17 08:30:00"
            shown["x_unknown"] = {"nested": [1, "two", None]}
        return shaped(self.family.name, shown, settings, in_list)

    def row(self, record: Record, settings: Settings, in_list: bool = False) -> bytes:
        """The JSON text of a record, cached until `touch`, `change` or `forget_rows`."""
        if in_list and settings.missing_in_lists.get(self.family.name):
            return dumps(self.public(record, settings, in_list))
        text = self.rows.get(record["id"])
        if text is None:
            text = self.rows[record["id"]] = dumps(self.public(record, settings))
        return text

    def touch(self, record: Record) -> None:
        """Forget the JSON text of a record that has changed."""
        self.rows.pop(record["id"], None)

    def forget_rows(self) -> None:
        self.rows.clear()

    def _rank(self, record: Record) -> int:
        record_id: int = record["id"]
        return self.ranks.get(record_id, record_id)

    def _forget_unique(self, record: Record) -> None:
        key = self.family.unique(record)
        self.by_unique[key].remove(record["id"])
        if not self.by_unique[key]:
            del self.by_unique[key]


class Account:
    """All tables, the current workspace, and the origin of the addresses that record requests."""

    def __init__(self, families: tuple[Family, ...], origin: str) -> None:
        self.families = families
        self.origin = origin
        self.settings = Settings()
        self.empty()

    def __getitem__(self, name: str) -> Table:
        return self.tables[name]

    def empty(self) -> None:
        self.tables = {family.name: Table(family) for family in self.families}
        self.current_workspace: int | None = None
        self.tokens: dict[str, Record] = {}
        self.incomplete = False

    def now(self) -> float:
        """The service's clock, as Unix time."""
        clock = time.time() if self.settings.clock is None else self.settings.clock
        return clock + self.settings.clock_offset

    def moment(self, at: float) -> str:
        """A time of the service's clock as records show it, without a zone."""
        return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(at + self.settings.record_zone))

    def advance(self) -> None:
        """Update everything that changes with time, such as scans that progress and end."""
        for family in self.families:
            if family.advance is not None:
                family.advance(self)

    def fresh(self) -> None:
        """Reset to a new account: one workspace, three predefined wordlists and a custom one."""
        self.empty()
        self.apply(FRESH)

    def apply(self, state: Record) -> int | None:
        """Add a state in the form of the control API. Returns the id of the workspace that `fill` filled, if any.
        Raises StateError."""
        if not isinstance(state, dict):
            raise StateError("a state must be an object")
        known = {"fresh", "current_workspace", "fill", *self.tables}
        if set(state) - known:
            raise StateError(f"unknown in a state: {', '.join(sorted(set(state) - known))}")
        if state.get("fresh") is False:
            self.empty()
        for family in self.families:
            for record in state.get(family.name) or ():
                self.add(family.name, record)
                if family.name == "workspaces" and self.current_workspace is None:
                    self.current_workspace = next(iter(self["workspaces"]))["id"]
        if "current_workspace" in state:
            if self["workspaces"].get(state["current_workspace"]) is None:
                raise StateError(f"current_workspace: workspace {state['current_workspace']!r} does not exist")
            self.current_workspace = state["current_workspace"]
        return self.fill(**state["fill"]) if state.get("fill") else None

    def add(self, family: str, record: Record, in_front: bool = False) -> Record:
        """Add a record, and the fields that it leaves out. Raises StateError."""
        if family not in self.tables:
            raise StateError(f"unknown family {family!r}; known are {', '.join(self.tables)}")
        if not isinstance(record, dict):
            raise StateError(f"each of {family} must be an object")
        if not isinstance(record.get("missing", []), list):
            raise StateError("missing is a list of fields")
        self.incomplete = self.incomplete or bool(record.get("missing"))
        return self[family].add(self[family].family.complete(self, dict(record)), in_front)

    def delete(self, family: str, which: Record) -> None:
        """Delete the first record with all of these fields. Raises StateError if no record has them."""
        for record in self[family]:
            if all(record.get(name) == value for name, value in which.items()):
                self[family].remove(record["id"])
                return
        raise StateError(f"no record of {family} has {which!r}")

    def fill(
        self,
        workspace: str = "bulk",
        targets: int = 0,
        description: str = "",
        findings: int = 0,
        finding_size: int = 0,
        **unknown: object,
    ) -> int:
        """Add many targets host-000001.example … to the workspace of this name, which is created if it is missing, and
        many findings of about finding_size bytes each, which cycle through all risk levels."""
        if unknown or not isinstance(targets, int) or not isinstance(findings, int):
            raise StateError("fill takes workspace (name), targets, findings, finding_size (numbers) and description")
        record = self["workspaces"].same(workspace) or self.add("workspaces", {"name": workspace})
        self.current_workspace = self.current_workspace or record["id"]
        for number in range(1, targets + 1):
            self.add(
                "targets",
                {"name": f"host-{number:06d}.example", "description": description, "workspace_id": record["id"]},
            )
        for number in range(1, findings + 1):
            finding = {"name": f"Weakness {number:06d}", "risk_level": number % 5, "size": finding_size}
            self.add("findings", {**finding, "workspace_id": record["id"]})
        return int(record["id"])

    def workspace_of(self, record: Record) -> int:
        """The id of the workspace that a record of a given state names by id or name, or of the current one. Raises
        StateError."""
        name = record.pop("workspace", None)
        if name is not None:
            found = self["workspaces"].same(name)
        else:
            workspace_id = record.get("workspace_id", self.current_workspace)
            found = self["workspaces"].get(workspace_id)
        if found is None:
            raise StateError(f"workspace {workspace_id if name is None else name!r} does not exist")
        return int(found["id"])

    def token_for(self, logger: Record) -> str:
        """The last part of a logger's address, which identifies the logger of a recorded request."""
        token: str = logger.get("handler_url", "").rpartition("/")[2] or secrets.token_hex(8)
        self.tokens[token] = logger
        return token

    def snapshot(self) -> Record:
        """The complete state, in the form that `apply` takes after `fresh: false`."""
        self.advance()
        state = {name: [dict(record) for record in table] for name, table in self.tables.items()}
        return {"fresh": False, "current_workspace": self.current_workspace, **state}


FRESH: Record = {
    "workspaces": [{"id": 1, "name": "My Workspace", "description": ""}],
    "wordlists": [
        {
            "id": 1600,
            "name": "Subdomains, small",
            "description": "common names of hosts",
            "predefined": True,
            "words": ["www", "mail", "api", "dev", "vpn"],
        },
        {
            "id": 1601,
            "name": "Web paths, small",
            "description": "common paths",
            "predefined": True,
            "words": ["admin", "login", "backup", ".git/config"],
        },
        {
            "id": 1602,
            "name": "Virtual hosts",
            "description": "",
            "predefined": True,
            "words": ["intranet", "staging"],
        },
        {
            "id": 1700,
            "name": "Our hosts",
            "description": "made by a user",
            "predefined": False,
            "words": ["alpha", "beta", "gamma", "über"],
        },
    ],
    "finding_templates": [
        {"name": "Outdated web server", "vuln_id": "NETSCAN-00-0000001", "has_ptt_exploit": True, "cvss": 9.8},
        {"name": "Weak cipher", "vuln_id": "NETSCAN-00-0000002", "software_type": "TLS library"},
        {"name": "Cross-site scripting", "vuln_id": "WEBSCAN-00-0000001", "cvss": 6.1},
    ],
}
