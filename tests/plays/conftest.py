# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.tests.unit.local_service import LocalService
from ansible_collections.scanops.scanner.tests.unit.sampling import SLOW


def pytest_configure(config):
    config.addinivalue_line("markers", SLOW)


@pytest.fixture(scope="session")
def service_process():
    """One local service for the whole run, without rate limits, which checks requests and answers against its contract."""
    with LocalService.start(settings={"rate_limits": None, "validate": True}) as running:
        yield running


@pytest.fixture(scope="session", autouse=True)
def runtime(tmp_path_factory):
    """The directory of this user for what lasts as long as a session: the tests share no rate limit with other programs."""
    directory = tmp_path_factory.mktemp("runtime")
    directory.chmod(0o700)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(directory))
        yield directory


@pytest.fixture
def service(service_process):
    """The local service with a fresh account; no request of a test may be against the contract."""
    with service_process.fresh() as running:
        yield running
