# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Faults, looked at on a raw socket where an HTTP library would smooth them over."""

from __future__ import annotations

import gzip
import json
import socket
import time
from urllib.parse import urlsplit

import pytest
from ansible_collections.scanops.scanner.tests.unit.local_service import ControlError


@pytest.fixture
def raw(service):
    """Send one request on a socket of its own and return all bytes until the end; a reset is raised."""

    def run(method, path, form=""):
        base = urlsplit(service.base_url)
        lines = [
            f"{method} {base.path}{path} HTTP/1.1",
            f"Host: {base.netloc}",
            f"Authorization: Bearer {service.api_key}",
            "Accept: application/json",
        ]
        if form:
            lines += ["Content-Type: application/x-www-form-urlencoded", f"Content-Length: {len(form)}"]
        with socket.create_connection((base.hostname, base.port), timeout=30) as connection:
            connection.sendall("\r\n".join([*lines, "", form]).encode())
            got = b""
            while True:
                part = connection.recv(65536)
                if not part:
                    return got
                got += part
                if b"Connection: close" not in got and is_whole(got):
                    return got

    return run


def is_whole(got):
    head, end, body = got.partition(b"\r\n\r\n")
    lengths = [line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    return bool(end and lengths and len(body) >= int(lengths[0]))


def parts(got):
    head, _blank, body = got.partition(b"\r\n\r\n")
    headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n")[1:])
    return int(head.split()[1]), headers, body


NEW = "name=new.example"


@pytest.mark.parametrize("when,made", [("before", 0), ("after", 1)])
def test_reset(service, raw, when, made):
    service.fault(method="POST", path="/targets", action="reset", when=when)
    with pytest.raises(ConnectionResetError):
        raw("POST", "/targets", NEW)
    assert len(service.targets()) == made
    entry = service.log()[0]
    assert (entry["status"], entry["fault"]) == (None, "reset")


@pytest.mark.parametrize("when,made", [("before", 0), ("after", 1)])
def test_status(service, raw, when, made):
    fields = {"status": 503, "message": "m", "details": "d", "headers": {"Retry-After": 7}}
    service.fault(action="status", when=when, **fields)
    status, headers, body = parts(raw("POST", "/targets", NEW))
    assert (status, headers["Retry-After"]) == (503, "7")
    assert json.loads(body) == {"status": 503, "message": "m", "details": "d"}
    assert len(service.targets()) == made


@pytest.mark.parametrize("action, announced", [("truncate", 1), ("truncated_json", 2)])
def test_truncate(service, raw, action, announced):
    whole = parts(raw("GET", "/wordlists"))[2]
    service.fault(action=action)
    status, headers, body = parts(raw("GET", "/wordlists"))
    assert status == 200
    assert int(headers["Content-Length"]) == len(whole) // announced
    assert body == whole[: len(whole) // 2]


def test_short(service, raw):
    whole = parts(raw("GET", "/wordlists"))[2]
    service.fault(action="short", missing=3)
    status, headers, body = parts(raw("GET", "/wordlists"))
    assert status == 200
    assert int(headers["Content-Length"]) == len(whole) + 3
    assert body == whole


def test_delay_goes_on_to_the_next_fault(service, raw):
    service.fault(action="delay", seconds=0.01)
    service.fault(action="status", status=500)
    assert parts(raw("GET", "/targets"))[0] == 500
    assert service.log()[0]["fault"] == "delay+status"
    assert parts(raw("GET", "/targets"))[0] == 200


def test_a_request_that_waits_while_the_account_is_reset_does_nothing(service, raw):
    service.fault(method="POST", action="delay", seconds=0.5)
    base = urlsplit(service.base_url)
    with socket.create_connection((base.hostname, base.port), timeout=30) as connection:
        head = f"POST {base.path}/targets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {service.api_key}\r\n"
        head += f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(NEW)}\r\n\r\n"
        connection.sendall((head + NEW).encode())
        while not service.log():
            time.sleep(0.01)
        service.reset(settings={"validate": True})
        assert connection.recv(1000) == b""
    assert service.targets() == []
    assert service.log() == []


def test_choice_of_requests(service, raw):
    service.fault(method="GET", path=r"/targets/\d+", action="status", status=500, nth=2, times=2)
    service.fault(method="get", path="/targets", query={"page": 2}, action="status", status=501, times=None)
    service.add(targets=[{"name": "a.example"}])

    def statuses(path, count):
        return [parts(raw("GET", path))[0] for dummy in range(count)]

    assert statuses("/targets/1001", 4) == [200, 500, 500, 200]
    assert statuses("/targets?page=1", 1) == [200]
    assert statuses("/targets?page=2", 3) == [501, 501, 501]
    # the path must match as a whole
    service.fault(path="/work", action="status", status=502)
    assert statuses("/workspaces", 1) == [200]
    assert [fault["seen"] for fault in service.faults()] == [4, 3, 0]
    service.clear_faults()
    assert statuses("/targets?page=2", 1) == [200]


def test_do_after_the_work(service, raw):
    record = {"name": "late.example"}
    service.fault(path="/targets", action="do", when="after", resource="targets", record=record)
    assert json.loads(parts(raw("GET", "/targets"))[2]) == {"data": []}
    assert [each["name"] for each in service.targets()] == ["late.example"]


@pytest.mark.parametrize(
    "fault,words",
    [
        ({"action": "explode"}, "action must be one of"),
        ({"action": "status"}, "needs a status"),
        ({"action": "html", "paht": "/x"}, "paht"),
        ({"action": "html", "path": "("}, "regular expression"),
        ({"action": "html", "nth": 0}, "nth"),
        ({"action": "html", "times": 0}, "times"),
        ({"action": "html", "when": "during"}, "when"),
        ({"action": "redirect"}, "location"),
        ({"action": "wrong_type"}, "data"),
        ({"action": "drip"}, "seconds"),
        ({"action": "drip", "seconds": 1, "part": "tail"}, "part"),
        ({"action": "large", "size": -1}, "size"),
        ({"action": "do"}, "resource"),
        ({"action": "do", "resource": "cats"}, "cats"),
        ({"action": "do", "resource": "targets", "do": "paint"}, "create or delete"),
        ({"action": "do", "resource": "targets", "position": "middle"}, "position"),
    ],
)
def test_faults_that_make_no_sense(service, fault, words):
    with pytest.raises(ControlError, match=words):
        service.fault(**fault)
    assert service.faults() == []


@pytest.mark.parametrize("part", ["head", "body"])
def test_an_answer_comes_byte_by_byte(service, raw, part):
    whole = parts(raw("GET", "/workspaces"))[2]
    service.fault(action="drip", seconds=0.002, part=part, size=100)
    began = time.monotonic()
    status, headers, body = parts(raw("GET", "/workspaces"))
    assert time.monotonic() - began > 0.2
    assert (status, body.strip(), len(headers.get("X-Filler", ""))) == (200, whole, 100 if part == "head" else 0)
    assert int(headers["Content-Length"]) == len(body) == len(whole) + (100 if part == "body" else 0)


@pytest.mark.parametrize("packed", [False, True])
def test_a_large_answer(service, send, packed):
    size = 3 * 1024 * 1024 + 5
    whole = send("GET", "/workspaces").raw
    service.fault(action="large", size=size, gzip=packed)
    answer = send("GET", "/workspaces")
    assert answer.headers.get("Content-Encoding") == ("gzip" if packed else None)
    assert len(answer.raw) < size / 100 or not packed
    body = gzip.decompress(answer.raw) if packed else answer.raw
    assert body == b" " * size + whole
    service.fault(action="large", size=10, status=500)
    assert send("GET", "/workspaces").status == 500
