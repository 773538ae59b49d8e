# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run cells of the matrix in this process, against a local service of its own."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ansible_collections.scanops.scanner.tests.faults.cells import Cell, number_of
from ansible_collections.scanops.scanner.tests.faults.invariants import Evidence, Outcome, Usual, broken
from ansible_collections.scanops.scanner.tests.faults.operations import Operation
from ansible_collections.scanops.scanner.tests.faults.state import State
from ansible_collections.scanops.scanner.tests.service.fault_catalogue import CATALOGUE, Named
from ansible_collections.scanops.scanner.tests.unit.local_service import LocalService
from ansible_collections.scanops.scanner.tests.unit.plugins.modules import run_module as runner
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scenarios import ACCOUNT, FILES

TIMEOUT = 20
SLOW_TIMEOUT = 0.1
"""The option timeout for slow faults, in seconds, shorter than their delays."""
SETTINGS: dict[str, Any] = {"rate_limits": None}
WAITING = ("report", "scan")
"""The modules that outlive an outage while they wait."""
ENVIRONMENT = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NETRC")


class Failure(NamedTuple):
    """A cell that breaks invariants."""

    cell: Cell
    reasons: list[str]


class Clock:
    """A clock that waits move forward without waiting."""

    def __init__(self) -> None:
        self.slept = 0.0

    def sleep(self, seconds: float) -> None:
        self.slept += seconds

    def now(self) -> float:
        return time.monotonic() + self.slept


class Bench:
    """A local service, a directory, and the operations without a fault."""

    def __init__(self, service: LocalService) -> None:
        self.service = service
        self.usual: dict[str, Usual] = {}
        # the state of the service, read again only after writes
        self._state: State | None = None
        # the operation that the account and the directory are prepared for
        self._prepared: str | None = None
        # the last cell without its `on`, if no call followed its fault, and its result
        self._last_call: tuple[str, str, str] | None = None
        self._last_result: list[str] = []

    def learn(self, operation: Operation) -> Usual:
        """Run an operation without a fault."""
        if operation.name not in self.usual:
            before = self.prepare(operation)
            files = _files()
            run = self.run(operation, before)
            again = self.run(operation, before)
            self.prepare(operation, clock_offset=1000)
            twin = self.run(operation, before)
            usual = Usual(before, files, run, twin, again, operation.module, operation.check)
            usual.tells_all = operation.module == "service_info" and operation.options.get("required") is False
            self.usual[operation.name] = usual
        return self.usual[operation.name]

    def try_cell(self, operation: Operation, cell: Cell) -> list[str]:
        """The broken invariants of a cell."""
        usual = self.learn(operation)
        named = CATALOGUE[cell.fault]
        if cell.on and self._last_call == (cell.operation, cell.fault, cell.place):
            # no call followed the disturbed one, so that "from this call on" is the same cell
            return self._last_result
        before = self.prepare(operation)
        first = number_of(cell.place, len(usual.run.calls))
        for fault in named.faults:
            times = None if cell.on else 1
            self.service.fault(**fault, name=cell.fault, nth=first, times=times)
        run = self.run(operation, before, SLOW_TIMEOUT if named.slow else TIMEOUT)
        self.service.clear_faults()
        if (run.state, run.files) == (before, usual.files) or (run.state, run.files) == (
            usual.run.state,
            usual.run.files,
        ):
            # a state before or after the usual run, for which the result of a second run is known
            again = usual.run if run.state == before else usual.again
        else:
            again = self.run(operation, before)
        found = broken(Evidence(run, again, _believable(named, run), self.service.api_key), usual)
        self._last_call = (cell.operation, cell.fault, cell.place) if len(run.calls) <= first else None
        self._last_result = found
        return found

    def prepare(self, operation: Operation, **settings: object) -> State:
        """Prepare the account and the directory for an operation. Returns the state of the service. settings: those of
        the service besides those of the operation."""
        if self._prepared == operation.name and not settings:
            before = self._state = self.usual[operation.name].before
            return before
        self._prepared = None if settings else operation.name
        state: dict[str, Any] = {
            family: [*ACCOUNT.get(family, ()), *operation.more.get(family, ())]
            for family in {*ACCOUNT, *operation.more}
        }
        self.service.reset(settings={**operation.settings, **settings}, state=state)
        for path in Path().iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for name, text in FILES.items():
            Path(name).write_text(text, encoding="utf-8")
        before = self._state = State(self.service.state())
        return before

    def run(self, operation: Operation, before: State, timeout: float = TIMEOUT) -> Outcome:
        """Run an operation on the account as it is. before: the state that `prepare` returned."""
        self.service.clear_log()
        connection = {"base_url": self.service.base_url, "api_key": self.service.api_key, "timeout": timeout}
        # a permanent rate limit costs some calls then, not hundreds
        connection["rate_limit_wait"] = 10
        if operation.module in WAITING:
            # and so does an outage in a wait
            connection["outage_wait"] = "10"
        if timeout == SLOW_TIMEOUT:
            connection["retries"] = 1
        clock = Clock()
        result: dict[str, Any] | None = None
        # a 429 of one run must not slow down the next one
        shutil.rmtree(os.environ["XDG_RUNTIME_DIR"], ignore_errors=True)
        Path(os.environ["XDG_RUNTIME_DIR"]).mkdir(mode=0o700)
        try:
            run = runner.run_module(
                operation.module,
                {**connection, **operation.options},
                operation.check,
                sleep=clock.sleep,
                clock=clock.now,
            )
            result, text = run.result, json.dumps(run.result)
        except Exception as exc:
            text = f"{type(exc).__name__}: {exc}"
        log, files = self.service.log(), _files()
        state = self._state or before
        if any(entry["method"] != "GET" for entry in log):
            state = self._state = State(self.service.state(), before)
        if state != before or files != _of_files():
            self._prepared = None
        return Outcome(text, log, state, files, result)


def _believable(named: Named, run: Outcome) -> bool:
    """Whether the faulty answer could be the correct answer to one of the disturbed calls."""
    disturbed = [entry for entry in run.log if entry["fault"] is not None]
    return any(named.may_be_true_of(f"{entry['method']} {entry['path']}") for entry in disturbed)


def _of_files() -> dict[str, bytes]:
    """The files in the directory before each operation."""
    return {name: text.encode() for name, text in FILES.items()}


def _files() -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(Path().rglob("*")) if path.is_file()}


@contextlib.contextmanager
def bench() -> Iterator[Bench]:
    """A bench in a temporary directory, without environment variables that change the behaviour of modules."""
    for name in ENVIRONMENT:
        for spelled in (name, name.lower()):
            os.environ.pop(spelled, None)
    previous = Path.cwd()
    with (
        tempfile.TemporaryDirectory() as place,
        tempfile.TemporaryDirectory() as session,
        LocalService.start(settings=SETTINGS) as service,
    ):
        os.chdir(place)
        os.environ["XDG_RUNTIME_DIR"] = str(Path(session, "runtime"))
        try:
            yield Bench(service)
        finally:
            os.chdir(previous)


def count_calls(operations: list[Operation]) -> dict[str, int]:
    """How many calls each operation sends without a fault. Raises ValueError if one fails."""
    with bench() as place:
        counts = {}
        for operation in operations:
            usual = place.learn(operation)
            if usual.run.failed:
                raise ValueError(f"{operation.name} fails without a fault: {usual.run.text}")
            counts[operation.name] = len(usual.run.calls)
        return counts
