# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sessions of `make`: demo, test, service, docs, bench, matrix, faults, fuzz, mutants, replay.

`nox --list` lists all sessions; `nox -s units-2.16 -- -vv` runs one of them with additional arguments.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, TypedDict

import nox

try:
    import antsibull_nox
    import antsibull_nox.sessions
except ImportError:
    sys.exit("antsibull-nox is not installed: run make, or pip install -r requirements.txt.")

antsibull_nox.load_antsibull_nox_toml()

# On SIGTERM, stop child processes as on Ctrl-C.
signal.signal(signal.SIGTERM, signal.default_int_handler)

nox.needs_version = ">=2026.8"
nox.options.sessions = ["test"]
nox.options.reuse_venv = "yes"
nox.options.default_venv_backend = "virtualenv"

BUILD = Path("build")
# A session finds only the collections that it installs, not those of the demo or of the user.
os.environ["ANSIBLE_HOME"] = str(BUILD.absolute() / "ansible")
os.environ["ANSIBLE_COLLECTIONS_PATH"] = str(BUILD.absolute() / "ansible" / "collections")
os.environ["ANTSIBULL_NOX_IGNORE_INSTALLED_COLLECTIONS"] = "true"
# What the demo and the benchmarks need besides the requirements of the local service.
DEMO = ("ansible-core>=2.16", "requests>=2.31")
SERVICE = "tests/service/requirements.txt"
# Has the schemas of GitHub, GitLab and Azure.
PIPELINE_SCHEMAS = "check-jsonschema>=0.38.2,<0.40"
# Evaluates the policies for Automation Platform. Without a wheel, those tests are skipped.
POLICY_EVALUATOR = "regopy==1.5.2; sys_platform == 'linux' and platform_machine == 'x86_64' and python_version < '3.14'"
# Reads the colours of a terminal for the pictures.
RICH = "rich>=13"
# Files with the versions and hashes of all packages, by their names below requirements/. The session `lock` writes them.
LOCKS = ("docs", "lint", "release")
# The published client of the vendor.
VENDOR_CLIENT = "pentesttools==0.2.0"

# The controller's Python versions of each supported ansible-core, oldest release first.
# Source: the support matrix in ansible-core's documentation, "Releases and maintenance".
ANSIBLE_CORE = {
    "2.16": ("3.10", "3.11", "3.12"),
    "2.17": ("3.10", "3.11", "3.12"),
    "2.18": ("3.11", "3.12", "3.13"),
    "2.19": ("3.11", "3.12", "3.13"),
    "2.20": ("3.12", "3.13", "3.14"),
    "2.21": ("3.12", "3.13", "3.14"),
    "2.22": ("3.13", "3.14", "3.15"),
}
# The requirement for the development branch of ansible-core, which no package index has: the session devel tests it on
# the Pythons of the newest release. The nightly workflow sets it to the archive of the branch.
DEVEL = os.environ.get("ANSIBLE_CORE_DEVEL", "")
# Releases whose pre-releases are tested, too: pip installs one only if the requirement names one.
PRE_RELEASES = ("2.22",)
# The oldest Python for modules, as in tests/config.yml; ansible-core itself needs a later one. The session units-floor
# runs the tests of modules and module_utils on it, with the oldest ansible-core and the oldest requests; `make test` runs
# those that call every module, and those of the client.
MODULE_PYTHON = "3.9"
MODULE_TESTS = ("tests/unit/plugins/modules/", "tests/unit/plugins/module_utils/")
MODULE_SAMPLE = ("tests/unit/plugins/modules/test_every_module.py", "tests/unit/plugins/module_utils/test_client.py")
# Unit tests that depend on ansible-core. A release in the middle runs no others, if a release that runs all of them has the
# same Python.
CORE_TESTS = tuple(f"tests/unit/plugins/{kind}/" for kind in ("filter", "inventory", "plugin_utils", "modules"))
# The unit tests of what runs in ansible-core, and integration targets with each kind of plugin: `make test` runs them with
# the oldest ansible-core.
CONTROLLER_TESTS = CORE_TESTS[:3]
SAMPLE_TARGETS = ("gate", "in_process", "inventory_targets", "target")
# Integration targets that `make test` leaves to `make matrix`: those that follow the documentation step by step,
WALKS = ("example_playbooks", "guide_estate", "guide_recipes", "platform_kit")
# and on the newest ansible-core those of modules that read or write one kind of object. The plays run a task of each such
# module with the same ansible-core, and the unit tests try all of its options.
SINGLE = (
    "coverage_info",
    "estate_info",
    "finding",
    "finding_info",
    "finding_template_info",
    "http_logger",
    "http_logger_data",
    "http_logger_data_info",
    "http_logger_info",
    "report_info",
    "scan_info",
    "scan_output_info",
    "service_info",
    "service_verification",
    "target_info",
    "vpn_profile_info",
    "wordlist",
    "wordlist_info",
    "workspace_info",
)
# and those of roles that are long, and whose steps are modules of other targets. The unit tests try their decisions.
ROLES = ("role_estate_export", "role_estate_register", "role_logger_canary", "role_prove_fix")
# Plays that `make test` leaves to `make matrix`, too, which runs them on three releases. An integration target runs the role
# on each provider and on each release.
LONG_PLAYS = "tests/plays/test_gate_comment.py"


COLLECTION = Path("ansible_collections", "scanops", "scanner")
# With the reasons of skipped tests; python -m, so that tests can import what is in the working directory.
PYTEST = ("python", "-m", "pytest", "-rs", "-p", "no:cacheprovider")


class Timeouts(TypedDict):
    interrupt_timeout: float
    terminate_timeout: float


# Seconds that a command gets to stop its child processes; the defaults of nox are shorter than a second.
PATIENCE: Timeouts = {"interrupt_timeout": 5, "terminate_timeout": 10}

# The checks that do not depend on the ansible-core release under test, in `make test`,
CHECKS = (
    "antsibull-nox-config",
    "formatters",
    "codeqa",
    "typing",
    "yamllint",
    "license-check",
    "extra-checks",
    "changelog-check",
    "docs-check",
    "packaging",
    "event-sources",
    "security-check",
)
# and those that start many programs, in `make matrix`.
SLOW_CHECKS = (
    "ansible-lint",
    "build-import-check",
    "execution-environment",
    "runner",
    "events",
    "release-check",
    "page-check",
    "consumers",
    "demo-check",
    "vendor-client",
    "faults-sample",
    "forms",
    "fuzz-sample",
    "replay",
)


@functools.cache
def starts(python: str) -> bool:
    """Whether pythonX.Y is on PATH and runs; a version manager may have a stub without an interpreter there."""
    executable = shutil.which(f"python{python}")
    if executable is None:
        return False
    return subprocess.run([executable, "-c", "import venv"], check=False, capture_output=True).returncode == 0


def pythons_for(core: str) -> list[str]:
    """The Python versions of this machine that the ansible-core release supports, oldest first."""
    supported = ANSIBLE_CORE.get(core, list(ANSIBLE_CORE.values())[-1])
    return [python for python in supported if starts(python)]


RUNNABLE = [core for core in ANSIBLE_CORE if pythons_for(core)]


def controller_python(core: str) -> str:
    """The oldest Python for the oldest release that runs here, the newest one for the other releases."""
    return pythons_for(core)[0 if core == RUNNABLE[0] else -1]


# --- how a session is added ---


def add(
    name: str,
    purpose: str,
    work: Callable[[nox.Session], None],
    packages: Iterable[str] = (),
    python: str | None = None,
) -> str:
    """Add a session that installs packages and then works; return its name."""

    @nox.session(name=name, python=python, default=False)
    @antsibull_nox.sessions.install_packages(packages=list(packages))
    def run(session: nox.Session) -> None:
        work(session)

    run.__doc__ = purpose
    return name


def install_artefact(session: nox.Session, place: Path) -> None:
    """Build the collection as for a release and install the tarball below this directory."""
    tarballs = place / "artefact"
    session.run("ansible-galaxy", "collection", "build", "--force", f"--output-path={tarballs}", silent=True)
    (tarball,) = tarballs.glob("*.tar.gz")
    session.run(
        "ansible-galaxy", "collection", "install", "--force", "--no-deps", f"--collections-path={place}", str(tarball),
        silent=True,
    )  # fmt: skip


def place_copy(_session: nox.Session, place: Path) -> None:
    """Copy all files that git does not ignore to place/ansible_collections/scanops/scanner."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], check=True, capture_output=True
    ).stdout
    for name in filter(os.path.lexists, os.fsdecode(listed).split("\0")):
        copy = place / COLLECTION / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(name, copy, follow_symlinks=False)


@contextlib.contextmanager
def collection(session: nox.Session, put: Callable[[nox.Session, Path], None]) -> Iterator[str]:
    """Change to the collection below a temporary directory, which is the value, and put it there before."""
    with tempfile.TemporaryDirectory() as place:
        put(session, Path(place))
        with session.chdir(Path(place, COLLECTION)):
            yield place


# --- the sessions of each ansible-core release ---


@functools.cache
def wait_for_other_sanity_runs() -> None:
    """Hold a lock until this process ends: all sanity tests of a user share the environments of ansible-test."""
    path = Path.home() / ".ansible" / "test" / "sanity.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    fcntl.flock(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), fcntl.LOCK_EX)


def requirement(core: str) -> str:
    """The requirement for the latest ansible-core of a release."""
    if core == "devel":
        return DEVEL
    return f"ansible-core~={core}.0{'rc1' if core in PRE_RELEASES else ''}"


def add_for(core: str, name: str, purpose: str, work: Callable[[nox.Session], None]) -> str:
    """Add a session with an ansible-core release; return its name."""
    return add(name, f"{purpose} with ansible-core {core}.", work, [requirement(core)], controller_python(core))


def add_ansible_test(core: str, name: str, *command: str) -> str:
    """Add a session that runs ansible-test on a copy of the collection; return its name."""

    def work(session: nox.Session) -> None:
        with collection(session, place_copy):
            if command[0] == "sanity":
                wait_for_other_sanity_runs()
            session.run("ansible-test", *command, "--color=no", *session.posargs)

    return add_for(core, name, f"Run ansible-test {' '.join(command)}", work)


def run_pytest(session: nox.Session, *arguments: str, more: Iterable[str] = (), **variables: str) -> None:
    """Run pytest on a copy of the collection, with the additional arguments of the session or else with these.

    more: install them, too. ansible-test takes more than twice as long, because it starts a process for each test.
    """
    session.install("--requirement", "tests/unit/requirements.txt", "pytest>=8", "pytest-xdist", *more)
    with collection(session, place_copy) as place:
        command = ["pytest", "-q", "-n", "2", "-p", "no:cacheprovider", *(session.posargs or arguments)]
        session.run(*command, env={"PYTHONPATH": place, **variables})


def add_pytest(core: str, name: str, purpose: str, *arguments: str, **variables: str) -> str:
    """Add a session that runs pytest with an ansible-core release; return its name."""
    # The last release but one tries every case, see tests/unit/sampling.py, and many histories of a gate.
    if [core] == RUNNABLE[1:-1][-1:]:
        variables = {"SCANNER_TEST_EXHAUSTIVE": "1", "SCANNER_TEST_HISTORIES": "10000", **variables}
    return add_for(core, name, purpose, lambda session: run_pytest(session, *arguments, **variables))


def add_floor(name: str, core: str, python: str, tests: Iterable[str]) -> str:
    """Add a session with unit tests of modules on the oldest Python, ansible-core and requests; return its name."""

    def work(session: nox.Session) -> None:
        # Modules run on this Python, the rest of ansible-core does not.
        session.install("--no-deps", "--ignore-requires-python", requirement(core))
        run_pytest(session, *tests, "tests/floor", more=("--constraint", "tests/floor/constraints.txt"))

    purpose = f"Run unit tests of modules with Python {python}, ansible-core {core} and the oldest requests."
    return add(name, purpose, work, python=python)


def integration(core: str, *options: str) -> list[str]:
    """The command that runs integration targets, where the collection is installed."""
    watched = Path(__file__).with_name("tests") / "integration_run.py"
    test = ["ansible-test", "integration", "--venv", f"--python={controller_python(core)}", "--color=no"]
    # all targets that fail, not only the first
    test.append("--continue-on-error")
    return ["python", str(watched), *test, *options]


def add_sample(core: str) -> str:
    """Add the session with some of the unit tests and integration targets on one ansible-core release; return its name."""

    def work(session: nox.Session) -> None:
        run_pytest(session, *CONTROLLER_TESTS)
        with collection(session, install_artefact):
            session.run(*integration(core, *SAMPLE_TARGETS))

    return add_for(core, f"sample-{core}", "Run the unit tests of plugins and some integration targets", work)


def targets_left(core: str) -> tuple[str, ...]:
    """The integration targets that the session walks of a release runs, and its session integration does not."""
    return WALKS + (SINGLE + ROLES if core == RUNNABLE[-1] else ())


def add_integration(core: str, kind: str) -> str:
    """Add a session with integration targets on one ansible-core release; return its name.

    kind: "integration" runs all targets but those of ``targets_left``, "walks" runs those; "ways" runs all targets twice, in
    process and as modules. Both ways must send the same requests.
    """
    left = targets_left(core)
    chosen = {"integration": [f"--exclude={target}" for target in left], "walks": left, "ways": ()}[kind]
    compare = Path("tests/integration_ways.py").absolute()

    def work(session: nox.Session) -> None:
        command = integration(core, *(session.posargs or chosen))
        with collection(session, install_artefact):
            session.run(*command)
            if kind == "ways":
                session.run("python", compare, "keep", "in-process")
                session.run("python", compare, "as-modules")
                session.run(*command)
                session.run("python", compare, "keep", "as-modules")
                session.run("python", compare, "compare", "in-process", "as-modules")

    described = {"walks": " on what make test leaves out", "ways": " in process and as modules"}.get(kind, "")
    return add_for(core, f"{kind}-{core}", f"Run ansible-test integration{described}", work)


class Cells(NamedTuple):
    """The sessions of one ansible-core release, see ``add_integration``."""

    sanity: str
    units: str
    integration: str
    walks: str
    ways: str
    plays: str

    @property
    def once(self) -> list[str]:
        """All tests, with the integration targets in process only, and without those that follow the documentation."""
        return [self.integration, self.units, self.sanity, self.plays]

    @property
    def both(self) -> list[str]:
        """All tests, with the integration targets in both ways."""
        return [self.ways, self.units, self.sanity, self.plays]


def add_cells(core: str) -> Cells:
    """Add the sessions of one ansible-core release."""
    python = controller_python(core)
    targets = [f"--target-python={version}" for version in (MODULE_PYTHON, python) if starts(version)]
    sanity = ["sanity", f"--controller=origin:python=venv/{python}", *targets]
    if core in PRE_RELEASES:
        # 2.22.0rc1 installs a library for pylint from outside the package index. The previous release runs pylint.
        sanity.append("--skip-test=pylint")
    # The session units-floor runs these tests with the same ansible-core.
    left_out = MODULE_TESTS if core == RUNNABLE[0] and starts(MODULE_PYTHON) else ()
    units = ["tests/unit", *(f"--ignore={tests}" for tests in left_out)]
    if core in RUNNABLE[1:-2] and python in {controller_python(whole) for whole in RUNNABLE[-2:]}:
        units = [*CORE_TESTS]
    plays = [
        "--dist=loadfile",
        "tests/plays",
        *([] if core in RUNNABLE[:1] + RUNNABLE[-2:-1] else [f"--ignore={LONG_PLAYS}"]),
    ]
    return Cells(
        sanity=add_ansible_test(core, f"sanity-{core}", *sanity),
        units=add_pytest(core, f"units-{core}", "Run the unit tests", *units),
        integration=add_integration(core, "integration"),
        walks=add_integration(core, "walks"),
        ways=add_integration(core, "ways"),
        # by file, because the tests of a file share a run
        plays=add_pytest(core, f"plays-{core}", "Run playbooks on the local service", *plays),
    )


CELLS = {core: add_cells(core) for core in RUNNABLE}
OUTER = tuple(dict.fromkeys(RUNNABLE[:1] + RUNNABLE[-1:]))
WAYS = [CELLS[core].ways for core in OUTER]
# The sessions of `make test`, and those that it leaves to `make matrix`.
QUICK: list[str] = []
LEFT: list[str] = []
if RUNNABLE:
    NEWEST, OLDEST = RUNNABLE[-1], RUNNABLE[0]
    # the longest ones first, so that no session runs alone at the end
    QUICK += CELLS[NEWEST].once
    if OLDEST != NEWEST:
        QUICK.append(add_sample(OLDEST))
    FLOOR = MODULE_PYTHON if starts(MODULE_PYTHON) else controller_python(OLDEST)
    QUICK.append(add_floor("sample-floor", OLDEST, FLOOR, MODULE_SAMPLE))
    # The last but one tries both ways, the session ways the oldest and the newest.
    for core in reversed(RUNNABLE[1:-1]):
        LEFT += CELLS[core].both if core == RUNNABLE[-2] else CELLS[core].once
    LEFT += [name for core in OUTER for name in (*CELLS[core].once, CELLS[core].walks) if name not in QUICK]
    LEFT.append(add_pytest(NEWEST, "plays-long", "Run the long playbooks on the local service", LONG_PLAYS))
    LEFT.append(add_floor("units-floor", OLDEST, FLOOR, MODULE_TESTS))
    LEFT.append(
        add_pytest(
            NEWEST,
            "units-in-process",
            "Run the unit tests of modules in process",
            "tests/unit/plugins/modules",
            SCANNER_TEST_IN_PROCESS="1",
        )
    )
    # Users of the collection may run its unit tests in this way.
    units = ["units", "--venv", f"--python={controller_python(OLDEST)}", *CONTROLLER_TESTS]
    LEFT.append(add_ansible_test(OLDEST, "units-ansible-test", *units))
QUICK += CHECKS
LEFT += SLOW_CHECKS
DEVEL_CELLS = add_cells("devel") if DEVEL and pythons_for("devel") else None
# What this machine cannot test, and what to install for it.
MISSING = {
    f"ansible-core {core}": f"install Python {' or '.join(pythons)}, so that pythonX.Y is on PATH"
    for core, pythons in ANSIBLE_CORE.items()
    if core not in RUNNABLE
}

if not starts(MODULE_PYTHON):
    MISSING[f"Python {MODULE_PYTHON}"] = f"install it, so that python{MODULE_PYTHON} is on PATH: the oldest for modules"


# --- sessions that differ only in what they install and run ---


class Entry(NamedTuple):
    """A session of the table."""

    purpose: str
    # Without a program, it runs pytest on the tests. Additional arguments of the session are added, or replace the tests.
    programs: tuple[tuple[str, ...], ...] = ((),)
    tests: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    # files with requirements, and names of LOCKS
    files: tuple[str, ...] = ()
    locks: tuple[str, ...] = ()
    # puts the collection where the programs run; else they run in the checkout
    put: Callable[[nox.Session, Path], None] | None = None
    # the programs run once with each of these
    variables: tuple[dict[str, str], ...] = ({},)


UNITS = "tests/unit/requirements.txt"
CORE = "ansible-core>=2.16"
FUZZ = "tests/fuzz/requirements.txt"
FAULTS = ("python", "tests/faults")
IN_PROCESS = {"SCANNER_TEST_IN_PROCESS": "1"}
CHANGELOG = ("antsibull-changelog", "release", "--update-existing", "--refresh", "--reload-plugins")

SESSIONS = {
    "coverage": Entry(
        "Print, for information, which lines of plugins/ the unit tests reach.",
        programs=((*PYTEST, "-q", "-n", "2", "--cov=plugins", "--cov-branch", "--cov-report=term:skip-covered"),),
        tests=("tests/unit",),
        packages=(CORE, "pytest>=8", "pytest-xdist", "pytest-cov"),
        files=(UNITS,),
        put=place_copy,
    ),
    "changelog-check": Entry(
        "Check the changelog and its fragments.",
        programs=(
            ("antsibull-changelog", "lint"),
            ("antsibull-changelog", "lint-changelog-yaml", "--strict", "changelogs/changelog.yaml"),
        ),
        packages=("antsibull-changelog>=0.30",),
    ),
    "changelog": Entry(
        "Write the version of galaxy.yml, its new plugins and all fragments to the changelog.",
        programs=(CHANGELOG,),
        packages=(CORE, "antsibull-changelog>=0.30"),
    ),
    "generate": Entry(
        "Write what follows from the modules and the API families.",
        programs=(("python", "tests/generate.py"),),
        packages=("PyYAML",),
    ),
    "packaging": Entry(
        "Build the artefact and check its content.",
        tests=("tests/packaging",),
        packages=(CORE, "pytest>=8", "PyYAML", PIPELINE_SCHEMAS, POLICY_EVALUATOR),
    ),
    "execution-environment": Entry(
        "Check the definition of the execution environment with ansible-builder, without a container engine.",
        tests=("tests/execution_environment",),
        packages=(CORE, "ansible-builder>=3.1,<4", "pytest>=8"),
    ),
    "runner": Entry(
        "Run playbooks by ansible-runner, on this machine and through a worker.",
        tests=("tests/runner",),
        packages=(*DEMO, "ansible-runner>=2.4,<3", "pytest>=8"),
        files=(SERVICE,),
    ),
    "release": Entry(
        "Build or sign a release: -- build, -- sign. RELEASING.md describes it.",
        programs=(("python", "-m", "release"),),
        locks=("release",),
    ),
    "release-check": Entry(
        "Try a release without an account: two equal builds, import, bill of materials, a signature with a throw-away key.",
        tests=("tests/release",),
        locks=("release",),
    ),
    "event-sources": Entry(
        "Check the event sources with the programs of Red Hat's partner certification.",
        programs=(
            ("ruff", "check", "--isolated", "--quiet", "--select=ALL", "--ignore=INP001"),
            ("darglint", "--docstring-style=numpy", "--strictness=full"),
            ("pylint", "--output-format=parseable", "--score=n", "--disable=R0801,E0401"),
        ),
        tests=("extensions/eda/plugins/event_source/http_logger.py", "extensions/eda/plugins/event_source/scan.py"),
        packages=("darglint==1.8.1", "pylint>=4,<5", "ruff>=0.17,<0.18"),
    ),
    "events": Entry(
        "Run the event sources in ansible-rulebook, and kill it. Needs Java 17.",
        tests=("tests/events",),
        packages=("ansible-rulebook>=1.3.2,<1.4", CORE, "requests>=2.31", "pytest>=8"),
        files=(SERVICE,),
        put=install_artefact,
    ),
    "security-check": Entry(
        "Search the code with bandit, and the workflows with zizmor.",
        programs=(
            ("bandit", "--quiet", "--recursive", "plugins"),
            # They start programs with fixed arguments and without a shell, which these rules only draw attention to.
            ("bandit", "--quiet", "--recursive", "--skip=B404,B603,B607", "release", "noxfile.py"),
            ("zizmor", "--offline", "--quiet", ".github", "docs/pipelines/github-actions.yml"),
        ),
        locks=("lint",),
    ),
    "audit": Entry(
        "Search the locked packages for known vulnerabilities. It asks a service outside the package index.",
        programs=tuple(
            ("pip-audit", "--disable-pip", "--require-hashes", "--requirement", path)
            for path in ("requirements.txt", *(f"requirements/{name}.txt" for name in LOCKS))
        ),
        locks=("lint",),
    ),
    "demo-check": Entry(
        "Compare the output of the demo with output.txt, README.md and the pictures, and interrupt the demo.",
        tests=("tests/demo", "tests/pictures"),
        packages=(*DEMO, RICH, "pytest>=8"),
        files=(SERVICE,),
    ),
    "page-check": Entry(
        "Drive the page of the gate in a headless Chromium.",
        tests=("tests/page",),
        packages=(*DEMO, "pytest>=8"),
        files=(SERVICE,),
        put=place_copy,
    ),
    "consumers": Entry(
        "Read the exports of the gate with the programs that they are for.",
        tests=("tests/consumers",),
        packages=(*DEMO, "pytest>=8", "junitparser==5.0.3", POLICY_EVALUATOR),
        files=(SERVICE,),
        put=place_copy,
    ),
    "page-pictures": Entry(
        "Take the pictures of the gate's page in a headless Chromium.",
        programs=(("python", "tests/page/pictures.py", str(Path("docs/pictures").absolute())),),
        packages=DEMO,
        files=(SERVICE,),
        put=place_copy,
    ),
    "pictures": Entry(
        "Draw the pictures of the documentation from real runs.",
        programs=(("python", "tests/pictures"),),
        packages=(*DEMO, RICH),
        files=(SERVICE,),
    ),
    "vendor-client": Entry(
        "Run the published client of the vendor against the local service.",
        tests=("tests/vendor",),
        packages=(VENDOR_CLIENT, "pytest>=8"),
        files=(SERVICE,),
    ),
    "faults-sample": Entry(
        "Try a fixed sample of the fault matrix.",
        programs=(FAULTS,),
        variables=({}, IN_PROCESS),
        packages=DEMO,
        files=(SERVICE,),
        put=install_artefact,
    ),
    "forms": Entry(
        "Try tasks of all modules on every form in which the service may answer.",
        programs=(("python", "tests/forms"),),
        packages=DEMO,
        files=(SERVICE,),
        put=install_artefact,
    ),
    "faults": Entry(
        "Try every operation of the modules with every fault of the local service.",
        programs=((*FAULTS, "--all"),),
        packages=DEMO,
        files=(SERVICE,),
        put=install_artefact,
    ),
    "faults-in-process": Entry(
        "Try every operation of the modules with every fault of the local service, in process.",
        programs=((*FAULTS, "--all"),),
        variables=(IN_PROCESS,),
        packages=DEMO,
        files=(SERVICE,),
        put=install_artefact,
    ),
    "replay": Entry(
        "Run tests on the forms of a recording: -- PATH. By default, on those of tests/recordings.",
        programs=(("python", "tests/replay"),),
        packages=(CORE, "pytest>=8", "pytest-xdist"),
        files=(UNITS, SERVICE),
        put=place_copy,
    ),
    "fuzz": Entry(
        "Call everything that parses with random inputs for an hour.",
        programs=(("python", "tests/fuzz"),),
        packages=(CORE, "pytest>=8"),
        files=(FUZZ,),
        put=place_copy,
    ),
    "fuzz-sample": Entry(
        "Call everything that parses with a fixed sample of inputs, and with those of the corpus.",
        programs=((*PYTEST, "-q", "tests/fuzz"),),
        packages=(CORE, "pytest>=8"),
        files=(FUZZ,),
        put=place_copy,
    ),
}


def install_locked(session: nox.Session, *names: str) -> None:
    """Install packages with the versions and hashes of files below requirements/."""
    for name in names:
        session.install("--require-hashes", "--requirement", f"requirements/{name}.txt")


def run_entry(session: nox.Session, entry: Entry) -> None:
    """Do the work of a session of the table."""
    install_locked(session, *entry.locks)
    for file in entry.files:
        session.install("--requirement", file)
    with contextlib.ExitStack() as stack:
        place = stack.enter_context(collection(session, entry.put)) if entry.put else None
        here = {"PYTHONPATH": place} if place else {}
        for variables, program in itertools.product(entry.variables, entry.programs):
            arguments = session.posargs or entry.tests
            session.run(*(program or PYTEST), *arguments, env={**here, **variables}, **PATIENCE)


for each, described in SESSIONS.items():
    add(each, described.purpose, functools.partial(run_entry, entry=described), described.packages)


# --- further sessions with programs of their own ---


@nox.session(name="lock", default=False)
@antsibull_nox.sessions.install_packages(packages="uv>=0.9")
def lock(session: nox.Session) -> None:
    """Write the versions and hashes of all packages that requirements*.in need: -- --upgrade for newer ones."""
    for path in ("requirements", *(f"requirements/{name}" for name in LOCKS)):
        header = "".join(Path(f"{path}.in").read_text(encoding="utf-8").splitlines(keepends=True)[:3])
        session.run(
            "uv", "pip", "compile", "--quiet", "--universal", "--python-version", "3.10", "--generate-hashes",
            "--no-emit-index-url", "--output-file", f"{path}.txt", f"{path}.in", *session.posargs,
        )  # fmt: skip
        locked = Path(f"{path}.txt")
        locked.write_text(f"{header}{locked.read_text(encoding='utf-8').removeprefix(header)}", encoding="utf-8")


# --- the sessions of make ---


def run_sessions(session: nox.Session, names: list[str], missing: dict[str, str]) -> None:
    """Run the sessions two at a time, then print one line for each and the totals. Fail if one fails."""
    if not RUNNABLE:
        session.error("No Python that a supported ansible-core runs on was found: install Python 3.10 or later.")
    BUILD.mkdir(exist_ok=True)
    report = BUILD / f"{session.name}.json"
    report.unlink(missing_ok=True)
    session.run(
        sys.executable, "-m", "nox", "--non-interactive", "--parallel=2", "--allow-parallel",
        f"--report={report}", "--session", *names,
        # With CI set, the formatters check and do not rewrite files.
        env={"CI": "true"},
        external=True,
        success_codes=range(256),
        **PATIENCE,
    )  # fmt: skip
    results = {entry["name"]: entry for entry in json.loads(report.read_text())["sessions"]} if report.exists() else {}
    lines: list[str] = []
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for name in names:
        entry = results.get(name, {"result": "failed", "reason": "has no result", "duration": 0})
        outcome = {"success": "passed", "skipped": "skipped"}.get(entry["result"], "failed")
        reason = f"  {entry['reason']}" if outcome != "passed" and entry["reason"] else ""
        line = f"{name:<22} {outcome:<8} {entry['duration']:>5.0f} s{reason}"
        # failed ones last, where they are seen
        lines.insert(len(lines) if outcome == "failed" else len(lines) - counts["failed"], line)
        counts[outcome] += 1
    if missing:
        lines += ["", "Not tested on this machine:"]
    for name, reason in missing.items():
        lines.append(f"{name:<22} skipped          {reason}")
        counts["skipped"] += 1
    print("", *lines, sep="\n")
    skipped = f", {counts['skipped']} skipped" if counts["skipped"] else ""
    print(f"{counts['passed']} passed, {counts['failed']} failed{skipped}", flush=True)
    if counts["failed"]:
        sys.exit(1)


def announcement() -> str:
    """What `make test` prints first: how long it takes, what it covers, and what it leaves out."""
    between = [core for core in RUNNABLE if core not in OUTER]
    left = [
        f"{name} ({len(targets_left(name.partition('-')[2]))} integration targets)"
        if name.startswith("walks-")
        else name
        for name in LEFT
        if not name.endswith(tuple(between))
    ]
    if between:
        left.append(f"and all tests with ansible-core {', '.join(between)}")
    covers = [
        "10 to 25 minutes on two processors, depending on the machine; the first run also installs what the sessions need.",
        f"the checks, the tests with ansible-core {NEWEST}, some with ansible-core {OLDEST}, and some of modules with"
        f" Python {FLOOR}.",
        f"{', '.join(left)}.",
    ]
    titles = ("make test takes", "It runs", "make matrix runs the rest:")
    return "\n".join(
        textwrap.fill(f"{title} {text}", 110, break_on_hyphens=False) for title, text in zip(titles, covers)
    )


@nox.session(python=False)
def test(session: nox.Session) -> None:
    """Run the checks, all tests with the newest ansible-core that runs here, and some with the oldest."""
    if RUNNABLE:
        print(announcement(), flush=True)
    run_sessions(session, QUICK, MISSING)


@nox.session(python=False, default=False)
def matrix(session: nox.Session) -> None:
    """Run all that `make test` leaves out."""
    run_sessions(session, LEFT, MISSING)


@nox.session(python=False, default=False)
def ways(session: nox.Session) -> None:
    """Run the integration targets in process and as modules with the oldest and the newest ansible-core that run here."""
    run_sessions(session, WAYS, MISSING)


@nox.session(python=False, default=False)
def devel(session: nox.Session) -> None:
    """Run the tests with the development branch of ansible-core."""
    if not DEVEL_CELLS:
        session.error("Set ANSIBLE_CORE_DEVEL to a requirement for it, and install a Python that it supports.")
    run_sessions(session, [*DEVEL_CELLS.once, DEVEL_CELLS.walks], {})


def run_beside_nox(session: nox.Session, program: str, *packages: str) -> None:
    """Install the requirements of an interactive program into the environment of nox itself (.venv), and run it there."""
    session.run(sys.executable, "-m", "pip", "install", "--quiet", *packages, "--requirement", SERVICE, external=True)
    session.run(sys.executable, program, *session.posargs, external=True, **PATIENCE)


@nox.session(python=False, default=False)
def demo(session: nox.Session) -> None:
    """Demonstrate the collection against the local service."""
    run_beside_nox(session, "tests/demo/run.py", *DEMO)


@nox.session(python=False, default=False)
def service(session: nox.Session) -> None:
    """Run the local service until interrupted."""
    run_beside_nox(session, "tests/service")


@nox.session(python=False, default=False)
def bench(session: nox.Session) -> None:
    """Run the benchmarks."""
    run_beside_nox(session, "tests/bench", *DEMO)


@nox.session(name="mutants", default=False)
@antsibull_nox.sessions.install_packages(packages=["ansible-core>=2.16", "mutmut>=3.8.1,<4", "pytest>=8"])
def mutants(session: nox.Session) -> None:
    """Count the small mistakes in the pure files that no unit test notices."""
    session.install("--requirement", "tests/unit/requirements.txt")
    # `mutmut show` needs the mutants after the session.
    place = BUILD / "mutants"
    shutil.rmtree(place, ignore_errors=True)
    place_copy(session, place)
    with session.chdir(place):
        session.run("python", "ansible_collections/scanops/scanner/tests/mutants.py", *session.posargs, **PATIENCE)


@nox.session(name="docs", default=False)
def docs(session: nox.Session) -> None:
    """Build the documentation site into build/docs."""
    install_locked(session, "docs")
    shutil.rmtree(BUILD / "docs", ignore_errors=True)
    config = Path("docs/sphinx/antsibull-docs.cfg").absolute()
    pages, site = (BUILD / "docs" / "rst").absolute(), (BUILD / "docs" / "html").absolute()
    # antsibull-docs refuses a directory that others may write to.
    pages.mkdir(mode=0o700, parents=True)
    with tempfile.TemporaryDirectory() as place:
        install_artefact(session, Path(place))
        session.run(
            "antsibull-docs", f"--config-file={config}", "collection", "--use-current", "--squash-hierarchy", "--fail-on-error",
            f"--dest-dir={pages}", "scanops.scanner", env={"ANSIBLE_COLLECTIONS_PATH": place},
        )  # fmt: skip
    shutil.copytree("docs/pictures", pages / "pictures")
    # with groups in the sidebar, and where to start
    shutil.copy("docs/sphinx/index.rst", pages)
    session.run("sphinx-build", "--quiet", "--fail-on-warning", "--keep-going", "-c", "docs/sphinx", pages, site)
    print(f"The documentation is in {site / 'index.html'}")
