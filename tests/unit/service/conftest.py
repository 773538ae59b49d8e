# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import http.client
import json
from types import SimpleNamespace
from urllib.parse import urlencode, urlsplit

import pytest


@pytest.fixture
def send(service):
    """Send one request with http.client, independent of the collection."""

    def run(method, path, form=None, body=None, headers=None, raw=None, content_type=None, key=service.api_key):
        base = urlsplit(service.base_url)
        all_headers = {"Accept": "application/json"}
        data = raw
        if key is not None:
            all_headers["Authorization"] = f"Bearer {key}"
        if form is not None:
            data, content_type = urlencode(form), content_type or "application/x-www-form-urlencoded"
        if body is not None:
            data, content_type = json.dumps(body), content_type or "application/json"
        if content_type:
            all_headers["Content-Type"] = content_type
        connection = http.client.HTTPConnection(base.hostname, base.port, timeout=30)
        try:
            target = path if path.startswith("!") else base.path + path
            connection.request(method, target.lstrip("!"), body=data, headers={**all_headers, **(headers or {})})
            response = connection.getresponse()
            content = response.read()
        finally:
            connection.close()
        kind = response.headers.get("Content-Type")
        packed = response.headers.get("Content-Encoding")
        parsed = json.loads(content) if not packed and kind == "application/json" and content else None
        return SimpleNamespace(
            status=response.status, headers=response.headers, type=kind, raw=content, json=parsed, data=data_of(parsed)
        )

    return run


def data_of(parsed):
    return parsed.get("data") if isinstance(parsed, dict) else None
