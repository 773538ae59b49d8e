# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the exports of the gate say, read from their text as another program would."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import xmlschema
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats import sarif
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.document import Choices
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.registry import FORMATS, write

SCHEMAS = Path(__file__).parent / "schemas"
GATE_SCHEMA = Path(__file__).resolve().parents[5] / "docs/docsite/gate.schema.json"
JSON_SCHEMAS = {
    name: jsonschema.validators.validator_for(schema)(schema)
    for name, schema in (
        (name, json.loads(path.read_text(encoding="utf-8")))
        for name, path in (
            ("json", GATE_SCHEMA),
            ("sarif", SCHEMAS / "sarif-2.1.0-rtm.5.json"),
            ("gitlab", SCHEMAS / "gitlab-dast-15.1.4-rules.json"),
            ("attestation", SCHEMAS / "in-toto-test-result-0.1-rules.json"),
        )
    )
}
JUNIT_SCHEMA = xmlschema.XMLSchema(str(SCHEMAS / "junit-10.xsd"))
# what dojo/tools/generic/json_parser.py of DefectDojo takes, of those that its releases since 2.51 know
DEFECTDOJO_FIELDS = {
    "title", "severity", "description", "date", "cwe", "cve", "cvssv3", "mitigation", "impact", "steps_to_reproduce",
    "severity_justification", "references", "active", "verified", "false_p", "out_of_scope", "risk_accepted",
    "under_review", "is_mitigated", "thread_id", "mitigated", "numerical_severity", "param", "payload", "line", "file_path",
    "component_name", "component_version", "static_finding", "dynamic_finding", "scanner_confidence",
    "unique_id_from_tool", "vuln_id_from_tool", "sast_source_object", "sast_sink_object", "sast_source_line",
    "sast_source_file_path", "nb_occurences", "publish_date", "service", "planned_remediation_date", "endpoints", "files",
    "tags", "vulnerability_ids", "epss_score", "epss_percentile", "cvssv3_score", "known_exploited",
}  # fmt: skip

GOLDEN = Path(__file__).parent / "golden"
ALL = list(FORMATS)
# not written for an incomplete run
CLOSING = ("gitlab", "defectdojo", "sarif")
# those of which a user chooses what they list
LISTING = ("gitlab", "defectdojo")
SUBJECTS = [{"name": "ghcr.io/example/shop", "sha256": "0123456789abcdef" * 4}]
CHOICES = Choices(fallback="estate.yml", subjects=SUBJECTS)
# each format with each choice of what it lists
CHOSEN = [
    *[(name, {}) for name in FORMATS if name != "sarif"],
    *[(name, {"every": False}) for name in LISTING],
    *[("sarif", {"sarif_profile": profile}) for profile in sarif.PROFILES],
]


def check_golden(name, text):
    """Compare a text with a file in golden/. `SCANNER_TEST_WRITE_GOLDEN=1 make unit` writes these files anew."""
    # a file with the line ends of CSV could not be in the repository
    text = text.replace("\r\n", "<CR>\n")
    if os.environ.get("SCANNER_TEST_WRITE_GOLDEN"):
        (GOLDEN / name).write_bytes(text.encode())
    assert (GOLDEN / name).read_bytes().decode() == text


def written(name, of, **choices):
    """The texts of a format."""
    return [artefact.text for artefact in write(name, of, CHOICES._replace(**choices)).artefacts]


def defectdojo_hash(finding):
    """By what DefectDojo recognises a finding: dojo/finding/models.py, compute_hash_code_legacy and hash_fields."""
    parts = [finding["title"], finding.get("cwe", 0), None, None, finding["description"], finding.get("service", "")]
    return "".join(map(str, parts)).casefold().strip()


class DefectDojo:
    """A test of DefectDojo, as the source of its release 3.2.0 says what an import does to the findings in it.

    dojo/importers/default_reimporter.py for the import, dojo/importers/base_importer.py (mitigate_finding) for what closes a
    finding, and dojo/finding/helper.py (update_finding_status) for what follows from a status.
    """

    FLAGS = ("false_p", "out_of_scope", "risk_accepted")

    def __init__(self, recognise=defectdojo_hash):
        """recognise: by hash unless an administrator has set DD_DEDUPLICATION_ALGORITHM_PER_PARSER."""
        self.findings = {}
        self.description = None
        self._recognise = recognise

    @property
    def active(self):
        return {found["unique_id_from_tool"] for found in self.findings.values() if found["active"]}

    def reimport(self, text, service=None, close_old_findings=True):
        report = json.loads(text)
        # update_test_from_internal_test
        self.description = report["description"]
        original = [key for key, found in self.findings.items() if found.get("service") == service]
        untouched = set()
        for given in report["findings"]:
            found = {"is_mitigated": False, **dict.fromkeys(self.FLAGS, False), "active": True, **given}
            key = self._recognise(found)
            if key in self.findings:
                self._match(self.findings[key], found, untouched, key)
            else:
                self.findings[key] = _saved(found)
        for key in original if close_old_findings else ():
            known = self.findings[key]
            if key not in untouched and not known["is_mitigated"]:
                # a mitigated finding is no longer accepted
                known.update(active=False, is_mitigated=True, risk_accepted=False)

    def _match(self, known, found, untouched, key):
        """Change a finding that the test has; its texts, its severity and its tags stay. untouched: those not to close."""
        if any(known[flag] for flag in self.FLAGS):
            equal = all(known[flag] == found[flag] for flag in self.FLAGS)
            if equal or (known["risk_accepted"] and not known["active"]):
                untouched.add(key)
        elif known["is_mitigated"]:
            untouched.add(key)
            if not found["is_mitigated"]:
                known.update(active=True, is_mitigated=False)
        elif found["is_mitigated"]:
            known.update(active=False, is_mitigated=True)
        elif any(found[flag] for flag in self.FLAGS):
            known.update({flag: found[flag] for flag in self.FLAGS}, active=False)
            known["is_mitigated"] = known["false_p"] or known["out_of_scope"]
        else:
            untouched.add(key)


def _saved(found):
    """A new finding, as the database has it."""
    if found["active"]:
        return {**found, "false_p": False, "out_of_scope": False, "is_mitigated": False}
    return {**found, "is_mitigated": found["is_mitigated"] or found["false_p"] or found["out_of_scope"]}


def check(name, text):
    """Validate an export against the schema of its format, where one is known."""
    if name in JSON_SCHEMAS:
        JSON_SCHEMAS[name].validate(json.loads(text))
    elif name == "junit":
        JUNIT_SCHEMA.validate(ElementTree.fromstring(text.encode()))
    elif name == "calendar":
        events_of(text)
    elif name == "defectdojo":
        for finding in json.loads(text)["findings"]:
            assert set(finding) <= DEFECTDOJO_FIELDS
            assert finding["severity"] in {"Critical", "High", "Medium", "Low", "Info"}
            assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", finding["date"])
            assert len(finding["title"]) <= 511
            assert len(finding["unique_id_from_tool"]) <= 500


def results_of(text):
    (run,) = json.loads(text)["runs"]
    return run["results"]


def events_of(text):
    """The events of a calendar, each as a dictionary of the texts of its properties. Read as RFC 5545 says, and strictly."""
    *lines, last = text.split("\r\n")
    assert last == "" and "\n" not in "".join(lines)
    assert max(len(each.encode()) for each in lines) <= 75
    unfolded = text.replace("\r\n ", "").split("\r\n")[:-1]
    assert unfolded[0] == "BEGIN:VCALENDAR" and unfolded[-1] == "END:VCALENDAR"
    assert unfolded[1] == "VERSION:2.0" and unfolded[2].startswith("PRODID:")
    events, inside = [], []
    for each in unfolded[1:-1]:
        name, value = each.split(":", 1)
        if name == "BEGIN":
            inside.append(value)
            if value == "VEVENT":
                events.append({})
        elif name == "END":
            assert inside.pop() == value
        elif inside == ["VEVENT"]:
            assert name not in events[-1]
            events[-1][name] = re.sub(r"\\([\\;,])", r"\1", value)
            if name in ("SUMMARY", "DESCRIPTION"):
                assert not re.search(r"(?<!\\)[;,]", value.replace("\\\\", ""))
    assert not inside and "BEGIN:V" in "".join(unfolded[1:])
    for event in events:
        assert {"UID", "DTSTAMP", "SUMMARY"} <= set(event)
        assert re.fullmatch(r"[0-9]{8}", event.get("DTSTART;VALUE=DATE", "")) or re.fullmatch(
            r"[0-9]{8}T[0-9]{6}Z", event["DTSTART"]
        )
    assert len({event["UID"] for event in events}) == len(events)
    return events


def failing_in(name, text, of):
    """The fingerprints, each with its index, that an export shows as failing."""
    if name == "json":
        return {
            (each["fingerprint"], each["index"]) for each in json.loads(text)["findings"] if each["state"] == "failing"
        }
    if name == "sarif":
        shown = [each["properties"] for each in results_of(text)]
        return {(each["fingerprint"], each["index"]) for each in shown if each["state"] == "failing"}
    if name == "junit":
        shown = [failure.text.split("\n")[0] for failure in ElementTree.fromstring(text.encode()).iter("failure")]
        return {identity(each.removeprefix("Fingerprint: ")) for each in shown}
    if name == "gitlab":
        shown = json.loads(text)["vulnerabilities"]
        return {identity(each["id"]) for each in shown if each["details"]["state"]["value"] == "failing"}
    if name == "defectdojo":
        shown = json.loads(text)["findings"]
        failing = [each for each in shown if re.match(r"`+\nOn \S+: \w+, failing: ", each["severity_justification"])]
        return {identity(each["unique_id_from_tool"]) for each in failing}
    if name == "csv":
        shown = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
        return {(each["fingerprint"], int(each["index"])) for each in shown if each["state"] == "failing"}
    if name == "html":
        shown = table_of(text)
        return {(each["fingerprint"], each["index"]) for each in shown if each["state"] == "failing"}
    if name == "calendar":
        # it has what will fail
        shown = [each for each in events_of(text) if each["SUMMARY"].startswith("Begins to fail: ")]
        assert len(shown) == sum(each["due"] is not None for each in of["findings"])
        return {(each["fingerprint"], each["index"]) for each in of["findings"] if each["state"] == "failing"}
    if name == "attestation":
        # it has the verdict only
        shown = {(each["fingerprint"], each["index"]) for each in of["findings"] if each["state"] == "failing"}
        result = json.loads(text)["predicate"]["result"]
        return result if shown and result == "PASSED" else shown
    assert name == "markdown", f"say here which findings a file of the format {name} shows as failing"
    # it has the number only
    (number,) = re.findall(r"^\| failing \| (\d+) \|", text, re.MULTILINE)
    shown = {(each["fingerprint"], each["index"]) for each in of["findings"] if each["state"] == "failing"}
    return shown if int(number) == len(shown) else number


def table_of(page):
    """The findings in the table of a page."""
    data = json.loads(re.search(r'<script type="application/json" id="rows">(.*?)</script>', page, re.DOTALL)[1])
    return [dict(zip(data["columns"], cells)) for cells in data["rows"]]


def identity(text):
    fingerprint, dummy, index = text.rpartition("#")
    return fingerprint, int(index)
