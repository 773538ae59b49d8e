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
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

CHECKOUT = Path(__file__).resolve().parents[2]

if TYPE_CHECKING:
    from ..demo import run as demo
    from ..unit.local_service import LocalService
    from . import plot, story
    from .terminal import picture
else:
    sys.path[:0] = [str(CHECKOUT / "tests" / name) for name in ("unit", "demo", "pictures")]
    import plot
    import run as demo
    import story
    from local_service import LocalService
    from terminal import picture

PICTURES = CHECKOUT / "docs" / "pictures"
# columns of a line that is broken, and of the longest one that is not
WIDTH = 120
LONGEST = 130
# Scans that last this many times as long as those of the demo show their progress on a busy machine, too.
LONGER = 4
SCRIPTS = [{**script, "queue": LONGER * script["queue"], "run": LONGER * script["run"]} for script in demo.SCRIPTS]


class Scene(NamedTuple):
    """One picture. command: as a person would type it; begins, ends: the first line shown, and the first that is not, ""
    for all; directory: where it runs, below the checkout; varies: lines that depend on the speed of the machine; status: the
    exit status of the command; fault: what the service does during the command."""

    name: str
    title: str
    description: str
    command: str
    begins: str = ""
    ends: str = ""
    directory: str = ""
    varies: re.Pattern[str] | None = None
    status: int = 0
    fault: Mapping[str, object] | None = None


# in the order of the account's life
SCENES = (
    Scene(
        "apply",
        "A playbook applied",
        "ansible-playbook creates a workspace, three targets and two HTTP loggers, each shown as changed.",
        "ansible-playbook playbooks/demo.yml",
        ends="PLAY RECAP",
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
    Scene(
        "refused",
        "A plan that the rate limit does not allow",
        "A task with 2,000 targets is refused before the first write, with the value of rate_limit_wait to set.",
        "ansible-playbook many.yml",
        begins="TASK [Declare 2,000 targets]",
        ends="fatal:",
        directory="tests/pictures",
        status=2,
    ),
    Scene(
        "renamed",
        "A renamed workspace in a declaration",
        "An error in check mode: the declared workspace does not exist, and another one has all of its targets.",
        "ansible-playbook renamed.yml --check",
        ends="fatal:",
        directory="tests/pictures",
        status=2,
    ),
    Scene(
        "broken",
        "A broken estate file",
        "The error on an estate file that is not valid YAML, with the file, the line and what to correct.",
        "ansible-playbook broken.yml",
        begins="TASK [scanops.scanner.estate_apply : Report what was done]",
        ends="fatal:",
        directory="tests/pictures",
        status=2,
    ),
    Scene(
        "outage",
        "An outage during scans",
        "Lines of two scans: their progress, polls that are answered 503 and tried again, and the end of both.",
        "ansible-playbook outage.yml",
        begins="TASK [Scan two targets]",
        ends="PLAY RECAP",
        directory="tests/pictures",
        varies=re.compile(r"^(localhost: |on demand).*\n", re.MULTILINE),
        fault=dict(method="GET", path="/scans", nth=3, action="status", status=503, times=9),
    ),
    Scene(
        "expired",
        "A red gate whose waiver has expired",
        "The message of the role scan_gate: what fails, and the waiver of it that has expired.",
        "ansible-playbook expired.yml",
        begins="TASK [scanops.scanner.scan_gate : End with the outcome]",
        ends="fatal:",
        directory="tests/pictures",
        status=2,
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
            if scene.fault:
                service.fault(**scene.fault)
            output = _output(scene, env)
            found[scene.name] = picture(_shown(scene, output), scene.title, scene.description)
    found[story.NAME] = _told(env)
    return found


def _told(env: dict[str, str]) -> str:
    """The picture of README.md, on a new account."""
    place = CHECKOUT / demo.BUILD / "story"
    story.prepare((CHECKOUT / "README.md").read_text(encoding="utf-8"), place)
    with LocalService.start(key=None) as service:
        env = {**env, "SCANNER_BASE_URL": service.base_url, "SCANNER_API_KEY": service.api_key}
        text = story.told(place, env, lambda line: demo.COLOUR.sub("", line))
    return picture(text, story.TITLE, story.DESCRIPTION)


def _output(scene: Scene, env: dict[str, str]) -> str:
    """What the command of a scene prints, with its colours. Raises DemoFailed."""
    program, *arguments = scene.command.split()
    finished = subprocess.run(
        [sys.executable, "-m", "ansible", program.removeprefix("ansible-"), *arguments],
        check=False, cwd=CHECKOUT / scene.directory, env=env, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )  # fmt: skip
    if finished.returncode != scene.status:
        raise demo.DemoFailed(f"{scene.command} ended with status {finished.returncode}:\n{finished.stdout}")
    # without the place of this checkout
    return finished.stdout.replace(f"{CHECKOUT / scene.directory}/", "").replace(f"{CHECKOUT}/", "")


def _shown(scene: Scene, output: str) -> str:
    """The lines of the output that a scene shows, below the command."""
    lines = output.splitlines()
    plain = [demo.COLOUR.sub("", line) for line in lines]
    first = next(number for number, line in enumerate(plain) if line.startswith(scene.begins) and line)
    last = next((number for number, line in enumerate(plain) if scene.ends and line.startswith(scene.ends)), len(lines))
    return "\n".join([f"$ {scene.command}", "", *map(_wrapped, lines[first:last])])


def _wrapped(line: str) -> str:
    """A long line, broken between words after WIDTH columns. The colours end with a line, so the next one repeats them."""
    if len(demo.COLOUR.sub("", line)) <= LONGEST:
        return line
    shown, column, colour = "", 0, ""
    for colours, word in re.findall(r"((?:\x1b\[[0-9;]*m)*)([^ \x1b]* *)", line):
        if column and column + len(word.rstrip()) > WIDTH:
            shown, column = f"{shown.rstrip(' ')}\n{colour}", 0
        shown, column, colour = f"{shown}{colours}{word}", column + len(word), colours or colour
    return shown


def text_of(svg: str) -> str:
    """The lines of text in a picture, as a person would copy them."""
    lines = re.findall(r'<text y="\d+" xml:space="preserve">(.*)</text>', svg)
    plain = (re.sub(r"<[^>]*>", "", line) for line in lines)
    return "".join(f"{line}\n" for line in plain).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def differing() -> list[str]:
    """The names of the pictures that do not show what the commands print now."""
    names = []
    varies = {scene.name: scene.varies for scene in SCENES if scene.varies}
    for name, svg in drawn().items():
        recorded = text_of((PICTURES / f"{name}.svg").read_text(encoding="utf-8"))
        now = text_of(svg)
        if name in varies:
            recorded, now = (varies[name].sub("", text) for text in (recorded, now))
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
