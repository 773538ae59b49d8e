# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role estate_apply: the files of an estate, the review of its plan, and the module estate."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleError

from ..module_utils._estate.plan import ACTIONS
from ..module_utils._model.errors import WrongOption, printable
from ..module_utils._model.trust import refuse_untrusted
from ..module_utils._model.yaml_nodes import BrokenYaml, node_of
from ..module_utils._task.files import reason_of
from ..modules.estate import OPTIONS as ESTATE
from . import _core
from ._local_files import remove, write
from ._plan import Differences, difference, markdown, read, record
from ._role_action import SHOWN, SKIPPED, Result, RoleAction
from ._unsafe import unsafe

_KEY = "estate_apply_workspaces"
_SUFFIXES = (".yml", ".yaml")
# how ansible-core marks a file that ansible-vault encrypted
_VAULT = "$ANSIBLE_VAULT;"
# options of the module that the role itself decides
_OF_ROLE = ("workspaces", "declared_at", "report_unchanged", "report_full_plan", "expect_plan")
# every other option is a variable of the role
OPTIONS = tuple(name for name in ESTATE if name not in _OF_ROLE)
_MOST_DIFFERENCES = 20
# of a failed result
_MOST_ACTIONS = 5
_DONE = {"create": "created", "update": "updated", "delete": "deleted"}
# what people look for first
_ORDER = ("create", "update", "delete", "failed", "refused", "drifted", "protected", "ignored")


class EstateAction(RoleAction):
    """One host does the work, once for the whole play."""

    steps = ("enter", "apply", "report")
    given = ("estate_apply_result",)

    def apply(self) -> Result:
        """The result of the module estate. Its plan is written, and compared with the reviewed one."""
        if not self.works():
            return dict(SKIPPED)
        result = brief(_Estate(self).result())
        if not result.get("failed"):
            self.keep("line", line_of(result["summary"], bool(self._task.check_mode)))
        return result

    def report(self) -> Result:
        """Say what was done."""
        line = self.kept("line")
        return {"msg": line, **SHOWN} if line and self.claims("report") else dict(SKIPPED)

    def read_files(self, paths: Sequence[str], templates: bool) -> Result:
        """What the files of an estate declare, and where. templates: whether to evaluate those in the files."""
        return read_estate_files(
            paths, self._loader, (lambda value: _core.evaluated(self, value, self.variables)) if templates else None
        )


class _Estate:
    """One run of the role."""

    def __init__(self, action: EstateAction) -> None:
        self.action = action
        self.plan_dest = action.path("plan_dest")
        self.review_path = action.path("reviewed_plan")
        self.values = action.values([*OPTIONS, "workspaces", "files", "expect_plan", "plan_dest", "reviewed_plan"])
        self.plan_files = [self.plan_dest, f"{os.path.splitext(self.plan_dest)[0]}.md"] if self.plan_dest else []
        self.reviewed: Result = {}

    def result(self) -> Result:
        files = self._files()
        self._refuse_mistakes(files)
        if self.review_path:
            self._read_review()
        for path in self.plan_files:
            refuse_untrusted(path, "estate_apply_plan_dest", mode=0)
            # the plan of an earlier run
            remove(path)
        declared = self._declared(files)
        options = {name: self.values[name] for name in OPTIONS if name in self.values}
        expected = self.values.get("expect_plan", self.reviewed.get("checksum") if self.review_path else None)
        if expected is not None:
            options["expect_plan"] = expected
        options["report_full_plan"] = bool(self.plan_dest or self.review_path)
        result = self.action.call("estate", {**declared, **options}, without=_OF_ROLE[:-1])
        return self._with_review(result) if "plan" in result else result

    def _files(self) -> list[str]:
        files = self.values.get("files", [])
        files = files.split(",") if isinstance(files, str) else files
        if not isinstance(files, list):
            raise WrongOption(
                "estate_apply_files is not a list, or it is null, probably because a variable is unset: write a list, or"
                " leave the variable out."
            )
        return [self.action.absolute(path) for path in files]

    def _refuse_mistakes(self, files: Sequence[str]) -> None:
        workspaces = self.values.get("workspaces", [])
        if "workspaces" not in self.values and not files:
            raise WrongOption(
                "No estate is declared: set estate_apply_workspaces, or name its files in estate_apply_files."
            )
        if not isinstance(workspaces, list):
            raise WrongOption(
                "estate_apply_workspaces is not a list, or it is null, probably because a variable is unset: write a list, or"
                " leave the variable out."
            )
        for name in ("reviewed_plan", "expect_plan"):
            if name in self.values and not self.values[name]:
                raise WrongOption(
                    f"estate_apply_{name} is empty, probably because a variable is unset: name the plan that was reviewed, or"
                    " leave the variable out if none was."
                )
        if self.plan_dest and not (self.plan_dest.endswith(".json") and os.path.basename(self.plan_dest) != ".json"):
            raise WrongOption(f"estate_apply_plan_dest is {self.values['plan_dest']}: give a path that ends in .json.")
        if self.plan_dest and self.plan_dest == self.review_path:
            raise WrongOption(
                "estate_apply_plan_dest names the reviewed plan, which would be overwritten: give it another path."
            )

    def _read_review(self) -> None:
        """Read the reviewed plan. Raises WrongOption for one that nobody may apply."""
        named = f"estate_apply_reviewed_plan, {self.review_path},"
        if not os.path.isfile(self.review_path):
            raise WrongOption(
                f"estate_apply_reviewed_plan names no file, {self.review_path}: create a plan in check mode with"
                " estate_apply_plan_dest, and review it first."
            )
        refuse_untrusted(self.review_path, "estate_apply_reviewed_plan")
        plan, problem = read(self._text_of_review())
        if plan is None:
            raise WrongOption(f"{named} {problem}.")
        self.reviewed = dict(plan)
        if plan["checksum"] != self.values.get("expect_plan", plan["checksum"]):
            raise WrongOption(
                f"{named} is not the plan that estate_apply_expect_plan names, its checksum is {plan['checksum']}: use the"
                " file that was reviewed, or review this one."
            )

    def _text_of_review(self) -> str:
        try:
            return Path(self.review_path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = reason_of(error) if isinstance(error, OSError) else "it is not encoded in UTF-8"
            raise WrongOption(
                f"estate_apply_reviewed_plan, {self.review_path}, cannot be read ({reason}): correct the path, or its"
                " permissions."
            ) from None

    def _declared(self, files: Sequence[str]) -> Result:
        """The workspaces of the variable and of the files, and where each is declared."""
        workspaces = self.values.get("workspaces", [])
        places = [f"{_KEY}[{index}]" for index in range(len(workspaces))]
        loaded: Result = {"workspaces": [], "declared_at": []}
        if files:
            try:
                loaded = self.action.read_files(files, self.action.value("templates", False) in (True, "true", "yes"))
            except ValueError as error:
                raise WrongOption(str(error)) from None
        return {
            "workspaces": [*workspaces, *loaded["workspaces"]],
            "declared_at": [*places, *loaded["declared_at"]],
        }

    def _with_review(self, result: Result) -> Result:
        """The result, after the plan was written; that of a failed task with what differs from the reviewed plan."""
        failed = bool(result.get("failed"))
        differences: Differences | None = None
        if self.review_path:
            differences = difference(self.reviewed, result["plan"]) if failed else {"new": [], "gone": []}
        if self.plan_files:
            failure = result.get("msg") if failed else None
            texts = (
                json.dumps(record(result["plan"], result["summary"]), indent=4, sort_keys=True),
                markdown(result["plan"], result["summary"], failure, differences),
            )
            for path, text in zip(self.plan_files, texts):
                write(path, text, "estate_apply_plan_dest", 0o640)
        if failed and differences and (differences["new"] or differences["gone"]):
            shown = {side: _first(lines) for side, lines in differences.items()}
            msg = (
                f"{result['msg']} Changes that the review did not show: {shown['new']}."
                f" Reviewed changes that are no longer needed: {shown['gone']}."
            )
            return {**result, "msg": msg}
        return result


def _first(lines: Sequence[str]) -> str:
    more = f" and {len(lines) - _MOST_DIFFERENCES} more" if len(lines) > _MOST_DIFFERENCES else ""
    return ("; ".join(lines[:_MOST_DIFFERENCES]) or "nothing") + more


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


def line_of(summary: Mapping[str, int], check_mode: bool) -> str:
    """What was done, as in "2 created, 1 updated, 4 deleted, 41 unchanged"."""
    actions = [*_ORDER, *(each for each in ACTIONS if each not in (*_ORDER, "unchanged")), "unchanged"]
    counts = [f"{summary[each]:,} {_DONE.get(each, each)}" for each in actions if summary.get(each)]
    return f"{'Would be: ' if check_mode else ''}{', '.join(counts) or 'nothing is declared'}"


# --- the files of an estate


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
        value = _core.load_yaml(loader, path, template is not None)
        return unsafe(_core.plain(template(value) if template else value))
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


def _text_of(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not encoded in UTF-8: save it as UTF-8.") from None
    except OSError as error:
        raise ValueError(f"{path} cannot be read ({reason_of(error)}): correct its permissions.") from None


def _foreign(path: str) -> ValueError:
    return ValueError(f"{path} must hold {_KEY} and nothing else: correct the file.")


def joined(files: Sequence[str], loaded: Sequence[Mapping[str, Any]]) -> Result:
    """The workspaces of all files, and where each is declared. loaded: the variables of each file. Raises ValueError."""
    workspaces: list[Any] = []
    declared_at: list[str] = []
    for path, variables in zip(files, loaded):
        if list(variables) != [_KEY]:
            raise _foreign(path)
        own = variables[_KEY]
        if not isinstance(own, list):
            raise ValueError(f"{_KEY} in {path} is not a list: write a list, [] for no workspace.")
        workspaces += own
        declared_at += [f"{path}: {_KEY}[{index}]" for index in range(len(own))]
    return {"workspaces": workspaces, "declared_at": declared_at}
