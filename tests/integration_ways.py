# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare what the integration targets send when their tasks run in process and when they run as modules.

    python tests/integration_ways.py as-modules    in a copy of the collection: run all tasks as modules from now on
    python tests/integration_ways.py keep NAME     move tests/output/requests to tests/output/NAME
    python tests/integration_ways.py compare A B   fail unless tests/output/A and tests/output/B have the same requests

ansible-test clears the environment of its targets, so the copy gets another default. In process, the items of a loop share
what they read: A may lack a read that was sent before with the same result.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

OPTIONS = Path("plugins/module_utils/_task/connection_options.py")
IN_PROCESS = 'in_process=dict(type="bool", default=True'
OUTPUT = Path("tests/output")
Requests = list[dict[str, Any]]
TOO_MANY = 429
# What differs between two runs that send the same.
CHANGING = ("at", "client_port", "n")
RANDOM = (
    (re.compile(r"127\.0\.0\.1:[0-9]+|\[::1\]:[0-9]+"), "HOST"),
    (re.compile(r"/h/[0-9a-f]{16}"), "/h/TOKEN"),
    # names of service_verification, and secrets of the target secrecy
    (re.compile(r"\b([Vv]erify)-[0-9a-f]{12}\b"), r"\1-RANDOM"),
    (re.compile(r"\b(proxy|site)-[0-9a-f]{32}\b"), r"\1-RANDOM"),
    # labels of the role logger_canary
    (re.compile(r"\b(canary)-[0-9a-z]{16}\b"), r"\1-RANDOM"),
    (re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9:]{8}"), "TIME"),
    (re.compile(r"/tests/output/\.tmp/[^\"]*?/tests/"), "/tests/"),
)


def as_modules() -> None:
    """Turn the default of the option in_process off."""
    text = OPTIONS.read_text(encoding="utf-8")
    if text.count(IN_PROCESS) != 1:
        sys.exit(f"{OPTIONS} does not have {IN_PROCESS} once: correct tests/integration_ways.py.")
    OPTIONS.write_text(text.replace(IN_PROCESS, IN_PROCESS.replace("True", "False")), encoding="utf-8")


def keep(name: str) -> None:
    """Keep the requests of a run of ansible-test."""
    wait_for_logs(OUTPUT / "requests")
    shutil.rmtree(OUTPUT / name, ignore_errors=True)
    shutil.move(OUTPUT / "requests", OUTPUT / name)


def wait_for_logs(place: Path) -> None:
    """Wait until the service of the last target, which ends after the target, has written its log."""
    before: dict[str, int] = {}
    for _try in range(30):
        sizes = {path.name: path.stat().st_size for path in place.glob("*.jsonl")}
        if sizes == before and all(sizes.values()):
            return
        before = sizes
        time.sleep(1)


def once_in_a_row(requests: Requests) -> Requests:
    """The requests without reads that repeat the one before: the polls of what takes time."""
    return [
        request
        for place, request in enumerate(requests)
        if place == 0 or request["method"] != "GET" or request != requests[place - 1]
    ]


def by_writes(requests: Requests) -> Requests:
    """The writes in order, then each read once: of tasks that run side by side, or poll several objects in turn."""
    reads = {json.dumps(request, sort_keys=True): request for request in requests if request["method"] == "GET"}
    return [request for request in requests if request["method"] != "GET"] + [reads[text] for text in sorted(reads)]


def until_last_read(requests: Requests) -> Requests:
    """The requests up to the last read, and the next write: how many more a task writes before an interrupt differs."""
    reads = [place for place, request in enumerate(requests) if request["method"] == "GET"]
    return requests[: reads[-1] + 2] if reads else requests


# What is compared of the targets whose requests do not come in the same order in each run. Of all others, it is everything.
COMPARED: dict[str, Callable[[Requests], Requests]] = {
    "guide_recipes": by_writes,
    "report": once_in_a_row,
    "role_logger_canary": by_writes,
    "scan": by_writes,
    "targets": until_last_read,
}


def requests_in(path: Path) -> Requests:
    """What is compared of the requests in a file."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        for pattern, name in RANDOM:
            line = pattern.sub(name, line)
        request = json.loads(line)
        # how many calls fit into a minute depends on the speed of the machine
        if request.get("status") != TOO_MANY or request.get("fault"):
            found.append({key: value for key, value in request.items() if key not in CHANGING})
    return COMPARED.get(path.name.rpartition("-")[0], list)(found)


def differences(one: Path, other: Path) -> list[str]:
    """A line for each file of requests that differs."""
    names = sorted({path.name for place in (one, other) for path in place.glob("*.jsonl")})
    lines = [] if names else ["No target kept its requests."]
    for name in names:
        if not ((one / name).exists() and (other / name).exists()):
            lines.append(f"{name}: only in {one.name if (one / name).exists() else other.name}")
            continue
        found = difference(requests_in(one / name), requests_in(other / name))
        if found:
            lines.append(f"{name}:\n  {one.name}: {found[0]}\n  {other.name}: {found[1]}")
    return lines


def difference(ours: list[dict[str, Any]], theirs: list[dict[str, Any]]) -> tuple[str, str] | None:
    """The first two requests that differ, with their numbers, or None."""
    place = 0
    for number, request in enumerate(theirs):
        if place < len(ours) and ours[place] == request:
            place += 1
        elif request["method"] != "GET" or request not in theirs[:number]:
            return _shown(ours, place), _shown(theirs, number)
    return (_shown(ours, place), "nothing") if place < len(ours) else None


def _shown(requests: list[dict[str, Any]], place: int) -> str:
    return f"request {place + 1}, {json.dumps(requests[place])}" if place < len(requests) else "nothing"


def compare(one: str, other: str) -> None:
    found = differences(OUTPUT / one, OUTPUT / other)
    if found:
        sys.exit("\n".join(["Requests differ:", *found]))
    print(f"{len(list((OUTPUT / one).glob('*.jsonl')))} logs of requests, none of which differs between the ways.")


if __name__ == "__main__":
    programs: dict[str, Callable[..., object]] = {"as-modules": as_modules, "keep": keep, "compare": compare}
    programs[sys.argv[1]](*sys.argv[2:])
