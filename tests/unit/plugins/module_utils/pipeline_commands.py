# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the agents of pipelines take for commands, as their code has it."""

from __future__ import annotations

import json
import re
import textwrap

AZURE = re.compile(r"##vso\[|##\[", re.IGNORECASE)
TEAMCITY = re.compile(r"##teamcity\[", re.IGNORECASE)
GITLAB = re.compile(r"section_(start|end):\d+")
GITHUB_NAMES = [
    "add-mask",
    "add-matcher",
    "add-path",
    "debug",
    "echo",
    "endgroup",
    "error",
    "group",
    "internal-set-repo-path",
    "notice",
    "remove-matcher",
    "save-state",
    "set-env",
    "set-output",
    "stop-commands",
    "warning",
    "token-of-somebody",
]


def github_commands(line: str) -> list[str]:
    """The commands in a line: ActionCommand.TryParseV2 and TryParse of the runner."""
    trimmed = line.lstrip()
    found = []
    end = trimmed.find("::", 2)
    if trimmed.startswith("::") and end >= 0:
        name = trimmed[2:end].partition(" ")[0]
        found += [name] if name.lower() in GITHUB_NAMES else []
    return found + re.findall(r"##\[", line)


def lines_of(text: str) -> list[str]:
    """The lines in which ansible-core may show a text: in JSON, in YAML, and wrapped at any column."""
    lines = [json.dumps({"msg": text}, ensure_ascii=False), *re.split(r"[\r\n]", text)]
    for width in (20, 40, 79):
        lines += textwrap.wrap(f"[WARNING]: {text}", width)
    return lines


def commands(text: str) -> list[str]:
    """The lines with commands of a text, however it is shown."""
    return lines_with_commands(lines_of(text))


def lines_with_commands(lines: list[str]) -> list[str]:
    """Those of the lines in which an agent finds a command."""
    return [
        line
        for line in lines
        if github_commands(line) or AZURE.search(line) or TEAMCITY.search(line) or GITLAB.search(line)
    ]
