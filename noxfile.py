# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sessions of `make`: demo, test, service, docs, bench, matrix, faults, fuzz, mutants.

`nox --list` lists all sessions; `nox -s units-2.16 -- -vv` runs one of them with additional arguments.
"""

from __future__ import annotations

import fcntl
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterable
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
# The published client of the vendor; its MCP server does not start with a later mcp.
VENDOR_CLIENT = ("pentesttools[mcp]==0.2.0", "mcp<2")

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
# The unit tests of what runs in ansible-core, and integration targets with each kind of plugin: `make test` runs them with
# the oldest ansible-core.
CONTROLLER_TESTS = tuple(f"tests/unit/plugins/{kind}" for kind in ("filter", "inventory", "plugin_utils"))
SAMPLE_TARGETS = ("gate", "in_process", "inventory_targets", "target")
# Integration targets that follow the documentation step by step. `make test` leaves them to `make matrix`.
WALKS = ("example_playbooks", "guide_estate", "guide_recipes", "platform_kit")


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
    "security-check",
)
# and those that start many programs, in `make matrix`.
SLOW_CHECKS = (
    "ansible-lint",
    "build-import-check",
    "execution-environment",
    "runner",
    "release-check",
    "page-check",
    "demo-check",
    "vendor-client",
    "faults-sample",
    "fuzz-sample",
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


# --- one session for each ansible-core release and command of ansible-test ---


@functools.cache
def wait_for_other_sanity_runs() -> None:
    """Hold a lock until this process ends: all sanity tests of a user share the environments of ansible-test."""
    path = Path.home() / ".ansible" / "test" / "sanity.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    fcntl.flock(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), fcntl.LOCK_EX)


def install_artefact(session: nox.Session, place: Path) -> None:
    """Build the collection as for a release and install the tarball below this directory."""
    tarballs = place / "artefact"
    session.run("ansible-galaxy", "collection", "build", "--force", f"--output-path={tarballs}", silent=True)
    (tarball,) = tarballs.glob("*.tar.gz")
    session.run(
        "ansible-galaxy", "collection", "install", "--force", "--no-deps", f"--collections-path={place}", str(tarball),
        silent=True,
    )  # fmt: skip


def requirement(core: str) -> str:
    """The requirement for the latest ansible-core of a release."""
    if core == "devel":
        return DEVEL
    return f"ansible-core~={core}.0{'rc1' if core in PRE_RELEASES else ''}"


def place_copy(_session: nox.Session, place: Path) -> None:
    """Copy all files that git does not ignore to place/ansible_collections/scanops/scanner."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], check=True, capture_output=True
    ).stdout
    for name in filter(os.path.lexists, os.fsdecode(listed).split("\0")):
        copy = place / "ansible_collections" / "scanops" / "scanner" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(name, copy, follow_symlinks=False)


def add_ansible_test(
    name: str,
    core: str,
    python: str,
    command: Iterable[str],
    place_collection: Callable[[nox.Session, Path], None],
    before: Callable[[], None] | None = None,
) -> str:
    """Add a session that runs ansible-test on a copy of the collection; return the session's name.

    place_collection: puts the collection below a directory; before: runs there first.
    """

    @nox.session(name=name, python=python, default=False)
    @antsibull_nox.sessions.install_packages(packages=requirement(core))
    def run(session: nox.Session) -> None:
        with tempfile.TemporaryDirectory() as place:
            place_collection(session, Path(place))
            with session.chdir(Path(place, "ansible_collections", "scanops", "scanner")):
                if before:
                    before()
                session.run("ansible-test", *command, "--color=no", *session.posargs)

    run.__doc__ = f"Run ansible-test {' '.join(command)} with ansible-core {core}."
    return name


def run_pytest(session: nox.Session, *arguments: str, more: Iterable[str] = (), **variables: str) -> None:
    """Run pytest on a copy of the collection, with the additional arguments of the session or else with these.

    more: install them, too. ansible-test takes more than twice as long, because it starts a process for each test.
    """
    session.install("--requirement", "tests/unit/requirements.txt", "pytest>=8", "pytest-xdist", *more)
    with tempfile.TemporaryDirectory() as place:
        place_copy(session, Path(place))
        with session.chdir(Path(place, "ansible_collections", "scanops", "scanner")):
            command = ["pytest", "-q", "-n", "2", "-p", "no:cacheprovider", *(session.posargs or arguments)]
            session.run(*command, env={"PYTHONPATH": place, **variables})


def cases(core: str) -> dict[str, str]:
    """The last release but one tries every case, see tests/unit/sampling.py, and many histories of a gate."""
    last_but_one = [core] == RUNNABLE[1:-1][-1:]
    return {"SCANNER_TEST_EXHAUSTIVE": "1", "SCANNER_TEST_HISTORIES": "10000"} if last_but_one else {}


def add_units(core: str, python: str) -> str:
    """Add the session with the unit tests of one ansible-core release; return its name."""
    # The session units-floor runs these tests with the same ansible-core.
    left_out = MODULE_TESTS if core == RUNNABLE[0] and starts(MODULE_PYTHON) else ()

    @nox.session(name=f"units-{core}", python=python, default=False)
    @antsibull_nox.sessions.install_packages(packages=requirement(core))
    def run(session: nox.Session) -> None:
        run_pytest(session, "tests/unit", *(f"--ignore={tests}" for tests in left_out), **cases(core))

    run.__doc__ = f"Run the unit tests with ansible-core {core}."
    return f"units-{core}"


def add_plays(core: str, python: str) -> str:
    """Add the session that runs playbooks on the local service with one ansible-core release; return its name."""

    @nox.session(name=f"plays-{core}", python=python, default=False)
    @antsibull_nox.sessions.install_packages(packages=requirement(core))
    def run(session: nox.Session) -> None:
        # by file, because the tests of a file share a run
        run_pytest(session, "--dist=loadfile", "tests/plays", **cases(core))

    run.__doc__ = f"Run playbooks on the local service with ansible-core {core}."
    return f"plays-{core}"


def add_units_in_process(core: str, python: str) -> str:
    """Add the session with the unit tests of modules, in process instead of as modules; return its name."""

    @nox.session(name="units-in-process", python=python, default=False)
    @antsibull_nox.sessions.install_packages(packages=requirement(core))
    def run(session: nox.Session) -> None:
        run_pytest(session, "tests/unit/plugins/modules", SCANNER_TEST_IN_PROCESS="1")

    run.__doc__ = f"Run the unit tests of modules in process with ansible-core {core}."
    return "units-in-process"


def add_floor(name: str, core: str, python: str, tests: Iterable[str]) -> str:
    """Add a session with unit tests of modules on the oldest Python, ansible-core and requests; return its name."""

    @nox.session(name=name, python=python, default=False)
    def run(session: nox.Session) -> None:
        # Modules run on this Python, the rest of ansible-core does not.
        session.install("--no-deps", "--ignore-requires-python", requirement(core))
        run_pytest(session, *tests, "tests/floor", more=("--constraint", "tests/floor/constraints.txt"))

    run.__doc__ = f"Run unit tests of modules with Python {python}, ansible-core {core} and the oldest requests."
    return name


def integration(python: str, *options: str) -> list[str]:
    """The command that runs integration targets, where the collection is installed."""
    watched = Path(__file__).with_name("tests") / "integration_run.py"
    test = ["ansible-test", "integration", "--venv", f"--python={python}", "--color=no"]
    return ["python", str(watched), *test, *options]


def add_sample(core: str, python: str) -> str:
    """Add the session with some of the unit tests and integration targets on one ansible-core release; return its name."""

    @nox.session(name=f"sample-{core}", python=python, default=False)
    @antsibull_nox.sessions.install_packages(packages=requirement(core))
    def run(session: nox.Session) -> None:
        run_pytest(session, *CONTROLLER_TESTS)
        with tempfile.TemporaryDirectory() as place:
            install_artefact(session, Path(place))
            with session.chdir(Path(place, "ansible_collections", "scanops", "scanner")):
                session.run(*integration(python, *SAMPLE_TARGETS))

    run.__doc__ = f"Run the unit tests of plugins and some integration targets with ansible-core {core}."
    return f"sample-{core}"


def add_integration(core: str, python: str, kind: str) -> str:
    """Add a session with integration targets on one ansible-core release; return its name.

    kind: "integration" runs all targets but those that follow the documentation, "walks" runs those; "ways" runs all targets
    twice, in process and as modules. Both ways must send the same requests.
    """
    name = f"{kind}-{core}"
    chosen = {"integration": [f"--exclude={target}" for target in WALKS], "walks": WALKS, "ways": ()}[kind]
    compare = Path("tests/integration_ways.py").absolute()

    @nox.session(name=name, python=python, default=False)
    @antsibull_nox.sessions.install_packages(packages=requirement(core))
    def run(session: nox.Session) -> None:
        command = integration(python, *(session.posargs or chosen))
        with tempfile.TemporaryDirectory() as place:
            install_artefact(session, Path(place))
            with session.chdir(Path(place, "ansible_collections", "scanops", "scanner")):
                session.run(*command)
                if kind == "ways":
                    session.run("python", compare, "keep", "in-process")
                    session.run("python", compare, "as-modules")
                    session.run(*command)
                    session.run("python", compare, "keep", "as-modules")
                    session.run("python", compare, "compare", "in-process", "as-modules")

    described = {"walks": " on what the documentation shows", "ways": " in process and as modules"}.get(kind, "")
    run.__doc__ = f"Run ansible-test integration{described} with ansible-core {core}."
    return name


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
    return Cells(
        sanity=add_ansible_test(f"sanity-{core}", core, python, sanity, place_copy, before=wait_for_other_sanity_runs),
        units=add_units(core, python),
        integration=add_integration(core, python, "integration"),
        walks=add_integration(core, python, "walks"),
        ways=add_integration(core, python, "ways"),
        plays=add_plays(core, python),
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
        QUICK.append(add_sample(OLDEST, controller_python(OLDEST)))
    FLOOR = MODULE_PYTHON if starts(MODULE_PYTHON) else controller_python(OLDEST)
    QUICK.append(add_floor("sample-floor", OLDEST, FLOOR, MODULE_SAMPLE))
    # The second and the last but one try both ways, the session ways the oldest and the newest.
    BOTH = RUNNABLE[1:-1][:1] + RUNNABLE[1:-1][-1:]
    LEFT += [name for core in RUNNABLE[1:-1] if core in BOTH for name in CELLS[core].both]
    LEFT += [name for core in RUNNABLE[1:-1] if core not in BOTH for name in CELLS[core].once]
    LEFT += [name for core in OUTER for name in (*CELLS[core].once, CELLS[core].walks) if name not in QUICK]
    LEFT.append(add_floor("units-floor", OLDEST, FLOOR, MODULE_TESTS))
    LEFT.append(add_units_in_process(NEWEST, controller_python(NEWEST)))
    # Users of the collection may run its unit tests in this way.
    units = ["units", "--venv", f"--python={controller_python(OLDEST)}"]
    LEFT.append(add_ansible_test("units-ansible-test", OLDEST, controller_python(OLDEST), units, place_copy))
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


@nox.session(name="coverage", default=False)
@antsibull_nox.sessions.install_packages(packages=["ansible-core>=2.16", "pytest>=8", "pytest-xdist", "pytest-cov"])
def coverage(session: nox.Session) -> None:
    """Print, for information, which lines of plugins/ the unit tests reach."""
    session.install("--requirement", "tests/unit/requirements.txt")
    with tempfile.TemporaryDirectory() as place:
        place_copy(session, Path(place))
        with session.chdir(Path(place, "ansible_collections", "scanops", "scanner")):
            session.run(
                "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", "--cov=plugins", "--cov-branch",
                "--cov-report=term:skip-covered", *(session.posargs or ["tests/unit"]), env={"PYTHONPATH": place},
            )  # fmt: skip


# --- checks that antsibull-nox does not have ---


def install_locked(session: nox.Session, *names: str) -> None:
    """Install packages with the versions and hashes of files below requirements/."""
    for name in names:
        session.install("--require-hashes", "--requirement", f"requirements/{name}.txt")


@nox.session(name="changelog-check", default=False)
@antsibull_nox.sessions.install_packages(packages="antsibull-changelog>=0.30")
def changelog_check(session: nox.Session) -> None:
    """Check the changelog and its fragments."""
    session.run("antsibull-changelog", "lint")
    session.run("antsibull-changelog", "lint-changelog-yaml", "--strict", "changelogs/changelog.yaml")


@nox.session(name="changelog", default=False)
@antsibull_nox.sessions.install_packages(packages=["ansible-core>=2.16", "antsibull-changelog>=0.30"])
def changelog(session: nox.Session) -> None:
    """Write the version of galaxy.yml, its new plugins and all fragments to the changelog."""
    session.run("antsibull-changelog", "release", "--update-existing", "--refresh", "--reload-plugins")


@nox.session(name="generate", default=False)
def generate(session: nox.Session) -> None:
    """Write what follows from the modules and the API families."""
    session.install("PyYAML")
    session.run("python", "tests/generate.py")


@nox.session(name="packaging", default=False)
@antsibull_nox.sessions.install_packages(
    packages=["ansible-core>=2.16", "pytest>=8", "PyYAML", PIPELINE_SCHEMAS, POLICY_EVALUATOR]
)
def packaging(session: nox.Session) -> None:
    """Build the artefact and check its content."""
    session.run("pytest", "-rs", "-p", "no:cacheprovider", *(session.posargs or ["tests/packaging"]))


@nox.session(name="execution-environment", default=False)
@antsibull_nox.sessions.install_packages(packages=["ansible-core>=2.16", "ansible-builder>=3.1,<4", "pytest>=8"])
def execution_environment(session: nox.Session) -> None:
    """Check the definition of the execution environment with ansible-builder, without a container engine."""
    session.run("pytest", "-p", "no:cacheprovider", *(session.posargs or ["tests/execution_environment"]))


@nox.session(name="runner", default=False)
@antsibull_nox.sessions.install_packages(packages=[*DEMO, "ansible-runner>=2.4,<3", "pytest>=8"])
def runner(session: nox.Session) -> None:
    """Run playbooks by ansible-runner, on this machine and through a worker."""
    session.install("--requirement", SERVICE)
    session.run("pytest", "-p", "no:cacheprovider", *(session.posargs or ["tests/runner"]), **PATIENCE)


@nox.session(name="release", default=False)
def release(session: nox.Session) -> None:
    """Build, sign or publish a release: -- build --tag 1.0.0, -- sign, -- publish. RELEASING.md describes it."""
    install_locked(session, "release")
    session.run("python", "-m", "release", *session.posargs)


@nox.session(name="release-check", default=False)
def release_check(session: nox.Session) -> None:
    """Try a release without an account: two equal builds, import, bill of materials, a signature with a throw-away key."""
    install_locked(session, "release")
    # python -m, so that the tests can import release/; with the reasons of skipped tests
    session.run("python", "-m", "pytest", "-rs", "-p", "no:cacheprovider", *(session.posargs or ["tests/release"]))


@nox.session(name="security-check", default=False)
def security_check(session: nox.Session) -> None:
    """Search the code with bandit, and the workflows with zizmor."""
    install_locked(session, "lint")
    session.run("bandit", "--quiet", "--recursive", "plugins")
    # They start programs with fixed arguments and without a shell, which these rules only draw attention to.
    session.run("bandit", "--quiet", "--recursive", "--skip=B404,B603,B607", "release", "noxfile.py")
    session.run("zizmor", "--offline", "--quiet", ".github", "docs/pipelines/github-actions.yml")


@nox.session(name="audit", default=False)
def audit(session: nox.Session) -> None:
    """Search the locked packages for known vulnerabilities. It asks a service outside the package index."""
    install_locked(session, "lint")
    for path in ("requirements.txt", *(f"requirements/{name}.txt" for name in LOCKS)):
        session.run("pip-audit", "--disable-pip", "--require-hashes", "--requirement", path)


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


@nox.session(name="demo-check", default=False)
@antsibull_nox.sessions.install_packages(packages=[*DEMO, "pytest>=8"])
def demo_check(session: nox.Session) -> None:
    """Compare the output of the demo with output.txt, README.md and the pictures, and interrupt the demo."""
    session.install("--requirement", SERVICE, RICH)
    session.run("pytest", "-p", "no:cacheprovider", *(session.posargs or ["tests/demo", "tests/pictures"]), **PATIENCE)


def show_page(session: nox.Session, *command: str) -> None:
    """Run a program of tests/page on a copy of the collection."""
    session.install("--requirement", SERVICE)
    with tempfile.TemporaryDirectory() as place:
        place_copy(session, Path(place))
        with session.chdir(Path(place, "ansible_collections", "scanops", "scanner")):
            session.run("python", *command, env={"PYTHONPATH": place}, **PATIENCE)


@nox.session(name="page-check", default=False)
@antsibull_nox.sessions.install_packages(packages=[*DEMO, "pytest>=8"])
def page_check(session: nox.Session) -> None:
    """Drive the page of the gate in a headless Chromium."""
    # with the reasons of skipped tests
    show_page(session, "-m", "pytest", "-rs", "-p", "no:cacheprovider", *(session.posargs or ["tests/page"]))


@nox.session(name="page-pictures", default=False)
@antsibull_nox.sessions.install_packages(packages=DEMO)
def page_pictures(session: nox.Session) -> None:
    """Take the pictures of the gate's page in a headless Chromium."""
    show_page(session, "tests/page/pictures.py", str(Path("docs/pictures").absolute()))


@nox.session(name="pictures", default=False)
@antsibull_nox.sessions.install_packages(packages=DEMO)
def pictures(session: nox.Session) -> None:
    """Draw the pictures of the documentation from real runs."""
    session.install("--requirement", SERVICE, RICH)
    session.run("python", "tests/pictures", **PATIENCE)


@nox.session(name="vendor-client", default=False)
@antsibull_nox.sessions.install_packages(packages=[*VENDOR_CLIENT, "pytest>=8"])
def vendor_client(session: nox.Session) -> None:
    """Run the published client of the vendor against the local service."""
    session.install("--requirement", SERVICE)
    session.run("pytest", "-p", "no:cacheprovider", *(session.posargs or ["tests/vendor"]))


def try_faults(session: nox.Session, *arguments: str, in_process: bool = False) -> None:
    """Run the fault matrix on the installed artefact, by the code of modules or by that of tasks in process."""
    session.install("--requirement", SERVICE)
    with tempfile.TemporaryDirectory() as place:
        install_artefact(session, Path(place))
        with session.chdir(Path(place, "ansible_collections", "scanops", "scanner")):
            variables = {"PYTHONPATH": place, "SCANNER_TEST_IN_PROCESS": str(int(in_process))}
            session.run("python", "tests/faults", *arguments, *session.posargs, env=variables, **PATIENCE)


@nox.session(name="faults-sample", default=False)
@antsibull_nox.sessions.install_packages(packages=["ansible-core>=2.16", "requests>=2.31"])
def faults_sample(session: nox.Session) -> None:
    """Try a fixed sample of the fault matrix."""
    try_faults(session)
    try_faults(session, in_process=True)


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
    left = [name for name in LEFT if not name.endswith(tuple(between))]
    if between:
        left.append(f"and all tests with ansible-core {', '.join(between)}")
    covers = [
        "about 10 minutes on two processors; the first run also installs what the sessions need.",
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


@nox.session(name="faults", default=False)
@antsibull_nox.sessions.install_packages(packages=["ansible-core>=2.16", "requests>=2.31"])
def faults(session: nox.Session) -> None:
    """Try every operation of the modules with every fault of the local service."""
    try_faults(session, "--all")


@nox.session(name="faults-in-process", default=False)
@antsibull_nox.sessions.install_packages(packages=["ansible-core>=2.16", "requests>=2.31"])
def faults_in_process(session: nox.Session) -> None:
    """Try every operation of the modules with every fault of the local service, in process."""
    try_faults(session, "--all", in_process=True)


FUZZ = "tests/fuzz/requirements.txt"


def fuzz_in_copy(session: nox.Session, *command: str) -> None:
    """Run a command of the fuzzing on a copy of the collection."""
    session.install("--requirement", FUZZ)
    with tempfile.TemporaryDirectory() as place:
        place_copy(session, Path(place))
        with session.chdir(Path(place, "ansible_collections", "scanops", "scanner")):
            session.run("python", *command, *session.posargs, env={"PYTHONPATH": place}, **PATIENCE)


@nox.session(name="fuzz", default=False)
@antsibull_nox.sessions.install_packages(packages=["ansible-core>=2.16", "pytest>=8"])
def fuzz(session: nox.Session) -> None:
    """Call everything that parses with random inputs for an hour."""
    fuzz_in_copy(session, "tests/fuzz")


@nox.session(name="fuzz-sample", default=False)
@antsibull_nox.sessions.install_packages(packages=["ansible-core>=2.16", "pytest>=8"])
def fuzz_sample(session: nox.Session) -> None:
    """Call everything that parses with a fixed sample of inputs, and with those of the corpus."""
    fuzz_in_copy(session, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/fuzz")


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
