# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every call that a test of a module sends must be in the table that service_info compares with the service's schema."""

from __future__ import annotations

import re

from ansible_collections.scanops.scanner.plugins.module_utils._contract.relied_on import RELIED_ON, SCHEMA_PATH
from ansible_collections.scanops.scanner.plugins.module_utils._model.family import FORM, JSON

TABLE = {str(operation): operation for operation in RELIED_ON}


def not_in_the_table(log: list[dict]) -> list[str]:
    """The calls, parameters and fields in a log that are missing in RELIED_ON in _contract/relied_on.py."""
    found = set()
    for entry in log:
        call = f"{entry['method']} {re.sub(r'/[0-9]+(?=/|$)', '/{id}', entry['path'])}"
        operation = TABLE.get(call)
        if entry["path"] == SCHEMA_PATH:
            continue
        if operation is None:
            found.add(call)
            continue
        found.update(f"{call}: the parameter {name}" for name in entry["query"] if name not in operation.query)
        body = entry["form"] if entry["form"] is not None else entry["json"]
        if body is None:
            continue
        encoding = FORM if entry["form"] is not None else JSON
        if encoding != operation.encoding:
            found.add(f"{call}: a body as {encoding}")
        names = operation.always + operation.sometimes
        found.update(f"{call}: the field {name} of the body" for name in body if name not in names)
        found.update(f"{call}: a body without {name}" for name in operation.always if name not in body)
    return sorted(found)
