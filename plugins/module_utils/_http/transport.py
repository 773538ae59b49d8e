# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""One HTTP session with the service: key, TLS, proxy, timeouts, retries, rate limits, call log.

The only file that imports requests.
"""

from __future__ import annotations

import contextlib
import random
import re
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from ansible.module_utils.ansible_release import __version__ as ANSIBLE_CORE_VERSION

from .._advice import ANY_CALL, Call, unreachable
from .._errors import AnswerError, CallError, NetworkError, WrongOption, printable
from .._interrupt import Stop, Stopped
from .._options import Connection
from .._scope.permit import require
from . import limits, rate_limit, retry
from .answer import Answer, Sink
from .body import Body, is_success
from .budget import Budget
from .call_context import CallContext
from .redact import Redactor
from .refusal import broken_off, interrupted, no_answer, not_sent, redirected, refusal, tls_reason, too_late
from .tries import Request, Tries

REQUESTS_VERSION: str | None = None
try:
    import requests
    import urllib3
except ImportError:
    """A module fails with ``missing_requests`` before it opens a Transport."""
else:
    # by name, because older releases have no module of this name, for which the type stubs take it
    REQUESTS_VERSION = str(vars(requests)["__version__"])

# as galaxy.yml has it, which modules cannot read on their host
COLLECTION_VERSION = "1.0.0"
REQUESTS_FLOOR = (2, 31)

_CHUNK = 65536
_MOST_REDIRECTS = 5


def missing_requests() -> str | None:
    """What is missing, for missing_required_lib: requests, or a newer version of it; None if nothing is."""
    needed = f"requests >= {'.'.join(map(str, REQUESTS_FLOOR))}"
    if REQUESTS_VERSION is None:
        return needed
    found = tuple(int(digits) for digits in re.findall(r"[0-9]+", REQUESTS_VERSION)[:2])
    return f"{needed} (found {REQUESTS_VERSION})" if found < REQUESTS_FLOOR else None


class Transport:
    """Sends calls to one base URL with one key.

    calls: the log, "METHOD path -> status" for each try; last: the Answer to the last try, also a refusal, None for a
    redirect or no answer; stop: whether the task is interrupted; sleep, clock, jitter: replaced in tests.
    """

    def __init__(
        self,
        connection: Connection,
        sleep: Callable[[float], object] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.connection = connection
        self.calls: list[str] = []
        self.last: Answer | None = None
        self.context = CallContext()
        self._about = ANY_CALL
        self.stop = Stop()
        self._sleep = sleep
        self._clock = clock
        self._jitter = jitter
        self.budget = Budget(connection, self._nap, clock, jitter)
        self._origin = urlsplit(connection.base_url)[:2]
        self._redactor = Redactor(connection.api_key)
        self._limits = self._new_limits()
        self._proxies = self._chosen_proxies()
        self._session = self._open_session()

    def _new_limits(self) -> limits.Limits:
        return limits.Limits(self.connection.longest_call, self.connection.max_answer)

    def _open_session(self) -> requests.Session:
        class Session(requests.Session):
            def get_redirect_target(self, resp: requests.Response) -> None:
                """Redirects are followed here. Requests would prepare the next request in any case, and fail on an invalid
                address."""

        session = Session()
        bearer = f"Bearer {self.connection.api_key}"

        def authorize(request: requests.PreparedRequest) -> requests.PreparedRequest:
            request.headers["Authorization"] = bearer
            return request

        # an auth object, as ~/.netrc would replace a header
        session.auth = authorize
        # the only encoding that is decoded here, within limits
        session.headers["Accept-Encoding"] = "gzip"
        session.headers["User-Agent"] = f"scanops.scanner/{COLLECTION_VERSION} ansible-core/{ANSIBLE_CORE_VERSION}"
        session.cert = self.connection.cert
        for scheme in ("https://", "http://"):
            session.mount(scheme, _adapter(lambda: self._limits))
        return session

    def _chosen_proxies(self) -> dict[str, str] | None:
        """The proxies of each request; None for those of the environment."""
        proxy = self.connection.proxy
        if proxy:
            return {"http": proxy, "https": proxy}
        return {"no_proxy": urlsplit(self.connection.base_url).hostname or ""} if self.connection.direct else None

    def renew(self) -> None:
        """Begin another task over the same connections: with an empty log, and with all of its time for rate limits."""
        self.calls = []
        self.last = None
        self._about = ANY_CALL
        self.budget.renew()

    def close(self) -> None:
        self._session.close()

    def pause(self, seconds: float) -> None:
        """Wait between two reads of something that takes its time."""
        # the call after an interrupted pause says so
        with contextlib.suppress(Stopped):
            self._nap(seconds)

    def _nap(self, seconds: float) -> None:
        """Wait. Raises Stopped."""
        self.stop.during(lambda: self._sleep(seconds))

    def now(self) -> float:
        """Seconds on a clock that only goes forward."""
        return self._clock()

    def jitter(self) -> float:
        """A random number from 0 to 1."""
        return self._jitter()

    def send(
        self,
        method: str,
        path: str,
        query: dict[str, Any] | None = None,
        form: dict[str, Any] | None = None,
        json: Any = None,
        accept: str = "application/json",
        hints: Mapping[int, Any] | None = None,
        sink: Sink | None = None,
        at_host: bool = False,
        permit: object = None,
        about: Call | None = None,
    ) -> Answer:
        """Send one call and return its Answer, a success (2xx). Retries what may be repeated (see ``retry``).

        path: below the base URL, or with ``at_host`` below its host, where the key is not sent;
        json: a value for a JSON body, or None; hints: what to do next, by status (see ``_advice.next_step``);
        sink: takes the body of a success;
        permit: the Permit for exactly this call, for any method but GET.
        Raises NetworkError, AnswerError, ApiError, and what the sink raises.
        """
        require(permit, method, path, query, form, json)
        self._about = (about or _call_of(method))._replace(answered=self.context.answered)
        headers = {"Accept": accept}
        if sink is not None:
            # so that the end of the answer shows, whatever length is announced
            headers["Connection"] = "close"
        request = Request(method, path, query, form, json, headers, at_host)
        self.last = None
        self._limits = self._new_limits()
        tries = Tries(self.budget.turn(None if at_host else rate_limit.limit_of(method, path)))
        try:
            while (answer := self._try_again(request, sink, tries, hints)) is None:
                pass
        except Stopped:
            if tries.in_flight:
                self._log(request, "no answer")
            why = str(self.stop.reason)
            raise interrupted(method, path, self._about, why, tries.in_flight, tries.lost) from None
        return answer

    def _try_again(
        self, request: Request, sink: Sink | None, tries: Tries, hints: Mapping[int, Any] | None
    ) -> Answer | None:
        """Send a call once. Returns None after the wait before its next try."""
        tries.turn.wait()
        self.stop.check()
        self.last = None
        error: CallError
        outcome: int | str
        tries.in_flight = True
        try:
            answer = self.stop.during(lambda: self._try_once(request, sink), patient=request.method != "GET")
        except NetworkError as lost:
            self._log(request, "no answer")
            tries.turn.lost()
            error = lost
            outcome = retry.LOST if lost.maybe_done else retry.UNREACHABLE
        else:
            self.last = answer
            self._log(request, answer.status)
            tries.turn.answered(answer)
            if is_success(answer):
                self.context.answered |= answer.content_type.startswith("application/json")
                return answer
            error = refusal(answer, hints)
            outcome = answer.status
        tries.in_flight = False
        error = error.with_facts(after_loss=tries.lost)
        if not retry.may_repeat(request.method, outcome) or error.final or self._limits.over:
            raise error
        if outcome == 429:
            tries.limited += 1
            self.budget.wait_asked(answer, error, tries.limited)
            return None
        if tries.repeated >= self.connection.retries:
            raise error
        tries.repeated += 1
        tries.lost = tries.lost or error.maybe_done
        self._nap(retry.backoff(tries.repeated, self._jitter()))
        return None

    def _log(self, request: Request, outcome: int | str) -> None:
        self.calls.append(f"{request.shown()} -> {outcome}")

    def _try_once(self, request: Request, sink: Sink | None) -> Answer:
        with self._limits.one_try():
            asked, response = self._follow(request)
            with contextlib.closing(response):
                answer = Answer(
                    request.method, request.path, response.status_code, response.headers,
                    moments=(asked, time.time()), about=self._about, redactor=self._redactor,
                )  # fmt: skip
                body = Body(answer, response.headers, self._arriving(answer, response), self._limits)
                if sink is not None and is_success(answer):
                    body.pass_on(sink)
                else:
                    body.keep()
        return answer

    def _follow(self, request: Request) -> tuple[float, requests.Response]:
        """The Unix time of the request, and the response after any redirects."""
        method, path = request.method, request.path
        url = (f"{self._origin[0]}://{self._origin[1]}" if request.at_host else self.connection.base_url) + path
        for _hop in range(_MOST_REDIRECTS + 1):
            asked = time.time()
            response = self._exchange(request, url)
            if response.status_code not in (301, 302, 303, 307, 308):
                return asked, response
            response.close()
            location = self._redactor.text(response.headers.get("Location") or "")
            # the address with its query, to which a Location may be relative
            url = redirected(method, path, response.status_code, response.url or url, location)
            # the new address has its own query
            request = request._replace(query=None)
        raise AnswerError(
            f"{method} {path} was redirected more than {_MOST_REDIRECTS} times",
            method, path, status=response.status_code, advice="check base_url",
        )  # fmt: skip

    def _exchange(self, request: Request, url: str) -> requests.Response:
        try:
            return self._session.request(
                request.method,
                url,
                params=request.query,
                data=request.form,
                json=request.json,
                headers=request.headers,
                auth=_anonymous if request.at_host else None,
                stream=True,
                allow_redirects=False,
                timeout=min(self.connection.timeout, self._limits.left()),
                # here, as an environment variable would replace a false one of the session
                verify=self.connection.verify,
                proxies=self._proxies,
            )
        except requests.exceptions.RequestException as error:
            raise self._network_error(request, error) from None
        except (OSError, ValueError) as error:
            if self._limits.late:
                raise too_late(request.method, request.path, self._limits.seconds, self._about) from None
            # certificate files that cannot be read or parsed, addresses that cannot be encoded
            raise WrongOption(
                f"{request.method} {request.path} could not be sent ({printable(type(error).__name__)}). Check base_url,"
                " proxy, ca_path, client_cert and client_key."
            ) from None

    def _network_error(self, request: Request, error: requests.exceptions.RequestException) -> NetworkError:
        known = requests.exceptions
        # an end of file means that the connection broke, maybe after the request
        if isinstance(error, known.SSLError) and "EOF" not in str(error):
            return not_sent(
                *request[:2],
                f"the TLS connection failed ({printable(tls_reason(error))})",
                "check base_url, set ca_path to the authority that signed the service's certificate, or check client_cert",
                final=True,
            )
        if isinstance(error, (known.InvalidURL, known.InvalidSchema, known.MissingSchema, known.InvalidProxyURL)):
            return not_sent(*request[:2], "the address is not valid", "check base_url and proxy", final=True)
        cause = getattr(error.args[0], "reason", None) if error.args else None
        if isinstance(error, known.ConnectTimeout) or _never_connected(cause):
            return not_sent(*request[:2], *self._why_not_connected(error, cause))
        return self._lost(request, error)

    def _why_not_connected(self, error: requests.exceptions.RequestException, cause: object) -> tuple[str, str]:
        """Why there is no connection, and what to do."""
        if isinstance(error, requests.exceptions.ProxyError):
            return "the proxy made no connection", "check proxy and the environment variables for proxies"
        if not self.context.answered and _no_such_host(cause):
            return (
                f"the host name in base_url has no address ({printable(self._origin[1])})",
                "correct base_url, or check the name resolution (DNS) of this host",
            )
        return f"nothing accepts connections at {self._origin[1]}", unreachable(self._about)

    def _lost(self, request: Request, error: requests.exceptions.RequestException) -> NetworkError:
        """The error for a request that may have arrived."""
        method, path, limits = request.method, request.path, self._limits
        if limits.late and (limits.arrived or limits.seconds < self.connection.timeout):
            return too_late(method, path, limits.seconds, self._about)
        # on Python 3.9 the TimeoutError of the limits is not the one of sockets
        if limits.late or isinstance(error, requests.exceptions.Timeout):
            late = f"No answer to {method} {path} within {self.connection.timeout:g} s"
            return no_answer(late, method, path, self._about, "raise timeout if this persists")
        return no_answer(f"No answer to {method} {path} (the connection broke)", method, path, self._about)

    def _arriving(self, answer: Answer, response: requests.Response) -> Iterator[bytes]:
        """The pieces of a body as they arrive."""
        try:
            while piece := response.raw.read(_CHUNK, decode_content=False):
                yield piece
        except (urllib3.exceptions.HTTPError, OSError):
            if self._limits.late:
                raise too_late(answer.method, answer.path, self._limits.seconds, self._about) from None
            if self._limits.full:
                raise limits.TooMuch from None
            raise broken_off(answer) from None


def _adapter(present: Callable[[], limits.Limits]) -> requests.adapters.HTTPAdapter:
    """An adapter whose answers are held to the present limits."""

    class Adapter(requests.adapters.HTTPAdapter):
        def init_poolmanager(self, *arguments: Any, **named: Any) -> None:
            super().init_poolmanager(*arguments, **named)
            limits.hold(self.poolmanager, present)

        def proxy_manager_for(self, proxy: str, **named: Any) -> urllib3.PoolManager:
            is_new = proxy not in self.proxy_manager
            manager: urllib3.PoolManager = super().proxy_manager_for(proxy, **named)
            if is_new:
                limits.hold(manager, present)
            return manager

    return Adapter()


def _call_of(method: str) -> Call:
    """What is known about a call that its sender does not describe."""
    return Call({"GET": "list", "POST": "create", "PUT": "update", "DELETE": "delete"}.get(method, "list"))


def _anonymous(request: requests.PreparedRequest) -> requests.PreparedRequest:
    """An auth object that adds nothing. Without one, requests would use the session's, or ``~/.netrc``."""
    return request


def _never_connected(cause: object) -> bool:
    """Whether urllib3's cause of an error means that no request was sent."""
    known = urllib3.exceptions
    if isinstance(cause, known.ProxyError):
        # with urllib3 1.26, a connection that broke after the request is a proxy error too
        cause = getattr(cause, "original_error", None)
        if "Tunnel connection failed" in str(cause):
            return True
    return isinstance(cause, (known.NewConnectionError, known.ConnectTimeoutError))


def _no_such_host(cause: object) -> bool:
    """Whether a connection failed because the host name has no address. urllib3 1.26 has no error for this."""
    named = getattr(urllib3.exceptions, "NameResolutionError", ())
    return isinstance(cause, named) or isinstance(getattr(cause, "__context__", None), socket.gaierror)
