# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the sessions of noxfile.py do: run programs of an environment, in the checkout or in a copy of the collection."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypedDict

import nox

if TYPE_CHECKING:
    from .home import prepare
    from .target import CHECKOUT as ROOT
    from .target import COLLECTION, copy_collection
else:
    from home import prepare
    from target import CHECKOUT as ROOT
    from target import COLLECTION, copy_collection

NOX = ROOT / ".nox"
RUNNER = ROOT / "tests" / "integration_run.py"


class Timeouts(TypedDict):
    interrupt_timeout: float
    terminate_timeout: float


# Seconds that a command gets to stop its child processes; the defaults of nox are shorter than a second.
PATIENCE: Timeouts = {"interrupt_timeout": 5, "terminate_timeout": 10}


class Run(NamedTuple):
    """A session with the environment that it runs in."""

    session: nox.Session
    bin: Path
    core: str = ""

    def __call__(self, program: str, *arguments: str | Path, **variables: str) -> None:
        """Run a program of the environment, with a home directory below the checkout."""
        env = {
            "PATH": os.pathsep.join([str(self.bin), str(NOX / "interpreters"), os.environ["PATH"]]),
            "VIRTUAL_ENV": str(self.bin.parent),
            "HOME": str(NOX / "home"),
            **variables,
        }
        self.session.run(str(self.bin / program), *map(str, arguments), env=env, external=True, **PATIENCE)

    def arguments(self, *default: str) -> list[str]:
        """The defaults with the options of the command line, or its own paths and names in place of them."""
        given = self.session.posargs
        named = [part for part in given if not part.startswith("-") and exists(part)]
        return [*(part for part in default if not (named and exists(part))), *given]


def exists(name: str) -> bool:
    """Whether an argument is a path of the checkout, perhaps with the name of a test, or an integration target."""
    return (ROOT / name.partition("::")[0]).exists() or (ROOT / "tests/integration/targets" / name).is_dir()


def pytest(*default: str, **variables: str) -> Callable[[Run], None]:
    """Work that runs pytest: with the slow tests on a copy and two at a time, without them in the checkout, as `make unit`."""
    is_quick = "not slow" in default
    # Each process collects all tests, so fewer tests are faster in one. The tests of a file of plays share a run.
    at_a_time = [] if is_quick else ["-n2", f"--dist={'loadfile' if 'tests/plays' in default else 'load'}"]

    def work(run: Run) -> None:
        with contextlib.ExitStack() as stack:
            if is_quick:
                place = str(link_checkout())
                stack.enter_context(run.session.chdir(Path(place, COLLECTION)))
            else:
                place = stack.enter_context(collection(run, place_copy))
            options = ["-q", *at_a_time, "-p", "no:cacheprovider", *run.arguments(*default)]
            run("python", "-m", "pytest", *options, PYTHONPATH=place, **variables)

    return work


def link_checkout() -> Path:
    """The directory in which this checkout is ansible_collections/scanops/scanner, as a symbolic link."""
    place = NOX / "loop"
    link = place / COLLECTION
    link.parent.mkdir(parents=True, exist_ok=True)
    if not link.is_symlink():
        with contextlib.suppress(FileExistsError):
            link.symlink_to(ROOT)
    return place


def ansible_test(command: str, *default: str, put: Callable[[Run, Path], None] | None = None) -> Callable[[Run], None]:
    """Work that runs ansible-test in a copy of the collection."""

    def work(run: Run) -> None:
        prepare(NOX / "home", run.bin)
        options = ("--continue-on-error",) if command == "integration" else ()
        with collection(run, put or place_copy):
            # It fails on a deprecation, too, and on a warning of ansible-core about code of the collection.
            run("python", RUNNER, "ansible-test", command, *options, "--color=no", *run.arguments(*default))

    return work


def in_turn(*works: Callable[[Run], None]) -> Callable[[Run], None]:
    def work(run: Run) -> None:
        for each in works:
            each(run)

    return work


def ways(run: Run) -> None:
    """All integration targets in process and as modules, which must send the same requests."""
    compare = ROOT / "tests" / "integration_ways.py"
    prepare(NOX / "home", run.bin)
    command = (str(RUNNER), "ansible-test", "integration", "--color=no", *run.arguments())
    with collection(run, install_artefact):
        run("python", *command)
        run("python", compare, "keep", "in-process")
        run("python", compare, "as-modules")
        run("python", *command)
        run("python", compare, "keep", "as-modules")
        run("python", compare, "compare", "in-process", "as-modules")


def install_artefact(run: Run, place: Path) -> None:
    """Build the collection as for a release and install the tarball below this directory."""
    tarballs = place / "artefact"
    run("ansible-galaxy", "collection", "build", "--force", f"--output-path={tarballs}")
    (tarball,) = tarballs.glob("*.tar.gz")
    run("ansible-galaxy", "collection", "install", "--force", "--no-deps", f"--collections-path={place}", tarball)


def place_copy(_run: Run, place: Path) -> None:
    """Copy all files that git does not ignore to place/ansible_collections/scanops/scanner."""
    copy_collection(place)


@contextlib.contextmanager
def collection(run: Run, put: Callable[[Run, Path], None], keep: str = "") -> Iterator[str]:
    """Change to the collection below a temporary or a kept directory, which is the value, and put it there before."""
    with contextlib.ExitStack() as stack:
        place = ROOT / keep if keep else Path(stack.enter_context(tempfile.TemporaryDirectory()))
        if keep:
            shutil.rmtree(place, ignore_errors=True)
        put(run, place)
        stack.enter_context(run.session.chdir(place / COLLECTION))
        yield str(place)


# --- the table tests/sessions.toml ---

PLACES = {"copy": place_copy, "namespace": place_copy, "artefact": install_artefact}
# With the reasons of skipped tests; python -m, so that tests can import what is in the working directory.
PYTEST = ("python", "-m", "pytest", "-rs", "-p", "no:cacheprovider")


class Entry(NamedTuple):
    """A row of the table; additional arguments of the session are added to its programs."""

    purpose: str
    # of pyproject.toml
    group: str
    run: tuple[str, ...]
    # where the programs run: a copy of the collection, the namespace above one, the installed artefact, or else the checkout
    place: str = ""
    # the directory of that copy, which stays; without it, a temporary one
    keep: str = ""
    # the programs run once with each of these
    variables: tuple[dict[str, str], ...] = ({},)


def run_entry(run: Run, entry: Entry) -> None:
    """Do the work of a session of the table."""
    prepare(NOX / "home", run.bin)
    with contextlib.ExitStack() as stack:
        place = stack.enter_context(collection(run, PLACES[entry.place], entry.keep)) if entry.place else None
        here = {"PYTHONPATH": place} if place else {}
        if place and entry.place == "namespace":
            stack.enter_context(run.session.chdir(place))
        for variables in entry.variables:
            for line in entry.run:
                program, *arguments = shlex.split(line)
                arguments = [part.replace("$ROOT", str(ROOT)) for part in arguments]
                if program == "pytest":
                    program, arguments = PYTEST[0], [*PYTEST[1:], *run.arguments(*arguments)]
                else:
                    arguments += run.session.posargs
                run(program, *arguments, **here, **variables)
