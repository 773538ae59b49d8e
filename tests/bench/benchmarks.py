# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The benchmarks. Each is a function that prepares and measures, and an entry in BENCHMARKS."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from . import bulk, files, reads, scans
from .stage import BenchmarkFailed, Result, Side, Stage

ITEMS = 30
TARGETS = 10_000
# the list of workspaces, the pages of 1,000 targets, and the empty page after them
INVENTORY_CALLS = 1 + TARGETS // 1000 + 1


class Benchmark(NamedTuple):
    """name: for the command line; what: describes both sides; limit: the maximum ratio."""

    name: str
    what: str
    limit: float
    measure: Callable[[Stage], Result]


def workspace_unchanged(stage: Stage) -> Result:
    stage.service.reset(settings={"rate_limits": None}, state={"workspaces": [{"name": "Bench"}]})
    return stage.compare(
        Side(["ansible-playbook", "plays/workspace_unchanged.yml"], ITEMS),
        Side(["ansible-playbook", "plays/uri_get.yml"], ITEMS),
    )


def inventory_10000(stage: Stage) -> Result:
    ours = ["ansible-inventory", "--list", "-i", "inventories/bulk.targets.yml"]
    printed = _script_inventory(stage, "inventories/bulk.targets.yml")
    other = ["ansible-inventory", "--list", "-i", printed]
    return _compare_inventories(stage, ours, other)


def inventory_10000_constructed(stage: Stage) -> Result:
    ours = ["ansible-inventory", "--list", "-i", "inventories/bulk_constructed.targets.yml"]
    printed = _script_inventory(stage, "inventories/bulk.targets.yml")
    other = ["ansible-inventory", "--list", "-i", printed, "-i", "inventories/constructed.yml"]
    return _compare_inventories(stage, ours, other)


def _script_inventory(stage: Stage, source: str) -> str:
    """Write a script that prints the inventory of the plugin for 10,000 targets, and return its path."""
    stage.service.reset(settings={"rate_limits": None})
    stage.service.fill("Bulk", TARGETS, "Created for a benchmark")
    text = stage.place / "printed.json"
    text.write_text(json.dumps(_read(stage.run(["ansible-inventory", "--list", "-i", source]))))
    script = stage.place / "print_inventory"
    script.write_text(f"#!/bin/sh\nexec cat {text}\n")
    script.chmod(0o700)
    return str(script)


def _compare_inventories(stage: Stage, ours: list[str], other: list[str]) -> Result:
    mine, theirs = (_read(stage.run(command)) for command in (ours, other))
    if len(mine["_meta"]["hostvars"]) != TARGETS or mine != theirs:
        raise BenchmarkFailed("the two inventories differ")
    return stage.compare(Side(ours, INVENTORY_CALLS), Side(other, 0))


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
        f"{ITEMS} unchanged workspace tasks against {ITEMS} ansible.builtin.uri GETs of the same URL",
        1.05,
        workspace_unchanged,
    ),
    Benchmark(
        "inventory_10000",
        f"{TARGETS:,} targets as an inventory, in {INVENTORY_CALLS} calls, against a script that prints the same JSON",
        1.1,
        inventory_10000,
    ),
    Benchmark(
        "inventory_10000_constructed",
        "the same with two compose and one keyed_groups, against ansible.builtin.constructed over that script",
        1.1,
        inventory_10000_constructed,
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
        4,
        bulk.unchanged,
    ),
    Benchmark(
        "targets_unchanged_brief",
        "the same with report_unchanged: false",
        4,
        bulk.unchanged_brief,
    ),
    Benchmark(
        "targets_unchanged_rows",
        f"{bulk.MANY:,} existing targets against a module that returns as many results and does nothing, which is what"
        " ansible-core itself takes",
        1.4,
        bulk.unchanged_rows,
    ),
    Benchmark(
        "targets_growth",
        f"{bulk.LARGE:,} declared targets in check mode against {bulk.LARGE // 4:,}; the limit is n log n",
        bulk.GROWTH,
        bulk.growth,
    ),
    Benchmark(
        "findings_read",
        f"{reads.FINDINGS:,} findings of {reads.FINDING_SIZE:,} bytes, read and filtered by a whole playbook, in 2 calls and"
        f" at most {reads.MOST_MEMORY >> 20} MiB, against a script that fetches and parses them with requests and json",
        3,
        reads.findings,
    ),
    Benchmark(
        "findings_long",
        f"one finding of {reads.LONG // 10**6} MB, read by a whole playbook, against as many bytes in findings of"
        f" {reads.FINDING_SIZE:,}",
        1.2,
        reads.long_finding,
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
)
