# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
name: findings_sarif
short_description: Export findings as SARIF
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
description:
  - Exports the findings that the module C(gate) judged as SARIF 2.1.0, for GitHub code scanning and other readers.
  - Each result is at the line of the estate file that declares its target, because GitHub refuses a file in which one
    result has no place in the repository.
  - If the run was not complete, C(executionSuccessful) is false, and the notifications say why.
  - For GitHub, more than 5,000 results or 9 MB are split into several files, with a warning. GitHub keeps only 5,000
    results of a file. Upload all files. Each has a category of its own.
positional: _input
options:
  _input:
    description:
      - The result of the module C(gate), or the content of its C(gate.json), as a dictionary or as text.
      - It must have all findings. The result of a task with C(rows=failing) is refused.
    type: raw
    required: true
  profile:
    description:
      - V(github) leaves out waived findings, because GitHub ignores suppressions.
      - V(gitlab) lists them with suppressions.
      - V(full) does the same, and adds the description, the evidence and the scores of each finding.
    type: str
    choices: [github, gitlab, full]
    default: github
  estate_files:
    description:
      - Paths of YAML files on the controller that declare targets. A target is an item of a list whose key is
        C(targets) or ends in C(_targets), either a name or a dictionary with C(name).
      - GitHub needs paths that are relative to the root of the repository. Relative paths are read from the directory
        in which the playbook was started.
    type: list
    elements: str
    default: []
  fallback_file:
    description:
      - A file of the repository for the findings of all other targets. Without it, such a finding is an error.
    type: str
  category:
    description:
      - A name that distinguishes the analyses of one repository. By default, it consists of the names of the collection
        and of the workspace.
    type: str
seealso:
  - plugin: scanops.scanner.findings_gitlab
    plugin_type: filter
  - plugin: scanops.scanner.findings_junit
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Export the result of a gate
  ansible.builtin.copy:
    dest: "results/{{ item.name }}"
    content: "{{ item.content }}"
    mode: "0640"
  loop: "{{ judged | scanops.scanner.findings_sarif(estate_files=['estate.yml'], fallback_file='estate.yml') }}"
  loop_control:
    label: "{{ item.name }}"

- name: Export a saved result with all details
  ansible.builtin.copy:
    dest: "results/{{ item.name }}"
    content: "{{ item.content }}"
    mode: "0640"
  loop: >-
    {{ lookup('ansible.builtin.file', 'results/gate.json')
    | scanops.scanner.findings_sarif(profile='full', fallback_file='estate.yml') }}
  loop_control:
    label: "{{ item.name }}"
"""

RETURN = r"""
_value:
  description: The files, usually one.
  type: list
  elements: dict
  contains:
    name:
      description: The name of the file, C(gate.sarif), or C(gate-1.sarif), C(gate-2.sarif) and so on.
      type: str
    content:
      description: The content of the file.
      type: str
"""

from collections.abc import Callable, Sequence
from typing import Any

from ansible.errors import AnsibleFilterError
from ansible.utils.display import Display
from ansible_collections.scanops.scanner.plugins.module_utils._errors import WrongOption
from ansible_collections.scanops.scanner.plugins.module_utils._exports.formats import Choices
from ansible_collections.scanops.scanner.plugins.module_utils._exports.locations import locations_of
from ansible_collections.scanops.scanner.plugins.plugin_utils._findings_filter import exported, read_files
from ansible_collections.scanops.scanner.plugins.plugin_utils._unsafe import unsafe


def findings_sarif(
    result: object,
    profile: str = "github",
    estate_files: Sequence[str] = (),
    fallback_file: str | None = None,
    category: str | None = None,
) -> list[dict[str, str]]:
    """The findings of a gate as files in SARIF."""
    if isinstance(estate_files, str):
        raise AnsibleFilterError("findings_sarif: estate_files is a text: give a list of paths.")
    try:
        locations = locations_of(read_files(estate_files, "estate_files"))
    except WrongOption as error:
        raise AnsibleFilterError(f"findings_sarif: {error}") from None
    files = exported(result, "sarif", Choices(profile, locations, fallback_file, category=category))
    for warning in files.warnings:
        Display().warning(warning)
    return [{"name": artefact.name, "content": unsafe(artefact.text)} for artefact in files.artefacts]


class FilterModule:
    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"findings_sarif": findings_sarif}
