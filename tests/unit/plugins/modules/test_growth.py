# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Four times the objects need about four times the work, in every task that has many. The work is the number of calls that our
own files make, so no clock is needed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from ansible_collections.scanops.scanner.plugins import module_utils

OWN = str(Path(str(module_utils.__path__[0])).parent)
SMALL, TIMES = 60, 4
# n log n, and what a task needs for itself; a search through all for each would make it 16
MOST = 5
WEB = 170
PASSING = {"fail_on": "critical"}


def names(count):
    return [f"host-{number:04}.example" for number in range(count)]


def account(count):
    """A workspace with so many targets, each with a scan and a finding, and so many loggers."""
    summary = {"text": "", "high": 1, "critical": 0, "medium": 0, "low": 0, "info": 0}
    return {
        "workspaces": [{"id": 2, "name": "Shop"}],
        "targets": [{"id": 1000 + number, "name": name, "workspace_id": 2} for number, name in enumerate(names(count))],
        "scans": [
            {"id": 40000 + number, "target_id": 1000 + number, "tool_id": WEB, "result_summary": summary}
            for number in range(count)
        ],
        "findings": [
            {"id": 90000 + number, "task_id": 40000 + number, "target_id": 1000 + number, "risk_level": 3}
            | {"name": f"Weakness {number}", "vuln_id": f"WEB-{number}"}
            for number in range(count)
        ],
        "http_loggers": [
            {"id": 5000 + number, "label": f"log-{number:04}", "workspace_id": 2} for number in range(count)
        ],
    }


def spelled(count):
    """The same targets in another form."""
    return [f"{name.upper()}." for name in names(count)]


def labels(count):
    return [{"label": f"log-{number:04}"} for number in range(count)]


def purge(count):
    return dict(purge=True, purge_max=count, purge_max_percent=100)


TASKS = {
    "unchanged targets": lambda n: ("targets", dict(workspace="Shop", targets=names(n))),
    "targets in another form": lambda n: ("targets", dict(workspace="Shop", targets=spelled(n))),
    "protected targets": lambda n: (
        "targets",
        dict(workspace="Shop", targets=[{"name": name, "protect": True} for name in names(n)]),
    ),
    "new targets": lambda n: ("targets", dict(workspace="Shop", targets=[f"new-{name}" for name in names(n)])),
    "a purge": lambda n: ("targets", dict(workspace="Shop", targets=names(1), **purge(n))),
    "ignored targets": lambda n: (
        "targets",
        dict(workspace="Shop", targets=[{"name": name, "ignore": True} for name in names(n)], **purge(n)),
    ),
    "lines without protection": lambda n: (
        "targets",
        dict(workspace="Shop", targets=names(1), unprotect=names(n), **purge(n)),
    ),
    "an estate": lambda n: (
        "estate",
        dict(workspaces=[{"name": "Shop", "targets": names(n), "http_loggers": labels(n)}]),
    ),
    "new workspaces": lambda n: ("estate", dict(workspaces=[{"name": f"New {name}"} for name in names(n)])),
    "an export": lambda n: ("estate_info", dict(workspaces=["Shop"])),
    "targets to read": lambda n: ("target_info", dict(workspace="Shop")),
    "coverage": lambda n: ("coverage_info", dict(workspace="Shop", tools=["Website Scanner"])),
    "coverage of declared targets": lambda n: (
        "coverage_info",
        dict(workspace="Shop", tools=["Website Scanner"], targets=spelled(n)),
    ),
    "findings": lambda n: ("finding_info", dict(workspace="Shop")),
    "a gate": lambda n: ("gate", dict(workspace="Shop", tools=["Website Scanner"], policy=PASSING)),
    "a gate of declared targets": lambda n: (
        "gate",
        dict(workspace="Shop", targets=spelled(n), tools=["Website Scanner"], policy=PASSING),
    ),
    "scans that are recent": lambda n: (
        "scan",
        dict(workspace="Shop", targets=names(n), tool="Website Scanner", max_age="365d"),
    ),
}


@pytest.mark.parametrize("task", TASKS)
def test_the_work_grows_as_the_number_of_objects(service, run, task):
    work = []
    for count in (SMALL, SMALL * TIMES):
        service.reset(settings={"rate_limits": None, "validate": True}, state=account(count))
        module, options = TASKS[task](count)
        calls = 0

        def counted(frame, event, _called):
            nonlocal calls
            calls += event in ("call", "c_call") and frame.f_code.co_filename.startswith(OWN)

        sys.setprofile(counted)
        try:
            result = run(module, check=True, diff=False, verbosity=0, **options)
        finally:
            sys.setprofile(None)
        assert not result.failed, result.msg
        work.append(calls)
    assert work[1] <= MOST * work[0], work
