# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run modules in processes of their own: several at once, or one to be killed.

The processes are forks of one that has imported everything, so that each costs milliseconds.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path

from ansible_collections.scanops.scanner.tests.unit.plugins.modules.run_module import MODULES, Run, run_module

TOGETHER = 0.1
"""Seconds after which all processes of one call begin."""

PATIENCE = 60
"""Seconds after which a process counts as hanging."""


class Controllers:
    """Runs modules in processes. Also a context manager.

    directory: for the results; connection: options that every module gets.
    """

    def __init__(self, directory: Path, **connection: object):
        self._directory = directory
        self._connection = connection
        self._number = 0
        self._parent = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )

    def __enter__(self) -> Controllers:
        return self

    def __exit__(self, *exc: object) -> None:
        self._parent.stdin.close()
        self._parent.wait(PATIENCE)
        self._parent.stdout.close()

    def begin(self, module: str, options: dict, at: float = 0) -> tuple[int, Path]:
        """Begin a run in a process; its id, and the file that will hold its result. at: the time to begin."""
        self._number += 1
        path = self._directory / f"result-{self._number}.json"
        job = {"module": module, "options": {**self._connection, **options}, "at": at, "result": str(path)}
        self._parent.stdin.write(json.dumps(job) + "\n")
        self._parent.stdin.flush()
        return int(self._parent.stdout.readline()), path

    def end(self, run: tuple[int, Path]) -> dict:
        """Wait for the end of a run; what the module printed."""
        until = time.monotonic() + PATIENCE
        while not run[1].exists():
            assert time.monotonic() < until, "the module does not end"
            time.sleep(0.005)
        printed = run[1].read_text(encoding="utf-8")
        result = Run(run[1].stem, printed, [], []).result
        assert "traceback" not in result, result["traceback"]
        return result

    def kill(self, run: tuple[int, Path]) -> bool:
        """Kill the process of a run; whether it had not ended by itself."""
        try:
            os.kill(run[0], signal.SIGKILL)
            while True:
                os.kill(run[0], 0)
                time.sleep(0.002)
        except ProcessLookupError:
            return not run[1].exists()

    def at_once(self, *runs: tuple[str, dict]) -> list[dict]:
        """Run modules at once, each as (name, options); what they printed, in the same order."""
        at = time.time() + TOGETHER if len(runs) > 1 else 0
        return [self.end(run) for run in [self.begin(module, options, at) for module, options in runs]]


def _main() -> None:
    for name in ("workspace", "target", "targets", "estate", "scan", "report"):
        __import__(MODULES + name)
    # the kernel then buries the forks
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        job = json.loads(line)
        process = os.fork()
        if process:
            print(process, flush=True)
            continue
        try:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            time.sleep(max(0, job["at"] - time.time()))
            result = run_module(job["module"], job["options"]).result
        except BaseException:
            result = {"traceback": traceback.format_exc()}
        draft = Path(job["result"] + ".draft")
        draft.write_text(json.dumps(result), encoding="utf-8")
        draft.rename(job["result"])
        os._exit(0)


if __name__ == "__main__":
    _main()
