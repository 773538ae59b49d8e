# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an inventory is going to hold, collected first, so that nothing is added where anything fails."""

from __future__ import annotations


class Plan:
    """Hosts, variables and groups to be.

    It takes those calls of ansible's InventoryData that inventory plugins make, so that a Constructable writes into it.
    """

    def __init__(self):
        self.hosts = {}  # name → variables
        self.groups = {}  # name → its hosts, the keys of a dict: each once, in order
        self.children = {}  # name → its child groups, likewise

    def add_host(self, host, group=None):
        self.hosts.setdefault(host, {})
        if group:
            self.groups[group][host] = None
        return host

    def add_group(self, group):
        self.groups.setdefault(group, {})
        return group

    def add_child(self, group, child):
        if child in self.groups:
            self.children.setdefault(group, {})[child] = None
        else:
            self.groups[group][child] = None

    def set_variable(self, host, name, value):
        self.hosts[host][name] = value

    def without_confusion(self, inventory, implicit):
        """Drop what ansible-core, or a play, would take for something else; returns (hosts, groups), the names dropped.

        inventory: the InventoryData with what other sources have given; implicit: the names that ansible-core connects to
        the machine on which it runs. A host called like a group would give that group its variables, and a play on it would
        run on the group; a group called like a host of another source, or like an implicit one, would take its plays.
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
            del self.hosts[name]
            for members in self.groups.values():
                members.pop(name, None)
        return hosts, groups

    def into(self, inventory):
        """Add all to an InventoryData, which ``without_confusion`` has seen."""
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
