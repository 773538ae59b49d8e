# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What users write: each file and each option is read, or refused with a sentence of ours, and what is written is read back."""

from __future__ import annotations

import json
import math
import re

import yaml
from ansible.errors import AnsibleFilterError
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.scanops.scanner.plugins.filter.estate_files import estate_files
from ansible_collections.scanops.scanner.plugins.filter.estate_yaml import estate_yaml
from ansible_collections.scanops.scanner.plugins.module_utils._estate.declaration import read_estate
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.matchers import matchers_of
from ansible_collections.scanops.scanner.plugins.module_utils._evidence.rows import rows_of
from ansible_collections.scanops.scanner.plugins.module_utils._gate.baseline import Baseline, update
from ansible_collections.scanops.scanner.plugins.module_utils._gate.baseline_file import StaleBaseline, parse, render
from ansible_collections.scanops.scanner.plugins.module_utils._gate.enrichment import read_epss, read_known_exploited
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.document import read_document
from ansible_collections.scanops.scanner.plugins.module_utils._gate.gate_json import saved_of
from ansible_collections.scanops.scanner.plugins.module_utils._gate.policy import POLICY_OPTIONS, mapping_of, policy_of
from ansible_collections.scanops.scanner.plugins.module_utils._gate.waivers import read_waivers
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import WrongOption
from ansible_collections.scanops.scanner.plugins.module_utils._model.outcomes import OUTCOMES
from ansible_collections.scanops.scanner.plugins.module_utils._model.strict_json import without_halves
from ansible_collections.scanops.scanner.plugins.plugin_utils import _plan_file
from ansible_collections.scanops.scanner.tests.fuzz.properties import growth, prop
from ansible_collections.scanops.scanner.tests.fuzz.strategies import (
    as_json,
    changed,
    fields,
    odd,
    scalars,
    spoilt,
    texts,
    values,
)
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils import gate_documents
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_memory_values import finding, pair, run
from hypothesis import strategies as st

NOW = 1795341600.0
SECRET = "hunter2-planted"


def is_sentence(error):
    """Whether a message is for people: lines of printable text that begin like a sentence and end like one."""
    lines = str(error).split("\n")
    return bool(lines[0]) and all(line.isprintable() for line in lines) and lines[0][-1] in ".?"


def refused(read, *arguments):
    """What a reader returns, or None where it refuses with a sentence."""
    try:
        return read(*arguments)
    except WrongOption as error:
        assert is_sentence(error), str(error)
        return None


# --- baselines

BASELINE = update(
    Baseline("Web shop", "1.0.0"),
    run(pair(finding("a", cve=["CVE-2021-44228"]), finding("b", 4), finding("a", 1), scan_id=7)),
    "1.0.0",
)
BASELINE_DATA = json.loads(render(BASELINE))


@prop(
    content=st.one_of(
        spoilt(changed(BASELINE_DATA).map(as_json)), spoilt(st.just(render(BASELINE).encode())), values.map(as_json)
    )
)
def test_each_baseline_file_is_a_baseline_or_stale_with_a_reason(content):
    read = parse(content, "Web shop")
    if isinstance(read, StaleBaseline):
        assert is_sentence(read.sentence("baseline.json"))
    else:
        assert parse(render(read), read.workspace) == read


@prop(
    name=texts, target=texts, check=st.one_of(st.none(), texts), cve=st.lists(texts, max_size=2), port=scalars,
    workspace=st.one_of(st.none(), texts), evidence=values,
)  # fmt: skip
def test_a_baseline_of_any_findings_is_read_as_it_was_written(name, target, check, cve, port, workspace, evidence):
    # as the border leaves what the service sends
    name, target, check, cve, workspace = without_halves([name, target, check, cve, workspace])
    found = finding(check, name=name, cve=cve, port=port, vuln_evidence=evidence)
    baseline = update(Baseline(workspace, "1.0.0"), run(pair(found, target=target)), "1.0.0")
    assert parse(render(baseline), workspace) == baseline


# --- waivers

WAIVER = {
    "check": "WEB-1",
    "reason": "Because",
    "owner": "Jo",
    "expires": "2026-12-31",
    "port": 443,
    "target": "a.example",
}
yaml_texts = st.lists(
    st.sampled_from(
        ["version: 1\n", "waivers:\n", "  - ", "check: ", "reason: x\n", "    owner: y\n", "    expires: 2026-12-31\n", "&a ",
         "*a", "!!timestamp ", "!!int ", "[", "]", "{", "}", ", ", ": ", "? ", "| \n", '"', "'", "#", "\t", "---\n", "...\n",
         "never", "null", "%YAML 9\n", "<<: ", "- - - ", "2026-02-31", "port: 1e3\n", "\u2028", "\x85"]
    ),
    max_size=16,
).map(lambda parts: "".join(parts).encode())  # fmt: skip


@prop(
    content=st.one_of(
        spoilt(changed({"version": 1, "waivers": [WAIVER, {**WAIVER, "name": "TLS *"}]}).map(as_json)),
        yaml_texts,
        st.binary(max_size=40),
    )
)
def test_each_waiver_file_waives_or_is_refused_with_its_lines(content):
    rules = refused(read_waivers, [("w.yml", content)], NOW)
    for rule in rules or ():
        assert rule.waiver.reason and rule.waiver.owner
        # without allow_permanent, each waiver ends
        assert rule.ends < math.inf


# --- policy, matchers, outcomes


def typed(option, suboptions, given):
    """The value of an option as ansible-core converts it, None where it refuses it."""
    if not isinstance(given, dict):
        return None
    spec = {option: {"type": "dict", **({"options": suboptions} if suboptions else {})}}
    read = ArgumentSpecValidator(spec).validate({option: given})
    return None if read.error_messages else read.validated_parameters[option]


POLICY = {
    "fail_on": "high", "max": {"medium": 3}, "min_cvss": 7.0, "min_epss": "0.1", "older_than": {"high": "30d"},
    "include": [{"name": "TLS *"}], "exclude": [{"target": "*.a.example", "port": 443, "cve": "CVE-2021-44228"}],
    "missing": "fail", "only_new": False,
}  # fmt: skip
ROWS = rows_of([pair(finding("a", cve=["CVE-2021-44228"]), finding("b", 4))])


@prop(given=st.one_of(changed(POLICY), fields(*POLICY), values))
def test_each_policy_judges_or_is_refused(given):
    policy = refused(policy_of, typed("policy", POLICY_OPTIONS, given))
    if policy is not None:
        for row in ROWS:
            assert policy.counts(row)[1]
            policy.out_of_scope(row)
            policy.too_old(row, 86400)
        policy.exceeded(ROWS)
        json.dumps(policy.record())


patterns = st.one_of(
    texts,
    st.lists(st.sampled_from(["[", "]", "!", "-", "*", "?", "a", "z", "&&", "||", "~~", "--", "\\", "^"])).map("".join),
)


@prop(
    given=st.lists(
        st.dictionaries(
            st.sampled_from(["name", "target", "check", "cve", "severity", "port", "fingerprint"]),
            st.one_of(patterns, scalars),
            max_size=3,
        ),
        max_size=2,
    )
)
def test_each_matcher_matches_or_is_refused(given):
    for matcher in refused(matchers_of, given, "policy.exclude") or ():
        for row in ROWS:
            # what matches for certain also may match
            assert matcher.may_match(row) or not matcher.matches(row)


@prop(
    given=st.one_of(values, st.dictionaries(st.sampled_from(OUTCOMES), st.one_of(texts, st.just("warn")), max_size=3))
)
def test_each_meaning_of_outcomes_is_read_or_refused(given):
    meaning = refused(mapping_of, typed("outcomes", None, given))
    assert meaning is None or set(meaning) == set(OUTCOMES)


# --- saved findings and documents

DOCUMENT = gate_documents.document([gate_documents.row(), gate_documents.waived(2)])
LINE = {
    "id": 1,
    "name": "Weak cipher",
    "risk_level": 3,
    "target_id": 5,
    "task_id": 9,
    "cve": "CVE-2024-1000",
    "port": 443,
}


@prop(
    content=st.one_of(
        spoilt(changed(DOCUMENT).map(as_json)),
        spoilt(st.lists(st.one_of(changed(LINE), st.just(LINE)).map(as_json), max_size=3).map(b"\n".join)),
        st.binary(max_size=40),
    )
)
def test_each_file_of_findings_is_read_completely_or_refused(content):
    saved = refused(saved_of, content, "findings.jsonl", NOW)
    if saved is None:
        return
    rows = saved.rows
    policy = policy_of({"fail_on": "low", "min_cvss": 5, "min_epss": 0.1, "older_than": {"unknown": "1d"}})
    for row in rows:
        assert row.severity in ("critical", "high", "medium", "low", "info", "unknown")
        assert policy.counts(row)[1]
    if content.removeprefix(b"\xef\xbb\xbf").strip():
        assert saved.pairs or saved.troubles or json.loads(content.decode("utf-8-sig"))["schema"]


@prop(value=st.one_of(changed(DOCUMENT), values, changed(DOCUMENT).map(as_json), texts))
def test_each_document_is_accepted_by_exports_or_refused(value):
    document = refused(read_document, value)
    assert document is None or "findings" in document


# --- EPSS and known exploited vulnerabilities

EPSS = b"#model_version:v2025.03.14,score_date:2026-01-31T12:55:00Z\ncve,epss,percentile\nCVE-2021-44228,0.94,0.99\n"
KEV = {"count": 1, "dateReleased": "2026-01-31T12:00:00.0Z", "vulnerabilities": [{"cveID": "CVE-2021-44228"}]}


@prop(content=st.one_of(spoilt(st.just(EPSS)), spoilt(st.just(EPSS + EPSS.replace(b"44228", b"44229"))), st.binary()))
def test_each_epss_file_is_read_or_refused_and_never_empty(content):
    read = refused(read_epss, content, "epss.csv")
    if read is not None:
        assert read.scores and all(0 <= score <= 1 for score in read.scores.values())


@prop(
    content=st.one_of(
        spoilt(changed(KEV).map(as_json)),
        spoilt(st.just(b'cveID,name\nCVE-2021-44228,"a\nb"\n')),
        st.binary(max_size=40),
    )
)
def test_each_catalogue_is_read_or_refused_and_never_empty(content):
    read = refused(read_known_exploited, content, "kev.json")
    assert read is None or read.scores


# --- estates, names and plans

TARGETS = [{"name": "a.example", "description": "d"}, "b.example", {"name": "c.example", "ignore": True}]
ESTATE = [{"name": "A", "description": "d", "targets": TARGETS, "http_loggers": [{"label": "l"}]}, {"name": "B"}]


@prop(given=st.one_of(changed(ESTATE), values))
def test_each_estate_is_declared_or_refused(given):
    wanted = refused(read_estate, given)
    if wanted is not None:
        assert len(wanted) == len(given)


estates = st.recursive(
    st.one_of(st.none(), st.booleans(), texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=6,
)


@prop(data=estates)
def test_an_estate_in_yaml_is_read_back_as_the_same_data(data):
    try:
        text = str(estate_yaml(data))
    except AnsibleFilterError as error:
        # half of a surrogate pair
        assert "estate_yaml: " in str(error)
        return
    assert yaml.load(text, Loader=_Loader) == data  # a safe loader


class _Loader(yaml.SafeLoader):
    """Reads what has the tag !unsafe as text."""


_Loader.add_constructor("!unsafe", lambda loader, node: loader.construct_scalar(node))


@prop(names=st.lists(texts, max_size=4, unique=True))
def test_each_workspace_has_a_file_of_its_own(names):
    files = [str(each["name"]) for each in estate_files([{"name": name} for name in names])]
    assert len({name.lower() for name in files}) == len(names)
    assert [
        name for name in files if not (name.isascii() and name.endswith(".yml") and not set(name) & set('/\\:*?"<>|\0'))
    ] == []


PLAN = {
    "actions": [{"action": "create", "resource": "target", "name": "a", "workspace": "A", "before": None, "after": {}}]
}


@prop(
    content=st.one_of(changed(PLAN).map(as_json), values.map(as_json), st.binary(max_size=40), st.just(b"[" * 20_000))
)
def test_each_plan_file_is_read_or_has_a_problem(content):
    plan, problem = _plan_file.read(content.decode("utf-8", "replace"), NOW, 3600)
    assert (plan is None) != (problem is None)


# --- secrets

where = st.sampled_from(
    [
        "https://user:{}@a.example/",
        "https://user:{}@a .example/",
        "https://user:{}@evil.example\\@a.example/",
        "https://{}:{}@10.0.0.1\t/",
        "https://a.example/?token={}",
        "https://a..example/?token={}",
        "https://user:{}@[::1/",
    ]
)


@prop(shape=where, extra=odd)
def test_a_secret_in_a_url_of_a_scan_is_in_no_message(shape, extra):
    from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import Refused
    from ansible_collections.scanops.scanner.plugins.module_utils._model.families import SCAN
    from ansible_collections.scanops.scanner.plugins.module_utils._scope.permit import Permits
    from ansible_collections.scanops.scanner.plugins.module_utils._scope.rules import compile_scope

    permits = Permits(compile_scope({"allow": ["good.example"]}))
    try:
        permits.refuse_body(SCAN.path, {"tool_params": {"login_url": shape.format(SECRET, SECRET) + extra}})
    except Refused as error:
        assert SECRET not in str(error)


# --- work


@prop(
    unit=st.one_of(odd, texts),
    reader=st.sampled_from(["waivers", "baseline", "lines", "epss", "kev", "estate", "policy", "yaml"]),
)
def test_reading_a_file_costs_no_more_than_its_length(unit, reader):
    unit = unit[:20]

    def read(number):
        names = [f"{unit}{index}" for index in range(number)]
        # above some depth, waivers are read by another parser, which takes more steps for each byte
        flat = [re.sub(r"[\[\]{}]", "", name) for name in names]
        contents = {
            "waivers": as_json({"version": 1, "waivers": [{**WAIVER, "check": name} for name in flat]}),
            "baseline": as_json({**BASELINE_DATA, "findings": BASELINE_DATA["findings"] * number}),
            "lines": b"\n".join(as_json({**LINE, "id": index, "name": name}) for index, name in enumerate(names)),
            "epss": EPSS + b"".join(b"CVE-2021-%05d,0.5,0.5\n" % index for index in range(number)),
            "kev": as_json(
                {"vulnerabilities": [{"cveID": f"CVE-2021-{index:05d}", unit: 1} for index in range(number)]}
            ),
        }
        calls = {
            "waivers": lambda: read_waivers([("w.yml", contents["waivers"])], NOW),
            "baseline": lambda: parse(contents["baseline"], "Web shop"),
            "lines": lambda: saved_of(contents["lines"], "f", NOW).rows,
            "epss": lambda: read_epss(contents["epss"], "e"),
            "kev": lambda: read_known_exploited(contents["kev"], "k"),
            "estate": lambda: read_estate([{"name": name, "targets": [name]} for name in names]),
            "policy": lambda: policy_of({"exclude": [{"name": name or "x"} for name in names]}),
            "yaml": lambda: estate_yaml({"a": names, "b": unit * number}),
        }
        return calls[reader]

    less, more = growth(read, 40)
    assert more <= 4.6 * less + 4000
