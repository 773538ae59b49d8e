# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""For each documented option of each module, a case or the name of a test: what it does, so that it cannot be lost unseen.

The connection options are cases of every module. The test tests/unit/conventions/test_documentation.py compares these tables
with the documentation.
"""

from __future__ import annotations

import datetime
import functools
import importlib
import json
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml
from ansible_collections.scanops.scanner.plugins.module_utils._task import task as shell
from ansible_collections.scanops.scanner.plugins.module_utils._task.connection_options import CONNECTION_OPTIONS
from ansible_collections.scanops.scanner.tests.unit import certificates
from ansible_collections.scanops.scanner.tests.unit.local_service import LocalService
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.proxy import Proxy
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.run_module import run_module
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scenarios import (
    ACCOUNT,
    MODULES,
    PROBES,
    READS,
    WRITES,
)
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.simple_families import (
    SCOPES,
    SIMPLE,
    option_cases,
    scoped,
)
from ansible_collections.scanops.scanner.tests.unit.sampling import EXHAUSTIVE, one_of_each

# validate_certs: false is given on purpose
pytestmark = pytest.mark.filterwarnings("ignore:Unverified HTTPS request")

# --- the options of single modules

MODULES_PACKAGE = "ansible_collections.scanops.scanner.plugins.modules."

# options that the tests of the module itself cover, each with the name of a test
OWN_TESTS = yaml.safe_load(Path(__file__).with_name("own_option_tests.yml").read_text(encoding="utf-8"))

# the other options: (module, option): a function of (account, run)
CASES = {}


def case(module, *options):
    """Register a case of a module's options."""

    def register(function):
        for option in options:
            assert (module, option) not in CASES
            CASES[module, option] = function
        return function

    return register


def good(result):
    assert not result.failed, result.msg
    return result


def forms(account):
    return [entry["form"] for entry in account.log() if entry["method"] == "POST"]


@case("workspace", "state")
def case_workspace_state(account, run):
    assert good(run("workspace", name="Empty", state="absent")).changed
    assert [row["id"] for row in account.workspaces()] == [1, 2]


@case("workspace", "force")
def case_workspace_force(account, run):
    assert run("workspace", name="Web shop", state="absent", force=False).failed
    assert good(run("workspace", name="Web shop", state="absent", force=True)).changed


# what a module that only reads finds with an option: (module, option): the options, and the ids or names of the rows
FOUND = {
    ("finding_info", "status"): (dict(workspace_id=2, status=["fixed"]), [70002]),
    ("finding_info", "cve"): (dict(workspace_id=2, cve=["CVE-2021-44228"]), [70003]),
    ("report_info", "id"): (dict(id=302), [302]),
    ("estate_info", "workspaces"): (dict(workspaces=["Empty"]), ["Empty"]),
}
# the result with the rows, and the field that tells them apart
ROWS = {
    "finding_info": ("findings", "id"),
    "report_info": ("reports", "id"),
    "estate_info": ("workspaces", "name"),
}


def finds(module, options, wanted, account, run):
    rows, field = ROWS[module]
    assert [row[field] for row in good(run(module, **options))[rows]] == wanted


for (_module, _option), (_given, _wanted) in FOUND.items():
    case(_module, _option)(functools.partial(finds, _module, _given, _wanted))


@case("http_logger_data", "label", "state")
def case_http_logger_data_label_state(account, run):
    assert good(run("http_logger_data", label="canary", state="absent"))["cleared"] == 2
    assert account.http_loggers()[0]["requests"] == []


@case("wordlist_info", "contents")
def case_wordlist_info_contents(account, run):
    assert good(run("wordlist_info", id=1602, contents=True))["wordlists"][0]["words"] == ["intranet", "staging"]
    assert "words" not in good(run("wordlist_info", id=1602, contents=False))["wordlists"][0]


def outcome_of(run, **options):
    result = run("gate", **{"workspace_id": 2, "targets": ["www.example.com"], **options})
    assert "outcome" in result.result, result.msg
    return result["outcome"]


def in_a_file(text):
    """The path of a new file with this text."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", delete=False) as file:
        file.write(text)
    return file.name


def gate_files(run, **options):
    """The artefacts of a gate by name, with their texts."""
    with tempfile.TemporaryDirectory() as directory:
        outcome_of(run, artifacts=directory, **options)
        return {path.name: path.read_text() for path in Path(directory).iterdir()}


LATER = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 30 * 86400))
GATE_WAIVER = """\
version: 1
waivers:
  - name: SQL injection
    reason: Behind a login
    owner: Web team
    expires: {expires}
    status: accepted
"""


# what each part of a policy makes of a high finding: the part, and whether the finding fails
POLICY_PARTS = [
    ({"fail_on": "critical"}, False),
    ({"fail_on": "none", "max": {"high": 0}}, True),
    ({"verified_only": True}, False),
    ({"min_cvss": 9.9}, False),
    ({"min_epss": 0.9999}, False),
    ({"known_exploited": True}, False),
    ({"fail_on": "none", "older_than": {"high": "1m"}}, True),
    ({"include": [{"name": "nothing"}]}, False),
    ({"exclude": [{"name": "SQL*"}]}, False),
]


@case("gate", *(f"policy.{name}" for name in sorted({key for part, _fails in POLICY_PARTS for key in part})))
def case_gate_policy_parts(account, run):
    for policy, fails in POLICY_PARTS:
        assert bool(run("gate", scan_ids=[40001], policy=policy)["failing"]) is fails, policy


@case("gate", "policy.missing")
def case_gate_policy_missing(account, run):
    account.add(
        findings=[{"id": 70009, "name": "No score", "risk_level": 3, "task_id": 40001, "cvss": None, "cvssv3": None}]
    )
    for missing, names in (("fail", ["No score"]), ("ignore", [])):
        policy = {"min_cvss": 9.9, "missing": missing}
        assert [row["name"] for row in run("gate", scan_ids=[40001], policy=policy)["failing"]] == names


@case("gate", "expect.targets", "expect.tools", "expect.max_age")
def case_gate_expect_parts(account, run):
    for expect in ({"targets": ["other.example.com"]}, {"tools": [70]}, {"max_age": "1m"}):
        assert outcome_of(run, expect=expect) == "not_covered", expect


@case("gate", "epss_file")
def case_gate_epss_file(account, run):
    path = in_a_file(
        "#model_version:v2025.03.14,score_date:2026-01-31T00:00:00+0000\ncve,epss,percentile\nCVE-2021-44228,0.1,0.5\n"
    )
    assert run("gate", scan_ids=[40001], epss_file=path)["sources"]["epss"] is not None
    assert run("gate", scan_ids=[40001], epss_file=path)["findings"][0]["epss"] == 0.1


@case("gate", "origin", "origin.build", "origin.commit", "origin.scan_url")
def case_gate_origin(account, run):
    given = {
        "build": "https://me:secret@ci.example.com/7",
        "commit": "9fceb02",
        "scan_url": "https://a.example.com/{id}",
    }
    shown = {**given, "build": "https://ci.example.com/7"}
    assert run("gate", scan_ids=[40001], origin=given)["origin"] == shown
    assert run("gate", scan_ids=[40001], origin={**given, "commit": ""})["origin"] == {**shown, "commit": None}
    assert run("gate", scan_ids=[40001])["origin"] == dict.fromkeys(given)


@case("gate", "epss_max_age", "known_exploited_max_age", "stale_catalogues")
def case_gate_stale_catalogues(account, run):
    yesterday = time.strftime("%Y-%m-%d", time.gmtime(time.time() - 86400))
    epss = in_a_file(f"#score_date:{yesterday}T00:00:00+0000\ncve,epss\nCVE-2021-44228,0.1\n")
    kev = in_a_file(f'{{"dateReleased": "{yesterday}", "vulnerabilities": [{{"cveID": "CVE-2021-44228"}}]}}')
    for options, limit in (
        ({"epss_file": epss}, "epss_max_age"),
        ({"known_exploited_file": kev}, "known_exploited_max_age"),
    ):
        assert run("gate", scan_ids=[40001], **options).warnings == []
        strict = {**options, limit: "1h"}
        warned = run("gate", scan_ids=[40001], **strict).warnings
        assert [f"{limit} is 60 minutes: fetch it again." in each for each in warned] == [True]
        assert outcome_of(run, stale_catalogues="fail", **strict) == "misconfigured"
        assert outcome_of(run, stale_catalogues="fail", **options) != "misconfigured"


@case("gate", "must_see")
def case_gate_must_see(account, run):
    control = {"name": "SQL injection", "reason": "planted"}
    assert [each["seen"] for each in run("gate", scan_ids=[40001], must_see=[control])["controls"]] == [True]
    assert outcome_of(run, must_see=[{**control, "name": "Directory listing"}]) == "blind"


@case("gate", "known_exploited_file")
def case_gate_known_exploited_file(account, run):
    path = in_a_file('{"dateReleased": "2026-01-31T00:00:00Z", "vulnerabilities": [{"cveID": "CVE-2021-44228"}]}')
    assert run("gate", scan_ids=[40001], known_exploited_file=path)["findings"][0]["known_exploited"] is True


@case("gate", "sarif_profile")
def case_gate_sarif_profile(account, run):
    options = dict(formats=["sarif"], waivers=[in_a_file(GATE_WAIVER.format(expires=LATER))])
    assert "suppressions" not in gate_files(run, **options)["gate.sarif"]
    assert "suppressions" in gate_files(run, sarif_profile="full", **options)["gate.sarif"]


@case("gate", "sarif_category")
def case_gate_sarif_category(account, run):
    assert '"id":"nightly/"' in gate_files(run, formats=["sarif"], sarif_category="nightly")["gate.sarif"]


@case("gate", "subjects", "subjects.name", "subjects.sha256")
def case_gate_subjects(account, run):
    options = dict(formats=["attestation"], subjects=[{"name": "shop", "sha256": "a" * 64}])
    subject = {"name": "shop", "digest": {"sha256": "a" * 64}}
    assert json.loads(gate_files(run, **options)["gate.intoto.json"])["subject"] == [subject]


@case("gate", "estate_files", "sarif_location")
def case_gate_estate_files(account, run):
    assert "here.md" in gate_files(run, formats=["sarif"], sarif_location="here.md")["gate.sarif"]
    with tempfile.TemporaryDirectory() as repository:
        Path(repository, ".git").touch()
        estate = Path(repository, "estate.yml")
        estate.write_text("workspaces:\n  - name: Web shop\n    targets:\n      - www.example.com\n")
        sarif = gate_files(run, formats=["sarif"], estate_files=[str(estate)])["gate.sarif"]
    assert '"uri":"estate.yml"' in sarif and "README.md" not in sarif


OWNERS = 'version: 1\nowners:\n- {targets: ["www.*"], team: Web, contact: web@example.com}\n'


@case("gate", "owners")
def case_gate_owners(account, run):
    result = run("gate", scan_ids=[40001], owners=in_a_file(OWNERS))
    assert {each["team"] for each in result["findings"]} == {"Web"}
    assert run("gate", scan_ids=[40001])["findings"][0]["team"] is None


@case("gate", "notice")
def case_gate_notice(account, run):
    options = dict(waivers=[in_a_file(GATE_WAIVER.format(expires=LATER))], scan_ids=[40001])
    assert run("gate", **options)["waivers"]["ending"] == []
    ending = run("gate", notice="60d", **options)["waivers"]["ending"]
    assert [each["days"] in (30, 31) for each in ending] == [True]


@case("coverage_info", "owners")
def case_coverage_info_owners(account, run):
    rows = good(run("coverage_info", workspace_id=2, owners=in_a_file(OWNERS)))["rows"]
    assert {row["target"]: row["team"] for row in rows}["www.example.com"] == "Web"


@case("gate", "export_all")
def case_gate_export_all(account, run):
    options = dict(formats=["defectdojo"], policy={"fail_on": "critical"})
    assert "SQL injection" not in gate_files(run, export_all=False, **options)["gate-defectdojo.json"]
    assert "SQL injection" in gate_files(run, **options)["gate-defectdojo.json"]


@case("coverage_info", "workspace", "workspace_id")
def case_coverage_info_workspace(account, run):
    assert good(run("coverage_info", workspace="Web shop"))["total"] == 3
    assert good(run("coverage_info", workspace_id=2))["total"] == 3


@case("coverage_info", "must_see")
def case_coverage_info_must_see(account, run):
    options = dict(workspace_id=2, targets=["www.example.com"])
    for name, covered in (("SQL injection", 1), ("Directory listing", 0)):
        result = good(run("coverage_info", must_see=[{"name": name, "reason": "planted"}], **options))
        assert result["covered"] == covered


EXCLUSION = {"workspace": "W*", "target": "*shop*", "tool": "any*", "reason": "By hand", "expires": LATER}


@case("coverage_info", "exclusions", *(f"exclusions.{key}" for key in EXCLUSION))
def case_coverage_info_exclusions(account, run):
    def gaps(**other):
        return good(run("coverage_info", workspace_id=2, exclusions=[{**EXCLUSION, **other}]))["gaps"]

    assert gaps() == []
    for key in ("workspace", "target", "tool"):
        assert gaps(**{key: "x"}) != []


def scan_ids(result):
    return [row["id"] for row in good(result)["scans"]]


@case("scan_output_info", "id")
def case_scan_output_info_id(account, run):
    found = good(run("scan_output_info", id=40001))["output"]["output_data"]["findings"]
    # the tests that found nothing have ids of their own
    assert [row["id"] for row in found if row["id"] > 70000] == [70001, 70003]


# the modules that take many objects share most of their options; each is tried on the module targets and on estate


def many(run, module, targets, **options):
    """Run targets or estate on these targets of the workspace Web shop."""
    if module == "targets":
        return run("targets", workspace="Web shop", targets=targets, **options)
    purge = {"purge": ["targets"] if options.pop("purge") else []} if "purge" in options else {}
    return run("estate", workspaces=[{"name": "Web shop", "targets": targets}], **purge, **options)


DRIFTING = [{"name": "www.example.com", "description": "Other"}]
# one of three is not declared
DECLARED = ["www.example.com", "https://shop.example.com"]


@case("targets", "targets", "workspace", "workspace_id")
def case_targets_workspace(account, run):
    for place in (dict(workspace="Empty"), dict(workspace_id=3)):
        assert good(run("targets", **place, targets=["new.example.com"])).changed
        assert forms(account) == [{"name": "new.example.com", "workspace_id": "3"}]
        account.clear_log()
        good(run("targets", **place, targets=["new.example.com"], state="absent"))
        account.clear_log()


@case("targets", "state")
def case_targets_state(account, run):
    assert good(run("targets", workspace_id=2, targets=["www.example.com"], state="absent")).changed
    assert 1001 not in [row["id"] for row in account.targets()]


@case("estate", "workspaces")
def case_estate_workspaces(account, run):
    assert good(run("estate", workspaces=[{"name": "New", "description": "Fresh"}])).changed
    assert forms(account) == [{"name": "New", "description": "Fresh"}]


@case("estate", "unmanaged")
def case_estate_unmanaged(account, run):
    assert run("estate", workspaces=[{"name": "Lab"}], unmanaged="fail").failed
    assert good(run("estate", workspaces=[{"name": "Lab"}], unmanaged="report"))["plan"]["unmanaged"] != []
    assert good(run("estate", workspaces=[{"name": "Lab"}], unmanaged="ignore"))["plan"]["unmanaged"] == []


@case("estate", "declared_at")
def case_estate_declared_at(account, run):
    options = dict(workspaces=[{"name": "New"}, {"name": "Lab", "targets": ["my host"]}])
    assert "workspaces[1].targets[0] 'my host'" in run("estate", **options).msg
    named = run("estate", declared_at=["a.yml: 1", "b.yml: 1\x1b"], **options)
    assert named.msg.startswith("b.yml: 1\\x1b.targets[0] 'my host'")
    assert "declared_at has 1 entries, and workspaces has 2" in run("estate", declared_at=["a.yml"], **options).msg
    assert good(run("estate", workspaces=[{"name": "New"}], declared_at=["a.yml"])).changed


def many_purge(module, account, run):
    assert good(many(run, module, DECLARED, purge=False))["summary"]["delete"] == 0
    assert good(many(run, module, DECLARED, purge=True))["summary"]["delete"] == 1
    assert 1003 not in [row["id"] for row in account.targets()]


def many_purge_max(module, account, run):
    assert many(run, module, DECLARED, purge=True, purge_max=0).failed
    assert good(many(run, module, DECLARED, purge=True, purge_max=1)).changed


def many_purge_max_percent(module, account, run):
    assert many(run, module, DECLARED, purge=True, purge_floor=3, purge_max_percent=33).failed
    assert good(many(run, module, DECLARED, purge=True, purge_floor=3, purge_max_percent=34)).changed


def many_purge_floor(module, account, run):
    assert many(run, module, DECLARED, purge=True, purge_floor=3).failed
    assert good(many(run, module, DECLARED, purge=True, purge_floor=4)).changed


def many_protect(module, account, run):
    assert good(many(run, module, DECLARED, purge=True, protect=["192.0.2.*"]))["summary"]["protected"] == 1
    assert account.writes() == []


def many_owner(module, account, run):
    good(many(run, module, [*DECLARED, "new.example.com"], owner="shop"))
    assert account.targets()[-1]["description"] == "[managed by shop]"


def many_purge_only(module, account, run):
    assert good(many(run, module, DECLARED, purge=True, owner="shop", purge_only="own"))["summary"]["delete"] == 0
    assert good(many(run, module, DECLARED, purge=True, owner="shop", purge_only="all"))["summary"]["delete"] == 1


def many_adopt(module, account, run):
    good(many(run, module, [*DECLARED, "new.example.com"], owner="shop"))
    assert good(many(run, module, DECLARED, purge=True, owner="web"))["summary"]["foreign"] == 1
    assert good(many(run, module, DECLARED, purge=True, owner="web", adopt=["shop"]))["summary"]["foreign"] == 0


def many_unprotect(module, account, run):
    good(many(run, module, [*DECLARED, {"name": "new.example.com", "protect": True}]))
    assert good(many(run, module, DECLARED, purge=True))["summary"]["protected"] == 1
    assert good(many(run, module, DECLARED, purge=True, unprotect=["new.example.com"]))["summary"]["delete"] == 1


def many_evidence(module, account, run):
    with tempfile.TemporaryDirectory() as place:
        good(many(run, module, DECLARED, purge=True, evidence=place))
        assert [path.suffix for path in Path(place).iterdir()] == [".jsonl"]


def many_on_drift(module, account, run):
    assert many(run, module, DRIFTING, on_drift="fail").failed
    assert good(many(run, module, DRIFTING, on_drift="warn")).warnings
    assert not good(many(run, module, DRIFTING, on_drift="ignore")).warnings
    assert good(many(run, module, DRIFTING, on_drift="recreate", force=True)).changed
    assert account.targets()[-1]["description"] == "Other"


def many_force(module, account, run):
    assert many(run, module, DRIFTING, on_drift="recreate", force=False).failed
    assert good(many(run, module, DRIFTING, on_drift="recreate", force=True)).changed


def many_continue_on_error(module, account, run):
    for go_on, made in ((False, 0), (True, 1)):
        account.clear_faults()
        account.fault(method="POST", path="/targets", action="status", status=422)
        assert many(run, module, ["one.example.com", "two.example.com"], continue_on_error=go_on).failed
        assert [row["name"] for row in account.targets()[4:]] == ["two.example.com"][:made]


def many_expect_plan(module, account, run):
    assert many(run, module, ["new.example.com"], expect_plan="another").failed
    plan = good(many(run, module, ["new.example.com"]))["plan"]
    good(run("target", workspace_id=2, name="new.example.com", state="absent"))
    assert good(many(run, module, ["new.example.com"], expect_plan=plan["checksum"])).changed


def many_report_unchanged(module, account, run):
    full = good(many(run, module, [*DECLARED, "new.example.com"], check=True))
    brief = good(many(run, module, [*DECLARED, "new.example.com"], report_unchanged=False))
    assert [entry for entry in full["results"] if entry["action"] == "unchanged"]
    assert [(entry["name"], entry["index"]) for entry in brief["results"]] == [("new.example.com", 2)]
    assert brief["summary"] == full["summary"]
    assert brief["plan"] == full["plan"]


def many_report_full_plan(module, account, run):
    declared = [f"new{number:02}.example.com" for number in range(12)]
    account.settings(max_targets=0)
    for full, shown in ((False, 10), (True, 12)):
        plan = many(run, module, declared, report_full_plan=full)["plan"]
        assert len(plan["actions"]) == shown
        assert sum(plan["left_out"].values()) == 12 - shown
        assert plan["counts"] == {"create": 12}


for _function in (
    many_purge,
    many_purge_max,
    many_purge_max_percent,
    many_purge_floor,
    many_protect,
    many_owner,
    many_purge_only,
    many_adopt,
    many_unprotect,
    many_evidence,
    many_on_drift,
    many_force,
    many_continue_on_error,
    many_expect_plan,
    many_report_unchanged,
    many_report_full_plan,
):
    for _module in ("targets", "estate"):
        _option = _function.__name__[len("many_") :]
        case(_module, _option)(functools.partial(_function, _module))


# scans: the account of the scenarios has one of this target and tool that finished an hour ago (40001)

SCAN = {"workspace_id": 2, "target": "www.example.com", "tool": "170"}


class Passing:
    """Time that passes for the task and for the service where the task waits."""

    def __init__(self, account):
        self.account = account
        self.now = 0.0

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds
        self.account.settings(clock_offset=int(self.now))


def scan(account, run, **options):
    passing = Passing(account)
    return run("scan", sleep=passing.sleep, clock=passing, **{**SCAN, **options}), passing


def started(account):
    return [entry["json"] for entry in account.log() if (entry["method"], entry["path"]) == ("POST", "/scans")]


# what is sent of an option of a scan: the names of the options, the options, and these fields of the body
LOGIN = {"login_page_url": "https://www.example.com/login", "username": "me", "password": "abcdef"}
COOKIES = {"cookie_header": "session=abcdef"}
SENT = [
    (
        ("authentication", "authentication.type", "authentication.cookie_header"),
        dict(authentication={"type": "cookies", **COOKIES}),
        {"authentication": {"type": "cookies", "params": COOKIES}},
    ),
    (
        tuple(f"authentication.{name}" for name in LOGIN),
        dict(authentication={"type": "login_form", **LOGIN}),
        {"authentication": {"type": "login_form", "params": LOGIN}},
    ),
]


def sends(options, fields, account, run):
    good(scan(account, run, **options)[0])
    (body,) = started(account)
    assert {name: body.get(name) for name in fields} == fields


for _names, _given, _fields in SENT:
    case("scan", *_names)(functools.partial(sends, _given, _fields))


@case("scan", "workspace")
def case_scan_workspace(account, run):
    good(scan(account, run, workspace="Empty", workspace_id=None, target="new.example.com")[0])
    assert account.targets()[-1]["workspace_id"] == 3


@case("scan", "poll_interval")
def case_scan_poll_interval(account, run):
    assert scan(account, run, poll_interval=77)[1].now >= 77


def judged(module, option, account, run):
    def run_it(name, scope):
        if module == "target":
            return run("target", workspace_id=2, name=name, scope=scope)
        if module == "scan":
            return scan(account, run, target=name, scope=scope)[0]
        if module == "service_verification":
            return run("service_verification", writes=True, target=name, scope=scope)
        return many(run, module, [name], scope=scope)

    scoped(run_it, account, option)


for _module in ("target", "targets", "estate", "service_verification", "scan"):
    for _option in SCOPES:
        case(_module, _option)(functools.partial(judged, _module, _option))


for each in SIMPLE:
    CASES = {**option_cases(each, ACCOUNT), **CASES}


def test_the_test_of_each_other_option_exists():
    files = [*Path(__file__).parent.glob("test_*.py"), *Path(__file__).parent.glob("stories/*.yml")]
    for module, tests in OWN_TESTS.items():
        start = module.partition("_")[0]
        own = "".join(path.read_text() for path in files if path.stem.removeprefix("test_").startswith(start))
        assert [name for name in tests.values() if f"def {name}(" not in own and f"\n  {name}" not in own] == [], module
        assert not {(module, option) for option in tests} & set(CASES)


@pytest.mark.parametrize("module, option", CASES, ids=[f"{module}-{option}" for module, option in CASES])
def test_option(account, run, module, option):
    CASES[module, option](account, run)


def without(monkeypatch, module, option):
    """Let a module take an option and do nothing with it, as if its code were lost."""
    spec = importlib.import_module(MODULES_PACKAGE + module).OPTIONS
    if (module, option) in (("http_logger_data", "state"), ("scan", "stop_on_interrupt")):
        # there is no code but its declaration
        monkeypatch.delitem(spec, option)
        return
    name, dummy, part = option.partition(".")
    declared = spec[name]["options"][part] if part else spec[name]

    permits_for = shell._permits_for

    def forgetting(task, *arguments):
        # the permits are the first that read the options
        value = declared.get("default")
        task.params = {**task.params, name: {**(task.params[name] or {}), part: value} if part else value}
        return permits_for(task, *arguments)

    monkeypatch.setattr(shell, "_permits_for", forgetting)


@pytest.mark.slow
@pytest.mark.parametrize("module, option", one_of_each(CASES, lambda case: [case[0]]))
def test_a_case_turns_red_without_the_code_of_its_option(account, run, monkeypatch, module, option):
    without(monkeypatch, module, option)
    account.allow_violations = True
    with pytest.raises((AssertionError, AttributeError, KeyError, TypeError)):
        CASES[module, option](account, run)


# --- the connection options, of every module; each as an option and by its environment variable

# option: a function of (given, module, resources); given(option, value) says it either way and returns options
CONNECTION_CASES = {}


def connection_case(function):
    CONNECTION_CASES[function.__name__] = function
    return function


class Attempt:
    """Runs one task of a module that only reads, with the option under test given in one of two ways."""

    def __init__(self, module, service, monkeypatch, by_environment):
        self.module = module
        self.service = service
        self.monkeypatch = monkeypatch
        self.by_environment = by_environment
        self.task = next(task for task in {**PROBES, **READS, **WRITES}.values() if task.module == module)
        self.tested = None

    def __call__(self, value=None, **others):
        """Run with the tested option at this value (None: not given) and others beside it."""
        connection = dict(base_url=self.service.base_url, api_key=self.service.api_key)
        options = {**connection, **self.task.options, **others}
        variable = f"SCANNER_{self.tested.upper()}"
        self.monkeypatch.delenv(variable, raising=False)
        if value is not None and self.by_environment:
            self.monkeypatch.setenv(variable, str(value))
            options.pop(self.tested, None)
        elif value is not None:
            options[self.tested] = value
        return run_module(self.module, options, check=True)


@connection_case
def base_url(attempt, tls, tmp_path):
    assert good(attempt(attempt.service.base_url))
    for wrong in ("", attempt.service.base_url.replace("/api/v2", "/api/v1")):
        attempt.service.allow_violations = True
        result = attempt(wrong)
        assert result.failed
        assert "base_url" in result.msg


@connection_case
def api_key(attempt, tls, tmp_path):
    assert good(attempt(attempt.service.api_key))
    attempt.service.allow_violations = True
    result = attempt("another-key")
    assert result.failed
    assert "Check api_key" in result.msg
    assert attempt.service.log()[-1]["authorization"] == "wrong"
    assert "another-key" not in str(result.result)


@connection_case
def timeout(attempt, tls, tmp_path):
    attempt.service.fault(action="delay", seconds=0.6, times=None)
    result = attempt(0.1, retries=0)
    assert result.failed
    assert "within 0.1 s. Run the task again later, and raise timeout" in result.msg
    assert result["api_error"]["status"] is None
    attempt.service.clear_faults()
    attempt.service.fault(action="delay", seconds=0.15)
    assert good(attempt(20, retries=0))


@connection_case
def retries(attempt, tls, tmp_path):
    for count in (0, 2):
        attempt.service.clear_log()
        attempt.service.fault(action="html", status=503, times=None)
        assert attempt(count).failed
        calls = attempt.service.calls()
        assert calls.count(calls[0]) == count + 1
        # a verification goes on after a call that failed
        assert len(calls) == count + 1 or attempt.module == "service_verification"


@connection_case
def rate_limit_wait(attempt, tls, tmp_path):
    attempt.service.fault(action="status", status=429, headers={"Retry-After": 50}, times=None)
    assert "now 49 s" in attempt(49).msg
    # a verification goes on after a call that failed
    if attempt.module != "service_verification":
        assert len(attempt.service.calls()) == 1
        assert len(attempt(120).slept) == 2


@connection_case
def rate_share(attempt, tls, tmp_path):
    attempt.service.settings(rate_limits={"window": "sliding", "GET": 100, "write": 100})
    free = good(attempt(100))
    assert not free.slept
    assert good(attempt(1)).slept
    assert "rate_share is 101: set it to a percentage" in attempt(101).msg
    assert "rate_share is 0" in attempt(0).msg


@connection_case
def call_timeout(attempt, tls, tmp_path):
    attempt.service.fault(action="drip", seconds=0.03, part="head", size=20, times=None)
    result = attempt(0.1)
    assert result.failed
    assert "within 0.1 s, the limit of call_timeout" in result.msg
    assert len(attempt.service.calls()) == 1
    attempt.service.clear_faults()
    # longer than four times the timeout
    attempt.service.fault(action="drip", seconds=0.002, part="head", size=120)
    assert good(attempt(60, timeout=0.1))


@connection_case
def max_answer(attempt, tls, tmp_path):
    attempt.service.fault(action="large", size=100_000, times=None)
    result = attempt(99_999)
    assert result.failed
    assert "with more than 99999 bytes, the limit of max_answer" in result.msg
    attempt.service.clear_faults()
    attempt.service.fault(action="large", size=500)
    assert good(attempt(200_000))


@connection_case
def validate_certs(attempt, tls, tmp_path):
    attempt.service = tls.plain
    attempt.service.clear_log()
    result = attempt(True)
    assert result.failed
    assert "certificate verify failed" in result.msg
    assert "ca_path" in result.msg
    assert attempt.service.calls() == []
    assert good(attempt(False))
    assert not attempt(False, ca_path="/nowhere/ca.pem").failed


@connection_case
def ca_path(attempt, tls, tmp_path):
    attempt.service = tls.plain
    assert good(attempt(tls.files["ca"]))
    result = attempt(tls.files["client"])
    assert result.failed
    assert "certificate verify failed" in result.msg
    missing = attempt(str(tmp_path / "missing" / "ca.pem"))
    assert missing.failed
    assert "ca_path names a file that does not exist" in missing.msg


@connection_case
def client_cert(attempt, tls, tmp_path):
    attempt.service = tls.mutual
    both = tmp_path / "both.pem"
    both.write_bytes(b"".join(Path(tls.files[name]).read_bytes() for name in ("client", "client_key")))
    assert good(attempt(str(both), ca_path=tls.files["ca"]))
    assert good(attempt(tls.files["client"], client_key=tls.files["client_key"], ca_path=tls.files["ca"]))
    without = attempt(ca_path=tls.files["ca"])
    assert without.failed
    assert "400" in without.msg
    missing = attempt(str(tmp_path / "missing" / "client.pem"))
    assert "client_cert names a file that does not exist" in missing.msg


@connection_case
def client_key(attempt, tls, tmp_path):
    attempt.service = tls.mutual
    assert good(attempt(tls.files["client_key"], client_cert=tls.files["client"], ca_path=tls.files["ca"]))
    assert "client_key is set without client_cert" in attempt(tls.files["client_key"]).msg
    wrong = attempt(tls.files["server_key"], client_cert=tls.files["client"], ca_path=tls.files["ca"])
    assert wrong.failed
    assert "client_cert" in wrong.msg
    missing = attempt(str(tmp_path / "missing" / "client.key"), client_cert=tls.files["client"])
    assert "client_key names a file that does not exist" in missing.msg


@connection_case
def proxy(attempt, tls, tmp_path):
    with Proxy() as through:
        assert good(attempt(through.url))
        assert [entry["proxied"] for entry in attempt.service.log()] == [False] * len(attempt.service.calls())
        assert len(through.seen) == len(attempt.service.calls())
        attempt.service = tls.plain
        attempt.service.clear_log()
        before = len(through.seen)
        assert good(attempt(through.url, ca_path=tls.files["ca"]))
        assert len(attempt.service.calls()) > 0
        tunnel = f"CONNECT {urlsplit(tls.plain.base_url).netloc}"
        assert through.seen[before:] == [tunnel]
        closed = through.url
    result = attempt(closed, retries=0, ca_path=tls.files["ca"])
    assert result.failed
    assert "Check proxy" in result.msg


@connection_case
def allow_http(attempt, tls, tmp_path):
    origin = attempt.service.base_url.rpartition("/api")[0]
    elsewhere = dict(base_url="http://scanner.example.com/api/v2", proxy=origin)
    result = attempt(False, **elsewhere)
    assert result.failed
    assert "would send api_key unencrypted over http" in result.msg
    assert attempt.service.calls() == []
    assert good(attempt(True, **elsewhere))
    assert [entry for entry in attempt.service.log() if not entry["proxied"]] == []


class Tls:
    """Services over TLS: one that takes everybody, and one that wants a client certificate."""

    def __init__(self, directory):
        self.files = certificates.make(directory)
        self.directory = directory

    @functools.cached_property
    def plain(self):
        return self._start()

    @functools.cached_property
    def mutual(self):
        return self._start(tls_client_ca=self.files["ca"])

    def _start(self, **options):
        started = LocalService.start(tls_cert=self.files["server"], tls_key=self.files["server_key"], **options)
        started.reset(settings={"rate_limits": None}, state=ACCOUNT)
        return started

    def started(self):
        return [vars(self)[name] for name in ("plain", "mutual") if name in vars(self)]

    def reset(self):
        for service in self.started():
            service.reset(settings={"rate_limits": None}, state=ACCOUNT)

    def stop(self):
        for service in self.started():
            service.stop()


@pytest.fixture(scope="module")
def tls_services(tmp_path_factory):
    services = Tls(tmp_path_factory.mktemp("tls"))
    yield services
    services.stop()


@pytest.fixture
def tls(tls_services):
    tls_services.reset()
    return tls_services


@pytest.mark.parametrize("by_environment", [False, True], ids=["option", "environment"])
@pytest.mark.parametrize("option", CONNECTION_CASES)
def test_connection_option(account, monkeypatch, tls, tmp_path, option, by_environment):
    # each module with some options, and each option with some modules
    place = list(CONNECTION_CASES).index(option)
    for module in MODULES if EXHAUSTIVE else MODULES[(2 * place + by_environment) % 12 :: 12]:
        attempt = Attempt(module, account, monkeypatch, by_environment)
        attempt.tested = option
        CONNECTION_CASES[option](attempt, tls, tmp_path)
        account.clear_faults()
        account.clear_log()


@pytest.mark.slow
@pytest.mark.parametrize("option", CONNECTION_CASES)
def test_a_connection_case_turns_red_without_the_code_of_its_option(account, monkeypatch, tls, tmp_path, option):
    read_all = shell.connection_from
    default = CONNECTION_OPTIONS[option].get("default")
    monkeypatch.setattr(shell, "connection_from", lambda options: read_all({**options, option: default}))
    attempt = Attempt("workspace_info", account, monkeypatch, by_environment=False)
    attempt.tested = option
    account.allow_violations = True
    with pytest.raises(AssertionError):
        CONNECTION_CASES[option](attempt, tls, tmp_path)


def test_an_option_beats_its_environment_variable(account, monkeypatch):
    monkeypatch.setenv("SCANNER_BASE_URL", "https://192.0.2.1/api/v2")
    monkeypatch.setenv("SCANNER_API_KEY", "another-key")
    assert good(run_module("workspace_info", dict(base_url=account.base_url, api_key=account.api_key)))["workspaces"]


# --- what counts beside the options


def read(service, **options):
    return run_module("workspace_info", dict(base_url=service.base_url, api_key=service.api_key, **options))


@pytest.mark.parametrize("variable", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_the_usual_variables_name_the_authorities(account, tls, monkeypatch, variable):
    monkeypatch.setenv(variable, tls.files["ca"])
    assert good(read(tls.plain))
    monkeypatch.setenv(variable, tls.files["client"])
    assert read(tls.plain).failed
    assert good(read(tls.plain, ca_path=tls.files["ca"]))
    assert good(read(tls.plain, validate_certs=False))


def test_the_usual_variables_name_the_proxy(account, tls, monkeypatch):
    with Proxy() as through:
        monkeypatch.setenv("HTTPS_PROXY", through.url)
        assert good(read(tls.plain, ca_path=tls.files["ca"]))
        assert len(through.seen) == 1
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        assert good(read(tls.plain, ca_path=tls.files["ca"]))
        assert len(through.seen) == 1
        # an option is no variable
        assert good(read(tls.plain, ca_path=tls.files["ca"], proxy=through.url))
        assert len(through.seen) == 2


def test_http_to_a_loopback_address_is_never_sent_through_the_proxy_of_a_variable(account, monkeypatch):
    with Proxy() as through:
        monkeypatch.setenv("HTTP_PROXY", through.url)
        monkeypatch.setenv("ALL_PROXY", through.url)
        assert good(read(account))
        assert through.seen == []
        assert good(read(account, allow_http=True))
        assert len(through.seen) == 1


def test_a_proxy_elsewhere_does_not_get_the_key_unencrypted(account):
    result = read(account, proxy="http://user:secret@proxy.example.com:3128")
    assert result.failed
    assert "proxy would receive api_key unencrypted" in result.msg
    assert "secret" not in str(result.result)


def test_a_proxy_never_sees_what_is_sent_over_tls(account, tls):
    with Proxy() as through:
        assert good(read(tls.plain, ca_path=tls.files["ca"], proxy=through.url))
        assert account.api_key.encode() not in b"".join(through.carried)
        assert len(b"".join(through.carried)) > 100


def test_the_user_and_password_of_a_proxy_reach_it_and_no_output(account):
    with Proxy() as through:
        address = urlsplit(through.url)
        result = good(read(account, proxy=f"http://someone:pa55-w0rd@{address.netloc}"))
        assert "pa55-w0rd" not in str(result.result)
        assert through.headers["Proxy-Authorization"].startswith("Basic ")
        assert not account.log()[-1]["proxy_authorization"]
    result = read(account, proxy=f"http://someone:pa55-w0rd@{address.netloc}", retries=0)
    assert result.failed
    assert "pa55-w0rd" not in str(result.result)


def test_a_netrc_file_does_not_replace_the_key(account, monkeypatch, tmp_path):
    file = tmp_path / "netrc"
    file.write_text("machine 127.0.0.1 login someone password else\n", encoding="utf-8")
    file.chmod(0o600)
    monkeypatch.setenv("NETRC", str(file))
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".netrc").write_bytes(file.read_bytes())
    assert good(read(account))
    assert account.log()[-1]["authorization"] == "right"


def test_a_certificate_of_another_host_is_refused(account, tls):
    # the same address, written as no certificate has it
    base_url = tls.plain.base_url.replace("127.0.0.1", "127.1")
    result = run_module(
        "workspace_info", dict(base_url=base_url, api_key=account.api_key, ca_path=tls.files["ca"], retries=0)
    )
    assert result.failed
    assert result["api_error"]["status"] is None
    assert "Use the host name of the certificate in base_url" in result.msg and "ca_path" not in result.msg


def test_the_advice_for_an_expired_certificate_can_help(tmp_path):
    files = certificates.make(tmp_path, datetime.timedelta(minutes=-30))
    with LocalService.start(tls_cert=files["server"], tls_key=files["server_key"]) as started:
        options = dict(base_url=started.base_url, api_key=started.api_key, ca_path=files["ca"], retries=0)
        result = run_module("workspace_info", options)
    assert "certificate has expired" in result.msg
    assert "Renew the certificate of the service" in result.msg and "ca_path" not in result.msg


def test_tls_to_a_plain_port_and_the_other_way_round(account, tls):
    wrong = account.base_url.replace("http:", "https:")
    result = run_module("workspace_info", dict(base_url=wrong, api_key=account.api_key))
    assert result.failed
    assert "the TLS connection failed" in result.msg
    assert result.slept == []
    wrong = tls.plain.base_url.replace("https:", "http:")
    assert run_module("workspace_info", dict(base_url=wrong, api_key=account.api_key)).failed
    account.allow_violations = True


@pytest.mark.parametrize("action", ["reset", "close"])
def test_over_tls_a_create_whose_answer_is_lost_makes_one_object_too(tls, action):
    tls.plain.fault(method="POST", action=action, when="after")
    options = dict(base_url=tls.plain.base_url, api_key=tls.plain.api_key, ca_path=tls.files["ca"])
    result = good(run_module("workspace", dict(options, name="New")))
    assert result.changed
    assert len(result.warnings) == 1
    assert tls.plain.writes() == ["POST /workspaces"]


def test_a_broken_certificate_file_is_named(account, tls, tmp_path):
    broken = tmp_path / "broken.pem"
    broken.write_text("no certificate", encoding="utf-8")
    for options in ({"ca_path": str(broken)}, {"client_cert": str(broken), "ca_path": tls.files["ca"]}):
        result = read(tls.plain, **options)
        assert result.failed
        assert next(iter(options)) in result.msg
        assert "Traceback" not in result.msg
