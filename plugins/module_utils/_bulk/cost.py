# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What a plan costs: its calls, and how long the rate limits make them wait. Pure."""

from __future__ import annotations

from collections import Counter

from .._resources import TARGET

# calls a minute for each user (service-api.md, Limits; the one of PUT is assumed to be that of POST)
CALLS_A_MINUTE = {"GET": 250, "POST": 125, "PUT": 125, "DELETE": 125}


def list_of(step):
    """The list that shows what a step creates, (resource name, workspace name or None). Labels of HTTP loggers are unique
    in an account, so one list shows them all."""
    return step.resource, step.workspace if step.resource == TARGET.name else None


def calls_of(steps, reads, sizes=None):
    """{method: calls} that the plan costs in all. reads: the GET calls that were needed to make it; sizes: {workspace name:
    the targets in it now}."""
    calls = dict(GET=reads, POST=0, PUT=0, DELETE=0)
    read_again = Counter({list_of(step): 0 for step in steps if step.action == "create" or step.recreates})
    for step in steps:
        if list_of(step) in read_again:
            read_again[list_of(step)] += (step.action == "create") - (step.action == "delete")
        if step.action == "create" or step.recreates:
            calls["POST"] += 1
        elif step.action == "update":
            calls["PUT"] += 1
        if step.action == "delete" or step.recreates:
            calls["DELETE"] += 1
    for (resource, workspace), more in read_again.items():
        rows = (sizes or {}).get(workspace, 0) + more
        # a list that is cut into pages ends with an empty one
        calls["GET"] += -(-rows // max(TARGET.page_sizes)) + 1 if resource == TARGET.name else 1
    return calls


def minutes_of(calls):
    """How many minutes the documented rate limits make a run of these calls wait at least: int, 0 for a run that fits."""
    writes = calls["POST"] + calls["PUT"] + calls["DELETE"]
    windows = max(-(-writes // CALLS_A_MINUTE["POST"]), -(-calls["GET"] // CALLS_A_MINUTE["GET"]))
    return max(0, windows - 1)
