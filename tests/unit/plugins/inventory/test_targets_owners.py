# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

FILE = """\
version: 1
owners:
  - targets: ["*.example.com*"]
    team: Web
  - targets: ["https://www.example.com/*", unused.example]
    team: "{{ 1 + 1 }}"
    contact: a@example.com
"""


@pytest.fixture
def owners(tmp_path):
    path = tmp_path / "owners.yml"
    path.write_text(FILE)
    return str(path)


@pytest.fixture(autouse=True)
def _account(service):
    service.add(
        workspaces=[{"id": 2, "name": "Shop"}],
        targets=[
            {"id": 11, "name": "https://www.example.com/shop", "workspace_id": 2},
            {"id": 12, "name": "api.example.com", "workspace_id": 2},
            {"id": 13, "name": "other.example.org", "workspace_id": 2},
        ],
    )


def test_hosts_have_the_owners_of_their_targets(parse, owners):
    inventory = parse(owners=owners)
    assert inventory.error is None
    found = {
        name: [variables[f"scanner_{key}"] for key in ("team", "contact", "channel")]
        for name, variables in inventory.hosts.items()
    }
    assert found == {
        # text of the file is no template
        "www.example.com": ["{{ 1 + 1 }}", "a@example.com", None],
        "api.example.com": ["Web", None, None],
        "other.example.org": [None, None, None],
    }
    (target,) = inventory.hosts["api.example.com"]["scanner_targets"]
    assert target["team"] == "Web"
    # other inventories may use the pattern that matches nothing here
    assert [each for each in parse.warned if "owner" in each] == [
        f"1 target has no owner in {owners} (other.example.org): add a pattern to the file."
    ]


def test_expressions_see_the_team(parse, owners):
    inventory = parse(
        owners=owners, include=["scanner_team == 'Web'"], keyed_groups=[{"key": "scanner_team", "prefix": "team"}]
    )
    assert list(inventory.hosts) == ["api.example.com"] and inventory.groups["team_Web"] == ["api.example.com"]


def test_without_owners_there_are_no_such_variables(parse):
    assert "scanner_team" not in parse().hosts["api.example.com"]


@pytest.mark.parametrize("text", [FILE.replace("team: Web", "taem: Web"), ""])
def test_a_wrong_file_adds_no_host(parse, owners, tmp_path, text):
    (tmp_path / "owners.yml").write_text(text)
    inventory = parse(owners=owners)
    assert "The owners have " in inventory.error and inventory.hosts == {}
    assert "owners" in parse(owners=str(tmp_path / "missing.yml")).error
