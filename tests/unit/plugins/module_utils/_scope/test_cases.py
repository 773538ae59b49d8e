# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a scope says to a name: one table. test_scope_mutations.py shows that no row of it is idle."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._scope import rules as _scope

# how refused names are refused: words of the reason
CHARACTER = "has white space, a control or an invisible character"
NOT_PLAIN = "neither a host, with or without a port, nor a plain"
DIFFERS = "is read differently by different programs"
MISTAKEN = "mistaken for another host"
ODD_IPV4 = "unusual notation"
LABEL = "has a character that no host name has"
IDNA = "international name"
TOP_LEVEL = "is not a top-level domain"
NOT_ALLOWED = "is not in scope.allow"
DENIED = "is refused by scope.deny[0]"
INCLUDES = "which scope.deny[0] refuses"
ENCODED = "has encoded delimiters or characters with several forms"
SEGMENTS = "has empty segments, or segments that end in a dot or a space"
ALLOWED = None

EXAMPLE = {"allow": ["allowed.example"]}
NOT_EVIL = {"deny": ["evil.example"]}
APP = {"allow": ["https://app.example/shop", "http://app.example:8080/"]}
NOT_ADMIN = {"deny": ["https://app.example/admin/area", "https://[2606:4700::1]/x", "http://198.41.0.4/x"]}
PORTS = {
    "allow": ["allowed.example:443", "range.example:8000-8099", "[2606:4700::1]:443", "198.41.0.0/24:80", "*:9443"]
}
NOT_PORTS = {"deny": ["*:22", "db.example:5000-5999", "198.41.0.0/24:80", "[2606:4700::/32]:443"]}
NETWORKS = {"allow": ["198.41.0.0/23", "2606:4700::/32", "199.7.83.42", "[2001:500::1]"]}
NOT_NETWORKS = {"deny": ["198.41.0.0/24", "2606:4700::/32"]}
LOCAL = {
    "allow": [
        "10.1.0.0/16",
        "localhost",
        "*.internal",
        "http://127.0.0.1:8080/app",
        "192.168.1.7",
        "fd00:1::/32",
        "[::1]",
    ]
}
EVERYTHING = {"allow": ["*", "0.0.0.0/0", "::/0"]}
PRIVATE = {"private": True}

# (scope, or the file's and the task's; {name: words of the reason, or ALLOWED})
TABLE = [
    # host names
    (
        EXAMPLE,
        {
            "allowed.example": ALLOWED,
            "ALLOWED.Example": ALLOWED,
            "allowed.example.": ALLOWED,
            "allowed.example.:443": ALLOWED,
            "https://allowed.example.:443/": ALLOWED,
            "www.allowed.example": ALLOWED,
            "a.b.c.allowed.example": ALLOWED,
            "_dmarc.allowed.example": ALLOWED,
            "a--b.allowed.example": ALLOWED,
            "http://allowed.example/": ALLOWED,
            "HTTPS://allowed.example/path?query=1#part": ALLOWED,
            "https://allowed.example:8443": ALLOWED,
            "allowed.example:8443": ALLOWED,
            "https://allowed.example/a/../b//c%2f": ALLOWED,
            "https://user:secret@allowed.example/": ALLOWED,
            "https://@allowed.example/": ALLOWED,
            "https://evil.example@allowed.example/": ALLOWED,
            "https://allowed.example/@evil.example": ALLOWED,
            "evil.example": NOT_ALLOWED,
            "notallowed.example": NOT_ALLOWED,
            "allowed.example.evil.example": NOT_ALLOWED,
            "allowed-example": NOT_ALLOWED,
            "example": NOT_ALLOWED,
            "xallowed.example": NOT_ALLOWED,
            "198.41.0.4": NOT_ALLOWED,
            "https://allowed.example@evil.example/": NOT_ALLOWED,
            "https://allowed.example:443@evil.example/": NOT_ALLOWED,
            "https://allowed.example%20@evil.example/": NOT_ALLOWED,
            "https://evil.example#allowed.example": NOT_ALLOWED,
            "https://evil.example?allowed.example": NOT_ALLOWED,
            "https://evil.example/.allowed.example": NOT_ALLOWED,
            "https://allowed.example.evil.example:443/": NOT_ALLOWED,
        },
    ),
    # what different programs read differently
    (
        EXAMPLE,
        {
            "https://a@b@allowed.example/": NOT_PLAIN,
            "https://evil.example\\@allowed.example/": "has a backslash",
            "https://allowed.example\\.evil.example/": "has a backslash",
            "evil.example\\allowed.example": "has a backslash",
            "https:\\\\allowed.example/": "has a backslash",
            "https://allowed.example#@evil.example/": MISTAKEN,
            "https://allowed.example?@evil.example/": MISTAKEN,
            "https://evil.example%2f@allowed.example/": MISTAKEN,
            "https://evil.example%23@allowed.example/": MISTAKEN,
            "https://evil.example%40@allowed.example/": MISTAKEN,
            "https://evil.example%5C@allowed.example/": MISTAKEN,
            "https://evil.example%3f@allowed.example/": MISTAKEN,
            "https://%5bevil.example@allowed.example/": MISTAKEN,
            "https://evil.example%5d@allowed.example/": MISTAKEN,
            "allowed]example": NOT_PLAIN,
            "https://a\u2100b@allowed.example/": DIFFERS,
            "https://evil.example\uff0f@allowed.example/": DIFFERS,
            "https://[evil.example]@allowed.example/": NOT_PLAIN,
            "allowed.example@evil.example": NOT_PLAIN,
            "user@allowed.example": NOT_PLAIN,
            "//allowed.example/": NOT_PLAIN,
            "allowed.example/path": NOT_PLAIN,
            "allowed.example?query": NOT_PLAIN,
            "allowed.example#part": NOT_PLAIN,
            "https:allowed.example": NOT_PLAIN,
            "https:/allowed.example": NOT_PLAIN,
            "https:///allowed.example": NOT_PLAIN,
            "ftp://allowed.example/": NOT_PLAIN,
            "file://allowed.example/etc": NOT_PLAIN,
            "javascript:alert(1)//allowed.example": NOT_PLAIN,
            "evil.example/https://allowed.example": NOT_PLAIN,
            "": NOT_PLAIN,
            "https://": NOT_PLAIN,
            " allowed.example": CHARACTER,
            "allowed.example\n": CHARACTER,
            "allowed.example evil.example": CHARACTER,
            "allowed.example\x00.evil.example": CHARACTER,
            "https://evil\t.example/": CHARACTER,
            "https://allowed.example\r\n.evil.example/": CHARACTER,
            "https://allowed.example/\x7f": CHARACTER,
            "allowed\u00ad.example": CHARACTER,
            "allowed\u200b.example": CHARACTER,
            "allowed.example\u202e": CHARACTER,
            "allowed\u00a0.example": CHARACTER,
            "allowed.example\ufeff": CHARACTER,
            "allowed.example\ud800": CHARACTER,
            "allowed%2eexample": "has a percent sign",
            "https://%61llowed.example/": "has a percent sign",
            "https://allowed.example%00.evil.example/": "has a percent sign",
            "https://allowed.example:": NOT_PLAIN,
            "https://allowed.example:/": NOT_PLAIN,
            "allowed.example:0": NOT_PLAIN,
            "allowed.example:0443": NOT_PLAIN,
            "https://allowed.example:0443/": NOT_PLAIN,
            "allowed.example:65536": NOT_PLAIN,
            "https://allowed.example:65536/": NOT_PLAIN,
            "https://allowed.example:port/": NOT_PLAIN,
            "allowed.example:+443": NOT_PLAIN,
            "allowed.example:443:443": NOT_PLAIN,
            "allowed..example": "has an empty label",
            ".allowed.example": "has an empty label",
            "allowed.example..": "has an empty label",
            "https://./": "has an empty label",
            "*.allowed.example": LABEL,
            "-a.allowed.example": LABEL,
            "a-.allowed.example": LABEL,
            "ab-.allowed.example": LABEL,
            "a,b.allowed.example": LABEL,
            "https://evil.example;.allowed.example/": LABEL,
            "https://allowed.example$.evil.example/": LABEL,
            "a" * 64 + ".allowed.example": "is longer than a host name can be",
            "a." * 130 + "allowed.example": "is longer than a host name can be",
            "a" * 63 + ".allowed.example": ALLOWED,
        },
    ),
    # international names
    (
        {"allow": ["bücher.example", "xn--mnchen-3ya.example", "strasse.example", "apple.example", "k.example"]},
        {
            "bücher.example": ALLOWED,
            "BÜCHER.example": ALLOWED,
            "bu\u0308cher.example": ALLOWED,
            "WWW.bücher.example": ALLOWED,
            "xn--bcher-kva.example": ALLOWED,
            "XN--BCHER-KVA.example": ALLOWED,
            "https://www.bücher.example/ü": ALLOWED,
            "münchen.example": ALLOWED,
            "bücher\u3002example": ALLOWED,
            "apple\uff0eexample": ALLOWED,
            "apple.example\uff61": ALLOWED,
            "apple.example\u3002": ALLOWED,
            "apple.example\uff0e": ALLOWED,
            "apple\u3002\uff0eexample": "has an empty label",
            "ａｐｐｌｅ.example": ALLOWED,
            "\u212a.example": ALLOWED,
            "\u0430pple.example": NOT_ALLOWED,
            "bucher.example": NOT_ALLOWED,
            "straße.example": IDNA,
            "xn--strae-oqa.example": NOT_ALLOWED,
            "xn--apple-.example": IDNA,
            "xn--a.example": IDNA,
            "app\u2024le.example": IDNA,
            "evil\uff0fapple.example": IDNA,
            "https://evil\u2100apple.example": DIFFERS,
            "\u1806apple.example": IDNA,
            "apple\u2488example": IDNA,
            "\u2764.example": IDNA,
            # a hyphen of Mongolian, which IDNA 2003 leaves out
            "xn--apple-mr3a.example": IDNA,
        },
    ),
    # emoji are no international names by IDNA 2008, and all programs read their xn-- form alike
    (
        {"allow": ["xn--ls8h.la", "*.xn--i-7iq.ws", "xn--bcher-kva.example"]},
        {
            "xn--ls8h.la": ALLOWED,
            "https://www.XN--LS8H.la/": ALLOWED,
            "a.xn--i-7iq.ws:443": ALLOWED,
            "xn--BCHER-KVA.example": ALLOWED,
            "xn--i-7iq.ws": NOT_ALLOWED,
            "xn--ls8h-.la": IDNA,
            # an emoji with a variation selector, and upper case, which are mapped to another name
            "xn--i-7iqv272g.ws": IDNA,
            "xn--Bcher-kva8m.example": IDNA,
        },
    ),
    # to programs that know IDNA 2003 only, an xn-- name can be that of another host
    (
        {"allow": ["example"], "deny": ["strasse.example", "https://xn--4xa.example/x"]},
        {
            "xn--strae-oqa.example": DENIED,
            "www.xn--strae-oqa.example:443": DENIED,
            "https://xn--3xa.example/x": "is refused by scope.deny[1]",
            "xn--4xa.example": "which scope.deny[1] refuses",
            "https://xn--3xa.example/y": ALLOWED,
            "xn--bcher-kva.example": ALLOWED,
        },
    ),
    ({"deny": ["strasse.xn--ls8h.example"]}, {"xn--strae-oqa.xn--ls8h.example": DENIED}),
    ({"allow": ["xn--strae-oqa.example"]}, {"xn--strae-oqa.example": ALLOWED}),
    # ranges as nmap reads them, and whatever else ends in no top-level domain
    (
        {"deny": ["10.0.0.0/8"], "private": True},
        {
            "10.0.0.1-254": TOP_LEVEL,
            "192.168.0-255.1-254:22": TOP_LEVEL,
            "https://10.0.0.1-254/": TOP_LEVEL,
            "10.0.0.0_24": TOP_LEVEL,
            "10.0.0.1x": TOP_LEVEL,
            "10-11": TOP_LEVEL,
            "a.example_1": TOP_LEVEL,
            "a.0example": TOP_LEVEL,
            "10.0.0-5.example": ALLOWED,
            "a.xn--p1ai": ALLOWED,
            "a.e": ALLOWED,
            "a.e1": ALLOWED,
            "a.e-e": ALLOWED,
            "intranet": ALLOWED,
        },
    ),
    # denied names, dressed up
    (
        NOT_EVIL,
        {
            "good.example": ALLOWED,
            "notevil.example": ALLOWED,
            "xn--ls8h.la": ALLOWED,
            "https://good.example/evil.example": ALLOWED,
            "evil.example": DENIED,
            "EVIL.EXAMPLE": DENIED,
            "evil.example.": DENIED,
            "www.evil.example": DENIED,
            "evil\u3002example": DENIED,
            "ｅｖｉｌ.example": DENIED,
            "evil.example:8443": DENIED,
            "http://evil.example:80/": DENIED,
            "https://good.example@evil.example/": DENIED,
            "https://evil.example?good.example": DENIED,
            "https://evil.example/../..//": DENIED,
        },
    ),
    (
        {"allow": ["example.net"], "deny": ["*.staging.example.net"]},
        {
            "www.example.net": ALLOWED,
            "staging.example.net": ALLOWED,
            "a.staging.example.net": DENIED,
            "a.b.staging.example.net": DENIED,
        },
    ),
    (
        {"allow": ["*.example.net"]},
        {"example.net": NOT_ALLOWED, "www.example.net": ALLOWED, "a.www.example.net": ALLOWED},
    ),
    # addresses
    (
        NETWORKS,
        {
            "198.41.0.4": ALLOWED,
            "198.41.1.255": ALLOWED,
            "198.41.0.4.": ALLOWED,
            "198.41.0.4:80": ALLOWED,
            "https://198.41.0.4/": ALLOWED,
            "１９８.41.0.4": ALLOWED,
            "::ffff:198.41.0.4": ALLOWED,
            "199.7.83.42": ALLOWED,
            "2606:4700::1": ALLOWED,
            "2606:4700:0:0:0:0:0:1": ALLOWED,
            "[2606:4700::1]": ALLOWED,
            "[2606:4700::1]:443": ALLOWED,
            "http://[2606:4700::1]/": ALLOWED,
            "https://[2606:4700::A]:8443/": ALLOWED,
            "2001:500::1": ALLOWED,
            "198.41.2.0": NOT_ALLOWED,
            "199.7.83.43": NOT_ALLOWED,
            "2606:4701::1": NOT_ALLOWED,
            "2001:500::2": NOT_ALLOWED,
            "::ffff:199.7.83.43": NOT_ALLOWED,
            "64:ff9b::198.41.0.4": NOT_ALLOWED,
            "198-41-0-4.example": NOT_ALLOWED,
            "198.41.4": ODD_IPV4,
            "3324575748": ODD_IPV4,
            "0306.41.0.4": ODD_IPV4,
            "198.41.0.004": ODD_IPV4,
            "0xc6.41.0.4": ODD_IPV4,
            "0xc6290004": ODD_IPV4,
            "198.41.0.0x4": ODD_IPV4,
            "198.41.0.4.5": ODD_IPV4,
            "198.41.0.256": ODD_IPV4,
            "198.41.0.0/24": NOT_PLAIN,
            "example.0x": ODD_IPV4,
            "[198.41.0.4]": "is not a valid IPv6 address",
            "https://[v1.x]/": "is not a valid IPv6 address",
            "http://2606:4700::1/": NOT_PLAIN,
            "https://[2606:4700::1%ETH0]/": "has a percent sign",
            "2606:4700::1%eth0": "has a percent sign",
            "[2606:4700::1%25eth0]": "has a percent sign",
            "[2606:4700::1]x": NOT_PLAIN,
            "[2606:4700::1": NOT_PLAIN,
        },
    ),
    (
        NOT_NETWORKS,
        {
            "198.41.1.4": ALLOWED,
            "2606:4701::1": ALLOWED,
            "198.41.0.4": DENIED,
            "::ffff:198.41.0.4": DENIED,
            "[::ffff:c629:4]:80": DENIED,
            "64:ff9b::198.41.0.4": DENIED,
            "2002:c629:4::1": DENIED,
            "2a00::5efe:198.41.0.4": DENIED,
            "2a00::200:5efe:198.41.0.4": DENIED,
            "2606:4700::1": "is refused by scope.deny[1]",
            "64:ff9b::198.41.1.4": ALLOWED,
            "2002:c629:104::1": ALLOWED,
        },
    ),
    (
        {"private": True, "deny": ["198.41.0.4"]},
        {
            # the client of a Teredo address is inverted, its server is not
            "2001:0:4136:e378:8000:63bf:39d6:fffb": DENIED,
            "2001:0:c629:4:8000:63bf:3fff:fdd2": DENIED,
            "::198.41.0.4": DENIED,
            "::ffff:0:198.41.0.4": DENIED,
            "2001:0:4136:e378:8000:63bf:3fff:fdd2": ALLOWED,
        },
    ),
    # NAT64 for local use: the prefix may be of any length that RFC 6052 knows
    (
        {"private": True, "deny": ["198.41.0.0/24"]},
        {
            "[64:ff9b:1::c629:4]": DENIED,
            "64:ff9b:1:102:3:400:c629:4": DENIED,
            "64:ff9b:1:c629:0:400::": DENIED,
            "64:ff9b:1:c629:0:400:1234:5678": DENIED,
            "64:ff9b:1:c6:29:4::": DENIED,
            "64:ff9b:1:0:c6:2900:400:0": DENIED,
            "64:ff9b:1:1:c6:2900:400:1": DENIED,
            "64:ff9b:1::c629:104": ALLOWED,
            "64:ff9b:2:c629:0:400::": ALLOWED,
        },
    ),
    (
        {"allow": ["64:ff9b:1::/48", "198.41.0.0/24"]},
        {
            "64:ff9b:1::198.41.0.4": ALLOWED,
            "64:ff9b:1:c629:0:400::": "41.0.4.0 is not in scope.allow",
            "64:ff9b:1::198.41.1.4": "198.41.1.4 is not in scope.allow",
            "64:ff9b:1::7": "0.0.0.7 is not in scope.allow",
        },
    ),
    ({"deny": ["::/0"]}, {"::ffff:198.41.0.4": DENIED, "198.41.0.4": ALLOWED}),
    ({"deny": ["*"]}, {"good.example": DENIED, "198.41.0.4:80": DENIED, "http://[2606:4700::1]/": DENIED}),
    ({"allow": []}, {"good.example": NOT_ALLOWED}),
    # what is not public
    (
        {},
        {
            "good.example": ALLOWED,
            "198.41.0.4": ALLOWED,
            "2606:4700::1": ALLOWED,
            "64:ff9b::198.41.0.4": ALLOWED,
            "100.128.0.1": ALLOWED,
            "172.32.0.1": ALLOWED,
            "169.253.1.1": ALLOWED,
            "notlocal.example": ALLOWED,
            "internal.example": ALLOWED,
            "10.0.0.5": "10.0.0.5 is a private address and scope.private is false",
            "172.16.0.1": "is a private address",
            "172.31.255.255": "is a private address",
            "192.168.1.1": "is a private address",
            "100.64.0.1": "is a private address",
            "127.0.0.1": "is a loopback address",
            "127.255.255.254": "is a loopback address",
            "169.254.169.254": "is a link-local address",
            "0.0.0.0": "is an unspecified address",
            "224.0.0.1": "is a multicast address",
            "255.255.255.255": "is a reserved address",
            "192.0.0.8": "is a reserved address",
            "192.0.2.1": "is a reserved address",
            "192.88.99.1": "is a reserved address",
            "198.18.0.1": "is a reserved address",
            "198.19.255.255": "is a reserved address",
            "198.51.100.1": "is a reserved address",
            "203.0.113.1": "is a reserved address",
            "::1": "is a loopback address",
            "::": "is an unspecified address",
            "fe80::1": "is a link-local address",
            "fec0::1": "is a private address",
            "fd00::1": "is a private address",
            "ff02::1": "is a multicast address",
            "2001:db8::1": "is a reserved address",
            "2001:2::1": "is a reserved address",
            "3fff::1": "is a reserved address",
            "64:ff9b:1::1": "is a reserved address",
            "4000::1": "is a reserved address",
            "9000::1": "is a reserved address",
            "::ffff:10.0.0.5": "10.0.0.5 is a private address",
            "::ffff:0:10.0.0.5": "is a reserved address",
            "::10.0.0.5": "is a reserved address",
            "64:ff9b::10.0.0.5": "10.0.0.5 is a private address",
            "2002:a00:5::1": "10.0.0.5 is a private address",
            "2a00::5efe:10.0.0.5": "10.0.0.5 is a private address",
            "http://[::1]:8080/": "is a loopback address",
            "https://good.example@127.0.0.1/": "is a loopback address",
            "１２７.０.０.１": "is a loopback address",
            "127\u30020\u30020\u30021": "is a loopback address",
            "127.0.0.1.": "is a loopback address",
            "2130706433": ODD_IPV4,
            "http://017700000001/": ODD_IPV4,
            "0177.0.0.1": ODD_IPV4,
            "0x7f.1": ODD_IPV4,
            "0x7F.0.0.0x1": ODD_IPV4,
            "127.1": ODD_IPV4,
            "0": ODD_IPV4,
            "localhost": "is a name without a domain",
            "LOCALHOST.": "is a name without a domain",
            "intranet:8080": "is a name without a domain",
            "a.localhost": "is a local name",
            "localhost.localdomain": "is a local name",
            "printer.local": "is a local name",
            "metadata.google.internal": "is a local name",
            "wiki.intranet": "is a local name",
            "files.corp": "is a local name",
            "router.home": "is a local name",
            "router.home.arpa": "is a local name",
            "nas.lan": "is a local name",
            "db.private": "is a local name",
        },
    ),
    (PRIVATE, {"10.0.0.5": ALLOWED, "localhost": ALLOWED, "::1": ALLOWED, "2002:a00:5::1": ALLOWED, "127.1": ODD_IPV4}),
    (
        {"private": True, "allow": ["10.0.0.0/8"]},
        {"10.0.0.5": ALLOWED, "192.168.1.1": NOT_ALLOWED},
    ),
    (
        LOCAL,
        {
            "10.1.2.3": ALLOWED,
            "::ffff:10.1.2.3": ALLOWED,
            "https://10.1.2.3:8443/": ALLOWED,
            "localhost:3000": ALLOWED,
            "a.localhost": ALLOWED,
            "db.internal": ALLOWED,
            "http://127.0.0.1:8080/app/x": ALLOWED,
            "192.168.1.7": ALLOWED,
            "fd00:1::7": ALLOWED,
            "::1": ALLOWED,
            "10.2.0.1": NOT_ALLOWED,
            "internal": NOT_ALLOWED,
            "127.0.0.1": NOT_ALLOWED,
            "http://127.0.0.1:8081/app": NOT_ALLOWED,
            "2002:a01:203::1": NOT_ALLOWED,
        },
    ),
    (
        EVERYTHING,
        {
            "good.example": ALLOWED,
            "198.41.0.4": ALLOWED,
            "2606:4700::1": ALLOWED,
            "10.0.0.5": "is a private address",
            "::1": "is a loopback address",
            "localhost": "is a name without a domain",
            "db.internal": "is a local name",
        },
    ),
    ({"allow": ["10.0.0.0/7"]}, {"10.0.0.5": "is a private address", "11.0.0.5": ALLOWED}),
    # an address that leads to another one must be allowed as both
    ({"allow": ["64:ff9b::/96"]}, {"64:ff9b::198.41.0.4": "198.41.0.4 is not in scope.allow"}),
    ({"allow": ["64:ff9b::/96", "198.41.0.0/24"]}, {"64:ff9b::198.41.0.4": ALLOWED}),
    # ports
    (
        PORTS,
        {
            "allowed.example:443": ALLOWED,
            "www.allowed.example:443": ALLOWED,
            "https://allowed.example/": ALLOWED,
            "http://allowed.example:443/": ALLOWED,
            "range.example:8000": ALLOWED,
            "range.example:8099": ALLOWED,
            "https://[2606:4700::1]/": ALLOWED,
            "http://198.41.0.7/": ALLOWED,
            "anything.example:9443": ALLOWED,
            "allowed.example": NOT_ALLOWED,
            "http://allowed.example/": NOT_ALLOWED,
            "https://allowed.example:8443/": NOT_ALLOWED,
            "range.example:7999": NOT_ALLOWED,
            "range.example:8100": NOT_ALLOWED,
            "[2606:4700::1]": NOT_ALLOWED,
            "https://198.41.0.7/": NOT_ALLOWED,
            "10.0.0.5:9443": "is a private address",
        },
    ),
    (
        NOT_PORTS,
        {
            "https://good.example/": ALLOWED,
            "good.example:23": ALLOWED,
            "db.example:4999": ALLOWED,
            "db.example:6000": ALLOWED,
            "https://198.41.0.7/": ALLOWED,
            "good.example:22": "is refused by scope.deny[0] (*:22)",
            "http://good.example:22/": "is refused by scope.deny[0] (*:22)",
            "good.example": INCLUDES,
            "198.41.1.1": INCLUDES,
            "db.example:5000": "is refused by scope.deny[1]",
            "a.db.example:5999": "is refused by scope.deny[1]",
            "http://198.41.0.7/": "is refused by scope.deny[2]",
            "https://[2606:4700::7]/x": "is refused by scope.deny[3]",
        },
    ),
    # URLs
    (
        APP,
        {
            "https://app.example/shop": ALLOWED,
            "https://app.example/shop/": ALLOWED,
            "https://app.example:443/shop/cart?x=1": ALLOWED,
            "HTTPS://APP.example./shop": ALLOWED,
            "https://app.example/%73hop/cart": ALLOWED,
            "https://u:p@app.example/shop": ALLOWED,
            "http://app.example:8080": ALLOWED,
            "http://app.example:8080/a/../b": ALLOWED,
            "https://app.example/": NOT_ALLOWED,
            "https://app.example": NOT_ALLOWED,
            "app.example": NOT_ALLOWED,
            "app.example:443": NOT_ALLOWED,
            "app.example:8080": NOT_ALLOWED,
            "https://app.example/shopping": NOT_ALLOWED,
            "https://app.example/SHOP": NOT_ALLOWED,
            "https://app.example/shop;x/": NOT_ALLOWED,
            "http://app.example/shop": NOT_ALLOWED,
            "https://app.example:8443/shop": NOT_ALLOWED,
            "https://www.app.example/shop": NOT_ALLOWED,
            "https://app.example/admin?/shop": NOT_ALLOWED,
            "https://app.example/shop/../admin": NOT_ALLOWED,
            "https://app.example/shop/%2e%2e/admin": NOT_ALLOWED,
            "https://app.example/shop/.%2E/admin": NOT_ALLOWED,
            "https://app.example/shop/..%2fadmin": NOT_ALLOWED,
            "https://app.example/shop/%252e%252e/admin": NOT_ALLOWED,
            "https://app.example/shop/..;/admin": NOT_ALLOWED,
            "https://app.example/shop/%5c..%5cadmin": NOT_ALLOWED,
            "https://app.example/shop/%c0%ae%c0%ae/admin": NOT_ALLOWED,
            "https://app.example/shop/\uff0e\uff0e/admin": NOT_ALLOWED,
            "https://app.example/shop/%00/admin": NOT_ALLOWED,
            "https://app.example/shop/%7f": NOT_ALLOWED,
            "https://app.example/shop/%zz": NOT_ALLOWED,
            "https://app.example/shop//admin": NOT_ALLOWED,
            "https://app.example//shop": NOT_ALLOWED,
            "https://app.example/shop/./x": NOT_ALLOWED,
            "https://app.example/shop/x%20/": NOT_ALLOWED,
        },
    ),
    (
        NOT_ADMIN,
        {
            "https://app.example/shop": ALLOWED,
            "https://app.example/admin/areas": ALLOWED,
            "https://app.example/admin-area": ALLOWED,
            "https://app.example:8443/admin/area": ALLOWED,
            "http://app.example/admin/area": ALLOWED,
            "https://www.app.example/admin/area": ALLOWED,
            "app.example:80": ALLOWED,
            "https://app.example/admin/area": DENIED,
            "https://app.example/admin/area/users?x#y": DENIED,
            "https://app.example/Admin/AREA": DENIED,
            "https://app.example/admin;x=1/area;y": DENIED,
            "https://app.example/%61dmin/area": DENIED,
            "http://app.example:443/admin/area": DENIED,
            "https://app.example/admin": INCLUDES,
            "https://app.example/": INCLUDES,
            "https://app.example": INCLUDES,
            "app.example": INCLUDES,
            "app.example:443": INCLUDES,
            "https://app.example//admin/area": SEGMENTS,
            "https://app.example//": SEGMENTS,
            "https://app.example/;/admin/area": SEGMENTS,
            "https://app.example/admin/%3bx/area": SEGMENTS,
            "https://app.example/x/../admin/area": SEGMENTS,
            "https://app.example/admin./area": SEGMENTS,
            "https://app.example/admin%20/area": SEGMENTS,
            "https://app.example/admin%2farea": ENCODED,
            "https://app.example/%2561dmin/area": ENCODED,
            "https://app.example/ａdmin/area": ENCODED,
            "https://app.example/%c1%a1dmin/area": "is not encoded in UTF-8",
            "https://[2606:4700::1]/x": "is refused by scope.deny[1]",
            "[2606:4700::1]": "which scope.deny[1] refuses",
            "http://[::ffff:198.41.0.4]/x/y": "is refused by scope.deny[2]",
        },
    ),
    # deny wins
    (
        {"allow": ["allowed.example", "10.0.0.5"], "deny": ["old.allowed.example", "10.0.0.0/8"], "private": True},
        {
            "new.allowed.example": ALLOWED,
            "old.allowed.example": DENIED,
            "10.0.0.5": "is refused by scope.deny[1]",
        },
    ),
    # the machine's file and the task: both must agree
    (
        (
            {"allow": ["allowed.example", "10.0.0.0/8"], "deny": ["old.allowed.example"]},
            {"allow": ["*", "10.1.0.0/16"]},
        ),
        {
            "www.allowed.example": ALLOWED,
            "10.1.0.1": ALLOWED,
            "other.example": "is not in file.allow",
            "old.allowed.example": "is refused by file.deny[0]",
            "10.2.0.1": "10.2.0.1 is a private address and scope.private is false",
        },
    ),
    (({"private": True}, {}), {"10.0.0.5": "scope.private is false", "good.example": ALLOWED}),
    (({}, {"private": True, "allow": ["10.0.0.5"]}), {"10.0.0.5": "file.private is false"}),
    (({"private": True}, {"private": True}), {"10.0.0.5": ALLOWED}),
    (({}, None), {"10.0.0.5": "file.private is false", "good.example": ALLOWED}),
    ((None, {"deny": ["evil.example"]}), {"evil.example": DENIED, "good.example": ALLOWED}),
    ((None, None), {"2130706433": ALLOWED, "": ALLOWED}),
]

CASES = [(scope, name, reason) for scope, names in TABLE for name, reason in names.items()]


def scope_of(module, scope):
    """The Scope of a row, made by the module given: the real one, or a changed one."""
    if not isinstance(scope, tuple):
        return module.compile_scope(scope)
    file_scope, task_scope = scope
    return module.combine(
        None if file_scope is None else module.compile_scope(file_scope, "file"),
        None if task_scope is None else module.compile_scope(task_scope),
    )


def is_right(verdict, reason):
    """Whether a verdict is what a row says."""
    return verdict is None if reason is None else verdict is not None and reason in verdict


@pytest.mark.parametrize("scope, name, reason", CASES, ids=[ascii(name)[1:60] for scope, name, reason in CASES])
def test_verdict(scope, name, reason):
    verdict = scope_of(_scope, scope).verdict(name)
    assert is_right(verdict, reason), verdict


def test_table_is_large():
    assert len(CASES) >= 150
