# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of a release: build, sign, publish. RELEASING.md describes them.

The nox session `release` runs this program with its requirements: `nox -s release -- build --tag 1.0.0`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from . import artefact, materials, signature
from .artefact import CHECKOUT, ReleaseError

DIRECTORY = CHECKOUT / "build" / "release"
GALAXY = "https://galaxy.ansible.com"


def release_notes() -> bytes:
    """The entry of the version in the changelog, as Markdown."""
    with tempfile.TemporaryDirectory() as place:
        written = Path(place, "notes.md")
        command = [
            "antsibull-changelog", "generate", "--only-latest", "--output-format", "md", "--output", str(written),
            artefact.declared()["version"],
        ]  # fmt: skip
        done = subprocess.run(command, cwd=CHECKOUT, check=False, capture_output=True, text=True)
        if done.returncode != 0 or not written.exists():
            raise ReleaseError(f"The changelog has no entry of this version: {done.stdout}{done.stderr}".strip())
        return written.read_bytes()


def write_sums(directory: Path) -> None:
    (directory / "SHA256SUMS").write_text(artefact.sums(directory), encoding="utf-8")


def build(directory: Path, tag: str | None) -> None:
    """Write the artefact, its bill of materials, the notes and the checksums."""
    if tag is not None:
        artefact.require_tag(tag)
    shutil.rmtree(directory, ignore_errors=True)
    tarball = artefact.build_twice(directory)
    print(f"Two builds gave the same bytes: {tarball.name}")
    bill = directory / tarball.name.replace(".tar.gz", ".cdx.json")
    bill.write_bytes(materials.bill(tarball, artefact.time_of_sources()))
    (directory / "notes.md").write_bytes(release_notes())
    write_sums(directory)
    print((directory / "SHA256SUMS").read_text(encoding="utf-8"), end="")


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
    write_sums(directory)
    print(f"ansible-galaxy verified {signature.SIGNATURE} with {signature.PUBLIC_KEY}.")


def publish(directory: Path) -> None:
    """Publish the artefact on Galaxy, or on another server, with the token in RELEASE_GALAXY_TOKEN."""
    tarball, token = built(directory), os.environ.get("RELEASE_GALAXY_TOKEN", "")
    if not token:
        print("RELEASE_GALAXY_TOKEN is not set: nothing is published.")
        return
    # not as an argument, which all processes of the machine can read
    server = {
        "ANSIBLE_GALAXY_SERVER_LIST": "release",
        "ANSIBLE_GALAXY_SERVER_RELEASE_URL": os.environ.get("RELEASE_GALAXY_URL") or GALAXY,
        "ANSIBLE_GALAXY_SERVER_RELEASE_TOKEN": token,
    }
    command = ["ansible-galaxy", "collection", "publish", "--server", "release", str(tarball)]
    done = subprocess.run(command, check=False, env={**os.environ, **server})
    if done.returncode != 0:
        raise ReleaseError(
            "The server refused the artefact; its answer is above. A published version cannot be replaced."
        )


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="release", description="Build, sign or publish a release.")
    parser.add_argument("step", choices=("build", "sign", "publish"))
    parser.add_argument("--tag", help="fail unless this is the version in galaxy.yml and the checkout is clean")
    parser.add_argument("--directory", type=Path, default=DIRECTORY, help="where the files of the release are")
    chosen = parser.parse_args(arguments)
    try:
        if chosen.step == "build":
            build(chosen.directory, chosen.tag)
        else:
            {"sign": sign, "publish": publish}[chosen.step](chosen.directory)
    except ReleaseError as exc:
        sys.exit(f"No release: {exc}")


if __name__ == "__main__":
    main(sys.argv[1:])
