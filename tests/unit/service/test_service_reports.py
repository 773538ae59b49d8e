# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reports: what they are asked for by, when they are ready, and that their files are what they say."""

from __future__ import annotations

import csv
import html
import http.client
import io
import json
import re
import zipfile
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest
from ansible_collections.scanops.scanner.tests.service.report_files import BUILDERS, TYPES, build

BODY = {"source": "scans", "resources": [40001], "format": "pdf"}
FORMATS = list(TYPES)


@pytest.fixture
def account(service):
    service.add(
        targets=[{"id": 1001, "name": "www.example"}, {"id": 1002, "name": "<b>(shop)\\.example"}],
        scans=[{"target": "www.example"}, {"target_id": 1002}],
        findings=[
            {"id": 1, "name": "Weak, cipher", "task_id": 40001, "risk_level": 3, "cve": ["CVE-2021-1", "CVE-2021-2"]},
            {"id": 2, "name": "<script>alert(1)</script>", "task_id": 40002, "cve": "N/A"},
            {"id": 3, "name": "Weak, cipher", "task_id": 40002, "risk_level": None},
        ],
    )
    return service


@pytest.fixture
def made(account, send):
    """Make a report of both scans; returns its id."""

    def run(**body):
        return send("POST", "/reports", body={**BODY, "resources": [40001, 40002], **body}).data["report_id"]

    return run


def test_a_report_is_made_of_scans_and_of_findings(account, send):
    assert send("POST", "/reports", body=BODY).json == {"data": {"report_id": 301}}
    body = {"source": "findings", "resources": [2, 3], "format": "json", "group_by": "vulnerability"}
    assert send("POST", "/reports", body=body).data == {"report_id": 302}
    assert send("GET", "/reports").data == [
        {"id": 301, "format": "pdf", "status": "finished"},
        {"id": 302, "format": "json", "status": "finished"},
    ]
    assert send("GET", "/reports/302").data == {"id": 302, "format": "json", "status": "finished"}
    groups = send("GET", "/reports/302/download").json
    assert [(group["name"], [each["id"] for each in group["findings"]]) for group in groups] == [
        ("<script>alert(1)</script>", [2]),
        ("Weak, cipher", [3]),
    ]


@pytest.mark.parametrize(
    "body, status",
    [
        ({"source": "targets"}, 400),
        ({"format": "odt"}, 400),
        ({"group_by": "severity"}, 400),
        ({"source": None}, 400),
        ({"other": 1}, 400),
        ({"resources": []}, 422),
        ({"resources": ["40001"]}, 422),
        ({"resources": 40001}, 422),
        ({"resources": [True]}, 422),
        ({"resources": [40001, 9]}, 404),
        ({"source": "findings"}, 404),
    ],
)
def test_what_a_report_cannot_be_made_of(account, send, body, status):
    account.allow_violations = True
    answer = send("POST", "/reports", body={**BODY, **body})
    assert (answer.status, answer.json["status"]) == (status, status)
    assert account.reports() == []


@pytest.mark.parametrize("status", [404, 409])
def test_a_report_takes_its_time_on_the_service_s_clock(account, send, made, status):
    account.settings(report_time=100, report_not_ready=status)
    number = made()
    seen = []
    for seconds in (0, 60, 101):
        account.settings(clock_offset=seconds)
        answer = send("GET", f"/reports/{number}/download")
        seen.append((send("GET", f"/reports/{number}").data["status"], answer.status))
        assert send("GET", "/reports").data[0]["status"] == seen[-1][0]
    assert seen == [("waiting", status), ("running", status), ("finished", 200)]


# --- the files


def test_a_download_names_its_file_and_is_the_same_each_time(account, send, made):
    number = made(format="xlsx")
    first = send("GET", f"/reports/{number}/download")
    assert first.type == TYPES["xlsx"]
    assert first.headers["Content-Disposition"] == f'attachment; filename="report-{number}.xlsx"'
    assert int(first.headers["Content-Length"]) == len(first.raw)
    account.add(findings=[{"name": "late", "task_id": 40001}])
    assert send("GET", f"/reports/{number}/download").raw == first.raw
    account.settings(report_type="application/octet-stream")
    assert send("GET", f"/reports/{number}/download").type == "application/octet-stream"


def read_html(raw):
    text = raw.decode()
    assert text.rstrip().endswith("</html>")
    return [html.unescape(shown) for shown in re.findall(">([^<>]+)<", text)]


def read_csv(raw):
    rows = list(csv.reader(io.StringIO(raw.decode(), newline="")))
    assert len({len(row) for row in rows}) == 1
    return [cell for row in rows for cell in row]


def read_json(raw):
    return [finding["name"] for group in json.loads(raw) for finding in group["findings"]]


def read_pdf(raw):
    """Every object is where the table of the file says, and the text of the pages."""
    start = int(re.search(rb"startxref\n(\d+)\n%%EOF\n\Z", raw).group(1))
    table = raw[start:].split(b"trailer")[0].split(b"\n")[3:-1]
    for number, line in enumerate(table, 1):
        assert raw[int(line[:10]) :].startswith(b"%d 0 obj\n" % number)
    assert raw.startswith(b"%PDF-1.4\n")
    shown = re.findall(rb"\((.*)\) Tj", raw)
    return [re.sub(r"\\(.)", r"\1", line.decode()).partition("] ")[2] for line in shown]


def read_office(raw):
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        assert names[0] == "[Content_Types].xml"
        roots = {name: ElementTree.fromstring(archive.read(name)) for name in names if not name.endswith(".bin")}
    texts = [node.text or "" for root in roots.values() for node in root.iter() if node.tag.endswith("}t")]
    return [text.partition("] ")[2] or text for text in texts]


READERS = {
    "pdf": read_pdf,
    "html": read_html,
    "json": read_json,
    "csv": read_csv,
    "xlsx": read_office,
    "docx": read_office,
}


@pytest.mark.parametrize("form", FORMATS)
def test_a_file_is_whole_and_holds_the_findings(account, send, made, form):
    number = made(format=form)
    answer = send("GET", f"/reports/{number}/download")
    assert answer.type == TYPES[form]
    texts = READERS[form](answer.raw)
    assert texts.count("Weak, cipher") == 2
    assert texts.count("<script>alert(1)</script>") == 1


@pytest.mark.parametrize("form", FORMATS)
def test_a_file_can_be_of_any_size_and_is_whole(form):
    groups = [("www.example", [{"name": f"Weakness {number}"} for number in range(120)])]
    plain, padded = build(form, "Report", groups), build(form, "Report", groups, 300_000)
    assert len(plain) < 300_000 <= len(padded) < 330_000
    assert READERS[form](plain).count("Weakness 119") == READERS[form](padded).count("Weakness 119") == 1
    assert set(BUILDERS) == set(TYPES) == set(READERS)


def test_more_than_the_announced_bytes_arrive(account, send, made):
    """As a bare socket sees it: http.client reads no further than what is announced."""
    number = made(format="csv")
    whole = send("GET", f"/reports/{number}/download").raw
    account.fault(path="/reports/.*", action="long", missing=7)
    base = urlsplit(account.base_url)
    connection = http.client.HTTPConnection(base.hostname, base.port, timeout=30)
    headers = {"Authorization": f"Bearer {account.api_key}", "Accept": "text/csv"}
    connection.request("GET", f"{base.path}/reports/{number}/download", headers=headers)
    answer = connection.getresponse()
    assert (int(answer.headers["Content-Length"]), answer.headers["Connection"]) == (len(whole) - 7, "close")
    stream = answer.fp
    answer.fp = io.BytesIO()
    assert stream.read() == whole
    connection.close()
