# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The switches of the local service: what the public documentation leaves open, and what differs between accounts.

The defaults are the most likely behaviour of the real service.
"""

from __future__ import annotations

import copy
import html
import re
import unicodedata
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from .records import Record

# filled by families.py, whose modules need this one
FAMILIES: set[str] = set()
LIST_FAMILIES: set[str] = set()
"""The families whose lists the service documents without pages."""
LEVELS = ("info", "low", "medium", "high", "critical")
RATE_LIMITS: Record = {
    "window": "fixed",
    "seconds": 60,
    "tick": 1,
    "GET": 250,
    "write": 125,
    "output": 60,
    "retry_after": "seconds",
    "headers": True,
}


class SettingsError(ValueError):
    """An unknown setting, or a value that a setting does not accept."""


# ---- checks of values


class Check(NamedTuple):
    """A test of a value from JSON, and the words for the values that pass."""

    passes: Callable[[Any], bool]
    expected: str


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _or_null(check: Check) -> Check:
    return Check(lambda value: value is None or check.passes(value), f"{check.expected}, or null")


def _list_of(check: Check, expected: str) -> Check:
    return Check(lambda value: isinstance(value, list) and all(map(check.passes, value)), expected)


def _by_name(check: Check, expected: str, names: Collection[str] | None = None) -> Check:
    """An object whose values pass the check, with any names or some of these."""
    return Check(
        lambda value: (
            isinstance(value, dict)
            and (names is None or not set(value) - set(names))
            and all(map(check.passes, value.values()))
        ),
        expected,
    )


def _one_of(*values: object) -> Check:
    return Check(lambda value: value in values, "one of " + ", ".join(map(repr, values)))


def _some_of(*values: object) -> Check:
    return _list_of(_one_of(*values), "a list with some of " + ", ".join(map(repr, values)))


FLAG = Check(lambda value: isinstance(value, bool), "true or false")
NUMBER = Check(_is_integer, "a number")
NUMBERS = _list_of(NUMBER, "a list of numbers")
COUNT_OR_NONE = _or_null(Check(lambda value: _is_integer(value) and value >= 0, "a number from 0 on"))
POSITIVE = Check(lambda value: _is_integer(value) and value > 0, "a number from 1 on")
POSITIVE_OR_NONE = _or_null(POSITIVE)
SECONDS = Check(lambda value: _is_number(value) and value >= 0, "seconds, from 0 on")
MORE_THAN_0 = Check(lambda value: _is_number(value) and value > 0, "a number above 0")
SECONDS_OR_NONE = _or_null(SECONDS)
WHOLE_SECONDS = Check(lambda value: _is_integer(value) and abs(value) <= 10**9, "whole seconds, also less than 0")
TEXT = Check(_is_text, "a string")
TEXT_OR_NONE = _or_null(TEXT)
TEXTS_BY_NAME = _by_name(TEXT, "an object of strings")
NAMES = _list_of(TEXT, "a list of strings")
FIELDS_OF_FAMILIES = _by_name(NAMES, "an object of lists of fields by family", FAMILIES)
CAPS = _by_name(POSITIVE, "an object of numbers from 1 on by family", FAMILIES)
LISTS_OF_FAMILIES = _list_of(Check(lambda value: value in LIST_FAMILIES, ""), "a list of families without pages")
NUMBERS_BY_LEVEL = _by_name(NUMBER, f"an object of numbers by {', '.join(LEVELS)}", LEVELS)

SCRIPT = {
    "queue": SECONDS,
    "run": SECONDS,
    "tests": COUNT_OR_NONE,
    "end": TEXT,
    "message": TEXT,
    "findings": NUMBERS,
    "missing": NAMES,
    "unfinished": NUMBERS,
    "behind_login": NAMES,
}
"""The keys of a scan's script."""


def _object_of(checks: dict[str, Check], expected: str) -> Check:
    """An object with some of these names, whose values pass their checks."""
    return Check(
        lambda value: (
            isinstance(value, dict)
            and all(name in checks and checks[name].passes(each) for name, each in value.items())
        ),
        expected,
    )


SCRIPTS = _list_of(
    _object_of({"target": TEXT, "tool_id": NUMBER, **SCRIPT}, "a script"),
    f"a list of {{target, tool_id, {', '.join(SCRIPT)}}}, all of them optional",
)
LIMITS = _or_null(
    _object_of(
        {
            "window": _one_of("fixed", "sliding", "bucket"),
            "retry_after": _one_of("seconds", "date", "none"),
            "headers": FLAG,
            **dict.fromkeys(("seconds", "tick"), MORE_THAN_0),
            **dict.fromkeys(("GET", "write", "output"), POSITIVE),
        },
        "{window: fixed|sliding|bucket, seconds, tick, GET, write, output, retry_after: seconds|date|none, headers}",
    )
)

FORMS_OF_TEXT: dict[str, Callable[[str], str]] = {
    "exact": str,
    "trimmed": str.strip,
    "line_ends": lambda text: text.replace("\r\n", "\n").replace("\n", "\r\n"),
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "cut": lambda text: text[:20],
    "escaped": html.escape,
    "ascii": lambda text: text.encode("ascii", "replace").decode(),
    "without_tags": lambda text: re.sub("<[^>]*>", "", text),
    "dropped": lambda text: "",
    "default": lambda text: "added from API",
    "extended": lambda text: f"{text} (added by the API)",
    "prefixed": lambda text: f"[API] {text}",
    "translated": lambda text: "".join(chr(ord(each) + 1) for each in text) if text else "",
}

# ---- the settings


class Setting(NamedTuple):
    """The declaration of a setting, in place of its value on the class."""

    default: object
    check: Check


def _setting(default: object, check: Check) -> Any:
    """Declare a setting. Any, because the attribute has the type that the check admits."""
    return Setting(default, check)


class Settings:
    """All settings with their default values. README.md explains them."""

    create_answer: str = _setting("created_id", _one_of("created_id", "id", "record", "nothing"))
    create_status: int = _setting(201, _one_of(200, 201, 202, 204))
    update_answer: str = _setting("nothing", _one_of("nothing", "empty", "record"))
    lists: str = _setting("wrapped", _one_of("wrapped", "bare", "items", "results"))
    empty_list: int | str = _setting("list", _one_of("list", "null", "missing", 204, 404))
    records: str = _setting("wrapped", _one_of("wrapped", "bare", "list"))
    duplicate_rows: bool = _setting(False, FLAG)
    unknown_id: int | str = _setting(404, _one_of(404, 403, 410, "null"))
    contents: str = _setting("json_string", _one_of("json_string", "text", "wrapped"))
    logger_data: str = _setting("object", _one_of("object", "array"))
    extra_fields: bool = _setting(False, FLAG)
    null_description: bool = _setting(False, FLAG)
    stored_text: str = _setting("exact", _one_of(*FORMS_OF_TEXT))
    page_cap: int | None = _setting(None, COUNT_OR_NONE)
    first_page: int = _setting(1, _one_of(0, 1))
    ignore_page: bool = _setting(False, FLAG)
    past_end: int | str = _setting("empty", _one_of("empty", 404))
    order: str = _setting("id", _one_of("id", "newest_first"))
    normalise_targets: bool = _setting(False, FLAG)
    omitted_workspace: str = _setting("current", _one_of("current", "all"))
    logger_workspace: str = _setting("either", _one_of("either", "query", "form"))
    unknown_workspace: int | str = _setting("documented", _one_of("documented", 404, "empty"))
    max_targets: int | None = _setting(None, COUNT_OR_NONE)
    max_name: int | None = _setting(255, COUNT_OR_NONE)
    blacklist: list[str] = _setting([], NAMES)
    licence_valid: bool = _setting(True, FLAG)
    api_access: bool = _setting(True, FLAG)
    target_deletion: bool = _setting(True, FLAG)
    delete_status: int | str = _setting(204, _one_of(204, 200, 202, 404, "empty"))
    deletes_done: bool = _setting(True, FLAG)
    put_replaces: bool = _setting(False, FLAG)
    empty_description: str = _setting("valid", _one_of("valid", "invalid"))
    redirects: str = _setting("none", _one_of("none", "slash", "without_query"))
    predefined_delete: int = _setting(403, _one_of(204, 403, 409))
    rate_limits: Record | None = _setting(RATE_LIMITS, LIMITS)
    delay: float = _setting(0, SECONDS)
    clock: float | None = _setting(None, SECONDS_OR_NONE)
    clock_offset: int = _setting(0, WHOLE_SECONDS)
    record_zone: int = _setting(0, WHOLE_SECONDS)
    scan_queue_time: float = _setting(0, SECONDS)
    scan_run_time: float = _setting(0, SECONDS)
    scan_end: str = _setting("finished", TEXT)
    scan_findings: list[int] = _setting([0, 1, 2, 3, 4], NUMBERS)
    scan_scripts: list[Record] = _setting([], SCRIPTS)
    scan_stop_time: float = _setting(0, SECONDS)
    stop_answer: int = _setting(200, _one_of(200, 204))
    running_summary: str = _setting("null", _one_of("null", "counts", "missing"))
    running_output: int | str = _setting(404, _one_of(404, 409, "partial"))
    quiet_tests: bool = _setting(True, FLAG)
    raw_only_tools: list[int] = _setting([30, 240], NUMBERS)
    report_time: float = _setting(0, SECONDS)
    report_status: str = _setting("status", _one_of("status", "status_name", "none"))
    report_not_ready: int = _setting(404, _one_of(404, 409))
    report_answer: str = _setting("report_id", _one_of("report_id", "created_id", "id", "record", "nothing"))
    report_size: int | None = _setting(0, COUNT_OR_NONE)
    report_type: str | None = _setting(None, TEXT_OR_NONE)
    schema: str = _setting("published", _one_of("published", "missing", "html"))
    schema_text: str | None = _setting(None, TEXT_OR_NONE)
    validate: bool = _setting(False, FLAG)
    missing_fields: dict[str, list[str]] = _setting({}, FIELDS_OF_FAMILIES)
    missing_in_lists: dict[str, list[str]] = _setting({}, FIELDS_OF_FAMILIES)
    null_fields: dict[str, list[str]] = _setting({}, FIELDS_OF_FAMILIES)
    ignored_filters: list[str] = _setting([], _some_of("workspace_id", "target_id", "task_id"))
    capped_lists: dict[str, int] = _setting({}, CAPS)
    paged_lists: list[str] = _setting([], LISTS_OF_FAMILIES)
    beside_data: str = _setting("nothing", _one_of("nothing", "total", "pages", "cursor", "link"))
    endless_lists: bool = _setting(False, FLAG)
    max_limit: int | None = _setting(None, POSITIVE_OR_NONE)
    summary_off_by: dict[str, int] = _setting({}, NUMBERS_BY_LEVEL)
    max_parallel_scans: int | None = _setting(None, COUNT_OR_NONE)
    max_assets: int | None = _setting(None, COUNT_OR_NONE)
    extra_members: bool = _setting(False, FLAG)
    errors: str = _setting("documented", _one_of("documented", "nested", "text"))
    json_type: str = _setting("application/json", TEXT)
    encoding: str = _setting("ascii", _one_of("ascii", "utf-8", "utf-8-sig", "utf-16"))
    compressed: bool = _setting(False, FLAG)
    limit_headers: str | None = _setting(None, TEXT_OR_NONE)
    boolean_form: str = _setting("boolean", _one_of("boolean", "text", "number"))
    number_form: str = _setting("integer", _one_of("integer", "text", "float"))
    status_form: str = _setting("documented", _one_of("documented", "upper", "snake", "status"))
    id_form: str = _setting("integer", _one_of("integer", "text"))
    time_form: str = _setting("plain", _one_of("plain", "offset", "utc", "unix", "unix_ms"))
    finding_names: str = _setting("documented", _one_of("documented", "alternative"))
    finding_changes: str = _setting("duplicates", _one_of("duplicates", "one"))
    half_characters: bool = _setting(False, FLAG)
    redirecting_targets: dict[str, str] = _setting({}, TEXTS_BY_NAME)
    unreachable_targets: list[str] = _setting([], NAMES)
    least_scan_time: int = _setting(1, POSITIVE)
    scan_time_status: int = _setting(400, _one_of(400, 422))

    def __init__(self) -> None:
        for name, setting in SETTINGS.items():
            setattr(self, name, copy.deepcopy(setting.default))

    def update(self, changes: object) -> None:
        """Set several settings at once. Raises SettingsError and changes nothing if one of them is wrong."""
        if not isinstance(changes, dict):
            raise SettingsError("settings must be an object of names and values")
        for name, value in changes.items():
            if name not in SETTINGS:
                raise SettingsError(f"unknown setting {name!r}; known are {', '.join(sorted(SETTINGS))}")
            check = SETTINGS[name].check
            if not check.passes(value):
                raise SettingsError(f"setting {name!r} cannot be {value!r}; it is {check.expected}")
        for name, value in changes.items():
            if name == "rate_limits" and value is not None:
                value = {**RATE_LIMITS, **value}
            setattr(self, name, copy.deepcopy(value))

    def stored(self, text: str) -> str:
        """A text as this service keeps it."""
        return FORMS_OF_TEXT[self.stored_text](text)

    def deviates(self) -> bool:
        """Whether the service is told to leave the contract."""
        return any(getattr(self, name) != SETTINGS[name].default for name in DEVIATING)

    def as_dict(self) -> Record:
        return {name: copy.deepcopy(getattr(self, name)) for name in SETTINGS}


SETTINGS = {name: value for name, value in vars(Settings).items() if isinstance(value, Setting)}
DEVIATING = (
    "missing_fields",
    "missing_in_lists",
    "null_fields",
    "paged_lists",
    "id_form",
    "time_form",
    "half_characters",
    "first_page",
    "put_replaces",
    "redirects",
    "records",
    "empty_list",
    "unknown_id",
    "lists",
    "create_status",
    "update_answer",
    "delete_status",
    "extra_members",
    "errors",
    "json_type",
    "encoding",
    "boolean_form",
    "number_form",
    "status_form",
)
"""Settings under which the service leaves the contract on purpose; the log then has deviations in place of violations."""
