# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run tests on a local service that answers as a recorded one did, and print what that service confirms, refutes and excludes.

python tests/replay                       the recordings of tests/recordings; fails if a test fails that is not expected to
python tests/replay recording.json
python tests/replay --without integration recording.json

It puts the recording into this copy of the collection, so it runs in a temporary copy: `make replay RECORDING=recording.json`.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from ansible_collections.scanops.scanner.tests.recordings.made import ACCOUNT, EXPECTED, HERE
from ansible_collections.scanops.scanner.tests.replay.alternatives import ALTERNATIVES
from ansible_collections.scanops.scanner.tests.service.recorded import RecordingError, read, settings_of
from ansible_collections.scanops.scanner.tests.service.settings import SETTINGS
from ansible_collections.scanops.scanner.tests.unit.local_service import RECORDING, LocalService
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.run_module import run_module

ROOT = Path(__file__).resolve().parents[2]
# the scenarios on every form of answers
TESTS = ("tests/unit/plugins/modules/test_every_module.py",)
FAULTS = 300
TARGETS = ("finding_info", "http_logger", "targets", "wordlist_info", "workspace")
PARTS = ("scenarios", "faults", "integration")
FAILED_TARGETS = re.compile(r"integration test\(s\) listed below .*?:\n(.*)\Z", re.DOTALL)


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make replay", description="Run tests on the forms of a recording.")
    parser.add_argument("recordings", nargs="*", type=Path, metavar="RECORDING", help="a file of service_verification")
    parser.add_argument("--without", nargs="*", choices=PARTS, default=[], help="leave out tests")
    return parser.parse_args()


def main() -> int:
    given = options()
    paths = given.recordings or sorted(HERE.glob("*.json"))
    unexpected = [failed for path in paths for failed in replay(path, set(PARTS) - set(given.without))]
    if unexpected and not given.recordings:
        print("\nThese tests fail, but are not in EXPECTED of tests/recordings/made.py:", *unexpected, sep="\n  ")
    return 1 if unexpected and not given.recordings else 0


def replay(path: Path, parts: set[str]) -> list[str]:
    """Print the report on a recording. Returns the tests that failed although they are not expected to."""
    recording = read(path)
    settings, about = settings_of(recording), recording["about"]
    show(f"Recording {path.name}, collection {about['collection']}", [])
    show("Forms that differ from those of the local service", forms(settings))
    for verdict, names in sorted(recording["verdicts"].items()):
        show(f"Assumptions {'untouched' if verdict == 'not tried' else verdict}", [", ".join(names)] if names else [])
    shutil.copy(path, RECORDING)
    try:
        show(
            "Verdicts that the local service does not repeat, so the tests do not see their reason",
            differences(recording),
        )
        failed: list[str] = []
        for part in filter(parts.__contains__, PARTS):
            found = RUN[part]()
            print(f"  {part}: {len(found) or 'none'} failed", flush=True)
            failed += found
    finally:
        RECORDING.unlink()
    show("Tests that fail on these forms", summary(failed))
    excluded = [each for each in ALTERNATIVES if each.is_excluded(settings)]
    show("Code that exists only for forms which this recording excludes", code(excluded))
    expected = EXPECTED.get(path.stem, ())
    return [f"{path.name}: {each}" for each in failed if not each.startswith(tuple(expected))]


def show(title: str, lines: Iterable[str]) -> None:
    listed = list(lines)
    print(f"\n{title}{f' ({len(listed)})' if len(listed) > 1 else ''}", *(listed or []), sep="\n  ", flush=True)


def forms(settings: dict[str, Any]) -> list[str]:
    default = {name: setting.default for name, setting in SETTINGS.items()}
    usual = {"rate_limits": {"headers": True}}
    return [f"{name}: {value!r}" for name, value in settings.items() if value != usual.get(name, default[name])] or [
        "none"
    ]


def differences(recording: dict[str, Any]) -> list[str]:
    """The rows on which the local service with these forms has another verdict than the recorded one."""
    recorded = {name: verdict for verdict, names in recording["verdicts"].items() for name in names}
    with LocalService.start() as service:
        service.reset(state=ACCOUNT)
        options = dict(base_url=service.base_url, api_key=service.api_key, writes=True)
        rows = run_module("service_verification", options).result.get("rows", [])
    found = [(row["name"], recorded.get(row["name"]), row["verdict"]) for row in rows]
    return [f"{name}: {was}, here {now}" for name, was, now in found if was not in (None, now, "not tried")] or ["none"]


# ---- the tests


def scenarios() -> list[str]:
    """The names of the scenarios that fail."""
    with tempfile.TemporaryDirectory() as place:
        results = Path(place, "results.xml")
        command = [
            "-m",
            "pytest",
            "-q",
            "-n",
            "2",
            "--tb=no",
            "-p",
            "no:cacheprovider",
            f"--junitxml={results}",
            *TESTS,
        ]
        called(command)
        cases = ElementTree.parse(results).iter("testcase")
        return [
            str(case.get("name"))
            for case in cases
            if case.find("failure") is not None or case.find("error") is not None
        ]


def faults() -> list[str]:
    """The cells of the fault matrix that fail."""
    status, printed = called(["tests/faults", "--sample", str(FAULTS)])
    cells = re.findall(r"^\S+/\S+$", printed, re.MULTILINE)
    return [f"fault {cell}" for cell in cells] or ([f"faults: {printed.strip().splitlines()[-1]}"] if status else [])


def integration() -> list[str]:
    """The integration targets that fail."""
    python = f"--python={sys.version_info.major}.{sys.version_info.minor}"
    test = ["ansible-test", "integration", "--venv", python, "--color=no", "--continue-on-error", *TARGETS]
    status, printed = called(["tests/integration_run.py", *test], without="PYTHONPATH")
    listed = FAILED_TARGETS.search(printed)
    names = [name for name in TARGETS if listed and re.search(rf"^{name}\b", listed[1], re.MULTILINE)]
    return [f"target {name}" for name in names] or ([f"target: {printed[-1000:]}"] if status else [])


RUN = {"scenarios": scenarios, "faults": faults, "integration": integration}


def called(arguments: list[str], without: str = "") -> tuple[int, str]:
    """Run a program of this checkout. Returns its status and its output.

    without: the environment variable that it must not have.
    """
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != without},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


# ---- the report


def summary(failed: list[str]) -> list[str]:
    """Tests by function, with their parameters."""
    functions = Counter(name.partition("[")[0] for name in failed)
    return [
        f"{function}: {count} ({', '.join(name.partition('[')[2].rstrip(']') for name in failed if name.startswith(function))})"
        if "[" in next(name for name in failed if name.startswith(function))
        else function
        for function, count in functions.items()
    ] or ["none"]


def code(excluded: Iterable[Any]) -> list[str]:
    return [f"{each.file}: {each.name}, {each.code} ({each.setting}: {each.value!r})" for each in excluded] or ["none"]


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RecordingError as error:
        sys.exit(str(error))
