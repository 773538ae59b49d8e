# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The variables of a role: which it knows, and which are misspelt. Every variable with the prefix of a role belongs to it."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Collection, Iterable, Iterator

import yaml
from ansible_collections.scanops.scanner.plugins.module_utils._errors import printable

_SUFFIXES = (".yml", ".yaml")


def unknown_variables(names: Iterable[str], role: str, directory: str) -> str | None:
    """The message on variables that have the prefix of a role and that it never reads, or None. directory: of the role."""
    prefix = f"{role.rpartition('.')[2]}_"
    words = words_in(_texts(directory), prefix)
    unknown = [name for name in sorted(names) if name.startswith(prefix) and not is_known(name, words)]
    return message_on(unknown, role, options_of(directory)) if unknown else None


def words_in(texts: Iterable[str], prefix: str) -> set[str]:
    """The names with this prefix in the files of a role. What they never mention, the role cannot read."""
    return {word for text in texts for word in re.findall(rf"\b{re.escape(prefix)}\w+", text)}


def is_known(name: str, words: Collection[str]) -> bool:
    """Whether a role knows a variable. A role may number its own variables, as in ``estate_apply__file_0``."""
    return name in words or re.sub(r"[0-9]+$", "", name) in words


def message_on(unknown: Iterable[str], role: str, options: Collection[str]) -> str:
    """The message on variables that a role does not know, with the names that may be meant."""
    names = list(unknown)
    near = {name: difflib.get_close_matches(name, options, 1) for name in names}
    shown = ", ".join(printable(name) + (f" (did you mean {near[name][0]}?)" if near[name] else "") for name in names)
    one = len(names) == 1
    return (
        f"{shown} {'is no variable' if one else 'are no variables'} of the role {role}: correct {'it' if one else 'them'},"
        f" or remove {'it' if one else 'them'}."
    )


def options_of(directory: str) -> list[str]:
    """The variables that a role documents."""
    with open(os.path.join(directory, "meta", "argument_specs.yml"), encoding="utf-8") as stream:
        return list(yaml.safe_load(stream)["argument_specs"]["main"]["options"])


def _texts(directory: str) -> Iterator[str]:
    for part in ("defaults", "meta", "tasks", "vars"):
        for name in sorted(os.listdir(os.path.join(directory, part))):
            if name.endswith(_SUFFIXES):
                with open(os.path.join(directory, part, name), encoding="utf-8") as stream:
                    yield stream.read()
