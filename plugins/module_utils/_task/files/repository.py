# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Where a file is in its repository."""

from __future__ import annotations

import os

from ..._model.errors import WrongOption, printable


def path_in_repository(path: str, option: str) -> str:
    """A path from the top of the repository that the file is in, or else from the working directory.

    Raises WrongOption for a file in neither.
    """
    # GitHub shows no file behind a symbolic link
    full = os.path.realpath(path)
    top = next(filter(_is_top, _directories(full)), os.getcwd())
    relative = os.path.relpath(full, os.path.realpath(top))
    if relative.startswith(os.pardir):
        raise WrongOption(
            f"{option} {printable(path, 200)!r} is in no git repository and not below the working directory, so programs"
            " that read SARIF cannot find it: give a file of the repository."
        )
    return relative


def _directories(path: str) -> list[str]:
    """The directories above a path, the nearest first."""
    found = []
    while path != os.path.dirname(path):
        path = os.path.dirname(path)
        found.append(path)
    return found


def _is_top(directory: str) -> bool:
    # a file in worktrees and submodules
    return os.path.exists(os.path.join(directory, ".git"))
