# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The switches of the local service: what the public facts leave open, and what an account may be like.

The defaults are the most likely behaviour of the real service.
"""

from __future__ import annotations

import copy

RATE_LIMITS = {
    "window": "fixed",
    "seconds": 60,
    "GET": 250,
    "write": 125,
    "output": 60,
    "retry_after": "seconds",
    "headers": True,
}


class SettingsError(ValueError):
    """A setting that does not exist, or a value that it cannot take."""


def _one_of(*values):
    def check(value):
        return value in values

    check.expected = "one of " + ", ".join(repr(value) for value in values)
    return check


def _flag(value):
    return isinstance(value, bool)


_flag.expected = "true or false"


def _count_or_none(value):
    return value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0)


_count_or_none.expected = "a number from 0 on, or null"


def _seconds(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0


_seconds.expected = "seconds, from 0 on"


def _names(value):
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


_names.expected = "a list of strings"


def _whole_seconds(value):
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= 10**9


_whole_seconds.expected = "whole seconds, also less than 0"


def _text(value):
    return isinstance(value, str)


_text.expected = "a text"


def _text_or_none(value):
    return value is None or isinstance(value, str)


_text_or_none.expected = "a text, or null"


def _number(value):
    return isinstance(value, int) and not isinstance(value, bool)


def _numbers(value):
    return isinstance(value, list) and all(_number(item) for item in value)


_numbers.expected = "a list of numbers"

LIST_FAMILIES = ("workspaces", "http_loggers", "wordlists", "vpn_profiles", "findings", "reports")
"""The families whose lists the service documents without pages."""
FAMILIES = (*LIST_FAMILIES, "targets", "scans", "finding_templates")


def _fields_of_families(value):
    return isinstance(value, dict) and not set(value) - set(FAMILIES) and all(_names(each) for each in value.values())


_fields_of_families.expected = f"an object of lists of fields, its names some of {', '.join(FAMILIES)}"


def _caps(value):
    return isinstance(value, dict) and not set(value) - set(LIST_FAMILIES) and all(map(_positive, value.values()))


_caps.expected = f"an object of numbers from 1 on, its names some of {', '.join(LIST_FAMILIES)}"


def _texts_by_name(value):
    return isinstance(value, dict) and all(isinstance(each, str) for each in value.values())


_texts_by_name.expected = "an object of texts"


def _some_of(*values):
    def check(value):
        return isinstance(value, list) and all(item in values for item in value)

    check.expected = "a list with some of " + ", ".join(repr(value) for value in values)
    return check


def _positive(value):
    return _number(value) and value > 0


_positive.expected = "a number from 1 on"


def _positive_or_none(value):
    return value is None or _positive(value)


_positive_or_none.expected = "a number from 1 on, or null"

LEVELS = ("info", "low", "medium", "high", "critical")


def _by_level(value):
    return isinstance(value, dict) and not set(value) - set(LEVELS) and all(map(_number, value.values()))


_by_level.expected = f"an object of numbers, its names some of {', '.join(LEVELS)}"

SCRIPT = {
    "queue": _seconds,
    "run": _seconds,
    "tests": _count_or_none,
    "end": _text,
    "message": _text,
    "findings": _numbers,
    "missing": _names,
}
"""What a scan's script may say, each with its check."""


def _scripts(value):
    return isinstance(value, list) and all(
        isinstance(script, dict)
        and not set(script) - {"target", "tool_id", *SCRIPT}
        and isinstance(script.get("target", ""), str)
        and _number(script.get("tool_id", 1))
        and all(check(script[name]) for name, check in SCRIPT.items() if name in script)
        for script in value
    )


_scripts.expected = "a list of {target, tool_id, " + ", ".join(SCRIPT) + "}, all of them optional"


def _rate_limits(value):
    if value is None:
        return True
    return (
        isinstance(value, dict)
        and not set(value) - set(RATE_LIMITS)
        and value.get("window", "fixed") in ("fixed", "sliding", "bucket")
        and value.get("retry_after", "seconds") in ("seconds", "date", "none")
        and _flag(value.get("headers", True))
        and _seconds(value.get("seconds", 60))
        and value.get("seconds", 60) > 0
        and all(isinstance(value.get(kind, 1), int) and value.get(kind, 1) > 0 for kind in ("GET", "write", "output"))
    )


_rate_limits.expected = (
    "null or {window: fixed|sliding|bucket, seconds, GET, write, output, retry_after: seconds|date|none, headers}"
)

# name: (default, check)
SETTINGS = {
    "create_answer": ("created_id", _one_of("created_id", "record", "nothing")),
    "create_status": (201, _one_of(200, 201)),
    "lists": ("wrapped", _one_of("wrapped", "bare")),
    "contents": ("json_string", _one_of("json_string", "text", "wrapped")),
    "logger_data": ("object", _one_of("object", "array")),
    "extra_fields": (False, _flag),
    "null_description": (False, _flag),
    "page_cap": (None, _count_or_none),
    "ignore_page": (False, _flag),
    "past_end": ("empty", _one_of("empty", 404)),
    "order": ("id", _one_of("id", "newest_first")),
    "normalise_targets": (False, _flag),
    "omitted_workspace": ("current", _one_of("current", "all")),
    "unknown_workspace": (404, _one_of(404, "empty")),
    "max_targets": (None, _count_or_none),
    "max_name": (255, _count_or_none),
    "blacklist": ([], _names),
    "licence_valid": (True, _flag),
    "api_access": (True, _flag),
    "target_deletion": (True, _flag),
    "delete_status": (204, _one_of(200, 204)),
    "predefined_delete": (403, _one_of(204, 403, 409)),
    "workspace_put_conflict": (True, _flag),
    "rate_limits": (RATE_LIMITS, _rate_limits),
    "delay": (0, _seconds),
    "clock_offset": (0, _whole_seconds),
    "record_zone": (0, _whole_seconds),
    "scan_queue_time": (0, _seconds),
    "scan_run_time": (0, _seconds),
    "scan_tests": (20, _count_or_none),
    "scan_end": ("finished", _text),
    "scan_findings": ([0, 1, 2, 3, 4], _numbers),
    "scan_scripts": ([], _scripts),
    "scan_stop_time": (0, _seconds),
    "stop_answer": (200, _one_of(200, 204)),
    "running_summary": ("null", _one_of("null", "counts", "missing")),
    "running_output": (404, _one_of(404, 409, "partial")),
    "raw_only_tools": ([30, 240], _numbers),
    "report_time": (0, _seconds),
    "report_status": ("status", _one_of("status", "status_name", "none")),
    "report_not_ready": (404, _one_of(404, 409)),
    "report_answer": ("report_id", _one_of("report_id", "created_id", "id", "record", "nothing")),
    "report_size": (0, _count_or_none),
    "report_type": (None, _text_or_none),
    "schema": ("published", _one_of("published", "missing", "html")),
    "schema_text": (None, _text_or_none),
    "validate": (False, _flag),
    "missing_fields": ({}, _fields_of_families),
    "missing_in_lists": ({}, _fields_of_families),
    "null_fields": ({}, _fields_of_families),
    "ignored_filters": ([], _some_of("workspace_id", "target_id", "task_id")),
    "capped_lists": ({}, _caps),
    "paged_lists": ([], _some_of(*LIST_FAMILIES)),
    "beside_data": ("nothing", _one_of("nothing", "total", "pages")),
    "endless_lists": (False, _flag),
    "max_limit": (None, _positive_or_none),
    "summary_off_by": ({}, _by_level),
    "max_parallel_scans": (None, _count_or_none),
    "max_assets": (None, _count_or_none),
    "id_form": ("integer", _one_of("integer", "text")),
    "time_form": ("plain", _one_of("plain", "offset", "utc", "unix", "unix_ms")),
    "finding_names": ("documented", _one_of("documented", "alternative")),
    "repeated_keys": ([], _names),
    "tolerant": (False, _flag),
    "redirecting_targets": ({}, _texts_by_name),
    "unreachable_targets": ([], _names),
    "least_scan_time": (1, _positive),
    "scan_time_status": (400, _one_of(400, 422)),
}

DEVIATING = (
    "missing_fields",
    "missing_in_lists",
    "null_fields",
    "paged_lists",
    "id_form",
    "time_form",
    "repeated_keys",
)
"""Settings under which the service leaves the contract on purpose: what is against it is a deviation, no violation."""


class Settings:
    """All settings as attributes; `update` checks names and values before it changes anything."""

    def __init__(self):
        for name, (default, _check) in SETTINGS.items():
            setattr(self, name, copy.deepcopy(default))

    def update(self, changes: dict) -> None:
        """Set several settings at once. Raises SettingsError and changes nothing if one of them is wrong."""
        if not isinstance(changes, dict):
            raise SettingsError("settings must be an object of names and values")
        for name, value in changes.items():
            if name not in SETTINGS:
                raise SettingsError(f"unknown setting {name!r}; known are {', '.join(sorted(SETTINGS))}")
            check = SETTINGS[name][1]
            if not check(value):
                raise SettingsError(f"setting {name!r} cannot be {value!r}; it is {check.expected}")
        for name, value in changes.items():
            if name == "rate_limits" and value is not None:
                value = {**RATE_LIMITS, **value}
            setattr(self, name, copy.deepcopy(value))

    def deviates(self) -> bool:
        """Whether the service is told to leave the contract."""
        return any(getattr(self, name) != SETTINGS[name][0] for name in DEVIATING)

    def as_dict(self) -> dict:
        return {name: copy.deepcopy(getattr(self, name)) for name in SETTINGS}
