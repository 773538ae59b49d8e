# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The words of gate.json: outcomes, verdicts, and the states of findings, coverage and baselines. Pure."""

from __future__ import annotations

from collections.abc import Iterable

# what a gate.json calls itself
SCHEMA = "scanops.scanner/gate"
VERSION = 1

SERVICE_ERROR = "service_error"
MISCONFIGURED = "misconfigured"
BLIND = "blind"
# another build than the one to judge may have been scanned
MOVED = "moved"
UNKNOWN_STATE = "unknown_state"
NOTHING_SCANNED = "nothing_scanned"
SCAN_FAILED = "scan_failed"
QUEUE_TIMEOUT = "queue_timeout"
RUN_TIMEOUT = "run_timeout"
NOT_COVERED = "not_covered"
INCOMPLETE = "incomplete"
STALE_BASELINE = "stale_baseline"
FINDINGS = "findings"
PASSED = "passed"
# worst first
OUTCOMES = (
    SERVICE_ERROR,
    MISCONFIGURED,
    BLIND,
    MOVED,
    UNKNOWN_STATE,
    NOTHING_SCANNED,
    SCAN_FAILED,
    QUEUE_TIMEOUT,
    RUN_TIMEOUT,
    NOT_COVERED,
    INCOMPLETE,
    STALE_BASELINE,
    FINDINGS,
    PASSED,
)

FAIL = "fail"
WARN = "warn"
# an action of a rule, no password
PASS = "pass"  # nosec B105
# worst first
VERDICTS = (FAIL, WARN, PASS)

# states of a row, in the order of rows
FAILING = "failing"
WAIVED = "waived"
KNOWN = "known"
BELOW = "below"
STATES = (FAILING, WAIVED, KNOWN, BELOW)

# how a finding compares with the baseline; None without a baseline. KNOWN is one of them
NEW = "new"
REOPENED = "reopened"
WORSE = "worse"
CHANGES = (NEW, KNOWN, REOPENED, WORSE)

# whether all of what was asked for is known to be scanned and read
COVERED = "complete"
PARTIAL = "partial"
UNPROVEN = "unknown"

# states of a baseline
NO_BASELINE = "none"
READ = "read"
CREATED = "created"
UPDATED = "updated"
MISSING = "missing"
STALE = "stale"
BASELINE_STATES = (NO_BASELINE, READ, CREATED, UPDATED, MISSING, STALE)

# why a finding is waived
WAIVER_STATUSES = ("accepted", "false_positive", "fixed_elsewhere", "not_affected")
# what the option policy.fail_on calls no severity
NONE = "none"


def worst_outcome(outcomes: Iterable[str]) -> str:
    """The worst of the outcomes, PASSED without any."""
    return min(outcomes, key=OUTCOMES.index, default=PASSED)


def worst_verdict(verdicts: Iterable[str]) -> str:
    """The worst of the verdicts, PASS without any."""
    return min(verdicts, key=VERDICTS.index, default=PASS)
