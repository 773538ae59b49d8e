# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._model import target_names as _names
from ansible_collections.scanops.scanner.plugins.module_utils._model.target_names import normal_form
from hypothesis import example, given, settings
from hypothesis import strategies as st


@pytest.mark.cases("names")
def test_spellings_of_one_target_have_one_normal_form(names):
    assert len({normal_form(name) for name in names}) == 1


@pytest.mark.cases("one, other")
def test_different_targets_have_different_normal_forms(one, other):
    if other != ".":
        assert normal_form(one) != normal_form(other)


@pytest.mark.parametrize(
    "name",
    [
        "https://[::1",
        "https://example.com:99999999999/",
        "https://example.com:port/",
        "https:///path",
        "://example.com",
        "1x://example.com",
        "example.com:²",
        f"example.com:{'9' * 5000}",
        f"https://example.com:{'9' * 5000}/",
        "\u200b",
        "a\ud800.example",
        "xn--\u00fc.example",
        ("a" * 64 + ".") * 50 + "ü",
    ],
    ids=ascii,
)
def test_a_name_that_no_target_has_still_has_a_normal_form(name):
    assert normal_form(normal_form(name)) == normal_form(name)


ODD = st.text(alphabet=st.sampled_from("aZé。.:/@[]?#%0123456789-_ \t\\\u00b2\u0663\u3002ßİΣ☕xn"), max_size=30)
HOST = st.from_regex(r"[A-Za-z0-9ü-]{1,12}(\.[A-Za-z0-9ß-]{1,12}){0,3}\.?", fullmatch=True)
URL = st.builds(
    "{}://{}{}{}".format,
    st.sampled_from(["http", "HTTPS", "ftp", "x-y", ""]),
    st.one_of(HOST, ODD),
    st.sampled_from(["", ":80", ":443", ":0443", ":8443", ":"]),
    st.one_of(st.just(""), st.just("/"), ODD),
)
NAME = st.one_of(st.text(max_size=40), ODD, HOST, URL, st.ip_addresses().map(str))


@given(NAME)
@example("::1.")
@example("[::1].")
@example("例。")
@example("a.:80")
@example("http://a./")
@example("://x")
@example("..")
@example("[]")
def test_the_normal_form_is_its_own_normal_form(name):
    assert normal_form(normal_form(name)) == normal_form(name)


# what looks like a name that needs no reading
PLAIN = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "", "http://", "https://"]),
    st.text(alphabet="ab0.-", max_size=8),
    st.one_of(st.just(""), st.just("/"), st.text(alphabet="/:;a@[]%?#. !~-", max_size=6).map("/".__add__)),
)


@settings(derandomize=True)
@given(st.one_of(PLAIN, NAME))
@example("https://a/\u00e9")
@example("https://a/?")
@example("a.")
@example("127.1")
def test_a_name_that_needs_no_reading_is_its_own_normal_form(name):
    assert normal_form(name) == _names._normal_form(name)


@given(HOST)
def test_case_and_a_trailing_dot_do_not_matter(host):
    # the capital of a sharp s is two letters
    if "ß" not in host:
        assert normal_form(host.upper()) == normal_form(host.lower())
    assert normal_form(host.rstrip(".") + ".") == normal_form(host.rstrip("."))


@given(HOST, st.integers(1, 65535))
def test_a_port_of_a_host_without_a_scheme_is_kept(host, port):
    assert normal_form(f"{host}:{port}").endswith(f":{port}")


@given(st.ip_addresses())
def test_addresses_have_their_canonical_text(address):
    expected = f"[{address}]" if address.version == 6 else str(address)
    assert normal_form(address.exploded) == normal_form(str(address)) == expected
    port = f"{expected}:8443"
    assert normal_form(port) == port


def test_without_the_idna_package_names_of_other_scripts_are_compared_as_they_are(monkeypatch):
    monkeypatch.setattr(_names, "idna", None)
    assert normal_form("BÜCHER.example.") == "bücher.example"
    assert normal_form("bücher.example") != normal_form("xn--bcher-kva.example")
