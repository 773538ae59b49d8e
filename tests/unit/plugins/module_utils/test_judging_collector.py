# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The garbage collector is paused while a gate works, and only then."""

from __future__ import annotations

import gc

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._errors import WrongOption
from ansible_collections.scanops.scanner.plugins.module_utils._judging.collector import paused
from ansible_collections.scanops.scanner.plugins.module_utils._judging.task import judge_task


@pytest.fixture(autouse=True)
def enabled():
    gc.enable()
    yield
    gc.enable()


def test_the_collector_is_paused_and_enabled_again():
    with paused():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_collector_that_was_disabled_stays_so():
    gc.disable()
    with paused():
        pass
    assert not gc.isenabled()


class Refused:
    """A task with a wrong option, which notes whether the collector was enabled when the options were read."""

    def __init__(self):
        self.enabled = []

    @property
    def params(self):
        self.enabled.append(gc.isenabled())
        raise WrongOption("policy is wrong.")


def test_a_gate_that_fails_enables_the_collector_again():
    task = Refused()
    with pytest.raises(WrongOption):
        judge_task(task)
    assert task.enabled == [False]
    assert gc.isenabled()
