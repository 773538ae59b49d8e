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
      - The name of the workspace. It costs one more GET than O(workspace_id).
      - A name that no workspace has fails the task and lists the names there are, unless something is to be absent,
        which it then is. In check mode the workspace counts as made by an earlier task, with a warning. Two workspaces
        of this name fail the task.
      - Null, as an unset variable gives it, is refused; it does not mean the current workspace.
      - Mutually exclusive with O(workspace_id).
    type: str
  workspace_id:
    description:
      - The id of the workspace. In check mode the null that an earlier task returned for a workspace not yet made is
        accepted; in a real run null is refused.
      - Mutually exclusive with O(workspace).
    type: int
"""
