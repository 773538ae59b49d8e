# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs the cells of some operations against a local service of its own, in this process."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
import time
from pathlib import Path

from ansible_collections.scanops.scanner.tests.faults.cells import Cell, number_of
from ansible_collections.scanops.scanner.tests.faults.invariants import Evidence, Outcome, Usual, broken
from ansible_collections.scanops.scanner.tests.faults.operations import Operation
from ansible_collections.scanops.scanner.tests.faults.state import FAMILIES, State
from ansible_collections.scanops.scanner.tests.service.fault_catalogue import CATALOGUE, Named
from ansible_collections.scanops.scanner.tests.unit.local_service import LocalService
from ansible_collections.scanops.scanner.tests.unit.plugins.modules import run_module as runner
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scenarios import ACCOUNT, FILES

TIMEOUT = 20
SLOW_TIMEOUT = 0.1
"""The option timeout, in seconds, in the cells where time must pass; below what the slow faults take."""
SETTINGS = {"rate_limits": None}
ENVIRONMENT = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NETRC")


class Clock:
    """Waits take no time, and have passed all the same."""

    def __init__(self):
        self.slept = 0.0

    def sleep(self, seconds: float) -> None:
        self.slept += seconds

    def now(self) -> float:
        return time.monotonic() + self.slept


class Bench:
    """One local service, one directory, and the operations as they usually go."""

    def __init__(self, service: LocalService):
        self.service = service
        self.usual: dict[str, Usual] = {}
        # what the service has now, as far as writes were seen
        self._state = None
        # the operation whose account and directory are still as they were before it
        self._untouched = None
        # the last cell, if its fault met the last call, and what did not hold in it
        self._ended_with = self._ended_in = None

    def learn(self, operation: Operation) -> Usual:
        """How an operation goes without a fault."""
        if operation.name not in self.usual:
            before = self._prepare(operation)
            files = _files()
            run = self._run(operation, before)
            again = self._run(operation, before)
            self._prepare(operation, clock_offset=1000)
            twin = self._run(operation, before)
            usual = Usual(before, files, run, twin, again, operation.module, operation.check)
            usual.tells_all = operation.module == "service_info" and not operation.options.get("required")
            self.usual[operation.name] = usual
        return self.usual[operation.name]

    def try_cell(self, operation: Operation, cell: Cell) -> list[str]:
        """What does not hold in a cell."""
        usual = self.learn(operation)
        named = CATALOGUE[cell.fault]
        if cell.on and self._ended_with == (cell.operation, cell.fault, cell.place):
            # no call followed the one that the fault met: from there on is the same
            return self._ended_in
        before = self._prepare(operation)
        first = number_of(cell.place, len(usual.run.calls))
        for fault in named.faults:
            times = None if cell.on else 1
            self.service.fault(**fault, name=cell.fault, nth=first, times=times)
        run = self._run(operation, before, SLOW_TIMEOUT if named.slow else TIMEOUT)
        self.service.clear_faults()
        if (run.state, run.files) == (before, usual.files) or (run.state, run.files) == (
            usual.run.state,
            usual.run.files,
        ):
            # where the usual runs begin and end: what follows is known
            again = usual.run if run.state == before else usual.again
        else:
            again = self._run(operation, before)
        found = broken(Evidence(run, again, _believable(named, run), self.service.api_key), usual)
        self._ended_with = (cell.operation, cell.fault, cell.place) if len(run.calls) <= first else None
        self._ended_in = found
        return found

    def _prepare(self, operation: Operation, **settings) -> State:
        """The account and the directory as they are before the operation, and what the service then has."""
        if self._untouched == operation.name and not settings:
            self._state = self.usual[operation.name].before
            return self._state
        self._untouched = None if settings else operation.name
        state = {
            family: [*ACCOUNT.get(family, ()), *operation.more.get(family, ())] for family in (*ACCOUNT, *FAMILIES)
        }
        self.service.reset(settings={**operation.settings, **settings}, state=state)
        for path in Path().iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for name, text in FILES.items():
            Path(name).write_text(text, encoding="utf-8")
        self._state = State(self.service.state())
        return self._state

    def _run(self, operation: Operation, before: State, timeout: float = TIMEOUT) -> Outcome:
        self.service.clear_log()
        connection = {"base_url": self.service.base_url, "api_key": self.service.api_key, "timeout": timeout}
        # so that a limit that is never lifted costs some calls, not hundreds
        connection["rate_limit_wait"] = 10
        if timeout == SLOW_TIMEOUT:
            connection["retries"] = 1
        clock = Clock()
        result, text = None, ""
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
        state = self._state
        if any(entry["method"] != "GET" for entry in log):
            state = self._state = State(self.service.state(), before)
        if state != before or files != _of_files():
            self._untouched = None
        return Outcome(text, log, state, files, result)


def _believable(named: Named, run: Outcome) -> bool:
    """Whether one of the calls that the fault met may be answered like this in earnest."""
    disturbed = [entry for entry in run.log if entry["fault"] is not None]
    return any(named.may_be_true_of(f"{entry['method']} {entry['path']}") for entry in disturbed)


def _of_files() -> dict[str, bytes]:
    """What is in the directory before each operation."""
    return {name: text.encode() for name, text in FILES.items()}


def _files() -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(Path().rglob("*")) if path.is_file()}


@contextlib.contextmanager
def bench():
    """A bench in a directory of its own, with nothing of the machine's environment that reaches a module."""
    for name in ENVIRONMENT:
        os.environ.pop(name, None)
        os.environ.pop(name.lower(), None)
    came_from = Path.cwd()
    with tempfile.TemporaryDirectory() as place, LocalService.start(settings=SETTINGS) as service:
        os.chdir(place)
        try:
            yield Bench(service)
        finally:
            os.chdir(came_from)


def count_calls(operations: list[Operation]) -> dict[str, int]:
    """How many calls each operation sends without a fault; one that fails even so raises ValueError."""
    with bench() as place:
        counts = {}
        for operation in operations:
            usual = place.learn(operation)
            if usual.run.failed:
                raise ValueError(f"{operation.name} fails without a fault: {usual.run.text}")
            counts[operation.name] = len(usual.run.calls)
        return counts


def try_pieces(operations: dict[str, Operation], pieces, found) -> None:
    """Take pieces, lists of cells, from a queue up to a None; put the cells of each in which something does not hold into
    another one, with what. Runs in a process of its own."""
    with bench() as place:
        for cells in iter(pieces.get, None):
            tried = [(cell, place.try_cell(operations[cell.operation], cell)) for cell in cells]
            found.put([(cell, what) for cell, what in tried if what])
