# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The directories of docs/examples do what their README says: its commands run in its order, with the output it shows.

In a block ``console``, a line that begins with "$ " is a command, and the lines below it are in its output, in this order. A
command fails only if these have "failed=1". A block ``markdown`` is the plan.md of the command before it. A block ``text``
is not run.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest
from ansible_collections.scanops.scanner.tests.plays.playbook import ROOT
from ansible_collections.scanops.scanner.tests.unit.local_service import LocalService

EXAMPLES = ROOT / "ansible_collections" / "scanops" / "scanner" / "docs" / "examples"
NAMES = sorted(path.parent.name for path in EXAMPLES.glob("*/README.md"))
BLOCK = re.compile(r"^```(console|markdown)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# what another run has otherwise
CHANGING = (
    (re.compile(r"http://127\.0\.0\.1:\d+"), "http://127.0.0.1:8080"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "CHECKSUM"),
    (re.compile(r"\b20\d\d-\d\d-\d\d\b"), "DAY"),
)
# what links have before a path in the repository
BLOB = "https://github.com/scanops/scanops.scanner/blob/main/"
# where the application of an example listens
PORT = ":8081/", " 8081 "


class Command(NamedTuple):
    line: str
    shown: list[str]


def steps(readme: str) -> Iterator[Command | str]:
    """The commands of a README, and the plans that it shows."""
    for kind, text in BLOCK.findall(readme):
        if kind == "markdown":
            yield text
            continue
        commands = [part.splitlines() for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]]
        yield from (Command(line, shown) for line, *shown in commands)


def settled(text: str, directory: Path) -> str:
    """A text without what another run has otherwise, such as the directory in which the example runs."""
    text = text.replace(f"{directory}/", "")
    for pattern, instead in CHANGING:
        text = pattern.sub(instead, text)
    return text


def walk(directory: Path, readme: str, environment: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Run the commands of a README in a directory; yields each plan that it shows, with the one that was made."""
    environment = dict(environment)
    for step in steps(readme):
        if isinstance(step, str):
            made = (directory / "plan.md").read_text(encoding="utf-8")
            yield settled(step, directory), settled(made, directory)
            continue
        line = step.line
        if line.startswith("export "):
            if "<checksum>" in line:
                line = line.replace("<checksum>", json.loads((directory / "plan.json").read_text())["checksum"])
            given = dict(each.split("=", 1) for each in line.split()[1:])
            # the connection is that of this test
            environment.update({name: value for name, value in given.items() if name not in environment})
            continue
        run = subprocess.run(
            ["bash", "-c", line],
            cwd=directory,
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        output = settled(run.stdout + run.stderr, directory)
        assert (run.returncode != 0) == ("failed=1" in step.shown), f"{line}\n{output}"
        place = 0
        for shown in (settled(each, directory) for each in step.shown):
            place = output.find(shown, place) + len(shown)
            assert place >= len(shown), f"{line} does not print {shown!r}\n{output}"
        if line.startswith("ansible-playbook estate_apply.yml"):
            del environment["ESTATE_APPROVED_PLAN"]


def environment(service: LocalService, home: Path) -> dict[str, str]:
    # where ansible-galaxy installs collections
    (home / ".ansible").mkdir()
    (home / ".ansible" / "collections").symlink_to(ROOT)
    return {
        "ANSIBLE_FORCE_COLOR": "false",
        **{f"GIT_{who}_{what}": "reader@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "SCANNER_API_KEY": service.api_key,
        "SCANNER_BASE_URL": service.base_url,
    }


def copy(name: str, directory: Path) -> str:
    """Copy an example, with waivers that end in a year. Returns its README, with a free port for its application."""
    shutil.copytree(EXAMPLES / name, directory)
    ends = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 365 * 86400))
    for path in directory.rglob("*.diff"):
        path.write_text(re.sub(r"(?<=expires: )20\d\d-\d\d-\d\d", ends, path.read_text()))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    readme = (directory / "README.md").read_text(encoding="utf-8")
    for form in PORT:
        readme = readme.replace(form, form.replace("8081", port))
    return readme


@pytest.fixture
def directory(tmp_path, name):
    yield tmp_path / name
    # the README ends the application, unless a command before has failed
    with suppress(OSError):
        os.kill(int((tmp_path / name / "site.pid").read_text()), signal.SIGTERM)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_an_example_does_what_its_readme_says(service, tmp_path, directory, name):
    service.reset()
    readme = copy(name, directory)
    for shown, made in walk(directory, readme, environment(service, tmp_path)):
        assert shown == made
    assert service.writes()


def test_a_readme_that_says_something_else_is_noticed(tmp_path):
    (tmp_path / "plan.md").write_text("# Plan\n")
    shows = "```console\n$ echo a b\na\n$ echo failed=1; false\nfailed=1\n```\n```markdown\n# Plan\n```\n"
    assert list(walk(tmp_path, shows, dict(os.environ))) == [("# Plan\n", "# Plan\n")]
    for wrong in (shows.replace("\na\n", "\nc\n"), shows.replace("\nfailed=1", ""), shows.replace("echo", "exit 1;")):
        with pytest.raises(AssertionError):
            list(walk(tmp_path, wrong, dict(os.environ)))


def test_the_index_has_each_example():
    index = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^\| \[[\w-]+\]\(([\w-]+)/README.md\)", index, re.MULTILINE)) == NAMES
    assert {path.name for path in EXAMPLES.iterdir()} == {*NAMES, "README.md"}


@pytest.mark.parametrize("name", NAMES)
def test_a_readme_names_each_file(name):
    readme = (EXAMPLES / name / "README.md").read_text(encoding="utf-8")
    files = [path.relative_to(EXAMPLES / name).as_posix() for path in (EXAMPLES / name).rglob("*") if path.is_file()]
    named = {place.strip("/") for place in re.findall(r"`([\w./-]+)`", readme)} | set(
        re.findall(r"changes/\S+", readme)
    )
    left = [file for file in files if file != "README.md" and named.isdisjoint({file, file.split("/")[0]})]
    assert left == []


@pytest.mark.parametrize(
    "page", [EXAMPLES / "README.md", *EXAMPLES.glob("*/README.md")], ids=lambda path: path.parent.name
)
def test_each_link_of_an_example_leads_to_a_file_and_a_heading(page):
    root, dead = EXAMPLES.parents[1], []
    for link, anchor in re.findall(r"\]\(([^)#]+)#?([^)]*)\)", page.read_text(encoding="utf-8")):
        # a copy of an example has no other file of the repository
        target = root / link.removeprefix(BLOB) if page.parent != EXAMPLES else page.parent / link
        titles = re.findall(r"^#+ (.+)$", target.read_text(encoding="utf-8"), re.MULTILINE) if target.is_file() else []
        if not target.is_file() or (anchor and anchor not in [title.lower().replace(" ", "-") for title in titles]):
            dead.append(f"{link}#{anchor}")
    assert dead == []
