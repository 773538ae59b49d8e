# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Conditions in roles and playbooks can be read by every release of ansible-core.

Some put a condition between ``{% if`` and ``%}``, where Jinja takes no inline if without parentheses around it.
"""

from __future__ import annotations

import jinja2
import pytest
import yaml
from ansible_collections.scanops.scanner.tests.unit.conventions.collection import ROOT

KEYS = {"when", "that", "until", "failed_when", "changed_when"}
FILES = sorted(
    path
    for directory in ("roles", "playbooks", "tests/integration/targets")
    for path in (ROOT / directory).rglob("*.yml")
    if not {"files", "templates", "meta"} & set(path.relative_to(ROOT).parts)
)


class Loader(yaml.SafeLoader):
    """Reads tags such as !unsafe as what follows them."""


Loader.add_multi_constructor("!", lambda loader, suffix, node: loader.construct_scalar(node))


def conditions(value):
    """Each condition anywhere in tasks and plays, as text."""
    if isinstance(value, list):
        for each in value:
            yield from conditions(each)
    elif isinstance(value, dict):
        for name, each in value.items():
            if name in KEYS:
                yield from (text for text in (each if isinstance(each, list) else [each]) if isinstance(text, str))
            else:
                yield from conditions(each)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_condition_can_be_read_by_every_release(path):
    for text in conditions(list(yaml.load_all(path.read_text(encoding="utf-8"), Loader))):
        # a whole template is a condition of its own, which other checks refuse
        if not text.strip().startswith("{{"):
            jinja2.Environment().parse(f"{{% if {text} %}}{{% endif %}}")
