# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Mistakes put into a copy of the code that judges names, to see which rows of a table notice them.

Only those that mutmut (`make mutants`) cannot make: it changes no table and no pattern, and leaves out no condition and
no statement. A few that it can make show what a row of the table is for.
"""

from __future__ import annotations

import contextlib
import importlib
import shutil
import sys
from pathlib import Path

from ansible_collections.scanops.scanner.plugins.module_utils._scope import rules as _scope
from ansible_collections.scanops.scanner.tests.unit.plugins.case_files import cases_of

SOURCES = Path(_scope.__file__).parent.parent
FILES = (
    "_model/errors",
    "_task/raw_options",
    "_model/target_names",
    "_model/__init__",
    "_task/__init__",
    "_scope/valid_names",
    "_model/families",
    "_model/family",
    "_model/tools",
    "_scope/__init__",
    "_scope/addresses",
    "_scope/option",
    "_scope/rules",
)

# by file: the text as it is, exactly once in the file, and the text with the mistake
MUTATIONS = [(file, *texts) for file, pairs in cases_of(__file__).items() for texts in pairs]


@contextlib.contextmanager
def mutated(directory, file, old, new):
    """The module _scope.rules of a copy of the code in ``directory``, with one text replaced by another."""
    package = directory / f"copy_{len(list(directory.iterdir()))}"
    (package / "_scope").mkdir(parents=True)
    (package / "__init__.py").touch()
    for name in FILES:
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SOURCES / f"{name}.py", package / f"{name}.py")
    path = package / f"{file}.py"
    text = path.read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise ValueError(f"{old!r} is {text.count(old)} times in {file}.py, not once")
    path.write_text(text.replace(old, new), encoding="utf-8")
    sys.path.insert(0, str(directory))
    try:
        importlib.invalidate_caches()
        yield importlib.import_module(f"{package.name}._scope.rules")
    finally:
        sys.path.remove(str(directory))
        for name in [name for name in sys.modules if name.partition(".")[0] == package.name]:
            del sys.modules[name]
