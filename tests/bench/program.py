# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Measure and print the benchmarks.

The environment needs ansible-core, requests and the requirements of the local service. Every figure is the ratio of two
commands that run in turn on the same machine, so that figures of different machines are comparable.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from pathlib import Path

from . import loops
from .benchmarks import BENCHMARKS, Benchmark
from .stage import BenchmarkFailed, Result, Stage

EXCEEDED = "exceeded"


def options() -> argparse.Namespace:
    names = [benchmark.name for benchmark in BENCHMARKS]
    parser = argparse.ArgumentParser(prog="python tests/bench", description="Run the benchmarks.")
    parser.add_argument("names", nargs="*", metavar="name", help=f"which ones (default: all): {', '.join(names)}")
    parser.add_argument(
        "--ansible",
        action="append",
        type=Path,
        metavar="DIRECTORY",
        help="the directory with ansible-playbook; repeat it for more versions (default: that of this Python)",
    )
    parser.add_argument("--pairs", type=int, default=5, help="how often to run each pair (default: %(default)s)")
    parser.add_argument("--enforce", action="store_true", help="exit with status 1 if a limit is exceeded")
    parser.add_argument(
        "--curve",
        type=Path,
        metavar="FILE",
        help="only measure what the plot in the documentation shows, and write it here",
    )
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(names)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known are {', '.join(names)}")
    if arguments.pairs < 1:
        parser.error("--pairs is 1 or more")
    return arguments


def row(benchmark: Benchmark, stage: Stage, result: Result) -> list[str]:
    return [
        benchmark.name,
        stage.ansible_core,
        _ratio(result.value),
        _ratio(benchmark.limit),
        "kept" if result.value <= benchmark.limit else EXCEEDED,
        f"{_ratio(result.lowest)} to {_ratio(result.highest)}",
        _ratio(result.processor),
        *[f"{_ratio(seconds)} s" for seconds in result.seconds],
        f"{result.memory >> 20} MiB" if result.memory else "-",
    ]


def _ratio(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if value >= 0.1 else f"{value:.4f}"


def table(rows: list[list[str]]) -> str:
    head = ["benchmark", "ansible-core", "ratio", "limit", "", "of all pairs", "processor", "ours", "other", "memory"]
    widths = [max(len(cells[column]) for cells in [head, *rows]) for column in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip() for cells in [head, *rows]
    )


def main() -> None:
    arguments = options()
    chosen = [benchmark for benchmark in BENCHMARKS if not arguments.names or benchmark.name in arguments.names]
    rows: list[list[str]] = []
    commands: dict[Benchmark, tuple[str, str]] = {}
    for programs in arguments.ansible or [Path(sys.executable).parent]:
        with Stage(programs, arguments.pairs) as stage:
            if arguments.curve:
                arguments.curve.write_text(json.dumps(loops.curve(stage), indent=1) + "\n", encoding="utf-8")
                continue
            for benchmark in chosen:
                print(
                    f"{benchmark.name} with ansible-core {stage.ansible_core}", end=" ... ", file=sys.stderr, flush=True
                )
                result = benchmark.measure(stage)
                print(_ratio(result.value), file=sys.stderr)
                rows.append(row(benchmark, stage, result))
                commands[benchmark] = result.commands
    if rows:
        print(table(rows))
    for benchmark, (ours, other) in commands.items():
        print(f"\n{benchmark.name}: {benchmark.what}\n  ours   {ours}\n  other  {other}")
    if arguments.enforce and any(EXCEEDED in cells for cells in rows):
        sys.exit(1)


if __name__ == "__main__":
    # so that the directory, the service and the running command are removed, too
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        main()
    except BenchmarkFailed as error:
        sys.exit(f"The benchmark failed: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
