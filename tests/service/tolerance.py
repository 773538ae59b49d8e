# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The requests of the vendor's client, which the service accepts besides the specified ones if `tolerant` is set.

Source: the package pentesttools 0.2.0 on PyPI, whose requests and test data are public.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from .answers import Answer, Call, Refused, dumps
from .records import Record
from .targets import checked

SLASHES = re.compile("/{2,}")


def path_of(path: str) -> str:
    """The path without trailing and repeated slashes."""
    return SLASHES.sub("/", path).rstrip("/")


def import_findings(call: Call) -> Answer:
    """Add findings that belong to no scan. Missing targets are created, as they are when a scan is started."""
    body, account = call.json_object(), call.account
    workspace_id = body.get("workspace_id", account.current_workspace)
    if account["workspaces"].get(workspace_id) is None:
        raise Refused(404, "invalid workspace_id", f"workspace {workspace_id} does not exist")
    given = body.get("findings")
    if not isinstance(given, list) or not given or not all(isinstance(each, dict) for each in given):
        raise Refused(422, "invalid parameter findings", "findings is a list of objects")
    for each in given:
        if not isinstance(each.get("name"), str) or not isinstance(each.get("target_name"), str):
            raise Refused(422, "invalid parameter findings", "each finding has a name and a target_name")
    added = [account.add("findings", _record(call, each, workspace_id)) for each in given]
    return Answer(200, dumps({"data": {"results": [{"id": finding["id"]} for finding in added]}}))


def _record(call: Call, given: Record, workspace_id: int | None) -> Record:
    account, name = call.account, given["target_name"]
    target = account["targets"].same(workspace_id, name)
    if target is None:
        target = account.add("targets", {**checked(call, name, workspace_id), "description": ""})
    record = {
        "name": given["name"],
        "target_id": target["id"],
        "workspace_id": workspace_id,
        "vuln_evidence": {"type": "text", "data": given.get("vuln_evidence", "")},
    }
    for name, shown in NAMES.items():
        if name in given:
            record[shown] = given[name]
    return record


# the fields of an imported finding, and their names in an answer
NAMES = {
    "test_description": "test_description",
    "vuln_description": "vuln_description",
    "vuln_risk_level": "risk_level",
    "vuln_recommendation": "recommendation",
    "cvss_v3": "cvssv3",
}

OPERATIONS: dict[str, dict[str, Callable[[Call], Answer]]] = {"/findings/import": {"POST": import_findings}}
