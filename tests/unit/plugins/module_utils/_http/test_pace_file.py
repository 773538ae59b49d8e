# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The file in which tasks share the rate limit: who can read it, what it contains, and what happens if it is unusable."""

from __future__ import annotations

import fcntl
import json
import math
import os
import stat

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._http import pace, rate_limit
from ansible_collections.scanops.scanner.plugins.module_utils._http.pace import Heard, Pace
from ansible_collections.scanops.scanner.plugins.module_utils._model import private_files


@pytest.fixture
def open_one(transport):
    """A transport whose warnings are kept: (transport, list of warnings)."""

    def opened():
        one = transport()
        warnings = []
        one.budget.file.warn = warnings.append
        return one, warnings

    return opened


def file_in(runtime):
    (found,) = [
        path
        for path in (runtime / "scanops.scanner").iterdir()
        if path.name != "salt" and not path.name.endswith("-sole")
    ]
    return found


def test_the_file_is_private_and_shows_neither_key_nor_service(service, open_one, runtime):
    service.settings(rate_limits={"GET": 20})
    open_one()[0].send("GET", "/workspaces")
    directory = runtime / "scanops.scanner"
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    for path in directory.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    file = file_in(runtime)
    assert file.name.isalnum() and len(file.name) == 32
    content = file.read_text(encoding="utf-8")
    assert service.api_key not in content and service.base_url not in content


def test_names_differ_from_user_to_user(service, open_one, runtime):
    open_one()[0].send("GET", "/workspaces")
    first = file_in(runtime)
    (runtime / "scanops.scanner" / "salt").unlink()
    open_one()[0].send("GET", "/workspaces")
    assert len([path for path in first.parent.iterdir() if path.name != "salt"]) == 2


PACE = Pace(
    1000.0, 20, 1001.0, 990.0, under_way=(1000.0,), calls=((999.0, 4),), others=((998.0, 2),), queue=((1000.0, 1001.0),)
)


def test_what_is_written_is_read():
    assert rate_limit.paces_in(rate_limit.text_of({"GET": PACE, "write": Pace(1.5)})) == {
        "GET": PACE,
        "write": Pace(1.5),
    }
    assert rate_limit.paces_in(b"") == {}


# numbers that JSON can hold and that no task writes
ODD_NUMBERS = [10**400, -2, 1e308, 5e-324, float("inf"), float("nan"), True, None, "1", [], [1], {}]


def test_any_pace_that_is_read_can_be_used():
    """Each number in the file is replaced by each odd one."""
    read = 0
    values = json.loads(json.dumps(PACE))
    for path in places_of(values):
        for odd in ODD_NUMBERS:
            try:
                (found,) = rate_limit.paces_in(json.dumps([2, {"GET": replaced(values, path, odd)}]).encode()).values()
            except ValueError:
                continue
            read += 1
            for now in (999.5, 1000.0, 1030.0, 1e9):
                use(found, now)
    assert read


def places_of(values):
    for index, value in enumerate(values):
        yield (index,)
        if isinstance(value, list):
            yield from ((index, *path) for path in places_of(value))


def replaced(values, path, value):
    first, *rest = path
    return [*values[:first], replaced(values[first], rest, value) if rest else value, *values[first + 1 :]]


def use(found, now):
    rule = pace.Rule(250)
    pace.is_free(found, now, rule)
    after, wait = pace.take(pace.known(found, now, rule), now, now, rule)
    assert math.isfinite(wait) and wait >= 0
    for heard in (pace.SILENCE, Heard(True, False, limit=20, left=3), Heard(False, True, asked=7.0)):
        learnt = pace.learn(after, now + 0.5, now, heard, rule)
        assert rate_limit.paces_in(rate_limit.text_of({"GET": learnt})) == {"GET": learnt}


def damaged(text):
    return lambda file: file.write_bytes(text)


def limit_of(runtime):
    return rate_limit.paces_in(file_in(runtime).read_bytes())["GET"]


def test_a_process_alone_writes_nothing_while_the_limit_is_far(service, open_one, runtime):
    service.settings(rate_limits={"GET": 20})
    open_one()[0].send("GET", "/workspaces")
    written = limit_of(runtime)
    for _call in range(3):
        open_one()[0].send("GET", "/workspaces")
        assert limit_of(runtime) == written
        assert service.log()[-1]["status"] == 200
    # with the fifth of 20 calls, a quarter of the limit is used up: the file learns of it, and of those before it
    open_one()[0].send("GET", "/workspaces")
    counted = limit_of(runtime)
    assert [sum(number for _moment, number in each) for each in (counted.calls, counted.others)] == [2, 3]


def test_a_call_is_counted_while_another_one_is_under_way(service, open_one, runtime):
    service.settings(rate_limits={"GET": 20})
    open_one()[0].send("GET", "/workspaces")
    other = private_files.sole(f"{file_in(runtime)}-sole")
    open_one()[0].send("GET", "/workspaces")
    assert sum(number for _moment, number in limit_of(runtime).calls) == 2
    os.close(other)
    before = limit_of(runtime)
    open_one()[0].send("GET", "/workspaces")
    assert limit_of(runtime) == before


class FullDisk:
    """A Sink that takes nothing."""

    def restart(self, answer):
        raise OSError("the disk is full")


def test_the_lock_of_a_call_that_ends_with_an_error_is_released(service, open_one, runtime):
    service.settings(rate_limits={"GET": 20})
    one, _warnings = open_one()
    one.send("GET", "/workspaces")
    with pytest.raises(OSError, match="the disk is full"):
        one.send("GET", "/workspaces", sink=FullDisk())
    number = private_files.sole(f"{file_in(runtime)}-sole")
    assert number is not None
    os.close(number)


DAMAGE = {
    "no JSON": damaged(b"\x00\xff"),
    "cut off": lambda file: os.truncate(file, file.stat().st_size // 2),
    "another shape": damaged(b'[2,{"GET":{"limit":3}}]'),
    "huge": damaged(b"[" * 10**6),
    "hugely long": damaged(b" " * 10**7),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_replaced_with_one_warning(service, open_one, runtime, damage):
    service.settings(rate_limits={"GET": 20})
    open_one()[0].send("GET", "/workspaces")
    DAMAGE[damage](file_in(runtime))
    one, warnings = open_one()
    for dummy in range(3):
        one.send("GET", "/workspaces")
    assert ["was damaged. It has been replaced" in warning for warning in warnings] == [True]
    assert file_in(runtime).stat().st_size < 10_000
    other, warnings = open_one()
    other.send("GET", "/workspaces")
    assert warnings == []


def link(file, elsewhere):
    file.unlink()
    file.symlink_to(elsewhere)


def pipe(file, _elsewhere):
    file.unlink()
    os.mkfifo(file, 0o600)


def is_directory(file, _elsewhere):
    file.unlink()
    file.mkdir()


def readable(file, _elsewhere):
    file.chmod(0o644)


@pytest.mark.parametrize("spoil", [link, pipe, is_directory, readable])
def test_an_unusable_file_is_one_warning_and_stays_as_it_is(service, open_one, runtime, tmp_path, spoil):
    service.settings(rate_limits={"GET": 20})
    open_one()[0].send("GET", "/workspaces")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine", encoding="utf-8")
    spoil(file_in(runtime), elsewhere)
    one, warnings = open_one()
    for dummy in range(3):
        one.send("GET", "/workspaces")
    assert ["cannot be used" in warning for warning in warnings] == [True]
    assert elsewhere.read_text(encoding="utf-8") == "mine"


def refuse(error):
    def fail(*arguments, **named):
        raise OSError(error, os.strerror(error))

    return fail


@pytest.mark.parametrize("name, error", [("pwrite", 28), ("mkdir", 13), ("link", 1), ("open", 30)])
def test_a_full_disk_and_missing_rights_are_one_warning(service, open_one, monkeypatch, name, error):
    one, warnings = open_one()
    monkeypatch.setattr(private_files.os, name, refuse(error))
    for dummy in range(3):
        one.send("GET", "/workspaces")
    monkeypatch.undo()
    assert [os.strerror(error) in warning for warning in warnings] == [True]


def test_the_file_of_somebody_else_is_not_used(service, open_one, monkeypatch):
    one, warnings = open_one()
    monkeypatch.setattr(private_files.os, "geteuid", lambda: 12345)
    one.send("GET", "/workspaces")
    assert ["is not a private" in warning for warning in warnings] == [True]


def test_a_lock_that_is_never_released_is_one_warning(service, open_one, runtime, monkeypatch):
    open_one()[0].send("GET", "/workspaces")
    monkeypatch.setattr(rate_limit, "_LONGEST_LOCK", 0.2)
    with file_in(runtime).open("r+", encoding="utf-8") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        service.settings(rate_limits={"GET": 20})
        one, warnings = open_one()
        for dummy in range(3):
            one.send("GET", "/workspaces")
    assert ["has held it" in warning for warning in warnings] == [True]


def test_the_lock_of_a_dead_process_is_free(service, open_one, runtime):
    service.settings(rate_limits={"GET": 20})
    open_one()[0].send("GET", "/workspaces")
    child = os.fork()
    if not child:
        fcntl.flock(os.open(file_in(runtime), os.O_RDWR), fcntl.LOCK_EX)
        os._exit(0)
    os.waitpid(child, 0)
    one, warnings = open_one()
    one.send("GET", "/workspaces")
    assert warnings == []
