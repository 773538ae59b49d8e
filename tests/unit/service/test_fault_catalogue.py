# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The catalogue of faults: every action of the service is in it, and every entry can be set."""

from __future__ import annotations

import contextlib
import http.client

import pytest
from ansible_collections.scanops.scanner.tests.service.fault_catalogue import CATALOGUE
from ansible_collections.scanops.scanner.tests.service.faults import ACTIONS
from ansible_collections.scanops.scanner.tests.unit.sampling import EXHAUSTIVE


def test_every_action_is_in_the_catalogue():
    # "do" changes the state behind the client's back and leaves the answer alone
    assert {fault["action"] for named in CATALOGUE.values() for fault in named.faults} == set(ACTIONS) - {"do"}


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_fault_of_the_catalogue_disturbs_one_call(service, send, name):
    for fault in CATALOGUE[name].faults:
        # how long it pauses is not judged here
        brief = {"seconds": 0.002} if "seconds" in fault and not EXHAUSTIVE else {}
        service.fault(**{**fault, **brief}, name=name)
    # some of them are no answers at all
    with contextlib.suppress(OSError, http.client.HTTPException, ValueError, RecursionError):
        send("GET", "/workspaces")
    assert service.log()[-1]["fault"].split("+") == [name] * len(CATALOGUE[name].faults)
    assert send("GET", "/workspaces").data
    assert service.log()[-1]["fault"] is None


@pytest.mark.parametrize(
    "name,call,may_be_true",
    [
        ("404", "GET /targets/5", True),
        ("404", "GET /targets", False),
        ("404", "DELETE /targets/5", False),
        ("data-list", "GET /targets", True),
        ("data-list", "GET /public/finding_templates", True),
        ("data-list", "GET /targets/5", False),
        ("empty", "PUT /workspaces/1", True),
        ("empty", "POST /scans/5/stop", True),
        ("empty", "POST /targets", False),
        ("html-200", "DELETE /targets/5", False),
        ("text", "GET /reports/5/download", True),
        ("text", "GET /reports/5", False),
    ],
)
def test_some_answers_may_be_the_truth_of_some_calls(name, call, may_be_true):
    assert CATALOGUE[name].may_be_true_of(call) is may_be_true
