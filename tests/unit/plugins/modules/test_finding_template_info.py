# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest


def names(result):
    assert not result.failed, result.msg
    return [row["name"] for row in result["finding_templates"]]


def queries(service):
    return [entry["query"] for entry in service.log()]


def test_all_templates_are_given(service, run):
    assert names(run("finding_template_info")) == ["Outdated web server", "Weak cipher", "Cross-site scripting"]
    assert queries(service) == [{"limit": "1000", "offset": "0"}, {"limit": "1000", "offset": "3"}]


@pytest.mark.parametrize(
    "options, expected",
    [
        ({"vuln_id_type": "NETSCAN"}, ["Outdated web server", "Weak cipher"]),
        ({"has_ptt_exploit": True}, ["Outdated web server"]),
        ({"has_ptt_exploit": False}, ["Weak cipher", "Cross-site scripting"]),
        ({"vuln_id_type": "NETSCAN", "has_ptt_exploit": False}, ["Weak cipher"]),
        ({"vuln_id_type": "NEVER"}, []),
        ({"name": "*c*"}, ["Weak cipher", "Cross-site scripting"]),
        ({"name": "weak CIPHER"}, ["Weak cipher"]),
        ({"name": "weak"}, []),
    ],
    ids=str,
)
def test_filters_leave_what_passes_all_of_them(run, options, expected):
    assert names(run("finding_template_info", **options)) == expected


@pytest.mark.parametrize("value, sent", [(True, "true"), (False, "false")])
def test_the_service_gets_its_filters_as_it_names_them(service, run, value, sent):
    run("finding_template_info", vuln_id_type="WEBSCAN", has_ptt_exploit=value, name="x")
    assert {(query["vuln_id_type"], query["has_ptt_exploit"]) for query in queries(service)} == {("WEBSCAN", sent)}
    assert [query for query in queries(service) if "name" in query] == []


@pytest.mark.slow
@pytest.mark.parametrize("cap, offsets", [(None, ["0", "1000", "2000", "2503"]), (900, ["0", "900", "1800", "2503"])])
def test_all_pages_are_read_by_their_offset(service, run, cap, offsets):
    service.add(finding_templates=[{"name": f"Weakness {number}"} for number in range(2500)])
    service.settings(page_cap=cap)
    assert len(set(names(run("finding_template_info")))) == 2503
    assert [query["offset"] for query in queries(service)] == offsets


@pytest.mark.parametrize("most, tried", [(1000, ["1000"]), (500, ["1000", "500"]), (99, ["1000", "500", "100", "50"])])
def test_a_limit_that_the_service_refuses_is_lowered(service, run, most, tried):
    service.allow_violations = True
    service.add(finding_templates=[{"name": f"Weakness {number}"} for number in range(600)])
    service.settings(max_limit=most)
    assert len(set(names(run("finding_template_info")))) == 603
    limits = [query["limit"] for query in queries(service)]
    assert limits[: len(tried)] == tried
    assert set(limits[len(tried) :]) == {tried[-1]}
    assert {query["offset"] for query in queries(service)[: len(tried)]} == {"0"}


@pytest.mark.parametrize("status", [400, 422])
def test_a_service_that_refuses_every_limit_is_quoted_once(service, run, status):
    service.fault(path="/public/finding_templates", times=None, action="status", status=status, message="not so many")
    result = run("finding_template_info")
    assert result.failed
    assert f"answered {status}" in result.msg
    assert "'not so many'" in result.msg
    assert [query["limit"] for query in queries(service)] == ["1000", "500", "100", "50", "10"]
