# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The exports of one document, as files in golden/ that people can compare."""

from __future__ import annotations

import json

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.markdown import comment
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.registry import FORMATS
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils._gate.export_readers import (
    check_golden,
    written,
)
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_documents import VALUES, WAIVER, mixed

GONE = VALUES["GONE"]
# the page has tests of its own, and gate.json is the document
NAMES = sorted({"comment", *FORMATS} - {"html", "json"})


def whole():
    """A document with everything that a format shows."""
    of = mixed()
    of["baseline"]["state"] = "read"
    first, second, third = of["findings"][1:4]
    first["references"] = second["references"] = ["https://user:secret@example.com/3des"]
    third["cve"] = ["N/A", "CVE-2024-1000"]
    of["counts"].update(gone=1, unseen=1)
    of["gone"] = [GONE]
    of["unseen"] = [{**GONE, "name": "SQL injection", "reason": "not seen by this scan (light): fewer tests"}]
    of["waivers"] = {
        "expired": [WAIVER],
        "unused": [{**WAIVER, "line": 9}],
        "doubled": [],
        "ending": [{**WAIVER, "days": 13}],
    }
    of["owners"] = {"path": "owners.yml", "unowned": ["www.example.com"]}
    for each in of["findings"]:
        if each["target"] == "api.example.com":
            each.update(team="Payments", contact="pay@example.com", channel="#pay")
        elif each["target"] != "www.example.com":
            each.update(team="Shop")
        each["due"] = "2026-12-24" if each["state"] in ("known", "below") else None
    return of


@pytest.mark.parametrize("name", NAMES)
def test_an_export_is_the_golden_file(name):
    (text,) = [comment(whole())] if name == "comment" else written(name, whole())
    if text.startswith("{"):
        text = json.dumps(json.loads(text), indent=1, ensure_ascii=False) + "\n"
    check_golden("comment.md" if name == "comment" else FORMATS[name].name, text)
