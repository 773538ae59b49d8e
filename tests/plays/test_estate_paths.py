# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Relative paths of the roles of an estate."""

from __future__ import annotations

import pytest
from ansible.parsing.vault import VaultLib, VaultSecret
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


def test_a_template_in_an_estate_file_runs_only_where_the_play_asks_for_it(service_process, tmp_path):
    """A file of a pull request must not run a program on the controller."""
    mark = tmp_path / "mark"
    text = f"estate_apply_workspaces:\n  - name: A\n    description: \"{{{{ lookup('pipe', 'echo ran | tee {mark}') }}}}\"\n"
    (tmp_path / "estate.yml").write_text(text)

    def applied(**variables):
        role = {"name": "scanops.scanner.estate_apply"}
        task = {"ansible.builtin.include_role": role, "vars": {"estate_apply_files": ["estate.yml"], **variables}}
        plays = [{"hosts": "localhost", "gather_facts": False, "tasks": [task]}]
        played = play(tmp_path, service_process, plays)
        assert played.status == 0, played.output
        (applying,) = played.events["Apply the estate"][-1:]
        (create,) = [each for each in applying.log if each["method"] == "POST"]
        return create["form"]["description"]

    assert applied().startswith("{{ lookup('pipe', 'echo ran")
    assert applied(estate_apply_templates="false").startswith("{{")
    assert not mark.exists()
    assert applied(estate_apply_templates=True) == "ran"
    assert mark.exists()


def test_an_estate_file_that_everybody_can_write_is_refused(service_process, tmp_path):
    path = tmp_path / "estate.yml"
    path.write_text("estate_apply_workspaces: [{name: A}]\n")
    path.chmod(0o666)
    task = {"ansible.builtin.include_role": {"name": "scanops.scanner.estate_apply"}}
    plays = [
        {"hosts": "localhost", "gather_facts": False, "tasks": [{**task, "vars": {"estate_apply_files": [str(path)]}}]}
    ]
    played = play(tmp_path, service_process, plays)
    assert played.status == 2 and "can be written by every user" in played.output
    assert service_process.calls() == []


@pytest.mark.parametrize(
    "role, variables",
    [
        ("estate_export", {"estate_export_dest": "open/estate.yml"}),
        ("estate_export", {"estate_export_dest": "open", "estate_export_split": True}),
        ("estate_apply", {"estate_apply_workspaces": [], "estate_apply_plan_dest": "open/plan.json"}),
    ],
)
def test_a_role_writes_no_file_where_everybody_can_replace_it(service_process, tmp_path, role, variables):
    place = tmp_path / "open"
    place.mkdir()
    place.chmod(0o777)
    task = {"ansible.builtin.include_role": {"name": f"scanops.scanner.{role}"}, "vars": variables}
    played = play(tmp_path, service_process, [{"hosts": "localhost", "gather_facts": False, "tasks": [task]}])
    assert played.status == 2 and "remove the permission with chmod o-w" in played.output
    assert service_process.calls() == []
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("whole", [True, False])
def test_what_ansible_vault_encrypted_is_applied_and_not_shown(service_process, tmp_path, whole):
    """Neither at -vv and with --diff, nor in the message of a failure, which still says what is wrong and where."""
    secret = VaultSecret(b"of-nobody")
    (tmp_path / "password").write_bytes(secret.bytes)
    library = VaultLib([("default", secret)])
    name = "https://Hidden-One.example.com/quiet-path"
    if whole:
        text = library.encrypt(f"estate_apply_workspaces: [{{name: A, targets: [{{name: {name}}}]}}]\n").decode()
    else:
        value = library.encrypt(name).decode().replace("\n", "\n          ")
        text = f"estate_apply_workspaces:\n  - name: A\n    targets:\n      - name: !vault |\n          {value}\n"
    (tmp_path / "estate.yml").write_text(text)

    def applied(**variables):
        role = {"name": "scanops.scanner.estate_apply"}
        tasks = [
            {"ansible.builtin.include_role": role, "vars": {"estate_apply_files": ["estate.yml"], **variables}},
            {"ansible.builtin.assert": {"that": "estate_apply_result.results | length == 2", "quiet": True}},
        ]
        plays = [{"hosts": "localhost", "gather_facts": False, "tasks": tasks}]
        played = play(
            tmp_path, service_process, plays, arguments=("-vv", "--diff", "--vault-password-file", "password")
        )
        assert "hidden-one" not in played.output.lower() and "quiet-path" not in played.output, played.output
        return played

    played = applied()
    assert played.status == 0, played.output
    assert "2 created" in played.output
    created = [each["form"]["name"] for each in played.events["Apply the estate"][-1].log if each["method"] == "POST"]
    assert created == ["A", name]
    refused = applied(estate_apply_scope={"deny": ["hidden-one.example.com"]})
    assert refused.status == 2
    assert "estate.yml: estate_apply_workspaces[0].targets[0]" in refused.output and "is refused by" in refused.output
    assert "What is encrypted in the files is shown as ***." in refused.output
