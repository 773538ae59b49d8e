# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Print how long a gate takes over a saved gate.json, and how long json takes to parse the same file: a line for each pair,
with both in processor seconds and the largest memory of the process in KiB. `python judge_findings.py DIRECTORY FINDINGS SIZE
WAIVERS PAIRS`, with the collection in DIRECTORY."""

from __future__ import annotations

import gc
import json
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

TARGETS = 100
CHECKS = 300
# of the findings, one in so many is not in the baseline
NEW = 10
NOW = 1795341600.0
FINISHED = "2026-11-22T09:00:00Z"
VERSION = "1.0.0"
WORKSPACE = "Web shop"
LINE = 'The server accepts a cipher that "nobody" should use any more.\n'
SEVERITIES = ("critical", "high", "medium", "low", "info")


def gate(name: str, package: str = "_gate") -> Any:
    return import_module(f"ansible_collections.scanops.scanner.plugins.module_utils.{package}.{name}")


def finding(number: int, size: int) -> dict[str, Any]:
    """A finding as the gate reads it. Its row takes about this many bytes."""
    text = (LINE * (size // len(LINE)))[: max(0, size - 760) // 4]
    return {
        "id": number,
        "name": f"Weak cipher {number % CHECKS}",
        "severity": SEVERITIES[number % 5],
        "status": "open",
        "cve": [f"CVE-2024-{1000 + number % CHECKS}"],
        "target_id": number % TARGETS + 1,
        "task_id": 9,
        "vuln_id": f"CHECK-{number % CHECKS}",
        "cwe": "CWE-326",
        "cvss": 7.5,
        "epss_score": 0.02,
        "in_cisa_catalog": False,
        "verified": True,
        "port": 443,
        "protocol": "tcp",
        "service": "https",
        "path": f"/pages/{number}",
        "method": "GET",
        "parameter": "q",
        "vuln_description": text,
        "risk_description": text,
        "recommendation": text,
        "vuln_evidence": text,
        "references": ["https://example.com/cipher"],
    }


def pairs_of(findings: int, size: int) -> list[Any]:
    rows = gate("rows", "_evidence")
    return [
        rows.Pair(
            target=f"https://host{target}.example.com",
            target_id=target + 1,
            workspace=WORKSPACE,
            tool="tls",
            tool_id=1,
            scan_id=9,
            status="finished",
            outcome="passed",
            finished=FINISHED,
            age=3600,
            complete=True,
            problems=(),
            findings=tuple(finding(number, size) for number in range(target, findings, TARGETS)),
        )
        for target in range(TARGETS)
    ]


def waivers_of(number: int) -> str:
    """The text of a waiver file with so many waivers in force, each for one check of some targets."""
    return "version: 1\nwaivers:\n" + "".join(
        f'  - check: CHECK-{each % CHECKS}\n    target: "https://host{each // CHECKS}?.example.com"\n'
        "    reason: Replaced in June\n    owner: team-web\n    expires: 2027-06-30\n    status: accepted\n"
        for each in range(number)
    )


def prepare(collections: str, directory: Path, findings: int, size: int, waivers: int) -> None:
    """Write a gate.json, the baseline and the waivers that go with it."""
    sys.path.insert(0, collections)
    pairs = pairs_of(findings, size)
    rows = gate("rows", "_evidence").rows_of(pairs)
    document = gate("gate_json").document_of(
        decided(pairs, rows), collection_version=VERSION, now=NOW, workspace=WORKSPACE
    )
    (directory / "gate.json").write_text(gate("registry", "_gate.formats").as_json(document))
    accepted = [
        pair._replace(findings=tuple(each for each in pair.findings if each["id"] // TARGETS % NEW)) for pair in pairs
    ]
    baseline = gate("baseline")
    run = baseline.run_of(accepted, gate("rows", "_evidence").rows_of(accepted))
    after = baseline.update(baseline.Baseline(WORKSPACE, VERSION), run, VERSION)
    (directory / "baseline.json").write_text(gate("baseline_file").render(after))
    (directory / "waivers.yml").write_text(waivers_of(waivers))


def decided(pairs: Any, rows: Any, **more: Any) -> Any:
    policy = gate("policy")
    return gate("judge").decide(
        pairs,
        rows,
        policy=policy.policy_of({"fail_on": "high", "only_new": True}),
        mapping=policy.mapping_of(None),
        now=NOW,
        **more,
    )


def judged(directory: Path) -> Any:
    """The document of a gate, as the module makes it, without the exports."""
    path = directory / "waivers.yml"
    waivers = gate("waivers").read_waivers([(str(path), path.read_bytes())], time.time())
    accepted = (directory / "baseline.json").read_bytes()
    saved = gate("gate_json").saved_of((directory / "gate.json").read_bytes(), "gate.json", NOW)
    rows = saved.rows
    memory, _text = gate("baseline_file").remember(
        "baseline.json",
        accepted,
        gate("baseline").run_of(saved.pairs, rows),
        saved.workspace,
        VERSION,
        missing="fail",
        wants_update=False,
    )
    decision = decided(
        saved.pairs, rows, memory=memory, waived=gate("waivers").waive(waivers, rows, NOW), troubles=saved.troubles
    )
    return gate("gate_json").document_of(decision, collection_version=VERSION, now=NOW, workspace=saved.workspace)


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def measured(directory: Path, pairs: int) -> Iterator[tuple[float, float, int]]:
    """Both sides in turn. Only the first memory is that of a gate alone."""
    for _pair in range(pairs):
        # as the module does
        gc.disable()
        ours = seconds(lambda: judged(directory))
        gc.enable()
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        yield ours, seconds(lambda: json.loads((directory / "gate.json").read_bytes())), memory


def main() -> None:
    collections, findings, size, waivers, pairs = sys.argv[1], *map(int, sys.argv[2:])
    sys.path.insert(0, collections)
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        # in a process of its own, because it needs more memory than what is measured
        writer = multiprocessing.get_context("spawn").Process(
            target=prepare, args=(collections, directory, findings, size, waivers)
        )
        writer.start()
        writer.join()
        for ours, other, memory in measured(directory, pairs):
            print(ours, other, memory)


if __name__ == "__main__":
    main()
