# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The values that the options of a report may have. Pure."""

from __future__ import annotations

from .._http.content_types import CONTENT_TYPES

# "raw" is a format of scan outputs only
FORMATS = tuple(name for name in CONTENT_TYPES if name != "raw")
SOURCES = ("scans", "findings")
GROUPINGS = ("target", "vulnerability")
