# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The pictures of the documentation show what the commands print now."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
_spec = importlib.util.spec_from_file_location("make_pictures", HERE / "__main__.py")
pictures = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(pictures)

FILES = sorted(pictures.PICTURES.glob("*.svg"))


def test_the_pictures_show_what_the_commands_print():
    assert pictures.differing() == [], "run nox -s pictures"


def test_the_plot_shows_what_was_measured():
    assert pictures.plot.MEASURED.with_suffix(".svg").read_text(encoding="utf-8") == pictures.plot.plot(), (
        "run nox -s pictures"
    )


def test_text_that_a_command_prints_can_be_copied_from_its_picture():
    svg = pictures.picture("\x1b[0;33mchanged: <a> & b\x1b[0m  end\n\nsecond", "t", "d")
    assert pictures.text_of(svg) == "changed: <a> & b  end\nsecond\n"
    assert '<tspan class="yellow"' in svg


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_picture_stands_alone(path):
    root = ElementTree.parse(path).getroot()
    names = [element.tag.rpartition("}")[2] for element in root.iter()]
    assert {"title", "desc", "style"} <= set(names)
    assert "script" not in names and "image" not in names
    text = path.read_text(encoding="utf-8")
    assert "prefers-color-scheme: dark" in text
    # an address that a command prints is text; none is loaded
    loaded = [value for element in root.iter() for value in element.attrib.values() if "http" in value]
    assert loaded == [] and "@import" not in text
    # a mark of the picture itself may be used
    assert "url(" not in text.replace("url(#", "")
