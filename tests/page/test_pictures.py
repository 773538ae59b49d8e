# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The program of the session page-pictures still runs, and its pictures show what they should."""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "tests" / "page"))
import pictures  # noqa: E402
from browser import find_chromium  # noqa: E402

CHROMIUM = find_chromium()
LARGEST = 250_000


def size(png):
    """The width and the height of a PNG."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    return struct.unpack(">II", png[16:24])


def sizes(pngs):
    assert max(map(len, pngs.values())) < LARGEST
    return {name: size(png) for name, png in pngs.items()}


SIZES = {name: (scene["width"], scene["height"]) for name, scene in pictures.SCENES.items()}


def test_all_pictures_of_the_page_are_taken_by_the_program():
    assert sizes({path.stem: path.read_bytes() for path in pictures.PICTURES.glob("*.png")}) == SIZES


@pytest.mark.skipif(
    CHROMIUM is None, reason="No Chromium or Chrome was found: install one, or set CHROMIUM to its path"
)
def test_the_pictures_can_be_taken_again(tmp_path):
    page = pictures.write_page(tmp_path)
    assert sizes(pictures.take(page, CHROMIUM)) == SIZES
    document = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))
    # the same in each run
    assert document["generated"] == "2026-11-22T10:00:00Z"
    assert (document["outcome"], document["coverage"]) == ("findings", "complete")
    assert {each["change"] for each in document["findings"]} == {"new", "known", "reopened", "worse"}
    text = page.read_text(encoding="utf-8")
    assert not [path for path in (CHECKOUT, tmp_path) if str(path) in text]
