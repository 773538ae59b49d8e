# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Several controllers at once on the same objects, and one that is killed at any of its requests.

Every run kills at a fixed sample of the requests; SCANNER_TEST_EXHAUSTIVE=1 kills at each.
"""

from __future__ import annotations

import collections
import random
import time

import pytest
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.controllers import Controllers
from ansible_collections.scanops.scanner.tests.unit.sampling import EXHAUSTIVE

pytestmark = pytest.mark.slow

SHOP = {"name": "Shop", "description": "All that customers reach"}
TARGETS = [f"host{number}.example.com" for number in range(4)]
ESTATE = {"workspaces": [{**SHOP, "targets": TARGETS, "http_loggers": [{"label": "canary"}]}]}
DECLARATIONS = [
    ("workspace", SHOP),
    ("target", {"workspace": "Shop", "name": TARGETS[0]}),
    ("targets", {"workspace": "Shop", "targets": TARGETS}),
    ("estate", ESTATE),
]
UNDECLARED = {
    "workspaces": [{"id": 20, "name": "Other"}],
    "targets": [{"id": 2001, "name": TARGETS[0], "workspace": "Other", "description": "theirs"}],
    "http_loggers": [{"id": 601, "label": "theirs", "workspace": "Other"}],
}
DRIFTED = {
    "workspaces": [*UNDECLARED["workspaces"], {"id": 21, "name": "Shop", "description": "old"}],
    "targets": [
        *UNDECLARED["targets"],
        {"id": 2002, "name": TARGETS[1], "workspace": "Shop"},
        {"id": 2003, "name": "theirs.example.com", "workspace": "Shop"},
    ],
    "http_loggers": [*UNDECLARED["http_loggers"], {"id": 602, "label": "more", "workspace": "Shop"}],
}


@pytest.fixture(scope="module")
def controllers(service_process, tmp_path_factory):
    connection = dict(base_url=service_process.base_url, api_key=service_process.api_key, timeout=20)
    with Controllers(tmp_path_factory.mktemp("controllers"), **connection) as running:
        yield running


def is_a_sentence(result):
    """A run that succeeded, or failed with one sentence and no traceback."""
    message = result.get("msg", "")
    assert "exception" not in result, result
    assert not result.get("failed") or (message and "\n" not in message and message.endswith((".", "?"))), message
    return True


def good(result):
    assert not result.get("failed"), result
    return result


def rows(service):
    """What the account holds: {(family, workspace, name): description}, and no object twice."""
    workspaces = {each["id"]: each["name"] for each in service.workspaces()}
    found = [("workspace", each["name"], "", each["description"]) for each in service.workspaces()]
    found += [
        ("target", workspaces[each["workspace_id"]], each["name"], each["description"]) for each in service.targets()
    ]
    found += [("logger", workspaces[each["workspace_id"]], each["label"], "") for each in service.http_loggers()]
    twice = [key for key, number in collections.Counter(row[:3] for row in found).items() if number > 1]
    assert twice == []
    return {row[:3]: row[3] or "" for row in found}


def claimed(result):
    """How many objects a run says to have created or updated."""
    if "results" in result:
        return sum(entry["action"] in ("create", "update") for entry in result["results"])
    return int(result.get("changed", False))


DECLARED = {
    ("workspace", "Shop", ""): SHOP["description"],
    ("logger", "Shop", "canary"): "",
    **{("target", "Shop", name): "" for name in TARGETS},
}


@pytest.mark.parametrize("state, answer", [(UNDECLARED, "created_id"), (DRIFTED, "nothing")], ids=["fresh", "drifted"])
def test_eight_controllers_at_once_make_what_is_declared_once(service, controllers, state, answer):
    service.reset(settings={"create_answer": answer, "delay": 0.02}, state=state)
    # so that all have read the account before the first of them has created anything
    service.fault(method="POST", action="delay", seconds=0.5, times=6)
    there = rows(service)
    eight = DECLARATIONS * 2
    results = controllers.at_once(*eight)
    assert [result for result in results if not is_a_sentence(result)] == []
    # what nobody declared is as it was
    expected = {**there, **DECLARED}
    assert rows(service).items() <= expected.items()
    statuses = [entry["status"] for entry in service.log() if entry["method"] != "GET"]
    assert 409 in statuses
    # what several would have made is the change of one of them
    assert sum(map(claimed, results)) == sum(status < 300 for status in statuses)
    # a controller that came before its workspace has failed; now the workspace exists
    for result in controllers.at_once(*eight):
        good(result)
    assert rows(service) == expected
    service.clear_log()
    assert [result for result in controllers.at_once(*eight) if good(result)["changed"]] == []
    assert service.writes() == []


def test_eight_controllers_at_once_delete_what_is_declared_absent_and_nothing_else(service, controllers):
    service.reset(state=DRIFTED)
    service.fault(method="DELETE", action="delay", seconds=1, times=None)
    there = rows(service)
    absent = [
        ("target", {"workspace": "Shop", "name": TARGETS[1], "state": "absent"}),
        ("targets", {"workspace": "Shop", "targets": TARGETS[:2], "state": "absent"}),
    ]
    results = controllers.at_once(*absent * 4)
    assert sum(good(result)["changed"] for result in results) == 1
    assert 404 in [entry["status"] for entry in service.log() if entry["method"] == "DELETE"]
    assert rows(service) == {key: value for key, value in there.items() if key != ("target", "Shop", TARGETS[1])}


# --- killed at any request

SCANNED = {
    "workspaces": [{"id": 2, "name": "Shop"}],
    "targets": [{"id": 1001, "name": "www.example.com", "workspace": "Shop"}],
    "scans": [{"id": 40001, "tool_id": 20, "target": "www.example.com", "workspace": "Shop", "age": 60}],
}
SCAN = {"workspace_id": 2, "target": "www.example.com", "tool": "Website Scanner", "max_age": "1h"}
REPORT = {"source": "scans", "resources": [40001], "format": "json"}


KILLED = {
    # module: the state, the options, the number of scans and of reports that the account holds at the end
    "targets": (DRIFTED, {"workspace": "Shop", "targets": TARGETS}, 0, 0),
    "estate": (DRIFTED, ESTATE, 0, 0),
    "scan": (SCANNED, SCAN, 2, 0),
    "report": (SCANNED, REPORT, 1, 1),
}


def moments(number):
    """Of the requests of a run the numbers of those at which it is killed, each with whether the work is then done."""
    every = [(nth, when) for nth in range(1, number + 1) for when in ("before", "after")]
    return every if EXHAUSTIVE else sorted(random.Random(number).sample(every, 2))


def await_fault(service):
    until = time.monotonic() + 20
    while not any(entry["fault"] for entry in service.log()):
        assert time.monotonic() < until, service.calls()
        time.sleep(0.01)


@pytest.mark.parametrize("module", KILLED)
def test_the_run_after_one_that_was_killed_makes_what_is_declared_once(service, controllers, tmp_path, module):
    state, options, scans, reports = KILLED[module]
    directories = (tmp_path / str(number) for number in range(100))

    def prepare():
        service.reset(state=state)
        directory = next(directories)
        directory.mkdir()
        return directory, {**options, "dest": str(directory / "report.json")} if module == "report" else options

    directory, given = prepare()
    good(controllers.at_once((module, given))[0])
    calls, expected, files = service.calls(), rows(service), sorted(path.name for path in directory.iterdir())
    writes = [number for number, call in enumerate(calls, 1) if not call.startswith("GET ")]
    assert writes
    always = {(writes[0], "before"), (writes[-1], "after"), (min(writes[-1] + 1, len(calls)), "before")}
    for nth, when in sorted({*moments(len(calls)), *always}):
        directory, given = prepare()
        killed = {"nth": nth, "when": when}
        service.fault(action="delay", seconds=2, **killed)
        service.fault(action="close", **killed)
        run = controllers.begin(module, given)
        await_fault(service)
        assert controllers.kill(run), "the run ended before it was killed"
        service.clear_faults()
        assert good(controllers.at_once((module, given))[0])
        where = f"killed at {calls[nth - 1]} ({nth}), {when} its work"
        assert rows(service) == expected, where
        assert (len(service.scans()), len(service.reports())) == (scans, reports), where
        assert sorted(path.name for path in directory.iterdir()) == files, where
        service.clear_log()
        assert not good(controllers.at_once((module, given))[0])["changed"], where
        assert service.writes() == [], where
