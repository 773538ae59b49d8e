# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each option of a module counts in the roles that do its work: set by module_defaults of the module, by those of its group,
and by the variable of the role, a role gives the module the same arguments as a task that sets the option itself."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
import yaml
from ansible_collections.scanops.scanner.plugins.module_utils._task.connection_options import CONNECTION_OPTIONS
from ansible_collections.scanops.scanner.plugins.modules import estate, gate, scan, targets
from ansible_collections.scanops.scanner.tests.unit.plugins.plugin_utils.role_steps import Role

COLLECTION = "scanops.scanner"
GROUPS = yaml.safe_load((Path(__file__).resolve().parents[4] / "meta" / "runtime.yml").read_text())["action_groups"]
TOOL = "Network Scanner"
LOGIN = {"type": "cookies", "cookie_header": "a=b"}
# of options whose values have a form of their own
SAMPLES = {
    # a relative path starts at the playbook in a role
    "evidence": "/srv/evidence",
    "api_key": "0123456789abcdef",
    "artifacts": "sample",
    "authentication": LOGIN,
    "base_url": "https://api.example.com/api/v2",
    "client_cert": "sample.pem",
    "epss_max_age": "3d",
    "estate_files": ["estate.yml"],
    "expect": {"targets": ["other.example.com"], "max_age": "1h"},
    "expect_plan": "0" * 64,
    "formats": ["csv"],
    "known_exploited_max_age": "3d",
    "max_age": "2h",
    "must_see": [{"name": "Canary", "reason": "planted"}],
    "notice": "3d",
    "origin": {"build": "https://ci.example/1"},
    "outage_wait": "3m",
    "outcomes": {"scan_failed": "warn"},
    "policy": {"fail_on": "critical"},
    "protect": ["www.*"],
    "purge": ["targets"],
    "scope": {"deny": ["denied.example.com"]},
    "start_params": {"report_callback": {"url": "https://ci.example/hook"}},
    "subjects": [{"name": "shop", "sha256": "a" * 64}],
    "tools": [TOOL],
    "tool_params": {TOOL: {"scan_type": "light"}},
}
NEVER = "the role itself decides it, and refuses a variable of this name"
WHAT = "the role names what it scans by its own variable, which it demands"
# options that no play can set for a role, and why no guard is lost
EXCEPT = {
    "scan_gate": {
        **dict.fromkeys(("id", "target", "target_id", "tool", "workspace_id", "workspace", "targets"), WHAT),
        **dict.fromkeys(("state", "force"), "the role starts scans, and neither stops nor deletes any"),
        "wait": "the role judges finished scans only",
        "missing_target": "the variable scan_gate_missing_targets, which also decides whether the role declares them",
        **dict.fromkeys(("scan_ids", "findings_file", "scan_results"), "the role judges its own scans only"),
        "rows": "it changes what is returned, and nothing else",
        "build": "the role reads it itself, as scan_gate_build says",
    },
    "prove_fix": {
        **dict.fromkeys(("id", "target", "target_id", "tool", "tools", "workspace", "workspace_id", "targets"), WHAT),
        **dict.fromkeys(("state", "force"), "the role starts scans, and neither stops nor deletes any"),
        "wait": "the role compares finished scans only",
        "missing_target": "the targets of findings exist",
        "max_age": "an existing scan proves nothing",
        **dict.fromkeys(
            ("tool_params", "vpn_profile", "redirect_level", "scan_original_url"),
            "a proof repeats the parameters of the scan that found the finding",
        ),
    },
    "estate_apply": {
        **dict.fromkeys(("workspaces", "declared_at"), WHAT),
        **dict.fromkeys(("report_unchanged", "report_full_plan"), "they change what is returned, and nothing else"),
    },
    "estate_register": {
        **dict.fromkeys(("workspace", "workspace_id", "targets"), WHAT),
        **dict.fromkeys(("state", "purge", "purge_only", "owner", "on_drift", "force", "expect_plan"), NEVER),
        **dict.fromkeys(("report_unchanged", "report_full_plan"), "they change what is returned, and nothing else"),
    },
}
# by module_defaults only
NO_VARIABLE = {
    "scan_gate": {"expect": "the role expects scans of its targets and tools; a play may expect more of each gate"},
    "prove_fix": {
        "max_scan_time": "a limit of the play for each scan",
        "start_params": "what the play sends with each start",
    },
    "estate_apply": {},
    "estate_register": {},
}
MODULES = {
    "scan_gate": {"scan": scan.OPTIONS, "gate": gate.OPTIONS},
    "prove_fix": {"scan": scan.OPTIONS},
    "estate_apply": {"estate": estate.OPTIONS},
    "estate_register": {"targets": targets.OPTIONS},
}
NEEDED = {
    "scan_gate": {"workspace": "Web shop", "targets": ["www.example.com"]},
    "prove_fix": {},
    "estate_apply": {"workspaces": [{"name": "Web shop", "targets": ["www.example.com"]}]},
    "estate_register": {"workspace": "Web shop", "source": "here"},
}
CASES = [
    (role, module, name)
    for role, modules in MODULES.items()
    for module, options in modules.items()
    for name in {**options, **CONNECTION_OPTIONS}
    if name not in EXCEPT[role]
]
WAYS = ("module", "group", "variable")


def in_group(group, name):
    """Whether all modules of an action group have an option, so that module_defaults of the group can set it."""
    modules = [
        importlib.import_module(f"ansible_collections.{COLLECTION}.plugins.modules.{each}") for each in GROUPS[group]
    ]
    return all(name in {**each.OPTIONS, **CONNECTION_OPTIONS} for each in modules)


def sample_of(name, option):
    """A value that is not the default."""
    if name in SAMPLES:
        return SAMPLES[name]
    if option.get("choices"):
        return next(each for each in option["choices"] if each != option.get("default"))
    kind, default = option["type"], option.get("default")
    assert kind != "dict", f"add a value of the option {name} to SAMPLES"
    return {
        "bool": not default,
        "int": 3 + (default if isinstance(default, int) else 0),
        "float": 3 + (default if isinstance(default, float) else 0.0),
        "str": "sample",
        "path": "sample.txt",
        "list": ["sample"],
    }[kind]


def given(role, way):
    """The options that a way can set, by module."""
    found = {}
    for each, module, name in CASES:
        option = {**MODULES[role].get(module, {}), **CONNECTION_OPTIONS}.get(name)
        can = {"group": name == "scope" or name in CONNECTION_OPTIONS, "variable": name not in NO_VARIABLE[role]}
        if each == role and can.get(way, True):
            found.setdefault(module, {})[name] = sample_of(name, option)
    return found


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    """The arguments of the last run of each module, by role and way. All options are set at once."""
    found = {}
    for role in MODULES:
        for way in WAYS:
            options = given(role, way)
            variables, defaults = {f"{role}_{name}": each for name, each in NEEDED[role].items()}, {}
            if way == "variable":
                variables.update({f"{role}_{name}": each for own in options.values() for name, each in own.items()})
            elif way == "module":
                defaults = {f"{COLLECTION}.{module}": own for module, own in options.items()}
            else:
                every = {name: each for own in options.values() for name, each in own.items()}
                scope = {"scope": every.pop("scope")}
                defaults = {f"group/{COLLECTION}.scoped": scope, f"group/{COLLECTION}.all": every}
            found[role, way] = done(role, tmp_path_factory.mktemp(role), variables, defaults)
    return found


def done(role, directory, variables, defaults):
    hosts = {"estate_register_targets": ["www.example.com"]} if role == "estate_register" else {}
    play = Role(role, directory, {**variables, **hosts}, defaults)
    if role == "prove_fix":
        with play.acting("after") as action:
            action.scan_again(
                {"options": {"tool": TOOL, "authenticated": True}, "targets": ["a.example.com"]}, action.login()
            )
    elif role == "scan_gate":
        play.run("enter", "judge")
        assert "scan" in dict(play.calls), play.run("end")["msg"]
    else:
        step = {"estate_apply": "apply", "estate_register": "register"}[role]
        result = play.run("enter", step)
        assert not result.get("failed"), result
    return {module: play.last(module) for module, _arguments in play.calls}


@pytest.mark.parametrize("role, module, name", CASES)
def test_an_option_counts_in_a_role_as_in_a_task(calls, role, module, name):
    option = {**MODULES[role][module], **CONNECTION_OPTIONS}[name]
    expected = sample_of(name, option)
    ways = [way for way in WAYS if name in given(role, way).get(module, {})]
    assert "module" in ways
    for way in ways:
        seen = calls[role, way][module].get(name)
        if name == "artifacts":
            assert str(seen).endswith(f"/{expected}"), way
        else:
            assert seen == expected, way


def test_every_option_can_be_set_by_a_variable_or_has_a_reason():
    for role, modules in MODULES.items():
        names = {name for options in modules.values() for name in options}
        assert {*EXCEPT[role]} <= names and {*NO_VARIABLE[role]} <= names, role
        assert not {*EXCEPT[role]} & {*NO_VARIABLE[role]}, role
        spec = yaml.safe_load(
            (Path(__file__).resolve().parents[4] / f"roles/{role}/meta/argument_specs.yml").read_text()
        )
        documented = {each.removeprefix(f"{role}_") for each in spec["argument_specs"]["main"]["options"]}
        assert names - documented == ({*EXCEPT[role]} | {*NO_VARIABLE[role]}) - documented, (
            f"add a variable to the argument_specs.yml of {role}, or a reason to EXCEPT or NO_VARIABLE"
        )


def test_a_group_has_exactly_the_options_that_were_tried():
    names = {name for options in (scan.OPTIONS, gate.OPTIONS, estate.OPTIONS, targets.OPTIONS) for name in options}
    assert {name for name in names if in_group("scoped", name)} == {"scope"}
    assert {name for name in names if in_group("all", name)} == set()
    assert [name for name in CONNECTION_OPTIONS if not in_group("all", name)] == []


# --- a scope for each module


def test_scopes_of_the_play_for_both_modules_count(tmp_path):
    own = {"allow": ["www.example.com", "b.example.com"]}
    defaults = {f"{COLLECTION}.estate": {"scope": own}, f"{COLLECTION}.scan": {"scope": {"deny": ["www.example.com"]}}}
    variables = {"scan_gate_workspace": "Web shop", "scan_gate_artifacts": "out"}
    for target, modules in (
        ("www.example.com", ["gate", "gate"]),
        ("b.example.com", ["gate", "estate", "scan", "gate"]),
    ):
        play = Role("scan_gate", tmp_path / target, {**variables, "scan_gate_targets": target}, defaults)
        play.run("enter", "judge")
        assert [name for name, _arguments in play.calls] == modules, play.calls
    assert play.last("estate")["scope"] == own


# --- the requests

UUID = "0a0b0c0d-0000-4000-8000-000000000001"
# each changes a request or the outcome
REAL = {
    "scan": {
        "tool_params": {TOOL: {"scan_type": "light"}},
        "vpn_profile": "Office",
        "max_scan_time": 7,
        "redirect_level": "same_domain",
        "scan_original_url": False,
        "authentication": LOGIN,
        "start_params": SAMPLES["start_params"],
        "poll_interval": 1,
    },
    "gate": {
        "policy": {"fail_on": "none"},
        "expect": {"targets": ["www.example.com", "other.example.com"]},
        "outcomes": {"not_covered": "warn"},
        "artifacts": "out",
    },
}
SCOPE = {"deny": ["denied.example.com"]}
WHERE = {"workspace": "Web shop", "targets": ["www.example.com"]}


def requests_of(service):
    return [{key: each[key] for key in ("method", "path", "query", "json", "form")} for each in service.log()]


def run_way(way, service, directory):
    """The requests of the role scan_gate, or of plain tasks, and the outcome."""
    service.settings(rate_limits=None, scan_queue_time=0, scan_run_time=0)
    service.add(vpn_profiles=[{"uuid": UUID, "name": "Office"}])
    scans, decides = REAL["scan"], REAL["gate"]
    defaults = {f"group/{COLLECTION}.scoped": {"scope": SCOPE}, f"{COLLECTION}.gate": {"expect": decides["expect"]}}
    variables = {**WHERE, "tools": [TOOL]}
    if way == "module":
        defaults = {f"{COLLECTION}.scan": {**scans, "scope": SCOPE}, f"{COLLECTION}.gate": decides}
    else:
        variables.update({**scans, **decides})
        del variables["expect"]
    play = Role(
        "scan_gate", directory, {f"scan_gate_{name}": each for name, each in variables.items()}, defaults, False
    )
    service.clear_log()
    if way == "task":
        workspaces = [{"name": "Web shop", "new": True, "targets": ["www.example.com"]}]
        declared = play.plain(
            "estate", {"workspaces": workspaces, "owner": "scan_gate", "unmanaged": "ignore", "scope": SCOPE}
        )
        scanned = play.plain("scan", {**WHERE, "tools": [TOOL], **scans, "scope": SCOPE})
        both = [scanned, declared]
        outcome = play.plain(
            "gate", {**WHERE, "tools": [TOOL], **decides, "scan_results": both, "artifacts": str(directory)}
        )
    else:
        play.run("enter", "judge")
        outcome = play.run("pass_on")
    return requests_of(service), outcome["outcome"]


@pytest.mark.slow
def test_the_requests_of_a_role_are_those_of_tasks(service_process, tmp_path, monkeypatch):
    found = {}
    for way in ("task", *WAYS):
        with service_process.fresh() as service:
            monkeypatch.setenv("SCANNER_BASE_URL", service.base_url)
            monkeypatch.setenv("SCANNER_API_KEY", service.api_key)
            (tmp_path / way).mkdir()
            found[way] = run_way(way, service, tmp_path / way)
    starts = [each["json"] for each in found["task"][0] if (each["method"], each["path"]) == ("POST", "/scans")]
    assert len(starts) == 1 and starts[0]["max_scan_time"] == 7 and starts[0]["vpn_profile_uuid"] == UUID
    assert found["task"][1] == "not_covered"
    for way in WAYS:
        assert found[way] == found["task"], way


# --- the workspace of a canary


@pytest.mark.parametrize(
    "variables, query", [({}, {"workspace_id": "2"}), ({"workspace": "Other"}, {"workspace_id": "3"})]
)
def test_the_workspace_of_http_logger_counts_for_a_canary(service, tmp_path, monkeypatch, variables, query):
    service.add(workspaces=[{"id": 2, "name": "Web shop"}, {"id": 3, "name": "Other"}])
    monkeypatch.setenv("SCANNER_BASE_URL", service.base_url)
    monkeypatch.setenv("SCANNER_API_KEY", service.api_key)
    (tmp_path / "tasks.yml").write_text("[]\n")
    given = {f"logger_canary_{name}": each for name, each in {"tasks": "tasks.yml", **variables}.items()}
    defaults = {f"{COLLECTION}.http_logger": {"workspace_id": 2, "state": "absent", "label": "another"}}
    role = Role("logger_canary", tmp_path, given, defaults, answered=False)
    assert role.run("enter", "prepare")["changed"]
    (created,) = [each for each in service.log() if each["method"] == "POST"]
    assert created["query"] == query and created["form"]["label"].startswith("canary-")
    assert role.run("clean")["changed"] and service.http_loggers() == []
