# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run the benchmarks: `python tests/bench [name ...]`, or `make bench`.

Needs ansible-core and requests, and what the local service needs, in the environment that it runs in. Every figure is a
ratio of two commands run in turn on this machine, so that it means the same on another one.
"""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

from benchmarks import BENCHMARKS
from stage import Broken, Stage


def options() -> argparse.Namespace:
    names = [benchmark.name for benchmark in BENCHMARKS]
    parser = argparse.ArgumentParser(prog="python tests/bench", description="Run the benchmarks.")
    parser.add_argument("names", nargs="*", metavar="name", help=f"which ones (default: all): {', '.join(names)}")
    parser.add_argument(
        "--ansible",
        action="append",
        type=Path,
        metavar="DIRECTORY",
        help="the directory that holds ansible-playbook, again for another version (default: that of this Python)",
    )
    parser.add_argument("--pairs", type=int, default=5, help="how often each pair is run (default: %(default)s)")
    parser.add_argument("--enforce", action="store_true", help="end with status 1 if a limit is broken")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(names)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    if arguments.pairs < 1:
        parser.error("--pairs is 1 or more")
    return arguments


def row(benchmark, stage: Stage, result) -> list[str]:
    return [
        benchmark.name,
        stage.ansible_core,
        _ratio(result.value),
        _ratio(benchmark.limit),
        "kept" if result.value <= benchmark.limit else "broken",
        f"{_ratio(result.lowest)} to {_ratio(result.highest)}",
        _ratio(result.processor),
        *[f"{_ratio(seconds)} s" for seconds in result.seconds],
    ]


def _ratio(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if value >= 0.1 else f"{value:.4f}"


def table(rows: list[list[str]]) -> str:
    head = ["benchmark", "ansible-core", "ratio", "limit", "", "of all pairs", "processor", "ours", "other"]
    widths = [max(len(cells[column]) for cells in [head, *rows]) for column in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip() for cells in [head, *rows]
    )


def main() -> None:
    arguments = options()
    chosen = [benchmark for benchmark in BENCHMARKS if not arguments.names or benchmark.name in arguments.names]
    rows, commands = [], {}
    for folder in arguments.ansible or [Path(sys.executable).parent]:
        with Stage(folder, arguments.pairs) as stage:
            for benchmark in chosen:
                print(
                    f"{benchmark.name} with ansible-core {stage.ansible_core}", end=" ... ", file=sys.stderr, flush=True
                )
                result = benchmark.measure(stage)
                print(_ratio(result.value), file=sys.stderr)
                rows.append(row(benchmark, stage, result))
                commands[benchmark] = result.commands
    print(table(rows))
    for benchmark, (ours, other) in commands.items():
        print(f"\n{benchmark.name}: {benchmark.what}\n  ours   {ours}\n  other  {other}")
    if arguments.enforce and any("broken" in cells for cells in rows):
        sys.exit(1)


if __name__ == "__main__":
    # so that the folder, the service and the command that runs go as well
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        main()
    except Broken as error:
        sys.exit(f"The benchmark did not do its work: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
