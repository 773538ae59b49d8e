# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""From one scheme of fingerprints to the next: baselines and waivers keep everything that they accepted. Pure.

A later scheme gets an entry in SCHEMES and keeps those before it. An entry of a baseline has all that its fingerprint stands
for, so its fingerprint can be calculated again in each scheme.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from .baseline import Baseline, Entry, in_order
from .fingerprint import SCHEME, Subject, fingerprint_of, scheme_of, worst_first


class Scheme(NamedTuple):
    """A scheme of fingerprints: its number, and the fingerprint of a Subject in it."""

    number: int
    fingerprint: Callable[[Subject], str]


# all schemes that this release can read, the present one among them
SCHEMES: Mapping[int, Scheme] = MappingProxyType({SCHEME: Scheme(SCHEME, fingerprint_of)})


class Migrated(NamedTuple):
    """A Baseline in the present scheme, and the new fingerprint of each old one."""

    baseline: Baseline
    renamed: Mapping[str, str]


class MigratedText(NamedTuple):
    """The text of a waiver file with present fingerprints, and the older ones that nothing is known about, which are left as
    they are."""

    text: str
    unknown: tuple[str, ...]


def migrated(baseline: Baseline, schemes: Mapping[int, Scheme] = SCHEMES, to: int = SCHEME) -> Migrated:
    """A baseline in another scheme. Entries with one new fingerprint become one, with all of their findings."""
    if baseline.scheme == to:
        return Migrated(baseline, {})
    renamed = {}
    merged: dict[tuple[str, str, str, str], Entry] = {}
    for entry in baseline.entries:
        fingerprint = schemes[to].fingerprint(entry.subject)
        renamed[entry.fingerprint] = fingerprint
        group = (fingerprint, entry.target, entry.tool, entry.state)
        entry = entry._replace(fingerprint=fingerprint)
        merged[group] = _together(merged[group], entry) if group in merged else entry
    return Migrated(baseline._replace(scheme=to, entries=in_order(merged.values())), renamed)


def renamed_in(subjects: Iterable[Subject], source: Scheme, to: Scheme) -> dict[str, str]:
    """The new fingerprint of each old one, of what a run found. It knows findings that no baseline has."""
    return {source.fingerprint(subject): to.fingerprint(subject) for subject in subjects}


def migrated_waivers(text: str, renamed: Mapping[str, str], to: int = SCHEME) -> MigratedText:
    """The text of a waiver file with the new fingerprints in place of the old ones. Nothing else in it changes."""
    unknown = []

    def replaced(found: re.Match[str]) -> str:
        old = found[0]
        if scheme_of(old) == to:
            return old
        if old not in renamed:
            unknown.append(old)
        return renamed.get(old, old)

    new = re.sub(r"(?<![0-9A-Za-z:])[0-9]{1,6}:[0-9a-f]{32}(?![0-9A-Za-z:])", replaced, text)
    return MigratedText(new, tuple(dict.fromkeys(unknown)))


def _together(one: Entry, other: Entry) -> Entry:
    gone = [each for each in (one.gone_since, other.gone_since) if each]
    return one._replace(
        severities=tuple(worst_first([*one.severities, *other.severities])),
        cve=tuple(sorted({*one.cve, *other.cve})),
        first_seen=min(one.first_seen, other.first_seen),
        last_seen=max(one.last_seen, other.last_seen),
        gone_since=max(gone, default=None),
    )
