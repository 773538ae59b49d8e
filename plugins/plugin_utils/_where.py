# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where the work of a task runs: in the worker process of ansible-core, or in a module. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

# what the work of a module reads of its environment; NETRC is accepted because requests knows it, and never used
VARIABLES = frozenset(
    {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"}
    | {"REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NETRC", "HOME"}
)
PREFIX = "SCANNER_"


class Facts(NamedTuple):
    """What decides about a task.

    wanted: the option in_process, None if it is no boolean; transport: the connection plugin; interpreter: the one that
    is set for the host, with its templates resolved; own_interpreter: whether it is the one of this process; variables:
    the names in ``environment``; missing: a Python library that is missing here; writes_file: whether the task writes a
    file; relative: an option or variable with a relative path, which a module resolves in another directory; examined:
    whether ansible-core is asked to show how its modules run; unknown: what this release of ansible-core lacks.
    """

    wanted: bool | None = True
    transport: str = "local"
    become: bool = False
    in_background: bool = False
    interpreter: str = ""
    own_interpreter: bool = False
    variables: Iterable[str] = ()
    missing: str | None = None
    writes_file: bool = False
    relative: str | None = None
    examined: str | None = None
    unknown: str | None = None


def why_as_module(facts: Facts) -> str | None:
    """Why a task must run as a module, in a few words; None if it can run in process."""
    if facts.wanted is None:
        return "in_process is not a boolean"
    if not facts.wanted:
        return "in_process is false"
    if facts.transport != "local":
        return f"the connection is {facts.transport}, not local"
    if facts.become:
        return "become is set"
    if facts.in_background:
        return "async is set"
    if not (facts.own_interpreter or not facts.interpreter or facts.interpreter.startswith("auto")):
        return f"ansible_python_interpreter is {facts.interpreter}, not the interpreter of ansible-core"
    foreign = sorted(name for name in facts.variables if not is_read(name))
    if foreign:
        return f"environment sets {', '.join(foreign)}"
    if facts.missing:
        return f"the Python of ansible-core lacks {facts.missing}"
    if facts.writes_file:
        return "the task writes a file"
    if facts.relative:
        return f"{facts.relative} is a relative path"
    if facts.examined:
        return f"{facts.examined} is set"
    return f"this ansible-core has no {facts.unknown}" if facts.unknown else None


def is_read(variable: str) -> bool:
    """Whether the work of a module reads this environment variable."""
    return variable in VARIABLES or variable.startswith(PREFIX)
