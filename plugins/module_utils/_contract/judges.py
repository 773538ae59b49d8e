# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The judges of the assumptions: what confirms and what refutes each, first those that several rows share. Pure.

A judge confirms only where the opposite would have shown: a filter only if there are rows that it has to drop.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container
from typing import NamedTuple, Optional

from .._evidence.scans import findings_of, uncounted
from .._http.advice import CREATE_HINTS, next_step
from .._http.retry import moment
from .._model.errors import counted
from .._model.families import FINDING, FINISHED, SEVERITIES
from .._model.family import PAGE_SIZE, Family
from .._model.records import Record
from .._model.times import Moment, moment_of
from .answers import (
    LISTS,
    Observation,
    Observations,
    count_findings,
    describe,
    ids_of,
    list_names,
    list_words,
    status_text,
    type_of,
    values_of,
)

CONFIRMED, REFUTED, NOT_TRIED = "confirmed", "refuted", "not tried"
_ID_FIELDS = ("workspace_id", "target_id", "tool_id", "task_id")
# seconds by which the newest time may be ahead of the Date header
_TOLERANCE = 300
# seconds between time zones, and by which a time may differ from what its zone makes it
_ZONES, _DELAY = 900, 120
_RATES = ("X-RateLimit-Limit", "X-RateLimit-Remaining")

# statuses of a gateway, of redirects, and of a key that is not accepted
_OF_OTHERS = (301, 302, 303, 307, 308, 401, 403, 502, 503, 504)


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


# --- judges that several assumptions share


def answer_is(
    test: Callable[[Observation], object], *names: str, refusals: bool = True, successes: bool = True
) -> Judge:
    """Judges each of these answers. refusals, successes: judge these, too."""

    def judge(answers: Observations) -> Verdict | None:
        judged = [
            answers[name] for name in names if name in answers and (successes if answers[name].succeeded else refusals)
        ]
        wrong = [answer for answer in judged if not test(answer)]
        return _confirmed_if(not wrong, describe((wrong or judged)[0])) if judged else None

    return judge


def is_by_id(name: str) -> Judge:
    """Judges the answer to a read by id: it is the record with this id."""
    return answer_is(lambda answer: str(answer.record.get("id")) == answer.expected["id"], name)


def values_are(
    value: Callable[[Record], object], known: Container[object], *names: str, each: Collection[object] = ()
) -> Judge:
    """Judges a value in each row of some lists: it is one of the known ones. each: those without which nothing is
    confirmed."""

    def judge(answers: Observations) -> Verdict | None:
        values = [value(row) for row in answers.rows(*names)]
        others = [found for found in values if found not in known]
        if others:
            return Verdict(REFUTED, f"others: {list_words(others)}")
        unseen = [wanted for wanted in each if wanted not in values]
        if unseen and values:
            return Verdict(NOT_TRIED, f"true of {counted(len(values), 'row')}, none with {list_words(unseen)}")
        return Verdict(CONFIRMED, f"true of {counted(len(values), 'row')}") if values else None

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


def is_filtered(
    field: str, filtered: str, listed: str, value: Callable[[Record], object] | None = None, wanted: str | None = None
) -> Judge:
    """Judges a filtered list: it has only rows with the value, while the list without this filter has others.

    value: reads it from a row; wanted: the value, that of the query if None.
    """
    read = value or (lambda row: row.get(field))

    def judge(answers: Observations) -> Verdict | None:
        if filtered not in answers or not answers[filtered].is_readable:
            return None
        rows, all_rows = answers.rows(filtered), answers.rows(listed)
        sought = str(answers[filtered].expected.get(field)) if wanted is None else wanted

        def differs(row: Record) -> bool:
            return read(row) is not None and str(read(row)) != sought

        if any(map(differs, rows)):
            return Verdict(REFUTED, f"{field} is ignored: {counted(sum(map(differs, rows)), 'other row')}")
        if listed in answers and answers[listed].whole and ids_of(rows) - ids_of(all_rows):
            return Verdict(NOT_TRIED, f"the list filtered by {field} has rows that the list without this filter lacks")
        dropped = sum(map(differs, all_rows))
        if not rows or not dropped:
            return None
        return Verdict(CONFIRMED, f"{field} drops {dropped} of {counted(len(all_rows), 'row')}")

    return judge


def is_of_workspace(family: str) -> Judge:
    """Judges the filter workspace_id: the lists of two workspaces have no row in common, and one has rows."""

    def judge(answers: Observations) -> Verdict | None:
        here, elsewhere = answers.get(family), answers.get(f"{family}_elsewhere")
        if here is None or not here.rows:
            return None
        wanted = str(here.expected.get("workspace_id"))
        others = [row for row in here.rows if str(row.get("workspace_id") or wanted) != wanted]
        if others:
            return Verdict(REFUTED, f"workspace_id is ignored: {counted(len(others), 'row')} of other workspaces")
        if elsewhere is None:
            return None
        same = ids_of(here.rows) & ids_of(elsewhere.rows)
        return _confirmed_if(
            not same,
            f"{len(here.rows)} and {counted(len(elsewhere.rows), 'row')} in two workspaces, {len(same) or 'none'} in both",
        )

    return judge


def is_utc(name: str, moment_of: Callable[[Record], Moment | None]) -> Judge:
    """Judges the times without an offset in a list: none of them is in the future. That alone confirms nothing, since a zone
    behind UTC would not show."""

    def judge(answers: Observations) -> Verdict | None:
        moments = [found.at for found in map(moment_of, answers.rows(name)) if found and not found.zoned]
        now = moment(answers[name].headers.get("Date")) if moments else None
        if now is None:
            return None
        ahead = max(moments) - now
        if ahead > _TOLERANCE:
            return Verdict(REFUTED, f"the newest time is {ahead / 3600:.1f} h ahead of the Date header")
        return Verdict(NOT_TRIED, "no time is in the future, but a time zone behind UTC would not be noticed")

    return judge


def began_in_utc(answers: Observations) -> Verdict | None:
    """Judges a scan in progress that says how long it has run: the time at which it began follows from that."""
    for scan in answers.rows("scans", "scans_elsewhere"):
        began, ran = moment_of(scan.get("start_time")), scan.get("duration")
        now = moment(answers["scans"].headers.get("Date"))
        running = status_text(scan) == "running" and began is not None and not began.zoned
        if began and running and isinstance(ran, int) and not isinstance(ran, bool) and ran > 0 and now is not None:
            behind = now - began.at - float(ran)
            zone = round(behind / _ZONES) * _ZONES
            if abs(behind - zone) <= _DELAY:
                seen = "a scan in progress began when its duration says" if not zone else ""
                return _confirmed_if(not zone, seen or f"a scan in progress began {abs(zone) / 3600:g} h away from UTC")
    return None


def is_of_current_workspace(family: str) -> Judge:
    """Judges a list that was read without a workspace: it is that of one workspace, although another one has rows, too."""

    def judge(answers: Observations) -> Verdict | None:
        anywhere = answers.get(f"{family}_anywhere")
        if anywhere is None or not anywhere.rows:
            return None
        found = ids_of(anywhere.rows)
        here, elsewhere = ids_of(answers.rows(family)), ids_of(answers.rows(f"{family}_elsewhere"))
        workspaces = len(values_of(anywhere.rows, "workspace_id"))
        if workspaces > 1 or (found & here and found & elsewhere and not here & elsewhere):
            return Verdict(REFUTED, f"{family} of {max(workspaces, 2)} workspaces are listed")
        if here & elsewhere or not anywhere.whole or not (here | elsewhere) - found:
            return None
        return Verdict(CONFIRMED, f"{family} of one workspace are listed, although others have some")

    return judge


def both(*judges: Judge) -> Judge:
    """Confirms what all judges confirm, and refutes what one refutes. Else it says why one of them has no verdict."""

    def judge(answers: Observations) -> Verdict | None:
        found = [each(answers) for each in judges]
        refutations = [each for each in found if each and each.verdict == REFUTED]
        if refutations or None in found:
            return refutations[0] if refutations else None
        verdicts = [each for each in found if each]
        return min(verdicts, key=lambda each: each.verdict != NOT_TRIED)

    return judge


def if_filtered(family: str, judge: Judge) -> Judge:
    """What a judge says of lists of one workspace, if they can be filtered by workspace_id."""

    def judge_if(answers: Observations) -> Verdict | None:
        filtered = is_of_workspace(family)(answers)
        if filtered and filtered.verdict == REFUTED:
            return Verdict(NOT_TRIED, filtered.seen)
        return judge(answers) if filtered else None

    return judge_if


def first_of(*judges: Judge) -> Judge:
    """The verdict that confirms or refutes, of the first judge that has one; else what the last one says."""

    def judge(answers: Observations) -> Verdict | None:
        verdict = None
        for each in judges:
            verdict = each(answers) or verdict
            if verdict and verdict.verdict != NOT_TRIED:
                return verdict
        return verdict

    return judge


# --- envelopes, lists and headers


def key_is_accepted(answers: Observations) -> Verdict | None:
    answer = answers.get("workspaces")
    # whether a key that is refused is valid is not known
    if answer is None or answer.status in _OF_OTHERS:
        return None
    return _confirmed_if(answer.status == 200, describe(answer))


def creates_answer_ids(*names: str) -> Judge:
    """Judges the answers to creates whose objects are listed: the id in the answer is that in the list."""

    def judge(answers: Observations) -> Verdict | None:
        judged = [answers[name] for name in names if name in answers and "id" in answers[name].expected]
        others = [answer for answer in judged if answer.status != 201 or "created_id" not in answer.record]
        if others:
            return Verdict(REFUTED, describe(others[0]))
        wrong = [answer for answer in judged if str(answer.record["created_id"]) != str(answer.expected["id"])]
        seen = "created_id is not the id in the list" if wrong else f"true of {counted(len(judged), 'create')}"
        return _confirmed_if(not wrong, seen) if judged else None

    return judge


def lists_are_wrapped(answers: Observations) -> Verdict | None:
    listed = {name: answers[name] for name in LISTS if name in answers and answers[name].status == 200}
    others = {
        name: answer
        for name, answer in listed.items()
        if not isinstance(answer.body, dict) or not isinstance(answer.body.get("data"), list)
    }
    seen = [f"{name} ({describe(answer)})" for name, answer in others.items()]
    return _unless(seen, f"{counted(len(listed), 'list')} wrapped in data", "not a list in data") if listed else None


def lists_are_whole(answers: Observations) -> Verdict | None:
    # another assumption is about the list of findings
    lists = {
        name: answers[name]
        for plural, family in LISTS.items()
        for name in (plural, f"{plural}_anywhere")
        if not family.paged and family is not FINDING and name in answers and isinstance(answers[name].data, list)
    }
    cut = {name.partition("_any")[0] for name, answer in lists.items() if answer.is_cut}
    if cut:
        return Verdict(REFUTED, f"incomplete: {', '.join(sorted(cut))}")
    most = max((len(answer.rows) for answer in lists.values()), default=0)
    seen = f"no answer announces more rows; the longest has {counted(most, 'row')}"
    return Verdict(CONFIRMED if most > PAGE_SIZE else NOT_TRIED, seen) if lists else None


def totals_are_true(answers: Observations) -> Verdict | None:
    """Judges the totals beside pages of one row, as on a complete list the number of rows on the page is the same."""
    judged: list[str] = []
    wrong: list[str] = []
    for family in ("targets", "scans"):
        page, rows = answers.get(f"{family}_page_1"), answers.rows(family)
        total = page.beside.total if page and answers[family].whole and len(rows) > 1 else None
        if total is not None:
            (judged if total == len(rows) else wrong).append(f"{family}: {total} of {counted(len(rows), 'row')}")
    return _unless(wrong, ", ".join(judged), "other totals") if judged or wrong else None


def ids_are_integers(answers: Observations) -> Verdict | None:
    rows = [(name, row) for name, family in LISTS.items() if family.identity == "id" for row in answers.rows(name)]
    others = {f"{name}.id" for name, row in rows if type_of(row.get("id")) != "integer"}
    others |= {
        f"{name}.{field}"
        for name, row in rows
        for field in _ID_FIELDS
        if row.get(field) is not None and type_of(row[field]) != "integer"
    }
    return _unless(others, f"integers in {counted(len(rows), 'row')}", "not integers") if rows else None


def has_rate_headers(answers: Observations) -> Verdict | None:
    own = [answer for name, answer in answers.items() if name != "schema" and answer.status not in _OF_OTHERS]
    values = {name: [answer.headers.get(name) for answer in own] for name in _RATES}
    wrong = {
        f"{name} {'is missing' if value is None else 'is not a number'}"
        for name, found in values.items()
        for value in found
        if value is None or not re.fullmatch(r"\s*[0-9]+\s*", value)
    }
    return _unless(wrong, f"both are numbers in {counted(len(own), 'answer')}", "found") if own else None


def has_dates(answers: Observations) -> Verdict | None:
    own = [answer for answer in answers.values() if answer.status not in _OF_OTHERS]
    missing = sum(moment(answer.headers.get("Date")) is None for answer in own)
    return (
        _confirmed_if(not missing, f"{missing or 'none'} of {counted(len(own), 'answer')} without one") if own else None
    )


def put_shares_the_limit_of_post(answers: Observations) -> Verdict | None:
    """Judges by what was left after a PUT, directly after a POST."""
    calls = [answers.get(name) for name in ("workspaces", "create_in_lower_case", "update")]
    texts = [answer.headers.get(name, "") for answer in calls if answer for name in _RATES]
    if len(texts) != 6 or not all(text.isdigit() for text in texts):
        return None
    reading, _left, posting, before, putting, after = map(int, texts)
    if reading == posting:
        return Verdict(NOT_TRIED, "GET and POST have the same limit")
    if putting == reading:
        return Verdict(REFUTED, f"the limit of PUT is that of GET, {putting}")
    if putting != posting or after == before - 1:
        return _confirmed_if(putting == posting, f"limits: POST {posting}, PUT {putting}, GET {reading}")
    return Verdict(NOT_TRIED, f"{before} calls were left after a POST, {after} after the PUT that followed")


def has_schema(answers: Observations) -> Verdict | None:
    answer = answers.get("schema")
    if answer is None:
        return None
    text = answer.body if isinstance(answer.body, str) and answer.form != "html" else ""
    is_openapi = (isinstance(answer.body, dict) and "openapi" in answer.body) or re.search(
        "^openapi:", text, re.MULTILINE
    )
    return _confirmed_if(
        answer.status == 200 and is_openapi, f"status {answer.status}, {'an' if is_openapi else 'no'} OpenAPI file"
    )


def is_not_redirected(answers: Observations) -> Verdict | None:
    redirected = {*answers.redirected, *(each.call for each in answers.values() if each.form == "redirect")}
    if redirected:
        return Verdict(REFUTED, f"redirected: {', '.join(sorted(redirected))}")
    # reads and writes may be answered by different programs
    return Verdict(CONFIRMED, f"no redirect in {counted(len(answers), 'call')}") if "create" in answers else None


def is_paged(family: str) -> Judge:
    """Judges pages of one row each: the first page without a number is page 1, and page 2 has another row."""

    def judge(answers: Observations) -> Verdict | None:
        if f"{family}_limit" in answers:
            return Verdict(REFUTED, f"limit 1000: {describe(answers[f'{family}_limit'])}")
        first, second = answers.rows(f"{family}_page_1"), answers.rows(f"{family}_page_2")
        few = len(answers.rows(family)) < 2 and not second
        pages = [answers.get(f"{family}_{name}") for name in ("first_page", "page_1")]
        if few and not all(page and page.is_readable for page in pages):
            return None
        if ids_of(answers.rows(f"{family}_first_page")) != ids_of(first):
            return Verdict(REFUTED, "page 1 is not the first page")
        if few:
            return None
        same = ids_of(first) & ids_of(second)
        seen = (
            f"limit 1: {counted(len(first), 'row')} on page 1, {len(second)} on page 2{', the same id' if same else ''}"
        )
        return _confirmed_if(len(first) == len(second) == 1 and not same, seen)

    return judge


def page_after_the_last_is_empty(answers: Observations) -> Verdict | None:
    answer = answers.get("past_end")
    if answer is None or not answers.rows("targets_first_page"):
        return None
    return _confirmed_if(answer.status == 200 and answer.data == [], describe(answer))


def templates_are_paged(answers: Observations) -> Verdict | None:
    first, second = answers.rows("finding_templates"), answers.rows("templates_2")
    if len(first) < 2 or (len(first) == 2 and not second):
        return None
    same = any(row in first for row in second)
    good = len(first) == 2 and not same and all(row.get("name") for row in first + second)
    after = "some of the same rows" if same else counted(len(second), "row")
    return _confirmed_if(good, f"limit 2: {counted(len(first), 'row')}, then {after} with offset 2")


def ids_are_unknown(answers: Observations) -> Verdict | None:
    unknown, known = answers.get("unknown"), answers.record("workspace")
    if unknown is None or (unknown.status == 404 and "id" not in known):
        # where no read by id succeeds, a 404 shows nothing
        return None
    return _confirmed_if(unknown.status == 404, describe(unknown))


# --- targets and loggers, creates, updates and deletes


def objects_have_workspaces(answers: Observations) -> Verdict | None:
    targets, loggers = answers.rows("targets"), answers.rows("http_loggers")
    deviations = {
        "targets without a workspace_id": any(row.get("workspace_id") is None for row in targets),
        "HTTP loggers with a workspace_id": any("workspace_id" in row for row in loggers),
    }
    found = [deviation for deviation, is_found in deviations.items() if is_found]
    if not found and not (targets and loggers):
        return None
    return _unless(found, f"true of {counted(len(targets) + len(loggers), 'row')}", "found")


def descriptions_are_strings(answers: Observations) -> Verdict | None:
    rows = answers.rows("workspaces", "targets", "wordlists")
    own = answers.record("created_workspace")
    types = {type_of(row.get("description")) for row in [*rows, *([own] if own else [])]}
    if types - {"string"}:
        return Verdict(REFUTED, f"others: {list_words(types - {'string'})}")
    is_empty = any(row.get("description") == "" for row in [*rows, own])
    # only an object without one could have had null
    return Verdict(CONFIRMED, f"true of {counted(len(rows), 'row')}, also without one") if is_empty else None


def created_are_listed(answers: Observations) -> Verdict | None:
    tried = [answer for name, answer in answers.items() if name.startswith("listed_")]
    missing = {answer.expected["noun"] for answer in tried if not answer.rows}
    return _unless(missing, f"{counted(len(tried), 'object')} in their lists", "missing in its list") if tried else None


def deletes_are_done(answers: Observations) -> Verdict | None:
    """Judges each delete, with the read that followed it."""
    seen: list[str] = []
    unread = 0
    deletes = {name: answer for name, answer in answers.items() if name.startswith("delete_")}
    for name, delete in deletes.items():
        after = answers.get(f"after_{name}")
        exists = ", and it still exists" if after is not None and after.succeeded else ""
        if delete.succeeded and (delete.status != 204 or exists):
            seen.append(f"{delete.call}: {describe(delete) if delete.status != 204 else 'status 204'}{exists}")
        unread += not delete.succeeded or after is None or after.status != 404
    if not deletes or (unread == len(deletes) and not seen):
        return None
    if seen:
        return Verdict(REFUTED, "; ".join(sorted({*seen})))
    return Verdict(CONFIRMED, f"status 204, and a read by id returns 404 ({len(deletes) - unread} times)")


def target_is_deleted(answers: Observations) -> Verdict | None:
    delete, after = answers.get("delete_create_target"), answers.get("after_delete_create_target")
    if delete is None or delete.status == 403 or after is None:
        return None
    exists = "still exists" if after.succeeded else "no longer exists" if after.status == 404 else ""
    if not exists:
        return None
    gone = delete.succeeded and after.status == 404
    return _confirmed_if(gone, f"status {delete.status}, and the target {exists}")


def workspace_takes_its_objects(answers: Observations) -> Verdict | None:
    kept = [noun for noun in ("target", "http_logger") if f"kept_{noun}" in answers]
    remaining = [noun for noun in kept if answers[f"kept_{noun}"].succeeded]
    if remaining:
        return Verdict(REFUTED, f"{list_names(remaining)} not deleted with the workspace")
    gone = all(answers[f"kept_{noun}"].status == 404 for noun in kept)
    return Verdict(CONFIRMED, "a target and an HTTP logger were deleted with it") if len(kept) == 2 and gone else None


def put_keeps_other_fields(answers: Observations) -> Verdict | None:
    put, after = answers.get("update"), answers.record("updated_workspace")
    if put is None or "id" not in after:
        return None
    if not put.succeeded:
        return Verdict(NOT_TRIED, f"{put.call}: {describe(put)}")
    sent, before = put.expected, answers.record("workspace_before_update")
    if after.get("name") != sent["name"]:
        return Verdict(REFUTED, "the name that was sent is not stored")
    if not before.get("description"):
        return None
    kept = after.get("description") == before["description"]
    return _confirmed_if(kept, f"the description {'was kept' if kept else 'was changed'} by a PUT of the name")


def put_clears_the_description(answers: Observations) -> Verdict | None:
    put, before, after = (answers.get(name) for name in ("clear", "updated_workspace", "cleared_workspace"))
    if put is None:
        return None
    if not put.succeeded:
        return Verdict(REFUTED, describe(put))
    if after is None or "id" not in after.record or not before or not before.record.get("description"):
        return None
    left = after.record.get("description")
    return _confirmed_if(left in ("", None), "cleared" if left in ("", None) else "kept")


def logger_is_in_its_workspace(answers: Observations) -> Verdict | None:
    """Judges the create that names the workspace in the query and in the form; the phrase also says what one of them does."""
    here, elsewhere = answers.get("own_loggers"), answers.get("other_own_loggers")
    if here is None or elsewhere is None:
        return None
    found, others = ids_of(here.rows), ids_of(elsewhere.rows)
    ids: Record = here.expected["created"]
    if not ids.get("both"):
        return None
    words = {"both": "in the query and the form", "query": "in the query alone", "form": "in the form alone"}
    seen = ", ".join(f"{words[way]}: {'yes' if str(ids[way]) in found else 'no'}" for way in words if ids.get(way))
    if str(ids["both"]) in others:
        return Verdict(NOT_TRIED, "the lists of two workspaces have it, so that workspace_id is ignored")
    return _confirmed_if(str(ids["both"]) in found, seen)


def name_is_stored_as_sent(answers: Observations) -> Verdict | None:
    answer = answers.get("stored_target")
    if answer is None or "name" not in answer.record:
        return None
    stored, sent = answer.record["name"], answer.expected["name"]
    if stored == sent == sent.lower():
        return Verdict(NOT_TRIED, "target has no capital letter that the service could change")
    return _confirmed_if(stored == sent, "stored as sent" if stored == sent else "stored in another spelling")


def _is_unique(answers: Observations, first: str, again: str) -> bool | None:
    """Whether the second create of an object was refused; None if that is not known."""
    created, repeated = answers.get(first), answers.get(again)
    if created is None or repeated is None or not created.succeeded:
        return None
    return False if repeated.succeeded else True if repeated.status == 409 else None


def names_depend_on_case(answers: Observations) -> Verdict | None:
    answer = answers.get("create_in_lower_case")
    unique = _is_unique(answers, "create", "create_again")
    if answer is None or not (answer.succeeded or answer.status == 409):
        return None
    if unique is False:
        return Verdict(REFUTED, "the same name was created twice")
    if answer.succeeded and unique is None:
        return None
    return _confirmed_if(answer.succeeded, f"in lower case: status {answer.status}; the same name again: status 409")


def target_names_are_unique_in_a_workspace(answers: Observations) -> Verdict | None:
    unique = _is_unique(answers, "create_target", "create_target_again")
    elsewhere = answers.get("create_target_elsewhere")
    if unique is False:
        return Verdict(REFUTED, "the same name was created twice in one workspace")
    if unique is None or elsewhere is None or not (elsewhere.succeeded or elsewhere.status == 409):
        return None
    seen = f"again: status 409; in another workspace: status {elsewhere.status}"
    return _confirmed_if(elsewhere.succeeded, seen)


def refusal_has_known_reason(answers: Observations) -> Verdict | None:
    answer = answers.get("create_target")
    if answer is None or answer.status != 403:
        return None
    message = answer.error.get("message")
    known = isinstance(message, str) and next_step(403, message, CREATE_HINTS) != next_step(403)
    return _confirmed_if(known, f"{describe(answer)}; {'a known' if known else 'an unknown'} reason")


# --- scans, findings and output


def statuses_are_known(known: Collection[str]) -> Judge:
    """Judges the statuses of scans. They confirm something if one finished and another did not."""

    def judge(answers: Observations) -> Verdict | None:
        words = [status_text(row) for row in answers.rows("scans", "scans_elsewhere")]
        others = [word for word in words if word not in known]
        if others:
            return Verdict(REFUTED, f"others: {list_words(others)}")
        seen = f"seen: {list_words(words)}"
        if FINISHED in words and len(set(words)) > 1:
            return Verdict(CONFIRMED, seen)
        return Verdict(NOT_TRIED, f"{seen}; requires a finished scan and one with another status") if words else None

    return judge


def scans_are_in_workspace_of_target(answers: Observations) -> Verdict | None:
    pairs = [
        (str(answer.expected["workspace_id"]), str(answer.record["workspace_id"]))
        for name in ("target_of_scan_here", "target_of_scan_elsewhere")
        for answer in [answers.get(name)]
        if answer and answer.expected.get("workspace_id") is not None and answer.record.get("workspace_id") is not None
    ]
    if any(first != second for first, second in pairs):
        return Verdict(REFUTED, "different workspaces")
    return Verdict(CONFIRMED, "the same in two workspaces") if len(set(pairs)) > 1 else None


def _own_findings(answers: Observations) -> list[Record]:
    """The findings that name the scan. Where the filter is ignored, the list also has those of others."""
    scan_id = str(answers.record("scan").get("id"))
    return [row for row in answers.rows("findings_of_scan") if str(row.get("task_id")) == scan_id]


def findings_are_whole(answers: Observations) -> Verdict | None:
    scan, answer = answers.record("scan"), answers.get("findings_of_scan")
    if not scan or answer is None or not isinstance(answer.data, list):
        return None
    # those that name no scan count, too: another assumption is about the field
    other = ids_of(row for row in answer.rows if row.get("task_id") is not None) - ids_of(_own_findings(answers))
    own, total = ids_of(answer.rows) - other, count_findings(scan)
    if answer.is_cut:
        return Verdict(REFUTED, f"{counted(len(own), 'row')}, and the answer announces more rows")
    if uncounted(scan):
        return Verdict(NOT_TRIED, "the scan does not say how many findings it has")
    seen = f"{counted(len(own), 'row')}; the scan counts {counted(total, 'finding')}"
    if total > len(own):
        return Verdict(REFUTED, seen)
    if len(own) > PAGE_SIZE:
        return Verdict(CONFIRMED, seen)
    return Verdict(NOT_TRIED, f"{seen}; requires more than {PAGE_SIZE:,} findings")


def findings_are_counted(answers: Observations) -> Verdict | None:
    """Judges the counts of a finished scan that has findings, by severity."""
    scan, answer = answers.record("scan"), answers.get("findings_of_scan")
    if not scan or answer is None or not isinstance(answer.data, list):
        return None
    if uncounted(scan):
        return Verdict(REFUTED, f"result_summary has no valid number for {', '.join(uncounted(scan))}")
    own, counts = _own_findings(answers), findings_of(scan)
    risks = [row.get("risk_level", row.get("vuln_risk_level")) for row in own]
    wrong = [
        f"{level}: {counts[level]}, {counted(found, 'row')}"
        for number, level in enumerate(SEVERITIES)
        for found in [sum(risk == number for risk in risks)]
        if found != counts[level] and all(type_of(risk) == "integer" for risk in risks)
    ]
    seen = (
        f"{counted(len(own), 'row')} with the scan in task_id, which counts {counted(sum(counts.values()), 'finding')}"
    )
    if len(own) != sum(counts.values()) or wrong:
        return Verdict(REFUTED, f"{seen}; {'; '.join(wrong)}" if wrong else seen)
    return Verdict(CONFIRMED, seen) if own else None


def reports_are_listed(answers: Observations) -> Verdict | None:
    answer = answers.get("reports")
    # another form of a success is another assumption
    if answer is None or (answer.succeeded and not isinstance(answer.data, list)):
        return None
    return _confirmed_if(answer.status == 200, describe(answer))


def finding_has_risk(answers: Observations) -> Verdict | None:
    finding = answers.record("finding")
    similar = [name for name in finding if "risk" in str(name) or "severity" in str(name)]
    return _confirmed_if("risk_level" in finding, f"fields for the risk: {list_names(similar)}") if finding else None


def patch_takes_objects(answers: Observations) -> Verdict | None:
    """Judges the PATCH that sends a finding the status that it has."""
    patch, after = answers.get("finding_change"), answers.record("finding_after")
    if patch is None:
        return None
    if not patch.succeeded:
        unclear = patch.status in (*_OF_OTHERS, 429, 500)
        return Verdict(NOT_TRIED if unclear else REFUTED, f"{patch.call}: {describe(patch)}")
    if "status" not in after:
        return None
    kept = after["status"] == patch.expected["status"]
    return _confirmed_if(kept, f"status {patch.status}; the value that it had {'was kept' if kept else 'has changed'}")


def cves_are_lists(answers: Observations) -> Verdict | None:
    values = [row.get("cve") for row in answers.rows("findings", "findings_of_scan")]
    others = {type_of(value) for value in values if not isinstance(value, list)}
    if others:
        return Verdict(REFUTED, f"others: {list_words(others)}")
    filled = sum(bool(value) for value in values)
    return Verdict(CONFIRMED, f"true of {counted(len(values), 'row')}, {filled} with a CVE") if filled else None
