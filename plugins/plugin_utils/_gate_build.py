# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the build that the role scan_gate judges from its address, before the first scan and after the last."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..module_utils._gate.build import OPTION, NoValue, check, shown_url, value_in
from ..module_utils._http.advice import ANY_CALL
from ..module_utils._http.call_limits import TooMuch, Undecodable, decoded
from ..module_utils._http.connection import Connection, Request, Session, missing_requests
from ..module_utils._http.redact import Redactor
from ..module_utils._model.errors import Refused, ScannerError, WrongOption, elapsed, printable
from ..module_utils._model.times import seconds_of
from ..module_utils._scope.file import scope_in_force
from ..module_utils._scope.permit import outside_scope

# bytes of an answer
MOST = 65536
# seconds for all of it
_TIMEOUT = 30.0
# seconds between two reads, and how long the second value is waited for, because the scans have taken longer
_INTERVAL = 5.0
_PATIENCE = 15.0
# seconds of the processor for a pattern, which may otherwise never end
_SEARCH = 2.0


class Build:
    """The build of one run of the role."""

    def __init__(self, given: Mapping[str, Any], options: Mapping[str, Any], show: Callable[[str], None]) -> None:
        """given: the variable; options: those of the scans; show: shows a line. Raises WrongOption and Refused."""
        check(given)
        self._given, self._show = given, show
        self.wait = seconds_of(given.get("wait", 0))
        missing = missing_requests()
        if missing:
            raise WrongOption(f"{OPTION} needs the Python library {missing} on the controller: install it.")
        reason = scope_in_force(options["scope"], os.environ).verdict(given["url"])
        if reason:
            raise Refused(outside_scope(f"{OPTION}.url", reason))
        if seconds_of(options["max_age"]):
            raise WrongOption(
                f"{OPTION} says nothing of older scans, which scan_gate_max_age judges again: remove one of them."
            )
        self._verify = options["validate_certs"] and (options["ca_path"] or True)
        # the option of the module gate
        self.option: dict[str, str] = {}

    def is_ready(self, wait: int) -> bool:
        """Whether the build to judge is deployed. wait: the seconds to wait for it."""
        given = self._given
        said = {"url": shown_url(given["url"]), "expected": given.get("expect", ""), "wait": str(wait or "")}
        # the module takes what is empty for a mistake
        self.option = {key: each for key, each in said.items() if each}
        return self._read("before", wait, given.get("expect"))

    def read_again(self) -> None:
        """Read the build after the last scan."""
        self._read("after", _PATIENCE, None)

    def _read(self, when: str, seconds: float, expected: str | None) -> bool:
        """Read until the expected value answers, or any, for so many seconds. Returns whether it does."""
        until, shown = time.monotonic() + seconds, ""
        while True:
            try:
                build = read(self._given, self._verify)
                # another server behind the address may have another build, so two requests must answer it
                again = read(self._given, self._verify) if expected in (None, build) else build
                if again != build:
                    raise NoValue(f"one request was answered with {build} and the next one with {again}")
                found = {when: build}
            except NoValue as error:
                found = {"problem": str(error)}
            is_right = when in found and expected in (None, found[when])
            left = until - time.monotonic()
            if is_right or left <= 0:
                self.option.update(found)
                return is_right
            is_other = when in found
            said = f"answers {found[when]}, not {expected}" if is_other else f"says no build ({found['problem']})"
            if said != shown:
                shown = said
                self._show(f"{shown_url(self._given['url'])} {said}; trying again for {elapsed(round(left))}")
            time.sleep(min(_INTERVAL, left))


def read(given: Mapping[str, Any], verify: bool | str, seconds: float = _TIMEOUT) -> str:
    """The build that the address says. Raises NoValue. given: the variable of the role; seconds: for the complete answer.

    The request has no key, no login and no cookie. It follows a redirect only to the same address, with a slash at its end or
    without.
    """
    _start, base, path, _end = re.split("(https?://[^/?#]+)([^#]*)", given["url"], maxsplit=1)
    connection = Connection(base, "", seconds, call_timeout=seconds, max_answer=MOST, verify=verify)
    # a cache may answer with the build before
    headers = {"Cache-Control": "no-cache"}
    request = Request("GET", path, None, None, None, headers, True, ANY_CALL)
    with contextlib.closing(Session(connection, Redactor())) as session:
        session.new_limits()
        try:
            with session.limits.one_try(), contextlib.closing(session.follow(request)[1]) as response:
                body = b"".join(decoded(session.arriving(request, response), response.headers, MOST))
        except (TooMuch, Undecodable) as error:
            raise NoValue(f"its answer {str(error) or 'is longer than 64 KB'}") from None
        except ScannerError as error:
            said = str(getattr(error, "what", error)).replace(f"GET {path}", "GET")
            raise NoValue(printable(said.replace(" in base_url", ""))) from None
    if response.status_code // 100 != 2:
        raise NoValue(f"its answer has status {response.status_code}")
    with _in_time():
        return value_in(given, response.headers, body)


@contextlib.contextmanager
def _in_time() -> Iterator[None]:
    """Ends a search that takes too long. Raises NoValue."""
    # Python delivers signals to this thread only. The clock of this signal stands still while the process waits, and
    # ansible-core has another one for the timeout of a task
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGVTALRM, _give_up)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, _SEARCH)
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _give_up(_number: int, _frame: object) -> None:
    raise NoValue(f"pattern takes longer than {_SEARCH:g} s for its answer, so simplify it, as in version: ([0-9a-f]+)")
