# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""How long a wait survives a service that does not answer. Pure."""

from __future__ import annotations

from typing import Any

from .._model.errors import CallError
from .._model.times import seconds_of

OUTAGE_OPTION: dict[str, Any] = dict(type="str", default="10m")


class Outage:
    """The failed reads of a wait, since the last one that succeeded."""

    def __init__(self, longest: object) -> None:
        """longest: the option outage_wait. Raises WrongOption."""
        self.longest = seconds_of(longest, "outage_wait")
        # when the first of them began; empty if the last read succeeded
        self._began: list[float] = []

    @property
    def failing(self) -> bool:
        """Whether the last read failed."""
        return bool(self._began)

    def survives(self, error: CallError, asked: float, now: float) -> bool:
        """Note that a read failed; whether the wait continues. asked, now: the times before and after it."""
        self._began = self._began or [asked]
        temporary = error.status is None or error.status == 429 or error.status >= 500
        return temporary and not error.final and self.left(now) > 0

    def left(self, now: float) -> float:
        """The seconds for which reads may go on to fail."""
        return self.longest - sum(now - began for began in self._began)

    def end(self) -> None:
        """Note that a read succeeded."""
        self._began = []
