# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Benchmarks of large reads."""

from __future__ import annotations

from .stage import Result, Side, Stage

FINDINGS = 50_000
FINDING_SIZE = 2000
MOST_MEMORY = 400 << 20


def findings(stage: Stage) -> Result:
    stage.service.reset(settings={"rate_limits": None}, state={"workspaces": [{"id": 2, "name": "Bench"}]})
    stage.service.fill("Bench", findings=FINDINGS, finding_size=FINDING_SIZE)
    play = ["ansible-playbook", "plays/findings.yml", "-e", f"findings={FINDINGS}"]
    # one for the scans (there are none), one for the targets, one for the findings
    ours = Side(play, 3, most_memory=MOST_MEMORY)
    return stage.compare(ours, Side([f"{stage.programs}/python", "fetch_findings.py", str(FINDINGS)], 1))
