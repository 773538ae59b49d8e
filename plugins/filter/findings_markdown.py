# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
name: findings_markdown
short_description: Summarise the result of a gate as Markdown
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
description:
  - Renders the outcome of the module C(gate) for the summary of a pipeline or a comment on a change, in at
    most 60 lines.
  - The reason of a failed gate comes first, then the counts, the failing findings, new ones, and expired waivers.
  - Text of the service is shown as code. Nothing in it is rendered as markup, a link, a mention or HTML.
positional: _input
options:
  _input:
    description:
      - The result of the module C(gate), or the content of its C(gate.json), as a dictionary or as text.
    type: raw
    required: true
seealso:
  - plugin: scanops.scanner.findings_csv
    plugin_type: filter
  - plugin: scanops.scanner.findings_junit
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Export the result of a gate
  ansible.builtin.copy:
    dest: results/gate.md
    content: "{{ judged | scanops.scanner.findings_markdown }}"
    mode: "0640"

- name: Export a saved result
  ansible.builtin.copy:
    dest: results/gate.md
    content: "{{ lookup('file', 'results/gate.json') | scanops.scanner.findings_markdown }}"
    mode: "0640"
"""

RETURN = r"""
_value:
  description: Markdown with tables in the common format.
  type: str
"""

from collections.abc import Callable
from typing import Any

from ansible_collections.scanops.scanner.plugins.plugin_utils._findings_filter import exported_text


def findings_markdown(result: object) -> str:
    """The result of a gate as Markdown."""
    return exported_text(result, "markdown")


class FilterModule:
    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"findings_markdown": findings_markdown}
