# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Names of targets: which spellings mean the same target, and which place a name points to. Pure."""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from typing import NamedTuple, Union
from urllib.parse import unquote, urlsplit

from .errors import printable, without_secrets
from .family import Family

try:
    # installed with requests
    import idna
except ImportError:
    idna = None  # type: ignore[assignment]  # an optional library

# used at run time, on Python 3.9
Address = Union[ipaddress.IPv4Address, ipaddress.IPv6Address]

DEFAULT_PORTS = {"http": 80, "https": 443}

# without white space, control characters and the backslash
_VISIBLE_ASCII = re.compile(r"[!-\[\]-~]*")
# most names are in normal form already; this check spares long lists the slow reading below
_IN_NORMAL_FORM = re.compile(r"(?:https?://[a-z0-9.-]*[a-z](?:/[!\"$->@-~]+)?|[a-z0-9.-]*[a-z])")
# our own reading of a name (RFC 3986, without what programs read differently), to compare with that of urllib.parse
_URL = re.compile(r"(https?)://(?:([^/?#@\[\]]*)@)?([^/?#@]*)(/[^?#]*)?([?#].*)?", re.IGNORECASE)
_PLACE = re.compile(r"(\[[^/?#@\[\]]*\]|[^/?#@:\[\]]+)(?::([1-9][0-9]{0,4}))?")

# the user and the password in a name; without a password, a text before an @ may be anything
LOGIN = re.compile(r"(?:^|(?<=://))([^/?#\\@:]*):([^/?#\\]*)@")

# RFC 3490, section 3.1: all of them separate the labels of a host name
_DOTS = re.compile("[\u3002\uff0e\uff61]")
# RFC 1123, and the underscore that names in the DNS may have
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?")
# a top-level domain begins with a letter (RFC 1123, section 2.1), without underscores; nmap reads 10.0.0.1-254 as a range
_LAST_LABEL = re.compile(r"[a-z](?:[a-z0-9-]*[a-z0-9])?")
# the C library, browsers and others read a host that ends in a number as an IPv4 address
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
# a program that decodes too early takes one of these for the end of the user info or of the host
_ENCODED_DELIMITER = re.compile(r"%(?:2f|3f|23|40|5c|5b|5d)", re.IGNORECASE)
# an encoded slash, backslash, percent sign or control character, and a percent sign that encodes nothing
_ENCODED_TRICK = re.compile(r"%(?:2f|5c|25|[01][0-9a-f]|7f|(?![0-9a-f]{2}))", re.IGNORECASE)


def normal_form(name: str) -> str:
    """The form in which all names of one target are equal, for comparison only; never sent.

    Host names: lower case, no trailing dot, IDNA. IP addresses: the canonical text. URLs: scheme and host as above, no
    default port, no slash after a bare host; path and query as written.
    """
    return name if _IN_NORMAL_FORM.fullmatch(name) else _normal_form(name)


def lasting_form(name: str) -> str:
    """The normal form of a name without its password, which changes, and which no file of a gate has. A user name stays: it
    tells targets apart."""
    bare = LOGIN.sub(lambda login: f"{login[1]}@" if login[1] else "", name, count=1) if "@" in name else name
    return normal_form(bare)


def normal_name(resource: Family, name: str) -> str:
    """The form in which two names of the same object of a family are equal."""
    return normal_form(name) if resource.key_is_place else name


def _normal_form(name: str) -> str:
    text = name.strip()
    try:
        scheme, user, host, port, path, rest = _parts(text)
    except ValueError:
        return text
    if ("://" in text and not (scheme and host)) or text.split() != [text]:
        return text
    place = (user + "@" if user else "") + _normal_host(host)
    if port is not None and port != DEFAULT_PORTS.get(scheme):
        place += f":{port}"
    if "://" not in text:
        return place
    return f"{scheme}://{place}{'' if path == '/' and not rest else path}{rest}"


def _normal_host(host: str) -> str:
    """A host name or IP address in normal form; IPv6 addresses in brackets."""
    bare = host.rstrip(".").strip("[]")
    # no other text is an address, and this attempt is the slowest step
    if ":" in bare or bare[-1:].isdigit():
        try:
            address = ipaddress.ip_address(bare)
        except ValueError:
            pass
        else:
            return f"[{address}]" if address.version == 6 else str(address)
    bare = host.rstrip(".").lower()
    if idna is not None and not bare.isascii():
        try:
            # some scripts have their own full stops
            return idna.encode(bare, uts46=True).decode("ascii").rstrip(".")
        except idna.IDNAError:
            return bare
    return bare


class UnreadableName(ValueError):
    """A name that some programs may read as another place. Its text is a clause."""

    def __init__(self, text: str, problem: str) -> None:
        super().__init__(f"{printable(without_secrets(text), 100)!r} {problem}")


class TargetName(NamedTuple):
    """The place that a target's name points to.

    scheme: None for a host; host: normalised, IPv6 without brackets; address: None for a host name; port: None for a host
    with all of its ports; path: as written, "" for a host; more: whether the name has user info, a query or a fragment.
    """

    scheme: str | None
    host: str
    address: Address | None
    port: int | None
    path: str = ""
    more: bool = False


def read_name(text: str) -> TargetName:
    """The TargetName of a target's name: a host, an IP address (either with or without a port), or an http or https URL.

    Raises UnreadableName if programs may read it differently: if the standard library's reading is not ours, and for white
    space, control and invisible characters, backslashes, encoded hosts, and any invalid host. Does not resolve the name.
    """
    _refuse_characters(text)
    url = _URL.fullmatch(text)
    scheme, user, authority, path, rest = url.groups("") if url else ("", "", text, "", "")
    place = _PLACE.fullmatch(authority)
    if not place and _ipv6(text):
        place = _PLACE.fullmatch(f"[{text}]")
    if not place or int(place[2] or 0) > 65535:
        raise UnreadableName(text, "is neither a host, with or without a port, nor a plain http or https URL")
    host, port = place[1], int(place[2]) if place[2] else None
    scheme = scheme.lower()
    if _standard_reading(text) != (scheme, user, host.strip("[]").lower(), port, path):
        raise UnreadableName(text, "is read differently by different programs")
    if _ENCODED_DELIMITER.search(user) or (not path and "@" in rest):
        raise UnreadableName(
            text, "can be mistaken for another host: leave out the user info, or put a / after the host"
        )
    host, address = read_host(host)
    return TargetName(scheme or None, host, address, port or DEFAULT_PORTS.get(scheme), path, bool(user or rest))


def read_host(text: str) -> tuple[str, Address | None]:
    """The normalised text of a host name or IP address (IPv6 in brackets), without brackets, and its address, None for a
    name. Raises UnreadableName."""
    _refuse_characters(text)
    if "%" in text:
        raise UnreadableName(text, "has a percent sign: write a host decoded, and an address without its zone")
    if text.startswith("["):
        address = _ipv6(text[1:-1])
        if not address:
            raise UnreadableName(text, "is not a valid IPv6 address")
        return str(address), address
    dotted = _DOTS.sub(".", text)
    bare = dotted[:-1] if dotted.endswith(".") else dotted
    # checked first, because the IDNA libraries are slow on long text
    if len(bare) > 253 or any(len(label) > 63 for label in bare.split(".")):
        raise UnreadableName(text, "is longer than a host name can be, or has a label of more than 63 characters")
    if "" in bare.split("."):
        raise UnreadableName(text, "has an empty label")
    host = _normal_host(bare)
    labels = host.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        try:
            number = ipaddress.IPv4Address(host)
        except ValueError:
            number = None
        if number is None or str(number) != host:
            raise UnreadableName(text, "is an IPv4 address in an unusual notation: write four decimal numbers")
        return host, number
    _refuse_unlike_readings(text, bare, labels)
    if not all(_LABEL.fullmatch(label) for label in labels):
        raise UnreadableName(text, "has a character that no host name has in this place")
    if not _LAST_LABEL.fullmatch(labels[-1]):
        raise UnreadableName(
            text,
            f"ends in {printable(labels[-1], 63)!r}, which is not a top-level domain: write each host, address or URL by"
            " itself",
        )
    return host, None


def read_path(path: str) -> tuple[tuple[str, ...], str | None]:
    """The decoded segments of a URL's path, and a clause, or None, on why servers may read it as another path."""
    try:
        decoded = unquote(path, errors="strict")
    except UnicodeDecodeError:
        return (), "its path is not encoded in UTF-8"
    inner = decoded[1:-1] if decoded.endswith("/") else decoded[1:]
    segments = tuple(inner.split("/")) if inner else ()
    if _ENCODED_TRICK.search(path) or unicodedata.normalize("NFKC", decoded) != decoded:
        return segments, "its path has encoded delimiters or characters with several forms"
    # Windows drops dots and spaces at the end; Java servers drop everything after a semicolon, and then empty segments
    kept = [segment.split(";")[0] for segment in segments]
    if "" in kept or decoded == "//" or any(segment.endswith((".", " ")) for segment in kept):
        return segments, "its path has empty segments, or segments that end in a dot or a space"
    return segments, None


def _parts(text: str) -> tuple[str, str, str, int | None, str, str]:
    """The scheme, user info, host, port, path, and query with fragment, as the standard library reads them; raises
    ValueError. A name that is not a URL has only host and port."""
    if "://" not in text:
        host, colon, port = text.rpartition(":")
        # more digits are not a port, and int() refuses thousands of them
        is_port = port.isascii() and port.isdigit() and len(port) <= 9
        if is_port and ((colon and ":" not in host.strip("[]")) or host.endswith("]")):
            return "", "", host, int(port), "", ""
        return "", "", text, None, "", ""
    parts = urlsplit(text)
    rest = (f"?{parts.query}" if parts.query else "") + (f"#{parts.fragment}" if parts.fragment else "")
    return parts.scheme, parts.netloc.rpartition("@")[0], parts.hostname or "", parts.port, parts.path, rest


def _standard_reading(text: str) -> tuple[str, str, str, int | None, str] | None:
    try:
        scheme, user, host, port, path = _parts(text)[:5]
    except ValueError:
        return None
    return scheme, user, host.strip("[]").lower(), port, path


def _refuse_characters(text: str) -> None:
    if _VISIBLE_ASCII.fullmatch(text):
        return
    for character in text:
        if character == "\\":
            raise UnreadableName(text, "has a backslash")
        if unicodedata.category(character)[0] in "CZ":
            code = f"U+{ord(character):04X}"
            raise UnreadableName(text, f"has white space, a control or an invisible character, {code}")


def _ipv6(text: str) -> ipaddress.IPv6Address | None:
    try:
        return ipaddress.IPv6Address(text)
    except ValueError:
        return None


def _refuse_unlike_readings(text: str, bare: str, labels: list[str]) -> None:
    """Refuse an international name that programs read differently. labels: those of its normal form."""
    if not bare.isascii() and _idna2003(bare) != ".".join(labels):
        forms = sorted({form for form in (".".join(labels), _idna2003(bare)) if form and form.isascii()})
        these = f"; that is {' or '.join(forms[::-1])}" if len(forms) > 1 else ""
        raise UnreadableName(text, f"is no international name that all programs read alike: write its xn-- form{these}")
    for label in labels:
        if label.startswith("xn--") and not _is_xn_label(label):
            raise UnreadableName(
                text,
                f"has a label that is no international name, {printable(label, 63)!r}: correct it, or leave it out",
            )


def _is_xn_label(label: str) -> bool:
    """Whether all programs accept this xn-- label and read it the same way."""
    if idna is None:
        return False
    try:
        if idna.encode(idna.decode(label)).decode("ascii") == label:
            return True
    except UnicodeError:
        pass
    try:
        # IDNA 2008 has no emoji; they have one reading if UTS 46 and IDNA 2003 agree
        decoded = _decoded(label)
        return idna.uts46_remap(decoded, True, False) == decoded and _idna2003(decoded) == label
    except UnicodeError:
        return False


def other_reading(host: str) -> str | None:
    """The host that programs with IDNA 2003 read instead of one from ``read_host``, or None if they read the same.

    They may decode an xn-- form and encode it again: xn--strae-oqa.example becomes strasse.example.
    """
    if "xn--" not in host:
        return None
    labels = [_decoded(label) if label.startswith("xn--") else label for label in host.split(".")]
    other = _idna2003(".".join(labels))
    return None if other == host else other


def _decoded(label: str) -> str:
    return label[4:].encode("ascii").decode("punycode")


def _idna2003(name: str) -> str | None:
    """The IDNA 2003 form of a host name, from the standard library, or None if it has none."""
    try:
        return name.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return None
