# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The password in the name of a target is in no message, no warning and no error, however the name is written."""

from __future__ import annotations

import json

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import harmless, printable
from ansible_collections.scanops.scanner.plugins.module_utils._model.target_names import lasting_form

NAMES = ("https://me:hunter2!!@a.example/", "https://me:hunter2%21%21@a.example/", "HTTP://:hunter2!!@a.example:8080")
SHOP = {"workspace": "Shop"}
TOOL = {"tools": ["website_scanner"]}
# what is refused or warned about, by module
TASKS = {
    "a scope": ("target", lambda name: dict(SHOP, name=name, scope={"allow": ["b.example"]})),
    "a scope that denies": ("scan", lambda name: dict(SHOP, target=name, tool=20, scope={"deny": ["a.example"]})),
    "an entry of a scope": ("target", lambda name: dict(SHOP, name="b.example", scope={"allow": [name]})),
    "drift": ("target", lambda name: dict(SHOP, name=name, description="Other")),
    "drift that fails": ("target", lambda name: dict(SHOP, name=name, description="Other", on_drift="fail")),
    "drift in a list": (
        "targets",
        lambda name: dict(SHOP, targets=[{"name": name, "description": "x"}], on_drift="fail"),
    ),
    "twice": ("targets", lambda name: dict(SHOP, targets=[name, name])),
    "too much to purge": ("targets", lambda name: dict(SHOP, targets=["b.example"], purge=True, purge_max=0)),
    "a pattern without a match": (
        "targets",
        lambda name: dict(SHOP, targets=["b.example"], purge=True, purge_max=9, protect=[f"{name}x"]),
    ),
    "never scanned": ("gate", lambda name: dict(SHOP, targets=[name], **TOOL)),
    "a missing target": ("gate", lambda name: dict(SHOP, targets=[f"{name}other"], **TOOL)),
    "a workspace": ("target", lambda name: {"workspace": name, "name": "b.example"}),
    "a mistyped scheme": ("target", lambda name: dict(SHOP, name=name.replace("//", "/"))),
    "a target that will be created": ("scan", lambda name: dict(SHOP, target=f"{name}x", tool=20, wait=False)),
}


def said(result):
    returned = result.result
    return json.dumps([returned.get(key) for key in ("msg", "warnings", "api_error")])


@pytest.mark.parametrize("what", TASKS)
@pytest.mark.parametrize("name", NAMES)
def test_no_message_shows_a_login(service, run, name, what):
    target = {"name": name, "workspace": "Shop", "description": "live"}
    service.reset(
        settings={"rate_limits": None}, state={"workspaces": [{"id": 2, "name": "Shop"}], "targets": [target]}
    )
    service.allow_violations = True
    module, options = TASKS[what]
    assert "hunter2" not in said(run(module, **options(name)))


def test_no_warning_shows_a_secret_of_the_task(service, run):
    """Some releases of ansible-core mask the result of a module, but not its warnings."""
    service.reset(settings={"rate_limits": None}, state={"workspaces": [{"id": 2, "name": "Shop"}]})
    secret = "site-0123456789abcdef"
    login = {"type": "login_form", "login_page_url": "https://a.example/", "username": "me", "password": secret}
    result = run("scan", **SHOP, target=f"{secret}.a.example", tool=20, wait=False, authentication=login)
    assert "does not exist yet" in str(result["warnings"])
    assert secret not in str(result["warnings"])


@pytest.mark.parametrize("status", [400, 403, 409, 422, 500])
def test_no_error_of_the_service_shows_a_login(service, run, status):
    texts = {"message": f"no {NAMES[0]}", "details": NAMES[1]}
    service.fault(method="POST", path="/targets", action="status", status=status, times=None, **texts)
    result = run("target", workspace_id=1, name="b.example")
    assert result.failed and "https://me:***@a.example/" in result["api_error"]["message"]
    assert "hunter2" not in said(result)


@pytest.mark.parametrize("text, shown", [
    ("https://me:hunter2!!@a.example/", "https://me:***@a.example/"),
    ("'https://a:hunter2@b' and 'c:hunter2@d'", "'https://a:***@b' and 'c:***@d'"),
    ("x https://o'n:hunter2@@b/x@y", "x https://o'n:***@b/x@y"),
    ("https://me@a.example/x:1@2", "https://me@a.example/x:1@2"),
    # as people mistype it
    ("https:/me:hunter2!!@a.example/x:1@2", "https:/me:***@a.example/x:1@2"),
    ("'http:/me:hunter2@b': no, 'b/:hunter@2'", "'http:/me:***@b': no, 'b/:hunter@2'"),
    ("mail ops@a.example: or [::1]:443", "mail ops@a.example: or [::1]:443"),
])  # fmt: skip
def test_a_password_is_replaced_in_a_text(text, shown):
    assert (printable(text), harmless([{text: text}])) == (shown, [{shown: shown}])


def test_a_text_is_cut_after_its_password_is_replaced():
    assert "hunter2" not in printable("https://me:hunter2!!hunter2!!@a.example/", 20)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_without_its_password_is_the_same_target(name):
    assert lasting_form(printable(name)) == lasting_form(name)
