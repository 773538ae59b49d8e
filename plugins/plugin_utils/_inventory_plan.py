# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The future content of an inventory, collected first, so that a failure adds nothing."""

from __future__ import annotations

from collections.abc import Container
from typing import Any, Protocol

# names, each once and in order
Names = dict[str, None]


class Inventory(Protocol):
    """What a plan uses of ansible-core's InventoryData."""

    hosts: dict[str, Any]
    groups: dict[str, Any]

    def add_host(self, host: str) -> Any:
        """Add a host."""

    def add_group(self, group: str) -> Any:
        """Add a group; return its sanitised name."""

    def add_child(self, group: str, child: str) -> Any:
        """Add a host or group to a group."""

    def set_variable(self, entity: str, varname: str, value: Any) -> Any:
        """Set a variable of a host or group."""


class Plan:
    """Future hosts, variables and groups.

    Supports the calls to InventoryData that inventory plugins make, so that a Constructable writes into it. hosts: variables
    by host; groups: hosts by group; children: child groups by group.
    """

    def __init__(self) -> None:
        self.hosts: dict[str, dict[str, Any]] = {}
        self.groups: dict[str, Names] = {}
        self.children: dict[str, Names] = {}

    def add_host(self, host: str, group: str | None = None) -> str:
        self.hosts.setdefault(host, {})
        if group:
            self.groups[group][host] = None
        return host

    def add_group(self, group: str) -> str:
        self.groups.setdefault(group, {})
        return group

    def add_child(self, group: str, child: str) -> None:
        if child in self.groups:
            self.children.setdefault(group, {})[child] = None
        else:
            self.groups[group][child] = None

    def set_variable(self, host: str, name: str, value: Any) -> None:
        self.hosts[host][name] = value

    def drop_ambiguous(self, inventory: Inventory, implicit: Container[str]) -> tuple[list[str], list[str]]:
        """Drop hosts and groups whose name means something else to ansible-core. Returns the names of both.

        inventory: holds what other sources define; implicit: the names that ansible-core connects to the machine on which
        it runs. A host with the name of a group would give the group its variables, and a play on the host would run on the
        group. A group with the name of a host of another source, or of an implicit host, would take over its plays.
        """
        groups = [name for name in self.groups if name in inventory.hosts or name in implicit]
        for name in groups:
            del self.groups[name]
            self.children.pop(name, None)
        for children in self.children.values():
            for name in groups:
                children.pop(name, None)
        hosts = [name for name in self.hosts if name in self.groups or name in inventory.groups or name in implicit]
        for name in hosts:
            self.drop_host(name)
        return hosts, groups

    def drop_host(self, name: str) -> None:
        """Drop a host from the plan and from its groups."""
        del self.hosts[name]
        for members in self.groups.values():
            members.pop(name, None)

    def into(self, inventory: Inventory) -> None:
        """Add everything to an inventory. Call ``drop_ambiguous`` first."""
        for group in self.groups:
            inventory.add_group(group)
        for group, children in self.children.items():
            for child in children:
                inventory.add_child(group, child)
        add_host, set_variable, add_child = inventory.add_host, inventory.set_variable, inventory.add_child
        for host, variables in self.hosts.items():
            add_host(host)
            for name, value in variables.items():
                set_variable(host, name, value)
        for group, hosts in self.groups.items():
            for host in hosts:
                add_child(group, host)
