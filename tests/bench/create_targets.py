# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The script that the module targets is compared with: one session, one POST for each new target."""

from __future__ import annotations

import os
import sys

import requests

session = requests.Session()
session.trust_env = False
session.headers["Authorization"] = f"Bearer {os.environ['SCANNER_API_KEY']}"
for number in range(1, int(sys.argv[1]) + 1):
    form = {"name": f"host-{number:06}.example", "workspace_id": 2}
    session.post(f"{os.environ['SCANNER_BASE_URL']}/targets", data=form, timeout=30).raise_for_status()
