# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Terminal output as an SVG picture: selectable text, no external font, light or dark as the reader's system."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from rich.text import Text

# in pixels; the width of a character is set with textLength, so it does not depend on the reader's font
CHARACTER, LINE, MARGIN, BAR = 8.4, 19, 16, 34
# the colours of a terminal that ansible-core uses, by their numbers, as classes of the picture
CLASSES = {
    1: "red", 2: "green", 3: "yellow", 4: "blue", 5: "violet", 6: "cyan", 8: "grey", 9: "red", 10: "green", 11: "yellow",
    12: "blue", 13: "violet", 14: "cyan",
}  # fmt: skip
STYLE = """
  .window { fill: #ffffff; stroke: #d0d7de } .bar { fill: #f6f8fa }
  text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1f2328;
         white-space: pre }
  .title, .grey { fill: #59636e } .bold { font-weight: 600 }
  .red { fill: #b3261e } .green { fill: #116329 } .yellow { fill: #7d4e00 } .blue { fill: #0550ae }
  .cyan { fill: #0b6477 } .violet { fill: #6639ba }
  @media (prefers-color-scheme: dark) {
    .window { fill: #0d1117; stroke: #3d444d } .bar { fill: #151b23 } text { fill: #e6edf3 }
    .title, .grey { fill: #9198a1 }
    .red { fill: #ff7b72 } .green { fill: #56d364 } .yellow { fill: #e3b341 } .blue { fill: #79c0ff }
    .cyan { fill: #56d4dd } .violet { fill: #d2a8ff }
  }
"""


def picture(output: str, title: str, description: str) -> str:
    """The SVG of what a terminal shows. output: text with ANSI colours; description: for who cannot see it."""
    lines = [Text.from_ansi(line) for line in output.rstrip("\n").split("\n")]
    width = round(max(len(line.plain) for line in lines) * CHARACTER + 2 * MARGIN)
    height = BAR + LINE * len(lines) + 2 * MARGIN
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
            ' role="img" aria-labelledby="title description">',
            f'<title id="title">{escape(title)}</title>',
            f'<desc id="description">{escape(description)}</desc>',
            f"<style>{STYLE}</style>",
            f'<rect class="window" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>',
            f'<path class="bar" d="M1 {BAR}V9a8 8 0 0 1 8-8H{width - 9}a8 8 0 0 1 8 8V{BAR}z"/>',
            f'<text class="title" x="{width / 2:g}" y="{BAR - 12}" text-anchor="middle">{escape(title)}</text>',
            *(drawn for number, line in enumerate(lines) for drawn in _line(line, number)),
            "</svg>",
            "",
        ]
    )


def _line(line: Text, number: int) -> Iterator[str]:
    """One text element for each run of characters of one colour."""
    if not line.plain.strip():
        return
    y = BAR + MARGIN + LINE * (number + 1) - 5
    pieces = []
    start = 0
    for piece, named in _pieces(line):
        attribute = f' class="{named}"' if named else ""
        x = MARGIN + start * CHARACTER
        pieces.append(
            f'<tspan{attribute} x="{x:.1f}" textLength="{len(piece) * CHARACTER:.1f}">{escape(piece, quote=False)}</tspan>'
        )
        start += len(piece)
    yield f'<text y="{y}" xml:space="preserve">{"".join(pieces)}</text>'


def _pieces(line: Text) -> Iterator[tuple[str, str]]:
    """(characters, class) of each run of characters that look the same."""
    styles = [""] * len(line.plain)
    for span in line.spans:
        colour = getattr(getattr(span.style, "color", None), "number", None)
        named = " ".join(
            filter(None, [CLASSES.get(colour or 0), "bold" if getattr(span.style, "bold", None) else None])
        )
        styles[span.start : span.end] = [named] * (span.end - span.start)
    start = 0
    for end in range(1, len(styles) + 1):
        if end == len(styles) or styles[end] != styles[start]:
            yield line.plain[start:end], styles[start]
            start = end
