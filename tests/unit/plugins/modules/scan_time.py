# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the tests of scans share: an account, a time that passes only where a task waits, and short forms."""

from __future__ import annotations

WEB = {"workspace_id": 2, "target": "www.example.com", "tool": "Website Scanner"}
T, S = "/targets", "/scans"
STATE = {
    "workspaces": [{"id": 2, "name": "Web shop"}, {"id": 3, "name": "Empty"}],
    "targets": [
        {"id": 1001, "name": "www.example.com", "workspace": "Web shop"},
        {"id": 1002, "name": "api.example.com", "workspace": "Web shop"},
    ],
}
RUNNING = {"status_name": "waiting", "script": {"queue": 20, "run": 50}}


class Time:
    """The time of the task and of the service: it passes only where the task waits."""

    def __init__(self, service):
        self.service = service
        self.now = 0.0
        self.slept = []

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds
        self.service.settings(clock_offset=int(self.now))


def good(result):
    assert not result.failed, result.msg
    return result


def gets(service):
    return [call for call in service.calls() if call.startswith("GET")]


def bodies(service):
    return [entry["json"] for entry in service.log() if (entry["method"], entry["path"]) == ("POST", S)]


def old(age, **more):
    return {"target_id": 1001, "tool_id": 170, "age": age, **more}
