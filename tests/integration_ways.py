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

OPTIONS = Path("plugins/module_utils/_options.py")
IN_PROCESS = '"SCANNER_IN_PROCESS", default=True'
OUTPUT = Path("tests/output")
# Targets whose requests are the same in each run. Others have random names, parallel calls, or scans that take time.
COMPARED = (
    "role_scan_gate", "scan_info", "scan_output", "scan_output_info", "service_info", "target", "target_info",
    "untrusted_text", "vpn_profile_info", "whole_play", "wordlist", "wordlist_info", "workspace", "workspace_info",
)  # fmt: skip
# What differs between two runs that send the same.
CHANGING = ("at", "client_port", "n")
RANDOM = (
    (re.compile(r"127\.0\.0\.1:[0-9]+|\[::1\]:[0-9]+"), "HOST"),
    (re.compile(r"/h/[0-9a-f]{16}"), "/h/TOKEN"),
    # names of service_verification, and secrets of the target secrecy
    (re.compile(r"\b([Vv]erify)-[0-9a-f]{12}\b"), r"\1-RANDOM"),
    (re.compile(r"\b(proxy|site)-[0-9a-f]{32}\b"), r"\1-RANDOM"),
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


def requests_in(path: Path) -> list[dict[str, Any]]:
    """The requests in a file, without what differs between equal runs."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        for pattern, name in RANDOM:
            line = pattern.sub(name, line)
        found.append({key: value for key, value in json.loads(line).items() if key not in CHANGING})
    return found


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
    others = [line for line in found if ".jsonl" in line and line.partition("-")[0] not in COMPARED]
    if others:
        print("Requests differ, in targets that are not compared:", *others, sep="\n")
    wrong = [line for line in found if line not in others]
    if wrong:
        sys.exit("\n".join(["Requests differ:", *wrong]))
    print(
        f"{len(list((OUTPUT / one).glob('*.jsonl')))} logs of requests, {len(found)} of which differ between the ways."
    )


if __name__ == "__main__":
    programs: dict[str, Callable[..., object]] = {"as-modules": as_modules, "keep": keep, "compare": compare}
    programs[sys.argv[1]](*sys.argv[2:])
