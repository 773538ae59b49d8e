# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an action plugin and a module say to one another, as each release of ansible-core writes and reads it."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import json
from collections.abc import Mapping
from typing import Any

import ansible.template
from ansible import constants
from ansible.errors import AnsibleError
from ansible.executor import module_common, task_executor
from ansible.module_utils.common import json as ansible_json
from ansible.plugins.action import ActionBase

from ._play import play_of

try:
    # up to ansible-core 2.20
    from ansible.vars.clean import remove_internal_keys
except ImportError:
    remove_internal_keys = None

# before ansible-core 2.19, text is a template unless it is marked
if not hasattr(ansible.template, "trust_as_template"):
    from ansible.utils.unsafe_proxy import wrap_var
else:
    wrap_var = None

# how ansible-core runs modules that name no other profile
_PROFILE = "legacy"
# methods of ActionBase that are used here although they are not public
_METHODS = ("_update_module_args", "_compute_environment_string", "_parse_returned_data")
# from ansible-core 2.19 on
_HAS_PROFILES = hasattr(ansible_json, "get_module_encoder")
# whether ansible-core itself decides about the tracebacks of failures
SHOWS_TRACES = hasattr(constants, "DISPLAY_TRACEBACK")
# encodes the result of a module; before ansible-core 2.19, None for that of json
RESULT_ENCODER: Any = None
if _HAS_PROFILES:
    # here, once for all tasks, because ansible-core imports them on demand
    _TO_MODULE, _FROM_MODULE = ansible_json.Direction.CONTROLLER_TO_MODULE, ansible_json.Direction.MODULE_TO_CONTROLLER
    _ENCODER, RESULT_ENCODER = (ansible_json.get_module_encoder(_PROFILE, way) for way in (_TO_MODULE, _FROM_MODULE))
    _DECODERS = [ansible_json.get_module_decoder(_PROFILE, way) for way in (_TO_MODULE, _FROM_MODULE)]
# what the filters of ansible-core import. One of them starts a process that looks for a library.
_IMPORTED_BY_FILTERS = ("ansible.utils.encrypt", "ansible.parsing.yaml.dumper")


def warm() -> None:
    """Do once, in the process that starts the workers, what ansible-core otherwise does in the worker of each task. A release
    that lacks some of it does without it."""
    for name in _IMPORTED_BY_FILTERS:
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    with contextlib.suppress(Exception):
        # from ansible-core 2.21 on; the result is cached for each set of arguments, named as here
        result = importlib.import_module("ansible._internal._task").UnifiedTaskResult
        for source_is_module in (False, True):
            result.get_result_key_to_resolved_field_mapping(source_is_module=source_is_module)


warm()


def unknown() -> str | None:
    """The name of something that this release of ansible-core lacks, or None."""
    for name in _METHODS:
        if not callable(getattr(ActionBase, name, None)):
            return name
    known = ["self", "res", "profile"] if _HAS_PROFILES else ["self", "res"]
    parameters = list(inspect.signature(ActionBase._parse_returned_data).parameters)
    return None if parameters == known else "_parse_returned_data of a known form"


def as_module_reads(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a task, as a module reads them: without the marks of ansible-core on their texts. Raises TypeError or
    ValueError if they are not JSON."""
    if _HAS_PROFILES:
        read = json.loads(json.dumps(arguments, cls=_ENCODER), cls=_DECODERS[0])
    else:
        read = json.loads(json.dumps(arguments, cls=ansible_json.AnsibleJSONEncoder, vault_to_text=True))
    return dict(read)


def returned(action: ActionBase, printed: str) -> dict[str, Any]:
    """What ansible-core makes of the output of a module."""
    output = dict(stdout=printed, stdout_lines=[printed], stderr="", stderr_lines=[], rc=0)
    parsed = action._parse_returned_data(output, _PROFILE) if _HAS_PROFILES else action._parse_returned_data(output)
    if remove_internal_keys is None:
        parsed.remove_internal_keys()
        return dict(parsed.as_result_dict(for_round_trip=True))
    remove_internal_keys(parsed)
    return dict(wrap_var(parsed) if wrap_var else parsed)


# --- the arguments of a task


def defaults_of(action: ActionBase, name: str, variables: Mapping[str, Any]) -> dict[str, Any]:
    """What ``module_defaults`` of the task of an action plugin set for the module of this full name, and for its groups."""
    task, templar = action._task, action._templar
    if not task.module_defaults:
        return {}
    # up to ansible-core 2.18
    older = getattr(module_common, "get_action_args_with_defaults", None)
    if older is None:
        return dict(module_common._apply_action_arg_defaults(name, task, {}, templar))
    found = older(name, {}, task.module_defaults, templar, action_groups=play_of(task)._action_groups)
    return dict(task_executor.remove_omit(found, variables.get("omit")))


def evaluated(action: ActionBase, value: Any, variables: Mapping[str, Any]) -> Any:
    """The value of a variable, as a module reads it. Raises Omitted for the value of ``omit``, or AnsibleError."""
    try:
        value = action._templar.template(value)
    except AnsibleError as error:
        # from ansible-core 2.19 on
        if type(error).__name__ == "AnsibleValueOmittedError":
            raise Omitted from None
        raise
    token = variables.get("omit")
    if isinstance(value, str) and value == token:
        raise Omitted
    given = {"value": value}
    return as_module_reads(given if _HAS_PROFILES else task_executor.remove_omit(given, token))["value"]


class Omitted(Exception):
    """A variable has the value of ``omit``."""


def holds(action: ActionBase, result: dict[str, Any]) -> bool:
    """Whether the conditions of the task of an action plugin hold once its result is registered. Raises AnsibleError."""
    task, names = action._task, action._task.register or ()
    variables = {**action.variables, **dict.fromkeys([names] if isinstance(names, str) else names, result)}
    action._play_context.update_vars(variables)
    if hasattr(task, "evaluate_conditional"):
        # up to ansible-core 2.18
        return bool(task.evaluate_conditional(ansible.template.Templar(action._loader), variables))
    return bool(task._resolve_conditional(task.when, variables))


# --- files


def load_yaml(loader: Any, path: str, templates: bool) -> Any:
    """The value of a YAML file, which ansible-vault may have encrypted. templates: whether its texts may be templates; before
    ansible-core 2.19, every text of a file may be one."""
    if hasattr(ansible.template, "trust_as_template"):
        return loader.load_from_file(path, cache="none", trusted_as_template=templates)
    return loader.load_from_file(path, cache=False)


def text_of(loader: Any, path: str) -> str:
    """The text of a file, which ansible-vault may have encrypted. Raises AnsibleError, or ValueError."""
    # from ansible-core 2.19 on
    if hasattr(loader, "get_text_file_contents"):
        return str(loader.get_text_file_contents(path))
    return str(loader._get_file_contents(path)[0], "utf-8")


def is_encrypted(value: Any) -> bool:
    """Whether a value that was read from YAML is a text that ansible-vault encrypted."""
    return type(value).__name__ in ("AnsibleVaultEncryptedUnicode", "EncryptedString")


def plain(value: Any) -> Any:
    """A copy of a value that was read from YAML without what ansible-core adds to texts, such as their encryption. Raises
    ValueError for what JSON does not have."""
    if isinstance(value, dict):
        return {plain(key): plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [plain(part) for part in value]
    if isinstance(value, str) or is_encrypted(value):
        return str(value)
    if value is None or isinstance(value, (int, float)):
        return value
    raise ValueError("a value is a date, or has a tag such as !!binary: put it in quotes, and remove the tag")
