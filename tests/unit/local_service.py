# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Start the local service (tests/service) as a process of its own, and steer it through its control API."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import ssl
import subprocess
import sys
import threading
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[1] / "service"
RECORDING = Path(__file__).with_name("recording.json")
"""`make replay` puts a recording there, in a copy of the collection: each local service of a test then takes its settings."""


class ControlError(AssertionError):
    """The control API refused what a test asked for."""


class LocalService:
    """A running local service. Use `LocalService.start()`, and `stop()` at the end; also as a context manager.

    Methods raise ControlError with the service's reason when a setting, state or fault makes no sense.
    """

    KEY = os.environ.get("SCANNER_TEST_KEY") or "unmistakable-test-key-4f1d0b7c9a"
    """The key of all tests of a run; it must not be found in any output."""

    START_SECONDS = 60
    """How long a start may take on a busy machine."""

    def __init__(self, process: subprocess.Popen, ready: dict):
        self.process = process
        self.base_url: str = ready["base_url"]
        self.api_key: str = ready["api_key"]
        self.control_url: str = ready["control_url"]
        # one connection for all calls of the control API, for each process and thread
        self._connections: dict[tuple[int, int], http.client.HTTPConnection] = {}
        self.allow_violations = False
        """Set by a test that sends wrong requests on purpose; `reset` takes it back."""

    @classmethod
    def start(cls, python: str = sys.executable, **options: object) -> LocalService:
        """Start the service. Options are those of its command line (`key`, `port`, `settings`, `tls_cert`, `tls_key`,
        `tls_client_ca`, `max_life`, `log`, `recording`); settings may be a dictionary. It ends with this process at the
        latest."""
        options.setdefault("key", cls.KEY)
        options.setdefault("recording", RECORDING if RECORDING.exists() else None)
        command = [python, str(PROGRAM), "--json", "--exit-with-parent"]
        for name, value in options.items():
            if value is not None:
                text = json.dumps(value) if isinstance(value, dict) else str(value)
                command += [f"--{name.replace('_', '-')}", text]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        timer = threading.Timer(cls.START_SECONDS, process.kill)
        timer.start()
        line = process.stdout.readline()
        timer.cancel()
        if not line:
            reason = process.communicate()[1].strip() or "it did not answer in time"
            raise RuntimeError(f"The local service did not start: {reason}")
        # its errors must not block it once the pipe is full
        threading.Thread(target=_drain, args=(process.stderr,), daemon=True).start()
        return cls(process, json.loads(line))

    def stop(self) -> None:
        """End the service and wait for it."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()
        for connection in self._connections.values():
            connection.close()

    def __enter__(self) -> LocalService:
        return self

    def __exit__(self, *exc: object) -> None:
        self.stop()

    def control(self, method: str, path: str, body: object = None) -> object:
        """One call of the control API; returns its JSON, or None."""
        content = None if body is None else json.dumps(body).encode()
        owner = os.getpid(), threading.get_ident()
        try:
            status, raw = self._exchange(owner, method, path, content)
        except (http.client.RemoteDisconnected, ConnectionError):
            # the service closes a connection that nobody used for a minute
            self._connections.pop(owner).close()
            status, raw = self._exchange(owner, method, path, content)
        except TimeoutError:
            # the next test must not read the answer to this call
            self._connections.pop(owner).close()
            raise
        if status >= 400:
            raise ControlError(f"{method} {path}: {raw.decode(errors='replace')}")
        return json.loads(raw) if raw else None

    def _exchange(self, owner: tuple[int, int], method: str, path: str, content: bytes | None) -> tuple[int, bytes]:
        """Send a call on the connection of this owner; the status and the body of the answer."""
        parts = urllib.parse.urlsplit(self.control_url)
        connection = self._connections.get(owner)
        if connection is None:
            if parts.scheme == "https":
                # the certificates of tests are signed by nobody
                trusting = ssl._create_unverified_context()
                connection = http.client.HTTPSConnection(parts.netloc, timeout=120, context=trusting)
            else:
                connection = http.client.HTTPConnection(parts.netloc, timeout=120)
            self._connections[owner] = connection
        connection.request(method, parts.path + path, content, {"Content-Type": "application/json"})
        response = connection.getresponse()
        return response.status, response.read()

    def reset(self, settings: dict | None = None, state: dict | None = None) -> dict:
        """Back to a fresh account without log and faults, then these settings and this state on top."""
        self.allow_violations = False
        return self.control("POST", "/reset", {"settings": settings or {}, "state": state or {}})

    @contextlib.contextmanager
    def fresh(self) -> Iterator[LocalService]:
        """With a fresh account; no request may be against the contract, unless the test allows it."""
        self.reset()
        yield self
        if not self.allow_violations:
            assert self.violations() == []

    def log(self) -> list[dict]:
        """The request log."""
        return self.control("GET", "/log")

    def calls(self) -> list[str]:
        """The requests as "METHOD path", in the order of their arrival."""
        return [f"{entry['method']} {entry['path']}" for entry in self.log()]

    def writes(self) -> list[str]:
        """The calls that are not GET."""
        return [call for call in self.calls() if not call.startswith("GET ")]

    def summary(self) -> dict:
        """The log in numbers: total, by_method, by_call."""
        return self.control("GET", "/log/summary")

    def clear_log(self) -> None:
        self.control("DELETE", "/log")

    def fault(self, **fault: object) -> None:
        """Add one fault, e.g. `fault(method="GET", path="/targets", action="status", status=503, times=2)`."""
        self.control("POST", "/faults", [fault])

    def faults(self) -> list[dict]:
        """The faults that are set, each with `seen`, the number of requests that matched it."""
        return self.control("GET", "/faults")

    def clear_faults(self) -> None:
        self.control("DELETE", "/faults")

    def settings(self, **changes: object) -> dict:
        """Change settings (none: only read them); returns all of them."""
        return self.control("PATCH", "/settings", changes) if changes else self.control("GET", "/settings")

    def state(self) -> dict:
        """The whole state, in the form that `reset` takes."""
        return self.control("GET", "/state")

    def add(self, **state: object) -> dict:
        """Add to the state, e.g. `add(workspaces=[{"name": "A"}], targets=[{"name": "a.example", "workspace": "A"}])`."""
        return self.control("POST", "/state", state)

    def fill(self, workspace: str = "bulk", targets: int = 0, description: str = "", **more: int) -> int:
        """Put many targets host-000001.example …, and with findings=number, finding_size=bytes many findings, into the
        workspace of this name, made if missing; returns its id."""
        return self.add(fill={"workspace": workspace, "targets": targets, "description": description, **more})[
            "filled_workspace"
        ]

    def workspaces(self) -> list[dict]:
        return self.state()["workspaces"]

    def targets(self) -> list[dict]:
        return self.state()["targets"]

    def http_loggers(self) -> list[dict]:
        return self.state()["http_loggers"]

    def wordlists(self) -> list[dict]:
        return self.state()["wordlists"]

    def scans(self) -> list[dict]:
        return self.state()["scans"]

    def findings(self) -> list[dict]:
        return self.state()["findings"]

    def reports(self) -> list[dict]:
        return self.state()["reports"]

    def capture(self, logger_id: int, *requests: dict) -> None:
        """Add captured requests to a logger; fields that are left out are filled in."""
        self.control("POST", f"/http_loggers/{logger_id}/requests", {"requests": list(requests)})

    def violations(self) -> list[str]:
        """What requests without a fault did against the contract."""
        return [
            f"{entry['n']}. {entry['method']} {entry['path']}: {violation}"
            for entry in self.log()
            if entry["fault"] is None
            for violation in entry["violations"]
        ]


def _drain(stream) -> None:
    with stream:
        for line in stream:
            sys.stderr.write(f"local service: {line}")
