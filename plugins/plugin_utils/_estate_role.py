# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role estate_apply: the review of a plan, the module estate, and what became of it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ansible.errors import AnsibleError

from ..module_utils._estate.plan import WRITES
from ..module_utils._model.errors import Refused, ScannerError, WrongOption, counted, first_of
from ..module_utils._model.galaxy import section_of
from ..module_utils._model.inputs import text_in
from ..module_utils._model.times import seconds_of
from ..module_utils._model.trust import refuse_untrusted
from . import _core
from ._estate_files import KEY, read_estate_files
from ._local_files import remove, write
from ._notes import note, noted
from ._plan_file import Differences, difference, line_of, markdown, read, record
from ._role_action import SHOWN, SKIPPED, Result, RoleAction

# options of the module that the role itself decides
_OF_ROLE = ("workspaces", "declared_at", "report_unchanged", "report_full_plan")
# every other variable is an option of the module
_OWN = (*("workspaces", "files", "templates", "plan_dest", "reviewed_plan", "plan_max_age", "expect_plan", "expect"),)
# what became of an estate
UNCHANGED, DIFFERS, APPLIED, REFUSED, ERROR = "unchanged", "differs", "applied", "refused", "error"
_MOST_DIFFERENCES = 20
# of a URL, without its scheme
_PART = re.compile(r"(?!https?:)[^\s/:?#@]{4,}")
# of a failed result
_MOST_ACTIONS = 5


class EstateAction(RoleAction):
    """One host does the work, once for the whole play."""

    steps = ("enter", "apply", "report")
    given = ("estate_apply_result",)
    # a workflow hands statistics of an earlier job on as variables
    known = ("estate_apply_outcome",)
    # texts of the files that ansible-vault encrypted
    _secrets: Sequence[str] = ()

    def enter(self) -> Result:
        try:
            return super().enter()
        except Refused:
            with contextlib.suppress(ScannerError, AnsibleError):
                self._plan_files(keep=True)
            raise

    def apply(self) -> Result:
        """The result of the module estate, without its failure, which is that of the next step."""
        if not self.works():
            return SKIPPED
        try:
            result = self._applied()
        except (ScannerError, AnsibleError) as error:
            result = {"failed": True, "msg": str(error), "outcome": ERROR}
        result = brief(result)
        end = result
        if self._secrets:
            # without the texts that ansible-vault encrypted, and the hosts and paths in them
            secrets = {part.strip() for each in self._secrets for part in (each, *_PART.findall(each))}
            pattern = "|".join(map(re.escape, sorted(secrets, key=len)[::-1]))
            secret = re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE)
            end = {key: result[key] for key in ("failed", "outcome", "summary") if key in result}
            end["warnings"] = [secret.sub("***", each) for each in self._joined.pop("warnings", [])]
            if result.get("failed"):
                end["msg"] = f"{secret.sub('***', result['msg'])} What is encrypted in the files is shown as ***."
        self.keep("end", end)
        data = {"estate_apply_outcome": result["outcome"]}
        # statistics of a task that fails do not count
        hidden = {"_ansible_no_log": True} if self._secrets else {}
        return {
            **result,
            **hidden,
            "failed": False,
            "ansible_stats": {"data": data, "per_host": False, "aggregate": False},
        }

    def report(self) -> Result:
        """Say what was done, or fail."""
        end = self.kept("end")
        if not end or not self.claims("report"):
            return SKIPPED
        if end.get("failed"):
            return {**end, "msg": f"{end['msg']} See {section_of(end['outcome'], 'estate')}"}
        more = {"warnings": end["warnings"]} if end.get("warnings") else {}
        return {"msg": line_of(end["summary"], bool(self._task.check_mode)), **more, **SHOWN}

    def _applied(self) -> Result:
        """The result of the module estate, with the outcome. Its plan is written, and compared with the reviewed one."""
        plan_files, files, review_path = self._plan_files(), self._files(), self.path("reviewed_plan")
        values = self.own_values()
        _refuse_mistakes(values, files)
        reviewed = _review(review_path, values) if review_path else {}
        options = {name: each for name, each in values.items() if name not in _OWN}
        expected = values.get("expect_plan", reviewed.get("checksum"))
        if expected is not None:
            options["expect_plan"] = expected
        options["report_full_plan"] = bool(plan_files or review_path)
        if values.get("evidence"):
            options["evidence"] = self.path("evidence")
        expects = "expect" in values
        fails = expects and self.arguments("estate", options).get("unmanaged") == "fail"
        if fails:
            # so that the plan says what else differs
            options["unmanaged"] = "report"
        declared = self._declared(values, files)
        result = self.call("estate", {**declared, **options}, without=_OF_ROLE, check_mode=True if expects else None)
        result["outcome"] = outcome_of(result, expects or bool(self._task.check_mode))
        if expects and not result.get("failed"):
            unmanaged = result["plan"]["unmanaged"] if fails else []
            result["changed"] = False
            if result["outcome"] == DIFFERS or unmanaged:
                result.update(failed=True, outcome=DIFFERS, msg=difference_line(result["plan"], unmanaged, plan_files))
        if reviewed and result.get("failed") and result.get("plan", reviewed)["base_url"] != reviewed["base_url"]:
            address = result["plan"]["base_url"]
            result["msg"] = (
                f"The reviewed plan is for {reviewed['base_url']}, and this run is for {address}. {result['msg']}"
            )
        if "plan" in result:
            compared = reviewed if result.get("failed") else None
            differences = difference(compared, result["plan"]) if review_path else None
            try:
                result = _written(result, plan_files, differences)
            except ScannerError as error:
                # what was done must be reported all the same
                done = result.get("msg") or f"{line_of(result['summary'], bool(self._task.check_mode))}."
                result = {**result, "failed": True, "outcome": ERROR, "msg": f"{done} {error}"}
        return result

    def _plan_files(self, keep: bool = False) -> list[str]:
        """The files of the plan. Those of an earlier run are removed before anything can fail, so that nobody takes them for
        the plan of this one. keep: whether those of this run of ansible-playbook stay."""
        path = self.path("plan_dest")
        if not path:
            return []
        if not path.endswith(".json") or os.path.basename(path) == ".json":
            raise WrongOption(f"estate_apply_plan_dest is {self.value('plan_dest')}: give a path that ends in .json.")
        files = [path, f"{os.path.splitext(path)[0]}.md"]
        reviewed, own = self.path("reviewed_plan"), "a file of the estate"
        others = {os.path.realpath(reviewed): "the reviewed plan"} if reviewed else {}
        others.update((os.path.realpath(each), own) for each in self._files())
        for each in files:
            taken = others.get(os.path.realpath(each))
            if taken:
                raise WrongOption(
                    f"estate_apply_plan_dest names {taken}, which would be overwritten: give it another path."
                )
            refuse_untrusted(each, "estate_apply_plan_dest", is_replaced=True)
        for each in files if not (keep and noted("plan", path)) else ():
            remove(each)
        note("plan", path, True)
        return files

    def _files(self) -> list[str]:
        """The paths of the estate, none for a value that is refused later."""
        files = self.value("files", [])
        files = files.split(",") if isinstance(files, str) else files
        return [self.absolute(path) for path in files] if isinstance(files, list) else []

    def _declared(self, values: Result, files: Sequence[str]) -> Result:
        """The workspaces of the variable and of the files, and where each is declared."""
        workspaces = values.get("workspaces", [])
        places = [f"{KEY}[{index}]" for index in range(len(workspaces))]
        loaded: Result = {"workspaces": [], "declared_at": [], "secrets": []}
        if files:
            template = partial(_core.evaluated, self, variables=self.variables) if self.is_true("templates") else None
            try:
                loaded = read_estate_files(files, self._loader, template)
            except ValueError as error:
                raise WrongOption(str(error)) from None
        self._secrets, self.silent = loaded["secrets"], bool(loaded["secrets"])
        return {
            "workspaces": [*workspaces, *loaded["workspaces"]],
            "declared_at": [*places, *loaded["declared_at"]],
        }


def _refuse_mistakes(values: Result, files: Sequence[str]) -> None:
    for name, kinds in (("files", (list, str)), ("workspaces", list)):
        if not isinstance(values.get(name, []), kinds):
            raise WrongOption(
                f"estate_apply_{name} is not a list, or it is null, probably because a variable is unset: write a list, or"
                " leave the variable out."
            )
    if "workspaces" not in values and not files:
        raise WrongOption(
            "No estate is declared: set estate_apply_workspaces, or name its files in estate_apply_files."
        )
    for name in ("reviewed_plan", "expect_plan"):
        if name in values and not values[name]:
            raise WrongOption(
                f"estate_apply_{name} is empty, probably because a variable is unset: name the plan that was reviewed, or"
                " leave the variable out if none was."
            )


def _review(path: str, values: Result) -> Result:
    """The reviewed plan in a file. Raises WrongOption for one that nobody may apply."""
    named = f"estate_apply_reviewed_plan, {path},"
    if not os.path.isfile(path):
        raise WrongOption(
            f"estate_apply_reviewed_plan names no file, {path}: create a plan in check mode with estate_apply_plan_dest, and"
            " review it first."
        )
    text = text_in(path, "estate_apply_reviewed_plan")
    plan, problem = read(text, time.time(), seconds_of(values.get("plan_max_age", "7d"), "estate_apply_plan_max_age"))
    if plan is None:
        raise WrongOption(f"{named} {problem}.")
    if plan["checksum"] != values.get("expect_plan", plan["checksum"]):
        raise WrongOption(
            f"{named} is not the plan that estate_apply_expect_plan names, its checksum is {plan['checksum']}: use the file"
            " that was reviewed, or review this one."
        )
    return dict(plan)


def _written(result: Result, paths: Sequence[str], differences: Differences | None) -> Result:
    """The result, after its plan was written; that of a failed task with what differs from the reviewed plan."""
    if paths:
        failure = result.get("msg") if result.get("failed") else None
        texts = (
            json.dumps(
                record(result["plan"], result["summary"], time.time(), result["outcome"]), indent=4, sort_keys=True
            ),
            markdown(result["plan"], result["summary"], failure, differences),
        )
        for path, text in zip(paths, texts):
            write(path, text, "estate_apply_plan_dest", 0o640)
    if not differences or not (differences["new"] or differences["gone"]):
        return result
    shown = {}
    for side, lines in differences.items():
        more = f" and {len(lines) - _MOST_DIFFERENCES} more" if len(lines) > _MOST_DIFFERENCES else ""
        shown[side] = ("; ".join(lines[:_MOST_DIFFERENCES]) or "nothing") + more
    msg = (
        f"{result['msg']} Changes that the review did not show: {shown['new']}. Reviewed changes that are no longer needed:"
        f" {shown['gone']}."
    )
    return {**result, "msg": msg}


def outcome_of(result: Result, checks: bool) -> str:
    """What became of the estate, in a word. checks: whether the task wrote nothing."""
    if result.get("failed"):
        is_refused = "refused" in result and not result.get("changed") and "api_error" not in result
        return REFUSED if is_refused else ERROR
    return UNCHANGED if not result.get("changed") else DIFFERS if checks else APPLIED


def difference_line(plan: Mapping[str, Any], unmanaged: Sequence[Mapping[str, Any]], files: Sequence[str]) -> str:
    """The message on an account that is not as declared."""
    counts = [f"{action} {plan['counts'][action]}" for action in WRITES if plan["counts"].get(action)]
    number = sum(plan["counts"].get(action, 0) for action in WRITES)
    parts = (
        [f"{counted(number, 'object')} {'differs' if number == 1 else 'differ'}: {', '.join(counts)}"] if number else []
    )
    parts += [f"not managed: {first_of([repr(each['workspace']) for each in unmanaged], 5)}"] if unmanaged else []
    text = "; ".join(parts)
    seen = f"see {files[1]}" if files else "the result has the plan"
    return f"{text[0].upper()}{text[1:]}; {seen}. Apply the estate, or correct it if the account is right."


def brief(result: Result) -> Result:
    """The result of the role. One that failed, which ansible-core prints in full, has only the first actions of its plan, and
    no results that all say the same. The files of the plan have the others."""
    plan = result.get("plan")
    if not result.get("failed") or not plan:
        return result
    shown = plan["actions"][:_MOST_ACTIONS]
    counts = Counter(plan["counts"])
    counts.subtract(each["action"] for each in shown)
    rows = result.get("results", [])
    if plan["counts"].get("refused", 0) < result.get("summary", {}).get("refused", 0):
        # the plan was refused as a whole
        rows = []
    return {**result, "plan": {**plan, "actions": shown, "left_out": dict(+counts)}, "results": rows[:_MOST_ACTIONS]}
