# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Mistakes put into a copy of the code that judges names, to see which rows of a table notice them.

Only those that mutmut (`make mutants`) cannot make: it changes no table and no pattern, and leaves out no condition and
no statement. A few that it can make show what a row of the table is for.
"""

from __future__ import annotations

import contextlib
import importlib
import shutil
import sys
from pathlib import Path

from ansible_collections.scanops.scanner.plugins.module_utils._scope import rules as _scope

SOURCES = Path(_scope.__file__).parent.parent
FILES = (
    "_model/errors",
    "_task/raw_options",
    "_model/names",
    "_model/__init__",
    "_task/__init__",
    "_scope/valid_names",
    "_model/families",
    "_model/family",
    "_model/tools",
    "_scope/__init__",
    "_scope/addresses",
    "_scope/option",
    "_scope/rules",
)

# by file: the text as it is, exactly once in the file, and the text with the mistake
NAMES = [
    # which characters a name may have
    (r'r"[!-\[\]-~]*"', r'r"[!-~]*"'),
    (r'r"[!-\[\]-~]*"', r'r"[ -\[\]-~]*"'),
    (r'r"[!-\[\]-~]*"', r'r"[\x00-\x1f!-\[\]-~]*"'),
    (r'r"[!-\[\]-~]*"', r'r"[!-\[\]-\x7f]*"'),
    ('[0] in "CZ"', '[0] in "Z"'),
    ('[0] in "CZ"', '[0] in "C"'),
    ('[0] in "CZ"', ' in ("Cc", "Zs")'),
    ('[0] in "CZ"', '[0] in "CZLN"'),
    # our own reading of a URL
    (r'r"(https?)://', r'r"(https?|ftp|file)://'),
    (r'r"(https?)://', r'r"(https?):/*'),
    (r'r"(https?)://', r'r"(?:.*/)?(https?)://'),
    (r'r"(https?)://', r'r"(https)://'),
    (r"(?:([^/?#@\[\]]*)@)?", r"(?:([^/?#\[\]]*)@)?"),
    (r"(?:([^/?#@\[\]]*)@)?", r"(?:([^/?#@]*)@)?"),
    (r"(?:([^/?#@\[\]]*)@)?", r"(?:([^/?#@\[\]]+)@)?"),
    (r"(?:([^/?#@\[\]]*)@)?", r"()"),
    (r"([?#].*)?", r"([?].*)?"),
    (r"([?#].*)?", r"([#].*)?"),
    (r'([?#].*)?", re.IGNORECASE)', r'([?#].*)?")'),
    (r"|[^/?#@:\[\]]+)", r"|[^/?#@:\[\]]*)"),
    (r"|[^/?#@:\[\]]+)", r"|[^/?#:\[\]]+)"),
    (r"|[^/?#@:\[\]]+)", r"|[^?#@:\[\]]+)"),
    (r"|[^/?#@:\[\]]+)", r"|[^/#@:\[\]]+)"),
    (r"|[^/?#@:\[\]]+)", r"|[^/?@:\[\]]+)"),
    (r"|[^/?#@:\[\]]+)", r"|[^/?#@\[\]]+)"),
    (r"|[^/?#@:\[\]]+)", r"|[^/?#@:]+)"),
    (r'"(\[[^/?#@\[\]]*\]|', r'"(\[[^/?#@]*|'),
    (r"(?::([1-9][0-9]{0,4}))?", r"(?::([0-9]{1,5}))?"),
    (r"(?::([1-9][0-9]{0,4}))?", r"(?::([1-9][0-9]{0,4})?)?"),
    (r"(?::([1-9][0-9]{0,4}))?", r"(?::([1-9][0-9]{0,2}))?"),
    (r"(?::([1-9][0-9]{0,4}))?", r"(?::([1-9][0-9]{0,2}|80))?"),
    (r"(?::([1-9][0-9]{0,4}))?", r"(?::[+]?([1-9][0-9]{0,4}))?"),
    (r"(?::([1-9][0-9]{0,4}))?", r"(?::([1-9][0-9]{0,4}))?(?::.*)?"),
    (r"(?::([1-9][0-9]{0,4}))?", r"(?::(?:([1-9][0-9]{0,4})|[a-z]+))?"),
    (r"(?::([1-9][0-9]{0,4}))?", r"()"),
    ('if _standard_reading(text) != (scheme, user, host.strip("[]").lower(), port, path)', "if False"),
    (
        'if _standard_reading(text) != (scheme, user, host.strip("[]").lower(), port, path)',
        "if _standard_reading(text) != (scheme, user, host, port, path)",
    ),
    ("    scheme = scheme.lower()\n", ""),
    ("%(?:2f|3f|23|40|5c|5b|5d)", "%(?:3f|23|40|5c|5b|5d)"),
    ("%(?:2f|3f|23|40|5c|5b|5d)", "%(?:2f|3f|40|5c|5b|5d)"),
    ("%(?:2f|3f|23|40|5c|5b|5d)", "%(?:2f|3f|23|5c|5b|5d)"),
    ("%(?:2f|3f|23|40|5c|5b|5d)", "%(?:2f|3f|23|40|5b|5d)"),
    ("%(?:2f|3f|23|40|5c|5b|5d)", "%(?:2f|23|40|5c|5b|5d)"),
    ("%(?:2f|3f|23|40|5c|5b|5d)", "%(?:2f|3f|23|40|5c|5d)"),
    ("%(?:2f|3f|23|40|5c|5b|5d)", "%(?:2f|3f|23|40|5c|5b)"),
    ("%(?:2f|3f|23|40|5c|5b|5d)", "%"),
    ('5d)", re.IGNORECASE)', '5d)")'),
    (' or (not path and "@" in rest)', ""),
    (' or (not path and "@" in rest)', ' or "@" in text'),
    (' or (not path and "@" in rest)', " or rest"),
    (' or (not path and "@" in rest)', " or (not path and rest)"),
    ("port or DEFAULT_PORTS.get(scheme), path", "port, path"),
    # host names
    ('    if "%" in text:', "    if False:"),
    ("[\\u3002\\uff0e\\uff61]", "[\\uff0e\\uff61]"),
    ("[\\u3002\\uff0e\\uff61]", "[\\u3002\\uff61]"),
    ("[\\u3002\\uff0e\\uff61]", "[\\u3002\\uff0e]"),
    ('dotted[:-1] if dotted.endswith(".") else dotted', 'dotted.rstrip(".")'),
    ("len(bare) > 253 or ", ""),
    (' or any(len(label) > 63 for label in bare.split("."))', ""),
    ('if "" in bare.split("."):', "if not bare:"),
    ('if "" in bare.split("."):', 'if bare.startswith("."):'),
    ('if "" in bare.split("."):', 'if ".." in bare:'),
    ("    host = _normal_host(bare)\n", "    host = bare\n"),
    ("    _refuse_unlike_readings(text, bare, labels)\n", ""),
    ('if not bare.isascii() and _idna2003(bare) != ".".join(labels):', "if False:"),
    (
        'if not bare.isascii() and _idna2003(bare) != ".".join(labels):',
        'if "xn--" in bare and _idna2003(bare) != ".".join(labels):',
    ),
    ('if label.startswith("xn--") and not _is_xn_label(label):', 'if "xn--" in label[1:]:'),
    ('if idna.encode(idna.decode(label)).decode("ascii") == label:', "if True:"),
    ('if idna.encode(idna.decode(label)).decode("ascii") == label:', "if False:"),
    ("idna.uts46_remap(decoded, True, False) == decoded and _idna2003(decoded) == label", "True"),
    ("idna.uts46_remap(decoded, True, False) == decoded and _idna2003(decoded) == label", "False"),
    ("idna.uts46_remap(decoded, True, False) == decoded and _idna2003(decoded) == label", "_idna2003(decoded)"),
    (" and _idna2003(decoded) == label", ""),
    ('_decoded(label) if label.startswith("xn--") else label', "_decoded('xn--' + label[4:])"),
    ('bare = host.rstrip(".").lower()', 'bare = host.rstrip(".")'),
    ("idna is not None and not bare.isascii()", "idna is None"),
    ('name.encode("idna").decode("ascii").lower()', 'name.encode("idna").decode("ascii")'),
    ("    if not _LAST_LABEL.fullmatch(labels[-1]):", "    if False:"),
    (r'r"[a-z](?:[a-z0-9-]*[a-z0-9])?"', r'r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"'),
    (r'r"[a-z](?:[a-z0-9-]*[a-z0-9])?"', r'r"[a-z_](?:[a-z0-9_-]*[a-z0-9_])?"'),
    (r'r"[a-z](?:[a-z0-9-]*[a-z0-9])?"', r'r"[a-z](?:[a-z0-9]*[a-z0-9])?"'),
    (r'r"[a-z](?:[a-z0-9-]*[a-z0-9])?"', r'r"[a-z](?:[a-z0-9-]*[a-z])?"'),
    (r'r"[a-z](?:[a-z0-9-]*[a-z0-9])?"', r'r"[a-z](?:[a-z0-9-]*[a-z0-9])"'),
    (r'r"[a-z](?:[a-z0-9-]*[a-z0-9])?"', r'r"[a-z]+"'),
    ("    if not all(_LABEL.fullmatch(label) for label in labels):", "    if False:"),
    (r'r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?"', r'r"[a-z0-9_-]*"'),
    (r'r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?"', r'r"[a-z0-9_-]*[a-z0-9_]"'),
    (r'r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?"', r'r"[a-z0-9_][a-z0-9_-]*"'),
    (r'r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?"', r'r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"'),
    (r'r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?"', r'r"[a-z0-9_](?:[a-z0-9_]*[a-z0-9_])?"'),
    (r'r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?"', r'r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])"'),
    (r'r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?"', r'r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_]-?)?"'),
    (r'r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?"', r'r"[*]|[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?"'),
    (r'r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?"', r'r"[^*-](?:.*[^-])?"'),
    # addresses
    ("if not address:\n            raise", "if False:\n            raise"),
    ("    if _NUMBER.fullmatch(labels[-1]):", "    if False:"),
    ("_NUMBER.fullmatch(labels[-1])", "_NUMBER.fullmatch(host)"),
    ('r"[0-9]+|0x[0-9a-f]*"', 'r"[0-9]+"'),
    ('r"[0-9]+|0x[0-9a-f]*"', 'r"0x[0-9a-f]*"'),
    ('r"[0-9]+|0x[0-9a-f]*"', 'r"[0-9]+|0x[0-9a-f]+"'),
    ("    if number is None or str(number) != host:", "    if False:"),
    # paths
    ('unquote(path, errors="strict")', "path"),
    ('inner = decoded[1:-1] if decoded.endswith("/") else decoded[1:]', 'inner = decoded.strip("/")'),
    ("%(?:2f|5c|25|[01][0-9a-f]|7f|(?![0-9a-f]{2}))", "%(?:5c|25|[01][0-9a-f]|7f|(?![0-9a-f]{2}))"),
    ("%(?:2f|5c|25|[01][0-9a-f]|7f|(?![0-9a-f]{2}))", "%(?:2f|25|[01][0-9a-f]|7f|(?![0-9a-f]{2}))"),
    ("%(?:2f|5c|25|[01][0-9a-f]|7f|(?![0-9a-f]{2}))", "%(?:2f|5c|[01][0-9a-f]|7f|(?![0-9a-f]{2}))"),
    ("%(?:2f|5c|25|[01][0-9a-f]|7f|(?![0-9a-f]{2}))", "%(?:2f|5c|25|7f|(?![0-9a-f]{2}))"),
    ("%(?:2f|5c|25|[01][0-9a-f]|7f|(?![0-9a-f]{2}))", "%(?:2f|5c|25|[01][0-9a-f]|(?![0-9a-f]{2}))"),
    ("%(?:2f|5c|25|[01][0-9a-f]|7f|(?![0-9a-f]{2}))", "%(?:2f|5c|25|[01][0-9a-f]|7f)"),
    ("%(?:2f|5c|25|[01][0-9a-f]|7f|(?![0-9a-f]{2}))", "%"),
    (' or unicodedata.normalize("NFKC", decoded) != decoded', ""),
    ('"" in kept', '"" in segments'),
    ('endswith((".", " ")) for segment in kept', 'endswith((".", " ")) for segment in segments'),
    ('.endswith((".", " "))', ' in (".", "..")'),
    ('.endswith((".", " "))', '.endswith((" ", ".."))'),
]
ADDRESSES = [
    ("if length <= narrowest:", "if length == narrowest:"),
    ("if length <= narrowest:", "if True:"),
    ('"127.0.0.0/8"', '"127.0.0.1/32"'),
    ('"::1/128"', '"::2/128"'),
    ('"169.254.0.0/16"', '"169.254.0.0/17"'),
    ('"169.254.0.0/16"', '"169.252.0.0/14"'),
    ('"fe80::/10"', '"fe80::/128"'),
    ('"10.0.0.0/8"', '"10.1.0.0/16"'),
    ('"172.16.0.0/12"', '"172.16.0.0/16"'),
    ('"172.16.0.0/12"', '"172.24.0.0/13"'),
    ('"172.16.0.0/12"', '"172.0.0.0/10"'),
    ('"192.168.0.0/16"', '"192.168.0.0/24"'),
    ('"100.64.0.0/10"', '"100.96.0.0/11"'),
    ('"100.64.0.0/10"', '"100.0.0.0/8"'),
    ('"fc00::/7"', '"fc00::/8"'),
    ('"fec0::/10"', '"fec0::/128"'),
    ('"0.0.0.0/8"', '"0.0.0.1/32"'),
    ('"::/128"', '"::3/128"'),
    ('"224.0.0.0/4"', '"224.0.0.0/32"'),
    ('"ff00::/8"', '"ff00::/16"'),
    ('"192.0.0.0/24"', '"192.0.0.0/29"'),
    ('"192.0.2.0/24"', '"192.0.2.0/32"'),
    ('"192.88.99.0/24"', '"192.88.99.0/32"'),
    ('"198.18.0.0/15"', '"198.18.0.0/16"'),
    ('"198.18.0.0/15"', '"198.19.0.0/16"'),
    ('"198.18.0.0/15"', '"198.0.0.0/8"'),
    ('"198.51.100.0/24"', '"198.51.100.0/32"'),
    ('"203.0.113.0/24"', '"203.0.113.0/32"'),
    ('"240.0.0.0/4"', '"240.0.0.0/5"'),
    ('        "::/3",\n', ""),
    ('"4000::/2"', '"5000::/4"'),
    ('"8000::/1"', '"a000::/3"'),
    ('"2001::/23"', '"2001::/32"'),
    ('"2001:db8::/32"', '"2001:db8::/128"'),
    ('"3fff::/20"', '"3fff::/128"'),
    ('        "::/3",\n', '        "::/2",\n'),
    ("_KINDS.add(ipaddress.ip_network(_NAT64), None)\n", ""),
    ('("::/96", ', "("),
    ('"::ffff:0:0/96", ', ""),
    ('"::ffff:0:0:0/96", ', ""),
    ('"::ffff:0:0:0/96", _NAT64)', '"::ffff:0:0:0/96")'),
    ("    if address.sixtofour:", "    if False:"),
    ("    if address.teredo:", "    if False:"),
    ("return address.teredo", "return address.teredo[:1]"),
    ("return address.teredo", "return address.teredo[1:]"),
    ("& 0xFDFFFFFF == 0x00005EFE", "== 0x00005EFE"),
    ("& 0xFDFFFFFF == 0x00005EFE", "& 0xFDFFFFFF == 0x02005EFE"),
    ("IPv4Address(number & 0xFFFFFFFF)", "IPv4Address(number & 0xFFFFFF00)"),
    ("    if address in _LOCAL_NAT64:", "    if False:"),
    ('"64:ff9b:1::/48"', '"64:ff9b::/46"'),
    ("(48, 56, 64)", "(56, 64)"),
    ("(48, 56, 64)", "(48, 64)"),
    ("(48, 56, 64)", "(48, 56)"),
    ("for length in _NAT64_LENGTHS), last)", "for length in _NAT64_LENGTHS),)"),
    ("if int(each) >> 24) or", ") or"),
    ("if int(each) >> 24) or (last,)", "if int(each) >> 24)"),
]
SCOPE = [
    # which entries are looked at
    ("        yield from self.anywhere\n", ""),
    (" if entry.itself)", ")"),
    ("        yield from (entry for entry in self.domains.get(domain, ()) if entry.itself)\n", ""),
    ('        while "." in domain:\n            domain', '        if "." in domain:\n            domain'),
    (
        '            domain = domain.partition(".")[2]\n            yield',
        "            domain = domain[1:]\n            yield",
    ),
    (
        '            domain = domain.partition(".")[2]\n            yield',
        '            domain = domain.rpartition(".")[0]\n            yield',
    ),
    # ports
    ("return entry.ports[0] <= first and last <= entry.ports[1]", "return True"),
    ("return entry.ports[0] <= first and last <= entry.ports[1]", "return entry.ports[0] <= first"),
    ("return entry.ports[0] <= first and last <= entry.ports[1]", "return last <= entry.ports[1]"),
    ("return entry.ports[0] <= first and last <= entry.ports[1]", "return entry.ports == _ALL_PORTS"),
    ("if entry.ports[0] <= last and first <= entry.ports[1]:", "if True:"),
    ("if entry.ports[0] <= last and first <= entry.ports[1]:", "if _within(target, entry):"),
    ("if entry.ports[0] <= last and first <= entry.ports[1]:", "if entry.ports[0] <= last:"),
    ("if entry.ports[0] <= last and first <= entry.ports[1]:", "if first <= entry.ports[1]:"),
    ("_ALL_PORTS if target.port is None else", "(0, 0) if target.port is None else"),
    # allowed URLs
    ("(target.scheme, target.host, target.port), {})", "(target.scheme, target.host), {})"),
    (
        "        paths = self.urls.get((target.scheme, target.host, target.port))\n        if paths:",
        "        paths = self.urls.get((target.scheme or 'http', target.host, target.port))\n        if paths:",
    ),
    ("range(1 if problem else len(segments) + 1)", "range(len(segments) + 1)"),
    ("range(1 if problem else len(segments) + 1)", "range(0 if problem else len(segments) + 1)"),
    (
        "                if segments[:depth] in paths:\n",
        "                if any(path[:depth] == segments[:depth] for path in paths):\n",
    ),
    # denied URLs
    ("        for depth in range(len(folded)):\n", "        for depth in range(1, len(folded)):\n"),
    ("        for depth in range(len(folded)):\n", "        for depth in range(len(folded) - 1):\n"),
    ("            if problem:\n", "            if False:\n"),
    ("for depth in range(len(folded) + 1):", "for depth in (len(folded),):"),
    ('segment.split(";")[0].casefold()', 'segment.split(";")[0]'),
    (
        "        above = self.above.get((target.host, target.port, folded))\n",
        "        above = folded and self.above.get((target.host, target.port, folded))\n",
    ),
    # the order and the meaning of the two lists
    ("            reason = self.deny.touching(place)\n", "            reason = None\n"),
    (
        "            reason = self.deny.touching(place)\n",
        "            reason = None if self.allow else self.deny.touching(place)\n",
    ),
    ("for place in (target, *stand_ins):", "for place in (target,):"),
    ("for place in (target, *stand_ins):", "for place in stand_ins or (target,):"),
    (" and not (place is target and _is_mapped(target.address))", ""),
    (" and not (place is target and _is_mapped(target.address))", " and place is target"),
    (" and not (place is target and _is_mapped(target.address))", " and (not stand_ins or place is not target)"),
    ("if self.allow is not None and not entries:", "if self.allow is not None and not entries and self.allow.domains:"),
    ("if self.allow is not None and not entries:", "if False:"),
    ("        if kind and not self.private", "        if kind"),
    ("        if kind and not self.private", "        if False"),
    (" and not any(entry.names_local for entry in entries)", ""),
    ("any(entry.names_local for entry in entries)", "any(entries)"),
    ("names_local=kind_of(network) is not None", "names_local=kind_of(network.network_address) is not None"),
    ("    names_local: bool = True", "    names_local: bool = False"),
    ("None if allow is None else _compile_list", "None if not allow else _compile_list"),
    (
        "None if allow is None else _compile_list(allow",
        "None if allow is None and not deny else _compile_list(allow or []",
    ),
    ("for layer in self._layers)), None)", "for layer in self._layers[:1])), None)"),
    ("for layer in self._layers)), None)", "for layer in self._layers[-1:])), None)"),
    ("        if not self._layers:\n            return None\n", ""),
    # the other reading of an international name
    ("self.deny.touching(target._replace(host=other))", "self.deny.touching(target)"),
    ("self.deny.touching(target._replace(host=other))", "self._not_allowed(target._replace(host=other))"),
    # what is local
    ('"private", "corp"', '"not-private", "corp"'),
    ('    if "." not in domain:\n', "    if False:\n"),
    ('    if "." not in domain:\n', '    if domain.count(".") < 2:\n'),
    ("    while domain:\n", "    while '.' in domain:\n"),
    ("        if domain in _LOCAL_DOMAINS:\n", "        if domain.split('.')[0] in _LOCAL_DOMAINS:\n"),
    (
        "        if domain in _LOCAL_DOMAINS:\n",
        "        if domain.endswith(tuple(_LOCAL_DOMAINS)) or 'local' in domain:\n",
    ),
]
SCOPE += [
    (f'"{domain}"', f'"not-{domain}"')
    for domain in ("local", "localdomain", "localhost", "internal", "intranet", "corp", "home", "lan", "home.arpa")
]

MUTATIONS = [
    (file, *texts)
    for file, pairs in (("_model/names", NAMES), ("_scope/addresses", ADDRESSES), ("_scope/rules", SCOPE))
    for texts in pairs
]


@contextlib.contextmanager
def mutated(directory, file, old, new):
    """The module _scope.rules of a copy of the code in ``directory``, with one text replaced by another."""
    package = directory / f"copy_{len(list(directory.iterdir()))}"
    (package / "_scope").mkdir(parents=True)
    (package / "__init__.py").touch()
    for name in FILES:
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SOURCES / f"{name}.py", package / f"{name}.py")
    path = package / f"{file}.py"
    text = path.read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise ValueError(f"{old!r} is {text.count(old)} times in {file}.py, not once")
    path.write_text(text.replace(old, new), encoding="utf-8")
    sys.path.insert(0, str(directory))
    try:
        importlib.invalidate_caches()
        yield importlib.import_module(f"{package.name}._scope.rules")
    finally:
        sys.path.remove(str(directory))
        for name in [name for name in sys.modules if name.partition(".")[0] == package.name]:
            del sys.modules[name]
