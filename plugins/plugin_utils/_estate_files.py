# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files of an estate, which estate_apply reads and estate_export proves."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from ansible.errors import AnsibleError

from ..module_utils._model.errors import printable, reason_of
from ..module_utils._model.families import HTTP_LOGGER, TARGET, WORKSPACE
from ..module_utils._model.family import Family
from ..module_utils._model.inputs import needed_content_of
from ..module_utils._model.target_names import normal_name
from ..module_utils._model.texts import natural, normal_text
from ..module_utils._model.yaml_nodes import BrokenYaml, all_nodes, node_of
from . import _core
from ._unsafe import unsafe

# an object of an estate: its family, its workspace, and its name, None for a workspace
_Key = tuple[Family, object, object]

KEY = "estate_apply_workspaces"
_SUFFIXES = (".yml", ".yaml")
# what is declared of an object that the estate leaves alone
_IGNORED = object()
_FLAGS = ("ignore", "protect")
# how ansible-core marks a file that ansible-vault encrypted
_VAULT = "$ANSIBLE_VAULT;"
# characters of a file, with what its aliases repeat
_LONGEST = 20_000_000


def read_estate_files(
    paths: Sequence[str], loader: Any, template: Callable[[Any], Any] | None = None
) -> dict[str, Any]:
    """What the files in these paths declare: the workspaces, where each is declared, and the texts that were encrypted.

    loader: a DataLoader of ansible-core; template: evaluates the templates in a value. Without it, files are data: a template
    can run programs on this machine. Raises ValueError, and WrongOption for a file that others can write.
    """
    files = files_of(paths, loader)
    loaded, secrets = [], []
    for path, is_secret in files.items():
        try:
            value = _core.load_yaml(loader, path, template is not None)
            if _length(value, {}) > _LONGEST:
                raise RecursionError
            secrets += _secrets_in(value, is_secret)
            loaded.append(unsafe(_core.plain(template(value) if template else value)))
        except (AnsibleError, ValueError) as error:
            raise _unreadable(path, error) from None
        except RecursionError:
            raise ValueError(
                f"{path} has a list or dictionary that contains itself, or that aliases repeat too often: correct the file."
            ) from None
    return {**joined([*files], loaded), "secrets": secrets}


def _secrets_in(value: Any, is_secret: bool) -> list[str]:
    """The texts in a value that ansible-vault encrypted. is_secret: whether it encrypted all of them."""
    if isinstance(value, (dict, list)):
        parts = [each for key, each in value.items() if key != "state"] if isinstance(value, dict) else value
        return [text for each in parts for text in _secrets_in(each, is_secret)]
    is_secret = _core.is_encrypted(value) or (is_secret and isinstance(value, str))
    return [str(value)] if is_secret and str(value).strip() else []


def _length(value: Any, known: dict[int, float]) -> float:
    """The number of characters of a value, with all that aliases repeat, which take no memory before they are copied. known:
    those of its lists and dictionaries."""
    if not isinstance(value, (dict, list)):
        return 1 + (len(value) if isinstance(value, str) else 0)
    if id(value) not in known:
        # if it contains itself
        known[id(value)] = math.inf
        parts = [*value, *value.values()] if isinstance(value, dict) else value
        known[id(value)] = 1 + sum(_length(each, known) for each in parts)
    return known[id(value)]


def files_of(paths: Sequence[str], loader: Any = None) -> dict[str, bool]:
    """The files in these paths, sorted: files, and those directly in directories; and whether each is encrypted.

    loader: decrypts files. Raises ValueError for the first one that is missing, broken, or declares something else, with its
    line where it has one.
    """
    # each once, whatever leads to it
    found = {os.path.realpath(path): path for path in sorted(_paths_in(paths))[::-1]}
    files = dict.fromkeys(sorted(found.values()), False)
    for path in files:
        try:
            text = needed_content_of(path, "estate_apply_files").decode("utf-8-sig")
        except UnicodeDecodeError:
            raise ValueError(f"{path} is not encoded in UTF-8: save it as UTF-8.") from None
        if is_encrypted(text):
            files[path] = True
            if loader is None:
                continue
            try:
                text = _core.text_of(loader, path)
            except (AnsibleError, ValueError) as error:
                raise _unreadable(path, error) from None
        try:
            node = node_of(text)
        except BrokenYaml as error:
            line, problem = error.args
            raise ValueError(f"{path}:{line}: {problem}.") from None
        _refuse_double_keys(path, node)
        keys = [key.value for key, _value in node.value] if node is not None and node.id == "mapping" else []
        if keys != [KEY]:
            raise _foreign(path)
    return files


def _paths_in(paths: Sequence[str]) -> list[str]:
    """The paths of files, and those of the files directly in directories."""
    missing = [path for path in paths if not os.path.exists(path)]
    if missing:
        raise ValueError(
            f"estate_apply_files names paths that do not exist, {', '.join(missing)}: correct them. A relative path starts"
            " at the directory of the playbook."
        )
    found = [path for path in paths if not os.path.isdir(path)]
    for directory in filter(os.path.isdir, paths):
        try:
            names = os.listdir(directory)
        except OSError as error:
            raise _unreadable(directory, reason_of(error)) from None
        own = [each for each in names if each.endswith(_SUFFIXES) and not each.startswith(".")]
        # what cannot be read there, such as a link that leads nowhere, must not be missed
        found += [path for path in (os.path.join(directory, each) for each in own) if not os.path.isdir(path)]
    if not found:
        raise ValueError(
            f"{', '.join(paths)} holds no file whose name ends in .yml or .yaml: correct estate_apply_files."
        )
    return found


def _refuse_double_keys(path: str, node: Any) -> None:
    """Raise ValueError for a key that a mapping has twice, of which YAML takes the last."""
    for each in all_nodes(node):
        seen: set[object] = set()
        for key, _value in each.value if each.id == "mapping" else ():
            name = str(key.value)
            if name in seen:
                raise ValueError(
                    f"{path}:{key.start_mark.line + 1}: the key {printable(name, 60)!r} is here a second time, and only the"
                    " last one would count: keep one."
                )
            seen.add(name)


def is_encrypted(text: str) -> bool:
    """Whether ansible-vault encrypted a file with this text."""
    return text.startswith(_VAULT)


def _unreadable(path: str, reason: object) -> ValueError:
    return ValueError(f"{path} cannot be read ({printable(reason, 500)}): correct it, or its permissions.")


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
    order, the comments, the shorter forms of the file, other spellings, and what it says to this collection only."""
    ambiguous = {*_doubles(declared), *_doubles(live)}
    mine, theirs = _meaning(declared, ambiguous), _meaning(live, ambiguous)
    ids = {each.get("name"): each.get("id") for each in live}
    for each in declared:
        place = WORKSPACE, each.get("name"), None
        if each.get("state") == "absent":
            # with all that it holds
            theirs = {key: value for key, value in theirs.items() if key[1] != place[1] or key == place}
        # one that the file leaves out is found by its name
        elif each.get("id") not in (None, ids.get(each.get("name"))):
            mine[place] = each["id"]
    differ = {key for key in {*mine, *theirs} if mine.get(key) not in (_IGNORED, theirs.get(key))}
    only = {True: "only in the account", False: "only in the file"}
    words = {
        key: f"{_called(key)} ({'differs' if key in mine and key in theirs else only[key in theirs]})" for key in differ
    }
    return sorted(words.values(), key=natural)


def _called(key: _Key) -> str:
    family, workspace, name = key
    where = repr(printable(workspace))
    return f"{family.noun} {printable(name)!r} of {where}" if family.in_workspace else f"{family.noun} {where}"


def _objects(workspaces: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Family, object, Any, Mapping[str, Any]]]:
    """Each declared target and HTTP logger, with its family, its workspace and its name. The workspaces may be of any form."""
    for each in workspaces:
        if not isinstance(each, Mapping) or each.get("state") == "absent":
            continue
        for family in (TARGET, HTTP_LOGGER):
            entries = each.get(family.plural)
            for entry in entries if isinstance(entries, list) else ():
                fields = entry if isinstance(entry, Mapping) else {family.key: entry}
                yield family, each.get("name"), fields.get(family.key), fields


def _doubles(workspaces: Sequence[Mapping[str, Any]]) -> set[_Key]:
    """The normal forms that several objects of one workspace have, which only their exact names tell apart."""
    counts = Counter(
        (family, where, normal_name(family, str(name))) for family, where, name, _fields in _objects(workspaces)
    )
    return {key for key, number in counts.items() if number > 1}


def _meaning(workspaces: Sequence[Mapping[str, Any]], ambiguous: Collection[_Key]) -> dict[_Key, object]:
    """What is declared of each object."""
    found: dict[_Key, object] = {}
    for each in workspaces:
        # one that is absent is as one that does not exist
        own = None if each.get("state") == "absent" else normal_text(each.get("description") or "")
        found[WORKSPACE, each.get("name"), None] = own
    for family, where, name, fields in _objects(workspaces):
        normal = family, where, normal_name(family, str(name))
        texts = {key: normal_text(fields.get(key) or "") for key in family.declared}
        described = {key: text for key, text in texts.items() if text}
        found[(family, where, name) if normal in ambiguous else normal] = (
            _IGNORED if fields.get("ignore") else described
        )
    return found


def lost_flags(before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]) -> list[str]:
    """What a file says to this collection only, and another one does not say any more."""
    kept = [
        {
            # a name may be a list in what is no estate
            (family, str(where), str(name), flag)
            for family, where, name, fields in _objects(each)
            for flag in _FLAGS
            if fields.get(flag)
        }
        for each in (before, after)
    ]
    lost = (
        f"{flag} of {_called((family, where, name))} would be lost" for family, where, name, flag in kept[0] - kept[1]
    )
    return sorted(lost, key=natural)
