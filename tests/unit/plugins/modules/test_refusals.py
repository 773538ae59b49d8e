# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tasks that are refused before any call, in check mode too: refusals.yml has them, with what their messages say."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
import yaml

KNOWN = {
    "later": time.strftime("%Y-%m-%d", time.gmtime(time.time() + 30 * 86400)),
    "omit": "__omit_place_holder__405b3fc7e81a84375376bb70f118c5149d23a1c2",
    "long": "x" * 240,
}


def refusals():
    text = Path(__file__).with_name("refusals.yml").read_text(encoding="utf-8")
    for name, known in KNOWN.items():
        text = text.replace(f"{{{name}}}", known)
    tasks = [(module, task) for module, given in yaml.safe_load(text).items() for task in given]
    return [pytest.param(module, task, id=f"{module}-{number}") for number, (module, task) in enumerate(tasks)]


@pytest.mark.parametrize("module, task", refusals())
def test_a_task_is_refused_before_any_call(service, run, module, task):
    says = task.get("says", [])
    for check in (False,) if "real" in task else (True, False):
        result = run(module, check=check, **task["options"])
        assert result.failed and not result.changed and "exception" not in result.result, result
        assert result.msg.isprintable() and result.msg.startswith(task.get("begins", "")), result.msg
        assert [words for words in ([says] if isinstance(says, str) else says) if words not in result.msg] == [], (
            result.msg
        )
    assert service.calls() == []
    assert os.listdir() == ["kept.txt"]
