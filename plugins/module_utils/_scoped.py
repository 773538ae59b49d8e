# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The work of a module under the authorised scope: that of the task and that of the machine."""

from __future__ import annotations

import os

from ._scope_file import scope_in_force


def scoped(work):
    """``work`` (see ``_module.run``) with ``task.scope_verdict`` set where a scope is in force.

    What a task takes away is never refused: only ``state: present`` is checked.
    """

    def scoped_work(task):
        scope = (
            scope_in_force(task.params["scope"], os.environ)
            if task.params.get("state", "present") == "present"
            else None
        )
        task.scope_verdict = scope.verdict if scope else None
        return work(task)

    return scoped_work
