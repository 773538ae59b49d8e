# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A release without an account: each step of the workflow, with a throw-away key."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from release import __main__ as program
from release import artefact, materials, signature

CHECKOUT = Path(__file__).parents[2]

gpg_needed = pytest.mark.skipif(shutil.which("gpg") is None, reason="gpg is not on PATH")


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """The directory of a release."""
    directory = tmp_path_factory.mktemp("release")
    program.build(directory)
    return directory


@pytest.fixture(scope="module")
def tarball(built) -> Path:
    return program.built(built)


@pytest.fixture(scope="module")
def secret_key() -> str:
    with signature.new_home() as gpg:
        gpg("--passphrase", "correct horse", "--pinentry-mode", "loopback", "--quick-generate-key", "Nobody", "ed25519")
        return gpg(
            "--passphrase", "correct horse", "--pinentry-mode", "loopback", "--armor", "--export-secret-keys"
        ).decode()


def packed(path: Path, contents: dict[str, bytes]) -> Path:
    """An artefact with these files, in this order."""
    with tarfile.open(path, "w:gz") as opened:
        for name, content in contents.items():
            place = path.parent / "member"
            place.write_bytes(content)
            opened.add(place, arcname=name)
    return path


def small_artefact(path: Path, names: list[str]) -> Path:
    """What ansible-galaxy builds if the file system lists the files in this order."""
    entries = [{"name": "."}, *({"name": name} for name in names)]
    files = artefact.as_json({"files": entries, "format": 1})
    manifest = {"file_manifest_file": {"chksum_sha256": hashlib.sha256(files).hexdigest()}}
    contents = {name: name.encode() for name in names}
    return packed(path, {artefact.MANIFEST: artefact.as_json(manifest), artefact.FILES: files, **contents})


def test_neither_the_order_nor_the_time_of_the_files_reaches_the_artefact(tmp_path):
    one = small_artefact(tmp_path / "one.tar.gz", ["a.py", "b.py"])
    os.utime(one)
    other = small_artefact(tmp_path / "other.tar.gz", ["b.py", "a.py"])
    assert one.read_bytes() != other.read_bytes()
    assert artefact.normalised(one, 5) == artefact.normalised(other, 5) != artefact.normalised(one, 6)


def test_the_manifest_has_the_checksum_of_the_sorted_files(tmp_path):
    path = tmp_path / "sorted.tar.gz"
    path.write_bytes(artefact.normalised(small_artefact(tmp_path / "one.tar.gz", ["b.py", "a.py"]), 5))
    members = artefact.members_of(path)
    assert list(members) == ["MANIFEST.json", "FILES.json", "a.py", "b.py"]
    manifest = json.loads(members["MANIFEST.json"][1])
    digest = hashlib.sha256(members["FILES.json"][1]).hexdigest()
    assert manifest["file_manifest_file"]["chksum_sha256"] == digest


def test_a_difference_of_two_builds_is_named(monkeypatch, tmp_path):
    """Each build writes something of its own, such as a random number in a generated file."""

    def build(place, umask):
        place.mkdir()
        return small_artefact(place / "small.tar.gz", ["a.py", f"generated-{umask}.py"])

    monkeypatch.setattr(artefact, "build", build)
    with pytest.raises(artefact.ReleaseError) as refused:
        artefact.build_twice(tmp_path / "release")
    assert str(refused.value) == (
        "Two builds of the same sources differ in FILES.json, MANIFEST.json, generated-18.py, generated-63.py."
    )
    assert not (tmp_path / "release").exists()


def test_the_artefact_has_the_time_of_the_sources_and_no_name_in_its_header(tarball):
    times = {member.mtime for member, dummy in artefact.members_of(tarball).values()}
    assert times == {artefact.time_of_sources()}
    header = tarball.read_bytes()[:10]
    # flags without a name, and no time
    assert header[3] == 0 and header[4:8] == b"\0\0\0\0" and gzip.decompress(tarball.read_bytes())


def test_galaxy_imports_the_artefact(tarball, tmp_path):
    settings = tmp_path / "importer.cfg"
    settings.write_text("[galaxy-importer]\nrun_ansible_lint = False\nrun_flake8 = True\n", encoding="utf-8")
    command = [sys.executable, "-m", "galaxy_importer.main", str(tarball)]
    env = {**os.environ, "GALAXY_IMPORTER_CONFIG": str(settings)}
    done = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True, env=env)
    assert done.returncode == 0 and "Importer processing completed successfully" in done.stdout, done.stdout
    assert re.findall(r"^.*(?:WARNING|ERROR).*$", done.stdout + done.stderr, re.MULTILINE) == []
    result = json.loads((tmp_path / "importer_result.json").read_text(encoding="utf-8"))
    names = {entry["name"] for entry in result["contents"] if entry["content_type"] == "module"}
    assert names == {path.stem for path in (CHECKOUT / "plugins" / "modules").glob("*.py")} - {"__init__"}


def test_the_bill_of_materials_names_the_artefact_and_what_it_needs(built, tarball):
    """The program has validated it by the schema of CycloneDX."""
    bill = json.loads(next(built.glob("*.cdx.json")).read_text(encoding="utf-8"))
    assert bill["metadata"]["component"]["version"] == artefact.declared()["version"]
    (digest,) = bill["metadata"]["component"]["hashes"]
    assert digest == {"alg": "SHA-256", "content": hashlib.sha256(tarball.read_bytes()).hexdigest()}
    needed = {each["name"]: each["properties"][0]["value"] for each in bill["components"] if "purl" in each}
    assert needed == {"ansible-core": ">=2.16.0", "requests": ">=2.31"}
    others = {each["name"]: each["licenses"][0]["license"]["id"] for each in bill["components"] if "purl" not in each}
    assert set(others.values()) == {"MIT"} and all((CHECKOUT / name).is_file() for name in others)


def test_the_bill_of_materials_is_the_same_for_the_same_artefact(built, tarball):
    written = next(built.glob("*.cdx.json")).read_bytes()
    assert materials.bill(tarball, artefact.time_of_sources()) == written


def test_an_invalid_bill_of_materials_is_refused(monkeypatch, tarball):
    monkeypatch.setattr(materials, "declared", lambda: {**artefact.declared(), "license": ["Proprietary"]})
    with pytest.raises(artefact.ReleaseError, match=r"^The bill of materials is not valid CycloneDX 1\.6"):
        materials.bill(tarball, 0)


def test_a_release_without_a_key_says_so(built, monkeypatch, capsys):
    monkeypatch.delenv("RELEASE_SIGNING_KEY", raising=False)
    before = sorted(path.name for path in built.iterdir())
    program.main(["sign", "--directory", str(built)])
    assert capsys.readouterr().out == "RELEASE_SIGNING_KEY is not set: the release has no signature.\n"
    assert sorted(path.name for path in built.iterdir()) == before


@pytest.fixture
def signed(built, secret_key, monkeypatch, tmp_path) -> Path:
    """The directory of a release with a signature."""
    directory = Path(shutil.copytree(built, tmp_path / "signed"))
    monkeypatch.setenv("RELEASE_SIGNING_KEY", secret_key)
    monkeypatch.setenv("RELEASE_SIGNING_PASSPHRASE", "correct horse")
    program.main(["sign", "--directory", str(directory)])
    return directory


@pytest.fixture
def forged(tarball, tmp_path) -> Path:
    """The artefact with one more entry in MANIFEST.json."""
    forged = tmp_path / "forged" / tarball.name
    forged.parent.mkdir()
    forged.write_bytes(with_other_manifest(tarball))
    return forged


def verify(tarball: Path, signed: Path) -> None:
    signature.verify(tarball, signed / signature.SIGNATURE, signed / signature.PUBLIC_KEY)


@gpg_needed
def test_ansible_galaxy_verifies_the_signature(signed, forged):
    assert {"MANIFEST.json.asc", "signing-key.asc"} <= {path.name for path in signed.iterdir()}
    assert "PRIVATE KEY" not in (signed / "signing-key.asc").read_text(encoding="utf-8")
    with pytest.raises(artefact.ReleaseError, match=r"^ansible-galaxy collection verify failed"):
        verify(forged, signed)


def install(tarball: Path, place: Path, monkeypatch) -> None:
    """Install an artefact where ansible-core finds it by default."""
    monkeypatch.setenv("ANSIBLE_COLLECTIONS_PATH", str(place))
    command = ["ansible-galaxy", "collection", "install", "--no-deps", "--force", str(tarball)]
    subprocess.run(command, check=True, capture_output=True)


@gpg_needed
def test_an_installed_copy_is_not_verified_instead_of_the_artefact(signed, forged, tarball, monkeypatch, tmp_path):
    install(forged, tmp_path / "forged-copy", monkeypatch)
    verify(tarball, signed)
    install(tarball, tmp_path / "right-copy", monkeypatch)
    with pytest.raises(artefact.ReleaseError, match=r"^ansible-galaxy collection verify failed"):
        verify(forged, signed)


def with_other_manifest(tarball: Path) -> bytes:
    before = artefact.members_of
    members = before(tarball)
    manifest = json.loads(members["MANIFEST.json"][1])
    manifest["collection_info"]["description"] = "Another one"
    members["MANIFEST.json"] = (members["MANIFEST.json"][0], artefact.as_json(manifest))
    try:
        artefact.members_of = lambda path: members
        return artefact.normalised(tarball, 0)
    finally:
        artefact.members_of = before


@gpg_needed
def test_a_wrong_passphrase_is_refused(tarball, secret_key, tmp_path):
    copy = Path(shutil.copy(tarball, tmp_path))
    with pytest.raises(artefact.ReleaseError, match=r"^gpg --pinentry-mode failed"):
        signature.sign(copy, secret_key, "wrong")


def test_a_directory_without_an_artefact_is_refused(tmp_path):
    with pytest.raises(SystemExit, match=r"^No release: .* has 0 artefacts instead of 1\. Run the step build first\.$"):
        program.main(["sign", "--directory", str(tmp_path)])
