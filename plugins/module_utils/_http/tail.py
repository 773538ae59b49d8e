# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Whether a server sent more than it announced, which http.client and urllib3 never tell: they read no further."""

from __future__ import annotations


def watch(raw):
    """Watch the end of an answer, a urllib3 response that is not read yet. Returns a Tail, or None where nothing can be
    seen."""
    answer = getattr(raw, "_original_response", None)
    stream = getattr(answer, "fp", None)
    if not hasattr(stream, "peek") or not getattr(answer, "length", None):
        return None
    answer.fp = tail = Tail(answer, stream)
    return tail


class Tail:
    """Stands for the stream of an answer, and looks behind the announced end when it is closed there.

    excess: bool, whether something was there. Where the server closes the connection after the answer the look waits for
    that, else it takes what has arrived.
    """

    def __init__(self, answer, stream):
        self._answer = answer
        self._stream = stream
        self.excess = False

    def __getattr__(self, name):
        return getattr(self._stream, name)

    def close(self):
        # how much of the announced length is left; an answer may be given up before its end
        if self._answer.length == 0:
            self._look()
        self._stream.close()

    def _look(self):
        try:
            connection = self._stream.raw._sock
            timeout = connection.gettimeout()
            if not self._answer.will_close:
                connection.settimeout(0)
            try:
                self.excess = bool(self._stream.peek(1))
            finally:
                connection.settimeout(timeout)
        except (OSError, ValueError, AttributeError):
            # nothing arrived, or nothing can be seen
            pass
