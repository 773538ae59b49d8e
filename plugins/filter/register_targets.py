# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
name: register_targets
short_description: List the targets that inventory hosts declare
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
description:
  - Evaluates a variable of each host with the variables of that host. Returns the targets in it, in the format of
    O(scanops.scanner.targets#module:targets).
  - A target that several hosts declare with the same spelling is listed once.
positional: _input, hostvars
options:
  _input:
    description:
      - The names of the hosts.
    type: list
    elements: str
    required: true
  hostvars:
    description:
      - The variable C(hostvars) of ansible-core.
    type: dict
    required: true
  variable:
    description:
      - The name of the host variable. Its value is a string or a list of strings.
      - It must be set in the inventory, in group_vars, in host_vars or as a fact. Variables of a play do not reach
        other hosts.
    type: str
    default: estate_register_targets
  description:
    description:
      - The description of each target.
    type: str
seealso:
  - module: scanops.scanner.targets
"""

EXAMPLES = r"""
# group_vars/web.yml contains
#   estate_register_targets:
#     - "https://{{ inventory_hostname }}"

- name: Declare the web servers
  scanops.scanner.targets:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspace: Web shop
    targets: "{{ (groups['web'] | scanops.scanner.register_targets(hostvars)).targets }}"
  delegate_to: localhost
  run_once: true
"""

RETURN = r"""
_value:
  description: The targets, or why they cannot be determined.
  type: dict
  contains:
    problem:
      description: The problem, in a sentence that names the hosts. Null if all hosts are valid.
      type: str
    targets:
      description: The targets, in the order of the hosts. Empty if a problem exists.
      type: list
      elements: dict
      contains:
        name:
          description: The name of the target.
          type: str
        description:
          description: Its description, if one was given.
          type: str
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ansible.errors import AnsibleError
from jinja2.exceptions import UndefinedError

from ..module_utils._model.errors import WrongOption, first_of, printable
from ..module_utils._model.target_names import normal_form

_SHOWN = 10
_WHERE = "in the inventory, in group_vars or in host_vars (the variables of a play do not reach other hosts)"


def register_targets(
    hosts: Sequence[str],
    hostvars: Mapping[str, Mapping[str, Any]],
    variable: str = "estate_register_targets",
    description: str | None = None,
) -> dict[str, Any]:
    """The targets of these hosts, and the problem where they cannot be determined."""
    try:
        names = _names(hosts, hostvars, variable)
    except WrongOption as error:
        return dict(problem=str(error), targets=[])
    more = {} if description is None else {"description": description}
    return dict(problem=None, targets=[dict(name=name, **more) for name in names])


def _names(hosts: Sequence[str], hostvars: Mapping[str, Mapping[str, Any]], variable: str) -> list[str]:
    missing = [host for host in hosts if variable not in hostvars[host]]
    if missing:
        raise WrongOption(
            f"{variable} is not set for {len(missing)} of {len(hosts)} hosts ({first_of(missing, _SHOWN)}): set it {_WHERE}, to"
            " an empty list where a host has no target."
        )
    # the spelling of each target by its normal form, and the first host with this spelling
    spelled: dict[str, str] = {}
    owners: dict[str, str] = {}
    for host in hosts:
        for name in _texts(host, hostvars[host], variable):
            same = spelled.setdefault(normal_form(name), name)
            if same != name:
                raise WrongOption(
                    f"{variable} of the hosts {owners[same]} and {host} gives {printable(same)!r} and {printable(name)!r},"
                    " which are the same target: use one spelling."
                )
            owners.setdefault(name, host)
    return list(spelled.values())


def _texts(host: str, variables: Mapping[str, Any], variable: str) -> list[str]:
    try:
        value = variables[variable]
        texts = [value] if isinstance(value, str) else value
        texts = list(texts) if isinstance(texts, (list, tuple)) else [None]
    except (AnsibleError, UndefinedError) as error:
        raise _unevaluated(host, variable, str(error)) from None
    for text in texts:
        if not isinstance(text, str) or not text.strip():
            raise WrongOption(f"{variable} of the host {host} is not a list of strings: write a list of target names.")
        if any(mark in text for mark in ("{{", "{%", "{#")):
            # ansible-core before 2.19 returns an invalid template as it is, and would evaluate it in the message again
            raise _unevaluated(host, variable, "the template uses an undefined variable")
    return [str(text) for text in texts]


def _unevaluated(host: str, variable: str, reason: str) -> WrongOption:
    return WrongOption(
        f"{variable} of the host {host} cannot be evaluated ({reason}): set the variables that it needs for this host."
    )


class FilterModule:
    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"register_targets": register_targets}
