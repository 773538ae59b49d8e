# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where the work of a task runs: in the worker process of ansible-core, or in a module."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

from ansible import constants
from ansible.module_utils.parsing.convert_bool import boolean

from ..module_utils._http.connection import missing_requests
from ..module_utils._task.connection_options import CONNECTION_OPTIONS, VARIABLES
from . import _core

# what the work of a module reads of its environment; NETRC is accepted because requests knows it, and never used
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy")
_VARIABLES = (*_PROXIES, "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NETRC", "HOME")
_PREFIX = "SCANNER_"


def why_as_module(action: Any, task_vars: Mapping[str, Any], environment: Mapping[str, str]) -> str | None:
    """Why a task must run as a module, in a few words; None if it can run in process.

    action: its action plugin; environment: ``environment`` of the task, as the shell would set it.
    """
    wanted, variable = action._task.args.get("in_process"), VARIABLES["in_process"]
    if wanted is None:
        wanted = environment.get(variable, os.environ.get(variable)) or None
    if wanted is None:
        wanted = CONNECTION_OPTIONS["in_process"]["default"]
    transport = action._connection.transport
    interpreter = _interpreter(action, task_vars)
    foreign = sorted(name for name in environment if not (name in _VARIABLES or name.startswith(_PREFIX)))
    missing, unknown = missing_requests(), _core.unknown()
    traces = getattr(constants, "DISPLAY_TRACEBACK", None) or ["never"]
    reasons = {
        # the module refuses a value that is no boolean
        "in_process is not true": not boolean(str(wanted), strict=False),
        f"the connection is {transport}, not local": transport != "local",
        "become is set": action._connection.become is not None,
        "async is set": action._task.async_val,
        f"ansible_python_interpreter is {interpreter}, not the interpreter of ansible-core": not _is_own(interpreter),
        f"environment sets {', '.join(foreign)}": foreign,
        f"the Python of ansible-core lacks {missing}": missing,
        "the task writes a file": action.declared.writes_file(action._task.args),
        # with these, ansible-core shows how a module runs
        "ANSIBLE_KEEP_REMOTE_FILES is set": constants.DEFAULT_KEEP_REMOTE_FILES,
        "ANSIBLE_DISPLAY_TRACEBACK is set": traces != ["never"],
        f"this ansible-core has no {unknown}": unknown,
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def for_module(action: Any, task_vars: Mapping[str, Any]) -> dict[str, Any]:
    """The variables with which a module runs on the controller, where no interpreter is set: in the Python of tasks in process,
    because the one that ansible-core finds may lack requests. Another user may not be able to read it."""
    found = _interpreter(action, task_vars)
    is_set = found and not found.startswith("auto")
    if is_set or action._connection.transport != "local" or action._connection.become is not None or missing_requests():
        return dict(task_vars)
    own, host = {"ansible_python_interpreter": sys.executable}, action._task.delegate_to
    if not host:
        return {**task_vars, **own}
    delegated = task_vars.get("ansible_delegated_vars", {})
    return {**task_vars, "ansible_delegated_vars": {**delegated, host: {**delegated.get(host, {}), **own}}}


def _interpreter(action: Any, task_vars: Mapping[str, Any]) -> str:
    """The interpreter for modules on the host of the task, "" if none is set."""
    if action._task.delegate_to:
        task_vars = task_vars.get("ansible_delegated_vars", {}).get(action._task.delegate_to, {})
    found = constants.config.get_config_value("INTERPRETER_PYTHON", variables=task_vars)
    return str(action._templar.template(found) or "").strip()


def _is_own(interpreter: str) -> bool:
    """Whether an interpreter is that of this process: none is set, or the same program in the same environment of Python."""
    if not interpreter or interpreter.startswith("auto"):
        return True
    directory, name = os.path.split(interpreter)
    own_directory, own_name = os.path.split(sys.executable)
    if not directory or os.path.realpath(directory) != os.path.realpath(own_directory):
        return False
    return name == own_name or os.path.realpath(interpreter) == os.path.realpath(sys.executable)
