# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The variables of the role scan_gate: what is wrong with them, what differs between hosts, and their names in messages."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..module_utils._gate.formats.attestation import NAME as ATTESTATION
from ..module_utils._gate.formats.attestation import subjects_of
from ..module_utils._gate.formats.registry import FORMATS
from ..module_utils._model.errors import WrongOption
from ..module_utils._model.outcomes import MISCONFIGURED
from ._gate_runs import is_refusal
from ._role_action import Result

PREFIX = "scan_gate_"
# where an option has another default than the module
DEFAULTS: Mapping[str, Any] = {
    "tools": ["Website Scanner"],
    "artifacts": "scan_gate",
    "formats": ["json", "markdown", "html"],
    "poll_interval": 30,
    "stop_on_interrupt": True,
}
# the variables without which nothing can be judged
_NEEDED = ("targets", "tools", "formats", "artifacts")
# options of modules that have another name in the role
_RENAMED = {"tool": "tools", "workspaces[0].targets": "targets", "workspaces[0].name": "workspace"}
_BEGINNING = re.compile(r"^(value of |argument '?)?(?:expect\.)?(workspaces\[0\]\.(?:name|targets)|[a-z_]+)")


def classified(result: Mapping[str, Any], options: Iterable[str]) -> Result:
    """The result of a task, with the outcome of one that refused its options before any call, and the name of the variable."""
    bare = {name: each for name, each in result.items() if name != "outcome" or each != MISCONFIGURED}
    if not is_refusal(bare):
        return dict(result)
    return {**result, "outcome": MISCONFIGURED, "msg": named(result["msg"], options)}


def listed(value: Any) -> Any:
    """A list of names; one name is a list of one, as everywhere in ansible-core."""
    return [value] if isinstance(value, str) and value else value


def mistake_in(settings: Mapping[str, Any]) -> str | None:
    """Why nothing can be judged with these variables, by their names without the prefix, a sentence; or None."""
    empty = [f"{PREFIX}{name}" for name in _NEEDED if not settings.get(name)]
    if empty:
        one = len(empty) == 1
        names = " and ".join(empty)
        return f"{names} {'is' if one else 'are'} empty, so nothing would be judged: set {'it' if one else 'them'}."
    tools = [str(tool) for tool in listed(settings["tools"])]
    params = settings.get("tool_params")
    unused = [str(name) for name in params if str(name) not in tools] if isinstance(params, Mapping) else []
    if unused:
        return (
            f"{PREFIX}tool_params has the key {unused[0]!r}, which is not in {PREFIX}tools: write the name of the tool as"
            f" in {PREFIX}tools."
        )
    return None


def usable_formats(formats: Any, wrong: str = "") -> list[str]:
    """The formats that can be written although another variable, or one of them, is wrong. wrong: why."""
    given = listed(formats)
    known = [each for each in given if each in FORMATS] if isinstance(given, list) else []
    # without requests, the gate runs in another Python, which may lack the library of a format
    usable = ([each for each in some if f"formats has {each}," not in wrong] for some in (known, DEFAULTS["formats"]))
    return next(filter(None, usable), [])


def attested(formats: Sequence[str], subjects: Any) -> Result:
    """The options of an attestation that can be written although another variable is wrong: one that says failed."""
    try:
        return {"subjects": subjects_of(subjects, True)} if ATTESTATION in formats else {}
    except WrongOption:
        others = [each for each in formats if each != ATTESTATION]
        return {"formats": others or DEFAULTS["formats"]}


def digests(values: Mapping[str, Any]) -> dict[str, str]:
    """A short text for the value of each variable, equal for equal values."""
    return {
        name: hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:16]
        for name, value in values.items()
    }


def differing(entered: Iterable[Mapping[str, Any]]) -> str | None:
    """Why one decision cannot hold for all hosts, a sentence, or None. entered: what each of them noted."""
    hosts = list(entered)
    others = [each for each in hosts if each["settings"] != hosts[0]["settings"]]
    if not others:
        return None
    first = hosts[0]["settings"]
    names = sorted({name for each in others for name, digest in each["settings"].items() if digest != first[name]})
    other = others[0]
    return (
        f"{' and '.join(names)} {'differs' if len(names) == 1 else 'differ'} between the hosts {hosts[0]['host']} and"
        f" {other['host']}, and the gate judges once for all hosts of the play: give all hosts the same values, or run the"
        " role in a play for each of them."
    )


def named(msg: str, options: Iterable[str]) -> str:
    """A message of a module that begins with one of its options, with the variable of the role instead."""
    msg = re.sub(rf" found in (?!{PREFIX})([a-z_]+)$", rf" found in {PREFIX}\1", msg)
    found = _BEGINNING.match(msg)
    if not found:
        return msg
    variable = f"{PREFIX}{_RENAMED.get(found[2], found[2])}"
    rest = msg.removeprefix(found[0])
    return f"{found[1] or ''}{variable}{rest}" if variable in options else msg
