# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sessions of `make`, and all that they consist of: `nox --list` shows them.

`nox -s units-2.16 -- -vv` runs one session. Options are added to what it runs; paths or names of targets replace it.
"""

from __future__ import annotations

import functools
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import nox

try:
    import antsibull_nox
except ImportError:
    sys.exit("antsibull-nox is not installed: run make.")

ROOT = Path(__file__).parent
BUILD = ROOT / "build"
NOX = ROOT / ".nox"
# Nothing but the caches of pip and uv is outside the checkout.
_CACHES = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
os.environ.setdefault("PIP_CACHE_DIR", str(Path(_CACHES, "pip")))
os.environ["XDG_CACHE_HOME"] = str(NOX / "cache")
os.environ["VIRTUALENV_OVERRIDE_APP_DATA"] = str(NOX / "virtualenv")
# Most modules of an environment are never imported; Python compiles the others when it needs them.
os.environ["PIP_NO_COMPILE"] = "1"
# A session finds only the collections that it installs, not those of the demo or of the user.
os.environ["ANSIBLE_HOME"] = str(BUILD / "ansible")
os.environ["ANSIBLE_COLLECTIONS_PATH"] = str(BUILD / "ansible" / "collections")
os.environ["ANTSIBULL_NOX_IGNORE_INSTALLED_COLLECTIONS"] = "true"

if TYPE_CHECKING:
    from .tests.sessions.home import prepare
    from .tests.sessions.interpreters import find_python, link_interpreters
    from .tests.sessions.work import (
        PATIENCE,
        Entry,
        Run,
        ansible_test,
        in_turn,
        install_artefact,
        link_checkout,
        pytest,
        run_entry,
        ways,
    )
else:
    sys.path.insert(0, str(ROOT / "tests" / "sessions"))
    from home import prepare
    from interpreters import find_python, link_interpreters
    from work import (
        PATIENCE,
        Entry,
        Run,
        ansible_test,
        in_turn,
        install_artefact,
        link_checkout,
        pytest,
        run_entry,
        ways,
    )

antsibull_nox.load_antsibull_nox_toml()
# On SIGTERM, stop child processes as on Ctrl-C.
signal.signal(signal.SIGTERM, signal.default_int_handler)
nox.needs_version = ">=2026.8"
nox.options.sessions = ["test"]
nox.options.reuse_venv = "yes"
nox.options.default_venv_backend = "virtualenv"

PROJECT = nox.project.load_toml("pyproject.toml")
# The versions of all packages but ansible-core, whose versions are in the groups of pyproject.toml.
LOCK = ROOT / "requirements.txt"
# The oldest Python for modules, as in tests/config.yml. ansible-core itself needs a later one.
MODULE_PYTHON = "3.9"
# Releases whose group in pyproject.toml has a pre-release.
PRE_RELEASES = ("2.22",)


# --- what runs where ---

Release = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]

# Each supported ansible-core with the Pythons of its controllers, the kinds of tests that `make matrix` runs on it, and those
# that only the nightly workflow runs, since most differences begin with 2.16, 2.19 or 2.22. Source: the support matrix in
# ansible-core's documentation, "Releases and maintenance".
RELEASES: dict[str, Release] = {
    "2.16": (("3.10", "3.11", "3.12"), ("sanity", "units", "integration", "plays"), ("ways",)),
    "2.17": (("3.10", "3.11", "3.12"), ("sanity", "units-of-core", "integration-of-core"), ("integration", "plays")),
    "2.18": (("3.11", "3.12", "3.13"), ("sanity", "units-of-core", "integration-of-core"), ("integration", "plays")),
    "2.19": (("3.11", "3.12", "3.13"), ("sanity", "units-of-core", "integration"), ("plays",)),
    "2.20": (("3.12", "3.13", "3.14"), ("sanity", "units-of-core", "integration-of-core"), ("integration", "plays")),
    "2.21": (("3.12", "3.13", "3.14"), ("sanity", "units-exhaustive", "ways"), ("plays",)),
    "2.22": (("3.13", "3.14", "3.15"), ("sanity", "units", "integration", "plays"), ("ways",)),
}
# The development branch, which no package index has: the nightly workflow sets the variable to its archive.
if DEVEL := os.environ.get("ANSIBLE_CORE_DEVEL"):
    RELEASES["devel"] = RELEASES["2.22"]
    PROJECT["dependency-groups"]["core-devel"] = [DEVEL]
# The kinds that `make test` runs on the newest and on the oldest release that this machine has a Python for.
QUICK_NEWEST = ("quick-modules", "quick-plays", "quick-units", "quick-sanity", "quick-integration")
QUICK_OLDEST = ("quick-oldest",)

UNITS = ("tests/unit",)
# Unit tests that depend on the release of ansible-core.
UNITS_OF_CORE = tuple(f"tests/unit/plugins/{part}" for part in ("filter", "inventory", "plugin_utils", "modules"))
# Those of the local service run in `make matrix`, and whoever changes it runs them.
OTHER_UNITS = (
    *(f"tests/unit/plugins/{part}" for part in ("filter", "inventory", "module_utils", "plugin_utils")),
    *(f"tests/unit/{part}" for part in ("conventions", "faults", "forms")),
)
UNITS_OF_MODULES = ("tests/unit/plugins/modules", "tests/unit/plugins/module_utils")
NOT_SLOW = ("-m", "not slow")
# One release runs what depends on none.
NOT_ONCE = ("-m", "not once")
# Where tasks run, and whether hosts stop behind a gate that has not passed.
QUICK_PLAYS = ("tests/plays/test_gate_stops.py", "tests/plays/test_where_tasks_run.py")
# Units and plays cover the other modules and roles.
QUICK_TARGETS = ("in_process", "workspace")
OLDEST_TARGETS = ("in_process", "target")
# Targets of what runs on the controller, which depends most on the release of ansible-core.
TARGETS_OF_CORE = (
    *("in_process", "inventory_targets", "secrecy", "untrusted_text", "whole_play"),
    *("role_estate_apply", "role_gate_comment", "role_prove_fix", "role_scan_gate"),
)
EXHAUSTIVE = {"SCANNER_TEST_EXHAUSTIVE": "1", "SCANNER_TEST_HISTORIES": "10000"}


class Kind(NamedTuple):
    """A kind of tests that runs on a release of ansible-core."""

    purpose: str
    work: Callable[[Run], None]


def quick_sanity(run: Run) -> None:
    # `import` takes longer than all others together; ruff and yamllint of the session lint do what pep8 and yamllint do.
    skipped = [f"--skip-test={test}" for test in ("import", "pep8", "pylint", "yamllint")]
    ansible_test("sanity", *skipped, f"--python={python_of(run.core)[0]}")(run)


def full_sanity(run: Run) -> None:
    """All tests of sanity, on the Python of the controller and on the oldest one for modules."""
    # 2.22.0rc1 installs a library for pylint from outside the package index.
    skipped = ("--skip-test=pylint",) if run.core in PRE_RELEASES else ()
    ansible_test("sanity", *skipped, f"--python={python_of(run.core)[0]}")(run)
    if find_python(MODULE_PYTHON):
        ansible_test("sanity", "--test=import", "--test=compile", f"--python={MODULE_PYTHON}")(run)


KINDS = {
    "quick-modules": Kind(
        "Run the unit tests of modules that are not slow", pytest("tests/unit/plugins/modules", *NOT_SLOW)
    ),
    "quick-units": Kind("Run the other unit tests that are not slow", pytest(*OTHER_UNITS, *NOT_SLOW)),
    "quick-plays": Kind("Run some playbooks on the local service", pytest(*QUICK_PLAYS, *NOT_SLOW)),
    "quick-sanity": Kind("Run ansible-test sanity", quick_sanity),
    "quick-integration": Kind(
        "Run some integration targets", ansible_test("integration", *QUICK_TARGETS, put=install_artefact)
    ),
    "quick-oldest": Kind(
        "Run some unit tests and integration targets",
        in_turn(
            pytest(*UNITS_OF_CORE[:2], *NOT_SLOW), ansible_test("integration", *OLDEST_TARGETS, put=install_artefact)
        ),
    ),
    "units": Kind("Run all unit tests", pytest(*UNITS, *NOT_ONCE, SCANNER_TEST_HISTORIES="500")),
    "units-of-core": Kind("Run the unit tests that depend on ansible-core", pytest(*UNITS_OF_CORE, *NOT_ONCE)),
    "units-exhaustive": Kind("Run all unit tests with every case", pytest(*UNITS, **EXHAUSTIVE)),
    "plays": Kind("Run playbooks on the local service", pytest("tests/plays")),
    "sanity": Kind("Run ansible-test sanity", full_sanity),
    "integration": Kind("Run all integration targets", ansible_test("integration", put=install_artefact)),
    "integration-of-core": Kind(
        "Run the integration targets that depend on ansible-core",
        ansible_test("integration", *TARGETS_OF_CORE, put=install_artefact),
    ),
    "ways": Kind("Run all integration targets in process and as modules", ways),
}

# --- interpreters and environments ---


def python_of(core: str) -> tuple[str, Path]:
    """The newest Python of this machine that the release supports; the oldest one for the oldest release."""
    found = [(version, path) for version in RELEASES[core][0] if (path := find_python(version))]
    return found[0 if core == next(iter(RELEASES)) else -1]


RUNNABLE = [core for core, (pythons, *_kinds) in RELEASES.items() if any(map(find_python, pythons))]


if not RUNNABLE:
    sys.exit("No Python that a supported ansible-core runs on was found on PATH: install Python 3.10 or later.")
NEWEST, OLDEST = RUNNABLE[-1], RUNNABLE[0]
# For ansible-test, which looks for pythonX.Y on PATH.
INTERPRETERS = link_interpreters(
    NOX / "interpreters",
    sorted({MODULE_PYTHON, *(python for pythons, *_kinds in RELEASES.values() for python in pythons)}),
)


def environment(name: str, python: Path | None, *groups: str, lock: Path = LOCK) -> str:
    """Add the session that installs these groups of pyproject.toml into an environment; return its name."""

    @nox.session(name=f"env-{name}", python=str(python) if python else None, default=False)
    def install(session: nox.Session) -> None:
        wanted = nox.project.dependency_groups(PROJECT, *groups)
        state = Path(session.virtualenv.location, "installed.txt")
        content = "\n".join([*wanted, lock.read_text(encoding="utf-8")])
        if not state.exists() or state.read_text(encoding="utf-8") != content:
            locked = ("--constraint", lock, *wanted) if lock == LOCK else ("--require-hashes", "--requirement", lock)
            session.install(*map(str, locked))
            state.write_text(content, encoding="utf-8")

    install.__doc__ = f"Install what {', '.join(groups)} of pyproject.toml need."
    return f"env-{name}"


def add(name: str, purpose: str, env: str, work: Callable[[Run], None], core: str = "") -> str:
    """Add a session that works in an environment; return its name."""

    @nox.session(name=name, python=False, default=False, requires=[env])
    def run(session: nox.Session) -> None:
        work(Run(session, NOX / env.replace(".", "-") / "bin", core))

    run.__doc__ = purpose
    return name


CORES = {
    # The checks of `make test` use the environment of the newest release, too.
    core: environment(core, python_of(core)[1], "tests", f"core-{core}", *(("checks",) if core == NEWEST else ()))
    for core in RUNNABLE
}
for _core in RUNNABLE:
    _quick = (QUICK_NEWEST if _core == NEWEST else ()) + (QUICK_OLDEST if _core == OLDEST else ())
    for _kind in _quick + RELEASES[_core][1] + RELEASES[_core][2]:
        _added = KINDS[_kind]
        add(f"{_kind}-{_core}", f"{_added.purpose} with ansible-core {_core}.", CORES[_core], _added.work, _core)

# --- what does not depend on the release of ansible-core: the table tests/sessions.toml ---

ENTRIES = {name: Entry(**row) for name, row in nox.project.load_toml("tests/sessions.toml").items()}
# Everything but a release of the collection runs on the newest final ansible-core, see `environment`.
FINAL = next((core for core in reversed(RUNNABLE) if core not in PRE_RELEASES), RUNNABLE[-1])
GROUPS = {"checks": CORES[NEWEST], "tests": CORES[FINAL], "audit": environment("audit", None, "audit")}
for _group in sorted({entry.group for entry in ENTRIES.values()} - set(GROUPS) - {"release"}):
    GROUPS[_group] = environment(_group, python_of(FINAL)[1], _group, f"core-{FINAL}")
GROUPS["release"] = environment("release", None, "release", lock=ROOT / "requirements-release.txt")
for _name, _entry in ENTRIES.items():
    add(_name, _entry.purpose, GROUPS[_entry.group], functools.partial(run_entry, entry=_entry))


@nox.session(name="units-floor", python=str(find_python(MODULE_PYTHON) or python_of(OLDEST)[1]), default=False)
def units_floor(session: nox.Session) -> None:
    """Run the unit tests of modules with their oldest Python, the oldest ansible-core and the oldest requests."""
    # Modules run on this Python, the rest of ansible-core does not.
    core = nox.project.dependency_groups(PROJECT, f"core-{OLDEST}")
    session.install("--no-deps", "--ignore-requires-python", *core)
    session.install("--requirement", "tests/floor/requirements.txt")
    pytest(*UNITS_OF_MODULES, "tests/floor")(Run(session, Path(session.bin)))


@nox.session(default=False)
def lock(session: nox.Session) -> None:
    """Write the versions of all packages that pyproject.toml needs to the two locks: -- --upgrade for newer ones."""
    session.install("--constraint", str(LOCK), *nox.project.dependency_groups(PROJECT, "nox"))
    groups = [group for group in PROJECT["dependency-groups"] if not group.startswith(("core-", "release"))]
    common = (
        "uv",
        "pip",
        "compile",
        "--quiet",
        "--universal",
        "--python-version=3.10",
        "--no-emit-index-url",
        "--no-annotate",
    )
    command = (*common, "--custom-compile-command=nox -s lock", *session.posargs)
    # The groups of the releases have the versions of ansible-core, which bounds resolvelib in each.
    chosen = [f"--group=pyproject.toml:{group}" for group in groups]
    left_out = ("--no-emit-package=ansible-core", "--no-emit-package=resolvelib")
    session.run(*command, *left_out, "--output-file=requirements.txt", *chosen)
    # galaxy-importer needs an older attrs than nox. What signs a release is installed by hash.
    release = ("--generate-hashes", "--group=pyproject.toml:release")
    session.run(*command, *release, "--output-file=requirements-release.txt")


# --- the sessions of make ---

# The checks that do not depend on the release of ansible-core, in `make test`,
CHECKS = "typing quick-packaging docs-check event-sources security-check lint extra-checks".split()
# and what `make matrix` runs besides RELEASES and them, in two cells.
PROGRAMS = (
    "packaging ansible-lint build-import-check execution-environment runner events release-check page-check consumers"
    " demo-check vendor-client units-ansible-test index-only"
).split()
NETS = "forms faults-sample replay fuzz-sample units-floor units-in-process".split()
CELLS = {
    **{core: [f"{kind}-{core}" for kind in RELEASES[core][1]] for core in RUNNABLE},
    "checks": CHECKS,
    "programs": PROGRAMS,
    "nets": NETS,
}
QUICK = [f"{kind}-{NEWEST}" for kind in QUICK_NEWEST]
QUICK += [f"{kind}-{OLDEST}" for kind in QUICK_OLDEST if OLDEST != NEWEST]
QUICK += CHECKS


def missing() -> list[str]:
    """What this machine cannot test, and what to install for it."""
    lines = [
        f"ansible-core {core}: install Python {' or '.join(pythons)}, so that pythonX.Y is on PATH"
        for core, (pythons, *_kinds) in RELEASES.items()
        if core not in RUNNABLE
    ]
    if not find_python(MODULE_PYTHON):
        lines.append(
            f"Python {MODULE_PYTHON}, the oldest for modules: install it, so that python{MODULE_PYTHON} is on PATH"
        )
    return lines


def run_sessions(session: nox.Session, names: list[str], left: list[str]) -> None:
    """Run sessions two at a time. Write a line for each, what was not run, and the counts to build/NAME.txt."""
    BUILD.mkdir(exist_ok=True)
    report, summary = BUILD / f"{session.name}.json", BUILD / f"{session.name}.txt"
    report.unlink(missing_ok=True)
    session.run(
        sys.executable, "-m", "nox", "--non-interactive", "--parallel=2", "--allow-parallel", f"--report={report}",
        "--session", *names,
        external=True, success_codes=range(256), **PATIENCE,
    )  # fmt: skip
    results = {entry["name"]: entry for entry in json.loads(report.read_text())["sessions"]} if report.exists() else {}
    lines: list[str] = []
    failed: list[str] = []
    for name in names:
        entry = results.get(name, {"result": "has no result", "duration": 0})
        passed = entry["result"] == "success"
        line = f"{name:<22} {'passed' if passed else 'failed':<8} {entry['duration']:>5.0f} s"
        (lines if passed else failed).append(line if passed else f"{line}  {entry.get('reason') or entry['result']}")
    if left:
        lines += ["", "Not run:", *left, ""]
    # failed ones last, where they are seen
    lines += [*failed, f"{len(names) - len(failed)} passed, {len(failed)} failed"]
    summary.write_text("\n".join(["", *lines, ""]), encoding="utf-8")
    if failed:
        session.error(f"{len(failed)} of {len(names)} sessions failed.")


@nox.session(python=False)
def test(session: nox.Session) -> None:
    """Run the checks, and the tests that are not slow with the newest and the oldest ansible-core that run here."""
    left = f"`make matrix` runs the rest: {', '.join(CELLS)}; `make matrix CELL={OLDEST}` runs one of them."
    run_sessions(session, QUICK, [*missing(), left])


@nox.session(python=False, default=False)
def matrix(session: nox.Session) -> None:
    """Run everything, or the cells that are given."""
    for cell in session.posargs:
        if cell not in CELLS:
            session.error(f"{cell} is not a cell. Choose from {', '.join(CELLS)}.")
    chosen = session.posargs or [cell for cell in CELLS if cell != "devel"]
    run_sessions(session, [name for cell in chosen for name in CELLS[cell]], [] if session.posargs else missing())


@nox.session(python=False, default=False)
def devel(session: nox.Session) -> None:
    """Run all tests with the development branch of ansible-core."""
    if "devel" not in CELLS:
        session.error("Set ANSIBLE_CORE_DEVEL to a requirement for it, and install a Python that it supports.")
    run_sessions(session, CELLS["devel"], [])


@nox.session(python=False, default=False)
def cells(session: nox.Session) -> None:
    """Print the cells of `make matrix`, as JSON."""
    releases = [core for core in RELEASES if core != "devel"]
    print(json.dumps([*releases, *(cell for cell in CELLS if cell not in RELEASES)]))


@nox.session(python=False, default=False, requires=[CORES[NEWEST]])
def loop(session: nox.Session) -> None:
    """Prepare `make unit`, `make play` and `make target`: the newest ansible-core, and this checkout as a collection."""
    link_checkout()
    newest = NOX / "newest"
    newest.unlink(missing_ok=True)
    newest.symlink_to(NOX / CORES[NEWEST].replace(".", "-"))
    prepare(NOX / "home", newest / "bin")
