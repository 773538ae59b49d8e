# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    # the options of FILE_COMMON_ARGUMENTS of ansible-core, in fewer words than its own fragment
    DOCUMENTATION = r"""
---
options:
  mode:
    description:
      - The permissions of the file, as in O(ansible.builtin.file#module:mode). Quote octal numbers, such as V('0640'). By
        default, a new file gets those of the umask, and a file that exists keeps its own.
    type: raw
  owner:
    description: The user who owns the file, as in O(ansible.builtin.file#module:owner).
    type: str
  group:
    description: The group that owns the file, as in O(ansible.builtin.file#module:group).
    type: str
  seuser:
    description: The user of its SELinux context, as in O(ansible.builtin.file#module:seuser).
    type: str
  serole:
    description: The role of its SELinux context, as in O(ansible.builtin.file#module:serole).
    type: str
  setype:
    description: The type of its SELinux context, as in O(ansible.builtin.file#module:setype).
    type: str
  selevel:
    description: The level of its SELinux context, as in O(ansible.builtin.file#module:selevel).
    type: str
  unsafe_writes:
    description:
      - Write in place where the file cannot be replaced, as in O(ansible.builtin.file#module:unsafe_writes).
      - Danger - another program can then read an incomplete file.
    type: bool
    default: false
  attributes:
    description: The attributes of the file, as in O(ansible.builtin.file#module:attributes).
    type: str
    aliases: [attr]
"""
