# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""One task: what runs it (the Host), what its work is given (the Task), and how it ended."""

from __future__ import annotations

import contextlib
import os
import traceback
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, Optional, Protocol

from .._http.client import Client
from .._http.connection import Connection
from .._http.list_cache import Lists
from .._http.transport import Transport
from .._model.errors import CallError, ScannerError, WrongOption, harmless, printable
from .._scope.permit import Permits, Verdicts
from .connection_options import connection_from
from .host import Host, assumption
from .raw_options import check_ids

# the failure of a task whose result cannot be turned into JSON
TOO_DEEP = "The service's answer is nested too deeply to be returned: check that base_url is the address of its API."
# the beginning of the message on a mistake in the collection
UNEXPECTED = "An unexpected error ended the task"


class Opened(NamedTuple):
    """What a task reads with. lists: what it shares with the other items of its loop, None where it shares nothing."""

    transport: Transport
    lists: Lists | None = None


class Shared(Protocol):
    """What the items of one loop share."""

    def opened(
        self, connection: Connection, environ: Mapping[str, str], opening: Callable[[Connection], Transport]
    ) -> contextlib.AbstractContextManager[Opened]:
        """The connection, for one item; opened where no earlier item has it."""


class Task:
    """What the work of a module is given: the options, the service, the permits for writes, and a way to warn."""

    def __init__(self, host: Host, opened: Opened | None, permits: Permits) -> None:
        """opened: None for a task that makes no call."""
        self._client = None if opened is None else Client(opened.transport, permits.permit, self.warn, opened.lists)
        self.permits = permits
        self.params = host.params
        self.check_mode = host.check_mode
        self.diff_mode = host.diff_mode
        self.host = host
        # those of the task so far
        self.warnings: list[str] = []

    @property
    def client(self) -> Client:
        """The way to the service."""
        if self._client is None:
            raise RuntimeError("this task makes no call")
        return self._client

    def warn(self, sentence: str) -> None:
        """Show a warning with the result of the task, once."""
        if sentence not in self.warnings:
            self.warnings.append(sentence)
            self.host.warn(harmless(sentence))

    def warn_assumed(self, what: str) -> None:
        """Warn that check mode assumes that an earlier task creates something."""
        self.warn(assumption(what))


# a function from a Task to the result of the module
Work = Callable[[Task], dict[str, Any]]
# ``scope_in_force`` of ``_scope/file``; handed in, so that modules without a scope do not ship it
ScopeInForce = Callable[[Optional[dict[str, Any]], Mapping[str, str]], Verdicts]


class Ended(NamedTuple):
    """How a task ended. failure: the message, None for a success; secret: a text of an option that must not be shown; trace:
    the traceback of a mistake in the collection."""

    result: dict[str, Any]
    calls: list[str]
    failure: str | None = None
    secret: str | None = None
    trace: str | None = None

    def returned(self, verbosity: int) -> dict[str, Any]:
        """What the task returns at this verbosity of ansible-core."""
        trace = {"exception": self.trace} if self.trace and verbosity >= 3 else {}
        if self.failure is not None:
            return {**harmless({**self.result, "failed": True, "msg": self.failure, **trace}), **self._log(verbosity)}
        # ansible-core shows a diff; other parts of a result only on request
        diff = {"diff": harmless(self.result["diff"])} if "diff" in self.result else {}
        return {**self.result, **diff, **self._log(verbosity)}

    def too_deep(self, verbosity: int) -> dict[str, Any]:
        """What the task returns instead of a result that is nested too deeply."""
        changed = self.result.get("changed", False)
        return dict(failed=True, msg=TOO_DEEP, changed=changed, **self._log(verbosity))

    def _log(self, verbosity: int) -> dict[str, Any]:
        return {"api_calls": self.calls} if verbosity >= 2 else {}


def perform(
    host: Host,
    options: Mapping[str, Any],
    work: Work,
    scope_in_force: ScopeInForce | None,
    environ: Mapping[str, str],
    shared: Shared | None = None,
    makes_calls: bool = True,
) -> Ended:
    """Do the work of a module, with a connection of its own unless it is an item of a loop. Every Exception becomes a
    failure. options: those of the module's own spec."""
    calls: list[str] = []
    try:
        check_ids(options, host.params, host.check_mode)
        if not makes_calls:
            return Ended(work(Task(host, None, _permits_for(host, scope_in_force, environ))), calls)
        connection = connection_from(host.params)
        with shared.opened(connection, environ, Transport) if shared else _opened(connection) as opened:
            calls = opened.transport.calls
            opened.transport.stop, opened.transport.show = host.stop, host.show
            result = work(Task(host, opened, _permits_for(host, scope_in_force, environ)))
            # work that ignores a failed call must not hide that the task was interrupted
            return Ended(result, calls, host.stop.failure)
    except ScannerError as error:
        if isinstance(error, CallError) and error.may_have_worked:
            error = error.with_effect("The change may have been made.")
        secret = error.secret if isinstance(error, WrongOption) else None
        return Ended(dict(error.result), calls, str(error), secret)
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        what = printable(f"{type(error).__name__}: {error}", 300)
        unexpected = (
            f"{UNEXPECTED} ({what}, in {os.path.basename(place.filename)}, line {place.lineno}). Changes may have been made."
            " Report this message, and the traceback that -vvv shows, at https://github.com/scanops/scanops.scanner/issues."
        )
        return Ended({}, calls, unexpected, trace=traceback.format_exc())


@contextlib.contextmanager
def _opened(connection: Connection) -> Iterator[Opened]:
    with contextlib.closing(Transport(connection)) as transport:
        yield Opened(transport)


def _permits_for(host: Host, scope_in_force: ScopeInForce | None, environ: Mapping[str, str]) -> Permits:
    """The Permits of the task. Only ``state: present`` has a scope, because no scope applies to a deletion."""
    scope = None
    if scope_in_force is not None and host.params.get("state", "present") == "present":
        scope = scope_in_force(host.params["scope"], environ)
    return Permits(scope, closed="check mode writes nothing" if host.check_mode else None)
