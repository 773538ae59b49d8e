# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The published OpenAPI file, and the service's clock."""

from __future__ import annotations

import time
from email.utils import parsedate_to_datetime

import yaml
from ansible_collections.scanops.scanner.tests.service.schema import CONTRACT

PATH = "!/api-schema.yml"


def test_the_contract_is_published_without_a_key_and_counts_for_no_limit(service, send):
    service.settings(rate_limits={"GET": 1})
    for _time in range(2):
        answer = send("GET", PATH, key=None)
        assert (answer.status, answer.type) == (200, "application/yaml")
        assert answer.raw == CONTRACT.encode()
        assert "X-RateLimit-Limit" not in answer.headers
    assert "/workspaces" in yaml.safe_load(answer.raw)["paths"]
    assert [entry["authorization"] for entry in service.log()] == ["missing", "missing"]
    assert service.calls() == ["GET /api-schema.yml"] * 2


def test_another_text_is_published_in_its_place(service, send):
    service.settings(schema_text="openapi: 3.0.3\npaths: {}\n")
    assert send("GET", PATH).raw == b"openapi: 3.0.3\npaths: {}\n"
    service.settings(schema="html")
    assert send("GET", PATH).type == "text/html; charset=utf-8"
    service.settings(schema="missing")
    assert send("GET", PATH).status == 404


def test_it_is_not_below_the_api_and_is_only_read(service, send):
    service.allow_violations = True
    assert send("GET", "/api-schema.yml").status == 404
    assert send("POST", PATH).status == 404


def test_the_clock_can_be_off(service, send):
    for offset in (3600, -3600):
        service.settings(clock_offset=offset)
        theirs = parsedate_to_datetime(send("GET", "/workspaces").headers["Date"]).timestamp()
        assert abs(theirs - time.time() - offset) < 60
