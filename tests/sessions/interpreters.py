# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The interpreters of this machine, without the shims of version managers."""

from __future__ import annotations

import functools
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

QUESTION = "import sys, venv; print('%d.%d' % sys.version_info[:2], sys.executable, sep='\\n')"


@functools.cache
def find_python(version: str) -> Path | None:
    """The interpreter of a version, X.Y, on PATH; None if there is none that starts.

    ansible-test clears the environment, in which the shim of a version manager exits with 127: the path is that of the
    interpreter itself, and it starts without any variable.
    """
    for name in (f"python{version}", "python3", sys.executable):
        command = shutil.which(name)
        answer = ask(command) if command else None
        # that of an environment leads to the one it was made of
        base = answer and answer[0] == version and ask(str(Path(answer[1]).resolve()), {})
        if base and base[0] == version:
            return Path(base[1])
    return None


def ask(command: str, env: dict[str, str] | None = None) -> tuple[str, str] | None:
    """The version and the path of an interpreter, or None if it does not start."""
    answer = subprocess.run([command, "-c", QUESTION], check=False, capture_output=True, text=True, env=env)
    version, _newline, path = answer.stdout.strip().partition("\n")
    return (version, path) if answer.returncode == 0 else None


def link_interpreters(place: Path, versions: Iterable[str]) -> Path:
    """Fill a directory for PATH with pythonX.Y for each interpreter: ansible-test looks for them there."""
    place.mkdir(parents=True, exist_ok=True)
    for version in versions:
        link = place / f"python{version}"
        path = find_python(version)
        if path and not (link.is_symlink() and link.readlink() == path):
            link.unlink(missing_ok=True)
            link.symlink_to(path)
    return place
