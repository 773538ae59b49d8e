# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an inventory is going to hold, collected first, so that nothing is added where anything fails."""

from __future__ import annotations

from ansible_collections.scanops.scanner.plugins.module_utils._errors import Refused


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

    def into(self, inventory):
        """Add all to an InventoryData; raises Refused before the first host where a host is called like a group."""
        for name in self.hosts:
            if name in self.groups or name in inventory.groups:
                # ansible-core would set the host's variables on the group
                raise Refused(
                    f"A target gives the host name {name!r}, and there is a group of this name: exclude the target, or set"
                    " hostnames so that it is called otherwise."
                )
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
