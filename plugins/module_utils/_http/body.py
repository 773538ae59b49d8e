# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Reads the body of an answer, within the limits of its call."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping

from .._errors import printable
from . import limits, rate_limit
from .answer import Answer, Sink
from .refusal import broken_off, too_long


class Body:
    """The body of an answer, to be read once. headers: as they arrived; pieces: as they arrive, before decoding."""

    def __init__(
        self, answer: Answer, headers: Mapping[str, str], pieces: Iterable[bytes], limits: limits.Limits
    ) -> None:
        self._answer = answer
        self._headers = headers
        self._pieces = pieces
        self._limits = limits
        self._size = 0

    def pass_on(self, sink: Sink) -> None:
        """Pass the body of a success to a sink."""
        self._limits.flows(self._announced)
        sink.restart(self._answer)
        if not self._read(self._limits.most, sink.write):
            raise too_long(self._answer, self._limits.most)
        if self._limits.surplus:
            raise broken_off(self._answer, "is longer than its announced length")

    def keep(self) -> None:
        """Read the body into the answer; of an error no more than a reason needs."""
        success = is_success(self._answer)
        most = self._limits.most if success else min(self._limits.most, limits.MOST_OF_ERROR)
        if not success and not limits.can_decode(self._headers):
            return
        body = io.BytesIO()
        self._answer.cut = not self._read(most, body.write)
        if self._answer.cut and success:
            raise too_long(self._answer, self._limits.most)
        self._answer.keep(body.getvalue())

    def _read(self, most: int, take: Callable[[bytes], object]) -> bool:
        """Read and decode the body. Returns False if it is longer than ``most``, after its beginning."""
        if not limits.can_decode(self._headers):
            encoding = printable(self._answer.headers["Content-Encoding"], 60)
            raise self._answer.unexpected(f"the content encoding {encoding!r}, which was not asked for")
        try:
            for piece in limits.decoded(self._counted(), self._headers, most):
                self._answer.look(piece)
                take(piece)
        except limits.TooMuch:
            return False
        except limits.Undecodable as error:
            raise broken_off(self._answer, str(error)) from None
        # urllib3 1.26 accepts a body that is too short
        if self._size < self._announced:
            raise broken_off(self._answer)
        return True

    def _counted(self) -> Iterable[bytes]:
        for piece in self._pieces:
            self._size += len(piece)
            yield piece

    @property
    def _announced(self) -> int:
        """The length of the body as its headers announce it, 0 if they do not."""
        return 0 if self._answer.status == 204 else rate_limit.number_in(self._headers.get("Content-Length")) or 0


def is_success(answer: Answer) -> bool:
    return bool(200 <= answer.status < 300)
