# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What tests of conventions read: the modules, their documentation with the fragments in it, what they import."""

from __future__ import annotations

import ast
import functools
import importlib
from pathlib import Path

import yaml
from ansible.module_utils.basic import FILE_COMMON_ARGUMENTS

FILE_OPTIONS = frozenset(FILE_COMMON_ARGUMENTS)
ROOT = Path(__file__).resolve().parents[3]
PLUGINS = "ansible_collections.scanops.scanner.plugins."
MODULES = tuple(sorted(path.stem for path in (ROOT / "plugins/modules").glob("*.py") if path.stem != "__init__"))
HELPERS = ROOT / "plugins/module_utils"
# by their path below module_utils, such as _http/transport
MODULE_UTILS = tuple(
    sorted(
        path.relative_to(HELPERS).with_suffix("").as_posix()
        for path in HELPERS.rglob("*.py")
        if path.stem != "__init__"
    )
)


@functools.cache
def tree(directory: str, name: str) -> ast.Module:
    return ast.parse((ROOT / "plugins" / directory / f"{name}.py").read_text(encoding="utf-8"))


@functools.cache
def block(module: str, name: str):
    """DOCUMENTATION, EXAMPLES or RETURN of a module, read."""
    for node in tree("modules", module).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == name:
            return yaml.safe_load(node.value.value)
    raise AssertionError(f"{module} has no {name}")


def fragment(name: str) -> dict:
    """A fragment as extends_documentation_fragment names it."""
    namespace, collection, plugin, *rest = name.split(".")
    assert (namespace, collection) == ("scanops", "scanner")
    holder = importlib.import_module(f"{PLUGINS}doc_fragments.{plugin}").ModuleDocFragment
    return yaml.safe_load(getattr(holder, rest[0].upper() if rest else "DOCUMENTATION"))


@functools.cache
def documentation(module: str) -> dict:
    """options, attributes and notes of a module, those of its fragments among them."""
    own = block(module, "DOCUMENTATION")
    merged = {"options": {}, "attributes": {}}
    for part in [*map(fragment, own.get("extends_documentation_fragment", [])), own]:
        merged["options"].update(part.get("options") or {})
        for name, attribute in (part.get("attributes") or {}).items():
            merged["attributes"].setdefault(name, {}).update(attribute)
    return {**own, **merged}


def own_options(module: str) -> set[str]:
    """The documented options of a module beside those of the connection and of files."""
    shared = {*fragment("scanops.scanner.connection")["options"], *(FILE_OPTIONS if keeps_a_file(module) else ())}
    return set(documentation(module)["options"]) - shared


def keeps_a_file(module: str) -> bool:
    """Whether a module takes the options of a file: owner, mode and so on."""
    return "scanops.scanner.files" in block(module, "DOCUMENTATION")["extends_documentation_fragment"]


def argument_spec(module: str) -> dict:
    """The options as the module declares them, those of the connection among them."""
    code = importlib.import_module(f"{PLUGINS}modules.{module}")
    connection = importlib.import_module(f"{PLUGINS}module_utils._task.connection_options").CONNECTION_OPTIONS
    return {**connection, **code.OPTIONS, **(FILE_COMMON_ARGUMENTS if keeps_a_file(module) else {})}


@functools.cache
def imports(directory: str, name: str) -> frozenset[str]:
    """The files in module_utils that a file imports, wherever it does."""
    found = set()
    for node in ast.walk(tree(directory, name)):
        if not isinstance(node, ast.ImportFrom):
            continue
        place = node.module.split(".") if node.module else []
        if node.level:
            place = [directory, *name.split("/"), *place]
            del place[len(name.split("/")) + 1 - node.level : len(name.split("/")) + 1]
        elif ".".join(place).startswith(PLUGINS):
            place = place[len(PLUGINS.split(".")) - 1 :]
        if place[:1] != ["module_utils"]:
            continue
        place = place[1:]
        # what is imported is a file, or names files in a package
        files = {"/".join(place), *("/".join([*place, alias.name]) for alias in node.names)}
        found |= files & set(MODULE_UTILS)
    return frozenset(found)


def imported_libraries(directory: str, name: str) -> set[str]:
    """The top-level names and the dotted places that a file imports from outside of the collection."""
    found = set()
    for node in ast.walk(tree(directory, name)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found
