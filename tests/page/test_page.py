# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The page of the gate in a headless Chromium: it sorts, filters and links, and no text of the service takes effect in it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(CHECKOUT / "tests" / "page"), str(CHECKOUT / "tests" / "unit" / "plugins" / "module_utils")]
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.html import (  # noqa: E402
    CONTENT_SECURITY_POLICY,
    html,
)
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils._gate.gate_decisions import (  # noqa: E402
    decided,
)
from browser import Browser, BrowserError, find_chromium  # noqa: E402
from gate_documents import (  # noqa: E402
    HOSTILE,
    WAIVER,
    broken,
    document,
    mixed,
    pair,
    row,
    unreachable,
    waived,
)

CHROMIUM = find_chromium()
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="No Chromium or Chrome was found: install one, or set CHROMIUM to its path"
)

MANY = 250
# rows that the page draws at a time
PORTION = 100
SEVERITIES = ("unknown", "critical", "high", "medium", "low", "info")
WIDTHS = (1200, 390)
PHONE = 390


def hostile():
    """A document with hostile text in every field that is text."""
    rows = [
        row(
            number, name=text, target=text, tool=text, path=text, method=text, parameter=text, service=text, check=text,
            cve=[text], cwe=text, description=text, risk=text, recommendation=text, evidence=text, references=[text],
            reasons=[text], status=text, workspace=text, protocol=text, severity=text, change=text, first_seen=text,
            state="failing" if number % 2 else "waived", fingerprint=f"1:{number}{text[:50]}",
            waiver={**WAIVER, "file": f"{number}{text}", "reason": text, "owner": text, "expires": text, "status": text},
        )
        for number, text in enumerate(HOSTILE.values(), 1)
    ]  # fmt: skip
    texts = list(HOSTILE.values())
    bad = {**WAIVER, "matcher": {"name": "".join(texts)[:9000]}, "reason": texts[0], "file": texts[0]}
    gone = {"fingerprint": "x", "name": texts[0], "check": None, "severity": texts[0], "target": texts[0]}
    return document(
        rows,
        [pair(text, text, outcome=text, verdict="fail", reasons=[text]) for text in texts],
        reasons=texts,
        workspace=texts[0],
        policy={text: text for text in texts},
        waivers={
            "expired": [bad],
            "unused": [bad],
            "doubled": [{"fingerprint": texts[0], "waivers": [bad, bad]}],
            "ending": [{**bad, "days": 1}],
        },
        owners={"path": texts[0], "unowned": texts},
        gone=[{**gone, "tool": texts[0], "first_seen": texts[0], "last_seen": texts[0]}],
        unseen=[
            {**gone, "tool": each, "first_seen": each, "last_seen": each, "reason": each, "name": each}
            for each in texts
        ],
    )


def many(number=MANY):
    return document(
        [
            row(
                at,
                name=f"Finding {at}",
                severity=SEVERITIES[at % 6],
                state="failing" if at < 9 else "below",
                # in another order than the others
                first_seen=None if at % 50 == 0 else f"2026-11-{at % 28 + 1:02}T10:00:00Z",
            )
            for at in range(1, number + 1)
        ]
    )


DOCUMENTS = {
    "decided": lambda: decided()[1],
    "mixed": mixed,
    "broken": broken,
    "unreachable": unreachable,
    "empty": lambda: document([]),
    "hostile": hostile,
    "many": many,
}


@pytest.fixture(scope="module")
def browser():
    with Browser(CHROMIUM) as started:
        yield started


@pytest.fixture
def opened(browser, tmp_path):
    """A function that opens the page of a document."""
    pages = []

    def opener(of, change=lambda page: page, **options):
        path = tmp_path / "gate.html"
        path.write_text(change(html(of)), encoding="utf-8")
        pages.append(browser.open(path, **options))
        return pages[-1]

    yield opener
    for page in pages:
        page.close()


def anchor_of(each):
    return f"f-{each['fingerprint']}" + ("" if each["index"] == 1 else f"-{each['index']}")


def shown(page):
    """The ids of the findings in the table, in their order."""
    return page.run("[...document.querySelectorAll('#body > tr[id]')].map((each) => each.id)")


def column(page, name):
    return page.texts(f"#body > tr > td.c-{name}")


# --- nothing is wrong


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_page_works_without_an_error_in_its_console(opened, name, width, dark):
    page = opened(DOCUMENTS[name](), width=width, dark=dark)
    page.click("#every") if shown(page) else None
    assert page.run("document.documentElement.dataset.ready") == "true"
    assert page.complaints() == []
    # no part of it is wider than the window
    assert page.run("document.documentElement.scrollWidth") <= width


def test_the_page_has_all_findings_with_their_states(opened):
    of = mixed()
    page = opened(of)
    assert shown(page) == [anchor_of(each) for each in of["findings"]]
    assert column(page, "state") == [each["state"] for each in of["findings"]]
    assert page.texts("#count") == ["10 findings"]


# --- hostile text


def test_hostile_text_is_only_text(opened):
    page = opened(hostile())
    page.click("#every")
    assert page.run("[...document.querySelectorAll('dl')].length") > len(HOSTILE)
    assert page.run("document.querySelectorAll('img, iframe, object, embed, error, form, link').length") == 0
    # the data, twice, and the script
    assert page.run("document.querySelectorAll('script').length") == 3
    assert page.run("[...document.querySelectorAll('*')].flatMap((e) => [...e.attributes])"
                    ".filter((a) => a.name.startsWith('on')).length") == 0  # fmt: skip
    links = page.run("[...document.querySelectorAll('a')].map((each) => each.href)")
    see = hostile()["see"]
    # places of the page itself, and what the documentation says of the outcome and of the policy
    assert {link for link in links if not link.startswith("file:")} <= {see["outcome"], *see["policy"].values()}
    text = page.run("document.body.innerText")
    assert HOSTILE["script"] in text
    assert "user\\u202etxt.exe" in text
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069]", text)
    assert page.complaints() == []


@pytest.mark.parametrize(
    "reference", ["javascript:alert(1)", " https://a.example", "https://a\\b", "data:text/html,x", "//a"]
)
def test_only_web_addresses_become_links(opened, reference):
    page = opened(document([row(1, references=[reference, "https://a.example/x"])]))
    page.click("#every")
    assert page.run("[...document.querySelectorAll('td dl a')].map((each) => each.href)")[0] == "https://a.example/x"
    assert len(page.texts("td dl a")) == 2


INJECTED = (
    "<script>window.taken = 1</script><img src=x onerror='window.taken = 2'>"
    "<svg onload='window.taken = 3'></svg><style>h1 { color: rgb(1, 2, 3) !important }</style>"
    "<iframe src='data:text/html,x'></iframe>"
)


def with_injected(page):
    return page.replace("<main>", f"<main>{INJECTED}")


def test_the_content_security_policy_blocks_injected_code(opened):
    page = opened(mixed(), with_injected)
    assert page.run("window.taken") is None
    assert page.run("getComputedStyle(document.querySelector('h1')).color") != "rgb(1, 2, 3)"
    assert [text for text in page.complaints() if "Content Security Policy" in text]
    with pytest.raises(BrowserError):
        page.run("fetch('https://example.com/')")
    with pytest.raises(BrowserError):
        page.run("document.body.innerHTML = 'x'")


def test_code_injected_into_a_page_without_the_policy_would_run(opened):
    page = opened(mixed(), lambda page: with_injected(page).replace(CONTENT_SECURITY_POLICY, ""))
    assert page.run("window.taken") is not None
    assert page.run("getComputedStyle(document.querySelector('h1')).color") == "rgb(1, 2, 3)"


# --- sort and filter


@pytest.mark.parametrize(
    "key, of",
    [
        ("severity", lambda each: SEVERITIES.index(each["severity"])),
        ("name", lambda each: int(each["name"].split()[1])),
        ("first_seen", lambda each: each["first_seen"] or "unknown"),
        ("state", lambda each: each["state"] != "failing"),
    ],
)
def test_a_click_on_a_heading_sorts_and_another_one_reverses(opened, key, of):
    content = many()
    page = opened(content)
    for reverse in (False, True):
        page.click(f"button[data-key={key}]")
        expected = sorted(content["findings"], key=of, reverse=reverse)
        if reverse:
            # equal ones keep their order
            groups = {of(each): [] for each in expected}
            for each in content["findings"]:
                groups[of(each)].append(each)
            expected = [each for group in groups.values() for each in group]
        assert shown(page) == [anchor_of(each) for each in expected][:PORTION]
        direction = page.run(f"document.querySelector('button[data-key={key}]').parentElement.ariaSort")
        assert direction == ("descending" if reverse else "ascending")


@pytest.mark.parametrize(
    "filters, wanted",
    [
        ({"state": "waived"}, lambda each: each["state"] == "waived"),
        ({"severity": "critical"}, lambda each: each["severity"] == "critical"),
        ({"target": "api.example.com"}, lambda each: each["target"] == "api.example.com"),
        ({"change": "reopened"}, lambda each: each["change"] == "reopened"),
        ({"tool": "web"}, lambda each: each["tool"] == "web"),
        ({"state": "below", "severity": "info"}, lambda each: each["state"] == "below" and each["severity"] == "info"),
    ],
)
def test_filters_combine(opened, filters, wanted):
    of = mixed()
    of["findings"][3]["tool"] = "web"
    page = opened(of)
    for name, value in filters.items():
        page.choose(f"#by-{name}", value)
    expected = [anchor_of(each) for each in of["findings"] if wanted(each)]
    assert 0 < len(expected) < 10
    assert shown(page) == expected
    assert page.texts("#count") == [f"{len(expected)} of 10 findings"]
    # the address leads to the same view
    address = page.run("location.hash")
    page.click("#clear")
    assert len(shown(page)) == 10
    assert shown(opened(of, fragment=address)) == expected


@pytest.mark.parametrize(
    "words, number",
    [
        ("sql", 2),
        ("SQL injection api", 2),
        ("cve-2024-1000", 9),
        ("1:00000000000000000000000000000003", 1),
        ("q nothing", 0),
    ],
)
def test_words_are_found_in_any_order_and_case(opened, words, number):
    page = opened(mixed())
    page.run("document.querySelector('#by-text').focus()")
    page.type(words)
    assert len(shown(page)) == number


# --- links


def test_a_fingerprint_in_the_address_opens_its_finding(opened):
    of = mixed()
    wanted = anchor_of(of["findings"][2])
    assert wanted.endswith("-2")
    page = opened(of, fragment=f"#{wanted}")
    assert page.run("document.activeElement.closest('tr').id") == wanted
    assert page.run("document.activeElement.ariaExpanded") == "true"
    assert len(page.texts("tr.detail")) == 1
    assert "number 2" in page.texts("tr.detail")[0]


def test_a_link_reaches_a_finding_beyond_the_drawn_ones_and_outside_the_filter(opened):
    of = many()
    last = anchor_of(of["findings"][-1])
    page = opened(of)
    page.choose("#by-state", "failing")
    page.run(f"location.hash = '#{last}'")
    page.run("new Promise((done) => setTimeout(done, 50))")
    assert page.run("document.activeElement.closest('tr').id") == last
    assert len(page.texts("tr.detail")) == 1


def test_what_to_fix_first_links_to_its_finding(opened):
    page = opened(mixed())
    page.click("ol.fixes a")
    page.run("new Promise((done) => setTimeout(done, 50))")
    assert page.run("document.activeElement.closest('tr').id") == anchor_of(mixed()["findings"][1])


@pytest.mark.parametrize("url", [None, "javascript:alert({id})", "https://scanner.example.com/scans/{id}"])
def test_details_link_the_scan(opened, url):
    page = opened(document([row(1)], origin={"build": None, "commit": None, "scan_url": url}))
    page.click("button.name")
    assert "\nscan 9\n" in page.texts("tr.detail")[0]
    links = page.run("[...document.querySelectorAll('tr.detail a')].map((each) => each.href)")
    assert ("https://scanner.example.com/scans/9" in links) == (url is not None and url.startswith("https"))
    assert not [each for each in links if each.startswith("javascript")]


def test_findings_name_their_tool_if_there_are_several(opened):
    assert "tls" not in opened(document([row(1), row(2)])).texts("#body tr")[0]
    assert " · tls" in opened(document([row(1), row(2, tool="web")])).texts("#body tr")[0]


def test_a_phone_shows_no_heads_of_columns(opened):
    of = mixed()
    for width, visible in zip(WIDTHS, (True, False)):
        page = opened(of, width=width)
        heads = "[...document.querySelectorAll('table.wide thead')].map((each) => each.checkVisibility())"
        assert set(page.run(heads)) == {visible}


def test_rows_are_drawn_in_portions(opened):
    page = opened(many())
    assert len(shown(page)) == PORTION
    page.click("#more")
    assert len(shown(page)) == 2 * PORTION
    # for readers who use a keyboard
    assert page.run("document.activeElement.closest('tr').id") == anchor_of(many()["findings"][PORTION])
    page.click("#more")
    assert len(shown(page)) == MANY
    assert page.run("document.querySelector('#more').hidden")


# --- people


def test_everything_works_with_the_keyboard(opened):
    page = opened(mixed())
    page.press("Tab")
    assert page.run("document.activeElement.innerText") == "Skip to the findings"
    page.press("Enter")
    page.press("Tab")
    assert page.run("document.activeElement.id") == "by-text"
    page.type("sql")
    assert len(shown(page)) == 2
    while page.run("document.activeElement.dataset.key") != "severity":
        page.press("Tab")
    page.press("Enter")
    assert page.run("document.activeElement.parentElement.ariaSort") == "ascending"
    while page.run("document.activeElement.className") != "name":
        page.press("Tab")
    for number in (1, 0, 1):
        page.press("Enter")
        assert len(page.texts("tr.detail")) == number
        assert page.run("document.activeElement.ariaExpanded") == ("true" if number else "false")


@pytest.mark.parametrize("width", WIDTHS)
def test_everything_that_can_be_used_has_a_name(opened, width):
    page = opened(mixed(), width=width)
    page.click("#every")
    used = [node for node in page.send("Accessibility.getFullAXTree")["nodes"] if not node.get("ignored")]
    roles = {}
    for node in used:
        roles.setdefault(node["role"]["value"], []).append(node.get("name", {}).get("value", ""))
    for role in ("button", "link", "searchbox", "combobox", "table", "region", "columnheader"):
        assert roles.get(role), role
        if role != "columnheader":
            assert all(roles[role]), role
    assert len(roles["row"]) > 20


# what the standard asks of text
CONTRAST = """
(() => {
  const channel = (v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const parse = (color) => color.match(/[\\d.]+/g).map(Number);
  const weights = [.2126, .7152, .0722];
  const light = (color) => weights.reduce((sum, weight, at) => sum + weight * channel(color[at] / 255), 0);
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const color = parse(getComputedStyle(e).backgroundColor);
      if (color[3] !== 0) return color;
    }
  };
  const bad = [];
  for (const e of document.querySelectorAll("body *")) {
    if (!e.checkVisibility() || ![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
    if (e.closest(".zero, script")) continue;
    const [a, b] = [light(parse(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
    if ((a + .05) / (b + .05) < 4.5) bad.push(e.outerHTML.slice(0, 80));
  }
  return bad;
})()
"""


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", ["mixed", "broken"])
def test_text_can_be_read_in_both_themes(opened, name, dark):
    of = {**DOCUMENTS[name](), "waivers": {"expired": [WAIVER], "unused": [WAIVER], "doubled": [], "ending": []}}
    page = opened(of, dark=dark)
    page.click("#every")
    assert page.run(CONTRAST) == []


def test_the_outcome_and_the_failing_findings_are_readable_without_a_script(opened):
    page = opened(broken(), script=False)
    text = page.run("document.body.innerText")
    assert "The gate failed: some findings may be missing, and 1 finding fails the policy" in text
    assert "This run is not complete." in text
    assert "The list of findings has 3 findings, and the scan counted 4." in text
    assert "1 finding: 1 failing, 0 waived, 0 known, 0 below." in text
    assert page.run("document.querySelector('#plain tr[id]').id") == anchor_of(row(1))
    assert not page.run("document.querySelector('#table').checkVisibility()")


def test_a_printout_has_all_rows_and_no_controls(opened):
    page = opened(many())
    assert page.pdf().startswith(b"%PDF")
    assert len(shown(page)) == MANY
    page.send("Emulation.setEmulatedMedia", media="print")
    assert not page.run("document.querySelector('.filters').checkVisibility()")
    assert page.run("document.querySelector('h1').checkVisibility()")


def test_waived_findings_say_by_whom_and_until_when(opened):
    page = opened(document([waived(1)]))
    page.click("#every")
    (details,) = page.texts("tr.detail")
    assert "accepted: Replaced in June (team-web, until 2027-06-30; waivers.yml:7)" in details
