# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What galaxy.yml says, which modules cannot read on their host: the version, and where the documentation is. Pure."""

from __future__ import annotations

COLLECTION_VERSION = "1.0.0"
DOCUMENTATION = "https://github.com/scanops/scanops.scanner"
# tests/generate.py writes a section for each word that has an address
PAGE = f"{DOCUMENTATION}/blob/main/docs/docsite/rst/outcomes.rst"


def section_of(word: str, kind: str = "outcome") -> str:
    """The address of the section of a word. kind: outcome or policy of the gate, fix or estate for the roles."""
    return f"{PAGE}#{kind}-{word}".replace("_", "-")
