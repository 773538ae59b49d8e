# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where a task is in its play, the hosts that run it, and whether the tags of the run select its role."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ansible.playbook.block import Block
from ansible.playbook.task import Task
from ansible.playbook.task_include import TaskInclude


def play_of(task: Any) -> Any:
    """The play of a task."""
    return next(each._play for each in above(task) if getattr(each, "_play", None) is not None)


def batch_of(task: Any, variables: Mapping[str, Any]) -> list[str]:
    """The hosts with which a play runs now, in its order. ansible_play_batch lacks those that have failed, which all run the
    tasks of rescue and always."""
    inventory = getattr(task.get_variable_manager(), "_inventory", None)
    # also has the implicit localhost, which get_hosts leaves out
    names = getattr(inventory, "_restriction", None)
    if not names:
        return list(variables.get("ansible_play_batch", ()))
    return [name for name in variables.get("ansible_play_hosts_all", ()) if name in names]


def place_of(task: Any, variables: Mapping[str, Any]) -> list[Any]:
    """The play and the batch that a task runs in."""
    return [play_of(task)._uuid, batch_of(task, variables)]


def above(task: Any) -> Iterator[Any]:
    """The blocks, roles and includes that contain a task, the innermost first."""
    parent = task._parent
    while parent is not None:
        yield parent
        parent = parent._parent


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
