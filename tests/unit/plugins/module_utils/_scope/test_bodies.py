# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which bodies a scope of one host refuses, and which ordinary options go on passing."""

from __future__ import annotations

import contextlib
import time

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import Refused
from ansible_collections.scanops.scanner.plugins.module_utils._scope.permit import Permits
from ansible_collections.scanops.scanner.plugins.module_utils._scope.rules import compile_scope

GOOD, EVIL = "good.example.com", "evil.example.org"
PERMITS = Permits(compile_scope({"allow": [GOOD]}))

# a text that names another host, in a field that is not for hosts
EVIL_TEXTS = [
    f"//{EVIL}/",
    f"//{EVIL}",
    f"///{EVIL}/",
    f"////{EVIL}",
    f"/\t/{EVIL}/x",
    f"/\n/{EVIL}/x",
    f"/\r\n/\t{EVIL}/x",
    f"\x00//{EVIL}",
    f"\x1f /\t/{EVIL}",
    f" //{EVIL}",
    f"\\\\{EVIL}\\share",
    f"/\\{EVIL}",
    f"\\/{EVIL}",
    f"\\/\\/{EVIL}",
    f"\\\t\\{EVIL}",
    "//intranet",
    "//intranet/x",
    "\\\\intranet",
    "/\\intranet/x",
    "//localhost:8080",
    "//[::1]/",
    "//[fe80::1%25eth0]/",
    "//2130706433/",
    "//0x7f.1/",
    "//%65vil.example.org/",
    "//evil%2eexample%2eorg/",
    "//ｅvil.example.org/",
    "//evil。example。org/",
    "//münchen.example/",
    f"／／{EVIL}/",
    f"//{GOOD}@{EVIL}/",
    f"//{GOOD}:80@{EVIL}/",
    f"//@{EVIL}/",
    f"//!@{EVIL}/",
    f"//-x.{EVIL}/",
    f"//{GOOD}.{EVIL}/",
    f"//{GOOD}\\@{EVIL}/",
    f"see //{EVIL}/x",
    f"see ///{EVIL}",
    f"a,//{EVIL}",
    f"a;//{EVIL}",
    f"`//{EVIL}`",
    f"\u00a0//{EVIL}",
    f"url(//{EVIL}/a)",
    f"<script src='//{EVIL}/'>",
    f"data:text/html,<img src=//{EVIL}>",
    f"jdbc:mysql://{EVIL}/x",
    f"git+ssh://{EVIL}",
    "//user@evil/",
    f"u=//{EVIL}",
    f"(//{EVIL})",
    f'<a href="//{EVIL}/">',
    f"<a href=//{EVIL}/>",
    f"see\n/\t/{EVIL}",
    f"see \\\\{EVIL}\\x",
    f"https://{GOOD}/ //{EVIL}/",
    f"https://{GOOD}/,//{EVIL}/",
    f"https://{GOOD}/,/\\{EVIL}/",
    f"http:{EVIL}",
    f"http:/{EVIL}",
    f"see http:{EVIL}",
    f"see https:{EVIL}/x",
    f"see http:/{EVIL}",
    f"see http:\\{EVIL}",
    f"see http:\t{EVIL}",
    f"see ht\ntp:{EVIL}",
    f"see ht\ttp://{EVIL}",
    f"see h\nt\nt\np\n:\n/\n/\n{EVIL}",
    f"ht\r\ntps:{EVIL}",
    f"see ftp:{EVIL}",
    f"see f\ttp:{EVIL}",
    f"see ws:{EVIL}",
    f"see wss:{EVIL}",
    f"see WSS:{EVIL}",
    f"wss:{EVIL}",
    f"ftp:/{EVIL}",
    f"url=http:{EVIL}",
    f"view-source:http:{EVIL}",
    f"see http:user@{EVIL}",
    "see http:2130706433",
    "see http:80/x",
    f"see http:80@{EVIL}",
    f"see ftp:/\t/{EVIL}",
    f"h://{EVIL}/",
    f"://{EVIL}/",
    f"see custom:\n//{EVIL}",
    f"ｈｔｔｐ：／／{EVIL}",
    f"see ｈｔｔｐｓ：//{EVIL}",
    f"see ht\u200btp://{EVIL}",
    f"http%3A%2F%2F{EVIL}",
    f"u=https%3a//{EVIL}",
    f"u=%2F%2F{EVIL}",
    f"u=https%253A%252F%252F{EVIL}",
    f"see https://{GOOD},@{EVIL}/",
    f"see https://{GOOD};@{EVIL}/",
    f"see https://{GOOD}|@{EVIL}/",
    f"see https://{GOOD}'@{EVIL}/",
    f"see https://{GOOD},.{EVIL}/",
    f"see https://{GOOD}\\@{EVIL}/",
    f"see https://{GOOD}:80@{EVIL}/",
    f"see https://{GOOD}%2f@{EVIL}/",
    f"see https://{GOOD}.{EVIL}/",
    f"see https://{EVIL}#@{GOOD}/",
    "see http://127.1/",
    f"*//{EVIL}",
    f"-//{EVIL}",
    f"&//{EVIL}",
    f"#//{EVIL}",
    f":\\\\{EVIL}",
    f"％2F/{EVIL}",
    f"％２Ｆ％２Ｆ{EVIL}",
    f"%09//{EVIL}",
    f"ht%09tp://{EVIL}",
    f"%68%74%74%70:{EVIL}",
    f'see https://{GOOD}"@{EVIL}/',
    f"see https://{GOOD}>.{EVIL}/",
    "𝐡𝐭𝐭𝐩://evil.example.org",
    "see http:[::1]",
    "see http:localhost",
    f"see http:443.{EVIL}",
    f"see http:80,http:{EVIL}",
    "see http://[::ffff:127.0.0.1]/",
]

# bodies in which the structure says what is a host
EVIL_BODIES = [
    {"urls": [f"/\t/{EVIL}/x"]},
    {"urls": {f"//{EVIL}/": True}},
    {"hosts": {EVIL: {}}},
    {"hosts": {EVIL: None}},
    {"hosts": {"\u00e9vil": {}}},
    {"hosts": (EVIL,)},
    {"hosts": f"a b {EVIL}"},
    {"targets": {"list": ["intranet"]}},
    {"target": {"address": "intranet"}},
    {"target": {"x": {"fqdn": "intranet"}}},
    {"callback": {"to": EVIL}},
    {"hosts": {"localhost": {}}},
    {"hosts": {"intranet": {"port": 80}}},
    {"hosts": {GOOD: {}, EVIL: {}}},
    {"hosts": {2130706433: {}}},
    {"hosts": {"evil%2eexample%2eorg": {}}},
    {"hosts": {"ｅvil.example.org": {}}},
    {"hosts": {f"{GOOD}@{EVIL}": {}}},
    {"hosts": {f"type.{EVIL}": {}}},
    {"hosts": {f"type-x.{EVIL}": {}}},
    {"hosts": [{"name": EVIL}]},
    {"hosts": [[[EVIL]]]},
    {"hosts": [{"list": [{"value": EVIL}]}]},
    {"target": {"value": EVIL}},
    {"target": {"value": "intranet"}},
    {"target": {"value": 2130706433}},
    {"target": {"value": 127.1}},
    {"target": {"anything": {"else": [EVIL]}}},
    {"target": {"type": EVIL}},
    {"target": {"options": {"more": EVIL}}},
    {"target": {"options": {EVIL: True}}},
    {"target": {"type": {"host": "intranet"}}},
    {"target": {"id": "198.41.0.4"}},
    {"target": {"path": "[::1]"}},
    {"target": {"type": "fe80::1"}},
    {"target": {"x": "evil。example。org"}},
    {"target": {"x": f"{GOOD},{EVIL}"}},
    {"target": {"x": f"{GOOD} {EVIL}"}},
    {"target": {f"{GOOD} {EVIL}": True}},
    {"target": {"x": f"u@{EVIL}"}},
    {"target": {"x": f"*.{EVIL}"}},
    {"target": {"x": "198.41.0.1-9"}},
    {"target": {"x": "198.41.0.0/24"}},
    {"target": {"x": "localhost:80"}},
    {"target": {"x": "0x7f.1"}},
    {"url_list": [EVIL]},
    {"host1": EVIL},
    {"host_2": EVIL},
    {"IPAddresses": {"198.41.0.4": {}}},
    {"domain": {"in_scope": {EVIL: {}}}},
    {"subdomains_in_scope": {EVIL: True}},
    {"includeURLs": {"list": EVIL}},
    {"Target-Host": {"value": EVIL}},
    {"webhook": {"name": EVIL}},
    {"endpoint": {"primary": f"{EVIL}:8443"}},
    {"hostName": EVIL},
    {"domain_name": EVIL},
    {"ip_address": "198.41.0.4"},
    {"ipAddresses": {"198.41.0.4": {}}},
    {"fqdn": EVIL},
    {"server": EVIL},
    {"servers": {EVIL: {}}},
    {"site": {"name": f"{EVIL}:80"}},
    {"exclude": {"url": EVIL}},
    {"headers": {"Host": EVIL}},
    {"url": f"{EVIL}/x"},
    {"url": f"user@{EVIL}"},
    {"url": f"\t{EVIL}"},
    {"url": f"{GOOD}, {EVIL}"},
    {"x": {f"http:{EVIL}": 1}},
    {"x": {f"//{EVIL}": 1}},
    {"x": {"y": [{"z": f"//{EVIL}"}]}},
]

FINE_TEXTS = [
    "",
    "light",
    "OpenVAS default",
    "a // comment",
    "x = 1  // a comment",
    "// a comment",
    "// see the docs.",
    "a/b//c.d",
    "tcp:80,udp:53",
    "https: yes",
    "key=//",
    "//",
    "///",
    "/",
    "\\",
    "/a//b",
    "/a//b.example/c",
    "a//b",
    "./a//b",
    "../..//etc/passwd",
    "C:\\Windows\\system32",
    "C:\\\\Windows\\\\win.ini",
    "1.2.3",
    "v1.2.3-rc.1",
    "10.0.0.1",
    "2026-11-23",
    "23/11/2026",
    "2026-11-23T10:30:00+01:00",
    "10:30",
    "00:1a:2b:3c:4d:5e",
    "www.example.net",
    "me@example.net",
    "Mozilla/5.0 (X11; Linux x86_64; rv:1.0) Gecko/20100101",
    "text/html,application/json;q=0.9,*/*;q=0.8",
    "X-Forwarded-For: 10.0.0.1",
    "Authorization: Bearer a.b-c_d/e+f==",
    "Accept: */*",
    "common.txt",
    "raft-large-words.txt",
    "wordlists/dir//small.txt",
    "http methods",
    "http, https",
    "http and https: both",
    "Schemes: http: and https:.",
    "use (http:) or 'https:'",
    "ports http:80, ftp:21",
    "only https:true here",
    "http/1.1",
    "file:common.txt",
    "news:today windows:7 rows:10",
    "^https?://",
    r"^https?://[^/]+/admin",
    r"https?://(www\.)?good",
    r"^/api/v[0-9]+//?.*$",
    r"\\d+\\.\\d+",
    r"\d{3}-\w+",
    r"/\d+/\w+",
    r"/\d+\.\d+/g",
    r"^\\w+@\\w+\\.com$",
    r"(?://.*)$",
    r"//.*$",
    "//[a-z]+",
    "a|b//c",
    '{"a": [1, 2], "b": {"c": "d//e"}}',
    '{"text": "a // b", "version": "1.2.3"}',
    '{"query": "{ user(id: 1) { name } }"}',
    "<a><b>text</b></a>",
    "<!-- // comment -->",
    '<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN">',
    ".//input[@name='user']",
    "SGVsbG8vL3dvcmxkLy8//x==",
    "CVSS:3.1/AV:N/AC:L",
    "';alert(1)//",
    "javascript:alert(1)//x y",
    "display:none;margin:0 auto",
    "TLSv1.2,TLSv1.3",
    "2026-11-23 10:00",
    "a=1&b=2&next=%2Fhome%2Fx",
    "..%2f..%2fetc%2fpasswd",
    "100%",
    "50%/50%",
    "' OR 1=1 --",
    "<script>alert(1)</script>",
    "data:text/plain;base64,SGVsbG8=",
    "mailto:me@example.net",
    "urn:isbn:12345",
    "cpe:/a:apache:http_server:2.4",
    "--script=http-enum,http-title -p80,443",
    "-p 1-65535 --max-rate 100",
    "line 1\nline 2\n\tline 3",
    "http\nmethods",
    "http:\n  port: 80",
    "Zürich 東京",
    f"see https://{GOOD}/x and more",
    f"see https://{GOOD}, or not",
    f"--url=https://{GOOD}/x,depth=3",
    f"x https://{GOOD},https://{GOOD}/y",
    f"https://{GOOD}/a//b",
    f"https://{GOOD}/?next=https://{EVIL}/",
    f"foo\nhttps://{GOOD}/",
    f'{{"u":"https://{GOOD}","v":"1.2"}}',
]

FINE_BODIES = [
    {"url": f"https://{GOOD}/x"},
    {"urls": [GOOD, f"https://{GOOD}/", "/path", "/a//b", "?q=1", "#x"]},
    {"hosts": {GOOD: {"port": 443, "protocol": "https", "enabled": True}}},
    {"hosts": {f"https://{GOOD}/": {"depth": 3, "max_pages": 10, "followRedirects": True}}},
    {"target": {"value": GOOD, "type": "web", "port": "443", "version": "1.2.3", "created": "2026-11-23"}},
    {"target": {"value": GOOD, "options": {"scan_type": "light", "speed": "fast", "time": "10:30:00"}}},
    {"target": {"value": GOOD, "description": "The shop, version 2. Ask Jo."}},
    {"target": {"value": GOOD, "id": 2130706433, "tags": ["prod", "web"], "labels": {"team": "shop"}}},
    {"target": {"url": f"https://{GOOD}/", "method": "POST", "content_type": "application/json"}},
    {"webhook": {"url": f"https://{GOOD}/", "headers": {"X-Token": "abc.def", "Accept": "*/*"}, "body": {"a": "b.c"}}},
    {"webhook": {"url": f"https://{GOOD}/", "password": "hunter2.secret", "api_key": "a.bc", "username": "me.you"}},
    {"report_callback": {"format": "pdf", "url": f"https://{GOOD}/"}},
    {"url": {"value": f"https://{GOOD}/", "contact": "me@example.net"}},
    {"login_url": "", "target_url": "true", "host": None, "domain": False},
    {"exclude_urls": ["other.example", "/logout"]},
    {"hosts": {"include": [GOOD], "exclude": ["other.example"]}},
    {"exclude_hosts": {"other.example": {}}},
    {"target": {"exclude": ["other.example"]}},
    {"server": "nginx", "proxy": True, "network": "slow", "email_address": "me@example.net", "site": "Main shop"},
    {"headers": {"User-Agent": "Mozilla/5.0", "X-Version": "1.2.3"}},
    {"webhook": {"url": GOOD, "event": "scan.finished", "template": "{{ a.b }}"}},
    {
        "target": {
            "value": GOOD,
            "score": 7.5,
            "ratio": "0.5",
            "mac_address": "00:1a:2b:3c:4d:5e",
            "cpe": "cpe:/o:x:y:1.2",
        }
    },
    {"targets": {"type": "list", "list": [GOOD], "max": 5, "speed": "fast"}},
    {"ip_version": 4, "target_count": 3, "ipv6": False, "url_filter": "x.y"},
    {"spider": {"approach": "auto", "depth": 3, "extensions": ["php", "index.html"]}},
]


def post(body):
    return PERMITS.permit("POST", "/scans", None, None, {"tool_params": body}, lambda _number: GOOD)


@pytest.mark.parametrize("text", EVIL_TEXTS, ids=ascii)
def test_a_text_that_names_another_host_is_refused_in_every_field(text):
    for body in ({"x": text}, {"x": [{"y": [text]}]}, {"x": {text: True}}, {"url": text}):
        with pytest.raises(Refused, match="is outside the authorised scope") as refused:
            post(body)
        assert str(refused.value).isprintable()


@pytest.mark.parametrize("body", EVIL_BODIES, ids=ascii)
def test_a_body_that_names_another_host_is_refused(body):
    with pytest.raises(Refused, match="is outside the authorised scope"):
        post(body)
    with pytest.raises(Refused):
        PERMITS.refuse_body("/scans", {"start": body})


@pytest.mark.parametrize("text", FINE_TEXTS, ids=ascii)
def test_an_ordinary_text_is_permitted(text):
    assert post({"x": text}) and post({"x": [{"y": text}]}) and post({"x": {text: True}})


@pytest.mark.parametrize("body", FINE_BODIES, ids=ascii)
def test_an_ordinary_body_is_permitted(body):
    assert post(body) and post({"more": [body]})


def test_no_secret_of_a_host_is_in_a_refusal():
    body = {"webhook": {"password": "hunter2.secret", "url": EVIL}}
    with pytest.raises(Refused) as refused:
        post(body)
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("key", ["target_id", "target_ids", "targetId", "Target-IDs"])
@pytest.mark.parametrize("value", [{"value": 2}, {"2": True}, [{"id": 2}], EVIL])
def test_an_id_is_a_number_and_nothing_else(key, value):
    with pytest.raises(Refused, match="is not the id of a target"):
        post({key: value})


def test_a_name_of_a_target_stays_a_name_below_other_keys():
    for path, body in (("/targets", {"name": {"value": EVIL}}), ("/scans", {"target_name": {EVIL: 1}})):
        with pytest.raises(Refused, match=f"{EVIL} is not in scope.allow"):
            PERMITS.permit("POST", path, None, None, body, lambda _number: GOOD)


def test_a_dot_in_a_key_leads_to_no_field_that_is_not_judged():
    with pytest.raises(Refused):
        PERMITS.refuse_body("/scans", {"authentication.params.headers": f"https://{EVIL}/"})
    PERMITS.refuse_body("/scans", {"authentication": {"params": {"headers": [f"https://{EVIL}/"]}}})


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", ["/\t", "\\\t", "//", "http:", "http:a,", "a.", "@", "::", "%25", "x://", "h\t", "[", "'a."]
)
@pytest.mark.parametrize("tail", ["", "!", "@x", ".e"])
def test_the_search_is_linear(unit, tail):
    def seconds(number):
        start = time.process_time()
        with contextlib.suppress(Refused):
            post({"x": unit * number + tail})
        with contextlib.suppress(Refused):
            post({"host": {"v": unit * number + tail}})
        return time.process_time() - start

    assert seconds(16000) < 10 * seconds(4000) + 0.3
