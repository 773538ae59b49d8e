# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""All mistakes of one kind in a list are named at once."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scenarios import ACCOUNT

W = {"workspace": "Web shop"}


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize(
    "module, options, words",
    [
        (
            "targets",
            {**W, "targets": [{"name": "a.example", "descripton": "x", "igore": 1}, "b.example", {"nam": "c.example"}]},
            [
                "targets[0] has the unknown key 'descripton': the closest one is description",
                "targets[0] has the unknown key 'igore': the closest one is ignore",
                "targets[2] has the unknown key 'nam': the closest one is name",
            ],
        ),
        (
            "estate",
            {
                "workspaces": [
                    {"name": "A", "target": [], "targets": [{"name": "a.example", "x": 1}]},
                    {"name": "B", "desc": "", "http_loggers": [{"label": "l", "y": 1}]},
                ]
            },
            [
                "workspaces[0] has the unknown key 'target'",
                "workspaces[1] has the unknown key 'desc'",
                "workspaces[0].targets[0] has the unknown key 'x'",
                "workspaces[1].http_loggers[0] has the unknown key 'y'",
            ],
        ),
        (
            "target",
            {**W, "name": "a.example", "scope": {"alow": [], "dny": []}},
            ["scope has the unknown key 'alow': the closest one is allow", "scope has the unknown key 'dny'"],
        ),
        (
            "estate",
            {"workspaces": [{"name": name} for name in ("A", "B", "A", "C", "B")]},
            [
                "workspaces[0].name and workspaces[2].name are the same workspace, 'A'",
                "workspaces[1].name and workspaces[4].name are the same workspace, 'B'",
            ],
        ),
        (
            "estate",
            {
                "workspaces": [
                    {"name": name, "http_loggers": [{"label": "one"}, {"label": "two"}]} for name in ("A", "B")
                ]
            },
            ["have the same label, 'one'", "have the same label, 'two'"],
        ),
        (
            "targets",
            {**W, "targets": ["a.example", "b.example", "A.example", "b.example.", "a.example.", "c.example"]},
            [
                "targets[0], targets[2] and targets[4] are the same, 'a.example', 'A.example' and 'a.example.': keep one",
                "targets[1] and targets[3] are the same, 'b.example' and 'b.example.': remove one of them.",
            ],
        ),
        (
            "scan",
            {**W, "tool": "Website Scanner", "targets": ["a.example", "b.example", "A.example", "B.example"]},
            ["targets[0] and targets[2] are the same target", "targets[1] and targets[3] are the same target"],
        ),
        (
            "gate",
            {**W, "policy": {"exclude": [{"nam": "x", "prt": 1}]}},
            ["has the unknown key 'nam'", "has the unknown key 'prt'"],
        ),
        (
            "gate",
            {**W, "policy": {"include": [{"nam": "x"}, {"prt": 1}], "exclude": [{"check": "y"}, {"chek": "x"}]}},
            [
                "policy.include[0] has the unknown key 'nam'",
                "policy.include[1] has the unknown key 'prt'",
                "policy.exclude[1] has the unknown key 'chek'",
            ],
        ),
        (
            "gate",
            {**W, "policy": {"max": {"hgh": 1, "critcal": 0}, "older_than": {"lw": "7d"}}},
            [
                "max has the unknown key 'hgh'",
                "max has the unknown key 'critcal'",
                "older_than has the unknown key 'lw'",
            ],
        ),
        (
            "gate",
            {**W, "outcomes": {"findngs": "warn", "pased": "pass"}},
            ["outcomes has the unknown key 'findngs'", "outcomes has the unknown key 'pased'"],
        ),
        (
            "gate",
            {**W, "must_see": [{"name": "x", "reason": "y", "chek": "z"}, {"nam": "x", "reason": "y"}]},
            ["must_see[0] has the unknown key 'chek'", "must_see[1] has the unknown key 'nam'"],
        ),
        (
            "coverage_info",
            {**W, "exclusions": [{"target": "a", "reson": "x", "expirs": "2027-01-01"}, {"targt": "b"}]},
            [
                "exclusions[0] has the unknown key 'reson': the closest one is reason",
                "exclusions[0] has the unknown key 'expirs': the closest one is expires",
                "exclusions[1] has the unknown key 'targt': the closest one is target",
            ],
        ),
        (
            "gate",
            {
                **W,
                "artifacts": "x",
                "formats": ["attestation"],
                "subjects": [{"nam": "a", "sha256": "0"}, {"sha": "b"}],
            },
            ["subjects[0] has the unknown key 'nam': the closest one is name", "subjects[1] has the unknown key 'sha'"],
        ),
        (
            "estate",
            {
                "workspaces": [
                    {"name": "A", "targets": ["a.example", "A.example"], "http_loggers": [{"label": "x"}]},
                    {"name": "B", "targets": ["b.example", "c.example", "b.example."]},
                ]
            },
            [
                "workspaces[0].targets[0] and workspaces[0].targets[1] are the same, 'a.example' and 'A.example'",
                "workspaces[1].targets[0] and workspaces[1].targets[2] are the same, 'b.example' and 'b.example.'",
            ],
        ),
    ],
)
def test_all_mistakes_are_named(run, service, module, options, words, check):
    service.reset(settings={"rate_limits": None}, state=ACCOUNT)
    service.clear_log()
    result = run(module, check=check, **options)
    assert result.failed and not result.changed
    for word in words:
        assert word in result.msg, result.msg
    assert service.writes() == []


def test_a_long_list_of_mistakes_is_cut(run, service):
    entries = [{"name": f"h{number}.example", f"x{number}": 1} for number in range(200)]
    result = run("targets", **W, targets=entries)
    assert result.failed and "; and 180 more." in result.msg and len(result.msg) < 3000


@pytest.mark.parametrize(
    "name, words",
    [
        ("https://shop.example.com/*", "it is a pattern, and a target is one URL"),
        ("https://shop.example.com/**", "it is a pattern"),
        ("https://shop.example.com/a/*/b", "it is a pattern"),
        ("https://shop.example.com/*?x=1", "it is a pattern"),
        ("https://shop.example.com/*.php", "it is a pattern"),
        ("https://*.example.com/", "it is a pattern, and a target is one host"),
        ("shop.example.com/*", "it is a pattern"),
        ("*.example.com", "it is a pattern, and a target is one host"),
        ("192.0.2.5/32", "it is a network of one host; write '192.0.2.5'"),
        ("2001:db8::5/128", "it is a network of one host; write '2001:db8::5'"),
        ("2001:DB8:0::5/128", "write '2001:db8::5'"),
        ("192.0.2.5/255.255.255.255", "write '192.0.2.5'"),
        ("192.0.2.0/24", "it is a network, and a target is one host"),
        ("192.0.2.4/31", "it is a network, and a target is one host"),
        ("# shop.example.com", "it begins with #, so it looks like a comment"),
        ("#shop.example.com", "it looks like a comment"),
        ("  # old targets", "it looks like a comment"),
        ("#", "it looks like a comment"),
        ("##", "it looks like a comment"),
        ("\t#x", "it looks like a comment"),
        ("shop.example.com # the old one", "it has a comment behind it; write 'shop.example.com'"),
        ("https://shop.example.com/a #b", "it has a comment behind it; write 'https://shop.example.com/a'"),
    ],
)
@pytest.mark.parametrize("module", ["target", "targets", "estate"])
def test_what_to_write_in_place_of_a_name(run, service, module, name, words):
    service.reset(settings={"rate_limits": None}, state=ACCOUNT)
    options = {
        "target": {**W, "name": name},
        "targets": {**W, "targets": [name]},
        "estate": {"workspaces": [{"name": "Web shop", "targets": [name]}]},
    }[module]
    service.clear_log()
    result = run(module, **options)
    assert result.failed and words in str(result.result), result
    assert service.writes() == []


@pytest.mark.parametrize(
    "name", ["https://shop.example.com/?q=*", "https://shop.example.com/a#b", "https://shop.example.com/%2A"]
)
def test_a_url_that_only_looks_similar_is_no_mistake(run, service, name):
    service.reset(settings={"rate_limits": None}, state=ACCOUNT)
    assert not run("target", check=True, **W, name=name).failed
