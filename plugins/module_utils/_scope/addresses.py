# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Which IP addresses are not public, and which other addresses an address stands for. Pure.

A table of our own, because that of the standard library's ipaddress differs between Python releases.
"""

from __future__ import annotations

import ipaddress


class Networks:
    """Values by network. One look-up costs a step for each prefix length in use, whatever the number of networks."""

    def __init__(self):
        self._tables = {4: {}, 6: {}}

    def add(self, network, value):
        """Add a value to an IPv4Network or IPv6Network."""
        table = self._tables[network.version].setdefault(network.prefixlen, {})
        bits = int(network.network_address) >> (network.max_prefixlen - network.prefixlen)
        table.setdefault(bits, []).append(value)

    def covering(self, place):
        """The values of all networks that hold the whole of an address or network."""
        number = int(getattr(place, "network_address", place))
        narrowest = getattr(place, "prefixlen", place.max_prefixlen)
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
        # all that is not global unicast, 2000::/3; 64:ff9b::/96 (NAT64) is judged by the IPv4 address in it as well
        "::/3",
        "4000::/2",
        "8000::/1",
        "2001::/23",
        "2001:db8::/32",
        "3fff::/20",
    ),
}
# IPv4-compatible, IPv4-mapped, IPv4-translated, NAT64: the IPv4 address is in the last 32 bits
_NAT64 = "64:ff9b::/96"
# NAT64 for local use (RFC 8215); the prefix in it has one of these lengths (RFC 6052, section 2.2)
_LOCAL_NAT64 = ipaddress.ip_network("64:ff9b:1::/48")
_NAT64_LENGTHS = (48, 56, 64)
_WITH_IPV4 = ("::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", _NAT64)

_KINDS = Networks()
_KINDS.add(ipaddress.ip_network(_NAT64), None)
for _kind, _networks in _NOT_PUBLIC.items():
    for _network in _networks:
        _KINDS.add(ipaddress.ip_network(_network), _kind)
_EMBEDDING = Networks()
for _network in _WITH_IPV4:
    _EMBEDDING.add(ipaddress.ip_network(_network), True)


def kind_of(place):
    """What an address or network is instead of public, as "a private address"; None where some of it may be public."""
    return next(_KINDS.covering(place), None)


def embedded(address):
    """The IPv4 addresses that an IPv6 address may lead to: IPv4-mapped and the like, NAT64, 6to4, Teredo, ISATAP."""
    if address.version == 4:
        return ()
    number = int(address)
    last = ipaddress.IPv4Address(number & 0xFFFFFFFF)
    if address in _LOCAL_NAT64:
        found = (*(_behind_prefix(number, length) for length in _NAT64_LENGTHS), last)
        # only the translator knows its prefix; what would be an address in 0.0.0.0/8 is none
        return tuple(each for each in found if int(each) >> 24) or (last,)
    if number > 1 and any(_EMBEDDING.covering(address)):
        return (last,)
    if address.sixtofour:
        return (address.sixtofour,)
    if address.teredo:
        return address.teredo
    # ISATAP (RFC 5214, section 6.1), with the bit for a global address set or not
    if (number >> 32) & 0xFDFFFFFF == 0x00005EFE:
        return (last,)
    return ()


def _behind_prefix(number, length):
    """The IPv4 address behind a NAT64 prefix of 48 to 64 bits: bits 64 to 71 belong neither to the prefix nor to it."""
    joined = (number >> 64) << 56 | number & 0xFFFFFFFFFFFFFF
    return ipaddress.IPv4Address(joined >> (88 - length) & 0xFFFFFFFF)
