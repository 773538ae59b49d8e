# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The formats of the gate's artefacts: their file names, and the functions that write them. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from .._errors import counted
from .._gate_words import WAIVED
from . import csv, defectdojo, gitlab, html, junit, markdown, sarif
from .document import Choices, Document
from .text import encode, json_lines


class Artefact(NamedTuple):
    """A file to write."""

    # without a directory
    name: str
    text: str


class Written(NamedTuple):
    """The artefacts of a format."""

    artefacts: list[Artefact]
    # what their reader must know, in sentences
    warnings: list[str]


class Format(NamedTuple):
    """A format of one file."""

    name: str
    write: Callable[[Document, Choices], str]
    # whether the failing findings alone are not enough
    every_row: bool = True


def as_json(document: Document) -> str:
    """The document itself, with a line for each finding."""
    head = {key: value for key, value in document.items() if key != "findings"}
    return json_lines(head, "findings", map(encode, document["findings"])) + "\n"


SARIF = "sarif"
# all but SARIF, which can be several files
FORMATS: Mapping[str, Format] = {
    "json": Format("gate.json", lambda document, choices: as_json(document)),
    "markdown": Format("gate.md", lambda document, choices: markdown.markdown(document), every_row=False),
    "html": Format("gate.html", lambda document, choices: html.html(document)),
    "junit": Format("gate-junit.xml", lambda document, choices: junit.junit(document)),
    "gitlab": Format("gl-dast-report.json", gitlab.gitlab),
    "defectdojo": Format("gate-defectdojo.json", defectdojo.defectdojo),
    "csv": Format("gate.csv", lambda document, choices: csv.table(document)),
}


def write(name: str, document: Document, choices: Choices) -> Written:
    """The artefacts of a format, a key of FORMATS or SARIF. Raises WrongOption."""
    if name != SARIF:
        return Written([Artefact(FORMATS[name].name, FORMATS[name].write(document, choices))], [])
    texts = sarif.sarif(document, choices)
    if len(texts) == 1:
        return Written([Artefact("gate.sarif", texts[0])], [])
    parts = [Artefact(f"gate-{number}.sarif", text) for number, text in enumerate(texts, start=1)]
    # only the profile for GitHub, which leaves out waived findings, is split
    results = sum(row["state"] != WAIVED for row in document["findings"])
    warning = (
        f"The SARIF export has {counted(results, 'result')} in {counted(len(texts), 'file')}, because GitHub keeps only"
        f" {sarif.MOST_RESULTS} results of a file, and accepts at most 10 MB: upload all of them. Each has a category of its"
        " own."
    )
    return Written(parts, [warning])
