# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The type of whatever the service keeps, receives or sends as a JSON object."""

from __future__ import annotations

from typing import Any

Record = dict[str, Any]
