# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Stands before the real requests on PYTHONPATH, as if that were an old release."""

from __future__ import annotations

__version__ = "2.30.0"
