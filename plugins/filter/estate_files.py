# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
name: estate_files
short_description: Split an estate into one file per workspace
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
description:
  - Gives each workspace a file name of lower-case letters, digits and dashes, which is valid on every file system.
  - If two workspaces would have the same file name, or a name has no ASCII letter or digit, eight characters that
    depend on the whole name are added.
  - A file name stays the same when other workspaces are added or removed, unless they have the same file name.
positional: _input
options:
  _input:
    description:
      - Workspaces in the format of M(scanops.scanner.estate), dictionaries with the key C(name).
    type: list
    elements: dict
    required: true
seealso:
  - plugin: scanops.scanner.estate_yaml
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Write a file for each workspace
  ansible.builtin.copy:
    dest: "estate/{{ item.name }}"
    content: "{{ {'estate_apply_workspaces': item.workspaces} | scanops.scanner.estate_yaml }}"
    mode: "0644"
  loop: "{{ account.workspaces | scanops.scanner.estate_files }}"
  loop_control:
    label: "{{ item.name }}"
"""

RETURN = r"""
_value:
  description: One dictionary for each workspace, in the order of the input.
  type: list
  elements: dict
  contains:
    name:
      description: The name of the file, without a directory.
      type: str
    workspaces:
      description: A list of only this workspace.
      type: list
      elements: dict
"""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

_LONGEST = 80
# devices that Windows has in every directory, and names that end like those with a mark
_TAKEN = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])|.*-[0-9a-f]{8}")


def estate_files(workspaces: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Workspaces with the names of their files."""
    names = [workspace["name"] for workspace in workspaces]
    slugs = []
    for name in names:
        ascii_only = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii")
        slugs.append(re.sub(r"[^a-z0-9]+", "-", ascii_only.lower()).strip("-")[:_LONGEST].strip("-"))
    counts = Counter(slugs)
    files = []
    for name, slug, workspace in zip(names, slugs, workspaces):
        stem = slug
        if not slug or counts[slug] > 1 or _TAKEN.fullmatch(slug):
            mark = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
            stem = f"{slug or 'workspace'}-{mark}"
        files.append({"name": f"{stem}.yml", "workspaces": [workspace]})
    return files


class FilterModule:
    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"estate_files": estate_files}
