# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the page of the gate says, and that nothing in it takes effect. tests/page drives it in a browser."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import jinja2
import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.document import fixes
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.html import headline, html, template
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.page_parts import bars
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.page_template import TEMPLATE
from ansible_collections.scanops.scanner.plugins.module_utils._model.galaxy import PAGE
from ansible_collections.scanops.scanner.plugins.module_utils._model.outcomes import OUTCOMES
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils._gate.export_readers import table_of
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_documents import (
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

DAY = 86400


class Elements(HTMLParser):
    """The elements of a page with their attributes, and what is in them."""

    def __init__(self, page):
        super().__init__()
        self.found, self.contents, self._inside = [], [], False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        self.contents.append("")
        self._inside = True

    def handle_endtag(self, tag):
        self._inside = False

    def handle_data(self, data):
        if self._inside:
            self.contents[-1] += data

    def content(self, tag, **attributes):
        """The text directly after the start of the only such element."""
        (found,) = [
            content
            for (name, attrs), content in zip(self.found, self.contents)
            if name == tag and attributes.items() <= attrs.items()
        ]
        return found


def part_of(name, of):
    """The part of the page of a document with this id or label."""
    return re.search(rf'<(section|div) [^>]*"{name}"[^>]*>.*?</\1>', html(of), re.DOTALL)[0]


def details_of(page):
    data = json.loads(Elements(page).content("script", id="long"))
    for cells in data["rows"]:
        each = dict(zip(data["columns"], cells))
        for name in ("description", "risk", "recommendation", "evidence"):
            each[name] = "" if each[name] is None else data["texts"][each[name]]
        yield each


# --- nothing from outside


@pytest.mark.parametrize("make", [mixed, broken, unreachable])
def test_the_policy_allows_this_style_and_this_script_and_nothing_else(make):
    elements = Elements(html(make()))
    (meta,) = [attrs for tag, attrs in elements.found if attrs.get("http-equiv")]
    assert meta["http-equiv"] == "Content-Security-Policy"
    directives = dict(each.split(" ", 1) for each in meta["content"].split("; "))
    scripts = [
        text
        for (tag, attrs), text in zip(elements.found, elements.contents)
        if tag == "script" and not attrs.get("type")
    ]
    for name, (content,) in (("style-src", [elements.content("style")]), ("script-src", scripts)):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert directives.pop(name) == f"'sha256-{digest}'"
    assert directives == {
        "default-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    # before anything that it is about
    assert [tag for tag, attrs in elements.found].index("style") > elements.found.index(("meta", meta))


def test_hostile_text_is_in_no_tag_and_no_attribute_but_addresses():
    rows = [
        row(number, name=text, target=text, path=text, recommendation=text, reasons=[text], severity=text, change=text,
            fingerprint=text, tool=text, waiver={**WAIVER, "reason": text, "file": text, "expires": text})
        for number, text in enumerate(HOSTILE.values(), 1)
    ]  # fmt: skip
    text = "".join(HOSTILE.values())[:3000]
    of = document(
        rows, [pair(text, text, outcome=text, reasons=[text])], outcome=text, reasons=[text], workspace=text,
        generated=text, waivers={"expired": [{**WAIVER, "matcher": {text: text}}], "unused": [], "doubled": [], "ending": []},
        gone=[dict.fromkeys(GONE, text)], unseen=[dict.fromkeys(UNSEEN, text)],
    )  # fmt: skip
    plain, page = Elements(html(mixed())), html(of)
    elements = Elements(page)
    assert {tag for tag, attrs in elements.found} <= {tag for tag, attrs in plain.found} | {"ul", "br", "code"}
    for tag, attrs in elements.found:
        assert not any(name.startswith("on") for name in attrs), (tag, attrs)
        assert attrs.get("href", "#").startswith(("#", f"{PAGE}#"))
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]", page)
    # the 1 MB text is cut everywhere but in the details
    assert page.count("A" * 4000) == 1 and len(page) < 300_000


def test_the_data_has_no_character_that_ends_it():
    of = document([row(1, name="</script><!-- &", evidence="\u2028\u2029</SCRIPT>")])
    for name in ("rows", "long"):
        data = re.search(rf'id="{name}">(.*?)</script>', html(of), re.DOTALL)[1]
        assert data.isascii() and json.loads(data)
        assert not set("<>&") & set(data)


def test_nothing_is_inserted_as_markup_but_constants():
    environment = template().environment
    tree = environment.parse(TEMPLATE)
    assert environment.autoescape is True
    unescaped = (jinja2.nodes.MarkSafe, jinja2.nodes.ScopedEvalContextModifier)
    assert not any(tree.find_all(unescaped)) and "safe" not in [
        each.name for each in tree.find_all(jinja2.nodes.Filter)
    ]
    assert [name for name, each in environment.globals.items() if hasattr(each, "__html__")] == [
        "STYLE",
        "SCRIPT",
        "CONTENT_SECURITY_POLICY",
    ]


@pytest.mark.parametrize(
    "written", ["{{ each }}", "<a title='{{ each }}'>", "{{ [each]|join(', ') }}", "{{ each ~ 1 }}"]
)
def test_a_value_that_nobody_escapes_is_text_on_one_line(written):
    page = template().environment.from_string(f"{{% set each = document.name %}}{written}")
    shown = page.render(document={"name": "<b>'\"&\n\u202e" + "A" * 1000})
    assert "&lt;b&gt;&#39;&#34;&amp;\\n\\u202eA" in shown and len(shown) < 540


def test_a_value_that_does_not_exist_fails():
    incomplete = {**GONE}
    del incomplete["tool"]
    with pytest.raises(jinja2.UndefinedError, match="tool"):
        html(document([], gone=[incomplete]))


# --- the data


def test_the_data_has_all_findings_and_each_text_once():
    of = mixed()
    page = html(of)
    for found, names in (
        (table_of(page), "fingerprint index state change severity name target tool cve reasons port first_seen"),
        (details_of(page), "description risk recommendation evidence references cvss verified id"),
    ):
        assert [[each[name] for name in names.split()] for each in found] == [
            [each[name] for name in names.split()] for each in of["findings"]
        ]
    assert page.partition('id="long"')[2].count("a weak cipher") == 1


def test_the_details_have_the_fingerprint_at_each_place():
    places = [
        {"fingerprint": "1:" + "a" * 32, "path": "/a", "method": "GET", "parameter": "id"},
        {"fingerprint": "1:" + "b" * 32, "path": None, "method": None, "parameter": None},
    ]
    (details,) = details_of(html(document([row(1, places=places)])))
    assert details["places"] == [f"GET /a parameter id 1:{'a' * 32}", f"unknown path 1:{'b' * 32}"]


def test_more_rows_than_are_encoded_at_once():
    of = document([row(number, description=f"Text {number}") for number in range(2500)])
    page = html(of)
    assert [each["fingerprint"] for each in table_of(page)] == [each["fingerprint"] for each in of["findings"]]
    assert [each["description"] for each in details_of(page)] == [each["description"] for each in of["findings"]]


# --- the outcome


@pytest.mark.parametrize("verdict", ["fail", "warn", "pass"])
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_the_headline_says_the_verdict_and_the_outcome_in_words(outcome, verdict):
    of = {**broken(outcome), "verdict": verdict}
    said = headline(of)
    assert "_" not in said
    if outcome == "passed":
        assert said == "The gate passed"
        return
    assert said.startswith("The gate failed: ") == (verdict == "fail")
    assert said.startswith("The gate passed with a warning: ") == (verdict == "warn")
    assert said.endswith("1 finding fails the policy")
    assert (", and 1 finding" in said) == (outcome != "findings")


def test_a_run_without_findings_says_only_why_it_failed():
    assert headline(unreachable()) == "The gate failed: the service did not answer as expected"
    assert "Fix first" not in html(unreachable())


@pytest.mark.parametrize("number, said", [(0, ""), (1, " 1 finding is waived."), (2, " 2 findings are waived.")])
def test_a_gate_that_passed_says_what_is_waived(number, said):
    page = html(document([row(9, state="below"), *(waived(each) for each in range(number))]))
    assert f"read, and none fails the policy.{said}</li>" in page


def test_reasons_come_before_everything_else():
    page = html(broken())
    order = [
        "<h1>",
        "api.example.com: The list of findings has 3 findings",
        "This run is not complete.",
        "Fix first",
        "Targets",
    ]
    places = [page.index(each) for each in order]
    assert places == sorted(places)


def test_a_saved_file_proves_no_coverage():
    assert "does not prove that everything" in html({**mixed(), "coverage": "unknown"})
    assert "does not prove that everything" not in html(mixed())


# --- what to fix first


def test_the_most_urgent_finding_comes_first():
    rows = [
        row(1, name="high", check="1"),
        row(2, name="unknown", check="2", severity="unknown"),
        row(3, name="critical", check="3", severity="critical"),
        row(4, name="high and exploited", check="4", known_exploited=True, verified=False, epss=0.0, cvss=1.0),
        row(5, name="high and unverified", check="5", verified=None),
        row(6, name="high and likely", check="6", epss=0.9, cvss=1.0),
        row(7, name="high and severe", check="7", cvss=9.9),
        row(8, name="not failing", check="8", severity="critical", state="waived", waiver=WAIVER),
    ]
    assert [fix.first["name"] for fix in fixes(document(rows))] == [
        "critical",
        "unknown",
        "high and exploited",
        "high and likely",
        "high and severe",
        "high",
        "high and unverified",
    ]


def test_findings_of_one_check_are_fixed_together():
    rows = [row(1, severity="medium"), row(2, target="b.example"), row(3, target="b.example"), row(4, check="Other")]
    first, second = fixes(document(rows))
    assert (first.first["id"], first.number, first.targets) == (2, 3, 2)
    assert second.number == 1
    assert "· 3 findings of this kind on 2 targets" in part_of("fix", document(rows))


@pytest.mark.parametrize(
    "policy, said",
    [
        ({"fail_on": "high"}, "<strong>fail_on: high</strong> is the lowest severity that fails.<br>"),
        ({"fail_on": "none"}, "<strong>fail_on: none</strong> means that no severity fails by itself.<br>"),
        ({}, '<p class="small"><strong>below</strong> means'),
    ],
)
def test_the_words_of_the_policy_are_explained(policy, said):
    assert said in html({**document([row(1)]), "policy": policy})


def test_long_lists_end_with_a_link_to_the_rest():
    rows = [row(number, check=f"C{number}") for number in range(8)]
    part = part_of("fix", document(rows))
    assert part.count("<li>") == 5
    assert '<a href="#?state=failing">3 more to fix</a>' in part


# --- numbers


def numbers(of, title):
    return {each.label: (each.number, each.failing) for each in bars(of)[title]}


def test_numbers_by_severity_and_change():
    assert numbers(mixed(), "By severity") == {
        "critical": (2, 2),
        "high": (3, 1),
        "medium": (1, 0),
        "low": (1, 0),
        "info": (2, 0),
        "unknown": (1, 1),
    }
    gone = [{"fingerprint": "1:0"}] * 4
    assert numbers({**mixed(), "gone": gone}, "Against the baseline") == {
        "new": (4, 2),
        "reopened": (1, 0),
        "worse": (1, 1),
        "known": (3, 1),
        "gone": (4, 0),
        "not seen": (0, 0),
    }


GONE = {
    "fingerprint": "1:0", "name": "SQL injection", "check": None, "severity": "critical", "target": "api.example.com",
    "tool": "web", "first_seen": "2026-11-01T10:00:00Z", "last_seen": "2026-11-20T10:00:00Z",
}  # fmt: skip
UNSEEN = {**GONE, "reason": "not seen by this scan (light): it runs 3 of the 10 tests"}


@pytest.mark.parametrize("rows", [[], [row(1, change=None)]])
def test_findings_that_no_scan_could_see_are_not_called_gone(rows):
    of = document(rows, gone=[{**GONE, "name": "Weak cipher"}], unseen=[UNSEEN, {**UNSEEN, "last_seen": None}])
    page = html(of)
    gone, unseen = re.findall(r"<details><summary>(?!Policy)(.*?)</details>", page, re.DOTALL)
    assert gone.startswith("Gone since the baseline: 1<") and "Weak cipher" in gone and "SQL" not in gone
    assert unseen.startswith("Not seen by this scan: 2<") and unseen.count("SQL injection, api.example.com, web") == 2
    assert unseen.count(f"{UNSEEN['reason']}, last seen 2026-11-20 10:00 UTC<") == 1
    assert unseen.count(f"{UNSEEN['reason']}, last seen unknown<") == 1
    assert numbers(of, "Against the baseline")["not seen"] == (2, 0)
    assert "Against the baseline" in page


def test_a_document_of_an_earlier_release_has_no_findings_that_were_not_seen():
    of = document([row(1)])
    for key in ("unseen", "policy", "sources", "outcomes", "origin"):
        del of[key]
    assert "Not seen by this scan" not in html(of)


def test_the_table_shows_times_and_no_ages():
    page = html(mixed())
    assert [each["first_seen"] for each in table_of(page)] == [each["first_seen"] for each in mixed()["findings"]]
    assert '<button type="button" data-key="first_seen">First seen</button>' in page and 'data-key="age"' not in page


def test_without_a_baseline_nothing_is_called_new():
    part = part_of("Numbers", document([row(1, change=None)]))
    assert "The findings were compared with no baseline" in part and ">new<" not in part


@pytest.mark.cases("age, label")
def test_ages(age, label):
    found = numbers(document([row(1, age=age), row(2, age=age, state="known")]), "By age at this run")
    assert {key: value for key, value in found.items() if value != (0, 0)} == {label: (2, 1)}
    assert ("unknown" in found) is (age is None)


def test_targets_that_failed_come_first_with_their_reasons():
    pairs = [
        pair("a.example"),
        pair("b.example", outcome="findings", verdict="fail"),
        pair("c.example", outcome="scan_failed", verdict="fail", reasons=["It was aborted."], age=None, finished=None),
        pair("d.example", "web", scan_id=7, outcome="findings", verdict="fail"),
    ]
    rows = [
        row(1, target="b.example"),
        row(2, target="b.example", state="below", severity="low"),
        row(3, target="renamed.example", tool="web", scan_id=7, severity="critical"),
        row(4, target="nowhere.example", scan_id=99),
    ]
    part = part_of("by-targets", document(rows, pairs))
    cells = 'data-label="(?:failing|critical|high|medium|low|info|unknown)">([0-9]+)<'
    shown = [(name, *map(int, re.findall(cells, rest))) for name, rest in re.findall(r">(\w\.example)<(.*)", part)]
    assert shown == [
        ("c.example", 0, 0, 0, 0, 0, 0, 0),
        ("d.example", 1, 1, 0, 0, 0, 0, 0),
        ("b.example", 1, 0, 1, 0, 1, 0, 0),
        ("a.example", 0, 0, 0, 0, 0, 0, 0),
    ]
    assert "It was aborted." in part
    assert 'data-label="scanned">unknown<' in part


def test_the_page_says_which_build_judged_what():
    origin = {
        "build": "https://ci.example.com/shop/-/jobs/4711/",
        "commit": "9fceb02d0ae598e95dc970b7",
        "scan_url": None,
    }
    pairs = [pair(), pair(tool="web"), pair("b.example", "any tool", scan_id=None)]
    text = html(document([], pairs, origin=origin))
    build = f'<a href="{origin["build"]}" rel="noreferrer noopener nofollow">build 4711</a>'
    assert f"Security gate · Web shop · tls, web · {build} · commit <code>9fceb02d0ae5</code> · 2026" in text
    assert f"<dt>Commit</dt><dd>{origin['commit']}</dd>" in text
    # a saved file of an older release, and text that is no address
    for build, shown in ((None, ""), ("javascript:alert(1)", " · build javascript:alert(1)")):
        of = document([], origin={"build": build, "commit": None, "scan_url": None})
        assert f"Security gate · Web shop · tls{shown} · 2026" in html(of)
    assert "Security gate · Web shop · tls · 2026" in html({**document([]), "origin": None})


@pytest.mark.parametrize("url", [None, "javascript:alert({id})", "https://scanner.example.com/scans/{id}"])
def test_a_target_links_its_scan(url):
    pairs = [pair(scan_id=7), pair("b.example", scan_id=8, age=None), pair("c.example", scan_id=None, age=None)]
    part = part_of("by-targets", document([], pairs, origin={"build": None, "commit": None, "scan_url": url}))
    links = re.findall(r'href="(http[^"]*)"[^>]*>([^<]+)<', part.replace('href="#', ""))
    address = "https://scanner.example.com/scans/"
    assert sorted(links) == (
        [(f"{address}7", "2026-11-22 09:00 UTC"), (f"{address}8", "unknown")] if url and "https" in url else []
    )
    assert ">never<" in part


def test_what_to_fix_names_the_tool_if_there_are_several():
    assert " · tls" not in part_of("fix", document([row(1)]))
    assert " · tls</p>" in part_of("fix", document([row(1)], [pair(), pair(tool="web")]))


# --- waivers


def test_waivers_that_end_first_come_first():
    soon, later, never = (
        {**WAIVER, "line": line, "expires": expires}
        for line, expires in ((1, "2026-11-30"), (2, "2027-06-30"), (3, "never"))
    )
    of = document([waived(1, waiver=never), waived(2, waiver=later), waived(3, waiver=soon), waived(4, waiver=later)])
    of["waivers"]["ending"] = [{**soon, "days": 8}]
    part = part_of("waived", of)
    shown = [("bad ", "2026-11-30"), ("", "2027-06-30"), ("", "never")]
    assert re.findall(r'<span class="(bad )?date">([^<]+)<', part) == shown
    assert "and 1 more finding" in part and "team-web" in part and "waivers.yml:2" in part


def test_expired_waivers_are_an_alarm_of_their_own():
    of = {**mixed(), "waivers": {"expired": [WAIVER, WAIVER], "unused": [], "doubled": [], "ending": []}}
    assert "2 expired waivers: what they waived counts again" in part_of("expired", of)
    page = html(of)
    assert page.index("2 expired waivers") < page.index("By severity")
    assert "expired waiver" not in html(mixed())


def test_unused_and_doubled_waivers_are_listed():
    of = document(
        [],
        waivers={
            "expired": [],
            "unused": [WAIVER],
            "doubled": [{"fingerprint": "1:7", "waivers": [WAIVER] * 2}],
            "ending": [],
        },
    )
    part = part_of("waived", of)
    assert "Unused waivers: no finding matches them" in part and "check: TLS-7" in part
    assert "Findings that several waivers match" in part and "1:7" in part


# --- the rest


def test_without_a_script_the_first_failing_findings_are_listed():
    part = part_of("plain", document([row(number) for number in range(80)]))
    assert part.count("<tr id=") == 50
    assert "80 findings: 80 failing, 0 waived, 0 known, 0 below." in part


def test_the_page_names_the_policy_the_baseline_and_the_sources():
    of = document(
        [],
        policy={"fail_on": "high", "only_new": True, "max": {}, "min_cvss": None},
        baseline={"path": "base.json", "state": "read", "scheme": 1, "accepted": 2, "reason": None},
        sources={"epss": {"path": "epss.csv", "date": "2026-11-21"}, "known_exploited": None},
        outcomes={"findings": "warn", "incomplete": "fail", "passed": "pass"},
    )
    part = html(of).split("<dl>")[1].split("</dl>")[0]
    for fact in (
        "high",
        "policy.only_new",
        "base.json, read, accepts 2 findings",
        "epss.csv, data of 2026-11-21",
        "findings: warn",
    ):
        assert fact in part
    assert "min_cvss" not in part and "incomplete" not in part


def test_no_reference_has_the_password_of_a_user():
    text = html(document([row(1, references=["https://me:secret@example.com/advisory"])]))
    assert "https://example.com/advisory" in text and "secret" not in text
