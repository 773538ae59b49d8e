# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The content types of downloads. Pure."""

from __future__ import annotations

_OFFICE = "application/vnd.openxmlformats-officedocument."

# the content type of each format, asked for in a download and refused in the place of another one
CONTENT_TYPES = {
    "pdf": "application/pdf",
    "html": "text/html",
    "json": "application/json",
    "csv": "text/csv",
    "xlsx": _OFFICE + "spreadsheetml.sheet",
    "docx": _OFFICE + "wordprocessingml.document",
    "raw": "text/plain",
}
