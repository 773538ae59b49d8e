# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The same tasks in process and as modules, with the real ansible-playbook: equal events, results and requests."""

from __future__ import annotations

import json

import pytest
from ansible_collections.scanops.scanner.tests.plays.playbook import (
    ad_hoc,
    comparable,
    play,
    requests_of,
    sends_less,
)
from ansible_collections.scanops.scanner.tests.unit.local_service import LocalService
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scenarios import ACCOUNT, PROBES, READS, WRITES

PREFIX = "scanops.scanner."
ALL = {**WRITES, **READS, **PROBES}


def _chosen() -> tuple[dict[str, dict], dict[str, dict]]:
    """The first task of each module; and more of them, so that there is one that changes something, one that does not, and one
    that warns, as far as the module has them."""
    first: dict[str, str] = {}
    chosen: dict[tuple, str] = {}
    for name, task in ALL.items():
        if not task.options.get("dest"):
            first.setdefault(task.module, name)
            chosen.setdefault((task.module, task.changed, bool(task.warns)), name)
    tasks = {name: {PREFIX + ALL[name].module: ALL[name].options} for name in chosen.values()}
    firsts = {name: tasks.pop(name) for name in first.values()}
    return firsts, tasks


def target(**options: object) -> dict:
    return {f"{PREFIX}target": {"workspace_id": 2, **options}}


def workspace(**options: object) -> dict:
    return {f"{PREFIX}workspace": options}


def read(**options: object) -> dict:
    return {f"{PREFIX}workspace_info": options}


# what people write around a task, and what goes wrong
SPECIAL = {
    "check mode": {**target(name="new.example.com"), "check_mode": True},
    "check mode of many": {
        f"{PREFIX}targets": {"workspace_id": 2, "targets": ["new.example.com"]},
        "check_mode": True,
    },
    "check mode with an unknown id": {**target(id="{{ none_yet }}"), "check_mode": True, "vars": {"none_yet": None}},
    "diff mode off": {**workspace(name="Web shop", description="Other"), "diff": False},
    "loop": {**target(name="{{ item }}"), "loop": ["www.example.com", "new.example.com", "www.example.com"]},
    "loop in which an item fails": {
        **target(name="{{ item }}", description="Other", on_drift="fail"),
        "loop": ["www.example.com", "new.example.com"],
    },
    "until": {
        **read(name="Web shop"),
        "register": "found",
        "until": "found.workspaces == []",
        "retries": 1,
        "delay": 0,
    },
    "failed_when": {**read(name="Web shop"), "register": "found", "failed_when": "found.workspaces | length == 1"},
    "changed_when": {**workspace(name="New"), "changed_when": False},
    "no_log": {**read(name="Web shop"), "no_log": True},
    "options as one text": {f"{PREFIX}workspace": "name=Empty description=''"},
    "args from a variable": {f"{PREFIX}workspace": {}, "args": "{{ given }}", "vars": {"given": {"name": "Empty"}}},
    "a templated number": {**target(id="{{ 1001 }}"), "vars": {}},
    "text that is a template": workspace(name="New", description="{{ '{{' }} 1 + 1 {{ '}}' }}"),
    "text with a secret": workspace(name="New", description="{{ lookup('ansible.builtin.env', 'SCANNER_API_KEY') }}"),
    "delegate_to": {**read(name="Web shop"), "delegate_to": "other"},
    "run_once": {**read(name="Web shop"), "run_once": True},
    "an unknown option": workspace(nam="Web shop"),
    "an unknown option with a secret": read(api_kye="{{ secret }}-9c1d"),
    "a null": workspace(name=None),
    "a number for a name": workspace(name=7),
    "a wrong choice": target(name="www.example.com", state="there"),
    "a wrong type": {**read(), "vars": {}, f"{PREFIX}workspace_info": {"id": "seven"}},
    "two of a group": workspace(name="Web shop", id=2),
    "none of a group": workspace(description="Other"),
    "a wrong switch": read(validate_certs="perhaps"),
    "an unknown key of a dictionary": target(name="www.example.com", scope={"alow": ["www.example.com"]}),
    "a scope that refuses": target(name="new.example.com", scope={"allow": ["other.example.com"]}),
    "a wrong base_url": read(base_url="ftp://user:{{ secret }}-77ab@host.example/api"),
    "a wrong key": read(api_key="{{ secret }}-5e02"),
    "a missing certificate": read(ca_path="/nowhere/ca.pem"),
    "no service": read(base_url="http://127.0.0.1:9/api/v2", retries=0),
    "an option from the environment": {**read(), "environment": {"SCANNER_API_KEY": "{{ secret }}-31cc"}},
    "a timeout from the environment": {**read(), "environment": [{"SCANNER_TIMEOUT": 9}, {"SCANNER_RETRIES": "1"}]},
    "a wrong option from the environment": {**read(), "environment": {"SCANNER_TIMEOUT": "long"}},
    "a missing scope file": {
        **target(name="new.example.com"),
        "environment": {"SCANNER_SCOPE_FILE": "/nowhere/scope.yml"},
    },
    "a proxy from the environment": {
        **read(allow_http=True, retries=0),
        "environment": {"http_proxy": "http://127.0.0.1:9", "no_proxy": ""},
    },
    "no proxy from the environment": {
        **read(allow_http=True),
        "environment": {"http_proxy": "http://127.0.0.1:9", "no_proxy": "127.0.0.1"},
    },
    "a home from the environment": {
        **read(ca_path="~/ca.pem", base_url="https://127.0.0.1:9/api/v2"),
        "environment": {"HOME": "/nowhere"},
    },
    "an unreadable authority from the environment": {
        **read(base_url="https://127.0.0.1:9/api/v2", retries=0),
        "environment": {"REQUESTS_CA_BUNDLE": "/nowhere/ca.pem"},
    },
    "a missing variable": read(name="{{ nobody_knows }}"),
    "a deep answer": read(),
    "an answer that is a page": read(),
    "a lost answer": workspace(name="New"),
    "text that could be a template is read": {**read(name="Hostile"), "register": "hostile"},
    "text that could be a template is shown": {"ansible.builtin.debug": {"msg": "{{ hostile.workspaces }}"}},
    "text that could be a template is used": {**workspace(name="{{ hostile.workspaces[0].description }}"), "vars": {}},
}
DEEP = "x"
for _level in range(60):
    DEEP = [DEEP]
FAULTS = {
    "a deep answer": [{"path": "/workspaces", "action": "wrong_type", "data": [{"id": 1, "name": "x", "deep": DEEP}]}],
    "an answer that is a page": [{"path": "/workspaces", "action": "html", "times": None}],
    "a lost answer": [{"method": "POST", "path": "/workspaces", "action": "reset", "when": "after"}],
}
STATE = {
    **ACCOUNT,
    "workspaces": [*ACCOUNT["workspaces"], {"id": 9, "name": "Hostile", "description": "{{ 1 + 1 }}{% raw %}"}],
}
SECRETS = ("unmistakable-secret", LocalService.KEY)
INVENTORY = "".join(
    f"{host} ansible_connection=local ansible_python_interpreter='{{{{ ansible_playbook_python }}}}'\n"
    for host in ("localhost", "other")
)


def as_tasks(tasks: dict[str, dict]) -> list[dict]:
    return [{"name": name, "ignore_errors": True, **task} for name, task in tasks.items()]


def on_localhost(tasks: dict[str, dict], **keywords: object) -> dict:
    return {"hosts": "localhost", "gather_facts": False, **keywords, "tasks": as_tasks(tasks)}


def compare(tmp_path, service, plays, **more):
    """Play both ways. Returns the output of the one in process."""
    ways = {}
    for way in ("true", "false"):
        (tmp_path / way).mkdir()
        # in a file of its own, because ansible-core shows the lines of a playbook
        (tmp_path / way / "secret.json").write_text(json.dumps({"secret": SECRETS[0]}), encoding="utf-8")
        ways[way] = play(
            tmp_path / way,
            service,
            plays,
            {"SCANNER_IN_PROCESS": way, **more.get("environment", {})},
            ("-vvvv", "--diff", "-f", "1", "-e", "@secret.json"),
            STATE,
            FAULTS,
            INVENTORY,
        )
    here, module = ways["true"], ways["false"]
    service.allow_violations = True
    assert here.status == module.status, here.output
    assert here.events, here.output
    assert list(here.events) == list(module.events)
    assert not [secret for secret in SECRETS if secret in here.output]
    different = {}
    for name, events in module.events.items():
        loop = any(event.kind.startswith("item") for event in events)
        ours, theirs = comparable(here.events[name], loop), comparable(events, loop)
        if ours != theirs:
            different[name] = [ours, theirs]
        elif loop and not sends_less(requests_of(here.events[name]), requests_of(events)):
            different[name] = [requests_of(here.events[name]), requests_of(events)]
    assert different == {}, json.dumps(different, indent=1)
    assert "runs in process" not in module.output
    return here.output


@pytest.mark.slow
@pytest.mark.parametrize("tasks", _chosen(), ids=["one of each module", "more of each module"])
def test_a_task_of_each_module(tmp_path, service, tasks):
    output = compare(tmp_path, service, [on_localhost(tasks)])
    assert output.count(" runs in process") == len(tasks)


@pytest.mark.slow
def test_what_is_written_around_a_task_and_what_goes_wrong(tmp_path, service):
    output = compare(tmp_path, service, [on_localhost(SPECIAL)])
    assert "runs as a module" not in output


def test_half_of_a_character_hides_no_result(tmp_path, service):
    """Of a purge, which has deleted; ansible-core 2.19 and later refuse a result with one."""
    purge = {"workspace_id": 2, "targets": ["www.example.com"], "purge": True, "purge_max": 5}
    tasks = {way: {f"{PREFIX}targets": {**purge, "in_process": way == "here"}} for way in ("here", "module")}
    state = {**ACCOUNT, "targets": [*ACCOUNT["targets"], {"name": "half \ud83d", "workspace": "Web shop"}]}
    played = play(tmp_path, service, [on_localhost(tasks)], state=state)
    for way in tasks:
        (event,) = played.events[way]
        assert (event.kind, event.result["changed"]) == ("ok", True), event.result
        assert "half \ufffd" in [row["name"] for row in event.result["results"] if row["action"] == "delete"]


def test_a_key_of_ansible_core_in_an_answer_hides_no_result(tmp_path, service):
    """ansible-core 2.19 and later read an object with such a key as another value, or refuse the result."""
    tasks = {way: {f"{PREFIX}workspace_info": {"in_process": way == "here"}} for way in ("here", "module")}
    row = {
        "id": 1,
        "name": "x",
        "other": [{"__ansible_type": "x"}, {"__ansible_type": "_AnsibleTaggedStr", "value": 1}],
    }
    fault = {"path": "/workspaces", "action": "wrong_type", "data": [row]}
    played = play(tmp_path, service, [on_localhost(tasks)], faults={way: [fault] for way in tasks})
    for way in tasks:
        (event,) = played.events[way]
        assert event.kind == "ok", event.result
        assert event.result["workspaces"][0]["other"][0] == {"___ansible_type": "x"}


def test_defaults_hosts_strategies_and_short_names(tmp_path, service):
    connection = {"base_url": service.base_url, "api_key": service.api_key}
    plays = [
        on_localhost(
            {"a default": read(), "a default that is not for it": workspace(name="Web shop")},
            module_defaults={"group/scanops.scanner.all": connection, f"{PREFIX}workspace_info": {"name": "Web shop"}},
        ),
        on_localhost(
            {
                "a short name": {"workspace": {"name": "Web shop"}},
                "a short unknown option": {"workspace": {"nam": "x"}},
            },
            collections=["scanops.scanner"],
        ),
        on_localhost({"on each host": read(name="Web shop")}) | {"hosts": "localhost,other"},
        on_localhost({"once": {**read(), "run_once": True}}) | {"hosts": "localhost,other"},
        on_localhost({"free": read(name="Web shop")}, strategy="free"),
        on_localhost({"with a variable": read()}, environment={"SCANNER_API_KEY": "{{ secret }}-a0"}),
    ]
    output = compare(tmp_path, service, plays)
    assert "runs as a module" not in output


@pytest.mark.parametrize(
    ("arguments", "outcome"),
    [
        (("-m", f"{PREFIX}workspace_info", "-a", "name='Web shop'"), "SUCCESS"),
        (("-m", f"{PREFIX}workspace", "-a", '{"name": "New", "description": "a b"}'), "CHANGED"),
        (("-m", f"{PREFIX}target", "-a", "workspace=Missing name=new.example.com", "--check"), "CHANGED"),
        (("-m", f"{PREFIX}workspace", "-a", "nam=x"), "FAILED"),
    ],
    ids=["read", "change", "check mode with a warning", "failure"],
)
def test_ad_hoc_calls(tmp_path, service, arguments, outcome):
    ways = {
        way: ad_hoc(tmp_path / way, service, arguments, {"SCANNER_IN_PROCESS": way}, STATE, INVENTORY)
        for way in ("true", "false")
    }
    here, module = ways["true"], ways["false"]
    assert here.outcome == outcome
    assert bool(here.warned) == ("--check" in arguments)
    assert here._replace(output="") == module._replace(output="")
    assert "runs in process" in here.output
    assert "runs as a module" in module.output
