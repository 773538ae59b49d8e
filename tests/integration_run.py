# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a command, pass its output on, and fail if ansible-core printed a deprecation or a complaint about a plugin.

    python tests/integration_run.py ansible-test integration ...

What modules themselves warn of is part of their results, which the integration targets check.
"""

from __future__ import annotations

import re
import subprocess
import sys

# How ansible-core complains about code, in contrast to what modules say about the service or the options.
COMPLAINT = re.compile(
    r"deprecat|\b(plugin|module|collection|callback|action|lookup|filter|import|argument|attribute)s?\b|exception|traceback",
    re.IGNORECASE,
)
# ansible-test sets a default collection and says so.
EXPECTED = "running with default collection"
_WARNING = re.compile(r"\[(DEPRECATION )?WARNING\]: (.*)")


def unexpected(line: str) -> str | None:
    """The deprecation or complaint in a line of output, or None."""
    found = _WARNING.search(line)
    if not found:
        return None
    is_complaint = COMPLAINT.search(found[2]) and not found[2].startswith(EXPECTED)
    return found[0] if found[1] or is_complaint else None


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
        print("\nDeprecations, and complaints about code of the collection:", *found, sep="\n  ")
    return run.returncode or bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
