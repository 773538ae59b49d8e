# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The shell around every module: options in, one call of the work, a result or one sentence out."""

from __future__ import annotations

import contextlib
import os

from ansible.module_utils.basic import FILE_COMMON_ARGUMENTS, AnsibleModule, missing_required_lib

from ._errors import CallError, Refused, ScannerError, printable
from ._given import missing_variables, refusal, secrets_in, unknown_options, with_unknown_ids, wrong_id
from ._http.transport import Transport, missing_requests
from ._options import CONNECTION_OPTIONS, connection_from
from ._scope.gate import Gate
from ._task import Task

try:
    # from ansible-core 2.22 on secrets are registered, and masked where ansible-core shows them; results keep them
    from ansible.module_utils.secrets import mask_secrets, register_secret
except ImportError:
    mask_secrets = register_secret = None
    from ansible.module_utils.common.parameters import remove_values
else:
    remove_values = None

# the options of which a null is no value: it must not keep an environment variable, or what a file has, from counting
LENIENT = (*CONNECTION_OPTIONS, *FILE_COMMON_ARGUMENTS)


class _Module(AnsibleModule):
    def __init__(self, hidden=None, **arguments):
        self._hidden = hidden
        self.handed_over = None
        super().__init__(**arguments)

    def _load_params(self):
        super()._load_params()
        if self._hidden:
            # no option, so that it is neither documented nor shown with the options of a task
            self.handed_over = self.params.pop(self._hidden, None)
        spec = self.argument_spec
        # options that can stand for one another
        groups = [*(self.mutually_exclusive or ()), *(self.required_one_of or ())]
        # ansible-core shows the options of a task that fails, also those that it does not know
        for secret in secrets_in(spec, self.params):
            self.hide(secret)
        self.params.update(dict.fromkeys(unknown_options(spec, self.params), "VALUE_NOT_SHOWN"))
        if self.params.get("_ansible_check_mode"):
            self.params = with_unknown_ids(spec, groups, self.params)
        self._refusal = missing_variables(spec, self.params, os.environ)
        self._refusal = self._refusal or refusal(spec, groups, self.params, LENIENT)
        # ansible-core takes a null for a value: it would pass as the one option that is required, or beat a default
        self.params = {option: value for option, value in self.params.items() if value is not None}

    def _set_internal_properties(self, *arguments, **named):
        super()._set_internal_properties(*arguments, **named)
        # before ansible-core converts the options, since that makes other values of what was given
        if self._refusal:
            self.fail_json(msg=self._refusal)

    _attempted = None

    def attempt(self, failing, function, *arguments, **named):
        """Call a function of ansible-core; where it fails the module, or breaks, that is Refused, in these words."""
        self._attempted = failing
        try:
            return function(*arguments, **named)
        except OSError as error:
            self._refuse_attempt(error.strerror or type(error).__name__)
        finally:
            self._attempted = None

    def _refuse_attempt(self, reason):
        raise Refused(
            f"{self._attempted} ({printable(reason)}): correct the options, or run the task as another user."
        ) from None

    def fail_json(self, msg, **more):
        if self._attempted:
            details = more.get("details")
            self._refuse_attempt(f"{msg}, {details}" if details else msg)
        super().fail_json(msg, **more)

    def hide(self, secret):
        """Keep a text out of all that ansible-core shows of this task, its options among it."""
        if register_secret is None:
            self.no_log_values.add(secret)
        else:
            register_secret(secret)

    def masked(self, value):
        """The value as ansible-core shows it: without the secrets in its texts."""
        return remove_values(value, self.no_log_values) if remove_values else _masked(value)

    def add_path_info(self, kwargs):
        # a result is what is documented; ansible-core would add the mode, owner and size that dest has, or had
        if mask_secrets is not None:
            # ansible-core adds the options as they are, and drops this where nobody asked for them
            kwargs["invocation"] = dict(module_args=_masked(self.params))
        return kwargs


def run(options, work, scope_in_force=None, hidden=None, **constraints):
    """Run a module. options: its argument spec beside the connection; work: a function from a Task to the result, a dict;
    scope_in_force: for a module with the option ``scope``, the function of this name in ``_scope_file``;
    hidden: the name of the argument in which an action plugin hands something over;
    constraints: mutually_exclusive and the like, for AnsibleModule."""
    if ("scope" in options) != (scope_in_force is not None):
        raise TypeError("the option scope and scope_in_force belong together")
    spec = dict(CONNECTION_OPTIONS, **options)
    module = _Module(hidden, argument_spec=spec, supports_check_mode=True, **constraints)
    missing = missing_requests()
    if missing:
        module.fail_json(msg=missing_required_lib(missing))
    calls = []
    failure = None
    try:
        wrong = wrong_id(module.argument_spec, module.params, module.check_mode)
        if wrong:
            raise Refused(wrong)
        with contextlib.closing(Transport(connection_from(module.params))) as transport:
            calls = transport.calls
            result = work(Task(module, transport, _gate_for(module, scope_in_force)))
    except ScannerError as error:
        if isinstance(error, CallError) and error.may_have_worked:
            error.may_have("The change may have been made.")
        # failing in here would add a traceback at -vvv
        failure, result = str(error), error.result
        # ansible-core shows the options of a failed task
        if getattr(error, "secret", None):
            module.hide(error.secret)
    log = {"api_calls": calls} if module._verbosity >= 2 else {}
    if failure is not None:
        module.fail_json(msg=failure, **result, **log)
    try:
        module.exit_json(**result, **log)
    except RecursionError:
        failure = (
            "the service's answer is nested too deeply to be returned: check that base_url is the address of its API."
        )
    module.fail_json(msg=failure, changed=result.get("changed", False), **log)


def _gate_for(module, scope_in_force):
    """The Gate of the task. What a task takes away is in no scope: only ``state: present`` has one."""
    scoped = scope_in_force is not None and module.params.get("state", "present") == "present"
    return Gate(
        scope=scope_in_force(module.params["scope"], os.environ) if scoped else None,
        closed="check mode writes nothing" if module.check_mode else None,
    )


def _masked(value):
    """A copy of a value without the registered secrets in its texts."""
    if isinstance(value, dict):
        return {_masked(name): _masked(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_masked(part) for part in value]
    return mask_secrets(value) if isinstance(value, str) else value
