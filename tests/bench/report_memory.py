# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run the installed module report in this process, and print the growth of its memory in bytes."""

from __future__ import annotations

import contextlib
import io
import json
import os
import resource
import sys

sys.path.insert(0, os.environ["ANSIBLE_COLLECTIONS_PATH"])
from ansible.module_utils import basic
from ansible_collections.scanops.scanner.plugins.modules import report


def peak() -> int:
    """The peak memory of this program in bytes."""
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) * 1024
    except FileNotFoundError:
        # on other systems; it can include the program that started this one
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


options = {
    "base_url": os.environ["SCANNER_BASE_URL"],
    "api_key": os.environ["SCANNER_API_KEY"],
    "id": 301,
    "dest": sys.argv[1],
}
basic._ANSIBLE_ARGS = json.dumps({"ANSIBLE_MODULE_ARGS": options}).encode()
if hasattr(basic, "_ANSIBLE_PROFILE"):
    basic._ANSIBLE_PROFILE = "legacy"
before = peak()
printed = io.StringIO()
with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
    report.main()
result = json.loads(printed.getvalue())
if not result.get("changed"):
    sys.exit(f"nothing was fetched: {result}")
print(peak() - before)
