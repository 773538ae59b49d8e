# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Declarations that can be meant and mostly are not: the task does what they say, and warns."""

from __future__ import annotations

import pytest

BOTH = pytest.mark.parametrize("check", [True, False])
NFC, NFD = "Caf\u00e9", "Cafe\u0301"


def warned(result, *words):
    assert not result.failed, result.msg
    assert any(all(word in warning for word in words) for warning in result.warnings), result.warnings


@BOTH
@pytest.mark.parametrize("live, declared", [(NFC, NFD), (NFD, NFC)])
def test_a_name_that_only_looks_like_a_live_one_is_pointed_out(account, run, live, declared, check):
    account.add(workspaces=[{"name": live}], http_loggers=[{"label": live}])
    words = (ascii(declared), ascii(live), "look the same but are different names", "NFC and NFD")
    warned(run("workspace", check=check, name=declared), *words)
    warned(run("http_logger", check=check, label=declared), *words)
