# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""One answer of the service."""

from __future__ import annotations

from .._errors import ANY_CALL, AnswerError, after_another_answer, printable
from .border import Border, Watch, read_json, why_not_json


class Answer:
    """A whole answer, without the key that it may repeat.

    status: int; headers: mapping without case; body: bytes; moments: the Unix times of the request and of the first of the
    answer; about: what the call was, a ``_errors.Call``; border: the Border that it passes; cut: bool, whether ``body`` is
    only its beginning.
    """

    def __init__(self, method, path, status, headers, body=b"", moments=(0.0, 0.0), about=ANY_CALL, border=None):
        self._border = border or Border()
        self._watch = Watch(self._border)
        self.method = method
        self.path = path
        self.status = status
        self.headers = self._border.headers(headers)
        self.moments = moments
        self.about = about
        self.cut = False
        self._body = body
        self.look(body)

    def look(self, piece):
        """Look for the key in the next piece of the body, wherever it goes."""
        self._watch.feed(piece)

    def keep(self, body):
        """Take the whole body, each piece of which was looked at."""
        self._body = body

    @property
    def body(self):
        return self._border.data(self._body) if self._watch.seen else self._body

    @property
    def content_type(self):
        return self.headers.get("Content-Type") or "no content type"

    def json(self):
        """The body read as JSON; AnswerError where it is not."""
        try:
            return self.clean(read_json(self._body))
        except (ValueError, RecursionError) as error:
            raise self.not_json(error) from None

    def clean(self, value):
        """A value that was read from the body, without the key in it."""
        return self._border.value(value) if self._watch.seen else value

    def text(self):
        """The body read as text; AnswerError where it is not UTF-8."""
        try:
            return self.body.decode("utf-8")
        except ValueError:
            raise self.unexpected("text that is not UTF-8") from None

    def not_json(self, error):
        """The AnswerError for a body that cannot be read as JSON. error: what ``_border.JSON`` raised."""
        return self.unexpected(f"a body that is not JSON{why_not_json(error)}")

    def unexpected(self, what, message=None, details=None):
        """The AnswerError that says that this answer is not the service's. message, details: as a CallError has them."""
        return AnswerError(
            f"{self.method} {self.path} was answered {self.status} ({printable(self.content_type)})"
            f" with {self._border.text(what)}",
            self.method,
            self.path,
            status=self.status,
            message=message,
            details=details,
            maybe_done=self.method != "GET" and self.status < 300,
            advice=after_another_answer(self.about),
        )
