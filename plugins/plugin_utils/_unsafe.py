# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Text from the service is data: no release of ansible-core may take it for a template."""

from __future__ import annotations

from typing import Any

import ansible.template

if hasattr(ansible.template, "trust_as_template"):
    # ansible-core 2.19 and later template only text that is marked as trusted, and text from the service is not

    def unsafe(value: Any) -> Any:
        """The value itself."""
        return value

else:
    from ansible.utils.unsafe_proxy import AnsibleUnsafeText

    def unsafe(value: Any) -> Any:
        """A copy of the value in which no text is ever templated, at any depth of lists and dictionaries.

        Only text that could be a template is marked, because ansible-inventory prints the mark. A template needs a brace,
        or begins with the line that changes the delimiters. A template that reads marked text returns marked text, so that
        joining several texts cannot create a template.
        """
        if isinstance(value, str):
            if "{" in value or "}" in value or value.startswith("#"):
                return AnsibleUnsafeText(value)
            return value
        if isinstance(value, dict):
            return {unsafe(key): unsafe(part) for key, part in value.items()}
        if isinstance(value, list):
            return [unsafe(part) for part in value]
        return value
