# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Ansible's collection loader for tests that find plugins by name."""

from __future__ import annotations

import sys
from pathlib import Path

from ansible.plugins.loader import init_plugin_loader
from ansible.utils.collection_loader import AnsibleCollectionConfig


def install_collection_loader() -> None:
    """Install the loader, which ansible-test has installed already and plain pytest has not."""
    if AnsibleCollectionConfig.collection_finder:
        return
    root = next(path for path in sys.path if Path(path, "ansible_collections", "scanops", "scanner").is_dir())
    init_plugin_loader([root])
    # directories that Python has imported without it are imported again, so that it recognises the collection
    for name, module in list(sys.modules.items()):
        if name.startswith("ansible_collections") and not getattr(module, "__file__", None):
            del sys.modules[name]
