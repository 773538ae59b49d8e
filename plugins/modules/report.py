#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: report
short_description: Have a report made and keep its file
description:
  - Declares that a file holds a report of these scans or findings. Has the report made, waits until its file can be
    had, and streams it to O(dest).
  - Unchanged, without any call, when O(dest) is there and the same was asked for. This is known by a note beside the
    file, named C(.NAME.request.json), which holds what was asked for, the service's record of the report, and the size
    and checksum of the file. Where the file or the note is gone, or the file is not the one of the note, another report
    is made. The service is not asked whether its findings have changed since; delete the file, or name it after the
    day, to have a new report.
  - The file is written beside O(dest) first and put in its place in one step, so that O(dest) is never a part of a
    report. A download that breaks off is tried again from its beginning, O(retries) times. One that is shorter or
    longer than announced, an HTML page in place of another format, and a file that does not begin as its format does
    are errors.
  - A report is never asked for twice unseen. Where the answer to its creation was lost, the one new report of the same
    format in the list of reports is taken for it, with a warning. Where there is none, or more than one, the task fails
    and says so, and the next run of the task looks in the list before it asks for another report. A task that ended
    while it waited goes on with the same report when it is run again within a day.
  - Cost - none where the file is there; a new report costs 1 POST and 3 GET, and 2 GET more for each look while it is
    not ready; by O(id) 2 GET. O(keep=false) costs 1 DELETE more. O(state=absent) costs 1 GET, and 1 DELETE where the
    report is there.
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
extends_documentation_fragment:
  - scanops.scanner.attributes
  - scanops.scanner.attributes.writes
  - scanops.scanner.attributes.action_group
  - scanops.scanner.connection
  - ansible.builtin.files
options:
  id:
    description:
      - The id of a report that is there already. Its file is fetched, or with O(state=absent) it is deleted.
      - Exactly one of O(id) and O(source) is required.
    type: int
  source:
    description:
      - What O(resources) are.
    type: str
    choices: [scans, findings]
  resources:
    description:
      - The ids of the scans or findings that the report is made of, in any order.
      - In check mode the null that an earlier task returned for a scan not yet started is accepted.
    type: list
    elements: int
  format:
    description:
      - The format of the file.
    type: str
    choices: [pdf, html, json, csv, xlsx, docx]
  group_by:
    description:
      - How the report is ordered.
    type: str
    choices: [target, vulnerability]
    default: target
  webhook_url:
    description:
      - An address that the service sends a message to when the report is ready. It is sent with the creation of the
        report and at no other time, so another O(webhook_url) does not lead to another report.
      - The service contacts this address, and whoever runs it learns of the report. Scopes do not restrict it, as it is
        not scanned.
      - Such an address often holds a secret. It is treated as one, and is not kept in the note beside the file.
    type: str
  dest:
    description:
      - The path of the file, in a folder that is there. A folder is refused; a link is replaced and not followed.
      - A file of another user is refused where every user can create files, as in C(/tmp), unless O(owner) is given.
      - Required with O(state=present), refused with O(state=absent).
    type: path
  wait_timeout:
    description:
      - How many seconds to wait until the file can be had. The report goes on after that; the task says its id.
      - The time from one look to the next grows from 2 to 15 seconds.
    type: int
    default: 600
  keep:
    description:
      - Whether the report stays at the service once O(dest) is there. The default is to leave it, as it is listed in
        the web application and others may rely on it.
      - With V(false) it is deleted after its file is safe, and RV(report) is null. This also holds for a report that
        an earlier run of the same task has kept, and for one that is given by O(id).
    type: bool
    default: true
  state:
    description:
      - V(present) makes sure that O(dest) is the file of the report.
      - V(absent) makes sure that the report O(id) is not at the service. Files that were fetched are left alone.
    type: str
    choices: [present, absent]
    default: present
notes:
  - The note beside the file is relied on only where no other user can have written it. It holds the address of the
    service and ids, no key, and is readable for its owner only.
  - The service may answer a download that is too early with 404 or 409; both are waited for, and the report is read
    each time, so that one that was deleted or has failed ends the task.
seealso:
  - module: scanops.scanner.report_info
  - module: scanops.scanner.scan_output
"""

EXAMPLES = r"""
- name: Keep a PDF report of two scans
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

- name: Keep the same as JSON, and leave nothing at the service
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
    - The report, with every field that the service gives, as it was when its file was fetched; null when it is absent,
      or not kept.
    - In check mode RV(report.id) is null for a report that would be made.
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
      description: Its status, null where the service tells none.
      returned: success
      type: str
      sample: finished
dest:
  description: The path of the file; null with O(state=absent).
  returned: success
  type: str
  sample: /srv/reports/shop.pdf
size:
  description: The size of the file in bytes; null with O(state=absent), and in check mode where it is not known.
  returned: success
  type: int
  sample: 182734
checksum:
  description:
    - The SHA-1 checksum of the file, as C(ansible.builtin.stat) gives it; null where RV(size) is.
  returned: success
  type: str
  sample: 6e642bb8dd5c2e027bf21dd923337cbb4214f827
"""

from ansible_collections.scanops.scanner.plugins.module_utils._module import run
from ansible_collections.scanops.scanner.plugins.module_utils._reports import (
    FORMATS,
    GROUPINGS,
    SOURCES,
    ensure_report,
)

OPTIONS = dict(
    id=dict(type="int"),
    source=dict(type="str", choices=list(SOURCES)),
    resources=dict(type="list", elements="int"),
    format=dict(type="str", choices=list(FORMATS)),
    group_by=dict(type="str", choices=list(GROUPINGS), default="target"),
    # such an address often holds a secret
    webhook_url=dict(type="str", no_log=True),
    dest=dict(type="path"),
    wait_timeout=dict(type="int", default=600),
    keep=dict(type="bool", default=True),
    state=dict(type="str", choices=["present", "absent"], default="present"),
)


def main():
    run(
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


if __name__ == "__main__":
    main()
