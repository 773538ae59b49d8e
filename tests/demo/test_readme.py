# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The demo prints what output.txt and the guide show, stops cleanly when interrupted, and fails if a step fails."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import run

START = run.CHECKOUT / "docs" / "docsite" / "rst" / "guide_start.rst"
# the place and the line breaks of this warning depend on the ansible-core release
WARNING = re.compile(r"^\[WARNING\]: .*?creates\s+it\.\n", re.M | re.S)

# the last line of each command of the chapters that decide
ENDS = (
    ("The gate ended with findings. 2 findings fail the policy: ",),
    ("The fix of 2 findings is proven: ",),
    ("The gate passed: ",),
    ("The gate ended with blind. ", "The gate passed: "),
)


def start(**env: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, run.__file__], env={**os.environ, **env}, text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip


def test_the_demo_prints_what_is_recorded():
    # the user's settings must not change the output
    demo = start(ANSIBLE_STDOUT_CALLBACK="minimal", ANSIBLE_FORCE_COLOR="1", SCANNER_TIMEOUT="soon")
    printed = run.masked(demo.communicate()[0])
    assert demo.returncode == 0, printed
    recorded = run.OUTPUT.read_text(encoding="utf-8")
    assert len(WARNING.findall(recorded)) == len(WARNING.findall(printed)) == 1
    assert alike(recorded) == alike(printed), "run python tests/demo/run.py --record"
    # two scans may end in another order on a busy machine
    assert sorted(run.PROGRESS.findall(recorded)) == sorted(run.PROGRESS.findall(printed))


def test_the_guide_shows_lines_of_the_output():
    recorded, guide = run.OUTPUT.read_text(encoding="utf-8"), START.read_text(encoding="utf-8")
    blocks = re.findall(r"^   \.\. code-block:: text\n\n((?:      .*\n)+)", guide, re.M)
    assert blocks and all(re.sub(r"^      ", "", block, flags=re.M).strip() in recorded for block in blocks)


def test_a_newcomer_reads_the_output_to_its_end():
    recorded = run.OUTPUT.read_text(encoding="utf-8")
    assert recorded.count("\n") <= 300
    chapters = re.split(r"^=== \d+\. .* ===\n", recorded, flags=re.M)[1:]
    assert len(chapters) == sum(bool(step.title) for step in run.STEPS)
    for chapter, ends in zip(chapters[6:], ENDS, strict=True):
        output = chapter.partition("\nThe local service is stopped")[0]
        commands = re.split(r"^\$ .*\n", output, flags=re.M)[1:]
        for command, end in zip(commands, ends, strict=True):
            assert end in command.rstrip(" \n}").splitlines()[-1]


def alike(text: str) -> str:
    """The output without what depends on the ansible-core release and on time."""
    return run.PROGRESS.sub("", WARNING.sub("", text))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_no_process_survives_a_signal(number):
    demo = start()
    port = None
    for line in demo.stdout:
        port = port or re.search(r"SCANNER_BASE_URL=http://127\.0\.0\.1:(\d+)/", line)
        if line.startswith("TASK"):
            break
    socket.create_connection(("127.0.0.1", int(port[1]))).close()
    demo.send_signal(number)
    printed = demo.communicate()[0]
    assert demo.returncode == 128 + number
    assert printed.endswith("Interrupted; everything is stopped.\n")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", int(port[1])))
    # a killed process can exist for a moment
    for _moment in range(100):
        left = started_with(f"SCANNER_BASE_URL=http://127.0.0.1:{port[1]}/api/v2")
        if not left:
            break
        time.sleep(0.1)
    assert left == []


def started_with(variable: str) -> list[str]:
    """The command lines of the processes with this environment variable; none without /proc."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if variable.encode() in (process / "environ").read_bytes().split(b"\0"):
                found.append((process / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (run.Step("A missing play", "ansible-playbook playbooks/none.yml"), "exited with status"),
        # the reason is told, although its task is not shown
        (
            run.Step("A hidden task", "ansible-playbook playbooks/demo.yml -e workspace=", tasks=("None",)),
            "FAILED!",
        ),
        (run.Step("A change", "ansible-playbook playbooks/demo.yml"), "must send nothing but GET"),
        (
            run.Step("A change", "ansible-playbook playbooks/demo.yml", writes=True, changed=0),
            "must end with changed=0",
        ),
    ],
)
def test_a_failing_step_ends_the_demo(step, reason):
    env = run.environment()
    run.install(env)
    with run.LocalService.start(key=None) as service:
        env.update(SCANNER_BASE_URL=service.base_url, SCANNER_API_KEY=service.api_key)
        with pytest.raises(run.DemoFailed, match=reason):
            run.show(step, 1, service, env)
