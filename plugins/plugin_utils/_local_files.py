# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files that roles write on the controller."""

from __future__ import annotations

import os
from pathlib import Path

from ..module_utils._model.errors import Refused, printable, reason_of
from ..module_utils._model.trust import refuse_untrusted
from ..module_utils._task.atomic_files import Draft, explained


def write(path: str, text: str, option: str, mode: int = 0o644) -> bool:
    """Write a file, and the directories above it; whether it changed. option: named in the error. Raises Refused."""
    content = text.encode("utf-8", "surrogateescape")
    with explained(path, option):
        present = os.path.isfile(path) and not os.path.islink(path)
        if present and Path(path).read_bytes() == content and os.stat(path).st_mode & 0o777 == mode:
            return False
        os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
        # somebody else may have created them meanwhile
        refuse_untrusted(path, option, is_replaced=True)
        # a reader never sees a part of it, and a link leads nowhere else
        with Draft(path, option) as draft:
            draft.write(content)
            os.chmod(draft.path, mode)
            draft.put()
    return True


def remove(path: str) -> None:
    """Remove a file, if it exists. Raises Refused."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise Refused(
            f"{printable(path, 500)} cannot be replaced ({reason_of(error)}): correct its permissions or the path."
        ) from None
