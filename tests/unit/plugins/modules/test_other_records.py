# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An answer that holds another object than the one that was asked for: nothing is done to that object."""

from __future__ import annotations

import pytest

BY_ID = {
    "workspace": ("/workspaces", 3, 2, {"state": "absent", "force": True}),
    "target": ("/targets", 1003, 1001, {"state": "absent"}),
    "http_logger": ("/http_loggers", 502, 501, {"state": "absent"}),
    "http_logger_data": ("/http_loggers", 502, 501, {"state": "absent"}),
    "wordlist": ("/wordlists", 1601, 1700, {"state": "absent"}),
    "scan": ("/scans", 40002, 40001, {"state": "absent"}),
    "report": ("/reports", 302, 301, {"state": "absent"}),
    "target_info": ("/targets", 1003, 1001, {}),
    "finding_info": ("/findings", 70002, 70001, {}),
}


@pytest.mark.parametrize("module", BY_ID)
def test_a_record_with_another_id_is_refused(account, run, module):
    path, asked, other, options = BY_ID[module]
    before = account.state()
    body = {"data": next(row for row in before[path[1:]] if row["id"] == other)}
    account.fault(method="GET", path=f"{path}/{asked}", action="status", status=200, body=body, times=None)
    result = run(module, id=asked, **options)
    assert result.failed
    assert f"GET {path}/{asked} was answered 200 (application/json) with the id {other}" in result.msg
    assert account.writes() == []
    assert account.state() == before


def test_a_redirect_to_the_same_address_keeps_its_query(account, run):
    """Else the list of another workspace would be read."""
    account.fault(method="GET", path="/targets", action="redirect", location="#top")
    result = run("target_info", workspace_id=2)
    assert [target["id"] for target in result["targets"]] == [1001, 1002, 1003]
    first, second = account.log()[:2]
    assert first["query"] == second["query"]
    assert first["query"]["workspace_id"] == "2"
