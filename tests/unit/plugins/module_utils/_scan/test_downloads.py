# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Downloads: what is refused as another thing than was asked for, and streams that break off or go on for too long."""

from __future__ import annotations

import gzip
import hashlib
import socket
import threading
import tracemalloc
from contextlib import contextmanager

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._http.client import Client
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import AnswerError, NetworkError
from ansible_collections.scanops.scanner.plugins.module_utils._model.families import REPORT
from ansible_collections.scanops.scanner.plugins.module_utils._scan.download import (
    Download,
    accept_of,
    download,
    noun_of,
    wrong_beginning,
    wrong_type,
)
from ansible_collections.scanops.scanner.plugins.module_utils._task.atomic_files import Draft
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.conftest import open_permits

FORMATS = ("pdf", "html", "json", "csv", "xlsx", "docx")
STATE = {
    "targets": [{"id": 1001, "name": "www.example.com"}],
    "scans": [{"id": 40001, "target_id": 1001}],
    "findings": [{"name": f"Weakness {number}", "task_id": 40001} for number in range(50)],
    "reports": [{"id": 301 + number, "resources": [40001], "format": form} for number, form in enumerate(FORMATS)],
}


class Kept:
    """A draft in memory."""

    def __init__(self):
        self.pieces = []
        self.restarts = 0

    def restart(self):
        self.pieces = []
        self.restarts += 1

    def write(self, piece):
        self.pieces.append(piece)

    @property
    def body(self):
        return b"".join(self.pieces)


# --- what is known from the header and the first bytes


@pytest.mark.cases("kind, content_type, found")
def test_a_content_type_of_another_format_is_wrong(kind, content_type, found):
    assert wrong_type(kind, content_type) == found


PAGE = b"\n <!DOCTYPE HTML><html>Bad Gateway</html>"
OTHER = "another kind of file"


@pytest.mark.parametrize(
    "kind, head, found",
    [
        ("pdf", b"%PDF-1.4\n", None),
        ("pdf", b"\xef\xbb\xbf junk %PDF-1.7", None),
        ("pdf", b"PK\x03\x04", OTHER),
        ("pdf", b"", "nothing"),
        ("pdf", PAGE, "an HTML page"),
        ("pdf", b"<html>%PDF-", "an HTML page"),
        ("html", PAGE, None),
        ("html", b"<table>", None),
        ("html", "<p>".encode("utf-16"), None),
        ("html", b"%PDF-1.4", OTHER),
        ("html", b"", "nothing"),
        ("json", b'[{"findings": []}]', None),
        ("json", b"\xef\xbb\xbf {}", None),
        ("json", b"<?xml version='1.0'?>\n<html>", "an HTML page"),
        ("json", b"<!-- x --><body>", "an HTML page"),
        ("json", b"id,name", OTHER),
        ("csv", b"id,name\r\n", None),
        ("csv", "id,name".encode("utf-16"), None),
        ("csv", b"id\0name", OTHER),
        ("csv", b'{"status": 500}', OTHER),
        ("csv", b"%PDF-1.4", OTHER),
        ("csv", b"PK\x03\x04", OTHER),
        ("csv", PAGE, "an HTML page"),
        ("xlsx", b"PK\x03\x04\x14", None),
        ("xlsx", b"PK\x05\x06", OTHER),
        ("docx", b"PK\x03\x04\x14", None),
        ("docx", b"\xd0\xcf\x11\xe0", OTHER),
        ("raw", b"", None),
        ("raw", PAGE, None),
        (None, b"anything", None),
        (None, PAGE, "an HTML page"),
        (None, b"", "nothing"),
    ],
)
def test_a_beginning_of_another_format_is_wrong(kind, head, found):
    assert wrong_beginning(kind, head) == found


def test_a_format_is_asked_for_and_named():
    assert accept_of("csv") == "text/csv, */*;q=0.1"
    assert accept_of(None).startswith("application/octet-stream")
    assert [noun_of(kind) for kind in ("pdf", "docx", None)] == ["a PDF file", "a file of the format docx", "a file"]


class FakeAnswer:
    status = 200
    content_type = "application/pdf"

    def unexpected(self, what):
        return AnswerError(what, "GET", "/x", status=200)


@pytest.mark.parametrize("size", [1, 7, 1023, 1024, 1025, 5000])
def test_nothing_is_written_before_the_beginning_is_known(size):
    body = b"%PDF-" + bytes(range(256)) * 20 + b"\n%%EOF\n"
    kept = Kept()
    sink = Download(kept, "pdf")
    sink.restart(FakeAnswer())
    for start in range(0, len(body), size):
        sink.write(body[start : start + size])
    sink.finish()
    assert kept.body == body
    sink.restart(FakeAnswer())
    with pytest.raises(AnswerError, match="an HTML page where a PDF file was asked for"):
        for piece in (b"<html>" + b" " * (size - 1), b" " * 10):
            sink.write(piece)
        sink.finish()
    assert kept.pieces == []


@pytest.mark.parametrize("size", [1, 7, 1024, 5000])
@pytest.mark.parametrize("behind", [b"", b"\r\n", b"\0" * 1000, b"%%EOF" * 2])
def test_a_pdf_file_ends_in_its_last_kilobyte(size, behind):
    whole = b"%PDF-" + bytes(range(256)) * 20 + b"%%EOF" + behind
    for body, is_whole in ((whole, True), (whole[:2500], False), (whole + b"\n" * 1024, False), (b"%PDF-", False)):
        sink = Download(Kept(), "pdf")
        sink.restart(FakeAnswer())
        for start in range(0, len(body), size):
            sink.write(body[start : start + size])
        if is_whole:
            sink.finish()
        else:
            with pytest.raises(AnswerError, match="a PDF file that breaks off before its end"):
                sink.finish()


# --- from the local service


@pytest.fixture
def reports(service):
    service.reset(state=STATE)
    return service


def fetch(client, number=301, kind="pdf"):
    kept = Kept()
    download(client, REPORT, number, "/download", kind, kept)
    return kept


@pytest.mark.parametrize("number", range(6))
def test_a_file_of_each_format_is_fetched_whole(reports, client, number):
    reports.settings(report_size=300_000)
    kept = fetch(client, 301 + number, FORMATS[number])
    assert len(kept.body) >= 300_000
    assert len(kept.pieces) > 2
    assert reports.log()[0]["accept"] == accept_of(FORMATS[number])
    reports.settings(report_type="application/octet-stream")
    assert fetch(client, 301 + number, FORMATS[number]).body == kept.body


@pytest.mark.parametrize("action", ["truncate", "short", "long", "reset", "close"])
def test_a_download_that_breaks_off_or_goes_on_is_begun_again(reports, client, action):
    reports.settings(report_size=200_000)
    whole = fetch(client).body
    reports.clear_log()
    reports.fault(path="/reports/.*", action=action, when="after", times=2)
    kept = fetch(client)
    assert kept.body == whole
    assert len(reports.calls()) == 3
    assert kept.restarts == (1 if action in ("reset", "close") else 3)


@pytest.mark.parametrize(
    "action, words",
    [
        ("truncate", "broke off before its announced end"),
        ("short", "broke off before its announced end"),
        ("long", "is longer than its announced length"),
    ],
)
@pytest.mark.parametrize("missing", [1, 70_000])
def test_a_download_that_is_never_as_long_as_announced_is_an_error(reports, transport, action, words, missing):
    reports.settings(report_size=200_000)
    reports.fault(path="/reports/.*", action=action, missing=missing, times=None)
    with pytest.raises(NetworkError, match=f"The answer to GET /reports/301/download .*{words}. Run the task"):
        fetch(Client(transport(retries=2), open_permits().permit))
    assert len(reports.calls()) == 3


def test_after_a_page_with_status_200_nothing_is_tried_again(reports, client):
    reports.fault(path="/reports/.*", action="html", status=200, times=None)
    with pytest.raises(
        AnswerError, match=r"was answered 200 \(text/html; charset=utf-8\) with an HTML page where a PDF"
    ):
        fetch(client)
    assert len(reports.calls()) == 1
    assert fetch(client, 302, "html").body.startswith(b"<!DOCTYPE html>")


def test_memory_does_not_grow_with_the_file(reports, client, tmp_path):
    size = 24 << 20
    reports.settings(report_size=size)
    with Draft(str(tmp_path / "report.pdf")) as draft:
        # what is loaded once does not count
        download(client, REPORT, 301, "/download", "pdf", draft)
        tracemalloc.start()
        try:
            download(client, REPORT, 301, "/download", "pdf", draft)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert draft.content.size > size
        assert peak < 4 << 20
        draft.put()
    assert hashlib.sha1((tmp_path / "report.pdf").read_bytes()).hexdigest() == draft.content.checksum


# --- from servers of other kinds


@contextmanager
def serving(*answers, keep_open=False, received=None):
    """A server on loopback that gives these answers, one to each connection, and keeps the connection open if asked.
    received: None, or a list for the requests."""
    server = socket.create_server(("127.0.0.1", 0))
    done = threading.Event()

    def serve():
        for answer in answers:
            try:
                connection, _address = server.accept()
            except OSError:
                return
            with connection:
                request = connection.recv(65536)
                if received is not None:
                    received.append(request)
                connection.sendall(answer)
                if keep_open:
                    done.wait(30)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/api/v2"
    finally:
        done.set()
        server.close()
        thread.join(30)


BODY = b"%PDF-1.4 " + b"x" * 3000 + b"%%EOF\n"


def http(body, *headers, announced=None):
    length = [f"Content-Length: {len(body) if announced is None else announced}"] * (announced != 0)
    head = ["HTTP/1.1 200 OK", "Content-Type: application/pdf", *length, *headers, "", ""]
    return "\r\n".join(head).encode() + body


def chunked(*pieces, end=b"0\r\n\r\n"):
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + end


@pytest.mark.parametrize(
    "answer",
    [
        http(BODY, announced=0),
        http(chunked(BODY[:1000], BODY[1000:]), "Transfer-Encoding: chunked", announced=0),
        http(gzip.compress(BODY), "Content-Encoding: gzip"),
        http(BODY, "Connection: close"),
    ],
    ids=["no length", "chunks", "gzip", "closed"],
)
def test_other_ways_to_send_a_file_are_read(transport, answer):
    with serving(answer) as base_url:
        assert fetch(Client(transport(base_url=base_url, retries=0), open_permits().permit)).body == BODY


@pytest.mark.parametrize(
    "answer",
    [
        http(chunked(BODY, end=b""), "Transfer-Encoding: chunked", announced=0),
        http(gzip.compress(BODY)[:-9], "Content-Encoding: gzip", announced=len(gzip.compress(BODY))),
        http(
            gzip.compress(BODY) + b"x",
            "Content-Encoding: gzip",
            "Connection: close",
            announced=len(gzip.compress(BODY)),
        ),
        http(BODY + b"x", "Connection: close", announced=len(BODY)),
    ],
    ids=["chunks", "gzip too short", "gzip too long", "too long"],
)
def test_other_ways_to_break_off_are_seen(transport, answer):
    with serving(answer) as base_url, pytest.raises(NetworkError, match="The answer to GET /reports/301/download "):
        fetch(Client(transport(base_url=base_url, retries=0), open_permits().permit))


def test_the_server_is_asked_to_close_so_that_the_end_shows(transport):
    received = []
    with serving(http(BODY), received=received) as base_url:
        fetch(Client(transport(base_url=base_url, retries=0), open_permits().permit))
    assert b"\r\nConnection: close\r\n" in received[0]


def test_too_much_is_seen_where_the_connection_is_kept_too(transport):
    with serving(http(BODY), keep_open=True) as base_url:
        client = Client(transport(base_url=base_url, retries=0, timeout=5), open_permits().permit)
        assert fetch(client).body == BODY
    with serving(http(BODY + b"excess", announced=len(BODY)), keep_open=True) as base_url:
        client = Client(transport(base_url=base_url, retries=0, timeout=5), open_permits().permit)
        with pytest.raises(NetworkError, match="is longer than its announced length"):
            fetch(client)
