# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Wordlists: list, get, contents, delete. The service has no call to create one."""

from __future__ import annotations

from .answers import Answer, Call, Refused, dumps
from .records import Record
from .store import Account, Family, StateError


def complete(account: Account, record: Record) -> Record:
    if not isinstance(record.get("name"), str):
        raise StateError("a wordlist needs a name")
    record.setdefault("description", "")
    record.setdefault("predefined", False)
    words = record.setdefault("words", [])
    record.setdefault("num_words", len(words))
    return record


FAMILY = Family(
    name="wordlists",
    first_id=1800,
    fields=("id", "name", "description", "num_words", "predefined"),
    # wordlists may share a name: the documentation does not forbid it
    unique=lambda record: (record["id"],),
    complete=complete,
)


def list_all(call: Call) -> Answer:
    return call.many(call.account["wordlists"], None)


def get(call: Call) -> Answer:
    return call.one(call.account["wordlists"], call.found("wordlists"))


def get_contents(call: Call) -> Answer:
    text = "\n".join(call.found("wordlists")["words"])
    if call.settings.contents == "text":
        return Answer(200, text.encode(), "text/plain; charset=utf-8")
    return Answer(200, dumps({"data": text} if call.settings.contents == "wrapped" else text))


def delete(call: Call) -> Answer:
    record = call.found("wordlists")
    if record["predefined"] and call.settings.predefined_delete != 204:
        raise Refused(call.settings.predefined_delete, "a predefined wordlist cannot be deleted")
    return call.deleted(lambda: call.account["wordlists"].remove(record["id"]))


OPERATIONS = (
    ("GET", "/wordlists", list_all),
    ("GET", "/wordlists/{id}", get),
    ("DELETE", "/wordlists/{id}", delete),
    ("GET", "/wordlists/{id}/contents", get_contents),
)
