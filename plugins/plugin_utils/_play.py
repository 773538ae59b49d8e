# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a role asks of the play in which it runs: the tags of the run, and the strategy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.playbook.block import Block
from ansible.playbook.task import Task
from ansible.playbook.task_include import TaskInclude
from ansible.plugins.loader import strategy_loader
from ansible.plugins.strategy.linear import StrategyModule as Linear

from ._core import above, play_of


def waits_for_all(strategy: str) -> bool:
    """Whether each host waits for the others after each task."""
    found = strategy_loader.get(strategy, class_only=True)
    return isinstance(found, type) and issubclass(found, Linear)


def is_selected(task: Any, variables: Mapping[str, Any]) -> bool:
    """Whether the tags of a run select the role of a task that always runs.

    task: in a block that holds all tasks of the role, whose own tags do not count. The tags of include_role and
    include_tasks have been evaluated before, and tasks that have no other tags follow them.
    """
    block = task._parent
    between = _own_tags(block._role)
    for each in above(block):
        if isinstance(each, TaskInclude) and not each.statically_loaded:
            if not between:
                return True
            break
        # the block of ``apply`` has no tasks of its own
        between = between or ((isinstance(each, TaskInclude) or bool(each.block)) and _own_tags(each))
    play = play_of(task)
    probe = Task(block=Block(play=play))
    inherited = block._get_parent_attribute("tags", omit=True)
    probe.tags = list(inherited) if isinstance(inherited, list) else []
    return bool(probe.evaluate_tags(play.only_tags, play.skip_tags, variables))


def _own_tags(each: Any) -> bool:
    """Whether a role, block or task has tags that it does not inherit."""
    tags = getattr(each, "_tags", None)
    return isinstance(tags, list) and bool(tags)
