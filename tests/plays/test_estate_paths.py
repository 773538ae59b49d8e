# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Relative paths of the roles of an estate."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.tests.plays.playbook import play
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scenarios import ACCOUNT

pytestmark = pytest.mark.slow


def test_relative_paths_start_at_the_directory_of_the_playbook(service_process, tmp_path):
    place = tmp_path / "plays"
    place.mkdir()
    exported = {"estate_export_dest": "estate", "estate_export_split": True}
    planned = {"estate_apply_files": "estate,estate", "estate_apply_plan_dest": "plan.json"}
    applied = {"estate_apply_files": ["estate"], "estate_apply_reviewed_plan": "plan.json"}
    tasks = [
        {"ansible.builtin.include_role": {"name": f"scanops.scanner.{role}"}, "vars": variables}
        for role, variables in (("estate_export", exported), ("estate_apply", planned), ("estate_apply", applied))
    ]
    plays = [{"hosts": "localhost", "gather_facts": False, "tasks": tasks}]
    played = play(place, service_process, plays, state=ACCOUNT, start=tmp_path)
    assert played.status == 0, played.output
    assert (place / "plan.json").is_file() and list((place / "estate").iterdir())
    assert [path.name for path in tmp_path.iterdir()] == ["plays"]
