# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What every benchmark stands on: the built collection in a folder of its own, the local service, paired runs."""

from __future__ import annotations

import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable, NamedTuple

REPOSITORY = Path(__file__).resolve().parents[2]
HERE = REPOSITORY / "tests" / "bench"

sys.path.insert(0, str(REPOSITORY / "tests" / "unit"))
from local_service import LocalService  # noqa: E402


class Broken(Exception):
    """A command failed, or did something else than what is measured."""


class Side(NamedTuple):
    """One side of a comparison. command: what is run in tests/bench, the program from the ansible-core under test;
    calls: how many calls the service must get from it; items: what its time is divided by; before: called before each
    run; most_memory: bytes that no process of it may exceed, or None."""

    command: list[str]
    calls: int
    items: int = 1
    before: Callable[[], object] | None = None
    most_memory: int | None = None

    def __str__(self):
        return shlex.join(self.command)


class Cost(NamedTuple):
    """What one run of a command took, with all processes it started. elapsed, processor: seconds; memory: bytes, the
    peak of the largest of the processes."""

    elapsed: float
    processor: float
    memory: int


class Result(NamedTuple):
    """value: the median of the ratios of elapsed time; lowest, highest: of all pairs; processor: the median of the ratios
    of processor time, which other work on the machine disturbs less, or None; seconds: the median elapsed time of each
    side, for one item where it has several."""

    value: float
    lowest: float
    highest: float
    processor: float | None
    seconds: tuple[float, float]
    commands: tuple[str, str]


class Stage:
    """A throwaway folder with the collection installed from its artefact, and a local service without rate limits.

    folder: where the programs of ansible-core are; pairs: how often `compare` runs each pair.
    """

    def __init__(self, folder: Path, pairs: int):
        self.folder = folder.absolute()
        self.pairs = pairs
        self._place = tempfile.TemporaryDirectory(prefix="scanner-bench-")
        self.place = Path(self._place.name)
        # options of the person who runs this must not count
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("ANSIBLE_")}
        self.environment.update(
            ANSIBLE_CONFIG=str(HERE / "ansible.cfg"),
            ANSIBLE_HOME=str(self.place / "home"),
            ANSIBLE_COLLECTIONS_PATH=str(self.place),
        )

    def __enter__(self) -> Stage:
        try:
            version = self.run([str(self.folder / "python"), "-c", "import ansible.release as r; print(r.__version__)"])
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
        """Run a command to its end and return its standard output. Raises Broken with its last words when it fails."""
        return self._measured(command)[0]

    def timed(self, side: Side) -> Cost:
        """Run one side. Raises Broken when the service got another number of calls than the side says."""
        if side.before:
            side.before()
        self.service.clear_log()
        cost = self._measured(side.command)[1]
        if side.most_memory and cost.memory > side.most_memory:
            raise Broken(f"{side} took {cost.memory >> 20} MiB of memory, more than {side.most_memory >> 20} MiB")
        calls = self.service.summary()["total"]
        if calls != side.calls:
            raise Broken(f"{side} made {calls} calls, not {side.calls}")
        return Cost(cost.elapsed / side.items, cost.processor / side.items, cost.memory)

    def _measured(self, command: list[str]) -> tuple[str, Cost]:
        program = command[0] if os.path.isabs(command[0]) else str(self.folder / command[0])
        with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
            start = time.perf_counter()
            process = subprocess.Popen(
                [program, *command[1:]], cwd=HERE, env=self.environment,
                stdin=subprocess.DEVNULL, stdout=output, stderr=errors,
            )  # fmt: skip
            # with the processes that it started and waited for, which a look at one's own children cannot tell apart
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
                words = (printed + errors.read()).strip()[-2000:]
                raise Broken(f"{shlex.join(command)} ended with status {process.returncode}: {words}")
        return printed, Cost(elapsed, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)

    def compare(self, ours: Side, other: Side) -> Result:
        """Run both sides once unmeasured, to fill caches, then in turn, and return the median ratio of the pairs."""
        self.timed(ours)
        self.timed(other)
        pairs = [(self.timed(ours), self.timed(other)) for pair in range(self.pairs)]
        ratios = [mine.elapsed / theirs.elapsed for mine, theirs in pairs]
        return Result(
            value=statistics.median(ratios),
            lowest=min(ratios),
            highest=max(ratios),
            processor=statistics.median(mine.processor / theirs.processor for mine, theirs in pairs),
            seconds=tuple(statistics.median(cost.elapsed for cost in costs) for costs in zip(*pairs)),
            commands=(self.shown(ours), self.shown(other)),
        )

    def shown(self, side: Side) -> str:
        """The command of a side, the same on every machine."""
        return str(side).replace(str(self.place), "FOLDER").replace(str(self.folder), "BIN")
