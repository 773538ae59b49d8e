# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Hooks of pytest: a test that fails shows what its tasks returned, whatever its assertion names."""

from __future__ import annotations

from collections import deque

import pytest

LATEST: deque[object] = deque(maxlen=20)
"""The latest runs of tasks; their `repr` is shown."""


def pytest_runtest_setup():
    LATEST.clear()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():
    outcome = yield
    report = outcome.get_result()
    if report.failed and LATEST:
        report.sections.append(("Tasks of this test", "\n".join(map(repr, LATEST))))
