# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How other programs read the host and the path of a URL. Shares no code with the collection."""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from urllib.parse import unquote, urlsplit

import idna
import requests
import urllib3
import yarl

PORTS = {"http": 80, "https": 443}
REFUSALS = (ValueError, TypeError, urllib3.exceptions.LocationParseError, requests.exceptions.RequestException)


def _urllib(url):
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port


def _urllib3(url):
    parts = urllib3.util.parse_url(url)
    return parts.scheme, parts.host, parts.port


def _requests(url):
    # requests hands its prepared URL to urllib3
    return _urllib3(requests.Request("GET", url).prepare().url)


def _yarl(url):
    parts = yarl.URL(url)
    return parts.scheme, parts.raw_host, parts.port


def _browser(url):
    # https://url.spec.whatwg.org/#url-parsing: tabs and line ends go, a backslash is a slash, hosts are decoded
    url = re.sub("[\t\n\r]", "", url.strip("".join(map(chr, range(0x21))))).replace("\\", "/")
    scheme, _colon, rest = url.partition(":")
    authority = re.split("[/?#]", rest.lstrip("/"))[0].rpartition("@")[2]
    host, port = re.fullmatch(r"(\[[^\]]*\]|[^:]*)(?::([0-9]*))?", authority, re.DOTALL).groups()
    return scheme.lower(), unquote(host), int(port) if port else None


READERS = {"urllib": _urllib, "urllib3": _urllib3, "requests": _requests, "yarl": _yarl, "browser": _browser}


def readings(url):
    """{reader: (scheme, host, port)} of the programs that accept a URL, each host in its canonical form."""
    found = {}
    for name, read in READERS.items():
        try:
            scheme, host, port = read(url)
            found[name] = scheme, canonical(host), port or PORTS.get(scheme)
        except (*REFUSALS, AttributeError):
            # what a program refuses it does not call
            continue
    return found


def canonical(host):
    """A host as it is called: an address by its number, a name in ASCII without the last dot."""
    bare = host.strip("[]")
    try:
        return str(ipaddress.ip_address(bare))
    except ValueError:
        pass
    if not bare.isascii():
        bare = idna.encode(bare, uts46=True).decode("ascii")
    return bare.lower().removesuffix(".")


def _merge(path):
    return re.sub("/{2,}", "/", path)


def _remove_dots(path):
    # RFC 3986, section 5.2.4
    kept = []
    for segment in path.split("/")[1:]:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    return "/" + "/".join(kept)


STEPS = (
    unquote,
    _remove_dots,
    _merge,
    lambda path: path.replace("\\", "/"),
    # Java servers, once or for each segment
    lambda path: re.sub(";[^/]*", "", path),
    # Windows
    lambda path: re.sub(r"[. ]+(?=/|$)", "", path),
    lambda path: path.partition("\x00")[0],
    lambda path: re.sub("[\t\r\n]", "", path),
    lambda path: unicodedata.normalize("NFKC", path),
)


def paths(path, steps=STEPS):
    """All paths that servers may take one for: any of the steps, in any order, any number of times."""
    found, new = {path}, [path]
    while new and len(found) < 500:
        path = new.pop()
        for step in steps:
            other = step(path)
            if other not in found:
                found.add(other)
                new.append(other)
    return found


def is_below(path, prefix):
    """Whether a path is a prefix or below it."""
    return path == prefix or path.startswith(prefix.rstrip("/") + "/")
