# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The documentation says what the code does: options, environment, results, examples."""

from __future__ import annotations

import ast
import itertools
import re

import pytest
import yaml
from ansible.module_utils.basic import FILE_COMMON_ARGUMENTS
from ansible_collections.scanops.scanner.plugins.filter import findings_export
from ansible_collections.scanops.scanner.plugins.inventory import targets as inventory
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.registry import FORMATS
from ansible_collections.scanops.scanner.plugins.module_utils._task.connection_options import (
    CONNECTION_OPTIONS,
    VARIABLES,
)
from ansible_collections.scanops.scanner.tests.unit.conventions.collection import (
    MODULES,
    ROOT,
    argument_spec,
    block,
    documentation,
    fragment,
    keeps_a_file,
    own_options,
)
from ansible_collections.scanops.scanner.tests.unit.plugins.modules import test_module_options as option_cases
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.run_module import run_module
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scenarios import ACCOUNT, PROBES, READS, WRITES
from ansible_collections.scanops.scanner.tests.unit.sampling import one_of_each

FRAGMENT = fragment("scanops.scanner.connection")
CONNECTION = FRAGMENT["options"]


# --- each option has a case that shows what it does


@pytest.mark.parametrize("module", MODULES)
def test_each_option_has_a_case(module):
    cases = {option for name, option in option_cases.CASES if name == module} | {
        *option_cases.OWN_TESTS.get(module, ())
    }
    inner = {
        f"{option}.{name}"
        for option in own_options(module)
        for name in documentation(module)["options"][option].get("suboptions", ())
    }
    where = "add a case to test_module_options.py, or the name of a test to own_option_tests.yml"
    assert own_options(module) | inner == cases, f"{where} of tests/unit/plugins/modules"


def test_each_connection_option_has_a_case():
    # the tests of the action plugins run tasks both ways
    assert set(option_cases.CONNECTION_CASES) == set(CONNECTION) - {"in_process"}
    assert set(CONNECTION) == set(CONNECTION_OPTIONS)


# --- options


@pytest.mark.parametrize("module", MODULES)
def test_the_documented_options_are_those_of_the_code(module):
    documented, spec = documentation(module)["options"], argument_spec(module)
    assert set(documented) == set(spec)
    for option, declared in spec.items():
        shown = documented[option]
        assert shown["type"] == declared["type"], option
        assert shown.get("default") == declared.get("default"), option
        assert shown.get("required", False) == declared.get("required", False), option
        assert shown.get("choices") == declared.get("choices"), option
        assert shown.get("elements") == declared.get("elements"), option
        assert shown["description"], option


# ansible-core cannot show an inventory plugin with the option plugin as YAML
MANY_OPTIONS = {
    **{
        module: (documentation(module), f" C(ansible-doc -s scanops.scanner.{module}) shows all options as a task.")
        for module in MODULES
        if len(own_options(module)) > 10
    },
    "inventory": (yaml.safe_load(inventory.DOCUMENTATION), ""),
}


@pytest.mark.parametrize("plugin", MANY_OPTIONS)
def test_a_plugin_with_many_options_names_those_that_matter_first(plugin):
    documented, command = MANY_OPTIONS[plugin]
    (begin,) = (line for line in documented["description"] if line.startswith("Begin with "))
    assert len(documented["options"]) > 10 and begin.endswith(f").{command}")
    options = [option.partition(".")[0] for option in re.findall(r"O\(([\w.]+)", begin)]
    assert len(options) > 3 and set(options) <= set(documented["options"])


def test_only_secrets_are_no_log():
    for module in MODULES:
        hidden = {option for option, declared in argument_spec(module).items() if declared.get("no_log")}
        # the address of a webhook often holds a token
        assert hidden - {"webhook_url"} == {"api_key", "proxy"}


@pytest.mark.parametrize("option", CONNECTION_OPTIONS)
def test_each_connection_option_has_its_variable_and_says_so(option):
    variable = f"SCANNER_{option.upper()}"
    assert VARIABLES[option] == variable
    assert f"E({variable})" in " ".join(CONNECTION[option]["description"])
    assert "Environment variables are those of the host on which the module runs." in " ".join(FRAGMENT["notes"])


@pytest.mark.parametrize("name", ["connection", "connection_plugin"])
def test_a_connection_option_says_what_matters_in_two_sentences_and_its_danger(name):
    for option, documented in fragment(f"scanops.scanner.{name}")["options"].items():
        effect, *dangers = documented["description"]
        assert len(re.findall(r"\.(?: |$)", effect)) <= 2, option
        assert [each for each in dangers if not each.startswith("Danger - ")] == [], option


@pytest.mark.parametrize("module", MODULES)
def test_the_options_of_files_are_those_of_ansible_core(module):
    if keeps_a_file(module):
        documented = documentation(module)["options"]
        for option, declared in FILE_COMMON_ARGUMENTS.items():
            assert documented[option].get("aliases", []) == declared.get("aliases", []), option


def test_the_inventory_has_the_same_connection_options_and_variables():
    plugin = fragment("scanops.scanner.connection_plugin")["options"]
    # an inventory always runs on the controller
    assert set(plugin) == set(CONNECTION) - {"in_process"}
    for option, documented in plugin.items():
        assert [each["name"] for each in documented["env"]] == [f"SCANNER_{option.upper()}"]
        for key in ("type", "default", "required"):
            assert documented.get(key) == CONNECTION[option].get(key), option


# --- formats of a gate

# in the order of the texts, which are static
_FILTER = yaml.safe_load(findings_export.DOCUMENTATION)["options"]["format"]
_GUIDE = (ROOT / "docs/docsite/rst/guide_gate.rst").read_text(encoding="utf-8")
# read and not imported, because the benchmarks are programs
_BENCHMARKS = ast.literal_eval(
    re.search(r"^NAMES = (\(.*?\))$", (ROOT / "tests/bench/exports.py").read_text("utf-8"), re.MULTILINE | re.DOTALL)[1]
)
EXPORTED = sorted(set(FORMATS) - {"json"})
LISTED = {
    "choices of the module gate": (documentation("gate")["options"]["formats"]["choices"], list(FORMATS)),
    "choices of the filter findings_export": (_FILTER["choices"], EXPORTED),
    "description of the filter": (
        sorted({name for line in _FILTER["description"] for name in re.findall(r"^V\((\w+)\) ", line)}),
        EXPORTED,
    ),
    "table of guide_gate.rst": (
        sorted(re.findall(r"^   \* - ``(\w+)``\n     - ``([\w.-]+)``$", _GUIDE, re.MULTILINE)),
        sorted((name, each.name) for name, each in FORMATS.items()),
    ),
    "benchmarks": (sorted({name.partition("_")[0] for name in _BENCHMARKS}), sorted(FORMATS)),
}


@pytest.mark.parametrize("place", LISTED)
def test_each_format_is_listed_wherever_formats_are(place):
    listed, expected = LISTED[place]
    assert listed == expected, f"the {place} differ from FORMATS of _gate/formats/registry.py"


# --- results

TYPES = {"raw": object, "str": str, "int": int, "bool": bool, "dict": dict, "list": list}
ALWAYS = {"changed", "diff", "invocation", "warnings", "api_calls"}


def assert_typed(value, documented, where):
    if value is None:
        return
    expected = TYPES[documented["type"]]
    assert isinstance(value, expected), where
    assert expected is bool or not isinstance(value, bool), where
    if isinstance(value, list):
        for item in value:
            assert_typed(item, {**documented, "type": documented["elements"]}, where)
    elif "contains" in documented:
        missing = {name for name in documented["contains"] if name not in value}
        # words are returned only on request, and an estate omits an empty description
        assert missing <= {"words", "description"}, where
        for name, field in documented["contains"].items():
            if name in value:
                assert_typed(value[name], field, f"{where}.{name}")


TASKS = {**WRITES, **READS, **PROBES}
CHECKED = itertools.product(TASKS, [False, True])


# each task one way, and each module in both
@pytest.mark.parametrize("name, check", one_of_each(CHECKED, lambda case: [case[0], (TASKS[case[0]].module, case[1])]))
@pytest.mark.usefixtures("workplace")
def test_a_result_is_as_documented(service, name, check):
    task = TASKS[name]
    service.reset(settings={"rate_limits": None}, state=ACCOUNT)
    options = dict(base_url=service.base_url, api_key=service.api_key, **task.options)
    result = run_module(task.module, options, check).result
    documented = {
        key: each for key, each in block(task.module, "RETURN").items() if not each["returned"].startswith("failure")
    }
    assert set(result) - ALWAYS == set(documented)
    for key, description in documented.items():
        assert_typed(result[key], description, key)


@pytest.mark.parametrize("module", MODULES)
def test_each_documented_result_has_a_sample_that_fits(module):
    for key, documented in block(module, "RETURN").items():
        assert "sample" in documented, key
        assert_typed(documented["sample"], documented, key)


# --- examples


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_use_options_that_exist(module):
    examples = block(module, "EXAMPLES")
    used = [task for task in examples if f"scanops.scanner.{module}" in task]
    assert used
    for task in used:
        assert task["name"]
        options = task[f"scanops.scanner.{module}"]
        assert set(options) <= set(documentation(module)["options"])
        assert options["base_url"].endswith("/api/v2")
        assert re.fullmatch(r"\{\{ vault_\w+ }}", options["api_key"])
        for option, value in options.items():
            choices = documentation(module)["options"][option].get("choices")
            assert choices is None or set(value if isinstance(value, list) else [value]) <= set(choices)
    for task in examples:
        action = next(name for name in task if "." in name)
        assert action.startswith(("scanops.scanner.", "ansible.builtin."))
