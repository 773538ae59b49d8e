# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The scope: no spelling of a name, no entry and no file permits more than it says."""

from __future__ import annotations

import ipaddress
import socket

from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import Refused, WrongOption
from ansible_collections.scanops.scanner.plugins.module_utils._model.families import SCAN
from ansible_collections.scanops.scanner.plugins.module_utils._model.target_names import (
    UnreadableName,
    normal_form,
    read_name,
)
from ansible_collections.scanops.scanner.plugins.module_utils._scope.file import read_scope_file
from ansible_collections.scanops.scanner.plugins.module_utils._scope.permit import Permits
from ansible_collections.scanops.scanner.plugins.module_utils._scope.places import places_in
from ansible_collections.scanops.scanner.plugins.module_utils._scope.rules import combine, compile_scope
from ansible_collections.scanops.scanner.plugins.module_utils._scope.valid_names import problem_of
from ansible_collections.scanops.scanner.tests.fuzz.properties import growth, prop
from ansible_collections.scanops.scanner.tests.fuzz.strategies import fields, odd, spoilt, texts, values
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils._scope.url_readers import canonical, readings
from hypothesis import strategies as st

GOOD, EVIL = "good.example", "evil.example"
# 198.41.0.4, in a public network
ADDRESS = ipaddress.IPv4Address("198.41.0.4")
ALLOW = compile_scope({"allow": [GOOD, f"*.{GOOD}"]})
DENY = compile_scope({"deny": [EVIL, f"*.{EVIL}", str(ADDRESS)], "private": True})


def spelled(character):
    """Other characters that some programs read as this one."""
    code = ord(character)
    forms = [character, character, character.upper(), f"%{code:02x}", f"%25{code:02x}"]
    if 0x21 <= code < 0x7F:
        forms.append(chr(code + 0xFEE0))
    if character.isalpha():
        # mathematical, circled and bracketed letters, which NFKC makes plain
        offset = ord(character.lower()) - ord("a")
        forms += [chr(base + offset) for base in (0x1D41A, 0x1D44E + 0x34, 0x1D5BA, 0x24D0, 0x1D670 + 26, 0x249C)]
    if character.isdigit():
        forms += [chr(base + int(character)) for base in (0x0660, 0x0966, 0x1D7CE, 0x2080)] + ["\u2460", "\u00b9"]
    if character == ".":
        forms += ["\u3002", "\uff0e", "\uff61", "\u2024", "%2e", "..", "\u06d4"]
    return forms


@st.composite
def disguised(draw, hosts):
    """A host in any disguise, in what may be a URL."""
    host = "".join(
        draw(st.sampled_from(spelled(character))) if draw(st.integers(0, 3)) == 0 else character
        for character in draw(hosts)
    )
    for _number in range(draw(st.integers(0, 2))):
        place = draw(st.integers(0, len(host)))
        host = host[:place] + draw(odd) + host[place:]
    before = draw(
        st.sampled_from(
            ["", "", "", "http://", "https://", "HTTP://", "//", "http:", "http:/", "http:\\\\", " ", "\ufeff"]
        )
    )
    user = draw(
        st.sampled_from(["", "", "", f"{GOOD}@", f"{GOOD}:80@", f"{GOOD}#@", f"{GOOD}\\@", f"u:{GOOD}@", f"{GOOD}%40"])
    )
    after = draw(
        st.sampled_from(["", "", ":443", ":0443", "/", f"/{GOOD}", f"?{GOOD}", f"#@{GOOD}", f"\\@{GOOD}", "/..//"])
    )
    return before + user + host + after


def addresses_of(text):
    """The IPv4 address that the C library reads in a host."""
    try:
        return ipaddress.IPv4Address(socket.inet_aton(text))
    except (OSError, ValueError, UnicodeError):
        return None


@st.composite
def ipv4_spellings(draw):
    """The address in the notations of the C library."""
    packed = ADDRESS.packed
    parts = draw(st.integers(1, 4))
    groups = [*packed[: parts - 1], int.from_bytes(packed[parts - 1 :], "big")]
    shown = [
        draw(st.sampled_from([str(n), hex(n), hex(n).upper(), f"0{n:o}", f"0x{n:010x}", f"{n:012o}", f"0{n}"]))
        for n in groups
    ]
    return ".".join(shown)


evil_hosts = st.one_of(
    st.sampled_from([EVIL, f"www.{EVIL}", f"{GOOD}.{EVIL}", str(ADDRESS)]),
    ipv4_spellings(),
    st.sampled_from(
        [
            f"[::ffff:{ADDRESS}]", f"[::{ADDRESS}]", f"[64:ff9b::{ADDRESS}]", "[::ffff:c629:4]", "[2002:c629:4::1]",
            f"[::ffff:0:{ADDRESS}]", "[64:ff9b:1::c629:4]", "[2606:4700::5efe:c629:4]", "[::ffff:c629:4%25eth0]",
        ]
    ),
)  # fmt: skip


@prop(name=disguised(evil_hosts))
def test_no_spelling_of_a_denied_place_is_permitted(name):
    """An odd spelling of a denied place may name another, public place; then no reader takes it for the denied one."""
    if DENY.verdict(name) is None:
        read = read_name(name)
        assert read.host != EVIL and not read.host.endswith(f".{EVIL}") and read.address != ADDRESS
        assert addresses_of(read.host) != ADDRESS
        for _scheme, host, _port in readings(name if "://" in name else f"http://{name}").values():
            assert host == read.host


@prop(name=st.one_of(disguised(evil_hosts), disguised(st.sampled_from([GOOD, f"a.{GOOD}", f"{GOOD}x", f"x{GOOD}"]))))
def test_what_is_permitted_is_in_the_allowed_domain_for_every_reader(name):
    if ALLOW.verdict(name) is None:
        url = name if "://" in name else f"http://{name}"
        for reader, (_scheme, host, _port) in readings(url).items():
            assert host == GOOD or host.endswith(f".{GOOD}"), reader


@prop(name=st.one_of(texts, disguised(evil_hosts)))
def test_each_name_has_a_verdict_and_a_normal_form(name):
    for scope in (ALLOW, DENY):
        verdict = scope.verdict(name)
        assert verdict is None or (verdict and verdict.isprintable() and not verdict.endswith("."))
    assert problem_of(name) is None or problem_of(name).isprintable()
    normal_form(name)
    try:
        target = read_name(name)
    except UnreadableName as error:
        assert str(error).isprintable()
    else:
        again = read_name(normal_form(name))
        assert (again.scheme, again.host, again.address, again.port) == (
            target.scheme, target.host, target.address, target.port,
        )  # fmt: skip


@prop(host=st.from_regex(r"\A(?:0[xX]?)?[0-9a-fA-F]{1,10}(?:\.(?:0[xX]?)?[0-9a-fA-F]{0,5}){0,3}\.?\Z"))
def test_what_the_c_library_reads_as_an_address_is_that_address_or_refused(host):
    address = addresses_of(host.rstrip("."))
    try:
        read = read_name(host)
    except UnreadableName:
        return
    assert read.address == address or (address is None and read.address is None)


entries = st.one_of(
    st.sampled_from(
        ["*", GOOD, f"*.{GOOD}", EVIL, "198.41.0.0/16", "::/0", "0.0.0.0/0", f"https://{GOOD}/x", "*:443", "10.0.0.0/8",
         "198.41.0.4/0.0.0.255", "198.41.0.0/255.255.0.0", "[2606:4700::]/32", "*.com", "com", "localhost", "*.*", "**"]
    ),
    disguised(st.sampled_from([GOOD, EVIL, "*.evil.example", "198.41.0.0/16", "*"])),
    values,
)  # fmt: skip
scopes = st.one_of(
    st.fixed_dictionaries({}, optional={"allow": st.lists(entries, max_size=3), "deny": st.lists(entries, max_size=2)}),
    fields("allow", "deny", "private"),
)
names = st.one_of(
    st.sampled_from([GOOD, f"a.{GOOD}", EVIL, str(ADDRESS), "localhost", "[::1]", f"https://{GOOD}/x/y"]),
    disguised(st.sampled_from([GOOD, EVIL, str(ADDRESS)])),
)


def compiled(mapping):
    try:
        return compile_scope(mapping)
    except WrongOption as error:
        assert str(error).endswith(".") and str(error).isprintable()
        return None


@prop(first=scopes, second=scopes, name=names)
def test_two_scopes_permit_no_more_than_each_of_them(first, second, name):
    one, two = compiled(first), compiled(second)
    if one is not None and two is not None and combine(one, two).verdict(name) is None:
        assert one.verdict(name) is None and two.verdict(name) is None


@prop(entry=st.one_of(odd, disguised(st.sampled_from([GOOD, f"*.{GOOD}"]))))
def test_an_entry_for_one_domain_permits_no_other_however_it_is_written(entry):
    if isinstance(entry, str) and entry.strip() == "*":
        return
    scope = compiled({"allow": [entry]})
    if scope is not None:
        for name in (EVIL, f"www.{EVIL}", str(ADDRESS), "localhost", f"https://{EVIL}/"):
            assert scope.verdict(name) is not None or EVIL in canonical_of(entry)


def canonical_of(entry):
    try:
        return canonical(read_name(entry.removeprefix("*.")).host)
    except UnreadableName:
        return entry


scope_files = st.one_of(
    spoilt(
        st.sampled_from(
            [
                b"allow:\n  - good.example\n  - '*.good.example'\n",
                b"allow: [good.example]\ndeny: [evil.example]\nprivate: no\n",
                b"{allow: [good.example:443-444], private: false}",
                b"allow: &a [good.example]\ndeny: *a\n",
                b"? allow\n: [good.example]\n",
                b"%YAML 1.1\n---\nallow: !!seq [good.example]\n...\n",
                b"allow: [2026-01-01, 1:30, 0x10, 1e3, ~, yes, !!binary aGk=, !!timestamp x, !!int '']\n",
                b'{"allow": ["good.example"], "deny": null}',
            ]
        )
    ),
    st.binary(max_size=40),
    texts.map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.lists(
        st.sampled_from(
            ["allow", "deny", "private", ":", ": ", "\n", "- ", "[", "]", "{", "}", "&a ", "*a", "!!", "!!timestamp ",
             "!!float ", "!!omap ", "!!set ", "<<", "? ", ",", "'*'", "*", "good.example", "1:1", "0b_", "#", "|", ">", '"',
             "...", "---", "%TAG", "2026-02-31", ".inf", "="]
        ),
        max_size=14,
    ).map(lambda parts: "".join(parts).encode()),
)  # fmt: skip


@prop(content=scope_files)
def test_each_scope_file_is_a_scope_or_an_error_that_names_it(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "scope.yml"
    path.write_bytes(content)
    try:
        scope = read_scope_file(str(path))
    except WrongOption as error:
        assert str(path) in str(error) or "SCANNER_SCOPE_FILE" in str(error)
        assert str(error).isprintable() and str(error).endswith(".")
        return
    # whatever the file says, it never permits what is not public without saying so
    assert scope
    if b"private" not in content and b"localhost" not in content:
        assert scope.verdict("localhost") is not None


@prop(
    before=st.sampled_from(["", " ", "\n", "see ", "x=", "\ufeff", "(", "'", "a,", "\x00"]),
    scheme=st.sampled_from(["http", "https", "HTTP", "ftp", "wss", "gopher"]),
    split=st.integers(0, 8),
    between=st.sampled_from(["", "", "\t", "\n", "\r\n"]),
    slashes=st.sampled_from(["//", "\\\\", "/\\", "///"]),
    key=st.sampled_from(["custom", "redirect_level", "cookies", "x", "url"]),
    nested=st.booleans(),
)
def test_a_url_of_a_denied_host_in_a_body_is_never_sent(before, scheme, split, between, slashes, key, nested):
    address = f"{scheme}:{slashes}"
    # browsers remove tabs and line ends wherever they are in a URL
    text = before + address[:split] + between + address[split:] + EVIL + "/x"
    if between and before.strip("\x00\ufeff \n"):
        # inside of other text it is no URL
        return
    body = {"tool_params": {key: [text] if nested else text}}
    permits = Permits(compile_scope({"allow": [GOOD]}))
    try:
        permits.permit("POST", SCAN.path, None, None, body, lambda _number: GOOD)
    except Refused as error:
        assert str(error).isprintable()
        return
    raise AssertionError(f"permitted: {body}")


@prop(body=values, key=st.sampled_from(["url", "target_id", "target_ids", "custom", "hosts"]))
def test_each_body_is_searched_for_places(body, key):
    try:
        for place in places_in(SCAN, {"tool_params": {key: body}, key: body}):
            assert isinstance(place.value, (str, int))
    except Refused as error:
        assert str(error).isprintable()


@prop(unit=st.one_of(odd, texts), tail=st.sampled_from(["", ".example", "@a.example", "://", "/"]))
def test_judging_a_name_costs_no_more_than_its_length(unit, tail):
    def judge(number):
        name = unit[:20] * number + tail

        def all_ways():
            ALLOW.verdict(name)
            ALLOW.verdict(f"https://{name}/")
            ALLOW.verdict(f"https://{GOOD}/{name}")
            problem_of(name)
            list(places_in(SCAN, {"tool_params": {"text": name}}))

        return all_ways

    less, more = growth(judge, 100)
    assert more <= 4.5 * less + 4000
