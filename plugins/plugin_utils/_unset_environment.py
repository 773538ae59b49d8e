# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Names the environment variables without a value that made an option empty, because a lookup of one is an empty text."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ._play import above, play_of

# a message on an empty option begins with its name
_EMPTY = re.compile(r"([a-z_]+)[^ ]* is (?:empty|null)\b")
_LOOKUP = re.compile(r"""\b(?:lookup|query|q)\(\s*['"](?:ansible\.builtin\.)?env['"]\s*,\s*['"](\w+)['"]""")


def explained(result: dict[str, Any], task: Any, variables: Mapping[str, Any]) -> dict[str, Any]:
    """The result of a task whose message also names these environment variables. variables: as they are written."""
    found = _EMPTY.match(str(result.get("msg")))
    if not found:
        return result
    text = str(_written(task, found[1]))
    names = sorted({each for each in _looked_up(text, dict(variables)) if not os.environ.get(each)})
    if not names:
        return result
    have = f"s {' and '.join(names)}, which it looks up, have" if names[1:] else f" {names[0]}, which it looks up, has"
    return {**result, "msg": f"{result['msg']} The environment variable{have} no value."}


def _written(task: Any, option: str) -> object:
    """An option as a task or the nearest module_defaults have it, else the name of the variable of the role."""
    given = [each[option] for each in task._ds.values() if isinstance(each, Mapping) and option in each]
    names = (f".{task.action.rpartition('.')[2]}", ".all")
    for level in (task, *above(task), play_of(task)):
        # as written, because some releases of ansible-core replace the templates in it
        written = level._ds.get("module_defaults") if isinstance(getattr(level, "_ds", None), Mapping) else None
        for entry in written if isinstance(written, list) else [written or {}]:
            defaults = [each for name, each in entry.items() if name.endswith(names) and isinstance(each, Mapping)]
            given += [each[option] for each in defaults if option in each]
    role = task._role.get_name().rpartition(".")[2] if task._role else ""
    return given[0] if given else option if option.startswith(role) else f"{role}_{option}"


def _looked_up(text: str, variables: dict[str, Any]) -> Iterator[str]:
    """The environment variables that a template looks up, also in the variables that it names."""
    yield from _LOOKUP.findall(text)
    for name in set(re.findall(r"\w+", text)) & variables.keys():
        # once, because two may name each other
        yield from _looked_up(str(variables.pop(name, "")), variables)
