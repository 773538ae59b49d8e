# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Targets without a name, and fields that are not text: no Python error, and no host with an odd name."""

from __future__ import annotations

import pytest

ROW = {"id": 1001, "name": "a.example", "type": "hostname", "description": "", "workspace_id": 1}


def answer(service, **fields):
    """Let the list contain a target with these fields, and one that is right."""
    body = {"data": [{**ROW, **fields}, {**ROW, "id": 1002, "name": "b.example"}]}
    service.fault(method="GET", path="/targets", action="status", status=200, body=body, times=1)


@pytest.mark.parametrize("name", ["", " ", "\u200b\u00a0", "...", "_", "://", ":", "\x00"])
def test_a_target_without_a_name_is_omitted_with_a_warning(service, parse, name):
    answer(service, name=name)
    read = parse()
    assert (read.error, list(read.hosts)) == (None, ["b.example"])
    assert [each for each in parse.warned if each.startswith("The target 1001, ") and "no letter or digit" in each]


def test_hostnames_names_a_target_without_a_name(service, parse):
    answer(service, name="")
    read = parse(hostnames=["'host-%s' | format(scanner_id)"])
    assert (list(read.hosts), parse.warned) == (["host-1001", "host-1002"], [])


@pytest.mark.parametrize("name", [None, True, 1.5, [], {}, ["a"], {"a": "b"}])
def test_a_name_that_is_no_text_is_refused_with_the_id(service, parse, name):
    answer(service, name=name)
    error = parse().error
    assert "data that is not a list of targets: the one with the id 1001 has no valid name" in error
    assert "web application" in error and "proxy" not in error


@pytest.mark.parametrize("given", [{}, {"type": "hostname"}])
@pytest.mark.parametrize("kind", [True, 7, 1.5, [], {}, ["url"], {"a": "b"}])
def test_a_type_that_is_no_text_is_unknown(service, parse, kind, given):
    answer(service, type=kind)
    read = parse(**given)
    assert read.error is None
    assert read.hosts["a.example"]["scanner_type"] is None
    assert read.groups["type_hostname"] == ["b.example"]
