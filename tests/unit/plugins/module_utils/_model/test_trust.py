# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files that others can write are refused by one rule, wherever they decide anything."""

from __future__ import annotations

import os

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._model import trust
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import WrongOption
from ansible_collections.scanops.scanner.plugins.module_utils._model.trust import refuse_untrusted
from ansible_collections.scanops.scanner.plugins.module_utils._scope.file import read_scope_file

OTHER = 12345
EVERY_MODE = [0o600, 0o644, 0o664, 0o666, 0o646, 0o602, 0o777]


@pytest.fixture
def owned(monkeypatch):
    """Give a path to another user, as the file system shows it."""
    given = set()
    real = os.lstat

    def lstat(path, **more):
        found = real(path, **more)
        if str(path) in given:
            found = os.stat_result([*found[:4], OTHER, *found[5:]])
        return found

    monkeypatch.setattr(trust.os, "lstat", lstat)
    return lambda path: given.add(str(path))


@pytest.fixture
def linked(tmp_path):
    """A public directory with a link to a file of mine, and my directory with a link to that one."""
    shared, mine = tmp_path / "shared", tmp_path / "mine"
    shared.mkdir()
    mine.mkdir()
    (mine / "file").write_text("x")
    (shared / "hop").symlink_to(mine / "file")
    (mine / "link").symlink_to(shared / "hop")
    return shared, mine


def refused(path) -> str:
    try:
        refuse_untrusted(str(path), "the_option")
    except WrongOption as error:
        assert str(error).startswith(f"the_option {str(path)!r}")
        return str(error)
    return ""


@pytest.mark.parametrize("foreign", [False, True])
@pytest.mark.parametrize("mode", EVERY_MODE)
@pytest.mark.parametrize("directory", [0o700, 0o755, 0o775, 0o777, 0o1777, 0o757])
def test_the_rule(tmp_path, owned, directory, mode, foreign):
    place = tmp_path / "place"
    place.mkdir()
    path = place / "file"
    path.write_text("x")
    path.chmod(mode)
    place.chmod(directory)
    if foreign:
        owned(path)
    open_to_all, sticky = bool(directory & 0o002), bool(directory & 0o1000)
    expected = bool(mode & 0o002) or (open_to_all and (not sticky or foreign))
    assert bool(refused(path)) is expected


def test_the_advice_fits_mounts_where_chmod_changes_nothing(tmp_path):
    path = tmp_path / "file"
    path.write_text("x")
    path.chmod(0o777)
    said = refused(path)
    assert "chmod o-w" in said and "WSL" in said and "umask=022" in said and "Vagrant" in said and "dmode=755" in said


def test_a_file_that_does_not_exist_is_judged_by_its_directory(tmp_path):
    assert not refused(tmp_path / "new")
    tmp_path.chmod(0o1777)
    assert not refused(tmp_path / "new")
    tmp_path.chmod(0o777)
    assert "every user can write in" in refused(tmp_path / "new")
    assert not refused(tmp_path / "missing" / "new")


def test_each_link_on_the_way_counts(linked, owned):
    shared, mine = linked
    shared.chmod(0o1777)
    assert not refused(mine / "link")
    owned(shared / "hop")
    assert "belongs to another user" in refused(mine / "link")


def test_a_linked_directory_counts(tmp_path, owned):
    shared, mine = tmp_path / "shared", tmp_path / "mine"
    (shared / "estate").mkdir(parents=True)
    mine.mkdir()
    (shared / "estate" / "file").write_text("x")
    (mine / "estate").symlink_to(shared / "estate")
    shared.chmod(0o1777)
    assert not refused(mine / "estate" / "file")
    owned(shared / "estate")
    assert "belongs to another user" in refused(mine / "estate" / "file")


@pytest.mark.parametrize("path", ["shared/hop/../file", "mine/link"])
def test_a_link_before_two_dots_counts(tmp_path, owned, path):
    """A shortened path does not have the link that somebody else has put into a public directory."""
    shared, mine = tmp_path / "shared", tmp_path / "mine"
    shared.mkdir()
    (mine / "below").mkdir(parents=True)
    (mine / "file").write_text("x")
    (shared / "hop").symlink_to(mine / "below")
    (mine / "link").symlink_to(f"{shared}/hop/../file")
    shared.chmod(0o1777)
    assert not refused(f"{tmp_path}/{path}")
    owned(shared / "hop")
    assert "belongs to another user" in refused(f"{tmp_path}/{path}")


def test_a_link_on_the_way_that_everybody_can_replace_counts(linked):
    shared, mine = linked
    assert not refused(mine / "link")
    shared.chmod(0o777)
    assert "every user can write in" in refused(mine / "link")


def test_nobody_is_told_to_close_the_directory_of_temporary_files(tmp_path):
    tmp_path.chmod(0o1777)
    assert "use a directory of your own below it" in refused(tmp_path)
    assert "chmod" not in refused(tmp_path)


def test_a_path_without_meaning_is_left_to_whoever_reads_it(tmp_path):
    assert not refused(f"{tmp_path}/a\0b")


def test_a_circle_of_links_ends(tmp_path):
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    assert not refused(tmp_path / "a")


def test_a_checkout_of_another_user_is_trusted(tmp_path, owned):
    path = tmp_path / "file"
    path.write_text("x")
    owned(path)
    owned(tmp_path)
    assert not refused(path)


@pytest.mark.parametrize("mode, directory", [(0o666, 0o755), (0o644, 0o777)])
def test_a_scope_file_that_everybody_can_write_is_refused(tmp_path, mode, directory):
    path = tmp_path / "scope.yml"
    path.write_text("allow: [allowed.example]\n")
    assert read_scope_file(str(path)).verdict("allowed.example") is None
    path.chmod(mode)
    tmp_path.chmod(directory)
    with pytest.raises(WrongOption, match=r"SCANNER_SCOPE_FILE '.*scope\.yml' can"):
        read_scope_file(str(path))
