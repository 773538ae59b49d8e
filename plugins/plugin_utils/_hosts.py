# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The hosts and groups of the inventory: which targets share a host, their names, and the plan that adds them. Pure."""

from __future__ import annotations

import contextlib
import ipaddress
import itertools
import re
import stringprep
import unicodedata
from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any

from ..module_utils._model.errors import Refused, first_of, printable
from ..module_utils._model.records import Record
from ..module_utils._model.target_names import Address, UnreadableName, read_name
from ..module_utils._scope.addresses import embedded

# the records of each host name
Hosts = dict[str, list[Record]]
# names, each once and in order
Names = dict[str, None]

# characters that host names do not keep; of the separators of host patterns they keep the colon, for IPv6 addresses
_NOT_IN_NAMES = re.compile(r"[^\w.:/-]")
_NOT_FIRST = re.compile(r"[^\w:]")
# from the hosts files of common systems, and names that systemd resolves (nss-myhostname)
_THIS_MACHINE = (
    "localhost",
    "localhost.localdomain",
    "localhost4",
    "localhost4.localdomain4",
    "localhost6",
    "localhost6.localdomain6",
    "ip6-localhost",
    "ip6-loopback",
    "ipv6-localhost",
    "ipv6-loopback",
    "kubernetes.docker.internal",
    "loopback",
    "_localdnsproxy",
    "_localdnsstub",
    "_outbound",
)
# inet_aton(3): one to four numbers, of which the last one fills the remaining bytes
_NUMBERS = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)(?:\.(?:0x[0-9a-f]*|[0-9]+)){0,3}")
_DIGITS = {8: re.compile("[0-7]*"), 10: re.compile("[0-9]*"), 16: re.compile("[0-9a-f]*")}
_DOT_SEGMENT = re.compile(r"(?<![^/])\.\.?(?![^/])")


def address_of(target_name: str) -> str | None:
    """The host name or IP address in a target's name, in its normal form, or None if it contains no valid one."""
    try:
        return read_name(target_name).host
    except UnreadableName:
        return None


def is_this_machine(place: str) -> bool:
    """Whether a place to which ansible-core connects means the machine that connects: localhost, a loopback address or the
    unspecified address, in any notation that a resolver or a connection plugin reads.

    place: the value of ansible_host, or the name of a host that has none; OpenSSH also takes user@host and ssh://host:port.
    """
    # Python normalises a name before it resolves it (RFC 3490 and 3491)
    visible = "".join(character for character in place if not stringprep.in_table_b1(character))
    text = unicodedata.normalize("NFKC", visible).replace("\u3002", ".").strip().lower().rpartition("@")[2]
    without_scheme = text.partition("//")[2] or text
    names = {text, without_scheme, re.split("[:/]", without_scheme)[0], without_scheme.partition("]")[0]}
    for name in (each.strip("[]/").partition("%")[0].rstrip(".") for each in names):
        if name in _THIS_MACHINE or name.endswith((".localhost", ".localhost.localdomain")):
            return True
        found: list[Address] = [*_inet_aton(name)]
        with contextlib.suppress(ValueError):
            address = ipaddress.ip_address(name)
            found += [address, *embedded(address)]
        if any(each.is_loopback or each.is_unspecified for each in found):
            return True
    return False


def _inet_aton(text: str) -> Iterator[ipaddress.IPv4Address]:
    """The addresses that resolvers read in a text. Some read 010 as 8, others as 10; some keep the last 32 bits only."""
    if not _NUMBERS.fullmatch(text):
        return
    readings: list[list[int]] = []
    for part in text.split("."):
        bases = (16,) if part.startswith("0x") else (8, 10) if part.startswith("0") else (10,)
        digits = part.removeprefix("0x")
        # the digits before the last 32 are multiples of 2 ** 32
        readings.append([int(digits[-32:] or "0", base) for base in bases if _DIGITS[base].fullmatch(digits)])
    for numbers in itertools.product(*readings):
        shifted = (number << 24 - 8 * index for index, number in enumerate(numbers[:-1]))
        yield ipaddress.IPv4Address(sum(shifted, numbers[-1]) & 0xFFFFFFFF)


def safe_name(text: str) -> str:
    """Text as a host name of the inventory: characters with a meaning in templates, paths, host patterns or shells become _."""
    name = _DOT_SEGMENT.sub(lambda dots: "_" * len(dots.group()), _NOT_IN_NAMES.sub("_", text))
    return _NOT_FIRST.sub("_", name[:1]) + name[1:]


def hosts_of(named: Iterable[tuple[str, Record]], duplicates: str) -> Hosts:
    """The hosts of named targets, in the order of the lowest id.

    named: the wanted name of the host and the record of each target, ascending by id; duplicates: what happens to targets
    of one name: merge, fail or suffix. Raises Refused.
    """
    hosts: Hosts = {}
    texts: dict[str, str] = {}
    for text, record in named:
        name = safe_name(text)
        if texts.setdefault(name, text) != text:
            raise Refused(
                f"Two names result in the host name {name!r}, {_shown(texts[name])} ({_ids(hosts[name])}) and {_shown(text)}"
                f" ({_ids([record])}): set hostnames so that they differ in letters and digits, or exclude one."
            )
        hosts.setdefault(name, []).append(record)
    if duplicates == "fail":
        for name, records in hosts.items():
            if len(records) > 1:
                raise Refused(
                    f"{len(records)} targets have the host name {name!r}, {_ids(records)}: set hostnames so that they"
                    " differ, exclude all but one, or set duplicates to merge or suffix."
                )
    if duplicates != "suffix":
        return hosts
    single: Hosts = {}
    for name, records in hosts.items():
        for number, record in enumerate(records, 1):
            numbered = name if number == 1 else f"{name}_{number}"
            if number > 1 and numbered in hosts:
                raise Refused(
                    f"duplicates=suffix results in the host name {numbered!r} for {_ids([record])}, but"
                    f" {_ids(hosts[numbered])} already has it: set hostnames so that they differ."
                )
            single[numbered] = [record]
    return dict(sorted(single.items(), key=lambda host: host[1][0]["id"]))


def group_names(prefix: str, texts: Iterable[str], sanitise: Callable[[str], str], option: str) -> dict[str, str]:
    """The group of each text: the prefix and the text, sanitised.

    option: the option that turns these groups off. Raises Refused if two texts result in one group.
    """
    groups: dict[str, str] = {}
    owners: dict[str, str] = {}
    for text in texts:
        group = sanitise(prefix + text)
        if owners.setdefault(group, text) != text:
            raise Refused(
                f"{_shown(owners[group])} and {_shown(text)} both result in the group {group!r}: rename one of them, or set"
                f" {option} to false and create groups with keyed_groups."
            )
        groups[text] = group
    return groups


def _shown(text: str) -> str:
    return repr(printable(text, 100))


def _ids(records: list[Record]) -> str:
    return f"id{'' if len(records) == 1 else 's'} {first_of([str(record['id']) for record in records], 20)}"


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

    def drop_ambiguous(self, inventory: Any, implicit: Container[str]) -> tuple[list[str], list[str]]:
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

    def into(self, inventory: Any) -> None:
        """Add everything to an inventory. Call ``drop_ambiguous`` first."""
        for group in self.groups:
            inventory.add_group(group)
        for group, children in self.children.items():
            for child in children:
                inventory.add_child(group, child)
        for host, variables in self.hosts.items():
            inventory.add_host(host)
            for name, value in variables.items():
                inventory.set_variable(host, name, value)
        for group, hosts in self.groups.items():
            for host in hosts:
                inventory.add_child(group, host)
