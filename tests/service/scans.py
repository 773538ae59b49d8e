# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Scans: list, start, get, stop, delete, output, raw output. They progress with the service's own clock."""

from __future__ import annotations

from .answers import Answer, Call, Refused, dumps
from .findings import add_listings, add_of_scan
from .records import Record
from .scan_output import parsed, pdf, quiet_tests, raw_text
from .settings import LEVELS, SCRIPT, Settings
from .store import Account, Family, StateError
from .targets import asset_of, checked

IN_PROGRESS = ("waiting", "running")
# options of a start that records do not show
START_ONLY = ("redirect_level", "scan_original_url", "report_callback")
SHOWN = (
    "id",
    "tool_id",
    "target_id",
    "workspace_id",
    "vpn_profile_uuid",
    "vpn_scan",
    "status_name",
    "status_message",
    "progress",
    "result_summary",
    "start_time",
    "end_time",
    "duration",
    "num_tests",
    "num_finished_tests",
)


def complete(account: Account, record: Record) -> Record:
    """Besides the fields of the API, a record can have `target` and `workspace` (names), `script` (its course) and `age`
    (seconds since it ended or, for a scan in progress, since it was started)."""
    _place(account, record)
    settings = account.settings
    record["script"] = {**_script_of(settings, "", 0), **record.get("script", {})}
    wrong = [name for name, value in record["script"].items() if name not in SCRIPT or not SCRIPT[name].passes(value)]
    if wrong:
        raise StateError(f"wrong values in the script of a scan: {', '.join(wrong)}")
    record.setdefault("tool_id", 170)
    record.setdefault("tool_params", {})
    record.setdefault("vpn_profile_uuid", None)
    record.setdefault("status_name", "finished")
    record.setdefault("status_message", record["script"]["message"])
    record.setdefault("max_scan_time", None)
    record.setdefault("stopping", None)
    record.setdefault("found", 0)
    record.setdefault("num_tests", record["script"]["tests"])
    at = account.now() - record.pop("age", 0)
    ended = record["status_name"] not in IN_PROGRESS
    duration = record.setdefault("duration", 60 if ended else 0)
    record.setdefault("created", at - duration if ended else at)
    record.setdefault("start_time", account.moment(at - duration) if ended else None)
    record.setdefault("end_time", account.moment(at) if ended else None)
    record.setdefault("progress", 100 if ended else 0)
    record.setdefault("num_finished_tests", record["num_tests"] if ended else 0)
    record.setdefault("result_summary", {"text": "", **dict.fromkeys(LEVELS, 0 if ended else None)})
    for name in record["script"]["missing"]:
        record.pop(name, None)
    return record


def _place(account: Account, record: Record) -> None:
    """Set the target and the workspace of a scan of a given state."""
    name = record.pop("target", None)
    if name is not None:
        where = account.workspace_of({key: record[key] for key in ("workspace", "workspace_id") if key in record})
        target = account["targets"].same(where, name)
        if target is None:
            raise StateError(f"target {name!r} does not exist in workspace {where}")
        record["target_id"] = target["id"]
    target = account["targets"].get(record.get("target_id"))
    if target is None:
        raise StateError("a scan needs the target or target_id of an existing target")
    record.pop("workspace", None)
    record["workspace_id"] = target["workspace_id"]


def _script_of(settings: Settings, target: str, tool_id: int) -> Record:
    """The course of a new scan: that of the settings, overridden by the first of their scripts that applies to it."""
    script: Record = {
        "queue": settings.scan_queue_time,
        "run": settings.scan_run_time,
        "tests": 20,
        "end": settings.scan_end,
        "message": "",
        "findings": settings.scan_findings,
        "missing": [],
        "unfinished": [],
        "behind_login": [],
    }
    for own in settings.scan_scripts:
        if own.get("target", target) == target and own.get("tool_id", tool_id) == tool_id:
            return {**script, **{name: value for name, value in own.items() if name in script}}
    return script


def advance(account: Account) -> None:
    """Update every scan in progress."""
    now = account.now()
    table = account["scans"]
    for scan in [scan for scan in table if scan["status_name"] in IN_PROGRESS]:
        _advance(account, scan, now)
        table.touch(scan)


FAMILY = Family(
    name="scans",
    first_id=40001,
    fields=SHOWN,
    unique=lambda record: (record["id"],),
    groups=lambda record: (None, ("workspace", record["workspace_id"]), ("target", record["target_id"])),
    complete=complete,
    derived=lambda record: {"vpn_scan": record["vpn_profile_uuid"] is not None},
    advance=advance,
    needs=("workspaces", "targets"),
    paged=True,
)


# ---- the course of a scan


def _advance(account: Account, scan: Record, now: float) -> None:
    script = scan["script"]
    begins = scan["created"] + script["queue"]
    starts = script["end"].lower() != "failed to start"
    run, state = script["run"], script["end"]
    if scan["max_scan_time"] is not None and scan["max_scan_time"] * 60 < run:
        run, state = scan["max_scan_time"] * 60, "timed out"
    ends = begins + (run if starts else 0)
    if scan["stopping"] is not None and scan["stopping"] < ends:
        ends, state = scan["stopping"], "stopped"
    if starts and begins <= min(now, ends):
        _progress(account, scan, begins, min(now, ends) - begins)
    if now >= ends:
        _end(account, scan, state, ends)
    for name in script["missing"]:
        scan.pop(name, None)


def _progress(account: Account, scan: Record, begins: float, ran: float) -> None:
    """Update a scan that has been running for `ran` seconds. A scan that does not finish stops half way."""
    script = scan["script"]
    finishes = script["end"].lower() == "finished"
    full_time = script["run"] * (1 if finishes else 2)
    share = min(1.0, ran / full_time) if full_time else (1.0 if finishes else 0.5)
    levels = script["findings"]
    scan["status_name"] = "running"
    scan["start_time"] = account.moment(begins)
    scan["duration"] = int(ran)
    scan["progress"] = int(100 * share)
    scan["num_finished_tests"] = int((script["tests"] or 0) * share)
    due = int(len(levels) * share)
    add_of_scan(account, scan, levels[scan["found"] : due])
    scan["found"] = max(due, scan["found"])
    form = account.settings.running_summary
    if form == "missing":
        scan.pop("result_summary", None)
    else:
        scan["result_summary"] = {"text": "", **(_counts(levels[:due]) if form == "counts" else dict.fromkeys(LEVELS))}


def _end(account: Account, scan: Record, state: str, at: float) -> None:
    scan["status_name"] = state
    scan["end_time"] = account.moment(at)
    scan["stopping"] = None
    logged_in = state.lower() == "finished" and scan["tool_params"].get("authentication")
    listings = add_listings(account, scan, scan["script"]["behind_login"] if logged_in else [])
    levels = [*scan["script"]["findings"][: scan["found"]], *[each["risk_level"] for each in listings]]
    counts = _counts(levels)
    for name, number in account.settings.summary_off_by.items():
        counts[name] = max(0, counts[name] + number)
    scan["result_summary"] = {"text": f"{len(levels)} findings", **counts}


def _counts(levels: list[int]) -> dict[str, int]:
    return {name: levels.count(number) for number, name in enumerate(LEVELS)}


# ---- the calls


def list_page(call: Call) -> Answer:
    settings, table = call.settings, call.account["scans"]
    tool_id = call.integer(call.query, "tool_id")
    target_id = call.filter_id("target_id")
    status = call.query.get("status")
    workspace_id = call.listed_workspace()
    groups = [
        (kind, value) for kind, value in (("target", target_id), ("workspace", workspace_id)) if value is not None
    ]
    records = [
        scan
        for scan in table.page(groups[0] if groups else None, 0, None, settings.order == "newest_first")
        if tool_id in (None, scan["tool_id"])
        and workspace_id in (None, scan["workspace_id"])
        and (status is None or scan["status_name"].lower() == status.lower())
    ]
    part = call.page_of(len(records), 1000, 1000)
    return call.part(table, records[part.start : part.start + part.limit], part)


def start(call: Call) -> Answer:
    body, account, settings = call.json_object(), call.account, call.settings
    tool_id = _integer(body, "tool_id")
    if tool_id is None:
        raise Refused(400, "missing parameter tool_id")
    if str(body.get("max_scan_time")).isdigit():
        # the vendor's client sends a text
        body["max_scan_time"] = int(body["max_scan_time"])
    max_scan_time, least = _integer(body, "max_scan_time"), settings.least_scan_time
    if max_scan_time is not None and not least <= max_scan_time <= 1440:
        status = settings.scan_time_status
        raise Refused(status, "invalid parameter max_scan_time", f"max_scan_time is {least} to 1440 minutes")
    callback = body.get("report_callback")
    if callback is not None and not isinstance(callback, dict):
        raise Refused(422, "invalid report_callback", "report_callback must be an object")
    uuid = body.get("vpn_profile_uuid")
    if uuid is not None and not any(profile["uuid"] == uuid for profile in account["vpn_profiles"]):
        raise Refused(400, "invalid vpn_profile_uuid", f"VPN profile {uuid} does not exist")
    tool_params = body.get("tool_params") or {}
    if not isinstance(tool_params, dict):
        raise Refused(422, "invalid tool_params", "tool_params must be an object")
    authentication = body.get("authentication")
    if authentication is not None:
        if not isinstance(authentication, dict) or authentication.get("type") not in (
            "cookies",
            "headers",
            "login_form",
        ):
            raise Refused(422, "invalid authentication", "its type is cookies, headers or login_form")
        tool_params = {**tool_params, "authentication": authentication}
    most = settings.max_parallel_scans
    if most is not None and sum(scan["status_name"] in IN_PROGRESS for scan in account["scans"]) >= most:
        raise Refused(403, f"Your current plan only allows {most} parallel scans")
    _refuse_redirect(call, body)
    target = _target(call, body)
    scan = account.add(
        "scans",
        {
            "tool_id": tool_id,
            "target_id": target["id"],
            "tool_params": tool_params,
            "vpn_profile_uuid": uuid,
            "max_scan_time": max_scan_time,
            **{name: body[name] for name in START_ONLY if name in body},
            "status_name": "waiting",
            "script": _script_of(settings, target["name"], tool_id),
        },
    )
    if settings.create_answer == "created_id":
        body = {"data": {"created_id": scan["id"], "target_id": target["id"]}}
        return Answer(settings.create_status, dumps(body))
    return call.created(account["scans"], scan)


def _target(call: Call, body: Record) -> Record:
    """The target of a new scan. A target that is given by name is created if it does not exist."""
    account = call.account
    workspace_id = _integer(body, "workspace_id")
    if workspace_id is not None and account["workspaces"].get(workspace_id) is None:
        raise Refused(404, "invalid workspace_id", f"workspace {workspace_id} does not exist")
    name, target_id = body.get("target_name"), _integer(body, "target_id")
    if (name is None) == (target_id is None):
        raise Refused(400, "invalid parameters", "exactly one of target_name and target_id is required")
    if target_id is not None:
        target = account["targets"].get(target_id)
        if target is None:
            raise Refused(404, "invalid target_id", "the target was not found")
        if workspace_id not in (None, target["workspace_id"]):
            raise Refused(400, "invalid workspace_id", "the target is in another workspace")
        return target
    place = account.current_workspace if workspace_id is None else workspace_id
    if isinstance(name, str):
        known = account["targets"].same(place, name.lower() if call.settings.normalise_targets else name)
        if known is not None:
            return known
    return account.add("targets", {**checked(call, name, place), "description": ""})


def _refuse_redirect(call: Call, body: Record) -> None:
    """Refuse a target whose URL is unreachable or redirects elsewhere, unless the start allows the redirect."""
    settings, known = call.settings, call.account["targets"].get(_integer(body, "target_id"))
    name = known["name"] if known else body.get("target_name")
    if not isinstance(name, str):
        return
    if name in settings.unreachable_targets:
        raise Refused(400, "Target URL is not accessible (DNS error)")
    leads_to = settings.redirecting_targets.get(name)
    if leads_to is None or body.get("scan_original_url") is True:
        return
    if body.get("redirect_level") != "same_domain" or _domain(leads_to) != _domain(name):
        raise Refused(400, f"Target URL redirects to {leads_to}")


def _domain(name: str) -> str:
    """The last two labels of the host, which is enough for the names in tests."""
    return ".".join(asset_of(name).split(".")[-2:])


def _integer(body: Record, name: str) -> int | None:
    value: int | None = body.get(name)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise Refused(422, f"invalid parameter {name}", f"{name} must be an integer")
    return value


def get(call: Call) -> Answer:
    scan = call.found("scans")
    table = call.account["scans"]
    # lists do not show the parameters
    return call.record(dumps({**table.public(scan, call.settings), "tool_params": scan["tool_params"]}))


def stop(call: Call) -> Answer:
    scan = call.found("scans")
    if scan["status_name"] not in IN_PROGRESS:
        raise Refused(409, "the scan is not running", f"its status is {scan['status_name']}")
    if scan["stopping"] is None:
        scan["stopping"] = call.account.now() + call.settings.scan_stop_time
    call.account.advance()
    return call.done() if call.settings.stop_answer == 204 else Answer(200, dumps({}))


def delete(call: Call) -> Answer:
    scan = call.found("scans")
    if scan["status_name"] in IN_PROGRESS:
        raise Refused(409, "the scan is running", "stop it before you delete it")

    def remove() -> None:
        call.account["scans"].remove(scan["id"])
        call.account["findings"].remove_group(("task", scan["id"]))

    return call.deleted(remove)


def get_output(call: Call) -> Answer:
    scan = _with_output(call)
    found = call.account["findings"].page(("task", scan["id"]), 0, None, False)
    target = call.account["targets"].by_id[scan["target_id"]]
    if call.asks_for("application/pdf"):
        return Answer(200, pdf(scan, target, found), "application/pdf")
    if scan["tool_id"] in call.settings.raw_only_tools:
        raise Refused(406, "this tool has no parsed output", "request the raw output")
    public = [call.account["findings"].public(finding, call.settings) for finding in found]
    if call.settings.quiet_tests:
        public += quiet_tests(scan, public)
    return Answer(200, dumps({"data": parsed(scan, target, public)}))


def get_raw(call: Call) -> Answer:
    scan = _with_output(call)
    found = call.account["findings"].page(("task", scan["id"]), 0, None, False)
    text = raw_text(scan, call.account["targets"].by_id[scan["target_id"]], found)
    if call.asks_for("text/plain"):
        return Answer(200, text.encode(), "text/plain; charset=utf-8")
    return Answer(200, dumps({"data": text}))


def _with_output(call: Call) -> Record:
    """The scan that the path names. Refused while it is in progress, unless the settings allow partial output."""
    scan = call.found("scans")
    if scan["status_name"] in IN_PROGRESS:
        if call.settings.running_output == 404:
            raise Refused(404, f"no output for id {scan['id']}", "the scan has not finished")
        if call.settings.running_output == 409:
            raise Refused(409, "the scan is running", "its output is available after it has finished")
    return scan


OPERATIONS = (
    ("GET", "/scans", list_page),
    ("POST", "/scans", start),
    ("GET", "/scans/{id}", get),
    ("DELETE", "/scans/{id}", delete),
    ("POST", "/scans/{id}/stop", stop),
    ("GET", "/scans/{id}/output", get_output),
    ("GET", "/scans/{id}/raw", get_raw),
)
