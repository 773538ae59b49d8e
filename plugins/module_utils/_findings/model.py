# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The findings model: severity, the record as results carry it, which findings a task selects. Pure."""

from __future__ import annotations

import fnmatch
import re
from typing import NamedTuple

from .._resources import SEVERITIES

# what the service calls otherwise, or not at all
UNKNOWN = "unknown"
# as a summary lists them
SUMMARY = (*reversed(SEVERITIES), UNKNOWN)

_CVE = re.compile(r"CVE-[0-9]{4}-[0-9]{4,}", re.IGNORECASE)
_SEPARATORS = re.compile(r"[,;\s]+")
# what the service writes where there is no CVE
_NO_CVE = ("", "N/A")


def severity_of(risk_level):
    """The name of a risk level as the service gives it; UNKNOWN for whatever is none of its five numbers."""
    known = isinstance(risk_level, int) and not isinstance(risk_level, bool) and 0 <= risk_level < len(SEVERITIES)
    return SEVERITIES[risk_level] if known else UNKNOWN


def at_least(severity, minimum):
    """Whether a severity is the minimum or worse. UNKNOWN always is: it may be the worst of all."""
    return severity == UNKNOWN or SEVERITIES.index(severity) >= SEVERITIES.index(minimum)


def is_cve(text):
    """Whether a text is the id of a CVE, in whatever case."""
    return bool(_CVE.fullmatch(text))


def cves_of(value):
    """The CVE ids in a field of the service, a list of str: from a list, a text of one or several, null or "N/A"."""
    texts = value if isinstance(value, list) else [value]
    words = [word for text in texts if isinstance(text, str) for word in _SEPARATORS.split(text)]
    return [word for word in words if word.upper() not in _NO_CVE]


def finding_of(record):
    """A record of the table as results carry it: ``severity`` beside ``risk_level``, and ``cve`` always a list."""
    severity = severity_of(record["risk_level"])
    finding = {}
    for field, value in record.items():
        finding[field] = value
        if field == "risk_level":
            finding["severity"] = severity
    # a field of the service that should have the name one day does not replace ours
    finding["severity"] = severity
    finding["cve"] = cves_of(record["cve"])
    return finding


def name_pattern(text):
    """A function from a name to whether the pattern fits it, without regard to case.

    ``*`` stands for any text, ``?`` for one character, ``[abc]`` for one of these; the whole name has to fit.
    """
    expression = re.compile(fnmatch.translate(text.casefold()))
    return lambda name: bool(expression.match(name.casefold()))


class Selection(NamedTuple):
    """Which findings are wanted; a filter that is None lets all of them pass.

    min_severity: one of SEVERITIES; statuses: a set of names in lower case; cves: a set of ids in upper case; name: a
    function as ``name_pattern`` gives it.
    """

    min_severity: str | None = None
    statuses: frozenset | None = None
    cves: frozenset | None = None
    name: object = None

    def takes(self, finding):
        """Whether a finding, as ``finding_of`` gives it, is wanted."""
        if self.min_severity is not None and not at_least(finding["severity"], self.min_severity):
            return False
        if self.statuses is not None and str(finding["status"] or "").lower() not in self.statuses:
            return False
        if self.cves is not None and self.cves.isdisjoint([cve.upper() for cve in finding["cve"]]):
            return False
        return self.name is None or self.name(finding["name"])


def selection_of(min_severity=None, status=None, cve=None, name=None):
    """The Selection that options mean: min_severity and name are a str or None, status and cve a list of str or None."""
    return Selection(
        min_severity,
        None if status is None else frozenset(each.strip().lower() for each in status),
        None if cve is None else frozenset(each.strip().upper() for each in cve),
        None if name is None else name_pattern(name),
    )
