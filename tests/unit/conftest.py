# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import collections
import gc
import tempfile
from pathlib import Path

import pytest
from ansible_collections.scanops.scanner.tests.unit import task_report
from ansible_collections.scanops.scanner.tests.unit.local_service import LocalService
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scenarios import FILES
from ansible_collections.scanops.scanner.tests.unit.sampling import EVERY, EXHAUSTIVE, SLOW
from hypothesis import settings

RUNNING = pytest.StashKey()
# given at the start, these outlast every reset
SETTINGS = {"rate_limits": None, "validate": True}


# the same few examples in each run by default, many new ones in the exhaustive run
settings.register_profile("quick", max_examples=30, derandomize=True, deadline=None, database=None)
settings.register_profile("full", max_examples=500, deadline=None, database=None)
settings.load_profile("full" if EXHAUSTIVE else "quick")


def pytest_configure(config):
    config.pluginmanager.register(task_report)
    config.addinivalue_line("markers", SLOW)
    config.addinivalue_line("markers", "once: depends on no release of ansible-core, so that one of them runs it")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark the rows of long tables that `make test` leaves out as slow."""
    rows = collections.Counter()
    for item in items:
        if hasattr(item, "callspec") and item.path.name in EVERY:
            test = item.path, item.originalname
            if rows[test] % EVERY[item.path.name]:
                item.add_marker("slow")
            rows[test] += 1


def pytest_collection_finish(session):
    """Start the service before the first test: ansible-test forks for each test, and each fork would start its own."""
    # the garbage collection need not look at thousands of tests again and again
    gc.freeze()
    # both names: pytest 8 does not look behind a fixture that overrides another one, as "service" of the modules does
    names = {"service", "service_process"}
    wanted = any(names & set(getattr(item, "fixturenames", ())) for item in session.items)
    if wanted and not session.config.option.collectonly:
        session.config.stash[RUNNING] = LocalService.start(settings=SETTINGS)


def pytest_unconfigure(config):
    running = config.stash.get(RUNNING, None)
    if running:
        running.stop()


@pytest.fixture(scope="session")
def service_process(request):
    """One local service for the whole run."""
    return request.config.stash[RUNNING]


@pytest.fixture(scope="session")
def directories(tmp_path_factory):
    """Where many tests have a directory. mktemp of pytest would look for a free number among thousands."""
    return tmp_path_factory.mktemp("directories")


@pytest.fixture(autouse=True)
def runtime(directories, monkeypatch):
    """The directory of this user for what lasts as long as a session: no test shares a rate limit with another one."""
    directory = Path(tempfile.mkdtemp(prefix="runtime", dir=directories))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(directory))
    return directory


@pytest.fixture
def workplace(directories, monkeypatch):
    """A directory with the files of the scenarios, for tasks that write files."""
    directory = Path(tempfile.mkdtemp(prefix="workplace", dir=directories))
    monkeypatch.chdir(directory)
    for name, text in FILES.items():
        (directory / name).write_text(text, encoding="utf-8")
    return directory


@pytest.fixture
def service(service_process):
    """The local service with a fresh account, no rate limits, and every request and answer checked against the contract."""
    with service_process.fresh() as running:
        yield running
