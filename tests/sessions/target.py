# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run integration targets on a copy of this checkout: `make target T=gate`.

ansible-test follows symbolic links, so the checkout itself would have to be at a path that ends in the collection's name.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
COLLECTION = Path("ansible_collections", "scanops", "scanner")
FILES = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]


def copy_collection(place: Path) -> Path:
    """Copy all files that git does not ignore to place/ansible_collections/scanops/scanner, which is returned."""
    collection = place / COLLECTION
    for name in filter(None, os.fsdecode(subprocess.check_output(FILES, cwd=CHECKOUT)).split("\0")):
        if os.path.lexists(CHECKOUT / name):
            copy = collection / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(CHECKOUT / name, copy, follow_symlinks=False)
    return collection


def main(arguments: list[str]) -> int:
    if not arguments:
        sys.exit("Name a target: make target T=gate. They are the directories of tests/integration/targets.")
    with tempfile.TemporaryDirectory() as place:
        command = ["ansible-test", "integration", "--color=no", *arguments]
        return subprocess.run(command, cwd=copy_collection(Path(place)), check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
