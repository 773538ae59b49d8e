#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: report_info
short_description: Read reports
description:
  - Returns all reports, or one report by id. The service has no filters for reports.
  - Cost - 1 GET.
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
extends_documentation_fragment:
  - scanops.scanner.attributes
  - scanops.scanner.attributes.reads
  - scanops.scanner.attributes.action_group
  - scanops.scanner.connection
options:
  id:
    description:
      - Return only the report with this id. An unknown id returns an empty list.
    type: int
seealso:
  - module: scanops.scanner.report
"""

EXAMPLES = r"""
- name: Read all reports
  scanops.scanner.report_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
  register: account

- name: Delete all PDF reports
  scanops.scanner.report:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    id: "{{ item }}"
    state: absent
  loop: "{{ account.reports | selectattr('format', '==', 'pdf') | map(attribute='id') }}"
"""

RETURN = r"""
reports:
  description: The reports, with every field that the service returns. Empty if no report has this id.
  returned: success
  type: list
  elements: dict
  sample:
    - id: 301
      format: pdf
      status: finished
  contains:
    id:
      description: The id of the report.
      returned: success
      type: int
      sample: 301
    format:
      description: The format of its file.
      returned: success
      type: str
      sample: pdf
    status:
      description: Its status. Null if the service returns none.
      returned: success
      type: str
      sample: finished
"""

from ..module_utils._model.families import REPORT
from ..module_utils._task.module import Module, run
from ..module_utils._task.references import information

OPTIONS = dict(id=dict(type="int"))
MODULE = Module(OPTIONS, lambda task: dict(reports=information(task, REPORT)))


def main() -> None:
    run(MODULE)


if __name__ == "__main__":
    main()
