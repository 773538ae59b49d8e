# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Judges of single assumptions: envelopes, lists, creates and deletes, targets, headers. Pure."""

from __future__ import annotations

import re

from .._errors import CREATE_HINTS, next_step
from .._http.retry import moment
from .._resources import (
    FINDING,
    FINDING_TEMPLATE,
    HTTP_LOGGER,
    REPORT,
    SCAN,
    TARGET,
    TARGET_TYPES,
    VPN_PROFILE,
    WORDLIST,
    WORKSPACE,
)
from .judges import (
    NO_WRITES,
    Seen,
    Verdict,
    beside_of,
    data_of,
    each_row,
    form_of,
    has_fields,
    rows_of,
    shown,
    status,
    together,
    told,
    untried,
    values_of,
    words_shown,
)

LISTS = {
    "workspaces": WORKSPACE, "targets": TARGET, "http_loggers": HTTP_LOGGER, "wordlists": WORDLIST, "scans": SCAN,
    "findings": FINDING, "reports": REPORT, "vpn_profiles": VPN_PROFILE, "finding_templates": FINDING_TEMPLATE,
}  # fmt: skip
# the lists that are documented to come whole
_WHOLE = ("workspaces", "http_loggers", "wordlists", "reports", "vpn_profiles")
# fields that the service is known to add, and that results pass through
_ALSO_KNOWN = {
    "http_loggers": ("requests_left",),
    "scans": ("vpn_profile_uuid", "vpn_scan", "scan_original_url", "tool_params"),
    "reports": ("source", "group_by", "resources", "filters"),
}
# the details of findings depend on the tool
_OF_THE_TOOL = ("findings", "finding_templates")
_ID_FIELDS = ("id", "workspace_id", "target_id", "tool_id", "task_id")
_REQUEST_TIME = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?")


# --- what answers look like


def envelopes(answers: dict[str, Seen]) -> Verdict:
    read = [name for name in LISTS if name in answers and answers[name].status == 200]
    bare = [name for name in read if not isinstance(answers[name].body, dict) or "data" not in answers[name].body]
    return told(not bare, f"without data: {', '.join(bare)}" if bare else f"{len(read)} lists")


def integer_ids(answers: dict[str, Seen]) -> Verdict:
    odd = {
        f"{name}: {field}"
        for name in LISTS
        for row in rows_of(answers, name)
        for field in _ID_FIELDS
        if isinstance(row.get(field), (str, float))
    }
    return told(not odd, f"other types in {', '.join(sorted(odd)[:10])}" if odd else "integers")


def contents(answers: dict[str, Seen]) -> Verdict:
    seen = answers.get("contents")
    if seen is None:
        return untried("the account shows no wordlist that is short enough")
    return told(seen.form == "json" and isinstance(seen.body, str), form_of(seen))


def logger_data(answers: dict[str, Seen]) -> Verdict:
    seen = answers.get("logger_data")
    if seen is None:
        return untried("the account shows no HTTP logger")
    data = data_of(seen)
    return told(isinstance(data, dict) and isinstance(data.get("requests"), list), form_of(seen))


def descriptions(answers: dict[str, Seen]) -> Verdict:
    rows = [row for name in ("workspaces", "targets", "wordlists") for row in rows_of(answers, name)]
    if not rows:
        return untried("the account shows no record with a description")
    missing = sum(1 for row in rows if "description" not in row)
    nulls = sum(1 for row in rows if row.get("description") is None) - missing
    said = f"{nulls} of {len(rows)} are null, {missing} are missing" if nulls or missing else f"{len(rows)} texts"
    return told(not nulls and not missing, said)


def extra_fields(answers: dict[str, Seen]) -> Verdict:
    found = []
    for name, resource in LISTS.items():
        known = {*resource.fields, *(resource.also or {}).values(), *_ALSO_KNOWN.get(name, ())}
        extra = {str(field) for row in rows_of(answers, name) for field in row if field not in known}
        if extra and name not in _OF_THE_TOOL:
            found.append(f"{name}: {shown(extra)}")
    return told(not found, "; ".join(found) or "no other field")


def error_body(answers: dict[str, Seen]) -> Verdict:
    seen = answers.get("unknown")
    if seen is None:
        return untried("no answer")
    body = seen.body
    return told(seen.status >= 400 and isinstance(body, dict) and isinstance(body.get("message"), str), form_of(seen))


def error_status(answers: dict[str, Seen]) -> Verdict:
    seen = answers.get("unknown")
    if seen is None:
        return untried("no answer")
    return told(isinstance(seen.body, dict) and seen.body.get("status") == seen.status, form_of(seen))


def rate_headers(answers: dict[str, Seen]) -> Verdict:
    headers = answers["workspaces"].headers
    lacking = [name for name in ("X-RateLimit-Limit", "X-RateLimit-Remaining") if headers.get(name) is None]
    return told(not lacking, f"missing: {', '.join(lacking)}" if lacking else "both headers")


def date(answers: dict[str, Seen]) -> Verdict:
    header = answers["workspaces"].headers.get("Date")
    return told(moment(header) is not None, "a Date header" if header else "no Date header")


def schema(answers: dict[str, Seen]) -> Verdict:
    seen = answers.get("schema")
    if seen is None:
        return untried("no answer")
    text = seen.body if isinstance(seen.body, str) else ""
    is_openapi = seen.form == "json" or (seen.form != "html" and re.search("^openapi:", text, re.MULTILINE))
    return told(
        bool(seen.status == 200 and is_openapi), f"status {seen.status}, {'' if is_openapi else 'no '}OpenAPI file"
    )


request_times = each_row(
    "requests",
    lambda row: bool(_REQUEST_TIME.fullmatch(str(row.get("request_date")))),
    "times without a zone",
    lambda wrong: f"{len(wrong)} in another form",
)


# --- lists


def order(answers: dict[str, Seen]) -> Verdict:
    ids = [row.get("id") for row in rows_of(answers, "targets") or rows_of(answers, "workspaces")]
    if len(ids) < 2 or not all(isinstance(each, int) for each in ids):
        return untried("the account shows fewer than two records")
    how = "ascending" if ids == sorted(ids) else "descending" if ids == sorted(ids, reverse=True) else "mixed"
    return told(True, f"{how} ids; every order is read")


def past_end(answers: dict[str, Seen]) -> Verdict:
    seen = answers.get("past_end")
    if seen is None:
        return untried("the account shows no workspace")
    data = data_of(seen)
    if not isinstance(data, list):
        return told(False, form_of(seen))
    return told(seen.status == 200 and not data, f"status {seen.status}, {len(data)} rows")


def whole_lists(answers: dict[str, Seen]) -> Verdict:
    cut = []
    for name in _WHOLE:
        found = beside_of(answers[name]) if name in answers else None
        if found and (found.more or (found.total or 0) > len(rows_of(answers, name))):
            cut.append(name)
    return told(not cut, f"the answer shows more rows: {', '.join(cut)}" if cut else "no list shows more rows")


def pages(answers: dict[str, Seen]) -> Verdict:
    listed = answers.get("targets")
    if listed is not None and listed.status >= 400:
        return told(False, f"limit 1000: {form_of(listed)}")
    first, second = rows_of(answers, "page_1"), rows_of(answers, "page_2")
    if len(rows_of(answers, "targets")) < 2 and not second:
        return untried("no workspace shows two targets")
    good = len(first) == 1 and len(second) == 1 and first[0].get("id") != second[0].get("id")
    return told(
        good, f"limit 1: {len(first)} rows on page 1, {len(second)} on page 2, {'other' if good else 'same'} ids"
    )


# --- targets, loggers, profiles


def target_types(answers: dict[str, Seen]) -> Verdict:
    rows = rows_of(answers, "targets")
    if not rows:
        return untried("the account shows no target")
    odd = {str(row.get("type")) for row in rows} - set(TARGET_TYPES)
    if odd:
        return told(False, f"other types: {words_shown(odd)}")
    let_through = [row for row in rows_of(answers, "targets_of_type") if row.get("type") != TARGET_TYPES[0]]
    return told(not let_through, "the filter type is ignored" if let_through else "known types, and the filter works")


def target_fields(answers: dict[str, Seen]) -> Verdict:
    # a description that is null has an assumption of its own
    return together(
        [has_fields("targets", TARGET, ("description",))(answers), has_fields("http_loggers", HTTP_LOGGER)(answers)]
    )


def current_workspace(answers: dict[str, Seen]) -> Verdict:
    found = values_of(rows_of(answers, "targets_anywhere"), "workspace_id")
    if len(found) > 1:
        return told(False, f"targets of {len(found)} workspaces")
    if not values_of(rows_of(answers, "targets_elsewhere"), "workspace_id") - found:
        return untried("no two workspaces that were read have targets")
    return told(True, "targets of one workspace, others have targets too")


def object_workspaces(answers: dict[str, Seen]) -> Verdict:
    targets, loggers = rows_of(answers, "targets"), rows_of(answers, "http_loggers")
    if not targets and not loggers:
        return untried("the account shows neither a target nor an HTTP logger")
    asked = str(answers["targets"].asked.get("workspace_id")) if targets else ""
    first, second = (values_of(rows_of(answers, f"http_loggers_{number}"), "id") for number in (1, 2))
    found = [
        said
        for said, odd in (
            ("targets without a workspace_id", any(row.get("workspace_id") is None for row in targets)),
            ("targets of other workspaces", any(str(row.get("workspace_id", asked)) != asked for row in targets)),
            ("HTTP loggers with a workspace_id", any("workspace_id" in row for row in loggers)),
            ("the same HTTP loggers in two workspaces", first & second),
        )
        if odd
    ]
    return told(not found, ", ".join(found) or "as assumed")


# --- creates and deletes


def _tried(answers: dict[str, Seen], names: tuple[str, ...]) -> list[Seen]:
    return [answers[name] for name in names if name in answers]


def _without_success(seen: list[Seen]) -> Verdict:
    return untried(f"refused with status {seen[0].status}" if seen else NO_WRITES)


def create_answer(answers: dict[str, Seen]) -> Verdict:
    created = _tried(answers, ("create", "create_target", "create_http_logger"))
    worked = [seen for seen in created if seen.worked]
    if not worked:
        return _without_success(created)

    def is_plain(seen: Seen) -> bool:
        data = data_of(seen)
        return seen.status == 201 and isinstance(data, dict) and str(data.get("created_id")).isdigit()

    odd = [seen for seen in worked if not is_plain(seen)]
    return told(not odd, form_of((odd or worked)[0]))


def delete_answer(answers: dict[str, Seen]) -> Verdict:
    deleted = _tried(answers, ("delete_target", "delete_http_logger", "delete_workspace"))
    worked = [seen for seen in deleted if seen.worked]
    if not worked:
        return _without_success(deleted)
    odd = [seen for seen in worked if seen.status != 204]
    return told(not odd, form_of((odd or worked)[0]))


def target_delete(answers: dict[str, Seen]) -> Verdict:
    deleted = _tried(answers, ("delete_target",))
    if not deleted or not deleted[0].worked:
        return _without_success(deleted)
    return status("deleted_target", 404, "no answer")(answers)


def name_spelling(answers: dict[str, Seen]) -> Verdict:
    seen = answers.get("stored_target")
    if seen is None:
        return _without_success(_tried(answers, ("create_target",)))
    record, sent = data_of(seen), seen.asked["name"]
    if not isinstance(record, dict) or not isinstance(record.get("name"), str):
        return told(False, form_of(seen))
    if record["name"] == sent and sent == sent.lower():
        return untried("target has no capital letter whose spelling could change")
    return told(record["name"] == sent, "as sent" if record["name"] == sent else "in another spelling")


def workspace_names(answers: dict[str, Seen]) -> Verdict:
    seen = answers.get("create_in_lower_case")
    if seen is None or not (seen.worked or seen.status == 409):
        return _without_success(_tried(answers, ("create_in_lower_case",)))
    return told(seen.worked, f"the same name in lower case: status {seen.status}")


def create_refusals(answers: dict[str, Seen]) -> Verdict:
    seen = answers.get("create_target")
    if seen is None or seen.status != 403:
        return untried("it needs an account that is full or not licensed")
    message = seen.body.get("message") if isinstance(seen.body, dict) else None
    known = isinstance(message, str) and next_step(403, message, CREATE_HINTS) != next_step(403)
    return told(known, f"{form_of(seen)}, {'a known' if known else 'another'} reason")
