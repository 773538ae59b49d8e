# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds for every name and every scope."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

import requests
import urllib3
from ansible_collections.scanops.scanner.plugins.module_utils._model.target_names import (
    UnreadableName,
    normal_form,
    read_name,
)
from ansible_collections.scanops.scanner.plugins.module_utils._scope.rules import combine, compile_scope
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

# the same examples in every run
thorough = settings(
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)

DENIED = ["evil.example", "xn--bse-sna.example", "198.41.0.0/16", "2606:4700::/32"]
FULL_WIDTH = {ord(c): ord(c) + 0xFEE0 for c in map(chr, range(0x21, 0x7F))}

labels = st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=8)
ports = st.one_of(
    st.just(""), st.integers(0, 70000).map(lambda port: f":{port}"), st.sampled_from([":", ":0443", ":x"])
)
users = st.one_of(
    st.just(""),
    st.sampled_from(["good.example@", "good.example:443@", "@", "a@b@", "good.example%2f@", "good.example#@", "u:p@"]),
    # a slash would really make what stands before it the host
    st.text(max_size=8).map(lambda text: text.replace("/", "") + "@"),
)
tails = st.one_of(
    st.sampled_from(
        ["", "/", "?good.example", "#good.example", "/@good.example", "\\good.example", "/../..", "//x", "%2f"]
    ),
    st.text(max_size=8).map(lambda text: "/" + text),
)
schemes = st.sampled_from(["", "", "http://", "https://", "HTTPS://", "hTTp://", "ftp://", "//", "https:", "https:/"])
dots = st.sampled_from([".", "\u3002", "\uff0e", "\uff61"])


@st.composite
def dressed(draw, hosts):
    """A host in some of the many ways to write it, valid or not, in what may be a URL."""
    host = draw(hosts)
    host = "".join(
        draw(st.sampled_from([c, c, c.upper(), c.translate(FULL_WIDTH)])) if c.isalnum() else c for c in host
    )
    if draw(st.booleans()):
        host = host.replace(".", draw(dots), 1)
    if draw(st.booleans()):
        place = draw(st.integers(0, len(host)))
        host = host[:place] + draw(st.sampled_from(["", "\u00ad", "\u200b", "\t", "\n", " ", "\x00"])) + host[place:]
    if draw(st.booleans()):
        place = draw(st.integers(0, len(host) - 1))
        host = host[:place] + draw(st.sampled_from([host[place], f"%{ord(host[place]) & 255:02x}"])) + host[place + 1 :]
    host += draw(st.sampled_from(["", "", ".", ".."]))
    return draw(schemes) + draw(users) + host + draw(ports) + draw(tails)


@st.composite
def well_dressed(draw, hosts):
    """A host in one of the valid ways to write it."""
    host = "".join(
        draw(st.sampled_from([c, c.upper(), c.translate(FULL_WIDTH)])) if c.isalnum() else c for c in draw(hosts)
    )
    host = draw(dots).join(host.split(".")) + draw(st.sampled_from(["", ".", "\u3002"]))
    port = draw(st.one_of(st.just(""), st.integers(1, 65535).map(lambda port: f":{port}")))
    if draw(st.booleans()):
        return host + port
    user = draw(st.sampled_from(["", "", "good.example@", "good.example:443@", "@", "u:%20@", "https;@"]))
    tail = draw(st.sampled_from(["", "/", "/good.example", "/@good.example", "?x", "#x", "/../x//%2f?@#@"]))
    return draw(st.sampled_from(["http", "https", "HTTPS", "hTTp"])) + "://" + user + host + port + tail


def local_nat64(address, length, rest):
    """An address for NAT64 in local use, its prefix of this length; rest: whatever is in the other bits."""
    before = {48: 0, 56: 8, 64: 16, 96: 48}[length]
    if length == 96:
        bits = (rest >> 32) << 32 | int(address)
    else:
        # 72 bits follow the 48 that are fixed, beside bits 64 to 71
        joined = int(address) << (40 - before) | (rest & ~(0xFFFFFFFF << (40 - before)))
        joined &= 2**72 - 1
        bits = (joined >> 56) << 64 | (rest >> 72) << 56 | joined & (2**56 - 1)
    return f"[{ipaddress.IPv6Address(0x0064FF9B0001 << 80 | bits)}]"


denied_names = st.builds(
    lambda prefix, domain: ".".join([*prefix, domain]),
    st.lists(labels, max_size=3),
    st.sampled_from(["evil.example", "xn--bse-sna.example", "böse.example"]),
)
denied_ipv4 = st.integers(0, 0xFFFF).map(lambda low: ipaddress.IPv4Address(0xC6290000 + low))
denied_addresses = st.one_of(
    denied_ipv4.map(str),
    denied_ipv4.map(lambda a: str(int(a))),
    denied_ipv4.map(lambda a: hex(int(a))),
    denied_ipv4.map(lambda a: ".".join(f"0{octet:o}" for octet in a.packed)),
    denied_ipv4.map(lambda a: f"{a.packed[0]}.{int(a) & 0xFFFFFF}"),
    denied_ipv4.map(lambda a: f"[::ffff:{a}]"),
    denied_ipv4.map(lambda a: f"[64:ff9b::{a}]"),
    denied_ipv4.map(lambda a: f"[{ipaddress.IPv6Address(0x2002 << 112 | int(a) << 80 | 1)}]"),
    st.builds(local_nat64, denied_ipv4, st.sampled_from([48, 56, 64, 96]), st.integers(0, 2**80 - 1)),
    st.builds("{}{}".format, denied_ipv4, st.sampled_from(["-254", "-0xff", "_24", "x", "-", "/24", ",5", "-9.1-9"])),
    st.integers(0, 2**96 - 1).map(lambda low: f"[{ipaddress.IPv6Address(0x26064700 << 96 | low)}]"),
)

entries = st.one_of(
    st.sampled_from(
        [
            "*",
            "*:443",
            "a.example",
            "*.a.example",
            "b.a.example",
            "a.example:443",
            "10.0.0.0/8",
            "10.0.0.5",
            "198.41.0.0/24",
            "https://a.example/x",
            "https://a.example",
            "http://10.0.0.5:8080/x",
            "localhost",
            "::/0",
            "64:ff9b::/96",
        ]
    ),
    labels.map(lambda label: f"{label}.example"),
)
scopes = st.fixed_dictionaries(
    {},
    optional={
        "allow": st.lists(entries, max_size=4),
        "deny": st.lists(entries, max_size=2),
        "private": st.booleans(),
    },
)
names = st.one_of(
    st.sampled_from(
        [
            "a.example",
            "b.a.example",
            "a.example:443",
            "https://a.example/x/y",
            "https://a.example/",
            "https://a.example/x/../y",
            "10.0.0.5",
            "10.1.1.1:443",
            "http://10.0.0.5:8080/x",
            "198.41.0.4",
            "localhost",
            "64:ff9b::a00:5",
            "::1",
            "127.1",
        ]
    ),
    dressed(st.sampled_from(["a.example", "b.example", "10.0.0.5"])),
    st.text(max_size=30),
)


@thorough
@given(dressed(st.one_of(denied_names, denied_addresses)))
def test_what_is_denied_is_never_allowed_however_it_is_written(name):
    assert compile_scope({"deny": DENIED, "private": True}).verdict(name) is not None


@thorough
@given(well_dressed(denied_names))
def test_what_is_denied_is_seen_through_every_valid_dress(name):
    assert "is refused by scope.deny[" in compile_scope({"deny": DENIED, "allow": ["*"]}).verdict(name)


@thorough
@given(dressed(st.one_of(denied_names, denied_addresses)))
def test_what_is_not_in_the_allow_list_is_never_allowed_however_it_is_written(name):
    assert compile_scope({"allow": ["good.example"]}).verdict(name) is not None


octets = st.one_of(
    st.integers(0, 255).map(str),
    st.builds("{}-{}".format, st.integers(0, 255), st.one_of(st.integers(0, 255), st.just(""))),
    st.builds("{}_{}".format, st.integers(0, 255), st.integers(0, 32)),
    st.builds("{}{}".format, st.integers(0, 255), st.sampled_from("xyz")),
    st.sampled_from(["*", "-", "1,2"]),
)


@thorough
@given(st.lists(octets, min_size=1, max_size=5).map(".".join), schemes, ports)
def test_a_range_of_addresses_is_never_a_name(range_, scheme, port):
    name = scheme + range_ + port
    try:
        target = read_name(name)
    except UnreadableName:
        return
    assert str(target.address) == range_


@thorough
@given(st.text(min_size=1, max_size=6), st.sampled_from(["", "www.", "xn--strae-oqa."]))
def test_an_xn_form_that_is_read_is_judged_as_programs_with_idna_2003_read_it(label, before):
    host = f"{before}xn--{label.encode('punycode', 'surrogatepass').decode()}.example"
    try:
        read = read_name(host).host
    except UnreadableName:
        return
    decoded = ".".join(
        part[4:].encode().decode("punycode") if part.startswith("xn--") else part for part in read.split(".")
    )
    try:
        other = decoded.encode("idna").decode("ascii")
    except UnicodeError:
        return
    assert compile_scope({"allow": ["example"]}).verdict(host) is None
    assert compile_scope({"deny": [other]}).verdict(host) is not None


@thorough
@given(dressed(st.one_of(denied_names, denied_addresses, st.just("good.example"))))
def test_other_readers_of_urls_find_the_same_host(name):
    try:
        target = read_name(name)
    except UnreadableName:
        return
    if target.scheme is None:
        return
    readers = {
        "urllib": lambda: urlsplit(name).hostname,
        "urllib3": lambda: urllib3.util.parse_url(name).host,
        "requests": lambda: urlsplit(requests.Request("GET", name).prepare().url).hostname,
    }
    for reader, host in readers.items():
        try:
            found = normal_form(host()).strip("[]")
        except (ValueError, urllib3.exceptions.LocationParseError, requests.exceptions.RequestException):
            # what a reader refuses it does not call
            continue
        assert found == target.host, reader


@thorough
@given(scopes, st.text())
def test_every_text_gets_a_verdict(scope, name):
    verdict = compile_scope(scope).verdict(name)
    assert verdict is None or (verdict and not verdict.endswith("."))


@thorough
@given(names)
def test_a_name_that_is_read_stays_the_same_name(name):
    try:
        target = read_name(name)
    except UnreadableName:
        return
    assert target.host == target.host.lower()
    again = read_name(normal_form(name))
    assert (again.scheme, again.host, again.port) == (target.scheme, target.host, target.port)


@thorough
@given(scopes, scopes, names)
def test_a_task_never_widens_the_machine_and_the_machine_never_widens_the_task(machine, task, name):
    both = combine(compile_scope(machine, "machine"), compile_scope(task)).verdict(name)
    alone = [compile_scope(machine).verdict(name), compile_scope(task).verdict(name)]
    assert (both is None) == (alone == [None, None])


@thorough
@given(scopes, entries, names)
def test_a_denial_more_never_widens(scope, entry, name):
    more = dict(scope, deny=[*scope.get("deny", []), entry])
    if compile_scope(more).verdict(name) is None:
        assert compile_scope(scope).verdict(name) is None


@thorough
@given(scopes, entries, names)
def test_an_entry_less_in_the_allow_list_never_widens(scope, entry, name):
    less = dict(scope, allow=scope.get("allow", []))
    more = dict(scope, allow=[*less["allow"], entry])
    if compile_scope(less).verdict(name) is None:
        assert compile_scope(more).verdict(name) is None


@thorough
@given(scopes, names, st.randoms(use_true_random=False))
def test_the_order_of_the_entries_does_not_matter(scope, name, random):
    shuffled = {
        key: random.sample(value, len(value)) if isinstance(value, list) else value for key, value in scope.items()
    }
    assert (compile_scope(scope).verdict(name) is None) == (compile_scope(shuffled).verdict(name) is None)
