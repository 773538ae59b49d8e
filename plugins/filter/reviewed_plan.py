# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
name: reviewed_plan
short_description: Read a reviewed plan and compare it with the current one
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
description:
  - Reads the content of a file from P(scanops.scanner.plan_record#filter), checks that nobody has changed it, and
    lists the writes that differ from the current plan.
positional: _input
options:
  _input:
    description:
      - The content of the file.
    type: str
    required: true
  present:
    description:
      - The current plan, from C(plan) of a task's result.
    type: dict
  max_age:
    description:
      - The maximum age of the plan, in seconds or as in V(12h) or V(7d).
    type: str
    default: 7d
seealso:
  - plugin: scanops.scanner.plan_record
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Apply the reviewed plan and nothing else
  scanops.scanner.estate:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspaces: "{{ estate }}"
    expect_plan: "{{ (lookup('ansible.builtin.file', 'plan.json') | scanops.scanner.reviewed_plan).checksum }}"
"""

RETURN = r"""
_value:
  description: The content of the file.
  type: dict
  contains:
    problem:
      description: Why the file is not a valid reviewed plan, as the end of a sentence. Null if it is valid.
      type: str
    checksum:
      description: The checksum for O(scanops.scanner.estate#module:expect_plan). Null if a problem exists.
      type: str
    new:
      description: The writes that only O(present) contains, one string for each.
      type: list
      elements: str
    gone:
      description: The writes that only the reviewed plan contains, one string for each.
      type: list
      elements: str
"""

import time
from collections.abc import Callable, Mapping
from typing import Any

from ..module_utils._model.times import seconds_of
from ..plugin_utils._plan_file import difference, read
from ..plugin_utils._unsafe import unsafe


def reviewed_plan(text: str, present: Mapping[str, Any] | None = None, max_age: str = "7d") -> dict[str, Any]:
    """The content of a plan file, checked and compared. present: the current plan; max_age: of the file, as in
    2d or a number of seconds."""
    plan, problem = read(text, time.time(), seconds_of(max_age))
    result: dict[str, Any] = dict(problem=problem, checksum=plan and plan["checksum"], **difference(plan, present))
    return {name: unsafe(value) for name, value in result.items()}


class FilterModule:
    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"reviewed_plan": reviewed_plan}
