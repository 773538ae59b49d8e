# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
name: plan_markdown
short_description: Render the plan of an estate as Markdown
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
description:
  - Renders the plan that M(scanops.scanner.estate) or M(scanops.scanner.targets) returned, for reviewers. It shows the
    number of objects, the calls and their minimum wait, the checksum, and a table of all actions, deletes first.
  - Names and descriptions are shown as code, each on one line. Nothing in them is rendered as markup, a link, a mention
    or HTML.
positional: _input
options:
  _input:
    description:
      - The result of the task, with C(plan) and C(summary), and C(msg) if it failed.
    type: dict
    required: true
  reviewed:
    description:
      - The result of P(scanops.scanner.reviewed_plan#filter) for a reviewed plan, with this plan as its C(present). The
        differences are then shown first.
    type: dict
seealso:
  - plugin: scanops.scanner.plan_record
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

- name: Write the plan for reviewers
  ansible.builtin.copy:
    dest: plan.md
    content: "{{ planned | scanops.scanner.plan_markdown }}"
    mode: "0640"
  check_mode: false
"""

RETURN = r"""
_value:
  description: Markdown with tables in the common format.
  type: str
"""

from collections.abc import Callable, Mapping
from typing import Any

from ..plugin_utils._plan_file import Differences, markdown
from ..plugin_utils._unsafe import unsafe


def plan_markdown(result: Mapping[str, Any], reviewed: Differences | None = None) -> str:
    """The plan of a task's result as Markdown. reviewed: what the filter reviewed_plan returned."""
    failure = result.get("msg") if result.get("failed") or result.get("outcome") in ("refused", "error") else None
    document: str = unsafe(markdown(result["plan"], result["summary"], failure, reviewed))
    return document


class FilterModule:
    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"plan_markdown": plan_markdown}
