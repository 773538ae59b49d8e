# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The result of coverage_info, and the file that an auditor can be given: declared targets against scans. Pure."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone

from .._records import Record
from .model import Coverage, Exclusion, Row

COLUMNS = ("workspace", "target", "tool", "covered", "excluded", "scan_id", "finished", "age", "reason")
# a spreadsheet would run a cell that begins with one of these
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def result_of(coverage: Coverage) -> Record:
    """What the module returns."""
    rows = [_shown(row) for row in coverage.rows]
    gaps = [_shown(row) for row in coverage.gaps]
    return dict(
        rows=rows,
        gaps=gaps,
        total=len(rows),
        covered=sum(row.covered for row in coverage.rows),
        excluded=sum(row.excluded for row in coverage.rows),
        undeclared=[dict(record) for record in coverage.undeclared],
        duplicates=[dict(record) for record in coverage.duplicates],
        empty_workspaces=list(coverage.empty),
        exclusions=dict(
            expired=[_exclusion(each) for each in coverage.expired],
            unused=[_exclusion(each) for each in coverage.unused],
        ),
    )


def attestation(result: Mapping[str, object], rows: Sequence[Mapping[str, object]], now: float, as_csv: bool) -> str:
    """The text of the file, in CSV or JSON. now: Unix time."""
    if not as_csv:
        return json.dumps({"generated": moment(now), **result}, indent=2, sort_keys=True) + "\n"
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["generated", *COLUMNS])
    for row in rows:
        writer.writerow([moment(now), *(_cell(row[column]) for column in COLUMNS)])
    return stream.getvalue()


def moment(at: float) -> str:
    """A Unix time in UTC, as in 2026-11-22T10:00:00Z."""
    return datetime.fromtimestamp(at, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _shown(row: Row) -> Record:
    return dict(row._asdict(), finished=None if row.finished is None else moment(row.finished))


def _exclusion(each: Exclusion) -> Record:
    fields = ("workspace", "target", "tool", "reason", "expires")
    return {name: getattr(each, name) for name in fields}


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = "" if value is None else "".join(c if c.isprintable() else " " for c in str(value))
    return f"'{text}" if text.startswith(_FORMULA) else text
