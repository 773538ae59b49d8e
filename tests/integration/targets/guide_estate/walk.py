# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Walk through the section "An estate as code" of guide_declare with an account of 2,500 targets: its own files, commands,
change and messages, in their order.

    python walk.py DIRECTORY
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import textwrap
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve()
sys.path.append(str(HERE.parents[1] / "setup_service" / "files"))
from start import local_service, requests_file  # noqa: E402

COLLECTION = next(directory for directory in HERE.parents if (directory / "playbooks" / "estate_adopt.yml").is_file())
GUIDE = (COLLECTION / "docs" / "docsite" / "rst" / "guide_declare.rst").read_text(encoding="utf-8")
SECTION = re.search(r"^An estate as code\n-+\n(.*?)(?=^\S[^\n]*\n---|\Z)", GUIDE, re.MULTILINE | re.DOTALL)[1]
# where a person has the collection
INSTALLED = "~/.ansible/collections/ansible_collections/scanops/scanner"

SHOP = [f"app-{number:04}.shop.example.com" for number in range(1, 1501)]
OFFICE = [f"desk-{number:03}.office.example.com" for number in range(1, 901)]
PARTNERS = [f"gate-{number:03}.partner.example" for number in range(1, 101)]
NEW = [f"api-{number}.shop.example.com" for number in range(1, 5)] + ["https://shop.example.com/checkout"]
ACCOUNT = {
    "workspaces": [
        {"name": "Web shop", "description": "What customers reach"},
        {"name": "Office"},
        {"name": "Partners"},
    ],
    "targets": [
        {"name": name, "workspace": workspace}
        for workspace, names in (("Web shop", SHOP), ("Office", OFFICE), ("Partners", PARTNERS))
        for name in names
    ],
    "http_loggers": [{"label": "canary-shop", "workspace": "Web shop"}],
}


def blocks(language: str) -> list[str]:
    """The blocks of code of this language in the section."""
    found = re.findall(rf"^( *)\.\. code-block:: {language}\n\n((?:\1   .*\n|\n)+)", SECTION, re.MULTILINE)
    return [textwrap.dedent(text).strip("\n") + "\n" for _indent, text in found]


class Walk:
    """A person with a terminal, and the account."""

    def __init__(self, service, directory: Path):
        self.service = service
        self.directory = directory
        self.commands = [
            line[2:] for block in blocks("console") for line in block.splitlines() if line.startswith("$ ")
        ]
        self.environment = dict(
            os.environ,
            SCANNER_BASE_URL=service.base_url,
            SCANNER_API_KEY=service.api_key,
            ANSIBLE_NOCOLOR="true",
            # only quicker
            ANSIBLE_PIPELINING="true",
            # of the repository that a person makes
            GIT_AUTHOR_NAME="A person", GIT_AUTHOR_EMAIL="person@example.com",
            GIT_COMMITTER_NAME="A person", GIT_COMMITTER_EMAIL="person@example.com",
            GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_SYSTEM=os.devnull,
        )  # fmt: skip

    def next(self, starts: str, **values: str) -> str:
        """Run the guide's next command, which begins so, and must succeed; values: what stands for <name> in it."""
        command = self.commands.pop(0)
        assert command.startswith(starts), f"The guide goes on with {command!r}, not with {starts!r}."
        for name, value in values.items():
            command = command.replace(f"<{name}>", value)
        return self.run(command)

    def run(self, command: str, succeeds: bool = True, **environment: str) -> str:
        done = subprocess.run(
            ["bash", "-c", command.replace(INSTALLED, str(COLLECTION))],
            cwd=self.directory,
            env={**self.environment, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        print(f"$ {command}\n{done.stdout}", flush=True)
        assert self.service.api_key not in done.stdout, "The key was printed."
        assert (done.returncode == 0) is succeeds, f"{command} ended with status {done.returncode}."
        return done.stdout

    def review(self, succeeds: bool = True, options: str = "") -> str:
        """Make a plan once more; nothing may be written."""
        printed = self.run(f"ansible-playbook estate_review.yml {options}", succeeds)
        self.only_reads()
        return printed

    def refuses(self, message: str, options: str = "") -> None:
        printed = self.review(False, options)
        assert message in printed, f"Not printed: {message}"

    def only_reads(self) -> None:
        """Since it was looked at last, the service was read and nothing was written."""
        methods = self.service.summary()["by_method"]
        assert set(methods) == {"GET"}, methods
        self.service.clear_log()

    def calls_nothing(self) -> None:
        assert self.service.summary()["total"] == 0, self.service.calls()

    def writes(self) -> Counter:
        writes = Counter(call.split("/")[0].strip() + " /" + call.split("/")[1] for call in self.service.writes())
        self.service.clear_log()
        return writes

    @property
    def plan(self) -> dict:
        return json.loads((self.directory / "plan.json").read_text(encoding="utf-8"))

    @property
    def names(self) -> list[str]:
        return [target["name"] for target in self.service.targets()]


def adopt(walk: Walk) -> None:
    walk.next("git init")
    walk.directory /= walk.commands.pop(0).removeprefix("cd ")
    walk.next("cp")
    walk.next("cp")
    walk.next("printf")
    rules = (walk.directory / "vars" / "estate_rules.yml").read_text(encoding="utf-8")
    assert blocks("yaml")[0] in rules, "The rules of the guide are not those of the file."
    # what the environment of this test has already
    del walk.commands[:2]

    printed = walk.next("ansible-playbook estate_adopt.yml")
    walk.only_reads()
    for line in blocks("text")[0].splitlines():
        assert line.replace("in estate;", f"in {walk.directory / 'estate'};") in printed, f"Not printed: {line}"
    files = {path.name: path.read_text(encoding="utf-8") for path in (walk.directory / "estate").iterdir()}
    assert sorted(files) == ["my-workspace.yml", "office.yml", "partners.yml", "web-shop.yml"]
    assert [text.count("- name: ") for _name, text in sorted(files.items())] == [1, 901, 101, 1501]
    # those of the workspaces
    assert len(re.findall(r"^ +id: [0-9]+$", "".join(files.values()), re.MULTILINE)) == 4

    walk.next("git add")
    walk.next("git commit")
    assert walk.run("git status --porcelain") == ""


def change(walk: Walk) -> str:
    """Change ten lines and review them; returns the checksum of the plan."""
    (walk.directory / "plan.patch").write_text(blocks("diff")[0], encoding="utf-8")
    walk.run("git apply plan.patch && rm plan.patch")
    assert walk.run("git diff --numstat") == "6\t4\testate/web-shop.yml\n"

    printed = walk.next("ansible-playbook estate_review.yml")
    walk.only_reads()
    assert f"The checksum of the plan is {walk.plan['checksum']}." in printed
    assert walk.plan["calls"] == {"GET": 27, "POST": 5, "PUT": 1, "DELETE": 3}, walk.plan["calls"]
    assert walk.plan["minutes"] == 0
    reading = (walk.directory / "plan.md").read_text(encoding="utf-8")
    assert reading.startswith("# Plan of the estate\n\nThe plan writes 9 objects. **3 of them are deleted, with scans,")
    assert walk.plan["checksum"] in reading
    for name in [*SHOP[:3], *NEW]:
        assert f"`{name}`" in reading
    assert walk.run("git status --porcelain") == " M estate/web-shop.yml\n"
    walk.run("git commit --quiet --all --message 'Three servers are gone, five are new'")
    return walk.plan["checksum"]


def apply(walk: Walk, approved: str) -> None:
    apply_it = "ansible-playbook estate_apply.yml"
    assert "is empty, probably because a variable is unset" in walk.run(apply_it, False)
    walk.calls_nothing()

    # somebody works in the web application
    walk.service.add(targets=[{"name": "late.shop.example.com", "workspace": "Web shop"}])
    printed = walk.run(apply_it, False, ESTATE_APPROVED_PLAN=approved)
    assert "Changes that the review did not show: delete target 'late.shop.example.com' (id " in printed
    walk.only_reads()

    walk.review()
    walk.next("ESTATE_APPROVED_PLAN=", checksum=walk.plan["checksum"])
    assert walk.writes() == {"POST /targets": 5, "PUT /workspaces": 1, "DELETE /targets": 4}
    assert sorted(walk.names) == sorted([*SHOP[3:], *NEW, *OFFICE, *PARTNERS])
    walk.next("ansible-playbook estate_drift.yml")
    assert walk.plan["outcome"] == "unchanged"
    assert not walk.commands, f"The guide has more commands: {walk.commands}"


def mistype(walk: Walk) -> None:
    """Nothing of this may write anything."""
    _adopted, _differs, _unmanaged, lost, raised, emptied = blocks("text")
    shop = walk.directory / "estate" / "web-shop.yml"
    text = shop.read_text(encoding="utf-8")

    half = re.sub(r"      - name: app-(?:0[89]|07[5-9]|1).*\n", "", text)
    assert text.count("\n") - half.count("\n") == 751
    shop.write_text(half, encoding="utf-8")
    walk.refuses(lost.strip())
    assert "The task that made this plan failed: `751 objects" in (walk.directory / "plan.md").read_text(
        encoding="utf-8"
    )
    walk.refuses(raised.strip(), "-e estate_apply_purge_max=5000")

    shop.write_text(re.sub(r"targets:\n(?:      - .*\n)+", "targets: []\n", text), encoding="utf-8")
    walk.refuses(emptied.strip())

    shop.write_text(text.replace("api-1.shop.example.com", "api-1.shop.example.com.evil.example"), encoding="utf-8")
    printed = walk.run("ansible-playbook estate_review.yml", False)
    assert "targets[0] is outside the authorised scope: api-1.shop.example.com.evil.example is not in" in printed
    walk.calls_nothing()

    # a file lost, the name of a workspace mistyped, the partners mangled, all at once
    shop.unlink()
    office, partners = walk.directory / "estate" / "office.yml", walk.directory / "estate" / "partners.yml"
    office.write_text(office.read_text(encoding="utf-8").replace("name: Office", "name: Ofice"), encoding="utf-8")
    partners.write_text(
        re.sub(r"      - name: gate-0[^0].*\n", "", partners.read_text(encoding="utf-8")), encoding="utf-8"
    )
    walk.review()
    summary = {action: count for action, count in walk.plan["summary"].items() if count}
    # a renamed workspace; its 900 targets, two workspaces and what is left of the partners; the partners that are not
    assert summary == {"update": 1, "unchanged": 912, "protected": 90}
    assert (walk.plan["calls"]["DELETE"], walk.plan["minutes"]) == (0, 0)


def main() -> None:
    directory = Path(sys.argv[1]).absolute()
    with local_service().start(key=None, max_life=1800, log=requests_file()) as service:
        service.reset(state=ACCOUNT)
        walk = Walk(service, directory)
        adopt(walk)
        approved = change(walk)
        apply(walk, approved)
        mistype(walk)


if __name__ == "__main__":
    main()
