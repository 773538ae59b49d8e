# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The judges of the assumptions: what confirms and what refutes each, first those that several rows share. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container
from typing import NamedTuple, Optional

from .._errors import counted
from .._families.family import Family
from .._families.finding import FINDING
from .._families.http_logger import HTTP_LOGGER
from .._families.table import FAMILIES
from .._families.target import TARGET
from .._families.workspace import WORKSPACE
from .._http.advice import CREATE_HINTS, next_step
from .._http.retry import moment
from .._moments import Moment
from .._records import Record
from .._scan.record import uncounted
from .answers import Observation, Observations, count_findings, describe, list_names, list_words, values_of

CONFIRMED, REFUTED, NOT_TRIED = "confirmed", "refuted", "not tried"
# the family of each list
_LISTS = {family.plural: family for family in FAMILIES.values()}
_ID_FIELDS = ("id", "workspace_id", "target_id", "tool_id", "task_id")
# seconds by which the newest time may be ahead of the Date header
_TOLERANCE = 300


class Verdict(NamedTuple):
    """The judgement of one assumption."""

    # CONFIRMED, REFUTED or NOT_TRIED
    verdict: str
    # what was observed, or why it was not tried, a phrase
    seen: str


# returns None if the answers lack what the row names as missing
Judge = Callable[[Observations], Optional[Verdict]]


def _confirmed_if(condition: object, seen: str) -> Verdict:
    return Verdict(CONFIRMED if condition else REFUTED, seen)


def _unless(deviations: Collection[str], good: str, label: str) -> Verdict:
    """The verdict that deviations refute. good: what was observed without any; label: what they are."""
    return Verdict(REFUTED, f"{label}: {', '.join(sorted(deviations))}") if deviations else Verdict(CONFIRMED, good)


def refused(answers: Observations, *names: str) -> Verdict | None:
    """The verdict that quotes the first refusal among these answers; None without one."""
    statuses = [answers[name].status for name in names if name in answers and not answers[name].succeeded]
    return Verdict(NOT_TRIED, f"refused with status {statuses[0]}") if statuses else None


# --- judges that several assumptions share


def answer_is(test: Callable[[Observation], object], *names: str, refusals: bool = True) -> Judge:
    """Judges each of these answers. refusals: judge refusals, too."""

    def judge(answers: Observations) -> Verdict | None:
        sent = [answers[name] for name in names if name in answers]
        judged = [answer for answer in sent if refusals or answer.succeeded]
        wrong = [answer for answer in judged if not test(answer)]
        return _confirmed_if(not wrong, describe((wrong or judged)[0])) if judged else refused(answers, *names)

    return judge


def status_is(name: str, status: int) -> Judge:
    """Judges the status of one answer."""
    return answer_is(lambda answer: answer.status == status, name)


def values_are(value: Callable[[Record], object], known: Container[object], *names: str) -> Judge:
    """Judges a value in each row of some lists: it is one of the known ones."""

    def judge(answers: Observations) -> Verdict | None:
        values = list(map(value, answers.rows(*names)))
        others = [each for each in values if each not in known]
        return (
            _unless([list_words(others)] if others else [], f"true of {counted(len(values), 'row')}", "others")
            if values
            else None
        )

    return judge


def has_fields(family: Family, *nullable: str) -> Judge:
    """Judges a list: its rows have the fields of the family that have no other name."""
    fields = [field for field in family.fields if field not in family.also]

    def judge(answers: Observations) -> Verdict | None:
        rows = answers.rows(family.plural)
        lacking = {
            field
            for row in rows
            for field in fields
            if row.get(field) is None and not (field in nullable and field in row)
        }
        return (
            _unless([list_names(lacking)] if lacking else [], "all fields present", "missing or null") if rows else None
        )

    return judge


def is_filtered(name: str, *fields: str) -> Judge:
    """Judges a filtered list: each row has the expected values."""

    def judge(answers: Observations) -> Verdict | None:
        rows = answers.rows(name)
        ignored = {
            field for row in rows for field in fields if row.get(field) not in (None, answers[name].expected.get(field))
        }
        return _unless(ignored, f"every row matches ({counted(len(rows), 'row')})", "filters ignored") if rows else None

    return judge


def is_utc(name: str, moment_of: Callable[[Record], Moment | None]) -> Judge:
    """Judges the times without an offset in a list: none of them is in the future."""

    def judge(answers: Observations) -> Verdict | None:
        moments = [found.at for found in map(moment_of, answers.rows(name)) if found and not found.zoned]
        now = moment(answers[name].headers.get("Date")) if moments else None
        if now is None:
            return None
        ahead = max(moments) - now
        if ahead > _TOLERANCE:
            return Verdict(REFUTED, f"the newest time is {ahead / 3600:.1f} h ahead of the Date header")
        return Verdict(CONFIRMED, "no time is in the future; a time zone behind UTC would not be noticed")

    return judge


def is_of_current_workspace(family: str) -> Judge:
    """Judges a list that was read without a workspace: it is that of one workspace, although another one has rows, too."""

    def judge(answers: Observations) -> Verdict | None:
        found = values_of(answers.rows(f"{family}_anywhere"), "workspace_id")
        if len(found) > 1:
            return Verdict(REFUTED, f"{family} of {len(found)} workspaces are listed")
        others = values_of(answers.rows(f"{family}_elsewhere"), "workspace_id") - found
        return (
            Verdict(CONFIRMED, f"{family} of one workspace are listed, although others have some") if others else None
        )

    return judge


def both(first: Judge, second: Judge) -> Judge:
    """The verdict that refutes, or else confirms, of two judges."""

    def judge(answers: Observations) -> Verdict | None:
        found = filter(None, (first(answers), second(answers)))
        return min(found, key=lambda each: (REFUTED, CONFIRMED, NOT_TRIED).index(each.verdict), default=None)

    return judge


# --- envelopes, lists and headers


def has_created_id(answer: Observation) -> bool:
    return answer.status == 201 and str(answer.record.get("created_id")).isdigit()


def lists_are_wrapped(answers: Observations) -> Verdict:
    bodies = {name: answers[name].body for name in _LISTS if name in answers and answers[name].status == 200}
    bare = [name for name, body in bodies.items() if not isinstance(body, dict) or "data" not in body]
    return _unless(bare, f"{counted(len(bodies), 'list')} wrapped in data", "not wrapped in data")


def lists_are_whole(answers: Observations) -> Verdict:
    # another assumption is about the list of findings
    names = [name for name, family in _LISTS.items() if not family.paged and family is not FINDING and name in answers]
    return _unless([name for name in names if answers[name].is_cut], "no answer announces more rows", "incomplete")


def ids_are_integers(answers: Observations) -> Verdict | None:
    ids = [(name, field, row.get(field)) for name in _LISTS for row in answers.rows(name) for field in _ID_FIELDS]
    others = {f"{name}.{field}" for name, field, value in ids if isinstance(value, (str, float))}
    return _unless(others, "integers", "not integers") if ids else None


def has_rate_headers(answers: Observations) -> Verdict:
    headers = answers["workspaces"].headers
    missing = [name for name in ("X-RateLimit-Limit", "X-RateLimit-Remaining") if headers.get(name) is None]
    return _unless(missing, "both headers present", "missing")


def has_schema(answers: Observations) -> Verdict | None:
    answer = answers.get("schema")
    if answer is None:
        return None
    text = answer.body if isinstance(answer.body, str) and answer.form != "html" else ""
    is_openapi = answer.form == "json" or re.search("^openapi:", text, re.MULTILINE)
    return _confirmed_if(
        answer.status == 200 and is_openapi, f"status {answer.status}, {'an' if is_openapi else 'no'} OpenAPI file"
    )


def targets_are_paged(answers: Observations) -> Verdict | None:
    listed = answers.get("targets")
    if listed is not None and listed.status >= 400:
        return Verdict(REFUTED, f"limit 1000: {describe(listed)}")
    first, second = answers.rows("page_1"), answers.rows("page_2")
    if len(answers.rows("targets")) < 2 and not second:
        return None
    if values_of(answers.rows("first_page"), "id") != values_of(first, "id"):
        return Verdict(REFUTED, "page 1 is not the first page")
    same = values_of(first, "id") & values_of(second, "id")
    seen = f"limit 1: {counted(len(first), 'row')} on page 1, {len(second)} on page 2{', the same id' if same else ''}"
    return _confirmed_if(len(first) == len(second) == 1 and not same, seen)


def templates_are_paged(answers: Observations) -> Verdict | None:
    first, second = answers.rows("finding_templates"), answers.rows("templates_2")
    if len(first) < 2:
        return None
    good = len(first) == 2 and first != second and all(row.get("name") for row in first + second)
    after = "the same rows" if first == second else counted(len(second), "row")
    return _confirmed_if(good, f"limit 2: {counted(len(first), 'row')}, then {after} with offset 2")


# --- targets and loggers, creates and deletes


def objects_have_workspaces(answers: Observations) -> Verdict | None:
    targets, loggers = answers.rows("targets"), answers.rows("http_loggers")
    workspace = str(answers["targets"].expected.get("workspace_id")) if targets else ""
    first, second = (values_of(answers.rows(f"http_loggers_{number}"), "id") for number in (1, 2))
    deviations = {
        "targets without a workspace_id": any(row.get("workspace_id") is None for row in targets),
        "targets of other workspaces": any(str(row.get("workspace_id", workspace)) != workspace for row in targets),
        "HTTP loggers with a workspace_id": any("workspace_id" in row for row in loggers),
        "the same HTTP loggers in two workspaces": first & second,
    }
    found = [deviation for deviation, is_found in deviations.items() if is_found]
    return _unless(found, "as assumed", "found") if targets or loggers else None


def created_are_listed(answers: Observations) -> Verdict | None:
    listed = {family.noun: f"listed_{family.name}" for family in (WORKSPACE, TARGET, HTTP_LOGGER)}
    tried = {noun: answers.rows(name) for noun, name in listed.items() if name in answers}
    missing = [noun for noun, rows in tried.items() if not rows]
    return _unless(missing, "each is listed", "missing in its list") if tried else None


def name_is_stored_as_sent(answers: Observations) -> Verdict | None:
    answer = answers.get("stored_target")
    if answer is None:
        return None
    stored, sent = answer.record.get("name"), answer.expected["name"]
    if stored == sent == sent.lower():
        return Verdict(NOT_TRIED, "target has no capital letter that the service could change")
    other = "stored in another spelling" if isinstance(stored, str) else describe(answer)
    return _confirmed_if(stored == sent, "stored as sent" if stored == sent else other)


def names_depend_on_case(answers: Observations) -> Verdict | None:
    answer = answers.get("create_in_lower_case")
    if answer is None or not (answer.succeeded or answer.status == 409):
        return None
    return _confirmed_if(answer.succeeded, f"the same name in lower case: status {answer.status}")


def refusal_has_known_reason(answers: Observations) -> Verdict | None:
    answer = answers.get("create_target")
    if answer is None or answer.status != 403:
        return None
    message = answer.error.get("message")
    known = isinstance(message, str) and next_step(403, message, CREATE_HINTS) != next_step(403)
    return _confirmed_if(known, f"{describe(answer)}; {'a known' if known else 'an unknown'} reason")


# --- scans, findings and output


def scan_is_in_workspace_of_target(answers: Observations) -> Verdict | None:
    ids = [answers.record(name).get("workspace_id") for name in ("scan", "scan_target")]
    same = str(ids[0]) == str(ids[1])
    return None if None in ids else _confirmed_if(same, "the same workspace" if same else "different workspaces")


def findings_are_whole(answers: Observations) -> Verdict | None:
    scan, answer = answers.record("scan"), answers.get("findings")
    if not scan or answer is None:
        return None
    if uncounted(scan) and not answer.is_cut:
        return Verdict(NOT_TRIED, "the scan does not say how many findings it has")
    rows, total = len(answer.rows), count_findings(scan)
    more = ", and the answer announces more rows" if answer.is_cut else ""
    seen = f"{counted(rows, 'row')}; the scan counts {counted(total, 'finding')}{more}"
    return _confirmed_if(not more and total <= rows, seen)


def findings_are_counted(answers: Observations) -> Verdict | None:
    scan = answers.record("scan")
    if not scan or "findings" not in answers:
        return None
    if uncounted(scan):
        return Verdict(REFUTED, f"result_summary has no valid number for {', '.join(uncounted(scan))}")
    # where the filter is ignored, there are rows of other scans
    rows, total = answers.rows("findings"), count_findings(scan)
    own = [row for row in rows if str(row.get("task_id")) == str(scan.get("id"))]
    seen = f"{counted(len(own), 'row')} with the scan in task_id, which counts {counted(total, 'finding')}"
    return _confirmed_if(len(own) == total and (own or not rows), seen)


def finding_has_risk(answers: Observations) -> Verdict | None:
    finding = answers.record("finding")
    similar = [name for name in finding if "risk" in str(name) or "severity" in str(name)]
    return _confirmed_if("risk_level" in finding, f"fields for the risk: {list_names(similar)}") if finding else None


def output_is_refused(answers: Observations) -> Verdict | None:
    expected = {"output": (406,), "running_output": (404, 409)}
    refused = [name for name in expected if name in answers and answers[name].status != 200]
    others = [name for name in refused if answers[name].status not in expected[name]]
    return _confirmed_if(not others, describe(answers[(others or refused)[0]])) if refused else None
