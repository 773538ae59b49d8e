# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""An unsigned attestation: an in-toto Statement v1 that binds the verdict of a gate to images and files. Pure.

https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md

Of the vetted predicates, test-result fits best. Its results are the verdicts of a gate, and it lists the tests of each, here
scans and controls. The predicate svr lists only what passed, so a gate that failed would say nothing. The predicate vulns lists
vulnerabilities, which stay in gate.json. The predicate scai has no result.

The predicate has no names and no texts of findings, because signatures are often published.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..._model.errors import WrongOption, printable
from ..._model.outcomes import FAIL, PASS, PASSED, VERDICTS, WARN, worst_verdict
from ..._model.passwords import without_user_info
from ..._model.safe_text import line
from .document import Document, by_waiver, is_proof, origin_of

NAME = "attestation"
PREDICATE_TYPE = "https://in-toto.io/attestation/test-result/v0.1"
# the field with what test-result has no field for; the specification permits more fields
EXTENSION = "scanops_gate"
# the suboptions of subjects
SUBJECT_OPTIONS: dict[str, Any] = {key: dict(type="str", required=True) for key in ("name", "sha256")}
_RESULTS = {FAIL: "FAILED", WARN: "WARNED", PASS: "PASSED"}
_LISTS = {FAIL: "failedTests", WARN: "warnedTests", PASS: "passedTests"}
# neither its reason nor its matcher, which may name a weakness
_OF_WAIVER = ("file", "line", "status", "owner", "expires")
_OF_SCAN = ("target", "tool", "outcome", "complete", "finished")
_OF_CONTROL = ("name", "target", "tool", "seen")
_OF_RUN = ("collection_version", "coverage", "generated", "outcome", "run", "verdict")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_URL = re.compile(r"https?://[!-~]+")

Subject = Mapping[str, str]


def subjects_of(given: object, is_written: bool) -> Sequence[Subject]:
    """The option ``subjects``. is_written: whether an attestation is. Raises WrongOption."""
    if not isinstance(given or [], (list, tuple)):
        raise WrongOption("subjects is not a list: give a list of dictionaries with name and sha256.")
    subjects: Sequence[Any] = given or ()  # type: ignore[assignment]  # a list, as checked above
    if is_written and not subjects:
        raise WrongOption(
            f"formats has {NAME}, but subjects is empty: add the name and the sha256 of each image or file that the targets"
            f" run, or remove {NAME}."
        )
    if subjects and not is_written:
        raise WrongOption(
            f"subjects has an effect only with artifacts and {NAME} in formats: add them, or remove subjects."
        )
    places: dict[str, int] = {}
    for number, subject in enumerate(subjects):
        _check(subject, f"subjects[{number}]")
        first = places.setdefault(subject["name"], number)
        if first != number:
            raise WrongOption(
                f"subjects[{number}].name is {subject['name']!r}, as in subjects[{first}]: give each subject a name of its own."
            )
    return subjects


def _check(subject: object, where: str) -> None:
    if not isinstance(subject, Mapping) or set(subject) != set(SUBJECT_OPTIONS):
        raise WrongOption(f"{where} is not a dictionary of name and sha256: give both, and nothing else.")
    name, digest = subject["name"], subject["sha256"]
    if not isinstance(name, str) or not name.strip():
        raise WrongOption(f"{where}.name is empty: write the name of the image or file.")
    if name != line(name.strip()):
        raise WrongOption(
            f"{where}.name is {printable(repr(name), 200)}: write one line of at most 500 printable characters, without"
            " spaces around it."
        )
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise WrongOption(
            f"{where}.sha256 is {printable(repr(digest), 100)}: give the SHA-256 digest as 64 lower-case hexadecimal digits,"
            " without sha256: in front of them."
        )


def attestation(document: Document, subjects: Sequence[Subject], gate_json: str) -> str:
    """The Statement, equal for equal documents. gate_json: the text of the file. Raises WrongOption without subjects."""
    if not subjects:
        raise WrongOption(
            "An attestation needs subjects: give the name and the sha256 of each image or file that was judged."
        )
    statement = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [
            {"name": each["name"], "digest": {"sha256": each["sha256"]}} for each in subjects_of(subjects, True)
        ],
        "predicateType": PREDICATE_TYPE,
        "predicate": _predicate(document, gate_json),
    }
    return json.dumps(statement, indent=1, sort_keys=True) + "\n"


def _predicate(document: Document, gate_json: str) -> dict[str, Any]:
    tests: dict[str, str] = {}
    # a name that two tests share has the worse verdict of both
    for name, verdict in _tests(document):
        tests[name] = worst_verdict((verdict, tests.get(name, PASS)))
    proven = is_proof(document) and not document["counts"]["failing"]
    result = worst_verdict((_verdict_of(document, proven), *tests.values()))
    url, build = origin_of(document, "build"), document.get("build")
    return {
        "result": _RESULTS[result],
        "configuration": [
            {"name": "policy", **_digest(json.dumps(document["policy"], sort_keys=True, separators=(",", ":")))}
        ],
        **({"url": url} if _URL.fullmatch(url) else {}),
        **{_LISTS[word]: sorted(name for name in tests if tests[name] == word) for word in VERDICTS},
        EXTENSION: {
            **_shown(document, _OF_RUN),
            "baseline": {key: document["baseline"][key] for key in ("state", "accepted")},
            "build": build and _shown(build, build),
            "controls": [_shown(each, _OF_CONTROL) for each in document.get("controls") or ()],
            "gate": {"name": "gate.json", **_digest(gate_json)},
            "scans": [
                # cosign and protobuf read numbers as floating-point numbers, which would round a long id
                {**_shown(pair, _OF_SCAN), "id": None if pair["scan_id"] is None else str(pair["scan_id"])}
                for pair in document["targets"]
            ],
            "waivers": [
                {**_shown(rows[0]["waiver"], _OF_WAIVER), "findings": len(rows)}
                for _file_and_line, rows in sorted(by_waiver(document).items())
            ],
        },
    }


def _tests(document: Document) -> Iterator[tuple[str, str]]:
    """The name and the verdict of each scan and each control."""
    for pair in document["targets"]:
        yield _place(pair), _verdict_of(pair, pair["complete"])
    unseen = FAIL if document["verdict"] == FAIL else WARN
    for control in document.get("controls") or ():
        yield f"control {line(control['name'])}: {_place(control)}", PASS if control["seen"] is True else unseen


def _verdict_of(judged: Mapping[str, Any], is_whole: bool) -> str:
    """What ``outcomes`` lets pass has not passed: it is a warning."""
    if judged["verdict"] == PASS and (judged["outcome"] != PASSED or not is_whole):
        return WARN
    return str(judged["verdict"])


def _place(of: Mapping[str, Any]) -> str:
    return line(f"{of['target'] or 'unknown target'} with {of['tool'] or 'any tool'}")


def _shown(of: Mapping[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    """Some values, with harmless texts."""
    return {key: line(without_user_info(of[key])) if isinstance(of[key], str) else of[key] for key in keys}


def _digest(text: str) -> dict[str, dict[str, str]]:
    return {"digest": {"sha256": hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()}}
