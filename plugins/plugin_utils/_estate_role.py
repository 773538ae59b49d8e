# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The steps of the roles of an estate: who runs them, and what the files of an estate declare."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleError
from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.scanops.scanner.plugins.module_utils._errors import ScannerError, printable
from ansible_collections.scanops.scanner.plugins.module_utils._file.draft import reason_of
from ansible_collections.scanops.scanner.plugins.module_utils._trust import refuse_untrusted
from ansible_collections.scanops.scanner.plugins.module_utils._yaml_nodes import BrokenYaml, node_of
from ansible_collections.scanops.scanner.plugins.plugin_utils._core import load_yaml, plain
from ansible_collections.scanops.scanner.plugins.plugin_utils._role_action import Result, RoleAction
from ansible_collections.scanops.scanner.plugins.plugin_utils._unsafe import unsafe

_KEY = "estate_apply_workspaces"
_SUFFIXES = (".yml", ".yaml")
# how ansible-core marks a file that ansible-vault encrypted
_VAULT = "$ANSIBLE_VAULT;"


class EstateAction(RoleAction):
    """With ``paths``, reads the files of an estate. Else fails with
    ``mistake``, unless it is empty, after it has removed the files in ``remove``. The first task of a role, which has
    ``first`` or no option, also checks the names of the variables, and that the host that runs it is still in the play."""

    def step(self, variables: Result) -> Result:
        given = self._task.args
        try:
            if "paths" in given:
                template = self._templar.template if _is_true(given["templates"]) else None
                return read_estate_files(given["paths"], self._loader, template)
            for path in given.get("remove", ()):
                _remove(path)
        except (ValueError, ScannerError) as error:
            return {"failed": True, "msg": str(error)}
        is_first = not given or "first" in given
        problem = (self._misuse(variables) if is_first else None) or given.get("mistake")
        return {"failed": True, "msg": problem} if problem else {}

    def _misuse(self, variables: Result) -> str | None:
        """Why the role cannot run, a sentence, or None."""
        first = variables["ansible_play_hosts_all"][0]
        problem = self.unknown(variables)
        if problem is None and first not in variables["ansible_play_hosts"]:
            role = self._task._role.get_name().rpartition(".")[2]
            problem = (
                f"{role} runs on {first}, the first host of the play, which has failed or left the play: correct what"
                " stopped it, and run again."
            )
        return problem


def _is_true(value: object) -> bool:
    """The value of estate_apply_templates, which is a text on the command line. Raises ValueError."""
    try:
        return bool(boolean(value))
    except TypeError:
        raise ValueError(f"estate_apply_templates is {printable(repr(value), 60)}: set it to true or false.") from None


def _remove(path: str) -> None:
    try:
        Path(path).unlink(missing_ok=True)
    except OSError as error:
        raise ValueError(
            f"{path} cannot be replaced ({reason_of(error)}): correct its permissions or the path."
        ) from None


def read_estate_files(paths: Sequence[str], loader: Any, template: Callable[[Any], Any] | None = None) -> Result:
    """What the files in these paths declare: the workspaces, and where each is declared.

    loader: a DataLoader of ansible-core; template: evaluates the templates in a value. Without it, files are data: a template
    can run programs on this machine. Raises ValueError, and WrongOption for a file that others can write.
    """
    files = files_of(paths)
    result = joined(files, [_loaded(path, loader, template) for path in files])
    if any(_text_of(path).startswith(_VAULT) for path in files):
        result["_ansible_no_log"] = True
    return result


def _loaded(path: str, loader: Any, template: Callable[[Any], Any] | None) -> Any:
    try:
        value = load_yaml(loader, path, template is not None)
        return unsafe(plain(template(value) if template else value))
    except AnsibleError as error:
        raise ValueError(f"{path} cannot be read ({printable(error, 500)}): correct the file.") from None


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
        _check(path)
    return files


def _text_of(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not encoded in UTF-8: save it as UTF-8.") from None
    except OSError as error:
        raise ValueError(f"{path} cannot be read ({reason_of(error)}): correct its permissions.") from None


def _check(path: str) -> None:
    text = _text_of(path)
    refuse_untrusted(path, "estate_apply_files")
    if text.startswith(_VAULT):
        # ansible-core decrypts it
        return
    try:
        node = node_of(text)
    except BrokenYaml as error:
        line, problem = error.args
        raise ValueError(f"{path}:{line}: {problem}.") from None
    keys = [key.value for key, _value in node.value] if node is not None and node.id == "mapping" else []
    if keys != [_KEY]:
        raise _foreign(path)


def _foreign(path: str) -> ValueError:
    return ValueError(f"{path} must hold {_KEY} and nothing else: correct the file.")


def joined(files: Sequence[str], loaded: Sequence[Mapping[str, Any]]) -> Result:
    """The workspaces of all files, and where each is declared. loaded: the variables of each file. Raises ValueError."""
    workspaces: list[Any] = []
    declared_at: list[str] = []
    for path, variables in zip(files, loaded):
        if not isinstance(variables, Mapping) or list(variables) != [_KEY]:
            raise _foreign(path)
        own = variables[_KEY]
        if not isinstance(own, list):
            raise ValueError(f"{_KEY} in {path} is not a list: write a list, [] for no workspace.")
        workspaces += own
        declared_at += [f"{path}: {_KEY}[{index}]" for index in range(len(own))]
    return {"workspaces": workspaces, "declared_at": declared_at}
