# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds the artefact so that the same sources give the same bytes.

ansible-galaxy writes the time of the build, the times of the files, and the files in the order of the file system.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import yaml

CHECKOUT = Path(__file__).resolve().parents[1]
MANIFEST = "MANIFEST.json"
FILES = "FILES.json"


class ReleaseError(Exception):
    """Why there is no release, and what to do."""


def declared() -> dict[str, Any]:
    """The content of galaxy.yml."""
    loaded: dict[str, Any] = yaml.safe_load((CHECKOUT / "galaxy.yml").read_text(encoding="utf-8"))
    return loaded


def git(*arguments: str) -> str:
    command = ["git", *arguments]
    return subprocess.run(command, cwd=CHECKOUT, check=True, capture_output=True, text=True).stdout


def time_of_sources() -> int:
    """Seconds since 1970: SOURCE_DATE_EPOCH, or the time of the commit."""
    return int(os.environ.get("SOURCE_DATE_EPOCH") or git("log", "-1", "--format=%ct"))


def copy_sources(place: Path) -> None:
    """Copy all files that git does not ignore."""
    for name in git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0"):
        if name and os.path.lexists(CHECKOUT / name):
            copy = place / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(CHECKOUT / name, copy, follow_symlinks=False)


def build(place: Path, umask: int) -> Path:
    """Build the artefact of a copy of the sources with ansible-galaxy."""
    sources, built = place / "sources", place / "built"
    before = os.umask(umask)
    try:
        copy_sources(sources)
        command = ["ansible-galaxy", "collection", "build", "--output-path", str(built)]
        done = subprocess.run(command, cwd=sources, check=False, capture_output=True, text=True)
    finally:
        os.umask(before)
    if done.returncode != 0:
        raise ReleaseError(f"ansible-galaxy cannot build the collection: {done.stderr.strip()}")
    (tarball,) = built.glob("*.tar.gz")
    return tarball


def members_of(tarball: Path) -> dict[str, tuple[tarfile.TarInfo, bytes]]:
    """The members by name, each with its content; a directory and a link have none."""
    with tarfile.open(tarball) as opened:
        found = {}
        for member in opened:
            content = opened.extractfile(member) if member.isfile() else None
            found[member.name] = (member, content.read() if content else b"")
    return found


def as_json(value: object) -> bytes:
    """As ansible-galaxy writes it."""
    return json.dumps(value, indent=True).encode()


def normalised(tarball: Path, moment: int) -> bytes:
    """The artefact with sorted files, one time for all of them, and neither a time nor a name in the header of gzip."""
    members = members_of(tarball)
    files = json.loads(members[FILES][1])
    files["files"].sort(key=lambda entry: "" if entry["name"] == "." else entry["name"])
    files_json = as_json(files)
    manifest = json.loads(members[MANIFEST][1])
    manifest["file_manifest_file"]["chksum_sha256"] = hashlib.sha256(files_json).hexdigest()
    names = [MANIFEST, FILES, *(entry["name"] for entry in files["files"] if entry["name"] != ".")]
    contents = {MANIFEST: as_json(manifest), FILES: files_json}
    packed, archive = io.BytesIO(), io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.USTAR_FORMAT) as opened:
        for name in names:
            before, content = members[name]
            content = contents.get(name, content)
            after = tarfile.TarInfo(name)
            after.type, after.linkname, after.mode = before.type, before.linkname, before.mode
            after.size, after.mtime = len(content), moment
            opened.addfile(after, io.BytesIO(content))
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=packed, mtime=0) as compressed:
        compressed.write(archive.getvalue())
    return packed.getvalue()


def difference(first: Path, second: Path) -> str:
    """The names of the members that differ."""
    one, other = members_of(first), members_of(second)

    def known(members: dict[str, tuple[tarfile.TarInfo, bytes]], name: str) -> object:
        member, content = members.get(name, (None, b""))
        return member and (member.mode, member.mtime, member.type, member.linkname, content)

    names = sorted(name for name in {*one, *other} if known(one, name) != known(other, name))
    return ", ".join(names[:10]) or "the order or the compression of the members"


def build_twice(directory: Path) -> Path:
    """Build the artefact twice, at different places and with different permissions, and keep it if both are the same."""
    moment = time_of_sources()
    kept: list[Path] = []
    with tempfile.TemporaryDirectory() as place:
        for number, umask in enumerate((0o022, 0o077)):
            built = build(Path(place, f"build-{number}"), umask)
            copy = Path(place, str(number), built.name)
            copy.parent.mkdir()
            copy.write_bytes(normalised(built, moment))
            kept.append(copy)
        first, second = kept
        if first.read_bytes() != second.read_bytes():
            raise ReleaseError(f"Two builds of the same sources differ in {difference(first, second)}.")
        directory.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copy(first, directory))


def extract_manifest(tarball: Path) -> bytes:
    return members_of(tarball)[MANIFEST][1]
