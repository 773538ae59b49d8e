# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Draw the pictures of the documentation from real runs: `python tests/pictures [--check]`.

It needs ansible-core, requests, rich and tests/service/requirements.txt. --check compares the texts of the pictures with
what the commands print now.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

CHECKOUT = Path(__file__).resolve().parents[2]

if TYPE_CHECKING:
    from ..demo import run as demo
    from ..unit.local_service import LocalService
    from . import plot
    from .terminal import picture
else:
    sys.path[:0] = [str(CHECKOUT / "tests" / name) for name in ("unit", "demo", "pictures")]
    import plot
    import run as demo
    from local_service import LocalService
    from terminal import picture

PICTURES = CHECKOUT / "docs" / "pictures"
# Scans that last this many times as long as those of the demo show their progress on a busy machine, too.
LONGER = 4
SCRIPTS = [{**script, "queue": LONGER * script["queue"], "run": LONGER * script["run"]} for script in demo.SCRIPTS]


class Scene(NamedTuple):
    """One picture. command: as a person would type it; begins, ends: the first line shown, and the first that is not, ""
    for all; directory: where it runs, below the checkout; varies: lines that depend on the speed of the machine."""

    name: str
    title: str
    description: str
    command: str
    begins: str = ""
    ends: str = ""
    directory: str = ""
    varies: re.Pattern[str] | None = None


# in the order of the account's life
SCENES = (
    Scene(
        "apply",
        "A playbook applied",
        "ansible-playbook creates a workspace, three targets and two HTTP loggers, each shown as changed.",
        "ansible-playbook playbooks/demo.yml",
        ends="TASK [Read a wordlist]",
    ),
    Scene(
        "plan",
        "The plan of an estate in check mode",
        "A unified diff of the targets and HTTP loggers that one task would create and delete.",
        "ansible-playbook estate.yml --check --diff",
        ends="PLAY RECAP",
        directory="tests/pictures",
    ),
    Scene(
        "scans",
        "Three scans, watched by one task",
        "Lines with the progress of three scans, from started to finished, with the number of findings of each.",
        f"{demo.SCAN} -e poll_interval={LONGER}",
        begins="TASK [Scan the targets]",
        ends="TASK [Read what was found]",
        varies=demo.PROGRESS,
    ),
)


def drawn() -> dict[str, str]:
    """The pictures by name, from runs against a new local service."""
    env = demo.environment()
    env.pop("ANSIBLE_NOCOLOR", None)
    env["ANSIBLE_FORCE_COLOR"] = "true"
    found = {}
    demo.install(env)
    with LocalService.start(key=None, settings={"scan_scripts": SCRIPTS, "report_time": 1}) as service:
        env.update(SCANNER_BASE_URL=service.base_url, SCANNER_API_KEY=service.api_key)
        for scene in SCENES:
            output = _output(scene.command, CHECKOUT / scene.directory, env)
            found[scene.name] = picture(_shown(scene, output), scene.title, scene.description)
    return found


def _output(command: str, directory: Path, env: dict[str, str]) -> str:
    """What an Ansible command prints, with its colours. Raises DemoFailed."""
    program, *arguments = command.split()
    finished = subprocess.run(
        [sys.executable, "-m", "ansible", program.removeprefix("ansible-"), *arguments],
        check=False, cwd=directory, env=env, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )  # fmt: skip
    if finished.returncode:
        raise demo.DemoFailed(f"{command} ended with status {finished.returncode}:\n{finished.stdout}")
    return finished.stdout


def _shown(scene: Scene, output: str) -> str:
    """The lines of the output that a scene shows, below the command."""
    lines = output.splitlines()
    plain = [demo.COLOUR.sub("", line) for line in lines]
    first = next(number for number, line in enumerate(plain) if line.startswith(scene.begins) and line)
    last = next((number for number, line in enumerate(plain) if scene.ends and line.startswith(scene.ends)), len(lines))
    return "\n".join([f"$ {scene.command}", "", *lines[first:last]])


def text_of(svg: str) -> str:
    """The lines of text in a picture, as a person would copy them."""
    lines = re.findall(r'<text y="\d+" xml:space="preserve">(.*)</text>', svg)
    plain = (re.sub(r"<[^>]*>", "", line) for line in lines)
    return "".join(f"{line}\n" for line in plain).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def differing() -> list[str]:
    """The names of the pictures that do not show what the commands print now."""
    names = []
    for scene, (name, svg) in zip(SCENES, drawn().items()):
        recorded = text_of((PICTURES / f"{name}.svg").read_text(encoding="utf-8"))
        now = text_of(svg)
        if scene.varies:
            recorded, now = (scene.varies.sub("", text) for text in (recorded, now))
        if recorded != now:
            names.append(name)
    return names


def main() -> int:
    parser = argparse.ArgumentParser(description="Draw the pictures of the documentation from real runs.")
    parser.add_argument("--check", action="store_true", help="only compare them with what the commands print now")
    if parser.parse_args().check:
        names = differing()
        if names:
            print(f"docs/pictures: {', '.join(names)} must be drawn again: nox -s pictures", file=sys.stderr)
        return bool(names)
    PICTURES.mkdir(exist_ok=True)
    for name, svg in drawn().items():
        (PICTURES / f"{name}.svg").write_text(svg, encoding="utf-8")
        print(f"docs/pictures/{name}.svg")
    plot.MEASURED.with_suffix(".svg").write_text(plot.plot(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
