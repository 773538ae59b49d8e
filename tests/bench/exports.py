# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Benchmarks of the exports of a gate."""

from __future__ import annotations

import statistics
from collections.abc import Callable

from .stage import Result, Stage

FINDINGS = 50_000
FINDING_SIZE = 2000
# a profile of SARIF follows an underscore
NAMES = ("json", "markdown", "html", "sarif_github", "sarif_full", "junit", "gitlab", "defectdojo", "csv")


def export(name: str) -> Callable[[Stage], Result]:
    """A benchmark of one format: both sides in one process, because a playbook would hide them."""

    def measure(stage: Stage) -> Result:
        sizes = [str(number) for number in (FINDINGS, FINDING_SIZE, stage.pairs)]
        printed = stage.run(["python", "export_findings.py", str(stage.place), name, *sizes])
        pairs = [(float(ours), float(other)) for ours, other in map(str.split, printed.splitlines())]
        ratios = [ours / other for ours, other in pairs]
        return Result(
            value=statistics.median(ratios),
            lowest=min(ratios),
            highest=max(ratios),
            processor=statistics.median(ratios),
            seconds=(
                statistics.median(ours for ours, other in pairs),
                statistics.median(other for ours, other in pairs),
            ),
            commands=(
                f"python export_findings.py DIRECTORY {name} {' '.join(sizes)}",
                "json.loads in the same process",
            ),
        )

    return measure
