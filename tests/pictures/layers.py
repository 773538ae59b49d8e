# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The layers of plugins/, drawn from its imports as a Mermaid flowchart for CONTRIBUTING.md."""

from __future__ import annotations

import ast
import re
from graphlib import TopologicalSorter
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
PLUGINS = CHECKOUT / "plugins"
CONTRIBUTING = CHECKOUT / "CONTRIBUTING.md"
ABSOLUTE = "ansible_collections.scanops.scanner.plugins."
BLOCK = re.compile(r"(?<=<!-- layers begin -->\n```mermaid\n).*?(?=```\n<!-- layers end -->)", re.S)
# what everything may import, one box
BASE = "errors, names, tables"


def box_of(path: tuple[str, ...]) -> str:
    """The box of a file, by its path below plugins/: a kind of plugin, or a package or file of module_utils."""
    return path[1] if path[0] == "module_utils" else path[0]


def imported(path: Path) -> set[str]:
    """The boxes that a file imports, wherever it does."""
    parts = path.relative_to(PLUGINS).with_suffix("").parts
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom):
            continue
        module = (node.module or "").split(".") if node.module else []
        if node.level:
            place = [*parts[: -node.level], *module]
        elif ".".join(module).startswith(ABSOLUTE):
            place = module[len(ABSOLUTE.split(".")) - 1 :]
        else:
            continue
        for name in [place] if len(place) > 1 else [[*place, alias.name] for alias in node.names]:
            found.add(box_of(tuple(name)))
    return found - {box_of(parts)}


def imports() -> dict[str, set[str]]:
    """Which boxes each box imports. What imports nothing but such boxes itself is in BASE."""
    found: dict[str, set[str]] = {}
    for path in sorted(PLUGINS.rglob("*.py")):
        if path.stem != "__init__" and path.parent.name != "doc_fragments":
            box = box_of(path.relative_to(PLUGINS).with_suffix("").parts)
            found[box] = found.get(box, set()) | imported(path)
    base: set[str] = set()
    # single files of module_utils, from the bottom up
    for box in TopologicalSorter(found).static_order():
        if (PLUGINS / "module_utils" / f"{box}.py").exists() and found.get(box, set()) <= base:
            base.add(box)
    return {box: {BASE if name in base else name for name in names} for box, names in found.items() if box not in base}


def drawing() -> str:
    """The flowchart: an arrow for each import that does not follow from two others. Raises graphlib.CycleError."""
    graph = imports()
    order = [box for box in TopologicalSorter(graph).static_order() if box in graph]
    reached: dict[str, set[str]] = {BASE: set()}
    lines = ["flowchart TD"]
    arrows = []
    for box in order:
        below = {name for name in graph[box] if name in reached}
        reached[box] = below.union(*(reached[name] for name in below))
        direct = sorted(name for name in below if not any(name in reached[other] for other in below))
        arrows += [f"  {_id(box)} --> {_id(name)}" for name in direct]
    lines += [f'  {_id(box)}["{box}"]' for box in [*reversed(order), BASE]]
    return "\n".join([*lines, *sorted(arrows), ""])


def contributing() -> str:
    """CONTRIBUTING.md with the present drawing."""
    text, found = BLOCK.subn(lambda _match: drawing(), CONTRIBUTING.read_text(encoding="utf-8"))
    if found != 1:
        raise ValueError(f"CONTRIBUTING.md must have one drawing of the layers, not {found}")
    return text


def _id(box: str) -> str:
    return "base" if box == BASE else box.strip("_")
