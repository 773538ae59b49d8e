# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Calls of a task: their permits, tries, limits and waits, and the log of them."""

from __future__ import annotations

import contextlib
import io
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from .._model.errors import AnswerError, CallError, Interrupted, NetworkError, elapsed, printable
from .._model.family import Family
from .._model.interrupts import Stop, Stopped
from .._model.records import Record
from .._scope.sealed import require
from . import retry
from .advice import Call, after_interrupt
from .answer import Answer, Sink, refusal
from .call_limits import MOST_OF_ERROR, Limits, TooMuch, Undecodable, can_decode, decoded
from .connection import Connection, Heard, Request, Session, unheard
from .rate_limit import Budget, PaceFile, Turn
from .redact import Redactor
from .retry import number_in

_ACTIONS = {"POST": "create", "PUT": "update", "PATCH": "update", "DELETE": "delete"}
# the seconds that may pass in tries and waits before a line says why
_SILENCE = 5


class _Tries:
    """The tries of one call.

    in_flight: whether one is being sent; lost: as after_loss of CallError; repeated, limited: how many followed an error and
    a 429.
    """

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self.in_flight = False
        self.lost = False
        self.repeated = 0
        self.limited = 0


class Transport:
    """Sends calls to one base URL with one key.

    calls: the log, "METHOD path -> status" for each try; last: the Answer to the last try, also a refusal, None for a
    redirect or no answer; heard: gets each answer, redirects and refusals included; stop: whether the task is interrupted;
    show: shows a line while the task runs; jitter: gives a random number from 0 to 1; sleep, clock, jitter: replaced in tests.
    """

    def __init__(
        self,
        connection: Connection,
        sleep: Callable[[float], object] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.connection = connection
        self.calls: list[str] = []
        self.last: Answer | None = None
        self.heard: Heard = unheard
        self.stop = Stop()
        self._sleep = sleep
        self._clock = clock
        self.jitter = jitter
        self.budget = Budget(
            PaceFile(connection.base_url, connection.api_key),
            connection.rate_limit_wait,
            connection.rate_window,
            connection.rate_share,
            self._nap,
            clock,
        )
        self._break_silence()
        self._redactor = Redactor(connection.api_key)
        self._session = Session(connection, self._redactor)
        # seconds until the quickest answer began, None before the first answer
        self.quickest: float | None = None
        # whether the service has accepted a call, so that address and key were right
        self._answered = False
        # ids that the service has shown, in records of workspaces or of objects in them
        self._workspaces: set[int] = set()
        # the families and ids of records, of those that a task can create
        self.noted: set[tuple[str, int]] = set()

    def renew(self) -> None:
        """Begin another task over the same connections: with an empty log, and with all of its time for rate limits."""
        self.calls = []
        self.last = None
        self.heard = unheard
        self.budget.renew()
        self._break_silence()

    def _break_silence(self) -> None:
        """Begin to count how long the task has been silent. Nothing is shown before the task says how."""
        self.show: Callable[[str], object] = lambda text: None
        self.budget.on_wait = lambda seconds: self._say("the rate limit is used up; the next call is", seconds)
        self._silent_since = self._clock()

    def _say(self, what: str, seconds: float) -> None:
        """Show what the task waits for, unless it is silent for a moment only. seconds: of the wait that begins."""
        until = self._clock() + seconds
        if until - self._silent_since >= _SILENCE:
            self._silent_since = until
            self.show(f"{what} in {elapsed(max(1, seconds))}")

    def close(self) -> None:
        self._session.close()

    def pause(self, seconds: float) -> None:
        """Wait between two reads of something that takes its time."""
        # the call after an interrupted pause says so
        with contextlib.suppress(Stopped):
            self._nap(seconds)

    def _nap(self, seconds: float) -> None:
        """Wait. Raises Stopped."""
        self.stop.during(lambda: self._sleep(seconds))

    def now(self) -> float:
        """Seconds on a clock that only goes forward."""
        return self._clock()

    def note(self, resource: Family, rows: Sequence[Record]) -> None:
        """Note records of the service: their ids, and the workspaces that they name."""
        self.noted.update([(resource.name, row["id"]) for row in rows if resource.creates])
        field = resource.workspace_field
        self._workspaces.update([row[field] for row in rows if isinstance(row.get(field), int)])

    def about(self, action: str, resource: Family, query: Mapping[str, Any] | None = None) -> Call:
        """Describe a call, so that its errors advise only what can help. query: its parameters, which are the workspace and
        filters."""
        query = query or {}
        place = query.get("workspace_id")
        return Call(
            action,
            resource.noun,
            resource.key,
            filtered=bool(set(query) - {"workspace_id"}),
            within=place is not None,
            given="workspace_id" if place is not None and place not in self._workspaces else "",
        )

    def send(
        self,
        method: str,
        path: str,
        query: dict[str, Any] | None = None,
        form: dict[str, Any] | None = None,
        json: Any = None,
        accept: str = "application/json",
        hints: Mapping[int, Any] | None = None,
        sink: Sink | None = None,
        to_the_end: bool = False,
        at_host: bool = False,
        permit: object = None,
        about: Call | None = None,
    ) -> Answer:
        """Send one call and return its Answer, a success (2xx). Retries what may be repeated (see ``retry``).

        path: below the base URL, or with ``at_host`` below its host, where the key is not sent;
        json: a value for a JSON body, or None; hints: what to do next, by status (see ``advice.next_step``);
        sink: takes the body of a success; to_the_end: whether to fail if more follows than the announced length, as always
        with a sink;
        permit: the Permit for exactly this call, for any method but GET.
        Raises NetworkError, AnswerError, ApiError, and what the sink raises.
        """
        require(permit, method, path, query, form, json)
        headers = {"Accept": accept}
        if sink is not None or to_the_end:
            # so that the end of the answer shows, whatever length is announced
            headers["Connection"] = "close"
        about = (about or Call(_ACTIONS.get(method, "list")))._replace(answered=self._answered)
        request = Request(method, path, query, form, json, headers, at_host, about)
        self.last = None
        self._session.new_limits()
        tries = _Tries(Turn(self.budget, None if at_host else retry.limit_of(method, path)))
        try:
            while (answer := self._try_again(request, sink, tries, hints)) is None:
                pass
        except Stopped:
            if tries.in_flight:
                self._log(request, "no answer")
            raise self._interrupted(request, tries) from None
        finally:
            tries.turn.end()
        return answer

    def _interrupted(self, request: Request, tries: _Tries) -> Interrupted:
        how = "was broken off" if tries.in_flight else "was not sent again" if tries.lost else "was not sent"
        maybe_done = request.method != "GET" and (tries.in_flight or tries.lost)
        return Interrupted(
            f"{request.method} {request.path} {how}: the task ends, because {self.stop.reason}",
            request.method, request.path,
            maybe_done=maybe_done, final=True, advice=after_interrupt(request.about, maybe_done),
        ).with_facts(after_loss=tries.lost)  # fmt: skip

    def _try_again(
        self, request: Request, sink: Sink | None, tries: _Tries, hints: Mapping[int, Any] | None
    ) -> Answer | None:
        """Send a call once. Returns None after the wait before its next try."""
        tries.turn.wait()
        self.stop.check()
        self.last = None
        error: CallError
        outcome: int | str
        tries.in_flight = True
        try:
            answer = self.stop.during(lambda: self._try_once(request, sink), patient=request.method != "GET")
        except NetworkError as lost:
            self._log(request, "no answer")
            tries.turn.lost()
            error = lost
            outcome = retry.LOST if lost.maybe_done else retry.UNREACHABLE
        else:
            self.last = answer
            self._log(request, answer.status)
            tries.turn.answered(answer.status, answer.headers)
            if answer.is_success:
                asked, began = answer.moments
                self.quickest = min(began - asked, began - asked if self.quickest is None else self.quickest)
                self._answered |= answer.content_type.startswith("application/json")
                return answer
            error = refusal(answer, hints)
            outcome = answer.status
        tries.in_flight = False
        self._wait_for_next(request, tries, error, outcome)
        return None

    def _wait_for_next(self, request: Request, tries: _Tries, error: CallError, outcome: int | str) -> None:
        """Wait before the next try of a call. Raises the error of the last one if there is no next one."""
        error = error.with_facts(after_loss=tries.lost)
        if not retry.may_repeat(request.method, outcome) or error.final or self._session.limits.over:
            raise error
        if self.last is not None and outcome == 429:
            tries.limited += 1
            asked = retry.asked_wait(self.last.headers, time.time())
            pause = retry.rate_limit_pause(asked, tries.limited, self.jitter())
            if pause > self.budget.left:
                raise type(error)(
                    f"{error.method} {error.path} was answered 429, the rate limit is used up and the next call is allowed"
                    f" in {pause:.0f} s",
                    error.method, error.path, status=429, message=error.message, details=error.details,
                    advice="run the task again later, or raise rate_limit_wait"
                    f" (now {self.budget.seconds:g} s for the whole task)",
                ).with_facts(after_loss=error.after_loss) from None  # fmt: skip
            self.budget.wait(pause)
            return
        if tries.repeated >= self.connection.retries:
            raise error
        tries.repeated += 1
        tries.lost = tries.lost or error.maybe_done
        pause = retry.backoff(tries.repeated, self.jitter())
        what = printable(error.what, 200).rstrip(".")
        self._say(f"{what}; trying again, {tries.repeated} of {self.connection.retries},", pause)
        self._nap(pause)

    def _log(self, request: Request, outcome: int | str) -> None:
        self.calls.append(f"{request.shown()} -> {outcome}")

    def _try_once(self, request: Request, sink: Sink | None) -> Answer:
        session = self._session
        with session.limits.one_try():
            asked, response = session.follow(request, self.heard)
            with contextlib.closing(response):
                answer = Answer(
                    request.method, request.path, response.status_code, response.headers,
                    moments=(asked, time.time()), about=request.about, redactor=self._redactor,
                )  # fmt: skip
                body = None
                try:
                    _Body(request, answer, session.limits).read(session.arriving(request, response), sink)
                    body = None if sink else answer.body
                finally:
                    self.heard(request.method, request.path, request.query, answer.status, answer.headers, body)
        return answer


class _Body:
    """The body of an answer, to be read within the limits of its call."""

    def __init__(self, request: Request, answer: Answer, limits: Limits) -> None:
        self._request = request
        self._answer = answer
        self._limits = limits
        # the length of the body as its headers announce it, 0 if they do not
        self._announced = 0 if answer.status == 204 else number_in(answer.headers.get("Content-Length")) or 0

    def read(self, pieces: Iterable[bytes], sink: Sink | None) -> None:
        """Pass the body of a success to a sink, or read it into the answer; of an error no more than a reason needs."""
        answer, limits = self._answer, self._limits
        if not answer.is_success:
            if can_decode(self._answer.headers):
                answer.cut = not self._keep(pieces, min(limits.most, MOST_OF_ERROR))
            return
        if "Connection" in self._request.headers:
            limits.flows(self._announced)
        if sink is not None:
            sink.restart(answer)
        if not (self._decode(pieces, limits.most, sink.write) if sink else self._keep(pieces, limits.most)):
            raise AnswerError(
                f"{answer.method} {answer.path} was answered {answer.status} with more than {limits.most} bytes, the limit of"
                " max_answer",
                answer.method, answer.path, status=answer.status, maybe_done=answer.method != "GET",
                advice="raise max_answer if answers may be so large, or check base_url",
            )  # fmt: skip
        if limits.surplus:
            raise self._request.broken_off("is longer than its announced length")

    def _keep(self, pieces: Iterable[bytes], most: int) -> bool:
        body = io.BytesIO()
        is_complete = self._decode(pieces, most, body.write)
        self._answer.keep(body.getvalue())
        return is_complete

    def _decode(self, pieces: Iterable[bytes], most: int, take: Callable[[bytes], object]) -> bool:
        """Decode the body. Returns False if it is longer than ``most``, after its beginning."""
        if not can_decode(self._answer.headers):
            encoding = printable(self._answer.headers["Content-Encoding"], 60)
            raise self._answer.unexpected(f"the content encoding {encoding!r}, which was not asked for")
        arrived = 0

        def counted() -> Iterator[bytes]:
            nonlocal arrived
            for piece in pieces:
                arrived += len(piece)
                yield piece

        try:
            for piece in decoded(counted(), self._answer.headers, most):
                self._answer.look(piece)
                take(piece)
        except TooMuch:
            return False
        except Undecodable as error:
            raise self._request.broken_off(str(error)) from None
        # urllib3 1.26 accepts a body that is too short
        if arrived < self._announced:
            raise self._request.broken_off()
        return True
