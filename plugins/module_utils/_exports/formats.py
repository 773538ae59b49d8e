# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The formats of the gate's artefacts: their file names, and the functions that write them. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from .._errors import counted
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
    """A format."""

    # the name of its file
    name: str
    # the texts of its files
    write: Callable[[Document, Choices], list[str]]
    # the choices that have an effect on it, as the filter findings_export calls them
    options: tuple[str, ...] = ()
    # whether the failing findings alone are not enough
    every_row: bool = True


def as_json(document: Document) -> str:
    """The document itself, with a line for each finding."""
    head = {key: value for key, value in document.items() if key != "findings"}
    return json_lines(head, "findings", map(encode, document["findings"])) + "\n"


FORMATS: Mapping[str, Format] = {
    "json": Format("gate.json", lambda document, choices: [as_json(document)]),
    "markdown": Format("gate.md", lambda document, choices: [markdown.markdown(document)], every_row=False),
    "html": Format("gate.html", lambda document, choices: [html.html(document)]),
    "junit": Format("gate-junit.xml", lambda document, choices: [junit.junit(document)]),
    "gitlab": Format("gl-dast-report.json", lambda document, choices: [gitlab.gitlab(document, choices)], ("every",)),
    "defectdojo": Format(
        "gate-defectdojo.json", lambda document, choices: [defectdojo.defectdojo(document, choices)], ("every",)
    ),
    "csv": Format("gate.csv", lambda document, choices: [csv.table(document)]),
    "sarif": Format("gate.sarif", sarif.sarif, ("profile", "estate_files", "fallback_file", "category")),
}


def write(name: str, document: Document, choices: Choices) -> Written:
    """The artefacts of a format, a key of FORMATS. Raises WrongOption."""
    file, texts = FORMATS[name].name, FORMATS[name].write(document, choices)
    if len(texts) == 1:
        return Written([Artefact(file, texts[0])], [])
    stem, _dot, extension = file.rpartition(".")
    parts = [Artefact(f"{stem}-{number}.{extension}", text) for number, text in enumerate(texts, start=1)]
    warning = (
        f"The SARIF export is split into {counted(len(texts), 'file')}, because GitHub keeps only {sarif.MOST_RESULTS} results"
        " of a file, and accepts at most 10 MB: upload all of them. Each has a category of its own."
    )
    return Written(parts, [warning])
