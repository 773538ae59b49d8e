# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The table that service_info compares with the service's schema contains exactly the calls of the modules."""

from __future__ import annotations

import re

import yaml
from ansible_collections.scanops.scanner.plugins.module_utils._contract.openapi import differences
from ansible_collections.scanops.scanner.plugins.module_utils._contract.relied_on import RELIED_ON, SCHEMA_PATH
from ansible_collections.scanops.scanner.tests.service.schema import CONTRACT
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scenarios import PROBES, READS, WRITES

OPENAPI = yaml.safe_load(CONTRACT)
TABLE = {str(operation) for operation in RELIED_ON}
CALLED = {
    re.sub(r"/\d+", "/{id}", call)
    for task in (*WRITES.values(), *READS.values(), *PROBES.values())
    for call in task.calls
} - {f"GET {SCHEMA_PATH}"}


def test_each_call_of_a_module_is_in_the_table():
    assert CALLED <= TABLE


def test_the_contract_of_the_local_service_has_all_of_the_table():
    assert differences(OPENAPI, "/api/v2") == []


def test_the_table_has_each_operation_of_the_contract():
    operations = {
        f"{method.upper()} {path}"
        for path, item in OPENAPI["paths"].items()
        for method in item
        if method != "parameters"
    }
    assert operations == TABLE
