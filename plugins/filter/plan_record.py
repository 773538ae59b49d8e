# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
name: plan_record
short_description: Prepare the plan of an estate for a file
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
description:
  - Converts the plan that M(scanops.scanner.estate) or M(scanops.scanner.targets) returned into the content of a file
    for reviewers and for a later run. P(scanops.scanner.reviewed_plan#filter) reads it back.
  - Of live records, it keeps only the id, the name and the description.
positional: _input
options:
  _input:
    description:
      - The result of the task, with C(plan) and C(summary), in check mode or not. The result of a task that failed
        after it had read the account is also accepted.
    type: dict
    required: true
seealso:
  - plugin: scanops.scanner.plan_markdown
    plugin_type: filter
  - plugin: scanops.scanner.reviewed_plan
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Plan the estate in check mode
  scanops.scanner.estate:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspaces: "{{ estate }}"
  check_mode: true
  register: planned

- name: Write the plan for the run that applies it
  ansible.builtin.copy:
    dest: plan.json
    content: "{{ planned | scanops.scanner.plan_record | to_nice_json }}"
    mode: "0640"
  check_mode: false
"""

RETURN = r"""
_value:
  description: The keys of the plan, C(summary), the time in C(made), and the C(digest) of all of it.
  type: dict
"""

import time
from collections.abc import Callable, Mapping
from typing import Any

from ..plugin_utils._plan_file import record
from ..plugin_utils._unsafe import unsafe


def plan_record(result: Mapping[str, Any]) -> dict[str, Any]:
    """The plan of a task's result, for a file."""
    content: dict[str, Any] = unsafe(record(result["plan"], result["summary"], time.time()))
    return content


class FilterModule:
    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"plan_record": plan_record}
