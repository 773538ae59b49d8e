# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rows and columns of the table of forms: how the service may legitimately answer, and the tasks that meet it."""

from __future__ import annotations

from typing import Any, NamedTuple

from ansible_collections.scanops.scanner.tests.faults.operations import Operation, all_operations
from ansible_collections.scanops.scanner.tests.service.families import FAMILIES
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.simple_families import MODULES as SIMPLE


class Form(NamedTuple):
    """One form of the service's answers."""

    # those of the local service
    settings: dict[str, Any]
    # the fields of a result that may differ with it
    passed_on: frozenset[str] = frozenset()
    # whether the rows of lists are in another order
    unordered: bool = False
    # what a warning on this form says; any other warning is about something else. "" if no warning makes a result true
    warns: str = ""


def _form(*passed_on: str, warns: str = "", **settings: Any) -> Form:
    return Form(settings, frozenset(passed_on), warns=warns)


def _fields(setting: str, family: str, *fields: str) -> Form:
    return Form({setting: {family: list(fields)}}, frozenset(field.split(".")[-1] for field in fields))


def _without(family: str, *fields: str) -> Form:
    return _fields("missing_fields", family, *fields)


def _null(family: str, *fields: str) -> Form:
    return _fields("null_fields", family, *fields)


def _not_in_lists(family: str, *fields: str) -> Form:
    return _fields("missing_in_lists", family, *fields)


TIMES = ("reason", "start_time", "end_time", "request_date")
LEVELS = tuple(f"result_summary.{level}" for level in ("info", "low", "medium", "high", "critical"))
HIDDEN = "The service does not show the description"
NUMBERS = (
    "active_days", "num_requests", "requests_left", "port", "risk_level", "screenshots", "num_words", "duration",
    "num_finished_tests", "num_tests", "progress", "result_summary", "epss_score",
)  # fmt: skip
FLAGS = ("confirmed", "in_cisa_catalog", "known_exploited", "test_finished", "verified", "vpn_scan", "vpn")
# whatever the service returns there is handed on
OUTPUT = ("output", "requests", "tool_params")
SEVERITY = ("severity", "summary", "reasons", "counts")
UNPAGED = tuple(family.name for family in FAMILIES if not family.paged)
PAGED = tuple(family.name for family in FAMILIES if family.paged)

ENVELOPES = {
    "lists-bare": _form(lists="bare"),
    "lists-in-items": _form(lists="items"),
    "lists-in-results": _form(lists="results"),
    "empty-list-null": _form(empty_list="null"),
    "empty-list-missing": _form(empty_list="missing"),
    "empty-list-204": _form(empty_list=204),
    "empty-list-404": _form(empty_list=404),
    "records-bare": _form(records="bare", warns="its record could not be read"),
    "records-in-a-list": _form(records="list", warns="its record could not be read"),
    "more-members": _form(extra_members=True),
    "more-fields": _form("created_at", "x_unknown", extra_fields=True),
    "errors-nested": _form(errors="nested"),
    "errors-as-text": _form(errors="text"),
    "unknown-id-403": _form(unknown_id=403),
    "unknown-id-410": _form(unknown_id=410),
    "unknown-id-null": _form(unknown_id="null"),
}
WRITES = {
    "create-200": _form(create_status=200),
    "create-202": _form(create_status=202),
    "create-204": _form(create_status=204),
    "create-id": _form(create_answer="id"),
    "create-id-as-text": _form(*OUTPUT, create_answer="id", id_form="text"),
    "create-record": _form(create_answer="record"),
    "create-record-200": _form(create_answer="record", create_status=200),
    "create-nothing": _form(create_answer="nothing"),
    "create-nothing-200": _form(create_answer="nothing", create_status=200),
    "update-empty": _form(update_answer="empty"),
    "update-record": _form(update_answer="record"),
    "update-replaces": _form(put_replaces=True),
    "update-ignores-empty": _form(empty_description="invalid"),
    "delete-200": _form(delete_status=200),
    "delete-200-empty": _form(delete_status="empty"),
    "delete-202": _form(delete_status=202),
    "delete-404": _form(delete_status=404),
    "delete-not-done": _form(deletes_done=False),
    "delete-not-done-200": _form(deletes_done=False, delete_status=200),
    "logger-workspace-in-query": _form(logger_workspace="query"),
    "logger-workspace-in-form": _form(logger_workspace="form"),
    "report-created-id": _form(report_answer="created_id"),
    "report-id": _form(report_answer="id"),
    "report-record": _form(report_answer="record"),
    "report-nothing": _form(report_answer="nothing"),
    "report-status-name": _form("status", "status_name", report_status="status_name"),
    "report-without-status": _form("status", report_status="none"),
    "report-not-ready-404": _form("status", report_time=2),
    "report-not-ready-409": _form("status", report_time=2, report_not_ready=409),
    "stop-204": _form(stop_answer=204),
    "stop-takes-time": _form(scan_stop_time=1),
    "names-in-lower-case": _form("name", normalise_targets=True),
    "finding-changes-one": _form(finding_changes="one"),
    "predefined-delete-409": _form(predefined_delete=409),
}
PAGES = {
    "pages-of-1": _form(page_cap=1),
    "pages-of-2": _form(page_cap=2),
    "pages-from-0": _form(first_page=0),
    "pages-from-0-of-1": _form(first_page=0, page_cap=1)._replace(unordered=True),
    "page-ignored": _form(ignore_page=True),
    "page-ignored-of-1": _form(ignore_page=True, page_cap=1),
    "past-end-404": _form(past_end=404),
    "past-end-404-of-1": _form(past_end=404, page_cap=1),
    "limit-at-most-100": _form(max_limit=100),
    "endless": _form(endless_lists=True, page_cap=50),
    "total-reached": _form(beside_data="total"),
    "total-reached-of-1": _form(beside_data="total", page_cap=1),
    "total-not-reached": _form(beside_data="total", capped_lists=dict.fromkeys(PAGED, 1)),
    "total-not-reached-unpaged": _form(beside_data="total", capped_lists=dict.fromkeys(UNPAGED, 1)),
    "pages-announced": _form(beside_data="pages", page_cap=1),
    "pages-announced-not-given": _form(beside_data="pages", capped_lists=dict.fromkeys(PAGED, 1)),
    "pages-announced-unpaged": _form(
        beside_data="pages", capped_lists=dict.fromkeys(UNPAGED, 1), paged_lists=list(UNPAGED)
    ),
    "cursor-at-the-end": _form(beside_data="cursor"),
    "cursor": _form(beside_data="cursor", page_cap=1),
    "cursor-only": _form(beside_data="cursor", page_cap=1, ignore_page=True),
    "cursor-unpaged": _form(beside_data="cursor", capped_lists=dict.fromkeys(UNPAGED, 1), paged_lists=list(UNPAGED)),
    "link": _form(beside_data="link", page_cap=1),
    "link-beside-bare-lists": _form(beside_data="link", page_cap=1, lists="bare"),
    "link-unpaged": _form(beside_data="link", capped_lists=dict.fromkeys(UNPAGED, 1), paged_lists=list(UNPAGED)),
    "link-not-given": _form(beside_data="link", capped_lists=dict.fromkeys(PAGED, 1)),
    "duplicate-rows": _form(duplicate_rows=True),
    "newest-first": _form(order="newest_first")._replace(unordered=True),
    "newest-first-of-1": _form(order="newest_first", page_cap=1)._replace(unordered=True),
    "redirect-slash": _form(redirects="slash"),
    "redirect-without-query": _form(redirects="without_query"),
    "without-workspace-all": _form(omitted_workspace="all"),
    "unknown-workspace-404": _form(unknown_workspace=404),
    "unknown-workspace-empty": _form(unknown_workspace="empty"),
    "workspace-filter-ignored": _form(ignored_filters=["workspace_id"]),
    "target-filter-ignored": _form(ignored_filters=["target_id"]),
    "scan-filter-ignored": _form(ignored_filters=["task_id"]),
}
VALUES = {
    "ids-as-text": _form(*OUTPUT, id_form="text"),
    "numbers-as-text": _form(*NUMBERS, *OUTPUT, number_form="text"),
    "numbers-as-float": _form(*NUMBERS, *OUTPUT, number_form="float"),
    "booleans-as-text": _form(*FLAGS, *OUTPUT, boolean_form="text"),
    "booleans-as-number": _form(*FLAGS, *OUTPUT, boolean_form="number"),
    "status-in-upper-case": _form("status_name", "status", status_form="upper"),
    "status-with-underscores": _form("status_name", "status", status_form="snake"),
    "status-in-status": _form("status_name", "status", status_form="status"),
    "times-with-offset": _form(*TIMES, time_form="offset"),
    "times-with-offset-ahead": _form(*TIMES, time_form="offset", record_zone=7200),
    "times-in-utc": _form(*TIMES, time_form="utc"),
    "times-as-unix": _form(*TIMES, time_form="unix"),
    "times-as-unix-ms": _form(*TIMES, time_form="unix_ms"),
    "times-ahead": _form(*TIMES, record_zone=7200),
    "times-behind": _form(*TIMES, record_zone=-18000),
    "clock-ahead": _form(*TIMES, clock_offset=3600),
    "clock-behind": _form(*TIMES, clock_offset=-3600),
    "null-descriptions": _form("description", null_description=True),
    "finding-names": _form("cvssv3", "cvss_v3", "vuln_risk_level", finding_names="alternative"),
    "contents-text": _form(contents="text"),
    "contents-wrapped": _form(contents="wrapped"),
    "logger-data-array": _form(logger_data="array"),
    "output-without-quiet-tests": _form(*OUTPUT, quiet_tests=False),
    "half-characters": _form("half", half_characters=True),
    "workspace-without-description": _without("workspaces", "description")._replace(warns=HIDDEN),
    "workspace-without-description-in-lists": _not_in_lists("workspaces", "description"),
    "target-without-workspace": _without("targets", "workspace_id"),
    "target-without-workspace-in-lists": _not_in_lists("targets", "workspace_id"),
    "target-null-workspace": _null("targets", "workspace_id"),
    "target-without-type": _without("targets", "type"),
    "target-without-description": _without("targets", "description")._replace(warns=HIDDEN),
    "logger-without-counts": _without("http_loggers", "active_days", "num_requests", "requests_left"),
    "logger-without-handler": _without("http_loggers", "handler_url"),
    "wordlist-without-predefined": _without("wordlists", "predefined"),
    "wordlist-null-predefined": _null("wordlists", "predefined"),
    "scan-without-workspace": _without("scans", "workspace_id"),
    "scan-null-workspace": _null("scans", "workspace_id"),
    "scan-without-target": _form("target_id", "candidates", missing_fields={"scans": ["target_id"]}),
    "scan-without-tool": _form("tool_id", "candidates", missing_fields={"scans": ["tool_id"]}),
    "scan-without-status": _without("scans", "status_name"),
    "scan-without-summary": _without("scans", "result_summary"),
    "scan-null-summary": _null("scans", "result_summary"),
    "scan-null-counts": _null("scans", *LEVELS),
    "scan-without-counts": _without("scans", *LEVELS),
    "scan-without-critical": _without("scans", "result_summary.critical"),
    "scan-without-end": _form("end_time", "duration", "reason", missing_fields={"scans": ["end_time"]}),
    "scan-null-end": _form("end_time", "duration", "reason", null_fields={"scans": ["end_time"]}),
    "scan-without-times": _form(*TIMES, "duration", missing_fields={"scans": ["start_time", "end_time", "duration"]}),
    "counts-that-differ": _form("critical", "low", summary_off_by={"critical": 2, "low": -1}),
    "findings-capped": _form(capped_lists={"findings": 1}, warns="One that could not be read is not changed"),
    "finding-without-level": _form("risk_level", *SEVERITY, missing_fields={"findings": ["risk_level"]}),
    "finding-null-level": _form("risk_level", *SEVERITY, null_fields={"findings": ["risk_level"]}),
    "finding-without-target": _form("target_id", "target_name", missing_fields={"findings": ["target_id"]}),
    "finding-without-scan": _without("findings", "task_id"),
    "finding-without-status": _without("findings", "status"),
    "vpn-profile-without-name": _without("vpn_profiles", "name"),
}
WIRE = {
    "json-with-charset": _form(json_type="application/json; charset=utf-8"),
    "json-in-capitals": _form(json_type="Application/JSON"),
    "json-of-an-api": _form(json_type="application/vnd.api+json"),
    "json-as-text": _form(json_type="text/plain; charset=utf-8", warns="some may be missing, or read in a wrong way"),
    "json-as-html": _form(json_type="text/html; charset=utf-8"),
    "utf-8": _form(encoding="utf-8"),
    "utf-8-with-a-mark": _form(encoding="utf-8-sig"),
    "utf-16": _form(encoding="utf-16"),
    "compressed": _form(compressed=True),
    "limits-unlimited": _form(limit_headers="unlimited"),
    "limits-0": _form(limit_headers="0"),
    "limits-empty": _form(limit_headers=""),
    "limits-as-float": _form(limit_headers="250.0"),
    "limits-negative": _form(limit_headers="-1"),
}
FORMS = {**ENVELOPES, **WRITES, **PAGES, **VALUES, **WIRE}

# what each module does, once in each way that reads or writes something else
CHOSEN = (
    "workspace-create", "workspace-there-as-declared", "workspace-update-description", "workspace-rename",
    "workspace-clear-description", "workspace-rename-by-id", "workspace-delete", "workspace-absent-by-id",
    "workspace_info-all", "target-create", "target-there-with-description", "target-drift-recreate", "target-delete",
    "target-absent", "target_info-all", "target_info-name", "targets-create", "targets-purge", "targets-delete",
    "http_logger-create-in-workspace", "http_logger-there-in-workspace", "http_logger-delete-in-workspace",
    "http_logger_info-workspace", "http_logger_data-clear", "http_logger_data_info-filtered", "wordlist-delete",
    "wordlist_info-name", "vpn_profile_info-all", "finding_template_info-all", "estate-create",
    "estate-describe-and-purge", "estate_info-all", "scan-start", "scan-fresh", "scan-wait", "scan-stop",
    "scan-delete", "scan_info-workspace", "scan_info-filtered", "scan_output-json", "scan_output_info-parsed",
    "finding-status", "finding-fingerprint", "finding_info-workspace", "finding_info-filtered", "gate-workspace",
    "coverage_info-workspace", "report-create",
    "report-delete", "report_info-all",
)  # fmt: skip
# and all that the modules of a simple family do, if nothing of them was chosen
TASKS = CHOSEN + tuple(
    each.name
    for each in all_operations()
    if each.module in {*SIMPLE} - {name.partition("-")[0] for name in CHOSEN} and not each.check
)


def tasks() -> dict[str, Operation]:
    """The tasks of the table, by name."""
    return {operation.name: operation for operation in all_operations() if operation.name in TASKS}
