# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Benchmarks of many processes that share one rate limit. SECONDS stand for the minute of the service."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from .bulk import least
from .stage import HERE, BenchmarkFailed, Result, Stage

if TYPE_CHECKING:
    from ..service import limits
else:
    # __main__ has put tests/ on the path
    from service import limits

CALLS = 1000
# controllers, and the processes of each; more of them would keep two processors busy with waiting, as the window is short
ONE, FOUR = (1, 50), (4, 12)
# the documented limit of a minute
WRITES = 125
# with one second, the way of a call to the service and back takes a tenth of the window, as if it took six seconds of a minute
SECONDS = 5
MOST_REFUSED = 5
# a run starts so many seconds into a fixed window, so that it waits less than at the start of one
INTO_WINDOW = 0.25


def shared(window: str, controllers: int, processes: int) -> Callable[[Stage], Result]:
    """The benchmark for one way to count the limit. It runs once, because it spends most of its time waiting.

    controllers: how many programs start so many processes each; they share nothing but the file with the limits.
    """

    def measure(stage: Stage) -> Result:
        stage.service.reset(settings={"rate_limits": None}, state={"workspaces": [{"id": 2, "name": "Bench"}]})
        rules = dict(window=window, seconds=SECONDS, tick=SECONDS / 60, GET=250, write=WRITES, output=60)
        stage.service.settings(rate_limits={**rules, "retry_after": "seconds", "headers": True})
        stage.service.clear_log()
        with tempfile.TemporaryDirectory(dir=stage.place) as runtime:
            _create(stage, controllers, processes, runtime)
        stage.service.settings(rate_limits=None)
        log = stage.service.log()
        refused = sum(entry["status"] == 429 for entry in log)
        created = [entry["at"] for entry in log if entry["status"] == 201]
        if len(created) != CALLS or refused > MOST_REFUSED:
            raise BenchmarkFailed(f"{len(created)} targets were created, with {refused} answers 429")
        taken = created[-1] - created[0]
        # the limit never delays the first calls
        each = (created[WRITES - 1] - created[0]) / (WRITES - 1)
        shortest = least(limits.WINDOWS[window](WRITES, SECONDS), CALLS, created[0], each)
        ratio = taken / shortest
        command = f"{controllers} times share_limit.py"
        return Result(ratio, ratio, ratio, None, (taken, shortest), (command, window))

    return measure


def _create(stage: Stage, controllers: int, processes: int, runtime: str) -> None:
    """Let the controllers start all processes, then let all begin at the same time. Raises BenchmarkFailed."""
    number = CALLS // controllers
    environment = {**stage.environment, "XDG_RUNTIME_DIR": runtime}
    with contextlib.ExitStack() as stack:
        running = []
        starts = []
        for first in range(0, CALLS, number):
            command = [str(stage.programs / "python"), "share_limit.py", *map(str, (SECONDS, processes, first, number))]
            program = stack.enter_context(
                subprocess.Popen(command, cwd=HERE, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            )
            stack.callback(program.kill)
            assert program.stdin and program.stdout
            running.append(program)
            starts.append(program.stdin)
            program.stdout.readline()
        time.sleep((INTO_WINDOW - time.time()) % SECONDS)
        for start in starts:
            start.close()
        statuses = [program.wait() for program in running]
    if any(statuses):
        raise BenchmarkFailed(f"share_limit.py exited with {', '.join(map(str, statuses))}")
