# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Print how long an export takes, and how long json takes to parse the same gate.json: a line of processor seconds for each
pair. `python export_findings.py DIRECTORY FORMAT FINDINGS SIZE PAIRS`, with the collection in DIRECTORY. Without PAIRS, print
the artefact."""

from __future__ import annotations

import functools
import json
import multiprocessing
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .judge_findings import judged, prepare, seconds
else:
    # beside this program
    from judge_findings import judged, prepare, seconds

PACKAGE = "ansible_collections.scanops.scanner.plugins.module_utils._gate.formats"
WAIVERS = 100


def text_of(directory: str, findings: int, size: int) -> str:
    """The gate.json of a gate that has judged so many findings."""
    with tempfile.TemporaryDirectory() as name:
        prepare(directory, Path(name), findings, size, WAIVERS)
        # otherwise nothing is written for the programs that close what a file lacks
        whole = {**judged(Path(name)), "coverage": "complete"}
        return str(import_module(f"{PACKAGE}.registry").as_json(whole))


def main() -> None:
    directory, name, findings, size, *pairs = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
    # in a process of its own, as its memory would slow down both sides
    with multiprocessing.get_context("spawn").Pool(1) as writer:
        text = writer.apply(text_of, (directory, findings, size))
    sys.path.insert(0, directory)
    formats, reader = import_module(f"{PACKAGE}.registry"), import_module(f"{PACKAGE}.document")
    name, dummy, profile = name.partition("_")
    choices = reader.Choices(
        profile or "github", fallback="estate.yml", subjects=[{"name": "shop", "sha256": "0" * 64}]
    )
    if not pairs:
        print(formats.write(name, reader.read_document(json.loads(text)), choices).artefacts[0].text)
    for _pair in range(pairs[0] if pairs else 0):
        parsed = seconds(lambda: json.loads(text))
        content = reader.read_document(json.loads(text))
        exported = seconds(functools.partial(formats.write, name, content, choices))
        print(exported, parsed)


if __name__ == "__main__":
    main()
