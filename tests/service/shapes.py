# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Other forms of the same records: missing and null fields, other forms of times, ids as text, repeated keys."""

from __future__ import annotations

import calendar
import json
import time
from collections.abc import Callable
from typing import Any

from .answers import JSON, Answer, dumps
from .records import Record
from .settings import Settings

PLAIN = "%Y-%m-%d %H:%M:%S"
HALF = "\ud83d"
"""The first half of an emoji."""
TIMES = ("start_time", "end_time", "request_date")


def shaped(family: str, shown: Record, settings: Settings, in_list: bool = False) -> Record:
    """Remove fields from a record, set fields to null, and convert its times, as the settings say."""
    left_out = settings.missing_fields.get(family, [])
    if in_list:
        left_out = [*left_out, *settings.missing_in_lists.get(family, ())]
    for path in settings.null_fields.get(family, ()):
        _change(shown, path, lambda holder, name: holder.update({name: None}))
    for path in left_out:
        _change(shown, path, lambda holder, name: holder.pop(name))
    for name in TIMES:
        if isinstance(shown.get(name), str):
            shown[name] = moment(shown[name], settings)
    return shown


def _change(record: Record, path: str, change: Callable[[Record, str], object]) -> None:
    """Change the field at a path such as `result_summary.critical`, in copies of the objects above it."""
    name, _dot, rest = path.partition(".")
    if name not in record:
        return
    if not rest:
        change(record, name)
    elif isinstance(record[name], dict):
        record[name] = dict(record[name])
        _change(record[name], rest, change)


def moment(text: str, settings: Settings) -> str | int:
    """A time of a record in the form that the settings choose. Other text is returned as it is."""
    try:
        wall = calendar.timegm(time.strptime(text, PLAIN))
    except ValueError:
        return text
    at, form = wall - settings.record_zone, settings.time_form
    if form == "offset":
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(wall)) + _offset(settings.record_zone)
    if form == "utc":
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))
    if form == "unix":
        return at
    return at * 1000 if form == "unix_ms" else text


def _offset(seconds: int) -> str:
    minutes = abs(seconds) // 60
    return f"{'-' if seconds < 0 else '+'}{minutes // 60:02d}:{minutes % 60:02d}"


def reshape(answer: Answer, settings: Settings) -> Answer:
    """Write ids as text and add halves of characters in an answer, as the settings say."""
    if settings.half_characters and answer.content_type == JSON and answer.body:
        answer.body = dumps(_with_halves(json.loads(answer.body)))
    if settings.id_form == "text" and answer.status < 300 and answer.content_type == JSON and answer.body:
        answer.body = dumps(_ids_as_text(json.loads(answer.body)))
    return answer


def _ids_as_text(value: Any) -> Any:
    if isinstance(value, list):
        return [_ids_as_text(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: str(item) if _is_id(name, item) else _ids_as_text(item) for name, item in value.items()}


def _with_halves(value: Any) -> Any:
    """Add half of a surrogate pair to each object, in a key and in a text, and to the texts of errors."""
    if isinstance(value, list):
        return [_with_halves(item) for item in value]
    if not isinstance(value, dict):
        return value
    said = {name: f"{value[name]} {HALF}" for name in ("message", "details") if isinstance(value.get(name), str)}
    return {**{name: _with_halves(item) for name, item in value.items()}, **said, f"half{HALF}": [f"{HALF}a", HALF]}


def _is_id(name: str, value: object) -> bool:
    return (name == "id" or name.endswith("_id")) and isinstance(value, int) and not isinstance(value, bool)
