# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs the module of this name in process where that is equal."""

from __future__ import annotations

from ..modules.finding import MODULE
from ..plugin_utils._in_process import InProcess


class ActionModule(InProcess):
    declared = MODULE
