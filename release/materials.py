# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The software bill of materials, in the format CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/)."""

from __future__ import annotations

import hashlib
import json
import re
import sys
import uuid
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import yaml
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from .artefact import CHECKOUT, ReleaseError, declared

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

OURS = "The scanops.scanner contributors"


def python_requirements() -> dict[str, str]:
    """The Python packages that the modules need, with the range of versions."""
    text = (CHECKOUT / "meta" / "ee-requirements.txt").read_text(encoding="utf-8")
    return dict(re.findall(r"^([\w.-]+) *([<>=!~].*)?$", text, re.MULTILINE))


def files_of_others() -> list[dict[str, Any]]:
    """Components for the files that REUSE.toml attributes to others."""
    annotations = tomllib.loads((CHECKOUT / "REUSE.toml").read_text(encoding="utf-8"))["annotations"]
    return [
        {
            "type": "file",
            "bom-ref": each["path"],
            "name": each["path"],
            "copyright": each["SPDX-FileCopyrightText"],
            "licenses": [{"license": {"id": each["SPDX-License-Identifier"]}}],
            "hashes": [
                {"alg": "SHA-256", "content": hashlib.sha256((CHECKOUT / each["path"]).read_bytes()).hexdigest()}
            ],
        }
        for each in annotations
        if each["SPDX-FileCopyrightText"] != OURS
    ]


def package(name: str, versions: str) -> dict[str, Any]:
    return {
        "type": "library",
        "bom-ref": f"pkg:pypi/{name}",
        "name": name,
        "purl": f"pkg:pypi/{name}",
        "scope": "required",
        "description": "Not in the artefact; installed beside it",
        "properties": [{"name": "scanops:versions", "value": versions or "any"}],
    }


def bill(tarball: Path, moment: int) -> bytes:
    """The bill of an artefact: the same bytes for the same artefact. Raise ReleaseError if the schema refuses it."""
    collection = declared()
    digest = hashlib.sha256(tarball.read_bytes()).hexdigest()
    full_name = f"{collection['namespace']}.{collection['name']}"
    runtime = yaml.safe_load((CHECKOUT / "meta" / "runtime.yml").read_text(encoding="utf-8"))
    packages = {"ansible-core": runtime["requires_ansible"], **python_requirements()}
    components = [package(name, versions) for name, versions in sorted(packages.items())] + files_of_others()
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": uuid.uuid5(uuid.NAMESPACE_URL, digest).urn,
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(moment, timezone.utc).isoformat(),
            "lifecycles": [{"phase": "build"}],
            "component": {
                "type": "library",
                "bom-ref": full_name,
                "name": full_name,
                "version": collection["version"],
                "description": collection["description"],
                "authors": [{"name": name} for name in collection["authors"]],
                "licenses": [{"license": {"id": each}} for each in collection["license"]],
                "hashes": [{"alg": "SHA-256", "content": digest}],
                "externalReferences": [
                    {"type": "vcs", "url": collection["repository"]},
                    {"type": "issue-tracker", "url": collection["issues"]},
                ],
            },
        },
        "components": components,
        "dependencies": [{"ref": full_name, "dependsOn": [each["bom-ref"] for each in components]}],
    }
    written = json.dumps(document, indent=2).encode() + b"\n"
    refused = JsonStrictValidator(SchemaVersion.V1_6).validate_str(written.decode())
    if refused:
        raise ReleaseError(f"The bill of materials is not valid CycloneDX 1.6: {refused}")
    return written
