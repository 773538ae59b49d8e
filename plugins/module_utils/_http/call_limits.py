# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Limits the time and the memory of one call, in every read from its connection and every step of decoding."""

from __future__ import annotations

import contextlib
import http.client
import io
import socket
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

# bytes; an error body is read for its reason, which is short
MOST_OF_ERROR = 1024 * 1024
# bytes per second; a file that arrives more slowly is given up
SLOWEST = 1024

_PIECE = 65536
_PLAIN = ("", "identity")
_GZIP = ("gzip", "x-gzip")
# bytes for the head of an answer, and for the framing of chunks
_HEAD_ROOM = 8 * 1024 * 1024


class TooMuch(Exception):
    """An answer is longer than its limit."""


class Undecodable(Exception):
    """An answer is not encoded as its headers say."""


class Limits:
    """The limits of one call, over all of its tries.

    seconds: for sending and receiving; waits between tries do not count. After ``flows`` it is the time in which the answer
    must bring SLOWEST bytes for each second. most: bytes of a decoded answer.
    late: the time is used up; full: more bytes arrived than an answer may have.
    arrived, announced, surplus: of the present try, the bytes that arrived, the length of a streamed body, and whether
    bytes arrived after it.
    """

    def __init__(self, seconds: float, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self.most = most
        self._clock = clock
        self._left = seconds
        self._until = clock() + seconds
        self._flows = False
        self._since = 0
        self.late = False
        self.full = False
        self.arrived = 0
        self.announced = 0
        self.surplus = False

    @contextlib.contextmanager
    def one_try(self) -> Iterator[None]:
        """Count the time of one try."""
        self._until = self._clock() + self._left
        self._flows = False
        self.arrived = 0
        self.announced = 0
        self.surplus = False
        try:
            yield
        finally:
            self._left = self._until - self._clock()

    @property
    def over(self) -> bool:
        """Whether no time is left for another try."""
        return self.late or self._left <= 0

    def left(self) -> float:
        """The seconds that are left. Raises TimeoutError if none are."""
        seconds = self._until - self._clock()
        if seconds <= 0:
            self.late = True
            raise TimeoutError("the time of the call is used up")
        return seconds

    def flows(self, announced: int = 0) -> None:
        """Wait for the rest of this answer as long as it arrives fast enough.

        announced: the length of its body; nothing is read after a body without one.
        """
        self._flows = True
        self.announced = announced
        self._since = self.arrived

    def count(self, size: int) -> None:
        """Count bytes that arrived. Raises OSError if the answer must be too long."""
        self.arrived += size
        # even compressed data is hardly longer than what it decodes to
        if self.arrived > 2 * self.most + _HEAD_ROOM:
            self.full = True
            raise OSError("the answer is too long")
        if self._flows and self.arrived - self._since >= SLOWEST * self.seconds:
            self._since = self.arrived
            self._until = self._clock() + self.seconds


def hold(manager: Any, limits: Callable[[], Limits]) -> None:
    """Apply limits to every answer on connections of a pool manager of urllib3, also to the answers of proxies to CONNECT.

    limits: returns the Limits of the present call.
    """

    def open_answer(sock: socket.socket, *arguments: Any, **named: Any) -> http.client.HTTPResponse:
        answer = http.client.HTTPResponse(sock, *arguments, **named)
        answer.fp = _Buffer(answer, sock, limits())
        return answer

    pools = {}
    for scheme, pool in manager.pool_classes_by_scheme.items():
        # http.client calls it for the answer to each request
        connection = type("Connection", (pool.ConnectionCls,), {"response_class": staticmethod(open_answer)})
        pools[scheme] = type("Pool", (pool,), {"ConnectionCls": connection})
    manager.pool_classes_by_scheme = pools


class _Buffer(io.BufferedReader):
    """The buffered stream of an answer. Notes whether the server sends more than the announced length.

    http.client and urllib3 never say so, as they stop at that length; http.client closes its stream there.
    """

    def __init__(self, answer: http.client.HTTPResponse, sock: socket.socket, limits: Limits) -> None:
        super().__init__(_Stream(answer.fp.detach(), sock, limits))
        self._answer = answer
        self._sock = sock
        self._limits = limits

    def close(self) -> None:
        # the bytes of the announced length that are left; an answer may also be given up before its end
        if not self.closed and self._answer.length == 0 and self._limits.announced:
            self._limits.surplus = self._goes_on()
        super().close()

    def _goes_on(self) -> bool:
        """Whether more follows. Waits for the server to close the connection if it said that it would, else not at all."""
        try:
            timeout = self._sock.gettimeout()
            if not self._answer.will_close:
                self._sock.settimeout(0)
            try:
                return bool(self.peek(1))
            finally:
                self._sock.settimeout(timeout)
        except (OSError, ValueError):
            # nothing has arrived, or the connection is closed already
            return False


class _Stream(io.RawIOBase):
    """The stream of an answer. A read waits no longer than its call may take."""

    def __init__(self, raw: io.RawIOBase, sock: socket.socket, limits: Limits) -> None:
        super().__init__()
        self._raw = raw
        self._sock = sock
        self._limits = limits

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int | None:
        left = self._limits.left()
        timeout = self._sock.gettimeout()
        shorter = timeout is None or timeout > left
        if shorter:
            self._sock.settimeout(left)
        try:
            count = self._raw.readinto(buffer)
        except OSError:
            if shorter:
                # raises TimeoutError if the time of the call is used up
                self._limits.left()
            raise
        finally:
            if shorter:
                with contextlib.suppress(OSError):
                    self._sock.settimeout(timeout)
        self._limits.count(count or 0)
        return count

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
        super().close()


# --- decoding


def can_decode(headers: Mapping[str, str]) -> bool:
    """Whether a body with these headers can be decoded: it is plain, or in gzip, which is what requests ask for."""
    return _encoding(headers) in (*_PLAIN, *_GZIP)


def decoded(pieces: Iterable[bytes], headers: Mapping[str, str], most: int) -> Iterator[bytes]:
    """Decode the pieces of a body. Raises TooMuch after ``most`` decoded bytes, and Undecodable."""
    total = 0
    for piece in _unpacked(pieces) if _encoding(headers) in _GZIP else pieces:
        room = most - total
        if len(piece) > room:
            if room:
                yield piece[:room]
            raise TooMuch
        total += len(piece)
        yield piece


def _encoding(headers: Mapping[str, str]) -> str:
    return (headers.get("Content-Encoding") or "").strip().lower()


def _unpacked(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Unpack gzip data, which may have several members, into pieces of a limited size."""
    member = None
    for piece in pieces:
        while piece:
            if member is None:
                # padding between members
                piece = piece.lstrip(b"\0")
                if not piece:
                    break
                member = zlib.decompressobj(16 + zlib.MAX_WBITS)
            yield from _of_member(member, piece)
            piece = member.unused_data
            member = None if member.eof else member
    if member is not None:
        raise Undecodable("has compressed data that breaks off")


def _of_member(member: zlib._Decompress, piece: bytes) -> Iterator[bytes]:
    while True:
        try:
            unpacked = member.decompress(piece, _PIECE)
        except zlib.error:
            raise Undecodable("has broken compressed data") from None
        if unpacked:
            yield unpacked
        piece = member.unconsumed_tail
        if member.eof or (not piece and len(unpacked) < _PIECE):
            return
