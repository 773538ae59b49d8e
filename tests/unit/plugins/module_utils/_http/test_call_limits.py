# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A call ends, whatever the other side does, and takes no more memory than it may."""

from __future__ import annotations

import contextlib
import gzip
import io
import random
import ssl
import time
import tracemalloc

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._http import listing as _listing
from ansible_collections.scanops.scanner.plugins.module_utils._http.call_limits import (
    SLOWEST,
    Limits,
    TooMuch,
    Undecodable,
    decoded,
)
from ansible_collections.scanops.scanner.plugins.module_utils._http.connection import Connection, Session
from ansible_collections.scanops.scanner.plugins.module_utils._http.redact import Redactor
from ansible_collections.scanops.scanner.plugins.module_utils._http.transport import Transport
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import AnswerError, ApiError, NetworkError
from ansible_collections.scanops.scanner.plugins.module_utils._model.families import TARGET
from ansible_collections.scanops.scanner.tests.unit import certificates
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils._http.talker import Talker
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.conftest import permitted
from ansible_collections.scanops.scanner.tests.unit.sampling import pairs
from hypothesis import given
from hypothesis import strategies as st

MIB = 1024 * 1024
# far more than any of these calls may take, and far less than what they would take without a bound
PATIENCE = 20
# what drips may pause for longer than it should on a machine that is busy, and is cut off all the same
PATIENT = {"timeout": 0.6, "call_timeout": 0.8}
# only the limit of the whole call ends it, however late a busy machine sends a byte
WHOLE = {"timeout": 30.0, "call_timeout": 0.8}


@contextlib.contextmanager
def at_once():
    began = time.monotonic()
    yield
    assert time.monotonic() - began < PATIENCE


class Kept:
    """A sink that keeps what it gets."""

    def __init__(self):
        self.body = b""

    def restart(self, _answer):
        self.body = b""

    def write(self, piece):
        self.body += piece


# --- the time of a call, by a clock that does not run


def test_the_tries_of_a_call_share_its_time_and_the_waits_between_do_not_count(clock):
    limits = Limits(10, MIB, clock)
    for dummy in range(3):
        with limits.one_try():
            assert not limits.over
            clock.sleep(3)
        clock.sleep(1000)
    assert not limits.over
    with limits.one_try():
        assert limits.left() == 1
        clock.sleep(1)
        with pytest.raises(TimeoutError):
            limits.left()
    assert limits.over and limits.late


def test_a_file_may_take_its_time_as_long_as_it_arrives(clock):
    limits = Limits(10, 10**9, clock)
    with limits.one_try():
        clock.sleep(9)
        limits.flows()
        for dummy in range(100):
            limits.count(SLOWEST * 10)
            clock.sleep(9)
        assert limits.left() == 1
        # a fast beginning is no credit for the rest
        limits.count(SLOWEST * 10**5)
        for dummy in range(9):
            clock.sleep(1)
            limits.count(1)
        clock.sleep(1)
        with pytest.raises(TimeoutError):
            limits.left()


def test_a_head_that_arrives_fast_and_does_not_end_gets_no_more_time(clock):
    limits = Limits(10, 10**9, clock)
    with limits.one_try():
        limits.count(SLOWEST * 10**5)
        assert limits.left() == 10


def test_what_arrives_is_counted_whatever_it_is(clock):
    limits = Limits(10, 100, clock)
    with limits.one_try(), pytest.raises(OSError):
        for dummy in range(100):
            limits.count(MIB)
    assert limits.full


# --- decoding

PACKED = {"Content-Encoding": "gzip"}


def cut(data, sizes):
    place = 0
    while place < len(data):
        size = sizes.pop() if sizes else 1000
        yield data[place : place + size]
        place += size


@given(
    st.lists(st.binary(max_size=3000), max_size=4),
    st.lists(st.integers(1, 50), max_size=30),
    st.booleans(),
    st.integers(0, 40),
)
def test_what_is_decoded_is_what_was_encoded(members, sizes, compressed, padding):
    whole = b"".join(members)
    data = b"".join(map(gzip.compress, members)) + b"\0" * padding if compressed else whole
    headers = PACKED if compressed else {}
    assert b"".join(decoded(cut(data, list(sizes)), headers, len(whole))) == whole
    if whole:
        beginning = io.BytesIO()
        with pytest.raises(TooMuch):
            for piece in decoded(cut(data, list(sizes)), headers, len(whole) - 1):
                beginning.write(piece)
        assert beginning.getvalue() == whole[:-1]


@pytest.mark.parametrize(
    "data, why",
    [
        (gzip.compress(b"x" * 1000)[:-1], "breaks off"),
        (gzip.compress(b"x" * 1000)[:12], "breaks off"),
        (b"\x1f\x8b", "breaks off"),
        (b"no gzip data", "broken compressed data"),
        (gzip.compress(b"x") + b"more", "broken compressed data"),
        (gzip.compress(random.Random(1).randbytes(1000))[:500] + b"\0" * 600, "broken compressed data"),
    ],
    # gzip data holds the time, which would differ between the workers
    ids=["without its last byte", "a few bytes", "a beginning", "not gzip", "more after it", "broken"],
)
def test_data_that_is_not_what_it_says_is_an_error(data, why):
    with pytest.raises(Undecodable, match=why):
        list(decoded([data], PACKED, MIB))


def peak_of(call):
    """The bytes that a call has taken at the most."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_a_bomb_takes_no_more_memory_than_its_bound():
    packed = gzip.compress(b" " * (300 * MIB))

    def read():
        with pytest.raises(TooMuch):
            for dummy in decoded([packed], PACKED, 250 * MIB):
                pass

    assert peak_of(read) < 2 * MIB


# --- the bound on size, with the service


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("streamed", [True, False])
def test_an_answer_that_is_too_long_is_an_error_that_names_the_bound(service, transport, packed, streamed):
    service.fault(action="large", size=40 * MIB, gzip=packed, times=None)
    one = transport(max_answer=2 * MIB)
    sink = Kept() if streamed else None

    def read():
        with pytest.raises(AnswerError) as caught:
            one.send("GET", "/workspaces", sink=sink)
        assert str(caught.value).startswith("GET /workspaces was answered 200 with more than 2097152 bytes")
        assert "Raise max_answer" in str(caught.value)

    assert peak_of(read) < 8 * MIB
    assert service.calls() == ["GET /workspaces"]
    service.clear_faults()
    assert one.send("GET", "/workspaces").json()["data"]


@pytest.mark.parametrize("status, packed", pairs([400, 500, 401, 404, 409, 502], [True, False]))
def test_an_error_body_is_read_for_its_reason_only(service, transport, status, packed):
    service.fault(action="large", size=40 * MIB, gzip=packed, status=status, times=None)
    one = transport()

    def read():
        with pytest.raises((AnswerError, ApiError), match=f"was answered {status}.* an error body of more than 1 MiB"):
            one.send("GET", "/workspaces")

    assert peak_of(read) < 6 * MIB
    assert len(service.calls()) == (4 if status >= 500 else 1)


def test_another_encoding_than_was_asked_for_is_named(service, transport):
    service.fault(action="status", status=200, headers={"Content-Encoding": "br"}, body="x", times=None)
    with pytest.raises(AnswerError, match=r"was answered 200 \(.*\) with the content encoding 'br', which was not"):
        transport().send("GET", "/workspaces")
    service.clear_faults()
    service.fault(action="status", status=403, headers={"Content-Encoding": "br"}, body="x")
    with pytest.raises(AnswerError, match="was answered 403"):
        transport().send("GET", "/workspaces")


def test_only_gzip_is_asked_for(transport):
    with Talker(
        lambda connection, head: connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
    ) as other:
        transport(base_url=f"{other.url}/api/v2").send("GET", "/x")
    assert "Accept-Encoding: gzip\r\n" in other.heads[0]


def test_a_connection_is_used_again_after_a_compressed_answer(service, transport):
    one = transport()
    for dummy in range(3):
        service.fault(action="large", size=MIB, gzip=True)
        one.send("GET", "/workspaces")
    assert len({entry["client_port"] for entry in service.log()}) == 1


# --- the bound on time


def test_a_write_whose_answer_drips_may_have_been_done(service, transport):
    service.fault(method="POST", action="drip", seconds=0.1, size=10_000)
    with at_once(), pytest.raises(NetworkError, match="call_timeout") as caught:
        transport(**PATIENT).send(**permitted("POST", "/workspaces", form={"name": "New"}))
    assert caught.value.maybe_done
    assert [row["name"] for row in service.workspaces()][-1] == "New"


@pytest.mark.slow
@pytest.mark.parametrize("streamed", [True, False])
def test_only_what_is_streamed_may_take_longer_as_long_as_it_arrives(streamed):
    """50 pieces of 2 KiB, one each 0.05 s: 2.5 s, where a call may take 0.8 s."""

    def talk(connection, _head):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 102400\r\n\r\n")
        for dummy in range(50):
            time.sleep(0.05)
            connection.sendall(b"x" * 2048)

    with Talker(talk) as slow:
        one = Transport(Connection(f"{slow.url}/api/v2", "a-key-of-nobody", retries=0, **WHOLE))
        sink = Kept()
        if streamed:
            one.send("GET", "/reports/1/download", sink=sink)
            assert sink.body == b"x" * 102400
        else:
            with pytest.raises(NetworkError, match="call_timeout"):
                one.send("GET", "/reports/1/download")


def talks(*parts):
    """A function that sends texts at once and drips lists of one text."""

    def talk(connection, _head, talker):
        for part in parts:
            if isinstance(part, bytes):
                connection.sendall(part)
            else:
                talker.drip(connection, part[0], 0.1)

    return talk


SLOW_TALKS = {
    "status line": talks([b"HTTP/1.1 200 OK" + b" " * 1000]),
    "endless headers": talks(b"HTTP/1.1 200 OK\r\n", [b"X-A: b\r\n" * 1000]),
    "one after the other 100 Continue": talks([b"HTTP/1.1 100 Continue\r\n\r\n" * 1000]),
    "chunk sizes": talks(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", [b"0" * 1000]),
    "chunks": talks(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", [b"1\r\n \r\n" * 1000]),
    "trailers": talks(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n", [b"A: b\r\n" * 1000]),
    "a body without an end": talks(b"HTTP/1.1 200 OK\r\n\r\n", [b" " * 1000]),
    "a compressed body": talks(
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", [gzip.compress(random.Random(1).randbytes(1000))]
    ),
    "redirects": talks(b"HTTP/1.1 302 Found\r\nLocation: /api/v2/x\r\n", [b"X: y" * 1000]),
}


@contextlib.contextmanager
def talking(talk, **options):
    box = []
    with Talker(lambda connection, head: talk(connection, head, box[0]), **options) as talker:
        box.append(talker)
        yield talker


@pytest.mark.slow
@pytest.mark.parametrize("name, streamed", pairs(list(SLOW_TALKS), [True, False]))
def test_whatever_drips_ends(name, streamed):
    with talking(SLOW_TALKS[name]) as slow:
        one = Transport(Connection(f"{slow.url}/api/v2", "a-key-of-nobody", **WHOLE))
        with at_once(), pytest.raises(NetworkError, match=r"within 0\.8 s, the limit of call_timeout"):
            one.send("GET", "/x", sink=Kept() if streamed else None)
    assert len(slow.heads) == 1


FAST_TALKS = {
    "100 Continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1000),
    "a chunk size": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"0" * 65536),
    "trailers": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n", b"A: b\r\n" * 10000),
    "a body": (b"HTTP/1.1 200 OK\r\n\r\n", b" " * 65536),
    "empty members": (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", gzip.compress(b"") * 1000),
}


@pytest.mark.slow
@pytest.mark.parametrize("name, streamed", pairs(list(FAST_TALKS), [True, False]))
def test_whatever_comes_fast_and_without_end_ends(name, streamed):
    begin, more = FAST_TALKS[name]

    def talk(connection, _head):
        connection.sendall(begin)
        while True:
            connection.sendall(more)

    with Talker(talk) as endless:
        one = Transport(Connection(f"{endless.url}/api/v2", "a-key-of-nobody", timeout=0.5, retries=0, max_answer=MIB))
        with at_once(), pytest.raises((NetworkError, AnswerError)):
            one.send("GET", "/x", sink=Kept() if streamed else None)


@pytest.mark.slow
def test_over_tls_and_through_a_proxy_what_drips_ends(tmp_path):
    files = certificates.make(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(files["server"], files["server_key"])
    for name in ("endless headers", "a body without an end"):
        with talking(SLOW_TALKS[name], context=context) as slow:
            connection = Connection(f"{slow.url}/api/v2", "a-key-of-nobody", timeout=0.5, verify=files["ca"])
            with at_once(), pytest.raises(NetworkError, match="within 2 s, the limit of call_timeout"):
                Transport(connection).send("GET", "/x")
    # the answer of a proxy to CONNECT
    with talking(talks(b"HTTP/1.1 200 Connection established\r\n", [b"X-A: b\r\n" * 1000])) as proxy:
        connection = Connection("https://scanner.example.com/api/v2", "a-key-of-nobody", proxy=proxy.url, **WHOLE)
        with at_once(), pytest.raises(NetworkError, match=r"within 0\.8 s, the limit of call_timeout"):
            Transport(connection).send("GET", "/x")
    # and the answer that a proxy passes on
    with talking(SLOW_TALKS["endless headers"]) as proxy:
        connection = Connection("http://scanner.example.com/api/v2", "a-key-of-nobody", proxy=proxy.url, **WHOLE)
        with at_once(), pytest.raises(NetworkError, match=r"within 0\.8 s, the limit of call_timeout"):
            Transport(connection).send("GET", "/x")


def test_a_service_that_says_nothing_is_named_as_before(service, transport):
    service.fault(action="delay", seconds=PATIENCE, times=None)
    with at_once(), pytest.raises(NetworkError, match=r"No answer to .* within 0\.2 s\. .*raise timeout"):
        transport(timeout=0.2).send("GET", "/workspaces")
    # the last try ends early, with the time of the call
    with at_once(), pytest.raises(NetworkError, match=r"No answer to .* within 0\.2 s\. .*raise timeout"):
        transport(timeout=0.2, call_timeout=0.5, retries=5).send("GET", "/workspaces")
    # a lower limit of the whole call is the one to name
    with at_once(), pytest.raises(NetworkError, match=r"within 0\.1 s, the limit of call_timeout"):
        transport(call_timeout=0.1).send("GET", "/workspaces")


# --- the bound on pages


def test_a_list_without_end_is_an_error(service, client, monkeypatch):
    service.settings(endless_lists=True)
    service.add(targets=[{"name": "a.example"}])
    assert _listing.MOST_PAGES == 2000
    monkeypatch.setattr(_listing, "MOST_PAGES", 3)
    with pytest.raises(AnswerError, match="GET /targets was not read to its end: it has more than 3 pages"):
        client.all(TARGET, {"workspace_id": 1})
    assert service.calls() == ["GET /targets"] * 3


def test_a_call_may_take_four_times_its_timeout_unless_told_otherwise():
    url = "https://scanner.example.com/api/v2"
    for declared, seconds in ((None, 1), (7, 7)):
        session = Session(Connection(url, "a-key-of-nobody", timeout=0.25, call_timeout=declared), Redactor())
        session.new_limits()
        assert session.limits.seconds == seconds
