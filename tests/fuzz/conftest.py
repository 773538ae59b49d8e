# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from ansible_collections.scanops.scanner.tests.fuzz.properties import CALLS, register_profiles
from ansible_collections.scanops.scanner.tests.unit.local_service import LocalService
from hypothesis import settings

register_profiles()
settings.load_profile("sample")


@pytest.fixture(scope="session")
def local_service():
    """A local service without rate limits, which checks requests and answers against its contract."""
    with LocalService.start(settings={"rate_limits": None, "validate": True}) as running:
        yield running


def pytest_terminal_summary(terminalreporter):
    """Print the number of calls of each property, and add them to the file that SCANNER_FUZZ_FIGURES names."""
    terminalreporter.section("calls of each property")
    for name, number in sorted(CALLS.items()):
        terminalreporter.write_line(f"{number:>9,}  {name.removeprefix('test_').replace('_', ' ')}")
    terminalreporter.write_line(f"{sum(CALLS.values()):>9,}  in all")
    figures = os.environ.get("SCANNER_FUZZ_FIGURES")
    if figures:
        Path(figures).write_text(json.dumps(CALLS), encoding="utf-8")
