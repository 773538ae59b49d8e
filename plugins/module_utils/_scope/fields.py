# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Which fields of a body are for hosts, and what that means for the keys and values below them. Pure."""

from __future__ import annotations

import re

from .texts import is_like_a_host, is_no_host

# what a field says about its texts: nothing, that they may name a host, or that they are hosts
ANYTHING, MAYBE, HOST = range(3)

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


def words_of(key: str) -> str:
    """A key in lower case, with an underscore between its words."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|-", "_", key).lower()


def meaning_of(key: str, above: int) -> int:
    """What a key says about the texts below it. above: what the field says that holds it."""
    words = words_of(key)
    if words.startswith("exclude"):
        return ANYTHING
    if _HOST_KEY.search(words):
        return HOST
    if _MAYBE_KEY.search(words):
        return MAYBE
    if not above or _HIDES.search(words):
        return ANYTHING
    return HOST if _SAYS_WHICH.search(words) else MAYBE


def takes_key(field: str, above: int, key: str) -> bool:
    """Whether a key of a mapping is judged as a host. field: the nearest key above it; above: what that one means."""
    words = words_of(key)
    if not above or is_no_host(key):
        return False
    if is_like_a_host(key, numbers=True):
        return True
    # a plural has hosts as its keys, and a name with an underscore is no host name
    known = any(each.search(words) for each in (_HOST_KEY, _MAYBE_KEY, _SAYS_WHICH, _DESCRIBES, _HIDES))
    plural = above == HOST and words_of(field).endswith(("s", "_in_scope"))
    return plural and " " not in key and "_" not in key and not known and not words.startswith("exclude")


def takes_text(key: str, meaning: int, text: str) -> bool:
    """Whether a text is judged as a host. meaning: of the key."""
    if not meaning or is_no_host(text):
        return False
    return meaning == HOST or is_like_a_host(text, numbers=not _DESCRIBES.search(words_of(key)))
