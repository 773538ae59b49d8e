# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The OpenAPI file, which the service publishes on its host, outside of the API. It needs no key and counts for no limit."""

from __future__ import annotations

from pathlib import Path

from answers import Answer, page

OPENAPI = Path(__file__).with_name("openapi.yml")
PATH = "/api-schema.yml"


def published(settings) -> Answer:
    """The file as these settings have it: the contract beside this module, another text, an HTML page, or nothing."""
    if settings.schema == "missing":
        return page(404, "404 Not Found", "There is no such page.")
    if settings.schema == "html":
        return page(200, "API reference", "Please sign in.")
    text = OPENAPI.read_text(encoding="utf-8") if settings.schema_text is None else settings.schema_text
    return Answer(200, text.encode(), "application/yaml")
