# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What the status of a report says about its file. Pure."""

from __future__ import annotations

from enum import Enum

# the statuses of a report are not public, so these are the words that scans and other services use
NOT_YET = ("waiting", "running", "pending", "queued", "in progress", "processing", "generating", "created", "new")
FAILED = ("failed", "error", "aborted", "failed to start", "cancelled", "canceled", "timed out")
READY = ("finished", "ready", "done", "completed", "complete", "generated", "available", "success")


class Readiness(Enum):
    """Whether the file of a report can be downloaded."""

    NOT_YET = "the file does not exist yet"
    MAYBE = "the file may exist; a download shows it"
    NEVER = "the report failed"


def readiness(status: object) -> Readiness:
    """What the status of a report says about its file."""
    word = _word(status)
    if word in FAILED:
        return Readiness.NEVER
    return Readiness.NOT_YET if word in NOT_YET else Readiness.MAYBE


def is_known(status: object) -> bool:
    """Whether the status of a report is missing, or one of the known words."""
    return status is None or _word(status) in (*NOT_YET, *FAILED, *READY)


def _word(status: object) -> str:
    return str(status).strip().lower().replace("_", " ")
