# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which inventory hosts a list of targets makes, and how hosts and groups are called. Pure."""

from __future__ import annotations

import ipaddress
import re

from ansible_collections.scanops.scanner.plugins.module_utils._errors import Refused, printable
from ansible_collections.scanops.scanner.plugins.module_utils._names import UnreadableName, read_name

# what host names keep: no separator of host patterns but the colon, which IPv6 addresses have
_NOT_IN_NAMES = re.compile(r"[^\w.:/-]")
_NOT_FIRST = re.compile(r"[^\w:]")
# as hosts files of common systems have it
_THIS_MACHINE = (
    "localhost",
    "localhost.localdomain",
    "localhost4",
    "localhost4.localdomain4",
    "localhost6",
    "localhost6.localdomain6",
    "ip6-localhost",
    "ip6-loopback",
)
_DOT_SEGMENT = re.compile(r"(?<![^/])\.\.?(?![^/])")


def address_of(target_name):
    """The host name or IP address in a target's name, in its normal form, or None where it holds no valid one."""
    try:
        return read_name(target_name).host
    except UnreadableName:
        return None


def is_this_machine(address):
    """Whether an address, as ``address_of`` gives it, is that of whatever machine uses it: localhost, a loopback address, or
    the one that stands for every address of a machine."""
    if address is None:
        return False
    if address in _THIS_MACHINE or address.endswith((".localhost", ".localhost.localdomain")):
        return True
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    parsed = getattr(parsed, "ipv4_mapped", None) or parsed
    return parsed.is_loopback or parsed.is_unspecified


def host_name(text):
    """Text as a host name of the inventory: what has a meaning in templates, paths, host patterns or shells becomes _."""
    name = _DOT_SEGMENT.sub(lambda dots: "_" * len(dots.group()), _NOT_IN_NAMES.sub("_", text))
    return _NOT_FIRST.sub("_", name[:1]) + name[1:]


def hosts_of(named, duplicates):
    """The hosts of named targets, a dict from host name to its records, in the order of the lowest id.

    named: (text, record) pairs, ascending by the record's id; text is what the host shall be called.
    duplicates: what two targets of one name do: merge, fail, suffix. Raises Refused.
    """
    hosts = {}
    texts = {}
    for text, record in named:
        name = host_name(text)
        if texts.setdefault(name, text) != text:
            raise Refused(
                f"Two names become the host name {name!r}, {_shown(texts[name])} ({_ids(hosts[name])}) and {_shown(text)}"
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
    return _suffixed(hosts) if duplicates == "suffix" else hosts


def _suffixed(hosts):
    single = {}
    for name, records in hosts.items():
        for number, record in enumerate(records, 1):
            numbered = name if number == 1 else f"{name}_{number}"
            if number > 1 and numbered in hosts:
                raise Refused(
                    f"duplicates=suffix makes the host name {numbered!r} for {_ids([record])}, which"
                    f" {_ids(hosts[numbered])} has already: set hostnames so that they differ."
                )
            single[numbered] = [record]
    return dict(sorted(single.items(), key=lambda host: host[1][0]["id"]))


def group_names(prefix, texts, sanitise, option):
    """The group of each text, a dict: the prefix and the sanitised text.

    option: the option that turns these groups off. Raises Refused where two texts come to one group.
    """
    groups = {}
    owners = {}
    for text in texts:
        group = sanitise(prefix + text)
        if owners.setdefault(group, text) != text:
            raise Refused(
                f"{_shown(owners[group])} and {_shown(text)} both become the group {group!r}: rename one of them, or set"
                f" {option} to false and build groups with keyed_groups."
            )
        groups[text] = group
    return groups


def _shown(text):
    return repr(printable(text, 100))


def _ids(records):
    shown = ", ".join(str(record["id"]) for record in records[:20])
    more = f" and {len(records) - 20} more" if len(records) > 20 else ""
    return f"id {shown}" if len(records) == 1 else f"ids {shown}{more}"
