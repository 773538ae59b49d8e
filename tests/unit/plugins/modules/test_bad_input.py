# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Bad input: one sentence that names the option and says what to do, no traceback, nothing written, no key shown."""

from __future__ import annotations

import importlib
import json
import os
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from ansible_collections.scanops.scanner.tests.unit.plugins.modules import run_module as runner
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.run_module import MODULES as PLACE
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.run_module import run_module
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scenarios import (
    MODULES,
    PROBES,
    READS,
    SINGLE,
    WRITES,
)
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.simple_families import MODULES as OF_SIMPLE

TASKS = {task.module: task for task in {**PROBES, **READS, **WRITES}.values()}
SECRET = "pa55-w0rd-of-nobody"


def assert_refused(result, *words):
    """The task failed with one line that has these words, and without what it must not show."""
    assert result.failed, result
    for word in words:
        assert word in result.msg
    assert "\n" not in result.msg
    assert "Traceback" not in str(result.result)
    assert "exception" not in result.result
    assert SECRET not in str(result.result)
    assert len(result.msg) < 1000
    assert not result.changed


def options_of(module):
    return importlib.import_module(PLACE + module).OPTIONS


def run_with(service, module, check=False, **options):
    connection = dict(base_url=service.base_url, api_key=service.api_key)
    given = {**connection, **TASKS[module].options, **options}
    return run_module(module, {name: value for name, value in given.items() if value != "left out"}, check)


# --- the connection, in every module

CONNECTIONS = yaml.safe_load(
    Path(__file__).with_name("connections.yml").read_text(encoding="utf-8").replace("{secret}", SECRET)
)


@pytest.mark.parametrize("case", CONNECTIONS)
def test_a_wrong_connection_is_refused_before_any_call(service, case):
    options, says = CONNECTIONS[case].values()
    # all modules read the connection in one place
    for module in MODULES if case in ("null key", "user info") else ("workspace_info",):
        assert_refused(run_with(service, module, **options), *says)
    assert service.calls() == []


def test_the_options_of_a_failed_task_are_returned_without_its_secrets(service, monkeypatch):
    """ansible-core 2.22 and later masks what it shows, and keeps a result as the module returned it."""

    def as_returned(printed):
        result = json.loads(printed)
        result.pop("_ansible_new_secrets", None)
        return json.dumps(result)

    monkeypatch.setattr(runner, "_as_displayed", as_returned)
    for proxy in (None, f"http://someone:{SECRET}@127.0.0.1:1"):
        address = f"https://someone:{SECRET}@scanner.example.com/api/v2"
        result = run_with(service, "workspace_info", base_url=address, proxy=proxy)
        assert_refused(result, "user info")
        assert service.api_key not in str(result["invocation"])
        assert "scanner.example.com" not in str(result["invocation"])


@pytest.mark.parametrize(
    "base_url",
    ["{}/", "{}//", " {} ", "{}".replace("127.0.0.1", "localhost")],
    ids=["slash", "slashes", "blanks", "name"],
)
def test_a_base_url_may_be_written_in_other_ways(service, base_url):
    result = run_with(service, "workspace_info", base_url=base_url.format(service.base_url))
    assert not result.failed, result.msg


@contextmanager
def listening(answer):
    """A server on loopback that answers whatever it gets with these bytes; gives its port and a list of what it got."""
    server = socket.create_server(("127.0.0.1", 0))
    received = []

    def serve():
        while True:
            try:
                connection, _address = server.accept()
            except OSError:
                return
            with connection:
                received.append(connection.recv(65536))
                connection.sendall(answer)

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield server.getsockname()[1], received
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()


def http(body, head="HTTP/1.1 200 OK", kind="text/html"):
    return f"{head}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}".encode()


def test_a_port_that_is_closed_is_named(service):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    result = run_with(service, "workspace_info", base_url=f"http://127.0.0.1:{port}/api/v2")
    assert_refused(result, f"nothing accepts connections at 127.0.0.1:{port}", "Check base_url")
    assert result["api_error"]["status"] is None
    assert len(result.slept) == 3


def test_a_host_that_does_not_exist_is_named(service):
    result = run_with(service, "workspace_info", base_url="https://scanner.invalid/api/v2", retries=0)
    assert_refused(result, "the host name in base_url has no address (scanner.invalid)", "DNS")
    assert "nothing accepts connections" not in result.msg


NOT_THE_SERVICE = {
    "a web site": (http("<html>hello</html>"), "text/html"),
    "a page that is not found": (http("<html>no</html>", "HTTP/1.1 404 Not Found"), "text/html"),
    "another API": (http('{"items": []}', kind="application/json"), "application/json"),
    "another API that refuses": (http('{"error": "no"}', "HTTP/1.1 401 No", "application/json"), "application/json"),
    "plain text": (http("hello", kind="text/plain"), "text/plain"),
    "no content type": (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "no content type"),
    "an odd status": (b"HTTP/1.1 299 Odd\r\nContent-Length: 2\r\n\r\nhi", "299"),
    "not modified": (b"HTTP/1.1 304 Not Modified\r\n\r\n", "304"),
}


@pytest.mark.parametrize("case", NOT_THE_SERVICE)
def test_a_server_that_is_not_the_service_is_not_believed(service, case):
    answer, word = NOT_THE_SERVICE[case]
    with listening(answer) as (port, received):
        # one of them is enough for all modules, which read answers in one place; a verification returns what it saw
        every = [module for module in MODULES if module != "service_verification"]
        modules = every if case == "a web site" else ["workspace_info"]
        for module in modules:
            result = run_with(service, module, base_url=f"http://127.0.0.1:{port}/api/v2", retries=0)
            assert_refused(result, word, "Check that base_url is the address of the service's API")
    # service_info also reads the OpenAPI file, which is untrusted
    assert len([request for request in received if request.startswith(b"GET /api/v2/")]) == len(modules)
    assert [request for request in received if not request.startswith(b"GET ")] == []


@pytest.mark.parametrize(
    "answer",
    [
        b"SSH-2.0-OpenSSH_9.0\r\n",
        b"",
        b"\x00\xff\x00\xff" * 20,
        b"HTTP/1.1 200 OK\r\nContent-Length: 9" + b"9" * 5000 + b"\r\n\r\nx",
        b"HTTP/1.1 200 OK\r\nContent-Length: \xb2\r\n\r\nx",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope",
        b"HTTP/1.1 429 Slow\r\nRetry-After: \xb2\r\nX-RateLimit-Limit: \xb2\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X-A: 1\r\n" * 200 + b"\r\n",
    ],
    ids=["ssh", "nothing", "bytes", "long-length", "odd-length", "chunks", "gzip", "odd-limits", "headers"],
)
def test_a_server_that_speaks_no_http_is_an_error(service, answer):
    with listening(answer) as (port, dummy):
        result = run_with(
            service, "workspace_info", base_url=f"http://127.0.0.1:{port}/api/v2", retries=0, rate_limit_wait=0
        )
    assert_refused(result, "GET /workspaces")
    assert set(result["api_error"]) == {"status", "message", "details", "method", "path"}


# --- redirects


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_read_follows_a_redirect_to_the_same_address(service, run, status):
    service.allow_violations = True
    service.fault(method="GET", path="/workspaces", action="redirect", status=status, location="/api/v2/workspaces")
    assert len(run("workspace_info")["workspaces"]) == 1
    assert [entry["authorization"] for entry in service.log()] == ["right", "right"]


def test_redirects_without_end_are_an_error(service, run):
    service.fault(action="redirect", location="/api/v2/workspaces", times=None)
    assert_refused(run("workspace_info"), "redirected more than 5 times")
    assert len(service.calls()) == 6


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_a_redirected_write_is_refused(service, run, method, status):
    service.add(workspaces=[{"id": 2, "name": "Web shop"}])
    options = {"POST": {"name": "New"}, "PUT": {"name": "Web shop", "description": "x"}}
    service.fault(method=method, action="redirect", status=status, location="/api/v2/workspaces")
    result = run("workspace", **options.get(method, {"name": "Web shop", "state": "absent"}))
    # the address shows its port, and the key would be sent there
    assert_refused(result, f"was redirected to {service.base_url}/workspaces, and only reads follow", "Set base_url")
    assert "the key is not sent" not in result.msg
    assert len(service.writes()) == 1


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_redirect_to_another_place_does_not_get_the_key(service, run, scheme):
    with listening(http('{"data": []}', kind="application/json")) as (port, received):
        service.fault(
            action="redirect", location=f"{scheme}://someone:{SECRET}@127.0.0.1:{port}/api/v2/workspaces?k={SECRET}"
        )
        result = run("workspace_info")
    assert_refused(
        result, f"was redirected to {scheme}://127.0.0.1:{port}/api/v2/workspaces, where the key is not sent"
    )
    assert received == []


def test_a_redirect_that_holds_the_key_does_not_show_it(service, run):
    service.fault(action="redirect", location=f"https://scanner.example.com/{service.api_key}")
    result = run("workspace_info")
    assert_refused(result, "was redirected to")
    assert service.api_key not in str(result.result)


# --- references and names


@pytest.mark.parametrize(
    "module",
    [module for module in SINGLE if {"name", "label"} & set(TASKS[module].options) or module.endswith("_info")],
)
def test_an_empty_name_is_refused(service, module):
    key = "label" if module.startswith("http_logger") else "name"
    options = {name: "left out" for name in TASKS[module].options if name in ("name", "label", "id", "uuid")}
    for value in ("", "  ", "\n"):
        result = run_with(service, module, **{**options, key: value})
        assert_refused(result, f"{key} is empty: give the name of the object")
    assert service.writes() == []


def test_an_id_of_many_digits_does_not_exist_or_is_an_error(service, run):
    service.allow_violations = True
    for number in (10**17, 10**30):
        result = run("workspace", id=number)
        assert_refused(result)
        assert service.writes() == []


@pytest.mark.parametrize(
    "module", ["target", "target_info", *(module for module, family in OF_SIMPLE.items() if family.in_workspace)]
)
def test_a_workspace_by_name_and_by_id_is_refused(service, module):
    options = dict.fromkeys(TASKS[module].options, "left out")
    result = run_with(service, module, **{**options, "id": 1, "workspace": "A", "workspace_id": 1})
    assert_refused(result, "parameters are mutually exclusive: workspace|workspace_id")
    assert service.calls() == []


@pytest.mark.parametrize("module", [module for module in SINGLE if "id" in options_of(module)])
def test_a_name_and_an_id_are_refused(service, module):
    key = "label" if module.startswith("http_logger") else OF_SIMPLE[module].key if module in OF_SIMPLE else "name"
    options = {name: "left out" for name in TASKS[module].options if name not in ("state", key, "id")}
    result = run_with(service, module, **{**options, key: "a", "id": 1})
    assert_refused(result, f"parameters are mutually exclusive: {key}|id")
    assert service.calls() == []


@pytest.mark.parametrize("module", ["target", *(module for module in OF_SIMPLE if not module.endswith("_info"))])
def test_neither_name_nor_id_is_refused(service, module):
    options = {name: "left out" for name in TASKS[module].options if name != "state"}
    assert_refused(run_with(service, module, **options), "one of the following is required")
    assert service.calls() == []


# --- text of all kinds comes back as it was sent

TEXTS = [
    "Ünïcödé, 日本語, עברית, кириллица",
    "☕ and 👩🏽‍💻 and 🏳️‍🌈",
    "e\u0301 is not \u00e9",
    "a & b = c + d % e ; f / g ? h # i",
    "'single' \"double\" `back` \\ slash",
    "{{ lookup('pipe', 'id') }} {% raw %}",
    "<script>alert(1)</script>",
    "line one\nline two\ttab\r\nthree",
    "  blanks around  ",
    "null",
    "007",
    "yes",
    "\u202eright to left\u202c",
    "\x1b[31mred\x07",
]


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS)
def test_text_of_all_kinds_comes_back_as_it_was_sent(service, run, text):
    made = run("workspace", name=text, description=text)
    assert not made.failed, made.msg
    assert (made["workspace"]["name"], made["workspace"]["description"]) == (text, text)
    again = run("workspace", name=text, description=text)
    assert (again.failed, again.changed) == (False, False)
    renamed = run("workspace", name=text, new_name=f"{text}!", description=f"{text}?")
    assert renamed.changed
    assert service.workspaces()[-1] == {"id": 2, "name": f"{text}!", "description": f"{text}?"}
    assert run("workspace_info", name=f"{text}!")["workspaces"] == [renamed["workspace"]]

    logger = run("http_logger", workspace=f"{text}!", label=text)
    assert logger["http_logger"]["label"] == text
    assert not run("http_logger", workspace=f"{text}!", label=text).changed

    target = run("target", workspace=f"{text}!", name="a.example", description=text)
    assert target["target"]["description"] == text
    again = run("target", workspace=f"{text}!", name="a.example", description=text)
    assert (again.changed, again["drift"]) == (False, {})
    assert run("target", workspace=f"{text}!", name="a.example", state="absent").changed
    assert run("workspace", name=f"{text}!", state="absent", force=True).changed


@pytest.mark.parametrize(
    "name", ["bücher.example", "пример.example", "https://例え.example/パス?q=ü#é", "xn--bcher-kva.example"]
)
def test_targets_of_all_scripts_come_back_as_they_were_sent(service, run, name):
    made = run("target", workspace_id=1, name=name)
    assert not made.failed, made.msg
    assert made["target"]["name"] == name
    assert service.targets()[-1]["name"] == name
    assert not run("target", workspace_id=1, name=name).changed


# --- requests is missing; one that is too old: test_transport.py

MODULE = "ansible_collections.scanops.scanner.plugins.modules.workspace_info"
MISSING = "raise ImportError('no requests here')\n"


@pytest.mark.parametrize("verbosity", [0, 3])
def test_a_missing_requests_is_named(service, tmp_path, verbosity):
    (tmp_path / "requests.py").write_text(MISSING, encoding="utf-8")
    arguments = {"base_url": service.base_url, "api_key": service.api_key, "_ansible_verbosity": verbosity}
    code = (
        "import importlib, json, sys\n"
        "from ansible.module_utils import basic\n"
        f"basic._ANSIBLE_ARGS = json.dumps({{'ANSIBLE_MODULE_ARGS': {arguments!r}}}).encode()\n"
        "if hasattr(basic, '_ANSIBLE_PROFILE'): basic._ANSIBLE_PROFILE = 'legacy'\n"
        f"importlib.import_module({MODULE!r}).main()\n"
    )
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    finished = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "PYTHONPATH": path},
    )
    result = json.loads(finished.stdout.strip().splitlines()[-1])
    assert result["failed"]
    assert "requests >= 2.31" in result["msg"]
    assert "exception" not in result
    assert "Traceback" not in finished.stdout + finished.stderr
    assert service.calls() == []
