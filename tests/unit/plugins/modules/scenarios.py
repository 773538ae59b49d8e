# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a task of each module may be, on one account, and the calls that it costs. Tests of all modules walk this table.

scenarios.yml has what is not derived from the declaration of a family.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.fingerprint import Subject, fingerprint_of
from ansible_collections.scanops.scanner.plugins.module_utils._model.families import FAMILIES as TABLE
from ansible_collections.scanops.scanner.tests.service.families import FAMILIES
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.simple_families import MODULES as OF_SIMPLE
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.simple_families import (
    SIMPLE,
    Task,
    read_tasks,
    write_tasks,
)

# the files in the directory in which a task runs
FILES = {
    "kept.txt": "Scan 40001 of www.example.com: finished\n\nÜberblick\n[3] SQL injection\n[3] SQL injection\n",
}
# creates that no unique key protects, so that a lost one is never sent again; their bodies are JSON
STARTS = ("/scans", "/reports")
_KNOWN = {
    "held": ", ".join(f"GET {TABLE[name].path}" for name in TABLE["workspace"].holds),
    "rest": ", ".join(
        f"GET {family.path}"
        for family in TABLE.values()
        if not family.paged and family.name not in ("workspace", "http_logger", "wordlist", "finding")
    ),
    "fingerprint": fingerprint_of(Subject("www.example.com", "WEBSCAN-00-0000001", port=443, protocol="tcp")),
}


def _data() -> dict[str, Any]:
    text = Path(__file__).with_suffix(".yml").read_text(encoding="utf-8")
    for name, known in _KNOWN.items():
        text = text.replace(f"{{{name}}}", known)
    return yaml.safe_load(text)


def _tasks(tasks: dict[str, dict[str, Any]]) -> dict[str, Task]:
    """The tasks by name, which begins with the module."""
    return {
        name: Task(
            name.partition("-")[0],
            task.get("options", {}),
            task.get("changed", False),
            tuple(task["calls"].split(", ")),
            task.get("warns"),
        )
        for name, task in tasks.items()
    }


_DATA = _data()
ACCOUNT: dict[str, list[dict[str, Any]]] = {
    **{family.name: list(family.examples) for family in FAMILIES if family.examples},
    **_DATA["account"],
}
WRITES = {
    **{name: task for family in SIMPLE for name, task in write_tasks(family, ACCOUNT).items()},
    **_tasks(_DATA["writes"]),
}
READS = {
    **{name: task for family in SIMPLE for name, task in read_tasks(family, ACCOUNT).items()},
    **_tasks(_DATA["reads"]),
}
PROBES = _tasks(_DATA["probes"])

MODULES = tuple(sorted({task.module for task in (*WRITES.values(), *READS.values(), *PROBES.values())}))
# those that take one object, by its name or its id
_OTHERS = {"estate", "estate_info", "report", "report_info", "service_info", "service_verification", "targets"}
_OTHERS |= {"coverage_info", "finding", "gate", "scan", "scan_info", "scan_output", "scan_output_info"}
# its files change, and it shows no difference
WITHOUT_DIFF = ("gate",)
SINGLE = tuple(module for module in MODULES if module not in _OTHERS)

DEFAULT_FORM = _DATA["default_form"]
ANSWER_FORMS = {name: (form["settings"], form["calls"]) for name, form in _DATA["answer_forms"].items()}


def key_of(module: str) -> str:
    """The result key that holds the module's record or records."""
    if module in OF_SIMPLE:
        return OF_SIMPLE[module].plural if module.endswith("_info") else module
    keys = {
        "coverage_info": "rows",
        "gate": "targets",
        "http_logger_data": "cleared",
        "http_logger_data_info": "requests",
        "targets": "results",
        "estate": "results",
        "estate_info": "workspaces",
        "scan_output": "checksum",
        "scan_output_info": "output",
        "service_info": "service",
        "service_verification": "rows",
    }
    return keys.get(module) or (f"{module[:-5]}s" if module.endswith("_info") else module)
