# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the exports of the gate say, read from their text as another program would."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import xmlschema
from ansible_collections.scanops.scanner.plugins.module_utils._exports import sarif
from ansible_collections.scanops.scanner.plugins.module_utils._exports.document import Choices
from ansible_collections.scanops.scanner.plugins.module_utils._exports.formats import FORMATS, write

SCHEMAS = Path(__file__).parent / "schemas"
GATE_SCHEMA = Path(__file__).resolve().parents[4] / "docs/docsite/gate.schema.json"
JSON_SCHEMAS = {
    name: jsonschema.validators.validator_for(schema)(schema)
    for name, schema in (
        (name, json.loads(path.read_text(encoding="utf-8")))
        for name, path in (
            ("json", GATE_SCHEMA),
            ("sarif", SCHEMAS / "sarif-2.1.0-rtm.5.json"),
            ("gitlab", SCHEMAS / "gitlab-dast-15.1.4-rules.json"),
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

ALL = list(FORMATS)
# not written for an incomplete run
CLOSING = ("gitlab", "defectdojo")
CHOICES = Choices(fallback="estate.yml")
# each format with each choice of what it lists
CHOSEN = [
    *[(name, {}) for name in FORMATS if name != "sarif"],
    *[(name, {"every": False}) for name in CLOSING],
    *[("sarif", {"sarif_profile": profile}) for profile in sarif.PROFILES],
]


def written(name, of, **choices):
    """The texts of a format."""
    return [artefact.text for artefact in write(name, of, CHOICES._replace(**choices)).artefacts]


def defectdojo_hash(finding):
    """By what DefectDojo recognises a finding: dojo/finding/models.py, compute_hash_code_legacy and hash_fields."""
    parts = [finding["title"], finding.get("cwe", 0), None, None, finding["description"], finding.get("service", "")]
    return "".join(map(str, parts)).casefold().strip()


def defectdojo_reimport(existing, findings):
    """The findings that DefectDojo has after a file was imported again, each active or not, by what it recognises them.

    From dojo/importers/default_reimporter.py, without a service and with the default, close_old_findings. Compared with what
    the release 3.2.0 does with the same files. existing: the same of the imports before.
    """
    # only those without a service are closed
    after = {key: (finding, active and bool(finding.get("service"))) for key, (finding, active) in existing.items()}
    for finding in findings:
        key = defectdojo_hash(finding)
        closed = finding["risk_accepted"] or finding["false_p"] or finding["out_of_scope"]
        # what is new is as the file says; what exists is active unless the file closes it, or closed it as one of these
        before, _active = existing.get(key, ({}, False))
        kept = before.get("false_p") or before.get("out_of_scope")
        after[key] = (before if kept else finding, finding["active"] if not before else not closed and not kept)
    return after


def check(name, text):
    """Validate an export against the schema of its format, where one is known."""
    if name in JSON_SCHEMAS:
        JSON_SCHEMAS[name].validate(json.loads(text))
    elif name == "junit":
        JUNIT_SCHEMA.validate(ElementTree.fromstring(text.encode()))
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
        return {identity(each["unique_id_from_tool"]) for each in shown if "state:failing" in each["tags"]}
    if name == "csv":
        shown = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
        return {(each["fingerprint"], int(each["index"])) for each in shown if each["state"] == "failing"}
    if name == "html":
        shown = table_of(text)
        return {(each["fingerprint"], each["index"]) for each in shown if each["state"] == "failing"}
    # Markdown has the number only
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
