# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Who can read the files that modules write: at every moment, and whoever made the file that is replaced."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.watched import watched
from ansible_collections.scanops.scanner.tests.unit.sampling import pairs

REPORT = dict(source="scans", resources=[40001], format="pdf")
WRITERS = {
    "report": ("report", dict(REPORT, dest="kept")),
    "scan_output": ("scan_output", dict(id=40001, dest="kept")),
    "scan_output raw": ("scan_output", dict(id=40001, format="raw", dest="kept")),
    "finding_info": ("finding_info", dict(workspace="Web shop", dest="kept")),
}


@pytest.fixture(autouse=True)
def _umask():
    before = os.umask(0o022)
    yield
    assert os.umask(before) == 0o022


@pytest.fixture
def shared(workplace):
    """The directory of the files is one like /tmp."""
    os.chmod(workplace, 0o1777)
    return workplace


def good(result):
    assert not result.failed, result.msg
    return result


def mode_of(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


def write(run, writer, **options):
    module, fixed = WRITERS[writer]
    return run(module, **fixed, **options)


def put_before(mode):
    Path("kept").write_text("what was there before")
    os.chmod("kept", mode)
    return os.stat("kept").st_ino


# --- at every moment


MODES = {"u=rw,go=": 0o600, "0600": 0o600, "0640": 0o640, "u=r,g=,o=": 0o400}


@pytest.mark.parametrize("mode, before", pairs(list(MODES), [None, 0o644, 0o666, 0o600]), ids=str)
@pytest.mark.parametrize("writer", WRITERS)
def test_new_content_never_has_wider_rights_than_declared(account, run, writer, mode, before):
    expected = MODES[mode]
    old = None if before is None else put_before(before)
    with watched() as states:
        good(write(run, writer, mode=mode))
    assert mode_of("kept") == expected
    new = {seen for seen in states if seen.size and seen.inode != old and seen.name != "kept.txt"}
    assert {seen.name for seen in new} > {"kept"}
    assert {seen for seen in new if seen.mode & ~(expected | 0o600)} == set()


@pytest.mark.parametrize("before, expected", [(None, 0o644), (0o600, 0o600), (0o604, 0o604), (0o666, 0o666)])
@pytest.mark.parametrize("writer", WRITERS)
def test_without_a_mode_new_content_never_has_wider_rights_than_the_default(account, run, writer, before, expected):
    old = None if before is None else put_before(before)
    with watched() as states:
        good(write(run, writer))
    assert mode_of("kept") == expected
    new = {seen for seen in states if seen.size and seen.inode != old and seen.name != "kept.txt"}
    assert {seen for seen in new if seen.mode & ~(expected | 0o600)} == set()


def test_the_note_of_a_report_is_never_open_to_others(account, run):
    with watched() as states:
        good(run("report", **REPORT, dest="kept", mode="0644"))
    notes = {seen for seen in states if seen.size and seen.name.endswith(".request.json")}
    assert notes
    assert {seen.mode for seen in notes} == {0o600}


@pytest.mark.parametrize("check", [True, False])
def test_the_difference_of_a_replaced_file_is_that_of_check_mode(account, run, check):
    put_before(0o664)
    result = good(write(run, "scan_output", check=check, mode="u=rw,go="))
    assert (result.diff["before"]["mode"], result.diff["after"]["mode"]) == ("0664", "0600")


@pytest.mark.parametrize("writer", WRITERS)
def test_an_owner_that_cannot_be_set_is_refused_before_any_call(account, run, monkeypatch, writer):
    def denied(*arguments):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    put_before(0o644)
    monkeypatch.setattr("os.lchown", denied)
    result = write(run, writer, owner=str(os.geteuid() + 1))
    assert result.failed
    assert "cannot be set (chown failed" in result.msg
    assert account.calls() == []
    assert Path("kept").read_text() == "what was there before"
    assert sorted(os.listdir()) == ["kept", "kept.txt"]


@pytest.mark.parametrize("mode, expected", [(None, [b"list"]), ("0644", [b"list"]), ("0600", [])])
def test_an_access_control_list_is_kept_where_nothing_else_is_declared(account, run, monkeypatch, mode, expected):
    given = []
    monkeypatch.setattr(os, "getxattr", lambda path, name: b"list", raising=False)
    monkeypatch.setattr(os, "setxattr", lambda path, name, value: given.append(value), raising=False)
    put_before(0o644)
    good(write(run, "scan_output", **({} if mode is None else {"mode": mode})))
    assert given == expected


# --- a place that another user could have prepared

PLACES = {
    **WRITERS,
    "coverage_info": ("coverage_info", dict(workspace="Web shop", dest="kept.csv")),
    "gate": ("gate", dict(workspace="Web shop", artifacts="kept")),
    "recording": ("service_verification", dict(record="kept")),
}


def path_of(place):
    _module, options = PLACES[place]
    return options.get("dest") or options.get("record") or options["artifacts"]


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("more", [{}, {"owner": str(os.geteuid())}], ids=["", "with owner"])
@pytest.mark.parametrize("kind", ["file", "link", "dead link"])
@pytest.mark.parametrize("writer", PLACES)
def test_a_file_of_another_user_where_everybody_may_write_is_refused(
    account, run, shared, foreign, writer, kind, more, check
):
    (module, options), path = PLACES[writer], path_of(writer)
    if writer == "recording":
        more = {}
    if kind == "file":
        Path(path).write_text("what was there before")
    else:
        os.symlink("kept.txt" if kind == "link" else "nowhere", path)
    foreign(path)
    result = run(module, check=check, **options, **more)
    assert result.failed
    assert f"{path!r} cannot be trusted, because '{os.getcwd()}/{path}' belongs to another user" in result.msg
    assert "use a directory that only you or root can write in, or correct the owner." in result.msg
    assert account.calls() == []
    assert sorted(os.listdir()) == sorted([path, "kept.txt"])


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("writer", PLACES)
def test_a_directory_in_which_everybody_can_replace_files_is_refused(account, run, workplace, writer, before, check):
    (module, options), path = PLACES[writer], path_of(writer)
    if before:
        Path(path).write_text("what was there before")
    os.chmod(workplace, 0o777)
    result = run(module, check=check, **options)
    assert result.failed
    assert f"{path!r} cannot be trusted, because every user can write in '{os.getcwd()}'" in result.msg
    assert "remove the permission with chmod o-w, or use another directory." in result.msg
    assert account.calls() == []
    assert sorted(os.listdir()) == sorted([*[path] * before, "kept.txt"])


def test_a_link_to_what_another_user_made_where_everybody_may_write_is_refused(account, run, shared, foreign):
    Path("planted").write_text("planted")
    foreign("planted")
    os.mkdir("own")
    os.symlink("../planted", "own/kept")
    result = run("scan_output", id=40001, dest="own/kept")
    assert result.failed
    assert "belongs to another user" in result.msg


@pytest.mark.parametrize("writer", WRITERS)
def test_an_own_file_is_replaced_where_everybody_may_create_files(account, run, shared, writer):
    old = put_before(0o666)
    assert good(write(run, writer)).changed
    assert os.stat("kept").st_ino != old
    assert not good(write(run, writer, mode="0666")).changed


@pytest.mark.parametrize("mode", [0o755, 0o775, 0o1775])
def test_where_not_everybody_may_write_the_file_of_another_user_keeps_it(account, run, workplace, foreign, mode):
    os.chmod(workplace, mode)
    put_before(0o640)
    given = foreign("kept")
    good(run("scan_output", id=40001, dest="kept"))
    assert mode_of("kept") == 0o640
    if given:
        assert (os.stat("kept").st_uid, os.stat("kept").st_gid) == (given, given)


# --- what decides whom the key is sent to


@pytest.mark.parametrize("module", ["service_info", "target"])
@pytest.mark.parametrize("where", ["file", "directory", "variable"])
@pytest.mark.parametrize("option", ["ca_path", "client_cert", "client_key"])
def test_a_certificate_or_key_that_everybody_can_write_is_refused(
    account, run, workplace, monkeypatch, option, where, module
):
    for name in ("cert.pem", "kept.pem"):
        Path(name).write_text("PEM")
    if where == "directory":
        os.mkdir("open")
        os.chmod("open", 0o777)
    path = str(workplace / ("open/kept.pem" if where == "directory" else "kept.pem"))
    Path(path).write_text("PEM")
    os.chmod(path, 0o644 if where == "directory" else 0o646)
    given = {option: path}
    if where == "variable":
        monkeypatch.setenv(f"SCANNER_{option.upper()}", path)
        given = {}
    cert = {"client_cert": str(workplace / "cert.pem")} if option == "client_key" else {}
    options = {"workspace": "Web shop", "name": "www.example.com"} if module == "target" else {}
    result = run(module, **options, **cert, **given)
    assert result.failed and account.calls() == []
    assert f"{option} {path!r}" in result.msg and "every user" in result.msg and "with chmod o-w" in result.msg
    assert ("environment variable" in result.msg) is (where == "variable")


# --- a place that cannot be renamed to


@pytest.fixture
def unmovable(monkeypatch):
    """As a file that a container has mounted: nothing can take its place."""

    def busy(source, dest, **named):
        raise OSError(errno.EBUSY, "Device or resource busy")

    monkeypatch.setattr(os, "replace", busy)
    monkeypatch.setattr(os, "rename", busy)


@pytest.mark.usefixtures("unmovable")
def test_only_unsafe_writes_writes_into_a_file_and_only_once_it_is_closed_to_others(account, run):
    old = put_before(0o644)
    result = write(run, "scan_output", mode="0600")
    assert result.failed
    assert "Device or resource busy" in result.msg
    assert Path("kept").read_text() == "what was there before"
    assert mode_of("kept") == 0o644
    with watched() as states:
        good(write(run, "scan_output", mode="0600", unsafe_writes=True))
    assert os.stat("kept").st_ino == old
    size = len("what was there before")
    assert {seen.mode for seen in states if seen.name == "kept" and seen.size not in (0, size)} == {0o600}
    assert b"finding_list" in Path("kept").read_bytes()
    assert sorted(os.listdir()) == ["kept", "kept.txt"]
