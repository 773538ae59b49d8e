# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Take the pictures of the gate's page, which a real run writes: `python tests/page/pictures.py [directory]`.

It needs ansible-core, requests, tests/service/requirements.txt, a Chromium, and the checkout at a path that ends in
ansible_collections/scanops/scanner.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

CHECKOUT = Path(__file__).resolve().parents[2]

if TYPE_CHECKING:
    from ..demo import run as demo
    from ..unit.local_service import LocalService
    from .browser import Browser, find_chromium
else:
    sys.path[:0] = [str(CHECKOUT / "tests" / name) for name in ("unit", "demo", "page")]
    import run as demo
    from browser import Browser, find_chromium
    from local_service import LocalService

PICTURES = CHECKOUT / "docs" / "pictures"
# how Browser.open shows the page
SCENES: dict[str, dict[str, Any]] = {
    "gate_page": {"width": 1100, "height": 820},
    "gate_page_phone": {"width": 390, "height": 844, "dark": True},
}
# The clocks stop at these times. The first run creates the baseline, and in the second one a finding is gone.
RUNS = tuple(datetime(2026, *day, 10, tzinfo=timezone.utc).timestamp() for day in ((10, 25), (11, 8), (11, 22)))
# Each Python imports it at its start, that of the module too.
CLOCK = "import os, time\n\nnow = float(os.environ['PICTURES_NOW'])\ntime.time = lambda: now\n"
API, WWW, ADMIN = TARGETS = ("https://api.example.com", "https://www.example.com", "https://admin.shop.example.com")
LEVELS = ("info", "low", "medium", "high", "critical")


class Weakness(NamedTuple):
    """A finding of the last run. change: against the baseline; level: its risk level, None if it is unknown; place: method,
    path and parameter; fields: other fields of the API."""

    target: str
    change: str
    level: int | None
    name: str
    advice: str
    place: tuple[str, str, str] | None = None
    cvss: float | None = None
    fields: Mapping[str, Any] = MappingProxyType({})

    def level_in(self, run: int) -> int | None:
        return 2 if self.change == "worse" and run < len(RUNS) - 1 else self.level

    def exists_in(self, run: int) -> bool:
        return {"new": run == len(RUNS) - 1, "reopened": run != 1}.get(self.change, True)


WEAKNESSES = (
    Weakness(
        API, "new", 4, "Remote code execution in Apache Log4j",
        "Update Log4j to 2.17.1 or later, and restart the services that use it. Until then, block outgoing connections of"
        " the server.",
        ("POST", "/orders", "note"), 10.0,
        {"cve": ["CVE-2021-44228"], "in_cisa_catalog": True, "epss_score": 0.94, "epss_percentile": 0.999, "verified": True},
    ),
    Weakness(
        WWW, "new", 4, "SQL injection in the parameter id",
        "Use prepared statements, and never build SQL from request data.", ("GET", "/products", "id"), 9.8,
        {"verified": True},
    ),
    Weakness(ADMIN, "reopened", None, "Directory listing enabled", "Disable directory listings.", ("GET", "/backup/", "")),
    Weakness(
        ADMIN, "known", 3, "Outdated OpenSSL with known vulnerabilities",
        "Update OpenSSL to 3.0.7 or later, and restart the services that use it.", cvss=7.5,
        fields={"cve": ["CVE-2022-3602"]},
    ),
    *(
        Weakness(
            target, "worse", 3, "Cross-site scripting in the search page", "Encode output for the place it is written to.",
            ("GET", "/search", "q"), 7.1,
        )
        for target in TARGETS
    ),
    *(
        Weakness(target, "known", 2, "Cookie without the Secure flag", "Set the Secure flag.", cvss=5.3)
        for target in TARGETS
    ),
    *(Weakness(target, "known", 1, "Missing security header", "Send the header.", cvss=3.1) for target in TARGETS),
    *(Weakness(target, "known", 0, "Server software found", "") for target in TARGETS),
)  # fmt: skip
CHECKS = list(dict.fromkeys(each.name for each in WEAKNESSES))


def account(run: int) -> dict[str, Any]:
    """The state of the local service with finished scans of all targets."""
    scans, findings = [], []
    for number, target in enumerate(TARGETS, 1000 * run + 40001):
        found = [each for each in WEAKNESSES if each.target == target and each.exists_in(run)]
        levels = [each.level_in(run) for each in found]
        # the scan has counted what has no level since then
        counted = [LEVELS.index("high") if level is None else level for level in levels]
        summary = {"text": "", **{name: counted.count(level) for level, name in enumerate(LEVELS)}}
        scans.append({"id": number, "target": target, "age": 1800, "result_summary": summary})
        findings += [_finding(each, level, number) for each, level in zip(found, levels)]
    return {
        "fresh": False,
        "workspaces": [{"name": "Web shop"}],
        "targets": [{"name": name} for name in TARGETS],
        "scans": scans,
        "findings": findings,
    }


def _finding(weakness: Weakness, level: int | None, scan: int) -> dict[str, Any]:
    """The record of the API."""
    record: dict[str, Any] = {
        "task_id": scan,
        "name": weakness.name,
        "vuln_id": f"WEBSCAN-00-{CHECKS.index(weakness.name) + 1:07}",
        "risk_level": level,
        "recommendation": weakness.advice,
        "cvss": weakness.cvss,
        "cvssv3": weakness.cvss,
        "missing": [] if "epss_score" in weakness.fields else ["epss_score", "epss_percentile"],
        **weakness.fields,
    }
    if weakness.place:
        method, path, parameter = weakness.place
        cells = {"Method": method, "URL": f"{weakness.target}{path}", "Parameter": parameter}
        record["vuln_evidence"] = {"type": "table", "data": {"headers": list(cells), "rows": [list(cells.values())]}}
    return record


def write_page(directory: Path) -> Path:
    """The page that the last of the runs writes into a directory."""
    env = {**demo.environment(), "ANSIBLE_COLLECTIONS_PATH": str(CHECKOUT.parents[2])}
    options = {
        "workspace": "Web shop",
        "baseline": "baseline.json",
        "origin": {
            "build": "https://ci.example.com/shop/builds/4711",
            "commit": "9fceb02d0ae598e95dc970b74767f19372d61af8",
            "scan_url": "https://scanner.example.com/scans/{id}",
        },
        "baseline_missing": "create",
        "formats": ["json", "html"],
    }
    (directory / "sitecustomize.py").write_text(CLOCK, encoding="utf-8")
    env["PYTHONPATH"] = os.pathsep.join(filter(None, [str(directory), env.get("PYTHONPATH")]))
    with LocalService.start(key=None) as service:
        env.update(SCANNER_BASE_URL=service.base_url, SCANNER_API_KEY=service.api_key)
        for run, now in enumerate(RUNS):
            service.reset(settings={"clock": now, "rate_limits": None}, state=account(run))
            env["PICTURES_NOW"] = str(now)
            written = directory / f"run{run}" / "gate.json"
            given = {**options, "artifacts": written.parent.name, "baseline_update": run < len(RUNS) - 1}
            command = ["adhoc", "localhost", "-m", "scanops.scanner.gate", "-a", json.dumps(given)]
            finished = subprocess.run(
                [sys.executable, "-m", "ansible", *command],
                check=False, cwd=directory, env=env, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )  # fmt: skip
            if not written.exists() or json.loads(written.read_text(encoding="utf-8"))["outcome"] != "findings":
                raise demo.DemoFailed(f"The gate did not end with findings:\n{finished.stdout}")
    return written.with_suffix(".html")


def take(page: Path, chromium: str) -> dict[str, bytes]:
    """The pictures by name, as PNG."""
    with Browser(chromium) as browser:
        return {name: browser.open(page, **options).screenshot() for name, options in SCENES.items()}


def main() -> int:
    chromium = find_chromium()
    if chromium is None:
        sys.exit("No Chromium or Chrome was found: install one, or set CHROMIUM to its path.")
    into = Path(*sys.argv[1:2]).absolute() if sys.argv[1:] else PICTURES
    with tempfile.TemporaryDirectory() as place:
        taken = take(write_page(Path(place)), chromium)
    for name, png in taken.items():
        (into / f"{name}.png").write_bytes(png)
        print(into / f"{name}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
