# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A module that only returns the same rows as the module targets, to measure what ansible-core does with them."""

from __future__ import annotations

from ansible.module_utils.basic import AnsibleModule

ROW = dict(index=0, resource="target", workspace="Bench", name="", action="unchanged", id=0, error=None)


def main() -> None:
    options = dict(
        base_url=dict(type="str"),
        api_key=dict(type="str", no_log=True),
        workspace=dict(type="str"),
        targets=dict(type="list", elements="raw"),
    )
    module = AnsibleModule(argument_spec=options, supports_check_mode=True)
    rows = [dict(ROW, index=index, name=name, id=index) for index, name in enumerate(module.params["targets"])]
    module.exit_json(changed=False, results=rows)


if __name__ == "__main__":
    main()
