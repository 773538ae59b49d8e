# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the code reads, sends and treats is in the specification, or in the table of assumptions.

After a call: ``?`` a parameter, ``:`` a field of the body, ``.`` a field of the answer, ``=`` another name of one, ``>`` a
field with the new id, ``@`` a content type. A status is followed by an action of ``advice``, or by none for every call.
"""

from __future__ import annotations

import pytest
import yaml
from ansible_collections.scanops.scanner.plugins.module_utils._contract.assumptions import ROWS
from ansible_collections.scanops.scanner.plugins.module_utils._contract.judges import CONFIRMED
from ansible_collections.scanops.scanner.plugins.module_utils._contract.relied_on import RELIED_ON
from ansible_collections.scanops.scanner.plugins.module_utils._http import advice, retry
from ansible_collections.scanops.scanner.plugins.module_utils._model.families import FAMILIES
from ansible_collections.scanops.scanner.tests.service.schema import CONTRACT

# all that the specification documents and the collection relies on
SPECIFICATION = (
    "GET /workspaces .id .name .description",
    "GET /workspaces/{id} .id .name .description",
    "POST /workspaces :name :description",
    "PUT /workspaces/{id} :name :description",
    "DELETE /workspaces/{id}",
    "GET /targets ?workspace_id ?type ?limit ?page .id .name .description .workspace_id .type",
    "GET /targets/{id} .id .name .description .workspace_id .type",
    "POST /targets :name :description :workspace_id",
    "GET /http_loggers ?workspace_id .id .label",
    "GET /http_loggers/{id} .id .label",
    "POST /http_loggers ?workspace_id :label",
    "DELETE /http_loggers/{id}",
    "GET /http_loggers/{id}/data",
    "DELETE /http_loggers/{id}/data",
    "GET /wordlists .id .name .description .num_words .predefined",
    "POST /scans :tool_id :target_name",
    "GET /scans/{id}/output @application/pdf",
    "GET /scans/{id}/raw @text/plain",
    "GET /reports/{id}/download",
    "GET /vpn_profiles",
    "GET /public/finding_templates",
    "400 list",
    "400 create",
    "400 update",
    "401",
    "403",
    "404 create",
    "409 create",
    "409 delete",
    "422 create",
    "422 update",
    "500",
)


def items_in(lines):
    """Each call, with each of its parts, and each status."""
    found = set()
    for line in lines:
        first, *rest = line.split()
        if first.isdigit():
            found.add(line)
        else:
            found |= {f"{first} {rest[0]}", *(f"{first} {rest[0]} {part}" for part in rest[1:])}
    return found


def items_of(call):
    parts = {
        "?": call.query, ":": (*call.always, *call.sometimes), ".": call.fields, "=": call.also.values(), ">": call.one_of,
        "@": call.accepts,
    }  # fmt: skip
    return {str(call), *(f"{call} {sign}{name}" for sign, names in parts.items() for name in names)}


SPECIFIED = items_in(SPECIFICATION)
COVERED = {item: row.name for row in ROWS for item in items_in(row.covers)}
RELIED = {item for call in RELIED_ON for item in items_of(call)}


def is_known(status, actions):
    """Whether every one of these actions has the status; "" stands for every action."""
    known = {*SPECIFIED, *COVERED}
    return str(status) in known or (actions != {""} and all(f"{status} {action}" in known for action in actions))


def test_each_call_parameter_and_field_is_specified_or_assumed():
    assert RELIED - SPECIFIED - COVERED.keys() == set(), (
        "add what the API documents to SPECIFICATION in this file, and all else to `covers` of a Row in assumptions.py"
    )


def test_nothing_is_assumed_that_is_specified_or_unused():
    calls = {item for item in COVERED if not item.partition(" ")[0].isdigit()}
    # the call itself is in each line about one of its parts
    assert {item for item in calls & SPECIFIED if len(item.split()) > 2} == set()
    assert calls - RELIED == set()


@pytest.mark.parametrize("statuses, facts, _clause", advice._NEXT_STEPS)
def test_each_status_with_advice_is_specified_or_assumed(statuses, facts, _clause):
    actions = {fact for fact in facts.split() if fact in advice.ACTIONS} or {""}
    # statuses that are known for some calls may have advice for any call
    for status in statuses:
        known = any(item.split()[0] == str(status) for item in (*SPECIFIED, *COVERED))
        assert is_known(status, actions) if actions != {""} else known, (status, facts)


def test_each_status_that_a_family_or_a_retry_treats_is_specified_or_assumed():
    assert [status for status in retry.GATEWAY if not is_known(status, {""})] == []
    deleted = {status for family in FAMILIES.values() for status in family.delete_hints}
    assert [status for status in deleted if not is_known(status, {"delete"})] == []
    assert [status for status in advice.CREATE_HINTS if not is_known(status, {"create"})] == []


def test_the_contract_has_no_call_that_is_neither_specified_nor_assumed():
    paths = yaml.safe_load(CONTRACT)["paths"]
    calls = {f"{method.upper()} {path}" for path in paths for method in paths[path] if method != "parameters"}
    assert calls - SPECIFIED - COVERED.keys() == set()


def test_an_assumption_that_is_never_tried_says_why():
    assert [row.name for row in ROWS if not row.missing or (row.judge is None and row.needs)] == []


def test_every_consequence_is_a_sentence():
    assert [row.name for row in ROWS if not row.consequence.endswith(".") or CONFIRMED in row.consequence] == []
