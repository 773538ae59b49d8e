# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A test that fails says what its tasks said."""

from __future__ import annotations

from ansible_collections.scanops.scanner.tests.unit.task_report import LATEST


def test_a_run_is_shown_by_its_message_and_its_calls(account, run):
    failed = run("target_info", workspace="Nowhere")
    assert repr(failed) == f"<target_info failed: {failed.msg} | calls: GET /workspaces -> 200>"
    read = run("workspace_info", name="Web shop")
    assert repr(read) == "<workspace_info ok | calls: GET /workspaces -> 200>"
    assert list(LATEST) == [failed, read]


def test_warnings_are_shown_and_no_result(account, run):
    made = run("target", name="new.example.com", check=True)
    assert made.warnings and repr(made).startswith("<target changed | warning: ")
    assert "new.example.com" not in repr(made).replace(made.warnings[0], "")
    assert repr(run("target", name="new.example.com", workspace_id=2, verbosity=0)) == "<target changed>"


def test_an_earlier_test_is_not_shown():
    assert not LATEST
