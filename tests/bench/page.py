# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The benchmark of the page of a gate in a headless Chromium."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import TYPE_CHECKING

from .stage import BenchmarkFailed, Result, Stage

if TYPE_CHECKING:
    from ..page.browser import Browser, find_chromium
else:
    from page.browser import Browser, find_chromium

ROWS = 10_000
FEW = 100
SIZE = 2000
# the milliseconds until the page was loaded, and those of a sort and a filter until the next frame
WORK = """(async () => {
  const [loaded] = performance.getEntriesByType("navigation"), started = performance.now();
  document.querySelector("button[data-key=name]").click();
  const field = document.querySelector("#by-text");
  field.value = "cipher 7";
  field.dispatchEvent(new Event("input"));
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return loaded.loadEventEnd + performance.now() - started;
})()"""


def many_rows(stage: Stage) -> Result:
    program = find_chromium()
    if program is None:
        raise BenchmarkFailed("no Chromium or Chrome was found: install one, or set CHROMIUM to its path")
    pages = [_written(stage, number) for number in (ROWS, FEW)]
    with Browser(program) as browser:
        for path in pages:
            _seconds(browser, path)
        pairs = [(_seconds(browser, pages[0]), _seconds(browser, pages[1])) for _pair in range(stage.pairs)]
    ratios = [ours / other for ours, other in pairs]
    return Result(
        value=statistics.median(ratios),
        lowest=min(ratios),
        highest=max(ratios),
        processor=None,
        seconds=(statistics.median(ours for ours, other in pairs), statistics.median(other for ours, other in pairs)),
        commands=(f"the page with {ROWS:,} findings", f"the page with {FEW} findings"),
    )


def _written(stage: Stage, number: int) -> Path:
    path = Path(stage.place, f"gate{number}.html")
    command = ["python", "export_findings.py", str(stage.place), "html", str(number), str(SIZE)]
    path.write_text(stage.run(command), encoding="utf-8")
    return path


def _seconds(browser: Browser, path: Path) -> float:
    page = browser.open(path)
    try:
        return float(page.run(WORK)) / 1000
    finally:
        page.close()
