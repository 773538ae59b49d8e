# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The look behind the announced end of an answer."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._http.tail import watch


class Stream:
    """The stream of an answer: what is behind its end, and what was done to it and its connection."""

    def __init__(self, behind=b"", error=None):
        self.behind, self.error = behind, error
        self.done = []
        self.raw = SimpleNamespace(_sock=self)

    def gettimeout(self):
        return 30

    def settimeout(self, seconds):
        self.done.append(seconds)

    def peek(self, _size):
        self.done.append("peek")
        if self.error:
            raise self.error
        return self.behind

    def read(self, size):
        return b"x" * size

    def close(self):
        self.done.append("close")


def watched(stream, length=10, will_close=True):
    answer = SimpleNamespace(fp=stream, length=length, will_close=will_close)
    return answer, watch(SimpleNamespace(_original_response=answer))


@pytest.mark.parametrize("behind", [b"", b"x"])
@pytest.mark.parametrize("will_close", [True, False])
def test_at_the_end_there_is_a_look_that_waits_only_where_the_server_closes(behind, will_close):
    stream = Stream(behind)
    answer, tail = watched(stream, will_close=will_close)
    assert answer.fp is tail
    assert answer.fp.read(3) == b"xxx"
    assert not tail.excess
    answer.length = 0
    answer.fp.close()
    assert tail.excess is bool(behind)
    assert stream.done == ([] if will_close else [0]) + ["peek", 30, "close"]


def test_an_answer_that_is_given_up_before_its_end_is_not_waited_for():
    stream = Stream(b"x")
    answer, tail = watched(stream)
    answer.length = 4
    answer.fp.close()
    assert (tail.excess, stream.done) == (False, ["close"])


@pytest.mark.parametrize("error", [TimeoutError(), ConnectionResetError(), ValueError(), AttributeError()])
def test_a_look_that_fails_says_nothing(error):
    stream = Stream(error=error)
    answer, tail = watched(stream)
    answer.length = 0
    answer.fp.close()
    assert (tail.excess, stream.done) == (False, ["peek", 30, "close"])


@pytest.mark.parametrize(
    "raw",
    [
        SimpleNamespace(),
        SimpleNamespace(_original_response=None),
        SimpleNamespace(_original_response=SimpleNamespace(fp=None)),
        SimpleNamespace(_original_response=SimpleNamespace(fp=Stream(), length=None)),
        SimpleNamespace(_original_response=SimpleNamespace(fp=Stream(), length=0)),
    ],
)
def test_where_no_length_was_announced_or_nothing_can_be_seen_nothing_is_watched(raw):
    assert watch(raw) is None
