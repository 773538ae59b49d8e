# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os
import stat
import time

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._bulk import progress as _progress
from ansible_collections.scanops.scanner.plugins.module_utils._bulk.progress import NAME, Progress, Snapshot


@pytest.fixture
def path(tmp_path):
    return _progress.create(str(tmp_path))


def test_the_file_is_readable_by_its_owner_only(path):
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert _progress.read(path) is None


def test_a_reported_progress_is_read(path, tmp_path):
    progress = Progress(str(tmp_path))
    progress.report(3, 1000, 1)
    assert _progress.read(path) == Snapshot(3, 1000, 1, None)
    progress.waits(60)
    snapshot = _progress.read(path)
    assert snapshot[:3] == (3, 1000, 1)
    assert 55 < snapshot.until - time.time() < 61
    progress.report(4, 1000, 1)
    assert _progress.read(path) == Snapshot(4, 1000, 1, None)
    progress.close()


def test_a_short_pause_is_no_wait(path, tmp_path):
    progress = Progress(str(tmp_path))
    progress.report(3, 1000, 1)
    progress.waits(0.5)
    assert _progress.read(path).until is None
    progress.close()


@pytest.mark.parametrize("directory", [None, "", "missing"])
def test_without_a_file_nothing_is_reported_and_nothing_fails(tmp_path, directory):
    progress = Progress(directory and str(tmp_path / directory))
    progress.report(1, 2, 0)
    progress.waits(60)
    progress.close()
    assert list(tmp_path.iterdir()) == []


def test_no_other_file_is_written_to(tmp_path):
    other = tmp_path / "other"
    other.write_text("kept")
    other.chmod(0o600)
    (tmp_path / NAME).symlink_to(other)
    with_link = Progress(str(tmp_path))
    with_link.report(1, 2, 0)
    (tmp_path / NAME).unlink()
    (tmp_path / NAME).write_text("kept")
    (tmp_path / NAME).chmod(0o644)
    Progress(str(tmp_path)).report(1, 2, 0)
    assert other.read_text() == (tmp_path / NAME).read_text() == "kept"


def test_a_file_that_exists_is_not_taken_over(tmp_path):
    (tmp_path / NAME).write_text("kept")
    with pytest.raises(OSError):
        _progress.create(str(tmp_path))


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "7", "null", '{"done": 1}', '{"done": 1, "total": 2, "failed": 0, "x": 1}']
)
def test_what_is_no_progress_is_not_read(tmp_path, text):
    file = tmp_path / NAME
    file.write_text(text)
    assert _progress.read(str(file)) is None
    assert _progress.read(str(tmp_path / "missing")) is None
