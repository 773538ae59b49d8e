# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Rows of the service and the records that results carry; the difference of two records; complete lists. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from json import dumps
from typing import Any, NamedTuple, TypeVar

from .errors import printable
from .family import Family
from .texts import may_be_stored_form, same

# a row of the service, or the record of one: field to value
Record = dict[str, Any]

# the fields that hold the id of an object in any record; other names that end in _id, such as vuln_id, are texts
_REFERENCES = ("workspace_id", "target_id", "tool_id", "task_id", "scan_id")
# a signed 64-bit integer, which every database and JSON parser can hold
_LARGEST_ID = 2**63 - 1


def is_row(resource: Family, value: object) -> bool:
    """Whether a value of the service is a record: an object with a valid identity, a natural key, and texts and ids of the
    right types."""
    if not isinstance(value, dict) or value.get(resource.key) is None:
        return False
    # booleans are integers
    if [field for field in resource.text if isinstance(value.get(field), (bool, float, list, dict))]:
        return False
    if [field for field in _REFERENCES if value.get(field) is not None and read_id(value[field]) is None]:
        return False
    identity = value.get(resource.identity)
    if resource.identity == "id":
        return read_id(identity) is not None
    return not resource.identity or (isinstance(identity, str) and bool(identity))


def read_id(value: object) -> int | None:
    """The id in a value of the service, an integer or its digits as text; None where it is neither."""
    if isinstance(value, str) and re.fullmatch(r"[1-9][0-9]{0,18}", value):
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _LARGEST_ID else None


def read_flag(value: object) -> bool | None:
    """The boolean in a value of the service, true or false or their texts; None where it is neither."""
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    return value if isinstance(value, bool) else None


def _read_number(value: object) -> int | None:
    """The integer in a value of the service, also as text or as 5.0; None where it is none."""
    if isinstance(value, str):
        return int(value) if re.fullmatch(r"-?[0-9]{1,18}", value) else None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def identity_of(resource: Family, row: Record) -> Any:
    """What distinguishes a row from the others of its list: its identity, or the complete row where the family has none."""
    return row[resource.identity] if resource.identity else dumps(row, sort_keys=True)


def ids_of(records: Iterable[Record]) -> str:
    """The ids of records in ascending order, for a message."""
    return ", ".join(str(object_id) for object_id in sorted(record["id"] for record in records))


def rows_in(rows: Iterable[Record], workspace_id: int | None) -> list[Record]:
    """The rows that do not name another workspace: a service that ignores the filter must not mix workspaces up. None for
    the list of the account."""
    return [row for row in rows if workspace_id is None or row.get("workspace_id") in (None, workspace_id)]


# by the JSON type of a field
_READERS: dict[str, Callable[[object], Any]] = {"boolean": read_flag, "integer": _read_number}


def record_of(resource: Family, row: Record) -> Record:
    """The record of a row: it has every field of the table; null text is "", a number in a text field is text, ids are
    integers, a number or boolean that a task can declare or that protects a record is one where it can be read so, and the
    rest is unchanged."""
    record: Record = dict.fromkeys(resource.fields)
    record.update(row)
    for field in ("id", *_REFERENCES) if resource.identity == "id" else _REFERENCES:
        if record.get(field) is not None:
            record[field] = read_id(record[field])
    for field, other in resource.also.items():
        if record[field] is None:
            record[field] = row.get(other)
    for field in (*resource.declared, *([resource.kept] if resource.kept else [])):
        read = _READERS.get(resource.types.get(field, ""))
        value = read(record[field]) if read else None
        if value is not None:
            record[field] = value
    for field in resource.text:
        record[field] = ("" if field in row else NOT_SHOWN) if record[field] is None else str(record[field])
    return record


class _NotShown(str):
    """The empty text of a field that the service's answer lacks, so that its value is unknown."""


NOT_SHOWN = _NotShown()


def not_shown(record: Record, fields: Iterable[str]) -> list[str]:
    """Those of the fields that the service has not shown for a record. A text that is null is shown, and empty; a number or
    boolean that is null is unknown."""
    return [field for field in fields if record.get(field) is None or isinstance(record[field], _NotShown)]


def revealed(record: Record, read: Record | None) -> Record:
    """A record, completed with what a read by id has shown."""
    more = {field: read[field] for field in not_shown(record, record) if read and not not_shown(read, [field])}
    return {**record, **more}


def not_compared(what: str, fields: Iterable[str]) -> str:
    """The warning on declared fields that the service shows nowhere."""
    return (
        f"The service does not show the {' and '.join(fields)} of {what}, so it cannot be compared with the declaration. It"
        " is written on create only."
    )


def new_record(resource: Family, values: Record) -> Record:
    """The record that a create of ``values`` leads to; what only the service can give is None."""
    record: Record = dict.fromkeys(resource.fields)
    record.update(dict.fromkeys(resource.text, ""))
    record.update({name: value for name, value in values.items() if name in resource.fields})
    return record


def difference(resource: Family, live: Record, declared: Record) -> tuple[Record, Record]:
    """Compare a declaration with a live record: (changes, drift). Fields that the service does not show are skipped, and texts
    are equal in normal form.

    changes: {field: declared value}, to be written; drift: {field: {declared, live}}, which no call can change.
    """
    unknown = not_shown(live, declared)
    differing = {
        field: value for field, value in declared.items() if not same(live[field], value) and field not in unknown
    }
    changes = {field: value for field, value in differing.items() if field in resource.updatable}
    drift = {
        field: dict(declared=value, live=live[field]) for field, value in differing.items() if field not in changes
    }
    return changes, drift


def written(resource: Family, before: Record, changes: Record, read: Record) -> tuple[Record, Record]:
    """Compare what was read after an update with what was expected: (record, {field: {expected, live}}).

    A field that the service does not show counts as expected. One that the collection does not know may change with any
    update, as a time of change does, but no update may clear it.
    """
    expected = {**before, **changes}
    record = {**read, **{field: value for field, value in expected.items() if isinstance(read.get(field), _NotShown)}}
    known = {field: value for field, value in expected.items() if not isinstance(value, _NotShown)}
    found = {
        field: dict(expected=value, live=record[field])
        for field, value in known.items()
        if field in record and not same(record[field], value)
        if field in resource.fields or record[field] in (None, "")
    }
    return record, found


def stored_otherwise(record: Record, values: Record, exact: str | None = None, recreated: bool = False) -> str | None:
    """That a service has stored texts of a create in another form, a clause that ends with what to do; or None.

    exact: the field that must be as it was sent, because it is looked up so; recreated: whether an object was deleted for it.
    """
    others = {
        field: record[field]
        for field, value in values.items()
        if record.get(field) is not None and not isinstance(record[field], _NotShown)
        if not (record[field] == value if field == exact else same(record[field], value))
    }
    shown = " and ".join(f"its {field} as {printable(repr(stored))}" for field, stored in others.items())
    again = recreated and not all(may_be_stored_form(str(stored), str(values[name])) for name, stored in others.items())
    advice = ", because another run with on_drift: recreate would delete the object again" if again else ""
    return f"the service stores {shown}; declare the text as the service stores it{advice}" if shown else None


def may_be_stored(drift: Record) -> str | None:
    """Why an object must not be recreated because of this drift, a clause; or None. Recreating it may change nothing."""
    for field, sides in drift.items():
        if may_be_stored_form(str(sides["live"]), str(sides["declared"])):
            return (
                f"its live {field}, {printable(repr(sides['live']))}, may be the form in which the service stores the"
                " declared one, so recreating it would delete its scans in every run; declare the live text, or edit it in"
                " the web application"
            )
    return None


def not_as_written(what: str, found: Record, changes: Record) -> str:
    """The message on fields that an update has left otherwise than expected, as ``written`` finds them. what: the object."""
    shown = " and ".join(
        f"the {field} of {what} is {printable(repr(sides['live']))} instead of {printable(repr(sides['expected']))}"
        for field, sides in sorted(found.items())
    )
    undeclared = sorted(set(found) - set(changes))
    if not undeclared:
        return f"After the update, {shown}. Declare the value as the service stores it, and run the task again."
    return (
        f"After the update, {shown}. This task does not declare the {' and '.join(undeclared)}; the service seems to replace"
        " the complete record. Declare the missing values, or restore them in the web application, and run the task again."
    )


# --- lists that were proven to be complete
#
# Code that deletes something, or says that something is missing, demands one of them with ``proven``. A filtered or handmade
# list has another type. A test makes sure that only the readers of lists construct them.

_Proof = TypeVar("_Proof")


class Complete(tuple[Record, ...]):
    """Every record of a list, read up to an end that the service showed. Constructed by ``listing`` only."""

    __slots__ = ()


class InWorkspace(Complete):
    """Every record of one family in one workspace. Constructed by ``_lookup`` only.

    Each record belongs to the workspace: it says so itself, or no other list that was read contains it and the service was
    seen to filter its lists.
    """

    __slots__ = ()


class Streamed(NamedTuple):
    """How far a list was read whose rows were not kept. Constructed by ``listing`` only.

    rows: how many were read; total: how many the service says the list has, None where it does not; has_more: whether the
    service says that more follow.
    """

    rows: int
    total: int | None
    has_more: bool

    @property
    def is_short(self) -> bool:
        return self.total is not None and self.total > self.rows


def proven(kind: type[_Proof], value: object) -> _Proof:
    """Return ``value``, which must be of this kind; anything else is a bug of the caller."""
    if not isinstance(value, kind):
        raise TypeError(f"expected {kind.__name__}, got {type(value).__name__}")
    return value


def number_in(value: object) -> int | None:
    """A count in any form in which services write numbers; None for anything else."""
    if isinstance(value, str):
        digits = value.strip()
        # more are no count, and cut they would be another
        value = int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 15 else None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
