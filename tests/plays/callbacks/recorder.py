# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A callback plugin for tests: it resets the local service before each task, and writes each event of a task and the requests
that the service received up to then to a file."""

from __future__ import annotations

import json
import os
import urllib.request

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: recorder
type: aggregate
short_description: Record results and requests
description: For tests.
"""


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "recorder"
    CALLBACK_NEEDS_ENABLED = True

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        with open(os.environ["RECORDER_PLAN"], encoding="utf-8") as file:
            self._plan = json.load(file)

    def _control(self, method, path, body=None):
        request = urllib.request.Request(
            self._plan["control_url"] + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=120) as response:
            raw = response.read()
        return json.loads(raw) if raw else None

    def v2_playbook_on_task_start(self, task, is_conditional):
        self._control("POST", "/reset", {"settings": self._plan["settings"], "state": self._plan["state"]})
        faults = self._plan["faults"].get(task.name)
        if faults:
            self._control("POST", "/faults", faults)

    def _record(self, event, happened, requests=True):
        # from ansible-core 2.19 on, the name with an underscore is deprecated
        task = getattr(happened, "task", None) or happened._task
        result = happened.result if hasattr(happened, "result") else happened._result
        host = getattr(happened, "host", None) or happened._host
        line = {"task": task.name, "host": host.name, "event": event, "result": result}
        if requests:
            line["log"] = self._control("GET", "/log")
        with open(self._plan["events"], "a", encoding="utf-8") as file:
            file.write(json.dumps(line, default=repr) + "\n")

    def v2_runner_on_ok(self, result):
        self._record("ok", result)

    def v2_runner_on_failed(self, result, ignore_errors=False):
        self._record("failed", result)

    def v2_runner_on_skipped(self, result):
        self._record("skipped", result)

    def v2_runner_on_unreachable(self, result):
        self._record("unreachable", result)

    def v2_runner_retry(self, result):
        self._record("retry", result, requests=False)

    def v2_runner_item_on_ok(self, result):
        self._record("item ok", result, requests=False)

    def v2_runner_item_on_failed(self, result):
        self._record("item failed", result, requests=False)

    def v2_on_file_diff(self, result):
        self._record("diff", result, requests=False)
