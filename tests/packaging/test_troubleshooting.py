# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The messages that the guide on troubleshooting quotes exist in the code."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
PAGE = (CHECKOUT / "docs" / "docsite" / "rst" / "guide_troubleshooting.rst").read_text(encoding="utf-8")
# the first cell of each row
QUOTED = re.findall(r"^   \* - ``(.+)``$", PAGE, re.MULTILINE)
TEXTS = [
    node.value
    for path in (CHECKOUT / "plugins").rglob("*.py")
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    if isinstance(node, ast.Constant) and isinstance(node.value, str)
]


def test_the_guide_quotes_fifteen_messages():
    assert len(QUOTED) == len(set(QUOTED)) == 15


@pytest.mark.parametrize("message", QUOTED)
def test_a_quoted_message_exists(message):
    for fragment in filter(None, (part.strip() for part in message.split("…"))):
        assert any(fragment in text for text in TEXTS), fragment
