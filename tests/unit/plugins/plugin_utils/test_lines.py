# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os
import signal

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import elapsed
from ansible_collections.scanops.scanner.plugins.plugin_utils import _in_process
from ansible_collections.scanops.scanner.plugins.plugin_utils._in_process import Lines, lines_of_interrupt


@pytest.fixture
def displayed(monkeypatch):
    """The lines that went through ansible-core, each with the signals that were blocked meanwhile."""
    lines = []

    def display(text, stderr=False):
        lines.append((text, stderr, signal.pthread_sigmask(signal.SIG_BLOCK, [])))

    monkeypatch.setattr(_in_process.display, "display", display)
    return lines


@pytest.fixture
def written(monkeypatch):
    """Reads what was written directly."""
    read, write = os.pipe()
    monkeypatch.setattr(_in_process, "_STDERR", write)
    yield lambda: os.read(read, 10000).decode()
    os.close(read)
    os.close(write)


def line(no_log=False, host="here"):
    return Lines(no_log, host)


def test_a_line_names_the_host_and_goes_to_standard_error(displayed):
    line().show("1 of 2")
    line(host=None).show("2 of 2")
    assert [(text, stderr) for text, stderr, _blocked in displayed] == [("here: 1 of 2", True), ("2 of 2", True)]


def test_no_signal_arrives_while_a_line_is_sent(displayed):
    line().show("1 of 2")
    assert {signal.SIGINT, signal.SIGTERM, signal.SIGHUP} <= displayed[0][2]
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_the_last_lines_do_not_need_ansible_core(displayed, written):
    line().show_last("scan 7 goes on")
    assert written() == "here: scan 7 goes on\n"
    assert displayed == []


def test_no_line_is_a_command_of_a_pipeline(displayed, written):
    line().show("name ##vso[x] ::error::y")
    line().show_last("name ##vso[x] ::error::y")
    broken = "here: name # #vso[x] : :error: :y"
    assert (displayed[0][0], written()) == (broken, f"{broken}\n")


def test_a_closed_terminal_is_no_error(monkeypatch):
    read, write = os.pipe()
    os.close(write)
    os.close(read)
    monkeypatch.setattr(_in_process, "_STDERR", write)
    line().show_last("scan 7 goes on")


def test_a_task_that_logs_nothing_shows_nothing(displayed, written):
    line(no_log=True).show("1 of 2")
    line(no_log=True).show_last("scan 7 goes on")
    line().show_last("end")
    assert (displayed, written()) == ([], "here: end\n")


@pytest.mark.parametrize(
    "seconds, text",
    [
        (0, "0 s"),
        (59.9, "59 s"),
        (60, "1 min 00 s"),
        (200, "3 min 20 s"),
        (3599, "59 min 59 s"),
        (3600, "1 h 00 min"),
        (90 * 3600 + 61, "90 h 01 min"),
    ],
)
def test_durations(seconds, text):
    assert elapsed(seconds) == text


def row(name, action="create"):
    return {"resource": "target", "name": name, "action": action, "id": 1}


ROWS = [row("b", "delete"), row("a\x1b"), row("c"), row("d", "failed"), row("e", "unchanged"), row("f", "update")]


@pytest.mark.parametrize("result, lines", [
    # what was written is named by action before the message
    ({"failed": True, "changed": True, "msg": "it ended", "results": ROWS}, [
        "2 objects created: target 'a\\\\x1b', target 'c'", "1 object updated: target 'f'",
        "1 object deleted: target 'b'", "it ended",
    ]),
    ({"changed": True, "target": {}}, ["changed as declared"]),
    ({"changed": False}, ["nothing was changed"]),
    ({"failed": True, "changed": False, "msg": "no"}, ["no", "nothing was changed"]),
])  # fmt: skip
def test_an_interrupted_task_says_what_it_has_done(result, lines):
    assert lines_of_interrupt("targets", result) == [f"interrupted: targets: {line}" for line in lines]


def test_many_objects_are_named_up_to_a_number():
    (line,) = lines_of_interrupt("targets", {"changed": True, "results": [row(f"host-{n}") for n in range(25)]})
    assert line.startswith("interrupted: targets: 25 objects created: target 'host-0', ")
    assert line.endswith("target 'host-19' and 5 more")
