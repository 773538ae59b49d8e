# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The OpenAPI file, which the service publishes outside the API, without a key or a rate limit."""

from __future__ import annotations

from pathlib import Path

from .answers import Answer, page
from .families import PATHS
from .settings import Settings

_OPENAPI = Path(__file__).with_name("openapi.yml").read_text(encoding="utf-8")
CONTRACT = _OPENAPI.replace("\ncomponents:\n", f"{PATHS}\ncomponents:\n")
"""The OpenAPI file: openapi.yml, with the paths that families declare beside their operations."""
PATH = "/api-schema.yml"


def published(settings: Settings) -> Answer:
    """The answer that the settings choose: the contract, another text, an HTML page, or 404."""
    if settings.schema == "missing":
        return page(404, "404 Not Found", "This page does not exist.")
    if settings.schema == "html":
        return page(200, "API reference", "Please sign in.")
    text = CONTRACT if settings.schema_text is None else settings.schema_text
    return Answer(200, text.encode(), "application/yaml")
