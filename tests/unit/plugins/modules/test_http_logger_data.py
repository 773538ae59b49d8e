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


def test_without_recorded_requests_nothing_is_deleted(service, run):
    result = run("http_logger_data", state="absent", label="quiet")
    assert (result.changed, result["cleared"]) == (False, 0)
    assert service.writes() == []


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("reference", [{"label": "never"}, {"id": 99}])
def test_a_logger_that_does_not_exist_is_unchanged_with_a_warning(run, reference, check):
    result = run("http_logger_data", check=check, state="absent", **reference)
    assert (result.failed, result.changed, result["cleared"]) == (False, False, 0)
    assert len(result.warnings) == 1
    assert str(next(iter(reference.values()))) in result.warnings[0]


def test_in_check_mode_the_null_id_of_a_logger_not_created_yet_is_accepted(service, run):
    result = run("http_logger_data", check=True, state="absent", id=None)
    assert (result.failed, result.changed, result["cleared"]) == (False, False, 0)
    assert len(result.warnings) == 1
    assert service.calls() == []


def test_a_logger_that_is_deleted_meanwhile_is_unchanged(service, run):
    service.fault(method="DELETE", action="do", do="delete", resource="http_loggers", record={"id": 501})
    result = run("http_logger_data", state="absent", id=501)
    assert (result.failed, result.changed, result["cleared"]) == (False, False, 0)
