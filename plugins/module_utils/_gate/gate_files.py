# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The files that a gate reads, and those that it writes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import PurePath
from typing import NamedTuple

from .._model.errors import Refused, ScannerError, WrongOption, printable, reason_of, shown
from .._model.records import Record
from .._task.atomic_files import Draft, store
from .._task.host import Host

# the findings of a large account take some hundred megabytes
LONGEST_FINDINGS = 1 << 30
# longer texts are compared too slowly
_LONGEST_DIFF = 1 << 20


class File(NamedTuple):
    """A file to write. kind: its format, or "baseline"."""

    path: str
    kind: str
    text: str


def refuse_without_directory(path: str, option: str) -> None:
    """Raises WrongOption if no file can be created there, because its directory does not exist."""
    if not os.path.isdir(os.path.dirname(path) or "."):
        raise WrongOption(
            f"{option} {shown(path)} cannot be written, because its directory does not exist: create the directory first,"
            f" or correct {option}."
        )


def diff_of(path: str, before: bytes | None, after: str) -> Record:
    """The diff of a text file, as ansible-core shows it. before: None if the file did not exist."""
    old = "" if before is None else before.decode("utf-8", "replace")
    if len(old) + len(after) > _LONGEST_DIFF:
        old, after = f"{len(old):,} characters\n", f"{len(after):,} characters\n"
    return dict(before=old, after=after, before_header=path, after_header=path)


def make_directory(host: Host, path: str) -> None:
    """Create the directory of the artefacts, if its parent exists."""
    if os.path.isdir(path) or host.check_mode:
        return
    try:
        os.mkdir(path)
    except OSError as error:
        raise Refused(
            f"artifacts {shown(path)} cannot be created ({reason_of(error)}): create the directory first, with"
            " ansible.builtin.file, or correct artifacts."
        ) from None


def write_files(host: Host, files: Iterable[File], written: list[Record]) -> None:
    """Write files, and add a row for each to ``written``. Raises Refused for the first that cannot be written."""
    for file in files:
        if host.check_mode and not os.path.isdir(os.path.dirname(file.path) or "."):
            # make_directory would have created it
            written.append(dict(path=file.path, format=file.kind, changed=True))
            continue
        content = file.text.encode("utf-8", "backslashreplace")

        def fill(draft: Draft, content: bytes = content) -> None:
            draft.write(content)

        try:
            changed = store(host, file.path, fill).changed
        except ScannerError as error:
            raise Refused(f"The {file.kind} file of the gate is missing: {error}") from None
        written.append(dict(path=file.path, format=file.kind, changed=changed))


def remove_files(host: Host, paths: Iterable[str]) -> bool:
    """Remove artefacts of an earlier run; whether there was one. Raises Refused for the first that cannot be removed."""
    removed = False
    for path in paths:
        try:
            if not host.check_mode:
                os.remove(path)
            removed = True
        except OSError as error:
            raise Refused(
                f"{shown(path)} is of an earlier run and cannot be removed ({reason_of(error)}): remove it, so that nothing"
                " takes it for a result of this run."
            ) from None
    return removed


def path_in_repository(path: str, option: str) -> str:
    """A path from the top of the repository that the file is in, or else from the working directory.

    Raises WrongOption for a file in neither.
    """
    # GitHub shows no file behind a symbolic link
    full = os.path.realpath(path)
    # .git is a file in worktrees and submodules
    tops = (each for each in PurePath(full).parents if os.path.exists(each / ".git"))
    top = next(tops, os.getcwd())
    relative = os.path.relpath(full, os.path.realpath(top))
    if relative.partition(os.sep)[0] == os.pardir:
        raise WrongOption(
            f"{option} {printable(path, 200)!r} is in no git repository and not below the working directory, so programs"
            " that read SARIF cannot find it: give a file of the repository."
        )
    return relative
