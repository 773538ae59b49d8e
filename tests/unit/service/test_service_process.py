# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The program: what it prints, how it ends, TLS."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from urllib.parse import urlsplit

import pytest
from ansible_collections.scanops.scanner.tests.unit.local_service import PROGRAM, LocalService


@pytest.fixture
def run():
    """Start the program; what a test leaves running is ended."""
    started = []

    def start(*arguments):
        command = [sys.executable, str(PROGRAM), *arguments]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


def is_open(url):
    parts = urlsplit(url)
    with socket.socket() as probe:
        return probe.connect_ex((parts.hostname, parts.port)) == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_json_line_and_clean_stop(run, number):
    process = run("--json", "--max-life", "60")
    ready = json.loads(process.stdout.readline())
    assert set(ready) == {"base_url", "api_key", "control_url", "pid"}
    assert ready["pid"] == process.pid
    assert ready["base_url"].endswith("/api/v2") and is_open(ready["base_url"])
    process.send_signal(number)
    assert process.communicate(timeout=30) == ("", "")
    assert process.returncode == 0
    assert not is_open(ready["base_url"])


def test_greeting(run):
    process = run("--key", "my-key", "--max-life", "60")
    text = ""
    while "Ctrl-C" not in text:
        text += process.stdout.readline()
    url = next(word for word in text.split() if word.endswith("/api/v2"))
    assert f"curl -H 'Authorization: Bearer my-key' {url}/workspaces" in text
    assert "ansible localhost -m scanops.scanner.service_info" in text
    request = urllib.request.Request(f"{url}/workspaces", headers={"Authorization": "Bearer my-key"})
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as response:
        assert response.status == 200


def test_keys_are_random(run):
    keys = [json.loads(run("--json", "--max-life", "60").stdout.readline())["api_key"] for dummy in range(2)]
    assert keys[0] != keys[1]


def test_max_life(run):
    process = run("--json", "--max-life", "0.2")
    assert process.wait(timeout=30) == 0


def test_it_ends_with_its_parent(run):
    # a parent that starts the service, prints its line and is then killed
    code = (
        "import subprocess, sys, time\n"
        f"child = subprocess.Popen([sys.executable, {str(PROGRAM)!r}, '--json', '--exit-with-parent', '--max-life', '120'],"
        " stdout=subprocess.PIPE, text=True)\n"
        "print(child.stdout.readline(), flush=True)\n"
        "time.sleep(120)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    ready = json.loads(parent.stdout.readline())
    assert is_open(ready["base_url"])
    parent.kill()
    parent.wait()
    parent.stdout.close()
    for _turn in range(300):
        if not is_open(ready["base_url"]):
            return
        time.sleep(0.1)
    os.kill(ready["pid"], signal.SIGKILL)
    pytest.fail("the service outlived its parent")


@pytest.mark.parametrize(
    "arguments,words",
    [
        (["--settings", '{"list": 1}'], "unknown setting 'list'"),
        (["--settings", "{"], "could not start"),
        (["--settings", "/nowhere/settings.json"], "/nowhere/settings.json"),
        (["--host", "192.0.2.1"], "could not start"),
        (["--tls-cert", "/nowhere/cert.pem"], "could not start"),
    ],
)
def test_it_says_why_it_does_not_start(run, arguments, words):
    process = run("--json", *arguments)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 1 and out == ""
    assert words in err and "Traceback" not in err


def test_settings_of_the_command_line_outlast_a_reset(tmp_path):
    file = tmp_path / "settings.json"
    file.write_text('{"lists": "bare"}')
    with (
        LocalService.start(settings=str(file)) as from_file,
        LocalService.start(settings={"order": "newest_first"}) as given,
    ):
        assert from_file.settings()["lists"] == "bare"
        given.reset(settings={"lists": "bare"})
        assert (given.settings()["order"], given.settings()["lists"]) == ("newest_first", "bare")
        given.reset()
        assert (given.settings()["order"], given.settings()["lists"]) == ("newest_first", "wrapped")


def test_validation_without_its_libraries_is_refused_loudly(tmp_path):
    # a directory that hides openapi-core
    (tmp_path / "openapi_core.py").write_text("raise ImportError('hidden')\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, str(PROGRAM), "--json", "--settings", '{"validate": true}']
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "validation needs openapi-core" in done.stderr and "Traceback" not in done.stderr
