# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What tests/generate.py writes is current."""

from __future__ import annotations

from ansible_collections.scanops.scanner.tests.generate import outdated


def test_generated_files_are_current():
    assert outdated() == [], "run .venv/bin/nox -s generate"
