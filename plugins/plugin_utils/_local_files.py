# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files that roles write on the controller."""

from __future__ import annotations

import os
import tempfile

from ..module_utils._model.errors import Refused, printable
from ..module_utils._task.files.draft import reason_of


def write(path: str, text: str, option: str, mode: int = 0o644) -> bool:
    """Write a file, and the directories above it; whether it changed. option: named in the error. Raises Refused."""
    content = text.encode("utf-8", "surrogateescape")
    try:
        if not os.path.islink(path) and os.path.isfile(path):
            with open(path, "rb") as present:
                if present.read() == content and os.stat(path).st_mode & 0o777 == mode:
                    return False
        directory = os.path.dirname(path)
        os.makedirs(directory, mode=0o755, exist_ok=True)
        # a reader never sees a part of it, and a link leads nowhere else
        number, draft = tempfile.mkstemp(dir=directory, prefix=f".{os.path.basename(path)}.")
        try:
            with open(number, "wb") as stream:
                stream.write(content)
            os.chmod(draft, mode)
            os.replace(draft, path)
        except OSError:
            os.unlink(draft)
            raise
    except OSError as error:
        raise Refused(
            f"{printable(path, 500)} cannot be written ({reason_of(error)}): correct {option}, or its permissions."
        ) from None
    return True


def remove(path: str) -> None:
    """Remove a file, if it exists. Raises Refused."""
    try:
        if os.path.lexists(path):
            os.unlink(path)
    except OSError as error:
        raise Refused(
            f"{printable(path, 500)} cannot be replaced ({reason_of(error)}): correct its permissions or the path."
        ) from None
