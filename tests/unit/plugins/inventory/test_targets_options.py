# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Options of the inventory plugin: where they come from, what is refused and how."""

from __future__ import annotations

import inspect
import sys

import pytest
import yaml
from ansible.plugins.loader import inventory_loader
from ansible_collections.scanops.scanner.plugins.doc_fragments.connection_plugin import ModuleDocFragment
from ansible_collections.scanops.scanner.plugins.module_utils._model.families import TARGET_TYPES
from ansible_collections.scanops.scanner.plugins.module_utils._task.connection_options import (
    INVENTORY_OPTIONS,
    VARIABLES,
)

DOCUMENTED = yaml.safe_load(ModuleDocFragment.DOCUMENTATION)["options"]


def test_the_documented_connection_is_that_of_the_modules():
    assert {
        name: (entry["type"], entry.get("default"), entry.get("required", False), [env["name"] for env in entry["env"]])
        for name, entry in DOCUMENTED.items()
    } == {
        name: (entry["type"], entry.get("default"), entry.get("required", False), [VARIABLES[name]])
        for name, entry in INVENTORY_OPTIONS.items()
    }


def test_the_documented_types_are_those_of_the_table():
    plugin = inventory_loader.get("scanops.scanner.targets")
    assert plugin.option_definitions["type"]["choices"] == list(TARGET_TYPES)


def test_the_example_is_a_complete_inventory_file():
    plugin = inventory_loader.get("scanops.scanner.targets")
    # one document, as the sanity tests of ansible-core 2.16 demand
    example = yaml.safe_load(inspect.getmodule(type(plugin)).EXAMPLES)
    assert example["plugin"] == "scanops.scanner.targets"
    assert set(example) <= set(plugin.option_definitions)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("targets.yml", True),
        ("shop.targets.yaml", True),
        ("mytargets.yml", True),
        ("targets.json", False),
        ("targets.yml.bak", False),
        ("target.yml", False),
    ],
)
def test_names_of_inventory_files(tmp_path, name, wanted):
    (tmp_path / name).write_text("---\n")
    plugin = inventory_loader.get("scanops.scanner.targets")
    assert plugin.verify_file(str(tmp_path / name)) is wanted
    assert plugin.verify_file(str(tmp_path / "missing" / name)) is False


def test_the_connection_comes_from_the_environment(service, parse, monkeypatch):
    service.add(targets=[{"name": "a.example"}])
    monkeypatch.setenv("SCANNER_BASE_URL", service.base_url)
    monkeypatch.setenv("SCANNER_API_KEY", service.api_key)
    assert list(parse(base_url=..., api_key=...).hosts) == ["a.example"]
    # an option that is left empty is one left out
    assert list(parse(base_url=None, api_key=None).hosts) == ["a.example"]


def test_an_option_that_is_left_empty_is_one_left_out(parse):
    assert parse(duplicates=None, groups=None, timeout=None).error is None
    assert "base_url is not set" in parse(base_url=None).error


def test_options_may_be_templates(service, parse, monkeypatch):
    service.add(targets=[{"name": "a.example"}, {"name": "https://b.example"}])
    monkeypatch.setenv("MY_KEY", service.api_key)
    monkeypatch.setattr(
        "ansible.plugins.inventory.load_extra_vars",
        lambda loader: {"mine": "My", "port": service.base_url.split(":")[2].split("/")[0]},
    )
    text = """
plugin: scanops.scanner.targets
base_url: "http://127.0.0.1:{{ port }}/api/v2"
api_key: "{{ lookup('ansible.builtin.env', 'MY_KEY') }}"
timeout: "{{ 20 + 2 }}"
retries: "{{ 1 }}"
validate_certs: "{{ true }}"
workspaces: ["{{ mine }} Workspace"]
type: "{{ 'url' }}"
hostvars_prefix: "{{ 'x' }}_"
workspace_groups: "{{ false }}"
"""
    # what the loader gives as trusted text in a run is trusted here as well, as the file is read by the same loader
    inventory = parse(text=text)
    assert inventory.error is None
    assert inventory.hosts["b.example"]["x_type"] == "url"
    assert list(inventory.groups) == ["type_url"]


def test_text_of_the_environment_is_no_template(service, parse, monkeypatch):
    monkeypatch.setenv("SCANNER_API_KEY", "{{1+1}}")
    service.allow_violations = True
    assert "401" in parse(api_key=...).error
    assert service.log()[0]["authorization"] == "wrong"


BAD = {
    "no address": (dict(base_url=...), "base_url is not set: set it in the inventory file or in the environment"),
    "no key": (dict(api_key=...), "api_key is not set: set it in the inventory file or in the environment"),
    "key as a list": (dict(api_key=["unmistakable-secret"]), "api_key is a list or a dictionary: give a string."),
    "key as a dictionary": (dict(api_key={"unmistakable-secret": 1}), "api_key is a list or a dictionary"),
    "proxy as a list": (dict(proxy=["http://user:unmistakable-secret@x:1"]), "proxy is a list or a dictionary"),
    "undefined key": (dict(api_key="{{ no_such_key }}"), "api_key cannot be read: "),
    "broken template": (dict(api_key="{{ 'unmistakable-secret' | no_such_filter }}"), "api_key cannot be read: "),
    "user info": (dict(base_url="https://me:unmistakable-secret@x.example/api/v2"), "base_url contains user info"),
    "plain http": (dict(base_url="http://192.0.2.1/api/v2"), "base_url 'http://192.0.2.1/api/v2' would send api_key"),
    "text for a number": (dict(timeout="soon"), "An option has an invalid value: "),
    "unknown type": (dict(type="domain"), "type is 'domain': set it to hostname or ip_address or url."),
    "unknown choice": (dict(duplicates="keep"), "duplicates is 'keep': set it to merge or fail or suffix."),
    "prefix of no variable": (
        dict(hostvars_prefix="my-"),
        "hostvars_prefix is 'my-', with which no variable name can begin",
    ),
    "prefix of other letters": (
        dict(hostvars_prefix="é_"),
        "hostvars_prefix is 'é_', with which no variable name can begin",
    ),
    "no workspaces": (dict(workspaces=[]), "workspaces is an empty list"),
    "unknown option": (
        dict(workspace="A"),
        "workspace is not an option of scanops.scanner.targets: correct its name (perhaps workspaces",
    ),
    "unlike any option": (
        dict(zzz=1),
        "zzz is not an option of scanops.scanner.targets: correct its name, or remove it.",
    ),
    "other plugin": (dict(plugin="scanops.scanner.other"), "scanops.scanner.other"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_sentence_and_no_call(service, parse, case):
    options, sentence = BAD[case]
    inventory = parse(**options)
    assert sentence in inventory.error
    assert "\n" not in inventory.error
    assert "unmistakable-secret" not in inventory.error
    assert service.calls() == []
    assert inventory.hosts == {} and inventory.groups == {}


@pytest.mark.parametrize("name", ["workspaces", "type", "include", "exclude", "hostnames"])
def test_a_null_does_not_widen_the_inventory(service, parse, name):
    inventory = parse(**{name: None})
    assert (
        f"{name} is null, probably because a variable is unset: give a value, or leave the option out."
        in inventory.error
    )
    assert service.calls() == []
    assert inventory.hosts == {}


@pytest.mark.parametrize("text", ["", "---\n", "plugin: scanops.scanner.targets\n  x: ]\n"])
def test_a_file_that_is_no_inventory(parse, text):
    assert parse(text=text).error


def test_an_unknown_workspace_lists_what_there_is(service, parse):
    service.add(workspaces=[{"name": "Web shop"}])
    inventory = parse(workspaces=["Web shop", "web shop"])
    assert (
        "no workspace has, 'web shop': the account has 'My Workspace', 'Web shop'; correct the name." in inventory.error
    )
    assert service.calls() == ["GET /workspaces"]
    assert inventory.groups == {}


def test_two_workspaces_of_one_name(service, parse):
    service.add(workspaces=[{"id": 7, "name": "Twin"}, {"id": 9, "name": "Twin"}])
    service.add(targets=[{"name": "a.example", "workspace_id": 7}, {"name": "b.example", "workspace_id": 9}])
    assert (
        "workspaces 'Twin' names 2 workspaces, with the ids 7, 9: rename or delete all but one of them"
        in parse(workspaces=["Twin"]).error
    )
    # nobody asked for one of them, and the group is of that name
    assert parse().groups["workspace_Twin"] == ["a.example", "b.example"]


def test_a_number_may_be_the_name_of_a_workspace(service, parse):
    service.add(workspaces=[{"name": "2024"}])
    assert parse(workspaces=[2024]).groups == {"workspace_2024": []}


def test_a_proxy_and_plain_http(service, parse):
    proxy = service.base_url.removesuffix("/api/v2")
    options = dict(base_url="http://scanner.example.com/api/v2", proxy=proxy)
    assert "allow_http" in parse(**options).error
    assert parse(allow_http=True, **options).error is None
    assert {entry["proxied"] for entry in service.log()} == {True}


def test_the_python_library_is_missing(parse, monkeypatch):
    module = type(inventory_loader.get("scanops.scanner.targets")).__module__
    monkeypatch.setattr(sys.modules[module], "missing_requests", lambda: "requests >= 2.31 (found 2.20.0)")
    error = parse().error
    assert "requests >= 2.31 (found 2.20.0): install it there with pip." in error
