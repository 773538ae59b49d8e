# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The gate that every write passes: it judges the exact request and gives the permit that sending requires. Pure."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Protocol

from .._errors import Refused, printable
from .._families.family import Family
from .._families.table import FAMILIES

# nothing but a gate can make a permit
_SEAL = object()


class _Unknown(Family):
    """A path outside the table is judged as if its body could name targets."""

    name = plural = noun = path = key = ""
    fields = ()


_ID_KEYS = ("target_id", "target_ids")
# fields that take a bare host; in others, only what can be read as a URL is judged
_HOST_KEY = re.compile(
    r"(?:^|_)(?:target_name|target|url|uri|host|hostname|fqdn|domain|subdomain|ip|address|endpoint|callback|webhook)s?(?:_in_scope)?$"
)
# below such a field, the fields that may hold a host of one word; any other one has a dot, a colon or many digits
_SAYS_WHICH = re.compile(r"(?:value|name|address|addresse|list|item|entry|entrie|included?|in_scope)s?$")
# how templates render a boolean, in a field whose name ends in _url
_FLAGS = ("", "true", "false", "yes", "no", "on", "off", "none", "null")
# https://url.spec.whatwg.org/#url-parsing: browsers remove these wherever they are in a URL, and those below U+0021 around it
_REMOVED = re.compile(r"[\t\r\n]+")
_AROUND = "".join(map(chr, range(0x21)))
# what programs follow as a URL, even without the slashes, or after white space or invisible characters
_URL = re.compile(r"[^0-9a-z]*(?:(?:https?|wss?|ftp):\S|[a-z][a-z0-9+.-]+:[/\\]{2})", re.IGNORECASE)
_SPLIT_URL = re.compile(r"[^0-9a-z]*(?:(?:https?|wss?|ftp):|(?:file|gopher):[/\\]{2})", re.IGNORECASE)
# the schemes that programs follow without slashes, with white space in them that browsers remove
_KNOWN = "|".join(r"[\t\r\n]*".join(scheme) for scheme in ("https", "http", "wss", "ws", "ftp"))
_URL_INSIDE = re.compile(
    # no scheme is longer, and a limit keeps the search linear
    r"[a-z][a-z0-9+.-]{1,62}:[/\\]{2}[^\s,;|\"'<>]*"
    rf"|(?<![a-z0-9+.-])(?:{_KNOWN})[\t\r\n]*:[\t\r\n]*[^\s,;|\"'<>]+"
    # a host without a scheme, such as //example.com
    r"|(?<![\w./:\\%~+-])[/\\]{2,}(?:[^\s/\\,;|\"'<>]*[.:\[%@]|[0-9]{8}|localhost\b)[^\s,;|\"'<>]*",
    re.IGNORECASE,
)
_TWO_SLASHES = re.compile(r"[/\\]{2,}[^\s/\\]")
_BETWEEN_URLS = re.compile(r"[\s,;|]+")
_ANY_INDEX = re.compile(r"\[[0-9]+\]")


class Permit:
    """The right to send one write, exactly as it was judged. Only a Gate makes one."""

    __slots__ = ("_request",)

    def __init__(self, seal: object, request: tuple[object, ...]) -> None:
        if seal is not _SEAL:
            raise TypeError("only a gate makes permits")
        self._request = copy.deepcopy(request)

    def covers(self, *request: object) -> bool:
        """Whether this is the permit for this request: method, path, query, form, json."""
        return self._request == request


def require(permit: object, method: str, path: str, query: object, form: object, json: object) -> None:
    """Raise unless the call is a read, or a gate has permitted exactly this write."""
    if method != "GET" and not (isinstance(permit, Permit) and permit.covers(method, path, query, form, json)):
        raise RuntimeError(f"{method} {path} has no permit of the gate")


class Place(NamedTuple):
    """A place that a body names. field: where in the body, such as tool_params.urls[0]; value: a text, or the id of a
    target; is_name: whether the text is the name of the target itself."""

    field: str
    value: str | int
    is_name: bool = False


class Verdicts(Protocol):
    """What a gate needs of a Scope."""

    def __bool__(self) -> bool:
        """Tell whether it restricts anything."""

    def verdict(self, name: str) -> str | None:
        """Return why a name is outside, None for one inside."""


class Gate:
    """What a task may write. Created once for each task.

    scope: None for a task that can neither create nor scan a target; closed: why nothing may be written at all, a clause.
    """

    def __init__(self, scope: Verdicts | None = None, closed: str | None = None) -> None:
        self._scope = scope
        self._closed = closed

    def verdict(self, name: str) -> str | None:
        """None where a target may have this name, or why not, a clause."""
        return None if self._scope is None else self._scope.verdict(name)

    def refuse(self, names: Iterable[str | None]) -> None:
        """Raise Refused for the first name that the scope does not permit."""
        for name in names:
            if name is not None:
                self._judge(Place("", name, is_name=True), name)

    def refuse_body(self, path: str, body: object) -> None:
        """Raise Refused for the first place in a body of POST ``path`` that the scope does not permit. Call this before the
        first write of several. It leaves ids to ``permit``."""
        for place in places_in(_family(path), body):
            if isinstance(place.value, str):
                self._judge(place, place.value)

    def permit(
        self,
        method: str,
        path: str,
        query: object,
        form: object,
        json: object,
        name_of: Callable[[int], str | None],
    ) -> Permit:
        """The Permit for a write, or Refused. name_of: from the id of a target to its live name, None if it is unknown."""
        if self._closed:
            raise Refused(f"{method} {path} was not sent: {self._closed}.")
        entry = _family(path)
        harmless = path.rpartition("/")[2] in entry.harmless_actions
        if method != "DELETE" and entry.scoped and not harmless:
            if self._scope is None:
                raise RuntimeError(f"{method} {path} can reach a target, and the task has no scope")
            for body in (query, form, json):
                for place in places_in(entry, body):
                    if self._scope:
                        self._judge(place, _name_at(place, name_of))
        return Permit(_SEAL, (method, path, query, form, json))

    def _judge(self, place: Place, name: str) -> None:
        reason = self._scope.verdict(name) if self._scope else None
        if reason:
            is_target = place.is_name or isinstance(place.value, int)
            what = f"target {printable(name)!r}" if is_target else place.field
            raise Refused(outside_scope(what, reason))


def _name_at(place: Place, name_of: Callable[[int], str | None]) -> str:
    """The name that the scope judges for a place."""
    if isinstance(place.value, str):
        return place.value
    name = name_of(place.value)
    if name is None:
        raise Refused(
            f"{place.field} {place.value} is not a target that this API key can see, so it cannot be checked against"
            f" scope. The request was not sent. Correct {place.field}."
        )
    return name


def outside_scope(what: str, reason: str) -> str:
    """The message for a target or a field that the scope refuses. reason: a verdict of the scope."""
    next_step = getattr(reason, "next_step", "Remove it, or widen that scope if you are authorised to scan it.")
    return f"{what} is outside the authorised scope: {reason}. The request was not sent. {next_step}"


def _family(path: str) -> Family:
    """The family to which the path of a write belongs."""
    for family in FAMILIES.values():
        if path == family.path or path.startswith(family.path + "/"):
            return family
    return _Unknown()


def places_in(entry: Family, body: object) -> Iterator[Place]:
    """Yield each Place that a body names at any depth: target names and ids, URLs, and hosts in fields for hosts.

    entry: the family of the created object. Raises Refused for an invalid id.
    """
    # the path of a value, the name of the nearest field, whether a field above takes hosts, and the value
    waiting: list[tuple[str, str, bool, object]] = [("", "", False, body)]
    while waiting:
        field, key, inherits, value = waiting.pop()
        if _ANY_INDEX.sub("", field) in entry.unscoped_fields:
            continue
        if isinstance(value, dict):
            inherits = (inherits or _takes_a_host(key)) and not _excludes(key)
            for name, inner in reversed(list(value.items())):
                yield from _in_text(field, inherits and _looks_like_a_host(str(name)), str(name))
                waiting.append((f"{field}.{name}" if field else str(name), str(name), inherits, inner))
        elif isinstance(value, (list, tuple)):
            waiting += [
                (f"{field}[{index}]", key, inherits, inner) for index, inner in reversed(list(enumerate(value)))
            ]
        elif value is not None and not isinstance(value, bool):
            yield from _in_value(entry, field, key, inherits, value)


def _in_value(entry: Family, field: str, key: str, inherits: bool, value: object) -> Iterator[Place]:
    text = str(value)
    if key in _ID_KEYS:
        if not (text.isascii() and text.isdigit() and len(text) < 20):
            raise Refused(f"{field} is {printable(text, 60)!r}, which is not the id of a target: give a number.")
        yield Place(field, int(text))
    elif field in entry.target_names:
        yield Place(field, text, is_name=True)
    else:
        inherits = inherits and not _excludes(key)
        one_word = _takes_a_host(key) or (inherits and _SAYS_WHICH.search(_words(key)) is not None)
        yield from _in_text(field, one_word or (inherits and _looks_like_a_host(text)), text)


def _in_text(field: str, takes_a_host: bool, text: str) -> Iterator[Place]:
    """takes_a_host: whether the text itself may be a bare host."""
    plain = _REMOVED.sub("", text).strip(_AROUND)
    pieces = _BETWEEN_URLS.split(text)
    if _URL.match(text) and not all(map(_is_port, pieces)):
        # the complete text, and if it is a list, each URL after the first one
        yield Place(field, text)
        for piece in pieces[1:]:
            if _URL.match(piece):
                yield Place(field, piece)
    elif _names_a_host(plain) or (plain != text and _SPLIT_URL.match(plain)):
        yield Place(field, text)
    else:
        for found in _URL_INSIDE.finditer(text):
            if not _is_port(found[0]):
                yield Place(field, found[0])
        if takes_a_host and not _is_no_host(plain):
            yield Place(field, text)


def _words(key: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|-", "_", key).lower()


def _takes_a_host(key: str) -> bool:
    return bool(_HOST_KEY.search(_words(key))) and not _excludes(key)


def _excludes(key: str) -> bool:
    return _words(key).startswith("exclude")


def _names_a_host(text: str) -> bool:
    """Whether a text begins with two slashes and a host, with which programs complete a scheme."""
    return _TWO_SLASHES.match(text) is not None


def _looks_like_a_host(text: str) -> bool:
    plain = _REMOVED.sub("", text).strip(_AROUND)
    if any(each.isspace() for each in plain):
        return False
    return not plain.isascii() or bool(re.search(r"[.:\[%]|^0x|^[0-9]+$", plain))


def _is_port(text: str) -> bool:
    """Whether a text such as https:443 names the port of a protocol."""
    _scheme, _colon, rest = text.partition(":")
    return rest.isascii() and rest.isdigit() and len(rest) < 6


def _is_no_host(text: str) -> bool:
    if text.lower() in _FLAGS or (text.isascii() and text.isdigit() and int(text[:9]) < 1 << 24 and len(text) < 9):
        # no host has an address below 1.0.0.0
        return True
    # a path or a query, relative to the target
    return text[0] in "?#" or (text[0] == "/" and text[1:2] not in ("/", "\\"))
