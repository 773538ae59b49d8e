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
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from ansible.module_utils.basic import FILE_COMMON_ARGUMENTS, AnsibleModule
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import Refused, WrongOption
from ansible_collections.scanops.scanner.plugins.module_utils._task import atomic_files as _files
from ansible_collections.scanops.scanner.plugins.module_utils._task.atomic_files import (
    Content,
    Draft,
    content_of,
    store,
)
from hypothesis import given
from hypothesis import strategies as st


class FakeHost(AnsibleModule):
    """As much of a module as files need: its options, of which none is set."""

    def __init__(self, check_mode=False):
        self.check_mode = check_mode
        self.params = {**dict.fromkeys(FILE_COMMON_ARGUMENTS), "unsafe_writes": False}
        self.warnings = []

    def warn(self, warning):
        self.warnings.append(warning)

    def selinux_enabled(self):
        return False

    def selinux_mls_enabled(self):
        return False

    def selinux_initial_context(self):
        return [None] * 3


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


def test_a_file_is_created_with_its_size_and_checksum(dest, tmp_path):
    stored = store(FakeHost(), dest, writes(b"one ", b"two"))
    assert (stored.changed, stored.before, stored.after) == (True, None, Content(7, sha1(b"one two")))
    assert (tmp_path / "report.pdf").read_bytes() == b"one two"
    assert_nothing_left(tmp_path, "report.pdf")


def test_the_same_content_is_not_written_again(dest, tmp_path):
    store(FakeHost(), dest, writes(b"same"))
    inode = os.stat(dest).st_ino
    stored = store(FakeHost(), dest, writes(b"sa", b"me"))
    assert (stored.changed, stored.before) == (False, stored.after)
    assert os.stat(dest).st_ino == inode
    stored = store(FakeHost(), dest, writes(b"other"))
    assert (stored.changed, stored.before) == (True, Content(4, sha1(b"same")))
    assert_nothing_left(tmp_path, "report.pdf")


def test_a_draft_that_begins_again_forgets_what_was_written(dest):
    def fill(draft):
        draft.write(b"a long beginning that breaks off")
        draft.restart()
        draft.write(b"whole")

    assert store(FakeHost(), dest, fill).after == Content(5, sha1(b"whole"))
    assert content_of(dest) == Content(5, sha1(b"whole"))


def test_in_check_mode_nothing_is_written_and_the_content_is_known(dest, tmp_path):
    stored = store(FakeHost(check_mode=True), dest, writes(b"one"))
    assert (stored.changed, stored.after) == (True, Content(3, sha1(b"one")))
    assert_nothing_left(tmp_path)
    store(FakeHost(), dest, writes(b"one"))
    assert not store(FakeHost(check_mode=True), dest, writes(b"one")).changed
    assert store(FakeHost(check_mode=True), dest, writes(b"two")).changed
    assert (tmp_path / "report.pdf").read_bytes() == b"one"


def test_check_mode_assumes_that_an_earlier_task_creates_the_directory(tmp_path):
    host = FakeHost(check_mode=True)
    assert store(host, str(tmp_path / "new" / "report.pdf"), writes(b"x")).changed
    (warning,) = host.warnings
    assert warning.endswith("does not exist yet; check mode assumes that an earlier task creates it.")


@pytest.mark.parametrize("before", [False, True])
def test_what_goes_wrong_in_the_middle_leaves_the_file_as_it_was(dest, tmp_path, before):
    if before:
        store(FakeHost(), dest, writes(b"before"))

    def fill(draft):
        draft.write(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store(FakeHost(), dest, fill)
    assert_nothing_left(tmp_path, *["report.pdf"] * before)
    assert not before or (tmp_path / "report.pdf").read_bytes() == b"before"


def test_a_limit_on_the_size_of_files_is_one_sentence_and_leaves_nothing(dest, tmp_path):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        with pytest.raises(
            Refused, match=r"could not be written \(.*\), and no incomplete file is left: raise the limit"
        ):
            store(FakeHost(), dest, writes(*[b"x" * 65536] * 4))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert_nothing_left(tmp_path)


@pytest.mark.parametrize("function", ["flush", "fsync", "replace"])
def test_a_disk_that_is_full_at_the_end_is_one_sentence_and_leaves_nothing(dest, tmp_path, monkeypatch, function):
    def full(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    if function == "flush":
        monkeypatch.setattr(os, "fdopen", lambda handle, mode: FullOnFlush(handle))
    else:
        monkeypatch.setattr(os, function, full)
    with pytest.raises(
        Refused, match=r"No space left on device\), and no incomplete file is left: free disk space there"
    ):
        store(FakeHost(), dest, writes(b"x"))
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
        (lambda directory: directory / "missing" / "x", "does not exist: create the directory first"),
        (lambda directory: directory, "names a directory: add the name of the file"),
        (lambda directory: f"{directory}/new/", "names a directory"),
        (lambda directory: directory / "file" / "x", "is not a directory: create the directory first"),
        (lambda directory: directory / "pipe", "is not a regular file: give another dest"),
        (lambda directory: directory / ("x" * 300), "has a file name that is too long"),
    ],
)
@pytest.mark.parametrize("check_mode", [False, True])
def test_a_place_that_cannot_hold_a_file_is_refused_before_it_is_filled(tmp_path, make, words, check_mode):
    (tmp_path / "file").write_text("x")
    os.mkfifo(tmp_path / "pipe")
    place = str(make(tmp_path))
    host = FakeHost(check_mode)
    if check_mode and "missing" in place:
        return
    with pytest.raises(WrongOption, match=words):
        store(host, place, lambda draft: pytest.fail("filled"))


@pytest.mark.parametrize("check_mode", [False, True])
def test_a_directory_that_is_not_writable_is_refused_before_it_is_filled(dest, monkeypatch, check_mode):
    # the tests may run as root, who may write everywhere
    monkeypatch.setattr(_files.os, "access", lambda path, wanted: False)
    with pytest.raises(Refused, match="is not writable for the user who runs the task"):
        store(FakeHost(check_mode), dest, lambda draft: pytest.fail("filled"))


def test_a_file_system_that_is_read_only_is_refused_before_it_is_filled(dest, monkeypatch):
    def read_only(**arguments):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(_files.tempfile, "mkstemp", read_only)
    with pytest.raises(Refused, match="Read-only file system"):
        store(FakeHost(), dest, lambda draft: pytest.fail("filled"))


def test_a_file_that_cannot_be_read_is_one_sentence(dest, monkeypatch):
    store(FakeHost(), dest, writes(b"x"))

    def denied(*arguments, **named):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("builtins.open", denied)
    with pytest.raises(Refused, match=r"exists but cannot be read \(Permission denied\)"):
        content_of(dest)


LINKS = {
    "to a file": ["kept"],
    "to an absolute path": ["{directory}/kept"],
    "to a link": ["other", "kept"],
    "to nothing": ["nowhere"],
    "out of the directory": ["../outside"],
}


@given(
    links=st.sampled_from(sorted(LINKS)),
    mode=st.sampled_from([0o600, 0o640, 0o644, 0o604, 0o666]),
    contents=st.lists(st.binary(max_size=4), min_size=1, max_size=4),
)
def test_whatever_is_written_a_link_is_replaced_and_what_it_names_is_left_alone(links, mode, contents):
    with tempfile.TemporaryDirectory() as outside:
        directory = os.path.join(outside, "in")
        dest = os.path.join(directory, "dest")
        os.mkdir(directory)
        for path in (os.path.join(directory, "kept"), os.path.join(outside, "outside")):
            Path(path).write_bytes(b"kept content")
            os.chmod(path, mode)
        names = ["dest", *LINKS[links][:-1]]
        for name, target in zip(names, LINKS[links]):
            os.symlink(target.format(directory=directory), os.path.join(directory, name))
        named = content_of(dest)
        before = named
        for content in contents:
            stored = store(FakeHost(), dest, writes(content))
            assert (stored.changed, stored.before) == (content_of(dest) != before, before)
            assert Path(dest).read_bytes() == content
            before = stored.after
        # a link whose file has the content is left; here none has
        assert not os.path.islink(dest)
        assert stat.S_IMODE(os.lstat(dest).st_mode) == (mode if named else 0o666 & ~umask())
        for path in (os.path.join(directory, "kept"), os.path.join(outside, "outside")):
            assert Path(path).read_bytes() == b"kept content"
            assert stat.S_IMODE(os.stat(path).st_mode) == mode
        assert set(os.listdir(directory)) == {*names, "kept"}


def umask():
    found = os.umask(0o022)
    os.umask(found)
    return found


def test_a_link_to_a_file_with_the_content_is_left(dest, tmp_path):
    (tmp_path / "kept").write_bytes(b"same")
    os.symlink("kept", dest)
    assert not store(FakeHost(), dest, writes(b"same")).changed
    assert os.readlink(dest) == "kept"


@pytest.mark.parametrize("target", ["pipe", "/dev/zero"])
def test_a_link_to_what_is_no_file_is_replaced_and_not_read(dest, tmp_path, target):
    os.mkfifo(tmp_path / "pipe")
    os.symlink(target, dest)
    assert store(FakeHost(), dest, writes(b"new")).before is None
    assert (tmp_path / "report.pdf").read_bytes() == b"new"
    assert not os.path.islink(dest)


def test_the_name_of_a_temporary_file_tells_where_it_comes_from_and_it_is_closed_to_others(dest, tmp_path):
    with Draft(dest) as draft:
        (made,) = tmp_path.iterdir()
        assert str(made) == draft.path
        assert made.name.startswith(".scanops-")
        assert stat.S_IMODE(made.stat().st_mode) == 0o600


# --- what a run that was killed leaves

WRITING = """
import os, sys
sys.path[:0] = {path}
from ansible_collections.scanops.scanner.plugins.module_utils._task.atomic_files import Draft
with Draft(sys.argv[1]) as draft:
    draft.write(b"secret")
    draft._stream.flush()
    print(draft.path, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def another_run(dest):
    """Another process that is writing the same file: (process, path of its draft)."""
    code = WRITING.format(path=[os.fspath(path) for path in sys.path])
    command = [sys.executable, "-c", code, dest]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process, process.stdout.readline().strip()
        process.kill()


def test_the_draft_of_a_run_that_was_killed_is_removed_by_the_next(dest, tmp_path, another_run):
    process, path = another_run
    process.kill()
    process.wait()
    assert Path(path).read_bytes() == b"secret"
    store(FakeHost(check_mode=True), dest, writes(b"new"))
    assert os.path.exists(path)
    store(FakeHost(), dest, writes(b"new"))
    assert_nothing_left(tmp_path, "report.pdf")


def test_the_draft_of_a_run_that_goes_on_is_left_to_it(dest, tmp_path, another_run):
    process, path = another_run
    store(FakeHost(), dest, writes(b"new"))
    assert_nothing_left(tmp_path, "report.pdf", os.path.basename(path))
    process.communicate("")
    assert process.returncode == 0
    assert_nothing_left(tmp_path, "report.pdf")


@pytest.mark.parametrize("what", ["other file", "link", "second name", "directory", "pipe", "other user"])
def test_only_own_drafts_of_the_same_file_are_removed(dest, tmp_path, monkeypatch, what):
    with Draft(dest) as draft:
        left = tmp_path / os.path.basename(draft.path)
    if what == "other file":
        with Draft(str(tmp_path / "other.pdf")) as draft:
            left = tmp_path / os.path.basename(draft.path)
    if what == "directory":
        left.mkdir()
    elif what == "pipe":
        os.mkfifo(left)
    elif what == "link":
        (tmp_path / "named").write_text("kept")
        left.symlink_to("named")
    else:
        left.write_text("kept")
    if what == "second name":
        os.link(left, tmp_path / "second")
    elif what == "other user":
        fstat = os.fstat
        inode = left.stat().st_ino

        def changed(handle):
            found = fstat(handle)
            return os.stat_result((*found[:4], 12345, *found[5:])) if found.st_ino == inode else found

        monkeypatch.setattr(os, "fstat", changed)
    store(FakeHost(), dest, writes(b"new"))
    assert os.path.lexists(left)


def test_a_draft_is_in_use_until_it_has_its_name(dest, tmp_path):
    def replace(source, place):
        _files._sweep(dest)
        os.replace(source, place)

    with Draft(dest) as draft:
        draft.write(b"whole")
        draft.put(replace)
    assert (tmp_path / "report.pdf").read_bytes() == b"whole"


def test_where_files_cannot_be_locked_a_file_is_written_and_no_draft_is_removed(dest, tmp_path, monkeypatch):
    with Draft(dest) as draft:
        left = tmp_path / os.path.basename(draft.path)
    left.write_text("kept")

    def no_locks(*arguments):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(_files.fcntl, "flock", no_locks)
    store(FakeHost(), dest, writes(b"new"))
    assert_nothing_left(tmp_path, "report.pdf", left.name)


def test_a_draft_removed_as_a_leftover_before_its_lock_is_created_again(dest, tmp_path, monkeypatch):
    flock, calls = _files.fcntl.flock, []

    def too_late(handle, how):
        calls.append(handle)
        if len(calls) == 1:
            for path in tmp_path.iterdir():
                path.unlink()
        return flock(handle, how)

    monkeypatch.setattr(_files.fcntl, "flock", too_late)
    with Draft(dest) as draft:
        draft.write(b"whole")
        draft.put()
    assert (tmp_path / "report.pdf").read_bytes() == b"whole"
    assert len(calls) == 2


# --- attributes


def test_attributes_are_a_change_of_existing_files_only(dest, monkeypatch):
    given = True, {"before": {"mode": "0644"}, "after": {"mode": "0600"}}
    monkeypatch.setattr(_files, "give", lambda task, path, **how: given)
    host = FakeHost()
    first = store(host, dest, writes(b"x"))
    assert (first.changed, first.attributes) == (True, {"before": {}, "after": {}})
    second = store(host, dest, writes(b"x"))
    assert (second.changed, second.attributes) == given
    assert store(FakeHost(check_mode=True), dest, writes(b"x")) == second


def test_what_is_called_when_the_file_is_placed_gets_its_content(dest):
    placed = []
    host = FakeHost()
    store(host, dest, writes(b"x"), lambda content: placed.append((content, content_of(dest))))
    assert placed == [(Content(1, sha1(b"x")),) * 2]
    store(FakeHost(check_mode=True), dest, writes(b"y"), placed.append)
    assert len(placed) == 1
