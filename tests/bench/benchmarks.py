# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The benchmarks. Each is a function that prepares and measures, and an entry in BENCHMARKS."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from . import budget, bulk, calls, exports, files, loops, page, reads, scans
from .stage import BenchmarkFailed, Result, Side, Stage

ITEMS = 30
TARGETS = 10_000
LARGE = 100_000
# what an inventory of TARGETS with their findings reads
FINDINGS = 3 * TARGETS
FINDING_SIZE = 2000
# beside the calls of an inventory: the pages of 1,000 scans, the first one twice, the empty page, and the findings
FINDINGS_CALLS = TARGETS // 1000 + 1 + 1 + 1
MOST_MEMORY = 500 << 20
# how many bytes of JSON the findings may add to a host
MOST_BYTES = 700
# the items of a loop read the list once
WORKSPACE_CALLS = 1


class Benchmark(NamedTuple):
    """name: for the command line; what: describes both sides; limit: the maximum ratio."""

    name: str
    what: str
    limit: float
    measure: Callable[[Stage], Result]


def workspace_unchanged(stage: Stage) -> Result:
    stage.service.reset(settings={"rate_limits": None}, state={"workspaces": [{"name": "Bench"}]})
    ours = Side(["ansible-playbook", "plays/workspace_unchanged.yml"], WORKSPACE_CALLS)
    return loops.by_processor(stage.compare(ours, Side(["ansible-playbook", "plays/uri_get.yml"], ITEMS)))


def inventory_calls(targets: int) -> int:
    """The list of workspaces, the pages of 1,000 targets, the first one twice, the empty page after them, and each full page
    once more."""
    return 1 + 2 * (targets // 1000) + 1 + 1


def inventory_of(targets: int) -> Callable[[Stage], Result]:
    """The benchmark of an inventory of so many targets."""

    def measure(stage: Stage) -> Result:
        ours = ["ansible-inventory", "--list", "-i", "inventories/bulk.targets.yml"]
        printed = _script_inventory(stage, "inventories/bulk.targets.yml", targets)
        other = ["ansible-inventory", "--list", "-i", printed]
        return _compare_inventories(stage, ours, other, targets)

    return measure


def inventory_10000_constructed(stage: Stage) -> Result:
    ours = ["ansible-inventory", "--list", "-i", "inventories/bulk_constructed.targets.yml"]
    printed = _script_inventory(stage, "inventories/bulk.targets.yml", TARGETS)
    other = ["ansible-inventory", "--list", "-i", printed, "-i", "inventories/constructed.yml"]
    return _compare_inventories(stage, ours, other, TARGETS)


def inventory_findings(stage: Stage) -> Result:
    """Hosts with three findings each, one of them with a CVE id, of one scan."""
    ours, other = (
        ["ansible-inventory", "--list", "-i", f"inventories/{name}.targets.yml"] for name in ("findings", "bulk")
    )
    stage.service.reset(settings={"rate_limits": None})
    stage.service.fill("Bulk", TARGETS, "Created for a benchmark")
    targets = [target["id"] for target in stage.service.targets()]
    counts = {"info": 1, "low": 0, "medium": 1, "high": 0, "critical": 1}
    stage.service.add(
        scans=[{"id": target, "target_id": target, "result_summary": {"text": "", **counts}} for target in targets],
        findings=[
            {"name": f"Weakness {level}", "risk_level": level, "task_id": target, "cve": cves, "size": FINDING_SIZE}
            for target in targets
            for level, cves in ((0, []), (2, []), (4, ["CVE-2021-44228"]))
        ],
    )
    mine, theirs = (_read(stage.run(command)) for command in (ours, other))
    if len(mine["severity_critical"]["hosts"]) != TARGETS:
        raise BenchmarkFailed("a host lacks its findings")
    added = (len(json.dumps(mine)) - len(json.dumps(theirs))) // TARGETS
    print(f"{added} bytes for each host", end=" ... ", file=sys.stderr)
    if added > MOST_BYTES:
        raise BenchmarkFailed(f"the findings add {added} bytes to each host, more than {MOST_BYTES}")
    calls = inventory_calls(TARGETS)
    return stage.compare(Side(ours, calls + FINDINGS_CALLS, most_memory=MOST_MEMORY), Side(other, calls))


def _script_inventory(stage: Stage, source: str, targets: int) -> str:
    """Write a script that prints the inventory of the plugin, and return its path."""
    stage.service.reset(settings={"rate_limits": None})
    stage.service.fill("Bulk", targets, "Created for a benchmark")
    text = stage.place / "printed.json"
    text.write_text(json.dumps(_read(stage.run(["ansible-inventory", "--list", "-i", source]))))
    script = stage.place / "print_inventory"
    script.write_text(f"#!/bin/sh\nexec cat {text}\n")
    script.chmod(0o700)
    return str(script)


def _compare_inventories(stage: Stage, ours: list[str], other: list[str], targets: int) -> Result:
    mine, theirs = (_read(stage.run(command)) for command in (ours, other))
    if len(mine["_meta"]["hostvars"]) != targets or mine != theirs:
        raise BenchmarkFailed("the two inventories differ")
    return stage.compare(Side(ours, inventory_calls(targets)), Side(other, 0))


def _read(printed: str) -> dict[str, Any]:
    """The output of ansible-inventory, with sorted lists and without the marks of unsafe text, which no script prints."""
    inventory: dict[str, Any] = json.loads(printed, object_hook=lambda value: value.get("__ansible_unsafe", value))
    for group in inventory.values():
        for key in ("hosts", "children"):
            if key in group:
                group[key] = sorted(group[key])
    return inventory


BENCHMARKS = (
    Benchmark(
        "workspace_unchanged",
        f"a loop of {ITEMS} unchanged workspaces against {ITEMS} ansible.builtin.uri GETs of the same URL, by"
        " processor time",
        0.12,
        workspace_unchanged,
    ),
    Benchmark(
        "calls_unchanged",
        f"the calls of the collection's own functions in a module with an unchanged workspace, against {calls.MOST_BEFORE}"
        f" before the first byte is sent and {calls.MOST} in all; the greater ratio",
        1,
        calls.counted,
    ),
    *(
        Benchmark(
            f"target_loop_{count}",
            f"an item of a loop of {count:,} unchanged targets, in {loops.LOOP_CALLS} calls, against an"
            " ansible.builtin.uri GET in a loop, by processor time",
            limit,
            loops.loop(count),
        )
        for count, limit in ((30, 0.12), (300, loops.MOST_IN_LOOP), (1000, loops.MOST_IN_LOOP))
    ),
    Benchmark(
        "target_loop_module",
        f"the same with in_process: false, for {loops.URI} targets, each read in {loops.LOOP_CALLS} calls",
        1.4,
        loops.loop_of_modules,
    ),
    Benchmark(
        "target_tasks",
        f"one of {loops.SEPARATE} tasks with an unchanged target against an ansible.builtin.uri GET in a task of its own, by"
        " processor time without the start of the playbook",
        loops.MOST_SEPARATE,
        loops.separate,
    ),
    Benchmark(
        "target_tasks_nothing",
        f"one of {loops.SEPARATE} tasks with an unchanged target against one with the same options and an action that does"
        " nothing, by processor time without the start of the playbook",
        loops.MOST_OF_NOTHING,
        loops.separate_nothing,
    ),
    *(
        Benchmark(
            f"inventory_{targets}",
            f"{targets:,} targets as an inventory, in {inventory_calls(targets)} calls, against a script that prints the same"
            " JSON",
            limit,
            inventory_of(targets),
        )
        for targets, limit in ((TARGETS, 1.1), (LARGE, 1.0))
    ),
    Benchmark(
        "inventory_10000_constructed",
        "the same with two compose and one keyed_groups, against ansible.builtin.constructed over that script",
        1.1,
        inventory_10000_constructed,
    ),
    Benchmark(
        "inventory_10000_findings",
        f"{TARGETS:,} targets as an inventory with {FINDINGS:,} findings of {FINDING_SIZE:,} bytes, in {FINDINGS_CALLS} calls"
        f" more, at most {MOST_MEMORY >> 20} MiB and {MOST_BYTES} bytes of JSON for each host, against the inventory without"
        " findings",
        3,
        inventory_findings,
    ),
    Benchmark(
        "targets_create_uri",
        f"{bulk.NEW:,} new targets in one task against a loop of ansible.builtin.uri over {bulk.LOOPED}, for one target",
        0.01,
        bulk.create_and_uri,
    ),
    Benchmark(
        "targets_create_script",
        f"{bulk.NEW:,} new targets in one task against a script on one requests.Session and a playbook that does nothing",
        2.2,
        bulk.create_and_script,
    ),
    Benchmark(
        "targets_unchanged",
        f"{bulk.MANY:,} existing targets in {bulk.UNCHANGED_CALLS} calls and at most {bulk.MOST_MEMORY >> 20} MiB,"
        " against a playbook that does nothing",
        3,
        bulk.unchanged,
    ),
    Benchmark(
        "targets_growth",
        f"{bulk.LARGE:,} declared targets in check mode against {bulk.LARGE // 4:,}; the limit is n log n",
        bulk.GROWTH,
        bulk.growth,
    ),
    Benchmark(
        "findings_read",
        f"{reads.FINDINGS:,} findings of {reads.FINDING_SIZE:,} bytes, read and filtered by a whole playbook, in 3 calls and"
        f" at most {reads.MOST_MEMORY >> 20} MiB, against a script that fetches and parses them with requests and json",
        3,
        reads.findings,
    ),
    Benchmark(
        "report_stream",
        f"a report of {files.SIZE >> 20} MiB, fetched by a whole playbook while the memory of the module grows by less than"
        f" {files.MOST_GROWTH >> 20} MiB, against a script that streams it with requests and a playbook that does nothing",
        1.5,
        files.report,
    ),
    Benchmark(
        "scan_wait",
        f"the calls that wait for {scans.SCANS} scans against one call for each interval",
        1,
        scans.wait,
    ),
    *(
        Benchmark(
            f"targets_limited_{window}",
            f"{bulk.NEW:,} new targets with {bulk.WRITES_A_MINUTE} writes a minute, {words}, against the shortest time that"
            f" this limit permits, without a failed item and with at most {bulk.MOST_REFUSED} answers 429",
            1 / 0.95,
            bulk.limited(window),
        )
        for window, words in bulk.WINDOWS.items()
    ),
    Benchmark(
        "gate_50000",
        f"the decision over a saved gate.json with {exports.FINDINGS:,} findings of {exports.FINDING_SIZE:,} bytes, a baseline"
        f" and {exports.WAIVERS:,} waivers, in at most {exports.MOST_MEMORY >> 20} MiB, against json.loads of the same file",
        6,
        exports.decision,
    ),
    *(
        Benchmark(
            f"budget_{name}{window}",
            f"{budget.CALLS:,} creates from {processes} processes of {owner}, with {budget.WRITES} writes in"
            f" {budget.SECONDS} seconds, {words.replace('minute', 'window')}, against the shortest time that this limit"
            f" permits, without a failed call and with at most {budget.MOST_REFUSED} answers 429",
            1.05,
            budget.shared(window, controllers, processes),
        )
        for name, owner, (controllers, processes) in (
            ("", "one controller", budget.ONE),
            ("controllers_", f"each of {budget.FOUR[0]} controllers", budget.FOUR),
        )
        for window, words in bulk.WINDOWS.items()
    ),
    *(
        Benchmark(
            f"export_{name}",
            f"the export {name} of {exports.FINDINGS:,} findings of {exports.FINDING_SIZE:,} bytes against json.loads of the"
            " same gate.json",
            2,
            exports.export(name),
        )
        for name in exports.NAMES
    ),
    Benchmark(
        "page_rows",
        f"the page with {page.ROWS:,} findings of {page.SIZE:,} bytes, opened, sorted and filtered in Chromium, against the"
        f" page with {page.FEW}",
        5,
        page.many_rows,
    ),
)
