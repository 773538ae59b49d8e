# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Text from the service is data: whatever it looks like, nothing of it is ever run."""

from __future__ import annotations

import contextlib
import json

import ansible.template
import pytest
from ansible.errors import AnsibleError
from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader
from ansible.playbook.conditional import Conditional
from ansible.plugins.loader import inventory_loader
from ansible.vars.manager import VariableManager
from ansible_collections.scanops.scanner.plugins.inventory import targets
from ansible_collections.scanops.scanner.tests.unit.plugins.marked_text import TEMPLATE, assert_marked, observe

# from ansible-core 2.19 on text is a template where it is trusted
trusted = getattr(ansible.template, "trust_as_template", str)

COMPOSE = {
    "plain": "scanner_description",
    "joined": "'{' ~ scanner_description ~ '}'",
    "filtered": "scanner_description | replace('a', 'a') | trim",
    "inner": "scanner_targets[0].description",
    "listed": "scanner_targets | map(attribute='description') | list",
    "both": "scanner_workspace ~ scanner_name",
    "cut": "scanner_description[:500] | upper | lower",
}


def templates(path):
    command = f"lookup('ansible.builtin.pipe', 'touch {path}')"
    return [
        f"{{{{ {command} }}}}",
        f"{{% if {command} %}}{{% endif %}}",
        f"#jinja2:variable_start_string:'[[',variable_end_string:']]'\n[[ {command} ]]",
        f"{{# x #}}{{{{ {command} }}}}",
        # an expression, for a condition that is a template itself
        command,
    ]


@pytest.fixture
def trap(tmp_path):
    """A file that would be made by a template."""
    path = tmp_path / "ran"
    yield path
    assert not path.exists()


@pytest.mark.parametrize("number", range(5))
def test_no_text_is_templated(service, tmp_path, trap, number):
    text = templates(trap)[number]
    service.allow_violations = True
    service.settings(extra_fields=True)
    service.add(
        workspaces=[{"id": 8, "name": text}],
        targets=[{"name": text, "description": text, "workspace_id": 8, "type": text}],
    )
    path = tmp_path / "text.targets.yml"
    path.write_text(
        json.dumps(
            {
                "plugin": "scanops.scanner.targets",
                "base_url": service.base_url,
                "api_key": service.api_key,
                "hostnames": ["scanner_description"],
                "include": ["scanner_description != ''"],
                "exclude": ["scanner_description == ''"],
                "compose": COMPOSE,
                "keyed_groups": [{"key": key, "prefix": key} for key in ("scanner_description", "joined", "listed")],
                "groups": {"described": "scanner_description is search('pipe')"},
                "strict": True,
            }
        )
    )
    loader = DataLoader()
    manager = InventoryManager(loader, [str(path)])
    (host,) = manager.get_hosts("all")
    variables = VariableManager(loader, manager).get_vars(host=host)

    def template(text, **own):
        return ansible.template.Templar(loader, {**variables, **own}).template(trusted(text))

    for name in ("scanner_name", "scanner_description", "scanner_workspace", "plain", "inner"):
        assert template(f"{{{{ {name} }}}}") == text, name
    assert template("{{ listed }}") == [text]
    assert template("{{ joined }}") == "{" + text + "}"
    assert template("{{ both }}") == text + text
    assert template("{{ scanner_targets[0].name }}") == text
    for name in ("inventory_hostname", "group_names", "groups", "scanner_targets", *COMPOSE):
        template(f"{{{{ {name} }}}}")
        template(f"{{{{ {name} | to_json }}}}")
    # as a loop does with its items
    for item in template("{{ scanner_targets }}"):
        assert template("{{ item.description }}", item=item) == text
        template("{{ item }}", item=item)
    condition = Conditional(loader=loader)
    condition.when = [trusted("{{ scanner_description }}")]
    # ansible-core refuses such a condition
    with contextlib.suppress(AnsibleError, AttributeError):
        condition.evaluate_conditional(ansible.template.Templar(loader, variables), variables)
    names = [host.name, *manager.groups]
    assert not [name for name in names if set(name) & set("{}%#[]'\" \n")]


@pytest.mark.parametrize("cache", [False, True])
def test_every_text_of_the_service_is_marked(service, parse, tmp_path, monkeypatch, cache):
    service.allow_violations = True
    service.settings(extra_fields=True)
    texts = {field: f"{field} {TEMPLATE}" for field in ("name", "description", "type")}
    service.add(
        workspaces=[{"id": 8, "name": TEMPLATE}],
        targets=[{"id": 1001, **texts, "workspace_id": 8}],
    )
    connection = {"base_url": service.base_url, "api_key": service.api_key}
    kept = {"cache": cache, "cache_plugin": "ansible.builtin.jsonfile", "cache_connection": str(tmp_path / "kept")}
    text = json.dumps({"plugin": "scanops.scanner.targets", **connection, **kept, "hostnames": ["'host'"]})
    assert list(parse(text).hosts) == ["host"]
    service.clear_log()
    observe(monkeypatch, targets)
    variables = parse(text).hosts["host"]
    assert (service.calls() == []) is cache
    for name in ("name", "description", "type", "workspace", "targets"):
        assert_marked(variables[f"scanner_{name}"])
    assert_marked(variables)


# objects that a release of ansible-core reads as another value than a dictionary: from 2.19 on even as a template
OBJECTS = [
    {"__ansible_type": "_AnsibleTaggedStr", "value": TEMPLATE, "tags": [{"__ansible_type": "TrustedAsTemplate"}]},
    {"__ansible_type": "AnsibleSerializableDate", "iso8601": "2024-05-17"},
    {"__ansible_type": "none of ansible-core"},
    {"__ansible_unsafe": TEMPLATE},
    {"__ansible_vault": "$ANSIBLE_VAULT;1.1;AES256\n6161\n"},
]


def cached_file(service, tmp_path):
    kept = {"cache": True, "cache_plugin": "ansible.builtin.jsonfile", "cache_connection": str(tmp_path / "kept")}
    connection = {"base_url": service.base_url, "api_key": service.api_key}
    path = tmp_path / "text.targets.yml"
    path.write_text(json.dumps({"plugin": "scanops.scanner.targets", **connection, **kept}))
    return path


def read_hosts(path, field):
    """What a template makes of a field of the first target of each host."""
    loader = DataLoader()
    manager = InventoryManager(loader, [str(path)])
    variables = [VariableManager(loader, manager).get_vars(host=host) for host in manager.get_hosts("all")]
    return [
        ansible.template.Templar(loader, each).template(trusted("{{ scanner_targets }}"))[0][field]
        for each in variables
    ]


@pytest.mark.parametrize("number", range(len(OBJECTS)))
def test_an_object_of_the_service_stays_an_object_in_the_cache(service, tmp_path, number):
    service.add(targets=[{"id": 1001, "name": "a.example"}])
    row = {"id": 1001, "name": "a.example", "type": "hostname", "description": "", "workspace_id": 1}
    body = {"data": [{**row, "extra": {"x": [OBJECTS[number]]}}]}
    service.fault(method="GET", path="/targets", action="status", status=200, body=body, times=1)
    path = cached_file(service, tmp_path)
    cold = read_hosts(path, "extra")
    service.clear_log()
    warm = read_hosts(path, "extra")
    assert service.calls() == []
    read = json.loads(json.dumps(cold).replace("___ansible", "__ansible"))
    assert (read, warm) == ([{"x": [OBJECTS[number]]}], cold)


@pytest.mark.parametrize("number", range(len(OBJECTS)))
def test_no_object_in_the_file_of_the_cache_is_a_value_of_ansible(service, tmp_path, number):
    service.add(targets=[{"id": 1001, "name": "a.example", "description": "plain"}])
    path = cached_file(service, tmp_path)
    manager = InventoryManager(DataLoader(), [str(path)])
    (kept,) = (tmp_path / "kept").iterdir()
    content = kept.read_text()
    for depth in range(3):
        # a text in JSON that is a text in JSON
        found, written = (json.dumps(each) for each in ("plain", OBJECTS[number]))
        for _time in range(depth):
            found, written = json.dumps(found)[1:-1], json.dumps(written)[1:-1]
        kept.write_text(content.replace(found, written))
        loader = DataLoader()
        manager = InventoryManager(loader, [str(path)])
        (host,) = manager.get_hosts("all")
        variables = VariableManager(loader, manager).get_vars(host=host)
        shown = ansible.template.Templar(loader, variables).template(trusted("{{ scanner_description }}"))
        # another entry is read again
        assert shown in ("plain", TEMPLATE)


def test_a_trusted_text_in_the_file_of_the_cache_is_not_trusted(service, tmp_path):
    service.add(targets=[{"id": 1001, "name": "a.example", "description": "plain"}])
    path = cached_file(service, tmp_path)
    read_hosts(path, "description")
    (kept,) = (tmp_path / "kept").iterdir()
    file = json.loads(kept.read_text())
    entry = json.loads(file.get("__payload__", "{}")) or file
    for name, text in entry.items():
        entry[name] = {**OBJECTS[0], "value": text.replace("plain", TEMPLATE)}
    kept.write_text(json.dumps({"__payload__": json.dumps(entry)} if "__payload__" in file else entry))
    service.clear_log()
    # before ansible-core 2.19 it is no text, and is read again
    assert read_hosts(path, "description") == (["plain"] if service.calls() else [TEMPLATE])


def test_names_that_a_path_or_a_shell_would_take_for_its_own(service, parse, trap):
    service.add(
        targets=[{"name": name} for name in ("$(reboot)", "a;b", "~root", "c,d", "e*", "!f", "[1:3]", "\x1b[31mg")]
    )
    assert list(parse().hosts) == ["__reboot_", "a_b", "_root", "c_d", "e_", "_f", "_1:3_", "__31mg"]


def test_workspaces_with_odd_names(service, parse):
    service.add(workspaces=[{"name": "{{ 1 }}\n"}, {"name": "😀 ünïcode"}, {"name": "x" * 10_000}])
    assert list(parse().groups) == [
        "workspace_My_Workspace",
        "workspace____1____",
        "workspace___ünïcode",
        "workspace_" + "x" * 10_000,
    ]


def test_no_error_and_no_warning_is_a_command_of_a_pipeline(service, parse):
    evil = "##vso[x] ::error::y"
    service.reset(
        settings={"rate_limits": None},
        state={
            "workspaces": [{"id": 2, "name": evil}],
            "targets": [{"name": "localhost", "workspace_id": 2, "description": evil}],
        },
    )
    assert not parse().error
    inventory_loader.get("scanops.scanner.targets")._warn(evil)
    assert "# #vso[x] : :error: :y" in parse.warned
    service.fault(method="GET", path="/targets", action="status", status=400, message=evil, times=None)
    assert "# #vso[x] : :error: :y" in str(parse(cache=False).error)
    assert not [each for each in parse.warned if "##vso[" in each]
