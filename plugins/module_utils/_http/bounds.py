# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What one call may take of time and memory: each read from its connection, and each step of decoding, is held to it."""

from __future__ import annotations

import contextlib
import http.client
import io
import time
import zlib

# an error body is read for its reason, which is short
MOST_OF_ERROR = 1024 * 1024
# bytes a second that a file must bring to be waited for
SLOWEST = 1024

_PIECE = 65536
_PLAIN = ("", "identity")
_GZIP = ("gzip", "x-gzip")
# for the head of an answer, and for what chunks add to a body
_HEAD_ROOM = 8 * 1024 * 1024


class TooMuch(Exception):
    """An answer is longer than it may be."""


class Undecodable(Exception):
    """An answer is not encoded as it says."""


class Bounds:
    """What one call may take, over all of its tries.

    seconds: the time in which it sends and receives; what it waits between tries does not count. Where ``flows`` was called
    for its answer, the time in which the answer brings SLOWEST bytes a second. most: bytes of a decoded answer.
    late, full: bool, whether the time was used up, or more arrived than an answer may have; arrived: bytes that the present
    try has brought.
    """

    def __init__(self, seconds, most, clock=time.monotonic):
        self.seconds = seconds
        self.most = most
        self._clock = clock
        self._left = seconds
        self._until = None
        self._flows = False
        self._since = 0
        self.late = False
        self.full = False
        self.arrived = 0

    @contextlib.contextmanager
    def one_try(self):
        """Count the time of one try."""
        self._until = self._clock() + self._left
        self._flows = False
        self.arrived = 0
        try:
            yield
        finally:
            self._left = self._until - self._clock()

    @property
    def over(self):
        """Whether there is no time for another try."""
        return self.late or self._left <= 0

    def left(self):
        """Seconds that are left; raises TimeoutError where none are."""
        seconds = self._until - self._clock()
        if seconds <= 0:
            self.late = True
            raise TimeoutError("the time of the call is used up")
        return seconds

    def flows(self):
        """Wait for the rest of this try as long as it arrives fast enough."""
        self._flows = True
        self._since = self.arrived

    def count(self, size):
        """Note bytes that arrived. Raises OSError where an answer can only be too long."""
        self.arrived += size
        # compressed or not, what is decoded is hardly shorter than what arrives
        if self.arrived > 2 * self.most + _HEAD_ROOM:
            self.full = True
            raise OSError("the answer is too long")
        if self._flows and self.arrived - self._since >= SLOWEST * self.seconds:
            self._since = self.arrived
            self._until = self._clock() + self.seconds


def hold(adapter, bounds):
    """Hold every answer that comes through an adapter of requests to bounds, those of proxies to CONNECT among them.

    bounds: a function that returns the Bounds of the present call.
    """

    def open_response(sock, *arguments, **named):
        response = http.client.HTTPResponse(sock, *arguments, **named)
        response.fp = io.BufferedReader(_Stream(response.fp.detach(), sock, bounds()))
        return response

    held = {}

    def hold_pools(manager):
        if manager not in held:
            held[manager] = manager.pool_classes_by_scheme = {
                scheme: _pool_class(pool, open_response) for scheme, pool in manager.pool_classes_by_scheme.items()
            }
        return manager

    open_proxy = adapter.proxy_manager_for
    adapter.proxy_manager_for = lambda *arguments, **named: hold_pools(open_proxy(*arguments, **named))
    hold_pools(adapter.poolmanager)


def _pool_class(pool, open_response):
    """A class of connection pools of urllib3 whose connections open their answers with a function."""
    # http.client calls it for the answer to each request
    connection = type("Connection", (pool.ConnectionCls,), {"response_class": staticmethod(open_response)})
    return type("Pool", (pool,), {"ConnectionCls": connection})


class _Stream(io.RawIOBase):
    """The stream of an answer. A read waits no longer than its call may take."""

    def __init__(self, raw, sock, bounds):
        super().__init__()
        self._raw = raw
        self._sock = sock
        self._bounds = bounds

    def readable(self):
        return True

    def readinto(self, buffer):
        left = self._bounds.left()
        timeout = self._sock.gettimeout()
        shorter = timeout is None or timeout > left
        if shorter:
            self._sock.settimeout(left)
        try:
            count = self._raw.readinto(buffer)
        except OSError:
            if shorter:
                # says so where the time of the call has run out
                self._bounds.left()
            raise
        finally:
            if shorter:
                with contextlib.suppress(OSError):
                    self._sock.settimeout(timeout)
        self._bounds.count(count or 0)
        return count

    def close(self):
        if not self.closed:
            self._raw.close()
        super().close()


# --- decoding


def can_decode(headers):
    """Whether a body with these headers can be decoded: it comes as it is, or in gzip, which is what is asked for."""
    return _encoding(headers) in (*_PLAIN, *_GZIP)


def decoded(pieces, headers, most):
    """Yield the pieces of a body decoded, ``most`` bytes at the most. Raises TooMuch after these, and Undecodable.

    pieces: bytes as they arrived.
    """
    total = 0
    for piece in _unpacked(pieces) if _encoding(headers) in _GZIP else pieces:
        room = most - total
        if len(piece) > room:
            if room:
                yield piece[:room]
            raise TooMuch
        total += len(piece)
        yield piece


def _encoding(headers):
    return (headers.get("Content-Encoding") or "").strip().lower()


def _unpacked(pieces):
    """Pieces of gzip data unpacked, in pieces of a bounded size; members may follow each other."""
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
        raise Undecodable("its compressed data breaks off")


def _of_member(member, piece):
    while True:
        try:
            unpacked = member.decompress(piece, _PIECE)
        except zlib.error:
            raise Undecodable("its compressed data is broken") from None
        if unpacked:
            yield unpacked
        piece = member.unconsumed_tail
        if member.eof or (not piece and len(unpacked) < _PIECE):
            return
