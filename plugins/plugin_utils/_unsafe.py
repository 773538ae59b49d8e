# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Text from the service is data: no release of ansible-core may take it for a template."""

from __future__ import annotations

import re
from typing import Any

import ansible.template

if hasattr(ansible.template, "trust_as_template"):
    # ansible-core 2.19 and later template only text that is marked as trusted, and text from the service is not

    def unsafe(value: Any) -> Any:
        """The value itself."""
        return value

else:
    from ansible.utils.unsafe_proxy import AnsibleUnsafeText

    _RUNS = re.compile(r"""[{}(|\\]|(?:\A|['"])#""")

    def unsafe(value: Any) -> Any:
        """A copy of the value in which no text is ever evaluated, at any depth of lists and dictionaries.

        Only text that could run something is marked, because ansible-inventory prints the mark. A template needs a brace, or
        begins with the line that changes the delimiters. An expression, as which ``when: "{{ text }}"`` takes any text,
        calls nothing without a parenthesis or a filter. The result of a template may be read as a literal of Python, in which
        a backslash can begin any character, and a quote a text. A template that reads marked text returns marked text, so that
        joining several texts cannot create either of them.
        """
        if isinstance(value, str):
            return AnsibleUnsafeText(value) if _RUNS.search(value) else value
        if isinstance(value, dict):
            return {unsafe(key): unsafe(part) for key, part in value.items()}
        if isinstance(value, list):
            return [unsafe(part) for part in value]
        return value
