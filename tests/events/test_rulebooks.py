# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The event sources in ansible-rulebook: what is lost and repeated when it is killed, and the example rulebooks.

SCANNER_TEST_KILLS=200 SCANNER_TEST_AWAY=60 runs all of it, which takes about an hour.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "unit"), str(ROOT.parents[2])]

from ansible_collections.scanops.scanner.plugins.plugin_utils._events import account_of, event_id  # noqa: E402
from local_service import LocalService  # noqa: E402

PROGRAMS = Path(sys.executable).parent
KILLS = int(os.environ.get("SCANNER_TEST_KILLS", "6"))
EVENTS = KILLS * 5 // 2
# how long the service is away, in seconds
AWAY = float(os.environ.get("SCANNER_TEST_AWAY", "5"))
SEED = int(os.environ.get("SCANNER_TEST_SEED", "1"))
UUID = re.compile(r"'uuid': '([0-9a-f-]{36})'")
# the start of Java alone takes seconds on a busy machine
PATIENCE = 120
LOGGER = 501

pytestmark = pytest.mark.skipif(shutil.which("java") is None, reason="Java is missing: install a Java 17 runtime")


def rulebook(**options: object) -> str:
    """A rulebook that prints the id of each event, which is the cheapest action that leaves a trace."""
    source = {"label": "canary", "interval": 0.2, "state_file": "{{ state_file }}", "feedback": True, **options}
    ruleset = {
        "name": "Trace",
        "hosts": "all",
        "sources": [{"name": "canary", "scanops.scanner.http_logger": source}],
        "rules": [
            {"name": "Request", "condition": 'event.type == "request"',
             "action": {"print_event": {"var_root": "meta"}}},
            {"name": "Error", "condition": 'event.type == "error"',
             "action": {"print_event": {"var_root": "error"}}},
        ],
    }  # fmt: skip
    return yaml.safe_dump([ruleset], sort_keys=False)


class Rulebook:
    """A directory with a rulebook, its variables, its database and what it printed."""

    def __init__(self, place: Path, service: LocalService, text: str) -> None:
        self.place, self.service = place, service
        (place / "rulebook.yml").write_text(text, encoding="utf-8")
        self.local = {"ansible_connection": "local", "ansible_python_interpreter": "{{ ansible_playbook_python }}"}
        (place / "hosts.yml").write_text(
            yaml.safe_dump({"all": {"hosts": {"localhost": self.local}}}), encoding="utf-8"
        )
        self.variables = {
            "drools_db_file_path": f"{place / 'engine'};WRITE_DELAY=0",
            "drools_deduplication_window_size": 1000,
            "state_file": str(place / "state.json"),
        }
        self.starts = 0

    def environment(self) -> dict[str, str]:
        """The environment without the user's settings for Ansible and the service."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("ANSIBLE_", "SCANNER_"))}
        return kept | {
            "PATH": f"{PROGRAMS}:{kept['PATH']}",
            "PYTHONUNBUFFERED": "1",
            "ANSIBLE_COLLECTIONS_PATH": str(ROOT.parents[2]),
            "ANSIBLE_HOME": str(self.place / "ansible"),
            "SCANNER_BASE_URL": self.service.base_url,
            "SCANNER_API_KEY": self.service.api_key,
            "SCANNER_TIMEOUT": "5",
        }

    @contextlib.contextmanager
    def running(self, name: str = "rulebook.yml") -> Iterator[subprocess.Popen]:
        """Run it; it is killed at the end, with everything that it started."""
        (self.place / "vars.yml").write_text(yaml.safe_dump(self.variables), encoding="utf-8")
        self.starts += 1
        command = [
            "ansible-rulebook", "--rulebook", name, "--vars", "vars.yml", "--inventory", "hosts.yml",
            "--persistence-id", "trace",
        ]  # fmt: skip
        with open(self.place / f"printed.{self.starts:04}", "w", encoding="utf-8") as printed:
            process = subprocess.Popen(
                command, cwd=self.place, env=self.environment(), stdin=subprocess.DEVNULL, stdout=printed,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
            try:
                yield process
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def printed(self) -> str:
        return "".join(
            path.read_text(encoding="utf-8", errors="replace") for path in sorted(self.place.glob("printed.*"))
        )

    def actions(self) -> Counter:
        """How often the action ran for each event."""
        return Counter(UUID.findall(self.printed()))

    def actions_of_this_run(self) -> int:
        return len(UUID.findall((self.place / f"printed.{self.starts:04}").read_text(encoding="utf-8")))

    def expected(self, count: int) -> set[str]:
        """The ids of the events of the first requests."""
        account = account_of(self.service.base_url, self.service.api_key)
        return {event_id(account, f"http_logger/{LOGGER}", each) for each in range(1, count + 1)}


def wait_for(what, process: subprocess.Popen, pause: float = 0.05) -> None:
    until = time.monotonic() + PATIENCE
    while not what():
        assert process.poll() is None, "ansible-rulebook ended"
        assert time.monotonic() < until, "nothing happened in time"
        time.sleep(pause)


@pytest.fixture
def service() -> Iterator[LocalService]:
    # with a random key: the usual one is in the tests, which are part of the artefact
    with LocalService.start(key=None, settings={"rate_limits": None}) as service:
        service.add(http_loggers=[{"label": "canary"}])
        yield service
        assert service.violations() == [] and service.writes() == []


def test_kills_lose_nothing_and_repeat_only_events_of_the_same_id(service, tmp_path):
    """One kill in five is at a random moment of the start. The others come after a random number of actions and a random
    time, while more events wait: when the source puts an event, the engine stores, acknowledges or acts, or the source
    replaces its cursor."""
    chance = random.Random(SEED)
    trace = Rulebook(tmp_path, service, rulebook())
    sent = at_work = 0
    for kill in range(KILLS):
        done = len(trace.actions())
        # on average, the last kill comes with the last event
        wanted = min(chance.randint(1, max(1, 2 * (EVENTS - done) // (KILLS - kill))), max(EVENTS - 1 - done, 0))
        more = min(done + wanted + chance.randint(1, 4), EVENTS) - sent
        if more > 0:
            service.capture(LOGGER, *({"url_params": f"n={sent + each}"} for each in range(more)))
            sent += more
        with trace.running() as process:
            if chance.random() < 0.2:
                time.sleep(chance.uniform(0, 10))
            else:
                wait_for(lambda wanted=wanted: trace.actions_of_this_run() >= wanted, process, pause=0.005)
                time.sleep(chance.uniform(0, 0.1))
            assert process.poll() is None, trace.printed()[-2000:]
        at_work += trace.actions_of_this_run() > 0 and len(trace.actions()) < sent
    service.capture(LOGGER, *({"url_params": f"n={each}"} for each in range(sent, EVENTS)))
    with trace.running() as process:
        wait_for(lambda: trace.expected(EVENTS) <= set(trace.actions()), process)
    actions = trace.actions()
    print(
        f"{KILLS} kills, {at_work} of them after some and before all actions; {EVENTS} events,"
        f" {len(trace.expected(EVENTS) - set(actions))} lost, {actions.total() - len(actions)} repeated; seed {SEED}"
    )
    assert set(actions) == trace.expected(EVENTS)
    # a few kills say little about their times
    assert at_work > (KILLS / 4 if KILLS > 50 else 0)
    assert service.api_key not in trace.printed()


def test_a_service_that_is_away_is_one_error_and_loses_nothing(tmp_path):
    with LocalService.start(settings={"rate_limits": None}) as service:
        service.add(http_loggers=[{"label": "canary", "requests": [{}, {}]}])
        trace = Rulebook(tmp_path, service, rulebook(error_after=1, retries=0))
        with trace.running() as process:
            wait_for(lambda: len(trace.actions()) == 2, process)
            service.stop()
            time.sleep(AWAY)
            wait_for(lambda: "'failures'" in trace.printed(), process)
            port = service.base_url.split(":")[2].partition("/")[0]
            with LocalService.start(port=port, settings={"rate_limits": None}) as again:
                again.add(http_loggers=[{"label": "canary", "requests": [{}, {}, {}]}])
                wait_for(lambda: trace.expected(3) == set(trace.actions()), process)
        assert trace.printed().count("'failures'") == 1
        assert set(trace.actions().values()) == {1}


def test_a_lost_cursor_repeats_only_events_of_the_same_id(service, tmp_path):
    """The engine remembers their ids, up to the second restart, as measured."""
    trace = Rulebook(tmp_path, service, rulebook())
    service.capture(LOGGER, *[{}] * 30)
    with trace.running() as process:
        wait_for(lambda: len(trace.actions()) == 30, process)
        (tmp_path / "state.json").unlink()
        service.capture(LOGGER, {})
        wait_for(lambda: len(trace.actions()) == 31, process)
        assert set(trace.actions().values()) == {1}
    for count in (32, 33):
        before = trace.actions().total()
        # the kill may have come before the file was written again
        (tmp_path / "state.json").unlink(missing_ok=True)
        service.capture(LOGGER, {})
        with trace.running() as process:
            wait_for(lambda count=count: len(trace.actions()) == count, process)
        repeated = trace.actions().total() - before - 1
        print(f"after restart {count - 31} with a lost cursor, {repeated} of {count - 1} actions ran again")
    assert set(trace.actions()) == trace.expected(33)


def test_the_end_of_a_rulebook_is_clean(service, tmp_path):
    trace = Rulebook(tmp_path, service, rulebook())
    service.capture(LOGGER, {})
    with trace.running() as process:
        wait_for(trace.actions, process)
        os.kill(process.pid, signal.SIGINT)
        process.wait(30)
    assert "Traceback" not in trace.printed()


# --- the examples

EXAMPLES = sorted((ROOT / "extensions/eda/rulebooks").glob("*.yml"))
# a hint may be lost, so it needs no database
DURABLE = [path for path in EXAMPLES if path.stem != "gate_on_hint"]


@pytest.mark.parametrize("missing", ["drools_db_file_path", "drools_deduplication_window_size", "WRITE_DELAY=0"])
@pytest.mark.parametrize("example", DURABLE, ids=lambda path: path.stem)
def test_an_example_does_not_start_without_its_database(service, tmp_path, example, missing):
    trace = Rulebook(tmp_path, service, "[]")
    trace.variables |= {"canary_label": "canary", "canary_playbook": "none.yml", "scan_workspaces": ["Shop"]}
    if trace.variables.pop(missing, None) is None:
        trace.variables["drools_db_file_path"] = str(tmp_path / "engine")
    with trace.running(f"scanops.scanner.{example.stem}") as process:
        process.wait(PATIENCE)
    assert (f"'{missing}' is undefined" in trace.printed()) or "set them as the rulebook says" in trace.printed()
    assert process.returncode != 0
    assert service.calls() == []


def test_hints_start_one_gate_and_only_at_the_secret_address(service, tmp_path):
    trace = Rulebook(tmp_path, service, "[]")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    trace.variables |= {"gate_playbook": str(tmp_path / "gate.yml"), "hint_path": "a-secret", "hint_port": port}
    task = {"name": "Run", "ansible.builtin.tempfile": {"path": str(tmp_path), "suffix": ".ran"}}
    play = [{"hosts": "localhost", "gather_facts": False, "tasks": [task]}]
    (tmp_path / "gate.yml").write_text(yaml.safe_dump(play), encoding="utf-8")
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def call(path: str) -> bool:
        request = urllib.request.Request(f"http://127.0.0.1:{port}/{path}", b"{}", {"Content-Type": "application/json"})
        with contextlib.suppress(OSError):
            return opener.open(request).close() is None
        return False

    with trace.running("scanops.scanner.gate_on_hint") as process:
        wait_for(lambda: call("another"), process)
        assert call("a-secret") and call("a-secret")
        wait_for(lambda: list(tmp_path.glob("*.ran")), process)
        # long enough for a second one
        time.sleep(15)
    assert len(list(tmp_path.glob("*.ran"))) == 1


def test_the_canary_runs_a_playbook_for_each_request(service, tmp_path):
    """A template in a request does not run: its text is data."""
    trace = Rulebook(tmp_path, service, "[]")
    trace.variables |= {"canary_label": "canary", "canary_playbook": "alarm.yml"}
    play = [{
        "hosts": "localhost",
        "gather_facts": False,
        "tasks": [{
            "name": "Write what arrived",
            "ansible.builtin.copy": {
                "content": "{{ ansible_eda.event.request.url_params }}",
                "dest": f"{tmp_path}/{{{{ event_uuid }}}}.txt",
                "mode": "0600",
            },
        }],
    }]  # fmt: skip
    (tmp_path / "alarm.yml").write_text(yaml.safe_dump(play), encoding="utf-8")
    service.capture(LOGGER, {"url_params": "{{ 6 * 7 }}"}, {"url_params": "a=1"})
    with trace.running("scanops.scanner.canary") as process:
        wait_for(lambda: len(list(tmp_path.glob("*-*.txt"))) == 2, process)
    found = {path.stem: path.read_text(encoding="utf-8") for path in tmp_path.glob("*-*.txt")}
    assert set(found) == trace.expected(2)
    assert sorted(found.values()) == ["a=1", "{ { 6 * 7 }}"]


@pytest.mark.parametrize("helps", [True, False])
def test_a_scan_that_ends_is_fixed_and_the_fix_is_proven_once(tmp_path, helps):
    """The scan that proves the fix ends, too, and begins nothing, even if it finds the same again."""
    found = {"rate_limits": None, "scan_findings": [0, 4]}
    with LocalService.start(key=None, settings=found) as service:
        service.add(workspaces=[{"name": "Shop"}], targets=[{"name": "shop.example.com", "workspace": "Shop"}])
        trace = Rulebook(tmp_path, service, "[]")
        trace.variables |= {
            "scan_workspaces": ["Shop"],
            "scan_interval": 1,
            "fix_tasks": str(tmp_path / "fix.yml"),
            "fix_artifacts": str(tmp_path / "proofs"),
            "fix_scope": {"allow": ["example.com"]},
        }
        hosts = {"localhost": trace.local, "shop.example.com": trace.local}
        (tmp_path / "hosts.yml").write_text(yaml.safe_dump({"all": {"hosts": hosts}}), encoding="utf-8")
        # the host does not exist, so the fix tells the service what its next scan finds
        fix = {"url": f"{service.control_url}/settings", "method": "PATCH", "body_format": "json", "use_proxy": False,
               "body": {"scan_findings": [0] if helps else [0, 4]}}  # fmt: skip
        (tmp_path / "fix.yml").write_text(
            yaml.safe_dump([{"name": "Fix", "ansible.builtin.uri": fix}]), encoding="utf-8"
        )
        with trace.running("scanops.scanner.fix_and_prove") as process:
            wait_for((tmp_path / "state.json").exists, process)
            target = service.targets()[-1]
            command = ["ansible", "localhost", "-c", "local", "-m", "scanops.scanner.scan", "-a", json.dumps({
                "workspace": "Shop", "target": target["name"], "tool": "Website Scanner", "poll_interval": 1,
            })]  # fmt: skip
            subprocess.run(command, env=trace.environment(), check=True, capture_output=True, cwd=tmp_path)
            wait_for(lambda: list(tmp_path.glob("proofs/*/prove_fix.json")), process)
            # long enough to begin again
            time.sleep(25)
        (proof,) = tmp_path.glob("proofs/*/prove_fix.json")
        assert json.loads(proof.read_text(encoding="utf-8"))["counts"] == {
            "fixed": int(helps), "present": int(not helps), "unproven": 0,
        }  # fmt: skip
        assert service.calls().count("POST /scans") == 2
