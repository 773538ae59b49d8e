# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Names that no target can have, and what to write instead. Pure.

The service accepts host names, IP addresses and URLs, and answers anything else with 422; the public documentation says no
more. So a name is refused here only if it cannot be read as any of the three; the service decides on all others.
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata

from .._model.errors import WrongOption, printable, without_secrets

# common mistypings of https://
_BROKEN_SCHEME = re.compile(
    r"(https?)(?::|:/|/{1,2}|;//|//:|:\\\\)(?![0-9]+(?:[/?#]|$))([^/:].*)", re.IGNORECASE | re.DOTALL
)
_DOTS = re.compile("[\u3002\uff0e\uff61]")
_RANGE = re.compile(r"[0-9]+(?:[.-][0-9]+)*-[0-9]+(?:[.-][0-9]+)*")
_SEVERAL = re.compile("[,;|]")
_ASCII_LABEL = re.compile(r"[A-Za-z0-9_-]+")
# some scripts need them (RFC 5892, appendix A)
_JOINERS = "\u200c\u200d"
_ONE = "write one host name, IP address or URL"
_PATTERN = "it is a pattern, and a target is one URL; write each URL by itself"
_IPV6 = "it is not a valid IPv6 address; correct it, and write it in brackets in a URL or in front of a port"


def problem_of(name: str) -> str | None:
    """Why no target can have this name and what to write instead, a clause; None if the service may accept it."""
    problem = _problem_of_characters(name)
    if problem or _is_address(name):
        return problem
    scheme, separator, rest = name.partition("://")
    broken = None if separator else _BROKEN_SCHEME.fullmatch(name)
    if broken:
        return f"write {_shown(f'{broken[1].lower()}://{broken[2]}')}"
    if separator:
        if scheme.lower() not in ("http", "https"):
            return f"{_shown(scheme + '://')} is neither http:// nor https://; write one of them"
        if re.match("https?://", rest, re.IGNORECASE):
            return f"its scheme is written twice; write {_shown(rest)}"
        place = re.split("[/?#]", rest, maxsplit=1)[0].rpartition("@")[2]
        if not place:
            return f"it has no host; write {scheme.lower()}://HOST/PATH"
        return _problem_of_place(place) or (_PATTERN if _is_pattern(rest) else None)
    place = re.split("[/?#]", name, maxsplit=1)[0]
    if place == name:
        return _problem_of_place(name)
    try:
        network = ipaddress.ip_network(re.sub(r"\[(.*)\]", r"\1", name), strict=False)
    except ValueError:
        problem = _problem_of_place(place) or (_PATTERN if _is_pattern(name) else None)
        return problem or f"write https:// in front of a URL with a path, as in {_shown(f'https://{name}')}"
    if network.num_addresses == 1:
        return f"it is a network of one host; write {_shown(str(network.network_address))}"
    return "it is a network, and a target is one host; write each address by itself"


def refuse_name(path: str, name: str) -> None:
    """Raise WrongOption for a name that no target can have. path: the option, or what else the message calls it."""
    problem = problem_of(name)
    if problem:
        raise WrongOption(f"{path} {_shown(name)} cannot be the name of a target: {problem}. Nothing was written.")


def problem_of_comment(text: str) -> str | None:
    """The clause on a text that is a comment, or has one behind it."""
    if text.lstrip().startswith("#"):
        return "it begins with #, so it looks like a comment; remove this entry, or the #"
    before, *comment = re.split(r"\s#", text, maxsplit=1)
    return f"it has a comment behind it; write {_shown(before.strip())}" if comment else None


def _problem_of_characters(name: str) -> str | None:
    comment = problem_of_comment(name)
    if comment:
        return comment
    if not name.strip():
        return f"it is empty; {_ONE}"
    odd = next(filter(_is_unprintable, name), None)
    if odd is None:
        return None
    bare = name.strip()
    if not any(map(_is_unprintable, bare)):
        return f"it has white space around it; write {_shown(bare)}"
    kind = "white space" if odd.isspace() else "a control character"
    return f"it has {kind} in it (U+{ord(odd):04X}); {_ONE}"


def _is_unprintable(character: str) -> bool:
    # Cs: a surrogate, which cannot be encoded in a request
    return character.isspace() or unicodedata.category(character) in ("Cc", "Cs", "Zs", "Zl", "Zp")


def _is_pattern(text: str) -> bool:
    """Whether the path of a URL, which follows its host, has an asterisk. A query may have one."""
    return "*" in re.split("[?#]", text, maxsplit=1)[0]


def _problem_of_place(place: str) -> str | None:
    """The same as ``problem_of`` for a host with or without a port."""
    if _SEVERAL.search(place):
        return "it contains several names; write each host name, IP address or URL as an entry of its own"
    if "@" in place:
        return f"an @ belongs to a mail address or to the user info of a URL; {_ONE}"
    bracketed = re.fullmatch(r"\[(.*)\](?::([0-9]*))?", place)
    if bracketed:
        return None if _is_address(bracketed[1]) and _is_port(bracketed[2]) else _IPV6
    host, colon, port = place.partition(":")
    if ":" in port:
        return _IPV6
    if colon and not _is_port(port):
        return f"{_shown(port)} is not a port; write a number from 1 to 65535, or leave it out"
    return _problem_of_host(host)


def _problem_of_host(host: str) -> str | None:
    bare = _DOTS.sub(".", host)
    bare = bare[:-1] if bare.endswith(".") else bare
    if _is_address(bare):
        return None
    if not bare:
        return f"it has no host; {_ONE}"
    if _RANGE.fullmatch(bare):
        return "it is a range of addresses, and a target is one host; write each address by itself"
    if "*" in bare:
        return "it is a pattern, and a target is one host; write each host name by itself"
    labels = bare.split(".")
    if "" in labels:
        return "a dot separates the parts of a host name, and one of them is empty; remove the dot"
    if len(bare) > 253 or any(len(label) > 63 for label in labels):
        return "a host name has at most 253 characters, and 63 between two dots; shorten it"
    problem = next(filter(None, map(_problem_of_label, labels)), None)
    if problem:
        return problem
    # as IDNA reads it: a digit of full width is an ASCII digit, those of other scripts are letters of a name
    read = unicodedata.normalize("NFKC", labels[-1])
    if read.isascii() and read.isdigit():
        return "it is not a valid IPv4 address; write four numbers from 0 to 255 with dots between them"
    if len(labels) > 1 and read[:1].isascii() and read[:1].isdigit():
        return f"it ends in {_shown(labels[-1])}, which is not a top-level domain; {_ONE}"
    return None


def _problem_of_label(label: str) -> str | None:
    odd = next((each for each in label if each.isascii() and not _ASCII_LABEL.fullmatch(each)), None)
    if odd:
        return f"no host name has the character {_shown(odd)}; {_ONE}"
    hidden = next((each for each in label if unicodedata.category(each)[0] == "C" and each not in _JOINERS), None)
    if hidden:
        return f"it has an invisible character (U+{ord(hidden):04X}); {_ONE}"
    if label[0] == "-" or label[-1] == "-":
        return "no part of a host name begins or ends with a hyphen; correct it"
    return None


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _is_port(text: str) -> bool:
    return not text or (text.isascii() and text.isdigit() and len(text) <= 5 and 1 <= int(text) <= 65535)


def _shown(text: str) -> str:
    return repr(printable(without_secrets(text), 100))
