# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What a scan could see: whether it ran all that it planned, and whether it tested as much as another one. Pure.

Gates, coverage, max_age, inventories and proofs ask here. A finding that a scan does not have is gone only if the scan could
see everything, and its parameters are not narrower than those of the scan that found it.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from .._model.errors import printable
from .._model.families import FINISHED, outcome_of_status
from .._model.records import Record, number_in

# the parameters that say how thoroughly a tool tests, from the least on; any other value is compared as it is
_LEVELS = ("light", "deep")
_LEVEL_OPTIONS = ("scan_type", "preset")
# the parameters that list what a tool tests. Without one, it tests everything of the kind (the service's published client)
_LISTS = ("attack_active", "attack_passive", "discovery", "scanning_engines")
# the other fields of a record that decide what a scan reaches
_FIELDS = ("vpn_profile_uuid", "vpn_scan", "redirect_level", "scan_original_url")
_LONGEST_WORDS = 200
_ALL = 100


def finished(scan: Record) -> bool:
    """Whether the status of a scan is that of one that has finished."""
    return outcome_of_status(str(scan.get("status_name") or "").strip().lower()) == FINISHED


def could_see(scan: Record) -> bool:
    """Whether a scan has finished and ran everything that it planned."""
    return finished(scan) and not why_incomplete(scan)


def why_incomplete(scan: Record) -> str:
    """Why a finished scan may not have seen everything, a sentence; "" if it could."""
    planned, ran = number_in(scan.get("num_tests")), number_in(scan.get("num_finished_tests"))
    progress = _percent(scan.get("progress"))
    name = f"Scan {scan['id']}"
    if planned is None or ran is None:
        why = f"{name} does not say how many of its tests it finished"
    elif planned == 0:
        why = f"{name} has no tests"
    elif ran < planned:
        why = f"{name} finished only {ran} of its {planned} tests"
    elif progress is not None and math.isnan(progress):
        why = f"{name} does not say how much of its work it finished"
    elif progress is not None and progress < _ALL:
        why = f"{name} finished {progress:g} % of its work only"
    else:
        return ""
    words = words_of(scan, True)
    return f"{why} (it says {words!r})." if words else f"{why}."


def words_of(scan: Record, summary: bool = False) -> str:
    """What a scan says about itself, such as that it did not reach the target. summary: include the text of its result."""
    result = scan.get("result_summary")
    texts = [scan.get("status_message"), result.get("text") if summary and isinstance(result, dict) else None]
    return "; ".join(
        printable(text.strip(), _LONGEST_WORDS) for text in texts if isinstance(text, str) and text.strip()
    )


def _percent(value: object) -> float | None:
    """How much of its work a scan says it has done; not a number for what cannot be read, None for nothing."""
    if value is None:
        return None
    try:
        return float(value.strip().rstrip("%") if isinstance(value, str) else value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return math.nan


# --- how much it tested


class Reach(NamedTuple):
    """What the parameters of a scan let it see, without their secrets."""

    # such as light or deep, None if the parameters do not say
    level: str | None
    # what it tests, by the parameter that lists it
    checks: Mapping[str, tuple[str, ...]]
    tests: int | None
    # of all other parameters
    digest: str

    def __str__(self) -> str:
        return printable(self.level, 40) if self.level else "other parameters"


def reach_of(scan: Record) -> Reach | None:
    """The Reach in the record of a scan; None if it does not show its parameters, as rows of lists do not."""
    given = scan.get("tool_params")
    # an empty object may be written as an empty list
    params = {} if given == [] else given
    if not isinstance(params, dict):
        return None
    levels = [name for name in _LEVEL_OPTIONS if isinstance(params.get(name), str)]
    level = params[levels[0]] if levels else None
    lists = {name: tuple(sorted(map(str, params[name]))) for name in _LISTS if isinstance(params.get(name), list)}
    known = {*lists, *levels[:1]}
    rest = {name: value for name, value in params.items() if name not in known}
    if level is not None and levels[0] != _LEVEL_OPTIONS[0]:
        # the levels of two parameters are not those of one
        rest[levels[0]] = True
    theirs = rest.get("authentication")
    if theirs:
        # a login is compared by its type only, so that the digest holds no secret
        rest["authentication"] = theirs.get("type") if isinstance(theirs, dict) else True
    other: dict[str, Any] = {"tool_params": rest, **{name: scan.get(name) or None for name in _FIELDS}}
    text = json.dumps(other, sort_keys=True, default=str)
    digest = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]
    return Reach(level and level.strip().lower(), lists, number_in(scan.get("num_tests")), digest)


def why_narrower(after: Reach | None, before: Reach | None) -> str:
    """Why a scan may see less than another one, a clause about the first; "" if it does not."""
    if after is None or before is None:
        return "the parameters of one of the scans are unknown"
    levels = [each.level for each in (before, after)]
    if levels[0] != levels[1] and not (
        levels[0] in _LEVELS and levels[1] in _LEVELS and _LEVELS.index(levels[0]) < _LEVELS.index(levels[1])
    ):
        return f"it is {levels[1] or 'of no level'}, and the other one is {levels[0] or 'of no level'}"
    for name in _LISTS:
        less = after.checks.get(name)
        more = before.checks.get(name)
        # an empty list may mean none, or all
        if less is not None and less != more and not (more and set(more) <= set(less)):
            return f"its {name} tests less"
    if after.digest != before.digest:
        return "its parameters are others"
    if after.tests is not None and before.tests is not None and after.tests < before.tests:
        return f"it has {after.tests} tests, and the other one had {before.tests}"
    return ""
