# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
name: findings_gitlab
short_description: Export findings as a DAST report of GitLab
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
description:
  - Exports the findings that the module C(gate) judged as a DAST report, version 15.0.0.
  - The first identifier of each finding, by which GitLab recognises it, is the service's id of the check. If the
    run was not complete, the status of the report is C(failure), and its messages say why.
  - Descriptions and solutions are code blocks. Nothing in them is rendered as markup, a link or a mention.
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
  - plugin: scanops.scanner.findings_sarif
    plugin_type: filter
  - plugin: scanops.scanner.findings_defectdojo
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Export the result of a gate
  ansible.builtin.copy:
    dest: results/gl-dast-report.json
    content: "{{ judged | scanops.scanner.findings_gitlab }}"
    mode: "0640"

- name: Export a saved result
  ansible.builtin.copy:
    dest: results/gl-dast-report.json
    content: "{{ lookup('file', 'results/gate.json') | scanops.scanner.findings_gitlab(every=true) }}"
    mode: "0640"
"""

RETURN = r"""
_value:
  description: The report as JSON.
  type: str
"""

from collections.abc import Callable
from typing import Any

from ansible_collections.scanops.scanner.plugins.module_utils._exports.formats import Choices
from ansible_collections.scanops.scanner.plugins.plugin_utils._findings_filter import exported_text


def findings_gitlab(result: object, every: bool = False) -> str:
    """The findings of a gate as a DAST report of GitLab. every: list all findings."""
    return exported_text(result, "gitlab", Choices(every=every))


class FilterModule:
    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"findings_gitlab": findings_gitlab}
