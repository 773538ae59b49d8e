# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What a module declares, its options and its work, and the AnsibleModule that runs it."""

from __future__ import annotations

import contextlib
import os
import select
import stat
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ansible.module_utils.basic import FILE_COMMON_ARGUMENTS, AnsibleModule, missing_required_lib

from .._http.connection import missing_requests
from .._model.errors import ScannerError, harmless
from .._model.interrupts import Stop
from .connection_options import CONNECTION_OPTIONS, NEEDED, from_environment
from .host import Host
from .masking import hide, masked, shown_options
from .raw_options import ArgumentSpec, Groups, Prepared, placeholder_in, prepare
from .task import Ended, ScopeInForce, Shared, Work, perform


class Module(NamedTuple):
    """A module.

    options: its argument spec without the connection; scope_in_force: the function of ``_scope/file``, for a module with
    the option ``scope``; withdraw: removes what an earlier task left and a failed one must not leave, given the host and the
    result, and returns whether it did; add_file_common_args: whether it writes files; writes: the options of which each
    makes a task write one; offline: those of which each makes a task work without the service; the rest: as for AnsibleModule.
    """

    options: Mapping[str, Any]
    work: Work
    scope_in_force: ScopeInForce | None = None
    withdraw: Callable[[Host, Mapping[str, Any]], bool] | None = None
    add_file_common_args: bool = False
    writes: tuple[str, ...] = ("dest",)
    offline: tuple[str, ...] = ()
    mutually_exclusive: Groups = ()
    required_one_of: Groups = ()
    required_if: Sequence[Any] = ()
    required_by: Mapping[str, Any] = {}

    def spec(self) -> ArgumentSpec:
        """The argument spec, with the options of the connection and of files."""
        if ("scope" in self.options) != (self.scope_in_force is not None):
            raise TypeError("the option scope and scope_in_force belong together")
        spec = dict(CONNECTION_OPTIONS, **self.options)
        if self.add_file_common_args:
            spec.update((name, entry) for name, entry in FILE_COMMON_ARGUMENTS.items() if name not in spec)
        return spec

    def constraints(self) -> dict[str, Any]:
        """What holds between options, for AnsibleModule and for ArgumentSpecValidator."""
        return dict(
            mutually_exclusive=self.mutually_exclusive,
            required_one_of=self.required_one_of,
            required_if=self.required_if,
            required_by=self.required_by,
        )

    def writes_file(self, params: Mapping[str, Any]) -> bool:
        """Whether a task with these options writes a file."""
        return self.add_file_common_args and any(params.get(option) for option in self.writes)

    def makes_calls(self, params: Mapping[str, Any]) -> bool:
        """Whether a task with these options needs the service."""
        return not [option for option in self.offline if params.get(option) is not None]

    def prepared(self, given: Mapping[str, Any], environ: Mapping[str, str], secrets: set[str]) -> Prepared:
        """The arguments of a task, ready for the conversion of the options. secrets: gets those that it must not show."""
        spec = self.spec()
        groups = [*self.mutually_exclusive, *self.required_one_of]
        found, wrong = from_environment(spec, given, environ)
        # null means that these are not set: an environment variable, or what a file has, still counts
        lenient = {*CONNECTION_OPTIONS, *FILE_COMMON_ARGUMENTS} - {*self.options}
        prepared = prepare(spec, groups, {**given, **found}, NEEDED if self.makes_calls(given) else {}, lenient)
        for secret in prepared.secrets:
            hide(secret, secrets)
        return prepared._replace(refusal=placeholder_in(environ) or prepared.refusal or wrong)

    def perform(self, host: Host, secrets: set[str], shared: Shared | None = None) -> Ended:
        """Do the work of a task. secrets: see ``prepared``; shared: what it shares with the other items of its loop."""
        makes_calls = self.makes_calls(host.params)
        ended = perform(host, self.options, self.work, self.scope_in_force, os.environ, shared, makes_calls)
        if ended.secret:
            # ansible-core shows the options of a failed task
            hide(ended.secret, secrets)
        return ended


class _Module(AnsibleModule):  # type: ignore[misc]  # ansible-core has no types
    """The Host of a task that runs as a module."""

    params: dict[str, Any]

    def __init__(self, declared: Module, stop: Stop) -> None:
        self.declared = declared
        self.stop = stop
        super().__init__(
            argument_spec=declared.spec(),
            add_file_common_args=declared.add_file_common_args,
            supports_check_mode=True,
            **declared.constraints(),
        )

    @property
    def diff_mode(self) -> bool:
        return bool(self._diff)

    def _load_params(self) -> None:
        super()._load_params()
        prepared = self.declared.prepared(self.params, os.environ, self.no_log_values)
        self._refusal = prepared.refusal
        self.params = prepared.params

    def _set_internal_properties(self, *arguments: Any, **named: Any) -> None:
        super()._set_internal_properties(*arguments, **named)
        # before ansible-core converts the options, which changes their values
        if self._refusal:
            self.fail_json(msg=self._refusal)

    def warn(self, warning: str, *arguments: Any, **named: Any) -> None:
        # ansible-core 2.19 to 2.21 mask no warnings
        super().warn(masked(warning, self.no_log_values), *arguments, **named)

    def show(self, text: str) -> None:
        """Show nothing: ansible-core reads what a module prints only when it has ended."""

    def fail_json(self, msg: str, **kwargs: Any) -> None:
        """Fail, also where ansible-core refuses an option and quotes it."""
        # a task that writes files runs as a module
        withdraw = self.declared.withdraw
        try:
            if withdraw is not None and withdraw(self, kwargs) and not self.check_mode:
                kwargs["changed"] = True
        except ScannerError as error:
            msg = f"{msg} {error}"
        super().fail_json(harmless(msg), **kwargs)

    def add_path_info(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        # ansible-core would add the mode, owner and size of dest, which are not documented as part of the result
        options = shown_options(self.params)
        if options is not None:
            # ansible-core adds the options unmasked, and drops these where nobody asked for them
            kwargs["invocation"] = options
        return kwargs


def run(declared: Module) -> None:
    """Run a module. An interrupt ends it between two calls."""
    with Stop(_is_abandoned).listening() as stop:
        module = _Module(declared, stop)
        missing = missing_requests()
        if missing:
            module.fail_json(msg=missing_required_lib(missing))
        ended = declared.perform(module, module.no_log_values)
        returned = ended.returned(module._verbosity)
        if ended.failure is not None:
            # not inside an except clause, which would add a traceback at -vvv
            module.fail_json(**returned)
        # exit_json does not return
        with contextlib.suppress(RecursionError):
            module.exit_json(**returned)
        module.fail_json(**ended.too_deep(module._verbosity))


def _is_abandoned() -> bool:
    """Whether standard output is a pipe that nobody reads any more, as after the time limit of the task."""
    try:
        if not stat.S_ISFIFO(os.fstat(1).st_mode):
            return False
        pipe = select.poll()
        pipe.register(1, 0)
        return any(event & (select.POLLERR | select.POLLHUP) for _number, event in pipe.poll(0))
    except OSError:
        return False
