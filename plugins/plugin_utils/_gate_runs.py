# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The gates of this run of ansible-playbook, and whether a result is of one of them."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

from ..module_utils._model.errors import WrongOption, printable
from ..module_utils._model.outcomes import MISCONFIGURED
from ..module_utils._model.times import Clock, Moment, iso_moment, seconds_of
from ..module_utils._task.task import UNEXPECTED
from ._notes import note, noted, notes

_RUNS = "gate run"
# keys of a failed result that did not come from the module itself, or that say that a call was sent
_NOT_REFUSED = ("api_error", "scans", "module_stdout", "module_stderr", "timedout", "unreachable", "skipped", "outcome")


def is_refusal(result: Mapping[str, Any]) -> bool:
    """Whether a module refused its options before any call."""
    msg = result.get("msg")
    if not isinstance(msg, str) or result.get("changed") or any(name in result for name in _NOT_REFUSED):
        return False
    return bool(result.get("failed")) and not msg.startswith((UNEXPECTED, "MODULE FAILURE"))


def ended(result: dict[str, Any], place: Sequence[Any] = ()) -> dict[str, Any]:
    """The result of the module gate, with the outcome of one that refused its options. Its run is noted for the roles.

    place: see ``place_of``.
    """
    if isinstance(result.get("run"), str):
        files = result.get("files") or []
        directory = os.path.realpath(os.path.dirname(files[0]["path"])) if files else None
        note(_RUNS, result["run"], {"run": result["run"], "directory": directory, "place": place})
    # the module calls nothing that changes something
    refused = is_refusal({**result, "changed": False})
    return {**result, "outcome": MISCONFIGURED, "passed": False} if refused else result


def withdraw(directory: str) -> None:
    """Believe no result in this directory any more, because a later gate begins."""
    for each in notes(_RUNS):
        if each["directory"] == directory:
            note(_RUNS, each["run"], {**each, "withdrawn": True})


def refuse_other_run(
    document: object, option: str, source_run: str, max_age: object, place: Sequence[Any] = ()
) -> None:
    """Raises WrongOption unless a gate.json, or the result of a gate, is of this run of ansible-playbook, and not of another
    batch of the play at this place. With ``any`` as source_run, it may be of any run, and at most of this age."""
    content = document if isinstance(document, Mapping) else {}
    generated = content.get("generated")
    if source_run == "any":
        limit = seconds_of(max_age, f"{option}_max_age")
        moment = iso_moment(generated) if isinstance(generated, str) else None
        if moment is None:
            raise WrongOption(f"{option} does not say when it was written: give the gate.json of a gate.")
        if not Clock(time.time()).is_past(Moment(moment, True)):
            raise WrongOption(
                f"{option} is of {printable(generated, 60)}, which is in the future: check the clocks of the service and of the"
                " machine that ran the gate, and run it again."
            )
        if time.time() - moment > limit:
            raise WrongOption(
                f"{option} is too old: its gate ended at {printable(generated, 60)}, and {option}_max_age is"
                f" {printable(max_age, 60)}. Run the gate again, or raise {option}_max_age."
            )
        return
    run = content.get("run")
    found = noted(_RUNS, run) if isinstance(run, str) else None
    if found is None:
        when = f", which ended at {printable(generated, 60)}" if isinstance(generated, str) else ""
        raise WrongOption(
            f"{option} is not the result of a gate of this run of ansible-playbook, but of another one{when}: read the"
            f" messages of the gate of this run. If another job or playbook has run the gate, set {option}_run: any."
        )
    is_of_batch = found["place"][:1] != place[:1] or found["place"] == place
    if found.get("withdrawn") or not is_of_batch:
        raise WrongOption(
            f"{option} is the result of an earlier gate, and a later one could not replace it: read its messages, and give each"
            " gate a directory of its own."
        )
