# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a command, pass its output on, and fail if ansible-core printed a deprecation or a warning about code.

    python tests/integration_run.py ansible-test integration ...

Warnings of modules are part of their results, which the integration targets check.
"""

from __future__ import annotations

import re
import subprocess
import sys

# A warning of ansible-core about code, unlike a warning of a module about the service or its options.
ABOUT_CODE = re.compile(
    r"deprecat|\b(plugin|module|collection|callback|action|lookup|filter|import|argument|attribute)s?\b|exception|traceback",
    re.IGNORECASE,
)
# ansible-test sets a default collection and prints this.
EXPECTED = "running with default collection"
_WARNING = re.compile(r"\[(DEPRECATION )?WARNING\]: (.*)")


def unexpected(line: str) -> str | None:
    """The unexpected warning in a line of output, or None."""
    found = _WARNING.search(line)
    if not found:
        return None
    is_about_code = ABOUT_CODE.search(found[2]) and not found[2].startswith(EXPECTED)
    return found[0] if found[1] or is_about_code else None


def main(command: list[str]) -> int:
    """Run the command. Returns its exit status, or 1 if it succeeded with unexpected warnings."""
    found: list[str] = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", text=True
    ) as run:
        for line in run.stdout or ():
            print(line, end="", flush=True)
            warning = unexpected(line)
            if warning and warning not in found:
                found.append(warning)
    if found:
        print("\nDeprecations, and warnings about code of the collection:", *found, sep="\n  ")
    return run.returncode or bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
