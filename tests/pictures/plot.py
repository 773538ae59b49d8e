# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Draws the time of each way to declare targets against their number, from what `python tests/bench --curve FILE` measured."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

MEASURED = Path(__file__).resolve().parents[2] / "docs" / "pictures" / "speed.json"
TITLE = "Time to declare targets that exist, by number of targets"

WIDTH, HEIGHT = 760, 460
LEFT, RIGHT, TOP, BOTTOM = 70, 505, 30, 400
# told apart without colours, so that a print is readable, too
STYLES = (
    ("#cf222e", "#ff7b72", "2 4", "circle"),
    ("#bc4c00", "#f0883e", "10 4", "square"),
    ("#8250df", "#d2a8ff", "10 4 2 4", "diamond"),
    ("#1a7f37", "#7ee787", "5 3", "triangle"),
    ("#0969da", "#79c0ff", "", "circle"),
)
SHAPES = {
    "circle": "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z",
    "square": "M-4-4h8v8h-8z",
    "diamond": "M0-5.5L5.5 0 0 5.5-5.5 0z",
    "triangle": "M0-5.5L5 4H-5z",
}
_CSS = (
    "  text { font-family: system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; font-size: 14px; fill: #1f2328 }\n"
    "  .grid { stroke: #d1d9e0 } .axis { stroke: #57606a }\n"
    "  .line { fill: none; stroke-width: 2.5 }\n"
)


def plot() -> str:
    """The picture of what was measured."""
    return drawn(json.loads(MEASURED.read_text(encoding="utf-8")))


def drawn(measured: dict[str, Any]) -> str:
    """measured: what `python tests/bench --curve FILE` writes."""
    ways = measured["ways"]
    points = [point for way in ways for point in way["points"]]
    across = _Scale([point["targets"] for point in points], LEFT, RIGHT)
    upward = _Scale([point["processor"] for point in points], BOTTOM, TOP)
    parts = [*_axes(across, upward)]
    ends = _apart([upward(way["points"][-1]["processor"]) for way in ways])
    for number, (way, end) in enumerate(zip(ways, ends)):
        places = [(across(point["targets"]), upward(point["processor"])) for point in way["points"]]
        line = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        shape = SHAPES[STYLES[number][3]]
        parts.append(f'<path class="line stroke{number}" d="{line}"/>')
        parts += [f'<path class="fill{number}" transform="translate({x:.1f} {y:.1f})" d="{shape}"/>' for x, y in places]
        parts.append(f'<path class="fill{number}" transform="translate(530 {end:.1f})" d="{shape}"/>')
        parts.append(f'<text x="544" y="{end + 5:.1f}">{escape(way["name"])}</text>')
    return _document(parts, _described(ways))


class _Scale:
    """A logarithmic axis, which ends at powers of ten or halfway between two."""

    def __init__(self, values: list[float], start: float, end: float) -> None:
        self.first = math.floor(2 * math.log10(min(values))) / 2
        self.last = math.ceil(2 * math.log10(max(values))) / 2
        self._start = start
        self._each = (end - start) / (self.last - self.first)

    def __call__(self, value: float) -> float:
        return self._start + (math.log10(value) - self.first) * self._each

    def powers(self) -> list[float]:
        return [10**power for power in range(math.ceil(self.first), math.floor(self.last) + 1)]


def _axes(across: _Scale, upward: _Scale) -> list[str]:
    parts = []
    for value in across.powers():
        x = across(value)
        parts.append(f'<path class="grid" d="M{x:.1f} {TOP}V{BOTTOM}"/>')
        parts.append(f'<text x="{x:.1f}" y="{BOTTOM + 22}" text-anchor="middle">{value:,}</text>')
    for value in upward.powers():
        y = upward(value)
        parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{RIGHT}"/>')
        parts.append(f'<text x="{LEFT - 10}" y="{y + 5:.1f}" text-anchor="end">{value:g} s</text>')
    parts.append(f'<path class="axis" fill="none" d="M{LEFT} {TOP}V{BOTTOM}H{RIGHT}"/>')
    parts.append(f'<text x="{(LEFT + RIGHT) / 2}" y="{BOTTOM + 48}" text-anchor="middle">targets</text>')
    parts.append(f'<text x="{LEFT}" y="{TOP - 12}" text-anchor="middle">processor time</text>')
    return parts


def _apart(places: list[float], least: float = 24) -> list[float]:
    """The heights of the names: those of the ends of their lines, moved where two would overlap."""
    moved = dict.fromkeys(range(len(places)), 0.0)
    last = TOP - least
    for number in sorted(moved, key=lambda each: places[each]):
        last = moved[number] = max(places[number], last + least)
    return list(moved.values())


def _described(ways: list[dict[str, Any]]) -> str:
    ends = [
        f"{way['name']}: {end['processor']:g} s for {end['targets']:,}" for way in ways for end in way["points"][-1:]
    ]
    return f"Both axes are logarithmic. {'; '.join(ends)}."


def _document(parts: list[str], description: str) -> str:
    lines = "".join(
        f"  .stroke{number} {{ stroke: {light}; stroke-dasharray: {dashes or 'none'} }} .fill{number} {{ fill: {light} }}\n"
        for number, (light, _dark, dashes, _shape) in enumerate(STYLES)
    )
    dark = "".join(
        f"    .stroke{number} {{ stroke: {dark} }} .fill{number} {{ fill: {dark} }}\n"
        for number, (_light, dark, _dashes, _shape) in enumerate(STYLES)
    )
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img"'
        ' aria-labelledby="title description">'
    )
    return "\n".join(
        [
            head,
            f'<title id="title">{escape(TITLE)}</title>',
            f'<desc id="description">{escape(description)}</desc>',
            "<style>",
            f"{_CSS}{lines}  @media (prefers-color-scheme: dark) {{",
            f"    text {{ fill: #f0f6fc }} .grid {{ stroke: #3d444d }} .axis {{ stroke: #9198a1 }}\n{dark}  }}",
            "</style>",
            *parts,
            "</svg>\n",
        ]
    )
