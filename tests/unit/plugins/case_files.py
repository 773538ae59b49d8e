# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tables of cases in a YAML file beside the test file that reads them."""

from __future__ import annotations

import functools
from pathlib import Path

import yaml


@functools.cache
def cases_of(test_file):
    """The tables for a test file, each by the name of the test or constant that takes it."""
    text = Path(test_file).with_suffix(".yml").read_text(encoding="utf-8")
    # as yamllint of ansible-test reads it, which refuses more
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
