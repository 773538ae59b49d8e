# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The formats of the gate's artefacts: their file names, and the functions that write them. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from ..._model.errors import counted
from ..._model.safe_text import encode, json_lines
from . import attestation, calendar, csv, defectdojo, gitlab, html, junit, markdown, sarif
from .document import Choices, Document, is_proof, is_whole, published
from .schema import DOCUMENT


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


NOTHING_WRITTEN = Written([], [])


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
    # a program that closes what its file lacks, whatever the file says of itself
    closes: str | None = None
    # whether it may have several files
    several: bool = False
    # whether it says something of findings that no gate has judged
    unjudged: bool = False
    # raises WrongOption if this host cannot write it
    check: Callable[[], object] = bool


def as_json(document: Document) -> str:
    """The document itself, with a line for each finding. A result of the module has more keys, which are left out."""
    head = {key: value for key, value in document.items() if key != "findings" and key in DOCUMENT}
    return json_lines(head, "findings", map(encode, document["findings"])) + "\n"


# the one list of formats: the module gate and the filter findings_export take their choices from it
FORMATS: Mapping[str, Format] = {
    "json": Format("gate.json", lambda document, choices: [as_json(document)]),
    "markdown": Format("gate.md", lambda document, choices: [markdown.markdown(document)], every_row=False),
    "html": Format("gate.html", lambda document, choices: [html.html(document)], check=html.template),
    "sarif": Format(
        "gate.sarif",
        sarif.sarif,
        ("profile", "estate_files", "fallback_file", "category"),
        closes="GitHub",
        several=True,
    ),
    "junit": Format("gate-junit.xml", lambda document, choices: [junit.junit(document)]),
    "gitlab": Format(
        "gl-dast-report.json",
        lambda document, choices: [gitlab.gitlab(document, choices)],
        ("every",),
        closes="GitLab",
    ),
    "defectdojo": Format(
        "gate-defectdojo.json",
        lambda document, choices: [defectdojo.defectdojo(document, choices)],
        ("every",),
        closes="DefectDojo",
    ),
    "csv": Format("gate.csv", lambda document, choices: [csv.table(document)], unjudged=True),
    "calendar": Format("gate.ics", lambda document, choices: [calendar.calendar(document)]),
    attestation.NAME: Format(
        "gate.intoto.json",
        lambda document, choices: [attestation.attestation(document, choices.subjects, as_json(document))],
        ("subjects",),
    ),
}


def write(name: str, document: Document, choices: Choices) -> Written:
    """The artefacts of a format, a key of FORMATS; none of one that would close findings which the run may not have seen.

    Raises WrongOption.
    """
    described, document = FORMATS[name], published(document)
    if described.closes and not is_proof(document):
        why = "the run is not complete" if not is_whole(document) else "it is unknown whether everything was scanned"
        return Written(
            [],
            [
                f"{described.name} was not written, because {why}, and {described.closes} closes each finding that a file"
                " lacks: keep what it has until the next complete run."
            ],
        )
    texts = described.write(document, choices)
    stem, _dot, extension = described.name.rpartition(".")
    names = [described.name, *(f"{stem}-{number}.{extension}" for number in range(2, len(texts) + 1))]
    warning = (
        f"The SARIF export has {counted(len(texts), 'file')}, because GitHub accepts at most {sarif.MOST_RUNS} runs and 10 MB"
        " in one upload: upload each file in a step of its own. Their directory would be one upload."
    )
    return Written(list(map(Artefact, names, texts)), [warning] if len(texts) > 1 else [])


def outdated(name: str, written: Written, present: Iterable[str]) -> list[str]:
    """The files of a format that an earlier run wrote, and this one did not. present: the names in their directory."""
    stem, _dot, extension = map(re.escape, FORMATS[name].name.rpartition("."))
    number = "(?:-[1-9][0-9]{0,3})?" if FORMATS[name].several else ""
    pattern = re.compile(rf"{stem}{number}\.{extension}")
    return sorted(set(filter(pattern.fullmatch, present)) - {artefact.name for artefact in written.artefacts})
