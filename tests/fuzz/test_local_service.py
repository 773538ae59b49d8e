# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The local service answers every request, right or wrong, as its OpenAPI file says, and never with a 5xx."""

from __future__ import annotations

import pytest
import requests
import schemathesis
import yaml
from ansible_collections.scanops.scanner.tests.fuzz.properties import CALLS
from ansible_collections.scanops.scanner.tests.service.schema import CONTRACT
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

STATE = {
    "targets": [{"id": 1001, "name": "a.example"}],
    "http_loggers": [{"id": 501, "label": "l"}],
    "scans": [{"id": 40001, "target": "a.example", "tool_id": 20}],
    "findings": [{"id": 70001, "name": "Weak cipher", "task_id": 40001, "target_id": 1001}],
    "reports": [{"id": 301, "format": "pdf"}],
}
# ids of this state and of a fresh account, and one that does not exist
IDS = (1, 1001, 501, 1700, 40001, 70001, 301, 1600, 7)
# of a request line; aiohttp answers longer ones before the local service sees them
LONGEST_URL = 8000
CHECKS = (not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance)

schema = schemathesis.openapi.from_dict(yaml.safe_load(CONTRACT))


@pytest.fixture(scope="module")
def service(local_service):
    """The service with some objects of each family."""
    local_service.reset(state=STATE)
    return local_service


@schema.parametrize()
def test_each_answer_of_the_local_service_conforms(case, service):
    CALLS["test_each_answer_of_the_local_service_conforms"] += 1
    if "id" in case.path_parameters:
        number = case.path_parameters["id"]
        # a path whose id is no number is unknown, and answered with an HTML page
        case.path_parameters["id"] = IDS[(number if isinstance(number, int) else len(str(number))) % len(IDS)]
    headers = {"Authorization": f"Bearer {service.api_key}"}
    request = case.as_transport_kwargs(base_url=service.base_url, headers=headers)
    url = requests.Request(request["method"], request["url"], params=request["params"]).prepare().url or ""
    if len(url) > LONGEST_URL:
        return
    answer = case.call(base_url=service.base_url, headers=headers)
    case.validate_response(answer, checks=CHECKS)
