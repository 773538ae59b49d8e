# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What this package asks of ``_evidence``, which it does not import: to save findings before they are deleted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from .._model.records import Record
from .._task.task import Task


class Saver(Protocol):
    """Saves the findings of targets."""

    def save(self, workspace_id: int, target: Record) -> str:
        """The path of a new file with the findings of a target. Raises Refused where these are not known to be all."""

    def save_all(self, workspace_id: int) -> None:
        """Save the findings of each target of a workspace. Raises Refused, also where one is added meanwhile."""


# for a directory
Saving = Callable[[Task, str], Saver]
