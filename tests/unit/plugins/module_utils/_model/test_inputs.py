# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One reader for every file that decides: it waits for nothing, and reads what was judged."""

from __future__ import annotations

import gzip
import os

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._model import inputs
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import WrongOption
from ansible_collections.scanops.scanner.plugins.module_utils._model.inputs import content_of, text_in


def refused(path, **more) -> str:
    with pytest.raises(WrongOption) as caught:
        content_of(str(path), "the_option", **more)
    assert str(caught.value).startswith("the_option ")
    return str(caught.value)


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_is_read(tmp_path, packed):
    path = tmp_path / "file"
    path.write_bytes(gzip.compress(b"some text") if packed else b"some text")
    assert content_of(str(path), "the_option") == b"some text"
    assert "is larger than 0 MiB" in refused(path, longest=8)
    assert content_of(str(tmp_path / "missing"), "the_option") is None


@pytest.mark.parametrize(
    "make, said",
    [
        (os.mkfifo, "is not a regular file"),
        (os.mkdir, "is a directory"),
        (lambda path: os.symlink("/dev/zero", path), "is not a regular file"),
        (lambda path: os.symlink("file", path), "cannot be read (Too many levels of symbolic links)"),
    ],
)
def test_what_is_no_file_is_refused_without_waiting(tmp_path, make, said):
    make(tmp_path / "file")
    assert said in refused(tmp_path / "file")


def test_a_link_that_leads_nowhere_is_named(tmp_path):
    path = str(tmp_path / "file")
    with pytest.raises(WrongOption, match=r"^the_option '.*file' does not exist: correct the path\.$"):
        text_in(path, "the_option")
    os.symlink("/nowhere", path)
    with pytest.raises(
        WrongOption, match=r"^the_option '.*file' is a link that leads nowhere: correct or remove it\.$"
    ):
        text_in(path, "the_option")


def test_a_path_that_no_file_can_have_is_refused(tmp_path):
    assert "cannot be read (embedded null byte)" in refused(f"{tmp_path}/a\0b")


@pytest.mark.parametrize("damage", [lambda packed: packed[:-9], lambda packed: packed[:10] + b"\xff" * 40])
def test_a_damaged_packed_file_is_refused(tmp_path, damage):
    path = tmp_path / "file"
    path.write_bytes(damage(gzip.compress(b"some text" * 100)))
    assert "is damaged or ends early: fetch it again" in refused(path)


@pytest.mark.parametrize("becomes", ["another file", "no file"])
def test_a_file_that_is_replaced_while_it_is_read_is_refused(tmp_path, monkeypatch, becomes):
    """Otherwise somebody could have their file read, and one of mine judged."""
    path = tmp_path / "file"
    path.write_text("theirs")
    real = inputs.refuse_untrusted

    def judge(*judged):
        path.unlink()
        if becomes == "another file":
            path.write_text("mine")
        real(*judged)

    monkeypatch.setattr(inputs, "refuse_untrusted", judge)
    if becomes == "no file":
        assert content_of(str(path), "the_option") is None
    else:
        assert "was replaced while it was read" in refused(path)


def test_a_text_is_read_without_its_byte_order_mark(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"\xef\xbb\xbftext")
    assert text_in(str(path), "the_option") == "text"
    path.write_bytes(b"\xff\xfet\0")
    with pytest.raises(WrongOption, match=r"the_option '.*file' is not encoded in UTF-8: save it as UTF-8\."):
        text_in(str(path), "the_option")
