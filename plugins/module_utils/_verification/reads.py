# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What service_verification reads: the answers by their names, for the judges. Sends GET only."""

from __future__ import annotations

import json

from .._errors import ScannerError, WrongOption
from .._preflight.openapi import Bounded
from .._preflight.relied_on import SCHEMA_PATH
from .._resources import TARGET_TYPES, WORKSPACE
from .._scan.statuses import FINISHED
from .judges import Seen, data_of, rows_of, values_of
from .scans import counts_of, status_text

# an id that no account has
_NO_ID = 2147483647
_FAR = 1000000
# workspaces that are searched for objects to look at
_MOST_WORKSPACES = 20
# words of a list
_LONGEST_WORDLIST = 100000
_FORMS = (("json", "json"), ("html", "html"), ("text/plain", "text"))
_WHOLE = {"limit": 1000, "page": 1}
_SCHEMA_TYPES = "application/yaml, application/json, */*"


class Visit:
    """What the service answered. answers: {name: Seen}."""

    def __init__(self, client):
        self.client = client
        self.transport = client.transport
        self.answers = {}

    def ask(self, name, path, query=None, asked=None, **how):
        """Send a GET and note its answer under a name, a refusal too; returns what is in its data, or None.

        query: dict or None; asked: what a judge compares rows with, the query where not given; how: as ``Transport.send``
        takes it.
        """
        sink = how.get("sink")
        try:
            self.transport.send("GET", path, query=query, **how)
        except WrongOption:
            raise
        except ScannerError:
            if self.transport.last is None:
                return None
        self.note(name, (query or {}) if asked is None else asked, None if sink is None else bytes(sink.text))
        return data_of(self.answers[name])

    def note(self, name, asked, text=None):
        """Note the last answer under a name. text: its body where a sink took it."""
        answer = self.transport.last
        form, value = _read(answer.content_type, answer.body if text is None else text)
        self.answers[name] = Seen(answer.status, form, value, answer.headers, asked)

    def read(self):
        """Ask for all that can be judged without a write. Raises where the list of workspaces cannot be read."""
        about = self.transport.known.call("list", WORKSPACE, {})
        answer = self.transport.send("GET", WORKSPACE.path, about=about)
        self.note("workspaces", {})
        if not isinstance(data_of(self.answers["workspaces"]), list):
            raise answer.unexpected("data that is no list of workspaces")
        workspaces = [each for each in map(_id_of, rows_of(self.answers, "workspaces")) if each]
        self.ask("unknown", f"/workspaces/{_NO_ID}")
        self._read_targets(workspaces[:_MOST_WORKSPACES])
        self._read_loggers(workspaces[:2])
        self._read_wordlists()
        self._read_scans(workspaces[:_MOST_WORKSPACES])
        self.ask("reports", "/reports")
        self.ask("vpn_profiles", "/vpn_profiles")
        self.ask("finding_templates", "/public/finding_templates", {"limit": 2})
        self.ask("templates_2", "/public/finding_templates", {"limit": 2, "offset": 2})
        # last, as a download of unknown size ends the connection
        self.ask("schema", SCHEMA_PATH, accept=_SCHEMA_TYPES, at_host=True, sink=Bounded())

    def _read_targets(self, workspaces):
        """Read the targets of the first workspace that shows two, else of the last that shows any."""
        self.ask("targets_anywhere", "/targets", _WHOLE)
        chosen = self._search("targets", workspaces, lambda rows: len(rows) > 1)
        if chosen is None:
            return
        place = {"workspace_id": chosen}
        for page in (1, 2):
            self.ask(f"page_{page}", "/targets", {**place, "limit": 1, "page": page})
        self.ask("past_end", "/targets", {**place, "limit": 1, "page": _FAR})
        self.ask("targets_of_type", "/targets", {**place, "type": TARGET_TYPES[0], **_WHOLE})

    def _search(self, family, workspaces, enough):
        """Note the list of the first workspace whose rows are enough, else of the last that has any, else of the first;
        returns its id, or None. A list of another workspace than that of the list without one is noted, too."""
        here = values_of(rows_of(self.answers, f"{family}_anywhere"), "workspace_id")
        chosen = None
        found = elsewhere = False
        for workspace_id in workspaces:
            self.ask("candidate", f"/{family}", {"workspace_id": workspace_id, **_WHOLE})
            seen = self.answers.pop("candidate", None)
            if seen is None:
                continue
            rows = rows_of({family: seen}, family)
            if values_of(rows, "workspace_id") - here:
                elsewhere = True
                self.answers[f"{family}_elsewhere"] = seen
            if not found and (rows or chosen is None):
                chosen, self.answers[family] = workspace_id, seen
                found = enough(rows)
            if found and (elsewhere or len(here) != 1):
                break
        return chosen

    def _read_loggers(self, workspaces):
        self.ask("http_loggers", "/http_loggers")
        for number, workspace_id in enumerate(workspaces, 1):
            self.ask(f"http_loggers_{number}", "/http_loggers", {"workspace_id": workspace_id})
        loggers = [row for row in rows_of(self.answers, "http_loggers") if _id_of(row)]
        # one that recorded something says more
        loggers.sort(key=lambda row: not row.get("num_requests"))
        if loggers:
            data = self.ask("logger_data", f"/http_loggers/{_id_of(loggers[0])}/data")
            rows = data.get("requests") if isinstance(data, dict) else data
            if "logger_data" in self.answers:
                self.answers["requests"] = self.answers["logger_data"]._replace(body=rows)

    def _read_wordlists(self):
        self.ask("wordlists", "/wordlists")
        short = [
            (row["num_words"], _id_of(row))
            for row in rows_of(self.answers, "wordlists")
            if isinstance(row.get("num_words"), int) and row["num_words"] <= _LONGEST_WORDLIST and _id_of(row)
        ]
        if short:
            smallest = min(short)[1]
            self.ask("wordlist", f"/wordlists/{smallest}")
            self.ask("contents", f"/wordlists/{smallest}/contents")

    def _read_scans(self, workspaces):
        self.ask("scans_anywhere", "/scans", _WHOLE)
        chosen = self._search("scans", workspaces, lambda rows: any(map(_has_finished, rows)))
        rows = [row for row in rows_of(self.answers, "scans") if _id_of(row)]
        finished = [row for row in rows if _has_finished(row)]
        running = [row for row in rows if status_text(row).lower() == "running"]
        if finished:
            # the list of a scan without findings tells little
            self._read_finished(max(finished, key=counts_of), chosen)
        if running:
            self.ask("running_output", f"/scans/{_id_of(running[0])}/output")

    def _read_finished(self, scan, workspace_id):
        """Read what a finished scan found, and lists that have to contain it."""
        scan_id = _id_of(scan)
        query = {name: scan[name] for name in ("workspace_id", "target_id", "tool_id") if str(scan.get(name)).isdigit()}
        self.ask("scans_filtered", "/scans", {**query, **_WHOLE})
        place = {"workspace_id": query.get("workspace_id", workspace_id)}
        asked = {**place, "status_name": status_text(scan)}
        self.ask("scans_finished", "/scans", {**place, "status": FINISHED, **_WHOLE}, asked=asked)
        self.ask("scan", f"/scans/{scan_id}")
        target_id = str(scan.get("target_id"))
        if target_id.isdigit():
            self.ask("scan_target", f"/targets/{target_id}")
        self.ask("output", f"/scans/{scan_id}/output")
        self.ask("raw", f"/scans/{scan_id}/raw", accept="text/plain")
        self.ask("findings", "/findings", {**place, "task_id": scan_id}, asked={**place, "task_id": scan["id"]})
        found = [each for each in map(_id_of, rows_of(self.answers, "findings")) if each]
        if found:
            self.ask("finding", f"/findings/{found[0]}")


def _id_of(row):
    """The id of a row where it is a number, in whatever form, else None."""
    text = str(row.get("id"))
    return text if text.isascii() and text.isdigit() else None


def _has_finished(row):
    return status_text(row).lower() == FINISHED


def _read(content_type, body):
    """(form, value) of an answer, as in Seen."""
    if not body.strip():
        return "empty", None
    try:
        return "json", json.loads(body)
    except (ValueError, RecursionError):
        form = next((form for mark, form in _FORMS if mark in content_type), "other")
        return ("other" if form == "json" else form), body.decode("utf-8", "replace")
