# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""No host or path that the scope permits is another one to other programs.

Every run tries the same fixed sample; SCANNER_TEST_EXHAUSTIVE=1 tries all of it.
"""

from __future__ import annotations

import itertools
import random

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._model import target_names as _names
from ansible_collections.scanops.scanner.plugins.module_utils._scope import rules as _scope
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils._scope.url_readers import (
    canonical,
    is_below,
    paths,
    readings,
)
from ansible_collections.scanops.scanner.tests.unit.sampling import EXHAUSTIVE

DELIMITERS = "a1.:/?#@\\[]%;&-_ \t"
ODD = "\n\x00\u00ad\u200b\u3002\uff0e\uff61\uff0f\uff20\u2100\u2488\u00df\u017f\u0131\u212a\u00b2%|^{}<>\"'`$!*+,=~(4"
FRAMES = ("{}", "a{}b.example", "http://{}", "https://a{}b.example/", "http://a.example{}b.example")

PERMITTED, DENIED = "/app", "/app/admin"
SEGMENTS = (
    "app", "admin", "APP", "Admin", "x", "", ".", "..", "...", ";", ";x", "app;x", "..;", ".;x", "admin;a=b", "%2e",
    "%2E%2e", "%252e%252e", "%2f", "x%2fadmin", "..%2fadmin", "%5c", "..%5c", "admin%20", "admin.", "%61dmin", "adm%69n",
    "admin%00", "%3b", "%3bx", "..%3b", "%25", "%", "%zz", "a%0d%0ab", "adm\u0131n", "adm\u017fn", "%ef%bc%8e%ef%bc%8e",
    "\u2025", "\uff0e\uff0e", "%e2%80%a5", "\u24d0dmin", "app%09", "%c0%ae%c0%ae", "admin:x", "admin,x", "~", "&", "*",
)  # fmt: skip


def exhaustive_names(alphabet, length):
    for size in range(length + 1):
        for letters in itertools.product(alphabet, repeat=size):
            yield from (frame.format("".join(letters)) for frame in FRAMES)


def random_names(number):
    chance = random.Random(8)
    parts = [
        "http://",
        "https://",
        "//",
        "good.example",
        "a.example",
        ".example",
        "10.0.0.5",
        "[::1]",
        ":443",
        "@",
        "xn--",
    ]
    parts += [*DELIMITERS, *ODD]
    for _each in range(number):
        yield chance.choice(FRAMES).format("".join(chance.choices(parts, k=chance.randint(1, 7))))


def random_paths(number):
    chance = random.Random(9)
    for _each in range(number):
        start = chance.choice(["/", "/", "/app/", "/app/", "/app"])
        yield (
            start + "/".join(chance.choices(SEGMENTS, k=chance.randint(1, 4))) + chance.choice(["", "", "/", ";", "?x"])
        )


def names():
    yield from exhaustive_names(DELIMITERS, 4 if EXHAUSTIVE else 3)
    yield from exhaustive_names(ODD, 3 if EXHAUSTIVE else 2)
    yield from random_names(80_000 if EXHAUSTIVE else 8_000)


def judged_names(module, candidates):
    """(accepted, escapes): how many names are read, and those that another program reads as another place."""
    accepted, escapes = 0, []
    for name in candidates:
        try:
            target = module.read_name(name)
        except ValueError:
            continue
        accepted += 1
        # a name without a scheme is called by http or https
        url = name if target.scheme else f"https://{f'[{name}]' if name.count(':') > 1 and name[0] != '[' else name}"
        ours = target.scheme or "https", canonical(target.host), target.port or 443
        escapes += [(name, reader, other) for reader, other in readings(url).items() if other != ours]
    return accepted, escapes


def judged_paths(module, candidates):
    """(permitted, escapes): how many paths pass an allow list or a deny list, and those that servers may take for one
    that does not pass it."""
    allow = module.compile_scope({"allow": ["https://a.example" + PERMITTED]})
    deny = module.compile_scope({"deny": ["https://a.example" + DENIED]})
    permitted, escapes = 0, []
    for path in candidates:
        url = "https://a.example" + path
        allowed, not_denied = allow.verdict(url) is None, deny.verdict(url) is None
        permitted += allowed + not_denied
        if allowed or not_denied:
            served = paths(path.partition("?")[0])
            if allowed and not all(is_below(each, PERMITTED) for each in served):
                escapes.append(path)
            # a denial of /app/admin does not permit /app, which holds it
            folded = {each.casefold() for each in served}
            if not_denied and any(is_below(each, DENIED) or is_below(DENIED, each) for each in folded):
                escapes.append(path)
    return permitted, escapes


@pytest.mark.slow
def test_no_program_reads_a_host_that_we_read_as_another_one():
    accepted, escapes = judged_names(_names, names())
    assert escapes[:10] == []
    assert accepted > 500


@pytest.mark.slow
def test_no_server_takes_a_path_that_is_permitted_for_one_that_is_not():
    permitted, escapes = judged_paths(_scope, random_paths(30_000 if EXHAUSTIVE else 10_000))
    assert escapes[:10] == []
    assert permitted > 500
