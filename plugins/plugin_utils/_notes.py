# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the tasks of one run of ansible-playbook tell each other, where no variable can change it.

Extra variables replace registered results and facts, so no role decides on them. Each note is a file in the temporary
directory of the run, which only this user can read and which ansible-core deletes at the end.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from typing import Any

from ansible import constants


def note(kind: str, key: str, value: Any) -> None:
    """Keep a value of JSON for the tasks that follow."""
    path = _path(kind, key)
    draft = f"{path}.{os.getpid()}"
    with open(draft, "w", encoding="utf-8", opener=_private) as stream:
        json.dump({"kind": kind, "at": time.time_ns(), "value": value}, stream, default=str)
    os.replace(draft, path)


def noted(kind: str, key: str) -> Any:
    """The value that an earlier task has kept, None if none has."""
    found = _read(_path(kind, key))
    return found and found["value"]


def notes(kind: str) -> list[Any]:
    """All values of a kind, the oldest first."""
    with os.scandir(_directory()) as entries:
        found = [_read(each.path) for each in entries if each.name.endswith(".json")]
    mine = [each for each in found if each is not None and each["kind"] == kind]
    return [each["value"] for each in sorted(mine, key=lambda each: int(each["at"]))]


def claim(kind: str, key: str) -> bool:
    """Whether this task is the first that claims something, of all tasks and hosts of the run."""
    try:
        os.close(_private(f"{_path(kind, key)}.claim", os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except FileExistsError:
        return False
    return True


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _read(path: str) -> dict[str, Any] | None:
    with contextlib.suppress(FileNotFoundError), open(path, encoding="utf-8") as stream:
        return dict(json.load(stream))
    return None


def _path(kind: str, key: str) -> str:
    digest = hashlib.sha256(f"{kind} {key}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return os.path.join(_directory(), f"{digest}.json")


def _directory() -> str:
    path = os.path.join(constants.DEFAULT_LOCAL_TMP, "scanops.scanner")
    os.makedirs(path, mode=0o700, exist_ok=True)
    return path
