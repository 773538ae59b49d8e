# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Text of the service in files: on one line or several, without hidden characters, of limited length. Pure.

Databases behind the readers of these files refuse NUL and lone surrogates; terminals and pages obey escape sequences and
characters that change the direction of writing. All of them are written as escape sequences of Python, such as ``\\x1b``.
No-break spaces and joiners are text. A text is cut last, because an escape sequence is longer than its character.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

# of a name, a target or another text on one line
LONGEST_LINE = 500
# of a text of several lines; those of gate.json have 4,000, and a note on how many were left out
LONGEST_BLOCK = 4200

# JSON without spaces, and in ASCII
encode = json.JSONEncoder(separators=(",", ":")).encode

# those that join letters, emoji and words
_JOINERS = "\u200c\u200d\u2060"
_BACKTICK = re.compile("`+")
_BACKTICKS = re.compile("`{3,}")
# Spreadsheets run cells that begin like this, and drop spaces first; the last four are what East Asian keyboards type. A
# spreadsheet that separates cells by semicolons sees the begin of one after each semicolon, whatever the quotes say.
_FORMULA = re.compile(rf"(^|;)([\s{_JOINERS}\"']*)(?=[=+\-@|%\uff1d\uff0b\uff0d\uff20])")
# what they read as a number, a date or a time of some language, and write in another way. Whole numbers and addresses survive.
_SURVIVES = re.compile(r"0|[1-9][0-9]{0,14}|[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?:[:/][0-9]{1,5})?")
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_VALUE = re.compile(
    rf"[\d\s.,:/()'%$€£¥e+-]+(?:[ap]m?)?|[\d\s.,/-]*(?:{_MONTHS})[a-z]{{0,6}}[\d\s.,/-]*",
    re.IGNORECASE,
)
_LINES = re.compile(r"[ \t]*[\r\n]+[ \t\r\n]*")


def is_text(character: str) -> bool:
    """Whether a character is written as it is: also spaces of all kinds, and the joiners that words and emoji need."""
    return character.isprintable() or character in _JOINERS or unicodedata.category(character) == "Zs"


class _Visible(dict[int, str]):
    """What ``str.translate`` writes for each character."""

    def __init__(self, kept: str) -> None:
        """kept: characters that are written as they are, too."""
        super().__init__()
        self._kept = kept

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if not is_text(character) and character not in self._kept:
            character = character.encode("unicode_escape").decode("ascii")
        self[code] = character
        return character


_VISIBLE = _Visible("\n\t")
_ON_A_LINE = _Visible("")
# those of ASCII that are not written as they are
_CONTROLS = bytes(code for code in range(128) if _VISIBLE[code] != chr(code))


def line(text: str | None, longest: int = LONGEST_LINE) -> str:
    """A text on one line, at most ``longest`` characters; "" for None."""
    if not text:
        return ""
    if len(text) <= longest and text.isprintable():
        return text
    shown = _on_a_line(text, longest)
    return shown if len(shown) <= longest else shown[: longest - 3] + "..."


def _on_a_line(text: str, longest: int) -> str:
    """At most ``longest`` characters of a text, and a mark if there are more. An escape sequence counts as its character."""
    return text[:longest].translate(_ON_A_LINE) + ("..." if len(text) > longest else "")


def block(text: str | None, longest: int = LONGEST_BLOCK) -> str:
    """A text that keeps its lines, at most ``longest`` characters and a note on how many were left out; "" for None."""
    if not text:
        return ""
    left_out = max(len(text) - longest, 0)
    if left_out:
        text = text[:longest]
    # several times faster than str.isprintable, for the usual text
    if not text.isascii() or len(text.encode("ascii").translate(None, _CONTROLS)) != len(text):
        # an escape sequence is longer than its character
        text = text.replace("\r\n", "\n").translate(_VISIBLE)
        left_out += max(len(text) - longest, 0)
        text = text[:longest]
    return f"{text} … ({left_out} more characters)" if left_out else text


def code(text: object, longest: int = LONGEST_LINE) -> str:
    """Untrusted text in a line or a cell of Markdown, as code: no markup, mention, link or quick action in it works."""
    shown = _on_a_line(str(text), longest)
    if shown != shown.strip():
        shown = f'"{shown}"'
    # it ends a cell of a table in spite of the code, and no escape sequence helps in all renderers
    shown = shown.replace("|", "\u00a6")
    if "`" not in shown:
        return f"`{shown}`" if shown else ""
    fence = "`" * (1 + max(map(len, _BACKTICK.findall(shown))))
    return f"{fence} {shown} {fence}"


def fenced(text: str) -> str:
    """The result of ``block`` as a code block of Markdown, which nothing in it can end; "" for ""."""
    if not text:
        return ""
    fence = "```"
    if fence in text:
        fence = "`" * (1 + max(map(len, _BACKTICKS.findall(text))))
    return f"{fence}\n{text}\n{fence}"


def cell(text: str) -> str:
    """The result of ``line`` or ``block`` as a cell on one line that no spreadsheet takes for a formula.

    Neither with commas, nor with semicolons or tabs between cells: a line break would begin a cell there.
    """
    shown = _LINES.sub(" / ", text).replace("\t", " ")
    return _FORMULA.sub(r"\1'\2", shown)


def exact_cell(text: str) -> str:
    """The same for an identifier or a name, which stays a text where it looks like a number or a date, such as 0012 or 1/2."""
    shown = cell(text)
    is_value = _VALUE.fullmatch(shown) and not _SURVIVES.fullmatch(shown) and any(map(str.isdigit, shown))
    return f"'{shown}" if is_value and not shown.startswith("'") else shown


def json_lines(head: Mapping[str, Any], key: str, items: Iterable[str]) -> str:
    """The JSON of an object whose last key is a list with a line for each item. items: encoded."""
    return f'{encode(head)[:-1]},"{key}":[\n' + ",\n".join(items) + "\n]}"


def xml(text: str) -> str:
    """The result of ``block`` between tags of XML."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def attribute(text: str) -> str:
    """The result of ``line`` or ``block`` in an attribute of XML, with its quotes. Line breaks survive."""
    escaped = xml(text).replace('"', "&quot;").replace("\n", "&#10;").replace("\t", "&#9;")
    return f'"{escaped}"'
