# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The settings that the local service takes from a recording."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from ansible_collections.scanops.scanner.tests.recordings.made import (
    ACCOUNT,
    GUIDE,
    SETTINGS,
    comparable,
    path_of,
)
from ansible_collections.scanops.scanner.tests.service.recorded import RecordingError, read, settings_of
from ansible_collections.scanops.scanner.tests.unit.conventions.collection import ROOT
from ansible_collections.scanops.scanner.tests.unit.local_service import LocalService
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.run_module import run_module

# settings that deviate, each of which a recording shows
FORMS = {
    "lists": "bare",
    "create_answer": "record",
    "create_status": 200,
    "contents": "wrapped",
    "logger_data": "array",
    "null_description": True,
    "first_page": 0,
    "ignore_page": True,
    "past_end": 404,
    "max_limit": 100,
    "omitted_workspace": "all",
    "delete_status": 200,
    "deletes_done": False,
    "put_replaces": True,
    "redirects": "slash",
    "id_form": "text",
    "time_form": "unix_ms",
    "finding_names": "alternative",
    "beside_data": "pages",
    "schema": "html",
    "report_status": "none",
    "ignored_filters": ["workspace_id"],
    "missing_fields": {"scans": ["workspace_id"], "findings": ["cve"]},
    "null_fields": {"targets": ["type"]},
    "rate_limits": {"headers": False},
}
# what cannot be told apart then
HIDDEN = {
    "ignore_page": {"first_page", "past_end"},
    "max_limit": {"omitted_workspace"},
    "ignored_filters": {"omitted_workspace"},
}


def recorded(service, settings):
    service.reset(settings={"rate_limits": {"GET": 100000, "write": 100000}, **settings}, state=ACCOUNT)
    service.allow_violations = True
    options = dict(base_url=service.base_url, api_key=service.api_key, writes=True, record="recording.json")
    run_module("service_verification", options)
    return Path("recording.json")


@pytest.fixture
def usual():
    return settings_of(read(path_of("local-service")))


@pytest.mark.parametrize(
    "name, value",
    [*FORMS.items(), ("logger_workspace", "form"), ("logger_workspace", "query"), ("redirects", "without_query")],
)
def test_each_form_is_found_in_a_recording(service, workplace, usual, name, value):
    found = settings_of(read(recorded(service, {name: value})))
    assert found[name] == value
    others = {other for other in found.keys() & usual.keys() if found[other] != usual[other]} - {name}
    assert others <= HIDDEN.get(name, set())


@pytest.mark.parametrize("name", SETTINGS)
def test_a_stored_recording_is_what_the_local_service_gives(service, workplace, name):
    """`PYTHONPATH=../../.. python tests/recordings` makes them again."""
    service.reset(settings={"rate_limits": {}, **SETTINGS[name]}, state=ACCOUNT)
    service.allow_violations = True
    options = dict(base_url=service.base_url, api_key=service.api_key, writes=True, record="recording.json")
    run_module("service_verification", options)
    assert comparable(Path("recording.json").read_text()) == comparable(path_of(name).read_text())


@pytest.mark.parametrize("name", SETTINGS)
def test_a_stored_recording_gives_the_settings_of_which_it_was_made(name, usual):
    found = settings_of(read(path_of(name)))
    assert {key: found[key] for key in SETTINGS[name]} == SETTINGS[name]
    assert {key for key in found.keys() & usual.keys() if found[key] != usual[key]} == set(SETTINGS[name])


def test_the_guide_shows_lines_of_a_stored_recording_and_links_to_it():
    guide, path = GUIDE.read_text(encoding="utf-8"), path_of("local-service")
    shown = re.findall(r"^   (\{\"body\".+)$", guide, re.MULTILINE)
    assert shown and set(shown) <= set(path.read_text(encoding="utf-8").splitlines())
    assert f"/blob/main/{path.relative_to(ROOT).as_posix()}>`_" in guide


def test_the_service_takes_its_settings_from_a_recording():
    with LocalService.start(recording=path_of("deviating"), settings={"contents": "wrapped"}) as service:
        service.reset(settings={"delete_status": 204})
        found = service.settings()
    assert {name: found[name] for name in ("id_form", "contents", "delete_status")} == {
        "id_form": "text",
        "contents": "wrapped",
        "delete_status": 204,
    }


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"about": {"version": 99}}'])
def test_another_file_is_refused(workplace, text):
    Path("other.json").write_text(text)
    with pytest.raises(RecordingError, match=r"other\.json"):
        read(Path("other.json"))


def test_a_recording_without_answers_shows_nothing():
    empty = {"about": {"version": 1}, "answers": [], "headers": {}, "verdicts": {}}
    assert settings_of(empty) == {}
