# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the exports of the gate say, read from their text as another program would."""

from __future__ import annotations

import csv
import io
import json
import re
from xml.etree import ElementTree

from ansible_collections.scanops.scanner.plugins.module_utils._exports import sarif
from ansible_collections.scanops.scanner.plugins.module_utils._exports.formats import FORMATS, SARIF, Choices, write

ALL = [*FORMATS, SARIF]
CHOICES = Choices(fallback="estate.yml")
# each format with each choice of what it lists
CHOSEN = [
    *[(name, {}) for name in FORMATS],
    *[(name, {"every": True}) for name in ("gitlab", "defectdojo")],
    *[(SARIF, {"sarif_profile": profile}) for profile in sarif.PROFILES],
]


def written(name, of, **choices):
    """The texts of a format."""
    return [artefact.text for artefact in write(name, of, CHOICES._replace(**choices)).artefacts]


def results_of(text):
    (run,) = json.loads(text)["runs"]
    return run["results"]


def failing_in(name, text, of):
    """The fingerprints, each with its index, that an export shows as failing."""
    if name == "json":
        return {
            (each["fingerprint"], each["index"]) for each in json.loads(text)["findings"] if each["state"] == "failing"
        }
    if name == SARIF:
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
        shown = csv.DictReader(io.StringIO(text, newline=""))
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
