# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
name: findings_export
short_description: Export the findings of a gate for other programs and for people
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
description:
  - Returns the files that the module C(gate) writes for a format, from the result of the module or from a saved
    C(gate.json).
  - Every format says so if the run was not complete.
positional: _input, format
options:
  _input:
    description:
      - The result of the module C(gate), or the content of its C(gate.json), as a dictionary or as text.
      - It must have all findings, except for V(markdown). The result of a task with C(rows=failing) is refused.
      - For V(csv), it can also be the result of M(scanops.scanner.finding_info). The columns of what only a gate knows
        are empty then. If the list may be incomplete, the first rows say so.
    type: raw
    required: true
  format:
    description:
      - V(attestation) is an unsigned in-toto Statement that binds the verdict of the gate to O(subjects).
      - V(calendar) is a calendar (RFC 5545) with the ends of waivers, and the days on which findings begin to fail by
        their age.
      - V(csv) is a table, with one line for each finding. An apostrophe keeps spreadsheets from reading a text as a
        formula, a number or a date, with commas, semicolons or tabs between cells. It begins with a byte order mark
        unless it is ASCII.
      - V(defectdojo) is for the Generic Findings Import of DefectDojo 2.51 and later.
      - V(gitlab) is a DAST report, version 15.1.4.
      - DefectDojo, GitHub and GitLab close the findings that a file lacks. Unless everything was scanned and read, the
        filter warns and returns no file for V(defectdojo), V(gitlab) and V(sarif).
      - V(html) is a page for people, which needs no other file and no network. The address of a finding is C(#f-) and
        its fingerprint.
      - V(junit) has a test suite for each target and tool, and a test for each finding.
      - V(markdown) is a summary of at most 70 lines for a pipeline or a comment on a change.
      - V(sarif) is SARIF 2.1.0. Each result is at the line of the estate file that declares its target.
    type: str
    choices: [attestation, calendar, csv, defectdojo, gitlab, html, junit, markdown, sarif]
    required: true
  every:
    description:
      - List all findings, for V(gitlab) and V(defectdojo). V(false) lists only those that fail or are new, so these
        programs close what is known and still exists.
    type: bool
    default: true
  profile:
    description:
      - For V(sarif).
      - V(github) leaves out waived findings, because GitHub ignores suppressions.
      - V(gitlab) lists them with suppressions.
      - V(full) does the same, and adds the description, the evidence and the scores of each finding.
    type: str
    choices: [github, gitlab, full]
    default: github
  estate_files:
    description:
      - For V(sarif). Paths of YAML files on the controller that declare targets. A target is an item of a list whose
        key is C(targets) or ends in C(_targets), either a name or a dictionary with C(name).
      - Results have the path from the top of the git repository of such a file, or from the working directory if there
        is none. Relative paths start at the directory of the playbook.
    type: list
    elements: str
    default: []
  fallback_file:
    description:
      - For V(sarif). A file of the repository for the findings of all other targets. By default, the first of
        O(estate_files). Without either, such a finding is an error.
    type: str
  category:
    description:
      - For V(sarif). A name that distinguishes the analyses of one repository. By default, it consists of the names of
        the collection and of the workspace.
    type: str
  subjects:
    description:
      - For V(attestation), which requires it. The images or files that the gate has judged, as in
        O(scanops.scanner.gate#module:subjects).
    type: list
    elements: dict
    default: []
seealso:
  - module: scanops.scanner.finding_info
  - module: scanops.scanner.gate
"""

EXAMPLES = r"""
- name: Export the result of a gate for GitHub
  ansible.builtin.copy:
    dest: "results/{{ item.name }}"
    content: "{{ item.content }}"
    mode: "0640"
  loop: >-
    {{ judged
    | scanops.scanner.findings_export('sarif', estate_files=['estate.yml'], fallback_file='estate.yml') }}
  loop_control:
    label: "{{ item.name }}"

- name: Write the findings of a workspace as a table
  ansible.builtin.copy:
    dest: results/findings.csv
    content: "{{ (read | scanops.scanner.findings_export('csv') | first).content }}"
    mode: "0640"

- name: Export a saved result
  ansible.builtin.copy:
    dest: results/gl-dast-report.json
    content: >-
      {{ (lookup('ansible.builtin.file', 'results/gate.json')
      | scanops.scanner.findings_export('gitlab') | first).content }}
    mode: "0640"
"""

RETURN = r"""
_value:
  description:
    - The files. Only V(sarif) can be several, because GitHub accepts at most 20 runs and 10 MB in one upload; a warning
      says so. Upload each of them by itself.
  type: list
  elements: dict
  contains:
    name:
      description: The name that the module C(gate) gives the file.
      type: str
    content:
      description: The content of the file.
      type: str
"""

import os
from collections.abc import Callable
from typing import Any

from ansible.errors import AnsibleFilterError
from ansible.utils.display import Display
from jinja2 import pass_context

from ..module_utils._gate.formats.document import Choices, read_document
from ..module_utils._gate.formats.registry import FORMATS, write
from ..module_utils._gate.formats.sarif import locations_of
from ..module_utils._gate.gate_files import path_in_repository
from ..module_utils._gate.gate_json import is_unjudged, unjudged
from ..module_utils._model.errors import WrongOption, harmless, printable
from ..module_utils._model.inputs import text_in
from ..plugin_utils._unsafe import unsafe

_FORMATS = sorted(FORMATS.keys() - {"json"})


@pass_context
def findings_export(context: Any, result: Any, format: str, **options: Any) -> list[dict[str, str]]:
    """The files of a format for the result of the module gate, or for a gate.json. context: of the template."""
    try:
        _check(format, options)
        if not is_unjudged(result):
            document = read_document(result, FORMATS[format].every_row)
        elif FORMATS[format].unjudged:
            document = unjudged(result)
        else:
            raise WrongOption(
                f"The input is a result of finding_info, and {format} needs a result of gate: judge the findings first."
            )
        given = options.get("estate_files", ())
        if isinstance(given, str):
            raise WrongOption("estate_files is a text: give a list of paths.")
        # relative paths start at the directory of the playbook
        paths = [os.path.join(context.get("playbook_dir", "."), os.path.expanduser(path)) for path in given]
        texts = [(path, text_in(path, "estate_files")) for path in paths]
        files = [(path_in_repository(path, "estate_files"), text) for path, text in texts]
        choices = Choices(
            options.get("profile", "github"),
            locations_of(files),
            options.get("fallback_file") or next((path for path, _text in files), None),
            options.get("every", True),
            options.get("category"),
            options.get("subjects", ()),
        )
        written = write(format, document, choices)
    except WrongOption as error:
        raise AnsibleFilterError(harmless(f"findings_export: {error}")) from None
    for warning in written.warnings:
        Display().warning(harmless(warning))
    return [{"name": artefact.name, "content": unsafe(artefact.text)} for artefact in written.artefacts]


def _check(format: str, options: dict[str, Any]) -> None:
    if format not in _FORMATS:
        raise WrongOption(f"{printable(format, 60)!r} is not a format: choose one of {', '.join(_FORMATS)}.")
    known = {
        option: [name for name in FORMATS if option in FORMATS[name].options]
        for each in FORMATS.values()
        for option in each.options
    }
    for option in options:
        if option not in known:
            raise WrongOption(f"{option} is not an option: remove it, or choose one of {', '.join(known)}.")
        if format not in known[option]:
            raise WrongOption(f"{option} has no effect on {format}, only on {' and '.join(known[option])}: remove it.")


class FilterModule:
    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"findings_export": findings_export}
