# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What the action plugin of scan hands from one short module run to the next. Pure.

The module seals what it gives away with a MAC under the API key and takes nothing back that is not sealed for the same task:
a playbook cannot make one up, and whoever has the key needs none.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._errors import Refused
from .watch import Watch

# the argument of the module, which is no option: a task that gives it is refused
ARGUMENT = "_step"

_PURPOSE = "scanops.scanner.scan"
# options that the end of an interrupted task sets for itself
_UNSEALED = ("timeout", "retries", "rate_limit_wait")


@dataclass(frozen=True)
class Step:
    """What one short run of the module does of a wait.

    now: the time of the wait, in seconds; watch: what the run before handed over, None for the first one; stop: stop what
    this task has started, and do nothing else.
    """

    now: float
    watch: Watch | None = None
    stop: bool = False

    def to_json(self, seal: str | None = None) -> dict[str, Any]:
        """The form that the module takes; seal: the one that came with the watch."""
        return dict(now=self.now, watch=self.watch and self.watch.to_json(), stop=self.stop, seal=seal)

    @classmethod
    def from_json(cls, value: object, key: str, options: Mapping[str, Any]) -> Step:
        """The step in an argument. Raises Refused where it is none, or was not sealed by this module for these options."""
        if not isinstance(value, dict) or set(value) != {"now", "watch", "stop", "seal"}:
            raise _not_ours()
        now, watch, stop, seal = value["now"], value["watch"], value["stop"], value["seal"]
        if not isinstance(now, (int, float)) or isinstance(now, bool) or not math.isfinite(now) or now < 0:
            raise _not_ours()
        if watch is None:
            if stop is not False or seal is not None:
                raise _not_ours()
            return cls(now)
        if not isinstance(stop, bool) or not isinstance(seal, str):
            raise _not_ours()
        if not hmac.compare_digest(_seal_of(watch, key, options).encode(), seal.encode("utf-8", "replace")):
            raise _not_ours()
        try:
            return cls(now, Watch.from_json(watch), stop)
        except ValueError:
            raise _not_ours() from None


def handed_over(watch: Watch, key: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The watch as a result gives it to the action plugin: ``watch`` and its ``seal``."""
    value = watch.to_json()
    return dict(watch=value, seal=_seal_of(value, key, options))


def _seal_of(watch: object, key: str, options: Mapping[str, Any]) -> str:
    context = {name: value for name, value in options.items() if name not in _UNSEALED}
    # options may hold what JSON does not know, such as dates
    text = json.dumps([_PURPOSE, watch, context], sort_keys=True, default=str)
    return hmac.new(key.encode(), text.encode(), hashlib.sha256).hexdigest()


def _not_ours() -> Refused:
    return Refused(
        f"{ARGUMENT} is not what this module handed over for this task, and nothing was done: {ARGUMENT} is no option,"
        " remove it from the task."
    )
