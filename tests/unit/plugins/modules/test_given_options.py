# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Options that ansible-core would take for something else than was meant: null, booleans, numbers, texts with commas; and
secrets in a shape that it does not mask.

Each option of each module is judged by the function that decides before ansible-core converts the options. Each module is
run once with each kind of mistake, without a single call.
"""

from __future__ import annotations

import importlib

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._model.families import FAMILIES
from ansible_collections.scanops.scanner.plugins.module_utils._task.raw_options import UNKNOWN_ID, Prepared
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.run_module import MODULES as PLACE
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.run_module import run_module
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scenarios import MODULES, PROBES, READS, WRITES

TASKS = {task.module: task for task in {**READS, **WRITES, **PROBES}.values()}
SECRET = "pa55-w0rd-of-nobody"

# what stands for one another: a null of one is no value where another one is given
REFERENCES = (
    "id",
    "fingerprint",
    "name",
    "label",
    "uuid",
    "workspace",
    "workspace_id",
    "target",
    "target_id",
    "targets",
    "scan_id",
    "source",
)
# what a task leaves alone, does not do, or does in the way of its default: nothing becomes wider without it
LEFT_OUT = {
    "description", "new_name", "dest",
    "state", "on_drift", "on_timeout", "purge", "format", "group_by", "redirect_level",
    "force", "continue_on_error", "report_unchanged", "wait", "stop_on_interrupt", "keep", "contents", "required", "schema",
    "group_duplicates", "report_full_plan", "allow_mismatch", "writes",
    "baseline_missing", "baseline_update", "stale_catalogues", "allow_permanent",
    "formats", "sarif_profile", "export_all", "rows",
}  # fmt: skip
FILES = ("dest", "record", "baseline", "findings_file", "epss_file", "known_exploited_file", "artifacts")
FIELDS = ("new_name", *FILES, *(field for family in FAMILIES.values() for field in family.declared))
# options of these names hold names of objects
NAMES = ("name", "label", "new_name", "workspace", "target", "vpn_profile")


def declared(module):
    return importlib.import_module(PLACE + module).MODULE


def options_of(module):
    return declared(module).options


def on_each_option(takes):
    return [
        pytest.param(module, name, id=f"{module}-{name}")
        for module in MODULES
        for name, entry in options_of(module).items()
        if takes(name, entry)
    ]


def arguments_with(module, name, value):
    """The options of a task that needs this one."""
    optional = (*REFERENCES, *(option for option, entry in options_of(module).items() if "default" in entry))
    base = {option: given for option, given in TASKS[module].options.items() if option not in optional}
    if module == "gate":
        base.pop("scan_ids", None)
    reference = ("workspace", "workspace_id", *(("scan_ids", "findings_file") if module == "gate" else ()))
    if module in ("target", "targets", "http_logger", "gate") and name not in reference:
        base["workspace_id"] = 2
    return {**base, name: value}


def prepared_with(module, name, value, check=False) -> Prepared:
    entry = declared(module)
    given = {"base_url": "https://scanner.example.com/api/v2", "api_key": "key", "_ansible_check_mode": check}
    given.update(arguments_with(module, name, value))
    return entry.prepared(given, {}, set())


def run_with(service, module, name, value, check=False):
    connection = dict(base_url=service.base_url, api_key=service.api_key)
    return run_module(module, {**connection, **arguments_with(module, name, value)}, check)


def assert_refused(module, name, value, *words):
    refusal = prepared_with(module, name, value).refusal
    assert refusal and all(word in refusal for word in words), refusal


def refused(result, *words):
    assert result.failed, result
    for word in words:
        assert word in result.msg
    assert "\n" not in result.msg
    assert "Traceback" not in str(result.result)


# --- null


@pytest.mark.parametrize("module, name", on_each_option(lambda name, entry: True))
def test_a_null_is_refused_where_leaving_the_option_out_would_mean_something_wider(module, name):
    entry = options_of(module)[name]
    refusal = f"{name} is null, probably because a variable is unset: give a value, or leave the option out."
    allowed = name in FIELDS or (name in LEFT_OUT and "default" in entry)
    assert prepared_with(module, name, None).refusal == (None if allowed else refusal)


REFERENCE_IDS = on_each_option(lambda name, entry: entry["type"] == "int" and (name == "id" or name.endswith("_id")))


@pytest.mark.parametrize("module, name", REFERENCE_IDS)
def test_in_check_mode_the_null_id_of_an_earlier_task_is_understood(service, module, name):
    # ansible-core before 2.19 makes an empty text of a null in a template
    for null in (None, ""):
        prepared = prepared_with(module, name, null, check=True)
        assert prepared.refusal is None
        assert prepared.params[name] == UNKNOWN_ID
    result = run_with(service, module, name, None, check=True)
    assert "is null" not in result.msg
    assert service.writes() == []


@pytest.mark.parametrize("module, name", REFERENCE_IDS)
def test_an_empty_id_is_refused_in_a_real_run(module, name):
    assert_refused(module, name, "", f"{name} is empty, probably because a variable is unset")


def test_a_null_beside_its_alternative_is_ignored(account, run):
    assert not run("target_info", workspace=None, workspace_id=2, name=None, id=1001).failed
    assert not run("scan_info", workspace_id=2, target=None, target_id=1001).failed


# --- booleans, numbers and lists where a text is meant


URL = "https://a.example/x,b"
# a wrong value, for which options, and what is said of it
WRONG = [
    (False, lambda name, entry: entry["type"] in ("str", "path"), "{} is a boolean (false), not text"),
    (True, lambda name, entry: entry["type"] in ("int", "float"), "{} is a boolean (true): give a number"),
    (False, lambda name, entry: entry["type"] == "list", "{} is a boolean (false)"),
    ([False], lambda name, entry: entry.get("elements", "raw") != "raw", "{}[0] is a boolean (false)"),
    (42, lambda name, entry: name in NAMES, "{} is a number (42), not text: put it in quotes"),
    (1.5, lambda name, entry: name in NAMES, "{} is a number (1.5), not text: put it in quotes"),
    (["other-than-text"], lambda name, entry: entry["type"] == "str", "{} is a list: give a string"),
    (
        URL,
        lambda name, entry: entry.get("elements") in ("str", "raw") and "choices" not in entry,
        f"{{}} is a string with a comma, {URL!r}, not a list: write each entry",
    ),
]


@pytest.mark.parametrize("value, takes, words", WRONG, ids=[str(case[0]) for case in WRONG])
def test_a_value_of_another_type_is_refused(value, takes, words):
    for case in on_each_option(takes):
        module, name = case.values
        assert_refused(module, name, value, words.format(name))


def test_a_number_is_accepted_where_it_can_be_meant(account, run):
    assert not run("scan_info", workspace_id=2, tool=170).failed
    assert not run("scan", check=True, workspace_id=2, target="www.example.com", tool=170, max_age=3600).failed
    assert not run("workspace", check=True, name="2026", description=2026).failed
    assert not run("target_info", workspace_id="2", id="1001").failed


# a value of each kind of mistake, for the types of options that refuse it
MISTAKES = {
    "null": (None, ("int", "float", "list", "dict")),
    "boolean": (False, ("str", "path", "int", "float", "list")),
    "list": (["other-than-text"], ("str",)),
}


@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("module", MODULES)
def test_a_module_refuses_a_mistake_before_its_first_call(service, module, mistake):
    value, types = MISTAKES[mistake]
    for name in [name for name, entry in options_of(module).items() if entry["type"] in types][:1]:
        refused(run_with(service, module, name, value), prepared_with(module, name, value).refusal)
    assert service.calls() == []


def test_a_text_without_a_comma_is_a_list_of_one(account, run):
    assert run("targets", check=True, workspace_id=2, targets="new.example.com")["summary"]["create"] == 1
    assert not run("scan_info", workspace_id=2, status="finished").failed


# --- a missing connection


@pytest.mark.parametrize("module", MODULES)
def test_a_missing_connection_names_its_environment_variables(service, monkeypatch, module):
    for name in ("SCANNER_BASE_URL", "SCANNER_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    options = TASKS[module].options
    refused(
        run_module(module, {**options, "api_key": service.api_key}),
        "missing required arguments: base_url.",
        "SCANNER_BASE_URL",
    )
    refused(
        run_module(module, {**options, "base_url": service.base_url}),
        "missing required arguments: api_key.",
        "SCANNER_API_KEY",
    )
    refused(
        run_module(module, options),
        "missing required arguments: api_key, base_url.",
        "SCANNER_API_KEY and SCANNER_BASE_URL",
    )
    monkeypatch.setenv("SCANNER_BASE_URL", service.base_url)
    refused(run_module(module, options), "missing required arguments: api_key. Set it", "SCANNER_API_KEY")
    assert service.calls() == []


# --- secrets in a shape that ansible-core does not expect

LOGIN = {"type": "login_form", "login_page_url": "https://shop.example.com/login", "username": "someone"}
SHAPES = {
    "misspelt": {**LOGIN, "passwd": SECRET},
    "misspelt-beside": {**LOGIN, "password": "right", "pasword": SECRET},
    "misspelt-dictionary": {**LOGIN, "secrets": {"password": [SECRET]}},
    "text": SECRET,
    "text-of-pairs": f"type=login_form passwd='{SECRET} and more'",
    "text-of-json": '{"type": "cookies", "cookie": "' + SECRET + '"}',
    "list": [SECRET],
    "list-of-dictionaries": [{**LOGIN, "passwd": SECRET}],
    "list-in-a-field": {**LOGIN, "username": [SECRET], "password": "right"},
    "dictionary-in-a-field": {**LOGIN, "username": {"is": SECRET}, "password": "right"},
    "dictionary-for-a-list": {"type": "headers", "headers": {"Authorization": SECRET}},
    "text-with-a-comma": {"type": "headers", "headers": f"X-One: 1,{SECRET}"},
    "dictionary-in-a-list": {"type": "headers", "headers": [{"Authorization": SECRET}]},
    "number-in-a-list": {"type": "headers", "headers": [SECRET, False]},
    "quoted": {**LOGIN, "passwd": f"'{SECRET}\"\n\\"},
    "quoted-in-a-list": [[f"'{SECRET}\"\n\\"]],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_no_shape_of_a_secret_is_shown(service, run, shape):
    for options in ({}, {"tool": False}, {"base_url": None}, {"max_scan_time": "long"}):
        given = {
            "workspace_id": 2,
            "target": "www.example.com",
            "tool": "170",
            "authentication": SHAPES[shape],
            **options,
        }
        result = run("scan", verbosity=3, **given)
        assert result.failed
        assert SECRET not in str(result.result)
        assert "authentication" in str(result.result)
    assert service.calls() == []


def test_other_values_are_shown(service, run):
    result = run(
        "scan", verbosity=3, workspace_id=2, target="www.example.com", tool="170", authentication=SHAPES["misspelt"]
    )
    assert "authentication has the unknown key 'passwd': the closest one is password" in result.msg
    for word in ("https://shop.example.com/login", "someone", "login_form"):
        assert word in str(result["invocation"])


@pytest.mark.parametrize("module", MODULES)
def test_the_value_of_an_option_that_does_not_exist_is_not_shown(service, module):
    connection = dict(base_url=service.base_url, api_key=service.api_key)
    result = run_module(module, {**connection, **TASKS[module].options, "api_kye": SECRET}, verbosity=3)
    refused(result, "Unsupported parameters", "api_kye")
    assert SECRET not in str(result.result)
    assert service.calls() == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (dict(nme="Web shop"), "nme (did you mean name?). Correct it, or remove it."),
        (dict(zzz=1, nmae="Web shop"), "nmae (did you mean name?), zzz. Correct them, or remove them."),
    ],
)
def test_a_misspelt_option_is_named_before_those_that_are_missing(service, options, words):
    connection = dict(base_url=service.base_url, api_key=service.api_key)
    refused(run_module("workspace", {**connection, **options}), "Unsupported parameters", words)
    assert service.calls() == []
