# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What ansible-core prints of a role that has not failed, its warnings and differences, holds no command of a pipeline."""

from __future__ import annotations

import json

from ansible_collections.scanops.scanner.plugins.plugin_utils._role_action import RoleAction
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.pipeline_commands import commands
from ansible_collections.scanops.scanner.tests.unit.plugins.plugin_utils.role_steps import Role

EVIL = "##vso[task.setvariable variable=X]y ::stop-commands::z ##teamcity[b] section_start:1:c"


def test_the_difference_of_an_exported_file_holds_no_command(service, tmp_path, monkeypatch):
    service.add(workspaces=[{"name": "Web shop", "description": EVIL}])
    monkeypatch.setenv("SCANNER_BASE_URL", service.base_url)
    monkeypatch.setenv("SCANNER_API_KEY", service.api_key)
    role = Role("estate_export", tmp_path, {"estate_export_dest": "estate.yml"}, answered=False, diff=True)
    result = role.run("enter", "export")
    assert "# #vso[" in result["diff"][0]["after"]
    assert commands(json.dumps(result["diff"])) == []
    # the file has the text of the service
    assert EVIL in (tmp_path / "estate.yml").read_text()


def test_a_warning_that_quotes_a_provider_holds_no_command(tmp_path, monkeypatch):
    variables = {
        "gate_comment_provider": "github",
        "gate_comment_token": "token",
        "gate_comment_repository": "shop/web",
        "gate_comment_number": 7,
        "gate_comment_source": "missing.json",
    }
    monkeypatch.setattr(RoleAction, "other", lambda *_rest: {"status": 404, "json": {"message": EVIL}})
    result = Role("gate_comment", tmp_path, variables).run("enter", "write")
    assert "# #vso[" in " ".join(result["warnings"])
    assert [line for each in result["warnings"] for line in commands(each)] == []
