# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run the benchmarks: `python tests/bench [name ...]`, or `make bench`."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

# Python puts this directory itself on the path; the package needs its parent there.
sys.path[0] = str(Path(__file__).resolve().parents[1])
runpy.run_module("bench.program", run_name="__main__", alter_sys=True)
