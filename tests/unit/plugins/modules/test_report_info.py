# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest


@pytest.mark.parametrize("field", ["status", "status_name", "none"])
def test_reports_have_a_status_where_the_service_tells_one(account, run, field):
    account.settings(report_status=field)
    reports = run("report_info")["reports"]
    assert [(report["id"], report["format"]) for report in reports] == [(301, "pdf"), (302, "json")]
    assert {report["status"] for report in reports} == {None if field == "none" else "finished"}


def test_no_report_is_an_empty_list(service, run):
    assert run("report_info")["reports"] == []
