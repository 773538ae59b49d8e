# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Benchmarks of the decision and the exports of a gate, both sides in one process, because a playbook would hide them."""

from __future__ import annotations

import statistics
from collections.abc import Callable

from .stage import BenchmarkFailed, Result, Stage

FINDINGS = 50_000
FINDING_SIZE = 2000
WAIVERS = 1000
MOST_MEMORY = 400 << 20
# a profile of SARIF follows an underscore
NAMES = (
    "json",
    "markdown",
    "html",
    "sarif_github",
    "sarif_full",
    "junit",
    "gitlab",
    "defectdojo",
    "csv",
    "calendar",
    "attestation",
)


def export(name: str) -> Callable[[Stage], Result]:
    """A benchmark of one format."""

    def measure(stage: Stage) -> Result:
        return _measured(stage, "export_findings.py", name, *map(str, (FINDINGS, FINDING_SIZE, stage.pairs)))[0]

    return measure


def decision(stage: Stage) -> Result:
    """The benchmark of the decision over a saved gate.json."""
    result, lines = _measured(stage, "judge_findings.py", *map(str, (FINDINGS, FINDING_SIZE, WAIVERS, stage.pairs)))
    # the later ones are those of both sides
    memory = int(lines[0][2]) << 10
    if memory > MOST_MEMORY:
        raise BenchmarkFailed(f"the gate took {memory >> 20} MiB of memory, more than {MOST_MEMORY >> 20} MiB")
    return result._replace(memory=memory)


def _measured(stage: Stage, script: str, *arguments: str) -> tuple[Result, list[list[str]]]:
    """The Result of a script, and what it printed: a line for each pair, which begins with the seconds of both sides."""
    lines = [line.split() for line in stage.run(["python", script, str(stage.place), *arguments]).splitlines()]
    pairs = [(float(ours), float(other)) for ours, other, *_more in lines]
    ratios = [ours / other for ours, other in pairs]
    result = Result(
        value=statistics.median(ratios),
        lowest=min(ratios),
        highest=max(ratios),
        processor=statistics.median(ratios),
        seconds=(
            statistics.median(ours for ours, other in pairs),
            statistics.median(other for ours, other in pairs),
        ),
        commands=(f"python {script} DIRECTORY {' '.join(arguments)}", "json.loads in the same process"),
    )
    return result, lines
