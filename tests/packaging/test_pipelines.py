# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples of pipelines: valid by the schemas of the platforms, pinned, and without a secret in a shell."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml

CHECKOUT = Path(__file__).parents[2]
EXAMPLES = CHECKOUT / "docs" / "pipelines"
# The schema of Azure has regular expressions that only the lenient variant reads.
_GITHUB = ["vendor.github-workflows"]
_GITLAB = ["vendor.gitlab-ci", "--data-transform", "gitlab-ci"]
SCHEMAS = {
    "github-actions.yml": _GITHUB,
    "gitlab-ci.yml": _GITLAB,
    "estate-github-actions.yml": _GITHUB,
    "estate-gitlab-ci.yml": _GITLAB,
    "attest-github-actions.yml": _GITHUB,
    "attest-cosign.yml": _GITHUB,
    "azure-pipelines.yml": [
        "vendor.azure-pipelines", "--data-transform", "azure-pipelines", "--regex-variant", "nonunicode",
    ],
}  # fmt: skip
JENKINSFILE = "Jenkinsfile"
# those of an estate run the playbooks of the collection, the others the gate
OF_ESTATE = [name for name in SCHEMAS if name.startswith("estate-")]
PIPELINES = [*(name for name in SCHEMAS if name not in OF_ESTATE), JENKINSFILE]
# the playbooks of the examples, and the role that each has
PLAYBOOKS = {"gate.yml": "scan_gate", "comment.yml": "gate_comment"}
# those that sign an attestation of the gate, and deploy only with it
ATTESTING = ["attest-github-actions.yml", "attest-cosign.yml"]
ON_GITHUB = [name for name, schema in SCHEMAS.items() if schema is _GITHUB]
# Azure Repos is none of the providers of the role gate_comment.
WITH_COMMENT_ROLE = [name for name in PIPELINES if name not in ("azure-pipelines.yml", *ATTESTING)]
# What a script does first, so that the runner obeys no command in the output.
WITHOUT_COMMANDS = dict.fromkeys(
    ("github-actions.yml", *ATTESTING),
    re.escape(
        "token=$(python -c 'import uuid; print(uuid.uuid4().hex)')\n"
        'echo "::stop-commands::$token"\n'
        "trap 'echo \"::$token::\"' EXIT\n"
    ),
)
# The keys whose values a shell runs: GitHub, GitLab (a list is one script), Azure.
SHELL_KEYS = ("run", "before_script", "script", "after_script", "bash")
GROOVY_SHELL = re.compile(r"""\bsh (?:'''(.*?)'''|'([^'\n]*)')""", re.DOTALL)
# What a Groovy program consists of, as far as brackets matter: text and comments are left out.
GROOVY_TEXT = re.compile(r"'''.*?'''|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|//[^\n]*", re.DOTALL)
PAIRS = {")": "(", "]": "[", "}": "{"}


def text_of(name: str) -> str:
    return (EXAMPLES / name).read_text(encoding="utf-8")


def scripts_in(node: object) -> Iterator[str]:
    """The scripts of a YAML document."""
    if isinstance(node, list):
        for item in node:
            yield from scripts_in(item)
    elif isinstance(node, dict):
        for key, value in node.items():
            if key in SHELL_KEYS:
                yield "\n".join(value) if isinstance(value, list) else value
            else:
                yield from scripts_in(value)


def scripts_of(name: str) -> list[str]:
    if name == JENKINSFILE:
        return [long.replace("\\\\", "\\") or short for long, short in GROOVY_SHELL.findall(text_of(name))]
    return list(scripts_in(yaml.safe_load(text_of(name))))


def blocks_of(groovy: str) -> Iterator[tuple[str, ...]]:
    """The names of the blocks around each opening brace. Raises AssertionError if brackets do not match."""
    open_brackets: list[tuple[str, str]] = []
    code = GROOVY_TEXT.sub("''", groovy)
    for match in re.finditer(r"[(\[{}\])]", code):
        bracket = match[0]
        if bracket in PAIRS:
            assert open_brackets and open_brackets.pop()[0] == PAIRS[bracket], code[: match.start()]
            continue
        name = re.search(r"(\w+)\s*(?:\([^()]*\))?\s*$", code[: match.start()])
        open_brackets.append((bracket, name[1] if name else ""))
        if bracket == "{":
            yield tuple(each for kind, each in open_brackets if kind == "{")
    assert open_brackets == []


def steps_of_github(name: str = "github-actions.yml") -> list[dict]:
    jobs = yaml.safe_load(text_of(name))["jobs"]
    return [step for job in jobs.values() for step in job["steps"]]


def test_each_example_is_checked():
    assert sorted(path.name for path in EXAMPLES.iterdir()) == sorted([*PIPELINES, *OF_ESTATE, *PLAYBOOKS])


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_pipeline_is_valid_by_the_schema_of_its_platform(name):
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", *SCHEMAS[name], str(EXAMPLES / name)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_jenkinsfile_has_the_structure_of_a_declarative_pipeline():
    text = text_of(JENKINSFILE)
    blocks = list(blocks_of(text))
    assert {
        ("pipeline",),
        ("pipeline", "agent"),
        ("pipeline", "options"),
        ("pipeline", "triggers"),
        ("pipeline", "stages", "stage", "steps"),
        ("pipeline", "stages", "stage", "environment"),
        ("pipeline", "stages", "stage", "post", "always"),
    } - set(blocks) == set()
    always = text.partition("always {")[2]
    assert "archiveArtifacts artifacts: 'scan_gate/**'" in always and "junit testResults:" in always


def test_a_shell_of_the_jenkinsfile_is_not_interpolated_by_groovy():
    text = text_of(JENKINSFILE)
    assert len(re.findall(r"\bsh\b", text)) == len(GROOVY_SHELL.findall(text)) > 1


@pytest.mark.parametrize("name", PIPELINES)
def test_each_shell_of_a_pipeline_is_valid(name):
    scripts = scripts_of(name)
    assert [script for script in scripts if "ansible-playbook scan-gate.yml" in script], scripts
    for script in scripts:
        done = subprocess.run(["bash", "-n"], input=script, check=False, capture_output=True, text=True)
        assert done.returncode == 0, f"{script}\n{done.stderr}"


@pytest.mark.parametrize("name", OF_ESTATE)
def test_a_pipeline_of_an_estate_runs_the_playbooks_of_the_collection(name):
    run = set(re.findall(r"\b(\w+\.yml)\b", " ".join(re.findall(r"ansible-playbook \S+|PLAYBOOK: .+", text_of(name)))))
    assert run == {"estate_review.yml", "estate_apply.yml", "estate_drift.yml"}
    assert [each for each in run if not (CHECKOUT / "playbooks" / each).is_file()] == []
    for script in scripts_of(name):
        done = subprocess.run(["bash", "-n"], input=script, check=False, capture_output=True, text=True)
        assert done.returncode == 0, f"{script}\n{done.stderr}"


def test_only_the_default_branch_can_apply_an_estate():
    job = yaml.safe_load(text_of("estate-github-actions.yml"))["jobs"]["apply"]
    assert job["environment"] == "scanner" and job["if"].startswith("github.event_name == 'push' && ")
    assert yaml.safe_load(text_of("estate-github-actions.yml"))[True]["push"] == {"branches": ["main"]}
    (rule,) = yaml.safe_load(text_of("estate-gitlab-ci.yml"))["apply"]["rules"]
    assert "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH" in rule["if"] and rule["when"] == "manual"


@pytest.mark.parametrize("name", [*PIPELINES, *OF_ESTATE])
def test_no_shell_names_a_secret_of_the_service_or_an_expression_of_the_platform(name):
    """The values reach the shell as environment variables, so that no text of others becomes a command."""
    for script in scripts_of(name):
        assert "SCANNER_" not in script and "${{" not in script and "set -x" not in script, script


@pytest.mark.parametrize("name", PIPELINES)
def test_the_exit_status_of_the_gate_decides(name):
    text = text_of(name)
    for softener in ("continue-on-error", "continueOnError", "allow_failure", "catchError", "returnStatus", "|| true"):
        assert softener not in text
    (script,) = [script for script in scripts_of(name) if "ansible-playbook scan-gate" in script]
    assert re.fullmatch(
        rf"{WITHOUT_COMMANDS.get(name, '')}(\.venv/bin/)?ansible-playbook scan-gate\.yml", script.strip()
    )


@pytest.mark.parametrize(
    "name, playbook",
    [
        ("github-actions.yml", "scan-gate.yml"),
        ("github-actions.yml", "gate-comment.yml"),
        ("attest-github-actions.yml", "scan-gate.yml"),
        ("attest-cosign.yml", "scan-gate.yml"),
        ("estate-github-actions.yml", '"$PLAYBOOK"'),
        ("estate-github-actions.yml", "estate_apply.yml"),
    ],
)
@pytest.mark.parametrize("status", [0, 2, 4])
def test_the_runner_of_github_obeys_no_command_of_the_playbook(tmp_path, name, playbook, status):
    """The commands are switched on again, whatever the exit status, which is that of the step."""
    (script,) = [step["run"] for step in steps_of_github(name) if f"ansible-playbook {playbook}" in step.get("run", "")]
    program = tmp_path / "ansible-playbook"
    program.write_text(f"#!/bin/sh\necho '::error::of the service'\nexit {status}\n")
    program.chmod(0o755)
    (tmp_path / "python").symlink_to(sys.executable)
    # as the runner starts a step without a shell of its own
    done = subprocess.run(
        ["bash", "-e", "-c", script],
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        check=False,
        capture_output=True,
        text=True,
    )
    stop, command, resume = done.stdout.splitlines()
    token = stop.removeprefix("::stop-commands::")
    assert len(token) == 32 and command == "::error::of the service" and resume == f"::{token}::"
    assert done.returncode == status


def test_the_agent_of_azure_obeys_no_command_of_the_playbook():
    jobs = yaml.safe_load(text_of("azure-pipelines.yml"))["stages"][0]["jobs"]
    (step,) = [step for step in jobs[0]["steps"] if step.get("bash") == "ansible-playbook scan-gate.yml"]
    assert step["target"] == {"commands": "restricted", "settableVariables": "none"}


@pytest.mark.parametrize("name", [*PIPELINES, *OF_ESTATE])
def test_each_package_is_pinned(name):
    (line,) = set(re.findall(r"pip install (.+)", text_of(name)))
    assert [package for package in line.split() if not re.fullmatch(r"[\w-]+==\d+(\.\d+)+", package)] == []
    assert [word for word in line.split() if word.startswith("ansible-core==")]


@pytest.mark.parametrize("name", [*PIPELINES, *OF_ESTATE])
def test_all_pipelines_install_the_same(name):
    galaxy = yaml.safe_load((CHECKOUT / "galaxy.yml").read_text(encoding="utf-8"))
    assert f"security/scanops-scanner-{galaxy['version']}.tar.gz" in text_of(name)
    packages = [re.search(r"pip install (.+)", text_of(each))[1] for each in (name, "github-actions.yml")]
    assert packages[0] == packages[1]


@pytest.mark.parametrize("name", ON_GITHUB)
def test_each_action_is_pinned_by_its_commit(name):
    lines = re.findall(r"uses: (.+)", text_of(name))
    assert len(lines) == len([step for step in steps_of_github(name) if "uses" in step]) > 0
    for line in lines:
        assert re.fullmatch(r"[\w-]+(/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line), line


@pytest.mark.parametrize("name", ON_GITHUB)
def test_a_job_with_the_key_may_only_read_the_repository(name):
    workflow = yaml.safe_load(text_of(name))
    assert workflow["permissions"] == {}
    with_key = [job["permissions"] for job in workflow["jobs"].values() if "secrets." in str(job)]
    assert with_key and {right for permissions in with_key for right in permissions.values()} == {"read"}


def test_the_image_of_gitlab_is_pinned():
    assert re.fullmatch(r"python:\d+\.\d+\.\d+-\w+", yaml.safe_load(text_of("gitlab-ci.yml"))["scan-gate"]["image"])


def test_artefacts_are_kept_if_the_gate_fails():
    kept = [step for step in steps_of_github() if "upload-artifact@" in step.get("uses", "")]
    assert [step["if"] for step in kept] == ["always()"]
    assert yaml.safe_load(text_of("gitlab-ci.yml"))["scan-gate"]["artifacts"]["when"] == "always"
    (stage,) = yaml.safe_load(text_of("azure-pipelines.yml"))["stages"]
    tasks = [step for step in stage["jobs"][0]["steps"] if step.get("task", "").startswith("Publish")]
    assert [step["condition"] for step in tasks] == ["always()", "always()"]


@pytest.mark.parametrize("name", PIPELINES)
def test_the_playbook_writes_each_file_that_a_pipeline_reads(name):
    written = {"json": "gate.json", "markdown": "gate.md", "html": "gate.html", "sarif": "gate.sarif",
               "junit": "gate-junit.xml", "gitlab": "gl-dast-report.json",
               "attestation": "gate.intoto.json"}  # fmt: skip
    (play,) = yaml.safe_load(text_of("gate.yml"))
    assert set(play["vars"]["formats"]) == set(play["vars"]["scans"]) == set(play["vars"]["subjects"])
    # the gate refuses one without the other
    for profile, formats in play["vars"]["formats"].items():
        assert bool(play["vars"]["subjects"][profile]) is ("attestation" in formats)
    files = {written[each] for formats in play["vars"]["formats"].values() for each in formats}
    read = set(re.findall(r"scan_gate/([\w.-]+\w)", text_of(name)))
    assert read and read - files == set()


@pytest.mark.parametrize("name", PIPELINES)
def test_the_scans_end_before_the_platform_ends_the_job(name):
    (play,) = yaml.safe_load(text_of("gate.yml"))
    settings, scans = play["roles"][0]["vars"], play["vars"]["scans"]
    longest = settings["scan_gate_queue_timeout"] + settings["scan_gate_run_timeout"]
    if name == "gitlab-ci.yml":
        # no hosted runner accepts more
        assert yaml.safe_load(text_of(name))["scan-gate"]["timeout"] == "3h"
        minutes = 180
    else:
        minutes = int(re.search(r"(?:timeout-minutes: |timeoutInMinutes: \"|timeout\(time: )(\d+)", text_of(name))[1])
    assert settings["scan_gate_on_timeout"] == "stop"
    # time for the installation, the calls and the artefacts
    assert max(map(len, scans.values())) * longest / 60 + 15 <= minutes


class Forge(BaseHTTPRequestHandler):
    """The pull requests of a commit in Azure Repos. It keeps what it receives in ``server.received``."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.received.append((self.path, self.headers, body))
        text = json.dumps({"results": [{"abc123": [{"pullRequestId": 7}]}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_arguments: object) -> None:
        pass


@pytest.fixture
def forge():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Forge)
    server.received = []
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("profile", ["merge", "nightly"])
def test_the_comment_of_azure_reaches_the_merged_pull_request(profile, forge, tmp_path):
    (script,) = [each for each in scripts_of("azure-pipelines.yml") if "request()" in each]
    (tmp_path / "scan_gate").mkdir()
    text = '## Gate failed: 1 failing finding\n\n| `a "b" & c%` |\n'
    (tmp_path / "scan_gate" / "gate.md").write_text(text)
    (tmp_path / "python").symlink_to(sys.executable)
    environment = {
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "GATE_PROFILE": profile, "AGENT_TEMPDIRECTORY": str(tmp_path),
        "SYSTEM_COLLECTIONURI": f"http://127.0.0.1:{forge.server_port}/", "SYSTEM_TEAMPROJECTID": "p1",
        "BUILD_REPOSITORY_ID": "r1", "BUILD_REPOSITORY_PROVIDER": "TfsGit", "BUILD_SOURCEVERSION": "abc123",
        "SYSTEM_ACCESSTOKEN": "t0ken",
    }  # fmt: skip
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=environment, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "t0ken" not in done.stdout + done.stderr
    if profile == "nightly":
        assert forge.received == []
        return
    path, headers, body = forge.received[-1]
    assert path == "/p1/_apis/git/repositories/r1/pullRequests/7/threads?api-version=7.1"
    assert headers["Authorization"] == "Bearer t0ken"
    assert json.loads(body)["comments"][0]["content"] == text


@pytest.mark.parametrize("name", WITH_COMMENT_ROLE)
def test_a_pipeline_comments_after_a_merge_and_also_if_the_gate_fails(name):
    (script,) = [script for script in scripts_of(name) if "gate-comment.yml" in script]
    command = rf"{WITHOUT_COMMANDS.get(name, '')}(\.venv/bin/)?ansible-playbook gate-comment\.yml"
    if name == "github-actions.yml":
        (step,) = [step for step in steps_of_github() if script == step.get("run")]
        assert step["if"] == "always() && github.event_name == 'push'" and re.fullmatch(command, script.strip())
    else:
        assert re.fullmatch(rf'if \[ "\$GATE_PROFILE" = merge \]; then {command}; fi', script)
        after = {"gitlab-ci.yml": "after_script:", JENKINSFILE: "always {"}[name]
        assert script in text_of(name).partition(after)[2]


@pytest.mark.parametrize("name, played", PLAYBOOKS.items())
def test_a_playbook_sets_only_options_of_its_role(name, played):
    (play,) = yaml.safe_load(text_of(name))
    (role,) = play["roles"]
    specification = CHECKOUT / "roles" / played / "meta" / "argument_specs.yml"
    options = yaml.safe_load(specification.read_text(encoding="utf-8"))["argument_specs"]["main"]["options"]
    assert role["role"] == f"scanops.scanner.{played}" and set(role["vars"]) - set(options) == set()


# --- the pipelines that sign an attestation

SUBJECT = {"name": "ghcr.io/example/shop", "digest": {"sha256": "a" * 64}}
PREDICATE_TYPE = "https://in-toto.io/attestation/test-result/v0.1"


def gated(result, hours, **more):
    """The predicate of a gate that ended so many hours ago."""
    ended = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - hours * 3600))
    return {"result": result, "scanops_gate": {"generated": ended}, **more}


def run_step(name, step, place, program, output="", status=0):
    """Run a step with a program that prints this, as the runner of GitHub does; its exit status, and the arguments."""
    (script,) = [each["run"] for each in steps_of_github(name) if each.get("name") == step]
    (place / "output").write_text(output)
    fake = place / program
    fake.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {place}/arguments\ncat {place}/output\nexit {status}\n')
    fake.chmod(0o755)
    environment = {
        "PATH": f"{place}:{os.environ['PATH']}", "IMAGE": SUBJECT["name"], "DIGEST": f"sha256:{'a' * 64}",
        "GITHUB_REPOSITORY": "example/shop", "GITHUB_REF": "refs/heads/main",
    }  # fmt: skip
    done = subprocess.run(
        ["bash", "-e", "-c", script], cwd=place, env=environment, check=False, capture_output=True, text=True
    )
    arguments = (place / "arguments").read_text().splitlines() if (place / "arguments").exists() else []
    return done.returncode, arguments


def printed_by_gh(predicates):
    return json.dumps([{"verificationResult": {"statement": {"predicate": each}}} for each in predicates])


def printed_by_cosign(predicates):
    statements = [json.dumps({"predicate": each}).encode() for each in predicates]
    return "".join(json.dumps({"payload": base64.b64encode(each).decode()}) + "\n" for each in statements)


VERIFIERS = {"attest-github-actions.yml": ("gh", printed_by_gh), "attest-cosign.yml": ("cosign", printed_by_cosign)}
needs_jq = pytest.mark.skipif(shutil.which("jq") is None, reason="No jq was found: install it")


@needs_jq
@pytest.mark.parametrize("name", ATTESTING)
@pytest.mark.parametrize(
    ("predicates", "deploys"),
    [
        ([gated("PASSED", 1)], True),
        ([gated("FAILED", 1)], False),
        ([gated("WARNED", 1)], False),
        # the newest decides, whatever the order
        ([gated("PASSED", 1), gated("FAILED", 2)], True),
        ([gated("FAILED", 2), gated("PASSED", 1)], True),
        ([gated("PASSED", 2), gated("FAILED", 1)], False),
        ([gated("FAILED", 1), gated("PASSED", 2)], False),
        # nothing old speaks for now
        ([gated("PASSED", 25)], False),
        # other tests of the same image say nothing about the gate
        ([{"result": "PASSED"}], False),
        ([{"result": "FAILED"}, gated("PASSED", 1)], True),
        ([], False),
    ],
)
def test_only_a_new_attestation_that_passed_lets_the_image_be_deployed(name, predicates, deploys, tmp_path):
    program, printed = VERIFIERS[name]
    status, arguments = run_step(name, "Verify the attestation", tmp_path, program, printed(predicates))
    assert (status == 0) is deploys
    identity = "https://github.com/example/shop/.github/workflows/attest.yml@refs/heads/main"
    assert identity in arguments and PREDICATE_TYPE in arguments
    assert arguments[2 if program == "gh" else -1].endswith(f"ghcr.io/example/shop@sha256:{'a' * 64}")


@pytest.mark.parametrize("name", ATTESTING)
def test_an_attestation_that_is_not_verified_lets_nothing_be_deployed(name, tmp_path):
    program, printed = VERIFIERS[name]
    output = printed([gated("PASSED", 1)])
    assert run_step(name, "Verify the attestation", tmp_path, program, output, status=1)[0] == 1


@needs_jq
@pytest.mark.parametrize("name", ATTESTING)
@pytest.mark.parametrize(
    ("subjects", "accepted"),
    [
        ([SUBJECT], ATTESTING),
        # cosign would sign the verdict for an image that was not judged
        ([{**SUBJECT, "digest": {"sha256": "b" * 64}}], ATTESTING[:1]),
        ([SUBJECT, {**SUBJECT, "name": "other"}], ATTESTING[:1]),
    ],
)
def test_what_is_signed_is_what_the_gate_wrote(name, subjects, accepted, tmp_path):
    predicate = gated("FAILED", 1)
    statement = {"subject": subjects, "predicateType": PREDICATE_TYPE, "predicate": predicate}
    (tmp_path / "scan_gate").mkdir()
    (tmp_path / "scan_gate" / "gate.intoto.json").write_text(json.dumps(statement))
    step = "Separate the subjects and the predicate" if name == ATTESTING[0] else "Sign"
    status, arguments = run_step(name, step, tmp_path, "cosign")
    assert (status == 0) is (name in accepted)
    if status:
        assert arguments == []
        return
    assert json.loads((tmp_path / "predicate.json").read_text()) == predicate
    if name == ATTESTING[0]:
        lines = [f"{each['digest']['sha256']}  {each['name']}" for each in subjects]
        assert (tmp_path / "subjects.txt").read_text().splitlines() == lines
        (action,) = [each["with"] for each in steps_of_github(name) if "actions/attest@" in each.get("uses", "")]
        assert action["predicate-type"] == PREDICATE_TYPE
    else:
        assert arguments[:4] == ["attest", "--yes", "--type", PREDICATE_TYPE]


@pytest.mark.parametrize("name", ATTESTING)
def test_the_job_that_deploys_needs_the_gate_and_can_sign_nothing(name):
    jobs = yaml.safe_load(text_of(name))["jobs"]
    assert jobs["deploy"]["needs"] == ["gate", "attest"] and "if" not in jobs["deploy"]
    steps = [step.get("name") for step in jobs["deploy"]["steps"]]
    assert steps.index("Verify the attestation") < steps.index("Deploy")
    assert [job for job, each in jobs.items() if each["permissions"].get("id-token") == "write"] == ["attest"]
