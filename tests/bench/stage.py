# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The base of every benchmark: the built collection in a temporary directory, the local service, paired runs."""

from __future__ import annotations

import os
import shlex
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ..unit.local_service import LocalService
else:
    # __main__ has put tests/ on the path
    from unit.local_service import LocalService

REPOSITORY = Path(__file__).resolve().parents[2]
HERE = REPOSITORY / "tests" / "bench"


class BenchmarkFailed(Exception):
    """A command failed, or did not do what the benchmark measures."""


class Side(NamedTuple):
    """One side of a comparison. command: runs in tests/bench, with the programs of the ansible-core under test; calls: how
    many calls the service must receive; items: the time is divided by it; before: called before each run; most_memory:
    the maximum memory of each process in bytes, or None; start: a command whose time is subtracted, or None."""

    command: list[str]
    calls: int
    items: int = 1
    before: Callable[[], object] | None = None
    most_memory: int | None = None
    start: list[str] | None = None

    def __str__(self) -> str:
        return shlex.join(self.command)


class Cost(NamedTuple):
    """The cost of one run of a command with all processes that it starts. elapsed, processor: seconds; memory: bytes, the
    peak of the largest process."""

    elapsed: float
    processor: float
    memory: int


class Result(NamedTuple):
    """value: the median of the ratios of elapsed time; lowest, highest: of all pairs; processor: the median of the ratios
    of processor time, which depends less on other work on the machine, or None; seconds: the median elapsed time of each
    side, for each of its items; memory: the peak of the largest process of our side in bytes, or None."""

    value: float
    lowest: float
    highest: float
    processor: float | None
    seconds: tuple[float, float]
    commands: tuple[str, str]
    memory: int | None = None


class Stage:
    """A temporary directory with the collection installed from its artefact, and a local service without rate limits.

    programs: the directory with the programs of ansible-core; pairs: how often `compare` runs each pair.
    """

    ansible_core: str
    service: LocalService

    def __init__(self, programs: Path, pairs: int) -> None:
        self.programs = programs.absolute()
        self.pairs = pairs
        self._place = tempfile.TemporaryDirectory(prefix="scanner-bench-")
        self.place = Path(self._place.name)
        # the user's own configuration must not change the result: without bytecode files, each run compiles the collection
        self.environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("ANSIBLE_", "PYTHON"))
        }
        self.environment.update(
            ANSIBLE_CONFIG=str(HERE / "ansible.cfg"),
            ANSIBLE_HOME=str(self.place / "home"),
            ANSIBLE_COLLECTIONS_PATH=str(self.place),
        )

    def __enter__(self) -> Stage:
        try:
            version = self.run(
                [str(self.programs / "python"), "-c", "import ansible.release as r; print(r.__version__)"]
            )
            self.ansible_core = version.strip()
            self._install()
            self.service = LocalService.start(settings={"rate_limits": None})
        except BaseException:
            self._place.cleanup()
            raise
        self.environment.update(SCANNER_BASE_URL=self.service.base_url, SCANNER_API_KEY=self.service.api_key)
        return self

    def __exit__(self, *exc: object) -> None:
        self.service.stop()
        self._place.cleanup()

    def _install(self) -> None:
        galaxy = ["ansible-galaxy", "collection"]
        self.run([*galaxy, "build", "--output-path", str(self.place), str(REPOSITORY)])
        (artefact,) = self.place.glob("*.tar.gz")
        self.run([*galaxy, "install", "--no-deps", "--collections-path", str(self.place), str(artefact)])

    def run(self, command: list[str]) -> str:
        """Run a command and return its standard output. Raises BenchmarkFailed with the end of its output if it fails."""
        return self._measured(command)[0]

    def timed(self, side: Side) -> Cost:
        """Run one side. Raises BenchmarkFailed if the service received another number of calls."""
        if side.before:
            side.before()
        self.service.clear_log()
        cost = self._measured(side.command)[1]
        if side.most_memory and cost.memory > side.most_memory:
            raise BenchmarkFailed(
                f"{side} took {cost.memory >> 20} MiB of memory, more than {side.most_memory >> 20} MiB"
            )
        calls: int = self.service.summary()["total"]
        if calls != side.calls:
            raise BenchmarkFailed(f"{side} made {calls} calls, not {side.calls}")
        start = self._measured(side.start)[1] if side.start else Cost(0, 0, 0)
        elapsed, processor = cost.elapsed - start.elapsed, cost.processor - start.processor
        return Cost(elapsed / side.items, processor / side.items, cost.memory)

    def cost(self, command: list[str]) -> Cost:
        """The cost of one run of a command. Raises BenchmarkFailed if it fails."""
        return self._measured(command)[1]

    def _measured(self, command: list[str]) -> tuple[str, Cost]:
        program = command[0] if os.path.isabs(command[0]) else str(self.programs / command[0])
        with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
            start = time.perf_counter()
            process = subprocess.Popen(
                [program, *command[1:]], cwd=HERE, env=self.environment,
                stdin=subprocess.DEVNULL, stdout=output, stderr=errors,
            )  # fmt: skip
            # wait4 counts this process and its children only, resource.getrusage all children of this program
            try:
                dummy, status, usage = os.wait4(process.pid, 0)
            except BaseException:
                process.terminate()
                process.wait()
                raise
            elapsed = time.perf_counter() - start
            process.returncode = os.waitstatus_to_exitcode(status)
            for stream in (output, errors):
                stream.seek(0)
            printed = output.read()
            if process.returncode:
                output_end = (printed + errors.read()).strip()[-2000:]
                raise BenchmarkFailed(f"{shlex.join(command)} exited with status {process.returncode}: {output_end}")
        return printed, Cost(elapsed, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)

    def compare(self, ours: Side, other: Side) -> Result:
        """Run both sides once to fill caches, then in turn, and return the median ratio of the pairs."""
        self.timed(ours)
        self.timed(other)
        pairs = [(self.timed(ours), self.timed(other)) for _pair in range(self.pairs)]
        ratios = [mine.elapsed / theirs.elapsed for mine, theirs in pairs]
        return Result(
            value=statistics.median(ratios),
            lowest=min(ratios),
            highest=max(ratios),
            processor=statistics.median(mine.processor / theirs.processor for mine, theirs in pairs),
            seconds=(
                statistics.median(mine.elapsed for mine, theirs in pairs),
                statistics.median(theirs.elapsed for mine, theirs in pairs),
            ),
            commands=(self.shown(ours), self.shown(other)),
            memory=max(mine.memory for mine, theirs in pairs),
        )

    def shown(self, side: Side) -> str:
        """The command of a side, the same on every machine."""
        return str(side).replace(str(self.place), "DIRECTORY").replace(str(self.programs), "BIN")
