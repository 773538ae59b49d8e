# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
---
options:
  workspace:
    description:
      - The name of the workspace. O(workspace_id) saves one GET.
      - If two workspaces have this name, the task fails. If none has, it fails and lists the existing names. With
        O(ignore:state=absent), the object then counts as already absent. In check mode, the task warns and assumes that
        an earlier task creates the workspace.
      - Null, such as from an undefined variable, is refused. It does not mean the current workspace.
    type: str
  workspace_id:
    description:
      - The id of the workspace, mutually exclusive with O(workspace).
      - Null is refused, except in check mode, because an earlier task returns a null id for a workspace that it would
        create.
    type: int
"""
