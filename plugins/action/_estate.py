# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the roles of an estate check before and between their tasks."""

from __future__ import annotations

from ansible_collections.scanops.scanner.plugins.plugin_utils._estate_role import EstateAction


class ActionModule(EstateAction):
    pass
