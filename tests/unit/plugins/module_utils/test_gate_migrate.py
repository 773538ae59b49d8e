# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Migrations: an older scheme loses no entry of a baseline and no waiver."""

from __future__ import annotations

import hashlib
import json

from ansible_collections.scanops.scanner.plugins.module_utils._gate.baseline import compare, empty_baseline, update
from ansible_collections.scanops.scanner.plugins.module_utils._gate.baseline_file import StaleBaseline, parse, render
from ansible_collections.scanops.scanner.plugins.module_utils._gate.fingerprint import SCHEME, fingerprint_of
from ansible_collections.scanops.scanner.plugins.module_utils._gate.migrate import (
    SCHEMES,
    Scheme,
    migrated,
    migrated_waivers,
    renamed_in,
)
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_memory_values import (
    SECOND,
    finding,
    pair,
    run,
)


def old_fingerprint(subject):
    """Scheme 0, which never existed: it does not know tcp from udp, but upper from lower case in checks."""
    text = f"{subject.target}|{subject.check}|{subject.name}|{subject.port}|{subject.path}"
    return "0:" + hashlib.md5(text.encode()).hexdigest()


OLD = Scheme(0, old_fingerprint)
BOTH = {0: OLD, **SCHEMES}
FINDINGS = [
    finding(check, level, id=number) for number, (check, level) in enumerate([("a", 3), ("a", 1), ("b", 4), ("c", 2)])
]
PRESENT = update(
    update(empty_baseline("Web shop", "1.0.0"), run(pair(*FINDINGS)), "1.0.0"),
    run(pair(*FINDINGS[1:3], finished=SECOND)),
    "1.0.0",
)
BEFORE = migrated(PRESENT, BOTH, to=0).baseline


def test_the_present_scheme_is_registered():
    assert set(SCHEMES) == {SCHEME}
    assert SCHEMES[SCHEME] == (SCHEME, fingerprint_of)
    assert migrated(PRESENT) == (PRESENT, {})


def test_no_entry_is_lost():
    assert BEFORE.scheme == 0 and {entry.fingerprint[:2] for entry in BEFORE.entries} == {"0:"}
    text = render(BEFORE)
    assert isinstance(parse(text, "Web shop"), StaleBaseline)
    assert parse(text, "Web shop", BOTH) == PRESENT
    again = run(pair(*FINDINGS, finished=SECOND))
    assert [row.change for row in compare(parse(text, "Web shop", BOTH), again).rows] == [
        row.change for row in compare(PRESENT, again).rows
    ]


def test_an_edited_entry_of_an_old_scheme_is_found():
    data = json.loads(render(BEFORE))
    data["findings"][0]["port"] = 80
    assert parse(json.dumps(data), "Web shop", BOTH).reason.startswith("was edited: ")


def test_entries_with_one_new_fingerprint_become_one_with_all_findings():
    udp, tcp = finding("a", 3, protocol="udp", cve=["CVE-2021-0001"]), finding("a", 4, cve=["CVE-2021-0002"])
    first = update(empty_baseline("Web shop", "1.0.0"), run(pair(udp)), "1.0.0")
    both = update(first, run(pair(udp, tcp, finished=SECOND)), "1.0.0")
    (entry,) = migrated(both, BOTH, to=0).baseline.entries
    assert entry.severities == ("critical", "high")
    assert entry.cve == ("CVE-2021-0001", "CVE-2021-0002")
    assert entry.first_seen == first.entries[0].first_seen and entry.last_seen == SECOND and entry.gone_since is None
    gone = update(both, run(pair(finding("b"), finished=SECOND)), "1.0.0")
    assert [(each.severities, each.gone_since) for each in migrated(gone, BOTH, to=0).baseline.entries] == [
        (("critical", "high"), SECOND),
        (("high",), None),
    ]


def test_no_waiver_is_lost():
    subjects = {entry.subject for entry in PRESENT.entries}
    old = [old_fingerprint(subject) for subject in sorted(subjects, key=str)]
    new = [fingerprint_of(subject) for subject in sorted(subjects, key=str)]
    stray, present = "0:" + "a" * 32, "1:" + "b" * 32
    template = (
        "# why: {}\n- fingerprint: \"{}\"\n- fingerprint: {}\n- fingerprint: '{}'\n- fingerprint: {}\n- check: x\n"
    )
    renamed = migrated(BEFORE, BOTH).renamed
    text, unknown = migrated_waivers(template.format(old[0], *old, present), renamed)
    assert text == template.format(new[0], *new, present)
    assert unknown == ()
    assert migrated_waivers(f"{stray} {stray} x{old[0]} {old[0]}0", renamed) == (
        f"{stray} {stray} x{old[0]} {old[0]}0",
        (stray,),
    )


def test_findings_that_no_baseline_has_are_renamed_too():
    subjects = [entry.subject for entry in PRESENT.entries]
    assert renamed_in(subjects, OLD, SCHEMES[1]) == migrated(BEFORE, BOTH).renamed
