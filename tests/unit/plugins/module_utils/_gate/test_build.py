# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What scan_gate_build means, the build in an answer, and whether it is the one to judge."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._gate.build import (
    NoValue,
    build_of,
    check,
    moved_in,
    shown_url,
    value_in,
)
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.html import facts, html
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.markdown import comment, markdown
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import WrongOption
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_documents import document, row

URL = "https://shop.example.com/version"


def source(place="", where=""):
    return {"url": URL, **({place: where} if place else {})}


# --- the option


def test_the_option_with_all_that_one_may_have():
    check({"url": URL, "expect": "4f2a", "json": "services.0.commit", "wait": "10m"})
    check({"url": f"{URL}?at=a@b#x", "pattern": "v([0-9]+)", "wait": 60})


@pytest.mark.parametrize(
    "given, message",
    [
        ({"url": "shop.example.com"}, "scan_gate_build.url is no http or https URL, or has a user"),
        ({"url": "ftp://shop.example.com/"}, "scan_gate_build.url is no http or https URL"),
        ({"url": "file:///etc/passwd"}, "scan_gate_build.url is no http or https URL"),
        ({"url": "https:///version"}, "scan_gate_build.url is no http or https URL"),
        ({"url": "https://a.example.com\\@b.example.com/"}, "scan_gate_build.url is no http or https URL"),
        ({"url": "https://a.example.com\\.b.example.com/"}, "scan_gate_build.url is no http or https URL"),
        ({"url": "https://a.example.com/a\nb"}, "scan_gate_build.url is no http or https URL"),
        ({"url": "https://me:hunter2@shop.example.com/"}, "scan_gate_build.url is no http or https URL, or has a user"),
        ({"url": "https://token@shop.example.com"}, "scan_gate_build.url is no http or https URL, or has a user"),
        ({"url": URL, "expect": ""}, "scan_gate_build.expect is empty, probably because a variable is unset"),
        ({"url": URL, "expect": None}, "scan_gate_build.expect is empty"),
        ({"url": URL, "wait": None}, "scan_gate_build.wait is empty"),
        (
            {"url": URL, "expect": "4f2a\n"},
            "scan_gate_build.expect is '4f2a\\n', which no build is: write one printable line",
        ),
        ({"url": URL, "expect": " "}, "scan_gate_build.expect is ' ', which no build is"),
        ({"url": URL, "expect": "a" * 201}, "scan_gate_build.expect is 'aaa"),
        ({"url": URL, "expect": "##[x]"}, "scan_gate_build.expect is '##[x]', which no build is"),
        ({"url": URL, "expect": 1.1}, "scan_gate_build.expect is a number (1.1), not text: write it in quotes."),
        ({"url": URL, "expect": True}, "scan_gate_build.expect is a boolean (true), not text"),
        ({"url": URL, "json": "a", "header": "X-A"}, "scan_gate_build has header and json: give one of them."),
        ({"url": URL, "pattern": "("}, "scan_gate_build.pattern is no regular expression ("),
        ({"url": URL, "pattern": "v.*"}, "scan_gate_build.pattern has 0 groups: put the build"),
        ({"url": URL, "pattern": "(a)(b)"}, "scan_gate_build.pattern has 2 groups"),
        ({"url": URL, "wait": "soon"}, "scan_gate_build.wait is 'soon': give seconds"),
        ('{"url": "http://x/v"}', "scan_gate_build has no url: give a dictionary"),
        ({}, "scan_gate_build has no url"),
        ({"url": URL, "expected": "4f2a"}, "scan_gate_build has the unknown key 'expected': the closest one is expect"),
        ({"url": "http://[::1/version"}, "scan_gate_build.url is no http or https URL"),
        ({"url": "http://[foo]/"}, "scan_gate_build.url is no http or https URL"),
        ({"url": "http://a.example:x/"}, "scan_gate_build.url is no http or https URL"),
        ({"url": "http://ex\u2100mple/"}, "scan_gate_build.url is no http or https URL"),
        ({"url": URL, "pattern": "(a{99999999999})"}, "scan_gate_build.pattern is no regular expression ("),
    ],
)
def test_a_wrong_option_is_refused_by_its_name(given, message):
    with pytest.raises(WrongOption) as refused:
        check(given)
    assert str(refused.value).startswith(message) and str(refused.value).endswith(".")
    assert "hunter2" not in str(refused.value)


# --- an answer


@pytest.mark.parametrize(
    "asked, body, value",
    [
        (source(), b" 4f2a\n", "4f2a"),
        (source(), b"\xef\xbb\xbf4f2a\r\n", "4f2a"),
        (source("json", "commit"), b'{"commit": "4f2a"}', "4f2a"),
        (source("json", "build.0.id"), b'{"build": [{"id": 4711}]}', "4711"),
        (source("json", "0"), b'{"0": "a"}', "a"),
        (source("pattern", 'content="v([^"]+)"'), b'<html>\n<meta content="v1.10">', "1.10"),
        (source("header", "X-Version"), b"<html>", "7"),
    ],
)
def test_the_build_in_an_answer(asked, body, value):
    assert value_in(asked, {"X-Version": " 7"}, body) == value


@pytest.mark.parametrize(
    "asked, body, why",
    [
        (source(), b"", "its value is not one printable line of 1 to 200 characters"),
        (source(), b"4f2a\nbuild", "its value is not one printable line"),
        (source(), b"a" * 201, "its value is not one printable line"),
        (source(), b"a\x1b[31mb", "its value is not one printable line"),
        (source(), b"::error::x", "its value is not one printable line"),
        (source(), "a\u202eb".encode(), "its value is not one printable line"),
        (source(), b"\xff\xfe", "its answer is not text"),
        (source("json", "commit"), b"<html>", "its answer has no text at json commit"),
        (source("json", "commit"), b"[" * 60_000, "its answer has no text at json commit"),
        (source("json", "commit"), b'{"commit": "a", "commit": "b"}', "its answer has no text at json commit"),
        (source("json", "commit"), b'{"version": 1}', "its answer has no text at json commit"),
        (source("json", "9"), b'["a"]', "its answer has no text at json 9"),
        (source("json", "a..b"), b'{"a": "b"}', "its answer has no text at json a..b"),
        (source("json", "a.b"), b'{"a": "b"}', "its answer has no text at json a.b"),
        (source("json", "v"), b'{"v": 1.10}', "its answer has no text at json v"),
        (source("json", "v"), b'{"v": true}', "its answer has no text at json v"),
        (source("json", "v"), b'{"v": null}', "its answer has no text at json v"),
        (source("json", "v"), b'{"v": {}}', "its answer has no text at json v"),
        (source("pattern", "v([0-9]+)"), b"none", "its answer has no text at pattern v([0-9]+)"),
        (source("pattern", "v([0-9]+)?"), b"v", "its value is not one printable line"),
        (source("header", "X-Build"), b"4f2a", "its answer has no text at header X-Build"),
        (source(), b"<!doctype html><p>Starting", "its answer is a page or JSON, so name the place"),
        (source(), b' {"status":"starting"}', "its answer is a page or JSON"),
    ],
)
def test_an_answer_without_a_build_says_why(asked, body, why):
    with pytest.raises(NoValue) as refused:
        value_in(asked, {"X-Version": "7"}, body)
    assert str(refused.value).startswith(why)


# --- the decision


def build(before="4f2a", after="4f2a", expected=None, url=URL, **more):
    return {"url": url, "expected": expected, "before": before, "after": after, **more}


@pytest.mark.parametrize(
    "given, sentence",
    [
        (build(), None),
        (build(expected="4f2a"), None),
        (
            build(after="91bc"),
            "Another build was deployed while it was scanned: 4f2a → 91bc (https://shop.example.com/version). Run the gate"
            " again.",
        ),
        (
            build(expected="91bc"),
            f"This is not the expected build: {URL} answers 4f2a, and 91bc is expected. Deploy it.",
        ),
        (
            build(after=None, expected="91bc", wait="600"),
            f"This is not the expected build after 10 minutes: {URL} answers 4f2a, and 91bc is expected. Deploy it.",
        ),
        (
            build(None, None, problem="its answer has status 503", wait="600"),
            "The build could not be read after 10 minutes: its answer has status 503"
            " (https://shop.example.com/version). Run the gate again.",
        ),
        (
            build(after=None),
            f"The build could not be read after the scans: it was not read ({URL}). Run the gate again.",
        ),
        (
            build(before=None),
            f"The build could not be read before the scans: it was not read ({URL}). Run the gate again.",
        ),
    ],
)
def test_another_build_or_none_is_moved(given, sentence):
    assert moved_in(given) == sentence
    # what gate.json has is enough to decide the same again
    assert (moved_in(build_of(given)) is None) == (sentence is None)


def test_no_file_has_a_user_or_the_query_of_the_address():
    assert shown_url(f"{URL}?token=s3cret#x") == URL
    assert build_of(build(url=f"{URL}?token=s3cret"))["url"] == URL
    assert build_of(build(url="https://me:hunter2@shop.example.com/version#x"))["url"] == URL


# --- what people read


def test_the_build_is_one_line_in_each_file_for_people():
    same = document([row()], build=build_of(build(expected="4f2a")))
    assert [text(same).splitlines()[-1].endswith(" Build: `4f2a`.") for text in (markdown, comment)] == [True, True]
    assert facts(same)["Build that was scanned"] == "4f2a"
    assert " Build: `4f2a` → `91bc`." in markdown(document([row()], build=build_of(build(after="91bc"))))
    assert " Build: `4f2a` → `unknown`." in markdown(document([row()], build=build_of(build(after=None))))
    assert "Build:" not in markdown(document([row()]))


def test_a_hostile_build_is_text_everywhere():
    value = "<script>alert(1)</script> @admin `x` | [a](b)"
    hostile = document([row()], build=build_of(build(value, value)))
    assert "`` <script>alert(1)</script> @admin `x` ¦ [a](b) ``" in markdown(hostile)
    assert "@" not in comment(hostile)
    assert "<script>alert" not in html(hostile) and "&lt;script&gt;alert(1)" in html(hostile)
