# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
---
options: {}
attributes:
  check_mode:
    description: Whether the module predicts its result in check mode without writing.
  diff_mode:
    description: Whether the module shows in diff mode what it changes, or would change.
  idempotent:
    description:
      - Whether a second run with the same options writes nothing and reports no change, if nothing changed in between.
  action_group:
    description: The action groups with which C(module_defaults) can set options once for a play.
"""

    # modules that change something
    WRITES = r"""
---
options: {}
attributes:
  check_mode:
    support: full
    details:
      - Sends only GET calls. Values that only the service knows, such as an id, are null.
  diff_mode:
    support: full
    details:
      - Shows only declared fields. The diff is the same in check mode and in the real run.
  idempotent:
    support: full
"""

    # modules that only read
    READS = r"""
---
options: {}
attributes:
  check_mode:
    support: full
    details:
      - This module does not change anything.
  diff_mode:
    support: N/A
    details:
      - This module does not change anything.
  idempotent:
    support: full
    details:
      - This module does not change anything.
"""

    ACTION_GROUP = r"""
---
options: {}
attributes:
  action_group:
    support: full
    membership:
      - scanops.scanner.all
"""

    # modules that may make targets
    ACTION_GROUP_SCOPED = r"""
---
options: {}
attributes:
  action_group:
    support: full
    membership:
      - scanops.scanner.all
      - scanops.scanner.scoped
"""
