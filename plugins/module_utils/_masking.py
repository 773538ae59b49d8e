# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""How ansible-core keeps the secrets of a task out of what it shows, on every supported release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

try:
    # from ansible-core 2.22 on, secrets are registered and masked where ansible-core shows them, but not in results
    from ansible.module_utils.secrets import mask_secrets, register_secret
except ImportError:
    mask_secrets = register_secret = None
    from ansible.module_utils.common.parameters import remove_values
else:
    remove_values = None


def hide(secret: str, known: set[str]) -> None:
    """Keep a text out of everything that ansible-core shows of this task, including its options. known: its secrets."""
    if register_secret is None:
        known.add(secret)
    else:
        register_secret(secret)


def masked(value: Any, known: set[str]) -> Any:
    """A copy of a value as ansible-core shows it: without the secrets in its texts."""
    return remove_values(value, known) if remove_values else _masked(value)


def shown_options(params: Mapping[str, Any]) -> dict[str, Any] | None:
    """The options of a task for its result; None if ansible-core masks them itself."""
    return None if mask_secrets is None else dict(module_args=_masked(params))


def shown_result(result: dict[str, Any], known: set[str]) -> dict[str, Any]:
    """The result of a task as AnsibleModule prints it. From ansible-core 2.22 on, it is masked later."""
    if remove_values is None:
        return result
    # no secret is masked in them
    plain = {name: value for name, value in result.items() if value is None or isinstance(value, bool)}
    return {**remove_values(result, known), **plain}


def _masked(value: Any) -> Any:
    """A copy of a value without the registered secrets in its texts."""
    if isinstance(value, dict):
        return {_masked(name): _masked(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_masked(part) for part in value]
    return mask_secrets(value) if isinstance(value, str) else value
