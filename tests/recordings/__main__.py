# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Make the recordings of the local service again: `PYTHONPATH=../../.. python tests/recordings`."""

from __future__ import annotations

from ansible_collections.scanops.scanner.tests.recordings.made import ACCOUNT, SETTINGS, path_of
from ansible_collections.scanops.scanner.tests.unit.local_service import LocalService
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.run_module import run_module


def main() -> None:
    with LocalService.start() as service:
        for name, settings in SETTINGS.items():
            service.reset(settings=settings, state=ACCOUNT)
            path = path_of(name)
            options = dict(base_url=service.base_url, api_key=service.api_key, writes=True, record=str(path))
            result = run_module("service_verification", options)
            # as git keeps it
            path.chmod(0o644)
            print(f"{path}: {result.msg or result['summary']}")


if __name__ == "__main__":
    main()
