# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Show the built and installed collection at work against the local service: `python tests/demo/run.py [--record]`.

It needs ansible-core, requests and tests/service/requirements.txt. --record writes the output into its guide, and twelve
lines of it into README.md.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "tests" / "unit"))

from local_service import LocalService  # noqa: E402

GUIDE = CHECKOUT / "docs" / "docsite" / "rst" / "guide_demo.rst"
# the indented lines of a code block, without the blank lines after it
BLOCK = re.compile(r"(?<=^\.\. code-block:: text\n\n)(?:   .*\n|\n+(?=   ))+", re.M)
# between two steps of the output; each has a block of its own in the guide
BETWEEN = re.compile(r"\n(?==== \d+\. )")
README = CHECKOUT / "README.md"
EXCERPT = re.compile(r"(?<=<!-- demo output begins -->\n```text\n).*?(?=```\n<!-- demo output ends -->)", re.S)
# where the lines that README.md shows begin, and how many there are
EXCERPT_BEGINS = "TASK [Scan the targets] "
EXCERPT_LINES = 12
BUILD = Path("build")
WRITES = ("POST", "PUT", "DELETE")
RECAP = re.compile(r"^\S+ +: ok=\d+ +changed=(\d+) ", re.M)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


REPORTS = BUILD / "reports"
# a line of a scan that goes on, which tells how far it is
PROGRESS = re.compile(r"^.*\bscan \d+ of \S+: .*\n", re.M)
# scans that end one after another, so that something is to be seen, and soon
SCRIPTS = [
    {"target": "shop.example.com", "queue": 1, "run": 3, "findings": [0, 1, 2]},
    {"target": "https://shop.example.com/admin", "queue": 1, "run": 5, "findings": [1, 3, 4]},
    {"target": "192.0.2.10", "queue": 2, "run": 3, "findings": [0]},
]
SCAN = f"ansible-playbook playbooks/scan_and_report.yml -e report_folder=../{REPORTS}"


class Step(NamedTuple):
    """title: what it shows; command: as a person would type it; writes: whether the service may receive more than GET;
    changed: how many changed tasks must be in the recap, None for any; waits: whether it waits for scans, so that lines
    tell how far they are, as many as the time allows."""

    title: str
    command: str
    writes: bool = False
    changed: int | None = None
    waits: bool = False


STEPS = (
    Step("Check mode on an empty account: what would change", "ansible-playbook playbooks/demo.yml --check --diff"),
    Step("The play applied", "ansible-playbook playbooks/demo.yml", writes=True),
    Step("The second run changes nothing", "ansible-playbook playbooks/demo.yml", changed=0),
    Step("The targets as an inventory", "ansible-inventory -i playbooks/demo.targets.yml --graph"),
    Step(
        "Three scans at once, what they found, and two reports", f"{SCAN} -e poll_interval=1", writes=True, waits=True
    ),
    Step("The scans are young enough, so nothing is started", f"{SCAN} -e max_age=12h -e min_severity=high", changed=0),
)


class DemoFailed(Exception):
    """A step did not do what the demo says that it does."""


class Interrupted(Exception):
    """A signal asks to stop. number: the signal's."""

    def __init__(self, number: int):
        super().__init__(number)
        self.number = number


def interrupt(number: int, _frame: object) -> None:
    # a second one must not end the cleaning up
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    raise Interrupted(number)


def environment() -> dict[str, str]:
    """The environment of the commands: nothing of the user's own Ansible or service, colour for a terminal only."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ANSIBLE_", "SCANNER_"))}
    colour = "ANSIBLE_FORCE_COLOR" if sys.stdout.isatty() and not os.environ.get("NO_COLOR") else "ANSIBLE_NOCOLOR"
    no_proxy = {name: ",".join(filter(None, [kept.get(name), "127.0.0.1"])) for name in ("no_proxy", "NO_PROXY")}
    return {**kept, **no_proxy, "ANSIBLE_CONFIG": str(CHECKOUT / "ansible.cfg"), colour: "true"}


def run(command: str, env: dict[str, str], show: bool = True) -> str:
    """Run an Ansible command by this Python; show and return what it prints. Raises DemoFailed."""
    program, *arguments = command.split()
    process = subprocess.Popen(
        [sys.executable, "-m", "ansible", program.removeprefix("ansible-"), *arguments],
        cwd=CHECKOUT, env=env, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        # Ctrl-C in a terminal reaches this program alone, which ends the whole group
        start_new_session=True,
    )  # fmt: skip
    lines = []
    try:
        for line in process.stdout:
            lines.append(line)
            if show:
                print(line, end="", flush=True)
        status = process.wait()
    finally:
        end(process)
    printed = "".join(lines)
    if status:
        raise DemoFailed(f"{command} ended with status {status}" + ("" if show else f":\n{printed}"))
    return COLOUR.sub("", printed)


def end(process: subprocess.Popen) -> None:
    """End a command and what it started; nothing happens to one that has ended."""
    started = set()
    for number, seconds in ((signal.SIGINT, 4), (signal.SIGKILL, 4)):
        if process.poll() is not None:
            break
        with suppress(ProcessLookupError):
            # while it is stopped it can begin no worker that is not seen here
            os.kill(process.pid, signal.SIGSTOP)
            started |= below({process.pid})
            os.killpg(process.pid, number)
            os.kill(process.pid, signal.SIGCONT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
    # ansible-core 2.19 and later gives each worker a session of its own, and one that has just begun misses the signal
    killed = set()
    while left := (started | below(started)) - killed:
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        killed |= left
    process.stdout.close()


def below(pids: set[int]) -> set[int]:
    """The processes that descend from these."""
    if Path("/proc/self/stat").exists():
        pairs = []
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                # the second field, the name in parentheses, may hold spaces
                pairs.append((int(stat.parent.name), int(stat.read_text().rpartition(")")[2].split()[1])))
    else:
        listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], check=True, capture_output=True, text=True)
        pairs = [tuple(map(int, line.split())) for line in listed.stdout.splitlines()]
    found = set()
    fresh = set(pids)
    while fresh:
        fresh = {pid for pid, parent in pairs if parent in fresh} - found
        found |= fresh
    return found


def say(text: str = "") -> None:
    print(text, flush=True)


def show(step: Step, number: int, service: LocalService, env: dict[str, str]) -> None:
    say(f"\n=== {number}. {step.title} ===\n\n$ {step.command}")
    service.clear_log()
    printed = run(step.command, env)
    received = service.summary()["by_method"]
    shown = WRITES if step.waits else ("GET", *WRITES)
    counts = ", ".join(f"{received[method]} {method}" for method in shown if method in received)
    polls = ", and GET while it waited" if step.waits else ""
    say(("" if printed.endswith("\n\n") else "\n") + f"Requests that the service received: {counts}{polls}")
    if step.waits and len(PROGRESS.findall(printed)) < len(SCRIPTS):
        raise DemoFailed(f"{step.command} must show how far the scans are")
    if not step.writes and any(method in received for method in WRITES):
        raise DemoFailed(f"{step.command} must send nothing but GET")
    if step.changed is not None and RECAP.findall(printed) != [str(step.changed)]:
        raise DemoFailed(f"{step.command} must end with changed={step.changed}")


def install(env: dict[str, str]) -> None:
    """Build the collection as it would be released and install the artefact where ansible.cfg looks for it."""
    say("The collection is built, and the artefact is installed into build/collections.\n")
    (CHECKOUT / BUILD).mkdir(exist_ok=True)
    for artefact in (CHECKOUT / BUILD).glob("scanops-scanner-*.tar.gz"):
        artefact.unlink()
    commands = [f"ansible-galaxy collection build --force --output-path {BUILD}"]
    say(f"$ {commands[0]}")
    run(commands[0], env, show=False)
    (artefact,) = (CHECKOUT / BUILD).glob("scanops-scanner-*.tar.gz")
    command = f"ansible-galaxy collection install --force --no-deps -p {BUILD / 'collections'} {BUILD / artefact.name}"
    say(f"$ {command}")
    run(command, env, show=False)


def demo() -> None:
    env = environment()
    install(env)
    shutil.rmtree(CHECKOUT / REPORTS, ignore_errors=True)
    with LocalService.start(key=None, settings={"scan_scripts": SCRIPTS, "report_time": 1}) as service:
        env.update(SCANNER_BASE_URL=service.base_url, SCANNER_API_KEY=service.api_key)
        say("\nA local service is started; SCANNER_API_KEY holds its key.\n")
        say(f"$ export SCANNER_BASE_URL={service.base_url}")
        for number, step in enumerate(STEPS, 1):
            show(step, number, service, env)
    reports = " and ".join(str(path.relative_to(CHECKOUT)) for path in sorted((CHECKOUT / REPORTS).glob("[!.]*")))
    say(f"\nThe reports are {reports}.")
    say("\nThe local service is stopped. To try things yourself: make service")


def masked(text: str) -> str:
    """What is the same in every run, without spaces at the end of lines."""
    text = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:PORT", text)
    return re.sub(r"[ \t]+$", "", text, flags=re.M)


def shown(guide: str) -> str:
    """The output of the demo in the text of the guide: its code blocks, one after the other."""
    return "\n".join(re.sub(r"^   ", "", block, flags=re.M) for block in BLOCK.findall(guide))


def excerpt(output: str) -> str:
    """The lines of the output that README.md shows."""
    _before, begin, rest = output.partition(EXCERPT_BEGINS)
    return "".join((begin + rest).splitlines(keepends=True)[:EXCERPT_LINES])


def replaced(pattern: re.Pattern, path: Path, texts: list[str]) -> str:
    """The text of a file with these texts in place of the matches of a pattern. Raises DemoFailed."""
    content = path.read_text(encoding="utf-8")
    if len(pattern.findall(content)) != len(texts):
        raise DemoFailed(f"{path.name} must have {len(texts)} blocks of the demo's output")
    following = iter(texts)
    return pattern.sub(lambda _match: next(following), content)


def record() -> None:
    """Run the demo and write its output into the guide and README.md. Raises DemoFailed."""
    finished = subprocess.run([sys.executable, __file__], check=False, text=True, capture_output=True)
    if finished.returncode:
        raise DemoFailed(f"the demo ended with status {finished.returncode}:\n{finished.stdout}{finished.stderr}")
    output = masked(finished.stdout)
    blocks = [re.sub(r"^(?=.)", "   ", part, flags=re.M) for part in BETWEEN.split(output)]
    guide, readme = replaced(BLOCK, GUIDE, blocks), replaced(EXCERPT, README, [excerpt(output)])
    GUIDE.write_text(guide, encoding="utf-8")
    README.write_text(readme, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description="Show the collection at work against the local service.")
    parser.add_argument("--record", action="store_true", help="write the output into the guide and README.md")
    arguments = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
    try:
        (record if arguments.record else demo)()
    except DemoFailed as failure:
        print(f"The demo failed: {failure}.", file=sys.stderr)
        return 1
    except Interrupted as interrupted:
        print("Interrupted; everything is stopped.", file=sys.stderr)
        return 128 + interrupted.number
    return 0


if __name__ == "__main__":
    sys.exit(main())
