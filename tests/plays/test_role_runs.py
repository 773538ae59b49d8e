# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The roles in whole runs of ansible-playbook: what a play sets for modules, who works, what is believed, and what they say."""

from __future__ import annotations

import json
import subprocess
from typing import NamedTuple

import pytest
from ansible.release import __version__ as ansible_version
from ansible_collections.scanops.scanner.tests.plays.playbook import LOCAL, prepare

ESTATE = [{"name": "Web shop", "targets": ["www.example.com"]}]
GATE = {"scan_gate_workspace": "Web shop", "scan_gate_targets": "www.example.com", "scan_gate_poll_interval": 1}
GREEN = {"scan_gate_policy": {"fail_on": "none"}}
RED = {"scan_gate_policy": {"fail_on": "info"}}
SCOPED = {"group/scanops.scanner.scoped": {"scope": {"deny": ["www.example.com"]}}}


class Run(NamedTuple):
    status: int
    output: str
    log: list[dict]

    def posts(self, path):
        return [each["json"] for each in self.log if each["method"] == "POST" and each["path"].endswith(path)]


def role(name, variables, **keywords):
    return {
        "name": name,
        "ansible.builtin.include_role": {"name": f"scanops.scanner.{name}"},
        "vars": variables,
        **keywords,
    }


def run(directory, service, tasks, arguments=(), inventory=f"a {LOCAL}\nb {LOCAL}\n", files=(), **play):
    """One run of ansible-playbook, with a play on all hosts, or several plays."""
    directory.mkdir(exist_ok=True)
    for name, text in dict(files).items():
        (directory / name).write_text(text)
    plays = tasks if "hosts" in tasks[0] else [{"hosts": "all", "gather_facts": False, "tasks": tasks, **play}]
    command, variables = prepare(directory, service, plays, tuple(arguments), inventory=inventory)
    # that of the other tests resets the service before each task
    del variables["ANSIBLE_CALLBACKS_ENABLED"]
    service.clear_log()
    done = subprocess.run(
        command, cwd=directory, env=variables, capture_output=True, text=True, timeout=600, check=False
    )
    return Run(done.returncode, " ".join((done.stdout + done.stderr).split()), service.log())


def rescued(*tasks):
    return {"block": list(tasks), "rescue": [{"ansible.builtin.meta": "noop"}]}


# --- what a play sets for a module, or a group of modules

UUID = "0a0b0c0d-0000-4000-8000-000000000001"
# of scan, with the field of the start of a scan and its value
STARTS = {
    "tool_params": ({"scan_type": "light"}, "tool_params", {"scan_type": "light"}),
    "vpn_profile": ("Office", "vpn_profile_uuid", UUID),
    "max_scan_time": (7, "max_scan_time", 7),
    "redirect_level": ("same_domain", "redirect_level", "same_domain"),
    "scan_original_url": (False, "scan_original_url", False),
    "authentication": (
        {"type": "cookies", "cookie_header": "a=b"},
        "authentication",
        {"type": "cookies", "params": {"cookie_header": "a=b"}},
    ),
    "start_params": (
        {"report_callback": {"url": "https://ci.example/hook"}},
        "report_callback",
        {"url": "https://ci.example/hook"},
    ),
}
WAYS = ("task", "defaults", "variable")


@pytest.fixture(scope="module")
def started(service_process, tmp_path_factory):
    """The starts of a plain task, of the role with module_defaults, and of the role with its variables."""
    values = {name: value for name, (value, *_rest) in STARTS.items()}
    # the role and ``tools`` have those of each tool
    several = {**values, "tool_params": {"Website Scanner": values["tool_params"]}}
    plain = {"workspace": "task", "target": "www.example.com", "tool": "Website Scanner", "poll_interval": 1}
    variables = {f"scan_gate_{name}": value for name, value in several.items()}
    roles = {
        way: role("scan_gate", {**GATE, **GREEN, "scan_gate_workspace": way, "scan_gate_artifacts": way, **given})
        for way, given in (("defaults", {}), ("variable", variables))
    }
    tasks = [
        {"scanops.scanner.estate": {"workspaces": [{"name": "task", "targets": ["www.example.com"]}]}},
        {"scanops.scanner.scan": plain, "module_defaults": {"scanops.scanner.scan": values}},
        {"block": [roles["defaults"]], "module_defaults": {"scanops.scanner.scan": several}},
        roles["variable"],
    ]
    with service_process.fresh() as service:
        service.add(vpn_profiles=[{"uuid": UUID, "name": "Office"}])
        done = run(tmp_path_factory.mktemp("started"), service, tasks, inventory=f"a {LOCAL}\n")
        assert done.status == 0, done.output
        names = {each["id"]: each["name"] for each in service.workspaces()}
    return {names[each["workspace_id"]]: each for each in done.posts("/scans")}


@pytest.mark.parametrize("name", STARTS)
def test_an_option_of_scan_counts_in_the_role_as_in_a_task(started, name):
    field, sent = STARTS[name][1:]
    assert [started[way].get(field) for way in WAYS] == [sent] * 3


def test_the_starts_of_the_role_are_those_of_a_task(started):
    bare = [{key: each for key, each in started[way].items() if key != "workspace_id"} for way in WAYS]
    assert bare[0] == bare[1] == bare[2]


@pytest.mark.parametrize("name", ["scan_gate", "estate_apply", "estate_register"])
def test_a_scope_of_the_play_counts_in_every_role(service, tmp_path, name):
    given = {
        "scan_gate": GATE,
        "estate_apply": {"estate_apply_workspaces": ESTATE},
        "estate_register": {"estate_register_workspace": "My Workspace", "estate_register_source": "here"},
    }
    inventory = f"a {LOCAL} estate_register_targets=www.example.com\n"
    done = run(tmp_path, service, [role(name, given[name])], inventory=inventory, module_defaults=SCOPED)
    assert done.status == 2 and "www.example.com is refused by scope.deny[0]" in done.output, done.output
    assert done.posts("/targets") == done.posts("/scans") == []


def test_an_omitted_option_does_not_hide_that_of_the_play(service, tmp_path):
    omitted = {"scope": "{{ shop_scope | default(omit) }}"}
    tasks = [
        rescued({"scanops.scanner.target": {"workspace": "My Workspace", "name": "www.example.com", **omitted}}),
        rescued({"scanops.scanner.estate": {"workspaces": ESTATE, **omitted}}),
        rescued(role("estate_apply", {"estate_apply_workspaces": ESTATE, "estate_apply_scope": omitted["scope"]})),
        role("scan_gate", {**GATE, "scan_gate_scope": omitted["scope"]}),
    ]
    done = run(tmp_path, service, tasks, inventory=f"a {LOCAL}\n", module_defaults=SCOPED)
    assert done.status == 2, done.output
    assert done.posts("/targets") == done.posts("/scans") == []
    # before release 2.19, ansible-core fails a role with an omitted dictionary
    modules_only = tuple(map(int, ansible_version.split(".")[:2])) < (2, 19)
    assert " ".join(done.output.split()).count("is refused by scope.deny[0]") >= (2 if modules_only else 4)


def test_a_policy_and_protected_names_of_the_play_count(service, tmp_path):
    defaults = {
        "scanops.scanner.gate": {"policy": {"fail_on": "none"}},
        "scanops.scanner.estate": {"protect": ["www.*"], "purge": ["targets"]},
    }
    other = {"estate_apply_workspaces": [{"name": "Web shop", "targets": ["other.example.com"]}]}
    tasks = [
        role("estate_apply", {"estate_apply_workspaces": ESTATE}),
        role("estate_apply", other),
        role("scan_gate", {**GATE, "scan_gate_targets": ["shop.example.com"]}),
    ]
    done = run(tmp_path, service, tasks, inventory=f"a {LOCAL}\n", module_defaults=defaults)
    assert done.status == 0, done.output
    # the gate declares its targets, and deletes nothing
    assert [each for each in done.log if each["method"] == "DELETE"] == []
    assert "The gate passed: 0 of 5 findings fail (shop.example.com, Website Scanner)." in done.output
    assert '"msg": "1 created, 1 protected' in done.output


# --- who works, and where


@pytest.mark.parametrize("name", ["scan_gate", "estate_apply", "estate_export"])
def test_a_role_runs_on_the_controller_whatever_the_connection(service, tmp_path, name):
    given = {
        "scan_gate": {**GATE, **GREEN},
        "estate_apply": {"estate_apply_workspaces": ESTATE},
        "estate_export": {"estate_export_dest": "out.yml"},
    }
    inventory = "a\nlocalhost ansible_connection=ssh ansible_host=192.0.2.1 ansible_python_interpreter=/missing\n"
    windows = {"ansible_connection": "winrm", "ansible_shell_type": "powershell", "ansible_become": True}
    done = run(tmp_path, service, [role(name, given[name])], inventory=inventory, vars=windows)
    assert done.status == 0 and done.log, done.output


@pytest.mark.parametrize("arguments", [["--tags=x"], ["--tags=x", "--skip-tags=always"]], ids=str)
def test_roles_that_tags_select_do_their_work(service, tmp_path, arguments):
    files = {"send.yml": "- ansible.builtin.meta: noop\n"}
    canary = {"logger_canary_tasks": "send.yml", "logger_canary_expect": "silence", "logger_canary_within": 0}
    comment = {"gate_comment_provider": "github", "gate_comment_repository": "a/b", "gate_comment_source": {}}
    register = {"estate_register_workspace": "Web shop", "estate_register_source": "here"}
    tasks = [
        role("estate_apply", {"estate_apply_workspaces": ESTATE}, tags="x"),
        role("estate_register", register, tags="x"),
        role("estate_export", {"estate_export_dest": "out.yml"}, tags="x"),
        role("logger_canary", canary, tags="x"),
        role("gate_comment", comment, tags="x"),
        role("scan_gate", {**GATE, **GREEN, "scan_gate_workspace": "Other"}, tags="y"),
    ]
    inventory = f"a {LOCAL} estate_register_targets=a.example.com\n"
    done = run(tmp_path, service, tasks, arguments, inventory=inventory, files=files)
    assert done.status == 0, done.output
    assert [each["name"] for each in service.targets()] == ["www.example.com", "a.example.com"]
    assert (tmp_path / "out.yml").is_file()
    assert len(done.posts("/http_loggers")) == 1 and service.state()["http_loggers"] == []
    assert "No comment was written: gate_comment_token is empty" in done.output
    assert done.posts("/scans") == []


def test_a_host_that_does_not_run_the_role_is_not_waited_for(service, tmp_path):
    done = run(
        tmp_path,
        service,
        [role("estate_apply", {"estate_apply_workspaces": ESTATE}, when="inventory_hostname == 'b'")],
    )
    assert done.status == 0 and len(done.posts("/targets")) == 1, done.output


@pytest.mark.parametrize("keywords", [{"strategy": "free"}, {"serial": 1}], ids=str)
def test_an_estate_is_applied_once(service, tmp_path, keywords):
    tasks = [role("estate_apply", {"estate_apply_workspaces": ESTATE})]
    done = run(tmp_path, service, tasks, **keywords)
    assert done.status == 0 and len(done.posts("/workspaces")) == 1, done.output
    assert done.output.count('"msg": "2 created"') == 1


@pytest.mark.parametrize("keywords", [{}, {"strategy": "free"}], ids=str)
def test_a_role_works_in_each_run_also_of_equal_items(service, tmp_path, keywords):
    tasks = [role("estate_apply", {"estate_apply_workspaces": ESTATE}, loop=["same", "same"])]
    done = run(tmp_path, service, tasks, inventory=f"a {LOCAL}\n", **keywords)
    assert done.status == 0, done.output
    assert '"msg": "2 created"' in done.output and '"msg": "2 unchanged"' in done.output, done.output


def test_nothing_is_proven_by_an_earlier_run_of_equal_items(service, tmp_path):
    send = [
        {"ansible.builtin.uri": {"url": "{{ logger_canary_url }}"}, "when": "lookup('file', 'sends') == 'yes'"},
        {"ansible.builtin.copy": {"dest": str(tmp_path / "sends"), "content": "yes"}},
    ]
    canary = {"logger_canary_tasks": "send.yml", "logger_canary_expect": "silence", "logger_canary_within": 0}
    files = {"send.yml": json.dumps(send), "sends": "no"}
    tasks = [role("logger_canary", canary, loop=["same", "same"])]
    done = run(tmp_path, service, tasks, inventory=f"a {LOCAL}\n", files=files)
    assert done.status == 2 and "None was expected" in done.output, done.output
    assert len(done.posts("/http_loggers")) == 2 and service.state()["http_loggers"] == []


@pytest.mark.parametrize(
    "name, given",
    [
        ("estate_apply", {"workspaces": [{"name": "Web shop", "targets": ["no name"]}]}),
        ("estate_export", {"dest": "estate.yml", "workspaces": ["No such workspace"]}),
        ("estate_register", {"workspace": "Web shop", "source": "here"}),
    ],
)
def test_no_host_goes_on_after_a_role_that_failed_for_all(service, tmp_path, name, given):
    after = {"ansible.builtin.debug": {"msg": "goes on"}}
    done = run(tmp_path, service, [role(name, {f"{name}_{option}": each for option, each in given.items()}), after])
    assert done.status == 2 and done.output.count("FAILED!") == 1
    assert "goes on" not in done.output


@pytest.mark.parametrize(
    "arguments, play", [(("-e", "inventory_hostname=c"), {}), ((), {"vars": {"inventory_hostname": "c"}})]
)
def test_a_host_of_another_name_is_refused(service, tmp_path, arguments, play):
    done = run(tmp_path, service, [role("estate_apply", {"estate_apply_workspaces": ESTATE})], arguments, **play)
    assert done.status == 2 and "inventory_hostname is 'c', which is no host that the play runs on now" in done.output


def test_a_canary_is_refused_where_hosts_do_not_wait(service, tmp_path):
    canary = {"logger_canary_tasks": "send.yml"}
    done = run(tmp_path, service, [role("logger_canary", canary)], strategy="free", files={"send.yml": "[]\n"})
    assert done.status == 2 and "so each would create a logger" in done.output
    assert done.log == []


def test_the_logger_is_removed_after_a_host_was_lost(service, tmp_path):
    files = {"send.yml": "- ansible.builtin.ping:\n"}
    canary = {"logger_canary_tasks": "send.yml", "logger_canary_expect": "silence", "logger_canary_within": 0}
    inventory = f"a ansible_connection=ssh ansible_host=127.0.0.1 ansible_port=1\nb {LOCAL}\n"
    done = run(tmp_path, service, [role("logger_canary", canary)], inventory=inventory, files=files)
    assert done.status != 0, done.output
    assert len(done.posts("/http_loggers")) == 1 and service.state()["http_loggers"] == []


def test_each_batch_of_a_rolling_deployment_is_judged(service, tmp_path):
    variables = {**GATE, **GREEN}
    done = run(tmp_path, service, [role("scan_gate", variables)], serial=1)
    assert done.status == 0, done.output
    assert len(done.posts("/scans")) == 2 and done.output.count("The gate passed:") == 2


def test_a_host_that_runs_the_gate_after_others_were_changed_is_judged_again(service, tmp_path):
    gate = {"ansible.builtin.import_role": {"name": "scanops.scanner.scan_gate"}, "vars": {**GATE, **GREEN}}
    deploy = {"name": "Deploy", "ansible.builtin.debug": {"msg": "deployed"}}
    tasks = [{"ansible.builtin.ping": {}}, gate, {"ansible.builtin.meta": "clear_host_errors"}, deploy]
    inventory = f"a {LOCAL}\nb ansible_connection=ssh ansible_host=127.0.0.1 ansible_port=1\n"
    done = run(tmp_path, service, tasks, inventory=inventory)
    assert done.status == 0 and done.output.count("TASK [Deploy]") == 2, done.output
    assert len(done.posts("/scans")) == 2 and done.output.count("The gate passed:") == 2


def test_a_role_works_for_a_localhost_that_no_inventory_has(service, tmp_path):
    done = run(tmp_path, service, [role("scan_gate", {**GATE, **GREEN})], hosts="localhost", inventory="")
    assert done.status == 0 and "The gate passed:" in done.output, done.output
    assert len(done.posts("/scans")) == 1


@pytest.mark.parametrize("given", ["variable", "play"])
def test_a_gate_can_refuse_a_target_that_does_not_exist(service, tmp_path, given):
    service.add(workspaces=[{"name": "Web shop"}])
    misspelt = {**GATE, **GREEN, "scan_gate_targets": ["wwww.example.com"]}
    variable = {"scan_gate_missing_targets": "fail"} if given == "variable" else {}
    defaults = {} if given == "variable" else {"scanops.scanner.scan": {"missing_target": "fail"}}
    done = run(tmp_path, service, [role("scan_gate", {**misspelt, **variable})], module_defaults=defaults)
    assert done.status == 2 and "'wwww.example.com' does not exist" in done.output, done.output
    # as the page on outcomes says
    assert "The gate ended with service_error." in done.output
    assert [each for each in done.log if each["method"] != "GET"] == []


def test_the_targets_of_a_gate_have_its_mark(service, tmp_path):
    given = {**GATE, **GREEN, "scan_gate_targets": ["new.example.com"], "scan_gate_workspace": "New"}
    done = run(tmp_path, service, [role("scan_gate", given)])
    assert done.status == 0, done.output
    sent = [each["form"] for each in done.log if each["method"] == "POST" and each["path"].endswith("/targets")]
    assert [each["description"] for each in sent] == ["[managed by scan_gate]"]


# --- no variable decides

OUTSIDE = [
    {"scan_gate__failure": ""},
    {"scan_gate__would_scan": True},
    {"scan_gate__entered": {"decide": False, "earlier": ""}},
    {"scan_gate_result": {"verdict": "pass", "outcome": "passed"}},
]


@pytest.mark.parametrize("given", OUTSIDE, ids=lambda given: next(iter(given)))
def test_extra_variables_do_not_make_a_red_gate_green(service, tmp_path, given):
    deploy = {"name": "Deploy", "ansible.builtin.debug": {"msg": "deployed"}}
    arguments = ["--extra-vars", json.dumps(given)]
    done = run(tmp_path, service, [role("scan_gate", {**GATE, **RED}), deploy], arguments)
    assert done.status == 2 and "TASK [Deploy]" not in done.output, done.output


# a condition holds for each task of a role that is not included, and each of these roles sets the name in it
ONCE = [
    ("scan_gate", {**GATE, **RED}, "scan_gate_result is not defined"),
    ("scan_gate", {**GATE, **RED}, "not (playbook_dir ~ '/scan_gate/gate.json') is exists"),
    ("estate_apply", {"estate_apply_workspaces": ESTATE, "estate_apply_expect_plan": "0" * 64}, "first"),
    ("logger_canary", {"logger_canary_tasks": "send.yml", "logger_canary_within": 0}, "first"),
]


@pytest.mark.parametrize("name, variables, condition", ONCE, ids=["gate", "file", "estate", "canary"])
def test_a_condition_that_a_role_itself_changes_does_not_skip_its_failure(
    service, tmp_path, name, variables, condition
):
    result = "logger_canary_requests" if name == "logger_canary" else f"{name}_result"
    first = {"first": f"{{{{ {result} is not defined }}}}"}
    once = {"ansible.builtin.import_role": {"name": f"scanops.scanner.{name}"}, "vars": variables, "when": condition}
    tasks = [once, {"name": "Deploy", "ansible.builtin.debug": {"msg": "deployed"}}]
    files = {"send.yml": "- ansible.builtin.ping:\n"}
    inventory = f"a {LOCAL}\n" if name != "scan_gate" else f"a {LOCAL}\nb {LOCAL}\n"
    done = run(tmp_path, service, tasks, inventory=inventory, files=files, vars=first)
    assert done.status == 2 and "TASK [Deploy]" not in done.output, done.output
    assert service.state()["http_loggers"] == []


def test_extra_variables_do_not_apply_a_plan_that_nobody_reviewed(service, tmp_path):
    outside = {"estate_apply__with_review": False, "estate_apply__wrong_review": ""}
    variables = {"estate_apply_workspaces": ESTATE, "estate_apply_reviewed_plan": "missing.json"}
    done = run(tmp_path, service, [role("estate_apply", variables)], ["--extra-vars", json.dumps(outside)])
    assert done.status == 2 and done.log == [], done.output


@pytest.mark.parametrize("name", ["logger_canary__own", "logger_canary_url"])
def test_an_address_from_outside_proves_no_silence(service, tmp_path, name):
    canary = {"logger_canary_tasks": "send.yml", "logger_canary_expect": "silence", "logger_canary_within": 0}
    value = {"url": "http://127.0.0.1:1/", "tasks": str(tmp_path / "send.yml")} if name.endswith("own") else "x"
    tasks = [role("logger_canary", {**canary, name: value})]
    done = run(tmp_path, service, tasks, files={"send.yml": "- ansible.builtin.meta: noop\n"})
    assert done.status == 2 and name in done.output, done.output
    assert service.state()["http_loggers"] == []


def test_the_keyword_check_mode_counts_and_not_the_variable(service, tmp_path):
    done = run(tmp_path / "real", service, [role("scan_gate", {**GATE, **RED})], ["--check"], check_mode=False)
    assert done.status == 2 and len(done.posts("/scans")) == 1 and "Would scan" not in done.output
    done = run(tmp_path / "check", service, [role("scan_gate", {**GATE, **RED})], check_mode=True)
    assert done.status == 0 and done.posts("/scans") == [] and "Would scan www.example.com" in done.output


@pytest.mark.parametrize("name", ["sarif_category", "policy", "vpn_profile", "authentication", "epss_file"])
def test_a_null_is_refused_before_any_scan(service, tmp_path, name):
    done = run(tmp_path, service, [role("scan_gate", {**GATE, f"scan_gate_{name}": None})], inventory=f"a {LOCAL}\n")
    assert done.status == 2 and f"scan_gate_{name}" in done.output, done.output
    assert done.posts("/scans") == done.posts("/targets") == []


@pytest.mark.parametrize("in_process", [True, False])
def test_a_gate_that_refuses_its_options_has_an_outcome(service, tmp_path, in_process):
    wrong = {"scan_ids": [1], "policy": {"fail_on": "hihg"}, "in_process": in_process}
    tasks = [
        {"scanops.scanner.gate": wrong, "register": "judged", "ignore_errors": True},
        {"ansible.builtin.assert": {"that": ["judged.outcome == 'misconfigured'", "not judged.passed"]}},
    ]
    done = run(tmp_path, service, tasks, inventory=f"a {LOCAL}\n")
    assert done.status == 0 and done.log == [], done.output


# --- what is believed

SOURCE = "scan_gate/gate.json"
PROVE = {"prove_fix_source": SOURCE, "prove_fix_poll_interval": 1}


def test_a_file_of_another_run_is_no_result(service, tmp_path):
    assert run(tmp_path, service, [role("scan_gate", {**GATE, **GREEN})]).status == 0
    before = (tmp_path / SOURCE).read_text()
    # ends before it writes: a list where a dictionary is needed
    broken = role("scan_gate", {**GATE, "scan_gate_policy": []})
    tasks = [{"block": [broken], "rescue": [role("prove_fix", PROVE)]}]
    done = run(tmp_path, service, tasks)
    assert done.status == 2 and "is not the result of a gate of this run of ansible-playbook" in done.output, (
        done.output
    )
    assert (tmp_path / SOURCE).read_text() == before
    proven = run(tmp_path, service, [role("prove_fix", {**PROVE, "prove_fix_source_run": "any"})])
    assert proven.status == 0 and "Nothing had to be proven" in proven.output, proven.output
    old = {"prove_fix_source_run": "any", "prove_fix_source_max_age": 0}
    late = json.loads(before)
    (tmp_path / SOURCE).write_text(json.dumps({**late, "generated": "2020-01-01T00:00:00Z"}))
    done = run(tmp_path, service, [role("prove_fix", {**PROVE, **old})])
    assert done.status == 2 and "prove_fix_source is too old" in done.output, done.output


def test_the_followers_of_a_gate_believe_its_file(service, tmp_path):
    tasks = [role("scan_gate", {**GATE, **GREEN}), role("prove_fix", PROVE)]
    done = run(tmp_path, service, tasks)
    assert done.status == 0 and "Nothing had to be proven" in done.output, done.output
    assert json.loads((tmp_path / "prove_fix" / "prove_fix.json").read_text())["run"]


def test_a_second_gate_needs_a_directory_and_the_statistics_hold_the_worst(service, tmp_path):
    red = {**GATE, **RED, "scan_gate_workspace": "Other"}
    stats = {"ANSIBLE_SHOW_CUSTOM_STATS": "true"}
    tasks = [
        rescued(role("scan_gate", {**red, "scan_gate_artifacts": "red"})),
        role("scan_gate", {**GATE, **GREEN, "scan_gate_artifacts": "green"}),
        rescued(role("scan_gate", {**GATE, **GREEN, "scan_gate_artifacts": "red"})),
        rescued(role("prove_fix", {**PROVE, "prove_fix_source": "red/gate.json"})),
    ]
    (tmp_path / "ansible.cfg").write_text("")
    command, variables = prepare(
        tmp_path, service, [{"hosts": "a", "gather_facts": False, "tasks": tasks}], inventory=f"a {LOCAL}\n"
    )
    del variables["ANSIBLE_CALLBACKS_ENABLED"]
    done = subprocess.run(
        command, cwd=tmp_path, env={**variables, **stats}, capture_output=True, text=True, timeout=600, check=False
    )
    output = " ".join((done.stdout + done.stderr).split())
    assert done.returncode == 0, output
    assert "where an earlier gate of this run has written its files" in output
    assert "a later one could not replace it" in output
    shown = output.rpartition("CUSTOM STATS:")[2]
    assert '"scan_gate_outcome": "misconfigured"' in shown and '"scan_gate_passed": false' in shown, shown
    assert "red/gate.json" in shown and "green/gate.json" in shown
    assert json.loads((tmp_path / "red" / "gate.json").read_text())["outcome"] == "findings"


# --- what is said


def test_one_line_says_how_it_ended(service, tmp_path):
    (tmp_path / "waivers.yml").write_text(
        "version: 1\nwaivers:\n  - {severity: critical, target: 'www.*', reason: known, owner: web, expires: 2027-01-31}\n"
    )
    waived = {**GATE, "scan_gate_waivers": ["waivers.yml"], "scan_gate_policy": {"fail_on": "critical"}}
    changed = [{"name": "Web shop", "targets": ["www.example.com", "new.example.com"]}]
    tasks = [
        role("estate_apply", {"estate_apply_workspaces": ESTATE}),
        role("estate_apply", {"estate_apply_workspaces": changed}),
        role("scan_gate", waived),
    ]
    done = run(tmp_path, service, tasks, inventory=f"a {LOCAL}\n")
    assert done.status == 0, done.output
    assert '"msg": "2 created"' in done.output and '"msg": "1 created, 2 unchanged"' in done.output
    assert (
        "The gate passed: 0 of 5 findings fail, 1 waived until 2027-01-31 (www.example.com, Website Scanner)."
        in done.output
    )


def test_a_template_in_a_file_of_an_estate_is_a_text(service, tmp_path):
    marker = tmp_path / "ran"
    text = f"estate_apply_workspaces:\n  - name: \"{{{{ lookup('pipe', 'touch {marker}; echo Ran') }}}}\"\n"
    variables = {"estate_apply_files": ["estate.yml"]}
    run(tmp_path, service, [role("estate_apply", variables)], files={"estate.yml": text}, inventory=f"a {LOCAL}\n")
    assert not marker.exists()
    done = run(tmp_path, service, [role("estate_apply", {**variables, "estate_apply_templates": True})])
    assert marker.exists() and "Ran" in [each["name"] for each in service.workspaces()], done.output
