# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Runs the work of a module in an AnsibleModule: options in, the result or one sentence out."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.basic import FILE_COMMON_ARGUMENTS, AnsibleModule, missing_required_lib

from ._given import missing_variables, refusal, secrets_in, unknown_options, unsupported, with_unknown_ids
from ._http.transport import missing_requests
from ._options import CONNECTION_OPTIONS, NEEDED
from ._task import ScopeInForce, Work, perform

try:
    # from ansible-core 2.22 on, secrets are registered and masked where ansible-core shows them, but not in results
    from ansible.module_utils.secrets import mask_secrets, register_secret
except ImportError:
    mask_secrets = register_secret = None
    from ansible.module_utils.common.parameters import remove_values
else:
    remove_values = None

# options for which null means that they are not set: an environment variable, or what a file has, still counts
LENIENT = (*CONNECTION_OPTIONS, *FILE_COMMON_ARGUMENTS)


class _Module(AnsibleModule):  # type: ignore[misc]  # ansible-core has no types
    """The Host of a task that runs as a module."""

    params: dict[str, Any]

    def __init__(self, hidden: str | None = None, **arguments: Any) -> None:
        """hidden: the name of the argument in which an action plugin hands something over."""
        self._hidden = hidden
        self.step: object = None
        super().__init__(**arguments)

    @property
    def diff_mode(self) -> bool:
        return bool(self._diff)

    @property
    def directory(self) -> str | None:
        directory: str | None = self._tmpdir
        return directory

    def _load_params(self) -> None:
        super()._load_params()
        if self._hidden:
            # not an option, so that it is neither documented nor shown with the options of a task
            self.step = self.params.pop(self._hidden, None)
        spec = self.argument_spec
        # options that can replace one another
        groups = [*(self.mutually_exclusive or ()), *(self.required_one_of or ())]
        # ansible-core shows the options of a failed task, also those that it does not know
        for secret in secrets_in(spec, self.params):
            self.hide(secret)
        unknown = unknown_options(spec, self.params)
        self.params.update(dict.fromkeys(unknown, "VALUE_NOT_SHOWN"))
        if self.params.get("_ansible_check_mode"):
            self.params = with_unknown_ids(spec, groups, self.params)
        # first, because ansible-core would name what is missing instead of what is misspelt
        self._refusal = unsupported(self.params.get("_ansible_module_name", ""), spec, unknown)
        self._refusal = self._refusal or missing_variables(spec, NEEDED, self.params, os.environ)
        self._refusal = self._refusal or refusal(spec, groups, self.params, LENIENT)
        # ansible-core takes a null for a value: it would satisfy a required option, or replace a default
        self.params = {option: value for option, value in self.params.items() if value is not None}

    def _set_internal_properties(self, *arguments: Any, **named: Any) -> None:
        super()._set_internal_properties(*arguments, **named)
        # before ansible-core converts the options, which changes their values
        if self._refusal:
            self.fail_json(msg=self._refusal)

    def hide(self, secret: str) -> None:
        """Keep a text out of everything that ansible-core shows of this task, including its options."""
        if register_secret is None:
            self.no_log_values.add(secret)
        else:
            register_secret(secret)

    def masked(self, value: Any) -> Any:
        """A copy of a value as ansible-core shows it: without the secrets in its texts."""
        return remove_values(value, self.no_log_values) if remove_values else _masked(value)

    def add_path_info(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        # ansible-core would add the mode, owner and size of dest, which are not documented as part of the result
        if mask_secrets is not None:
            # ansible-core adds the options unmasked, and drops these where nobody asked for them
            kwargs["invocation"] = dict(module_args=_masked(self.params))
        return kwargs


def run(
    options: Mapping[str, Any],
    work: Work,
    scope_in_force: ScopeInForce | None = None,
    hidden: str | None = None,
    **constraints: Any,
) -> None:
    """Run a module.

    options: its argument spec without the connection; scope_in_force: the function of ``_scope/file``, for a module with
    the option ``scope``; hidden: the name of the argument in which an action plugin hands something over; constraints:
    mutually_exclusive and the like, for AnsibleModule.
    """
    if ("scope" in options) != (scope_in_force is not None):
        raise TypeError("the option scope and scope_in_force belong together")
    spec = dict(CONNECTION_OPTIONS, **options)
    module = _Module(hidden, argument_spec=spec, supports_check_mode=True, **constraints)
    missing = missing_requests()
    if missing:
        module.fail_json(msg=missing_required_lib(missing))
    # the argument spec of the module also has the options of files
    ended = perform(module, module.argument_spec, work, scope_in_force, os.environ)
    log = {"api_calls": ended.calls} if module._verbosity >= 2 else {}
    if ended.secret:
        # ansible-core shows the options of a failed task
        module.hide(ended.secret)
    if ended.failure is not None:
        # not inside an except clause, which would add a traceback at -vvv
        module.fail_json(msg=ended.failure, **ended.result, **log)
    failure = "The service's answer is nested too deeply to be returned: check that base_url is the address of its API."
    # exit_json does not return
    with contextlib.suppress(RecursionError):
        module.exit_json(**ended.result, **log)
    module.fail_json(msg=failure, changed=ended.result.get("changed", False), **log)


def _masked(value: Any) -> Any:
    """A copy of a value without the registered secrets in its texts."""
    if isinstance(value, dict):
        return {_masked(name): _masked(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_masked(part) for part in value]
    return mask_secrets(value) if isinstance(value, str) else value
