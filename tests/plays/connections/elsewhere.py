# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A connection plugin for tests: to another host, which happens to be this one."""

from __future__ import annotations

from ansible.plugins.connection.local import Connection as Local

DOCUMENTATION = """
name: elsewhere
short_description: Run tasks here as on another host
description: For tests.
"""


class Connection(Local):
    transport = "elsewhere"
