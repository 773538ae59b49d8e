# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each way in which a call can go wrong, on a sample of the calls that modules send: what the task says, and what it sends
after. `make faults` tries every fault on every call."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scenarios import READS, STARTS, WRITES, Task, key_of
from ansible_collections.scanops.scanner.tests.unit.sampling import EXHAUSTIVE, one_of_each


class Call(NamedTuple):
    """One call of a task. nth: which one of the task's calls with this method and path."""

    task: Task
    method: str
    path: str
    nth: int
    reads_back: bool

    def fault(self, service, **fault):
        service.fault(**{"method": self.method, "path": self.path, "nth": self.nth, **fault})


def each_call(of_readers=False):
    """Each kind of call once; with of_readers, once more where an _info module sends it."""
    calls = {}
    for name, task in {**WRITES, **READS}.items():
        for number, call in enumerate(task.calls):
            method, path = call.split()
            before = task.calls[:number]
            if any(earlier.startswith("POST /scans") for earlier in task.calls[: number + 1]):
                # a start is never sent again, and what follows it is a wait: test_scan.py
                continue
            reads_back = method == "GET" and any(not earlier.startswith("GET") for earlier in before)
            if reads_back and task.module in ("targets", "estate"):
                # what many objects read at their end fails in words of its own: test_targets.py
                continue
            form = task.options.get("format") if path.endswith(("/output", "/raw")) else None
            kind = (re.sub(r"/\d+", "/{id}", call), reads_back, of_readers and task.module.endswith("_info"), form)
            case = Call(task, method, path, before.count(call) + 1, reads_back)
            calls.setdefault(kind, pytest.param(case, id=f"{name}-{method}-{path}"))
    return list(calls.values())


def where(wanted):
    return [each for each in each_call() if wanted(each.values[0])]


CALLS = each_call()
READING = where(lambda call: call.method == "GET")
CREATING = where(lambda call: call.method == "POST" and call.path not in STARTS)
STARTING = where(lambda call: call.method == "POST" and call.path in STARTS)
WRITING = where(lambda call: call.method != "GET")
REPEATABLE = where(lambda call: call.method != "POST")
CHANGING = where(lambda call: call.method in ("PUT", "DELETE"))


def sample_of(calls):
    """One call of each method, of each family, of the calls that read back and of those of _info modules."""

    def kinds_of(case):
        call = case.values[0]
        return call.method, call.path.split("/")[1], ("reads back", call.reads_back), call.task.module.endswith("_info")

    return one_of_each(calls, kinds_of)


def on_sample_of(calls):
    return pytest.mark.parametrize("call", sample_of(calls))


def sampled(name, values, calls):
    """Parametrise call and name: each value on one call of each method, and one value on each call of the sample."""
    cases, seen = [], set()
    for number, case in enumerate(sample_of(calls)):
        call = case.values[0]
        for value in values if EXHAUSTIVE or call.method not in seen else [values[number % len(values)]]:
            value, label = (value.values[0], value.id) if hasattr(value, "values") else (value, value)
            cases.append(pytest.param(call, value, id=f"{case.id}-{label}"))
        seen.add(call.method)
    return pytest.mark.parametrize(f"call, {name}", cases)


def has_its_own_meaning(call, status):
    """What a download is answered with while its file does not exist yet: reports are waited for, outputs explained."""
    return status in (404, 409) and bool(re.fullmatch(r"/reports/\d+/download|/scans/\d+/(output|raw)", call.path))


def assert_sentence(result):
    """One line that ends, without a traceback."""
    assert result.failed
    assert result.msg.endswith(".")
    assert "\n" not in result.msg
    assert "Traceback" not in result.msg
    assert "exception" not in result.result


def assert_error(result, call, status):
    assert_sentence(result)
    error = result["api_error"]
    assert (error["status"], error["method"], error["path"]) == (status, call.method, call.path)
    assert re.search(rf"{call.method} {re.escape(call.path)}[ ,.]", result.msg)
    assert set(error) == {"status", "message", "details", "method", "path"}


def is_first(call):
    """Whether this is the first call of its task, so that address and key may be what is wrong."""
    return call.nth == 1 and call.task.calls[0] == f"{call.method} {call.path}"


def calls_from(service, call):
    """What the service received from the disturbed call on."""
    received = service.calls()
    places = [number for number, each in enumerate(received) if each == f"{call.method} {call.path}"]
    return received[places[call.nth - 1] :]


def run_task(run, call, **options):
    # a diff of a deletion costs further calls, and the wait for a report bears an outage
    impatient = {"outage_wait": 0} if call.task.module == "report" and "dest" in call.task.options else {}
    return run(call.task.module, **{"diff": False, **impatient, **call.task.options, **options})


def assert_succeeded(result, call):
    assert not result.failed, result.msg
    assert result.changed is call.task.changed


# --- refusals


@sampled("status", [400, 401, 403, 405, 406, 409, 422], CALLS)
def test_a_refusal_quotes_the_service(account, run, call, status):
    if has_its_own_meaning(call, status):
        return
    call.fault(account, action="status", status=status, message="that is not it", details="field x", times=None)
    result = run_task(run, call)
    if status == 406 and call.task.module == "scan_output_info" and call.path.endswith("/output"):
        # then there is raw output: test_scan_output_info.py
        assert result["text"]
        return
    if status == 403 and call.task.module == "targets" and call.path == "/scans":
        # only counted for the plan: test_scans_that_cannot_be_read_are_not_none
        assert_succeeded(result, call)
        assert account.writes() == [each for each in call.task.calls if not each.startswith("GET ")]
        reasons = [each["reason"] for each in result["plan"]["actions"]]
        assert ["is not known, because they could not be read" in each for each in reasons] == [True]
        return
    assert_error(result, call, status)
    assert result["api_error"]["message"] == "that is not it"
    assert result["api_error"]["details"] == "field x"
    assert f"was answered {status}, 'that is not it' (field x). " in result.msg
    after = calls_from(account, call)
    # a create may meet an object that exists, and a list of templates is asked for with a lower limit
    looked_again = call.method == "POST" and status in (403, 409)
    looked_again = looked_again or (call.task.module == "finding_template_info" and status in (400, 422))
    assert len(after) == 1 + looked_again * (len(after) - 1)
    assert [each for each in after[1:] if not each.startswith("GET ")] == []
    assert result.changed is call.reads_back
    assert result.slept == []


@pytest.mark.parametrize(
    "message, advice",
    [
        ("The plan does not include API access", "plan includes API access"),
        ("Target is Blacklisted", "never scans this target"),
        ("User has too many targets", "The account is full"),
        ("Invalid license", "renew it"),
    ],
)
@pytest.mark.parametrize("call", CREATING)
def test_a_403_on_a_create_says_what_to_do_about_its_reason(account, run, call, message, advice):
    call.fault(account, action="status", status=403, message=message, times=None)
    result = run_task(run, call)
    assert_error(result, call, 403)
    assert message in result.msg
    assert advice in result.msg


@on_sample_of(each_call(of_readers=True))
def test_a_404_means_absent_only_when_an_object_is_read(account, run, call):
    if has_its_own_meaning(call, 404):
        return
    call.fault(account, action="status", status=404, message="not here", times=None)
    result = run_task(run, call)
    of_one = call.method == "GET" and re.fullmatch(r"/\w+/\d+", call.path)
    if call.task.module == "scan" and call.path.startswith("/scans/") and "tool_params" in call.task.options:
        # a scan that is gone is none that could be used
        assert (result.failed, result.changed) == (False, True)
        return
    if of_one and call.reads_back and call.task.options.get("state") == "absent":
        # what a delete must find
        assert_succeeded(result, call)
    elif of_one and call.reads_back and not result.failed:
        # the list shows what the id in the answer to a create does not
        assert result.changed and "is counted as created by this task" in str(result["warnings"])
    elif not of_one or call.reads_back:
        assert_sentence(result)
        if call.reads_back:
            assert re.search(
                "cannot be read back|reading it back failed|no longer exists|does not exist any more", result.msg
            )
        else:
            assert_error(result, call, 404)
            assert "not here" in result.msg
    elif call.task.module.endswith("_info") and call.path.split("/")[1] == key_of(call.task.module):
        assert_succeeded(result, call)
        assert result[key_of(call.task.module)] == []
    elif call.task.options.get("state") == "absent":
        assert (result.failed, result.changed) == (False, False)
    else:
        assert_sentence(result)
    assert [each for each in calls_from(account, call)[1:] if not each.startswith("GET ")] == []


@sampled("status", [400, 401, 403, 404, 409], CALLS)
def test_an_error_in_another_form_means_a_wrong_address(account, run, call, status):
    call.fault(account, action="html", status=status, times=None)
    result = run_task(run, call)
    assert_error(result, call, status)
    assert "text/html" in result.msg
    assert ("Check that base_url is the address" in result.msg) is is_first(call)
    assert result["api_error"]["message"] is None
    assert [each for each in calls_from(account, call)[1:] if not each.startswith("GET ")] == []


# --- the rate limit


@on_sample_of(CALLS)
def test_after_429_the_call_is_sent_again(account, run, call):
    call.fault(account, action="status", status=429, headers={"Retry-After": "7"})
    result = run_task(run, call)
    assert_succeeded(result, call)
    sent = f"{call.method} {call.path}"
    assert account.calls().count(sent) == call.task.calls.count(sent) + 1
    (waited,) = result.slept
    assert 7 <= waited <= 8


@pytest.mark.parametrize("headers", [{"Retry-After": "40"}, {}], ids=str)
@on_sample_of(CALLS)
def test_a_task_waits_for_the_rate_limit_no_longer_than_allowed(account, run, call, headers):
    call.fault(account, action="status", status=429, message="too many requests", headers=headers, times=None)
    result = run_task(run, call, rate_limit_wait=100)
    assert_error(result, call, 429)
    assert result["api_error"]["message"] == "too many requests"
    assert "rate_limit_wait (now 100 s" in result.msg
    assert 0 < sum(result.slept) <= 100
    assert len(calls_from(account, call)) == len(result.slept) + 1


# --- answers of gateways, and lost requests: the work was not done

NOT_DONE = {
    "502": {"action": "html", "status": 502},
    "503": {"action": "status", "status": 503},
    "504": {"action": "html", "status": 504},
    "reset": {"action": "reset"},
    "close": {"action": "close"},
}


def fault_cases(faults):
    return [pytest.param(fault, id=name) for name, fault in faults.items()]


@sampled("fault", fault_cases(NOT_DONE), where(lambda call: call not in (case.values[0] for case in STARTING)))
def test_a_lost_request_is_sent_once_more(account, run, call, fault):
    state = account.state()
    call.fault(account, **fault)
    result = run_task(run, call)
    assert_succeeded(result, call)
    sent = f"{call.method} {call.path}"
    assert account.calls().count(sent) == call.task.calls.count(sent) + 1
    assert (account.state() != state) is call.task.writes
    if call.method == "POST":
        # not repeated unseen: the object was looked for in between
        assert calls_from(account, call)[1].startswith("GET ")


@sampled("fault", fault_cases(NOT_DONE), CALLS)
def test_a_request_that_is_lost_again_and_again_is_an_error(account, run, call, fault):
    call.fault(account, times=None, **fault)
    result = run_task(run, call)
    assert_error(result, call, fault.get("status"))
    tries = 4 if call.method != "POST" else 1 if call.path in STARTS else 2
    sent = f"{call.method} {call.path}"
    assert (
        account.calls().count(sent)
        == call.task.calls.count(sent) - (call.task.calls.count(sent) - call.nth + 1) + tries
    )
    assert len(result.slept) == (0 if call.method == "POST" else 3)
    # the work of a write may have been done all the same
    assert result.changed is (call.reads_back or call.method != "GET")
    assert ("may have been" in result.msg) is (call.method != "GET")


# --- lost answers: the work was done

DONE = {
    "reset": {"action": "reset", "when": "after"},
    "close": {"action": "close", "when": "after"},
    "truncate": {"action": "truncate"},
    "502": {"action": "html", "when": "after", "status": 502},
    "503": {"action": "status", "when": "after", "status": 503},
}


# what each family takes for a row: test_listing.py
BAD_BODIES = {
    "html": {"action": "html", "status": 200},
    "no-data": {"action": "status", "status": 200, "body": {"rows": []}},
    "deep": {"action": "status", "status": 200, "body": "[" * 100000},
    "nothing": {"action": "status", "status": 204},
}
UNREADABLE = {name: BAD_BODIES[name] for name in ("html", "no-data", "deep")}
# a create that worked, and whose answer does not say so
NOT_SAID = {
    **DONE,
    "short": {"action": "short"},
    "500": {"action": "status", "status": 500, "when": "after"},
    "broken": {"action": "truncated_json", "when": "after"},
    "null": {"action": "wrong_type", "data": None, "when": "after"},
    **{name: {**each, "when": "after"} for name, each in UNREADABLE.items()},
}


@sampled("fault", fault_cases({**DONE, "short": {"action": "short"}}), READING)
def test_a_lost_answer_is_asked_for_again(account, run, call, fault):
    call.fault(account, **fault)
    result = run_task(run, call)
    assert_succeeded(result, call)
    sent = f"GET {call.path}"
    assert account.calls().count(sent) == call.task.calls.count(sent) + 1


@sampled("fault", fault_cases(NOT_SAID), CREATING)
def test_a_create_whose_answer_is_lost_creates_one_object_with_a_warning(account, run, call, fault):
    call.fault(account, **fault)
    result = run_task(run, call)
    assert_succeeded(result, call)
    assert result.changed
    assert [warning for warning in result.warnings if f"The answer to POST {call.path} was" in warning]
    assert account.calls().count(f"POST {call.path}") == 1
    assert isinstance(result[call.task.module]["id"], int)
    second = run_task(run, call)
    assert (second.failed, second.changed) == (False, False)
    assert second[call.task.module] == result[call.task.module]


@sampled("fault", fault_cases(DONE), CHANGING)
def test_a_change_whose_answer_is_lost_is_changed(account, run, call, fault):
    # the answer 204 has no body that could break off
    if fault["action"] == "truncate":
        account.settings(delete_status=200)
    call.fault(account, **fault)
    result = run_task(run, call)
    assert_succeeded(result, call)
    assert result.changed
    second = run_task(run, call)
    assert (second.failed, second.changed) == (False, False)


@sampled("fault", fault_cases({**NOT_DONE, "500": {"action": "status", "status": 500}}), STARTING)
def test_a_start_that_is_lost_on_its_way_is_never_sent_again(account, run, call, fault):
    """No unique key protects it, so it may have been started, and only what the service lists can tell."""
    call.fault(account, times=None, **fault)
    result = run_task(run, call)
    assert_error(result, call, fault.get("status"))
    assert "may have been started" in result.msg
    assert result.changed
    assert account.writes() == [f"POST {call.path}"]
    assert result.slept == []


@sampled("fault", fault_cases({**DONE, "500": {"action": "status", "status": 500, "when": "after"}}), STARTING)
def test_a_start_whose_answer_is_lost_is_found_in_the_list_and_never_sent_again(account, run, call, fault):
    call.fault(account, times=None, **fault)
    result = run_task(run, call)
    assert_succeeded(result, call)
    assert [warning for warning in result.warnings if "is new since then and is counted as created" in warning]
    assert account.writes() == [f"POST {call.path}"]
    assert result.slept == []


# --- 500


@on_sample_of(WRITING)
def test_after_500_a_write_is_not_sent_again(account, run, call):
    call.fault(account, action="status", status=500, message="broken")
    result = run_task(run, call)
    assert_error(result, call, 500)
    assert "broken" in result.msg
    assert account.writes()[-1] == f"{call.method} {call.path}"
    assert account.calls().count(f"{call.method} {call.path}") == 1
    assert result.slept == []


# --- answers that are not the service's


@sampled("name", list(BAD_BODIES), READING)
def test_an_answer_from_something_else_is_an_error(account, run, call, name):
    call.fault(account, times=None, **BAD_BODIES[name])
    result = run_task(run, call)
    status = 204 if name == "nothing" else 200
    assert_error(result, call, status)
    assert re.search(r"was answered 20[04] \(.+\) with ", result.msg)
    assert result["api_error"]["message"] is None
    assert [each for each in calls_from(account, call)[1:] if not each.startswith("GET ")] == []
    assert result.changed is call.reads_back


@sampled("fault", fault_cases(UNREADABLE), CREATING)
def test_a_failed_create_with_an_unreadable_answer_is_an_error(account, run, call, fault):
    call.fault(account, **fault)
    result = run_task(run, call)
    assert_error(result, call, 200)
    assert account.calls().count(f"POST {call.path}") == 1


@pytest.mark.parametrize("body", [{"data": {}}, {"data": {"created_id": None}}, {"data": {"created_id": "7"}}, ""])
@pytest.mark.parametrize("call", CREATING)
def test_a_create_that_was_reported_but_not_done_is_an_error(account, run, call, body):
    call.fault(account, action="status", status=201, body=body)
    result = run_task(run, call)
    assert_sentence(result)
    assert (
        f"cannot be read back. The {call.task.module.replace('http_logger', 'HTTP logger')} may have been created."
        in result.msg
    )
    assert result.changed
    assert account.calls().count(f"POST {call.path}") == 1


@on_sample_of(where(lambda call: call.reads_back))
def test_a_create_that_cannot_be_read_back_says_that_it_was_done(account, run, call):
    call.fault(account, action="status", status=500, times=None)
    result = run_task(run, call)
    assert_error(result, call, 500)
    assert result.changed
    assert "reading it back failed" in result.msg or "was created, but the task failed after that" in result.msg
    assert len(account.writes()) == 1
