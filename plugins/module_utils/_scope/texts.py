# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What a text names as programs read it: URLs anywhere in it, or itself a host. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from urllib.parse import unquote

# how templates render a boolean, in a field whose name ends in _url
_FLAGS = ("", "true", "false", "yes", "no", "on", "off", "none", "null")
# https://url.spec.whatwg.org/#url-parsing: browsers remove these wherever they are in a URL, and those below U+0021 around it
_GAPS = r"\t\r\n"
_REMOVED = re.compile(f"[{_GAPS}]+")
_AROUND = "".join(map(chr, range(0x21)))
_GAP = f"[{_GAPS}]*"
# the schemes that programs follow without slashes
_SPECIAL = "|".join(_GAP.join(scheme) for scheme in ("https", "http", "wss", "ws", "ftp"))
# what programs follow as a URL, even without the slashes, or after white space or invisible characters
_URL = re.compile(r"[^0-9a-z]*(?:(?:https?|wss?|ftp):\S|[a-z][a-z0-9+.-]+:[/\\]{2})", re.IGNORECASE)
_SPLIT_URL = re.compile(r"[^0-9a-z]*(?:(?:https?|wss?|ftp):\S|(?:file|gopher):[/\\]{2})", re.IGNORECASE)
_REST = r"[^\s,;|\"'<>]*"
_END = r"(?:[\s,;|\"'<>)\]}]|\Z)"
# a limit keeps the search linear; no host name is longer
_AUTHORITY = r"[^\s/\\?#,;|\"'<>]{0,253}"
# two slashes or more, of which backslashes may be escapes
_FORWARD = r"//+(?![/\\])"
_MIXED = r"[/\\]{2,}"
# removed first, so that the search for slashes is linear
_GAP_AFTER_SLASH = re.compile(f"(?<=[/\\\\])[{_GAPS}]+")
# an authority that no escape of a regular expression looks like
_CLEAR = (
    rf"(?:{_AUTHORITY}@[\w\[]|\[[0-9a-f.]*:|localhost\b|[0-9]{{8}}|[\w%-]+(?:[.\u3002\uff0e\uff61][\w%-]|:[0-9]|%2e))"
)
_URL_INSIDE = re.compile(
    # no scheme is longer, and a limit keeps the search linear
    rf"[a-z][a-z0-9+.-]{{1,62}}:{_GAP}[/\\]{{2}}{_REST}"
    # not a port or a switch, such as https:443
    rf"|(?<![a-z0-9+.-])(?:{_SPECIAL}){_GAP}:{_GAP}(?!(?:[0-9]{{1,5}}|true|false|yes|no|on|off){_END})(?={_REST}[^\W_]){_REST}"
    # a host without a scheme, such as //example.com; a word alone may be a comment, and -//W3C//DTD is no URL
    rf"|(?<![\w./:\\%~+?^)\]}}$])(?:[a-z]?:(?=/)|:)?(?:(?<![*-]){_FORWARD}(?=[\w%-]+[/\\]|[^\x00-\x7f]|{_AUTHORITY}(?:@|\.\w))"
    rf"|{_MIXED}(?={_CLEAR})){_REST}",
    re.IGNORECASE,
)
# at the beginning of a text, a word alone is a host
_RELATIVE = re.compile(
    rf"[^\w/\\.:*?^$(\[{{-]*(?:(?:[a-z]?:)?//+(?=[\w%]|[^\x00-\x7f]|{_AUTHORITY}(?:@|\.\w)|\[[0-9a-f.]*:)"
    rf"|[/\\]{{2,}}(?:{_CLEAR}|[\w-]+(?:[/\\:][^+*?^$(){{}}\[\]|]*)?\Z))",
    re.IGNORECASE,
)
# of a list in prose, a piece ends at the first separator, but some programs take what follows for more of the host
_GOES_ON = re.compile(r"[,;|'][^\s/\\?#\"<>]{0,253}[@.][^\s\"<>]*|[\"<>](?:@|\.\w)\S*")
_BETWEEN_URLS = re.compile(r"[\s,;|]+")

_PORT = r"(?::[0-9]{1,5})?(?:[/?#].*)?"
_DOTTED = (
    r"\[[0-9a-f:.%].*|(?:[0-9a-f]*:){7}[0-9a-f.]*|[0-9a-f:]{0,45}::[0-9a-f:.]*(?:%.*)?"
    r"|(?:\*\.)?(?:[\w-]+\.)+[^\W\d_][\w-]*\.?|[0-9]+(?:\.[0-9]+){3}(?:\.|-[0-9.]+)?|localhost\.?"
)
_LIKE_A_HOST = re.compile(rf"(?:{_DOTTED}){_PORT}", re.IGNORECASE | re.DOTALL)
_MAYBE_A_HOST = re.compile(
    rf"(?:[^\s/\\?#]*@)?(?:{_DOTTED}|(?:0x[0-9a-f]*|[0-9]+)(?:\.(?:0x[0-9a-f]*|[0-9]+)){{0,3}}\.?){_PORT}|\S+:[0-9]{{2,5}}",
    re.IGNORECASE | re.DOTALL,
)


def urls_in(text: str) -> Iterator[str]:
    """Yield what programs may follow in a text: the text itself if it begins as a URL, otherwise the pieces that do."""
    pieces = _BETWEEN_URLS.split(text)
    if _URL.match(text) and not all(map(_is_port, pieces)):
        # the complete text, and if it is a list, each URL after the first one
        yield text
        yield from (piece for piece in pieces[1:] if _URL.match(piece) or _RELATIVE.match(piece))
        return
    plain = plain_text(text)
    if _RELATIVE.match(plain) or (plain != text and _SPLIT_URL.match(plain)):
        yield text
        return
    text = _GAP_AFTER_SLASH.sub("", text)
    yield from _pieces(text)
    other = decoded(_URL_INSIDE.sub(" ", text))
    if other != text and not other.isspace():
        plain = plain_text(other)
        yield from [plain] if _RELATIVE.match(plain) or (_URL.match(plain) and not _is_port(plain)) else _pieces(other)


def _pieces(text: str) -> Iterator[str]:
    for found in _URL_INSIDE.finditer(text):
        more = _GOES_ON.match(text, found.end())
        yield found[0] + (more[0] if more else "")


def decoded(text: str) -> str:
    """A text as programs read it that decode it or replace compatible characters, without invisible ones."""
    if not text.isascii() or not text.isprintable():
        text = unicodedata.normalize("NFKC", text).replace("\u3002", ".")
        text = "".join(each for each in text if each.isspace() or unicodedata.category(each) not in ("Cc", "Cf"))
    if "%" in text:
        for _time in range(3):
            text = unquote(text)
    return text


def plain_text(text: str) -> str:
    """A text without what URL parsers remove."""
    return _REMOVED.sub("", text).strip(_AROUND)


def is_no_host(text: str) -> bool:
    """Whether a text in a field for hosts is none: a switch, a small number, or a path or query relative to the target."""
    plain = plain_text(text)
    if not plain:
        return not text
    if plain.lower() in _FLAGS or (plain.isascii() and plain.isdigit() and int(plain[:9]) < 1 << 24 and len(plain) < 9):
        # no host has an address below 1.0.0.0
        return True
    return plain[0] in "?#" or (plain[0] == "/" and plain[1:2] not in ("/", "\\"))


def is_like_a_host(text: str, numbers: bool) -> bool:
    """Whether a text has the form of a host with a dot or an address. numbers: also of one number, with user info, or of a
    list in which one has this form."""
    forms = {plain_text(text), plain_text(decoded(text))}
    if any((_MAYBE_A_HOST if numbers else _LIKE_A_HOST).fullmatch(each) for each in forms):
        return True
    return numbers and any(_LIKE_A_HOST.fullmatch(piece) for each in forms for piece in _BETWEEN_URLS.split(each))


def _is_port(text: str) -> bool:
    """Whether a text such as https:443 names the port of a protocol."""
    _scheme, _colon, rest = text.partition(":")
    return rest.isascii() and rest.isdigit() and len(rest) < 6
