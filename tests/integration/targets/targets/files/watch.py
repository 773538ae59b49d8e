# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run a play that declares targets, interrupt it after its first line if asked to, and tell what it printed and sent."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request

PATIENCE = 90


def writes(control: str) -> int:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"{control}/log", timeout=30) as answer:
        return sum(entry["method"] == "POST" for entry in json.load(answer))


def processes() -> dict[int, int]:
    """{process: its parent}, of all that run."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid=,stat="], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in listed.splitlines()]
    return {int(pid): int(parent) for pid, parent, state in rows if not state.startswith("Z")}


def family(first: int) -> set[int]:
    """A process and all that it has started, the module among them."""
    found, parents = {first}, processes()
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def main() -> None:
    # a process that nohup or a background job starts ignores some of them, and so would what it starts
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    interrupt, control, *command = sys.argv[1:]
    run = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        stdin=subprocess.DEVNULL,
    )
    seen, ended = [], None
    if interrupt == "True":
        for line in run.stderr:
            seen.append(line)
            if " objects done, " in line:
                break
        started = family(run.pid)
        os.killpg(run.pid, signal.SIGINT)
        began = time.monotonic()
    stdout, stderr = run.communicate(timeout=PATIENCE)
    if interrupt == "True":
        while started & set(processes()) and time.monotonic() < began + PATIENCE:
            time.sleep(0.1)
        ended = time.monotonic() - began
    sent = writes(control)
    time.sleep(2 if interrupt == "True" else 0)
    result = {
        "code": run.returncode,
        "stdout": stdout,
        "stderr": "".join(seen) + stderr,
        "ended": ended,
        "sent_later": writes(control) - sent,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
