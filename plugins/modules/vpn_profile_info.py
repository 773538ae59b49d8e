#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: vpn_profile_info
short_description: Read VPN profiles
description:
  - Returns all VPN profiles, or those with a name or UUID. A scan uses a VPN profile to reach targets that are not on
    the internet. Profiles are created in the web application.
  - Cost - 1 GET.
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
extends_documentation_fragment:
  - scanops.scanner.attributes
  - scanops.scanner.attributes.reads
  - scanops.scanner.attributes.action_group
  - scanops.scanner.connection
options:
  name:
    description:
      - Return only profiles with this name. An unknown name returns an empty list.
    type: str
  uuid:
    description:
      - Return only the profile with this UUID. Case does not matter. An unknown UUID returns an empty list.
      - Mutually exclusive with O(name).
    type: str
"""

EXAMPLES = r"""
- name: Read the VPN profile of the office
  scanops.scanner.vpn_profile_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    name: Office
  register: office

- name: Fail unless exactly one profile exists
  ansible.builtin.assert:
    that: office.vpn_profiles | length == 1
"""

RETURN = r"""
vpn_profiles:
  description: The VPN profiles in the service's order, with every field that the service returns.
  returned: success
  type: list
  elements: dict
  sample:
    - uuid: 6f9619ff-8b86-5011-b42d-00cf4fc964ff
      name: Office
  contains:
    uuid:
      description: The UUID of the profile.
      returned: success
      type: str
      sample: 6f9619ff-8b86-5011-b42d-00cf4fc964ff
    name:
      description: Its name.
      returned: success
      type: str
      sample: Office
"""

from typing import Any

from ..module_utils._model.families import VPN_PROFILE
from ..module_utils._task.lookup import not_empty
from ..module_utils._task.module import Module, run
from ..module_utils._task.task import Task

OPTIONS = dict(
    name=dict(type="str"),
    uuid=dict(type="str"),
)


def read(task: Task) -> dict[str, Any]:
    name, uuid = task.params["name"], task.params["uuid"]
    for option, value in (("name", name), ("uuid", uuid)):
        if value is not None:
            not_empty(option, value)
    profiles = [
        profile
        for profile in task.client.all(VPN_PROFILE)
        if name in (None, profile["name"]) and (uuid is None or profile["uuid"].lower() == uuid.strip().lower())
    ]
    return {"vpn_profiles": profiles}


MODULE = Module(OPTIONS, read, mutually_exclusive=[("name", "uuid")])


def main() -> None:
    run(MODULE)


if __name__ == "__main__":
    main()
