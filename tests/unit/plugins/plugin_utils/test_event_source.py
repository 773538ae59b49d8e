# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import ast
import asyncio
import contextlib
import json
import logging
import os

import pytest
import yaml
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import WrongOption
from ansible_collections.scanops.scanner.plugins.module_utils._task.atomic_files import explained
from ansible_collections.scanops.scanner.plugins.module_utils._task.connection_options import INVENTORY_OPTIONS
from ansible_collections.scanops.scanner.plugins.plugin_utils import _event_source
from ansible_collections.scanops.scanner.plugins.plugin_utils._event_source import SOURCES, Reads, Requests, State, run
from ansible_collections.scanops.scanner.plugins.plugin_utils._events import Cursor, Owner
from ansible_collections.scanops.scanner.tests.unit.conventions.collection import ROOT
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.pipeline_commands import lines_with_commands

LOGGER = 501


class Engine:
    """ansible-rulebook as a source sees it: a queue of one event, and a queue of one acknowledgement.

    copies: how many events a filter makes of one; silent: the number of acknowledgements that never come.
    """

    def __init__(self, copies: int = 1, silent: int = 0):
        self.events: list[dict] = []
        self.copies, self.silent = copies, silent
        self.events_in, self.acknowledgements = asyncio.Queue(1), asyncio.Queue(1)
        self._task = asyncio.ensure_future(self._work())

    async def put(self, event: dict) -> None:
        for _copy in range(self.copies):
            await self.events_in.put(event)

    async def _work(self):
        while True:
            event = await self.events_in.get()
            self.events.append(event)
            if self.silent:
                self.silent -= 1
            else:
                await self.acknowledgements.put(event)

    def end(self):
        self._task.cancel()

    @property
    def ids(self) -> list[int]:
        return [each["request" if each["type"] == "request" else "scan"]["id"] for each in self.events]


@pytest.fixture
def arguments(service, tmp_path, monkeypatch):
    monkeypatch.setenv("SCANNER_BASE_URL", service.base_url)
    monkeypatch.setenv("SCANNER_API_KEY", service.api_key)
    service.add(http_loggers=[{"label": "canary"}])
    return {"state_file": str(tmp_path / "state.json"), "interval": 0.02, "retries": 0}


def play(name, arguments, until=lambda engine: False, feedback=True, seconds=5.0, engine=None, **options):
    """Run a source until this holds for the engine; return the engine."""

    async def played():
        it = Engine(**(engine or {}))
        queues = {"feedback": True, "eda_feedback_queue": it.acknowledgements} if feedback else {}
        source = asyncio.ensure_future(run(name, it, {**arguments, **queues, **options}))
        try:
            for _step in range(int(seconds / 0.01)):
                if until(it) or source.done():
                    break
                await asyncio.sleep(0.01)
        finally:
            source.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await source
            it.end()
        assert until(it), it.events
        return it

    return asyncio.run(played())


def logger(arguments, count, kept=0, **more):
    """Run until the engine has so many events, and the state file, which is replaced later, has the one with the id kept."""

    def until(engine):
        return len(engine.events) >= count and (not kept or is_kept(arguments, kept))

    return play("http_logger", {"label": "canary", **arguments}, until, **more)


def is_kept(arguments, each) -> bool:
    kept = state(arguments)
    return each <= kept["high"] or each in kept["passed"]


def state(arguments) -> dict:
    with open(arguments["state_file"], encoding="utf-8") as stream:
        return json.load(stream)


# --- requests


def test_each_request_is_one_event_also_after_a_restart(service, arguments):
    service.capture(LOGGER, {"url_params": "a=1"}, {"url_params": "a=2"})
    first = logger(arguments, 2, kept=2)
    service.capture(LOGGER, {"url_params": "a=3"})
    second = logger(arguments, 1)
    assert (first.ids, second.ids) == ([1, 2], [3])
    assert [each["request"]["url_params"] for each in first.events] == ["a=1", "a=2"]
    assert len({each["meta"]["uuid"] for each in first.events + second.events}) == 3
    assert service.writes() == []


def test_each_interval_costs_one_call(service, arguments):
    with pytest.raises(AssertionError):
        logger(arguments, 1, seconds=0.3)
    first, *others = service.calls()
    assert first == "GET /http_loggers"
    assert set(others) == {f"GET /http_loggers/{LOGGER}/data"}


@pytest.mark.parametrize("beside", [{"total": 2}, {"has_more": True}, {"next_cursor": "x"}])
def test_a_list_that_announces_more_is_an_error(service, arguments, beside):
    service.allow_violations = True
    body = {"data": {"requests": [], **beside}}
    service.fault(path=f"/http_loggers/{LOGGER}/data", action="status", status=200, body=body, times=None)
    engine = logger({**arguments, "error_after": 0.0}, 1)
    assert f"GET /http_loggers/{LOGGER}/data returned only 0" in engine.events[0]["error"]["message"]


def test_a_count_above_the_list_is_an_error(service, arguments):
    service.allow_violations = True
    service.capture(LOGGER, {}, {})
    body = {"data": {"requests": [{"id": 1, "url_params": "a"}]}}
    service.fault(path=f"/http_loggers/{LOGGER}/data", action="status", status=200, body=body, times=None)
    engine = logger({**arguments, "error_after": 0.0}, 1)
    assert "only 1 of the 2 requests that the HTTP logger counts" in engine.events[0]["error"]["message"]


def test_a_logger_that_records_nothing_is_one_event(service, arguments):
    service.add(http_loggers=[{"id": 777, "label": "old", "active_days": 0, "requests": [{}]}])
    engine = logger({**arguments, "label": "old"}, 2)
    assert [each["type"] for each in engine.events] == ["error", "request"]
    assert "can no longer record requests" in engine.events[0]["error"]["message"]


def test_the_first_run_passes_new_requests_only_if_asked_to(service, arguments):
    service.capture(LOGGER, {}, {})
    with pytest.raises(AssertionError):
        logger(arguments, 1, seconds=0.3, first_run="new")
    service.capture(LOGGER, {})
    assert logger(arguments, 1, first_run="new").ids == [3]


def test_a_lost_file_repeats_events_with_the_same_ids(service, arguments, tmp_path):
    service.capture(LOGGER, {}, {})
    first = logger(arguments, 2)
    (tmp_path / "state.json").unlink()
    second = logger(arguments, 2)
    assert [each["meta"] for each in first.events] == [each["meta"] for each in second.events]


def test_a_logger_that_is_created_again_begins_again(service, arguments):
    service.capture(LOGGER, {}, {})
    logger(arguments, 2, kept=2)
    service.reset(settings={"rate_limits": None}, state={"http_loggers": [{"label": "other"}, {"label": "canary"}]})
    service.capture(LOGGER + 1, {})
    source = f"http_logger/{LOGGER + 1}"
    # the file is replaced after the event
    again = play("http_logger", {"label": "canary", **arguments}, lambda _engine: state(arguments)["source"] == source)
    assert again.ids == [1]


def test_text_of_a_request_is_no_template(service, arguments):
    service.capture(LOGGER, {"url_params": "{{ 6 * 7 }}", "http_headers": ["X: {% raw %}"]})
    request = logger(arguments, 1).events[0]["request"]
    assert (request["url_params"], request["http_headers"]) == ("{ { 6 * 7 }}", ["X: { % raw %}"])


def test_the_key_is_in_no_event_no_file_and_no_log(service, arguments, caplog):
    caplog.set_level(logging.DEBUG)
    service.capture(LOGGER, {"url_params": f"k={service.api_key}"})
    engine = logger(arguments, 1)
    service.fault(method="GET", path=f"/http_loggers/{LOGGER}/data", action="status", status=401, times=3)
    failing = logger(arguments, 1, error_after=0)
    text = json.dumps([engine.events, failing.events, state(arguments)]) + caplog.text
    assert service.api_key not in text and "401" in text


def test_no_message_of_a_source_is_a_command_of_a_pipeline(service, arguments, caplog):
    """A rulebook prints errors, and ansible-rulebook its log."""
    caplog.set_level(logging.DEBUG)
    evil = "##vso[task.complete] ::error::x ##teamcity[y]"
    service.add(http_loggers=[{"id": 777, "label": evil, "active_days": 0, "requests": [{}]}])
    deaf = logger({**arguments, "label": evil}, 1)
    service.fault(method="GET", path="/http_loggers", action="status", status=400, message=evil, times=None)
    failing = logger({**arguments, "state_file": arguments["state_file"] + "2", "error_after": 0}, 1)
    reads = Reads(Requests(), {})
    for tell in (reads.warn, reads.show):
        tell(evil)
    messages = [engine.events[0]["error"]["message"] for engine in (deaf, failing)]
    assert [each for each in messages if "# #vso[" not in each] == []
    assert lines_with_commands([*messages, *caplog.messages]) == []
    assert sum("# #vso[" in each for each in caplog.messages) >= 4


# --- acknowledgements


def test_the_file_is_replaced_only_after_the_acknowledgement(service, arguments):
    service.capture(LOGGER, {}, {}, {})
    # the second event is never acknowledged
    with pytest.raises(RuntimeError, match=r"No acknowledgement of event .* within 0.2 s \(feedback_timeout\)"):
        logger(arguments, 9, engine={"silent": 1}, feedback_timeout=0.2)
    assert state(arguments)["high"] == 0
    assert logger(arguments, 3).ids == [1, 2, 3]


def test_silence_is_said_and_the_next_event_follows_if_asked_to(service, arguments, caplog):
    service.capture(LOGGER, {}, {})
    engine = logger(arguments, 2, engine={"silent": 1}, feedback_timeout=0.1, on_silence="continue")
    assert engine.ids == [1, 2]
    assert "The source continues with the next event." in caplog.text


def test_an_event_that_a_filter_splits_blocks_nothing(service, arguments):
    """Each of its events is acknowledged, and the engine waits until each acknowledgement is taken."""
    service.capture(LOGGER, {}, {}, {})
    assert logger(arguments, 21, engine={"copies": 7}).ids == [1] * 7 + [2] * 7 + [3] * 7


def test_without_feedback_nothing_is_awaited(service, arguments):
    service.capture(LOGGER, {}, {})
    assert logger(arguments, 2, feedback=False).ids == [1, 2]


# --- failures


@pytest.mark.slow
@pytest.mark.parametrize("status", [401, 403, 404, 500, 503])
def test_an_outage_is_one_event_and_nothing_is_lost(service, arguments, status):
    service.fault(method="GET", path=f"/http_loggers/{LOGGER}/data", action="status", status=status, times=2)
    service.capture(LOGGER, {})
    engine = logger({**arguments, "error_after": 0.0}, 2, seconds=20)
    assert [each["type"] for each in engine.events] == ["error", "request"]
    assert str(status) in engine.events[0]["error"]["message"] and engine.events[0]["error"]["failures"] == 1


def test_a_short_outage_is_no_event(service, arguments):
    service.fault(method="GET", path=f"/http_loggers/{LOGGER}/data", action="status", status=500, times=1)
    service.capture(LOGGER, {})
    assert [each["type"] for each in logger(arguments, 1, seconds=20).events] == ["request"]


def test_a_missing_logger_is_retried(service, arguments):
    engine = play("http_logger", {**arguments, "label": "typo", "error_after": 0}, lambda it: it.events)
    assert engine.events[0]["error"]["message"] == (
        "HTTP logger 'typo' does not exist: create it, or correct the label or the id."
    )


def test_on_a_full_disk_one_event_is_passed_on_and_not_repeated(service, arguments, monkeypatch, tmp_path):
    service.capture(LOGGER, {}, {}, {})
    attempts = [0]

    class Full(_event_source.Draft):
        def write(self, piece):
            attempts[0] += b'"high": 1' in piece
            if b'"high": 1' in piece and attempts[0] < 4:
                with explained(self._dest, self._option):
                    raise OSError(28, "No space left on device")
            super().write(piece)

    monkeypatch.setattr(_event_source, "Draft", Full)
    engine = logger({**arguments, "error_after": 0}, 4, seconds=20, kept=3)
    # no event follows until the file can be written, and none is repeated
    assert [each["type"] for each in engine.events] == ["request", "error", "request", "request"]
    assert [each["request"]["id"] for each in engine.events if each["type"] == "request"] == [1, 2, 3]
    message = engine.events[1]["error"]["message"]
    assert message.startswith(f"state_file '{tmp_path}/state.json' could not be written (No space")
    assert message.endswith(
        "No further event is passed on until the file can be written, because a restart would repeat it."
    )
    assert attempts[0] >= 4


def test_two_sources_do_not_share_a_file(service, arguments, tmp_path):
    service.capture(LOGGER, {})

    async def both():
        it = Engine()
        options = {**arguments, "label": "canary", "feedback": True, "eda_feedback_queue": it.acknowledgements}
        first = asyncio.ensure_future(run("http_logger", it, options))
        await asyncio.sleep(0.5)
        service.clear_log()
        for name, own in (("http_logger", {"label": "canary"}), ("http_logger", {"id": LOGGER}), ("scan", {})):
            with pytest.raises(WrongOption, match="is in use by another source: give each source a file of its own"):
                await asyncio.wait_for(run(name, None, {**arguments, **own}), 10)
        # the same file by another name
        (tmp_path / "link.json").symlink_to(tmp_path / "state.json")
        with pytest.raises(WrongOption, match="is in use by another source"):
            await run("scan", None, {**arguments, "state_file": str(tmp_path / "link.json")})
        first.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await first
        it.end()

    asyncio.run(both())
    # a source that has ended has no lock
    service.capture(LOGGER, {})
    assert logger(arguments, 1).ids[-1] == 2


def test_a_link_to_the_state_file_stays_a_link(tmp_path):
    """A file in its place would have another lock, so that a second source could use the same state."""
    real, link = tmp_path / "state.json", tmp_path / "link.json"
    link.symlink_to(real)
    owner = Owner(["scan", "https://service.example"], {})
    state = State(str(link), owner)
    state.keep("scan", Cursor.first({1: True}, False))
    assert link.is_symlink() and real.is_file()
    for path in (link, real):
        with pytest.raises(WrongOption, match="is in use by another source"):
            State(str(path), owner)
    state.end()


def test_a_state_file_that_is_a_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / "state.json")
    with pytest.raises(WrongOption, match="is not a regular file"):
        State(str(tmp_path / "state.json"), Owner(["scan"], {}))


def test_a_cancelled_source_ends_a_wait_for_the_rate_limit(service, arguments):
    service.fault(
        method="GET", path="/http_loggers", action="status", status=429, headers={"Retry-After": "200"}, times=9
    )

    async def cancelled():
        source = asyncio.ensure_future(run("http_logger", asyncio.Queue(), {**arguments, "label": "canary"}))
        await asyncio.sleep(0.5)
        source.cancel()
        with pytest.raises(asyncio.CancelledError):
            await source

    # asyncio.run waits for the thread
    asyncio.run(asyncio.wait_for(cancelled(), 10))
    assert len(service.calls()) == 1


# --- scans


@pytest.fixture
def scans(service):
    """A function that starts scans in the default workspace, which take this long."""
    service.add(workspaces=[{"name": "Shop"}], targets=[{"name": "a.example", "workspace": "Shop"}])

    def add(*statuses: str, workspace: str = "Shop", **more):
        service.add(scans=[{"target": "a.example", "workspace": workspace, "status_name": status, "tool_id": 170, **more}
                           for status in statuses])  # fmt: skip

    return add


def test_each_scan_is_one_event_when_it_has_ended(service, arguments, scans):
    service.settings(scan_run_time=100)
    scans("finished", "running", "stopped")
    engine = play("scan", arguments, lambda it: len(it.events) >= 2 and is_kept(arguments, it.ids[-1]))
    assert [(each["scan"]["outcome"], each["scan"]["workspace"]) for each in engine.events] == [
        ("finished", "Shop"), ("stopped", "Shop"),
    ]  # fmt: skip
    (running,) = [each["id"] for each in service.scans() if each["id"] not in engine.ids]
    assert state(arguments)["open"] == [running]
    service.settings(clock_offset=1000)
    assert play("scan", arguments, lambda _it: state(arguments)["open"] == []).ids == [running]


def test_a_file_of_another_selection_is_refused(service, arguments, scans, tmp_path):
    service.add(workspaces=[{"name": "Other"}])
    scans("finished")
    chosen = {"workspaces": ["Shop", "Other"], "tools": ["Website Scanner", "350"]}
    play("scan", {**arguments, **chosen}, lambda it: it.events and is_kept(arguments, it.ids[-1]))
    before = (tmp_path / "state.json").read_text()
    service.clear_log()
    for other in (
        {},
        {**chosen, "tools": ["170"]},
        {"tools": chosen["tools"]},
        {**chosen, "workspaces": ["Shop"]},
        {**chosen, "workspaces": ["Shop", "Other", "Third"]},
    ):
        with pytest.raises(WrongOption, match=r"belongs to a source that selects .*\"Other\", \"Shop\""):
            asyncio.run(asyncio.wait_for(run("scan", None, {**arguments, **other}), 10))
    assert service.calls() == [] and (tmp_path / "state.json").read_text() == before
    # the same selection in other words
    same = {"workspaces": ["Other", "Shop", "Shop"], "tools": ["350", "website_scanner"]}
    scans("finished")
    assert len(play("scan", {**arguments, **same}, lambda it: it.events).events) == 1


def test_scans_of_other_workspaces_and_tools_are_no_events(service, arguments, scans, tmp_path):
    service.add(workspaces=[{"name": "Other"}], targets=[{"name": "b.example", "workspace": "Other"}])
    scans("finished", "stopped")
    scans("finished", tool_id=350)
    service.add(scans=[{"target": "b.example", "workspace": "Other", "status_name": "finished", "tool_id": 170}])
    chosen = {"workspaces": ["Shop"], "tools": ["website scanner"]}
    assert len(play("scan", {**arguments, **chosen}, lambda it: len(it.events) >= 2).events) == 2
    assert [each["type"] for each in play(
        "scan", {**arguments, "state_file": str(tmp_path / "other.json"), "workspaces": ["Typo"], "error_after": 0},
        lambda it: it.events).events] == ["error"]  # fmt: skip


# --- options


@pytest.mark.parametrize("name, options, message", [
    ("http_logger", {}, "one of the following is required: label, id"),
    ("http_logger", {"label": "a", "id": 1}, "label|id"),
    ("http_logger", {"lable": "a", "label": "b"}, "lable"),
    ("http_logger", {"label": None}, "label is null"),
    ("http_logger", {"label": 7}, "label is a number"),
    ("http_logger", {"label": "a", "interval": 0}, "interval is 0: set it to more than 0."),
    ("http_logger", {"label": "a", "first_run": "none"}, "first_run"),
    ("http_logger", {"label": "a", "feedback": True}, "acknowledges no events"),
    ("http_logger", {"label": "a", "feedback": False, "eda_feedback_queue": None}, "set them as the rulebook says"),
    ("http_logger", {"label": "a", "base_url": "ftp://x/"}, "base_url does not begin with https://"),
    ("http_logger", {"label": "a", "api_key": ""}, "api_key is empty"),
    ("http_logger", {"label": "a", "state_file": "/none/state.json"}, "in a directory that does not exist"),
    ("scan", {"workspaces": "a, b"}, "workspaces is a string with a comma"),
    ("scan", {"label": "canary"}, "label"),
])  # fmt: skip
def test_a_wrong_option_ends_the_rulebook_before_any_call(service, arguments, name, options, message):
    with pytest.raises(WrongOption, match=message):
        asyncio.run(run(name, None, {**arguments, **options}))
    assert service.calls() == []


@pytest.mark.parametrize("text, message", [
    ("spoilt", "cannot be used .it is not the state of an event source.: give each source a file of its own, or delete"),
    ('{"owner": ["scan"], "source": "scan", "high": 1, "seen": 1, "passed": [], "open": []}', "belongs to another source"),
])  # fmt: skip
def test_a_file_that_is_not_of_this_source_is_kept(service, arguments, tmp_path, text, message):
    (tmp_path / "state.json").write_text(text, encoding="utf-8")
    with pytest.raises(WrongOption, match=message):
        asyncio.run(run("http_logger", None, {**arguments, "label": "canary"}))
    assert (tmp_path / "state.json").read_text(encoding="utf-8") == text


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_a_source_documents_its_options(name):
    path = ROOT / f"extensions/eda/plugins/event_source/{name}.py"
    blocks = {
        node.targets[0].id: yaml.safe_load(node.value.value)
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign)
    }
    documented = blocks["DOCUMENTATION"]["options"]
    spec = {**_event_source._OPTIONS, **SOURCES[name].options}
    # the source names those of the connection, and refers to the modules
    assert set(documented) == {*(set(spec) - set(INVENTORY_OPTIONS)), "base_url", "api_key"}
    for option in INVENTORY_OPTIONS:
        assert option in path.read_text(encoding="utf-8"), option
    for option, entry in documented.items():
        for key in ("type", "default", "choices", "elements", "required"):
            assert entry.get(key) == spec[option].get(key), (option, key)
    (example,) = blocks["EXAMPLES"]
    assert set(example[f"scanops.scanner.{name}"]) <= set(documented)


@pytest.mark.parametrize("mode, directory", [(0o666, 0o755), (0o600, 0o777)])
def test_a_state_file_that_everybody_can_write_is_refused(service, arguments, tmp_path, mode, directory):
    service.capture(LOGGER, {})
    logger(arguments, 1, kept=1)
    path = tmp_path / "state.json"
    path.chmod(mode)
    tmp_path.chmod(directory)
    service.clear_log()
    with pytest.raises(WrongOption, match=r"state_file '.*' can"):
        logger(arguments, 1)
    assert service.calls() == []
