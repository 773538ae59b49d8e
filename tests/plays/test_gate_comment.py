# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role gate_comment against stubs of GitHub, GitLab and Gitea: what they receive, and what the play says."""

from __future__ import annotations

import base64
import json
import socket
import subprocess
import threading
from datetime import datetime, timezone
from pathlib import Path

import pytest
import yaml
from ansible_collections.scanops.scanner.tests.integration.targets.role_gate_comment.files.forge import (
    APP,
    MERGED,
    OTHER,
    PROVIDERS,
    PUSHED,
    TOKEN,
    Forge,
)
from ansible_collections.scanops.scanner.tests.plays.playbook import LOCAL, play, prepare
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.gate_documents import document, row

pytestmark = pytest.mark.slow

CHECKOUT = Path(__file__).resolve().parents[2]
MARK = "<!-- scanops.scanner.gate_comment gate -->"
LIST = {
    "github": "/repos/shop/web/issues/7/comments",
    "gitlab": "/projects/shop%2Fweb/merge_requests/7/notes",
    "gitea": "/repos/shop/web/issues/7/comments",
}
ONE = {**LIST, "github": "/repos/shop/web/issues/comments", "gitea": "/repos/shop/web/issues/comments"}
REPORT = "Report what was written"
# the token as a provider may repeat it
ECHOES = (
    TOKEN,
    base64.b64encode(TOKEN.encode()).decode(),
    base64.b64encode(f"x:{TOKEN}".encode()).decode(),
    TOKEN.replace("-", "%2D"),
)


@pytest.fixture(scope="module")
def forge():
    server = Forge()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def settings(forge, account, **changes):
    return {
        "gate_comment_provider": account.partition("-")[0],
        "gate_comment_url": f"{forge.address}/{account}/",
        "gate_comment_token": TOKEN,
        "gate_comment_repository": "shop/web",
        "gate_comment_number": 7,
        "gate_comment_source": document([], generated="2020-01-01T00:00:00Z"),
        "gate_comment_source_run": "any",
        "gate_comment_source_max_age": "999w",
        **changes,
    }


def included(variables):
    return {
        "name": "Comment",
        "ansible.builtin.include_role": {"name": "scanops.scanner.gate_comment"},
        "vars": variables,
    }


def comments(variables, **keywords):
    """A play with the role."""
    return {"hosts": "all", "gather_facts": False, "tasks": [included(variables)], **keywords}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_one_comment_is_created_kept_and_updated(service_process, tmp_path, forge, provider):
    account = forge.accounts[provider]
    for number in range(120):
        account.add(f"Comment {number}", OTHER)
    # a path, because text of a play is a template
    red = tmp_path / "gate.json"
    shown = row(1, name="{{ lookup('ansible.builtin.pipe', 'id') }} {% raw %}")
    red.write_text(json.dumps(document([shown], generated="2020-01-01T00:00:00Z")))
    changes = [{}, {}, {"gate_comment_source": str(red)}]
    plays = [comments(settings(forge, provider, **each)) for each in changes]
    played = play(tmp_path, service_process, plays, arguments=("-vvvv",))
    assert played.status == 0, played.output
    results = [event.result for event in played.events[REPORT]]
    assert [(each["action"], each["changed"]) for each in results] == [
        ("create", True), ("unchanged", False), ("update", True),
    ]  # fmt: skip
    read = ["GET /user", *[f"GET {LIST[provider]}"] * (2 if provider == "gitea" else 3)]
    write = f"{PROVIDERS[provider]['method']} {ONE[provider]}/1120"
    # the second list has one comment more
    assert account.log == [*read, f"POST {LIST[provider]}", *read, *read, write]
    assert len(account.comments) == 121
    body = account.comments[-1]["body"]
    assert body.startswith(f"{MARK}\n\n## Gate failed: 1 failing finding\n") and "{% raw %}" in body
    assert TOKEN not in played.output and TOKEN not in json.dumps(played.events)


def closed_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def prepared(forge, name):
    """An account with two comments that begin with the mark, one of somebody else, and one that quotes the mark."""
    account = forge.accounts[name]
    for body, author in (
        (f"{MARK}\n\nold", None),
        (f"{MARK}\n\nnew", None),
        (f"{MARK}\n\nfake", OTHER),
        (f"> {MARK}", None),
    ):
        account.add(body, author)
    return account


# what is different, by the name of the account
CASES = {
    "github-two": {},
    "gitlab-id": {"gate_comment_repository": 42},
    "github-app": {},
    "github-bot": {},
    "github-newer": {},
    "github-stale": {"gate_comment_source_run": "this"},
    "github-late": {"gate_comment_source_max_age": "1h"},
    "github-app-named": {"gate_comment_author": "github-actions[bot]"},
    "gitlab-named": {"gate_comment_author": "nobody"},
    "github-user": {},
    "gitea-app": {},
    "gitlab-hidden": {},
    "github-fork": {"gate_comment_token": ""},
    "github-branch": {"gate_comment_number": ""},
    "github-commit": {"gate_comment_number": "", "gate_comment_commit": MERGED},
    "gitlab-commit": {"gate_comment_number": "", "gate_comment_commit": MERGED, "gate_comment_repository": 42},
    "gitea-commit": {"gate_comment_number": "", "gate_comment_commit": MERGED},
    "github-pushed": {"gate_comment_number": "", "gate_comment_commit": PUSHED},
    "gitlab-pushed": {"gate_comment_number": "", "gate_comment_commit": PUSHED},
    "gitea-pushed": {"gate_comment_number": "", "gate_comment_commit": PUSHED},
    "gitlab-lost": {"gate_comment_number": "", "gate_comment_commit": MERGED},
    "github-both": {"gate_comment_commit": PUSHED},
    "github-forked": {"gate_comment_number": "", "gate_comment_commit": MERGED, "gate_comment_token": ""},
    "github-hash": {"gate_comment_number": "", "gate_comment_commit": "main/../x"},
    "github-forbidden": {},
    "gitlab-unread": {},
    "github-moved": {},
    "gitea-failing": {"gate_comment_on_failure": "fail"},
    "github-down": {},
    "github-noresult": {"gate_comment_source": "/missing/gate.json"},
    "github-gate": {"gate_comment_name": "nightly"},
    "github-wrong": {"gate_comment_number": "7/../8"},
    "gitea-wrong": {"gate_comment_repository": "../web"},
    "github-open": {"gate_comment_url": "http://forge.example/api"},
    "github-busy": {},
    "gitlab-busy": {},
    "github-lost": {"gate_comment_name": "nightly"},
    "github-limited": {},
    "github-echo": {},
    "gitlab-echo": {"gate_comment_on_failure": "fail"},
    "github-userinfo": {"gate_comment_url": "https://a:b@forge.example/api"},
    # as from a file whose last line ends
    "github-newline": {"gate_comment_token": f"{TOKEN}\n"},
}  # fmt: skip


@pytest.fixture(scope="module")
def cases(service_process, tmp_path_factory, forge):
    """The result of each case, from one ansible-playbook."""
    for name in CASES:
        prepared(forge, name)
    for name in ("github-app", "gitea-app"):
        forge.accounts[name].user = APP
        forge.accounts[name].refuses = {"GET /user": 403}
        forge.accounts[name].add(f"{MARK}\n\nbot", APP)
    forge.accounts["github-app-named"].add(f"{MARK}\n\nbot", APP)
    forge.accounts["github-bot"].user = APP
    forge.accounts["github-bot"].refuses = {"GET /user": 403}
    forge.accounts["github-bot"].add(f"{MARK}\n\nother bot", {"id": 9, "name": "renovate[bot]", "type": "Bot"})
    forge.accounts["github-newer"].add(f"{MARK}\n\nnewer\n\n<!-- generated 2099-01-01T00:00:00Z -->")
    forge.accounts["github-user"].refuses = {"GET /user": 403}
    forge.accounts["gitlab-hidden"].most = 1
    forge.accounts["gitlab-hidden"].hidden = {1000, 1002}
    forge.accounts["github-forbidden"].refuses = {"PATCH": 403}
    forge.accounts["gitea-failing"].refuses = {"PATCH": 500}
    forge.accounts["gitlab-unread"].refuses = {f"GET {LIST['gitlab']}": 502}
    forge.accounts["github-moved"].refuses = {f"GET {LIST['github']}": 301}
    forge.accounts["gitlab-lost"].refuses = {"GET": 503}
    limited = [
        (429, "wait", {"Retry-After": "1"}),
        (403, "You have exceeded a secondary rate limit.", {"Retry-After": "2"}),
    ]
    for name in ("github", "gitlab"):
        write = {"github": "PATCH", "gitlab": "PUT"}[name]
        forge.accounts[f"{name}-busy"].faults = {
            f"GET {LIST[name]}": [*limited],
            write: [(502, "bad gateway", {}), (0, "", {})],
        }
        forge.accounts[f"{name}-echo"].faults = {write: [(422, " ".join(ECHOES), {"Location": TOKEN})]}
    forge.accounts["github-lost"].faults = {"POST": [(0, "", {})]}
    forge.accounts["github-limited"].faults = {
        "GET /user": [(403, "API rate limit exceeded", {"Retry-After": "0"})] * 3
    }
    forge.accounts["github-limited"].add(f"{MARK}\n\nbot", APP)
    plays = []
    for name, changes in CASES.items():
        variables = settings(forge, name, **changes)
        if name == "github-down":
            variables["gate_comment_url"] = f"http://127.0.0.1:{closed_port()}"
        show = {"name": name, "ansible.builtin.debug": {"var": "gate_comment_result"}}
        end = {"name": name, "ansible.builtin.set_fact": {"gate_comment_result": {}}}
        block = {"block": [included(variables)], "rescue": [{"name": "Go on", "ansible.builtin.meta": "noop"}]}
        plays.append(comments(variables) | {"tasks": [block, show, end]})
    check = comments(settings(forge, "github-check"), check_mode=True)
    show = {"name": "github-check", "ansible.builtin.debug": {"var": "gate_comment_result"}}
    plays.append(check | {"tasks": [*check["tasks"], show]})
    played = play(tmp_path_factory.mktemp("cases"), service_process, plays, arguments=("-vvv",))
    assert played.status == 0, played.output
    assert [each for each in ECHOES if each in played.output or each in json.dumps(played.events)] == []
    return played


def test_a_call_is_repeated_after_a_limit_a_gateway_error_and_a_lost_connection(cases, forge):
    for name in ("github-busy", "gitlab-busy"):
        assert bodies(forge, name) == ["old", PASSED, "fake", ""]
        provider = name.partition("-")[0]
        log = forge.accounts[name].log
        write = f"{PROVIDERS[provider]['method']} {ONE[provider]}/1001"
        # the last page is the one that adds nothing
        assert log == ["GET /user", *[f"GET {LIST[provider]}"] * 4, *[write] * 3]
        assert of(cases, name)["action"] == "update"


def test_a_comment_whose_creation_may_have_worked_is_not_created_again(cases, forge):
    assert len([each for each in forge.accounts["github-lost"].log if each.startswith("POST")]) == 1
    assert of(cases, "github-lost")["problem"].startswith("The comment was not written (")


def test_a_rate_limit_says_nothing_about_the_owner_of_a_token(cases, forge):
    assert forge.accounts["github-limited"].log == ["GET /user"] * 3
    assert bodies(forge, "github-limited") == ["old", "new", "fake", "", "bot"]
    assert "The owner of the token is unknown (status 403" in of(cases, "github-limited")["problem"]


def test_a_token_that_a_provider_repeats_is_masked(cases):
    for name in ("github-echo", "gitlab-echo"):
        assert "***" in of(cases, name)["problem"]


def of(cases, name):
    return cases.events[name][0].result["gate_comment_result"]


def bodies(forge, name):
    return [each["body"].partition("\n\n")[2].split("\n")[0] for each in forge.accounts[name].comments]


PASSED = "## Gate passed"


def test_the_newest_comment_of_the_owner_is_updated(cases, forge):
    for name in ("github-two", "gitlab-id"):
        assert of(cases, name)["action"] == "update" and of(cases, name)["id"] == 1001
        assert bodies(forge, name) == ["old", PASSED, "fake", ""]
        (warning,) = of(cases, name)["warnings"]
        assert warning.startswith("More than one comment of this gate exists.") and warning.endswith(" 1000.")


def test_the_token_of_an_app_updates_only_comments_of_bots(cases, forge):
    assert bodies(forge, "github-app") == bodies(forge, "github-app-named") == ["old", "new", "fake", "", PASSED]
    assert "GET /user" not in forge.accounts["github-app-named"].log
    assert forge.accounts["gitea-app"].log == ["GET /user"]
    assert "set gate_comment_author" in of(cases, "gitea-app")["problem"]


def test_the_comment_of_another_bot_is_not_replaced(cases, forge):
    assert bodies(forge, "github-bot") == ["old", "new", "fake", "", "other bot", PASSED]


def test_the_comment_of_a_newer_gate_is_kept(cases, forge):
    assert bodies(forge, "github-newer") == ["old", "new", "fake", "", "newer"]
    assert of(cases, "github-newer")["action"] == "skipped"
    assert "a newer gate, which ended at 2099-01-01T00:00:00Z" in of(cases, "github-newer")["warnings"][-1]


@pytest.mark.parametrize(
    "name, reason",
    [("github-stale", "is not the result of a gate of this run"), ("github-late", "gate_comment_source is too old")],
)
def test_a_result_that_may_not_be_of_this_run_is_no_result(cases, forge, name, reason):
    assert bodies(forge, name) == ["old", "## Gate failed: no result", "fake", ""]
    assert reason in of(cases, name)["warnings"][0]


@pytest.mark.parametrize("name", ["gitlab-named", "github-user"])
def test_a_comment_that_the_next_run_would_not_find_is_a_warning(cases, forge, name):
    assert bodies(forge, name) == ["old", "new", "fake", "", PASSED]
    assert of(cases, name)["warnings"] == [
        "The next run will not find the comment, because gate wrote it. Set gate_comment_author to this name."
    ]


def test_a_page_without_visible_comments_is_not_the_last(cases, forge):
    assert bodies(forge, "gitlab-hidden") == ["old", PASSED, "fake", ""]


@pytest.mark.parametrize(
    "name, reason",
    [
        ("github-fork", "gate_comment_token is empty, as in the pipeline of a"),
        ("github-branch", "gate_comment_number and gate_comment_commit are empty"),
        ("github-forked", "gate_comment_token is empty, as in the pipeline of a"),
    ],
)
def test_without_a_token_or_a_number_nothing_is_sent(cases, forge, name, reason):
    assert forge.accounts[name].log == []
    assert of(cases, name)["action"] == "skipped"
    assert f"No comment was written: {reason}" in cases.output


@pytest.mark.parametrize("name", ["github-commit", "gitlab-commit", "gitea-commit"])
def test_the_comment_goes_to_the_request_that_merged_the_commit(cases, forge, name):
    assert bodies(forge, name) == ["old", PASSED, "fake", ""]
    assert MERGED in forge.accounts[name].log[0]


@pytest.mark.parametrize("name, noun", [("github-pushed", "pull request"), ("gitlab-pushed", "merge request")])
def test_a_commit_without_a_request_gets_no_comment(cases, forge, name, noun):
    assert len(forge.accounts[name].log) == 1
    assert of(cases, name)["action"] == "skipped"
    assert f"No comment was written: commit {PUSHED} belongs to no {noun}." in cases.output


def test_the_number_is_used_before_the_commit(cases, forge):
    assert bodies(forge, "github-both") == ["old", PASSED, "fake", ""]
    assert [each for each in forge.accounts["github-both"].log if PUSHED in each] == []


@pytest.mark.parametrize(
    "name, reason",
    [
        ("gitlab-lost", 'The merge request of the commit is unknown (status 503, "503 from the stub").'),
        ("gitea-pushed", 'The pull request of the commit is unknown (status 404, "Not Found").'),
        ("github-forbidden", 'The comment was not written (status 403, "Resource not accessible by integration").'),
        ("gitlab-unread", 'The comments cannot be read (status 502, "502 from the stub"). Run the job again later.'),
        ("github-moved", "The comments cannot be read (status 301"),
        ("github-down", 'The owner of the token is unknown ("Request failed: '),
        ("gitea-failing", 'The comment was not written (status 500, "500 from the stub"). Run the job again later.'),
    ],
)
def test_a_provider_that_fails_is_a_warning_or_a_failure(cases, forge, name, reason):
    result = of(cases, name)
    assert result["action"] == "failed" and result["problem"].startswith(reason)
    assert result["problem"].endswith("The outcome of the gate is the same.")
    assert bodies(forge, name) == ["old", "new", "fake", ""] and not result["changed"]
    fails = name == "gitea-failing"
    assert result["failed"] is fails
    assert [f"No comment was written. {result['problem']}"] == result["warnings"][-1:] or fails
    # no redirect gets the token
    assert [each for each in forge.accounts["github"].log if "/moved" in each] == []


def test_an_unread_list_is_no_reason_to_create_a_comment(cases, forge):
    for name in ("gitlab-unread", "github-moved"):
        assert [each for each in forge.accounts[name].log if each.startswith(("POST", "PUT", "PATCH"))] == []


def test_a_missing_result_does_not_leave_an_older_comment(cases, forge):
    assert bodies(forge, "github-noresult") == ["old", "## Gate failed: no result", "fake", ""]
    assert "'/missing/gate.json' does not exist: correct the path" in of(cases, "github-noresult")["warnings"][0]


def test_each_name_of_a_gate_has_a_comment(cases, forge):
    assert bodies(forge, "github-gate") == ["old", "new", "fake", "", PASSED]


@pytest.mark.parametrize(
    "name, reason",
    [
        ("github-wrong", "gate_comment_number is"),
        ("github-hash", "gate_comment_commit is"),
        ("gitea-wrong", "gate_comment_repository is"),
        ("github-open", "gate_comment_url is plain HTTP"),
        ("github-userinfo", "gate_comment_url is no URL"),
        ("github-newline", "gate_comment_token contains a space, a line break or another character that no token has"),
    ],
)
def test_a_wrong_variable_fails_before_any_call(cases, forge, name, reason):
    failed = [event.result["msg"] for event in cases.events["Find the comment, and write it"] if event.kind == "failed"]
    assert len([msg for msg in failed if msg.startswith(reason)]) == 1
    assert forge.accounts[name].log == []


def test_check_mode_only_reads(cases, forge):
    assert {each.split()[0] for each in forge.accounts["github-check"].log} == {"GET"}
    assert (of(cases, "github-check")["action"], of(cases, "github-check")["changed"]) == ("create", True)


# the variables that each platform sets
PLATFORMS = {
    "github-actions": {"GITHUB_API_URL": "", "GITHUB_REPOSITORY": "shop/web", "GITHUB_SHA": MERGED},
    "github-jenkins": {"GITHUB_API_URL": "", "GIT_URL": "git@forge.example:shop/web.git", "GIT_COMMIT": MERGED},
    "gitlab-ci": {"CI_API_V4_URL": "", "CI_PROJECT_ID": "42", "CI_COMMIT_SHA": MERGED},
}


@pytest.mark.parametrize("name", PLATFORMS)
def test_the_playbook_of_the_pipelines_reads_the_variables_of_a_platform(service_process, tmp_path, forge, name):
    plays = yaml.safe_load((CHECKOUT / "docs" / "pipelines" / "comment.yml").read_text(encoding="utf-8"))
    (tmp_path / "scan_gate").mkdir()
    now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    (tmp_path / "scan_gate" / "gate.json").write_text(json.dumps({**document([]), "generated": now}))
    names = {variable for variables in PLATFORMS.values() for variable in variables}
    given = {variable: value or f"{forge.address}/{name}" for variable, value in PLATFORMS[name].items()}
    environment = {**dict.fromkeys(names, ""), **given, "GATE_COMMENT_TOKEN": TOKEN}
    played = play(tmp_path, service_process, plays, environment)
    assert played.status == 0, played.output
    assert bodies(forge, name) == [PASSED]


@pytest.mark.parametrize(
    "refuses, posts",
    [
        ({}, 1),
        # nothing shows whether it was written
        ({"POST": 500}, 1),
        # another comment could not be told from an own one
        ({"GET": 500, "POST": 500}, 0),
    ],
)
def test_the_comment_changes_nothing_of_a_red_gate(service_process, tmp_path, forge, refuses, posts):
    account = forge.accounts[f"github-red-{len(refuses)}"]
    account.refuses = refuses
    gate = {
        "name": "Gate",
        "ansible.builtin.include_role": {"name": "scanops.scanner.scan_gate"},
        "vars": {
            "scan_gate_workspace": "Web shop",
            "scan_gate_targets": "www.example.com",
            "scan_gate_max_age": "1day",
            "scan_gate_artifacts": str(tmp_path / "artifacts"),
        },
    }
    red = "## Gate failed: misconfigured. The run is not complete: findings may be missing"
    source = str(tmp_path / "artifacts" / "gate.json")
    # the result goes from role to role in the run
    believed = {"gate_comment_source": source, "gate_comment_source_run": "this"}
    comment = included(settings(forge, f"github-red-{len(refuses)}", **believed))
    deploy = {"name": "Deploy", "ansible.builtin.debug": {"msg": "deployed"}}
    plays = [{"hosts": "all", "gather_facts": False, "tasks": [{"block": [gate], "always": [comment]}, deploy]}]
    played = play(tmp_path, service_process, plays, inventory=f"a {LOCAL}\nb {LOCAL}\n")
    assert played.status == 2, played.output
    assert "Deploy" not in played.events
    failed = [name for name, events in played.events.items() if any(event.kind == "failed" for event in events)]
    assert failed == ["End with the outcome"]
    if refuses:
        assert "No comment was written." in played.output and account.comments == []
    else:
        assert [each["body"].split("\n")[2] for each in account.comments] == [red]
    assert len([each for each in account.log if each.startswith("POST")]) == posts


@pytest.mark.parametrize(
    "second, said",
    [
        ({"scan_gate_policy": {"fail_on": "info"}}, "## Gate failed: 5 failing findings"),
        # it ends before it judges
        ({"scan_gate_policy": []}, "## Gate failed: no result"),
    ],
    ids=["findings", "nothing"],
)
def test_the_comment_is_that_of_the_last_batch(service_process, tmp_path, forge, second, said):
    account = forge.accounts[f"github-batch-{len(said)}"]
    source = str(tmp_path / "artifacts" / "gate.json")
    given = {
        "scan_gate_workspace": "Web shop",
        "scan_gate_targets": "www.example.com",
        "scan_gate_poll_interval": 1,
        "scan_gate_artifacts": str(tmp_path / "artifacts"),
    }
    policy = {"a": {"fail_on": "none"}, "b": second["scan_gate_policy"]}
    gate = {
        "ansible.builtin.include_role": {"name": "scanops.scanner.scan_gate"},
        "vars": {**given, "policies": policy, "scan_gate_policy": "{{ policies[inventory_hostname] }}"},
    }
    believed = {"gate_comment_source": source, "gate_comment_source_run": "this"}
    comment = included(settings(forge, f"github-batch-{len(said)}", **believed))
    plays = [{"hosts": "all", "gather_facts": False, "serial": 1, "tasks": [{"block": [gate], "always": [comment]}]}]
    command, variables = prepare(tmp_path, service_process, plays, inventory=f"a {LOCAL}\nb {LOCAL}\n")
    # that of the other tests resets the service before each task
    del variables["ANSIBLE_CALLBACKS_ENABLED"]
    done = subprocess.run(
        command, cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 2, done.stdout + done.stderr
    assert [each["body"].split("\n")[2] for each in account.comments] == [said], done.stdout + done.stderr
    assert [each.partition(" ")[0] for each in account.log if not each.startswith("GET")] == ["POST", "PATCH"]
