# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Benchmarks of the ways to declare many targets that exist: one task, a loop, separate tasks."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from .stage import HERE, BenchmarkFailed, Result, Side, Stage

# in the loops that each item of ours is compared with
URI = 30
SEPARATE = 50
# the list of workspaces, and a page of 1,000 targets for all of them
LOOP_CALLS = 2
MOST_IN_LOOP = 0.05
MOST_SEPARATE = 0.12
# what each playbook takes before its first task
START = ["ansible-playbook", "plays/nothing.yml"]
# times an action that does nothing
MOST_OF_NOTHING = 1.4


def loop(count: int) -> Callable[[Stage], Result]:
    """The benchmark of one loop over so many targets."""

    def measure(stage: Stage) -> Result:
        _fill(stage, count)
        ours = Side(_with_names(stage, "plays/target_loop.yml", count), LOOP_CALLS, items=count)
        return by_processor(stage.compare(ours, _uri_loop(URI)))

    return measure


def loop_of_modules(stage: Stage) -> Result:
    _fill(stage, URI)
    command = [*_with_names(stage, "plays/target_loop.yml", URI), "-e", "in_process=false"]
    return by_processor(stage.compare(Side(command, LOOP_CALLS * URI, items=URI), _uri_loop(URI)))


def separate(stage: Stage) -> Result:
    _fill(stage, SEPARATE)
    return by_processor(stage.compare(_separate_targets(stage), _one_by_one(stage, "uri_get", URI, calls=URI)))


def separate_nothing(stage: Stage) -> Result:
    """Against an action that gets the same options and does nothing, so that the cost of ansible-core is on both sides."""
    _fill(stage, SEPARATE)
    # ansible-core finds action_plugins/ beside the play
    actions = stage.place / "action_plugins"
    actions.mkdir(exist_ok=True)
    shutil.copy(HERE / "do_nothing.py", actions)
    other = _one_by_one(stage, "target_loop", SEPARATE, calls=0, action="do_nothing")
    return by_processor(stage.compare(_separate_targets(stage), other))


def _separate_targets(stage: Stage) -> Side:
    return _one_by_one(stage, "target_loop", SEPARATE, calls=LOOP_CALLS * SEPARATE)


def _one_by_one(stage: Stage, play: str, count: int, calls: int, action: str | None = None) -> Side:
    """The side with so many tasks, without the start of the playbook."""
    command = ["ansible-playbook", _separate(stage, play, count, action)]
    return Side(command, calls, items=count, start=START)


def by_processor(result: Result) -> Result:
    """The same, with the ratio of processor time in place of elapsed time."""
    if result.processor is None:
        raise BenchmarkFailed("the processor time was not measured")
    return result._replace(value=result.processor)


class Way(NamedTuple):
    """A way to declare targets, for the plot. command: gets the stage and the number of targets."""

    name: str
    counts: tuple[int, ...]
    command: Callable[[Stage, int], list[str]]


def curve(stage: Stage) -> dict[str, Any]:
    """The time of each way for numbers of targets that exist: the shortest of the runs."""
    ways = []
    for way in WAYS:
        points = []
        for count in way.counts:
            _fill(stage, count)
            command = way.command(stage, count)
            costs = [stage.cost(command) for _run in range(stage.pairs)]
            elapsed, processor = min(cost.elapsed for cost in costs), min(cost.processor for cost in costs)
            points.append(dict(targets=count, elapsed=round(elapsed, 2), processor=round(processor, 2)))
        ways.append(dict(name=way.name, points=points))
    return dict(ansible_core=stage.ansible_core, ways=ways)


def _fill(stage: Stage, count: int) -> None:
    stage.service.reset(settings={"rate_limits": None})
    stage.service.fill("Bench", count)


def _with_names(stage: Stage, play: str, count: int) -> list[str]:
    declared = stage.place / f"targets-{count}.json"
    declared.write_text(json.dumps({"targets": _names(count)}))
    return ["ansible-playbook", play, "-e", f"@{declared}"]


def _names(count: int) -> list[str]:
    return [f"host-{number:06}.example" for number in range(1, count + 1)]


def _uri_loop(count: int) -> Side:
    return Side(["ansible-playbook", "plays/uri_get.yml", "-e", f"items={count}"], count, items=count)


def _separate(stage: Stage, play: str, count: int, action: str | None = None) -> str:
    """Write a play with a task for each item of the loop of another play, and return its path. action: replaces target."""
    (one,) = yaml.safe_load((HERE / "plays" / f"{play}.yml").read_text(encoding="utf-8"))
    (task,) = one["tasks"]
    del task["loop"]
    if action:
        task[action] = task.pop("scanops.scanner.target")
    one["tasks"] = [json.loads(json.dumps(task).replace("{{ item }}", name)) for name in _names(count)]
    path: Path = stage.place / f"{action or play}-{count}.yml"
    path.write_text(json.dumps([one]))
    return str(path)


# what is slow is measured for fewer targets
WAYS = (
    Way("uri in a loop", (1, 3, 10, 30), lambda stage, count: _uri_loop(count).command),
    Way(
        "target in a loop, as a module",
        (1, 3, 10, 30),
        lambda stage, count: [*_with_names(stage, "plays/target_loop.yml", count), "-e", "in_process=false"],
    ),
    Way(
        "a target task for each",
        (1, 10, 100, 300),
        lambda stage, count: ["ansible-playbook", _separate(stage, "target_loop", count)],
    ),
    Way(
        "target in a loop",
        (1, 10, 100, 1000),
        lambda stage, count: _with_names(stage, "plays/target_loop.yml", count),
    ),
    Way(
        "targets, one task",
        (1, 10, 100, 1000, 10000),
        lambda stage, count: _with_names(stage, "plays/targets.yml", count),
    ),
)
