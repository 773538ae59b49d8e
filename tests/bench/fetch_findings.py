# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The script that finding_info is compared with: one GET with requests, parsed with json."""

from __future__ import annotations

import json
import os
import sys

import requests

session = requests.Session()
session.trust_env = False
session.headers["Authorization"] = f"Bearer {os.environ['SCANNER_API_KEY']}"
answer = session.get(f"{os.environ['SCANNER_BASE_URL']}/findings", params={"workspace_id": 2}, timeout=60)
answer.raise_for_status()
if len(json.loads(answer.content)["data"]) != int(sys.argv[1]):
    sys.exit("the service returned another number of findings")
