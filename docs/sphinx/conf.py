# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How Sphinx renders the pages that antsibull-docs writes (`make docs`)."""

from __future__ import annotations

project = "scanops.scanner"
project_copyright = "The scanops.scanner contributors"
extensions = ["sphinx_antsibull_ext"]
html_theme = "sphinx_ansible_theme"
html_copy_source = False
html_static_path = ["static"]
html_css_files = ["site.css"]
pygments_style = "ansible"
highlight_language = "YAML+Jinja"
# References to Ansible's own documentation need its inventory from the network. The session docs-check checks our own.
suppress_warnings = ["ref.ref"]
