# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Bytes after the announced end of an answer are noticed."""

from __future__ import annotations

import socket
from types import SimpleNamespace

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._http.call_limits import Limits, hold

CLOSES = b"Connection: close\r\n"


class Exchange:
    """An answer that is read over a pair of sockets. timeout: of our socket, in seconds."""

    def __init__(self, body=b"0123456789", headers=b"Content-Length: 10\r\n", timeout=30, announced=10):
        self.sock, self.server = socket.socketpair()
        self.sock.settimeout(timeout)
        self.server.sendall(b"HTTP/1.1 200 OK\r\n" + headers + b"\r\n" + body)
        self.limits = Limits(30, 10**6)
        pools = SimpleNamespace(pool_classes_by_scheme={"http": type("Pool", (), {"ConnectionCls": object})})
        hold(pools, lambda: self.limits)
        self.answer = pools.pool_classes_by_scheme["http"].ConnectionCls.response_class(self.sock, method="GET")
        self.answer.begin()
        self.limits.flows(announced)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.answer.close()
        self.sock.close()
        self.server.close()


@pytest.mark.parametrize("headers", [b"", CLOSES], ids=["kept open", "closed"])
@pytest.mark.parametrize("surplus", [b"", b"x"])
def test_surplus_is_noticed_at_the_announced_end(surplus, headers):
    with Exchange(b"0123456789" + surplus, b"Content-Length: 10\r\n" + headers) as exchange:
        if headers:
            exchange.server.close()
        assert exchange.answer.read(4) == b"0123"
        assert not exchange.limits.surplus
        assert exchange.answer.read() == b"456789"
        assert exchange.limits.surplus is bool(surplus)
        assert exchange.sock.gettimeout() == 30


def test_surplus_that_arrives_late_is_noticed_if_the_server_announces_to_close():
    with Exchange(headers=b"Content-Length: 10\r\n" + CLOSES) as exchange:
        # the end of the body is read, and the surplus is still on its way
        assert exchange.answer.read(9) == b"012345678"
        exchange.server.sendall(b"x")
        exchange.server.close()
        assert exchange.answer.read() == b"9"
        assert exchange.limits.surplus


def test_an_answer_that_is_abandoned_before_its_end_is_not_waited_for():
    with Exchange(b"0123456789x", b"Content-Length: 10\r\n" + CLOSES) as exchange:
        assert exchange.answer.read(4) == b"0123"
        exchange.answer.close()
        assert not exchange.limits.surplus


def test_a_server_that_does_not_close_as_announced_is_not_an_error():
    with Exchange(headers=b"Content-Length: 10\r\n" + CLOSES, timeout=0.05) as exchange:
        assert exchange.answer.read() == b"0123456789"
        assert not exchange.limits.surplus
        assert exchange.sock.gettimeout() == 0.05


@pytest.mark.parametrize(
    "body, headers, announced",
    [
        (b"0123456789x", b"Content-Length: 10\r\n", 0),
        (b"x", b"Content-Length: 0\r\n", 0),
        (b"a\r\n0123456789\r\n0\r\n\r\nx", b"Transfer-Encoding: chunked\r\n", 0),
    ],
    ids=["not streamed", "empty", "chunked"],
)
def test_without_an_announced_length_no_surplus_is_looked_for(body, headers, announced):
    with Exchange(body, headers, announced=announced) as exchange:
        exchange.answer.read()
        assert not exchange.limits.surplus
