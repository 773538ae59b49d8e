# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The model of a finding: its severity, its record in results, and which findings a task selects. Pure."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from .._model.families import SEVERITIES
from .._model.records import Record

# any other risk level, or none
UNKNOWN = "unknown"
# the keys of a summary, in its order
SUMMARY: tuple[str, ...] = (*reversed(SEVERITIES), UNKNOWN)

# assumed: the statuses of findings that need no fix; any other may be open
_CLOSED = ("accepted", "false_positive", "fixed", "ignored")
_CVE = re.compile(r"CVE-[0-9]{4}-[0-9]{4,}", re.IGNORECASE)
# the first bracket after an opening one is a character of the class
_CLASS = re.compile(r"\[!?\]?[^\]]*\]")
_NOTHING = re.compile(r"(?!)")
_SEPARATORS = re.compile(r"[,;\s]+")
# what the service writes for a finding without a CVE
_NO_CVE = ("", "N/A")


def severity_of(risk_level: object) -> str:
    """The name of the service's risk level; UNKNOWN for anything but its five numbers."""
    if isinstance(risk_level, int) and not isinstance(risk_level, bool) and 0 <= risk_level < len(SEVERITIES):
        return SEVERITIES[risk_level]
    return UNKNOWN


def at_least(severity: str, minimum: str) -> bool:
    """Whether a severity is the minimum or worse. UNKNOWN always is, because it may be the worst."""
    return severity == UNKNOWN or SEVERITIES.index(severity) >= SEVERITIES.index(minimum)


def is_open(status: object) -> bool:
    """Whether a finding with this status may need a fix."""
    return str(status).strip().lower() not in _CLOSED


def is_cve(text: str) -> bool:
    """Whether a text is a CVE id, in any case."""
    return bool(_CVE.fullmatch(text))


def cves_of(value: object) -> list[str]:
    """The CVE ids in a field of the service: a list, a text with one or several, null or "N/A"."""
    texts = value if isinstance(value, list) else [value]
    words = [word for text in texts if isinstance(text, str) for word in _SEPARATORS.split(text)]
    return [word for word in words if word.upper() not in _NO_CVE]


def finding_of(record: Record, target_names: Mapping[int, str] | None = None) -> Record:
    """A record as results return it: with ``severity`` and ``target_name``, and ``cve`` always a list.

    target_names: by target id. A name that the service sends counts first; without either, it is null.
    """
    named, target_id = record.get("target_name"), record["target_id"]
    if not isinstance(named, str) or not named:
        named = target_names.get(target_id) if target_names and isinstance(target_id, int) else None
    return dict(record, severity=severity_of(record["risk_level"]), cve=cves_of(record["cve"]), target_name=named)


@lru_cache(maxsize=1024)
def pattern_of(text: str) -> re.Pattern[str]:
    """The regular expression of a pattern with ``*``, ``?`` and ``[abc]``."""
    try:
        return re.compile(fnmatch.translate(text))
    except re.error:
        # Python 3.9 refuses a range such as [z-a], in which later releases find no character
        return _NOTHING


def matches_all(pattern: str) -> bool:
    """Whether nothing in a pattern says what it is for, as in ``*``, ``?*`` or ``[!x]*``."""
    return "*" in pattern and not any(char.isalnum() for char in _CLASS.sub("", pattern))


def name_pattern(text: str) -> Callable[[str], bool]:
    """A function that says whether the pattern matches a whole name, in any case.

    ``*`` matches any text, ``?`` one character, ``[abc]`` one of these.
    """
    expression = pattern_of(text.casefold())
    return lambda name: bool(expression.match(name.casefold()))


def selector(
    min_severity: str | None = None,
    status: Iterable[str] | None = None,
    cve: Iterable[str] | None = None,
    name: str | None = None,
) -> Callable[[Record], bool]:
    """A function that says whether a finding, made by ``finding_of``, passes all of these options that are set."""
    statuses = None if status is None else {each.strip().lower() for each in status}
    cves = None if cve is None else {each.strip().upper() for each in cve}
    matches = None if name is None else name_pattern(name)

    def takes(finding: Record) -> bool:
        return all(
            (
                min_severity is None or at_least(finding["severity"], min_severity),
                # a finding without a status may have any
                statuses is None or not finding["status"] or str(finding["status"]).lower() in statuses,
                cves is None or not cves.isdisjoint(each.upper() for each in finding["cve"]),
                matches is None or matches(finding["name"]),
            )
        )

    return takes
