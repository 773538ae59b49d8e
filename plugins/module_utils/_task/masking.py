# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""How ansible-core keeps the secrets of a task out of what it shows, on every supported release."""

from __future__ import annotations

from collections.abc import Mapping
from json import dumps
from typing import Any

try:
    # from ansible-core 2.22 on, secrets are registered and masked where ansible-core shows them, but not in results
    from ansible.module_utils.secrets import mask_secrets, register_secret
except ImportError:
    mask_secrets = register_secret = None
    from ansible.module_utils.common.parameters import remove_values
else:
    remove_values = None

# types of JSON that hold no text, and those that hold no others
_WITHOUT_TEXT = frozenset((int, float, bool, type(None)))
_SINGLE = _WITHOUT_TEXT | {str}


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
    return {**_without(result, known), **plain}


def _without(value: dict[str, Any], known: set[str]) -> dict[str, Any]:
    """As remove_values, which walks through every text: only through those parts of a dictionary that hold a secret."""
    shown = {}
    # as JSON has them, without any character beyond ASCII
    escaped = [dumps(secret)[1:-1] for secret in known]
    # JSON has other names for these constants of Python, which are no secrets
    words = "True False None"
    is_in_words = any(secret in words for secret in known)
    for name, part in value.items():
        if isinstance(part, dict):
            shown[name] = _without(part, known)
            continue
        printed = None if is_in_words or not is_plain(part) else dumps(part)
        may_hold = printed is None or any(each in printed for each in escaped)
        shown[name] = remove_values(part, known) if may_hold else part
    return shown


def is_plain(value: object, depth: int = 100) -> bool:
    """Whether a value has only the types of JSON, and not too many levels of them."""
    kind = type(value)
    if kind in _SINGLE:
        return True
    if not depth or kind not in (dict, list):
        return False
    if isinstance(value, dict):
        if any(key.__class__ is not str for key in value):
            return False
        value = value.values()
    return all(type(part) in _SINGLE or is_plain(part, depth - 1) for part in value)  # type: ignore[attr-defined]


def _masked(value: Any) -> Any:
    """A copy of a value without the registered secrets in its texts."""
    if isinstance(value, str):
        return mask_secrets(value)
    if isinstance(value, dict):
        return {
            mask_secrets(str(name)): part if type(part) in _WITHOUT_TEXT else _masked(part)
            for name, part in value.items()
        }
    return [_masked(part) for part in value] if isinstance(value, (list, tuple)) else value
