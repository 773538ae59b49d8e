# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Benchmarks of large files."""

from __future__ import annotations

from .stage import BenchmarkFailed, Result, Side, Stage

SIZE = 200 << 20
MOST_GROWTH = 64 << 20


def report(stage: Stage) -> Result:
    stage.service.reset(
        settings={"rate_limits": None, "report_size": SIZE},
        state={"findings": [{"id": 1, "name": "Weak cipher"}], "reports": [{"source": "findings", "resources": [1]}]},
    )
    fetched, streamed = str(stage.place / "fetched.pdf"), str(stage.place / "streamed.pdf")

    def clear() -> None:
        for path in stage.place.glob("*fetched.pdf*"):
            path.unlink()

    grown = int(stage.run(["python", "report_memory.py", fetched]))
    if grown >= MOST_GROWTH:
        raise BenchmarkFailed(
            f"the memory of the module report grew by {grown >> 20} MiB, not by less than {MOST_GROWTH >> 20} MiB"
        )
    ours = Side(["ansible-playbook", "plays/report.yml", "-e", f"dest={fetched}"], 2, before=clear)
    programs = (
        f"{stage.programs}/python fetch_report.py {streamed}",
        f"{stage.programs}/ansible-playbook plays/nothing.yml",
    )
    return stage.compare(ours, Side(["/bin/sh", "-c", " && ".join(programs)], 1))
