# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows that the unit tests of this run really use the oldest supported ansible-core and requests."""

from __future__ import annotations

import requests
import urllib3
from ansible.module_utils.ansible_release import __version__ as ansible_core


def test_ansible_core_is_the_oldest_supported():
    assert ansible_core.startswith("2.16.")


def test_requests_is_the_oldest_supported():
    assert requests.__version__ == "2.31.0"


def test_urllib3_is_of_the_series_that_lets_a_short_body_pass():
    assert urllib3.__version__.startswith("1.26.")
