# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The authorised scope: which hosts, networks and URLs may be targets at all. Pure; resolves no name.

A name stands for a set of places: a host without a port for all ports and URLs of this one host, a host with a port for
all URLs on it, a URL for all that is below its path. A name is in scope when nothing of it is denied and, where there is
an allow list, one entry of that list covers all of it. ``state: absent`` is never checked: that is the caller's part.
"""

from __future__ import annotations

import ipaddress
import re
from typing import NamedTuple

from .._errors import WrongOption, printable
from .._names import DEFAULT_PORTS, UnreadableName, other_reading, read_host, read_name, read_path
from .._valid_names import problem_of
from .addresses import Networks, embedded, kind_of

SCOPE_OPTION = dict(
    type="dict",
    options=dict(
        allow=dict(type="list", elements="str"),
        deny=dict(type="list", elements="str"),
        private=dict(type="bool", default=False),
    ),
)

# names that lead to the machine itself or into a local network: RFC 6761, 6762 (with appendix G), 8375, ICANN's .internal
_LOCAL_DOMAINS = frozenset(
    ["localhost", "localdomain", "local", "internal", "intranet", "private", "corp", "home", "lan", "home.arpa"]
)
_ALL_PORTS = (1, 65535)
_ENTRY = re.compile(r"(\[[^\[\]]*\]|[^:\[\]]*)(?::([0-9]{1,5})(?:-([0-9]{1,5}))?)?")
_FORMS = (
    "write a domain, *.domain, an IP address or a network, each with or without :port or :first-last, or an http or https"
    " URL"
)


class _Entry(NamedTuple):
    """One entry of a list. where: str, as scope.allow[2]; ports: (first, last); itself: bool, False for *.domain;
    names_local: bool, whether it names local places and nothing beside."""

    where: str
    text: str
    ports: tuple = _ALL_PORTS
    itself: bool = True
    names_local: bool = True


class _Entries:
    """One list, indexed by what the entries name: a look-up does not scan the list."""

    def __init__(self):
        self.anywhere = []
        self.domains = {}
        self.networks = Networks()

    def at(self, target):
        """The entries, URLs excepted, for the host of a target, whatever the port."""
        yield from self.anywhere
        if target.address:
            yield from self.networks.covering(target.address)
            return
        domain = target.host
        yield from (entry for entry in self.domains.get(domain, ()) if entry.itself)
        while "." in domain:
            domain = domain.partition(".")[2]
            yield from self.domains.get(domain, ())


class _Allow(_Entries):
    """urls: {(scheme, host, port): {path segments: entry}}."""

    def __init__(self):
        super().__init__()
        self.urls = {}

    def add_url(self, target, segments, entry):
        self.urls.setdefault((target.scheme, target.host, target.port), {}).setdefault(segments, entry)

    def covering(self, target):
        """The entries that hold all of a target."""
        yield from (entry for entry in self.at(target) if _within(target, entry))
        paths = self.urls.get((target.scheme, target.host, target.port))
        if paths:
            segments, trouble = read_path(target.path)
            # a path that servers understand differently is only sure to be below the root
            for depth in range(1 if trouble else len(segments) + 1):
                if segments[:depth] in paths:
                    yield paths[segments[:depth]]


class _Deny(_Entries):
    """Wider than what is written: http and https on one port are one server, and paths are compared as servers may do.

    paths: {(host, port): {folded path segments: entry}}; above: {(host, port or None, folded path segments or None):
    entry} for all the places that hold a denied URL.
    """

    def __init__(self):
        super().__init__()
        self.paths = {}
        self.above = {}

    def add_url(self, target, segments, entry):
        folded = _folded(segments)
        self.paths.setdefault((target.host, target.port), {}).setdefault(folded, entry)
        self.above.setdefault((target.host, None, None), entry)
        self.above.setdefault((target.host, target.port, None), entry)
        for depth in range(len(folded)):
            self.above.setdefault((target.host, target.port, folded[:depth]), entry)

    def touching(self, target):
        """Why something of a target is in this list, a clause, or None."""
        first, last = _ports(target)
        for entry in self.at(target):
            if entry.ports[0] <= last and first <= entry.ports[1]:
                return _because(target, entry, _within(target, entry))
        folded = None
        paths = target.scheme and self.paths.get((target.host, target.port))
        if paths:
            segments, trouble = read_path(target.path)
            if trouble:
                return f"{_shown(target)} is refused because {trouble}, and there are denied URLs on this host"
            folded = _folded(segments)
            for depth in range(len(folded) + 1):
                if folded[:depth] in paths:
                    return _because(target, paths[folded[:depth]], True)
        entry = self.above.get((target.host, target.port, folded))
        return entry and _because(target, entry, False)


class _Layer(NamedTuple):
    """One compiled scope mapping. allow: _Allow, or None where all is allowed that is not denied."""

    source: str
    allow: object
    deny: _Deny
    private: bool

    def refusal(self, target):
        stand_ins = [target._replace(host=str(other), address=other) for other in _others(target.address)]
        for place in (target, *stand_ins):
            reason = self.deny.touching(place)
            # an IPv4-mapped address is the IPv4 address; the others lead there by way of a gateway, and are both
            if reason is None and not (place is target and _is_mapped(target.address)):
                reason = self._not_allowed(place)
            if reason:
                return reason if place is target else f"{_shown(target)} stands for {place.host}, and {reason}"
        other = None if target.address else other_reading(target.host)
        reason = other and self.deny.touching(target._replace(host=other))
        return reason and f"{_shown(target)} is {other} to programs that know IDNA 2003 only, and {reason}"

    def _not_allowed(self, target):
        entries = () if self.allow is None else tuple(self.allow.covering(target))
        if self.allow is not None and not entries:
            return f"{_shown(target)} is not in {self.source}.allow"
        kind = _kind(target)
        if kind and not self.private and not any(entry.names_local for entry in entries):
            return f"{target.host} is {kind} and {self.source}.private is false"
        return None


class Unreadable(str):
    """A reason that no other scope would lift: the name itself must be written in another way."""

    next_step = "Correct its spelling."


class Scope:
    """What may be a target. Made by ``compile_scope`` and ``combine``."""

    def __init__(self, layers):
        self._layers = tuple(layers)

    def __bool__(self):
        """Whether it refuses anything at all."""
        return bool(self._layers)

    def verdict(self, name):
        """None where ``name``, any text, may be a target, or the reason why not: a clause without a full stop."""
        if not self._layers:
            return None
        try:
            target = read_name(name)
        except UnreadableName as error:
            reason = Unreadable(error)
            problem = problem_of(name)
            if problem:
                reason.next_step = f"{problem[0].upper()}{problem[1:]}."
            return reason
        return next(filter(None, (layer.refusal(target) for layer in self._layers)), None)


def combine(file_scope, task_scope):
    """The Scope in which a name must pass both; None stands for one that is not given, which refuses nothing.

    Each is judged by itself, ``private`` and what its allow list names included, so neither lifts what the other refuses.
    """
    return Scope(layer for scope in (file_scope, task_scope) if scope is not None for layer in scope._layers)


def compile_scope(option_mapping, source="scope"):
    """The Scope of a mapping with the keys allow, deny (lists of str, or None: not given) and private (bool).

    source: how messages call the mapping. Raises WrongOption with the path to the wrong entry. An empty mapping is
    a scope: it refuses what is not public. An empty allow list allows nothing.
    """
    if not isinstance(option_mapping, dict):
        raise WrongOption(f"{source} is not a mapping: give it the keys allow, deny and private.")
    for key in option_mapping:
        if key not in SCOPE_OPTION["options"]:
            raise WrongOption(f"{source} has an unknown key {printable(key)!r}: write allow, deny or private.")
    private = option_mapping.get("private")
    if not isinstance(private, (bool, type(None))):
        raise WrongOption(f"{source}.private is neither true nor false: write one of them.")
    allow, deny = option_mapping.get("allow"), option_mapping.get("deny")
    return Scope(
        [
            _Layer(
                source,
                None if allow is None else _compile_list(allow, f"{source}.allow", _Allow()),
                _compile_list([] if deny is None else deny, f"{source}.deny", _Deny()),
                bool(private),
            )
        ]
    )


def _compile_list(texts, where, entries):
    if not isinstance(texts, list):
        raise WrongOption(f"{where} is not a list: write one entry on each line, with a dash before it.")
    for index, text in enumerate(texts):
        _add(entries, text, f"{where}[{index}]")
    return entries


def _add(entries, text, where):
    if not isinstance(text, str):
        raise _wrong(where, text, "it is not text; put it in quotes")
    try:
        if "://" in text:
            target = read_name(text)
            _refuse_mapped(where, text, target.address)
            segments, trouble = read_path(target.path)
            if trouble or target.more:
                problem = trouble or "it has user info, a query or a fragment"
                raise _wrong(where, text, f"{problem}; write scheme, host, port and a plain path only")
            entries.add_url(target, segments, _Entry(where, text))
            return
        place, ports = _split_ports(where, text)
        if place == "*":
            entries.anywhere.append(_Entry(where, text, ports, names_local=False))
        elif "/" in place:
            network = _network(where, text, place.strip("[]"))
            entries.networks.add(network, _Entry(where, text, ports, names_local=kind_of(network) is not None))
        else:
            itself = not place.startswith("*.")
            host, address = read_host(place if itself else place[2:])
            if address and itself:
                _refuse_mapped(where, text, address)
                entries.networks.add(ipaddress.ip_network(address), _Entry(where, text, ports))
            elif address:
                raise _wrong(where, text, f"an IP address has no subdomains; {_FORMS}")
            else:
                entries.domains.setdefault(host, []).append(_Entry(where, text, ports, itself))
    except UnreadableName as error:
        raise _wrong(where, text, f"{error}; {_FORMS}") from None


def _split_ports(where, text):
    match = _ENTRY.fullmatch(text)
    if not match:
        # an IPv6 address or network without brackets, so without a port
        return f"[{text}]", _ALL_PORTS
    place, first, last = match.groups()
    if first is None:
        return place, _ALL_PORTS
    ports = int(first), int(last or first)
    if not 1 <= ports[0] <= ports[1] <= 65535:
        raise _wrong(where, text, "its ports are not between 1 and 65535 in ascending order")
    return place, ports


def _network(where, text, place):
    if "%" in place:
        raise _wrong(where, text, "a network has no zone; leave it out")
    try:
        network = ipaddress.ip_network(place)
    except ValueError as error:
        raise _wrong(where, text, f"it is no network ({printable(error)}); {_FORMS}") from None
    _refuse_mapped(where, text, network.network_address)
    return network


def _refuse_mapped(where, text, address):
    if _is_mapped(address):
        raise _wrong(where, text, "it is an IPv4 address in the form of an IPv6 address; write it as IPv4")


def _wrong(where, text, problem):
    return WrongOption(f"{where}, {printable(text, 100)!r}, is not usable: {problem}.")


def _within(target, entry):
    """Whether the ports of a target are all among those of an entry for its host."""
    first, last = _ports(target)
    return entry.ports[0] <= first and last <= entry.ports[1]


def _ports(target):
    return _ALL_PORTS if target.port is None else (target.port, target.port)


def _folded(segments):
    """The path for denials: servers may ignore case and what follows a semicolon."""
    return tuple(segment.split(";")[0].casefold() for segment in segments)


def _kind(target):
    """What a place is instead of public, or None."""
    if target.address:
        return kind_of(target.address)
    domain = target.host
    if "." not in domain:
        return "a name without a domain"
    while domain:
        if domain in _LOCAL_DOMAINS:
            return "a local name"
        domain = domain.partition(".")[2]
    return None


def _others(address):
    return embedded(address) if address else ()


def _is_mapped(address):
    return address is not None and address.version == 6 and address.ipv4_mapped is not None


def _because(target, entry, whole):
    if whole:
        return f"{_shown(target)} is refused by {entry.where} ({printable(entry.text, 100)})"
    return f"{_shown(target)} includes {printable(entry.text, 100)}, which {entry.where} refuses"


def _shown(target):
    """The place as text, without what may be secret in user info or query."""
    host = f"[{target.host}]" if target.address and target.address.version == 6 else target.host
    port = f":{target.port}" if target.port != DEFAULT_PORTS.get(target.scheme) else ""
    return f"{target.scheme}://{host}{port}{printable(target.path, 100)}" if target.scheme else f"{host}{port}"
