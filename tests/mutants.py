# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Change the pure files by one operator, number or argument at a time, and list the changes that no unit test notices.

The session `mutants` runs it in a directory with a copy of the collection, below ansible_collections. mutmut creates the
mutants and keeps them there, in mutants/. It changes functions only, and no decorated ones: no tables, no patterns.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

COLLECTION = "ansible_collections/scanops/scanner"
SOURCES = f"{COLLECTION}/plugins/module_utils"
TESTS = f"{COLLECTION}/tests/unit/plugins/module_utils"
# a mutant that never ends, or ends the interpreter, is noticed, too
KILLED = {"killed", "timeout", "segfault"}


# per cent of the mutants that the tests killed when one in five was tried, rounded down; the other files have no figure yet.
RECORDED = {
    "_evidence/proof": 98,
    "_gate/baseline": 97,
    "_gate/baseline_file": 96,
    "_gate/enrichment": 95,
    "_evidence/fingerprint": 97,
    "_gate/gate_json": 98,
    "_gate/json_file": 100,
    "_gate/judge": 100,
    "_evidence/matchers": 98,
    "_gate/policy": 100,
    "_evidence/rows": 100,
    "_gate/waivers": 96,
    "_http/pace": 98,
    "_http/retry": 100,
    "_scan/watch": 97,
}
# tests of each file; those that need the local service are left out
TESTS_OF = {
    "_estate/plan": ["_estate/test_bulk_plan"],
    "_evidence/proof": ["_evidence/test_proof"],
    "_gate/baseline": ["_gate/test_baseline", "_gate/test_baseline_file"],
    "_gate/baseline_file": ["_gate/test_baseline_file"],
    "_gate/enrichment": ["_gate/test_enrichment"],
    "_evidence/fingerprint": ["_evidence/test_fingerprint", "_gate/test_baseline"],
    "_gate/gate_json": ["_gate/test_document", "_gate/test_exports_of_decisions", "_gate/test_exports"],
    "_gate/json_file": ["_gate/test_document"],
    "_gate/judge": ["_gate/test_judge", "_gate/test_expectation"],
    "_evidence/matchers": ["_evidence/test_matchers"],
    "_gate/policy": ["_gate/test_policy", "_gate/test_expectation"],
    "_evidence/rows": ["_evidence/test_rows", "_evidence/test_model", "_gate/test_document"],
    "_gate/waivers": ["_gate/test_waivers"],
    "_gate/prove/rescans": ["_gate/test_prove_documents"],
    "_gate/prove/artefacts": ["_gate/test_prove_documents"],
    "_gate/prove/source": ["_gate/test_prove_documents"],
    "_gate/prove/verdict": ["_gate/test_prove_verdict", "_gate/test_prove_histories"],
    "_http/redact": ["_http/test_redact"],
    "_http/pace": ["_http/test_pace"],
    "_http/retry": ["_http/test_retry"],
    "_model/target_names": [
        "_model/test_target_names",
        "_scope/test_valid_names",
        "_scope/test_rules",
        "_scope/test_cases",
    ],
    "_model/records": ["_estate/test_ensure", "_evidence/test_findings"],
    "_scan/watch": ["_scan/test_watch"],
    "_scope/addresses": ["_scope/test_cases"],
    "_scope/permit": ["_scope/test_permit"],
    "_scope/rules": ["_scope/test_rules", "_scope/test_cases"],
    "_scope/places": ["_scope/test_bodies", "_scope/test_permit"],
}


def pytest_configure() -> None:
    """Let hypothesis try the same examples in every run. mutmut's pytest loads this file as a plugin."""
    from hypothesis import settings

    settings.register_profile("mutants", max_examples=200, derandomize=True, deadline=None, database=None)
    settings.load_profile("mutants")


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Leave out tests of the local service."""
    items[:] = [item for item in items if "service_process" not in item.fixturenames]


def write_settings(files: list[str]) -> None:
    """Write the configuration of mutmut, which has no options for it."""
    tests = sorted({f"{TESTS}/{test}.py" for file in files for test in TESTS_OF[file]})
    settings = {
        "source_paths": [f"{COLLECTION}/plugins"],
        "only_mutate": [f"{SOURCES}/{file}.py" for file in files],
        "also_copy": [f"{COLLECTION}/{each}" for each in ("tests", "docs")],
        "pytest_add_cli_args": ["-p", "no:cacheprovider", "-p", f"{COLLECTION.replace('/', '.')}.tests.mutants"],
        "pytest_add_cli_args_test_selection": tests,
        "use_git_change_detection": ["false"],
        # a busy machine ends no mutant early: that would count as noticed
        "timeout_constant": ["5"],
    }
    lines = [f"{key} =\n" + "".join(f"    {value}\n" for value in values) for key, values in settings.items()]
    Path("setup.cfg").write_text("[mutmut]\n" + "".join(lines), encoding="utf-8")


def results() -> dict[str, dict[str, str]]:
    """The status of each mutant that was tried, by file and by name."""
    listed = subprocess.run(["mutmut", "results", "--all", "true"], check=True, capture_output=True, text=True).stdout
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for line in listed.splitlines():
        name, separator, status = line.strip().rpartition(": ")
        if separator and status != "not checked":
            module = name.rpartition(".")[0].replace(".", "/")
            found[module.removeprefix(f"{SOURCES}/")][name] = status
    return found


def report(found: dict[str, dict[str, str]]) -> dict[str, float]:
    """Print the survivors, a line for each file and the totals; return the score of each file in per cent."""
    for statuses in found.values():
        for name, status in statuses.items():
            if status not in KILLED:
                print(f"{status:<10} {name}")
    print(f"\n{'file':<20} mutants  killed  survived   score  recorded")
    counts = {
        file: (len(statuses), sum(status in KILLED for status in statuses.values()))
        for file, statuses in sorted(found.items())
    }
    for file, (number, killed) in counts.items():
        recorded = f"{RECORDED[file]}%" if file in RECORDED else ""
        print(f"{file:<20} {number:>7} {killed:>7} {number - killed:>9} {100 * killed / number:>6.1f}% {recorded:>9}")
    number = sum(each for each, _killed in counts.values())
    killed = sum(each for _number, each in counts.values())
    print(f"{number} mutants, {killed} killed, {number - killed} survived: {100 * killed / number:.1f}%", flush=True)
    return {file: 100 * killed / number for file, (number, killed) in counts.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", metavar="FILE", help=f"default: {', '.join(TESTS_OF)}")
    parser.add_argument("--all", action="store_true", help="try every mutant, not one in five")
    parser.add_argument("--processes", type=int, default=2, help="how many mutants to try at a time (default: 2)")
    options = parser.parse_args()
    # mutmut wants the packages of its sources below the working directory
    os.chdir(Path(__file__).resolve().parents[4])
    unknown = sorted(set(options.files) - set(TESTS_OF))
    if unknown:
        parser.error(f"unknown file: {', '.join(unknown)}")
    write_settings(options.files or list(TESTS_OF))
    # mutmut numbers the mutants of each function from 1
    patterns = [] if options.all else ["*_[16]", "*_*[0-9][16]"]
    subprocess.run(["mutmut", "run", f"--max-children={options.processes}", *patterns], check=True)
    lower = [file for file, score in report(results()).items() if score < RECORDED.get(file, 0)]
    # the recorded score is that of one in five
    if lower and not options.all:
        print(f"The score of {', '.join(lower)} is lower than recorded: test what the new survivors change.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
