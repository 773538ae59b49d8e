# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The options of a task as the user gave them, before ansible-core converts them: which values are secret, which options
are missing, and which values must be a mistake. All of it follows from the argument spec of the module. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .._model.errors import WrongOption, printable, shape_of, unknown_keys
from .._model.families import FAMILIES

# the options of a module, by name, and one of them, as AnsibleModule takes them
OptionSpec = dict[str, Any]
ArgumentSpec = dict[str, OptionSpec]
# options that can replace one another
Groups = Sequence[Sequence[str]]

# replaces a null id in check mode: the id of an object that an earlier task would have created; a number that nobody types
UNKNOWN_ID = -(2**52) - 1
# the prefix of what ansible-core adds to the options of a task
_INTERNAL = "_ansible_"
# what a template with ``omit`` inside a longer text gives before ansible-core 2.19, and from then on
_OMITTED = ("__omit_place_holder__", "<<Omit>>")

# fields of objects; a task does not change those that it does not declare
_FIELDS = {field for entry in FAMILIES.values() for field in (*entry.declared, f"new_{entry.key}")}
# options whose default allows more than a value
_GUARDS = ("evidence", "missing_target", "owners", "purge_only", "unmanaged")
# options that name objects
_NAMES = {
    name for entry in FAMILIES.values() for name in (entry.key, f"new_{entry.key}", entry.name, entry.plural)
}  # fmt: skip


# --- secrets


def _has_secrets(entry: OptionSpec) -> bool:
    return bool([each for each in entry["options"].values() if each.get("no_log")])


def _secrets_in_dictionary(options: ArgumentSpec, value: object) -> set[str]:
    """The texts in the value of an option with secret sub-options that must not be shown: all but the text of a known
    sub-option that is not secret."""
    if isinstance(value, (list, tuple)):
        return set().union(*(_secrets_in_dictionary(options, each) for each in value))
    if not isinstance(value, dict):
        return _texts(value)
    found = set()
    for name, each in value.items():
        entry = options.get(name, {"no_log": True})
        if entry.get("no_log") or isinstance(each, (dict, list, tuple)):
            found |= _texts(each)
    return found


def _texts(value: object) -> set[str]:
    """The texts in a value, also in the form in which Python quotes them."""
    if isinstance(value, (dict, list, tuple)):
        return set().union(*map(_texts, value.values() if isinstance(value, dict) else value))
    if value is None or isinstance(value, bool):
        return set()
    return {text for text in (str(value), repr(str(value))[1:-1]) if text.strip()}


# --- references


def _is_reference(name: str, entry: OptionSpec) -> bool:
    """Whether an option names an object by its id."""
    return entry.get("type") == "int" and (name == "id" or name.endswith("_id"))


def _lists_references(entry: OptionSpec) -> bool:
    return entry.get("type") == "list" and entry.get("elements") == "int"


def _with_unknown_ids(spec: ArgumentSpec, groups: Groups, given: Mapping[str, Any]) -> dict[str, Any]:
    """The given options of a task in check mode, where an earlier task registers null for an id that only the service can
    give. ansible-core before 2.19 turns it into an empty text, which is not an integer."""
    known = {}
    for name, value in given.items():
        entry = spec.get(name, {})
        if _is_reference(name, entry) and value in (None, "") and not _instead(name, groups, given):
            value = UNKNOWN_ID
        elif _lists_references(entry) and isinstance(value, list):
            value = [UNKNOWN_ID if each in (None, "") else each for each in value]
        known[name] = value
    return known


def check_ids(spec: Mapping[str, OptionSpec], params: Mapping[str, Any], check_mode: bool) -> None:
    """Raise WrongOption for the value of an option that names objects by id, but is no id. params: the converted options."""
    for name, entry in spec.items():
        value = params.get(name)
        listed = isinstance(value, list)
        for each in value if isinstance(value, list) else [value]:
            if not isinstance(each, int) or each > 0 or (check_mode and each == UNKNOWN_ID):
                continue
            if listed and _lists_references(entry):
                raise WrongOption(
                    f"{name} holds {each}: give the ids that the service lists, which are positive numbers."
                )
            if not listed and _is_reference(name, entry):
                raise WrongOption(f"{name} is {each}: give the id that the service lists, a positive number.")


# --- mistakes


def _missing_variables(spec: ArgumentSpec, needed: Mapping[str, str], given: Mapping[str, object]) -> str | None:
    """Which required options are missing, a sentence, if one of them can come from an environment variable; or None.

    needed: the environment variables of the options that are required although the spec does not say so.
    """
    required = {*needed, *[name for name, entry in spec.items() if entry.get("required")]}
    missing = sorted([name for name in required if given.get(name) is None])
    named = [needed[name] for name in missing if name in needed]
    if not named:
        return None
    return (
        f"missing required arguments: {', '.join(missing)}. Set {'it' if len(missing) == 1 else 'them'} in the task or in"
        f" module_defaults, or set {' and '.join(named)} in the environment of the host on which the module runs."
    )


def refusal(spec: ArgumentSpec, groups: Groups, given: Mapping[str, object], lenient: Iterable[str] = ()) -> str | None:
    """Why the value of one of the given options must be a mistake, a sentence, or None.

    lenient: the options for which null means that they are not set. ansible-core itself would turn a boolean into a text,
    split a text at its commas, and ignore a null.
    """
    for name, entry in spec.items():
        value = given.get(name)
        if name not in given or (value is None and (name in lenient or _instead(name, groups, given))):
            continue
        if name == "scope" and given.get("state") == "absent":
            # no scope applies to a deletion
            continue
        problem = _problem(name, name, entry, value)
        if problem:
            by_id = [each for each in _group(name, groups) if _is_reference(each, spec.get(each, {}))]
            return f"{problem}, or give {by_id[0]}." if by_id and _is_number(value) else f"{problem}."
    return None


def _instead(name: str, groups: Groups, given: Mapping[str, object]) -> bool:
    """Whether another option is given instead of this one."""
    return any(given.get(other) not in (None, "") for other in _group(name, groups))


def _group(name: str, groups: Groups) -> list[str]:
    return [other for group in groups or () if name in group for other in group if other != name]


def _problem(path: str, name: str, entry: OptionSpec, value: object) -> str | None:
    """A sentence without its full stop, or None. path: the value in messages; name: its option."""
    kind = entry.get("type", "str")
    if value is None:
        # for a switch or a choice, null can mean the default; a limit or a list must not get lost
        chosen = "." not in path and entry.get("default") is not None and (kind == "bool" or entry.get("choices"))
        if name not in _GUARDS and (name in _FIELDS or kind == "path" or chosen):
            return None
        return f"{path} is null, probably because a variable is unset: give a value, or leave the option out"
    if value == "" and kind == "list":
        return f"{path} is empty, or has an empty item: name at least one value, or leave the option out"
    if value == "" and (kind == "dict" or _is_reference(name, entry)):
        return f"{path} is empty, probably because a variable is unset: give a value, or leave the option out"
    if kind == "list":
        return _list_problem(path, name, entry, value)
    options = entry.get("options")
    if kind != "dict" or not options:
        return None if kind == "dict" else _scalar_problem(path, name, kind, value)
    if not isinstance(value, dict):
        # ansible-core turns some texts into a dictionary, and quotes the others
        wrong = _has_secrets(entry) or not isinstance(value, str)
        return f"{path} is {shape_of(value)}: write a dictionary with the keys {', '.join(options)}" if wrong else None
    unknown = unknown_keys([(path, value)], options)
    problems = (
        _problem(f"{path}.{name}", name, options[name], each) for name, each in value.items() if name in options
    )
    return unknown or next(filter(None, problems), None)


def _list_problem(path: str, name: str, entry: OptionSpec, value: object) -> str | None:
    elements = entry.get("elements", "str")
    if isinstance(value, str):
        if "," not in value or elements not in ("str", "raw") or entry.get("choices"):
            return None
        shown = "," if entry.get("no_log") else f", {printable(value, 100)!r},"
        return f"{path} is a string with a comma{shown} not a list: write each entry on its own line, after a dash"
    if elements == "raw":
        return None if isinstance(value, (list, dict)) else f"{path} is {shape_of(value)}: write a list"
    if not isinstance(value, list):
        return _scalar_problem(path, name, elements, value)
    for index, each in enumerate(value):
        inner = f"{path}[{index}]"
        if each is None:
            return f"{inner} is null: give a value, or remove it"
        problem = _scalar_problem(inner, name, elements, each)
        if problem:
            return problem
    dictionaries = [(f"{path}[{index}]", each) for index, each in enumerate(value) if isinstance(each, dict)]
    return unknown_keys(dictionaries, entry["options"]) if entry.get("options") else None


def _scalar_problem(path: str, name: str, kind: str, value: object) -> str | None:
    if isinstance(value, bool) and kind in ("int", "float"):
        return f"{path} is {shape_of(value)}: give a number"
    if isinstance(value, bool) and kind == "dict":
        return f"{path} is {shape_of(value)}: write a dictionary"
    if isinstance(value, bool) and kind in ("str", "path"):
        return (
            f"{path} is {shape_of(value)}, not text, as YAML reads words such as no, off and yes: put it in quotes (in a"
            " template add | string)"
        )
    if kind == "str" and isinstance(value, (list, dict)):
        return f"{path} is {shape_of(value)}: give a string"
    if kind == "str" and name in _NAMES and _is_number(value):
        return f"{path} is {shape_of(value)}, not text: put it in quotes (in a template add | string)"
    return None


def _placeholder(given: Mapping[str, object]) -> str | None:
    """The message on the placeholder of ``omit`` in an option, or None. It would be sent as a text, another one in each run.

    ansible-core removes it only where it is all of an option, and from release 2.19 on also where it is all of a value in it.
    """
    waiting: list[tuple[str, object]] = [*given.items()][::-1]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [(f"a key of {path}", key) for key in value][::-1]
            waiting += [(f"{path}.{printable(key, 60)}", each) for key, each in value.items()][::-1]
        elif isinstance(value, (list, tuple)):
            waiting += [(f"{path}[{index}]", each) for index, each in enumerate(value)][::-1]
        elif isinstance(value, str) and (_OMITTED[0] in value or _OMITTED[1] in value):
            return (
                f"{path} holds the placeholder of omit, which Ansible removes only where it is the complete value of an option:"
                " give a value, or build the list or dictionary without this entry, as in"
                " {{ {'name': x} | combine({'description': y} if y is defined else {}) }}."
            )
    return None


def placeholder_in(environ: Mapping[str, str]) -> str | None:
    """The message on the placeholder of ``omit`` in a variable of ours, or None: ``environment`` of a task leaves it in."""
    ours = [name for name in environ if name.startswith("SCANNER_")]
    name = next(iter([each for each in ours if _OMITTED[0] in environ[each] or _OMITTED[1] in environ[each]]), None)
    return name and (
        f"The environment variable {name} holds the placeholder of omit, which Ansible does not remove from environment: give"
        f" a value, or leave {name} out."
    )


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


# --- all of it

_NOT_SHOWN = "VALUE__NOT_SHOWN"


class Prepared(NamedTuple):
    """params: the options to convert, and what ansible-core adds to them; secrets: texts that must not be shown;
    refusal: why the task fails before its options are converted, a sentence, or None."""

    params: dict[str, Any]
    secrets: set[str]
    refusal: str | None


def prepare(
    spec: ArgumentSpec, groups: Groups, given: Mapping[str, Any], needed: Mapping[str, str], lenient: Iterable[str]
) -> Prepared:
    """given: the arguments of the task; needed, lenient: see ``_missing_variables`` and ``refusal``."""
    named = {each: entry for name, entry in spec.items() for each in (name, *entry.get("aliases", ()))}
    own = {name: value for name, value in given.items() if not name.startswith(_INTERNAL)}
    unknown = [name for name in own if name not in named]
    secrets: set[str] = set()
    # whatever the shape of a value, so that no error of ansible-core quotes it
    for name in own.keys() & named.keys():
        entry = named[name]
        if entry.get("no_log"):
            secrets |= _texts(own[name])
        elif "options" in entry and _has_secrets(entry):
            secrets |= _secrets_in_dictionary(entry["options"], own[name])
    # ansible-core shows the options of a failed task, also those that it does not know; a misspelt one may hold a secret
    params = {**given, **dict.fromkeys(unknown, _NOT_SHOWN)}
    if params.get("_ansible_check_mode"):
        params = _with_unknown_ids(spec, groups, params)
    # first, because ansible-core would name what is missing instead of what is misspelt
    refused = None
    if unknown:
        near = {name: difflib.get_close_matches(name, spec, 1) for name in sorted(map(str, unknown))}
        shown = [printable(name) + (f" (did you mean {close[0]}?)" if close else "") for name, close in near.items()]
        what = "it" if len(shown) == 1 else "them"
        module = params.get("_ansible_module_name", "")
        refused = f"Unsupported parameters for ({module}) module: {', '.join(shown)}. Correct {what}, or remove {what}."
    refused = refused or _placeholder(own)
    refused = refused or _missing_variables(spec, needed, params)
    refused = refused or refusal(spec, groups, params, lenient)
    # ansible-core takes a null for a value: it would satisfy a required option, or replace a default
    return Prepared({name: value for name, value in params.items() if value is not None}, secrets, refused)
