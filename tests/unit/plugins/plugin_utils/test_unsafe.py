# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import ansible.template
import pytest
from ansible_collections.scanops.scanner.plugins.plugin_utils._unsafe import unsafe

VALUE = {
    "a": ["{{ x }}", "plain", 1, None, True, {"{{ k }}": "{% y %}"}],
    "b": "#jinja2: x",
    "c": "a # b",
    "d": "}",
    "e": "q (1)",
    "f": "a|b",
}


def test_the_value_stays_equal():
    assert unsafe(VALUE) == VALUE


@pytest.mark.skipif(hasattr(ansible.template, "trust_as_template"), reason="text is data from ansible-core 2.19 on")
def test_what_could_be_a_template_is_marked():
    def marks(value):
        if isinstance(value, dict):
            return {key: marks(part) for key, part in value.items()} | {
                f"key {key}": True for key in value if hasattr(key, "__UNSAFE__")
            }
        return [marks(part) for part in value] if isinstance(value, list) else hasattr(value, "__UNSAFE__")

    assert marks(unsafe(VALUE)) == {
        "a": [True, False, False, False, False, {"{{ k }}": True, "key {{ k }}": True}],
        "b": True,
        "c": False,
        "d": True,
        "e": True,
        "f": True,
    }


@pytest.mark.skipif(
    not hasattr(ansible.template, "trust_as_template"), reason="there was no trust before ansible-core 2.19"
)
def test_text_is_not_trusted():
    assert not ansible.template.is_trusted_as_template(unsafe("{{ x }}"))
