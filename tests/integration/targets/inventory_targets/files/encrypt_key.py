# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Print a line of YAML, `api_key: !vault …`, with the key of the local service encrypted by the password in a file."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from ansible.parsing.vault import VaultLib, VaultSecret

ready, password = map(Path, sys.argv[1:])
secret = VaultSecret(password.read_bytes().strip())
encrypted = VaultLib([("default", secret)]).encrypt(json.loads(ready.read_text())["api_key"], secret).decode()
print("api_key: !vault |")
for line in encrypted.splitlines():
    print(f"  {line}")
