# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What service_verification reads, for the judges. Sends GET only."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from .._http.client import Client
from .._model.errors import CallError, ScannerError, WrongOption
from .._model.families import FAMILIES, FINISHED, TARGET_TYPES, WORKSPACE
from .._model.records import Record
from .._model.strict_json import without_halves
from .answers import LISTS, Observation, Observations, count_findings, ids_of, status_text
from .openapi import Bounded
from .relied_on import SCHEMA_PATH, SCHEMA_TYPES

# an id and a page that no account has
_NO_ID = 2147483647
_NO_PAGE = 1000000
# workspaces that are searched for objects, and pages of one list that are read
_MOST_WORKSPACES = 20
_MOST_PAGES = 5
# families whose lists have parameters, or lead to further reads
_READ_APART = ("workspace", "target", "http_logger", "wordlist", "scan", "finding", "finding_template")
# scans whose output is read, beside that of which everything is read
_MOST_OUTPUTS = 3
# words in the wordlist whose contents are read
_LONGEST_WORDLIST = 100000
# the first page, in whatever way the service counts
_LARGEST_PAGE = {"limit": 1000}
_RUNNING = "running"
# the key is not accepted, so that further calls show nothing
_NO_ACCESS = (401, 403)


class Survey:
    """Reads what can be judged. answers: what the service answered; failure: why the list of workspaces was not read."""

    def __init__(self, client: Client) -> None:
        self.answers = Observations()
        self.failure: ScannerError | None = None
        self._transport = client.transport
        # a recording hears every answer, too
        self._heard, client.transport.heard = client.transport.heard, self._hear

    def _hear(self, method: str, path: str, query: Record | None, status: int, *rest: Any) -> None:
        """Note a redirect, which the transport may follow."""
        if 300 <= status < 400:
            self.answers.redirected.append(_call_of(method, path))
        self._heard(method, path, query, status, *rest)

    def ask(
        self, name: str, path: str, query: Record | None = None, expected: Record | None = None, **how: Any
    ) -> Observation | None:
        """Send a GET and note its answer under a name, also if it is a refusal; None without an answer.

        expected: what a judge compares rows with, the query if None; how: as for ``Transport.send``.
        """
        expected = (query or {}) if expected is None else expected
        try:
            self._transport.send("GET", path, query=query, **how)
        except WrongOption:
            raise
        except ScannerError as error:
            return self.note_error(name, "GET", path, expected, error)
        return self.note(name, expected, how.get("sink"))

    def note(self, name: str, expected: Record, sink: Bounded | None = None) -> Observation | None:
        """Note the last answer under a name. sink: what received its body."""
        answer = self._transport.last
        if answer is None:
            return None
        form, value = _parse(answer.content_type, bytes(sink.text) if sink else answer.body)
        call = _call_of(answer.method, answer.path)
        self.answers[name] = Observation(answer.status, form, value, answer.headers, expected, call)
        return self.answers[name]

    def note_error(
        self, name: str, method: str, path: str, expected: Record, error: ScannerError
    ) -> Observation | None:
        """Note a call that failed: its refusal, its redirect, or that it had no answer."""
        if self._transport.last is not None:
            return self.note(name, expected)
        status = error.status if isinstance(error, CallError) else None
        call = _call_of(method, path)
        if status is None:
            self.answers.lost[name] = call
            return None
        self.answers[name] = Observation(status, "redirect", None, {}, expected, call)
        return self.answers[name]

    def read(self) -> None:
        """Read all that can be judged without a write. It goes on as long as the service answers and accepts the key."""
        try:
            self._transport.send("GET", WORKSPACE.path, about=self._transport.about("list", WORKSPACE, {}))
            listed = self.note("workspaces", {})
        except WrongOption:
            raise
        except ScannerError as error:
            self.failure = error
            listed = self.note_error("workspaces", "GET", WORKSPACE.path, {}, error)
        if listed is None or listed.status in _NO_ACCESS:
            return
        workspaces = _ids_of(listed.rows)[:_MOST_WORKSPACES]
        self.ask("unknown", f"/workspaces/{_NO_ID}")
        if workspaces:
            self.ask("workspace", f"/workspaces/{workspaces[0]}", expected={"id": workspaces[0]})
        self.read_list("targets_anywhere", "targets", {})
        self._search("targets", workspaces, lambda rows: min(len(rows), 2))
        if self.answers.rows("targets"):
            place = self._read_pages("targets")
            self.ask("past_end", "/targets", {**place, "limit": 1, "page": _NO_PAGE})
            types = {str(row.get("type")): None for row in self.answers.rows("targets")}
            chosen = next(filter(TARGET_TYPES.__contains__, types), TARGET_TYPES[0])
            self.ask("targets_of_type", "/targets", {**place, "type": chosen})
        self._read_loggers(workspaces)
        self.ask("wordlists", "/wordlists")
        short = [
            (row["num_words"], _id_of(row))
            for row in self.answers.rows("wordlists")
            if isinstance(row.get("num_words"), int) and row["num_words"] <= _LONGEST_WORDLIST and _id_of(row)
        ]
        if short:
            words, smallest = min(short)
            self.ask("wordlist", f"/wordlists/{smallest}", expected={"id": smallest})
            self.ask("contents", f"/wordlists/{smallest}/contents", expected={"num_words": words})
        self._read_scans(workspaces)
        for family in FAMILIES.values():
            if family.name not in _READ_APART:
                self.ask(family.plural, family.path)
        self.ask("finding_templates", "/public/finding_templates", {"limit": 2})
        self.ask("templates_2", "/public/finding_templates", {"limit": 2, "offset": 2})
        # last, since a download of unknown size closes the connection
        self.ask("schema", SCHEMA_PATH, accept=SCHEMA_TYPES, at_host=True, sink=Bounded())

    def _read_pages(self, family: str) -> Record:
        """Read pages of one row each, of the workspace whose list was noted. Returns that workspace as a query."""
        place = {"workspace_id": self.answers[family].expected["workspace_id"]}
        self.ask(f"{family}_first_page", f"/{family}", {**place, "limit": 1})
        for page in (1, 2):
            self.ask(f"{family}_page_{page}", f"/{family}", {**place, "limit": 1, "page": page})
        return place

    def read_list(self, name: str, family: str, query: Record) -> Observation | None:
        """Note a list as one answer, with the rows of its first pages if it is one in pages."""
        path, paged = LISTS[family].path, LISTS[family].paged == "page"
        size = _LARGEST_PAGE if paged else {}
        first = self.ask(name, path, {**query, **size}, expected=query)
        if paged and first and first.status in (400, 422):
            self.answers[f"{family}_limit"] = first
            size = {}
            first = self.ask(name, path, query)
        if not first or not first.rows or not paged:
            return first
        rows, fresh, page = first.rows, first.rows, 1
        while fresh and page < _MOST_PAGES:
            page += 1
            more = self.ask("next_page", path, {**query, **size, "page": page})
            known = ids_of(rows)
            fresh = [row for row in more.rows if str(row.get("id")) not in known] if more else []
            rows = rows + fresh
        if page > 2 or fresh:
            body = {**first.body, "data": rows} if isinstance(first.body, dict) else rows
            self.answers[name] = first._replace(body=body, whole=not fresh)
        return self.answers[name]

    def _search(
        self, family: str, workspaces: list[str], worth: Callable[[list[Record]], Any], enough: int = 0
    ) -> None:
        """Note the list of the workspace whose rows are worth most, and as ``_elsewhere`` that of another one.

        enough: the number of lists with rows after which no further one is read; 0 for none.
        """
        lists: list[Observation] = []
        for workspace_id in workspaces:
            listed = self.read_list("candidate", family, {"workspace_id": workspace_id})
            if listed:
                lists.append(listed)
            if enough and sum(bool(each.rows) for each in lists) == enough:
                break
        usable = [each for each in lists if isinstance(each.data, list)]
        if not usable:
            if lists:
                # a refusal says why
                self.answers[family] = lists[0]
            return
        chosen = max(usable, key=lambda each: (worth(each.rows), bool(each.rows)))
        self.answers[family] = chosen
        others = [each for each in usable if each is not chosen]
        if others:
            known = ids_of(chosen.rows)
            self.answers[f"{family}_elsewhere"] = max(others, key=lambda each: len(ids_of(each.rows) - known))

    def _read_loggers(self, workspaces: list[str]) -> None:
        anywhere = self.ask("http_loggers_anywhere", "/http_loggers")
        self._search("http_loggers", workspaces, len, enough=2)
        if anywhere and not self.answers.rows("http_loggers"):
            self.answers["http_loggers"] = anywhere
        rows = self.answers.rows("http_loggers_anywhere", "http_loggers")
        # one that recorded requests first
        loggers = _ids_of(sorted(rows, key=lambda row: not row.get("num_requests")))
        if loggers:
            answer = self.ask("logger_data", f"/http_loggers/{loggers[0]}/data")
            if answer:
                self.answers["requests"] = answer._replace(body=answer.record.get("requests", answer.data))

    def _read_scans(self, workspaces: list[str]) -> None:
        self.read_list("scans_anywhere", "scans", {})
        self._search(
            "scans",
            workspaces,
            # the most findings of a finished scan, the number of finished scans, and that of scans
            lambda found: (
                max((count_findings(row) for row in found if status_text(row) == FINISHED), default=-1),
                sum(status_text(row) == FINISHED for row in found),
                len(found),
            ),
        )
        rows = [row for row in self.answers.rows("scans") if _id_of(row)]
        if rows:
            self._read_pages("scans")
        finished = [row for row in rows if status_text(row) == FINISHED]
        running = [row for row in rows if status_text(row) == _RUNNING]
        chosen = str(self.answers["scans"].expected.get("workspace_id")) if "scans" in self.answers else ""
        # that of the scans first, since their findings are in it
        ordered = sorted(workspaces, key=lambda each: each != chosen)
        self.ask("findings_anywhere", "/findings")
        self._search("findings", ordered, lambda found: 0, enough=2)
        if finished:
            # one with findings, if there are any
            listed = {str(row.get("task_id")) for row in self.answers.rows("findings")}
            self._read_finished(max(finished, key=lambda row: (count_findings(row), _id_of(row) in listed)))
        # outputs of other tools, some of which have only raw output
        tools = {str(row.get("tool_id")): _id_of(row) for row in finished}
        for number, scan_id in enumerate(list(tools.values())[:_MOST_OUTPUTS], 1):
            self.ask(f"output_{number}", f"/scans/{scan_id}/output")
        if running:
            self.ask("running_output", f"/scans/{_id_of(running[0])}/output")
        self._read_target_of("elsewhere", self.answers.rows("scans_elsewhere"))
        findings = _ids_of(self.answers.rows("findings_of_scan", "findings"))
        if findings:
            self.ask("finding", f"/findings/{findings[0]}")

    def _read_target_of(self, name: str, scans: list[Record]) -> None:
        """Read the target of the first scan that names one."""
        for scan in scans:
            target_id = str(scan.get("target_id"))
            if target_id.isascii() and target_id.isdigit():
                expected = {"workspace_id": scan.get("workspace_id")}
                self.ask(f"target_of_scan_{name}", f"/targets/{target_id}", expected=expected)
                return

    def _read_finished(self, scan: Record) -> None:
        """Read a finished scan, its findings and output, and filtered lists that contain it."""
        scan_id = _id_of(scan)
        place = {"workspace_id": self.answers["scans"].expected.get("workspace_id")}
        for name in ("target_id", "tool_id"):
            if str(scan.get(name)).isdigit():
                self.read_list(f"scans_of_{name}", "scans", {**place, name: scan[name]})
        self.read_list("scans_of_status", "scans", {**place, "status": FINISHED})
        self.ask("scan", f"/scans/{scan_id}", expected={"id": scan_id})
        self._read_target_of("here", [scan])
        self.ask("output", f"/scans/{scan_id}/output")
        self.ask("raw", f"/scans/{scan_id}/raw", accept="text/plain")
        self.ask("findings_of_scan", "/findings", {**place, "task_id": scan_id})


def _call_of(method: str, path: str) -> str:
    """A call as a phrase without ids."""
    return f"{method} {re.sub(r'/[0-9]+(?=/|$)', '/{id}', path)}"


def _id_of(row: Mapping[str, Any]) -> str | None:
    """The id of a row as digits, or None if it is not a number."""
    text = str(row.get("id"))
    return text if text.isascii() and text.isdigit() else None


def _ids_of(rows: list[Record]) -> list[str]:
    return [each for each in map(_id_of, rows) if each]


def _parse(content_type: str, body: bytes) -> tuple[str, object]:
    """The form and the value of an answer, as in Observation."""
    if not body.strip():
        return "empty", None
    try:
        return "json", without_halves(json.loads(body))
    except (ValueError, RecursionError):
        text = body.decode("utf-8", "replace")
    if "json" in content_type:
        return "other", text
    forms = (form for mark, form in (("html", "html"), ("text/plain", "text")) if mark in content_type)
    return next(forms, "other"), text
