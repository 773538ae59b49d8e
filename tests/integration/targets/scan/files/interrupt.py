# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run a play that scans, send its process group a signal as a terminal does, and tell what became of the scan."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request

PATIENCE = 60


def newest(control: str) -> dict:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"{control}/state", timeout=30) as answer:
        return json.load(answer)["scans"][-1]


def wait_for(what):
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if found := what():
            return found
        time.sleep(0.2)
    return None


def processes_of(group: int) -> list[str]:
    """The processes of a group that still run, and those that it started in groups of their own."""
    listed = subprocess.run(["ps", "-eo", "pgid=,args="], capture_output=True, text=True, check=True).stdout
    lines = [line.strip() for line in listed.splitlines()]
    return [line for line in lines if line.startswith(f"{group} ") and "<defunct>" not in line]


def main() -> None:
    # a process that nohup or a background job starts ignores some of them, and so would what it starts
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    name, stop, control, play = sys.argv[1:]
    before = newest(control)["id"]
    command = ["ansible-playbook", "-i", "localhost,", "-c", "local", "-e", f"stop={stop}", play]
    run = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        stdin=subprocess.DEVNULL,
    )
    # until the first line about the scan is out
    seen = []
    no_line = threading.Timer(PATIENCE, os.killpg, (run.pid, signal.SIGKILL))
    no_line.start()
    for line in run.stderr:
        seen.append(line)
        if ": running, " in line:
            break
    no_line.cancel()
    os.killpg(run.pid, getattr(signal, name))
    stdout, stderr = run.communicate(timeout=PATIENCE)
    wait_for(lambda: not processes_of(run.pid))
    scan = newest(control)
    if scan["id"] <= before:
        sys.exit("The play started no scan.")
    if stop == "True":
        wait_for(lambda: newest(control)["status_name"] == "stopped")
    result = {
        "status": newest(control)["status_name"],
        "stdout": stdout,
        "stderr": "".join(seen) + stderr,
        "left": processes_of(run.pid),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
