# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""One answer of the service."""

from __future__ import annotations

import json as json_codec

from ._errors import ANY_CALL, AnswerError, after_another_answer, printable


class Answer:
    """A whole answer. status: int; headers: mapping without case; body: bytes; moments: the Unix times of the request and
    of the first of the answer; about: what the call was, a ``_errors.Call``."""

    def __init__(self, method, path, status, headers, body, moments=(0.0, 0.0), about=ANY_CALL):
        self.method = method
        self.path = path
        self.status = status
        self.headers = headers
        self.body = body
        self.moments = moments
        self.about = about

    @property
    def content_type(self):
        return self.headers.get("Content-Type") or "no content type"

    def json(self):
        """The body read as JSON; AnswerError where it is not."""
        try:
            return json_codec.loads(self.body)
        except (ValueError, RecursionError):
            raise self.unexpected("a body that is not JSON") from None

    def text(self):
        """The body read as text; AnswerError where it is not UTF-8."""
        try:
            return self.body.decode("utf-8")
        except ValueError:
            raise self.unexpected("text that is not UTF-8") from None

    def unexpected(self, what):
        """The AnswerError that says that this answer is not the service's."""
        return AnswerError(
            f"{self.method} {self.path} was answered {self.status} ({printable(self.content_type)}) with {what}",
            self.method,
            self.path,
            status=self.status,
            maybe_done=self.method != "GET" and self.status < 300,
            advice=after_another_answer(self.about),
        )
