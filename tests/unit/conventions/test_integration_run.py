# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The integration sessions fail on a deprecation, and on a warning about code of the collection."""

from __future__ import annotations

import sys

import pytest
from ansible_collections.scanops.scanner.tests import integration_run

EXPECTED = "[WARNING]: running with default collection scanops.scanner"
OWN = "[WARNING]: targets is an empty list, so nothing is declared and nothing is done."
UNEXPECTED = "[WARNING]: A plugin did what it should not."
DEPRECATION = "[DEPRECATION WARNING]: provided hosts list is empty will be removed in version 2.99."


@pytest.mark.parametrize(
    ("printed", "status"), [(EXPECTED, 0), (OWN, 0), (UNEXPECTED, 1), (DEPRECATION, 1), ("ok: [testhost]", 0)]
)
def test_an_unexpected_warning_fails_a_run_that_succeeds(printed, status, capfd):
    command = [sys.executable, "-c", f"print({printed!r})"]
    assert integration_run.main(command) == status
    assert printed in capfd.readouterr().out


def test_the_status_of_a_failed_run_is_kept():
    assert integration_run.main([sys.executable, "-c", "raise SystemExit(3)"]) == 3
