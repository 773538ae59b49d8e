# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which line of an estate file declares a target."""

from __future__ import annotations

import sys

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.sarif import locations_of
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import WrongOption


def target_lines(text, path="x.yml"):
    return {name: number for name, (_path, number) in locations_of([(path, text)]).items()}


ESTATE = """---
# the estate
secret: !vault |
  $ANSIBLE_VAULT
estate:
  - name: Web shop
    targets:
      - https://Shop.example.com:443/
      - name: api.example.com
        description: The API
      - "{{ extra }}"
  - name: Lab
    targets: &lab
      - {description: first, name: 192.0.2.7}
      - api.example.com
---
scan_gate_targets: [a.example, b.example]
again:
  targets: *lab
other:
  - c.example
targets: d.example
"""


def test_each_target_has_the_line_that_declares_it_first():
    assert target_lines(ESTATE.replace("  targets: *lab\n", "")) == {
        "https://shop.example.com": 8,
        "api.example.com": 9,
        "{{ extra }}": 11,
        "192.0.2.7": 14,
        "a.example": 17,
        "b.example": 17,
    }


def test_an_anchor_is_read_once():
    text = "a: &a\n  targets: [x.example]\nb: [*a, *a, *a]\n"
    assert target_lines(text) == {"x.example": 2}
    loop = "a: &a\n  targets:\n    - x.example\n  self: *a\n"
    assert target_lines(loop) == {"x.example": 3}


def test_the_first_file_counts():
    files = [("one.yml", "targets: [a.example]"), ("two.yml", "x:\n  targets: [A.example, b.example]")]
    assert locations_of(files) == {"a.example": ("one.yml", 1), "b.example": ("two.yml", 2)}


@pytest.mark.parametrize("text", ["", "# nothing", "[]", "7", "targets:", "targets: {a: b}", "? [a, b]\n: c"])
def test_a_file_without_targets_has_none(text):
    assert target_lines(text) == {}


@pytest.mark.parametrize("text", ["a: [", "\tb: c", "a: b\n- c", "a: \x00", "targets: *gone", "[" * 5000])
def test_a_file_that_is_not_yaml_is_named(text):
    with pytest.raises(WrongOption, match=r"estate file 'x\.yml' is not valid YAML .*estate_files"):
        target_lines(text)


def test_without_pyyaml_the_message_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(WrongOption, match="needs the Python library PyYAML"):
        target_lines("targets: []")
