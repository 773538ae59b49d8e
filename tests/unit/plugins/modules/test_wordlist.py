# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("reference", [{"name": "Subdomains, small"}, {"id": 1600}])
@pytest.mark.parametrize("answer", [403, 409, 204])
def test_a_predefined_wordlist_is_refused_before_a_delete_is_sent(service, run, reference, check, answer):
    service.settings(predefined_delete=answer)
    result = run("wordlist", check=check, state="absent", **reference)
    assert result.failed
    assert "wordlist 'Subdomains, small' (id 1600) is predefined and is never deleted" in result.msg
    assert service.writes() == []


@pytest.mark.parametrize("check", [False, True])
def test_two_wordlists_with_one_name_fail_and_show_their_ids(service, run, check):
    service.add(wordlists=[{"id": 1800, "name": "Our hosts"}])
    result = run("wordlist", check=check, state="absent", name="Our hosts")
    assert result.failed
    assert "names 2 wordlists, with the ids 1700, 1800: give id instead" in result.msg
    assert service.writes() == []
    assert run("wordlist", state="absent", id=1800).changed


@pytest.mark.parametrize("options", [{}, {"state": "present"}])
def test_absent_is_the_only_state_and_must_be_declared(service, run, options):
    result = run("wordlist", name="Our hosts", **options)
    assert result.failed
    assert "state" in result.msg
    assert service.calls() == []
