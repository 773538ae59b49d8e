# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The log of the received requests, in a form that tests can compare. The key is masked."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .records import Record

MASK = "<api key>"


def masked(value: Any, key: str) -> Any:
    """A copy of the value with the key replaced wherever it occurs, also in names of fields."""
    if isinstance(value, str):
        return value.replace(key, MASK)
    if isinstance(value, dict):
        return {masked(name, key): masked(item, key) for name, item in value.items()}
    if isinstance(value, list):
        return [masked(item, key) for item in value]
    return value


class RequestLog:
    """The entries of the log.

    file: where entries are appended before they are forgotten, one line of JSON each; None for nowhere.
    """

    def __init__(self, key: str, file: Path | None = None) -> None:
        self.key = key
        self.file = file
        self.entries: list[Record] = []
        self.clear()

    def clear(self) -> None:
        if self.file is not None and self.entries:
            with self.file.open("a", encoding="utf-8") as stream:
                stream.writelines(f"{json.dumps(entry)}\n" for entry in self.entries)
        self.entries = []

    def add(self, entry: Record, headers: Mapping[str, str]) -> Record:
        """Number and keep an entry. A key anywhere but in its own header is masked and reported as a violation."""
        clean: Record = masked(entry, self.key)
        places = [name for name in entry if clean[name] != entry[name]]
        places += [f"header {name}" for name, value in headers.items() if self.key in value and name != "Authorization"]
        if places:
            clean["violations"].append(f"the API key is outside of the Authorization header: {', '.join(places)}")
        clean["n"] = len(self.entries) + 1
        self.entries.append(clean)
        return clean

    def violate(self, entry: Record, violations: list[str], kind: str = "violations") -> None:
        """Add violations of the contract. Those that a setting requests are of the kind `deviations`."""
        entry[kind] += masked(violations, self.key)

    def summary(self) -> Record:
        """The number of entries, also by method and by call."""
        by_method = Counter(entry["method"] for entry in self.entries)
        by_call = Counter(f"{entry['method']} {entry['path']}" for entry in self.entries)
        return {
            "total": len(self.entries),
            "by_method": dict(sorted(by_method.items())),
            "by_call": dict(sorted(by_call.items())),
        }
