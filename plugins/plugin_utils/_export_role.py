# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role estate_export: the account as files of estate_apply, which are proven before they are written."""

from __future__ import annotations

import os
import re
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..filter.estate_files import estate_files
from ..filter.estate_yaml import estate_yaml
from ..module_utils._estate.declaration import read_estate
from ..module_utils._model.errors import Refused, WrongOption, counted, first_of, reason_of
from ..module_utils._model.records import Record
from ..module_utils._model.texts import natural
from ..module_utils._model.trust import refuse_untrusted
from ._estate_edit import edited, has_secrets
from ._estate_files import differing, is_encrypted, lost_flags, read_estate_files
from ._local_files import write
from ._role_action import SKIPPED, Result, RoleAction

_HEADER = "# Written by scanops.scanner.estate_export, for scanops.scanner.estate_apply.\n"
_MOST_NAMED = 20
_BOM = "\ufeff"
_NO_ESTATE = "it is no estate"
# more than any account has: check mode deletes nothing
_ALL = 1_000_000_000


class _Change(NamedTuple):
    """What becomes of a file that exists."""

    # what it and the account differ in, and what is lost
    differs: list[str]
    # None for a file that stays as it is
    text: str | None


class ExportAction(RoleAction):
    """One host does the work, once for the whole play."""

    steps = ("enter", "export", "report")
    given = ("estate_export_report",)

    def export(self) -> Result:
        """Write the files. The result is the report."""
        if not self.works():
            return SKIPPED
        dest, splits = self.path("dest"), self.is_true("split")
        directory, name = (dest, "") if splits else os.path.split(dest)
        _refuse_wrong(dest, str(self.value("dest")), splits)
        account = self._read("estate_info", self.values(["workspaces"]))
        wordlists = self._read("wordlist_info", {})["wordlists"]
        loggers = self._read("http_logger_info", {})["http_loggers"]
        workspaces = account["workspaces"]
        files = estate_files(workspaces) if splits else [{"name": name, "workspaces": workspaces}]
        present = _present(directory)
        if splits:
            files = self._under_known_names(files, directory, present)
        texts = {
            str(each["name"]): _HEADER + str(estate_yaml({"estate_apply_workspaces": each["workspaces"]}))
            for each in files
        }
        changes = {
            str(each["name"]): self._kept(
                os.path.join(directory, each["name"]), texts[each["name"]], each["workspaces"]
            )
            for each in files
            if str(each["name"]) in present
        }
        # a file that means the same is left as it is
        different = [name for name, change in changes.items() if change.differs]
        self._refuse(account, {name: changes[name].differs for name in different}, directory)
        texts = self._proven(texts, {name: change.text for name, change in changes.items()}, present, workspaces)
        new = [each for each in texts if each not in present]
        diffs = self._write({name: texts[name] for name in [*new, *different]}, directory, present)
        report = {
            "files": [os.path.join(directory, each) for each in texts],
            "workspaces": len(workspaces),
            "targets": sum(len(each["targets"]) for each in workspaces),
            "http_loggers": sum(len(each["http_loggers"]) for each in workspaces),
            "alike": account["alike"],
            "loggers_elsewhere": account["loggers_elsewhere"],
            "wordlists": sorted(each["name"] for each in wordlists if not each["predefined"]),
            "captured_requests": sum(each["num_requests"] for each in loggers),
            "other_files": sorted(set(present) - set(texts)) if splits else [],
        }
        self.keep("said", lines_of(report, dest, bool(self._task.check_mode)))
        return {**report, "changed": bool(new or different), **({"diff": diffs} if diffs else {})}

    def _read(self, module: str, options: Result, check_mode: bool | None = None) -> Result:
        result = self.call(module, options, own=True, check_mode=check_mode)
        if result.get("failed"):
            raise Refused(str(result.get("msg")))
        return result

    def _under_known_names(self, files: Sequence[Record], directory: str, present: Mapping[str, bytes]) -> list[Record]:
        """The files, each with the name of the present file that declares its workspace: another file for a workspace that got
        another name would declare it twice."""
        names: dict[object, str] = {}
        for name in present:
            try:
                declared = read_estate_files([os.path.join(directory, name)], self._loader)["workspaces"]
            except (ValueError, WrongOption):
                continue
            if len(declared) == 1 and isinstance(declared[0], Mapping) and isinstance(declared[0].get("id"), int):
                names.setdefault(declared[0]["id"], name)
        found = []
        for each in files:
            own = each["workspaces"][0]["id"]
            is_taken = each["name"] in {name for number, name in names.items() if number != own}
            name = f"{each['name'].removesuffix('.yml')}-{own}.yml" if is_taken else each["name"]
            found.append({**each, "name": names.get(own, name)})
        return found

    def _kept(self, path: str, new: str, workspaces: Sequence[Record]) -> _Change:
        """What a file and the account differ in. Raises Refused for a file that cannot be read, or has encrypted values.

        new: the text that would replace it."""
        declared: list[Any] = []
        try:
            # a file that others can write raises WrongOption
            declared = read_estate_files([path], self._loader)["workspaces"]
            found = _differing(declared, workspaces)
        except ValueError as error:
            found = [f"{_NO_ESTATE}, {error}"]
        if not found:
            return _Change([], None)
        try:
            text = Path(path).read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            raise Refused(f"{path} is not encoded in UTF-8, and would lose what it holds: save it as UTF-8.") from None
        if is_encrypted(text) or has_secrets(text.removeprefix(_BOM)):
            raise Refused(
                f"{path} differs from the account, and has encrypted values, which would be written in plain text: decrypt"
                " them, or give another estate_export_dest."
            )
        try:
            after = _BOM * text.startswith(_BOM) + edited(text.removeprefix(_BOM), declared, workspaces)
            if _differing(self._loaded(after), workspaces):
                after = new
        except (ValueError, LookupError, AttributeError, TypeError):
            # it cannot be changed line by line, or is no estate, which has any form
            after = new
        number = sum((_comments(text) - _comments(after)).values())
        lost = [f"{counted(number, 'comment')} would be lost"] if number else []
        return _Change([*found, *lost, *lost_flags(declared, self._loaded(after))], after)

    def _loaded(self, *texts: str) -> list[Any]:
        """What files with these texts declare."""
        with tempfile.TemporaryDirectory(prefix="estate_export.") as directory:
            for number, text in enumerate(texts):
                Path(directory, f"{number}.yml").write_text(text, encoding="utf-8", newline="")
            return list(read_estate_files([os.path.realpath(directory)], self._loader)["workspaces"])

    def _refuse(self, account: Record, changes: Mapping[str, Sequence[str]], directory: str) -> None:
        """Raises Refused for a workspace that does not exist, and for a file that would be overwritten. changes: of each."""
        if account["missing"]:
            raise Refused(
                f"estate_export_workspaces names workspaces that do not exist, {', '.join(account['missing'])}: correct the"
                " names."
            )
        if changes and not self.is_true("force"):
            named = "; ".join(f"{name}: {first_of(found, 5)}" for name, found in [*changes.items()][:_MOST_NAMED])
            raise Refused(
                f"{len(changes)} {'file differs' if len(changes) == 1 else 'files differ'} from the account in {directory}"
                f" ({named}): set estate_export_force if the account is right, or apply the files if they are right."
            )

    def _proven(
        self,
        texts: Mapping[str, str],
        changed: Mapping[str, str | None],
        present: Mapping[str, bytes],
        workspaces: Sequence[Record],
    ) -> dict[str, str]:
        """The texts of all files, those of present ones as they will be. Raises Refused unless they hold the account, which
        applying them in check mode shows. changed: None for a file that stays as it is."""
        try:
            loaded = self._loaded(*texts.values())
            as_is = {name: present[name].decode("utf-8", "replace") for name, text in changed.items() if text is None}
            final = {**texts, **as_is, **{name: text for name, text in changed.items() if text is not None}}
            applied = self._loaded(*final.values())
        except ValueError as error:
            raise Refused(f"The files could not be read again, so no file was written: {error}") from None
        if sorted(loaded, key=lambda each: natural(str(each["name"]))) != list(workspaces):
            raise Refused(
                "The files do not contain what the service returned, so no file was written: this is an error of"
                " scanops.scanner, please report it."
            )
        # finds what only the account has
        options = {
            "purge": ["targets", "http_loggers"],
            "purge_max": _ALL,
            "purge_max_percent": 100,
            "unmanaged": "ignore",
        }
        proof = self._read("estate", {"workspaces": applied, "report_unchanged": False, **options}, check_mode=True)
        # what another owner has, or a line protects, stays as it is
        planned = [each for each in proof["plan"]["actions"] if each["action"] not in ("foreign", "protected")]
        actions = [f"{each['action']} {each['name']}" for each in planned]
        if proof.get("changed") or actions:
            raise Refused(
                f"Applying the files would change {counted(len(actions), 'object')}, so no file was written:"
                f" {', '.join(actions[:_MOST_NAMED])}. If the account has changed in the meantime, run again."
            )
        return final

    def _write(self, texts: Mapping[str, str], directory: str, present: Mapping[str, bytes]) -> list[Result]:
        """Write files, except in check mode. Returns their differences if the run shows them."""
        diffs = []
        for name, text in texts.items():
            path = os.path.join(directory, name)
            if self._task.diff:
                before = present.get(name, b"").decode("utf-8", "replace")
                diffs.append({"before": before, "after": text, "before_header": path, "after_header": path})
            if not self._task.check_mode:
                mode = os.stat(path).st_mode & 0o777 if name in present else 0o644
                write(path, text, "estate_export_dest", mode)
        return diffs


def _differing(declared: Sequence[Any], workspaces: Sequence[Record]) -> list[str]:
    """As ``differing``, for what may be no estate."""
    try:
        read_estate(declared)
    except WrongOption as error:
        return [f"{_NO_ESTATE}, {error}"]
    return differing(declared, workspaces)


def _comments(text: str) -> Counter[str]:
    found = Counter(each.strip() for each in re.findall(r"(?:^|[ \t])(#.*)$", text, re.MULTILINE))
    del found[_HEADER.strip()]
    return found


def _refuse_wrong(dest: str, given: str, splits: bool) -> None:
    """Raises WrongOption for a path that cannot be written. given: as the variable has it."""
    fits = not os.path.isfile(dest) if splits else re.fullmatch(r".+\.ya?ml", dest) and not os.path.isdir(dest)
    if not dest or not fits:
        advice = (
            "the path of a directory."
            if splits
            else "a path that ends in .yml, or set estate_export_split for one file for each workspace."
        )
        raise WrongOption(f"estate_export_dest is {given if dest else 'empty'}: give {advice}")
    # the mode of a file does not count, because it is replaced
    refuse_untrusted(dest, "estate_export_dest", is_replaced=not splits)


def _present(directory: str) -> dict[str, bytes]:
    """The YAML files directly in a directory, by their names."""
    if not os.path.isdir(directory):
        return {}
    try:
        with os.scandir(directory) as entries:
            names = sorted(each.name for each in entries if each.is_file() and each.name.endswith((".yml", ".yaml")))
        return {name: Path(directory, name).read_bytes() for name in names}
    except OSError as error:
        raise Refused(
            f"estate_export_dest, {directory}, cannot be read ({reason_of(error)}): correct its permissions."
        ) from None


def lines_of(report: Mapping[str, Any], dest: str, check_mode: bool) -> list[str]:
    """What was exported, and what no estate holds, in sentences."""
    alike = "; ".join(" and ".join(each["names"]) for each in report["alike"][:_MOST_NAMED])
    elsewhere, lists = report["loggers_elsewhere"], report["wordlists"]
    objects = (
        f"{counted(report['workspaces'], 'workspace')} with {counted(report['targets'], 'target')} and"
        f" {counted(report['http_loggers'], 'HTTP logger')}"
    )
    lines = [f"{objects} {'would be' if check_mode else 'are'} in {dest}; applying them changes nothing."]
    if alike:
        lines.append(f"Names of targets that differ only in how they are written: {alike}.")
    if elsewhere:
        lines.append(
            f"HTTP loggers outside of these workspaces, which are not exported: {', '.join(elsewhere[:_MOST_NAMED])}"
            f" ({len(elsewhere)} in all)."
        )
    if report["other_files"]:
        others = ", ".join(report["other_files"])
        lines.append(f"Other files in the directory, which estate_apply would read, too: {others}.")
    names = f" ({', '.join(lists[:_MOST_NAMED])})" if lists else ""
    requests = counted(report["captured_requests"], "request")
    lines.append(
        f"No estate can create these again: scans, findings and reports; {requests} that HTTP loggers captured;"
        f" {counted(len(lists), 'wordlist')}{names}."
    )
    return lines
