# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Which IP addresses are not public, and which IPv4 addresses an IPv6 address leads to. Pure.

The table is our own, because that of the standard library's ipaddress differs between Python releases.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from typing import Generic, TypeVar, Union

Address = Union[ipaddress.IPv4Address, ipaddress.IPv6Address]
Network = Union[ipaddress.IPv4Network, ipaddress.IPv6Network]
Value = TypeVar("Value")


class Networks(Generic[Value]):
    """Values by network. A look-up costs one step for each prefix length in use, not one for each network."""

    def __init__(self) -> None:
        # by version, prefix length and the bits of the prefix
        self._tables: dict[int, dict[int, dict[int, list[Value]]]] = {4: {}, 6: {}}

    def add(self, network: Network, value: Value) -> None:
        """Add a value to a network, which may have several."""
        table = self._tables[network.version].setdefault(network.prefixlen, {})
        bits = int(network.network_address) >> (network.max_prefixlen - network.prefixlen)
        table.setdefault(bits, []).append(value)

    def covering(self, place: Address | Network) -> Iterator[Value]:
        """The values of all networks that contain this address or complete network."""
        if isinstance(place, (ipaddress.IPv4Network, ipaddress.IPv6Network)):
            number, narrowest = int(place.network_address), place.prefixlen
        else:
            number, narrowest = int(place), place.max_prefixlen
        for length, table in self._tables[place.version].items():
            if length <= narrowest:
                yield from table.get(number >> (place.max_prefixlen - length), ())


# IANA, IPv4 and IPv6 special-purpose address registries (RFC 6890 and its successors)
_NOT_PUBLIC = {
    "a loopback address": ("127.0.0.0/8", "::1/128"),
    "a link-local address": ("169.254.0.0/16", "fe80::/10"),
    "a private address": ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7", "fec0::/10"),
    "an unspecified address": ("0.0.0.0/8", "::/128"),
    "a multicast address": ("224.0.0.0/4", "ff00::/8"),
    "a reserved address": (
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "240.0.0.0/4",
        # everything but global unicast, 2000::/3; 64:ff9b::/96 (NAT64) is also judged by its IPv4 address
        "::/3",
        "4000::/2",
        "8000::/1",
        "2001::/23",
        "2001:db8::/32",
        "3fff::/20",
    ),
}
_NAT64 = "64:ff9b::/96"
# NAT64 for local use (RFC 8215), with a prefix of one of these lengths (RFC 6052, section 2.2)
_LOCAL_NAT64 = ipaddress.ip_network("64:ff9b:1::/48")
_NAT64_LENGTHS = (48, 56, 64)
# IPv4-compatible, IPv4-mapped, IPv4-translated, NAT64: the IPv4 address is in the last 32 bits
_WITH_IPV4 = ("::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", _NAT64)

# None: judged by the IPv4 address
_KINDS: Networks[str | None] = Networks()
_KINDS.add(ipaddress.ip_network(_NAT64), None)
for _kind, _networks in _NOT_PUBLIC.items():
    for _network in _networks:
        _KINDS.add(ipaddress.ip_network(_network), _kind)
_EMBEDDING: Networks[bool] = Networks()
for _network in _WITH_IPV4:
    _EMBEDDING.add(ipaddress.ip_network(_network), True)


def kind_of(place: Address | Network) -> str | None:
    """Why an address or network is not public, such as "a private address"; None where some of it may be public."""
    return next(_KINDS.covering(place), None)


def embedded(address: Address) -> tuple[ipaddress.IPv4Address, ...]:
    """The IPv4 addresses that an IPv6 address may lead to: IPv4-mapped and the like, NAT64, 6to4, Teredo, ISATAP."""
    if address.version == 4:
        return ()
    number = int(address)
    last = ipaddress.IPv4Address(number & 0xFFFFFFFF)
    if address in _LOCAL_NAT64:
        # the IPv4 address behind a prefix; bits 64 to 71 belong to neither of them
        joined = (number >> 64) << 56 | number & 0xFFFFFFFFFFFFFF
        found = (*(ipaddress.IPv4Address(joined >> (88 - length) & 0xFFFFFFFF) for length in _NAT64_LENGTHS), last)
        # only the translator knows its prefix, and no host has an address in 0.0.0.0/8
        return tuple(each for each in found if int(each) >> 24) or (last,)
    if number > 1 and any(_EMBEDDING.covering(address)):
        return (last,)
    if address.sixtofour:
        return (address.sixtofour,)
    if address.teredo:
        return address.teredo
    # ISATAP (RFC 5214, section 6.1), whether or not the bit for a global address is set
    if (number >> 32) & 0xFDFFFFFF == 0x00005EFE:
        return (last,)
    return ()
