# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Baseline files: their text, and everything that can be wrong with one."""

from __future__ import annotations

import json

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._gate.baseline import NO_MEMORY, Baseline, update
from ansible_collections.scanops.scanner.plugins.module_utils._gate.baseline_file import (
    StaleBaseline,
    parse,
    remember,
    render,
)
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils._gate.export_readers import check_golden
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_memory_values import (
    SECOND,
    THIRD,
    finding,
    pair,
    run,
)

REACH = {"level": "light", "checks": {}, "tests": 20, "digest": "0" * 16}
HOSTILE = "</script>]]>=cmd()\x1b[31m\u202e\x00"

BASELINE = update(
    update(
        Baseline("Web shop", "1.0.0"),
        run(
            pair(finding("a", cve=["CVE-2021-44228"]), finding("b", 4), finding("a", 1), scan_id=7),
            pair(
                finding(None, name="Open port", port=22), target="https://b.example/", tool="port_scanner", scan_id=None
            ),
        ),
        "1.0.0",
    ),
    run(pair(finding("a", cve=["CVE-2021-44228"]), finished=SECOND, scan_id=8)),
    "1.0.0",
)
TEXT = render(BASELINE)


def changed(path, value):
    """The text with another value at a path of keys; without the key if the value is None and the path ends in "-"."""
    data = json.loads(TEXT)
    place = data
    *way, last = path
    for key in way:
        place = place[key]
    place[last] = value
    return json.dumps(data)


def without(path):
    data = json.loads(TEXT)
    place = data
    *way, last = path
    for key in way:
        place = place[key]
    del place[last]
    return json.dumps(data)


def reason(text, workspace="Web shop"):
    found = parse(text, workspace)
    assert isinstance(found, StaleBaseline), found
    return found.reason


def test_the_text_of_a_baseline_is_the_golden_file():
    assert render(BASELINE) == json.dumps(json.loads(TEXT), indent=2, sort_keys=True) + "\n"
    check_golden("baseline.json", TEXT)


@pytest.mark.parametrize("content", [TEXT, TEXT.encode(), b"\xef\xbb\xbf" + TEXT.encode(), TEXT.replace("\n", "\r\n")])
def test_a_baseline_is_read_as_it_was_written(content):
    assert parse(content, "Web shop") == BASELINE


def test_the_order_in_a_file_does_not_count():
    data = json.loads(TEXT)
    for key in ("findings", "pairs"):
        data[key].reverse()
    assert parse(json.dumps(data), "Web shop") == BASELINE


def test_a_baseline_without_a_workspace():
    baseline = BASELINE._replace(workspace=None)
    assert parse(render(baseline), None) == baseline
    assert reason(render(baseline)) == "is for no workspace, not for the workspace 'Web shop'"
    assert reason(TEXT, None) == "is for the workspace 'Web shop', not for no workspace"


def test_a_baseline_has_no_password():
    target = "https://scan:correct-horse@a.example/x"
    text = render(update(Baseline("Web shop", "1.0.0"), run(pair(finding("a"), target=target)), "1.0.0"))
    assert "horse" not in text and "https://scan@a.example/x" in text
    # a new password is no new finding
    known = parse(text.encode(), "Web shop")
    again = update(known, run(pair(finding("a"), target=target.replace("horse", "cow"), finished=SECOND)), "1.0.0")
    assert [entry.fingerprint for entry in again.entries] == [entry.fingerprint for entry in known.entries]


def test_hostile_text_is_written_in_ascii():
    baseline = update(Baseline(HOSTILE, "1.0.0"), run(pair(finding(HOSTILE, name=HOSTILE), target=HOSTILE)), "1.0.0")
    text = render(baseline)
    assert text.isascii() and "\x1b" not in text and "\x00" not in text
    assert parse(text, HOSTILE) == baseline


MISSING = [(key,) for key in ("version", "scheme", "collection_version", "workspace", "pairs", "findings")]
MISSING += [("pairs", 0, key) for key in ("target", "tool", "scan_id", "finished")]
# files of earlier releases lack these
NEWER = ("cvss", "epss", "known_exploited", "verified", "reach")
MISSING += [("findings", 0, key) for key in json.loads(TEXT)["findings"][0] if key not in NEWER]


@pytest.mark.parametrize("path", MISSING, ids=str)
def test_a_key_that_is_missing_is_found(path):
    found = reason(without(path))
    assert f"{path[-1]} is missing" in found or found == "does not say its version and scheme"


@pytest.mark.cases("path, value, expected")
def test_what_is_wrong_in_a_file_is_said(path, value, expected):
    assert reason(changed(path, value)) == (f"{expected} {value!r}" if expected.endswith(" is") else expected)


@pytest.mark.parametrize(
    "content, expected",
    [
        ("", "is empty"),
        (b" \n", "is empty"),
        ("{}", "is not a baseline of this collection"),
        ("[]", "is not a baseline of this collection"),
        ("null", "is not a baseline of this collection"),
        (TEXT[:-40], "is truncated or not valid JSON (line "),
        ('{"schema": 1,}', "is truncated or not valid JSON (line 1: "),
        ("<<<<<<< ours\n" + TEXT, "has unresolved merge conflicts"),
        (TEXT.replace('  "pairs"', '=======\n  "pairs"'), "has unresolved merge conflicts"),
        (
            TEXT.replace('"version": 1,', '"version": 1, "version": 1,'),
            "is not valid JSON (the key 'version' occurs twice",
        ),
        (
            TEXT.replace('"port": 443,', '"port": 443, "port": 80,', 1),
            "is not valid JSON (the key 'port' occurs twice",
        ),
        (TEXT.replace('"port": 443,', '"port": NaN,', 1), "is not valid JSON (NaN is not a JSON number)"),
        (TEXT.replace('"port": 443,', '"port": -Infinity,', 1), "is not valid JSON (-Infinity is not a JSON number)"),
        (TEXT.replace('"port": 443,', f'"port": {"9" * 5000},', 1), "is not valid JSON"),
        ("[" * 100_000, "is not valid JSON"),
        (TEXT.encode("utf-16"), "is not text in UTF-8"),
        (b"\xff" + TEXT.encode(), "is not text in UTF-8"),
        (b"\x00" * 100, "is truncated or not valid JSON (line 1: "),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else "bytes",
)
def test_a_file_that_is_no_baseline_is_said(content, expected):
    assert reason(content).startswith(expected)


@pytest.mark.parametrize(
    "key, expected",
    [("findings", "has the finding 1:"), ("pairs", "has the pair of 'example.com' and 'website_scanner' twice")],
)
def test_what_a_merge_doubled_is_found(key, expected):
    data = json.loads(TEXT)
    data[key].append(data[key][0])
    found = reason(json.dumps(data))
    assert found.startswith(expected) and found.endswith(" twice, as after a merge")


@pytest.mark.parametrize(
    "content, advice",
    [
        (
            "{}",
            "Restore the file from version control, or delete it and create it again with baseline_missing: create.",
        ),
        (changed(("scheme",), 2), "Update the collection, or create the baseline again with baseline_missing: create"),
        (changed(("version",), 2), "Update the collection, or create the baseline again with baseline_missing: create"),
        (changed(("workspace",), "b"), "Give the baseline of this workspace, or another path for a new one."),
    ],
)
def test_a_message_says_what_to_do(content, advice):
    sentence = parse(content, "Web shop").sentence("a\x1b/baseline.json")
    assert sentence.startswith("The baseline 'a\\x1b/baseline.json' ")
    assert f". {advice}" in sentence and sentence.endswith(".")


def test_a_short_file_never_counts_more_findings_than_memory_has():
    data = json.loads(TEXT)
    for entry in data["findings"]:
        entry["severities"] = {"high": 600_000, "low": 400_000}
    stale = parse(json.dumps(data), "Web shop")
    assert isinstance(stale, StaleBaseline)
    assert stale.reason == "counts more than 1,000,000 findings"


# --- what a gate does with it

NOW = run(pair(finding("a"), finished=THIRD))
SHORT = run(pair(finding("a"), finished=THIRD, complete=False))
FAIL = "Correct the path, or set baseline_missing to create or all_new."
NEW = (
    "so every finding counts as new. Correct the path, or create the baseline with a complete run and"
    " baseline_missing: create."
)


def remembered(content, now, missing="all_new", wants_update=False):
    return remember("b.json", content, now, "Web shop", "1.0.0", missing=missing, wants_update=wants_update)


@pytest.mark.parametrize(
    "now, missing, state, reason",
    [
        (NOW, "create", "created", None),
        (SHORT, "create", "missing", f", and was not created because not everything could be read, {NEW}"),
        (NOW, "all_new", "missing", f", {NEW}"),
        (NOW, "fail", "missing", f". {FAIL}"),
    ],
)
def test_without_a_file_the_option_decides(now, missing, state, reason):
    memory, text = remembered(None, now, missing)
    assert (memory.path, memory.state, memory.blocks) == ("b.json", state, missing == "fail")
    assert memory.reason == (reason and f"The baseline 'b.json' does not exist{reason}")
    assert [row.change for row in memory.rows] == ([] if memory.blocks else ["known" if text else "new"])
    assert (None if text is None else parse(text, "Web shop").accepted) == (1 if state == "created" else None)


def test_only_a_complete_run_that_asks_for_it_updates_the_file():
    for now, wants_update in ((NOW, False), (SHORT, True), (SHORT, False)):
        memory, text = remembered(TEXT, now, wants_update=wants_update)
        assert (memory.path, memory.state, memory.accepted, text) == ("b.json", "read", BASELINE.accepted, None)
    memory, text = remembered(TEXT, NOW, wants_update=True)
    assert (memory.state, memory.accepted, parse(text, "Web shop")) == (
        "updated",
        BASELINE.accepted,
        update(BASELINE, NOW, "1.0.0"),
    )
    memory, again = remembered(text, NOW, wants_update=True)
    assert (memory.state, again) == ("read", None)


def test_a_file_that_is_no_baseline_blocks():
    memory, text = remembered("{}", NOW, wants_update=True)
    assert (memory.path, memory.state, memory.blocks, memory.rows, text) == ("b.json", "stale", True, (), None)
    assert memory.reason.startswith("The baseline 'b.json' is not a baseline")
    assert remember(None, None, NOW, "Web shop", "1.0.0", missing="fail", wants_update=True) == (NO_MEMORY, None)
