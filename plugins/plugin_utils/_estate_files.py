# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files of an estate, which estate_apply reads and estate_export proves."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleError

from ..module_utils._model.errors import printable
from ..module_utils._model.families import HTTP_LOGGER, TARGET
from ..module_utils._model.texts import natural
from ..module_utils._model.trust import refuse_untrusted
from ..module_utils._model.yaml_nodes import BrokenYaml, node_of
from ..module_utils._task.files import reason_of
from . import _core
from ._unsafe import unsafe

KEY = "estate_apply_workspaces"
_SUFFIXES = (".yml", ".yaml")
# how ansible-core marks a file that ansible-vault encrypted
_VAULT = "$ANSIBLE_VAULT;"


def read_estate_files(
    paths: Sequence[str], loader: Any, template: Callable[[Any], Any] | None = None
) -> dict[str, Any]:
    """What the files in these paths declare: the workspaces, and where each is declared.

    loader: a DataLoader of ansible-core; template: evaluates the templates in a value. Without it, files are data: a template
    can run programs on this machine. Raises ValueError, and WrongOption for a file that others can write.
    """
    files = files_of(paths)
    loaded = []
    for path in files:
        try:
            value = _core.load_yaml(loader, path, template is not None)
            loaded.append(unsafe(_core.plain(template(value) if template else value)))
        except AnsibleError as error:
            raise ValueError(f"{path} cannot be read ({printable(error, 500)}): correct the file.") from None
    result = joined(files, loaded)
    if any(_text_of(path).startswith(_VAULT) for path in files):
        result["_ansible_no_log"] = True
    return result


def files_of(paths: Sequence[str]) -> list[str]:
    """The files in these paths, sorted: files, and those directly in directories. Raises ValueError for the first one that
    is missing, broken, or declares something else, with its line where it has one."""
    missing = [path for path in paths if not os.path.exists(path)]
    if missing:
        raise ValueError(
            f"estate_apply_files names paths that do not exist, {', '.join(missing)}: correct them. A relative path starts"
            " at the directory of the playbook."
        )
    found = {path for path in paths if not os.path.isdir(path)}
    for directory in paths:
        if os.path.isdir(directory):
            entries = (each for each in os.scandir(directory) if each.is_file() and not each.name.startswith("."))
            found.update(each.path for each in entries if each.name.endswith(_SUFFIXES))
    if not found:
        raise ValueError(
            f"{', '.join(paths)} holds no file whose name ends in .yml or .yaml: correct estate_apply_files."
        )
    files = sorted(found)
    for path in files:
        text = _text_of(path)
        refuse_untrusted(path, "estate_apply_files")
        if text.startswith(_VAULT):
            # ansible-core decrypts it
            continue
        try:
            node = node_of(text)
        except BrokenYaml as error:
            line, problem = error.args
            raise ValueError(f"{path}:{line}: {problem}.") from None
        keys = [key.value for key, _value in node.value] if node is not None and node.id == "mapping" else []
        if keys != [KEY]:
            raise _foreign(path)
    return files


def _text_of(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not encoded in UTF-8: save it as UTF-8.") from None
    except OSError as error:
        raise ValueError(f"{path} cannot be read ({reason_of(error)}): correct its permissions.") from None


def _foreign(path: str) -> ValueError:
    return ValueError(f"{path} must hold {KEY} and nothing else: correct the file.")


def joined(files: Sequence[str], loaded: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The workspaces of all files, and where each is declared. loaded: the variables of each file. Raises ValueError."""
    workspaces: list[Any] = []
    declared_at: list[str] = []
    for path, variables in zip(files, loaded):
        if list(variables) != [KEY]:
            raise _foreign(path)
        own = variables[KEY]
        if not isinstance(own, list):
            raise ValueError(f"{KEY} in {path} is not a list: write a list, [] for no workspace.")
        workspaces += own
        declared_at += [f"{path}: {KEY}[{index}]" for index in range(len(own))]
    return {"workspaces": workspaces, "declared_at": declared_at}


def differing(declared: Sequence[Mapping[str, Any]], live: Sequence[Mapping[str, Any]]) -> list[str]:
    """What the workspaces of a file and of the account differ in, an object each; none if they mean the same, whatever the
    order, the comments and the shorter forms of the file."""
    mine, theirs = _meaning(declared), _meaning(live)
    ids = {each.get("name"): each.get("id") for each in live}
    for each in declared:
        # one that the file leaves out is found by its name
        if each.get("id") not in (None, ids.get(each.get("name"))):
            mine[f"workspace {printable(each.get('name'))!r}"] = each["id"]
    return [
        f"{key} ({'only in the account' if key not in mine else 'only in the file' if key not in theirs else 'differs'})"
        for key in sorted({*mine, *theirs}, key=natural)
        if mine.get(key) != theirs.get(key)
    ]


def _meaning(workspaces: Sequence[Mapping[str, Any]]) -> dict[str, object]:
    """What is declared of each object, by its name for people."""
    found: dict[str, object] = {}
    for each in workspaces:
        where = printable(each.get("name"))
        found[f"workspace {where!r}"] = (each.get("description") or "", each.get("state", "present"))
        for family in (TARGET, HTTP_LOGGER):
            # a list that is left out is not managed, as one that is empty is not
            found[f"the {family.noun}s of {where!r}"] = each.get(family.plural) is None
            for entry in each.get(family.plural) or ():
                fields = entry if isinstance(entry, Mapping) else {family.key: entry}
                own = {key: value for key, value in fields.items() if value and key != family.key}
                found[f"{family.noun} {printable(fields.get(family.key))!r} of {where!r}"] = own
    return found
