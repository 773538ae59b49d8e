# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""One answer of the service."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any, Protocol

from .._advice import ANY_CALL, Call, after_another_answer
from .._errors import AnswerError, printable
from .redact import Redactor, Watch, read_json, why_not_json


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
        self.method = method
        self.path = path
        self.status = status
        self.headers = self._redactor.headers(headers)
        self.moments = moments
        self.about = about
        self.cut = False
        self._body = body
        self.look(body)

    def look(self, piece: bytes) -> None:
        """Search the next piece of the body for the key, wherever that piece goes."""
        self._watch.feed(piece)

    def keep(self, body: bytes) -> None:
        """Take the complete body, each piece of which has passed ``look``."""
        self._body = body

    @property
    def body(self) -> bytes:
        return self._redactor.data(self._body) if self._watch.seen else self._body

    @property
    def content_type(self) -> str:
        return self.headers.get("Content-Type") or "no content type"

    def json(self) -> Any:
        """The body read as JSON. Raises AnswerError."""
        try:
            return self.clean(read_json(self._body))
        except (ValueError, RecursionError) as error:
            raise self.not_json(error) from None

    def clean(self, value: Any) -> Any:
        """A value that was read from the body, with the key masked."""
        return self._redactor.value(value) if self._watch.seen else value

    def text(self) -> str:
        """The body read as UTF-8. Raises AnswerError."""
        try:
            return self.body.decode("utf-8")
        except ValueError:
            raise self.unexpected("text that is not UTF-8") from None

    def not_json(self, error: Exception) -> AnswerError:
        """The error for a body that is not JSON. error: what ``redact.JSON`` raised."""
        return self.unexpected(f"a body that is not JSON{why_not_json(error)}")

    def unexpected(self, what: str, message: str | None = None, details: str | None = None) -> AnswerError:
        """The error that says that this answer is not the service's. message, details: as in a CallError."""
        return AnswerError(
            f"{self.method} {self.path} was answered {self.status} ({printable(self.content_type)})"
            f" with {self._redactor.text(what)}",
            self.method,
            self.path,
            status=self.status,
            message=message,
            details=details,
            maybe_done=self.method != "GET" and self.status < 300,
            advice=after_another_answer(self.about),
        )


class Sink(Protocol):
    """Where the body of a success goes in pieces instead of into the Answer."""

    def restart(self, answer: Answer, /) -> None:
        """Start again: called before the first piece of each try, with an Answer without a body."""

    def write(self, piece: bytes, /) -> None:
        """Take the next piece."""
