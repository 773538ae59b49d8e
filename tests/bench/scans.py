# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Benchmarks of scans."""

from __future__ import annotations

import json

from .stage import BenchmarkFailed, Result, Side, Stage

SCANS = 100
# a sixth of the default, so that a run takes half a minute
INTERVAL = 1.5
SECONDS = 20


def wait(stage: Stage) -> Result:
    """The calls of a wait for many scans against one call for each interval, counted in the log of the service."""
    stage.service.reset(
        settings={"rate_limits": None, "scan_queue_time": 2, "scan_run_time": SECONDS},
        state={"workspaces": [{"id": 2, "name": "Bench"}]},
    )
    # the start of a scan of a target that does not exist reads the list of targets once more
    stage.service.fill("Bench", SCANS)
    names = [f"host-{number:06}.example" for number in range(1, SCANS + 1)]
    declared = stage.place / "scans.json"
    declared.write_text(json.dumps({"targets": names, "interval": INTERVAL}))
    side = Side(["ansible-playbook", "plays/scan.yml", "-e", f"@{declared}"], 0)
    stage.run(side.command)
    log = stage.service.log()
    starts = [number for number, entry in enumerate(log) if entry["method"] == "POST"]
    polls = log[starts[-1] + 1 :]
    ended = sum(scan["status_name"] == "finished" for scan in stage.service.scans())
    if len(starts) != SCANS or ended != SCANS or {entry["path"] for entry in polls} != {"/scans"}:
        raise BenchmarkFailed(f"{len(starts)} scans were started, {ended} have finished, after {len(polls)} polls")
    taken = polls[-1]["at"] - log[starts[-1]]["at"]
    value = len(polls) / (taken / INTERVAL)
    return Result(
        value, value, value, None, (len(polls), taken / INTERVAL), (stage.shown(side), "one call an interval")
    )
