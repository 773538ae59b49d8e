# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Start the local service in the background and return when it listens; it ends with another process, however that ends.

    python start.py --ready FILE (--with PID | --with-parent-of PID)

FILE gets {"base_url", "api_key", "control_url"}, readable by its owner only.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

# ends a service whose process id was given to another process in the meantime
MAX_LIFE = 3600


def local_service():
    """The class LocalService of the collection that this file is in; ansible-test puts a copy of it deeper down."""
    for directory in Path(__file__).resolve().parents:
        path = directory / "tests" / "unit" / "local_service.py"
        if path.is_file():
            spec = importlib.util.spec_from_file_location("local_service", path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module.LocalService
    raise RuntimeError(f"No tests/unit/local_service.py above {__file__}.")


def requests_file() -> Path | None:
    """Where the requests of this target are kept after ansible-test: tests/output/requests/TARGET-N.jsonl, N for the Nth start
    of a service. None without ansible-test."""
    parts = Path(__file__).resolve().parts
    for place in range(len(parts) - 3):
        if parts[place : place + 4] == ("tests", "output", ".tmp", "integration"):
            # ansible-test appends random characters
            target = re.sub(r"(-[^-]+){2}$", "", parts[place + 4])
            directory = Path(*parts[: place + 2], "requests")
            directory.mkdir(exist_ok=True)
            number = len(list(directory.glob(f"{target}-[0-9]*.jsonl"))) + 1
            path = directory / f"{target}-{number}.jsonl"
            path.touch()
            return path
    return None


def parent_of(pid: int) -> int:
    stat = Path(f"/proc/{pid}/stat")
    if stat.exists():
        # the second field, the name in parentheses, may hold spaces
        return int(stat.read_text().rpartition(")")[2].split()[1])
    return int(subprocess.run(["ps", "-o", "ppid=", "-p", str(pid)], check=True, capture_output=True).stdout)


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def detach() -> None:
    """Leave the session and the streams of the task, which would wait for their end."""
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)


def serve(ready: Path, companion: int, say) -> None:
    """Run the service until the companion ends; say(text) when it listens."""
    with local_service().start(key=None, max_life=MAX_LIFE, log=requests_file()) as service:
        with open(os.open(ready, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as stream:
            names = ("base_url", "api_key", "control_url")
            json.dump({name: getattr(service, name) for name in names}, stream)
        say("ready")
        while is_running(companion) and service.process.poll() is None:
            time.sleep(0.3)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--ready", type=Path, required=True)
    companion = parser.add_mutually_exclusive_group(required=True)
    companion.add_argument("--with", type=int, dest="companion")
    companion.add_argument("--with-parent-of", type=int, dest="child")
    arguments = parser.parse_args()
    pid = arguments.companion or parent_of(arguments.child)

    reader, writer = os.pipe()
    if os.fork():
        os.close(writer)
        with open(reader, encoding="utf-8") as stream:
            answer = stream.read()
        sys.exit(None if answer == "ready" else answer or "The local service did not start.")
    detach()

    def say(text: str) -> None:
        os.write(writer, text.encode())
        os.close(writer)

    try:
        serve(arguments.ready.absolute(), pid, say)
    except (OSError, RuntimeError) as exc:
        say(str(exc))
        sys.exit(1)


if __name__ == "__main__":
    main()
