# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run a module as ansible-core runs it, and count the calls of the collection's own functions: `count_calls.py MODULE OPTIONS`.

It prints a JSON object: `result` is what the module printed; `before` and `all` are the calls of each function before the
first byte is sent, and in all. Each step of a generator counts as a call, imports do not count. OPTIONS is a JSON object.
"""

from __future__ import annotations

import collections
import contextlib
import importlib
import io
import json
import os
import sys
from pathlib import Path
from types import FrameType

from ansible.module_utils import basic

sys.path.insert(0, os.environ["ANSIBLE_COLLECTIONS_PATH"])
# Python 3.12 and later have no functions for them
INLINED = ("<listcomp>", "<dictcomp>", "<setcomp>")


def main(name: str, options: str) -> None:
    module = importlib.import_module(f"ansible_collections.scanops.scanner.plugins.modules.{name}")
    own = f"{Path(str(module.__file__)).parents[1]}/"
    counts: collections.Counter[str] = collections.Counter()
    before: collections.Counter[str] = collections.Counter()

    def count(frame: FrameType, event: str, called: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(own) and code.co_name not in INLINED:
            counts[f"{code.co_filename[len(own) :]}:{code.co_name}"] += 1
        elif event == "c_call" and not before and getattr(called, "__name__", "") == "sendall":
            before.update(counts)

    basic._ANSIBLE_ARGS = json.dumps({"ANSIBLE_MODULE_ARGS": json.loads(options)}).encode()
    if hasattr(basic, "_ANSIBLE_PROFILE"):
        basic._ANSIBLE_PROFILE = "legacy"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        sys.setprofile(count)
        module.main()
    sys.setprofile(None)
    print(json.dumps({"result": json.loads(printed.getvalue()), "before": before, "all": counts}))


main(*sys.argv[1:])
