# Copyright (c) 2026 The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt
# or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The event source scanops.scanner.scan."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

DOCUMENTATION = r"""
---
short_description: An event for each scan that ends
description:
  - Lists the scans of workspaces again and again, and passes each scan that has ended
    on once as an event, however it ended. The event has its record with the keys
    C(workspace) (a name) and C(outcome).
  - Delivery is at least once with O(feedback=true), a C(--persistence-id) B(and) a
    database (C(drools_db_*)). Without the database, ansible-rulebook acknowledges
    from memory, and the source cannot tell.
  - If a read fails, it is repeated after O(interval) or, after several failures, at
    most 30 seconds if that is longer.
  - Text of the service in an event is data. A space breaks whatever Ansible would
    evaluate as a template, such as C({ {). ansible-rulebook itself reads text that
    looks like a literal of Python, such as C([1]), as that value.
  - Cost - each O(interval), 1 GET, and for each workspace 1 GET for each 1,000 scans
    and 1 GET for the end of the list.
options:
  workspaces:
    description: The names of the workspaces. If not set, those that the key can see.
    type: list
    elements: str
  tools:
    description:
      - The tools whose scans are events, by name or id. If not set, those of all
        tools.
    type: list
    elements: str
  interval:
    description: The number of seconds between two reads.
    type: float
    default: 30.0
  state_file:
    description:
      - The file that keeps which scans were passed on. It is replaced after each
        event. Each source needs a file of its own, in a directory that outlives the
        rulebook. A lock beside it, a file with the suffix C(.lock), keeps a second
        source from using it.
      - A file that cannot be read, is in use, or belongs to another source, ends the
        rulebook at the start.
      - The same applies to a file of another O(workspaces) or O(tools). Give another
        file, with O(first_run=new) unless old scans are to be events.
      - While the file cannot be written, for example on a full disk, no further event
        is passed on. The log says so, and an event of the type C(error).
    type: path
    required: true
  first_run:
    description:
      - Whether the scans that ended before the state file existed are events, too.
    type: str
    choices: [all, new]
    default: all
  feedback:
    description:
      - Whether the next event waits until ansible-rulebook has acknowledged the last
        one. Without it, the events in the queue are lost if the rulebook is killed.
    type: bool
    default: false
  feedback_timeout:
    description: The number of seconds to wait for an acknowledgement.
    type: float
    default: 60.0
  on_silence:
    description:
      - What to do if an event is not acknowledged. V(stop) ends the rulebook, and the
        next start begins with this event. V(continue) warns, and passes the next
        event on.
      - V(continue) is for rulebooks with a filter that drops events. Danger - an
        event that the engine failed to store is lost with it.
    type: str
    choices: [continue, stop]
    default: stop
  error_after:
    description:
      - The number of seconds for which reads have failed before there is an event of
        the type C(error).
    type: float
    default: 60.0
  base_url:
    description:
      - The base URL of the service's API. Required, unless the environment variable
        E(SCANNER_BASE_URL) is set.
      - The options O(api_key), C(timeout), C(retries), C(rate_limit_wait),
        C(rate_share), C(call_timeout), C(max_answer), C(validate_certs), C(ca_path),
        C(client_cert), C(client_key), C(proxy) and C(allow_http) are those of the
        modules, with the same environment variables.
    type: str
  api_key:
    description:
      - The API key. Required, unless the environment variable E(SCANNER_API_KEY) is
        set.
    type: str
"""

EXAMPLES = r"""
- scanops.scanner.scan:
    workspaces: [Web shop]
    tools: [Website Scanner]
    state_file: /var/lib/eda/scans.json
    feedback: true
"""


def _place_of_collections() -> str:
    return str(Path(__file__).absolute().parents[7])


async def main(queue: asyncio.Queue[Any], args: dict[str, Any]) -> None:
    """Pass on the scans that end.

    Parameters
    ----------
    queue
        Takes the events.
    args
        The options of the source.

    """
    # ansible-rulebook does not add the directory of collections
    sys.path.append(_place_of_collections())
    place = "ansible_collections.scanops.scanner.plugins.plugin_utils"
    source = importlib.import_module(f"{place}._event_source")
    await source.run("scan", queue, args)
