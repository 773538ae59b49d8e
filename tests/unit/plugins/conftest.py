# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.scanops.scanner.tests.unit.plugins.case_files import cases_of


def pytest_configure(config):
    config.addinivalue_line("markers", "cases(names): takes its rows from the YAML file beside it, by its own name")


def pytest_generate_tests(metafunc):
    for mark in metafunc.definition.iter_markers("cases"):
        rows = cases_of(metafunc.module.__file__)[metafunc.function.__name__]
        metafunc.parametrize(mark.args[0], rows, ids=[ascii(row)[:60] for row in rows])
