# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""VPN profiles: list. The service has no other call for them and does not show their ids."""

from __future__ import annotations

import uuid

from .answers import Answer, Call
from .records import Record
from .store import Account, Family, StateError


def complete(account: Account, record: Record) -> Record:
    if not isinstance(record.get("name"), str):
        raise StateError("a VPN profile needs a name")
    record.setdefault("uuid", str(uuid.uuid5(uuid.NAMESPACE_DNS, record["name"])))
    return record


FAMILY = Family(
    name="vpn_profiles",
    first_id=301,
    fields=("uuid", "name"),
    # the documentation does not say that names are unique
    unique=lambda record: (record["uuid"],),
    complete=complete,
)


def list_all(call: Call) -> Answer:
    return call.many(call.account["vpn_profiles"], None)


OPERATIONS = (("GET", "/vpn_profiles", list_all),)
PATHS = """
  /vpn_profiles:
    get:
      operationId: list_vpn_profiles
      summary: All VPN profiles of the account
      responses:
        "200":
          description: VPN profiles
          content:
            application/json:
              schema:
                oneOf:
                  - type: object
                    required: [data]
                    properties:
                      data: &vpn_profiles
                        type: array
                        items:
                          type: object
                          required: [uuid, name]
                          properties:
                            uuid: {type: string, minLength: 1}
                            name: {type: string}
                  - *vpn_profiles
        "401": {$ref: "#/components/responses/Error"}
        "403": {$ref: "#/components/responses/Error"}
        "429": {$ref: "#/components/responses/RateLimited"}
        "500": {$ref: "#/components/responses/Error"}
"""
