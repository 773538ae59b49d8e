# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The shell around every module: options in, one call of the work, a result or one sentence out."""

from __future__ import annotations

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

from ._client import Client
from ._errors import Refused, ScannerError
from ._lookup import UNKNOWN_ID
from ._options import CONNECTION_OPTIONS, connection_from
from ._transport import Transport, missing_requests

# the options that name an object by id, with the options that name it otherwise
REFERENCES = {"id": ("name", "label"), "workspace_id": ("workspace",)}


class Task:
    """What the work of a module may use: client, params, check_mode, diff_mode, warn, scope_verdict."""

    def __init__(self, module, client):
        self.client = client
        self.params = module.params
        self.check_mode = module.check_mode
        self.diff_mode = module._diff
        self.warn = module.warn
        # a function from a target's name to why it may not be one, set by ``_scoped``
        self.scope_verdict = None

    def warn_foreseen(self, what):
        """Warn that check mode goes on as if an earlier task had made something."""
        self.warn(f"{what} is not there yet; check mode goes on as if an earlier task had made it.")


class _Module(AnsibleModule):
    def _load_params(self):
        super()._load_params()
        # in check mode an earlier task registers null for an id that only the service can give; ansible-core before
        # 2.19 turns that into an empty text, which is no integer
        for option, others in REFERENCES.items() if self.params.get("_ansible_check_mode") else ():
            if self.params.get(option, "not given") in (None, "") and not any(self.params.get(o) for o in others):
                self.params[option] = UNKNOWN_ID
        # ansible-core takes a null for a value: it would pass as the one option that is required, or beat a default
        self.params = {option: value for option, value in self.params.items() if value is not None}


def run(options, work, **constraints):
    """Run a module. options: its argument spec beside the connection; work: a function from a Task to the result, a dict;
    constraints: mutually_exclusive and the like, for AnsibleModule."""
    module = _Module(argument_spec=dict(CONNECTION_OPTIONS, **options), supports_check_mode=True, **constraints)
    missing = missing_requests()
    if missing:
        module.fail_json(msg=missing_required_lib(missing))
    calls = []
    failure = None
    try:
        _refuse_bad_ids(module)
        transport = Transport(connection_from(module.params))
        calls = transport.calls
        result = work(Task(module, Client(transport)))
    except ScannerError as error:
        # failing in here would add a traceback at -vvv
        failure, result = str(error), error.result
        # ansible-core shows the options of a failed task
        module.no_log_values.update(filter(None, [getattr(error, "secret", None)]))
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


def _refuse_bad_ids(module):
    for option in REFERENCES:
        value = module.params.get(option)
        if value is not None and value < 1 and not (module.check_mode and value == UNKNOWN_ID):
            raise Refused(f"{option} is {value}: give a positive number, as the service lists it.")
