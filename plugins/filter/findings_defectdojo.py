# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
name: findings_defectdojo
short_description: Export findings for DefectDojo
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
description:
  - Exports the findings that the module C(gate) judged for the Generic Findings Import of DefectDojo.
  - C(unique_id_from_tool) is the fingerprint of a finding with its number among equal ones. A finding of unknown
    severity is critical.
  - If the run was not complete, the name and the description of the import say so. Do not import such a file with
    C(close_old_findings), because findings may be missing.
positional: _input
options:
  _input:
    description:
      - The result of the module C(gate), or the content of its C(gate.json), as a dictionary or as text.
      - It must have all findings. The result of a task with C(rows=failing) is refused.
    type: raw
    required: true
  every:
    description:
      - List all findings. By default, only those that fail or are new are listed.
    type: bool
    default: false
seealso:
  - plugin: scanops.scanner.findings_gitlab
    plugin_type: filter
  - plugin: scanops.scanner.findings_csv
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Export the result of a gate
  ansible.builtin.copy:
    dest: results/gate-defectdojo.json
    content: "{{ judged | scanops.scanner.findings_defectdojo }}"
    mode: "0640"

- name: Export a saved result
  ansible.builtin.copy:
    dest: results/gate-defectdojo.json
    content: "{{ lookup('file', 'results/gate.json') | scanops.scanner.findings_defectdojo(every=true) }}"
    mode: "0640"
"""

RETURN = r"""
_value:
  description: The findings as JSON.
  type: str
"""

from collections.abc import Callable
from typing import Any

from ansible_collections.scanops.scanner.plugins.module_utils._exports.formats import Choices
from ansible_collections.scanops.scanner.plugins.plugin_utils._findings_filter import exported_text


def findings_defectdojo(result: object, every: bool = False) -> str:
    """The findings of a gate for the Generic Findings Import of DefectDojo. every: list all findings."""
    return exported_text(result, "defectdojo", Choices(every=every))


class FilterModule:
    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"findings_defectdojo": findings_defectdojo}
