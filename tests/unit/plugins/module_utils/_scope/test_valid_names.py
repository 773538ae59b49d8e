# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import ipaddress

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._model.target_names import UnreadableName, read_name
from ansible_collections.scanops.scanner.plugins.module_utils._scope.valid_names import problem_of
from hypothesis import example, given
from hypothesis import strategies as st

WRONG = {
    "": "empty",
    " ": "empty",
    "my host.example.com": "white space in it (U+0020)",
    "a.example\tb": "white space in it (U+0009)",
    "a.example\t# x": "it has a comment behind it; write 'a.example'",
    "a\x00.example": "a control character in it (U+0000)",
    "a\ud800.example": "a control character in it (U+D800)",
    "a.example\n": "write 'a.example'",
    "\u00a0a.example": "write 'a.example'",
    "\u200ba.example": "an invisible character (U+200B)",
    "\ufeffa.example": "an invisible character (U+FEFF)",
    "shop.example.com/admin": "write https:// in front of a URL with a path, as in 'https://shop.example.com/admin'",
    "shop.example.com/": "write https:// in front",
    "shop.example.com:8443/admin": "as in 'https://shop.example.com:8443/admin'",
    "shop.example.com?x=1": "write https:// in front",
    "192.0.2.7/admin": "write https:// in front",
    "https:/shop.example.com": "write 'https://shop.example.com'",
    "https//shop.example.com/x": "write 'https://shop.example.com/x'",
    "HTTP:shop.example.com": "write 'http://shop.example.com'",
    "htps://shop.example.com": "neither http:// nor https://",
    "ftp://shop.example.com": "neither http:// nor https://",
    "://shop.example.com": "neither http:// nor https://",
    "https://https://shop.example.com": "write 'https://shop.example.com'",
    "https://": "no host",
    "https:///admin": "no host",
    "https://:8080/": "no host",
    "/admin": "no host",
    "https://shop example.com/": "white space",
    "https://shop.example.com\\admin": "the character '\\\\'",
    "https://shop.example.com:port/": "'port' is not a port",
    "https://shop.example.com:0/": "'0' is not a port",
    "shop.example.com:99999": "'99999' is not a port",
    "10.0.0.1-254": "a range of addresses",
    "192.168.0-255.1-254": "a range of addresses",
    "10.0.0.1-10.0.0.9": "a range of addresses",
    "10.0.0.1-254:22": "a range of addresses",
    "10.0.0.0/24": "a network",
    "10.0.0.5/32": "a network of one host; write '10.0.0.5'",
    "[2001:db8::5]/128": "a network of one host; write '2001:db8::5'",
    "# shop.example.com": "looks like a comment",
    "https://shop.example.com/*": "a pattern",
    "2001:db8::/32": "a network",
    "10.0.0.0_24": "'0_24', which is not a top-level domain",
    "10.0.0.1x": "'1x', which is not a top-level domain",
    "256.1.1.1": "not a valid IPv4 address",
    "127.1": "not a valid IPv4 address",
    "0x7f.0.0.1": "not a valid IPv4 address",
    "https://127.1/": "not a valid IPv4 address",
    "2001:db8:::1": "not a valid IPv6 address",
    "https://2001:db8::1/": "write it in brackets",
    "https://[2001:db8::g]/": "not a valid IPv6 address",
    "*.example.com": "a pattern",
    "a.example,b.example": "several names",
    "a.example;b.example": "several names",
    "someone@shop.example.com": "an @ belongs to",
    "a..example": "one of them is empty",
    ".a.example": "one of them is empty",
    "a.example..": "one of them is empty",
    "-a.example": "a hyphen",
    "a-.example": "a hyphen",
    "a+b.example": "the character '+'",
    "a%20b.example": "the character '%'",
    "a" * 64 + ".example": "63 between two dots",
    "a." * 130 + "example": "at most 253 characters",
}

RIGHT = [
    "shop.example.com", "SHOP.Example.com.", "localhost", "a", "3com", "_dmarc.example.com", "a_b.example", "a--b.example",
    "192.0.2.7", "2001:db8::1", "fe80::1%eth0", "::1", "10.0.0.1.",
    "https://shop.example.com", "http://shop.example.com/", "HTTPS://SHOP.example.com:8443/a b".replace(" ", "%20"),
    "https://shop.example.com/a,b;c?d=*&e=@#f", "https://192.0.2.7:8080/x", "https://[2001:db8::1]:8443/x",
    "https://someone:secret@shop.example.com/", "https://shop.example.com:", "https://shop.example.com?x=/",
    "bücher.example", "xn--bcher-kva.example", "i❤.ws", "xn--ls8h.la", "例え.example", "日本。jp", "نامه\u200cای.example",
    "https://例え.example/パス?q=ü#é", "https://shop.example.com/👩\u200d💻",
    # a host with a port, or an address in brackets, may be read as a URL without its scheme
    "shop.example.com:8080", "192.0.2.7:22", "[2001:db8::1]", "[2001:db8::1]:443",
]  # fmt: skip


@pytest.mark.parametrize("name", WRONG, ids=ascii)
def test_an_invalid_name_is_refused_with_the_right_spelling(name):
    problem = problem_of(name)
    assert problem is not None
    assert WRONG[name] in problem
    assert problem.isprintable()
    assert len(problem) < 300


@pytest.mark.parametrize("name", RIGHT, ids=ascii)
def test_a_doubtful_name_is_left_to_the_service(name):
    assert problem_of(name) is None


LABEL = st.from_regex(r"[a-zA-Z0-9_]([a-zA-Z0-9_-]{0,20}[a-zA-Z0-9_])?", fullmatch=True)
HOST = st.builds(
    lambda labels, top: ".".join([*labels, top]),
    st.lists(LABEL, max_size=4),
    st.sampled_from(["example", "de", "xn--p1ai"]),
)
PLACE = st.one_of(HOST, st.ip_addresses(v=4).map(str), st.ip_addresses(v=6).map("[{}]".format))
URL = st.builds(
    "{}://{}{}{}".format,
    st.sampled_from(["http", "https", "HTTPS"]),
    PLACE,
    st.sampled_from(["", ":8443"]),
    # without *, which makes a pattern of some
    st.from_regex(r"(/[!-)+-~]{0,20})?", fullmatch=True),
)


@given(st.one_of(HOST, st.ip_addresses().map(str), URL))
def test_hosts_addresses_and_urls_are_all_right(name):
    assert problem_of(name) is None


@given(st.text(max_size=60))
@example("\u07c0")
@example("a.\u07c0")
def test_no_text_breaks_the_check_and_a_name_that_the_scope_reads_passes(text):
    problem = problem_of(text)
    try:
        read_name(text)
    except UnreadableName:
        return
    assert problem is None


@given(st.ip_addresses(v=4), st.integers(0, 255))
def test_a_range_of_addresses_is_refused(address, last):
    assert "a range of addresses" in problem_of(f"{address}-{last}")
    assert "a network" in problem_of(str(ipaddress.ip_network(f"{address}/24", strict=False)))
