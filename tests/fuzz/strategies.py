# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Hypothesis builds inputs from."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import strategies as st

# parts of spellings that programs read differently
ODD = (
    "", ".", "..", "/", "//", "\\", "@", ":", "::", "?", "#", "%", "%2f", "%00", "%25", "%2e", "[", "]", " ", "\t", "\n",
    "\r", "\x00", "\x0b", "\x1f", "\x7f", "\x85", "\xa0", "\xad", "\u034f", "\u115f", "\u200b", "\u200c", "\u200d", "\u200e",
    "\u202e", "\u2028", "\u2060", "\u2044", "\u2215", "\u2024", "\u3002", "\uff0e", "\uff61", "\uff0f", "\uff1a", "\uff20",
    "\ufe68", "\ufeff", "\u00df", "\u1e9e", "\u017f", "\u212a", "\u0130", "\u0131", "\u03c2", "\u2100", "\u2488", "\u33c2",
    "\ufdfa", "\U0001d41e", "\U0001f600", "\u0660", "\u0967", "\u00b2", "\u2460", "\uff11", "\ud800", "\udc00", "\ufffe",
    "\u0301", "\u05d0", "\u0627", "xn--", "xn--a", "-", "--", "_", "*", "~", "$", "&", ";", ",", "|", "=", "+", "0", "0x",
    "00", "1", "9" * 20, "e", "-1", "1e999", "NaN", "null", "true", "http:", "https://", "HTTP://", "user:pw@",
)  # fmt: skip

odd = st.sampled_from(ODD)
# more digits than Python turns into a number
long_numbers = st.sampled_from(["1" * 5000, "-" + "7" * 4400])
texts = st.one_of(
    st.text(max_size=20), st.lists(st.one_of(odd, st.text(max_size=3)), max_size=5).map("".join), long_numbers
)
numbers = st.one_of(
    st.integers(),
    st.sampled_from([0, -1, 1, 65535, 65536, 2**31, 2**53, 2**63 - 1, 2**63, 10**13, 20260131120000, 10**400]),
    st.floats(),
)
scalars = st.one_of(st.none(), st.booleans(), numbers, texts)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=6,
)


def fields(*names: str) -> st.SearchStrategy[dict[str, Any]]:
    """Objects with some of these members, of any value."""
    return st.dictionaries(st.one_of(st.sampled_from(names), texts), values, max_size=6)


@st.composite
def changed(draw: st.DrawFn, document: Any) -> Any:
    """A document in which some values, keys or items are others, gone or double."""
    document = copy.deepcopy(document)
    for _number in range(draw(st.integers(1, 3))):
        place: Any = document
        while True:
            keys = list(place) if isinstance(place, dict) else range(len(place))
            if not keys:
                break
            key = draw(st.sampled_from(keys))
            if isinstance(place[key], (dict, list)) and place[key] and draw(st.integers(0, 3)):
                place = place[key]
                continue
            action = draw(st.sampled_from(["replace", "replace", "replace", "remove", "double", "rename"]))
            if action == "replace":
                place[key] = draw(values)
            elif action == "remove":
                del place[key]
            elif action == "double" and isinstance(place, list):
                place.append(copy.deepcopy(place[key]))
            elif isinstance(place, dict):
                place[draw(texts)] = place.pop(key)
            break
    return document


def as_json(value: Any) -> bytes:
    """A value as services and editors may write it; half of a surrogate pair as an escape."""
    return json.dumps(value).encode()


@st.composite
def spoilt(draw: st.DrawFn, contents: st.SearchStrategy[bytes]) -> bytes:
    """Bytes with some of them cut, doubled, or replaced."""
    content = draw(contents)
    for _number in range(draw(st.integers(0, 2))):
        start = draw(st.integers(0, len(content)))
        end = draw(st.integers(start, min(len(content), start + 40)))
        insert = draw(st.one_of(st.binary(max_size=6), odd.map(lambda text: text.encode("utf-8", "surrogatepass"))))
        content = content[:start] + insert + content[end:]
    return content
