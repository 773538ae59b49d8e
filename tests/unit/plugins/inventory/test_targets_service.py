# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the inventory plugin sends, what it makes of failures, and what it keeps in the cache."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.test_cut_lists import BESIDE, cut

LIST = "GET /workspaces"
PAGE = "GET /targets"


def queries(service):
    return [entry["query"] for entry in service.log() if entry["path"] == "/targets"]


@pytest.mark.parametrize(
    "targets, pages, settings",
    [
        # the last page is the empty one; page 1 shows what the service counts from; each full page is read once more
        (0, 1, {}), (1, 2, {}), (999, 2, {}), (1000, 4, {}), (1001, 5, {}),
        (250, 8, {"page_cap": 100}), (1500, 5, {"first_page": 0}),
    ],
    ids=str,
)  # fmt: skip
def test_calls(service, parse, targets, pages, settings):
    service.settings(**settings)
    service.fill("Bulk", targets)
    inventory = parse(workspaces=["Bulk"])
    assert len(inventory.hosts) == targets
    assert service.calls() == [LIST] + [PAGE] * pages


def test_each_workspace_is_read_to_its_end(service, parse):
    service.fill("Bulk", 1)
    inventory = parse()
    assert len(inventory.hosts) == 1
    assert service.calls() == [LIST, PAGE, PAGE, PAGE]
    assert [query["workspace_id"] for query in queries(service)] == ["1", "2", "2"]


def test_only_the_workspaces_asked_for_are_read(service, parse):
    service.add(workspaces=[{"id": 5, "name": "A"}, {"id": 6, "name": "B"}])
    service.add(targets=[{"name": "a.example", "workspace": "A"}, {"name": "b.example", "workspace": "B"}])
    assert list(parse(workspaces=["B", "B"]).hosts) == ["b.example"]
    assert {query["workspace_id"] for query in queries(service)} == {"6"}


def test_the_service_filters_by_type(service, parse):
    service.add(targets=[{"name": "a.example"}, {"name": "https://b.example"}])
    assert list(parse(type="url").hosts) == ["b.example"]
    assert {query.get("type") for query in queries(service)} == {"url"}


def test_bare_lists_are_read(service, parse):
    service.settings(lists="bare", extra_fields=True)
    service.add(targets=[{"name": "a.example"}])
    inventory = parse()
    own = inventory.hosts["a.example"]["scanner_targets"][0]
    # what else the service gives is in the record, and makes no variable
    assert set(own) > {"id", "name", "type", "description", "workspace", "workspace_id"}
    assert len(inventory.hosts["a.example"]) == 8


FAULTS = {
    "401": dict(action="status", status=401, message="No API key specified"),
    "403": dict(action="status", status=403, message="No API access"),
    "404": dict(action="status", status=404, body="<html>", content_type="text/html"),
    "429": dict(action="status", status=429, times=None, headers={"Retry-After": "1000"}),
    "502": dict(action="html", times=None),
    "reset": dict(action="reset", times=None),
    "broken JSON": dict(action="truncated_json", times=None),
    "short": dict(action="short", times=None),
    "no list": dict(action="wrong_type", data="nothing"),
    "no id": dict(action="wrong_type", data=[{"name": "a.example"}]),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("path, nth", [("/workspaces", 1), ("/targets", 1), ("/targets", 2)])
def test_a_failure_on_any_page_adds_no_host(service, parse, fault, path, nth):
    service.fill("Bulk", 1500)
    service.fault(method="GET", path=path, nth=nth, **FAULTS[fault])
    inventory = parse()
    assert f" GET {path} " in f" {inventory.error}"
    assert inventory.error.count("\n") == 0
    assert inventory.hosts == {} and inventory.groups == {}


def test_a_workspace_that_is_deleted_while_it_is_read_adds_no_host(service, parse):
    service.settings(page_cap=10, unknown_workspace=404)
    service.fill("Bulk", 30)
    service.fault(path="/targets", nth=3, action="do", do="delete", resource="workspaces", record={"name": "Bulk"})
    inventory = parse(workspaces=["Bulk"])
    assert "GET /targets could not be read to its end: page 1 was answered 404" in inventory.error
    assert inventory.hosts == {}


def test_a_service_that_ignores_the_filters(service, parse):
    service.add(workspaces=[{"id": 5, "name": "A"}])
    rows = [
        {"id": 1, "name": "a.example", "type": "hostname", "description": None, "workspace_id": 5},
        {"id": 2, "name": "b.example", "type": "hostname", "description": None, "workspace_id": 1},
        {"id": 3, "name": "https://c.example", "type": "url", "description": None, "workspace_id": 5},
    ]
    service.fault(path="/targets", query={"page": None}, action="wrong_type", data=rows)
    assert list(parse(workspaces=["A"], type="hostname").hosts) == ["a.example"]


@pytest.mark.parametrize(
    "options", [{}, {"workspaces": ["A"]}, {"workspaces": ["A", "B"]}, {"type": "hostname"}], ids=str
)
def test_a_target_in_the_lists_of_two_workspaces_adds_no_host(service, parse, options):
    service.settings(ignored_filters=["workspace_id"], missing_fields={"targets": ["workspace_id"]})
    service.add(workspaces=[{"id": 5, "name": "A"}, {"id": 6, "name": "B"}])
    service.add(targets=[{"id": 1, "name": "a.example", "workspace": "A"}])
    inventory = parse(**options)
    assert "lists target 'a.example' (id 1) in workspace" in inventory.error
    assert inventory.hosts == {}


def test_targets_that_do_not_name_their_workspace_are_in_the_one_that_lists_them(service, parse):
    service.settings(missing_fields={"targets": ["workspace_id"]})
    service.add(workspaces=[{"id": 5, "name": "A"}, {"id": 6, "name": "B"}])
    service.add(targets=[{"name": "a.example", "workspace": "A"}, {"name": "b.example", "workspace": "B"}])
    hosts = parse().hosts
    assert {name: hosts[name]["scanner_workspace"] for name in hosts} == {"a.example": "A", "b.example": "B"}
    service.clear_log()
    assert list(parse(workspaces=["A"]).hosts) == ["a.example"]
    # the first page of another workspace shows that the service filters
    assert service.calls() == [LIST, PAGE, PAGE, PAGE]


def test_the_calls_are_shown(service, parse):
    parse()
    assert "scanops.scanner.targets: GET /targets?workspace_id=1&limit=1000 -> 200" in parse.shown


# --- the cache ---


@pytest.fixture
def cached(parse, tmp_path, service):
    """Parse with a cache of files: cached(**options); use=False is a refresh."""
    service.add(workspaces=[{"id": 5, "name": "A"}])
    service.add(
        targets=[{"name": "a.example", "workspace": "A"}, {"name": "https://b.example", "description": "{{ x }}"}]
    )
    place = tmp_path / "kept"

    def run(use=True, **options):
        text = {
            "plugin": "scanops.scanner.targets",
            "base_url": service.base_url,
            "api_key": service.api_key,
            "cache": True,
            "cache_plugin": "ansible.builtin.jsonfile",
            "cache_connection": str(place),
            **options,
        }
        return parse(text=json.dumps({name: value for name, value in text.items() if value is not ...}), cache=use)

    run.place = place
    return run


def test_a_warm_cache_costs_no_call(service, cached):
    cold = cached()
    service.clear_log()
    warm = cached(duplicates="suffix", hostvars_prefix="scanner_", exclude=["false"])
    assert service.calls() == []
    assert warm.hosts == cold.hosts and warm.groups == cold.groups
    assert len(warm.hosts) == 2


def test_without_the_option_nothing_is_kept(service, cached):
    cached(cache=False)
    assert not cached.place.exists()


@pytest.mark.parametrize(
    "options",
    [{"workspaces": ["A"]}, {"type": "url"}, {"api_key": "another-key"}, {"base_url": "http://localhost:1/api/v2"}],
)
def test_other_rows_are_another_entry(service, cached, options):
    cached()
    service.clear_log()
    other = cached(**options)
    # another key and another address fail, and do not get the rows of the first
    assert other.error or service.calls()
    assert len(other.hosts) < 2
    service.clear_log()
    assert len(cached().hosts) == 2
    assert service.calls() == []
    service.allow_violations = True


def test_a_refresh_reads_again(service, cached):
    cached()
    service.add(targets=[{"name": "c.example"}])
    assert "c.example" not in cached().hosts
    assert "c.example" in cached(use=False).hosts
    service.clear_log()
    assert "c.example" in cached().hosts
    assert service.calls() == []


def test_a_failed_refresh_leaves_the_cache(service, cached):
    before = cached()
    kept = {path.name: path.read_bytes() for path in cached.place.iterdir()}
    service.fault(path="/targets", nth=2, action="status", status=500, times=None)
    assert cached(use=False).error
    assert {path.name: path.read_bytes() for path in cached.place.iterdir()} == kept
    service.clear_log()
    assert cached().hosts == before.hosts
    assert service.calls() == []


def test_nothing_secret_is_kept(service, cached):
    cached(proxy=..., timeout=20)
    (entry,) = cached.place.iterdir()
    text = entry.read_text(encoding="utf-8")
    assert service.api_key not in entry.name and service.api_key not in text
    assert service.base_url not in text
    assert "a.example" in text


KEPT = {
    "a row without an id": lambda entry: entry["targets"][0].pop("id"),
    "an id below 1": lambda entry: entry["targets"][0].update(id=-1),
    "a row that is none": lambda entry: entry["workspaces"].append(7),
    "no list": lambda entry: entry.update(targets={}),
    "a workspace that is missing": lambda entry: entry["targets"][0].update(workspace_id=99),
    "deep": lambda entry: entry["targets"][0].update(x=json.loads("[" * 300 + "]" * 300)),
}


@pytest.mark.parametrize("name", KEPT)
def test_an_entry_passes_the_border_as_an_answer_does(service, cached, change_kept, name):
    cold = cached()
    (path,) = cached.place.iterdir()
    change_kept(path, KEPT[name])
    service.clear_log()
    again = cached()
    assert again.hosts == cold.hosts
    assert service.calls() != []


@pytest.mark.parametrize(
    "form", [lambda key: key, lambda key: base64.b64encode(f"Bearer {key}".encode()).decode(), quote]
)
def test_a_key_that_the_service_repeats_is_neither_shown_nor_kept(service, cached, form):
    shown = form(service.api_key)
    service.allow_violations = True
    service.add(workspaces=[{"name": f"W {shown}"}])
    service.add(targets=[{"name": "k.example", "description": f"is {shown}!"}, {"name": f"https://k.example/{shown}"}])
    service.settings(extra_fields=True)
    for dummy in range(2):
        inventory = cached(compose={"again": "scanner_description"}, keyed_groups=[{"key": "scanner_description"}])
        text = json.dumps([inventory.hosts, inventory.groups], default=str)
        assert "***" in text
        assert shown not in text and service.api_key not in text
    (path,) = cached.place.iterdir()
    assert shown not in path.read_text() and service.api_key not in path.read_text()
    # an entry of another release, or of another writer, may still hold it
    path.write_text(path.read_text().replace("is ***", f"is {shown}"))
    service.clear_log()
    inventory = cached()
    assert service.calls() == []
    assert shown not in json.dumps(inventory.hosts, default=str)


def test_half_of_a_character_is_neither_shown_nor_kept(service, cached):
    service.add(targets=[{"name": "h.example", "description": "half \ud83d!"}])
    hosts = cached().hosts
    assert hosts["h.example"]["scanner_description"] == "half \ufffd!"
    (path,) = cached.place.iterdir()
    # an entry of another writer may still hold it; a payload has its escapes twice
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("ufffd", "ud83d").replace("\ufffd", "\\ud83d"), encoding="utf-8")
    # newer releases of ansible-core refuse such an entry, which is then read again
    assert cached().hosts == hosts


@pytest.mark.parametrize("text", ["{", "[]", "null", '{"other": 1}'])
def test_an_unreadable_entry_is_read_again(service, cached, text):
    cached()
    (entry,) = cached.place.iterdir()
    entry.write_text(text)
    service.clear_log()
    assert len(cached().hosts) == 2
    assert service.calls() != []


def test_a_key_in_a_content_type_is_not_in_the_error(service, parse):
    service.allow_violations = True
    service.fault(action="html", status=200, times=None)
    for form in (service.api_key, quote(service.api_key), base64.b64encode(service.api_key.encode()).decode()):
        service.clear_faults()
        service.fault(action="status", status=200, body="<html>", content_type=f"text/html; x={form}", times=None)
        error = parse().error
        assert "text/html; x=***" in error
        assert form not in error


@pytest.mark.parametrize("beside, headers, said", BESIDE.values(), ids=BESIDE)
def test_a_list_that_says_that_rows_are_missing_gives_no_hosts(service, parse, beside, headers, said):
    service.add(targets=[{"name": f"{name}.example", "workspace_id": 1} for name in "ab"])
    cut(service, "targets", beside, headers, workspace_id=1)
    parsed = parse()
    assert said in parsed.error
    assert parsed.hosts == {}


def test_a_target_that_moved_to_a_page_that_was_read_gives_no_hosts(service, parse):
    service.settings(page_cap=50)
    service.add(targets=[{"id": each, "name": f"t{each}.example", "workspace_id": 1} for each in range(1, 121)])
    service.fault(path="/targets", query={"page": 2}, action="do", do="delete", resource="targets", record={"id": 7})
    parsed = parse()
    assert "GET /targets changed while it was read" in parsed.error
    assert parsed.hosts == {}
    assert len(parse().hosts) == 119
