# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What service_verification reads, for the judges. Sends GET only."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from .._errors import ScannerError, WrongOption
from .._families.finding import FINDING
from .._families.http_logger import HTTP_LOGGER
from .._families.scan import FINISHED
from .._families.table import FAMILIES
from .._families.target import TARGET_TYPES
from .._families.wordlist import WORDLIST
from .._families.workspace import WORKSPACE
from .._http.client import Client
from .._http.redact import without_halves
from .._preflight.openapi import Bounded
from .._preflight.relied_on import SCHEMA_PATH, SCHEMA_TYPES
from .._records import Record
from .answers import Observation, Observations, count_findings, status_text, values_of

# an id and a page that no account has
_NO_ID = 2147483647
_NO_PAGE = 1000000
# workspaces that are searched for targets and scans
_MOST_WORKSPACES = 20
# families whose lists lead to further reads
_READ_FOR_MORE = (WORKSPACE, HTTP_LOGGER, WORDLIST, FINDING)
# words in the wordlist whose contents are read
_LONGEST_WORDLIST = 100000
# the first page, in whatever way the service counts
_LARGEST_PAGE = {"limit": 1000}
_RUNNING = "running"


class Survey:
    """Reads what can be judged. answers: what the service answered."""

    def __init__(self, client: Client) -> None:
        self.answers = Observations()
        self._transport = client.transport

    def ask(
        self, name: str, path: str, query: Record | None = None, expected: Record | None = None, **how: Any
    ) -> Observation | None:
        """Send a GET and note its answer under a name, also if it is a refusal; None without an answer.

        expected: what a judge compares rows with, the query if None; how: as for ``Transport.send``.
        """
        try:
            self._transport.send("GET", path, query=query, **how)
        except WrongOption:
            raise
        except ScannerError:
            if self._transport.last is None:
                return None
        return self.note(name, (query or {}) if expected is None else expected, how.get("sink"))

    def note(self, name: str, expected: Record, sink: Bounded | None = None) -> Observation | None:
        """Note the last answer under a name. sink: what received its body."""
        answer = self._transport.last
        if answer is None:
            return None
        form, value = _parse(answer.content_type, bytes(sink.text) if sink else answer.body)
        self.answers[name] = Observation(answer.status, form, value, answer.headers, expected)
        return self.answers[name]

    def read(self) -> None:
        """Read all that can be judged without a write. Raises if the list of workspaces cannot be read."""
        about = self._transport.about("list", WORKSPACE, {})
        answer = self._transport.send("GET", WORKSPACE.path, about=about)
        self.note("workspaces", {})
        if not isinstance(self.answers["workspaces"].data, list):
            raise answer.unexpected("data that is no list of workspaces")
        workspaces = _ids_of(self.answers.rows("workspaces"))
        self.ask("unknown", f"/workspaces/{_NO_ID}")
        self._read_targets(workspaces[:_MOST_WORKSPACES])
        self._read_loggers(workspaces[:2])
        self._read_wordlists()
        self._read_scans(workspaces[:_MOST_WORKSPACES])
        for family in FAMILIES.values():
            if not family.paged and family not in _READ_FOR_MORE:
                self.ask(family.plural, family.path)
        self.ask("finding_templates", "/public/finding_templates", {"limit": 2})
        self.ask("templates_2", "/public/finding_templates", {"limit": 2, "offset": 2})
        # last, since a download of unknown size closes the connection
        self.ask("schema", SCHEMA_PATH, accept=SCHEMA_TYPES, at_host=True, sink=Bounded())

    def _read_targets(self, workspaces: list[str]) -> None:
        self.ask("targets_anywhere", "/targets", _LARGEST_PAGE)
        chosen = self._search("targets", workspaces, lambda rows: len(rows) > 1)
        if chosen is None:
            return
        place = {"workspace_id": chosen}
        self.ask("first_page", "/targets", {**place, "limit": 1})
        for page in (1, 2):
            self.ask(f"page_{page}", "/targets", {**place, "limit": 1, "page": page})
        self.ask("past_end", "/targets", {**place, "limit": 1, "page": _NO_PAGE})
        self.ask("targets_of_type", "/targets", {**place, "type": TARGET_TYPES[0], **_LARGEST_PAGE})

    def _search(self, family: str, workspaces: list[str], has_enough: Callable[[list[Record]], bool]) -> str | None:
        """Choose a workspace, note its list, and return its id: one that has enough rows, else one that has any.

        If another workspace has rows that the list without a workspace lacks, its list is noted, too.
        """
        lists = [
            answer
            for workspace_id in workspaces
            for answer in [self.ask("candidate", f"/{family}", {"workspace_id": workspace_id, **_LARGEST_PAGE})]
            if answer
        ]
        current = values_of(self.answers.rows(f"{family}_anywhere"), "workspace_id")
        elsewhere = [each for each in lists if values_of(each.rows, "workspace_id") - current]
        if elsewhere:
            self.answers[f"{family}_elsewhere"] = elsewhere[0]
        if not lists:
            return None
        self.answers[family] = max(lists, key=lambda each: (has_enough(each.rows), bool(each.rows)))
        return str(self.answers[family].expected["workspace_id"])

    def _read_loggers(self, workspaces: list[str]) -> None:
        self.ask("http_loggers", "/http_loggers")
        for number, workspace_id in enumerate(workspaces, 1):
            self.ask(f"http_loggers_{number}", "/http_loggers", {"workspace_id": workspace_id})
        # one that recorded requests first
        loggers = _ids_of(sorted(self.answers.rows("http_loggers"), key=lambda row: not row.get("num_requests")))
        if loggers:
            answer = self.ask("logger_data", f"/http_loggers/{loggers[0]}/data")
            if answer:
                self.answers["requests"] = answer._replace(body=answer.record.get("requests", answer.data))

    def _read_wordlists(self) -> None:
        self.ask("wordlists", "/wordlists")
        short = [
            (row["num_words"], _id_of(row))
            for row in self.answers.rows("wordlists")
            if isinstance(row.get("num_words"), int) and row["num_words"] <= _LONGEST_WORDLIST and _id_of(row)
        ]
        if short:
            smallest = min(short)[1]
            self.ask("wordlist", f"/wordlists/{smallest}")
            self.ask("contents", f"/wordlists/{smallest}/contents")

    def _read_scans(self, workspaces: list[str]) -> None:
        self.ask("scans_anywhere", "/scans", _LARGEST_PAGE)
        chosen = self._search("scans", workspaces, lambda rows: FINISHED in map(status_text, rows))
        rows = [row for row in self.answers.rows("scans") if _id_of(row)]
        finished = [row for row in rows if status_text(row) == FINISHED]
        running = [row for row in rows if status_text(row) == _RUNNING]
        if finished:
            # one with findings, if there are any
            self._read_finished(max(finished, key=count_findings), chosen)
        if running:
            self.ask("running_output", f"/scans/{_id_of(running[0])}/output")

    def _read_finished(self, scan: Record, workspace_id: str | None) -> None:
        """Read a finished scan, its findings and output, and filtered lists that contain it."""
        scan_id = _id_of(scan)
        query = {name: scan[name] for name in ("workspace_id", "target_id", "tool_id") if str(scan.get(name)).isdigit()}
        self.ask("scans_filtered", "/scans", {**query, **_LARGEST_PAGE})
        place = {"workspace_id": query.get("workspace_id", workspace_id)}
        expected = {**place, "status_name": scan.get("status_name", scan.get("status"))}
        self.ask("scans_finished", "/scans", {**place, "status": FINISHED, **_LARGEST_PAGE}, expected=expected)
        self.ask("scan", f"/scans/{scan_id}")
        target_id = str(scan.get("target_id"))
        if target_id.isdigit():
            self.ask("scan_target", f"/targets/{target_id}")
        self.ask("output", f"/scans/{scan_id}/output")
        self.ask("raw", f"/scans/{scan_id}/raw", accept="text/plain")
        self.ask("findings", "/findings", {**place, "task_id": scan_id}, expected={**place, "task_id": scan["id"]})
        findings = _ids_of(self.answers.rows("findings"))
        if findings:
            self.ask("finding", f"/findings/{findings[0]}")


def _id_of(row: Record) -> str | None:
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
