# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files of reports: small and valid in each format, and padded to a minimum size if requested."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from html import escape
from typing import NamedTuple

from .records import Record

COLUMNS = ("id", "name", "risk_level", "status", "cve", "target_name", "vuln_description", "recommendation")
TYPES = {
    "pdf": "application/pdf",
    "html": "text/html; charset=utf-8",
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}
LINES_ON_A_PAGE = 50


class Group(NamedTuple):
    """The findings below one heading."""

    heading: str
    findings: list[Record]


def build(form: str, title: str, groups: list[Group], size: int = 0) -> bytes:
    """The file of a report, with at least `size` bytes."""
    return BUILDERS[form](title, groups, size)


def _rows(groups: list[Group]) -> Iterator[list[str]]:
    for _heading, findings in groups:
        for finding in findings:
            yield [_cell(finding.get(column)) for column in COLUMNS]


def _cell(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


def _lines(title: str, groups: list[Group]) -> list[str]:
    lines = [title]
    for heading, findings in groups:
        lines += ["", heading]
        lines += [f"[{_cell(finding.get('risk_level'))}] {finding['name']}" for finding in findings]
    return lines


# ---- text


def _json(title: str, groups: list[Group], size: int) -> bytes:
    shown = [{"name": heading, "findings": findings} for heading, findings in groups]
    body = json.dumps(shown).encode()
    return body + b" " * max(0, size - len(body) - 1) + b"\n"


def _csv(title: str, groups: list[Group], size: int) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerows([COLUMNS, *_rows(groups)])
    body = text.getvalue().encode()
    line = b"," * (len(COLUMNS) - 1) + b"\r\n"
    return body + line * -(-max(0, size - len(body)) // len(line))


def _html(title: str, groups: list[Group], size: int) -> bytes:
    head = "".join(f"<th>{escape(column)}</th>" for column in COLUMNS)
    rows = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>\n" for row in _rows(groups))
    top = f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title></head>\n'
    body = f"<body><h1>{escape(title)}</h1><table><tr>{head}</tr>\n{rows}</table></body></html>\n".encode()
    filler = max(0, size - len(top.encode()) - len(body) - 7)
    return top.encode() + (b"<!--" + b" " * filler + b"-->" if size else b"") + body


# ---- PDF


def _pdf(title: str, groups: list[Group], size: int) -> bytes:
    lines = _lines(title, groups)
    pages = [lines[start : start + LINES_ON_A_PAGE] for start in range(0, len(lines), LINES_ON_A_PAGE)]
    # 1 is the catalogue, 2 the tree of pages, 3 the font, 4 the filler; then each page followed by its content
    numbers = range(5, 5 + 2 * len(pages), 2)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(b"%d 0 R" % each for each in numbers), len(pages)),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        _stream(b" " * size),
    ]
    for number, page in zip(numbers, pages):
        content = b"BT /F1 10 Tf 14 TL 50 780 Td\n" + b"".join(b"(%s) Tj T*\n" % _pdf_text(line) for line in page)
        objects += [
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R"
            b" /Resources << /Font << /F1 3 0 R >> >> >>" % (number + 1),
            _stream(content + b"ET"),
        ]
    body = [b"%PDF-1.4\n"]
    offsets: list[int] = []
    length = len(body[0])
    for number, content in enumerate(objects, 1):
        offsets.append(length)
        body += [b"%d 0 obj\n" % number, content, b"\nendobj\n"]
        length += sum(map(len, body[-3:]))
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    total = len(objects) + 1
    body.append(
        b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        % (total, table, total, length)
    )
    return b"".join(body)


def _stream(content: bytes) -> bytes:
    return b"".join([b"<< /Length %d >>\nstream\n" % len(content), content, b"\nendstream"])


def _pdf_text(line: str) -> bytes:
    shown = "".join(c if c.isascii() and c.isprintable() else "?" for c in line[:100])
    return "".join("\\" + c if c in "()\\" else c for c in shown).encode()


# ---- office files: ZIP archives of XML parts

_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def _archive(main: str, main_type: str, parts: dict[str, str], size: int) -> bytes:
    """A package whose main part has this type; parts: text by path."""
    types = (
        f'<Override PartName="/{main}" ContentType="application/vnd.openxmlformats-officedocument.{main_type}+xml"/>'
    )
    if "xl/worksheets/sheet1.xml" in parts:
        sheet = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"
        types += f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{sheet}"/>'
    all_parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/><Default Extension="bin"'
        f' ContentType="application/octet-stream"/>{types}</Types>',
        "_rels/.rels": _relations("officeDocument", main),
        **parts,
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in all_parts.items():
            # a fixed date, so that equal reports are equal files
            archive.writestr(zipfile.ZipInfo(path, (2024, 1, 1, 0, 0, 0)), _XML + text, zipfile.ZIP_DEFLATED)
        if size:
            archive.writestr(zipfile.ZipInfo("filler.bin", (2024, 1, 1, 0, 0, 0)), b" " * size, zipfile.ZIP_STORED)
    return packed.getvalue()


def _relations(kind: str, target: str) -> str:
    return (
        f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" Type="{_OFFICE}/{kind}"'
        f' Target="{target}"/></Relationships>'
    )


def _text(value: str) -> str:
    return escape("".join(c if c.isprintable() else " " for c in value))


def _xlsx(title: str, groups: list[Group], size: int) -> bytes:
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    rows = "".join(
        "<row>" + "".join(f'<c t="inlineStr"><is><t>{_text(cell)}</t></is></c>' for cell in row) + "</row>"
        for row in [list(COLUMNS), *_rows(groups)]
    )
    parts = {
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{_OFFICE}"><sheets><sheet name="Findings" sheetId="1"'
        ' r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": _relations("worksheet", "worksheets/sheet1.xml"),
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>',
    }
    return _archive("xl/workbook.xml", "spreadsheetml.sheet.main", parts, size)


def _docx(title: str, groups: list[Group], size: int) -> bytes:
    main = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    lines = "".join(
        f'<w:p><w:r><w:t xml:space="preserve">{_text(line)}</w:t></w:r></w:p>' for line in _lines(title, groups)
    )
    parts = {"word/document.xml": f'<w:document xmlns:w="{main}"><w:body>{lines}</w:body></w:document>'}
    return _archive("word/document.xml", "wordprocessingml.document.main", parts, size)


BUILDERS: dict[str, Callable[[str, list[Group], int], bytes]] = {
    "pdf": _pdf,
    "html": _html,
    "json": _json,
    "csv": _csv,
    "xlsx": _xlsx,
    "docx": _docx,
}
