# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
import resource
import stat
from types import SimpleNamespace

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils import _files
from ansible_collections.scanops.scanner.plugins.module_utils._errors import Refused
from ansible_collections.scanops.scanner.plugins.module_utils._files import Content, Draft, content_of, store


class FakeTask:
    """As much of a task as files need."""

    def __init__(self, check_mode=False):
        self.check_mode = check_mode
        self.foreseen = []
        self.attributes = (False, {"before": {}, "after": {}})

    def warn_foreseen(self, what):
        self.foreseen.append(what)

    def replace_file(self, source, dest):
        os.replace(source, dest)

    def give_attributes(self, path, pretend=False):
        assert os.path.exists(path)
        return self.attributes


@pytest.fixture
def dest(tmp_path):
    return str(tmp_path / "report.pdf")


def writes(*pieces):
    def fill(draft):
        for piece in pieces:
            draft.write(piece)

    return fill


def sha1(data):
    return hashlib.sha1(data).hexdigest()


def assert_nothing_left(tmp_path, *names):
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)


def test_a_file_is_made_with_its_size_and_checksum(dest, tmp_path):
    stored = store(FakeTask(), dest, writes(b"one ", b"two"))
    assert (stored.changed, stored.before, stored.after) == (True, None, Content(7, sha1(b"one two")))
    assert (tmp_path / "report.pdf").read_bytes() == b"one two"
    assert_nothing_left(tmp_path, "report.pdf")


def test_the_same_content_is_not_written_again(dest, tmp_path):
    store(FakeTask(), dest, writes(b"same"))
    inode = os.stat(dest).st_ino
    stored = store(FakeTask(), dest, writes(b"sa", b"me"))
    assert (stored.changed, stored.before) == (False, stored.after)
    assert os.stat(dest).st_ino == inode
    stored = store(FakeTask(), dest, writes(b"other"))
    assert (stored.changed, stored.before) == (True, Content(4, sha1(b"same")))
    assert_nothing_left(tmp_path, "report.pdf")


def test_a_draft_that_begins_again_forgets_what_was_written(dest):
    def fill(draft):
        draft.write(b"a long beginning that breaks off")
        draft.restart()
        draft.write(b"whole")

    assert store(FakeTask(), dest, fill).after == Content(5, sha1(b"whole"))
    assert content_of(dest) == Content(5, sha1(b"whole"))


def test_in_check_mode_nothing_is_written_and_the_content_is_known(dest, tmp_path):
    stored = store(FakeTask(check_mode=True), dest, writes(b"one"))
    assert (stored.changed, stored.after) == (True, Content(3, sha1(b"one")))
    assert_nothing_left(tmp_path)
    store(FakeTask(), dest, writes(b"one"))
    assert not store(FakeTask(check_mode=True), dest, writes(b"one")).changed
    assert store(FakeTask(check_mode=True), dest, writes(b"two")).changed
    assert (tmp_path / "report.pdf").read_bytes() == b"one"


def test_in_check_mode_a_folder_that_an_earlier_task_would_make_is_foreseen(tmp_path):
    task = FakeTask(check_mode=True)
    assert store(task, str(tmp_path / "new" / "report.pdf"), writes(b"x")).changed
    assert len(task.foreseen) == 1


@pytest.mark.parametrize("before", [False, True])
def test_what_goes_wrong_in_the_middle_leaves_the_file_as_it_was(dest, tmp_path, before):
    if before:
        store(FakeTask(), dest, writes(b"before"))

    def fill(draft):
        draft.write(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store(FakeTask(), dest, fill)
    assert_nothing_left(tmp_path, *["report.pdf"] * before)
    assert not before or (tmp_path / "report.pdf").read_bytes() == b"before"


def test_a_limit_on_the_size_of_files_is_one_sentence_and_leaves_nothing(dest, tmp_path):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        with pytest.raises(Refused, match=r"could not be written \(.*\), and no part of it is left: raise the limit"):
            store(FakeTask(), dest, writes(*[b"x" * 65536] * 4))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert_nothing_left(tmp_path)


@pytest.mark.parametrize("function", ["flush", "fsync", "replace"])
def test_a_disk_that_is_full_at_the_end_is_one_sentence_and_leaves_nothing(dest, tmp_path, monkeypatch, function):
    def full(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    task = FakeTask()
    if function == "replace":
        task.replace_file = full
    elif function == "fsync":
        monkeypatch.setattr(_files.os, "fsync", full)
    else:
        monkeypatch.setattr(_files.os, "fdopen", lambda handle, mode: FullOnFlush(handle))
    with pytest.raises(Refused, match=r"No space left on device\), and no part of it is left: make room there"):
        store(task, dest, writes(b"x"))
    assert_nothing_left(tmp_path)


class FullOnFlush:
    """A stream that takes everything and finds no room when it has to write it out."""

    def __init__(self, handle):
        self.handle = handle

    def write(self, piece):
        return len(piece)

    def flush(self):
        raise OSError(errno.ENOSPC, "No space left on device")

    def fileno(self):
        return self.handle

    def close(self):
        os.close(self.handle)
        self.flush()


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda folder: folder / "missing" / "x", "is not there: make the folder first"),
        (lambda folder: folder, "names a folder: add the name of the file"),
        (lambda folder: f"{folder}/new/", "names a folder"),
        (lambda folder: folder / "file" / "x", "is no folder: make the folder first"),
        (lambda folder: folder / "pipe", "is no regular file: give another dest"),
        (lambda folder: folder / ("x" * 300), "longer than a name may be"),
    ],
)
@pytest.mark.parametrize("check_mode", [False, True])
def test_a_place_that_cannot_hold_a_file_is_refused_before_it_is_filled(tmp_path, make, words, check_mode):
    (tmp_path / "file").write_text("x")
    os.mkfifo(tmp_path / "pipe")
    place = str(make(tmp_path))
    task = FakeTask(check_mode)
    if check_mode and "missing" in place:
        return
    with pytest.raises(Refused, match=words):
        store(task, place, lambda draft: pytest.fail("filled"))


@pytest.mark.parametrize("check_mode", [False, True])
def test_a_folder_that_is_not_writable_is_refused_before_it_is_filled(dest, monkeypatch, check_mode):
    # the tests may run as root, who may write everywhere
    monkeypatch.setattr(_files.os, "access", lambda path, wanted: False)
    with pytest.raises(Refused, match="is not writable for the user who runs the task"):
        store(FakeTask(check_mode), dest, lambda draft: pytest.fail("filled"))


def test_a_file_system_that_is_read_only_is_refused_before_it_is_filled(dest, monkeypatch):
    def read_only(**arguments):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(_files.tempfile, "mkstemp", read_only)
    with pytest.raises(Refused, match="Read-only file system"):
        store(FakeTask(), dest, lambda draft: pytest.fail("filled"))


def test_a_file_that_cannot_be_read_is_one_sentence(dest, monkeypatch):
    store(FakeTask(), dest, writes(b"x"))

    def denied(*arguments):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("builtins.open", denied)
    with pytest.raises(Refused, match=r"is there and cannot be read \(Permission denied\)"):
        content_of(dest)


def test_a_link_is_replaced_and_not_followed(dest, tmp_path):
    (tmp_path / "elsewhere").write_bytes(b"kept")
    os.symlink(tmp_path / "elsewhere", dest)
    store(FakeTask(), dest, writes(b"new"))
    assert not os.path.islink(dest)
    assert (tmp_path / "elsewhere").read_bytes() == b"kept"


def test_the_name_of_a_temporary_file_tells_where_it_comes_from_and_it_is_closed_to_others(dest, tmp_path):
    with Draft(dest) as draft:
        (made,) = tmp_path.iterdir()
        assert str(made) == draft.path
        assert made.name.startswith(".scanops-")
        assert stat.S_IMODE(made.stat().st_mode) == 0o600


def test_attributes_are_a_change_only_of_a_file_that_was_there(dest):
    task = FakeTask()
    task.attributes = (True, {"before": {"mode": "0644"}, "after": {"mode": "0600"}})
    first = store(task, dest, writes(b"x"))
    assert (first.changed, first.attributes) == (True, {"before": {}, "after": {}})
    second = store(task, dest, writes(b"x"))
    assert (second.changed, second.attributes) == (True, task.attributes[1])
    check = FakeTask(check_mode=True)
    check.attributes = task.attributes
    assert store(check, dest, writes(b"x")) == second


def test_what_is_called_when_the_file_is_placed_gets_its_content(dest):
    placed = []
    task = FakeTask()
    store(task, dest, writes(b"x"), lambda content: placed.append((content, content_of(dest))))
    assert placed == [(Content(1, sha1(b"x")),) * 2]
    store(FakeTask(check_mode=True), dest, writes(b"y"), placed.append)
    assert len(placed) == 1


def test_only_a_file_that_nobody_else_can_write_is_one_s_own(dest, tmp_path, monkeypatch):
    assert not _files.is_own_file(dest)
    store(FakeTask(), dest, writes(b"x"))
    assert _files.is_own_file(dest)
    os.chmod(dest, 0o622)
    assert not _files.is_own_file(dest)
    os.chmod(dest, 0o600)
    os.symlink(dest, tmp_path / "link")
    assert not _files.is_own_file(str(tmp_path / "link"))
    found = SimpleNamespace(st_mode=os.lstat(dest).st_mode, st_uid=os.geteuid() + 1)
    monkeypatch.setattr(_files.os, "lstat", lambda path: found)
    assert not _files.is_own_file(dest)
