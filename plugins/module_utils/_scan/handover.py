# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What the action plugin and the short runs of the module say to each other during a wait. Pure.

The plugin sends a Step. The module answers with a Handover while the wait goes on, with Fates after a stop, else with its
result. It seals each Handover with a MAC under the API key and accepts nothing back that is not sealed for the same task: a
playbook cannot forge one, and whoever has the key need not.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from .._errors import WrongOption
from .._records import Record
from .watch import Watch

# the argument of the module that takes a Step; it is not an option, and a task that sets it is refused
ARGUMENT = "_step"

_PURPOSE = "scanops.scanner.scan"
# options that the plugin shortens when an interrupted task stops its scans
_UNSEALED = ("timeout", "retries", "rate_limit_wait")


@dataclass(frozen=True)
class Step:
    """What one short run of the module does.

    now: the time of the wait, in seconds; watch, seal: from the Handover of the run before, None for the first run;
    stop: stop the scans that this task has started, and nothing else.
    """

    now: float
    watch: Watch | None = None
    seal: str | None = None
    stop: bool = False

    def to_json(self) -> dict[str, Any]:
        return dict(now=self.now, watch=self.watch and self.watch.to_json(), seal=self.seal, stop=self.stop)

    @classmethod
    def from_json(cls, value: object, key: str, options: Mapping[str, Any]) -> Step:
        """Raises WrongOption unless this module sealed the value under this key for these options."""
        if not isinstance(value, dict) or set(value) != {"now", "watch", "stop", "seal"}:
            raise _forged()
        now, watch, stop, seal = value["now"], value["watch"], value["stop"], value["seal"]
        if not isinstance(now, (int, float)) or isinstance(now, bool) or not math.isfinite(now) or now < 0:
            raise _forged()
        if watch is None:
            if stop is not False or seal is not None:
                raise _forged()
            return cls(now)
        if not isinstance(stop, bool) or not isinstance(seal, str):
            raise _forged()
        if not hmac.compare_digest(_seal_of(watch, key, options).encode(), seal.encode("utf-8", "replace")):
            raise _forged()
        try:
            return cls(now, Watch.from_json(watch), seal, stop)
        except ValueError:
            raise _forged() from None


@dataclass(frozen=True)
class Handover:
    """What a run of the module leaves to the next one. pause: seconds until then."""

    watch: Watch
    seal: str
    pause: float

    @classmethod
    def sealed(cls, watch: Watch, pause: float, key: str, options: Mapping[str, Any]) -> Handover:
        return cls(watch, _seal_of(watch.to_json(), key, options), pause)

    def to_result(self) -> Record:
        """The result of the module."""
        return dict(changed=False, watch=self.watch.to_json(), seal=self.seal, pause=self.pause)

    @classmethod
    def from_result(cls, result: Mapping[str, Any]) -> Handover | None:
        """None if this is the last result of the wait."""
        if "watch" not in result:
            return None
        return cls(Watch.from_json(result["watch"]), result["seal"], result["pause"])


class Fate(NamedTuple):
    """What became of a scan that was to be stopped: "stopped", "has ended", "goes on" or "may go on", and why."""

    id: int
    fate: str
    why: str | None = None


def result_of_stop(fates: Iterable[Fate]) -> Record:
    """The result of the module after a Step that stops."""
    stopped = [each.id for each in fates if each.fate == "stopped"]
    return dict(changed=bool(stopped), stopped=stopped, fates=[each._asdict() for each in fates])


def fates_in(result: Mapping[str, Any]) -> list[Fate] | None:
    """The Fates in such a result, None if the module has failed."""
    return [Fate(**each) for each in result["fates"]] if "fates" in result else None


def _seal_of(watch: object, key: str, options: Mapping[str, Any]) -> str:
    context = {name: value for name, value in options.items() if name not in _UNSEALED}
    # options may hold values that JSON does not have, such as dates
    text = json.dumps([_PURPOSE, watch, context], sort_keys=True, default=str)
    return hmac.new(key.encode(), text.encode(), hashlib.sha256).hexdigest()


def _forged() -> WrongOption:
    return WrongOption(f"{ARGUMENT} is not an option: remove it from the task. Nothing was done.")
