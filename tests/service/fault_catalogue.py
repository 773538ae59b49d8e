# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Named faults, ready to use: everything that a client can receive in place of an answer.

No client can recognise every fault: an empty list may be correct. Such a fault names the calls that it can be the answer to.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from .records import Record

LIST = r"GET /(public/)?\w+"
RECORD = r"GET /\w+/\d+(/\w+)?"
CHANGE = r"(PUT|PATCH|DELETE) .*|POST /scans/\d+/stop"
DATA = r"GET /http_loggers/\d+/data"
FILE = r"GET /(reports/\d+/download|scans/\d+/raw|wordlists/\d+/contents)"


class Named(NamedTuple):
    """Faults of one request. believable: a regular expression for the calls ("METHOD path") that may have this correct
    answer, so that no client can recognise the fault; slow: whether the fault is a delay."""

    faults: tuple[Record, ...]
    believable: str = ""
    slow: bool = False

    def may_be_true_of(self, call: str) -> bool:
        return bool(self.believable) and re.fullmatch(self.believable, call) is not None


def _one(action: str, believable: str = "", slow: bool = False, **fields: Any) -> Named:
    return Named(({"action": action, **fields},), believable, slow)


def _status(status: int, believable: str = "", **fields: Any) -> Named:
    return _one("status", believable, status=status, **fields)


def _body(body: object, believable: str = "", status: int = 200, **fields: Any) -> Named:
    return _status(status, believable, body=body, **fields)


def _file(body: object, **fields: Any) -> Named:
    """A body that no answer of the API has, but that any file can have."""
    return _body(body, FILE, **fields)


# the service refuses the request; no work is done
REFUSALS = {
    str(status): _status(status, RECORD if status == 404 else "")
    for status in (400, 401, 403, 404, 408, 409, 418, 422, 500, 501, 502, 503, 504, 520)
}
REFUSALS["406"] = _status(406, r"GET /scans/\d+/output")
REFUSALS["429"] = _status(429, headers={"Retry-After": "1"})
REFUSALS["429-without-a-time"] = _status(429)
REFUSALS["429-for-a-day"] = _status(429, headers={"Retry-After": "86400"})

# the work is done, and the client receives another answer, or none
LOST = {
    **{f"{status}-after": _status(status, when="after") for status in (500, 502, 503, 504)},
    "html-after": _one("html", when="after"),
    "html-200-after": _one("html", when="after", status=200),
    "reset-after": _one("reset", when="after"),
    "close-after": _one("close", when="after"),
    "truncate": _one("truncate"),
    "truncated-json": _one("truncated_json", FILE),
    "short": _one("short"),
    "long": _one("long"),
    "large": _one("large", FILE, size=3 * 1024 * 1024, gzip=True),
    "empty-after": _body("", CHANGE, when="after"),
    "no-content-after": _status(204, CHANGE, when="after"),
    "data-null-after": _one("wrong_type", f"{CHANGE}|{FILE}", when="after", data=None),
    "data-list-after": _one("wrong_type", f"{LIST}|{DATA}|{CHANGE}|{FILE}", when="after", data=[]),
    "created-0-after": _one("wrong_type", f"{CHANGE}|{FILE}", when="after", data={"created_id": 0, "report_id": 0}),
    "created-unknown-after": _one(
        "wrong_type", f"{CHANGE}|{FILE}", when="after", data={"created_id": 999_999, "report_id": 999_999}
    ),
    "late": _one("delay", slow=True, when="after", seconds=0.3),
    "slow-body": _one("drip", FILE, slow=True, seconds=0.03, size=200),
    "slow-head": _one("drip", slow=True, seconds=0.03, size=200, part="head"),
}

# the work is not done, and the client receives no error of the service
BROKEN = {
    "reset": _one("reset"),
    "close": _one("close"),
    "never": Named(({"action": "delay", "seconds": 0.3}, {"action": "close"}), slow=True),
    "html": _one("html"),
    "html-200": _one("html", status=200),
    "html-404": _one("html", status=404),
    "html-503": _one("html", status=503),
    "redirect": _one("redirect", location="https://elsewhere.example/login"),
    "redirect-same-host": _one("redirect", location="/login", status=301),
    "redirect-to-itself": _one("redirect", location="#", status=307),
    "redirect-nowhere": _one("redirect", location="", status=302),
    "redirect-see-other": _one("redirect", FILE, location="/api/v2/workspaces/1", status=303),
    "redirect-broken": _one("redirect", location="http://[::1", status=308),
    "empty": _body("", CHANGE),
    "no-content": _status(204, CHANGE),
    "created-empty": _body("", CHANGE, status=201),
    "text": _file("maintenance", content_type="text/plain"),
    "half-json": _file('{"data": [{"id": 1'),
    "two-documents": _file('{"data": []}{"data": []}'),
    "not-utf-8": _file("\udcff", content_type="application/json; charset=utf-8"),
    "deep": _file("[" * 100_000),
    "infinity": _file('{"data": [{"id": Infinity, "name": "x"}]}'),
    "huge-number": _file('{"data": [{"id": 1e400, "name": "x"}]}'),
    "keys-twice": _file('{"data": [{"id": 5, "id": 6, "name": "x", "name": "y"}]}'),
    "null": _file("null"),
    "list": _body("[]", f"{LIST}|{DATA}|{FILE}"),
    "object": _body("{}", f"{CHANGE}|{FILE}"),
    "number": _file("5"),
    "string": _file('"maintenance"'),
    "error-as-200": _file({"status": 500, "message": "failed"}),
    "error-in-data": _body({"data": {"status": 500, "message": "failed"}}, f"{CHANGE}|{FILE}"),
    "error-without-message": _body({"status": 400}, status=400),
    "error-of-another-form": _body({"error": {"code": 17, "message": "no"}}, status=400),
    "error-as-list": _body([{"message": "no"}], status=422),
    "error-empty": _body("", status=400),
    "error-large": _body(" " * 2 * 1024 * 1024 + '{"status": 400, "message": "no"}', status=400),
    "error-with-the-key": _status(400, message="wrong key <api key>", details="<api key>"),
    "error-with-controls": _status(400, message="\x1b[31m\x9b\u202eno\r\nFAKE: ok"),
}

# wrong values in the envelope of the service
_DATA: dict[str, object] = {
    "null": None,
    "object": {},
    "list": [],
    "text": "x",
    "number": 5,
    "true": True,
    "list-of-null": [None],
    "list-of-lists": [[]],
    "list-of-texts": ["x"],
    "list-of-objects": [{}],
    "id-null": {"id": None},
    "id-0": {"id": 0},
    "id-negative": {"id": -1},
    "id-text": {"id": "x"},
    "id-float": {"id": 1.5},
    "id-true": {"id": True},
    "ids-null": [{"id": None}],
    "ids-0": [{"id": 0}],
    "created-0": {"created_id": 0},
    "created-unknown": {"created_id": 999_999, "report_id": 999_999},
    "nested": {"data": {"data": []}},
}
# an empty list may be correct, and the data in the answer to a change is not documented
_BELIEVABLE = {"list": f"{LIST}|{DATA}|{CHANGE}|{FILE}"}
DATA_FORMS = {
    f"data-{name}": _one("wrong_type", _BELIEVABLE.get(name, f"{CHANGE}|{FILE}"), data=data)
    for name, data in _DATA.items()
}

CATALOGUE = {**REFUSALS, **LOST, **BROKEN, **DATA_FORMS}
