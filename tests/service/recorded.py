# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The settings that a recording of service_verification shows, so that the local service answers as the recorded one did.

A setting that the recording does not show is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .records import Record

VERSION = 1
FAR = "1000000 or more"
"""A page that no account has."""
TIME_FORMS = (
    ("utc", re.compile(r"....-..-..T.*Z")),
    ("offset", re.compile(r"....-..-..T.*[+-]\d\d:?\d\d")),
    ("plain", re.compile(r"....-..-.. [\d:.]+")),
)
# fields that the local service may leave out or set to null; an account shows others only at times
FIELDS = {
    "workspaces": ("description",),
    "targets": ("description", "type", "workspace_id"),
    "http_loggers": ("handler_url", "active_days", "num_requests"),
    "wordlists": ("description", "num_words", "predefined"),
    "scans": ("tool_id", "target_id", "workspace_id", "result_summary", "start_time", "status_name"),
    "findings": ("risk_level", "status", "cve", "target_id", "task_id"),
    "vpn_profiles": ("uuid", "name"),
    "finding_templates": ("name",),
    "reports": ("format",),
}
LIST_PATHS = {f"/public/{name}" if name == "finding_templates" else f"/{name}": name for name in FIELDS}


class RecordingError(ValueError):
    """A file that is not a recording of a version that is understood."""


def read(path: Path) -> Record:
    """A recording from its file. Raises RecordingError."""
    try:
        recording = json.loads(path.read_text(encoding="utf-8"))
        version = recording["about"]["version"]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise RecordingError(f"{path} is not a recording of service_verification ({error!r})") from None
    if version != VERSION:
        raise RecordingError(f"{path} has the version {version!r}; this checkout reads version {VERSION}")
    return dict(recording)


class Answers:
    """The answers of a recording."""

    def __init__(self, recording: Record) -> None:
        self.all: list[Record] = recording["answers"]
        self.headers: dict[str, Record] = recording["headers"]

    def of(self, method: str, path: str, status: int = 2) -> list[Record]:
        """The answers to a call, with statuses that begin with this digit; 0 for all."""
        return [
            each
            for each in self.all
            if (each["method"], each["path"]) == (method, path) and status in (0, each["status"] // 100)
        ]

    def lists(self) -> Iterator[tuple[str, Record]]:
        """The successful answers to reads of lists, with their families."""
        for path, family in LIST_PATHS.items():
            yield from ((family, each) for each in self.of("GET", path) if rows_in(each) is not None)

    def rows(self, *families: str) -> list[Record]:
        """The rows of the lists of families."""
        return [
            row
            for family, each in self.lists()
            if family in families
            for row in rows_in(each) or ()
            if isinstance(row, dict)
        ]

    def created(self) -> list[Record]:
        return [each for path in ("/workspaces", "/targets", "/http_loggers") for each in self.of("POST", path)]

    def deleted(self) -> list[Record]:
        return [each for each in self.all if each["method"] == "DELETE" and each["status"] < 300]

    def page(self, **query: object) -> Record | None:
        """The answer to a read of targets with a limit of 1 and this page."""
        found = [
            each
            for each in self.of("GET", "/targets", 0)
            if each["status"] // 100 != 3
            and {name: value for name, value in each.get("query", {}).items() if name != "workspace_id"}
            == {"limit": 1, **query}
        ]
        return found[0] if found else None


def data_of(answer: Record) -> Any:
    body = answer.get("body")
    return body["data"] if isinstance(body, dict) and "data" in body else body


def rows_in(answer: Record | None) -> list[Any] | None:
    """The rows of a list that were written, None for another answer."""
    data = data_of(answer or {})
    return data["first"] if isinstance(data, dict) and set(data) == {"rows", "first"} else None


def id_of(record: Record) -> object:
    """The id in a record, or in the answer to a create."""
    return record.get("created_id", record.get("id"))


def texts_in(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from texts_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts_in(inner)
    elif isinstance(value, str):
        yield value


# ---- what each setting is shown by; each function returns None if the recording does not show it


def lists(answers: Answers) -> str | None:
    bare = ["data" not in each["body"] for dummy, each in answers.lists()]
    return None if not bare else "bare" if any(bare) else "wrapped"


def create_answer(answers: Answers) -> str | None:
    for answer in answers.created():
        data = data_of(answer)
        if not isinstance(data, dict):
            return "nothing"
        return "created_id" if "created_id" in data else "record"
    return None


def contents(answers: Answers) -> str | None:
    for answer in answers.of("GET", "/wordlists/{id}/contents"):
        body = answer.get("body")
        return "text" if "body" not in answer else "json_string" if isinstance(body, str) else "wrapped"
    return None


def logger_data(answers: Answers) -> str | None:
    for answer in answers.of("GET", "/http_loggers/{id}/data"):
        return "array" if rows_in(answer) is not None else "object"
    return None


def null_description(answers: Answers) -> bool | None:
    found = [row["description"] for row in answers.rows("workspaces", "targets", "wordlists") if "description" in row]
    return None if None not in found and "" not in found else None in found


def first_page(answers: Answers) -> int | None:
    first, named = rows_in(answers.page()), rows_in(answers.page(page=1))
    return int(first == named) if first and named is not None else None


def past_end(answers: Answers) -> int | str | None:
    answer = answers.page(page=FAR)
    return None if answer is None else 404 if answer["status"] == 404 else "empty" if rows_in(answer) == [] else None


def ignore_page(answers: Answers) -> bool | None:
    first, far = rows_in(answers.page()), rows_in(answers.page(page=FAR))
    return first == far if first and far is not None else None


def max_limit(answers: Answers) -> int | None:
    refused = [
        each
        for each in answers.of("GET", "/targets", 4)
        if each["status"] in (400, 422) and each.get("query", {}).get("limit") == 1000
    ]
    return 100 if refused and rows_in(answers.page()) is not None else None


def omitted_workspace(answers: Answers) -> str | None:
    for path in ("/targets", "/scans"):
        for each in answers.of("GET", path):
            found = {row.get("workspace_id") for row in rows_in(each) or () if isinstance(row, dict)} - {None}
            if found and "workspace_id" not in each.get("query", {}):
                return "all" if len(found) > 1 else "current"
    return None


def delete_status(answers: Answers) -> int | None:
    statuses = [each["status"] for each in answers.deleted()]
    return None if not statuses else 204 if statuses == [204] * len(statuses) else 200


def deletes_done(answers: Answers) -> bool | None:
    for delete in answers.deleted():
        reads = [
            each["status"]
            for each in answers.of("GET", delete["path"], 0)
            if each.get("ids") == delete["ids"] and each["status"] in (200, 404)
        ]
        if reads:
            # equal answers are recorded once, so that a 200 may be older than the delete
            return 404 in reads
    return None


def put_replaces(answers: Answers) -> bool | None:
    """The verification changes the name of a workspace alone, and reads the workspace before and after that."""
    calls = [each for each in answers.all if each["path"] == "/workspaces/{id}" and each["status"] < 300]
    number = next((number for number, each in enumerate(calls) if each["method"] == "PUT"), 0)
    around = calls[number - 1 : number + 2]
    before, after = data_of(around[0] if number else {}), data_of(around[-1] if len(around) == 3 else {})
    if not isinstance(before, dict) or not isinstance(after, dict) or before.get("description") != "string":
        return None
    return after.get("description") != "string"


def logger_workspace(answers: Answers) -> str | None:
    """The verification creates loggers with a workspace in the query and the form, in the form, and in the query."""
    created = [(each, data_of(each)) for each in answers.of("POST", "/http_loggers")[:3]]
    named = {id_of(data): each.get("query", {}).get("workspace_id") for each, data in created if isinstance(data, dict)}
    places = [*named.values()]
    if len(places) < 3 or places[1] is not None:
        return None
    lists = [
        each for each in answers.of("GET", "/http_loggers") if each.get("query", {}).get("workspace_id") == places[0]
    ]
    rows = rows_in(lists[-1] if lists else None)
    if rows is None or not 1 < data_of(lists[-1])["rows"] <= len(named):
        return None
    ways = dict(zip(named, ("either", "form", "query")))
    found = {ways.get(id_of(row)) for row in rows}
    # of rows in the same form, only the first two are recorded
    return "either" if data_of(lists[-1])["rows"] == len(named) else "form" if "form" in found else "query"


def redirects(answers: Answers) -> str | None:
    found = [
        (each, answers.headers[str(each["headers"])].get("location", ""))
        for each in answers.all
        if each["method"] == "GET" and 300 <= each["status"] < 400
    ]
    if any("query" in each and "?" not in location for each, location in found):
        return "without_query"
    return "slash" if found else "none" if answers.all else None


def id_form(answers: Answers) -> str | None:
    ids = [
        text
        for text in texts_in([each.get("body") for each in answers.all])
        if re.match(r"(target|workspace) \d", text)
    ]
    return None if not ids else "text" if any(text.endswith(" as digits") for text in ids) else "integer"


def time_form(answers: Answers) -> str | None:
    for value in (row[name] for row in answers.rows("scans") for name in ("end_time", "start_time") if row.get(name)):
        if isinstance(value, int):
            return "unix_ms" if value > 10**11 else "unix"
        return next((form for form, pattern in TIME_FORMS if pattern.fullmatch(value)), None)
    return None


def finding_names(answers: Answers) -> str | None:
    for answer in answers.of("GET", "/findings/{id}"):
        return "alternative" if "vuln_risk_level" in data_of(answer) else "documented"
    return None


def beside_data(answers: Answers) -> str | None:
    beside = [each["body"] for dummy, each in answers.lists() if "data" in each["body"]]
    if any(re.search('"(current_page|last_page)"', json.dumps(each.get("meta"))) for each in beside):
        return "pages"
    return "total" if any("total" in json.dumps(each.get("meta")) for each in beside) else "nothing" if beside else None


def schema(answers: Answers) -> str | None:
    for answer in answers.of("GET", "/api-schema.yml", 0):
        kind = answers.headers[str(answer["headers"])].get("content-type")
        return "missing" if answer["status"] == 404 else "html" if kind == "text/html" else "published"
    return None


def running_output(answers: Answers) -> int | None:
    refused = [each["status"] for each in answers.of("GET", "/scans/{id}/output", 4)]
    return refused[0] if refused and refused[0] in (404, 409) else None


def report_status(answers: Answers) -> str | None:
    rows = answers.rows("reports")
    return next((name for name in ("status", "status_name") if rows and name in rows[0]), "none" if rows else None)


def ignored_filters(answers: Answers) -> list[str] | None:
    names = ("workspace_id", "target_id", "task_id")
    pairs = [
        (name, each["query"][name], row[name].partition(" as ")[0])
        for family, each in answers.lists()
        for name in names
        if name in each.get("query", {})
        for row in rows_in(each) or ()
        if isinstance(row, dict) and isinstance(row.get(name), str)
    ]
    return sorted({name for name, asked, found in pairs if asked != found}) if pairs else None


def _fields_where(answers: Answers, is_so: Callable[[Record, str], bool]) -> dict[str, list[str]] | None:
    found = {
        family: [field for field in fields if all(is_so(row, field) for row in rows)]
        for family, fields in FIELDS.items()
        for rows in [answers.rows(family)]
        if rows
    }
    return {family: fields for family, fields in found.items() if fields} if found else None


def missing_fields(answers: Answers) -> dict[str, list[str]] | None:
    return _fields_where(answers, lambda row, field: field not in row)


def null_fields(answers: Answers) -> dict[str, list[str]] | None:
    # another setting is about descriptions
    return _fields_where(answers, lambda row, field: field != "description" and row.get(field, "") is None)


def rate_limits(answers: Answers) -> Record | None:
    shown = ["x-ratelimit-limit" in answers.headers[str(each["headers"])] for each in answers.of("GET", "/workspaces")]
    return {"headers": all(shown)} if shown else None


def create_status(answers: Answers) -> int | None:
    statuses = [each["status"] for each in answers.created() if each["status"] in (200, 201)]
    return statuses[0] if statuses else None


SHOWN_BY: tuple[Callable[[Answers], Any], ...] = (
    lists, create_answer, create_status, contents, logger_data, null_description, first_page, ignore_page, past_end, max_limit,
    omitted_workspace, delete_status, deletes_done, put_replaces, logger_workspace, redirects, id_form, time_form,
    finding_names, beside_data, schema, running_output, report_status, ignored_filters, missing_fields, null_fields,
    rate_limits,
)  # fmt: skip


def settings_of(recording: Record) -> Record:
    """The settings that a recording shows, by name."""
    answers = Answers(recording)
    found = {function.__name__: function(answers) for function in SHOWN_BY}
    if found["ignore_page"]:
        # the first page is every page then
        found.update(past_end=None, first_page=None)
    return {name: value for name, value in found.items() if value is not None}
