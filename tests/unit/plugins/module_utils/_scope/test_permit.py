# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Permits of writes: which places a body names, what is permitted, and that nothing is sent without its permit."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._http.client import Client
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import Refused
from ansible_collections.scanops.scanner.plugins.module_utils._model.families import FAMILIES, SCAN, TARGET
from ansible_collections.scanops.scanner.plugins.module_utils._scope.permit import Permits
from ansible_collections.scanops.scanner.plugins.module_utils._scope.places import places_in
from ansible_collections.scanops.scanner.plugins.module_utils._scope.rules import Scope, compile_scope
from ansible_collections.scanops.scanner.plugins.module_utils._scope.sealed import Permit
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils.conftest import open_permits, permitted
from hypothesis import given, settings
from hypothesis import strategies as st

SCOPE = compile_scope({"allow": ["example.com"]})
EVIL = "https://evil.example/"
thorough = settings(derandomize=True)


def no_name(target_id):
    raise AssertionError(f"target {target_id} was asked for")


def post(permits, path, json, name_of=no_name):
    return permits.permit("POST", path, None, None, json, name_of)


# --- permits


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_no_write_is_sent_without_a_permit(service, transport, method):
    for permit in (None, True, object()):
        with pytest.raises(RuntimeError, match=f"{method} /workspaces has no permit"):
            transport().send(method, "/workspaces", form={"name": "New"}, permit=permit)
    assert service.calls() == []


@pytest.mark.cases("change")
def test_a_permit_is_for_one_request_only(service, transport, change):
    call = permitted("POST", "/workspaces", form={"name": "New"})
    with pytest.raises(RuntimeError, match="has no permit"):
        transport().send(**{**call, **change})
    assert service.calls() == []


def test_a_body_that_is_changed_after_it_was_judged_is_not_sent(service, transport):
    call = permitted("POST", "/targets", form={"name": "www.example.com", "more": ["a"]})
    call["form"]["more"].append("b")
    with pytest.raises(RuntimeError, match="has no permit"):
        transport().send(**call)
    assert service.calls() == []


def test_only_permits_makes_a_permit():
    with pytest.raises(TypeError, match=r"^only Permits makes permits$"):
        Permit(None, ("POST", "/targets", None, None, None))


# --- what is permitted


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
@pytest.mark.parametrize("entry", FAMILIES.values(), ids=lambda entry: entry.name)
def test_closed_permits_refuse_each_write(method, entry):
    permits = Permits(Scope([]), closed="check mode writes nothing")
    for path in (entry.path, f"{entry.path}/5", f"{entry.path}/5/stop"):
        with pytest.raises(Refused, match=f"{method} {path} was not sent: check mode writes nothing"):
            permits.permit(method, path, None, None, {}, no_name)


def test_a_client_in_check_mode_sends_no_write(service, transport):
    client = Client(transport(), Permits(Scope([]), closed="check mode writes nothing").permit)
    for write in (
        lambda: client.create(TARGET, {"name": "www.example.com"}, look=None),
        lambda: client.start(SCAN, {"tool_id": 170}),
        lambda: client.stop(SCAN, 900),
        lambda: client.update(FAMILIES["workspace"], {"id": 1}, {"name": "New"}),
        lambda: client.delete(TARGET, 5),
    ):
        with pytest.raises(Refused, match="check mode writes nothing"):
            write()
    assert service.calls() == []


@pytest.mark.parametrize("path", ["/targets", "/scans", "/findings/import", "/whatever", "/scans/5/restart"])
def test_a_task_without_a_scope_creates_and_scans_nothing(path):
    with pytest.raises(RuntimeError, match="the task has no scope"):
        post(Permits(), path, {})


@pytest.mark.parametrize("path", ["/workspaces", "/http_loggers", "/reports", "/wordlists", "/scans/5/stop"])
def test_a_task_without_a_scope_writes_what_reaches_no_target(path):
    assert post(Permits(), path, {"name": EVIL})
    assert Permits().permit("DELETE", "/targets/5", None, None, None, no_name)


@pytest.mark.parametrize("path", ["/targets", "/scans", "/findings/import", "/whatever", "/scans/5/restart"])
@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_any_part_of_a_request_that_can_reach_a_target_is_judged(path, method):
    evil = {"target_name": "evil.example"}
    permits = Permits(SCOPE)
    for query, form, json in ((evil, None, None), (None, evil, None), (None, None, evil), (None, None, [[evil]])):
        with pytest.raises(Refused, match=r"evil\.example is not in scope\.allow"):
            permits.permit(method, path, query, form, json, no_name)


def test_an_id_is_judged_by_the_live_name():
    names = {1: "www.example.com", 2: "evil.example"}
    permits = Permits(SCOPE)
    assert post(permits, "/scans", {"target_id": 1}, names.get)
    for body in ({"target_id": 2}, {"target_id": "2"}, {"more": {"target_ids": [1, 2]}}):
        with pytest.raises(
            Refused, match=r"^target 'evil\.example' is outside the authorised scope: evil\.example is not"
        ):
            post(permits, "/scans", body, names.get)
    with pytest.raises(Refused, match=r"target_id 3 is not a target that this API key can see"):
        post(permits, "/scans", {"target_id": 3}, names.get)
    for wrong in ("evil.example", 1.5, "١"):
        with pytest.raises(Refused, match="is not the id of a target"):
            post(permits, "/scans", {"target_id": wrong}, names.get)


def test_a_refusal_says_what_can_be_done():
    for name, end in (
        ("evil.example", "widen that scope if you are authorised to scan it."),
        ("127.1", "write four numbers from 0 to 255 with dots between them."),
    ):
        with pytest.raises(Refused) as caught:
            Permits(SCOPE).refuse([name])
        assert str(caught.value).endswith(end)


def test_names_are_refused_before_any_write():
    permits = Permits(SCOPE)
    permits.refuse([])
    permits.refuse(["www.example.com", None, "example.com"])
    with pytest.raises(Refused, match=r"^target 'evil\.example' is outside the authorised scope"):
        permits.refuse([None, "www.example.com", "evil.example", "other.example"])
    Permits().refuse(["evil.example"])
    assert Permits().verdict("evil.example") is None
    assert permits.verdict("evil.example").startswith("evil.example is not in scope.allow")


def test_without_a_scope_in_force_no_id_is_read():
    assert post(open_permits(), "/scans", {"target_id": 1})


def test_an_id_is_read_from_the_service(service, transport):
    service.add(targets=[{"id": 5, "name": "evil.example"}])
    client = Client(transport(), Permits(SCOPE).permit)
    with pytest.raises(Refused, match=r"target 'evil\.example' is outside the authorised scope"):
        client.start(SCAN, {"tool_id": 170, "target_id": 5})
    assert service.calls() == ["GET /targets/5"]


# --- the places that a body names


def places(body, entry=SCAN):
    return [(place.field, place.value) for place in places_in(entry, body)]


def test_every_place_has_its_field():
    body = {
        "tool_id": 170,
        "target_name": "www.example.com",
        "workspace_id": 2,
        "scan_original_url": True,
        "redirect_level": "same_domain",
        "vpn_profile_uuid": None,
        "report_callback": {"format": "pdf", "url": "https://ci.example/hook"},
        "authentication": {
            "type": "login_form",
            "params": {"login_page_url": "https://sso.example/", "username": "https://u.example/", "password": EVIL},
        },
        "tool_params": {"spider": {"include_urls": ["https://a.example/", "b.example"], "depth": 3}},
    }
    assert places(body) == [
        ("target_name", "www.example.com"),
        ("report_callback.url", "https://ci.example/hook"),
        ("authentication.params.login_page_url", "https://sso.example/"),
        ("tool_params.spider.include_urls[0]", "https://a.example/"),
        ("tool_params.spider.include_urls[1]", "b.example"),
    ]
    assert places({"name": "a.example", "description": EVIL, "workspace_id": 1}, TARGET) == [("name", "a.example")]


@pytest.mark.cases("text, found")
def test_urls_are_found_in_any_text(text, found):
    assert [value for _field, value in places({"tool_params": {"anything": text}})] == found


def test_the_search_for_urls_is_linear_because_schemes_have_a_limit():
    text = "x" * 200
    assert places({"tool_params": {"anything": f"1 {text}://evil.example"}}) == [
        ("tool_params.anything", f"{text[:63]}://evil.example")
    ]


@pytest.mark.parametrize(
    "key",
    ["url", "login_url", "loginUrl", "Login-URL", "host", "hosts", "hostname", "target", "ip", "domains", "webhook"],
)
def test_hosts_are_found_in_fields_for_hosts(key):
    for host in ("a.example", "10.0.0.1", "167772161", "intranet", "//a.example/", "/\\a.example", "[::1]"):
        assert places({key: host}) == [(key, host)]
        assert places({"x": [{key: [host]}]}) == [(f"x[0].{key}[0]", host)]
    # 16777216 is 1.0.0.0, and programs read digits of other scripts and leading zeros
    for host in ("16777216", "016777215", "\u0661\u0666", "X.example", "x?y", "//", "/\\"):
        assert places({key: host}) == [(key, host)]
    for other in ("16777215", "0", "/", "?", "#", "None", "NULL", "yes", "no", "on", "off"):
        assert places({key: other}) == []
    for other in ("true", "False", "", "/path", "?query", "#part", "500", None, True):
        assert places({key: other}) == []


@pytest.mark.parametrize("key", ["scan_type", "curl", "exclude_urls", "ghost", "tip", "domain_count", "url_limit"])
def test_other_fields_take_no_bare_host(key):
    assert places({key: "a.example"}) == []
    assert places({key: EVIL}) == [(key, EVIL)]


bodies = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=8,
)


@st.composite
def bodies_with(draw, text):
    """A body with a text somewhere in it."""
    body = draw(st.sampled_from([text, text.upper(), f" {text}", f"{text},{text}", f"see {text}"]))
    for _depth in range(draw(st.integers(1, 5))):
        if draw(st.booleans()):
            body = [*draw(st.lists(bodies, max_size=2)), body]
        else:
            body = {**draw(st.dictionaries(st.text(max_size=5), bodies, max_size=2)), draw(st.text(max_size=5)): body}
    return {"tool_params": body}


@thorough
@given(bodies_with(EVIL))
def test_a_url_out_of_scope_is_found_wherever_it_is(body):
    with pytest.raises(Refused):
        post(Permits(SCOPE), "/scans", body)


@thorough
@given(bodies)
def test_every_body_is_permitted_or_refused(body):
    try:
        assert post(Permits(SCOPE), "/scans", body, {}.get)
    except Refused:
        pass


def test_a_body_that_is_nested_deeply_is_judged():
    body = EVIL
    for _depth in range(400):
        body = {"x": [body]}
    with pytest.raises(Refused):
        Permits(SCOPE).refuse_body("/scans", body)


@pytest.mark.parametrize(
    "url",
    [
        "https://user:hunter2@a.example/ ",
        "https://hunter2@a..example/",
        "https://user:hunter2@evil.example\\@a.example/",
        "https://a.example:x/?token=hunter2",
        "https://user:hunter2@[::1/",
        "https:user:hunter2@a.example",
    ],
)
def test_a_secret_in_a_url_that_cannot_be_read_is_not_in_the_message(url):
    with pytest.raises(Refused, match=r"^tool_params\.login_url is outside the authorised scope") as refused:
        post(Permits(SCOPE), "/scans", {"tool_params": {"login_url": url}})
    assert "hunter2" not in str(refused.value)
