# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The picture of README.md: its own playbooks, from the preview over a red gate and a fix to a green gate.

It shows the lines that decide, and is narrow enough to be read on a phone.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

NAME = "run"
TITLE = "A run on the local service, shortened"
DESCRIPTION = (
    "A playbook previews two targets, a gate fails on two findings with exit status 2, a new scan proves the fix, and the"
    " same gate passes."
)
COLUMNS = 54
GREY = "\x1b[0;90m"
RESET = "\x1b[0m"
FIXES = Path(__file__).parent / "story"
# the playbooks and the inventory of README.md, in its order
FILES = ("shop.yml", "gate.yml", "shop.targets.yml")
BLOCK = re.compile(r"^```yaml\n(---\n.*?)^```$", re.DOTALL | re.MULTILINE)


class Step(NamedTuple):
    """comment: the line above the command; shown: how the lines begin that are shown; status: the exit status, which is
    shown if echo is true."""

    comment: str
    command: str
    shown: str
    status: int = 0
    echo: bool = False


STEPS = (
    Step("What would change?", "ansible-playbook shop.yml --check", "changed: [localhost] => "),
    Step("Scan, and judge the findings", "ansible-playbook gate.yml", "[ERROR]: ", 2, echo=True),
    Step(
        "Fix the hosts with critical findings, and scan again",
        "ansible-playbook -i shop.targets.yml fix.yml",
        '    "msg": ',
    ),
    Step("The same gate again", "ansible-playbook gate.yml", '    "msg": ', echo=True),
)


def prepare(readme: str, place: Path) -> None:
    """Write the files of README.md, and those of the fix, to an empty directory."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(FIXES, place)
    for name, block in zip(FILES, BLOCK.findall(readme), strict=True):
        (place / name).write_text(block, encoding="utf-8")


def told(place: Path, env: dict[str, str], plain: Callable[[str], str]) -> str:
    """Run the steps in a directory; the text of the picture. plain: a line without its colours."""
    return "\n\n".join("\n".join(_lines(step, place, env, plain)) for step in STEPS)


def _lines(step: Step, place: Path, env: dict[str, str], plain: Callable[[str], str]) -> Iterator[str]:
    program, *arguments = step.command.split()
    finished = subprocess.run(
        [sys.executable, "-m", "ansible", program.removeprefix("ansible-"), *arguments],
        check=False, cwd=place, env=env, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )  # fmt: skip
    if finished.returncode != step.status:
        raise RuntimeError(f"{step.command} ended with status {finished.returncode}:\n{finished.stdout}")
    shown = [line for line in finished.stdout.splitlines() if plain(line).startswith(step.shown)]
    if not shown:
        raise RuntimeError(f"{step.command} printed no line that begins with {step.shown!r}:\n{finished.stdout}")
    yield f"{GREY}# {step.comment}{RESET}"
    yield f"$ {step.command}{'; echo $?' if step.echo else ''}"
    for line in shown:
        yield from _wrapped(line.replace(f"{place}/", ""), plain)
    if step.echo:
        yield str(finished.returncode)


def _wrapped(line: str, plain: Callable[[str], str]) -> Iterator[str]:
    """The lines of a terminal with COLUMNS columns, broken between words or in a long one, all in the colour of the first."""
    colour = "".join(re.findall(r"^\s*((?:\x1b\[[0-9;]*m)+)", line)[:1])
    row = ""
    for word in plain(line).strip().split(" "):
        if row and len(row) + 1 + len(word) > COLUMNS:
            yield f"{colour}{row}{RESET}"
            row = word
        else:
            row = f"{row} {word}" if row else word
        while len(row) > COLUMNS:
            yield f"{colour}{row[:COLUMNS]}{RESET}"
            row = row[COLUMNS:]
    yield f"{colour}{row}{RESET}"
