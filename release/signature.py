# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The detached signature of MANIFEST.json, in the form that ansible-galaxy verifies."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from .artefact import MANIFEST, ReleaseError, extract_manifest

SIGNATURE = f"{MANIFEST}.asc"
PUBLIC_KEY = "signing-key.asc"


class Gpg:
    """GnuPG with a home directory of its own."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def __call__(self, *arguments: str, given: bytes = b"") -> bytes:
        command = ["gpg", "--homedir", str(self.home), "--batch", "--yes", "--no-tty", *arguments]
        done = subprocess.run(command, input=given, check=False, capture_output=True)
        if done.returncode != 0:
            raise ReleaseError(f"gpg {arguments[0]} failed: {done.stderr.decode(errors='replace').strip()}")
        return done.stdout


@contextlib.contextmanager
def new_home() -> Iterator[Gpg]:
    """GnuPG with an empty home directory, which is removed at the end."""
    with tempfile.TemporaryDirectory(prefix="gpg-") as home:
        try:
            yield Gpg(Path(home))
        finally:
            command = ["gpgconf", "--homedir", home, "--kill", "gpg-agent"]
            subprocess.run(command, check=False, capture_output=True)


def sign(tarball: Path, key: str, passphrase: str) -> tuple[Path, Path]:
    """Write the signature and the public key beside the artefact. The key is an armoured secret key."""
    directory = tarball.parent
    with new_home() as gpg, tempfile.TemporaryDirectory() as place:
        gpg("--import", given=key.encode())
        manifest = Path(place, MANIFEST)
        manifest.write_bytes(extract_manifest(tarball))
        signature, public = directory / SIGNATURE, directory / PUBLIC_KEY
        gpg(
            "--pinentry-mode", "loopback", "--passphrase-fd", "0", "--detach-sign", "--armor",
            "--output", str(signature), str(manifest), given=passphrase.encode(),
        )  # fmt: skip
        public.write_bytes(gpg("--armor", "--export"))
    verify(tarball, signature, public)
    return signature, public


def verify(tarball: Path, signature: Path, public: Path) -> None:
    """Install the artefact and let ansible-galaxy verify its files and the signature. Raise ReleaseError if it refuses."""
    with new_home() as gpg, tempfile.TemporaryDirectory() as place:
        keyring = Path(place, "keyring.gpg")
        gpg("--dearmor", "--output", str(keyring), str(public))
        galaxy = ["ansible-galaxy", "collection"]
        install = [*galaxy, "install", "--no-deps", "--collections-path", place, str(tarball)]
        check = [
            *galaxy, "verify", "--offline", "--collections-path", place, "--keyring", str(keyring),
            "--signature", signature.resolve().as_uri(), "--required-valid-signature-count", "+all", "scanops.scanner",
        ]  # fmt: skip
        # ansible-galaxy also searches the configured paths, and would skip the installation or verify another copy
        only_here = {**os.environ, "ANSIBLE_COLLECTIONS_PATH": place}
        for command in (install, check):
            done = subprocess.run(command, check=False, capture_output=True, text=True, env=only_here)
            if done.returncode != 0:
                raise ReleaseError(f"{' '.join(command[:3])} failed: {done.stdout}{done.stderr}".strip())
