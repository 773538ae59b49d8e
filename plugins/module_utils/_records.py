# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Rows of the service and the records that results carry; the difference of two records. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from json import dumps
from typing import Any

from ._resources import Resource

# a row of the service, or the record of one: field to value
Record = dict[str, Any]

# the fields that hold the id of an object, whatever the record; other names that end in _id, as vuln_id, are texts
_REFERENCES = ("workspace_id", "target_id", "tool_id", "task_id", "scan_id")
# 64 bits with a sign, which every database and every reader of JSON has
_LARGEST_ID = 2**63 - 1


def is_row(resource: Resource, value: object) -> bool:
    """Whether a value of the service is a record: an object with its identity, its natural key, text for text, and ids
    that are ids."""
    if not isinstance(value, dict) or value.get(resource.key) is None:
        return False
    if not all(_is_text(value.get(field)) for field in resource.text):
        return False
    if any(read_id(value[field]) is None for field in _REFERENCES if value.get(field) is not None):
        return False
    identity = value.get(resource.identity)
    if resource.identity == "id":
        return read_id(identity) is not None
    return not resource.identity or (isinstance(identity, str) and bool(identity))


def read_id(value: object) -> int | None:
    """The id in a value of the service, an integer or its digits as a text; None where it is neither."""
    if isinstance(value, str) and re.fullmatch(r"[1-9][0-9]{0,18}", value):
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _LARGEST_ID else None


def identity_of(resource: Resource, row: Record) -> Any:
    """What tells a row of a list from the others: its identity, or all that it says where the family has none."""
    return row[resource.identity] if resource.identity else dumps(row, sort_keys=True)


def _is_text(value: object) -> bool:
    return value is None or isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))


def record_of(resource: Resource, row: Record) -> Record:
    """A row of the service as results carry it: every field of the table there, null text as "", a number in the place
    of a text as text, ids as integers, the rest as it came."""
    record: Record = dict.fromkeys(resource.fields)
    record.update(row)
    for field in ("id", *_REFERENCES) if resource.identity == "id" else _REFERENCES:
        if record.get(field) is not None:
            record[field] = read_id(record[field])
    for field, other in (resource.also or {}).items():
        if record[field] is None:
            record[field] = row.get(other)
    for field in resource.text:
        record[field] = ("" if field in row else NOT_SHOWN) if record[field] is None else str(record[field])
    return record


class _NotShown(str):
    """The empty text of a field that an answer of the service does not have: nobody can tell what it is."""


NOT_SHOWN = _NotShown()


def not_shown(record: Record, fields: Iterable[str]) -> list[str]:
    """Which of these fields the service has not shown for a record, a list."""
    return [field for field in fields if isinstance(record.get(field), _NotShown)]


def revealed(record: Record, read: Record | None) -> Record:
    """A record with what a read by id, a record or None, shows beyond it."""
    more = {field: read[field] for field in not_shown(record, record) if read and not not_shown(read, [field])}
    return {**record, **more}


def not_compared(what: str, fields: Iterable[str]) -> str:
    """The warning on declared fields that the service shows nowhere."""
    return (
        f"The service does not show the {' and '.join(fields)} of {what}, so it cannot be compared with the declaration: it"
        " is written on create only."
    )


def new_record(resource: Resource, values: Record) -> Record:
    """The record that a create of ``values`` will leave: what only the service can give is None."""
    record: Record = dict.fromkeys(resource.fields)
    record.update(dict.fromkeys(resource.text, ""))
    record.update({name: value for name, value in values.items() if name in resource.fields})
    return record


def difference(resource: Resource, live: Record, declared: Record) -> tuple[Record, Record]:
    """What a declaration changes in a live record: (changes, drift). What the service does not show is not compared.

    changes: {field: declared value}, to be written; drift: {field: {declared, live}}, what no call can change.
    """
    unknown = not_shown(live, declared)
    differing = {field: value for field, value in declared.items() if live[field] != value and field not in unknown}
    changes = {field: value for field, value in differing.items() if field in resource.updatable}
    drift = {
        field: dict(declared=value, live=live[field]) for field, value in differing.items() if field not in changes
    }
    return changes, drift
