# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
name: targets
short_description: Use targets as inventory hosts
description:
  - Adds a host for each host name or IP address in the targets of the service, in groups by workspace and by type.
  - The inventory file is YAML, and its name ends in V(targets.yml) or V(targets.yaml).
  - Everything is read, filtered and named before the first host is added. Any error leaves the inventory unchanged. An
    incomplete answer is an error, never a shorter inventory.
  - Begin with O(workspaces) and O(findings), then O(stale_after), O(owners) and O(hostnames).
  - Cost - 1 GET, and for each workspace 1 GET for each 1,000 targets and 1 GET for the end of the list; none with a
    warm cache. With O(findings), for each workspace with targets also 1 GET for any number of findings, and the list of
    scans in the same way; and 1 GET for each of at most 4 scans of a target and tool of which an older scan found what
    the newest one does not have. See R(Cost in API calls,ansible_collections.scanops.scanner.docsite.guide_costs).
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
extends_documentation_fragment:
  - scanops.scanner.connection_plugin
  - ansible.builtin.constructed
  - ansible.builtin.inventory_cache
options:
  plugin:
    description: The name of this plugin. It marks the file as an inventory source for it.
    type: str
    required: true
    choices: [scanops.scanner.targets]
  workspaces:
    description:
      - The names of the workspaces to read. They must match exactly. If not set, all workspaces that the key can see
        are read.
      - A name that no workspace has is an error that lists the existing names. A name that two workspaces have is also
        an error.
      - Workspaces that are not read cost no calls.
    type: list
    elements: str
  type:
    description:
      - Read only targets of this type. The service filters, so this can save calls.
    type: str
    choices: [hostname, ip_address, url]
  include:
    description:
      - Jinja conditions without braces, on the variables of one target (see the notes). A target is included if any of
        them is true. If not set, all targets are included.
      - A condition that cannot be evaluated is always an error, regardless of O(strict), because ignoring it would
        change the hosts on which a play runs. On ansible-core 2.19 and later, a condition must return a boolean.
      - Conditions neither cost nor save calls.
    type: list
    elements: str
    default: []
  exclude:
    description:
      - Jinja conditions as in O(include). A target is excluded if any of them is true, even if O(include) includes it.
    type: list
    elements: str
    default: []
  hostnames:
    description:
      - Jinja expressions without braces, as in O(compose), on the variables of one target (see the notes). The first
        one that returns a number or a string that is not empty is the name of the host.
      - If not set, the name is RV(ignore:ansible_host) (see the notes), or the name of the target if it contains no
        valid host name or IP address. No expression is evaluated for this.
      - An expression that cannot be evaluated is skipped, or is an error with O(strict=true). A target for which no
        expression returns a name is an error.
      - In host names, every character but letters, digits, V(_), V(-), V(.), V(/) and V(:) becomes V(_). So do V(-),
        V(.) and V(/) at the beginning, and path segments of dots. If two names become equal this way, it is an error.
      - A target whose host would have the name of a group, the name V(localhost), or a name without letters and digits, is
        omitted with a warning. See the notes.
    type: list
    elements: str
    default: []
  findings:
    description:
      - Whether to read the findings and the scans of the workspaces. If so, the hosts have variables with the number of
        open findings, their CVE ids, and the age of their scans (see the notes), and the groups C(severity_unknown),
        C(severity_critical), C(severity_high), C(severity_medium), C(severity_low), C(severity_info) and
        C(never_scanned) exist.
      - A host is in the group of its worst open finding. The group C(severity_unknown) is the worst of them. It has the
        hosts with a finding whose severity is not known, and with a scan that does not say how many findings it has.
      - The group C(never_scanned) has the hosts with a target of which no scan has finished all of its tests.
      - Findings that may be incomplete are an error, and no host is added. More findings than a scan has counted only
        give a warning.
      - A finding that names a target, and a scan of another target, counts on the hosts of both.
    type: bool
    default: false
  stale_after:
    description:
      - The age of a scan, in seconds or as in V(12h) or V(7d). The group C(stale) has the hosts with a target without a
        finished scan of this age or less. It includes the hosts of C(never_scanned), and those whose scans do not say
        when they ended.
      - Scans must be recent enough by the service's clock and by that of the machine that runs Ansible.
      - If not set, there is no group C(stale). Requires O(findings=true).
    type: str
  owners:
    description:
      - The path of a YAML file that says which team owns which targets. Relative paths start at the working directory.
        The hosts, and the items of C(scanner_targets), have the variables C(team), C(contact) and C(channel), with the
        prefix of O(hostvars_prefix) on hosts. They are null without an owner. See
        R(the guide,ansible_collections.scanops.scanner.docsite.guide_gate.owners).
      - The file is read in each run, also with a warm cache. Targets without an owner give a warning.
      - If not set, the variables do not exist.
    type: path
  duplicates:
    description:
      - What to do with several targets of one host name. They are common, because two URLs of a host give the same
        name.
      - V(merge) - Create one host in the groups of all of them. Its single variables come from the target with the
        lowest id. C(scanner_targets) contains all of them, in the order of their ids.
      - V(fail) - Fail and list the ids.
      - V(suffix) - Create one host for each. In the order of the ids, all but the first have V(_2), V(_3) and so on
        appended to their names.
    type: str
    choices: [merge, fail, suffix]
    default: merge
  hostvars_prefix:
    description:
      - The prefix of the names of the host variables.
    type: str
    default: scanner_
  workspace_groups:
    description:
      - Whether to create a group for each workspace that is read, even if it has no targets. The group is named
        V(workspace_) and the name of the workspace, with V(_) for each character that is not valid in a group name.
      - If the names of two workspaces result in the same group, it is an error, unless this is V(false).
    type: bool
    default: true
  type_groups:
    description:
      - Whether to create a group for each type of target, V(type_hostname), V(type_ip_address) and V(type_url).
    type: bool
    default: true
  compose:
    description:
      - Variables to create from Jinja expressions, as a dictionary of variable names and expressions. It costs no
        calls.
  groups:
    description:
      - Groups to create from Jinja conditions, as a dictionary of group names and conditions. It costs no calls.
  keyed_groups:
    description:
      - Groups to create from the values of variables. It costs no calls.
  strict:
    description:
      - Whether an expression of O(compose), O(groups), O(keyed_groups) or O(hostnames) that cannot be evaluated is an
        error. By default, it is skipped. For conditions of O(include) and O(exclude) it is always an error.
  cache:
    description:
      - Whether to cache the data of the service, and use it without a call until O(cache_timeout).
      - An entry is used only for the same inventory file, O(base_url), O(workspaces), O(type), O(findings) and key. It
        contains the data of the service, and neither the key nor another secret. A failed refresh keeps the entry.
      - The task C(ansible.builtin.meta) with C(refresh_inventory), and C(ansible-playbook --flush-cache), read the
        service again.
notes:
  - "Host variables come from the target with the lowest id. C(ansible_host) is the host name or IP address in its name
    (for a URL, the host without the port), in lower case, without a trailing dot, in ASCII (IDNA). It is not set if the
    name contains no valid one. C(scanner_id), C(scanner_name), C(scanner_type), C(scanner_description),
    C(scanner_workspace) (a name) and C(scanner_workspace_id) are its fields."
  - C(scanner_targets) is a list of the records of all targets of the host, with the keys C(id), C(name), C(type),
    C(description), C(workspace), C(workspace_id), and every other field that the service returns. O(hostvars_prefix)
    changes C(scanner_) in all of these names.
  - With O(findings), C(scanner_findings) is a dictionary with the number of open findings of each severity,
    V(critical), V(high), V(medium), V(low), V(info) and V(unknown). C(scanner_worst) is the worst of these severities,
    C(scanner_cves) is a sorted list of the CVE ids of open findings. C(scanner_last_scan) is the time in UTC at which
    the last scan finished, and C(scanner_scan_age) is its age in seconds. The findings of several targets are added up,
    and the times are those of the target whose last scan is longest ago. The records in C(scanner_targets) have
    C(findings), C(cves) and C(last_scan) of their own.
  - Null never means zero. C(scanner_findings) is null if nothing was found and a target was never scanned, and
    C(scanner_worst) if there is no open finding. C(scanner_last_scan) and C(scanner_scan_age) are null if a target was
    never scanned, or if its scans do not say when they ended.
  - A finding is open unless its status is V(accepted), V(false_positive), V(fixed) or V(ignored), in any case. Any
    other status counts as open, and so does a missing one. As for M(scanops.scanner.gate), only the newest scan
    of each target and tool that finished all of its tests counts. Until one has, the newest one counts. A finding of
    two tools counts twice.
  - What an older finished scan found stays on the host if the newest one could not have seen it, because its parameters
    are narrower, as those of a light scan after a deep one. C(scanner_unseen) is a list of these findings, each with
    its C(severity), the C(scan_id) of the scan that saw it, and in C(seen) the time in UTC at which that scan ended.
  - O(include), O(exclude) and O(hostnames) see these variables for one target, without other targets in
    C(scanner_targets). O(compose), O(groups) and O(keyed_groups) see the variables of the host, with
    C(inventory_hostname) and C(group_names).
  - No object of the account can change where a play runs. Three kinds of objects are omitted, with a warning that names
    them. First, targets that lead to the local machine, such as V(localhost), a loopback address in any notation
    (V(127.0.0.1), V(127.1), V(2130706433)) or V(0.0.0.0), and hosts whose address from O(compose) does. An address that
    O(compose) gives as a literal string is used as it is. Second, hosts with the name of a group (including V(all) and
    V(ungrouped)) or of the implicit V(localhost), V(127.0.0.1) or V(::1). Third, groups with the name of a host from
    another source.
  - A host that another source has defined keeps its address, unless O(compose) sets C(ansible_host).
  - Text from the service is data. It is never templated, on any release of ansible-core, and neither is the result of
    O(compose). C(ansible-inventory --list) prints it as a dictionary with the key C(__ansible_unsafe). On ansible-core
    2.19 and later this applies to all text, before that only to text that could be a template.
  - Every option but the expressions can be a template. It can use only extra variables (C(-e)).
  - An unknown option is an error, so that a typo does not widen the inventory. So is null, such as from an undefined
    variable, for O(workspaces), O(type), O(include), O(exclude), O(hostnames), O(findings) and O(stale_after).
  - If an inventory fails, ansible-core warns and continues without it. To prevent a play from running on only some of
    your hosts, set C(any_unparsed_is_failed=true) in the section C([inventory]) of C(ansible.cfg), or set the
    environment variable C(ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED=true).
  - At C(-vv) and above, the calls are shown.
seealso:
  - module: scanops.scanner.target
  - module: scanops.scanner.target_info
"""

EXAMPLES = r"""
---
# shop.targets.yml: the host names of two workspaces that are not parked, with a variable and groups, read at most twice
# an hour. Show it with: ansible-inventory -i shop.targets.yml --graph
# The smallest file has only the line plugin. The guide Inventory has files for URLs, and for a key in a vault.
plugin: scanops.scanner.targets
# both can come from the environment variables SCANNER_BASE_URL and SCANNER_API_KEY instead
base_url: https://scanner.example.com/api/v2
api_key: "{{ lookup('ansible.builtin.file', '~/.scanner_key') }}"
workspaces:
  - Web shop
  - Back office
type: hostname
exclude:
  - "'parked' in scanner_description"
compose:
  owner: scanner_description | regex_findall('owner=([a-z]+)') | first
keyed_groups:
  - key: owner
    prefix: owner
groups:
  production: scanner_workspace is search('Production')
cache: true
cache_plugin: ansible.builtin.jsonfile
cache_connection: ~/.cache/ansible-inventory
cache_timeout: 1800
"""

import hashlib
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

import ansible.constants as C
from ansible.errors import AnsibleError, AnsibleParserError
from ansible.module_utils.common.text.converters import to_native
from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.inventory import BaseInventoryPlugin, Cacheable, Constructable
from ansible.utils.vars import combine_vars

from ..module_utils._evidence.host_findings import GROUPS, STALE, add_findings, groups_of, variables_of
from ..module_utils._evidence.owners import Owner, read_owners
from ..module_utils._http.client import Client
from ..module_utils._http.connection import Connection, missing_requests
from ..module_utils._http.redact import Redactor
from ..module_utils._http.transport import Transport
from ..module_utils._model.errors import Refused, ScannerError, WrongOption, harmless, printable
from ..module_utils._model.families import TARGET, WORKSPACE
from ..module_utils._model.inputs import needed_content_of
from ..module_utils._model.records import InWorkspace, Record, is_row, proven, record_of
from ..module_utils._model.strict_json import read_json
from ..module_utils._model.times import seconds_of
from ..module_utils._scope.permit import Permits
from ..module_utils._task.connection_options import (
    INVENTORY_OPTIONS,
    NEEDED,
    VARIABLES,
    connection_from,
    from_environment,
)
from ..module_utils._task.lookup import Contents, chosen_workspaces
from ..plugin_utils._hosts import Hosts, Plan, address_of, group_names, hosts_of, is_this_machine, safe_name
from ..plugin_utils._unsafe import unsafe

try:
    # ansible-core 2.22 and later mask a registered secret wherever they show it
    from ansible.module_utils.secrets import register_secrets
except ImportError:
    register_secrets = None

# the version of the cached data; part of the key of an entry
CACHE_FORMAT = 3

# the fields of a record that become host variables
FIELDS = ("id", "name", "type", "description", "workspace", "workspace_id")

# options that select or name the hosts, so that null would widen the inventory
SELECTIONS = ("workspaces", "type", "include", "exclude", "hostnames", "findings", "stale_after")

# options that contain expressions for each host; all others may be templates
EXPRESSION_LISTS = ("include", "exclude", "hostnames")
EXPRESSIONS = (*EXPRESSION_LISTS, "compose", "groups", "keyed_groups")


class Account(NamedTuple):
    """The part of the account that the inventory shows."""

    workspaces: list[Record]
    targets: list[Record]

    def records(self) -> list[Record]:
        """The targets, each with the name of its workspace, as host variables may hold them."""
        names = {workspace["id"]: workspace["name"] for workspace in self.workspaces}
        return [
            unsafe(
                dict(
                    target,
                    workspace=names[target["workspace_id"]],
                    # the name of a group
                    type=target["type"] if isinstance(target["type"], str) else None,
                )
            )
            for target in self.targets
        ]


# ansible-core has no types
class InventoryModule(BaseInventoryPlugin, Constructable, Cacheable):  # type: ignore[misc]
    """The inventory plugin."""

    NAME = "scanops.scanner.targets"
    inventory: Any

    def verify_file(self, path: str) -> bool:
        """Whether this plugin reads a file of this name."""
        return bool(super().verify_file(path)) and path.endswith(("targets.yml", "targets.yaml"))

    def parse(self, inventory: Any, loader: Any, path: str, cache: bool = True) -> None:
        """Add the hosts and groups of an inventory file to the inventory. Every error is found before the first host is
        added."""
        super().parse(inventory, loader, path, cache)
        try:
            self._read_config_data(path)
            self._check_options()
            account = self._account(path, cache)
            records, path_of_owners = account.records(), self.get_option("owners")
            if path_of_owners is not None:
                owners = read_owners(needed_content_of(path_of_owners, "owners"), path_of_owners)
                # other inventories may use the same file, so a pattern that matches nothing here is no typo
                for sentence in owners.warnings((record["name"] for record in records), complete=False):
                    self._warn(sentence)
                records = [{**record, **unsafe(owners.of(record["name"])._asdict())} for record in records]
            addresses = {record["id"]: address_of(record["name"]) for record in records}
            hosts = hosts_of(self._named(records, addresses), self.get_option("duplicates"))
            plan = Plan()
            for name, own in hosts.items():
                plan.hosts[name] = self._variables(own, addresses[own[0]["id"]])
            self._group(plan, hosts, "workspace", (workspace["name"] for workspace in account.workspaces))
            self._group(plan, hosts, "type", (record["type"] for record in records if record["type"]))
            if self.get_option("findings"):
                for group in GROUPS if self._stale_after is None else (*GROUPS, STALE):
                    plan.add_group(group)
                for name, own in hosts.items():
                    for group in groups_of(own, self._stale_after):
                        plan.groups[group][name] = None
            self._construct(plan)
            self._omit(plan, hosts)
            self._keep_addresses(plan, hosts)
            plan.into(inventory)
        except (AnsibleError, ScannerError) as error:
            raise AnsibleParserError(harmless(to_native(error))) from None

    # --- options ---

    def set_options(self, task_keys: Any = None, var_options: Any = None, direct: Any = None) -> None:
        """Set the options from the file and the environment. Raises WrongOption, without the value of a secret."""
        given = {name: self._given(name, value) for name, value in (direct or {}).items()}
        for name in SELECTIONS:
            if given.get(name, name) is None:
                raise WrongOption(
                    f"{name} is null, probably because a variable is unset: give a value, or leave the option out."
                )
        given = {name: value for name, value in given.items() if value is not None}
        for name, variable in NEEDED.items():
            if name not in given and not os.environ.get(variable):
                raise WrongOption(
                    f"{name} is not set: set it in the inventory file or in the environment variable {variable}."
                )
        wrong = from_environment(INVENTORY_OPTIONS, given, os.environ)[1]
        if wrong:
            raise WrongOption(wrong)
        try:
            super().set_options(task_keys, var_options, given)
        except AnsibleError as error:
            raise WrongOption(f"An option has an invalid value: {_reason(error)}; correct it.") from None
        for name, entry in INVENTORY_OPTIONS.items():
            if name not in given and os.environ.get(VARIABLES[name]) == "":
                # ansible-core takes an empty path for the present directory
                self._options[name] = entry.get("default")
        for name in given:
            if name not in self._options:
                near = get_close_matches(name, self._options, 1)
                meant = f" (perhaps {near[0]})" if near else ""
                raise WrongOption(f"{name} is not an option of {self.NAME}: correct its name{meant}, or remove it.")

    def _given(self, name: str, value: Any) -> Any:
        """The value of an option in the file, with its template replaced."""
        if value is None:
            return None
        if name in EXPRESSION_LISTS and isinstance(value, str):
            # ansible-core would split it at its commas
            return [value]
        if name in EXPRESSIONS:
            return value
        self.templar.available_variables = self._vars
        try:
            value = self.templar.template(value)
        except AnsibleError as error:
            raise WrongOption(f"{name} cannot be read: {_reason(error)}; correct its template.") from None
        if INVENTORY_OPTIONS.get(name, {}).get("no_log") and isinstance(value, (Mapping, list, tuple)):
            # the message of ansible-core would quote the secret
            raise WrongOption(f"{name} is a list or a dictionary: give a string.")
        choices = self.option_definitions.get(name, {}).get("choices")
        if choices and value not in choices:
            # that of ansible-core 2.19 and later does not name them
            raise WrongOption(f"{name} is {printable(value)!r}: set it to {' or '.join(choices)}.")
        return value

    def _check_options(self) -> None:
        if self.get_option("workspaces") == []:
            raise WrongOption(
                "workspaces is an empty list: name the workspaces, or leave the option out to read all of them."
            )
        prefix = self.get_option("hostvars_prefix")
        if not (f"{prefix}id".isidentifier() and prefix.isascii()):
            raise WrongOption(
                f"hostvars_prefix is {printable(prefix)!r}, with which no variable name can begin: use ASCII letters,"
                " digits and _, as in scanner_."
            )
        stale_after = self.get_option("stale_after")
        if stale_after is not None and not self.get_option("findings"):
            raise WrongOption("stale_after needs the findings: set findings to true, or leave stale_after out.")
        self._stale_after = None if stale_after is None else seconds_of(stale_after, "stale_after")
        missing = missing_requests()
        if missing:
            raise Refused(
                f"The Python that runs Ansible, {sys.executable}, lacks {missing}: install it there with pip."
            )

    def _warn(self, sentence: str) -> None:
        self.display.warning(harmless(sentence))

    # --- the account ---

    def _account(self, path: str, cache: bool) -> Account:
        """The Account from the cache, or else from the service."""
        connection = connection_from({name: self.get_option(name) for name in INVENTORY_OPTIONS})
        if register_secrets is not None:
            register_secrets(filter(None, (connection.api_key, connection.proxy)))
        if not self.get_option("cache"):
            return self._read(connection)
        asked = self.get_option("workspaces")
        # another key may belong to another account; 64 bits of the digest do not disclose it
        deciding = [
            CACHE_FORMAT,
            connection.base_url,
            connection.api_key,
            asked and sorted(asked),
            self.get_option("type"),
            self.get_option("findings"),
        ]
        # the key of ansible-core depends only on the path
        key = f"{self.get_cache_key(path)}_{hashlib.sha256(json.dumps(deciding).encode()).hexdigest()[:16]}"
        account = self._cached(key, Redactor(connection.api_key)) if cache else None
        if account is None:
            account = self._read(connection)
            # ansible-core reads some dictionaries of a cache as other values, even as templates, but no text
            self._cache[key] = {"account": json.dumps(account._asdict())}
        return account

    def _cached(self, key: str, redactor: Redactor) -> Account | None:
        """The Account in an entry of the cache, redacted like an answer; None if it is not usable."""
        try:
            entry = read_json(self._cache[key]["account"])
            lists = []
            for family in (WORKSPACE, TARGET):
                rows = redactor.value(entry[family.plural])
                if not isinstance(rows, list) or not all(is_row(family, row) for row in rows):
                    return None
                lists.append([record_of(family, row) for row in rows])
            account = Account(*lists)
            # raises where an entry lacks what was found
            for target in account.targets if self.get_option("findings") else ():
                variables_of([target])
        except Exception:
            # a missing or broken entry, which the releases of ansible-core report in different ways
            return None
        known = {workspace["id"] for workspace in account.workspaces}
        return account if all(target["workspace_id"] in known for target in account.targets) else None

    def _read(self, connection: Connection) -> Account:
        transport = Transport(connection)
        kind = self.get_option("type")
        try:
            client = Client(transport, Permits(closed="an inventory only reads").permit, self._warn)
            everywhere = client.all(WORKSPACE)
            workspaces = chosen_workspaces(everywhere, self.get_option("workspaces"))
            wanted = [(workspace["id"], TARGET) for workspace in workspaces]
            filters = {"type": kind} if kind else None
            contents = Contents(client, wanted, everywhere, filters=filters, recheck=True)
            targets = {}
            for workspace in workspaces:
                for row in proven(InWorkspace, contents[TARGET, workspace["id"]]):
                    # a service may ignore the filter, and the inventory must not contain other targets
                    if kind is None or row["type"] == kind or not isinstance(row["type"], str):
                        targets[row["id"]] = dict(row, workspace_id=workspace["id"])
            if self.get_option("findings"):
                add_findings(client, workspaces, targets)
        finally:
            for call in transport.calls:
                self.display.vv(f"{self.NAME}: {call}")
            transport.close()
        return Account(workspaces, [targets[target_id] for target_id in sorted(targets)])

    # --- hosts and groups ---

    def _named(self, records: list[Record], addresses: dict[int, str | None]) -> Iterator[tuple[str, Record]]:
        """The wanted name of the host, and the record, of each included target."""
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
            # hostnames is not evaluated for a target that names this machine, so no error of it hides the warning
            if address and is_this_machine(address):
                self._warn_of_this_machine(record)
                continue
            name = self._name(variables, record) if hostnames else str(address or record["name"])
            if not address and is_this_machine(safe_name(name)):
                self._warn_of_this_machine(record)
                continue
            if not any(map(str.isalnum, name)):
                self._warn(
                    f"The {_target(record)}, is omitted from this inventory, because the name of its host would have no letter"
                    " or digit. Set hostnames to give it another name, or exclude it."
                )
                continue
            yield name, record

    def _variables(self, records: list[Record], address: str | None) -> dict[str, Any]:
        prefix = self.get_option("hostvars_prefix")
        fields = (*FIELDS, *(Owner._fields if self.get_option("owners") is not None else ()))
        variables = {prefix + field: records[0][field] for field in fields}
        variables[f"{prefix}targets"] = records
        if self.get_option("findings"):
            variables.update((prefix + name, value) for name, value in variables_of(records).items())
        if address:
            variables["ansible_host"] = address
        return variables

    def _any_holds(self, option: str, variables: dict[str, Any], record: Record) -> bool:
        """Whether any condition of an option holds for a target."""
        if self.get_option("use_extra_vars"):
            variables = combine_vars(variables, self._vars)
        self.templar.available_variables = variables
        for condition in self.get_option(option):
            try:
                # from ansible-core 2.19 on
                if hasattr(self.templar, "evaluate_conditional"):
                    holds = self.templar.evaluate_conditional(condition)
                else:
                    holds = boolean(self.templar.template(f"{{% if {condition} %}}true{{% else %}}false{{% endif %}}"))
            except Exception as error:
                raise _not_evaluated(f"{option} has a condition", condition, record, error) from None
            if holds:
                return True
        return False

    def _name(self, variables: dict[str, Any], record: Record) -> str:
        """The name of a target's host by the option hostnames."""
        reason = ""
        for expression in self.get_option("hostnames"):
            try:
                value = self._compose(expression, variables)
            except Exception as error:
                if self.get_option("strict"):
                    raise _not_evaluated("hostnames has an expression", expression, record, error) from None
                reason = f", the last because of: {_reason(error)}"
                continue
            if isinstance(value, (str, int)) and not isinstance(value, bool) and str(value).strip():
                return str(value)
        raise WrongOption(
            f"hostnames returns no name for {_target(record)}{reason}; add an expression that names every target, such as"
            f" {self.get_option('hostvars_prefix')}name, or exclude the target."
        )

    def _group(self, plan: Plan, hosts: Hosts, field: str, texts: Iterable[str]) -> None:
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

    def _construct(self, plan: Plan) -> None:
        """Add the results of compose, groups and keyed_groups to the plan."""
        compose, groups, keyed_groups = (self.get_option(name) for name in ("compose", "groups", "keyed_groups"))
        if not (compose or groups or keyed_groups):
            return
        strict = self.get_option("strict")
        member_of: dict[str, list[str]] = {name: [] for name in plan.hosts}
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
                # compose may have added some, and replaced others
                known.update(variables)
                self._add_host_to_composed_groups(groups, known, name, strict, fetch_hostvars=False)
                self._add_host_to_keyed_groups(keyed_groups, known, name, strict, fetch_hostvars=False)
        finally:
            self.inventory = inventory

    def _warn_of_this_machine(self, record: Record) -> None:
        self._warn(
            f"The {_target(record)}, is omitted from this inventory, because a play on it would run on this machine."
            " Exclude it to avoid this warning."
        )

    def _omit(self, plan: Plan, records: Hosts) -> None:
        """Omit, with a warning, hosts and groups that would change where plays run."""
        expression = (self.get_option("compose") or {}).get("ansible_host")
        for name, variables in [] if expression is None else list(plan.hosts.items()):
            place = str(variables.get("ansible_host", name))
            # unless the inventory file itself names this machine
            if is_this_machine(place) and place != str(expression).strip("'\" "):
                plan.drop_host(name)
                self._warn_of_this_machine(records[name][0])
        hosts, groups = plan.drop_ambiguous(self.inventory, C.LOCALHOST)
        for name in groups:
            self._warn(
                f"The group {name!r} is omitted from this inventory, because a host has this name, and plays on that host"
                " would run on the group. Create the group with another prefix."
            )
        for name in hosts:
            other = "the machine on which Ansible runs" if name in C.LOCALHOST else "a group"
            self._warn(
                f"The {_target(records[name][0])}, is omitted from this inventory, because its host would have the name"
                f" {name!r} of {other}. Set hostnames to give it another name, or exclude it."
            )

    def _keep_addresses(self, plan: Plan, records: Hosts) -> None:
        """Do not change the addresses of hosts that another source defines."""
        if "ansible_host" in (self.get_option("compose") or {}):
            return
        for name, variables in plan.hosts.items():
            earlier = self.inventory.hosts.get(name)
            if earlier is None or "ansible_host" not in variables:
                continue
            address = variables.pop("ansible_host")
            if earlier.get_vars().get("ansible_host", name) != address:
                self._warn(
                    f"The host {name!r}, which another source defines, keeps its address. It does not get {address!r} from"
                    f" the {_target(records[name][0])}."
                )


def _target(record: Record) -> str:
    return f"target {record['id']}, {printable(record['name'], 100)!r}"


def _reason(error: Exception) -> str:
    """Why a template failed, without the template, which some releases of ansible-core quote."""
    return printable(to_native(error).split(" String: ")[0]).rstrip(".")


def _not_evaluated(what: str, expression: str, record: Record, error: Exception) -> WrongOption:
    return WrongOption(
        f"{what} that cannot be evaluated for {_target(record)}, {printable(expression)!r}: {_reason(error)}; correct it."
    )
