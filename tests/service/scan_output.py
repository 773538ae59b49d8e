# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The output of scans: parsed output by kind of tool, raw text, and a PDF of one page."""

from __future__ import annotations

from .findings import SAMPLES
from .records import Record


def quiet_tests(scan: Record, findings: list[Record]) -> list[Record]:
    """An entry for each test that found nothing. A test in `unfinished` of the scan's script did not finish."""
    found = {finding.get("vuln_id") for finding in findings}
    return [
        {
            "id": number,
            "name": f"Nothing was found: {sample['name']}",
            "vuln_id": "NONVULN-00-0000000",
            "risk_level": 0,
            "status": "open",
            "confirmed": False,
            "verified": False,
            "cve": [],
            "cvss": None,
            # The published client reads these of every entry, and shows none of them if they are empty.
            "vuln_description": "",
            "risk_description": "",
            "recommendation": "",
            "vuln_evidence": {"type": "text", "data": ""},
            "test_description": sample["test_description"],
            "test_finished": number not in scan["script"]["unfinished"],
        }
        for number, sample in SAMPLES.items()
        if sample["vuln_id"] not in found
    ]


def parsed(scan: Record, target: Record, findings: list[Record]) -> Record:
    """The JSON output, whose type depends on the tool."""
    kind, data = KINDS.get(scan["tool_id"], _finding_list)(target["name"], findings)
    return {"output_type": kind, "output_data": data}


def _finding_list(_name: str, findings: list[Record]) -> tuple[str, Record]:
    # the entries of an output have neither their target nor their scan
    return "finding_list", {
        "findings": [
            {field: value for field, value in finding.items() if field not in ("target_id", "task_id")}
            for finding in findings
        ]
    }


def _subdomain_list(name: str, _findings: list[Record]) -> tuple[str, Record]:
    rows = [
        {"hostname": f"{label}.{name}", "ip_address": f"192.0.2.{number}", "resolved": True}
        for number, label in enumerate(("www", "mail"), 10)
    ]
    return "subdomain_list", {"subdomains": rows}


def _domain_list(name: str, _findings: list[Record]) -> tuple[str, Record]:
    return "domain_list", {"domains": [{"domain": name}, {"hostname": f"shop.{name}"}]}


def _ports(name: str, _findings: list[Record]) -> tuple[str, Record]:
    ports = [{"number": 443, "state": "open", "service": "https"}, {"number": 22, "state": "closed", "service": "ssh"}]
    return "port_scanner", {"ip_address": "192.0.2.10", "hostnames": [name], "ports": ports}


def _waf(_name: str, _findings: list[Record]) -> tuple[str, Record]:
    return "waf_results", {"detected": True, "wafs": ["Example WAF"]}


KINDS = {20: _subdomain_list, 70: _ports, 390: _domain_list, 500: _waf}


def raw_text(scan: Record, target: Record, findings: list[Record]) -> str:
    lines = [f"Scan {scan['id']} of {target['name']}: {scan['status_name']}", "", "Überblick"]
    lines += [f"[{finding.get('risk_level')}] {finding['name']}" for finding in findings]
    return "\n".join(lines) + "\n"


def pdf(scan: Record, target: Record, findings: list[Record]) -> bytes:
    """A valid PDF file of one page with one line of text."""
    shown = "".join(c if c.isascii() and c.isprintable() and c not in "()\\" else "?" for c in target["name"])
    text = f"Scan {scan['id']} of {shown}: {len(findings)} findings"
    stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
    ]
    body = b"%PDF-1.4\n"
    offsets: list[int] = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    trailer = b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
    return body + trailer % (size, table, size, len(body))
