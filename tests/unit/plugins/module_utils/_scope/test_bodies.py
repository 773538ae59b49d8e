# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which bodies a scope of one host refuses, and which ordinary options go on passing."""

from __future__ import annotations

import contextlib
import time

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import Refused
from ansible_collections.scanops.scanner.plugins.module_utils._scope.permit import Permits
from ansible_collections.scanops.scanner.plugins.module_utils._scope.rules import compile_scope

GOOD, EVIL = "good.example.com", "evil.example.org"
PERMITS = Permits(compile_scope({"allow": [GOOD]}))

# a text that names another host, in a field that is not for hosts

# bodies in which the structure says what is a host


def post(body):
    return PERMITS.permit("POST", "/scans", None, None, {"tool_params": body}, lambda _number: GOOD)


@pytest.mark.cases("text")
def test_a_text_that_names_another_host_is_refused_in_every_field(text):
    for body in ({"x": text}, {"x": [{"y": [text]}]}, {"x": {text: True}}, {"url": text}):
        with pytest.raises(Refused, match="is outside the authorised scope") as refused:
            post(body)
        assert str(refused.value).isprintable()


@pytest.mark.cases("body")
def test_a_body_that_names_another_host_is_refused(body):
    with pytest.raises(Refused, match="is outside the authorised scope"):
        post(body)
    with pytest.raises(Refused):
        PERMITS.refuse_body("/scans", {"start": body})


def test_a_host_in_a_tuple_is_judged():
    with pytest.raises(Refused):
        post({"hosts": (EVIL,)})


@pytest.mark.cases("text")
def test_an_ordinary_text_is_permitted(text):
    assert post({"x": text}) and post({"x": [{"y": text}]}) and post({"x": {text: True}})


@pytest.mark.cases("body")
def test_an_ordinary_body_is_permitted(body):
    assert post(body) and post({"more": [body]})


def test_no_secret_of_a_host_is_in_a_refusal():
    body = {"webhook": {"password": "hunter2.secret", "url": EVIL}}
    with pytest.raises(Refused) as refused:
        post(body)
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("key", ["target_id", "target_ids", "targetId", "Target-IDs"])
@pytest.mark.parametrize("value", [{"value": 2}, {"2": True}, [{"id": 2}], EVIL])
def test_an_id_is_a_number_and_nothing_else(key, value):
    with pytest.raises(Refused, match="is not the id of a target"):
        post({key: value})


def test_a_name_of_a_target_stays_a_name_below_other_keys():
    for path, body in (("/targets", {"name": {"value": EVIL}}), ("/scans", {"target_name": {EVIL: 1}})):
        with pytest.raises(Refused, match=f"{EVIL} is not in scope.allow"):
            PERMITS.permit("POST", path, None, None, body, lambda _number: GOOD)


def test_a_dot_in_a_key_leads_to_no_field_that_is_not_judged():
    with pytest.raises(Refused):
        PERMITS.refuse_body("/scans", {"authentication.params.headers": f"https://{EVIL}/"})
    PERMITS.refuse_body("/scans", {"authentication": {"params": {"headers": [f"https://{EVIL}/"]}}})


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", ["/\t", "\\\t", "//", "http:", "http:a,", "a.", "@", "::", "%25", "x://", "h\t", "[", "'a."]
)
@pytest.mark.parametrize("tail", ["", "!", "@x", ".e"])
def test_the_search_is_linear(unit, tail):
    def seconds(number):
        start = time.process_time()
        with contextlib.suppress(Refused):
            post({"x": unit * number + tail})
        with contextlib.suppress(Refused):
            post({"host": {"v": unit * number + tail}})
        return time.process_time() - start

    assert seconds(16000) < 10 * seconds(4000) + 0.3
