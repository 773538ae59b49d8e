# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os

import pytest
from ansible.playbook.loop_control import LoopControl
from ansible.playbook.task import Task
from ansible_collections.scanops.scanner.plugins.module_utils._http.connection import Connection
from ansible_collections.scanops.scanner.plugins.plugin_utils._loop import Loop, loop_of


def task(**keywords):
    """A task of ansible-core, as a worker has it for one item."""
    item = Task()
    for keyword, value in {"loop": [1, 2], **keywords}.items():
        setattr(item, keyword, value)
    return item


@pytest.mark.parametrize(
    "keywords",
    [{}, {"loop_with": "items"}, {"loop_control": LoopControl.load({"label": "x"})}],
    ids=["loop", "with", "label"],
)
def test_items_of_one_loop_share(keywords):
    items = task(**keywords)
    assert loop_of(items) is loop_of(items.copy()) is not None


@pytest.mark.parametrize(
    "keywords",
    [{"loop": None}, {"until": ["false"]}, {"retries": 3}, {"loop_control": LoopControl.load({"pause": 1})}],
    ids=["no loop", "until", "retries", "pause"],
)
def test_items_that_are_repeated_or_wait_share_nothing(keywords):
    assert loop_of(task(**keywords)) is None


def test_another_task_shares_nothing():
    first = loop_of(task())
    assert loop_of(task()) is not first


def test_a_fork_inherits_nothing():
    items = task()
    mine = loop_of(items)
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.write(writer, b"same" if loop_of(items) is mine else b"other")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reader, 10) == b"other"
    assert loop_of(items) is mine


class Opened:
    """In the place of a Transport."""

    def __init__(self, connection):
        self.connection = connection
        self.is_open = True

    def now(self):
        return 0.0

    def renew(self):
        assert self.is_open

    def close(self):
        self.is_open = False


def test_few_connections_are_kept():
    loop = Loop()
    opened = []

    def opening(connection):
        opened.append(Opened(connection))
        return opened[-1]

    for number in range(20):
        with loop.opened(Connection("https://scanner.example.com/api/v2", f"key-{number}"), {}, opening):
            pass
    assert [each.is_open for each in opened] == [False] * 12 + [True] * 8
    loop.close()
    assert [each for each in opened if each.is_open] == []
