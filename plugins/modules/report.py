#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: report
short_description: Generate and download a report
description:
  - Generates a report of scans or findings, waits until it is ready, and downloads it to O(dest).
  - If O(dest) exists and was downloaded for the same request, nothing changes and no call is sent. A note beside the
    file, C(.NAME.request.json), records the request. If the file or the note is missing, or the file was changed, a new
    report is generated.
  - The module does not ask whether the findings have changed since. For a new report, delete the file or put the date
    into its name.
  - With O(state=absent), deletes a report at the service.
  - Begin with O(source), O(resources), O(format) and O(dest). C(ansible-doc -s scanops.scanner.report) shows all options
    as a task.
  - Cost - none if the file is up to date; a new report costs 1 POST, 3 GET, and 2 GET for each poll. See
    R(Cost in API calls,ansible_collections.scanops.scanner.docsite.guide_costs).
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
extends_documentation_fragment:
  - scanops.scanner.attributes
  - scanops.scanner.attributes.writes
  - scanops.scanner.attributes.action_group
  - scanops.scanner.connection
  - scanops.scanner.files
options:
  id:
    description:
      - The id of an existing report. Its file is downloaded, or with O(state=absent) the report is deleted.
      - Exactly one of O(id) and O(source) is required.
    type: int
  source:
    description:
      - The kind of O(resources).
    type: str
    choices: [scans, findings]
  resources:
    description:
      - The ids of the scans or findings in the report. Their order does not matter.
      - In check mode, null is accepted, because an earlier task returns a null id for a scan that it would start.
    type: list
    elements: int
  format:
    description:
      - The format of the file.
    type: str
    choices: [pdf, html, json, csv, xlsx, docx]
  group_by:
    description:
      - How the report is grouped.
    type: str
    choices: [target, vulnerability]
    default: target
  webhook_url:
    description:
      - A URL that the service notifies when the report is ready. It is sent only when the report is created, so
        changing it does not generate another report.
      - Such a URL often contains a secret. It is treated as one, and is not written to the note beside the file.
      - Danger - whoever runs this URL learns of the report. Scopes do not restrict it, because it is not scanned.
    type: str
  dest:
    description:
      - The path of the file. Its directory must exist. A directory is refused as O(dest), and a symbolic link is
        replaced, not followed.
      - The file is replaced in one step, so O(dest) never holds an incomplete report.
      - A file that another user could have prepared is refused. See
        R(the guide,ansible_collections.scanops.scanner.docsite.guide_gate.trust).
      - Required with O(state=present), refused with O(state=absent).
    type: path
  wait_timeout:
    description:
      - The maximum number of seconds to wait for the report. After that, the task fails with the id of the report,
        which the service continues to generate.
      - The interval between two polls grows from 2 to 15 seconds.
    type: int
    default: 600
  outage_wait:
    description:
      - How long the wait continues while the service does not answer, in seconds or as in V(90s), V(10m) or V(2h). It
        ends with O(wait_timeout) at the latest.
      - Within one poll, O(retries) and O(rate_limit_wait) apply first.
    type: str
    default: 10m
  keep:
    description:
      - Whether to keep the report at the service after the download. By default it is kept, because the web application
        lists it and others may rely on it.
      - With V(false), the report is deleted at the service once its file is on disk, and RV(report) is null. This also
        applies to a report that an earlier run of the same task has kept, and to a report given by O(id).
    type: bool
    default: true
  state:
    description:
      - V(present) makes sure that O(dest) is the file of the report.
      - V(absent) makes sure that the report O(id) does not exist at the service. Downloaded files are kept.
    type: str
    choices: [present, absent]
    default: present
notes:
  - The note beside the file holds the request, the URL of the service, the service's record of the report, and the size
    and checksum of the file. It holds no key, and only its owner can read it. The module ignores a note that every
    user could have written.
  - If the answer to the request for a report is lost, the module does not send the request again. It uses the only new
    report of the same format in the list of reports, with a warning. If the list has none or several, the task fails
    and says so. The next run searches the list before it requests another report.
  - If a task ends while it waits, running it again within a day continues with the same report.
  - A download that is interrupted is retried from its beginning, O(retries) times. A file that is shorter or longer
    than announced, an HTML page instead of another format, and a file whose beginning does not match its format are
    errors.
  - The service may answer a download that is too early with 404 or 409. The module waits in both cases, and reads the
    report each time, so that a deleted or failed report ends the task.
seealso:
  - module: scanops.scanner.report_info
  - module: scanops.scanner.scan_output
"""

EXAMPLES = r"""
- name: Download a PDF report of two scans
  scanops.scanner.report:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    source: scans
    resources: [40001, 40002]
    format: pdf
    group_by: target
    dest: /srv/reports/shop.pdf
    mode: "0640"
    group: security

- name: Download a JSON report, and delete it at the service
  scanops.scanner.report:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    source: scans
    resources: [40001, 40002]
    format: json
    dest: /srv/reports/shop.json
    keep: false

- name: Delete an old report
  scanops.scanner.report:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    id: 301
    state: absent
"""

RETURN = r"""
report:
  description:
    - The report when its file was downloaded, with every field that the service returns. Null if it is absent, or not
      kept.
    - In check mode, RV(report.id) is null for a report that would be generated.
  returned: success
  type: dict
  sample:
    id: 301
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
dest:
  description: The path of the file. Null with O(state=absent).
  returned: success
  type: str
  sample: /srv/reports/shop.pdf
size:
  description: The size of the file in bytes. Null with O(state=absent), and in check mode if it is not known.
  returned: success
  type: int
  sample: 182734
checksum:
  description:
    - The SHA-1 checksum of the file, as returned by C(ansible.builtin.stat). Null if RV(size) is null.
  returned: success
  type: str
  sample: 6e642bb8dd5c2e027bf21dd923337cbb4214f827
"""

from ..module_utils._model.families import REPORT_GROUPINGS, REPORT_SOURCES, REPORT_TYPES
from ..module_utils._scan.report import ensure_report
from ..module_utils._scan.watch import OUTAGE_OPTION
from ..module_utils._task.module import Module, run

OPTIONS = dict(
    id=dict(type="int"),
    source=dict(type="str", choices=list(REPORT_SOURCES)),
    resources=dict(type="list", elements="int"),
    format=dict(type="str", choices=list(REPORT_TYPES)),
    group_by=dict(type="str", choices=list(REPORT_GROUPINGS), default="target"),
    # such an address often holds a secret
    webhook_url=dict(type="str", no_log=True),
    dest=dict(type="path"),
    wait_timeout=dict(type="int", default=600),
    outage_wait=OUTAGE_OPTION,
    keep=dict(type="bool", default=True),
    state=dict(type="str", choices=["present", "absent"], default="present"),
)
MODULE = Module(
    OPTIONS,
    ensure_report,
    add_file_common_args=True,
    required_one_of=[("id", "source")],
    mutually_exclusive=[("id", option) for option in ("source", "resources", "format", "group_by", "webhook_url")],
    required_by=dict(
        source=("resources", "format"), resources=("source",), format=("source",), webhook_url=("source",)
    ),
    required_if=[("state", "present", ("dest",)), ("state", "absent", ("id",))],
)


def main() -> None:
    run(MODULE)


if __name__ == "__main__":
    main()
