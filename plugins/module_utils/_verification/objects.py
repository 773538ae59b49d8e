# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Judges of single assumptions: envelopes, lists, creates and deletes, targets, headers. Pure."""

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
    Verdict,
    combine,
    confirmed_if,
    describe,
    judge_fields,
    judge_rows,
    judge_status,
    list_names,
    list_words,
    no_rows,
    not_tried,
    values_of,
)

# the resource of each list
LISTS = {family.plural: family for family in FAMILIES.values()}
# lists that are documented to be complete in one answer; another assumption is about that of findings
_COMPLETE = tuple(name for name, family in LISTS.items() if not family.paged and family is not FINDING)
# fields that the service is known to add, and that results pass through
_ALSO_KNOWN = {
    "http_loggers": ("requests_left",),
    "scans": ("vpn_profile_uuid", "vpn_scan", "scan_original_url", "tool_params"),
    "reports": ("source", "group_by", "resources", "filters"),
}
# lists whose further fields depend on the tool
_DEPEND_ON_TOOL = ("findings", "finding_templates")
_ID_FIELDS = ("id", "workspace_id", "target_id", "tool_id", "task_id")
_REQUEST_TIME = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?")
NO_SHORT_WORDLIST = "no short wordlist was found"


# --- the form of answers


def envelopes(answers: Observations) -> Verdict:
    bodies = {name: answers[name].body for name in LISTS if name in answers and answers[name].status == 200}
    bare = [name for name, body in bodies.items() if not isinstance(body, dict) or "data" not in body]
    wrapped = f"{counted(len(bodies), 'list')} wrapped in data"
    return confirmed_if(not bare, f"not wrapped in data: {', '.join(bare)}" if bare else wrapped)


def integer_ids(answers: Observations) -> Verdict:
    others = {
        f"{name}.{field}"
        for name in LISTS
        for row in answers.rows(name)
        for field in _ID_FIELDS
        if isinstance(row.get(field), (str, float))
    }
    return confirmed_if(not others, f"not integers: {', '.join(sorted(others)[:10])}" if others else "integers")


def contents(answers: Observations) -> Verdict:
    answer = answers.get("contents")
    if answer is None:
        return not_tried(NO_SHORT_WORDLIST)
    return confirmed_if(answer.form == "json" and isinstance(answer.body, str), describe(answer))


def logger_data(answers: Observations) -> Verdict:
    answer = answers.get("logger_data")
    if answer is None:
        return no_rows("http_loggers")
    data = answer.data
    return confirmed_if(isinstance(data, dict) and isinstance(data.get("requests"), list), describe(answer))


def descriptions(answers: Observations) -> Verdict:
    rows = [row for name in ("workspaces", "targets", "wordlists") for row in answers.rows(name)]
    if not rows:
        return not_tried("no workspaces, targets or wordlists were found")
    missing = sum(1 for row in rows if "description" not in row)
    null = sum(1 for row in rows if row.get("description") is None) - missing
    wrong = [f"{what}: {number} of {len(rows)}" for what, number in (("null", null), ("missing", missing)) if number]
    return confirmed_if(not wrong, ", ".join(wrong) or counted(len(rows), "string"))


def extra_fields(answers: Observations) -> Verdict:
    found = []
    for name, resource in LISTS.items():
        known = {*resource.fields, *resource.also.values(), *_ALSO_KNOWN.get(name, ())}
        extra = {str(field) for row in answers.rows(name) for field in row if field not in known}
        if extra and name not in _DEPEND_ON_TOOL:
            found.append(f"{name}: {list_names(extra)}")
    return confirmed_if(not found, "; ".join(found) or "no other fields")


def error_body(answers: Observations) -> Verdict:
    answer = answers.get("unknown")
    if answer is None:
        return not_tried("no answer")
    has_message = isinstance(answer.body, dict) and isinstance(answer.body.get("message"), str)
    return confirmed_if(answer.status >= 400 and has_message, describe(answer))


def error_status(answers: Observations) -> Verdict:
    answer = answers.get("unknown")
    if answer is None:
        return not_tried("no answer")
    return confirmed_if(isinstance(answer.body, dict) and answer.body.get("status") == answer.status, describe(answer))


def rate_headers(answers: Observations) -> Verdict:
    headers = answers["workspaces"].headers
    missing = [name for name in ("X-RateLimit-Limit", "X-RateLimit-Remaining") if headers.get(name) is None]
    return confirmed_if(not missing, f"missing: {', '.join(missing)}" if missing else "both headers present")


def date(answers: Observations) -> Verdict:
    header = answers["workspaces"].headers.get("Date")
    if moment(header) is not None:
        return confirmed_if(True, "Date header present")
    return confirmed_if(False, "Date header not readable" if header else "Date header missing")


def schema(answers: Observations) -> Verdict:
    answer = answers.get("schema")
    if answer is None:
        return not_tried("no answer")
    text = answer.body if isinstance(answer.body, str) else ""
    is_openapi = answer.form == "json" or (answer.form != "html" and re.search("^openapi:", text, re.MULTILINE))
    seen = f"status {answer.status}, {'an' if is_openapi else 'no'} OpenAPI file"
    return confirmed_if(answer.status == 200 and is_openapi, seen)


request_times = judge_rows(
    "requests",
    lambda row: bool(_REQUEST_TIME.fullmatch(str(row.get("request_date")))),
    "times without a time zone",
    lambda wrong: f"times with a time zone or in another format: {len(wrong)}",
)


# --- lists


def order(answers: Observations) -> Verdict:
    ids = [row.get("id") for row in answers.rows("targets") or answers.rows("workspaces")]
    numbers = [each for each in ids if isinstance(each, int)]
    if len(ids) < 2 or len(numbers) < len(ids):
        return not_tried("fewer than two records to compare")
    ascending, descending = numbers == sorted(numbers), numbers == sorted(numbers, reverse=True)
    how = "in ascending order" if ascending else "in descending order" if descending else "in no order"
    return confirmed_if(True, f"ids {how}; the collection accepts any order")


def past_end(answers: Observations) -> Verdict:
    answer = answers.get("past_end")
    if answer is None:
        return no_rows("workspaces")
    if not isinstance(answer.data, list):
        return confirmed_if(False, describe(answer))
    seen = f"status {answer.status}, {counted(len(answer.data), 'row')}"
    return confirmed_if(answer.status == 200 and not answer.data, seen)


def whole_lists(answers: Observations) -> Verdict:
    cut = []
    for name in _COMPLETE:
        found = answers[name].beside if name in answers else None
        if found and (found.more or (found.total or 0) > len(answers.rows(name))):
            cut.append(name)
    return confirmed_if(not cut, f"incomplete: {', '.join(cut)}" if cut else "no answer announces more rows")


def pages(answers: Observations) -> Verdict:
    listed = answers.get("targets")
    if listed is not None and listed.status >= 400:
        return confirmed_if(False, f"limit 1000: {describe(listed)}")
    first, second = answers.rows("page_1"), answers.rows("page_2")
    if len(answers.rows("targets")) < 2 and not second:
        return not_tried("no workspace with two targets was found")
    if values_of(answers.rows("first_page"), "id") != values_of(first, "id"):
        return confirmed_if(False, "page 1 is not the first page")
    repeated = bool(first and second) and first[0].get("id") == second[0].get("id")
    seen = f"limit 1: {counted(len(first), 'row')} on page 1, {len(second)} on page 2"
    return confirmed_if(
        len(first) == 1 and len(second) == 1 and not repeated, f"{seen}, the same id" if repeated else seen
    )


# --- targets, loggers, profiles


def target_types(answers: Observations) -> Verdict:
    rows = answers.rows("targets")
    if not rows:
        return no_rows("targets")
    others = [row.get("type") for row in rows if row.get("type") not in TARGET_TYPES]
    if others:
        return confirmed_if(False, f"other types: {list_words(others)}")
    unfiltered = [row for row in answers.rows("targets_of_type") if row.get("type") != TARGET_TYPES[0]]
    return confirmed_if(
        not unfiltered, "the type filter is ignored" if unfiltered else "known types; the type filter works"
    )


def target_fields(answers: Observations) -> Verdict:
    # a null description has an assumption of its own
    return combine(
        judge_fields("targets", TARGET, ("description",))(answers), judge_fields("http_loggers", HTTP_LOGGER)(answers)
    )


def object_workspaces(answers: Observations) -> Verdict:
    targets, loggers = answers.rows("targets"), answers.rows("http_loggers")
    if not targets and not loggers:
        return not_tried("no targets or HTTP loggers were found")
    workspace = str(answers["targets"].expected.get("workspace_id")) if targets else ""
    first, second = (values_of(answers.rows(f"http_loggers_{number}"), "id") for number in (1, 2))
    deviations = {
        "targets without a workspace_id": any(row.get("workspace_id") is None for row in targets),
        "targets of other workspaces": any(str(row.get("workspace_id", workspace)) != workspace for row in targets),
        "HTTP loggers with a workspace_id": any("workspace_id" in row for row in loggers),
        "the same HTTP loggers in two workspaces": bool(first & second),
    }
    found = [deviation for deviation, is_found in deviations.items() if is_found]
    return confirmed_if(not found, ", ".join(found) or "as assumed")


# --- creates and deletes


def _present(answers: Observations, *names: str) -> list[Observation]:
    return [answers[name] for name in names if name in answers]


def _without_success(sent: list[Observation]) -> Verdict:
    return not_tried(f"refused with status {sent[0].status}" if sent else NEEDS_WRITES)


def create_answer(answers: Observations) -> Verdict:
    sent = _present(answers, "create", "create_target", "create_http_logger")
    created = [answer for answer in sent if answer.succeeded]
    if not created:
        return _without_success(sent)

    def is_documented(answer: Observation) -> bool:
        data = answer.data
        return answer.status == 201 and isinstance(data, dict) and str(data.get("created_id")).isdigit()

    others = [answer for answer in created if not is_documented(answer)]
    return confirmed_if(not others, describe((others or created)[0]))


def created_listed(answers: Observations) -> Verdict:
    listed = {resource.noun: f"listed_{resource.name}" for resource in (WORKSPACE, TARGET, HTTP_LOGGER)}
    tried = {noun: answers.rows(name) for noun, name in listed.items() if name in answers}
    if not tried:
        return _without_success(_present(answers, "create", "create_target", "create_http_logger"))
    missing = [noun for noun, rows in tried.items() if not rows]
    return confirmed_if(not missing, f"missing in its list: {', '.join(missing)}" if missing else "each is listed")


def delete_answer(answers: Observations) -> Verdict:
    sent = _present(answers, "delete_target", "delete_http_logger", "delete_workspace")
    deleted = [answer for answer in sent if answer.succeeded]
    if not deleted:
        return _without_success(sent)
    others = [answer for answer in deleted if answer.status != 204]
    return confirmed_if(not others, describe((others or deleted)[0]))


def target_delete(answers: Observations) -> Verdict:
    sent = _present(answers, "delete_target")
    if not sent or not sent[0].succeeded:
        return _without_success(sent)
    return judge_status("deleted_target", 404)(answers)


def name_spelling(answers: Observations) -> Verdict:
    answer = answers.get("stored_target")
    if answer is None:
        return _without_success(_present(answers, "create_target"))
    record, sent = answer.data, answer.expected["name"]
    if not isinstance(record, dict) or not isinstance(record.get("name"), str):
        return confirmed_if(False, describe(answer))
    stored = record["name"]
    if stored == sent == sent.lower():
        return not_tried("target has no capital letter that the service could change")
    return confirmed_if(stored == sent, "stored as sent" if stored == sent else "stored in another spelling")


def workspace_names(answers: Observations) -> Verdict:
    answer = answers.get("create_in_lower_case")
    if answer is None or not (answer.succeeded or answer.status == 409):
        return _without_success(_present(answers, "create_in_lower_case"))
    return confirmed_if(answer.succeeded, f"the same name in lower case: status {answer.status}")


def create_refusals(answers: Observations) -> Verdict:
    answer = answers.get("create_target")
    if answer is None or answer.status != 403:
        return not_tried("requires an account that is full or has no licence")
    message = answer.body.get("message") if isinstance(answer.body, dict) else None
    known = isinstance(message, str) and next_step(403, message, CREATE_HINTS) != next_step(403)
    return confirmed_if(known, f"{describe(answer)}; {'a known' if known else 'an unknown'} reason")
