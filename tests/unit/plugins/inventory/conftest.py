# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import os

import pytest
from ansible.errors import AnsibleParserError
from ansible.inventory.data import InventoryData
from ansible.parsing.dataloader import DataLoader
from ansible.plugins.loader import inventory_loader
from ansible.utils.display import Display
from ansible_collections.scanops.scanner.plugins.module_utils._http.transport import Transport
from ansible_collections.scanops.scanner.tests.unit.collection_loader import install_collection_loader


@pytest.fixture(scope="session", autouse=True)
def _collection_loader():
    install_collection_loader()


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch):
    """Nothing of the machine's environment reaches the plugin."""
    for name in [name for name in os.environ if name.startswith(("SCANNER_", "ANSIBLE_INVENTORY", "ANSIBLE_CACHE"))]:
        monkeypatch.delenv(name)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NETRC"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


class Parsed:
    """What the plugin made of an inventory file. hosts: variables by host; groups: hosts by group; error: str or None."""

    def __init__(self, data, error):
        self.data = data
        self.error = error

    @property
    def hosts(self):
        return {
            name: {key: value for key, value in host.vars.items() if key not in ("inventory_file", "inventory_dir")}
            for name, host in self.data.hosts.items()
        }

    @property
    def groups(self):
        return {
            name: [host.name for host in group.hosts]
            for name, group in self.data.groups.items()
            if name not in ("all", "ungrouped")
        }


@pytest.fixture
def parse(service, tmp_path, monkeypatch):
    """Parse an inventory file: parse(**options) gives a Parsed.

    base_url and api_key are set unless given; an option of `...` is left out. text: instead of the whole file; cache: what
    ansible-core says about the cache; data: an inventory of earlier sources; name: of the file.

    Whatever Ansible shows meanwhile, at the highest verbosity, must not hold the key. Retries are not waited for.
    """
    shown, warned = [], []
    display = Display()
    monkeypatch.setattr(display, "verbosity", 5)
    monkeypatch.setattr(display, "display", lambda msg, *args, **kwargs: shown.append(str(msg)))
    # a process shows the same warning once
    monkeypatch.setattr(display, "warning", lambda msg, *args, **kwargs: warned.append(str(msg)))
    monkeypatch.setattr(
        Transport.__init__, "__defaults__", (lambda seconds: None, *Transport.__init__.__defaults__[1:])
    )

    def run(text=None, cache=True, data=None, name="test.targets.yml", **options):
        path = tmp_path / name
        if text is None:
            connection = {"base_url": service.base_url, "api_key": service.api_key}
            given = {"plugin": "scanops.scanner.targets", **connection, **options}
            # JSON is YAML
            text = json.dumps({option: value for option, value in given.items() if value is not ...})
        path.write_text(text, encoding="utf-8")
        data = data or InventoryData()
        plugin = inventory_loader.get("scanops.scanner.targets")
        error = None
        try:
            plugin.parse(data, DataLoader(), str(path), cache=cache)
        except AnsibleParserError as caught:
            error = str(caught)
            assert service.api_key not in error
        else:
            if getattr(plugin, "_cache", None) is not None:
                plugin.update_cache_if_changed()
            data.reconcile_inventory()
        assert not [line for line in shown + warned if service.api_key in line]
        return Parsed(data, error)

    run.shown, run.warned = shown, warned
    return run


@pytest.fixture
def change_kept():
    """Change the account in a file of the cache: change_kept(path, change)."""

    def changed(path, change):
        kept = json.loads(path.read_text())
        account = json.loads((json.loads(kept["__payload__"]) if "__payload__" in kept else kept)["account"])
        change(account)
        entry = {"account": json.dumps(account)}
        path.write_text(json.dumps({"__payload__": json.dumps(entry)} if "__payload__" in kept else entry))

    return changed
