# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The families that the service keeps, and their operations: of each module with OPERATIONS in this directory."""

from __future__ import annotations

from collections.abc import Callable
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path

from . import settings
from .answers import Answer, Call

# read before they are imported: other modules of the service are programs, or need further libraries
MODULES = [
    import_module(f".{path.stem}", __package__)
    for path in sorted(Path(__file__).parent.glob("*.py"))
    if "\nOPERATIONS = (" in path.read_text(encoding="utf-8")
]
_BY_NAME = {module.FAMILY.name: module.FAMILY for module in MODULES}
# A state is applied in this order: each family refers to earlier ones.
FAMILIES = tuple(
    _BY_NAME[name] for name in TopologicalSorter({name: each.needs for name, each in _BY_NAME.items()}).static_order()
)
settings.FAMILIES.update(_BY_NAME)
settings.LIST_FAMILIES.update(name for name, each in _BY_NAME.items() if not each.paged)
OPERATIONS: dict[str, dict[str, Callable[[Call], Answer]]] = {}
for _module in MODULES:
    for _method, _path, _handler in _module.OPERATIONS:
        OPERATIONS.setdefault(_path, {})[_method] = _handler
# the path of the list of each family
LISTS = {path.split("/")[-1]: path for path, methods in OPERATIONS.items() if "GET" in methods and "{" not in path}
# the paths of the contract that a module declares beside its operations
PATHS = "".join(getattr(module, "PATHS", "") for module in MODULES)
