# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The tasks of the role estate_export."""

from __future__ import annotations

from ..plugin_utils._export_role import ExportAction


# named after a module, because the sanity test action-plugin-docs refuses other names
class ActionModule(ExportAction):
    pass
