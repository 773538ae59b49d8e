# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Put templates into every text field of the records of the local service.

    python plant.py READY MARK TEXTS

READY is what start.py wrote. A template that is evaluated creates the file MARK and yields "templated". TEXTS gets the
templates as a JSON list.
"""

from __future__ import annotations

import json
import sys
import urllib.request
from pathlib import Path

ready, mark, texts = map(Path, sys.argv[1:])
service = json.loads(ready.read_text())

COMMAND = f"lookup('ansible.builtin.pipe', 'touch {mark}; echo tem' ~ 'plated')"
TEXTS = [
    f"{{# x #}}{{{{ {COMMAND} }}}}\n{{% raw %}}",
    f"{{% if {COMMAND} %}}{{{{ 'temp' ~ 'lated' }}}}{{% endif %}}",
    f"#jinja2:variable_start_string:'[[',variable_end_string:']]'\n[[ {COMMAND} ]]",
    # before ansible-core 2.19 a template that gives JSON, and nothing else, gives what it stands for
    "!unsafe " + json.dumps({"__ansible_unsafe": f"{{{{ {COMMAND} }}}}"}),
]
FINDING = ("test_description", "vuln_description", "risk_description", "recommendation", "vuln_id", "cwe", "protocol")
TEMPLATE = ("software_type", "vendor", "product", "codename", "vuln_description", "how_to_reproduce", "recommendation")


def records(number: int, text: str) -> dict:
    place = {"workspace_id": 10 + number}
    whole = {"__ansible_unsafe": text, text: [text]}
    return {
        "workspaces": [{"id": 10 + number, "name": text, "description": text}],
        "targets": [
            {"id": 2000 + number, "name": text, "description": text, "type": text, **place},
            {"id": 3000 + number, "name": f"host{number}.example.com", "description": text, **place},
        ],
        "http_loggers": [
            {
                "id": 600 + number,
                "label": text,
                "requests": [{"ip_address": text, "request_method": text, "request_date": "2024-06-01 00:00:00"}],
                **place,
            }
        ],
        "wordlists": [{"id": 1900 + number, "name": text, "description": text, "words": [text]}],
        "scans": [
            {
                "id": 41000 + number,
                "target_id": 3000 + number,
                "tool_id": 170,
                "tool_params": whole,
                "status_name": "finished",
                "status_message": text,
                "age": 60,
            }
        ],
        "findings": [
            {
                "id": 71000 + number,
                "name": text,
                "task_id": 41000 + number,
                "cve": [text],
                "references": [text],
                "vuln_evidence": {"type": "text", "data": text, **whole},
                "service": text,
                "owasp": whole,
                **dict.fromkeys(FINDING, text),
            }
        ],
        "vpn_profiles": [{"uuid": f"6f9619ff-8b86-5011-b42d-00cf4fc9640{number}", "name": text}],
        "finding_templates": [
            {"id": 9100 + number, "name": text, "cve": [text], **dict.fromkeys(TEMPLATE, text)},
        ],
    }


def control(path: str, body: object) -> None:
    request = urllib.request.Request(
        service["control_url"] + path, json.dumps(body).encode(), {"Content-Type": "application/json"}, method="POST"
    )
    # never through a proxy
    urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60).close()


state = {}
for each, planted in enumerate(TEXTS):
    for family, rows in records(each, planted).items():
        state.setdefault(family, []).extend(rows)
state["reports"] = [{"id": 301, "format": "json", "resources": [41000 + each for each in range(len(TEXTS))]}]
scripts = [
    {"target": f"host{each}.example.com", "tool_id": 20, "end": "aborted", "message": planted}
    for each, planted in enumerate(TEXTS)
]
control("/reset", {"state": state, "settings": {"extra_fields": True, "scan_scripts": scripts, "rate_limits": None}})
control(
    "/faults",
    [
        {"method": "PUT", "nth": number, "action": "status", "status": 400, "message": planted, "details": planted}
        for number, planted in enumerate(TEXTS, 1)
    ],
)
texts.write_text(json.dumps(TEXTS))
