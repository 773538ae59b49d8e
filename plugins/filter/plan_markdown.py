# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
name: plan_markdown
short_description: The plan of an estate as Markdown for reviewers
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
description:
  - Renders the plan that M(scanops.scanner.estate) or M(scanops.scanner.targets) returned - how many objects, which
    calls
    and how long they wait at least, the checksum, and a table of all actions, deletions first.
  - Names and descriptions are shown as code, with nothing in them that a renderer of Markdown could take for markup, a
    link, a mention or HTML, on one line each.
positional: _input
options:
  _input:
    description:
      - The result of the task, with C(plan) and C(summary), and C(msg) where it failed.
    type: dict
    required: true
  reviewed:
    description:
      - What P(scanops.scanner.reviewed_plan#filter) made of a reviewed plan, given this one. What differs comes first.
    type: dict
seealso:
  - plugin: scanops.scanner.plan_record
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Make a plan
  scanops.scanner.estate:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    workspaces: "{{ estate }}"
  check_mode: true
  register: planned

- name: Show it to the reviewers
  ansible.builtin.copy:
    dest: plan.md
    content: "{{ planned | scanops.scanner.plan_markdown }}"
    mode: "0640"
  check_mode: false
"""

RETURN = r"""
_value:
  description: Markdown, with tables as most renderers know them.
  type: str
"""

from ansible_collections.scanops.scanner.plugins.plugin_utils._plan_text import markdown
from ansible_collections.scanops.scanner.plugins.plugin_utils._unsafe import unsafe


def plan_markdown(result, reviewed=None):
    """The plan of a task's result as Markdown."""
    failure = result.get("msg") if result.get("failed") else None
    differs = reviewed or {}
    return unsafe(markdown(result["plan"], result["summary"], failure, differs.get("new", ()), differs.get("gone", ())))


class FilterModule:
    def filters(self):
        return {"plan_markdown": plan_markdown}
