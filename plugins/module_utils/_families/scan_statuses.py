# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The statuses of a scan, the outcomes that a task returns, and what to do about each. Pure."""

from __future__ import annotations

from typing import NamedTuple

# assumed: the statuses in which a scan has not ended yet
IN_PROGRESS = ("waiting", "running")

FINISHED = "finished"
FAILED_TO_START = "failed_to_start"
TIMED_OUT = "timed_out"
UNKNOWN_STATE = "unknown_state"
QUEUE_TIMEOUT = "queue_timeout"
RUN_TIMEOUT = "run_timeout"
DELETED = "deleted"


class _Ending(NamedTuple):
    """How a scan, or the wait for it, can end.

    outcome: the word in results; status: the service's word, "" if the task itself decides; next_step: what to do after a
    failed task, a clause.
    """

    outcome: str
    status: str
    next_step: str


# assumed: the final statuses. The service may add new ones, whose outcome is UNKNOWN_STATE
_ENDINGS = (
    _Ending(FINISHED, "finished", ""),
    _Ending(
        FAILED_TO_START,
        "failed to start",
        "check that the target can be reached and that the plan includes this tool",
    ),
    _Ending("stopped", "stopped", "somebody or something stopped it; run the task again"),
    _Ending(TIMED_OUT, "timed out", "raise max_scan_time, or make the scan smaller with tool_params"),
    _Ending("aborted", "aborted", "check it in the web application, and run the task again"),
    _Ending("vpn_error", "VPN connection error", "check the VPN profile"),
    _Ending("auth_failed", "auth failed", "check authentication"),
    _Ending("connection_error", "connection error", "check that the service can reach the target"),
    _Ending(
        UNKNOWN_STATE, "", "check it in the web application; this version of the collection does not know the status"
    ),
    _Ending(QUEUE_TIMEOUT, "", "it goes on; raise queue_timeout, or set on_timeout to stop"),
    _Ending(RUN_TIMEOUT, "", "it goes on; raise run_timeout, or set on_timeout to stop"),
    _Ending(DELETED, "", "somebody deleted it during the wait; run the task again"),
)

# the statuses as the service spells them (its public documentation)
SCAN_STATUSES = (*IN_PROGRESS, *(ending.status for ending in _ENDINGS if ending.status))
OUTCOMES = tuple(ending.outcome for ending in _ENDINGS)
# for every outcome but FINISHED
NEXT_STEP = {ending.outcome: ending.next_step for ending in _ENDINGS if ending.next_step}

_OUTCOME_OF = {ending.status.lower(): ending.outcome for ending in _ENDINGS if ending.status}


def outcome_of_status(status: str) -> str | None:
    """The outcome of a scan with this status in lower case, None while it is in progress."""
    return None if status in IN_PROGRESS else _OUTCOME_OF.get(status, UNKNOWN_STATE)
