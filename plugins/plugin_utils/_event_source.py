# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs the event sources in ansible-rulebook: reads in a thread, passes events on, and keeps the cursor in a file."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from random import SystemRandom
from typing import Any, Protocol
from uuid import UUID, uuid4

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ..module_utils._estate.canary import why_deaf
from ..module_utils._estate.logger_data import by_id, captured, decoded
from ..module_utils._evidence.scans import outcome_of, status_of, without_secrets
from ..module_utils._http.connection import Connection, missing_requests
from ..module_utils._http.transport import Transport
from ..module_utils._model.errors import ApiError, Refused, ScannerError, WrongOption, harmless, printable, shown
from ..module_utils._model.families import HTTP_LOGGER, SCAN, WORKSPACE
from ..module_utils._model.inputs import content_of
from ..module_utils._model.interrupts import Stop
from ..module_utils._model.records import Record
from ..module_utils._model.tools import tool_id_of
from ..module_utils._model.trust import refuse_untrusted
from ..module_utils._task.atomic_files import Draft
from ..module_utils._task.connection_options import INVENTORY_OPTIONS, connection_from, from_environment
from ..module_utils._task.lookup import chosen_workspaces
from ..module_utils._task.raw_options import refusal
from ..module_utils._task.references import belongs, find, place_of
from ..module_utils._task.task import Opened, Task, perform
from ._events import Cursor, Owner, account_of, event, event_id, pause, read_state

LOG = logging.getLogger("scanops.scanner")
# after so many seconds the record of a logger is read again, whose days and number of requests change
_AGAIN = 3600

_OPTIONS: dict[str, dict[str, Any]] = dict(
    INVENTORY_OPTIONS,
    state_file=dict(type="path", required=True),
    first_run=dict(type="str", choices=["all", "new"], default="all"),
    feedback=dict(type="bool", default=False),
    feedback_timeout=dict(type="float", default=60.0),
    on_silence=dict(type="str", choices=["continue", "stop"], default="stop"),
    error_after=dict(type="float", default=60.0),
)


class Source(Protocol):
    """A kind of event source. kind: that of its events; options, constraints: its own part of the argument spec."""

    kind: str
    options: Mapping[str, Any]
    constraints: Mapping[str, Any]

    def selection(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Which objects are events, equal for equal selections. Raises WrongOption."""

    def read(self, task: Task) -> dict[str, Any]:
        """source: the name in ids of events; rows: the records by id; ended: whether each has ended; notice: what a person
        should know now, passed on as an event."""


class Requests:
    """The requests that one logger records."""

    kind = "request"
    options: Mapping[str, Any] = dict(
        label=dict(type="str"),
        id=dict(type="int"),
        workspace=dict(type="str"),
        interval=dict(type="float", default=10.0),
    )
    constraints: Mapping[str, Any] = dict(required_one_of=[("label", "id")], mutually_exclusive=[("label", "id")])

    def __init__(self) -> None:
        self._logger: int | None = None
        self._found = 0.0
        # what was not yet passed on
        self._deaf = ""

    def selection(self, params: Mapping[str, Any]) -> dict[str, Any]:
        # each request of the logger is an event
        return {}

    def read(self, task: Task) -> dict[str, Any]:
        announced = None
        if self._logger is None or time.monotonic() - self._found > _AGAIN:
            logger = find(task, HTTP_LOGGER, place_of(task))
            if logger is None:
                wanted = task.params["label"] or f"id {task.params['id']}"
                raise Refused(
                    f"HTTP logger {printable(wanted)!r} does not exist: create it, or correct the label or the id."
                )
            self._logger, self._found = logger["id"], time.monotonic()
            announced, self._deaf = logger["num_requests"], why_deaf(logger)
        source = f"http_logger/{self._logger}"
        try:
            entries = captured(task.client, self._logger, announced)
        except ApiError as error:
            if error.status == 404:
                # one that was deleted may be created again, with another id
                self._logger = None
            raise
        rows = {number: decoded(entry) for number, entry in by_id(entries).items()}
        notice, self._deaf = self._deaf, ""
        return dict(source=source, rows=rows, ended=dict.fromkeys(rows, True), notice=notice)


class Scans:
    """The scans of some workspaces."""

    kind = "scan"
    options: Mapping[str, Any] = dict(
        workspaces=dict(type="list", elements="str"),
        tools=dict(type="list", elements="str"),
        interval=dict(type="float", default=30.0),
    )
    constraints: Mapping[str, Any] = {}

    def selection(self, params: Mapping[str, Any]) -> dict[str, Any]:
        tools = sorted({tool_id_of(each, "tools") for each in params["tools"] or ()})
        workspaces = params["workspaces"]
        named = {} if workspaces is None else {"workspaces": sorted({*workspaces})}
        return {**named, "tools": tools} if tools else named

    def read(self, task: Task) -> dict[str, Any]:
        tools = [tool_id_of(each, "tools") for each in task.params["tools"] or ()]
        rows: dict[int, Record] = {}
        for workspace in chosen_workspaces(task.client.all(WORKSPACE), task.params["workspaces"]):
            place = {"workspace_id": workspace["id"]}
            for scan in task.client.all(SCAN, place):
                if belongs(scan, place) and (not tools or scan["tool_id"] in (None, *tools)):
                    more = dict(workspace=workspace["name"], outcome=outcome_of(scan))
                    rows[scan["id"]] = dict(without_secrets(scan), **more)
        # a scan without a status may not have ended
        ended = {each: bool(row["outcome"] and status_of(row)) for each, row in rows.items()}
        return dict(source="scan", rows=rows, ended=ended)


SOURCES: dict[str, Callable[[], Source]] = {"http_logger": Requests, "scan": Scans}


class Reads:
    """Reads the service, as a Host of tasks that share a connection. Not used by two threads at once."""

    check_mode = diff_mode = False

    def __init__(self, source: Source, params: dict[str, Any]) -> None:
        self.params = params
        self.stop = Stop()
        self._source = source
        self._ends = threading.Event()
        self._transport: Transport | None = None
        self._warned: set[str] = set()

    def warn(self, warning: str) -> None:
        if warning not in self._warned:
            self._warned.add(warning)
            LOG.warning("%s", harmless(warning))

    def show(self, text: str) -> None:
        LOG.info("%s", harmless(text))

    @contextlib.contextmanager
    def opened(
        self, connection: Connection, environ: Mapping[str, str], opening: Callable[[Connection], Transport]
    ) -> Iterator[Opened]:
        """The connection, whose waits end with the rulebook."""
        self._transport = self._transport or Transport(connection, self._ends.wait)
        self._transport.renew()
        yield Opened(self._transport)

    def rows(self) -> dict[str, Any]:
        """What ``Source.read`` returns. Raises Refused."""
        spec = {**_OPTIONS, **self._source.options}
        ended = perform(self, spec, self._source.read, None, os.environ, self)
        if ended.failure is not None:
            raise Refused(ended.failure)
        return ended.result

    def end(self) -> None:
        """Let a read end before its next call."""
        self.stop.begin("the rulebook ends")
        self._ends.set()


class Deliveries:
    """Passes events on to ansible-rulebook."""

    def __init__(self, queue: Any, feedback: Any, seconds: float, goes_on: bool) -> None:
        """feedback: the queue of acknowledgements, or None; seconds: how long to wait for one; goes_on: whether without one
        the next event follows."""
        self._queue = queue
        self._seconds = seconds
        self._goes_on = goes_on
        self._heard = asyncio.Event()
        self._awaited = ""
        self._listener = None if feedback is None else asyncio.ensure_future(self._listen(feedback))

    async def _listen(self, feedback: Any) -> None:
        # always, because a filter may split an event, and the engine waits until each acknowledgement is taken
        while True:
            answer = await feedback.get()
            if answer.get("meta", {}).get("uuid") == self._awaited:
                self._heard.set()

    async def deliver(self, passed: dict[str, Any]) -> None:
        """Put an event, and wait for its acknowledgement. Raises RuntimeError."""
        self._awaited = passed["meta"]["uuid"]
        self._heard.clear()
        await self._queue.put(passed)
        if self._listener is None:
            return
        heard = asyncio.ensure_future(self._heard.wait())
        try:
            # before Python 3.12, wait_for may lose a cancellation
            done, _pending = await asyncio.wait([heard], timeout=self._seconds)
        finally:
            heard.cancel()
        if done:
            return
        silence = (
            f"No acknowledgement of event {self._awaited} within {self._seconds:g} s (feedback_timeout). A filter may have"
            " dropped it, or the engine failed to store it."
        )
        if not self._goes_on:
            raise RuntimeError(
                f"{silence} The source stops before the next event, and begins with this one when the rulebook is started"
                " again. Set on_silence to continue if a filter drops events on purpose."
            )
        LOG.warning("%s The source continues with the next event.", silence)

    def end(self) -> None:
        if self._listener is not None:
            self._listener.cancel()


class State:
    """The cursor of a source, and the file that keeps it."""

    def __init__(self, path: str, owner: Owner) -> None:
        """Lock the file, and read it, if it exists. Raises WrongOption."""
        self.source = ""
        self.cursor: Cursor | None = None
        # a file that replaces the link would have another lock
        self._path, self._owner = os.path.realpath(path), owner
        self._is_stored = True
        refuse_untrusted(path, "state_file")
        self._lock = _locked(path)
        try:
            content = content_of(path, "state_file")
            if content is not None:
                self.source, self.cursor = read_state(content.decode(), owner)
        except ValueError as error:
            self.end()
            raise WrongOption(
                f"state_file {shown(path)} cannot be used ({error}): give each source a file of its own, or delete the file to"
                " begin again, as first_run says."
            ) from None
        except BaseException:
            self.end()
            raise

    def end(self) -> None:
        """Let another source use the file."""
        os.close(self._lock)

    def keep(self, source: str, cursor: Cursor) -> None:
        """Replace the file, unless nothing has changed. Raises Refused."""
        if (source, cursor) != (self.source, self.cursor) or not self._is_stored:
            # what was passed on is not passed on again, even while the file cannot be written
            self.source, self.cursor, self._is_stored = source, cursor, False
            self.store()

    def store(self) -> None:
        """Write the file, if an earlier attempt failed. Raises Refused."""
        if self._is_stored or self.cursor is None:
            return
        try:
            with Draft(self._path, "state_file") as draft:
                draft.write(self.cursor.text(self._owner, self.source).encode())
                draft.put()
        except ScannerError as error:
            raise Refused(
                f"{error} No further event is passed on until the file can be written, because a restart would repeat it."
            ) from None
        self._is_stored = True


def _locked(path: str) -> int:
    """The descriptor of the lock of a state file, which only one source holds. The file itself is replaced, so the lock is a
    file beside it. Raises WrongOption."""
    real = os.path.realpath(path)
    if not os.path.isdir(os.path.dirname(real)):
        raise WrongOption(f"state_file {shown(path)} is in a directory that does not exist: create it.")
    try:
        lock = os.open(f"{real}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise WrongOption(
            f"state_file {shown(path)} cannot be locked ({error.strerror}): give a directory in which this user can create"
            " files."
        ) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        if isinstance(error, BlockingIOError):
            raise WrongOption(
                f"state_file {shown(path)} is in use by another source: give each source a file of its own, and end a rulebook"
                " before you start it again."
            ) from None
        raise WrongOption(
            f"state_file {shown(path)} cannot be locked ({error.strerror}): give a path on a local file system."
        ) from None
    return lock


def options_of(name: str, source: Source, args: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a source, checked. Raises WrongOption."""
    missing = missing_requests()
    if missing:
        raise WrongOption(f"The Python of ansible-rulebook lacks {missing}: install it there with pip.")
    spec = {**_OPTIONS, **source.options}
    given = {each: value for each, value in args.items() if each != "eda_feedback_queue"}
    groups = [*source.constraints.get("required_one_of", ())]
    variables, wrong = from_environment(spec, given, os.environ)
    problem = refusal(spec, groups, given, tuple(INVENTORY_OPTIONS)) or wrong
    found = ArgumentSpecValidator(spec, **source.constraints).validate(
        {each: value for each, value in {**given, **variables}.items() if value is not None}
    )
    if problem or found.error_messages:
        raise WrongOption(f"Wrong options of scanops.scanner.{name}: {problem or found.error_messages[0]}")
    params: dict[str, Any] = found.validated_parameters
    for option in ("interval", "feedback_timeout"):
        if not params[option] > 0:
            raise WrongOption(f"{option} is {params[option]:g}: set it to more than 0.")
    if params["feedback"] != ("eda_feedback_queue" in args):
        raise WrongOption(
            "feedback is true, but this ansible-rulebook acknowledges no events: use release 1.3.2 or later."
            if params["feedback"]
            else "feedback is false, but is a template in the rulebook, which checks the variables of the database"
            " (drools_db_*): set them as the rulebook says."
        )
    return params


async def run(name: str, queue: Any, args: Mapping[str, Any]) -> None:
    """Pass events on until the rulebook ends. Raises WrongOption for wrong options, and RuntimeError of ``deliver``."""
    source = SOURCES[name]()
    params = options_of(name, source, args)
    connection = connection_from(params)
    account = account_of(connection.base_url, connection.api_key)
    named = [name, connection.base_url, *(params[each] for each in ("label", "id") if each in source.options)]
    state = State(params["state_file"], Owner(named, source.selection(params)))
    reads = Reads(source, params)
    deliveries = Deliveries(
        queue, args.get("eda_feedback_queue"), params["feedback_timeout"], params["on_silence"] == "continue"
    )
    failures, since, told = 0, time.monotonic(), False
    try:
        while True:
            try:
                await asyncio.to_thread(state.store)
                result = await asyncio.to_thread(reads.rows)
                if result.get("notice"):
                    notice = dict(message=harmless(result["notice"]), failures=0)
                    LOG.warning("%s", notice["message"])
                    await deliveries.deliver(event("error", str(uuid4()), notice))
                if state.cursor is None:
                    # what has ended is passed on after the next read, which also shows what this one came too early for
                    first = Cursor.first(result["ended"], params["first_run"] == "new")
                    state.keep(result["source"], first)
                else:
                    await _pass_on(result, source.kind, account, state, state.cursor, deliveries)
                failures, since, told = 0, time.monotonic(), False
            except ScannerError as error:
                failures += 1
                message = harmless(str(error))
                LOG.warning("%s", message)
                if not told and time.monotonic() - since >= params["error_after"]:
                    told = True
                    await deliveries.deliver(event("error", str(uuid4()), dict(message=message, failures=failures)))
            await asyncio.sleep(pause(params["interval"], failures, SystemRandom().random()))
    finally:
        reads.end()
        deliveries.end()
        state.end()


async def _pass_on(
    result: Record, kind: str, account: UUID, state: State, cursor: Cursor, deliveries: Deliveries
) -> None:
    """Deliver what has ended since the last read, and keep the cursor after each event."""
    named, rows, ended = result["source"], result["rows"], result["ended"]
    # a logger that was created again has new requests only
    cursor = (cursor if state.source == named else Cursor(0, 0)).began(ended)
    for each in cursor.due(ended):
        await deliveries.deliver(event(kind, event_id(account, named, each), rows[each]))
        cursor = cursor.after(each)
        await asyncio.to_thread(state.keep, named, cursor)
    state.keep(named, cursor.over(ended))
