# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a form of answers made of a task, compared with the same task on the default form. Pure."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from ansible_collections.scanops.scanner.tests.faults.invariants import (
    Evidence,
    Outcome,
    Usual,
    differing,
    no_key,
    no_traceback,
    nothing_undeclared,
    unchanged_is_true,
)
from ansible_collections.scanops.scanner.tests.faults.state import differences
from ansible_collections.scanops.scanner.tests.forms.table import Form

CLASSES = ("same", "handed_on", "safe", "incomplete", "warned", "settled", "undetectable", "wrong")
# what a task that writes a file hands on: the bytes of the service
OF_FILES = {"checksum", "size"}
# what the reason of a deletion says where the scans that it loses could not be counted
UNKNOWN_LOSS = "how many scans go with it is not known"


class Verdict(NamedTuple):
    """The class of a cell, and why it is not the same."""

    name: str
    why: str = ""


def classify(run: Outcome, usual: Usual, form: Form, key: str) -> Verdict:
    """The class of a run on a form of answers.

    same: the result and the account are those of the default form. handed_on: the result differs in fields of the service
    that the task only hands on. safe: the task fails, and reports whatever it changed. incomplete: the result says itself
    that it is not complete. warned: the result differs, and the warning on this form says why. wrong: anything else.
    """
    seen = Evidence(run, run, False, key)
    broken = [f"{check.__name__}: {what}" for check in (no_traceback, no_key) for what in check(seen, usual)]
    if run.failed:
        broken += unchanged_is_true(seen, usual)
        return Verdict("wrong" if broken else "safe", "; ".join(broken) or str(run.result and run.result.get("msg")))
    damage = [*broken, *unchanged_is_true(seen, usual), *nothing_undeclared(seen, usual)]
    if damage:
        return Verdict("wrong", "; ".join(damage))
    said = set(_warnings(run)) - set(_warnings(usual.run))
    warned = [each for each in said if form.warns and form.warns in each]
    missing = "" if run.state == usual.run.state else f"success, but: {differences(run.state, usual.run.state)}"
    if not missing and sorted(run.files) != sorted(usual.run.files):
        missing = f"success, with the files {sorted(run.files)}"
    if missing:
        return Verdict("warned" if warned else "wrong", f"{missing} {' '.join(said)}")
    found = list(differing(*(_ordered(each.result, form.unordered) for each in (run, usual.run, usual.twin))))
    passed_on = form.passed_on | (OF_FILES if run.files else set())
    other = [what for path, what in found if not passed_on.intersection(re.findall(r"\w+", path))]
    if other and all(UNKNOWN_LOSS in what.partition(", not ")[0] for what in other):
        return Verdict("incomplete", "; ".join(other)[:600])
    why = "; ".join(other or [what for _path, what in found])[:600]
    if not other:
        return Verdict("handed_on", why) if found else Verdict("same")
    if _says_less(usual.module, run.result or {}, usual.run.result or {}):
        return Verdict("incomplete", why)
    return Verdict("warned" if warned else "wrong", f"{why} {' '.join(said)}")


def _says_less(module: str, result: dict[str, Any], usual: dict[str, Any]) -> bool:
    """Whether a result says that it is less complete than the usual one: it has a reason to doubt itself that the usual one
    does not have, or fewer scans count."""
    if module == "gate":
        new = set(result["reasons"]) - set(usual["reasons"])
        fewer = result["coverage"] == "partial" or len(result["failing"]) > len(usual["failing"])
        return bool(new) and fewer
    if module == "coverage_info":
        return bool(result["total"] == usual["total"] and result["covered"] < usual["covered"])
    return result.get("complete") is False and not set(result.get("doubts", ())) <= set(usual.get("doubts", ()))


def _warnings(run: Outcome) -> list[str]:
    return [str(each) for each in (run.result or {}).get("warnings", ())]


def _ordered(value: Any, unordered: bool) -> Any:
    """A result whose lists are sorted if the order of the service's rows is not part of the comparison."""
    if isinstance(value, dict):
        return {name: _ordered(each, unordered) for name, each in value.items()}
    if isinstance(value, list):
        items = [_ordered(each, unordered) for each in value]
        return sorted(items, key=_text) if unordered else items
    return value


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True)
