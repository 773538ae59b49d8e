# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fuzzing for a given time: rounds of random inputs, each with another seed, and the figures of all rounds at the end.

python tests/fuzz                        an hour
python tests/fuzz --minutes 5 -- -k scope
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python tests/fuzz", description="Call each property with random inputs.")
    parser.add_argument("--minutes", type=float, default=60, help="no round begins later (default: %(default)g)")
    parser.add_argument(
        "--examples", type=int, help="calls of each property in a round (default: those of the profile)"
    )
    parser.add_argument("pytest", nargs="*", help="further arguments of pytest, after --")
    return parser.parse_args(arguments)


def one_round(seed: int, figures: Path, examples: int | None, further: list[str]) -> tuple[Counter[str], str]:
    """The calls of each property in a round, and the output of pytest if a property failed."""
    command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", str(HERE)]
    command += ["--hypothesis-profile=hour", f"--hypothesis-seed={seed}", *further]
    variables = {**os.environ, "SCANNER_FUZZ_FIGURES": str(figures)}
    if examples:
        variables["SCANNER_FUZZ_EXAMPLES"] = str(examples)
    ended = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    calls = Counter(json.loads(figures.read_text(encoding="utf-8"))) if figures.exists() else Counter()
    figures.unlink(missing_ok=True)
    return calls, "" if ended.returncode == 0 else f"Seed {seed}:\n{ended.stdout}{ended.stderr}"


def main() -> int:
    given = options()
    began = time.monotonic()
    total: Counter[str] = Counter()
    failed = 0
    rounds = 0
    with tempfile.TemporaryDirectory() as place:
        while not rounds or time.monotonic() - began < 60 * given.minutes:
            rounds += 1
            calls, output = one_round(
                random.SystemRandom().randrange(2**32), Path(place, "figures.json"), given.examples, given.pytest
            )
            total += calls
            failed += bool(output)
            minutes = (time.monotonic() - began) / 60
            print(f"{output}Round {rounds}, {minutes:.0f} minutes, {sum(total.values()):,} calls", flush=True)
    for name, number in sorted(total.items()):
        print(f"{number:>12,}  {name.removeprefix('test_').replace('_', ' ')}")
    print(
        f"{(time.monotonic() - began) / 60:.0f} minutes, {rounds} rounds, {len(total)} properties,"
        f" {sum(total.values()):,} calls, {failed} rounds failed"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
