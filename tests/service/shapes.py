# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Other forms of the same records: missing and null fields, other forms of times, ids as text, repeated keys."""

from __future__ import annotations

import calendar
import gzip
import json
import time
from collections.abc import Callable
from typing import Any

from .answers import JSON, Answer
from .records import Record
from .settings import SETTINGS, Settings

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
    """Give an answer the form that the settings choose: its members, values, encoding and headers."""
    if settings.limit_headers is not None:
        for name in ("X-RateLimit-Limit", "X-RateLimit-Remaining"):
            answer.headers[name] = settings.limit_headers
    if answer.content_type == JSON and answer.body:
        value = changed = json.loads(answer.body)
        if settings.half_characters:
            changed = _with_halves(changed)
        if answer.status < 300:
            forms = {name: form for name, form in _FORMS.items() if getattr(settings, name) != SETTINGS[name].default}
            if forms:
                changed = _each(changed, "", lambda name, item: _formed(name, item, settings, forms))
            if settings.status_form == "status":
                changed = _renamed(changed)
            if settings.extra_members and isinstance(changed, dict):
                changed = {"success": True, "status": 200, "message": "OK", **changed}
        elif settings.errors != "documented":
            changed = {"error": changed if settings.errors == "nested" else changed["message"]}
        if changed is not value or settings.encoding != "ascii":
            answer.body = json.dumps(changed, ensure_ascii=settings.encoding == "ascii").encode(settings.encoding)
        answer.content_type = settings.json_type
    if settings.compressed and answer.body:
        answer.body = gzip.compress(answer.body)
        answer.headers["Content-Encoding"] = "gzip"
    return answer


def _each(value: Any, name: str, form: Callable[[str, Any], Any]) -> Any:
    """A value whose parts, each with the name that it has in its object, are in another form."""
    if isinstance(value, list):
        return [_each(item, name, form) for item in value]
    if isinstance(value, dict):
        return {key: _each(item, key, form) for key, item in value.items()}
    return form(name, value)


def _formed(name: str, value: Any, settings: Settings, forms: dict[str, Callable[[str, Any, str], Any]]) -> Any:
    for setting, form in forms.items():
        value = form(name, value, getattr(settings, setting))
    return value


def _id(name: str, value: Any, form: str) -> Any:
    return str(value) if _is_id(name, value) else value


def _boolean(name: str, value: Any, form: str) -> Any:
    if not isinstance(value, bool):
        return value
    return int(value) if form == "number" else str(value).lower()


def _number(name: str, value: Any, form: str) -> Any:
    if isinstance(value, bool) or not isinstance(value, int) or _is_id(name, value):
        return value
    return str(value) if form == "text" else float(value)


def _status(name: str, value: Any, form: str) -> Any:
    if name != "status_name" or not isinstance(value, str) or form == "status":
        return value
    return value.upper() if form == "upper" else value.replace(" ", "_")


_FORMS: dict[str, Callable[[str, Any, str], Any]] = {
    "number_form": _number,
    "boolean_form": _boolean,
    "status_form": _status,
    "id_form": _id,
}


def _renamed(value: Any) -> Any:
    """Records with `status` in place of `status_name`."""
    if isinstance(value, list):
        return [_renamed(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {"status" if name == "status_name" else name: _renamed(item) for name, item in value.items()}


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
