# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The progress that the action plugins of targets and estate show, with a module that reports it, or the same in process. The
integration target of targets runs the real ones."""

from __future__ import annotations

import os
import threading
import time
from types import SimpleNamespace

import pytest
from ansible.plugins.action import ActionBase
from ansible_collections.scanops.scanner.plugins.action import estate, targets
from ansible_collections.scanops.scanner.plugins.module_utils._bulk.progress import NAME, Progress, Snapshot
from ansible_collections.scanops.scanner.plugins.plugin_utils import _bulk_action, _live_line
from ansible_collections.scanops.scanner.plugins.plugin_utils._bulk_action import line_of
from ansible_collections.scanops.scanner.plugins.plugin_utils._where import Facts

# as a Task of ansible-core has them where the play does not
NO_LOOP = {"until": None, "retries": None, "loop": None, "loop_control": None}


@pytest.fixture
def shown(monkeypatch):
    """Reads the lines on standard error."""
    monkeypatch.setattr(_bulk_action, "INTERVAL", 0.02)
    ours, theirs = os.pipe()
    os.set_blocking(ours, False)
    monkeypatch.setattr(_live_line, "_STDERR", theirs)

    def read():
        try:
            return os.read(ours, 100_000).decode().splitlines()
        except BlockingIOError:
            return []

    yield read
    os.close(ours)
    os.close(theirs)


@pytest.fixture
def action(monkeypatch, tmp_path):
    """action(module, ...): a plugin whose module is this function; in_process: a plugin whose work is this function."""

    def make(module, plugin=targets, transport="local", become=None, tmpdir=str(tmp_path), in_process=False, **task):
        name = f"scanops.scanner.{plugin.__name__.rpartition('.')[2]}"
        task = {"args": {}, "action": name, "check_mode": False, "async_val": 0, "no_log": False, **NO_LOOP, **task}
        shell = SimpleNamespace(tmpdir=tmpdir)
        connection = SimpleNamespace(_shell=shell, transport=transport, become=become, has_native_async=False)
        played = SimpleNamespace(remote_addr="localhost")
        one = plugin.ActionModule(SimpleNamespace(**task), connection, played, None, None, None)
        one.removed = []
        monkeypatch.setattr(one, "_environment", dict)
        monkeypatch.setattr(one, "_facts", lambda *_arguments: Facts(wanted=in_process))
        monkeypatch.setattr(one, "_arguments", lambda _task_vars: {})
        monkeypatch.setattr(one, "work_here", lambda _arguments, _environment, directory=None: module(directory))
        monkeypatch.setattr(one, "_execute_module", lambda task_vars, wrap_async: module())
        monkeypatch.setattr(one, "_remove_tmp_path", one.removed.append)
        monkeypatch.setattr(ActionBase, "run", lambda *_arguments: {})
        return one

    return make


def tickers():
    return [thread for thread in threading.enumerate() if isinstance(thread, _bulk_action._Ticker)]


def wait_for(what):
    until = time.monotonic() + 10
    while time.monotonic() < until:
        if found := what():
            return found
        time.sleep(0.01)
    raise AssertionError("nothing was shown")


@pytest.mark.parametrize("plugin", [targets, estate])
def test_lines_are_shown_while_the_module_runs(action, shown, tmp_path, plugin):
    seen = []

    def module():
        progress = Progress(str(tmp_path))
        progress.report(125, 1000, 2)
        progress.waits(38)
        seen.extend(wait_for(shown))
        progress.close()
        return {"changed": True}

    one = action(module, plugin)
    assert one.run(task_vars={"inventory_hostname": "here"}) == {"changed": True}
    assert seen[0].startswith("here: 125 of 1000 objects done, 2 failed, 0 s; waiting 38 s for the rate limit")
    assert not (tmp_path / NAME).exists()
    assert one.removed == [str(tmp_path)]
    assert not tickers()


def test_a_module_that_reports_nothing_shows_nothing(action, shown):
    def module():
        time.sleep(0.1)
        return {"changed": False}

    assert action(module).run() == {"changed": False}
    assert shown() == []


@pytest.mark.parametrize("plugin", [targets, estate])
def test_lines_are_shown_while_the_work_runs_in_process(action, shown, monkeypatch, tmp_path, plugin):
    seen = []
    monkeypatch.setattr(_bulk_action.constants, "DEFAULT_LOCAL_TMP", str(tmp_path))

    def work(directory):
        progress = Progress(directory)
        progress.report(125, 1000, 2)
        seen.extend(wait_for(shown))
        progress.close()
        return {"changed": True}

    assert action(work, plugin, in_process=True).run() == {"changed": True}
    assert seen[0].startswith("125 of 1000 objects done, 2 failed, 0 s")
    assert list(tmp_path.iterdir()) == []
    assert not tickers()


@pytest.mark.parametrize("options", [{"check_mode": True}, {"no_log": True}], ids=str)
def test_in_process_no_file_is_created_where_nobody_may_read_it(action, shown, options):
    def work(directory):
        return {"changed": directory is not None}

    assert action(work, in_process=True, **options).run() == {"changed": False}


def test_in_process_a_directory_that_cannot_be_created_does_not_fail_the_task(action, shown, monkeypatch, tmp_path):
    monkeypatch.setattr(_bulk_action.constants, "DEFAULT_LOCAL_TMP", str(tmp_path / "missing"))
    assert action(lambda directory: {"directory": directory}, in_process=True).run() == {"directory": None}


def test_work_that_breaks_in_process_leaves_nothing_behind(action, shown, monkeypatch, tmp_path):
    monkeypatch.setattr(_bulk_action.constants, "DEFAULT_LOCAL_TMP", str(tmp_path))

    def work(directory):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        action(work, in_process=True).run()
    assert list(tmp_path.iterdir()) == []
    assert not tickers()


@pytest.mark.parametrize(
    "options",
    [{"check_mode": True}, {"async_val": 60}, {"no_log": True}, {"transport": "ssh"}, {"become": "sudo"}],
    ids=str,
)
def test_no_file_is_created_where_nobody_may_read_it(action, shown, tmp_path, options):
    def module():
        assert list(tmp_path.iterdir()) == []
        return {"changed": True}

    assert action(module, **options).run() == {"changed": True}
    assert shown() == []


def test_a_directory_that_cannot_be_made_does_not_fail_the_task(action, shown, monkeypatch):
    def no_directory():
        raise OSError("read-only")

    one = action(lambda: {"changed": True}, tmpdir=None)
    monkeypatch.setattr(one, "_make_tmp_path", no_directory)
    assert one.run() == {"changed": True}


def test_a_module_that_breaks_leaves_nothing_behind(action, shown, tmp_path):
    def module():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        action(module).run()
    assert list(tmp_path.iterdir()) == []
    assert not tickers()


@pytest.mark.parametrize(
    "snapshot, seconds, line",
    [
        (Snapshot(0, 1, 0), 5, "0 of 1 object done, 5 s"),
        (Snapshot(125, 1000, 0), 62, "125 of 1000 objects done, 1 min 02 s"),
        (Snapshot(125, 1000, 1), 62, "125 of 1000 objects done, 1 failed, 1 min 02 s"),
        (Snapshot(125, 1000, 0, 1038.0), 62, "125 of 1000 objects done, 1 min 02 s; waiting 38 s for the rate limit"),
        (Snapshot(125, 1000, 0, 999.0), 62, "125 of 1000 objects done, 1 min 02 s"),
    ],
)
def test_a_line_says_how_far_the_task_is(snapshot, seconds, line):
    assert line_of(snapshot, seconds, 1000.0) == line
