# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a task of each module may be, on one account, and the calls that it costs. Tests of all modules walk this table."""

from __future__ import annotations

from typing import Any

from ansible_collections.scanops.scanner.plugins.module_utils._evidence.fingerprint import Subject, fingerprint_of
from ansible_collections.scanops.scanner.plugins.module_utils._model.families import FAMILIES as TABLE
from ansible_collections.scanops.scanner.tests.service.families import FAMILIES
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.simple_families import MODULES as OF_SIMPLE
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.simple_families import (
    SIMPLE,
    Task,
    read_tasks,
    write_tasks,
)

# beside the workspace "My Workspace" (1, the current one) and the wordlists of a fresh account (1600 to 1602, 1700)
ACCOUNT: dict[str, list[dict[str, Any]]] = {
    **{family.name: list(family.examples) for family in FAMILIES if family.examples},
    "workspaces": [
        {"id": 2, "name": "Web shop", "description": "All that customers reach"},
        {"id": 3, "name": "Empty"},
    ],
    "targets": [
        {"id": 1001, "name": "www.example.com", "workspace": "Web shop", "description": "Front"},
        {"id": 1002, "name": "https://shop.example.com", "workspace": "Web shop"},
        {"id": 1003, "name": "192.0.2.7", "workspace": "Web shop"},
        {"id": 1004, "name": "here.example.com", "description": "Current"},
    ],
    "http_loggers": [
        {
            "id": 501,
            "label": "canary",
            "workspace": "Web shop",
            "requests": [
                {"ip_address": "192.0.2.7", "request_method": "POST", "request_body_base64": "aGVsbG8="},
                {"ip_address": "198.51.100.9", "request_date": "2024-06-01 00:00:00"},
            ],
        },
        {"id": 502, "label": "quiet"},
    ],
    # none of them in progress: a state that goes on by itself cannot be compared
    "scans": [
        {
            "id": 40001,
            "tool_id": 170,
            "target": "www.example.com",
            "workspace": "Web shop",
            "age": 3600,
            "tool_params": {"scan_type": "light"},
            "result_summary": {"text": "", "critical": 0, "high": 2, "medium": 0, "low": 0, "info": 0},
        },
        # a tool that has only raw output
        {
            "id": 40002,
            "tool_id": 30,
            "target": "192.0.2.7",
            "workspace": "Web shop",
            "age": 7200,
            "result_summary": {"text": "", "critical": 0, "high": 0, "medium": 0, "low": 0, "info": 1},
        },
        {"id": 40003, "tool_id": 170, "target": "here.example.com", "status_name": "timed out", "age": 7200},
    ],
    "findings": [
        {"id": 70001, "name": "SQL injection", "risk_level": 3, "task_id": 40001, "workspace": "Web shop"},
        {
            "id": 70002,
            "name": "Open port",
            "risk_level": 0,
            "status": "fixed",
            "cve": ["N/A"],
            "task_id": 40002,
            "workspace": "Web shop",
        },
        {
            "id": 70003,
            "name": "SQL injection",
            "risk_level": 3,
            "cve": ["CVE-2021-44228"],
            "task_id": 40001,
            "workspace": "Web shop",
        },
        {"id": 70004, "name": "Without severity", "missing": ["risk_level", "status"], "target": "here.example.com"},
    ],
    "vpn_profiles": [
        {"name": "Office", "uuid": "6f9619ff-8b86-5011-b42d-00cf4fc964ff"},
        {"name": "Plant", "uuid": "0e37df36-f698-11e6-8dd4-cb9ced3df976"},
    ],
    "reports": [{"id": 301, "resources": [40001]}, {"id": 302, "format": "json", "resources": [40001]}],
}

# the files in the directory in which a task runs
FILES = {
    "kept.txt": "Scan 40001 of www.example.com: finished\n\nÜberblick\n[3] SQL injection\n[3] SQL injection\n",
}


def _task(module, changed, calls, warns=None, **options):
    return Task(module, options, changed, tuple(calls.split(", ")), warns)


W, T, H, L, S, R = "/workspaces", "/targets", "/http_loggers", "/wordlists", "/scans", "/reports"
F, P = "/findings", "/public/finding_templates"

# what is read before a workspace is deleted
HELD = ", ".join(f"GET {TABLE[name].path}" for name in TABLE["workspace"].holds)

# creates that no unique key protects, so that a lost one is never sent again; their bodies are JSON
STARTS = (S, R)

# of the findings 70001 and 70003, which are duplicates
FINGERPRINT = fingerprint_of(Subject("www.example.com", "WEBSCAN-00-0000001", port=443, protocol="tcp"))

# a gate that fails is no task that succeeds
NEVER_FAIL = {"findings": "pass", "incomplete": "pass", "not_covered": "pass"}

WRITES = {
    **{name: task for family in SIMPLE for name, task in write_tasks(family, ACCOUNT).items()},
    # workspace
    "workspace-clear-description": _task(
        "workspace", True, f"GET {W}, PUT {W}/2, GET {W}/2", name="Web shop", description=""
    ),
    "workspace-no-description": _task("workspace", False, f"GET {W}", name="Empty", description=""),
    "workspace-rename-by-id": _task(
        "workspace", True, f"GET {W}/2, PUT {W}/2, GET {W}/2", id=2, new_name="Shop", description="Other"
    ),
    "workspace-renamed-already": _task("workspace", False, f"GET {W}", name="Shop", new_name="Web shop"),
    "workspace-rename-to-itself": _task("workspace", False, f"GET {W}", name="Web shop", new_name="Web shop"),
    "workspace-delete": _task(
        "workspace", True, f"GET {W}, {HELD}, DELETE {W}/3, GET {W}/3", name="Empty", state="absent"
    ),
    "workspace-delete-by-id": _task(
        "workspace", True, f"GET {W}/3, {HELD}, DELETE {W}/3, GET {W}/3", id=3, state="absent"
    ),
    "workspace-delete-full": _task(
        "workspace", True, f"GET {W}, DELETE {W}/2, GET {W}/2", name="Web shop", state="absent", force=True
    ),
    # target
    "target-create": _task(
        "target",
        True,
        f"GET {W}, GET {T}, POST {T}, GET {T}/1005",
        workspace="Web shop",
        name="https://new.example.com/",
        description="Fresh",
    ),
    "target-create-bare": _task(
        "target", True, f"GET {T}, POST {T}, GET {T}/1005", workspace_id=3, name="new.example.com"
    ),
    "target-create-in-current": _task(
        "target", True, f"GET {T}, POST {T}, GET {T}/1005", "current", name="new.example.com"
    ),
    "target-there": _task("target", False, f"GET {W}, GET {T}", workspace="Web shop", name="www.example.com"),
    "target-there-by-workspace-id": _task("target", False, f"GET {T}", workspace_id=2, name="www.example.com"),
    "target-there-with-description": _task(
        "target", False, f"GET {T}", workspace_id=2, name="www.example.com", description="Front"
    ),
    "target-there-spelled-otherwise": _task(
        "target", False, f"GET {T}", workspace_id=2, name="HTTPS://Shop.Example.com.:443/"
    ),
    "target-there-by-id": _task("target", False, f"GET {T}/1001", id=1001),
    "target-there-by-id-in-workspace": _task("target", False, f"GET {W}, GET {T}/1001", id=1001, workspace="Web shop"),
    "target-drift-warn": _task(
        "target", False, f"GET {T}", "not changed", workspace_id=2, name="www.example.com", description="Other"
    ),
    "target-drift-ignore": _task(
        "target", False, f"GET {T}", workspace_id=2, name="www.example.com", description="Other", on_drift="ignore"
    ),
    "target-drift-recreate": _task(
        "target",
        True,
        f"GET {T}, DELETE {T}/1001, POST {T}, GET {T}/1005",
        workspace_id=2,
        name="www.example.com",
        description="Other",
        on_drift="recreate",
        force=True,
    ),
    "target-delete": _task(
        "target", True, f"GET {T}, DELETE {T}/1003, GET {T}/1003", workspace_id=2, name="192.0.2.7", state="absent"
    ),
    "target-delete-spelled-otherwise": _task(
        "target",
        True,
        # the second page says that no other target is meant
        f"GET {T}, GET {T}, DELETE {T}/1001, GET {T}/1001",
        "another spelling of",
        workspace_id=2,
        name="WWW.example.com.",
        state="absent",
    ),
    "target-delete-by-id": _task(
        "target", True, f"GET {T}/1001, DELETE {T}/1001, GET {T}/1001", id=1001, state="absent"
    ),
    "target-absent": _task(
        "target", False, f"GET {T}, GET {T}", workspace_id=2, name="never.example.com", state="absent"
    ),
    "target-absent-in-no-workspace": _task(
        "target",
        False,
        f"GET {W}",
        "does not exist, so nothing is deleted",
        workspace="Never",
        name="www.example.com",
        state="absent",
    ),
    "target-absent-by-id": _task("target", False, f"GET {T}/99", id=99, state="absent"),
    # http_logger
    "http_logger-create-in-workspace": _task(
        "http_logger", True, f"GET {W}, GET {H}, POST {H}, GET {H}", workspace="Web shop", label="new"
    ),
    "http_logger-there-in-workspace-id": _task(
        "http_logger", False, f"GET {H}, GET {H}", workspace_id=2, label="canary"
    ),
    "http_logger-there-in-workspace": _task(
        "http_logger", False, f"GET {W}, GET {H}, GET {H}", workspace="Web shop", label="canary"
    ),
    "http_logger-delete-in-workspace": _task(
        "http_logger",
        True,
        # before a delete, the list of another workspace shows that the service filters
        f"GET {H}, GET {H}, GET {W}, GET {H}, DELETE {H}/501, GET {H}/501",
        workspace_id=2,
        label="canary",
        state="absent",
    ),
    "http_logger-elsewhere": _task(
        "http_logger", False, f"GET {H}, GET {H}", "not changed", workspace_id=3, label="canary", state="absent"
    ),
    # http_logger_data
    "http_logger_data-clear": _task(
        "http_logger_data",
        True,
        f"GET {H}, GET {H}/501/data, DELETE {H}/501/data, GET {H}/501/data",
        label="canary",
        state="absent",
    ),
    "http_logger_data-clear-by-id": _task(
        "http_logger_data",
        True,
        f"GET {H}/501, GET {H}/501/data, DELETE {H}/501/data, GET {H}/501/data",
        id=501,
        state="absent",
    ),
    "http_logger_data-clear-nothing": _task(
        "http_logger_data", False, f"GET {H}, GET {H}/502/data", label="quiet", state="absent"
    ),
    "http_logger_data-no-logger": _task(
        "http_logger_data", False, f"GET {H}", "No HTTP logger", label="never", state="absent"
    ),
    # targets: a short page is no end, so the list of a workspace costs one call more
    "targets-create": _task(
        "targets",
        True,
        f"GET {W}, GET {T}, GET {T}, POST {T}, POST {T}, GET {T}, GET {T}",
        workspace="Web shop",
        targets=["https://New.example.com/", "www.example.com", {"name": "also.example.com", "description": "Fresh"}],
    ),
    "targets-create-in-empty": _task(
        "targets", True, f"GET {T}, POST {T}, GET {T}, GET {T}", workspace_id=3, targets=["new.example.com"]
    ),
    "targets-there": _task(
        "targets",
        False,
        f"GET {T}, GET {T}",
        workspace_id=2,
        targets=[{"name": "www.example.com", "description": "Front"}, "HTTPS://Shop.Example.com.:443/"],
    ),
    "targets-none": _task("targets", False, f"GET {T}, GET {T}", "an empty list", workspace_id=2, targets=[]),
    "targets-ignored": _task(
        "targets",
        False,
        f"GET {T}, GET {T}",
        workspace_id=2,
        targets=[{"name": "www.example.com", "description": "Other", "ignore": True}],
    ),
    "targets-drift-warn": _task(
        "targets",
        False,
        f"GET {T}, GET {T}",
        "left as it is",
        workspace_id=2,
        targets=[{"name": "www.example.com", "description": "Other"}],
    ),
    "targets-drift-recreate": _task(
        "targets",
        True,
        f"GET {T}, GET {T}, DELETE {T}/1001, POST {T}, GET {T}/1005, GET {T}, GET {T}",
        workspace_id=2,
        targets=[{"name": "www.example.com", "description": "Other"}],
        on_drift="recreate",
        force=True,
    ),
    "targets-delete": _task(
        "targets",
        True,
        f"GET {W}, GET {T}, GET {T}, DELETE {T}/1003, DELETE {T}/1002, GET {T}, GET {T}",
        workspace="Web shop",
        targets=["192.0.2.7", "never.example.com", "https://Shop.example.com/"],
        state="absent",
    ),
    "targets-absent-in-no-workspace": _task(
        "targets",
        False,
        f"GET {W}",
        "does not exist, so nothing is deleted",
        workspace="Never",
        targets=["www.example.com"],
        state="absent",
    ),
    "targets-purge": _task(
        "targets",
        True,
        f"GET {T}, GET {T}, POST {T}, DELETE {T}/1003, GET {T}, GET {T}",
        workspace_id=2,
        targets=["www.example.com", "new.example.com"],
        purge=True,
        protect=["https://*"],
    ),
    # scan: a short page is no end, so a list that has any scan costs one call more
    "scan-start": _task(
        "scan",
        True,
        f"GET {T}, GET {S}, POST {S}, GET {S}, GET {S}, GET {S}/40004",
        workspace_id=2,
        target="www.example.com",
        tool="SSL Scanner",
        tool_params={"preset": "light"},
        max_age="1d",
        wait=False,
    ),
    "scan-fresh": _task(
        "scan",
        False,
        f"GET {W}, GET {T}, GET {S}, GET {S}",
        workspace="Web shop",
        target="www.example.com",
        tool="Website Scanner",
        max_age="2h",
    ),
    "scan-fresh-with-params": _task(
        "scan",
        False,
        f"GET {T}/1001, GET {S}, GET {S}, GET {S}/40001",
        target_id=1001,
        tool="170",
        tool_params={"scan_type": "light"},
        max_age="2h",
    ),
    "scan-delete": _task(
        "scan",
        True,
        f"GET {T}, GET {S}, GET {S}, DELETE {S}/40001, GET {S}/40001",
        workspace_id=2,
        target="www.example.com",
        tool="170",
        state="absent",
    ),
    "scan-delete-by-id": _task(
        "scan", True, f"GET {S}/40001, DELETE {S}/40001, GET {S}/40001", id=40001, state="absent"
    ),
    "scan-absent-by-id": _task("scan", False, f"GET {S}/99", id=99, state="absent"),
    # estate
    "estate-there": _task(
        "estate",
        False,
        f"GET {W}, GET {H}, GET {T}, GET {T}, GET {H}",
        workspaces=[
            {
                "name": "Web shop",
                "description": "All that customers reach",
                "targets": ["www.example.com"],
                "http_loggers": [{"label": "canary"}],
            },
            {"name": "Empty"},
        ],
    ),
    "estate-create": _task(
        "estate",
        True,
        f"GET {W}, GET {H}, POST {W}, POST {T}, POST {H}, GET {W}, GET {T}, GET {T}, GET {H}",
        workspaces=[
            {
                "name": "New",
                "description": "Fresh",
                "targets": [{"name": "new.example.com", "description": "Fresh"}],
                "http_loggers": [{"label": "new"}],
            }
        ],
    ),
    "estate-workspaces-only": _task("estate", False, f"GET {W}", workspaces=[{"name": "Web shop"}]),
    "estate-describe-and-purge": _task(
        "estate",
        True,
        # before a logger is purged, the lists of the other workspaces show that it is in none of them
        f"GET {W}, GET {H}, GET {T}, GET {T}, GET {H}, GET {H}, GET {H}, PUT {W}/2, GET {W}/2, POST {H},"
        f" DELETE {T}/1002, DELETE {T}/1003, DELETE {H}/501, GET {H}, GET {T}, GET {T}, GET {H}",
        workspaces=[
            {
                "name": "Web shop",
                "description": "Other",
                "targets": ["www.example.com"],
                "http_loggers": [{"label": "other"}],
            }
        ],
        purge=["targets", "http_loggers"],
    ),
    # report
    "report-delete": _task("report", True, f"GET {R}/301, DELETE {R}/301, GET {R}/301", id=301, state="absent"),
    "report-create": _task(
        "report",
        True,
        f"GET {R}, POST {R}, GET {R}/303, GET {R}/303/download",
        source="scans",
        resources=[40001],
        format="pdf",
        dest="report.pdf",
    ),
    "report-fetch": _task("report", True, f"GET {R}/301, GET {R}/301/download", id=301, dest="report.pdf"),
    "report-fetch-and-delete": _task(
        "report",
        True,
        f"GET {R}/302, GET {R}/302/download, DELETE {R}/302, GET {R}/302",
        id=302,
        dest="report.json",
        keep=False,
    ),
    "report-absent": _task("report", False, f"GET {R}/99", id=99, state="absent"),
    # finding
    "finding-status": _task(
        "finding",
        True,
        f"GET {F}/70001, GET {T}/1001, PATCH {F}/70001, GET {F}/70001",
        id=70001,
        status="accepted",
        reason="Known",
    ),
    "finding-there": _task(
        "finding",
        False,
        f"GET {F}/70002, GET {T}/1003",
        id=70002,
        status="fixed",
        verified=False,
        risk_level=0,
        reason="No",
    ),
    "finding-fingerprint": _task(
        "finding",
        True,
        # the service changes 70003 with 70001
        f"GET {W}, GET {S}, GET {S}, GET {T}, GET {T}, GET {F}, GET {F}/70001, PATCH {F}/70001, GET {F}/70001,"
        f" GET {F}/70003",
        workspace="Web shop",
        fingerprint=FINGERPRINT,
        status="false_positive",
        verified=True,
        risk_level=1,
    ),
    "finding-fingerprint-there": _task(
        "finding",
        False,
        f"GET {S}, GET {S}, GET {T}, GET {T}, GET {F}",
        workspace_id=2,
        fingerprint=FINGERPRINT,
        status="open",
    ),
    # scan_output
    "scan_output-pdf": _task(
        "scan_output", True, f"GET {S}/40001, GET {S}/40001/output", id=40001, format="pdf", dest="output.pdf"
    ),
    "scan_output-raw": _task(
        "scan_output", True, f"GET {S}/40001, GET {S}/40001/raw", id=40001, format="raw", dest="output.txt"
    ),
    "scan_output-there": _task(
        "scan_output", False, f"GET {S}/40001, GET {S}/40001/raw", id=40001, format="raw", dest="kept.txt"
    ),
    "scan_output-json": _task(
        "scan_output", True, f"GET {S}/40001, GET {S}/40001/output", id=40001, dest="output.json"
    ),
}

READS = {
    **{name: task for family in SIMPLE for name, task in read_tasks(family, ACCOUNT).items()},
    "report_info-all": _task("report_info", False, f"GET {R}"),
    "report_info-id": _task("report_info", False, f"GET {R}/302", id=302),
    "report_info-no-id": _task("report_info", False, f"GET {R}/99", id=99),
    "target_info-all": _task("target_info", False, f"GET {W}, GET {T}, GET {T}", workspace="Web shop"),
    "target_info-current": _task("target_info", False, f"GET {T}, GET {T}", "current"),
    "target_info-type": _task("target_info", False, f"GET {T}, GET {T}", workspace_id=2, type="url"),
    "target_info-name": _task("target_info", False, f"GET {T}", workspace_id=2, name="www.example.com"),
    "target_info-spelled-otherwise": _task(
        "target_info", False, f"GET {T}, GET {T}", workspace_id=2, name="WWW.example.com."
    ),
    "target_info-id": _task("target_info", False, f"GET {T}/1001", id=1001),
    "target_info-id-in-workspace": _task("target_info", False, f"GET {W}, GET {T}/1001", id=1001, workspace="Web shop"),
    "target_info-id-elsewhere": _task("target_info", False, f"GET {T}/1001", id=1001, workspace_id=3),
    "target_info-no-name": _task("target_info", False, f"GET {T}, GET {T}", workspace_id=2, name="never.example.com"),
    "target_info-no-id": _task("target_info", False, f"GET {T}/99", id=99),
    "http_logger_info-workspace": _task(
        "http_logger_info", False, f"GET {W}, GET {H}, GET {W}, GET {H}", workspace="Web shop"
    ),
    "http_logger_info-id-in-workspace": _task(
        "http_logger_info", False, f"GET {H}/501, GET {H}, GET {W}, GET {H}", id=501, workspace_id=2
    ),
    "http_logger_info-id-elsewhere": _task("http_logger_info", False, f"GET {H}/501, GET {H}", id=501, workspace_id=3),
    "http_logger_data_info-label": _task("http_logger_data_info", False, f"GET {H}, GET {H}/501/data", label="canary"),
    "http_logger_data_info-id": _task("http_logger_data_info", False, f"GET {H}/501, GET {H}/501/data", id=501),
    "http_logger_data_info-filtered": _task(
        "http_logger_data_info",
        False,
        f"GET {H}/501, GET {H}/501/data",
        id=501,
        method="post",
        source="192.0.2.0/24",
        since="2024-01-01",
    ),
    "wordlist_info-name": _task(
        "wordlist_info", False, f"GET {L}, GET {L}/1700/contents", name="Our hosts", contents=True
    ),
    "wordlist_info-id": _task("wordlist_info", False, f"GET {L}/1700, GET {L}/1700/contents", id=1700, contents=True),
    "service_info-required": _task("service_info", False, f"GET {W}", required=True),
    "service_info-asked": _task("service_info", False, f"GET {W}", required=False),
    "service_info-required-only": _task("service_info", False, f"GET {W}", required=True, schema=False),
    "scan_info-workspace": _task("scan_info", False, f"GET {W}, GET {S}, GET {S}", workspace="Web shop"),
    "scan_info-current": _task("scan_info", False, f"GET {S}, GET {S}", "current"),
    "scan_info-target": _task(
        "scan_info", False, f"GET {T}, GET {S}, GET {S}", workspace_id=2, target="www.example.com", tool="170"
    ),
    "scan_info-filtered": _task(
        "scan_info",
        False,
        f"GET {T}/1003, GET {S}, GET {S}",
        target_id=1003,
        tool="Whois Lookup",
        status=["Finished"],
    ),
    "scan_info-id": _task("scan_info", False, f"GET {S}/40001", id=40001),
    "scan_info-id-elsewhere": _task("scan_info", False, f"GET {S}/40001", id=40001, workspace_id=3),
    "scan_info-no-id": _task("scan_info", False, f"GET {S}/99", id=99),
    "scan_output_info-parsed": _task("scan_output_info", False, f"GET {S}/40001, GET {S}/40001/output", id=40001),
    "scan_output_info-raw": _task(
        "scan_output_info", False, f"GET {S}/40002, GET {S}/40002/output, GET {S}/40002/raw", id=40002
    ),
    "finding_info-workspace": _task(
        "finding_info", False, f"GET {W}, GET {S}, GET {S}, GET {T}, GET {T}, GET {F}", workspace="Web shop"
    ),
    "finding_info-current": _task("finding_info", False, f"GET {S}, GET {S}, GET {T}, GET {T}, GET {F}", "current"),
    "finding_info-target": _task(
        "finding_info", False, f"GET {T}, GET {S}, GET {S}, GET {F}", workspace_id=2, target="www.example.com"
    ),
    "finding_info-target-in-current": _task(
        "finding_info", False, f"GET {T}, GET {S}, GET {S}, GET {F}", "current", target="here.example.com"
    ),
    "finding_info-target-id": _task(
        "finding_info", False, f"GET {T}/1001, GET {S}, GET {S}, GET {F}", target_id=1001, since="2000-01-01"
    ),
    "finding_info-scan-id": _task("finding_info", False, f"GET {S}/40001, GET {T}/1001, GET {F}", scan_id=40001),
    "finding_info-scan-id-not-finished": _task(
        "finding_info",
        False,
        f"GET {W}, GET {S}/40003, GET {T}/1004, GET {F}",
        "not finished",
        scan_id=40003,
        workspace="My Workspace",
    ),
    "finding_info-filtered": _task(
        "finding_info",
        False,
        f"GET {S}, GET {S}, GET {T}, GET {T}, GET {F}",
        workspace_id=2,
        group_duplicates=True,
        allow_mismatch=True,
        min_severity="medium",
        status=["Open"],
        cve=["cve-2021-44228"],
        name="*Injection",
    ),
    "finding_info-id": _task("finding_info", False, f"GET {F}/70001, GET {T}/1001", id=70001),
    "finding_info-no-id": _task("finding_info", False, f"GET {F}/99", id=99),
    "gate-workspace": _task(
        "gate",
        False,
        f"GET {W}, GET {T}, GET {T}, GET {S}, GET {S}, GET {F}, GET {F}",
        workspace="Web shop",
        outcomes=NEVER_FAIL,
    ),
    "gate-workspace-id": _task(
        "gate",
        False,
        f"GET {T}, GET {T}, GET {S}, GET {S}, GET {W}/2, GET {F}",
        workspace_id=2,
        targets=["www.example.com"],
        tools=["Website Scanner"],
        outcomes=NEVER_FAIL,
    ),
    "gate-scan-ids": _task(
        "gate", False, f"GET {S}/40001, GET {T}/1001, GET {W}/2, GET {F}", scan_ids=[40001], outcomes=NEVER_FAIL
    ),
    "coverage_info-workspace": _task(
        "coverage_info", False, f"GET {W}, GET {T}, GET {T}, GET {S}, GET {S}", workspace="Web shop"
    ),
    "coverage_info-workspace-id": _task(
        "coverage_info", False, f"GET {W}/2, GET {T}, GET {T}, GET {S}, GET {S}", workspace_id=2, tools=[170]
    ),
    "coverage_info-all": _task(
        "coverage_info",
        False,
        f"GET {W}, GET {T}, GET {T}, GET {T}, GET {T}, GET {T}, GET {S}, GET {S}, GET {S}, GET {S}, GET {S}",
    ),
    "finding_template_info-all": _task("finding_template_info", False, f"GET {P}, GET {P}"),
    "finding_template_info-filtered": _task(
        "finding_template_info",
        False,
        f"GET {P}, GET {P}",
        name="outdated*",
        vuln_id_type="NETSCAN",
        has_ptt_exploit=True,
    ),
    "estate_info-some": _task(
        "estate_info", False, f"GET {W}, GET {H}, GET {T}, GET {T}, GET {H}", workspaces=["Web shop", "Never"]
    ),
    "estate_info-all": _task(
        "estate_info",
        False,
        f"GET {W}, GET {H}, GET {T}, GET {H}, GET {T}, GET {T}, GET {H}, GET {T}, GET {T}, GET {H}",
    ),
}

# what asks the service how it answers, so that its result differs with each form of the answers
_REST = ", ".join(
    f"GET {family.path}"
    for family in TABLE.values()
    if not family.paged and family.name not in ("workspace", "http_logger", "wordlist", "finding")
)
PROBES = {
    "service_verification-read": _task(
        "service_verification",
        False,
        f"GET {W}, GET {W}/2147483647, GET {W}/1, {f'GET {T}, ' * 12}GET {H}, GET {H}, GET {H}, GET {H}/501/data, "
        f"GET {L}, GET {L}/1602, GET {L}/1602/contents, {f'GET {S}, ' * 10}GET {F}, GET {F}, GET {F}, {f'GET {S}, ' * 6}"
        f"GET {S}/40001, GET {T}/1001, GET {S}/40001/output, GET {S}/40001/raw, GET {F}, GET {S}/40001/output, "
        f"GET {S}/40002/output, GET {T}/1004, GET {F}/70001, {_REST}, GET {P}, GET {P}, GET /api-schema.yml",
    ),
}

MODULES = tuple(sorted({task.module for task in (*WRITES.values(), *READS.values(), *PROBES.values())}))
# those that take one object, by its name or its id
_OTHERS = {"estate", "estate_info", "report", "report_info", "service_info", "service_verification", "targets"}
_OTHERS |= {"coverage_info", "finding", "gate", "scan", "scan_info", "scan_output", "scan_output_info"}
# its files change, and it shows no difference
WITHOUT_DIFF = ("gate",)
SINGLE = tuple(module for module in MODULES if module not in _OTHERS)

DEFAULT_FORM = {
    "create_answer": "created_id",
    "create_status": 201,
    "lists": "wrapped",
    "contents": "json_string",
    "logger_data": "object",
    "extra_fields": False,
    "null_description": False,
    "delete_status": 204,
    "order": "id",
    "normalise_targets": False,
}
# what the public notes leave open, one form of the service's answers each, and the calls that it shows in
ANSWER_FORMS = {
    "default": ({}, ""),
    "create-answers-a-record": ({"create_answer": "record"}, "POST"),
    "create-answers-a-record-200": ({"create_answer": "record", "create_status": 200}, "POST"),
    "create-answers-nothing": ({"create_answer": "nothing"}, "POST"),
    "lists-bare": ({"lists": "bare"}, r"GET /\w+$"),
    "contents-text": ({"contents": "text"}, "/contents"),
    "contents-wrapped": ({"contents": "wrapped"}, "/contents"),
    "logger-data-array": ({"logger_data": "array"}, "/data"),
    "extra-fields": ({"extra_fields": True}, "GET"),
    "null-descriptions": ({"null_description": True}, "GET /(workspaces|targets|wordlists)"),
    "delete-200": ({"delete_status": 200}, "DELETE"),
    "newest-first": ({"order": "newest_first"}, r"GET /\w+$"),
    "names-in-lower-case": ({"normalise_targets": True}, "POST /targets"),
    "all-at-once": (
        {
            "create_answer": "nothing",
            "create_status": 200,
            "lists": "bare",
            "contents": "text",
            "logger_data": "array",
            "extra_fields": True,
            "null_description": True,
            "delete_status": 200,
            "order": "newest_first",
        },
        "",
    ),
}


def key_of(module: str) -> str:
    """The result key that holds the module's record or records."""
    if module in OF_SIMPLE:
        return OF_SIMPLE[module].plural if module.endswith("_info") else module
    keys = {
        "coverage_info": "rows",
        "gate": "targets",
        "http_logger_data": "cleared",
        "http_logger_data_info": "requests",
        "targets": "results",
        "estate": "results",
        "estate_info": "workspaces",
        "scan_output": "checksum",
        "scan_output_info": "output",
        "service_info": "service",
        "service_verification": "rows",
    }
    return keys.get(module) or (f"{module[:-5]}s" if module.endswith("_info") else module)
