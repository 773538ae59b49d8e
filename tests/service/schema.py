# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The OpenAPI file, which the service publishes outside the API, without a key or a rate limit."""

from __future__ import annotations

from pathlib import Path

from .answers import Answer, page
from .settings import Settings

OPENAPI = Path(__file__).with_name("openapi.yml")
PATH = "/api-schema.yml"


def published(settings: Settings) -> Answer:
    """The answer that the settings choose: the contract beside this module, another text, an HTML page, or 404."""
    if settings.schema == "missing":
        return page(404, "404 Not Found", "This page does not exist.")
    if settings.schema == "html":
        return page(200, "API reference", "Please sign in.")
    text = OPENAPI.read_text(encoding="utf-8") if settings.schema_text is None else settings.schema_text
    return Answer(200, text.encode(), "application/yaml")
