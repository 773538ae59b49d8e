# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
name: findings_csv
short_description: Export findings as a table
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
description:
  - Exports the findings that the module C(gate) judged as CSV. The first column is the state, C(failing),
    C(waived), C(known) or C(below).
  - If the run was not complete, the first rows are the targets that were not scanned or read completely, with their
    outcome in place of a state.
  - A cell that a spreadsheet would read as a formula begins with an apostrophe.
positional: _input
options:
  _input:
    description:
      - The result of the module C(gate), or the content of its C(gate.json), as a dictionary or as text.
      - It must have all findings. The result of a task with C(rows=failing) is refused.
    type: raw
    required: true
seealso:
  - plugin: scanops.scanner.findings_markdown
    plugin_type: filter
  - plugin: scanops.scanner.findings_junit
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Export the result of a gate
  ansible.builtin.copy:
    dest: results/gate.csv
    content: "{{ judged | scanops.scanner.findings_csv }}"
    mode: "0640"

- name: Export a saved result
  ansible.builtin.copy:
    dest: results/gate.csv
    content: "{{ lookup('file', 'results/gate.json') | scanops.scanner.findings_csv }}"
    mode: "0640"
"""

RETURN = r"""
_value:
  description: The table as CSV with a header.
  type: str
"""

from collections.abc import Callable
from typing import Any

from ansible_collections.scanops.scanner.plugins.plugin_utils._findings_filter import exported_text


def findings_csv(result: object) -> str:
    """The findings of a gate as CSV."""
    return exported_text(result, "csv")


class FilterModule:
    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"findings_csv": findings_csv}
