# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
name: findings_html
short_description: Render the result of a gate as a page
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
description:
  - Renders the result of the module C(gate) as one HTML page for people. It needs no other file and no network.
  - The outcome and its reasons come first, then what to fix first, expired waivers, numbers by severity, change, age
    and target, waivers, and a table of all findings that can be sorted and filtered.
  - The address of a finding is C(#f-) and its fingerprint, for example
    C(gate.html#f-1:0123456789abcdef0123456789abcdef).
  - The page works without JavaScript, except for the table. It then lists the first 50 failing findings.
  - Text of the service is only ever shown as text. The content security policy of the page allows its own style and
    script and nothing else.
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
  - plugin: scanops.scanner.findings_csv
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Export the result of a gate
  ansible.builtin.copy:
    dest: results/gate.html
    content: "{{ judged | scanops.scanner.findings_html }}"
    mode: "0640"

- name: Export a saved result
  ansible.builtin.copy:
    dest: results/gate.html
    content: "{{ lookup('file', 'results/gate.json') | scanops.scanner.findings_html }}"
    mode: "0640"
"""

RETURN = r"""
_value:
  description: The page as HTML, in UTF-8.
  type: str
"""

from collections.abc import Callable
from typing import Any

from ansible_collections.scanops.scanner.plugins.plugin_utils._findings_filter import exported_text


def findings_html(result: object) -> str:
    """The result of a gate as a page."""
    return exported_text(result, "html")


class FilterModule:
    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"findings_html": findings_html}
