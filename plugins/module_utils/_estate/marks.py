# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The mark at the end of a description that says who may purge an object, and whether it is protected. Pure.

It is ``[managed by OWNER]``, ``[managed by OWNER, protected]`` or ``[protected]``. The service has no tags, and keeps the
description of a target as it was created, so a mark is written once.
"""

from __future__ import annotations

import html
import re
import unicodedata
from typing import NamedTuple

from .._model.errors import WrongOption, printable
from .._model.texts import normal_text

_OWNER = r"[\w.:-](?:[\w .:-]{0,58}[\w.:-])?"
_MARK = re.compile(rf"\s*\[(?:managed by ({_OWNER})(, protected)?|protected)\]\Z")
# what a person or a service may have made of a mark
_TRACE = re.compile(
    r"[\[(<{\\][^\w\[(<{\\]*(?:managed\s*by|protected\b)|\bmanaged\s+by\s.*\]\Z", re.IGNORECASE | re.DOTALL
)
# what remains of one that a service has cut
_BEGUN = tuple(start[:end] for start in ("[managed by", "[protected") for end in range(2, len(start)))


class Mark(NamedTuple):
    """What a description says of its object. The default is that of one without a mark."""

    owner: str | None = None
    protected: bool = False
    # whether there is a mark that cannot be read: it is somebody else's
    broken: bool = False

    def __str__(self) -> str:
        """As it is written, "" for none."""
        if self.owner is None:
            return "[protected]" if self.protected else ""
        return f"[managed by {self.owner}{', protected' if self.protected else ''}]"


def split(description: str) -> tuple[str, Mark]:
    """A description without its mark, and the mark. One that is cut, escaped, or not at the end is broken."""
    text = normal_text(description)
    found = _MARK.search(text)
    rest = text[: found.start()] if found else text
    if any(_TRACE.search(each) or each.endswith(_BEGUN) for each in map(_plain, (rest, html.unescape(rest)))):
        return text, Mark(broken=True)
    return (rest, Mark(found[1], bool(found[2]) or found[1] is None)) if found else (description, Mark())


def _plain(text: str) -> str:
    """A text without invisible characters, with one form of each letter, and of each opening bracket."""
    if text.isascii():
        return text
    kinds = [(each, unicodedata.category(each)) for each in unicodedata.normalize("NFKC", text)]
    return "".join("[" if kind == "Ps" else each for each, kind in kinds if kind != "Cf")


def marked(text: str, mark: Mark) -> str:
    """A description with a mark at its end."""
    return " ".join(part for part in (text.strip() if str(mark) else text, str(mark)) if part)


def check_owner(owner: str, option: str) -> None:
    """Raise WrongOption for a text that cannot be an owner. option: its name."""
    if not re.fullmatch(_OWNER, owner) or normal_text(owner) != owner:
        raise WrongOption(
            f"{option} is {printable(owner, 80)!r}: give 1 to 60 letters, digits, spaces and _.:- without a space at the"
            " ends."
        )


def check_text(text: str, path: str) -> None:
    """Raise WrongOption for a declared description that has a mark. path: where it is declared."""
    if split(text)[1] != Mark():
        raise WrongOption(
            f"{path} has a mark of an owner, {printable(text, 100)!r}: remove it, because owner and protect write the mark."
        )
