# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _account(service):
    service.add(http_loggers=[{"id": 501, "label": "canary", "requests": [{}, {}, {}]}, {"id": 502, "label": "quiet"}])


@pytest.mark.parametrize("reference", [{"label": "canary"}, {"id": 501}])
def test_all_recorded_requests_are_cleared_and_counted(service, run, reference):
    result = run("http_logger_data", state="absent", **reference)
    assert (result.changed, result["cleared"]) == (True, 3)
    assert result.diff == {"before": {"requests": 3}, "after": {"requests": 0}}
    assert [len(logger["requests"]) for logger in service.http_loggers()] == [0, 0]


def test_check_mode_counts_and_leaves_them(service, run):
    result = run("http_logger_data", check=True, state="absent", label="canary")
    assert (result.changed, result["cleared"]) == (True, 3)
    assert len(service.http_loggers()[0]["requests"]) == 3
