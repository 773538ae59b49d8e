# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The request log: what arrived, as a test wants to read it, and never the key."""

from __future__ import annotations

from collections import Counter

MASK = "<api key>"


def masked(value, key: str):
    """The same value with the key replaced wherever it occurs, in names of fields too."""
    if isinstance(value, str):
        return value.replace(key, MASK)
    if isinstance(value, dict):
        return {masked(name, key): masked(item, key) for name, item in value.items()}
    if isinstance(value, list):
        return [masked(item, key) for item in value]
    return value


class RequestLog:
    def __init__(self, key: str):
        self.key = key
        self.clear()

    def clear(self) -> None:
        self.entries = []
        self.by_method = Counter()
        self.by_call = Counter()

    def add(self, entry: dict, headers) -> dict:
        """Number and keep an entry; a key anywhere but in its own header becomes a violation and is masked."""
        clean = masked(entry, self.key)
        places = [name for name in entry if clean[name] != entry[name]]
        places += [f"header {name}" for name, value in headers.items() if self.key in value and name != "Authorization"]
        if places:
            clean["violations"].append(f"the API key is outside of the Authorization header: {', '.join(places)}")
        clean["n"] = len(self.entries) + 1
        self.entries.append(clean)
        self.by_method[clean["method"]] += 1
        self.by_call[f"{clean['method']} {clean['path']}"] += 1
        return clean

    def violate(self, entry: dict, violations: list, kind: str = "violations") -> None:
        """Add what a request or its answer did against the contract; `deviations` are those that a setting asks for."""
        entry[kind] += masked(violations, self.key)

    def summary(self) -> dict:
        return {
            "total": len(self.entries),
            "by_method": dict(sorted(self.by_method.items())),
            "by_call": dict(sorted(self.by_call.items())),
        }
