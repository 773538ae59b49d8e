# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Shows which text a plugin hands to ``unsafe``. From ansible-core 2.19 on, only trusted text is a template, so that text which
the plugin forgets to mark looks like marked text."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

TEMPLATE = "{{ 'planted' }}"


class Marked(str):
    """Text that was handed to ``unsafe``, on every release of ansible-core."""


def _marked(value: object) -> object:
    if isinstance(value, str):
        return Marked(value)
    if isinstance(value, dict):
        return {_marked(key): _marked(part) for key, part in value.items()}
    return [_marked(part) for part in value] if isinstance(value, list) else value


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for part in [*value, *value.values()] if isinstance(value, dict) else value:
            yield from _texts(part)


def observe(patch: pytest.MonkeyPatch, plugin: object) -> None:
    """Let ``unsafe`` of a plugin, a Python module, mark text so that the tests see it."""
    patch.setattr(plugin, "unsafe", _marked)


def assert_marked(value: object) -> None:
    """The value holds the planted template, and only in text that was handed to ``unsafe``."""
    planted = [text for text in _texts(value) if TEMPLATE in text]
    assert planted
    assert [text for text in planted if not isinstance(text, Marked)] == []
