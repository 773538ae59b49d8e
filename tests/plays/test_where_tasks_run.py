# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each condition under which a task runs as a module, with the real ansible-playbook."""

from __future__ import annotations

import re
import sys

import pytest
from ansible_collections.scanops.scanner.tests.plays.playbook import play
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scenarios import ACCOUNT

WAY = re.compile(r"(\S+) runs (in process|as a module, because .*)")
OWN = f"ansible_python_interpreter={sys.executable}"
HOSTS = f"""\
localhost ansible_connection=local {OWN}
unset ansible_connection=local
auto ansible_connection=local ansible_python_interpreter=auto_silent
another ansible_connection=local ansible_python_interpreter=/usr/bin/another-python3
elsewhere ansible_connection=elsewhere {OWN}
"""


def read(**keywords):
    return {"scanops.scanner.workspace_info": {}, **keywords}


# the host, the task, and why it runs as a module (None: it runs in process)
CASES = {
    "nothing special": ("localhost", read(), None),
    "no interpreter is set": ("unset", read(), None),
    "the interpreter is chosen": ("auto", read(), None),
    "another interpreter": (
        "another",
        read(),
        "ansible_python_interpreter is /usr/bin/another-python3, not the interpreter of ansible-core",
    ),
    "another interpreter by a variable of the task": (
        "localhost",
        read(vars={"ansible_python_interpreter": "/usr/bin/another-python3"}),
        "ansible_python_interpreter is /usr/bin/another-python3, not the interpreter of ansible-core",
    ),
    "delegated to here": ("another", read(delegate_to="localhost"), None),
    "delegated to a host with another interpreter": (
        "localhost",
        read(delegate_to="another"),
        "ansible_python_interpreter is /usr/bin/another-python3, not the interpreter of ansible-core",
    ),
    "delegated to another host": ("localhost", read(delegate_to="elsewhere"), "the connection is elsewhere, not local"),
    "another host": ("elsewhere", read(), "the connection is elsewhere, not local"),
    "become": ("localhost", read(become=True), "become is set"),
    "async": ("localhost", read(**{"async": 60, "poll": 1}), "async is set"),
    "async without a poll": ("localhost", read(**{"async": 60, "poll": 0}), "async is set"),
    "variables that are read": (
        "localhost",
        read(environment={"SCANNER_RETRIES": 1, "no_proxy": "127.0.0.1", "HOME": "/nowhere", "NETRC": "/nowhere"}),
        None,
    ),
    "a variable that is not read": ("localhost", read(environment={"LANG": "C"}), "environment sets LANG"),
    "the option": ("localhost", {"scanops.scanner.workspace_info": {"in_process": False}}, "in_process is not true"),
    "the option as text": (
        "localhost",
        {"scanops.scanner.workspace_info": {"in_process": "no"}},
        "in_process is not true",
    ),
    "its variable": ("localhost", read(environment={"SCANNER_IN_PROCESS": "false"}), "in_process is not true"),
    "the option before its variable": (
        "localhost",
        {"scanops.scanner.workspace_info": {"in_process": True}, "environment": {"SCANNER_IN_PROCESS": "false"}},
        None,
    ),
    "a wrong option": (
        "localhost",
        {"scanops.scanner.workspace_info": {"in_process": "perhaps"}},
        "in_process is not true",
    ),
    "a file": (
        "localhost",
        {"scanops.scanner.finding_info": {"dest": "{{ playbook_dir }}/findings.jsonl"}},
        "the task writes a file",
    ),
    "no file": ("localhost", {"scanops.scanner.finding_info": {"id": 70001}}, None),
}
# those that cannot succeed here
FAILS = ("another", "become", "wrong option")


def ways(played):
    return [way.removeprefix("as a module, because ") for _action, way in WAY.findall(played.output)]


def test_each_condition(tmp_path, service):
    plays = [
        {"hosts": host, "gather_facts": False, "tasks": [{"name": name, "ignore_errors": True, **task}]}
        for name, (host, task, _why) in CASES.items()
    ]
    played = play(tmp_path, service, plays, arguments=("-vvv",), state=ACCOUNT, inventory=HOSTS)
    assert dict(zip(CASES, ways(played))) == {name: why or "in process" for name, (_host, _task, why) in CASES.items()}
    kinds = {name: events[-1].kind for name, events in played.events.items()}
    failed = {name for name, (_host, _task, why) in CASES.items() if any(word in f"{name} {why}" for word in FAILS)}
    assert {name for name in CASES if kinds[name] == "ok"} >= set(CASES) - failed


@pytest.mark.parametrize(
    "environment, why",
    [
        ({"SCANNER_IN_PROCESS": "0"}, "in_process is not true"),
        ({"ANSIBLE_KEEP_REMOTE_FILES": "1"}, "ANSIBLE_KEEP_REMOTE_FILES is set"),
        ({"ANSIBLE_PYTHON_INTERPRETER": "/usr/bin/another-python3"}, None),
    ],
    ids=str,
)
def test_the_environment_of_ansible_playbook(tmp_path, service, environment, why):
    plays = [{"hosts": "localhost", "gather_facts": False, "tasks": [{"name": "read", **read()}]}]
    played = play(tmp_path, service, plays, environment, ("-vvv",), inventory=HOSTS)
    assert ways(played) == [why or "in process"]
    assert [event.kind for event in played.events["read"]] == ["ok"]


def test_an_item_that_runs_as_a_module_ends_what_the_others_have_read(tmp_path, service):
    options = {
        "workspace_id": 2,
        "name": "www.example.com",
        "state": "{{ item.state }}",
        "in_process": "{{ item.way }}",
    }
    items = [{"state": "present", "way": True}, {"state": "absent", "way": False}, {"state": "present", "way": True}]
    plays = [{"hosts": "localhost", "gather_facts": False, "tasks": [{"name": "loop", "loop": items}]}]
    plays[0]["tasks"][0]["scanops.scanner.target"] = options
    played = play(tmp_path, service, plays, arguments=("-vvv",), state=ACCOUNT, inventory=HOSTS)
    assert ways(played) == ["in process", "in_process is not true", "in process"]
    assert [event.result["changed"] for event in played.events["loop"][:3]] == [False, True, True]
    assert "www.example.com" in [target["name"] for target in service.targets()]


@pytest.mark.parametrize("in_process, shown", [("1", False), ("0", True)])
def test_debug_output_of_ansible_core_shows_the_key_of_a_module_only(tmp_path, service, in_process, shown):
    """As the guide Secrets says."""
    key = {"module_defaults": {"group/scanops.scanner.all": {"api_key": "{{ key }}"}}, "vars": {"key": service.api_key}}
    plays = [{"hosts": "localhost", "gather_facts": False, "tasks": [{"name": "read", **read()}], **key}]
    played = play(tmp_path, service, plays, {"ANSIBLE_DEBUG": "1", "SCANNER_IN_PROCESS": in_process}, inventory=HOSTS)
    assert [event.kind for event in played.events["read"]] == ["ok"]
    assert (service.api_key in played.output) is shown


def test_without_requests_the_module_says_what_is_missing(tmp_path, service):
    (tmp_path / "lib").mkdir(parents=True)
    (tmp_path / "lib" / "requests.py").write_text("raise ImportError('hidden by a test')\n", encoding="utf-8")
    plays = [{"hosts": "localhost", "gather_facts": False, "tasks": [{"name": "read", **read()}]}]
    played = play(tmp_path, service, plays, first=str(tmp_path / "lib"), arguments=("-vvv",), inventory=HOSTS)
    assert ways(played) == ["the Python of ansible-core lacks requests >= 2.31"]
    assert "Failed to import the required Python library (requests >= 2.31)" in played.events["read"][0].result["msg"]


@pytest.mark.parametrize("in_process", [True, False])
def test_a_relative_path_starts_at_the_directory_of_the_playbook(tmp_path, service, in_process):
    options = {"ca_path": "hosts", "in_process": in_process}
    plays = [{"hosts": "localhost", "gather_facts": False, "tasks": [{"name": "read"}]}]
    plays[0]["tasks"][0]["scanops.scanner.workspace_info"] = options
    # the playbook is in another directory than the one in which ansible-playbook starts
    played = play(tmp_path / "plays", service, plays, arguments=("-vvv",), inventory=HOSTS, start=tmp_path)
    assert ways(played) == ["in process" if in_process else "in_process is not true"]
    assert [event.kind for event in played.events["read"]] == ["ok"]


def test_a_module_on_the_controller_runs_with_the_python_of_tasks_in_process(tmp_path, service):
    """Where no interpreter is set, also after delegate_to. The one that ansible-core finds may lack requests."""
    read_file = {"scanops.scanner.finding_info": {"dest": "{{ playbook_dir }}/{{ inventory_hostname }}.jsonl"}}
    plays = [
        {"hosts": "unset", "gather_facts": False, "tasks": [{"name": "own", **read_file}]},
        {
            "hosts": "elsewhere",
            "gather_facts": False,
            "tasks": [{"name": "delegated", "delegate_to": "auto", **read_file}],
        },
    ]
    played = play(tmp_path, service, plays, arguments=("-vvv",), state=ACCOUNT, inventory=HOSTS)
    assert ways(played) == ["the task writes a file"] * 2
    assert len(re.findall(rf"EXEC /bin/sh -c '{sys.executable} \S+AnsiballZ_finding_info", played.output)) == 2
    assert "discovered_interpreter_python" not in played.output


def test_quiet_runs_say_nothing_about_it(tmp_path, service):
    plays = [{"hosts": "localhost", "gather_facts": False, "tasks": [{"name": "read", **read()}]}]
    played = play(tmp_path, service, plays, arguments=("-vv",), inventory=HOSTS)
    assert "in process" not in played.output
