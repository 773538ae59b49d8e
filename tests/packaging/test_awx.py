# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files for AWX and Automation Platform: options that exist, names that resolve, rules of the platform, and no secret.

The integration target platform_kit runs what the templates start.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import jinja2
import jinja2.sandbox
import pytest
import yaml

pytestmark = pytest.mark.slow

CHECKOUT = Path(__file__).parents[2]
KIT = CHECKOUT / "docs" / "awx"
PROJECT = KIT / "project"
OPTIONS = yaml.safe_load((Path(__file__).parent / "awx_options.yml").read_text(encoding="utf-8"))
SETTINGS = yaml.safe_load((KIT / "settings.yml").read_text(encoding="utf-8"))
TYPES = {"str": str, "bool": bool, "int": int, "dict": dict, "list of str": list}
# What the service of the platform allows in the question of a survey, by type; the type of the default.
QUESTIONS = {
    "text": str,
    "textarea": str,
    "password": str,
    "multiplechoice": str,
    "multiselect": str,
    "integer": int,
    "float": float,
}
# Names that a credential type must not set.
RESERVED = ("ANSIBLE_", "PATH", "PYTHONPATH", "VIRTUAL_ENV", "JOB_ID", "INVENTORY_ID", "AWX_HOST", "CACHE")


class Unsafe(str):
    """A text that ansible-core does not treat as a template."""


class Loader(yaml.SafeLoader):
    """Reads !unsafe."""


Loader.add_constructor("!unsafe", lambda loader, node: Unsafe(loader.construct_scalar(node)))

# the collection of Automation Platform. That of AWX has the same modules
COLLECTION = "ansible.controller"
(PLAY,) = yaml.load((KIT / "configure.yml").read_text(encoding="utf-8"), Loader)
TASKS = [(key.split(".")[2], task) for task in PLAY["tasks"] for key in task if key.startswith(f"{COLLECTION}.")]


def objects(module: str) -> dict[str, dict]:
    return {
        task[f"{COLLECTION}.{module}"]["name"]: task[f"{COLLECTION}.{module}"] for name, task in TASKS if name == module
    }


TEMPLATES = objects("job_template")
(WORKFLOW,) = objects("workflow_job_template").values()
SURVEYS = {**TEMPLATES, WORKFLOW["name"]: WORKFLOW}


def questions(template: dict) -> dict[str, dict]:
    return {question["variable"]: question for question in template["survey_spec"]["spec"]}


def wrong(given: object, known: object, path: str) -> Iterator[str]:
    """What the module would refuse."""
    if isinstance(known, dict):
        for each in given if isinstance(given, list) else [given]:
            assert isinstance(each, dict), path
            for name, value in each.items():
                if name in known:
                    yield from wrong(value, known[name], f"{path}.{name}")
                else:
                    yield f"{path}.{name} does not exist"
            required = {name for name, option in known.items() if isinstance(option, str) and option.endswith("!")}
            yield from (f"{path}.{name} is missing" for name in required - set(each))
        return
    kind = known.rstrip("!")
    if isinstance(given, str) and not isinstance(given, Unsafe) and "{{" in given:
        return
    if "|" in kind:
        if str(given) not in kind.split("|"):
            yield f"{path} is not one of {kind}"
    elif not isinstance(given, TYPES[kind]):
        yield f"{path} is not of type {kind}"


def is_accepted(variables: dict[str, str]) -> bool:
    """Whether the second task of the playbook accepts these environment variables."""
    check = PLAY["tasks"][1]["ansible.builtin.assert"]["that"]
    return jinja2.Environment().compile_expression(check)(
        lookup=lambda _plugin, name: variables.get(name, ""),
        query=lambda _plugin, *names: [variables.get(name, "") for name in names],
    )


@pytest.mark.parametrize("earlier", ["CONTROLLER_HOST", "TOWER_HOST", "CONTROLLER_OAUTH_TOKEN", "TOWER_OAUTH_TOKEN"])
def test_a_variable_that_counts_before_the_gateway_is_refused(earlier):
    """The modules read these variables first, so they would change another platform, or send it the wrong token."""
    gateway = {"AAP_HOSTNAME": "https://aap.example.com", "AAP_TOKEN": "t"}
    assert is_accepted(gateway) and is_accepted({earlier: "x"})
    assert not is_accepted({**gateway, earlier: "x"})


def test_the_playbook_for_awx_differs_only_in_the_collection():
    text = (KIT / "configure.yml").read_text(encoding="utf-8")
    ((pattern, replacement),) = re.findall(r"sed 's/(\S+)/(\S+)/' configure.yml", text)
    (play,) = yaml.load(re.sub(pattern, replacement, text), Loader)
    assert pattern == COLLECTION.replace(".", r"\.") + r"\."
    names = [key for task in play["tasks"] for key in task if key.startswith("awx.awx.")]
    assert names == [f"awx.awx.{module}" for module, _task in TASKS]


@pytest.mark.parametrize("module, task", TASKS, ids=lambda value: value if isinstance(value, str) else value["name"])
def test_a_task_uses_options_that_the_module_has(module, task):
    assert list(wrong(task[f"{COLLECTION}.{module}"], OPTIONS[module], module)) == []


def test_the_references_between_objects_resolve():
    credentials, environments, projects = (
        set(objects(name)) for name in ("credential", "execution_environment", "project")
    )
    notifications = set(objects("notification_template"))
    for module in (
        "job_template",
        "workflow_job_template",
        "inventory_source",
        "project",
        "schedule",
        "host",
        "credential",
    ):
        for name, given in objects(module).items():
            assert set(given.get("credentials", [])) <= credentials, name
            assert given.get("execution_environment", "Scanner") in environments, name
            assert given.get("default_environment", "Scanner") in environments, name
            assert given.get("inventory", "Scanner") in objects("inventory"), name
            assert {given.get("project", "Scanner"), given.get("source_project", "Scanner")} <= projects, name
            assert given.get("credential_type", "Scanner") in objects("credential_type"), name
            assert given.get("unified_job_template", "Scanner: gate") in TEMPLATES, name
            for key in given:
                if key.startswith("notification_templates_"):
                    assert set(given[key]) <= notifications, name
    (source,) = objects("inventory_source").values()
    assert source["credential"] in credentials


def test_an_object_is_created_before_another_one_names_it():
    order = [module for module, _task in TASKS]
    before = ["credential_type", "credential", "execution_environment", "project", "inventory_source", "job_template"]
    places = [order.index(module) for module in [*before, "workflow_job_template", "schedule"]]
    assert places == sorted(places)


# --- the credential type


def test_the_injectors_set_variables_that_the_collection_reads():
    injectors = objects("credential_type")["Scanner"]["injectors"]
    places = [CHECKOUT / "plugins" / directory for directory in ("module_utils", "doc_fragments")]
    code = "\n".join(path.read_text(encoding="utf-8") for place in places for path in place.rglob("*.py"))
    assert {"SCANNER_BASE_URL", "SCANNER_API_KEY", "SCANNER_SCOPE_FILE"} <= set(injectors["env"])
    for name in injectors["env"]:
        assert re.search(rf'"{name}"|E\({name}\)', code), name
        assert not name.startswith(RESERVED)


def test_the_injectors_use_the_inputs_and_each_input_is_used():
    kind = objects("credential_type")["Scanner"]
    fields = {field["id"]: field for field in kind["inputs"]["fields"]}
    values = {**{name: f"value of {name}" for name in fields}, "tower": {"filename": "the file"}}
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(undefined=jinja2.StrictUndefined)
    templates = [*kind["injectors"]["file"].values(), *kind["injectors"]["env"].values()]
    assert [template for template in templates if not isinstance(template, Unsafe)] == []
    assert {environment.from_string(str(template)).render(values) for template in templates} == {
        *(f"value of {name}" for name in fields), "the file",
    }  # fmt: skip
    assert set(kind["inputs"]["required"]) == set(fields)
    assert {name for name, field in fields.items() if field.get("secret")} == {"api_key"}
    for field in fields.values():
        assert set(field) <= {"id", "type", "label", "secret", "multiline", "help_text"} and field["type"] == "string"


def test_the_credential_fills_the_inputs():
    fields = {field["id"] for field in objects("credential_type")["Scanner"]["inputs"]["fields"]}
    (task,) = [task for module, task in TASKS if module == "credential"]
    assert set(task[f"{COLLECTION}.credential"]["inputs"]) == fields and task["no_log"] is True


def test_no_file_holds_a_secret():
    for path in KIT.rglob("*"):
        if path.is_file():
            for value in re.findall(
                r"(?:api_key|password|token)\s*:\s*(\S.*)", path.read_text(encoding="utf-8"), re.IGNORECASE
            ):
                assert value.startswith(('"{{ lookup(', "!unsafe")), f"{path.name}: {value}"


def test_each_setting_is_used_and_each_used_setting_exists():
    used = set(re.findall(r"\bplatform_\w+", (KIT / "configure.yml").read_text(encoding="utf-8")))
    # given on the command line
    assert used - {"platform_update_secrets"} == set(SETTINGS)


# --- templates and surveys


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_starts_a_playbook_of_the_project_that_reads_its_variables(name):
    template = TEMPLATES[name]
    playbook = (PROJECT / template["playbook"]).read_text(encoding="utf-8")
    code = re.sub(r"^\s*#.*$", "", playbook, flags=re.MULTILINE)
    for variable in questions(template):
        assert re.search(rf"(\{{\{{|\bif |: |\[)[^\n]*\b{variable}\b", code), variable
    assert template["credentials"] == ["Scanner account"] and template["inventory"] == "Scanner"
    # nobody who starts a job can set another variable, such as the scope or the address
    assert template["ask_variables_on_launch"] is False and not template.get("ask_credential_on_launch")


@pytest.mark.parametrize("name", SURVEYS)
def test_a_survey_has_the_form_that_the_platform_accepts(name):
    survey = SURVEYS[name]["survey_spec"]
    assert SURVEYS[name]["survey_enabled"] is True
    assert isinstance(survey["name"], str) and isinstance(survey["description"], str) and survey["spec"]
    assert len(questions(SURVEYS[name])) == len(survey["spec"])
    for question in survey["spec"]:
        assert isinstance(question["question_name"], str) and isinstance(question["required"], bool)
        assert isinstance(question["default"], QUESTIONS[question["type"]])
        if question["type"] == "multiplechoice":
            assert question["default"] in question["choices"].splitlines()
        else:
            assert 0 < question["min"] <= question["max"]


def test_the_tools_of_the_survey_exist():
    code = (CHECKOUT / "plugins" / "module_utils").rglob("*.py")
    source = "\n".join(path.read_text(encoding="utf-8") for path in code)
    for tool in questions(TEMPLATES["Scanner: scan"])["scan_tool"]["choices"].splitlines():
        assert f'"{tool}": ' in source, tool


def test_the_answers_of_a_schedule_are_complete_and_in_the_survey():
    for name, schedule in objects("schedule").items():
        asked = questions(TEMPLATES[schedule["unified_job_template"]])
        assert set(schedule["extra_data"]) == set(asked), name
        for variable, answer in schedule["extra_data"].items():
            if "choices" in asked[variable]:
                assert answer in asked[variable]["choices"].splitlines()
        assert re.fullmatch(
            r"DTSTART;TZID=[\w/]+:\d{8}T\d{6} RRULE:FREQ=(DAILY|WEEKLY);INTERVAL=1(;BYDAY=[A-Z]{2})?", schedule["rrule"]
        )


# --- the workflow


def test_the_nodes_of_the_workflow_are_a_chain_with_an_approval_before_the_writes():
    nodes = {node["identifier"]: node for node in WORKFLOW["workflow_nodes"]}
    chain, seen = ["plan"], []
    while chain:
        name = chain.pop()
        seen.append(name)
        related = nodes[name].get("related", {})
        assert set(related) <= {"success_nodes"}
        chain += [following["identifier"] for following in related.get("success_nodes", [])]
    assert seen == ["plan", "approve", "apply"] and len(nodes) == len(WORKFLOW["workflow_nodes"]) == 3
    assert nodes["approve"]["unified_job_template"]["type"] == "workflow_approval"
    assert TEMPLATES[nodes["plan"]["unified_job_template"]["name"]]["job_type"] == "check"
    assert nodes["apply"]["unified_job_template"]["name"] in TEMPLATES


def test_the_plan_passes_on_what_the_apply_needs_and_nobody_can_replace_it():
    (play,) = yaml.safe_load((PROJECT / "plan.yml").read_text(encoding="utf-8"))
    (passed_on,) = [
        task["ansible.builtin.set_stats"]["data"] for task in play["tasks"] if "ansible.builtin.set_stats" in task
    ]
    assert set(questions(TEMPLATES["Scanner: apply"])) <= set(passed_on)
    # variables of the workflow take precedence over what a job passes on
    assert "plan_checksum" not in questions(WORKFLOW) and WORKFLOW["ask_variables_on_launch"] is False
    assert play["check_mode"] is True


def test_plan_and_apply_differ_only_in_the_plan():
    declared = []
    for name in ("plan.yml", "apply.yml"):
        (play,) = yaml.safe_load((PROJECT / name).read_text(encoding="utf-8"))
        (role,) = [task for task in play["tasks"] if "ansible.builtin.include_role" in task]
        declared.append(
            {key: value for key, value in role["vars"].items() if not key.endswith(("_plan_dest", "_expect_plan"))}
        )
    assert declared[0] == declared[1]


@pytest.mark.parametrize("name", ["plan.yml", "apply.yml", "gate.yml"])
def test_a_playbook_sets_only_options_of_its_role(name):
    text = (PROJECT / name).read_text(encoding="utf-8")
    role = re.search(r"scanops\.scanner\.(estate_apply|scan_gate)", text)[1]
    specification = CHECKOUT / "roles" / role / "meta" / "argument_specs.yml"
    options = yaml.safe_load(specification.read_text(encoding="utf-8"))["argument_specs"]["main"]["options"]
    used = set(re.findall(rf"^\s+({role}_\w+):", text, re.MULTILINE))
    assert used and used - set(options) == set()


# --- notifications


@pytest.mark.parametrize("name", objects("notification_template"))
def test_a_notification_renders_without_artefacts_as_the_platform_checks_it(name):
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(undefined=jinja2.StrictUndefined)
    job = {"name": "Scanner: gate", "status": "failed", "artifacts": {}}
    bodies = []
    for event, message in objects("notification_template")[name]["messages"].items():
        bodies += [each["body"] for each in (message.values() if event == "workflow_approval" else [message])]
    assert bodies and all(isinstance(body, Unsafe) for body in bodies)
    for body in bodies:
        rendered = environment.from_string(str(body)).render(
            job=job, url="https://awx.example.com/1", workflow_url="https://awx.example.com/2"
        )
        assert json.loads(rendered)["text"]
