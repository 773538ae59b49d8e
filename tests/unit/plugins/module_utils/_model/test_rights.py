# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which rights a file gets in the place of another one, as a pure decision."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._model.trust import is_foreign
from ansible_collections.scanops.scanner.plugins.module_utils._task.atomic_files import kept_mode
from hypothesis import given
from hypothesis import strategies as st

# without a deadline, which a busy machine misses

modes = st.integers(0, 0o7777)


@pytest.mark.cases("uid, directory, euid, expected")
def test_a_file_is_foreign_where_anybody_may_have_made_it(uid, directory, euid, expected):
    assert is_foreign(uid, directory, euid) is expected


@given(modes, st.booleans(), st.booleans())
def test_what_cannot_be_kept_never_adds_rights(mode, same_owner, same_group):
    kept = kept_mode(mode, same_owner, same_group)
    assert kept & ~mode == 0
    if same_owner and same_group:
        assert kept == mode
    else:
        assert kept & 0o7000 == 0
    if not same_group:
        # what another group could do, the members of this one may only do if everybody may
        assert kept >> 3 & 0o7 & ~(mode & 0o7) == 0
