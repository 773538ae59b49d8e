# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""One answer of the service, and the error for an answer that is not a success. Pure."""

from __future__ import annotations

import json
from collections.abc import MutableMapping
from typing import Any, Protocol

from .._model.errors import AnswerError, ApiError, CallError, printable
from .._model.strict_json import json_text, read_json, why_not_json
from .advice import ANY_CALL, Call, Hints, after_another_answer, next_step
from .redact import Redactor, Watch
from .retry import GATEWAY

# where JSON errors hold their reason, the best place first: the service's own form, RFC 9457 (problem+json), and what
# common frameworks and gateways send
_MESSAGES = ("message", "title", "error", "faultstring", "fault", "msg", "reason", "detail", "errors", "description")
_DETAILS = ("details", "detail", "error_description", "errors", "description")
_MOST_REASONS = 5


class Answer:
    """A complete answer. The key, which a service may repeat, is masked in it.

    headers: a mapping that ignores case; moments: the Unix times of the request and of the first byte of the answer;
    about: what the call was; cut: ``body`` is only its beginning.
    """

    def __init__(
        self,
        method: str,
        path: str,
        status: int,
        headers: MutableMapping[str, str],
        body: bytes = b"",
        moments: tuple[float, float] = (0.0, 0.0),
        about: Call = ANY_CALL,
        redactor: Redactor | None = None,
    ) -> None:
        self._redactor = redactor or Redactor()
        self._watch = Watch(self._redactor)
        # searches the next piece of the body for the key, wherever that piece goes
        self.look = self._watch.feed
        self.method = method
        self.path = path
        self.status = status
        self.headers = self._redactor.headers(headers)
        self.moments = moments
        self.about = about
        self.cut = False
        self._body = body
        if body:
            self.look(body)

    def keep(self, body: bytes) -> None:
        """Take the complete body, each piece of which has passed ``look``."""
        self._body = body

    @property
    def body(self) -> bytes:
        return self._redactor.data(self._body) if self._watch.seen else self._body

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300

    @property
    def content_type(self) -> str:
        return self.headers.get("Content-Type") or "no content type"

    def json(self, once: bool = False) -> Any:
        """The body read as JSON. once: forget the body, so that a long one takes no memory beside its values. Raises
        AnswerError."""
        try:
            text = json_text(self._body)
            if once:
                self._body = b""
            return self.clean(read_json(text))
        except (ValueError, RecursionError) as error:
            raise self.unexpected(f"a body that is not JSON{why_not_json(error)}") from None

    def data(self, body: Any = None) -> Any:
        """The ``data`` of the body. body: its JSON, where that was read already. Raises AnswerError."""
        body = self.json() if body is None else body
        if not isinstance(body, dict) or "data" not in body:
            raise self.unexpected("no data in it")
        return body["data"]

    def clean(self, value: Any) -> Any:
        """A value that was read from the body, with the key masked."""
        return self._redactor.value(value) if self._watch.seen else value

    def text(self) -> str:
        """The body read as UTF-8. Raises AnswerError."""
        try:
            return self.body.decode("utf-8")
        except ValueError:
            raise self.unexpected("text that is not UTF-8") from None

    def unexpected(
        self, what: str, message: str | None = None, details: str | None = None, advice: str | None = None
    ) -> AnswerError:
        """The error that says that this answer is not the service's. message, details, advice: as in a CallError."""
        return AnswerError(
            f"{self.method} {self.path} was answered {self.status} ({printable(self.content_type)})"
            f" with {self._redactor.text(what)}",
            self.method,
            self.path,
            status=self.status,
            message=message,
            details=details,
            maybe_done=self.method != "GET" and self.status < 300,
            advice=advice or after_another_answer(self.about),
        )


class Sink(Protocol):
    """Where the body of a success goes in pieces instead of into the Answer."""

    def restart(self, answer: Answer, /) -> None:
        """Start again: called before the first piece of each try, with an Answer without a body."""

    def write(self, piece: bytes, /) -> None:
        """Take the next piece."""


# --- errors


def refusal(answer: Answer, hints: Hints | None = None) -> CallError:
    """The error for an answer that is not a success.

    A 404 in another form than the service's never means that an object is absent.
    """
    method, path, status = answer.method, answer.path, answer.status
    try:
        said = None if answer.cut else answer.json()
    except AnswerError:
        said = None
    message, details = reason_in(said)
    is_own_form = isinstance(said, dict) and isinstance(said.get("message"), str)
    # a gateway in front of the service answers so, without the service's error body
    if is_own_form or status in (429, 500) or status in GATEWAY:
        note = ", with an error body of more than 1 MiB" if answer.cut else ""
        return api_error(status, message, details, method, path, hints, answer.about, note)
    if answer.cut:
        return answer.unexpected("an error body of more than 1 MiB")
    if message is None:
        return answer.unexpected("no error body of the service")
    quoted = f"{printable(message)!r}" + (f" ({printable(details)})" if details else "")
    other = answer.unexpected(f"an error in another form than the service's, {quoted}", message, details)
    if status == 404:
        return other
    advice = next_step(status, message, hints, answer.about)
    if not answer.about.answered:
        advice = f"{other.advice}; if it is, {advice}"
    return ApiError(other.what, method, path, status, message, details, advice=advice)


def reason_in(said: Any) -> tuple[str | None, str | None]:
    """What an error body read as JSON says: its message and its details."""
    if not isinstance(said, dict):
        return _text(said), None
    named = {str(key).lower(): value for key, value in said.items()}
    place = next((name for name in _MESSAGES if _text(named.get(name))), None)
    if place is None:
        return None, None
    more = next((named[name] for name in _DETAILS if name != place and named.get(name) not in (None, "")), None)
    return _text(named[place]), more if more is None or isinstance(more, str) else json.dumps(more)


def _text(value: Any) -> str | None:
    """A value as a reason, None where it holds none."""
    if isinstance(value, str):
        return value if value.strip() else None
    if isinstance(value, list):
        return "; ".join(filter(None, map(_text, value[:_MOST_REASONS]))) or None
    if isinstance(value, dict) and value:
        return ": ".join(filter(None, reason_in(value))) or json.dumps(value)
    return None


def api_error(
    status: int,
    message: str | None,
    details: str | None,
    method: str,
    path: str,
    hints: Hints | None = None,
    call: Call = ANY_CALL,
    note: str = "",
) -> ApiError:
    """The error for an answer with the service's JSON error body. note: what else to say about that body."""
    said = f", {printable(message)!r}" if message else ""
    if details:
        said += f" ({printable(details)})"
    return ApiError(
        f"{method} {path} was answered {status}{said}{note}",
        method,
        path,
        status=status,
        message=message,
        details=details,
        maybe_done=status in (500, 502, 503, 504),
        advice=next_step(status, message, hints, call, details),
    )
