# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Findings: list, get, change, import. Scans create them; they are deleted with their target or workspace."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Sequence

from .answers import Answer, Call, Refused, dumps
from .records import Record
from .store import Account, Family, StateError
from .targets import checked

# the documented fields, with the value of each field that a state leaves out
DEFAULTS: Record = {
    "id": None,
    "name": None,
    "test_description": "Looked for a known weakness.",
    "test_finished": True,
    "confirmed": False,
    "epss_score": 0.01,
    "epss_percentile": 0.5,
    "in_cisa_catalog": False,
    "cve": [],
    "cvss": 5.0,
    "cvssv3": 5.3,
    "vuln_description": "The service has a weakness.",
    "vuln_evidence": {"type": "text", "data": "seen in the answer"},
    "risk_description": "Somebody may use it.",
    "risk_level": 0,
    "status": "open",
    "recommendation": "Update the software.",
    "references": [],
    "verified": False,
    "vuln_id": "WEBSCAN-00-0000001",
    "owasp": {"owasp_2017": "A6", "owasp_2021": "A5", "owasp_2025": "A2"},
    "cwe": "CWE-200",
    "port": 443,
    "protocol": "TCP",
    "service": "https",
    "target_id": None,
    "task_id": None,
    "screenshots": 0,
}

# names seen in the details of findings in place of the documented ones
ALTERNATIVE_NAMES = {"risk_level": "vuln_risk_level", "cvssv3": "cvss_v3"}

# the statuses that a finding can be given, and the values of the other fields that can be changed
STATUSES = ("open", "accepted", "false_positive", "ignored", "fixed")
CHANGEABLE: dict[str, tuple[object, ...]] = {
    "status": STATUSES,
    "risk_level": (0, 1, 2, 3, 4),
    "verified": (True, False),
}

# what a scan finds, by risk level
SAMPLES: dict[int, Record] = {
    0: {
        "name": "Server software found",
        "test_description": "Looks for the software of the server.",
        "vuln_id": "WEBSCAN-00-0000010",
        "cvss": 0,
        "cvssv3": 0,
        "cve": ["N/A"],
    },
    1: {
        "name": "Missing security header",
        "test_description": "Looks for missing security headers.",
        "vuln_id": "WEBSCAN-00-0000011",
        "cvss": 2.1,
        "cvssv3": 3.1,
    },
    2: {
        "name": "Cookie without Secure flag",
        "test_description": "Looks for cookies without the Secure flag.",
        "vuln_id": "WEBSCAN-00-0000012",
        "cvss": 5,
        "cvssv3": 5.3,
    },
    3: {
        "name": "Outdated web server",
        "test_description": "Looks for outdated web servers.",
        "vuln_id": "WEBSCAN-00-0000013",
        "cve": ["CVE-2021-41773"],
        "cvss": 7.5,
        "cvssv3": 7.5,
        "verified": True,
    },
    4: {
        "name": "Remote code execution",
        "test_description": "Looks for remote code execution.",
        "vuln_id": "WEBSCAN-00-0000014",
        "cve": ["CVE-2021-44228", "CVE-2021-45046"],
        "cvss": 9.8,
        "cvssv3": 10,
        "confirmed": True,
        "verified": True,
        "in_cisa_catalog": True,
        "screenshots": 1,
    },
}


# a page that lists its directory
LISTING: Record = {
    "name": "Directory listing",
    "test_description": "Looks for directories that are listed.",
    "vuln_id": "WEBSCAN-00-0000015",
    "risk_level": 2,
}


def complete(account: Account, record: Record) -> Record:
    """Besides the fields of the API, a record can have `target` and `workspace` (names), `missing` (a list of the fields
    that the service leaves out) and `size` (the approximate length of its text in bytes)."""
    if not isinstance(record.get("name"), str):
        raise StateError("a finding needs a name")
    missing = record.setdefault("missing", [])
    if not isinstance(missing, list) or set(missing) - set(DEFAULTS):
        raise StateError("missing is a list of fields of a finding")
    _place(account, record)
    size = record.pop("size", 0)
    for name, value in DEFAULTS.items():
        if name in missing:
            record.pop(name, None)
        elif value is not None:
            record.setdefault(name, copy.deepcopy(value))
    if size:
        # the other fields take about 650 bytes
        record["vuln_evidence"] = {"type": "text", "data": "x" * max(0, size - 650)}
    return record


def _place(account: Account, record: Record) -> None:
    """Set the target and the workspace of a finding. Their defaults are those of its scan and of its target."""
    scans = account.tables.get("scans")
    scan = scans.get(record.get("task_id")) if scans is not None else None
    if scan is not None:
        record.setdefault("target_id", scan["target_id"])
    name = record.pop("target", None)
    if name is not None:
        where = account.workspace_of({key: record[key] for key in ("workspace", "workspace_id") if key in record})
        target = account["targets"].same(where, name)
        if target is None:
            raise StateError(f"target {name!r} does not exist in workspace {where}")
        record["target_id"] = target["id"]
    target = account["targets"].get(record.get("target_id"))
    if target is not None and "workspace" not in record:
        record.setdefault("workspace_id", target["workspace_id"])
    record["workspace_id"] = account.workspace_of(record)
    record.setdefault("target_id", None)
    record.setdefault("task_id", None)


FAMILY = Family(
    name="findings",
    first_id=70001,
    fields=tuple(DEFAULTS),
    unique=lambda record: (record["id"],),
    groups=lambda record: (
        None,
        ("workspace", record["workspace_id"]),
        ("target", record.get("target_id")),
        ("task", record.get("task_id")),
    ),
    complete=complete,
    needs=("workspaces", "targets", "scans"),
)


def add_of_scan(account: Account, scan: Record, levels: Sequence[int]) -> list[Record]:
    """Add a finding of a scan for each of these risk levels, and return the records."""
    place = {"task_id": scan["id"], "target_id": scan["target_id"], "workspace_id": scan["workspace_id"]}
    return [
        account.add("findings", {**SAMPLES.get(level, SAMPLES[0]), "risk_level": level, **place}) for level in levels
    ]


def add_listings(account: Account, scan: Record, paths: Sequence[str]) -> list[Record]:
    """Add a finding of a scan for the listed directory at each of these paths, and return the records."""
    place = {"task_id": scan["id"], "target_id": scan["target_id"], "workspace_id": scan["workspace_id"]}
    target = account["targets"].get(scan["target_id"])
    name = str(target["name"]).rstrip("/") if target else ""
    base = name if "://" in name else f"https://{name}"
    return [
        account.add(
            "findings",
            {
                **LISTING,
                **place,
                "vuln_evidence": {"type": "table", "data": {"headers": ["URL"], "rows": [[f"{base}{path}"]]}},
            },
        )
        for path in paths
    ]


def _duplicate_key(record: Record) -> tuple[Hashable, ...]:
    """The key that duplicate findings share."""
    return tuple(record.get(name) for name in ("target_id", "vuln_id", "name", "port", "protocol"))


def list_all(call: Call) -> Answer:
    table, settings = call.account["findings"], call.settings
    filters = {"workspace": call.listed_workspace()}
    for kind in ("target", "task"):
        filters[kind] = call.filter_id(f"{kind}_id")
    filters = {kind: number for kind, number in filters.items() if number is not None}
    # the last filter gives the shortest list
    group = list(filters.items())[-1] if filters else None
    newest_first = settings.order == "newest_first"
    records = [
        record
        for record in table.page(group, 0, None, newest_first)
        if all(record.get(f"{kind}_id") == number for kind, number in filters.items())
    ]
    if call.flag("group_duplicates"):
        latest: dict[tuple[Hashable, ...], Record] = {}
        for record in sorted(records, key=lambda record: record["id"]):
            latest[_duplicate_key(record)] = record
        records = sorted(latest.values(), key=lambda record: record["id"], reverse=newest_first)
    return call.rows(table, records)


def get(call: Call) -> Answer:
    shown = call.account["findings"].public(call.found("findings"), call.settings)
    if call.settings.finding_names == "alternative":
        shown = {ALTERNATIVE_NAMES.get(name, name): value for name, value in shown.items()}
    return call.record(dumps(shown))


def update(call: Call) -> Answer:
    """Change fields of a finding and of all its duplicates. Each field is an object with a value, and maybe a reason."""
    record, table = call.found("findings"), call.account["findings"]
    changes = {name: _wanted(name, given) for name, given in call.json_object().items()}
    if not changes:
        raise Refused(400, "invalid parameters", f"one of {', '.join(CHANGEABLE)} is required")
    one = call.settings.finding_changes == "one"
    key = _duplicate_key(record)
    for each in [record] if one else [each for each in table if _duplicate_key(each) == key]:
        table.change(each, changes)
    form = call.settings.update_answer
    return get(call) if form == "record" else Answer(200, b"", None) if form == "empty" else call.done()


def _wanted(name: str, given: object) -> object:
    """The value of a field in the body of a change."""
    value = given.get("value") if isinstance(given, dict) else None
    # a boolean is no number here, although True == 1
    known = [each for each in CHANGEABLE.get(name, ()) if each == value and type(each) is type(value)]
    if not known or not isinstance(given, dict) or not isinstance(given.get("reason", ""), str):
        raise Refused(422, f"invalid parameter {name}", f"{name} must be an object with a value, and maybe a reason")
    return value


# the fields of an imported finding, and their names in an answer
IMPORTED_NAMES = {
    "test_description": "test_description",
    "vuln_description": "vuln_description",
    "vuln_risk_level": "risk_level",
    "vuln_recommendation": "recommendation",
    "cvss_v3": "cvssv3",
}


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
    added = [account.add("findings", _imported(call, each, workspace_id)) for each in given]
    return Answer(201, dumps({"data": {"results": [{"id": finding["id"]} for finding in added]}}))


def _imported(call: Call, given: Record, workspace_id: int | None) -> Record:
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
    for name, shown in IMPORTED_NAMES.items():
        if name in given:
            record[shown] = given[name]
    return record


OPERATIONS = (
    ("GET", "/findings", list_all),
    ("GET", "/findings/{id}", get),
    ("PATCH", "/findings/{id}", update),
    ("POST", "/findings/import", import_findings),
)
