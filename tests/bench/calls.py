# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The benchmark of the calls of our own functions: a count that is the same on every machine."""

from __future__ import annotations

import json
import sys
import tempfile

from .stage import BenchmarkFailed, Result, Side, Stage

# before the first byte is sent, and in all
MOST_BEFORE = 130
MOST = 300
# in the first runs, the file with the rate limit is new
RUNS = 3


def counted(stage: Stage) -> Result:
    """The calls of a task that finds its workspace unchanged, against those that are allowed."""
    stage.service.reset(settings={"rate_limits": {"headers": True}}, state={"workspaces": [{"name": "Bench"}]})
    options = dict(base_url=stage.service.base_url, api_key=stage.service.api_key, name="Bench")
    side = Side(["python", "count_calls.py", "workspace", json.dumps(options)], 1)
    with tempfile.TemporaryDirectory(dir=stage.place) as stage.environment["XDG_RUNTIME_DIR"]:
        found = [json.loads(stage.run(side.command)) for _run in range(RUNS)][-1]
    del stage.environment["XDG_RUNTIME_DIR"]
    if found["result"].get("changed") is not False:
        raise BenchmarkFailed(f"the task was not unchanged: {found['result']}")
    before, total = (sum(found[name].values()) for name in ("before", "all"))
    print(f"{before} and {total} calls", end=" ... ", file=sys.stderr)
    value = max(before / MOST_BEFORE, total / MOST)
    return Result(value, value, value, None, (total, MOST), (f"{side.command[1]} workspace", "allowed"))
