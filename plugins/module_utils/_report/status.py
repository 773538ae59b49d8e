# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What the status of a report says about its file. Pure."""

from __future__ import annotations

# the statuses of a report are not public, so these are the words that scans and other services use
NOT_YET = ("waiting", "running", "pending", "queued", "in progress", "processing", "generating", "created", "new")
FAILED = ("failed", "error", "aborted", "failed to start", "cancelled", "canceled", "timed out")
READY = ("finished", "ready", "done", "completed", "complete", "generated", "available", "success")


def readiness(status: object) -> bool | str | None:
    """What the status of a report says about its file: False, it does not exist yet; None, it may exist; or "failed"."""
    word = _word(status)
    if word in FAILED:
        return "failed"
    return False if word in NOT_YET else None


def is_known(status: object) -> bool:
    """Whether the status of a report is missing, or one of the known words."""
    return status is None or _word(status) in (*NOT_YET, *FAILED, *READY)


def _word(status: object) -> str:
    return str(status).strip().lower().replace("_", " ")
