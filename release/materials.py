# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The software bill of materials, in the format CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/)."""

from __future__ import annotations

import hashlib
import re
import sys
import uuid
from datetime import datetime, timezone
from pathlib import Path

import yaml
from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, Property, XsUri
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.model.contact import OrganizationalContact
from cyclonedx.model.license import DisjunctiveLicense
from cyclonedx.model.lifecycle import LifecyclePhase, PredefinedLifecycle
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

from .artefact import CHECKOUT, ReleaseError, declared

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

OURS = "The scanops.scanner contributors"


def sha256(path: Path) -> HashType:
    return HashType(alg=HashAlgorithm.SHA_256, content=hashlib.sha256(path.read_bytes()).hexdigest())


def files_of_others() -> list[Component]:
    """The files that REUSE.toml attributes to others."""
    annotations = tomllib.loads((CHECKOUT / "REUSE.toml").read_text(encoding="utf-8"))["annotations"]
    return [
        Component(
            type=ComponentType.FILE,
            name=each["path"],
            bom_ref=each["path"],
            copyright=each["SPDX-FileCopyrightText"],
            licenses=[DisjunctiveLicense(id=each["SPDX-License-Identifier"])],
            hashes=[sha256(CHECKOUT / each["path"])],
        )
        for each in annotations
        if each["SPDX-FileCopyrightText"] != OURS
    ]


def packages() -> list[Component]:
    """The Python packages that the collection needs, with the range of versions."""
    runtime = yaml.safe_load((CHECKOUT / "meta" / "runtime.yml").read_text(encoding="utf-8"))
    text = (CHECKOUT / "meta" / "ee-requirements.txt").read_text(encoding="utf-8")
    needed = re.findall(r"^([\w.-]+) *([<>=!~].*)?$", text, re.MULTILINE)
    return [
        Component(
            name=name,
            bom_ref=f"pkg:pypi/{name}",
            purl=PackageURL("pypi", name=name),
            scope=ComponentScope.REQUIRED,
            description="Not in the artefact; installed beside it",
            properties=[Property(name="scanops:versions", value=versions or "any")],
        )
        for name, versions in [("ansible-core", runtime["requires_ansible"]), *needed]
    ]


def bill(tarball: Path, moment: int) -> bytes:
    """The bill of an artefact: the same bytes for the same artefact. Raise ReleaseError if the schema refuses it."""
    collection, digest = declared(), sha256(tarball)
    name = f"{collection['namespace']}.{collection['name']}"
    described = Component(
        name=name,
        bom_ref=name,
        version=collection["version"],
        description=collection["description"],
        authors=[OrganizationalContact(name=author) for author in collection["authors"]],
        licenses=[DisjunctiveLicense(id=each) for each in collection["license"]],
        hashes=[digest],
        external_references=[
            ExternalReference(type=ExternalReferenceType.VCS, url=XsUri(collection["repository"])),
            ExternalReference(type=ExternalReferenceType.ISSUE_TRACKER, url=XsUri(collection["issues"])),
        ],
    )
    metadata = BomMetaData(
        component=described,
        timestamp=datetime.fromtimestamp(moment, timezone.utc),
        lifecycles=[PredefinedLifecycle(LifecyclePhase.BUILD)],
    )
    components = packages() + files_of_others()
    bom = Bom(components=components, serial_number=uuid.uuid5(uuid.NAMESPACE_URL, digest.content), metadata=metadata)
    bom.register_dependency(described, components)
    written: str = JsonV1Dot6(bom).output_as_string(indent=2) + "\n"
    refused = JsonStrictValidator(SchemaVersion.V1_6).validate_str(written)
    if refused:
        raise ReleaseError(f"The bill of materials is not valid CycloneDX 1.6: {refused}")
    return written.encode()
