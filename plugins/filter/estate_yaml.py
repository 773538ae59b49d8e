# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
name: estate_yaml
short_description: Render an estate as YAML
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
description:
  - Renders lists, dictionaries, strings, integers, booleans and null as YAML for a file of variables, such as an estate
    returned by M(scanops.scanner.estate_info). Ansible reads it back as exactly the same data.
  - A string is written without quotes only if every YAML reader reads it as a string. Strings such as V(no), V(1e3),
    V(null), V(!vault) or V(192.0.2.1) are quoted, and invisible characters are escaped.
  - A string with template markers, such as V({{), gets the tag C(!unsafe), so that Ansible never evaluates it.
  - Keys and items keep their order.
positional: _input
options:
  _input:
    description:
      - The data. A number with a fraction, or a string that YAML cannot represent (half of a surrogate pair), is an
        error that names its location.
    type: raw
    required: true
seealso:
  - module: scanops.scanner.estate_info
"""

EXAMPLES = r"""
- name: Read the account
  scanops.scanner.estate_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
  register: account

- name: Write the account to a file of variables
  ansible.builtin.copy:
    dest: estate.yml
    content: "{{ {'estate': account.workspaces} | scanops.scanner.estate_yaml }}"
    mode: "0644"
"""

RETURN = r"""
_value:
  description: A YAML document that begins with C(---) and ends with a newline.
  type: str
"""

import re
from collections.abc import Callable
from typing import Any

from ansible.errors import AnsibleFilterError

from ..plugin_utils._unsafe import unsafe

# PyYAML cannot write this: with allow_unicode it leaves invisible characters as they are, without it no letter but ASCII.

# words of letters, digits and signs without a meaning inside a string, with single spaces between them; a colon is only
# within a word
_WORD = r"[\w./%+=@~?&,;'!$*()-]+"
_PLAIN = re.compile(rf"(?=[^\W_]){_WORD}(?::{_WORD})*(?: {_WORD}(?::{_WORD})*)*")
# what YAML 1.1 or 1.2 may read as a number, a date, a time or an IPv4-like float: begins with a digit, has no other letters
_NUMBER_LIKE = re.compile(r"[0-9][0-9a-fox_.:+ tz-]*", re.IGNORECASE)
_WORDS = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"))
# YAML 1.2, section 7.4.2: readers accept no longer key in this form
_LONGEST_KEY = 1024
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
# the markers that begin a template, and the line that changes them
_TEMPLATE = re.compile(r"\{[{%#]|\A#jinja2:")


def estate_yaml(data: object) -> str:
    """Data of dict, list, str, int, bool and None as a YAML document. Raises AnsibleFilterError."""
    # the text contains the template markers that it guards against, and must not become a template itself
    document: str = unsafe("\n".join(("---", *_block(data, ""))) + "\n")
    return document


def _block(value: object, path: str) -> list[str]:
    """The lines of a value. path: where it is in the data, for messages."""
    lines: list[str] = []
    if isinstance(value, dict) and value:
        for key, part in value.items():
            start = f"{_scalar(key, path, is_key=True)}:"
            inner = _block(part, f"{path}.{key}" if path else str(key))
            is_nested = isinstance(part, (dict, list, tuple)) and part
            lines += [start, *(f"  {line}" for line in inner)] if is_nested else [f"{start} {inner[0]}"]
        return lines
    if isinstance(value, (list, tuple)) and value:
        for index, part in enumerate(value):
            first, *rest = _block(part, f"{path}[{index}]")
            lines += [f"- {first}", *(f"  {line}" for line in rest)]
        return lines
    return [_scalar(value, path)]


def _scalar(value: object, path: str, is_key: bool = False) -> str:
    if isinstance(value, str):
        tag = "!unsafe " if _TEMPLATE.search(value) and not is_key else ""
        is_plain = _PLAIN.fullmatch(value) and not _NUMBER_LIKE.fullmatch(value) and value.lower() not in _WORDS
        if is_plain and not tag:
            shown = str(value)
        else:
            shown = tag + '"' + "".join(_escaped(character, path) for character in value) + '"'
        if is_key and len(shown) > _LONGEST_KEY:
            raise AnsibleFilterError(
                f"estate_yaml: {path or 'the data'} contains a key of more than {_LONGEST_KEY} characters, which no estate has:"
                " correct the data."
            )
        return shown
    if is_key or not (value is None or isinstance(value, (int, dict, list, tuple))):
        kind = "a key that is not a string" if is_key else f"a value of the type {type(value).__name__}"
        raise AnsibleFilterError(
            f"estate_yaml: {path or 'the data'} contains {kind}, which no estate has: correct the data."
        )
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return "{}" if isinstance(value, dict) else "[]"


def _escaped(character: str, path: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    if 0xD800 <= code <= 0xDFFF:
        raise AnsibleFilterError(
            f"estate_yaml: {path or 'the data'} contains half of a surrogate pair (U+{code:04X}), which no file can contain:"
            " correct the text in the service."
        )
    if code < 0x100:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"


class FilterModule:
    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"estate_yaml": estate_yaml}
