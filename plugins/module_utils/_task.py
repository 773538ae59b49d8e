# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What the work of a module is given: the client, the gate, the options, and a way to warn."""

from __future__ import annotations

from typing import Any

from ._http.client import Client
from ._http.transport import Transport
from ._scope.gate import Gate


class Task:
    """One task. ``params`` are its options, ``ansible`` the AnsibleModule that runs it, for the attributes of files.

    step: what an action plugin hands over beside the options, None where a task runs the module itself; not to be trusted.
    """

    def __init__(self, module: Any, transport: Transport, gate: Gate) -> None:
        self.client = Client(transport, gate, module.warn)
        self.gate = gate
        self.params: dict[str, Any] = module.params
        self.check_mode: bool = module.check_mode
        self.diff_mode: bool = module._diff
        self.step: object = module.handed_over
        self.ansible = module

    def warn(self, sentence: str) -> None:
        """Show a warning with the result of the task."""
        self.ansible.warn(sentence)

    def warn_foreseen(self, what: str) -> None:
        """Warn that check mode assumes that an earlier task creates something."""
        self.warn(f"{what} does not exist yet; check mode assumes that an earlier task creates it.")

    def survives_masking(self, value: object) -> bool:
        """Whether this value holds no secret of the task: ansible-core masks each text of a result that holds one."""
        return bool(self.ansible.masked(value) == value)
