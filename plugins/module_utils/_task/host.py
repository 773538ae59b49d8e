# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What runs a task. Nothing here speaks with the service."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from .._model.interrupts import Stop

# shows a warning with the result of a task
Warn = Callable[[str], object]


class Checks(Protocol):
    """What may warn instead of failing, because check mode writes nothing."""

    @property
    def check_mode(self) -> bool:
        """Whether nothing may be written."""

    def warn(self, sentence: str, /) -> None:
        """Show a warning with the result of the task."""


class Host(Protocol):
    """What runs a task."""

    @property
    def params(self) -> dict[str, Any]:
        """The options, validated and converted."""

    @property
    def check_mode(self) -> bool:
        """Whether nothing may be written."""

    @property
    def diff_mode(self) -> bool:
        """Whether the result has a diff."""

    @property
    def stop(self) -> Stop:
        """Whether the task is interrupted."""

    def warn(self, warning: str) -> None:
        """Show a warning with the result of the task."""

    def show(self, text: str) -> None:
        """Show a line while the task runs, where somebody can see it."""


def assumption(what: str) -> str:
    """The warning that check mode assumes that an earlier task creates something."""
    return f"{what} does not exist yet; check mode assumes that an earlier task creates it."
