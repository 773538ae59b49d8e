# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finding templates: list by limit and offset. They are the same for every account."""

from __future__ import annotations

from .answers import Answer, Call, Part, Refused
from .records import Record
from .store import Account, Family, StateError

DEFAULTS: Record = {
    "software_type": "web server",
    "vendor": "Example",
    "product": "Example Server",
    "date": "2024-01-31",
    "codename": "",
    "vuln_description": "The service has a weakness.",
    "how_to_reproduce": "Send the request again.",
    "public_vuln_description": "A weakness that is publicly known.",
    "risk_description": "Somebody may use it.",
    "recommendation": "Update the software.",
    "cve": [],
    "cvss": 5.0,
}


def complete(account: Account, record: Record) -> Record:
    if not isinstance(record.get("name"), str):
        raise StateError("a finding template needs a name")
    for name, value in DEFAULTS.items():
        record.setdefault(name, value)
    record.setdefault("vuln_id", "NETSCAN-00-0000001")
    record.setdefault("has_ptt_exploit", False)
    return record


FAMILY = Family(
    name="finding_templates",
    first_id=9001,
    # the documentation shows neither an id nor has_ptt_exploit
    fields=("name", "vuln_id", *DEFAULTS),
    unique=lambda record: (record["id"],),
    complete=complete,
    paged=True,
)


def list_page(call: Call) -> Answer:
    table, settings = call.account["finding_templates"], call.settings
    limit = call.integer(call.query, "limit", None, 1, settings.max_limit)
    offset = call.integer(call.query, "offset", 0, 0)
    kind = call.query.get("vuln_id_type")
    exploit = call.flag("has_ptt_exploit")
    records = [
        record
        for record in table.page(None, 0, None, settings.order == "newest_first")
        if (kind is None or record["vuln_id"].startswith(f"{kind}-"))
        and (exploit is None or record["has_ptt_exploit"] is exploit)
    ]
    if settings.page_cap:
        limit = min(limit or settings.page_cap, settings.page_cap)
    # an offset has no effect without a limit
    start = offset if "limit" in call.query and not settings.ignore_page else 0
    if "cursor" in call.query and limit:
        start = (call.page_number() - 1) * limit
    if start and settings.past_end == 404 and start >= len(records):
        raise Refused(404, "no such page", f"offset {start} is past the end")
    total = len(records)
    records = records[start:] if limit is None else records[start : start + limit]
    return call.part(table, records, Part(start // (limit or total or 1) + 1, limit or total or 1, total, True))


OPERATIONS = (("GET", "/public/finding_templates", list_page),)
