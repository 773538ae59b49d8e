# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The assumptions about envelopes, lists, creates and deletes, objects, errors and headers: one row each. Pure."""

from __future__ import annotations

import re

from .._errors import counted
from .._families.finding import FINDING
from .._families.http_logger import HTTP_LOGGER
from .._families.table import FAMILIES
from .._families.target import TARGET, TARGET_TYPES
from .._families.workspace import WORKSPACE
from .._http.advice import CREATE_HINTS, next_step
from .._http.retry import moment
from .judges import (
    NEEDS_WRITES,
    Observation,
    Observations,
    Row,
    Verdict,
    confirmed_if,
    describe,
    fields_of,
    judge_answers,
    judge_both,
    judge_current_workspace,
    judge_fields,
    judge_rows,
    judge_status,
    judge_times,
    judge_types,
    not_tried,
    refused,
    unless,
    values_of,
)

# the family of each list
_LISTS = {family.plural: family for family in FAMILIES.values()}
_ID_FIELDS = ("id", "workspace_id", "target_id", "tool_id", "task_id")
_NO_ANSWER = "no answer"
_NO_LIMIT = "the limit is never used up on purpose"
_NO_SHORT_WORDLIST = "no short wordlist was found"
_NO_TARGETS = "no targets were found"


# --- the form of answers


def _has_created_id(answer: Observation) -> bool:
    return answer.status == 201 and str(answer.record.get("created_id")).isdigit()


def _judge_envelopes(answers: Observations) -> Verdict:
    bodies = {name: answers[name].body for name in _LISTS if name in answers and answers[name].status == 200}
    bare = [name for name, body in bodies.items() if not isinstance(body, dict) or "data" not in body]
    return unless(bare, f"{counted(len(bodies), 'list')} wrapped in data", "not wrapped in data")


def _judge_ids(answers: Observations) -> Verdict | None:
    ids = [(name, field, row.get(field)) for name in _LISTS for row in answers.rows(name) for field in _ID_FIELDS]
    others = {f"{name}.{field}" for name, field, value in ids if isinstance(value, (str, float))}
    return unless(others, "integers", "not integers") if ids else None


def _judge_rate_headers(answers: Observations) -> Verdict:
    headers = answers["workspaces"].headers
    missing = [name for name in ("X-RateLimit-Limit", "X-RateLimit-Remaining") if headers.get(name) is None]
    return unless(missing, "both headers present", "missing")


def _judge_date(answers: Observations) -> Verdict:
    header = answers["workspaces"].headers.get("Date")
    is_readable = moment(header) is not None
    return confirmed_if(
        is_readable, f"Date header {'present' if is_readable else 'not readable' if header else 'missing'}"
    )


def _judge_schema(answers: Observations) -> Verdict | None:
    answer = answers.get("schema")
    if answer is None:
        return None
    text = answer.body if isinstance(answer.body, str) else ""
    is_openapi = answer.form == "json" or (answer.form != "html" and re.search("^openapi:", text, re.MULTILINE))
    seen = f"status {answer.status}, {'an' if is_openapi else 'no'} OpenAPI file"
    return confirmed_if(answer.status == 200 and is_openapi, seen)


# --- lists


def _judge_whole_lists(answers: Observations) -> Verdict:
    # another assumption is about the list of findings
    names = [name for name, family in _LISTS.items() if not family.paged and family is not FINDING and name in answers]
    found = {name: answers[name].beside for name in names}
    cut = [name for name, each in found.items() if each.more or (each.total or 0) > len(answers.rows(name))]
    return unless(cut, "no answer announces more rows", "incomplete")


def _judge_pages(answers: Observations) -> Verdict | None:
    listed = answers.get("targets")
    if listed is not None and listed.status >= 400:
        return confirmed_if(False, f"limit 1000: {describe(listed)}")
    first, second = answers.rows("page_1"), answers.rows("page_2")
    if len(answers.rows("targets")) < 2 and not second:
        return None
    if values_of(answers.rows("first_page"), "id") != values_of(first, "id"):
        return confirmed_if(False, "page 1 is not the first page")
    repeated = bool(first and second) and first[0].get("id") == second[0].get("id")
    seen = f"limit 1: {counted(len(first), 'row')} on page 1, {len(second)} on page 2"
    is_paged = len(first) == 1 and len(second) == 1 and not repeated
    return confirmed_if(is_paged, f"{seen}, the same id" if repeated else seen)


# --- targets and loggers


def _judge_workspaces(answers: Observations) -> Verdict | None:
    targets, loggers = answers.rows("targets"), answers.rows("http_loggers")
    if not targets and not loggers:
        return None
    workspace = str(answers["targets"].expected.get("workspace_id")) if targets else ""
    first, second = (values_of(answers.rows(f"http_loggers_{number}"), "id") for number in (1, 2))
    deviations = {
        "targets without a workspace_id": any(row.get("workspace_id") is None for row in targets),
        "targets of other workspaces": any(str(row.get("workspace_id", workspace)) != workspace for row in targets),
        "HTTP loggers with a workspace_id": any("workspace_id" in row for row in loggers),
        "the same HTTP loggers in two workspaces": bool(first & second),
    }
    return unless([deviation for deviation, is_found in deviations.items() if is_found], "as assumed")


# --- creates and deletes


_CREATES = ("create", "create_target", "create_http_logger")


def _judge_listed(answers: Observations) -> Verdict | None:
    listed = {family.noun: f"listed_{family.name}" for family in (WORKSPACE, TARGET, HTTP_LOGGER)}
    tried = {noun: answers.rows(name) for noun, name in listed.items() if name in answers}
    if not tried:
        return refused(answers, *_CREATES)
    return unless([noun for noun, rows in tried.items() if not rows], "each is listed", "missing in its list")


def _judge_target_delete(answers: Observations) -> Verdict | None:
    return refused(answers, "delete_target") or judge_status("deleted_target", 404)(answers)


def _judge_spelling(answers: Observations) -> Verdict | None:
    answer = answers.get("stored_target")
    if answer is None:
        return refused(answers, "create_target")
    stored, sent = answer.record.get("name"), answer.expected["name"]
    if not isinstance(stored, str):
        return confirmed_if(False, describe(answer))
    if stored == sent == sent.lower():
        return not_tried("target has no capital letter that the service could change")
    return confirmed_if(stored == sent, "stored as sent" if stored == sent else "stored in another spelling")


def _judge_case(answers: Observations) -> Verdict | None:
    answer = answers.get("create_in_lower_case")
    if answer is None or not (answer.succeeded or answer.status == 409):
        return refused(answers, "create_in_lower_case")
    return confirmed_if(answer.succeeded, f"the same name in lower case: status {answer.status}")


def _judge_refusals(answers: Observations) -> Verdict | None:
    answer = answers.get("create_target")
    if answer is None or answer.status != 403:
        return None
    message = answer.error.get("message")
    known = isinstance(message, str) and next_step(403, message, CREATE_HINTS) != next_step(403)
    return confirmed_if(known, f"{describe(answer)}; {'a known' if known else 'an unknown'} reason")


ROWS = (
    Row(
        "create-answer",
        "A create returns data.created_id with status 201.",
        NEEDS_WRITES,
        judge_answers(_has_created_id, *_CREATES, refusals=False),
    ),
    Row("created-listed", "A new object is in the list of its family.", NEEDS_WRITES, _judge_listed),
    Row("lists-in-data", "Lists are wrapped in data.", _NO_ANSWER, _judge_envelopes),
    Row("ids", "Ids are integers.", "no rows were found", _judge_ids),
    Row(
        "wordlist-contents",
        "The contents of a wordlist are a JSON string.",
        _NO_SHORT_WORDLIST,
        judge_answers(lambda answer: answer.form == "json" and isinstance(answer.body, str), "contents"),
    ),
    Row(
        "logger-data",
        "The requests that a logger recorded are in data.requests.",
        "no HTTP loggers were found",
        judge_answers(lambda answer: isinstance(answer.record.get("requests"), list), "logger_data"),
    ),
    Row(
        "delete-answer",
        "A delete returns 204.",
        NEEDS_WRITES,
        judge_answers(
            lambda answer: answer.status == 204,
            "delete_target",
            "delete_http_logger",
            "delete_workspace",
            refusals=False,
        ),
    ),
    Row(
        "descriptions",
        "The description of a record is a string.",
        "no workspaces, targets or wordlists were found",
        judge_types("description", "string", "workspaces", "targets", "wordlists"),
    ),
    Row(
        "past-end",
        "The page after the last is an empty list.",
        "no workspaces were found",
        judge_answers(lambda answer: answer.status == 200 and answer.data == [], "past_end"),
    ),
    Row(
        "whole-lists",
        "Lists without pages, those of findings aside, are complete in one answer.",
        _NO_ANSWER,
        _judge_whole_lists,
    ),
    Row(
        "error-body",
        "An error is a JSON object with a message.",
        _NO_ANSWER,
        judge_answers(lambda answer: isinstance(answer.error.get("message"), str), "unknown"),
    ),
    Row("target-delete", "DELETE /targets/{id} deletes a target.", NEEDS_WRITES, _judge_target_delete),
    Row(
        "wordlist-by-id",
        "GET /wordlists/{id} returns one wordlist.",
        _NO_SHORT_WORDLIST,
        judge_status("wordlist", 200),
    ),
    Row(
        "pages",
        "The target list accepts limit, up to 1,000, and page, starting at 1.",
        "no workspace with two targets was found",
        _judge_pages,
    ),
    Row(
        "target-types",
        "The type of a target is hostname, ip_address or url.",
        _NO_TARGETS,
        judge_both(
            judge_rows(
                ["targets"],
                lambda row: [row.get("type")] if row.get("type") not in TARGET_TYPES else [],
                "known types",
                "other types",
            ),
            judge_rows(
                ["targets_of_type"],
                lambda row: ["type"] if row.get("type") != TARGET_TYPES[0] else [],
                "known types",
                "filters ignored",
            ),
        ),
    ),
    Row(
        "target-fields",
        "Targets and HTTP loggers have all fields that the collection knows.",
        _NO_TARGETS,
        # another assumption is about null descriptions
        judge_both(
            judge_fields("targets", fields_of(TARGET), ("description",)),
            judge_fields("http_loggers", fields_of(HTTP_LOGGER)),
        ),
    ),
    Row(
        "object-workspaces",
        "A target has a workspace_id, an HTTP logger has none.",
        "no targets or HTTP loggers were found",
        _judge_workspaces,
    ),
    Row("target-update", "No call changes the description of a target.", "no documented call changes it"),
    Row("predefined", "A predefined wordlist cannot be deleted.", "no wordlist is ever deleted"),
    Row(
        "current-workspace",
        "Without a workspace, the service lists the targets of its current one.",
        "no two workspaces with targets were found",
        judge_current_workspace("targets"),
    ),
    Row("name-spelling", "The name of a target is stored as sent.", NEEDS_WRITES, _judge_spelling),
    Row("workspace-names", "Workspace names are compared exactly, including case.", NEEDS_WRITES, _judge_case),
    Row(
        "create-refusals",
        "The message of a 403 on a create states the reason.",
        "requires an account that is full or has no licence",
        _judge_refusals,
    ),
    Row("unknown-id", "An id that does not exist is answered with 404.", _NO_ANSWER, judge_status("unknown", 404)),
    Row(
        "request-times",
        "The times of recorded requests have no time zone.",
        "no recorded requests were found",
        judge_times("requests", "request_date"),
    ),
    Row("rate-limit-wait", "A 429 says how long to wait.", _NO_LIMIT),
    Row("rate-limit-budgets", "PUT shares the rate limit of POST and DELETE.", _NO_LIMIT),
    Row(
        "rate-limit-headers",
        "Every answer has X-RateLimit-Limit and X-RateLimit-Remaining.",
        _NO_ANSWER,
        _judge_rate_headers,
    ),
    Row("key-check", "GET /workspaces returns 200 for a valid key.", _NO_ANSWER, judge_status("workspaces", 200)),
    Row(
        "error-status",
        "An error body repeats the HTTP status as a number.",
        _NO_ANSWER,
        judge_answers(lambda answer: answer.error.get("status") == answer.status, "unknown"),
    ),
    Row("schema", "The OpenAPI file is at the root of the host and needs no key.", _NO_ANSWER, _judge_schema),
    Row("date", "Every answer has a Date header.", _NO_ANSWER, _judge_date),
)
