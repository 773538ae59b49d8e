# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os
import re
import unicodedata

import pytest
from ansible_collections.scanops.scanner.plugins.filter.estate_files import estate_files
from hypothesis import given
from hypothesis import strategies as st


def files_of(*names):
    return [entry["name"] for entry in estate_files([{"name": name} for name in names])]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Web shop", "web-shop.yml"),
        ("Ärzte & Apotheken", "arzte-apotheken.yml"),
        ("../../etc/passwd", "etc-passwd.yml"),
        (".hidden", "hidden.yml"),
        ("a" * 200, "a" * 80 + ".yml"),
    ],
)
def test_plain_names(name, expected):
    assert files_of(name) == [expected]


@pytest.mark.parametrize("name", ["Магазин", "🚀", "..", "CON", "com1", "web-shop-0123abcd"])
def test_names_that_need_a_mark(name):
    (file,) = files_of(name)
    assert re.fullmatch(r"[a-z0-9-]+-[0-9a-f]{8}\.yml", file)
    assert file != f"{name.lower()}.yml"


def test_names_that_come_to_the_same_file():
    files = files_of("Web shop", "web-shop", "Lab", "WEB_SHOP")
    assert len(set(files)) == 4
    assert files[2] == "lab.yml"
    # independent of the order and of other names
    assert files_of("WEB_SHOP", "Web shop") == [files[3], files[0]]


def test_nobody_takes_the_file_of_another_by_its_name():
    first, _second = files_of("Web shop", "web-shop")
    taken = first[: -len(".yml")]
    assert len(set(files_of("Web shop", "web-shop", taken))) == 3


def test_workspaces_stay_as_they_are():
    workspaces = [{"name": "A", "targets": ["x"]}, {"name": "B"}]
    assert [entry["workspaces"] for entry in estate_files(workspaces)] == [[workspaces[0]], [workspaces[1]]]


HOSTILE = [
    *("..", ".", "/", "/etc/passwd", "../../etc/passwd", "a/b", "a\\b", "a\0b", "a\nb", "-rf", "~", "~root"),
    *("$HOME", "$(id)", "`id`", "{{ 7 * 7 }}", "{% raw %}", "CON", "nul.txt", " ", ".yml", "a" * 300, "a" * 301),
    *("\u202egnp.exe", "e\u0301", "\u00e9", "A", "a", "a.", "a ", "\ud800", "*", "?", "<script>", "name.yml", "name"),
]


def test_hostile_names_are_files_of_their_own_in_the_directory(tmp_path):
    directory = tmp_path / "estate"
    directory.mkdir()
    files = files_of(*HOSTILE)
    for index, file in enumerate(files):
        (directory / file).write_text(str(index), encoding="utf-8")
    assert sorted(os.listdir(tmp_path)) == ["estate"]
    assert sorted(os.listdir(directory)) == sorted(files)
    assert [(directory / file).read_text(encoding="utf-8") for file in files] == list(map(str, range(len(HOSTILE))))
    # also where a file system does not tell a from A, or one form of a letter from another
    assert len({unicodedata.normalize("NFC", file).casefold() for file in files}) == len(HOSTILE)
    assert [
        file for file in files if not (re.fullmatch(r"[a-z0-9]+(-+[a-z0-9]+)*\.yml", file) and len(file) <= 100)
    ] == []


names = st.one_of(st.text(min_size=1, max_size=6), st.text(alphabet="aA-_ é.", min_size=1, max_size=5))


@given(st.lists(names, unique=True, max_size=12))
def test_any_names_give_files_of_their_own_that_every_file_system_takes(given_names):
    files = files_of(*given_names)
    assert len(set(files)) == len(given_names)
    assert [
        file for file in files if not (re.fullmatch(r"[a-z0-9]+(-+[a-z0-9]+)*\.yml", file) and len(file) <= 100)
    ] == []
