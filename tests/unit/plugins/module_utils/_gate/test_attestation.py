# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The attestation of a gate: what passes, what it says, what it leaves out, and its subjects."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.attestation import subjects_of
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.document import published
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.registry import as_json
from ansible_collections.scanops.scanner.plugins.module_utils._gate.policy import policy_of
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import WrongOption
from ansible_collections.scanops.scanner.plugins.module_utils._model.outcomes import OUTCOMES, VERDICTS
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils._gate.export_readers import (
    SUBJECTS,
    check,
    written,
)
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_documents import (
    WAIVER,
    broken,
    document,
    mixed,
    pair,
    row,
    unreachable,
    waived,
)
from hypothesis import given
from hypothesis import strategies as st

SCAN = "https://shop.example.com with tls"
CONTROL = {"name": "Directory listing", "target": "shop.example.com", "tool": "Website Scanner", "seen": True}
BUILD = {"url": "https://shop.example.com/version", "expected": "4f2a", "before": "4f2a", "after": "4f2a"}


def predicate(of, **choices):
    (text,) = written("attestation", of, **choices)
    check("attestation", text)
    return json.loads(text)["predicate"]


def lists_of(found):
    return {key: found[key] for key in ("passedTests", "warnedTests", "failedTests")}


# --- the verdict


@pytest.mark.parametrize(
    ("make", "changes", "result"),
    [
        (lambda **changes: document([], **changes), {}, "PASSED"),
        (lambda **changes: document([waived(1)], **changes), {}, "PASSED"),
        (lambda **changes: document([row(1)], **changes), {}, "FAILED"),
        (lambda **changes: document([row(1)], **changes), {"verdict": "warn"}, "WARNED"),
        # what a gate lets pass has not passed
        (lambda **changes: document([row(1)], **changes), {"verdict": "pass"}, "WARNED"),
        # nobody knows whether everything was scanned
        (lambda **changes: document([], **changes), {"coverage": "unknown"}, "WARNED"),
        (lambda **changes: document([], **changes), {"coverage": "partial"}, "WARNED"),
        # contradictions
        (lambda **changes: document([], **changes), {"verdict": "fail"}, "FAILED"),
        (lambda **changes: document([row(1)], **changes), {"verdict": "pass", "outcome": "passed"}, "WARNED"),
        (lambda **changes: document([], [pair(complete=False)], **changes), {}, "WARNED"),
        (lambda **changes: document([], [pair(outcome="scan_failed")], **changes), {}, "WARNED"),
        (lambda **changes: document([], [pair(outcome="scan_failed", verdict="fail")], **changes), {}, "FAILED"),
        (lambda **changes: document([], **changes), {"controls": [{**CONTROL, "seen": False}]}, "WARNED"),
    ],
)
def test_only_what_passed_and_is_proven_is_passed(make, changes, result):
    assert predicate(make(**changes))["result"] == result


def test_a_run_that_read_nothing_failed():
    assert predicate(unreachable())["result"] == predicate(broken())["result"] == "FAILED"


_WORDS = {"outcome": st.sampled_from(OUTCOMES), "verdict": st.sampled_from(VERDICTS)}
_PAIRS = st.lists(st.fixed_dictionaries({**_WORDS, "complete": st.booleans()}), max_size=3)
_CHANGES = st.fixed_dictionaries(
    {
        **_WORDS,
        "coverage": st.sampled_from(["complete", "partial", "unknown"]),
        "controls": st.lists(st.booleans().map(lambda seen: {**CONTROL, "seen": seen}), max_size=2),
    }
)


@given(st.booleans(), _PAIRS, _CHANGES)
def test_no_attestation_says_passed_unless_everything_passed(fails, pairs, changes):
    of = document([row(1)] if fails else [], [pair(**each) for each in pairs], **changes)
    found = predicate(of)
    everything = (
        not fails
        and changes["coverage"] == "complete"
        and {(changes["outcome"], changes["verdict"])} == {("passed", "pass")}
        and [each for each in pairs if (each["outcome"], each["verdict"], each["complete"]) != ("passed", "pass", True)]
        == []
        and [each for each in changes["controls"] if not each["seen"]] == []
    )
    assert (found["result"] == "PASSED") is everything
    if changes["verdict"] == "fail":
        assert found["result"] == "FAILED"


# --- the tests


def test_each_scan_and_each_control_is_a_test():
    pairs = [
        pair(),
        pair("api.example.com", outcome="findings", verdict="warn"),
        pair("", "", outcome="not_covered", verdict="fail", scan_id=None),
    ]
    controls = [CONTROL, {**CONTROL, "tool": None, "seen": False}]
    found = predicate(document([row(1)], pairs, controls=controls))
    assert lists_of(found) == {
        "passedTests": [SCAN, "control Directory listing: shop.example.com with Website Scanner"][::-1],
        "warnedTests": ["api.example.com with tls"],
        "failedTests": ["control Directory listing: shop.example.com with any tool", "unknown target with any tool"],
    }


@pytest.mark.parametrize("verdicts", [("pass", "fail"), ("fail", "pass")])
def test_a_name_of_two_tests_has_the_worse_result(verdicts):
    pairs = [pair(verdict=each, outcome="passed" if each == "pass" else "scan_failed") for each in verdicts]
    found = predicate(document([], pairs))
    assert lists_of(found) == {"passedTests": [], "warnedTests": [], "failedTests": [SCAN]}


# --- what it says


def test_it_has_the_run_the_scans_the_controls_the_build_and_the_waivers():
    of = document([waived(1), waived(2), row(3, state="below")], controls=[CONTROL], build=BUILD)
    found = predicate(of)["scanops_gate"]
    assert found.pop("gate") == {"name": "gate.json", "digest": {"sha256": digest(as_json(of))}}
    assert found == {
        "collection_version": of["collection_version"],
        "coverage": "complete",
        "generated": of["generated"],
        "outcome": "passed",
        "run": of["run"],
        "verdict": "pass",
        "baseline": {key: of["baseline"][key] for key in ("state", "accepted")},
        "build": BUILD,
        "controls": [CONTROL],
        "scans": [
            {
                "id": str(pair()["scan_id"]),
                "target": "https://shop.example.com",
                "tool": "tls",
                "outcome": "passed",
                "complete": True,
                "finished": pair()["finished"],
            }
        ],
        "waivers": [{**{key: WAIVER[key] for key in ("file", "line", "status", "owner", "expires")}, "findings": 2}],
    }


def test_a_gate_without_controls_and_a_build_says_so():
    found = predicate(document([]))["scanops_gate"]
    assert (found["controls"], found["build"], found["waivers"]) == ([], None, [])


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def test_it_names_the_very_text_of_gate_json():
    of = document([row(1)], [pair("https://user:secret-word@shop.example.com")])
    found = predicate(of)["scanops_gate"]
    ((text,), saved) = written("json", of), json.loads(as_json(published(of)))
    assert found["gate"]["digest"]["sha256"] == digest(text)
    assert "secret-word" not in json.dumps(found)
    # the result of the module has more keys, and a saved file is read again
    for each in ({**of, "failing": [], "files": [], "changed": True, "msg": "x"}, saved):
        assert predicate(each)["scanops_gate"]["gate"]["digest"]["sha256"] == digest(text)


@pytest.mark.parametrize(
    "numbers", [{"min_cvss": 7.0, "min_epss": 0.1}, {"min_cvss": 7.5, "min_epss": 1.0}, {"min_cvss": 0.0}]
)
@pytest.mark.skipif(shutil.which("jq") is None, reason="No jq was found: install it")
def test_the_digest_of_the_policy_is_that_of_the_guide(numbers):
    of = document([])
    of["policy"] = {
        **policy_of(numbers).record(),
        "older_than": {"high": 7776000},
        "include": [{"name": "Prüfung*"}],
        "max": {"low": 2},
    }
    command = ["jq", "--ascii-output", "--compact-output", "--join-output", "--sort-keys", ".policy"]
    text = subprocess.run(command, input=as_json(of), check=True, capture_output=True, text=True).stdout
    (configuration,) = predicate(of)["configuration"]
    assert configuration == {"name": "policy", "digest": {"sha256": digest(text)}}


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        ("https://ci.example.com/runs/7", {"url": "https://ci.example.com/runs/7"}),
        ("https://ci.example.com/runs/7 8", {}),
        ("build 7", {}),
        (None, {}),
    ],
)
def test_the_url_is_that_of_the_build_that_ran_the_gate(build, expected):
    found = predicate(document([], origin={"build": build, "commit": None, "scan_url": None}))
    assert {key: found[key] for key in ("url",) if key in found} == expected


def test_it_is_equal_for_equal_documents():
    of = mixed()
    assert written("attestation", of) == written("attestation", json.loads(json.dumps(of)))
    (text,) = written("attestation", of)
    assert text == json.dumps(json.loads(text), indent=1, sort_keys=True) + "\n"
    # no time but those of the gate
    times = {of["generated"], *(each["finished"] for each in of["targets"])}
    assert set(re.findall(r"\d{4}-\d\d-\d\dT[\d:]+Z", text)) <= times


def test_it_has_no_text_and_no_name_of_a_finding():
    rows = [
        *mixed()["findings"],
        waived(50, waiver={**WAIVER, "matcher": {"name": "Weak*"}, "reason": "until the move"}),
    ]
    of = document(rows)
    (text,) = written("attestation", of)
    keys = ("name", "check", "description", "risk", "recommendation", "evidence", "fingerprint", "path", "parameter")
    texts = {each[key] for each in rows for key in keys if each[key]} | {"Weak*", "until the move", WAIVER["reason"]}
    assert len(texts) > 10 and [each for each in texts if json.dumps(each)[1:-1] in text] == []


def test_a_long_id_of_a_scan_survives_programs_that_know_only_floating_point_numbers():
    found = predicate(document([], [pair(scan_id=2**53 + 1), pair("b.example", scan_id=None)]))
    assert [each["id"] for each in found["scanops_gate"]["scans"]] == ["9007199254740993", None]


def test_a_build_has_no_password():
    found = predicate(document([], build={**BUILD, "url": "https://user:word@shop.example.com/"}))["scanops_gate"]
    assert found["build"]["url"] == "https://shop.example.com/"


# --- the subjects

NAMED = {"name": "shop", "sha256": "a" * 64}


def test_the_subjects_are_those_of_the_user_in_their_order():
    subjects = [{"name": "shop:web", "sha256": "b" * 64}, {"name": "shop:api", "sha256": "a" * 64}]
    (text,) = written("attestation", document([]), subjects=subjects)
    assert json.loads(text)["subject"] == [
        {"name": each["name"], "digest": {"sha256": each["sha256"]}} for each in subjects
    ]


# one image may have several names
@pytest.mark.parametrize("subjects", [[NAMED], SUBJECTS, (NAMED, {**NAMED, "name": "shöp 2"})])
def test_right_subjects_are_accepted(subjects):
    assert subjects_of(subjects, True) is subjects


@pytest.mark.parametrize("subjects", [None, []])
def test_no_subject_is_fine_without_an_attestation(subjects):
    assert list(subjects_of(subjects, False)) == []


@pytest.mark.cases("subjects, is_written, message")
def test_wrong_subjects_are_refused(subjects, is_written, message):
    with pytest.raises(WrongOption, match=f"^{re.escape(message)}$"):
        subjects_of(subjects, is_written)


def test_an_attestation_without_subjects_is_refused():
    with pytest.raises(WrongOption, match=r"^An attestation needs subjects: give "):
        written("attestation", document([]), subjects=())
