# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible import constants


@pytest.fixture(autouse=True)
def notes_of_this_test(monkeypatch, tmp_path_factory):
    """ansible-test forks for each test, so that the plays of two tests have the same ids, and would share what they noted."""
    monkeypatch.setattr(constants, "DEFAULT_LOCAL_TMP", str(tmp_path_factory.mktemp("local")))
