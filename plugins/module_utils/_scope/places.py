# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The places that the body of a write names: target names and ids, URLs anywhere in a text, and hosts in fields for hosts,
as programs read them. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

from .._model.errors import Refused, printable, shape_of
from .._model.family import Family

_Names = tuple[str, ...]

_ID_KEYS = ("target_id", "target_ids")

# --- which fields are for hosts

# what a field says about its texts: nothing, that they may name a host, or that they are hosts
_ANYTHING, _MAYBE, _HOST = range(3)

# fields that take a bare host; in others, only what can be read as a URL is judged
_HOST_KEY = re.compile(
    r"(?:^|_)(?:target_name|target|url|uri|host|host_?name|fqdn|domain|domain_?name|subdomain|ip|ipv[46]|ip_?addr"
    r"|(?:ip|(?<!mail_)(?<!mac_))address(?:es)?|endpoint|callback|webhook)s?(?:_in_scope|_list|_?[0-9]+)?$"
)
# fields that may also say something else, such as the kind of a server
_MAYBE_KEY = re.compile(r"(?:^|_)(?:v_?host|server|site|proxy|proxie|origin|link|href|asset)s?$")
# below a field for hosts, the fields that may hold a host of one word
_SAYS_WHICH = re.compile(r"(?:value|name|(?<!mail_)(?<!mac_)addresse?|list|item|entry|entrie|included?|in_scope)s?$")
# fields that describe a host, whose texts may have dots and digits
_DESCRIBES = re.compile(
    r"(?:^|_)(?:type|kind|id|uuid|port|protocol|scheme|mode|depth|level|limit|max|min|count|size|rate|delay|timeout|retrie"
    r"|follow|redirect|format|method|version|date|time|created|updated|description|comment|note|label|tag|group|title|owner"
    r"|contact|e?mail|option|param|parameter|setting|config|enabled|disabled|active|recursive|verify|tls|ssl|strategy|approach"
    r"|source|language|status|state|priority|weight|page|extension|path|tool|profile|score|ratio|factor|speed|interval|unit|all|any)s?(?:$|_)"
)
# what is sent to a host, and secrets, which must not appear in a refusal
_HIDES = re.compile(
    r"(?:^|_)(?:header|cookie|body|payload|content|message|template|event|user|user_?name|login|pass|pass_?word|pass_?phrase|secret|token|key|api_?key|auth"
    r"|authentication|authorization|credential)s?$"
)

# --- which texts are URLs or hosts

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


class Mention(NamedTuple):
    """A place that a body names."""

    # where in the body, such as tool_params.urls[0]
    field: str
    # a text, or the id of a target
    value: str | int
    # whether the text is the name of the target itself
    is_name: bool = False


def places_in(entry: Family, body: object) -> Iterator[Mention]:
    """Yield each place that a body names at any depth: target names and ids, URLs, and hosts in fields for hosts.

    entry: the family of the created object. Raises Refused for an invalid id.
    """
    # fields as tuples, so that no dot in a key makes one of them
    unscoped = {tuple(field.split(".")) for field in entry.unscoped_fields}
    names = {(field,) for field in entry.target_names}
    # the path of a value, the names in it, what the nearest of them means, and the value
    waiting: list[tuple[str, _Names, int, object]] = [("", (), _ANYTHING, body)]
    while waiting:
        field, path, meaning, value = waiting.pop()
        if path in unscoped or value is None or isinstance(value, bool):
            continue
        key = path[-1] if path else ""
        words = _words_of(key)
        is_id = words in _ID_KEYS
        if isinstance(value, dict) and not is_id:
            for name, inner in reversed([(str(name), inner) for name, inner in value.items()]):
                yield from _in_text(field, _takes_key(key, meaning, name), name)
                below = (*path, name)
                inherited = _HOST if below in names else _meaning_of(name, meaning)
                waiting.append((f"{field}.{name}" if field else name, below, inherited, inner))
        elif isinstance(value, (list, tuple)):
            waiting += [
                (f"{field}[{index}]", path, meaning, inner) for index, inner in reversed(list(enumerate(value)))
            ]
        elif is_id:
            text = str(value)
            if not (text.isascii() and text.isdigit() and len(text) < 20):
                shown = shape_of(value) if isinstance(value, dict) else repr(printable(text, 60))
                raise Refused(f"{field} is {shown}, which is not the id of a target: give a number.")
            yield Mention(field, int(text))
        elif path in names and "[" not in field:
            yield Mention(field, str(value), is_name=True)
        else:
            text = str(value)
            numbers = not _DESCRIBES.search(words)
            may_be_host = meaning == _HOST or (meaning == _MAYBE and _is_like_a_host(text, numbers))
            yield from _in_text(field, may_be_host and not _is_no_host(text), text)


def _in_text(field: str, takes_a_host: bool, text: str) -> Iterator[Mention]:
    """takes_a_host: whether the text itself is judged as a host."""
    for found in dict.fromkeys([*_urls_in(text), *([text] if takes_a_host else [])]):
        yield Mention(field, found)


# --- what a field means for the keys and values below it


def _words_of(key: str) -> str:
    """A key in lower case, with an underscore between its words."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|-", "_", key).lower()


def _meaning_of(key: str, above: int) -> int:
    """What a key says about the texts below it. above: what the field says that holds it."""
    words = _words_of(key)
    if words.startswith("exclude"):
        return _ANYTHING
    if _HOST_KEY.search(words):
        return _HOST
    if _MAYBE_KEY.search(words):
        return _MAYBE
    if not above or _HIDES.search(words):
        return _ANYTHING
    return _HOST if _SAYS_WHICH.search(words) else _MAYBE


def _takes_key(field: str, above: int, key: str) -> bool:
    """Whether a key of a mapping is judged as a host. field: the nearest key above it; above: what that one means."""
    words = _words_of(key)
    if not above or _is_no_host(key):
        return False
    if _is_like_a_host(key, numbers=True):
        return True
    # a plural has hosts as its keys, and a name with an underscore is no host name
    known = any(each.search(words) for each in (_HOST_KEY, _MAYBE_KEY, _SAYS_WHICH, _DESCRIBES, _HIDES))
    plural = above == _HOST and _words_of(field).endswith(("s", "_in_scope"))
    return plural and " " not in key and "_" not in key and not known and not words.startswith("exclude")


# --- what a text names


def _urls_in(text: str) -> Iterator[str]:
    """Yield what programs may follow in a text: the text itself if it begins as a URL, otherwise the pieces that do."""
    pieces = _BETWEEN_URLS.split(text)
    if _URL.match(text) and not all(map(_is_port, pieces)):
        # the complete text, and if it is a list, each URL after the first one
        yield text
        yield from (piece for piece in pieces[1:] if _URL.match(piece) or _RELATIVE.match(piece))
        return
    plain = _plain_text(text)
    if _RELATIVE.match(plain) or (plain != text and _SPLIT_URL.match(plain)):
        yield text
        return
    text = _GAP_AFTER_SLASH.sub("", text)
    yield from _pieces(text)
    other = _decoded(_URL_INSIDE.sub(" ", text))
    if other != text and not other.isspace():
        plain = _plain_text(other)
        yield from [plain] if _RELATIVE.match(plain) or (_URL.match(plain) and not _is_port(plain)) else _pieces(other)


def _pieces(text: str) -> Iterator[str]:
    for found in _URL_INSIDE.finditer(text):
        more = _GOES_ON.match(text, found.end())
        yield found[0] + (more[0] if more else "")


def _decoded(text: str) -> str:
    """A text as programs read it that decode it or replace compatible characters, without invisible ones."""
    if not text.isascii() or not text.isprintable():
        text = unicodedata.normalize("NFKC", text).replace("\u3002", ".")
        text = "".join(each for each in text if each.isspace() or unicodedata.category(each) not in ("Cc", "Cf"))
    if "%" in text:
        for _time in range(3):
            text = unquote(text)
    return text


def _plain_text(text: str) -> str:
    """A text without what URL parsers remove."""
    return _REMOVED.sub("", text).strip(_AROUND)


def _is_no_host(text: str) -> bool:
    """Whether a text in a field for hosts is none: a switch, a small number, or a path or query relative to the target."""
    plain = _plain_text(text)
    if not plain:
        return not text
    if plain.lower() in _FLAGS or (plain.isascii() and plain.isdigit() and int(plain[:9]) < 1 << 24 and len(plain) < 9):
        # no host has an address below 1.0.0.0
        return True
    return plain[0] in "?#" or (plain[0] == "/" and plain[1:2] not in ("/", "\\"))


def _is_like_a_host(text: str, numbers: bool) -> bool:
    """Whether a text has the form of a host with a dot or an address. numbers: also of one number, with user info, or of a
    list in which one has this form."""
    forms = {_plain_text(text), _plain_text(_decoded(text))}
    if any((_MAYBE_A_HOST if numbers else _LIKE_A_HOST).fullmatch(each) for each in forms):
        return True
    return numbers and any(_LIKE_A_HOST.fullmatch(piece) for each in forms for piece in _BETWEEN_URLS.split(each))


def _is_port(text: str) -> bool:
    """Whether a text such as https:443 names the port of a protocol."""
    _scheme, _colon, rest = text.partition(":")
    return rest.isascii() and rest.isdigit() and len(rest) < 6
