# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    # the options that a family has if the API cannot update a declared field, see options_of in module_utils/_estate/ensure.py
    DOCUMENTATION = r"""
---
options:
  on_drift:
    description:
      - What to do if a declared value differs from the live one and the API cannot update it.
      - V(warn) keeps the live value, warns, and returns the difference in RV(drift). V(ignore) does the same without the
        warning. V(fail) fails the task.
      - V(recreate) deletes the object and creates it again. It requires O(force=true). It refuses if the live text may be
        the form in which the service stores the declared one, such as its beginning or an empty text.
      - Danger - whatever belongs to the object is deleted with it, such as the scans of a target and their findings.
    type: str
    choices: [warn, fail, ignore, recreate]
    default: warn
  force:
    description:
      - Allow O(on_drift=recreate) to delete the object and whatever belongs to it.
    type: bool
    default: false
"""
