# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How the role scan_gate reads the build, against an application on loopback, and when it scans."""

from __future__ import annotations

import gzip
import signal
import socket
import ssl
import time

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._gate.build import NoValue
from ansible_collections.scanops.scanner.plugins.plugin_utils import _gate_build, _in_process
from ansible_collections.scanops.scanner.plugins.plugin_utils._gate_build import MOST, read
from ansible_collections.scanops.scanner.tests.unit import certificates
from ansible_collections.scanops.scanner.tests.unit.plugins.plugin_utils.role_steps import Role
from ansible_collections.scanops.scanner.tests.unit.plugins.preview_server import preview_server

KEY = "key-of-the-service-0123456789"


@pytest.fixture
def preview():
    with preview_server() as server:
        yield server


def asked(preview, seconds=5.0, verify=True, **more):
    return read({"url": preview.url, **more}, verify, seconds)


def why(preview, **more):
    with pytest.raises(NoValue) as refused:
        asked(preview, **more)
    return str(refused.value)


# --- one request


def test_the_request_has_nothing_that_identifies_us(preview, monkeypatch, tmp_path):
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login me password hunter2\n")
    (tmp_path / ".netrc").chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    monkeypatch.setenv("SCANNER_API_KEY", KEY)
    preview.answers = [(200, {"Set-Cookie": "session=1"}, [b"4f2a"])]
    assert [asked(preview, url=f"{preview.url}?a=1#b") for _time in range(2)] == ["4f2a", "4f2a"]
    for path, headers in preview.requests:
        assert path == "/version?a=1"
        assert sorted(headers) == ["Accept", "Accept-Encoding", "Cache-Control", "Connection", "Host", "User-Agent"]
        assert KEY not in str(headers) and "hunter2" not in str(headers)


def test_an_address_without_a_path_is_the_root(preview):
    assert asked(preview, url=preview.url.removesuffix("/version")) == "4f2a"
    assert asked(preview, url=preview.url.replace("/version", "?a=1")) == "4f2a"
    assert [path for path, _headers in preview.requests] == ["/", "/?a=1"]


@pytest.mark.parametrize(
    "location",
    [
        "http://localhost:{port}/version",
        "//other.example.com/version",
        "/login",
        "http://me:pw@127.0.0.1:{port}/version",
        "",
    ],
)
@pytest.mark.parametrize("status", [301, 307])
def test_a_redirect_to_another_address_is_refused(preview, status, location):
    preview.answers = [(status, {"Location": location.format(port=preview.server_port)}, [])]
    reason = why(preview)
    assert reason.startswith("GET was redirected to ") and "pw" not in reason
    assert len(preview.requests) == 1


def test_a_redirect_to_a_slash_is_followed_but_not_for_ever(preview):
    preview.answers = [(301, {"Location": "/version/"}, []), "4f2a"]
    assert asked(preview) == "4f2a"
    assert [path for path, _headers in preview.requests] == ["/version", "/version/"]
    preview.answers = [(301, {"Location": "/version/"}, [])]
    assert why(preview) == "GET was redirected more than 5 times"


@pytest.mark.parametrize(
    "answer, reason",
    [
        ((503, {}, [b"4f2a"]), "its answer has status 503"),
        ((401, {"X-Version": "4f2a"}, [b"4f2a"]), "its answer has status 401"),
        ((200, {}, [b"a" * (MOST + 1)]), "its answer is longer than 64 KB"),
        ((200, {"Content-Encoding": "gzip"}, [gzip.compress(b"a" * 50_000_000)]), "its answer is longer than 64 KB"),
        (
            (200, {"Content-Encoding": "br"}, [b"\xc2\xa04\x01"]),
            "its value is not one printable line of 1 to 200 characters",
        ),
        ((200, {"Content-Encoding": "gzip"}, [b"4f2a"]), "its answer has broken compressed data"),
        ((200, {"Content-Length": "9"}, [b"4f2a"]), "The answer to GET broke off before its announced end"),
        ((204, {}, []), "its value is not one printable line of 1 to 200 characters"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_answer_that_cannot_be_used_is_no_build(preview, answer, reason):
    preview.answers = [answer]
    assert why(preview) == reason


@pytest.mark.parametrize("pieces", [[3.0, b"4f2a"], [b"4", 0.6, b"f", 0.6, b"2", 0.6, b"a"] * 5], ids=["late", "drip"])
def test_a_slow_answer_is_no_build(preview, pieces):
    preview.answers = [(200, {}, pieces)]
    began = time.monotonic()
    assert why(preview, seconds=1.0).startswith("No complete answer to GET within 1 s")
    assert time.monotonic() - began < 2.5


@pytest.mark.parametrize("pattern", ["(a+)+$", "(?:a|aa)+(b)$", "(a.*a.*a.*a.*a.*b)"])
def test_a_pattern_that_may_never_end_is_given_up(preview, pattern, monkeypatch):
    monkeypatch.setattr(_gate_build, "_SEARCH", 0.2)
    preview.answers = [(200, {}, [b"a" * 60_000 + b"c"])]
    before = signal.getsignal(signal.SIGVTALRM), signal.getsignal(signal.SIGALRM)
    assert why(preview, pattern=pattern).startswith("pattern takes longer than 0.2 s for its answer, so simplify it")
    assert (signal.getsignal(signal.SIGVTALRM), signal.getsignal(signal.SIGALRM)) == before
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0, 0)
    preview.answers = ["version: 4f2a"]
    assert asked(preview, pattern="version: (.+)") == "4f2a"


def test_an_address_that_nobody_serves_is_no_build():
    with socket.create_server(("127.0.0.1", 0)) as place:
        port = place.getsockname()[1]
    reason = "GET was not sent, because nothing accepts connections at 127.0.0.1"
    with pytest.raises(NoValue, match=reason):
        read({"url": f"http://127.0.0.1:{port}/version?token=s3cret"}, True, 2.0)


def test_certificates_are_checked(preview, tmp_path):
    paths = certificates.make(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(paths["server"], paths["server_key"])
    preview.socket = context.wrap_socket(preview.socket, server_side=True)
    url = preview.url.replace("http:", "https:")
    assert "certificate verify failed" in why(preview, url=url)
    assert why(preview, url=url, verify=str(tmp_path / "missing.pem")).startswith("GET could not be sent (OSError)")
    assert asked(preview, url=url, verify=paths["ca"]) == asked(preview, url=url, verify=False) == "4f2a"


# --- the role


@pytest.fixture
def role(preview, tmp_path, monkeypatch):
    """A run of the first two steps with these options of scan_gate_build; the role with its calls."""
    monkeypatch.setattr(_gate_build, "_INTERVAL", 0.05)
    monkeypatch.setattr(_gate_build, "_PATIENCE", 0.1)

    def play(settings=None, defaults=None, check_mode=False, **build):
        variables = {
            "scan_gate_workspace": "Web shop",
            "scan_gate_targets": "a.example.com",
            "scan_gate_base_url": "https://scanner.example.com/api/v2",
            "scan_gate_api_key": KEY,
            "scan_gate_artifacts": str(tmp_path / "artifacts"),
            **(settings or {}),
        }
        played = Role("scan_gate", tmp_path, {**variables, "scan_gate_build": {"url": preview.url, **build}}, defaults)
        for each in played._tasks.values():
            each.check_mode = check_mode
        played.run("enter", "judge")
        return played

    return play


@pytest.fixture
def lines(preview, monkeypatch):
    """The lines of progress about the build."""
    shown = []
    monkeypatch.setattr(_in_process.display, "display", lambda text, *_args, **_options: shown.append(text))
    return shown


def scanned(played):
    return "scan" in [name for name, _arguments in played.calls]


def said(preview, before, after, **more):
    return {"url": preview.url, "before": before, "after": after, **more}


def test_the_build_is_read_before_and_after_the_scans_and_passed_to_the_gate(role, preview):
    preview.answers = ["4f2a", "4f2a", "91bc"]
    played = role(expect="4f2a")
    assert scanned(played) and len(preview.requests) == 4
    assert played.last("gate")["build"] == said(preview, "4f2a", "91bc", expected="4f2a")
    # neither the check of the options nor a scan has it
    assert [name for name, arguments in played.calls if "build" in arguments] == ["gate"]
    assert KEY not in str(preview.requests)


def test_without_an_expectation_any_build_is_scanned(role, preview):
    played = role()
    assert scanned(played) and played.last("gate")["build"] == said(preview, "4f2a", "4f2a")


@pytest.mark.parametrize("answer, before", [("91bc", "91bc"), ((404, {}, []), None)])
def test_nothing_is_scanned_if_the_expected_build_does_not_come(role, preview, answer, before):
    preview.answers = [answer]
    played = role(expect="4f2a", wait="1s")
    judged = played.last("gate")
    assert not scanned(played) and len(preview.requests) > 3
    assert (judged["build"].get("before"), "after" in judged["build"]) == (before, False)
    assert judged["build"]["wait"] == "1"
    assert judged["build"].get("problem") == (None if before else "its answer has status 404")
    assert [each["outcome"] for each in judged["scan_results"]] == ["nothing_scanned"]
    # an empty file is judged, and no older scan
    assert judged["findings_file"].endswith("nothing.jsonl") and "targets" not in judged


def test_without_a_wait_one_read_decides(role, preview, lines):
    preview.answers = ["91bc"]
    assert not scanned(role(expect="4f2a")) and len(preview.requests) == 1
    assert lines == []


def test_a_line_of_progress_has_no_query(role, preview, lines):
    role(url=f"{preview.url}?token=s3cret", expect="91bc", wait="1s")
    assert [each.split(";")[0] for each in lines] == [f"localhost: {preview.url} answers 4f2a, not 91bc"]


def test_the_role_waits_for_the_expected_build(role, preview, lines):
    preview.answers = [(503, {}, []), "91bc", "91bc", "4f2a"]
    played = role(expect="4f2a", wait="1m")
    first, second = lines
    assert first.startswith(f"localhost: {preview.url} says no build (its answer has status 503); trying again for ")
    assert second.startswith(f"localhost: {preview.url} answers 91bc, not 4f2a; trying again for ")
    assert scanned(played) and len(preview.requests) == 7
    assert played.last("gate")["build"] == said(preview, "4f2a", "4f2a", expected="4f2a", wait="60")


def test_a_build_that_is_lost_after_the_scans_is_asked_for_again(role, preview):
    preview.answers = ["4f2a", "4f2a", (502, {}, []), "4f2a"]
    assert role().last("gate")["build"] == said(preview, "4f2a", "4f2a")
    preview.answers = ["4f2a", "4f2a", (502, {}, [])]
    build = role().last("gate")["build"]
    assert "after" not in build and build["problem"] == "its answer has status 502"


@pytest.mark.parametrize("expect", [{}, {"expect": "4f2a"}])
def test_two_servers_with_different_builds_are_no_build(role, preview, expect):
    preview.answers = ["4f2a", "91bc"] * 200
    judged = role(**expect, wait="1s").last("gate")
    assert [each["outcome"] for each in judged["scan_results"]] == ["nothing_scanned"]
    assert judged["build"]["problem"] == "one request was answered with 4f2a and the next one with 91bc"
    assert "before" not in judged["build"]


def test_a_second_server_after_the_scans_is_another_build(role, preview):
    preview.answers = ["4f2a"] * 3 + ["91bc", "4f2a"] * 200
    build = role(expect="4f2a").last("gate")["build"]
    assert (build["before"], "after" in build) == ("4f2a", False) and "91bc" in build["problem"]


def test_a_server_that_is_drained_is_waited_for(role, preview):
    preview.answers = ["4f2a", "91bc", "91bc", "4f2a", (502, {}, []), "4f2a"]
    played = role(expect="4f2a", wait="1m")
    assert scanned(played) and played.last("gate")["build"]["before"] == "4f2a"
    assert len(preview.requests) == 9


def test_check_mode_reads_once_and_scans_nothing(role, preview):
    role(check_mode=True, expect="91bc", wait="1m")
    assert len(preview.requests) == 1
    role(check_mode=True, expect="4f2a", wait="1m")
    assert len(preview.requests) == 3


@pytest.mark.parametrize(
    "settings, build, message",
    [
        (
            {"scan_gate_max_age": "1d"},
            {},
            "scan_gate_build says nothing of older scans, which scan_gate_max_age judges again",
        ),
        ({}, {"json": "a", "pattern": "(a)"}, "scan_gate_build has json and pattern: give one of them."),
        ({}, {"url": "http://me:hunter2@127.0.0.1/"}, "scan_gate_build.url is no http or https URL, or has a user"),
        (
            {"scan_gate_scope": {"allow": ["a.example.com"]}},
            {},
            "scan_gate_build.url is outside the authorised scope: http://",
        ),
        (
            {"scan_gate_scope": {"allow": ["a.example.com", "127.0.0.1:1-2"]}},
            {},
            "scan_gate_build.url is outside the authorised scope: http://127.0.0.1:",
        ),
    ],
)
def test_a_mistake_reads_nothing(role, preview, settings, build, message):
    played = role(settings, **build)
    assert preview.requests == [] and not scanned(played)
    (refused,) = played.last("gate")["scan_results"]
    assert refused["outcome"] == "misconfigured" and refused["msg"].startswith(message)
    assert "hunter2" not in str(played.calls) and "build" not in played.last("gate")


def test_the_scope_of_the_play_and_of_the_machine_count(role, preview, monkeypatch, tmp_path):
    played = role(defaults={"scanops.scanner.scan": {"scope": {"deny": ["127.0.0.0/8"]}}})
    assert preview.requests == [] and not scanned(played)
    path = tmp_path / "scope.yml"
    path.write_text("deny: [127.0.0.1]\nprivate: true\n")
    path.chmod(0o600)
    monkeypatch.setenv("SCANNER_SCOPE_FILE", str(path))
    allowed = {"scan_gate_scope": {"allow": ["127.0.0.1", "a.example.com"], "private": True}}
    assert not scanned(role(allowed)) and preview.requests == []
    monkeypatch.delenv("SCANNER_SCOPE_FILE")
    assert scanned(role(allowed)) and len(preview.requests) == 4


def test_module_defaults_do_not_say_what_was_built(role, preview):
    played = role(
        defaults={"scanops.scanner.gate": {"build": {"url": "https://x.example.com", "before": "1", "after": "1"}}}
    )
    assert [arguments["build"]["url"] for _name, arguments in played.calls if "build" in arguments] == [preview.url]
