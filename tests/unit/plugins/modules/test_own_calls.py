# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The number of calls of our own functions in the simplest task, which every task pays. The benchmark calls_unchanged has its
goal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from ansible_collections.scanops.scanner.plugins.modules import workspace

COUNT = Path(__file__).resolve().parents[3] / "bench" / "count_calls.py"
# what contains ansible_collections, which can be a link to the checkout
ROOT = Path(str(workspace.__file__)).parents[5]
MOST_BEFORE = 125
MOST = 240


def test_unchanged_workspace_calls_few_own_functions(service):
    service.reset(settings={"rate_limits": {"headers": True}}, state={"workspaces": [{"name": "Bench"}]})
    options = json.dumps(dict(base_url=service.base_url, api_key=service.api_key, name="Bench"))
    command = [sys.executable, str(COUNT), "workspace", options]
    environment = {**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(ROOT), "PYTHONPATH": os.pathsep.join(sys.path)}
    # the first runs create the file with the rate limit
    for _run in range(3):
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True, text=True)
    found = json.loads(done.stdout)
    before, total = sum(found["before"].values()), sum(found["all"].values())
    assert found["result"]["changed"] is False and 0 < before < total
    assert before <= MOST_BEFORE, found["before"]
    assert total <= MOST, found["all"]
