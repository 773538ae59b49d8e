# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import ansible.template
import pytest
from ansible.parsing.dataloader import DataLoader
from ansible_collections.scanops.scanner.plugins.plugin_utils._unsafe import unsafe

VALUE = {
    "a": ["{{ x }}", "plain", 1, None, True, {"{{ k }}": "{% y %}"}],
    "b": "#jinja2: x",
    "c": "a # b",
    "d": "}",
    "e": "q (1)",
    "f": "a|b",
    "g": r"\x7b",
    "h": "['#']",
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
        "g": True,
        "h": True,
    }


@pytest.mark.skipif(
    not hasattr(ansible.template, "trust_as_template"), reason="there was no trust before ansible-core 2.19"
)
def test_text_is_not_trusted():
    assert not ansible.template.is_trusted_as_template(unsafe("{{ x }}"))


# literals of Python, as which ansible-core reads the result of a template
@pytest.mark.parametrize(
    "text",
    [
        r"""['\x7b\x7b lookup\x28"pipe", "id"\x29 \x7d\x7d']""",
        r"""['\173\173 secret \175\175']""",
        """['''#jinja2:variable_start_string:"<<",variable_end_string:">>"\n<< secret >>''']""",
        """['' '''#jinja2:variable_start_string:"<<",variable_end_string:">>"\n<< secret >>''']""",
        """['''\\x23jinja2:variable_start_string:"<<",variable_end_string:">>"\n<< secret >>''']""",
    ],
)
def test_the_value_of_a_literal_is_no_template(text):
    trusted = getattr(ansible.template, "trust_as_template", str)
    variables = {"text": unsafe(text), "secret": "shown"}
    read = ansible.template.Templar(DataLoader(), variables).template(trusted("{{ text }}"))
    # as after set_fact
    for part in [read] if isinstance(read, str) else read:
        assert ansible.template.Templar(DataLoader(), variables).template(part) == part
