# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The formats of the gate's artefacts: their file names, and the functions that write them. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import NamedTuple

from . import csv, defectdojo, gitlab, html, junit, markdown, sarif
from .document import Document

_encode = json.JSONEncoder(separators=(",", ":")).encode


class Choices(NamedTuple):
    """What a user can choose. sarif_profile: one of sarif.PROFILES; locations, fallback: see ``sarif``; every: whether gitlab
    and defectdojo list all findings; category: see ``sarif``."""

    sarif_profile: str = "github"
    locations: Mapping[str, tuple[str, int]] = {}
    fallback: str | None = None
    every: bool = False
    category: str | None = None


class Artefact(NamedTuple):
    """A file to write. name: without a directory."""

    name: str
    text: str


class Written(NamedTuple):
    """The artefacts of a format, and what their reader must know, in sentences."""

    artefacts: list[Artefact]
    warnings: list[str]


class Format(NamedTuple):
    """name: of the file; write: makes its text; every_row: whether the failing findings alone are not enough."""

    name: str
    write: Callable[[Document, Choices], str]
    every_row: bool = True


def as_json(document: Document) -> str:
    """The document itself, with a line for each finding."""
    head = {key: value for key, value in document.items() if key != "findings"}
    rows = ",\n".join(map(_encode, document["findings"]))
    return f'{_encode(head)[:-1]},"findings":[\n{rows}\n]}}\n'


SARIF = "sarif"
# all but SARIF, which can be several files
FORMATS: Mapping[str, Format] = {
    "json": Format("gate.json", lambda document, choices: as_json(document)),
    "markdown": Format("gate.md", lambda document, choices: markdown.markdown(document), every_row=False),
    "html": Format("gate.html", lambda document, choices: html.html(document)),
    "junit": Format("gate-junit.xml", lambda document, choices: junit.junit(document)),
    "gitlab": Format("gl-dast-report.json", lambda document, choices: gitlab.gitlab(document, choices.every)),
    "defectdojo": Format(
        "gate-defectdojo.json", lambda document, choices: defectdojo.defectdojo(document, choices.every)
    ),
    "csv": Format("gate.csv", lambda document, choices: csv.table(document)),
}
_STEM, _SUFFIX = "gate", ".sarif"


def write(name: str, document: Document, choices: Choices | None = None) -> Written:
    """The artefacts of a format, a key of FORMATS or SARIF. Raises WrongOption."""
    choices = choices or Choices()
    if name != SARIF:
        return Written([Artefact(FORMATS[name].name, FORMATS[name].write(document, choices))], [])
    exported = sarif.sarif(document, choices.sarif_profile, choices.locations, choices.fallback, choices.category)
    artefacts = [Artefact(f"{_STEM}{part.suffix}{_SUFFIX}", part.text) for part in exported.parts]
    return Written(artefacts, exported.warnings)
