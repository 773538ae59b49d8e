# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two steps of a release, build and sign. docs/development/releasing.md describes them, and what the pipeline does besides.

The nox session `release` runs this program with its requirements: `nox -s release -- build`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path

from . import artefact, materials, signature
from .artefact import CHECKOUT, ReleaseError

DIRECTORY = CHECKOUT / "build" / "release"


def build(directory: Path) -> None:
    """Write the artefact and its bill of materials."""
    shutil.rmtree(directory, ignore_errors=True)
    tarball = artefact.build_twice(directory)
    print(f"Two builds gave the same bytes: {tarball.name}")
    bill = directory / tarball.name.replace(".tar.gz", ".cdx.json")
    bill.write_bytes(materials.bill(tarball, artefact.time_of_sources()))


def built(directory: Path) -> Path:
    found = sorted(directory.glob("*.tar.gz"))
    if len(found) != 1:
        raise ReleaseError(f"{directory} has {len(found)} artefacts instead of 1. Run the step build first.")
    return found[0]


def sign(directory: Path) -> None:
    """Sign MANIFEST.json with the key in RELEASE_SIGNING_KEY."""
    tarball, key = built(directory), os.environ.get("RELEASE_SIGNING_KEY", "")
    if not key:
        print("RELEASE_SIGNING_KEY is not set: the release has no signature.")
        return
    signature.sign(tarball, key, os.environ.get("RELEASE_SIGNING_PASSPHRASE", ""))
    print(f"ansible-galaxy verified {signature.SIGNATURE} with {signature.PUBLIC_KEY}.")


def main(arguments: list[str]) -> None:
    steps = {"build": build, "sign": sign}
    parser = argparse.ArgumentParser(prog="release", description="Build or sign a release.")
    parser.add_argument("step", choices=tuple(steps))
    parser.add_argument("--directory", type=Path, default=DIRECTORY, help="where the files of the release are")
    chosen = parser.parse_args(arguments)
    try:
        steps[chosen.step](chosen.directory)
    except ReleaseError as exc:
        sys.exit(f"No release: {exc}")


if __name__ == "__main__":
    main(sys.argv[1:])
