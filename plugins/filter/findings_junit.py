# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
name: findings_junit
short_description: Export findings as a JUnit report
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
description:
  - Exports the findings that the module C(gate) judged as a JUnit report, which Jenkins, GitLab and Azure
    Pipelines show.
  - Each target and tool is a test suite, each finding a test. A failing finding is a failed test, a waived one a
    skipped test, and any other a passed test.
  - A target that was not scanned or read completely has a test with an error.
positional: _input
options:
  _input:
    description:
      - The result of the module C(gate), or the content of its C(gate.json), as a dictionary or as text.
      - It must have all findings. The result of a task with C(rows=failing) is refused.
    type: raw
    required: true
seealso:
  - plugin: scanops.scanner.findings_csv
    plugin_type: filter
  - plugin: scanops.scanner.findings_markdown
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Export the result of a gate
  ansible.builtin.copy:
    dest: results/gate-junit.xml
    content: "{{ judged | scanops.scanner.findings_junit }}"
    mode: "0640"

- name: Export a saved result
  ansible.builtin.copy:
    dest: results/gate-junit.xml
    content: "{{ lookup('file', 'results/gate.json') | scanops.scanner.findings_junit }}"
    mode: "0640"
"""

RETURN = r"""
_value:
  description: The report as XML.
  type: str
"""

from collections.abc import Callable
from typing import Any

from ansible_collections.scanops.scanner.plugins.plugin_utils._findings_filter import exported_text


def findings_junit(result: object) -> str:
    """The findings of a gate as a JUnit report."""
    return exported_text(result, "junit")


class FilterModule:
    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"findings_junit": findings_junit}
