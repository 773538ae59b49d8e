# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role logger_canary: an HTTP logger, the tasks that should send a request to it or not, and what arrived."""

from __future__ import annotations

import os
import secrets
import string
import time
from typing import Any

from ..module_utils._estate.canary import REQUEST, verdict, why_deaf
from ..module_utils._model.errors import Refused, WrongOption
from ._role_action import SKIPPED, Result, RoleAction

_OWN = "logger_canary__own"
_FOUND = "logger_canary__found"
_PLACE = ("workspace", "workspace_id")
_LETTERS = string.ascii_lowercase + string.digits


class CanaryAction(RoleAction):
    """The steps are for all hosts. The first one that reaches a step does its work."""

    steps = ("enter", "prepare", "own", "judge", "clean", "found", "end")
    given = ("logger_canary_url", "logger_canary_requests", _OWN, _FOUND)
    together = "each would create a logger"

    def misuse(self) -> str | None:
        if "logger_canary_url" in self.variables:
            return "logger_canary_url is the address of the logger, which the role gives to your tasks: remove it."
        return super().misuse()

    def prepare(self) -> Result:
        """Create or adopt the logger, and look at what arrived before."""
        if self.is_out() or not self.is_in_charge():
            return SKIPPED
        tasks, within, interval = self.path("tasks"), self.value("within", 60), self.value("poll_interval", 5)
        if not os.path.isfile(tasks):
            raise WrongOption(
                f"logger_canary_tasks names no file, {tasks}: correct the path. A relative one starts at the directory of the"
                " playbook."
            )
        if int(within) < 0:
            raise WrongOption(f"logger_canary_within is {within}: set it to 0 or more.")
        if int(interval) < 1:
            raise WrongOption(f"logger_canary_poll_interval is {interval}: set it to 1 or more.")
        label = self.value("label", "") or f"canary-{''.join(secrets.choice(_LETTERS) for _letter in range(16))}"
        workspace = self.values(["workspace"])
        made = self._logger({"label": label, **workspace})
        # it is removed, whatever fails after this
        self.keep("logger", {"label": label, **workspace, "is_ours": bool(made.get("changed"))})
        logger = made.get("http_logger") or {}
        if made.get("failed") or self._task.check_mode:
            return made
        if deaf := why_deaf(logger):
            raise Refused(f"Nothing can be proven: {deaf}")
        read = self.call("http_logger_data_info", {"id": logger["id"], "after": 0}, own=True)
        if read.get("failed"):
            return read
        last = max((each["id"] for each in read["requests"]), default=0)
        canary = {"id": logger["id"], "url": logger["handler_url"], "after": last, "tasks": tasks, "logger": logger}
        self.keep("canary", canary)
        return {"changed": bool(made.get("changed"))}

    def own(self) -> Result:
        """The address of the logger and the file of the tasks, for the hosts. No tasks in check mode."""
        canary = None if self.is_out() else self.kept("canary")
        return {"url": "", "tasks": ""} if canary is None else {"url": canary["url"], "tasks": canary["tasks"]}

    def judge(self) -> Result:
        """Read until a matching request has arrived, or the time is over."""
        canary = None if self.is_out() else self.kept("canary")
        if canary is None:
            return SKIPPED
        self.refuse_replaced(_OWN, self.own())
        if not self.claims("judge"):
            return {}
        label = self.kept("logger")["label"]
        # ansible-core 2.16 goes on with the other hosts
        left = self.variables["ansible_play_hosts"]
        failed = [each["host"] for each in self.entered() if each["host"] not in left]
        if failed:
            raise Refused(
                f"The tasks failed on {', '.join(failed)}, so what arrived at the logger {label} proves nothing: correct"
                " them, and run again."
            )
        found = self._arrived(canary, label)
        # its days may have ended while the tasks ran
        logger = canary["logger"] if found.get("records", True) else {**canary["logger"], "active_days": 0}
        proven = verdict(
            self.value("expect", REQUEST),
            self.value("match") or {},
            logger,
            found["requests"],
            found["undecided"],
            found["total"],
            self.value("within", 60),
        )
        self.keep("found", {"requests": found["requests"], "problem": proven.sentence if proven.failed else ""})
        return {"warnings": [proven.sentence]} if proven.sentence and not proven.failed else {}

    def _arrived(self, canary: Result, label: str) -> Result:
        """What was read first with a matching request, else what was read after the time was over."""
        options = {**(self.value("match") or {}), "id": canary["id"], "after": canary["after"]}
        until = time.monotonic() + int(self.value("within", 60))
        while True:
            # a failed read decides nothing, but the last one
            is_last = time.monotonic() >= until
            read = self.call("http_logger_data_info", options, own=True)
            if read.get("requests"):
                return read
            if is_last and read.get("failed"):
                raise Refused(
                    f"Whether a matching request arrived at the logger {label} is unknown, because its requests could not be"
                    f" read: {read.get('msg')}"
                )
            if is_last:
                return read
            time.sleep(max(0.0, min(int(self.value("poll_interval", 5)), until - time.monotonic())))

    def found(self) -> Result:
        """The matching requests, for all hosts."""
        found = None if self.is_out() else self.kept("found")
        return SKIPPED if found is None else {"requests": found["requests"]}

    def end(self) -> Result:
        """Fail unless what arrived was expected."""
        if self.is_out() or self._task.check_mode:
            return SKIPPED
        found = self.kept("found")
        problem = "Nothing was judged: run the whole role again." if found is None else found["problem"]
        return {"failed": True, "msg": problem} if problem else {}

    def clean(self) -> Result:
        """Delete the logger, if the role has created it."""
        logger: Any = None if self.is_out() else self.kept("logger")
        if logger is None or not logger.pop("is_ours") or self._task.check_mode or not self.claims("clean"):
            return SKIPPED
        return self._logger({**logger, "state": "absent"})

    def _logger(self, options: Result) -> Result:
        """The result of the module http_logger. The workspace may be that of ``module_defaults``."""
        without = ("label", "id", "state", *(_PLACE if "workspace" in options else ()))
        return self.call("http_logger", options, without=without)
