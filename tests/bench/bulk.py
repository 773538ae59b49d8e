# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Benchmarks of many targets in one task."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from .stage import BenchmarkFailed, Result, Side, Stage

if TYPE_CHECKING:
    from ..service import limits
else:
    # __main__ has put tests/ on the path
    from service import limits

NEW = 1000
# the list of workspaces, and the empty page of an empty workspace
EMPTY_CALLS = 2
# the read after the creates: the page of 1,000 targets, the empty page, and the full page once more
CREATED_CALLS = NEW // 1000 + 1 + NEW // 1000
LOOPED = 100
MANY = 10_000
# the list of workspaces, the pages of 1,000 targets, the first one twice, and the empty page after them
UNCHANGED_CALLS = 1 + MANY // 1000 + 1 + 1
MOST_MEMORY = 200 << 20
LARGE = 100_000
GROWTH = LARGE * math.log(LARGE) / (LARGE // 4 * math.log(LARGE // 4))

# more than the documented 125, so that a run takes one minute, not eight
WRITES_A_MINUTE = 600
WINDOWS = {"fixed": "counted in fixed minutes", "sliding": "in a sliding minute", "bucket": "in a token bucket"}
MOST_REFUSED = 10
# a run starts this many seconds into a fixed minute, so that it waits less than at the start of one
INTO_MINUTE = 15


def create_and_uri(stage: Stage) -> Result:
    empty = _empty_workspace(stage)
    ours = Side(_play(stage, "targets.yml", NEW), EMPTY_CALLS + NEW + CREATED_CALLS, items=NEW, before=empty)
    other = Side(_play(stage, "uri_post.yml", LOOPED), LOOPED, items=LOOPED, before=empty)
    return stage.compare(ours, other)


def create_and_script(stage: Stage) -> Result:
    empty = _empty_workspace(stage)
    ours = Side(_play(stage, "targets.yml", NEW), EMPTY_CALLS + NEW + CREATED_CALLS, before=empty)
    programs = (
        f"{stage.programs}/python create_targets.py {NEW}",
        f"{stage.programs}/ansible-playbook plays/nothing.yml",
    )
    other = Side(["/bin/sh", "-c", " && ".join(programs)], NEW, before=empty)
    return stage.compare(ours, other)


def unchanged(stage: Stage) -> Result:
    stage.service.reset(settings={"rate_limits": None})
    stage.service.fill("Bench", MANY)
    ours = Side(_play(stage, "targets.yml", MANY), UNCHANGED_CALLS, most_memory=MOST_MEMORY)
    return stage.compare(ours, Side(["ansible-playbook", "plays/nothing.yml"], 0))


def growth(stage: Stage) -> Result:
    _empty_workspace(stage)()
    large, small = (
        Side([*_play(stage, "targets.yml", count), "--check"], EMPTY_CALLS) for count in (LARGE, LARGE // 4)
    )
    return stage.compare(large, small)


def limited(window: str) -> Callable[[Stage], Result]:
    """The benchmark for one way to count the limit. It runs once, because it spends most of its time waiting."""

    def measure(stage: Stage) -> Result:
        _empty_workspace(stage)()
        # with the documented limit of GET calls, a task assumes the documented one of writes too, and refuses the plan
        rules = dict(window=window, seconds=60, GET=WRITES_A_MINUTE, write=WRITES_A_MINUTE, output=60)
        side = Side(_play(stage, "targets.yml", NEW), 0)
        if window == "fixed":
            time.sleep((INTO_MINUTE - time.time()) % 60)
        stage.service.settings(rate_limits={**rules, "retry_after": "seconds", "headers": True})
        stage.service.clear_log()
        stage.run(side.command)
        stage.service.settings(rate_limits=None)
        writes = [entry for entry in stage.service.log() if entry["method"] == "POST"]
        refused = sum(entry["status"] == 429 for entry in writes)
        created = [entry["at"] for entry in writes if entry["status"] == 201]
        if len(created) != NEW or refused > MOST_REFUSED:
            raise BenchmarkFailed(f"{len(created)} targets were created, with {refused} answers 429")
        taken = created[-1] - created[0]
        counter = limits.WINDOWS[window](WRITES_A_MINUTE, 60)
        shortest = least(counter, NEW, created[0], (created[NEW // 2 - 1] - created[0]) / (NEW // 2 - 1))
        ratio = taken / shortest
        return Result(ratio, ratio, ratio, None, (taken, shortest), (stage.shown(side), window))

    return measure


def least(counter: limits.Counter, number: int, start: float, each: float) -> float:
    """Seconds from the first to the last of so many calls, if each is sent as soon as it is allowed and takes `each`
    seconds. counter: a new one, which counts as the service does."""
    now = last = start
    for dummy in range(number):
        verdict = counter.take(now)
        while not verdict.allowed:
            now += verdict.wait + 1e-6
            verdict = counter.take(now)
        last = now
        now += each
    return last - start


def _empty_workspace(stage: Stage) -> Callable[[], object]:
    return lambda: stage.service.reset(
        settings={"rate_limits": None}, state={"workspaces": [{"id": 2, "name": "Bench"}]}
    )


def _play(stage: Stage, play: str, count: int) -> list[str]:
    """The command for a play with the names of the targets that `fill` creates."""
    declared = stage.place / f"targets-{count}.json"
    declared.write_text(json.dumps({"targets": [f"host-{number:06}.example" for number in range(1, count + 1)]}))
    return ["ansible-playbook", f"plays/{play}", "-e", f"@{declared}"]
