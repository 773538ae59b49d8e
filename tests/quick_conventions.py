# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the quickest tests of conventions for the pre-commit hooks, wherever the checkout is."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
TESTS = [f"tests/unit/conventions/test_{name}.py" for name in ("classes", "guides")]

with tempfile.TemporaryDirectory() as place:
    namespace = Path(place, "ansible_collections", "scanops")
    namespace.mkdir(parents=True)
    (namespace / "scanner").symlink_to(CHECKOUT)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS, *sys.argv[1:]]
    environment = {**os.environ, "PYTHONPATH": place, "PYTHONDONTWRITEBYTECODE": "1"}
    sys.exit(subprocess.run(command, cwd=namespace / "scanner", check=False, env=environment).returncode)
