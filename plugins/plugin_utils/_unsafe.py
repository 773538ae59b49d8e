# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Text from the service is data: no release of ansible-core may take it for a template."""

from __future__ import annotations

import ansible.template

if hasattr(ansible.template, "trust_as_template"):
    # from ansible-core 2.19 on only text that is marked as trusted is templated, and text from the service is not

    def unsafe(value):
        """The value as it is."""
        return value

else:
    from ansible.utils.unsafe_proxy import AnsibleUnsafeText

    def unsafe(value):
        """A copy of the value (str, list, dict, …) in which no text is ever templated.

        Only text that could be a template is marked, since a mark shows up in what ansible-inventory prints: a template
        needs a brace, or begins with the line that changes the delimiters. A template that reads one marked text gives
        marked text, so that no template comes of joining several.
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
