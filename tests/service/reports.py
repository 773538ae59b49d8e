# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reports: list, create, get, download, delete. Their files exist some time after the request."""

from __future__ import annotations

from collections.abc import Hashable

from .answers import Answer, Call, Refused, dumps
from .records import Record
from .report_files import TYPES, Group, build
from .store import Account, Family, StateError

SOURCES = ("scans", "findings")
GROUPINGS = ("target", "vulnerability")
TAKES = ("source", "resources", "format", "group_by", "filters", "webhook_url")
STATUS_FIELDS = ("status", "status_name")


def complete(account: Account, record: Record) -> Record:
    """Besides the fields of the API, a record has `source`, `resources` and `group_by`, `age` (seconds since the request),
    `takes` (seconds until the file exists) and `fails` (whether it ends without a file)."""
    record.setdefault("format", "pdf")
    record.setdefault("source", "scans")
    record.setdefault("resources", [])
    record.setdefault("group_by", "target")
    if record["format"] not in TYPES or record["source"] not in SOURCES or record["group_by"] not in GROUPINGS:
        raise StateError("a report has a format, a source and a group_by as the API has them")
    record.setdefault("takes", account.settings.report_time)
    record.setdefault("fails", False)
    record.setdefault("created", account.now() - record.pop("age", 0))
    if "findings" not in record:
        record["findings"] = [finding["id"] for finding in _findings_of(account, record)]
    _show_status(account, record)
    return record


def _findings_of(account: Account, record: Record) -> list[Record]:
    table = account["findings"]
    if record["source"] == "findings":
        found = [table.get(number) for number in record["resources"]]
        return [finding for finding in found if finding is not None]
    return [each for number in record["resources"] for each in table.page(("task", number), 0, None, False)]


def advance(account: Account) -> None:
    """Update the status of each report."""
    for report in account["reports"]:
        if _show_status(account, report):
            account["reports"].touch(report)


def _show_status(account: Account, report: Record) -> bool:
    """Set the current status of a report in the field that the settings choose. Returns whether it has changed."""
    elapsed = account.now() - report["created"]
    if elapsed >= report["takes"]:
        status = "failed" if report["fails"] else "finished"
    else:
        status = "waiting" if elapsed < report["takes"] / 2 else "running"
    report["state"] = status
    shown = {account.settings.report_status: status}
    before = {name: report.pop(name) for name in STATUS_FIELDS if name in report}
    report.update({name: value for name, value in shown.items() if name in STATUS_FIELDS})
    return before != {name: report[name] for name in STATUS_FIELDS if name in report}


FAMILY = Family(
    name="reports",
    first_id=301,
    fields=("id", "format", *STATUS_FIELDS),
    unique=lambda record: (record["id"],),
    complete=complete,
    advance=advance,
    needs=("scans", "findings"),
)


def list_all(call: Call) -> Answer:
    return call.many(call.account["reports"], None)


def create(call: Call) -> Answer:
    body, account = call.json_object(), call.account
    unknown = sorted(set(body) - set(TAKES))
    if unknown:
        raise Refused(400, "invalid parameters", f"unknown: {', '.join(unknown)}")
    for name, values in (("source", SOURCES), ("format", tuple(TYPES)), ("group_by", GROUPINGS)):
        if (name in body or name != "group_by") and body.get(name) not in values:
            raise Refused(400, f"invalid parameter {name}", f"{name} is one of {', '.join(values)}")
    resources = body.get("resources")
    if not isinstance(resources, list) or not resources or not all(_is_integer(each) for each in resources):
        raise Refused(422, "invalid parameter resources", "resources is a list of ids")
    family = account[body["source"]]
    missing = [str(number) for number in resources if family.get(number) is None]
    if missing:
        raise Refused(404, f"invalid {body['source']}", f"not found: {', '.join(missing)}")
    report = account.add("reports", {name: body[name] for name in TAKES if name in body})
    form = call.settings.report_answer
    if form == "record":
        return Answer(201, b'{"data":' + account["reports"].row(report, call.settings) + b"}")
    return Answer(201, b"", None) if form == "nothing" else Answer(201, dumps({"data": {form: report["id"]}}))


def get(call: Call) -> Answer:
    return call.one(call.account["reports"], call.found("reports"))


def delete(call: Call) -> Answer:
    report = call.found("reports")
    return call.deleted(lambda: call.account["reports"].remove(report["id"]))


def download(call: Call) -> Answer:
    report = call.found("reports")
    if report["state"] != "finished":
        if call.settings.report_not_ready == 404:
            raise Refused(404, f"no file for id {report['id']}", f"the report is {report['state']}")
        raise Refused(409, "the report is not ready", f"it is {report['state']}")
    name = f"report-{report['id']}.{report['format']}"
    body = _file_of(call, report)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Answer(200, body, call.settings.report_type or TYPES[report["format"]], headers)


def _file_of(call: Call, report: Record) -> bytes:
    """The file of a report. The last one is cached: a large file takes a while to build and is often read again."""
    size = call.settings.report_size or 0
    key = (report["id"], report["format"], size, tuple(report["findings"]))
    if key not in _last:
        _last.clear()
        _last[key] = build(report["format"], f"Report {report['id']}", _groups(call, report), size)
    return _last[key]


_last: dict[tuple[Hashable, ...], bytes] = {}


def _groups(call: Call, report: Record) -> list[Group]:
    account = call.account
    groups: dict[str, list[Record]] = {}
    for number in report["findings"]:
        finding = account["findings"].get(number)
        if finding is None:
            continue
        target = account["targets"].get(finding["target_id"])
        shown = {**account["findings"].public(finding, call.settings), "target_name": target and target["name"]}
        heading = shown["name"] if report["group_by"] == "vulnerability" else str(shown["target_name"])
        groups.setdefault(heading, []).append(shown)
    return [Group(*each) for each in groups.items()]


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


OPERATIONS = (
    ("GET", "/reports", list_all),
    ("POST", "/reports", create),
    ("GET", "/reports/{id}", get),
    ("DELETE", "/reports/{id}", delete),
    ("GET", "/reports/{id}/download", download),
)
