# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._http.client import Client
from ansible_collections.scanops.scanner.plugins.module_utils._http.connection import Connection
from ansible_collections.scanops.scanner.plugins.module_utils._http.transport import Transport
from ansible_collections.scanops.scanner.plugins.module_utils._scope.permit import Permits
from ansible_collections.scanops.scanner.plugins.module_utils._scope.rules import Scope


class Clock:
    """Time that passes only where somebody sleeps. slept: list of float, seconds."""

    def __init__(self):
        self.now = 1000.0
        self.slept = []

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def transport(service, clock):
    """Transports to the local service whose time is the clock's: transport(**connection)."""
    opened = []

    def open_one(**connection):
        connection = {"base_url": service.base_url, "api_key": service.api_key, **connection}
        opened.append(Transport(Connection(**connection), sleep=clock.sleep, clock=clock, jitter=lambda: 0.5))
        return opened[-1]

    yield open_one
    for each in opened:
        each.close()


def open_permits():
    """Permits that refuse nothing."""
    return Permits(Scope([]))


def permitted(method, path, query=None, form=None, json=None):
    """The arguments of ``Transport.send`` for a write that is permitted."""
    permit = open_permits().permit(method, path, query, form, json, name_of=None)
    return dict(method=method, path=path, query=query, form=form, json=json, permit=permit)


@pytest.fixture
def client(transport):
    return Client(transport(), open_permits().permit)
