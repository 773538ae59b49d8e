# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What a module declares: its options and its work, for an AnsibleModule and for an action plugin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ansible.module_utils.basic import FILE_COMMON_ARGUMENTS

from ._options import CONNECTION_OPTIONS, NEEDED
from ._raw_options import ArgumentSpec, Groups
from ._task import ScopeInForce, Work


class Module(NamedTuple):
    """A module.

    options: its argument spec without the connection; scope_in_force: the function of ``_scope/file``, for a module with
    the option ``scope``; add_file_common_args: whether it writes files; writes: the options of which each makes a task
    write one; offline: those of which each makes a task work without the service; the rest: as for AnsibleModule.
    """

    options: Mapping[str, Any]
    work: Work
    scope_in_force: ScopeInForce | None = None
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
        return all(params.get(option) is None for option in self.offline)

    def needed(self, params: Mapping[str, Any]) -> tuple[str, ...]:
        """The options of the connection that a task with these options must have."""
        return NEEDED if self.makes_calls(params) else ()

    def groups(self) -> Groups:
        """Options that can replace one another."""
        return [*self.mutually_exclusive, *self.required_one_of]
