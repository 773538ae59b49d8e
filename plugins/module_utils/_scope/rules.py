# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The authorised scope: which hosts, networks and URLs may be targets at all. Pure; resolves no name.

A name means a set of places: a host without a port means all ports and URLs of this host, a host with a port all URLs
on it, a URL everything below its path. A name is in scope if nothing of it is denied and, where an allow list exists, one
entry of that list covers all of it. Callers do not check ``state: absent``.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar, Union

from .._model.errors import WrongOption, first_of, printable, shape_of
from .._model.target_names import (
    DEFAULT_PORTS,
    TargetName,
    UnreadableName,
    other_reading,
    read_host,
    read_name,
    read_path,
)
from .addresses import Address, Network, Networks, embedded, kind_of
from .option import SCOPE_KEYS
from .valid_names import problem_of, problem_of_comment

Ports = tuple[int, int]
Segments = tuple[str, ...]

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
    """One entry of a list. where: such as scope.allow[2]; ports: the first and the last; itself: False for *.domain;
    names_local: whether it names only local places."""

    where: str
    text: str
    ports: Ports = _ALL_PORTS
    itself: bool = True
    names_local: bool = True


class _Entries:
    """One list, indexed by what the entries name, so that a look-up does not scan the list."""

    def __init__(self) -> None:
        self.anywhere: list[_Entry] = []
        self.domains: dict[str, list[_Entry]] = {}
        self.networks: Networks[_Entry] = Networks()

    def at(self, target: TargetName) -> Iterator[_Entry]:
        """The entries for the host of a target, whatever the port. Entries that are URLs are not among them."""
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
    """The entries of ``allow``."""

    def __init__(self) -> None:
        super().__init__()
        # by scheme, host and port, then by path
        self.urls: dict[tuple[str | None, str, int | None], dict[Segments, _Entry]] = {}

    def add_url(self, target: TargetName, segments: Segments, entry: _Entry) -> None:
        self.urls.setdefault((target.scheme, target.host, target.port), {}).setdefault(segments, entry)

    def covering(self, target: TargetName) -> Iterator[_Entry]:
        """The entries that cover all of a target."""
        yield from (entry for entry in self.at(target) if _within(target, entry))
        paths = self.urls.get((target.scheme, target.host, target.port))
        if paths:
            segments, problem = read_path(target.path)
            # of a path that servers understand differently, only the root is certain
            for depth in range(1 if problem else len(segments) + 1):
                if segments[:depth] in paths:
                    yield paths[segments[:depth]]


class _Deny(_Entries):
    """The entries of ``deny``, which refuse more than they say: http and https on one port are one server, and paths are
    compared as tolerantly as servers may compare them."""

    def __init__(self) -> None:
        super().__init__()
        # by host and port, then by folded path
        self.paths: dict[tuple[str, int | None], dict[Segments, _Entry]] = {}
        # by host, port and folded path, or None for all of them: the places that contain a denied URL
        self.above: dict[tuple[str, int | None, Segments | None], _Entry] = {}

    def add_url(self, target: TargetName, segments: Segments, entry: _Entry) -> None:
        folded = _folded(segments)
        self.paths.setdefault((target.host, target.port), {}).setdefault(folded, entry)
        self.above.setdefault((target.host, None, None), entry)
        self.above.setdefault((target.host, target.port, None), entry)
        for depth in range(len(folded)):
            self.above.setdefault((target.host, target.port, folded[:depth]), entry)

    def touching(self, target: TargetName) -> str | None:
        """Why some of a target is in this list, a clause, or None."""
        first, last = _ports(target)
        for entry in self.at(target):
            if entry.ports[0] <= last and first <= entry.ports[1]:
                return _because(target, entry, _within(target, entry))
        folded = None
        paths = self.paths.get((target.host, target.port)) if target.scheme else None
        if paths:
            segments, problem = read_path(target.path)
            if problem:
                return f"{_shown(target)} is refused because {problem}, and some URLs on this host are denied"
            folded = _folded(segments)
            for depth in range(len(folded) + 1):
                if folded[:depth] in paths:
                    return _because(target, paths[folded[:depth]], True)
        above = self.above.get((target.host, target.port, folded))
        return above and _because(target, above, False)


_List = Union[_Allow, _Deny]
_OneList = TypeVar("_OneList", _Allow, _Deny)


class _Layer(NamedTuple):
    """One compiled scope mapping. allow: None if everything is allowed that is not denied."""

    source: str
    allow: _Allow | None
    deny: _Deny
    private: bool

    def refusal(self, target: TargetName) -> str | None:
        """Why this mapping refuses a target, a clause, or None."""
        others = embedded(target.address) if target.address else ()
        stand_ins = [target._replace(host=str(other), address=other) for other in others]
        for place in (target, *stand_ins):
            reason = self.deny.touching(place)
            # an IPv4-mapped address is only the IPv4 address; the others reach it through a gateway, and are both
            if reason is None and not (place is target and _is_mapped(target.address)):
                reason = self._not_allowed(place)
            if reason:
                return reason if place is target else f"{_shown(target)} leads to {place.host}, and {reason}"
        other = None if target.address else other_reading(target.host)
        reason = self.deny.touching(target._replace(host=other)) if other else None
        return reason and f"{_shown(target)} is {other} to programs that support only IDNA 2003, and {reason}"

    def _not_allowed(self, target: TargetName) -> str | None:
        entries = () if self.allow is None else tuple(self.allow.covering(target))
        if self.allow is not None and not entries:
            return f"{_shown(target)} is not in {self.source}.allow"
        kind = _kind(target)
        if kind and not self.private and not any(entry.names_local for entry in entries):
            return f"{target.host} is {kind} and {self.source}.private is false"
        return None


class _Unreadable(str):
    """A reason that no other scope would change: the name itself must be corrected. next_step: how, a sentence."""

    next_step: str

    def __new__(cls, reason: object, next_step: str) -> _Unreadable:
        text = super().__new__(cls, reason)
        text.next_step = next_step
        return text


class Scope:
    """What may be a target. Made by ``compile_scope`` and ``combine``."""

    def __init__(self, layers: Iterable[_Layer]) -> None:
        self._layers = tuple(layers)

    def __bool__(self) -> bool:
        """Whether it refuses anything at all."""
        return bool(self._layers)

    def verdict(self, name: str) -> str | None:
        """None where ``name``, any text, may be a target, or the reason why not: a clause without a full stop."""
        if not self._layers:
            return None
        try:
            target = read_name(name)
        except UnreadableName as error:
            problem = problem_of(name) or "correct its spelling"
            return _Unreadable(error, f"{problem[0].upper()}{problem[1:]}.")
        return next(filter(None, (layer.refusal(target) for layer in self._layers)), None)


def combine(file_scope: Scope | None, task_scope: Scope | None) -> Scope:
    """The Scope in which a name must pass both. None refuses nothing.

    Each is judged by itself, with its own ``private`` and allow list, so that neither permits what the other refuses.
    """
    return Scope(layer for scope in (file_scope, task_scope) if scope is not None for layer in scope._layers)


def compile_scope(option_mapping: object, source: str = "scope") -> Scope:
    """The Scope of a mapping with the keys allow and deny (lists of strings, or None if not set) and private (boolean).

    source: how messages call the mapping. Raises WrongOption with the path to the wrong entry. An empty mapping is
    a scope: it refuses what is not public. An empty allow list allows nothing.
    """
    if not isinstance(option_mapping, dict):
        raise WrongOption(f"{source} is not a mapping: give it the keys allow, deny and private.")
    unknown = [repr(printable(key)) for key in option_mapping if key not in SCOPE_KEYS]
    if unknown:
        keys = f"an unknown key {unknown[0]}" if len(unknown) == 1 else f"the unknown keys {first_of(unknown, 20)}"
        raise WrongOption(f"{source} has {keys}: write allow, deny or private.")
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


def _compile_list(texts: object, where: str, entries: _OneList) -> _OneList:
    if not isinstance(texts, list):
        raise WrongOption(f"{where} is not a list: write one entry on each line, with a dash before it.")
    for index, text in enumerate(texts):
        _add(entries, text, f"{where}[{index}]")
    return entries


def _add(entries: _List, text: object, where: str) -> None:
    if not isinstance(text, str):
        raise _wrong(where, text, "it is not text; put it in quotes")
    comment = problem_of_comment(text)
    if comment:
        raise _wrong(where, text, comment)
    try:
        if "://" in text:
            place = re.split("[/?#]", text.partition("://")[2], maxsplit=1)[0].rpartition("@")[2]
            if place.startswith("*."):
                advice = f"write {printable(place, 100)!r}, or one URL for each host"
                raise _wrong(where, text, f"a URL names one host; {advice}")
            target = read_name(text)
            _refuse_mapped(where, text, target.address)
            segments, problem = read_path(target.path)
            if "*" in target.path:
                raise _wrong(
                    where, text, "a URL covers everything below its path, and * is no pattern in it; leave the * out"
                )
            if problem or target.more:
                problem = problem or "it has user info, a query or a fragment"
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


def _split_ports(where: str, text: str) -> tuple[str, Ports]:
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


def _network(where: str, text: str, place: str) -> Network:
    if "%" in place:
        raise _wrong(where, text, "a network has no zone; leave it out")
    try:
        network = ipaddress.ip_network(place)
    except ValueError as error:
        raise _wrong(where, text, f"it is not a network ({printable(error)}); {_FORMS}") from None
    _refuse_mapped(where, text, network.network_address)
    return network


def _refuse_mapped(where: str, text: str, address: Address | None) -> None:
    if _is_mapped(address):
        raise _wrong(where, text, "it is an IPv4 address in the form of an IPv6 address; write it as IPv4")


def _wrong(where: str, text: object, problem: str) -> WrongOption:
    # the aliases of YAML make a short list of lists a very long text
    shown = shape_of(text) if isinstance(text, (list, dict)) else repr(printable(text, 100))
    return WrongOption(f"{where}, {shown}, is not usable: {problem}.")


def _within(target: TargetName, entry: _Entry) -> bool:
    """Whether an entry for the host of a target covers all of its ports."""
    first, last = _ports(target)
    return entry.ports[0] <= first and last <= entry.ports[1]


def _ports(target: TargetName) -> Ports:
    return _ALL_PORTS if target.port is None else (target.port, target.port)


def _folded(segments: Segments) -> Segments:
    """The path as ``deny`` compares it: servers may ignore case and what follows a semicolon."""
    return tuple(segment.split(";")[0].casefold() for segment in segments)


def _kind(target: TargetName) -> str | None:
    """Why a place is not public, such as "a local name", or None."""
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


def _is_mapped(address: Address | None) -> bool:
    return isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None


def _because(target: TargetName, entry: _Entry, whole: bool) -> str:
    if whole:
        return f"{_shown(target)} is refused by {entry.where} ({printable(entry.text, 100)})"
    return f"{_shown(target)} includes {printable(entry.text, 100)}, which {entry.where} refuses"


def _shown(target: TargetName) -> str:
    """The place as text, without user info and query, which may hold secrets."""
    host = f"[{target.host}]" if target.address and target.address.version == 6 else target.host
    port = f":{target.port}" if target.port != DEFAULT_PORTS.get(target.scheme or "") else ""
    return f"{target.scheme}://{host}{port}{printable(target.path, 100)}" if target.scheme else f"{host}{port}"
