# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a command, pass its output on, and fail if ansible-core printed a warning that no integration target expects.

    python tests/integration_run.py ansible-test integration ...

A deprecation is never expected.
"""

from __future__ import annotations

import re
import subprocess
import sys

# The beginnings of the expected warnings: those of ansible-core about a play on localhost, and those that targets provoke.
EXPECTED = (
    "provided hosts list is empty",
    "running with default collection",
    "No inventory was parsed",
    r".*\bcheck mode (goes on|assumes)",
    "an object among resources is not there yet",
    "the folder of dest",
    r"Target '192\.0\.2\.10' does not exist yet",
    "No workspace is called 'Web shop', so nothing in it can be deleted",
    "The findings are incomplete",
)
_WARNING = re.compile(r"\[(DEPRECATION )?WARNING\]: (.*)")


def unexpected(line: str) -> str | None:
    """The warning in a line of output, None where there is none or an expected one."""
    found = _WARNING.search(line)
    if not found or (not found[1] and any(re.match(text, found[2]) for text in EXPECTED)):
        return None
    return found[0]


def main(command: list[str]) -> int:
    """Run the command; its exit status, 1 where it succeeded with unexpected warnings."""
    found = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", text=True
    ) as run:
        for line in run.stdout:
            print(line, end="", flush=True)
            warning = unexpected(line)
            if warning and warning not in found:
                found.append(warning)
    if found:
        print("\nWarnings that no target expects (see EXPECTED in tests/integration_run.py):", *found, sep="\n  ")
    return run.returncode or bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
