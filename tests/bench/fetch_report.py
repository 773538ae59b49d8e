# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The script that the module report is compared with: one GET with requests, streamed to a file."""

from __future__ import annotations

import hashlib
import os
import sys

import requests

session = requests.Session()
session.trust_env = False
session.headers["Authorization"] = f"Bearer {os.environ['SCANNER_API_KEY']}"
digest = hashlib.sha1(usedforsecurity=False)
with session.get(f"{os.environ['SCANNER_BASE_URL']}/reports/301/download", stream=True, timeout=60) as answer:
    answer.raise_for_status()
    with open(sys.argv[1], "wb") as file:
        for piece in answer.iter_content(65536):
            file.write(piece)
            digest.update(piece)
        file.flush()
        os.fsync(file.fileno())
print(digest.hexdigest())
