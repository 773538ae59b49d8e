# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
name: targets
short_description: Targets of the security-scanning service as an inventory
description:
  - Makes an inventory host of each host name or IP address that the targets of the service have, in groups by workspace
    and by type.
  - The inventory file is YAML and its name ends in V(targets.yml) or V(targets.yaml).
  - Everything is read, filtered and named before the first host is added. Any error leaves the inventory as it was; an
    answer that is not whole is an error, never a shorter inventory.
  - Cost - 1 GET for the list of workspaces; for each workspace 1 GET for each 1,000 targets and 1 GET that finds the
    end of the list. 10,000 targets in one workspace are 12 calls. With a warm cache (O(cache=true)) it is none.
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
extends_documentation_fragment:
  - scanops.scanner.connection_plugin
  - ansible.builtin.constructed
  - ansible.builtin.inventory_cache
options:
  plugin:
    description: The name of this plugin, which marks the file as meant for it.
    type: str
    required: true
    choices: [scanops.scanner.targets]
  workspaces:
    description:
      - The names of the workspaces to read; letters count as written. Default - all that the key may see.
      - A name that no workspace has is an error that lists the names there are; so is a name that two workspaces have.
      - It saves calls - each workspace left out costs none.
    type: list
    elements: str
  type:
    description:
      - Only targets of this type. The service filters, so it can save calls.
    type: str
    choices: [hostname, ip_address, url]
  include:
    description:
      - Jinja conditions without braces, on the variables of one target (see the notes). A target is in when any of them
        holds, or none is given.
      - A condition that cannot be evaluated is an error whatever O(strict) says, since leaving it out would change
        which hosts a play runs on. From ansible-core 2.19 on a condition must give a boolean.
      - It costs no calls and saves none.
    type: list
    elements: str
    default: []
  exclude:
    description:
      - Jinja conditions as in O(include). A target for which any of them holds is out, even where one of O(include)
        holds.
    type: list
    elements: str
    default: []
  hostnames:
    description:
      - Jinja expressions without braces, as in O(compose), on the variables of one target (see the notes). The first
        that gives a text that is not empty, or a number, is the name of the host.
      - Default - what RV(ignore:ansible_host) is (see the notes), or the target's name where it holds no valid host
        name or IP address. No template is needed for it.
      - An expression that cannot be evaluated counts as one that gives no value, with O(strict=true) as an error. A
        target for which none gives a value is an error.
      - In host names every character but letters, digits, V(_), V(-), V(.), V(/) and V(:) becomes V(_), and so do a
        V(-), V(.) or V(/) at the beginning and path segments of dots. Two names that become one this way are an error.
      - A target whose host would be called like a group, or V(localhost), is left out with a warning; see the notes.
    type: list
    elements: str
    default: []
  duplicates:
    description:
      - What several targets of one host name do. That is common, as two URLs of a host give its name twice.
      - V(merge) - they are one host, in the groups of all of them. Its single variables are those of the target of the
        lowest id; all of them are in C(scanner_targets), ascending by id.
      - V(fail) - an error that lists the ids.
      - V(suffix) - a host for each; in ascending order of the id, all but the first get V(_2), V(_3) and so on.
    type: str
    choices: [merge, fail, suffix]
    default: merge
  hostvars_prefix:
    description:
      - What the names of the host variables begin with.
    type: str
    default: scanner_
  workspace_groups:
    description:
      - Whether there is a group for each workspace read, V(workspace_) and its name, with V(_) for each character that
        the name of a group cannot have. The group is there even if the workspace has no targets.
      - Two workspaces whose names come to one group are an error, unless this is V(false).
    type: bool
    default: true
  type_groups:
    description:
      - Whether there is a group for each type of target, V(type_hostname), V(type_ip_address) and V(type_url).
    type: bool
    default: true
  compose:
    description:
      - Variables to make of Jinja expressions, a dictionary from the variable's name to the expression. It costs no
        calls.
  groups:
    description:
      - Groups to make of Jinja conditions, a dictionary from the group's name to the condition. It costs no calls.
  keyed_groups:
    description:
      - Groups to make of the values of variables. It costs no calls.
  strict:
    description:
      - Whether an expression of O(compose), O(groups), O(keyed_groups) or O(hostnames) that cannot be evaluated is an
        error; it is skipped otherwise. Conditions of O(include) and O(exclude) always are.
  cache:
    description:
      - Whether what was read is kept, and read again from there without a call until O(cache_timeout).
      - An entry is used for the same inventory file, O(base_url), O(workspaces), O(type) and key only. It holds the
        rows of the service and neither the key nor another secret. A failed refresh leaves it as it was.
      - The task C(ansible.builtin.meta) with C(refresh_inventory), and C(ansible-playbook --flush-cache), read from the
        service again.
notes:
  - "Host variables: C(ansible_host), the host name or IP address in the target's name (of a URL its host without
    port), in lower case, without a trailing dot, in ASCII (IDNA); absent where the name holds no valid one.
    C(scanner_id), C(scanner_name), C(scanner_type), C(scanner_description), C(scanner_workspace) (its name) and
    C(scanner_workspace_id), of the target of the lowest id. C(scanner_targets), a list of the records of all targets
    of the host, with the keys C(id), C(name), C(type), C(description), C(workspace), C(workspace_id) and what else the
    service gives. O(hostvars_prefix) changes C(scanner_) in all of them."
  - These variables, without C(scanner_targets) of other targets, are what O(include), O(exclude) and O(hostnames) see;
    O(compose), O(groups) and O(keyed_groups) see those of the host, with C(inventory_hostname) and C(group_names).
  - No object of the account changes where a play runs. Three kinds of objects are left out, with a warning that names
    them. A target that names the machine which uses the name, such as V(localhost), a loopback address or V(0.0.0.0).
    A host that would be called like a group (V(all) and V(ungrouped) included) or like the implicit V(localhost),
    V(127.0.0.1) or V(::1). A group that would be called like a host of another source.
  - A host that another source has defined keeps its address, unless O(compose) sets C(ansible_host).
  - Text from the service is data. It is never templated, on no release of ansible-core, nor is what O(compose) makes
    of it. C(ansible-inventory --list) prints such text as a dictionary with the key C(__ansible_unsafe), from
    ansible-core 2.19 on all of it, before that only text that could be a template.
  - Every option but the expressions may be a template, which sees extra variables (C(-e)) only.
  - An option that this plugin does not know is an error, so that a slip of the pen does not widen the inventory. So is
    null for O(workspaces), O(type), O(include), O(exclude) and O(hostnames), as an unset variable gives it.
  - When an inventory fails, ansible-core warns and goes on without it. Set C(any_unparsed_is_failed=true) in the
    section C([inventory]) of C(ansible.cfg), or the environment variable
    C(ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED=true), so that no play runs on a part of your hosts.
  - At C(-vv) and above the calls are shown.
seealso:
  - module: scanops.scanner.target
  - module: scanops.scanner.target_info
"""

EXAMPLES = r"""
---
# first.targets.yml: all targets. The address and the key come from the environment variables SCANNER_BASE_URL and
# SCANNER_API_KEY. Look at it with: ansible-inventory -i first.targets.yml --graph
plugin: scanops.scanner.targets

# shop.targets.yml: two workspaces, with a key that ansible-vault encrypt_string has encrypted.
#
#   plugin: scanops.scanner.targets
#   base_url: https://scanner.example.com/api/v2
#   api_key: !vault |
#     $ANSIBLE_VAULT;1.1;AES256
#     63316132313265383364623962346236663439666364376139376465636236383636353138356562
#     3631333439313333396236323062613363633634626636350a393631333230393835616132363164
#     36303539323466613938383833376131386237386662336565663833386563363238613730653032
#     3336663664326135370a663561336337666134366436353335323434626139376134313565323030
#     3133
#   workspaces:
#     - Web shop
#     - Back office

# hosts.targets.yml: hosts without what is parked, with a variable and groups of their own. The key is a template, here
# of an extra variable: ansible-playbook -i hosts.targets.yml -e @secrets.yml site.yml
#
#   plugin: scanops.scanner.targets
#   base_url: https://scanner.example.com/api/v2
#   api_key: "{{ vault_scanner_api_key }}"
#   type: hostname
#   exclude:
#     - "'parked' in scanner_description"
#   compose:
#     owner: scanner_description | regex_findall('owner=([a-z]+)') | first
#   keyed_groups:
#     - key: owner
#       prefix: owner
#   groups:
#     production: scanner_workspace is search('Production')

# urls.targets.yml: each URL is a host of its own, and the list is kept for half an hour.
#
#   plugin: scanops.scanner.targets
#   type: url
#   hostnames:
#     - scanner_name
#   duplicates: fail
#   cache: true
#   cache_plugin: ansible.builtin.jsonfile
#   cache_connection: ~/.cache/ansible-inventory
#   cache_timeout: 1800
"""

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from difflib import get_close_matches

import ansible.constants as C
from ansible.errors import AnsibleError, AnsibleParserError
from ansible.module_utils.common.text.converters import to_native
from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.inventory import BaseInventoryPlugin, Cacheable, Constructable
from ansible.utils.vars import combine_vars
from ansible_collections.scanops.scanner.plugins.module_utils._border import Border, refuse_depth
from ansible_collections.scanops.scanner.plugins.module_utils._client import Client
from ansible_collections.scanops.scanner.plugins.module_utils._contents import Contents
from ansible_collections.scanops.scanner.plugins.module_utils._earned import InWorkspace, earned
from ansible_collections.scanops.scanner.plugins.module_utils._errors import (
    ConfigurationError,
    Refused,
    ScannerError,
    printable,
)
from ansible_collections.scanops.scanner.plugins.module_utils._gate import Gate
from ansible_collections.scanops.scanner.plugins.module_utils._lookup import what_there_is
from ansible_collections.scanops.scanner.plugins.module_utils._options import CONNECTION_OPTIONS, connection_from
from ansible_collections.scanops.scanner.plugins.module_utils._resources import TARGET, WORKSPACE, is_row, record_of
from ansible_collections.scanops.scanner.plugins.module_utils._transport import Transport, missing_requests
from ansible_collections.scanops.scanner.plugins.plugin_utils._hosts import (
    address_of,
    group_names,
    hosts_of,
    is_this_machine,
)
from ansible_collections.scanops.scanner.plugins.plugin_utils._plan import Plan
from ansible_collections.scanops.scanner.plugins.plugin_utils._unsafe import unsafe

try:
    # from ansible-core 2.22 on what is registered is masked wherever ansible-core shows it
    from ansible.module_utils.secrets import register_secrets
except ImportError:
    register_secrets = None

# of what the cache holds; part of the key of its entries
CACHE_FORMAT = 1

# the families whose records are read and kept
READ = (WORKSPACE, TARGET)

# the fields of a record that become a host variable each
FIELDS = ("id", "name", "type", "description", "workspace", "workspace_id")

# options that choose the hosts or name them, so that their null would widen the inventory
SELECTIONS = ("workspaces", "type", "include", "exclude", "hostnames")

# options that hold expressions for each host; all others may be a template themselves
EXPRESSION_LISTS = ("include", "exclude", "hostnames")
EXPRESSIONS = (*EXPRESSION_LISTS, "compose", "groups", "keyed_groups")


class InventoryModule(BaseInventoryPlugin, Constructable, Cacheable):
    NAME = "scanops.scanner.targets"

    def verify_file(self, path):
        return super().verify_file(path) and path.endswith(("targets.yml", "targets.yaml"))

    def parse(self, inventory, loader, path, cache=True):
        super().parse(inventory, loader, path, cache)
        try:
            self._read_config_data(path)
            self._check_options()
            plan = self._plan(*self._contents(path, cache))
            plan.into(inventory)
        except (AnsibleError, ScannerError) as error:
            raise AnsibleParserError(to_native(error)) from None

    # --- options ---

    def set_options(self, task_keys=None, var_options=None, direct=None):
        given = {name: self._given(name, value) for name, value in (direct or {}).items()}
        for name, value in given.items():
            if value is None and name in SELECTIONS:
                raise ConfigurationError(
                    f"{name} is null, as an unset variable is: give a value, or leave the option out."
                )
        given = {name: value for name, value in given.items() if value is not None}
        for name, entry in CONNECTION_OPTIONS.items():
            variable = entry["fallback"][1][0]
            if entry.get("required") and name not in given and variable not in os.environ:
                raise ConfigurationError(
                    f"{name} is not set: set it in the inventory file or in the environment variable {variable}."
                )
        try:
            super().set_options(task_keys, var_options, given)
        except AnsibleError as error:
            raise ConfigurationError(
                f"An option has a value that it cannot have: {_reason(error)}; correct it."
            ) from None
        for name in given:
            if name not in self._options:
                near = get_close_matches(name, self._options, 1)
                meant = f", {near[0]} perhaps" if near else ""
                raise ConfigurationError(f"{name} is no option of {self.NAME}: correct its name{meant}, or remove it.")

    def _given(self, name, value):
        """The value of an option as it stands in the file, its template replaced."""
        if value is None:
            return None
        if name in EXPRESSION_LISTS and isinstance(value, str):
            # ansible-core would cut it at its commas
            return [value]
        if name in EXPRESSIONS:
            return value
        self.templar.available_variables = self._vars
        try:
            value = self.templar.template(value)
        except AnsibleError as error:
            raise ConfigurationError(f"{name} cannot be read: {_reason(error)}; correct its template.") from None
        if CONNECTION_OPTIONS.get(name, {}).get("no_log") and isinstance(value, (Mapping, list, tuple)):
            # ansible-core would quote it
            raise ConfigurationError(f"{name} is a list or a dictionary: give one text.")
        choices = self.option_definitions.get(name, {}).get("choices")
        if choices and value not in choices:
            raise ConfigurationError(f"{name} is {printable(value)!r}: set it to {' or '.join(choices)}.")
        return value

    def _check_options(self):
        if self.get_option("workspaces") == []:
            raise ConfigurationError(
                "workspaces is an empty list: name the workspaces, or leave the option out to read all of them."
            )
        prefix = self.get_option("hostvars_prefix")
        if not (f"{prefix}id".isidentifier() and prefix.isascii()):
            raise ConfigurationError(
                f"hostvars_prefix is {printable(prefix)!r}, with which no variable name begins: use ASCII letters, digits"
                " and _, as in scanner_."
            )
        missing = missing_requests()
        if missing:
            raise ConfigurationError(
                f"The Python that runs Ansible, {sys.executable}, lacks {missing}: install it there with pip."
            )

    # --- what the service has ---

    def _contents(self, path, cache):
        """(workspaces, targets), lists of records: from the cache, or else from the service."""
        connection = connection_from({name: self.get_option(name) for name in CONNECTION_OPTIONS})
        if register_secrets is not None:
            register_secrets(filter(None, (connection.api_key, connection.proxy)))
        if not self.get_option("cache"):
            return self._read(connection)
        key = self._cache_entry(path, connection)
        kept = self._kept(key, Border(connection.api_key)) if cache else None
        if kept is None:
            workspaces, targets = self._read(connection)
            self._cache[key] = kept = {"workspaces": workspaces, "targets": targets}
        return kept["workspaces"], kept["targets"]

    def _kept(self, key, border):
        """What an entry of the cache holds, which passes the border as an answer does; None where it cannot be used."""
        try:
            kept = self._cache[key]
            refuse_depth(kept)
            workspaces, targets = (_records(resource, border.value(kept[resource.plural])) for resource in READ)
        except Exception:
            # it does not exist, or it is broken, which the releases of ansible-core report in different ways
            return None
        known = {workspace["id"] for workspace in workspaces}
        if not all(target["workspace_id"] in known for target in targets):
            return None
        return {"workspaces": workspaces, "targets": targets}

    def _cache_entry(self, path, connection):
        """The key of the entry: ansible-core's, which knows the path only, and a digest of what decides on the rows."""
        asked = self.get_option("workspaces")
        # another key may be another account; 64 bits of a digest of it all do not give it away
        deciding = [
            CACHE_FORMAT,
            connection.base_url,
            connection.api_key,
            asked and sorted(asked),
            self.get_option("type"),
        ]
        digest = hashlib.sha256(json.dumps(deciding).encode()).hexdigest()
        return f"{self.get_cache_key(path)}_{digest[:16]}"

    def _read(self, connection):
        transport = Transport(connection)
        kind = self.get_option("type")
        try:
            client = Client(transport, Gate(closed="an inventory only reads"))
            everywhere = client.all(WORKSPACE)
            workspaces = _chosen(everywhere, self.get_option("workspaces"))
            wanted = [(workspace["id"], TARGET) for workspace in workspaces]
            contents = Contents(client, wanted, everywhere, filters={"type": kind} if kind else None)
            targets = {}
            for workspace in workspaces:
                for row in earned(InWorkspace, contents[TARGET, workspace["id"]]):
                    # a service that ignores the filter must not bring in targets that were not asked for
                    if kind is None or row["type"] in (None, kind):
                        targets[row["id"]] = dict(row, workspace_id=workspace["id"])
        finally:
            for call in transport.calls:
                self.display.vv(f"{self.NAME}: {call}")
            transport.close()
        return workspaces, [targets[target_id] for target_id in sorted(targets)]

    # --- what comes of it ---

    def _plan(self, workspaces, targets):
        """The Plan of the inventory. Whatever can be wrong is found here, before anything is added."""
        names = {workspace["id"]: workspace["name"] for workspace in workspaces}
        records = [unsafe(dict(row, workspace=names[row["workspace_id"]])) for row in targets]
        addresses = {record["id"]: address_of(record["name"]) for record in records}
        hosts = hosts_of(self._named(records, addresses), self.get_option("duplicates"))
        plan = Plan()
        for name, own in hosts.items():
            plan.hosts[name] = self._variables(own, addresses[own[0]["id"]])
        self._group(plan, "workspace", names.values(), hosts)
        self._group(plan, "type", {record["type"]: None for record in records if record["type"]}, hosts)
        self._construct(plan)
        self._drop_confusion(plan, hosts)
        return plan

    def _variables(self, records, address):
        prefix = self.get_option("hostvars_prefix")
        first = records[0]
        variables = {prefix + field: first[field] for field in FIELDS}
        variables[f"{prefix}targets"] = records
        if address:
            variables["ansible_host"] = address
        return variables

    def _named(self, records, addresses):
        """(what the host shall be called, record) of the targets that are in."""
        include, exclude = self.get_option("include"), self.get_option("exclude")
        hostnames = self.get_option("hostnames")
        for record in records:
            address = addresses[record["id"]]
            if include or exclude or hostnames:
                variables = self._variables([record], address)
                if include and not self._any_holds("include", variables, record):
                    continue
                if self._any_holds("exclude", variables, record):
                    continue
            if is_this_machine(address):
                self.display.warning(
                    f"The {_target(record)}, is no host of this inventory: a play on it would run on this machine. Name it"
                    " in exclude to be without this warning."
                )
                continue
            yield self._name(variables, record) if hostnames else str(address or record["name"]), record

    def _any_holds(self, option, variables, record):
        if self.get_option("use_extra_vars"):
            variables = combine_vars(variables, self._vars)
        self.templar.available_variables = variables
        for condition in self.get_option(option):
            try:
                if self._holds(condition):
                    return True
            except Exception as error:
                raise Refused(
                    f"{option} has a condition that cannot be evaluated for {_target(record)}, {printable(condition)!r}:"
                    f" {_reason(error)}; correct it."
                ) from None
        return False

    def _holds(self, condition):
        if hasattr(self.templar, "evaluate_conditional"):
            return self.templar.evaluate_conditional(condition)
        return boolean(self.templar.template(f"{{% if {condition} %}}true{{% else %}}false{{% endif %}}"))

    def _name(self, variables, record):
        reason = ""
        for expression in self.get_option("hostnames"):
            try:
                value = self._compose(expression, variables)
            except Exception as error:
                reason = f", the last because of: {_reason(error)}"
                if self.get_option("strict"):
                    raise Refused(
                        f"hostnames has an expression that cannot be evaluated for {_target(record)},"
                        f" {printable(expression)!r}: {_reason(error)}; correct it, or leave strict out."
                    ) from None
                continue
            if isinstance(value, (str, int)) and not isinstance(value, bool) and str(value).strip():
                return str(value)
        raise Refused(
            f"hostnames gives {_target(record)} no name{reason}; add an expression that gives every target one, such as"
            f" {self.get_option('hostvars_prefix')}name, or exclude the target."
        )

    def _drop_confusion(self, plan, records):
        """Leave out, with a warning each, what would change where plays on other hosts and groups run."""
        hosts, groups = plan.without_confusion(self.inventory, C.LOCALHOST)
        for name in groups:
            self.display.warning(
                f"The group {name!r} is left out of this inventory: a host has this name, and plays on that host would run"
                " on the group. Build the group with another prefix."
            )
        for name in hosts:
            called = "the machine on which Ansible runs" if name in C.LOCALHOST else "a group"
            self.display.warning(
                f"The {_target(records[name][0])}, is no host of this inventory: it would be called {name!r}, as {called}"
                " is. Set hostnames so that it is called otherwise, or exclude it."
            )
        for name, variables in plan.hosts.items():
            self._keep_address(name, variables, records[name][0])

    def _keep_address(self, name, variables, record):
        """Leave the address of a host that another source has defined as it is."""
        earlier = self.inventory.hosts.get(name)
        if earlier is None or "ansible_host" not in variables or "ansible_host" in (self.get_option("compose") or {}):
            return
        address = variables.pop("ansible_host")
        kept = earlier.get_vars().get("ansible_host", name)
        if kept != address:
            self.display.warning(
                f"The host {name!r} of another source keeps its address, and does not get {address!r} from the"
                f" {_target(record)}."
            )

    def _group(self, plan, field, texts, hosts):
        """Add the default groups of a field of the records, in the order of the texts."""
        option = f"{field}_groups"
        if not self.get_option(option):
            return
        groups = group_names(f"{field}_", texts, self._sanitize_group_name, option)
        for group in groups.values():
            plan.add_group(group)
        for name, records in hosts.items():
            for record in records:
                if record[field] in groups:
                    plan.groups[groups[record[field]]][name] = None

    def _construct(self, plan):
        """Add to the plan what compose, groups and keyed_groups make of it."""
        compose, groups, keyed_groups = (self.get_option(name) for name in ("compose", "groups", "keyed_groups"))
        if not (compose or groups or keyed_groups):
            return
        strict = self.get_option("strict")
        member_of = {name: [] for name in plan.hosts}
        for group, hosts in plan.groups.items():
            for name in hosts:
                member_of[name].append(group)
        inventory, self.inventory = self.inventory, plan
        try:
            for name, variables in plan.hosts.items():
                earlier = inventory.hosts.get(name)
                known = earlier.get_vars() if earlier else {}
                known.update(variables, inventory_hostname=name, group_names=sorted(member_of[name]))
                self._set_composite_vars(compose, known, name, strict)
                known = {**known, **variables}
                self._add_host_to_composed_groups(groups, known, name, strict, fetch_hostvars=False)
                self._add_host_to_keyed_groups(keyed_groups, known, name, strict, fetch_hostvars=False)
        finally:
            self.inventory = inventory


def _chosen(workspaces, asked):
    """The workspaces of these names, or all of them."""
    if asked is None:
        return list(workspaces)
    chosen = {}
    for name in map(str, asked):
        found = [workspace for workspace in workspaces if workspace["name"] == name]
        if not found:
            raise Refused(
                f"workspaces has a name that no workspace has, {printable(name)!r}: {what_there_is(workspaces)}; correct"
                " the name."
            )
        if len(found) > 1:
            ids = ", ".join(str(workspace["id"]) for workspace in found)
            raise Refused(
                f"workspaces has a name that {len(found)} workspaces have, {printable(name)!r}, with the ids {ids}: rename"
                " one of them, or leave workspaces out."
            )
        chosen[found[0]["id"]] = found[0]
    return list(chosen.values())


def _records(resource, rows):
    """The records of a list that was kept. Raises ValueError where it is none."""
    if not isinstance(rows, list) or not all(is_row(resource, row) for row in rows):
        raise ValueError
    return [record_of(resource, row) for row in rows]


def _target(record):
    return f"target {record['id']}, {printable(record['name'], 100)!r}"


def _reason(error):
    """Why a template failed, without the template that some releases of ansible-core quote."""
    return printable(to_native(error).split(" String: ")[0]).rstrip(".")
