# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A controller whose processes create targets under one rate limit: `share_limit.py SECONDS PROCESSES FIRST NUMBER`.

It prints a line once all processes run. They begin when standard input ends. The exit status is the number of processes
that failed.
"""

from __future__ import annotations

import os
import sys
import traceback

sys.path.insert(0, os.environ["ANSIBLE_COLLECTIONS_PATH"])
from ansible_collections.scanops.scanner.plugins.module_utils._http.connection import Connection
from ansible_collections.scanops.scanner.plugins.module_utils._http.transport import Transport
from ansible_collections.scanops.scanner.plugins.module_utils._scope.permit import Permits
from ansible_collections.scanops.scanner.plugins.module_utils._scope.rules import Scope


def create(numbers: range) -> None:
    connection = Connection(
        os.environ["SCANNER_BASE_URL"], os.environ["SCANNER_API_KEY"], rate_window=float(sys.argv[1])
    )
    transport, permits = Transport(connection), Permits(Scope([]))
    os.read(0, 1)
    for number in numbers:
        form = {"name": f"host-{number:06}.example", "workspace_id": 2}
        permit = permits.permit("POST", "/targets", None, form, None, name_of=lambda target: None)
        transport.send("POST", "/targets", form=form, permit=permit)


def start(numbers: range) -> int:
    """Create targets in a process of its own; returns its id."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        create(numbers)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


processes, first, number = map(int, sys.argv[2:])
numbers = range(first, first + number)
children = [start(numbers[begin::processes]) for begin in range(processes)]
print("ready", flush=True)
sys.exit(sum(os.waitpid(child, 0)[1] != 0 for child in children))
