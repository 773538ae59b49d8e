# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Sends requests: key, TLS, proxy, redirects, and the errors of requests without a complete answer.

The only file that imports requests.
"""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, Optional
from urllib.parse import parse_qsl, urljoin, urlsplit

from ansible.module_utils.ansible_release import __version__ as ANSIBLE_CORE_VERSION

from .._model.errors import AnswerError, NetworkError, WrongOption, printable
from .._model.galaxy import COLLECTION_VERSION
from .advice import Call, after_no_answer, unreachable
from .call_limits import Limits, TooMuch, hold
from .redact import Redactor

REQUESTS_VERSION: str | None = None
try:
    import requests
    import urllib3
except ImportError:
    """A module fails with ``missing_requests`` before it opens a Session."""
else:
    # by name, because older releases have no module of this name, for which the type stubs take it
    REQUESTS_VERSION = str(vars(requests)["__version__"])

REQUESTS_FLOOR = (2, 31)
# the time of a whole call, where call_timeout is not set, in multiples of timeout
_CALL_TIMEOUTS = 4

_CHUNK = 65536
_MOST_REDIRECTS = 5
_REDIRECTS = (301, 302, 303, 307, 308)


def missing_requests() -> str | None:
    """What is missing, for missing_required_lib: requests, or a newer version of it; None if nothing is."""
    needed = f"requests >= {'.'.join(map(str, REQUESTS_FLOOR))}"
    if REQUESTS_VERSION is None:
        return needed
    found = tuple(map(int, re.findall(r"[0-9]+", REQUESTS_VERSION)[:2]))
    return f"{needed} (found {REQUESTS_VERSION})" if found < REQUESTS_FLOOR else None


class Connection(NamedTuple):
    """What is needed to talk to the service, checked. Times are in seconds, max_answer is in bytes.

    call_timeout: None for a multiple of timeout; verify: whether to verify certificates, or the path of a CA bundle;
    cert: the path of a client certificate, or the paths of it and of its key; direct: whether to ignore the environment
    variables that name a proxy; rate_window: the time in which the service counts its limits, which no option changes.
    """

    base_url: str
    api_key: str
    timeout: float = 30.0
    retries: int = 3
    rate_limit_wait: int = 300
    rate_share: int = 100
    call_timeout: float | None = None
    max_answer: int = 256 * 1024 * 1024
    verify: bool | str = True
    cert: str | tuple[str, str] | None = None
    proxy: str | None = None
    direct: bool = False
    rate_window: float = 60.0

    def __repr__(self) -> str:
        # the key and the proxy's password must not reach a traceback that prints its variables
        return f"Connection({self.base_url!r})"


class Request(NamedTuple):
    """One call. ``at_host``: its path starts at the host of the base URL, and the key is not sent; about: what it does."""

    method: str
    path: str
    query: dict[str, Any] | None
    form: dict[str, Any] | None
    json: Any
    headers: dict[str, str]
    at_host: bool
    about: Call

    def shown(self) -> str:
        """The call, as the log shows it."""
        query = "&".join([f"{name}={value}" for name, value in (self.query or {}).items()])
        return f"{self.method} {self.path}{'?' if query else ''}{query}"

    def not_sent(self, why: str, advice: str, final: bool = False) -> NetworkError:
        """The error for a request that never left this host. why, advice: clauses without a full stop."""
        what = f"{self.method} {self.path} was not sent, because {why}"
        return NetworkError(what, self.method, self.path, final=final, advice=advice)

    def no_answer(self, what: str, otherwise: str = "check the network if this persists") -> NetworkError:
        """The error for a request that may have arrived, without a complete answer to it."""
        advice = after_no_answer(self.about, otherwise)
        return NetworkError(what, self.method, self.path, maybe_done=True, advice=advice)

    def broken_off(self, how: str = "broke off before its announced end") -> NetworkError:
        return self.no_answer(f"The answer to {self.method} {self.path} {how}")

    def too_late(self, seconds: float) -> NetworkError:
        what = f"No complete answer to {self.method} {self.path} within {seconds:g} s, the limit of call_timeout"
        return self.no_answer(what, "raise call_timeout if the service is slow")


# gets method, path, query, status, headers and body of an answer; None for a body that was not kept
Heard = Callable[[str, str, Optional[dict[str, Any]], int, Mapping[str, str], Optional[bytes]], object]


def unheard(*_answer: object) -> None:
    """Ignores an answer."""


class Session:
    """The HTTP session of one base URL and one key. limits: those of the present call."""

    def __init__(self, connection: Connection, redactor: Redactor) -> None:
        self.connection = connection
        self.limits: Limits
        self._redactor = redactor
        self._origin = urlsplit(connection.base_url)[:2]
        # of each request; None for those of the environment
        self._proxies = {"no_proxy": urlsplit(connection.base_url).hostname or ""} if connection.direct else None
        if connection.proxy:
            self._proxies = {"http": connection.proxy, "https": connection.proxy}
        self._session = self._open()

    def new_limits(self) -> None:
        """Begin another call."""
        timeout, call_timeout = self.connection.timeout, self.connection.call_timeout
        seconds = _CALL_TIMEOUTS * timeout if call_timeout is None else call_timeout
        self.limits = Limits(seconds, self.connection.max_answer)

    def _open(self) -> requests.Session:
        class Unredirected(requests.Session):
            def get_redirect_target(self, resp: requests.Response) -> None:
                """Redirects are followed here. Requests would prepare the next request in any case, and fail on an invalid
                address."""

        def present() -> Limits:
            return self.limits

        class Limited(requests.adapters.HTTPAdapter):
            """Holds the answers to the present limits."""

            def init_poolmanager(self, *arguments: Any, **named: Any) -> None:
                super().init_poolmanager(*arguments, **named)
                hold(self.poolmanager, present)

            def proxy_manager_for(self, proxy: str, **named: Any) -> urllib3.PoolManager:
                is_new = proxy not in self.proxy_manager
                manager: urllib3.PoolManager = super().proxy_manager_for(proxy, **named)
                if is_new:
                    hold(manager, present)
                return manager

        session = Unredirected()
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
        adapter = Limited()
        for scheme in ("https://", "http://"):
            session.mount(scheme, adapter)
        return session

    def close(self) -> None:
        self._session.close()

    def follow(self, request: Request, heard: Heard = unheard) -> tuple[float, requests.Response]:
        """Send a request. Returns its Unix time, and the response after any redirects, which ``heard`` gets."""
        method, path = request.method, request.path
        url = (f"{self._origin[0]}://{self._origin[1]}" if request.at_host else self.connection.base_url) + path
        for _hop in range(_MOST_REDIRECTS + 1):
            asked = time.time()
            response = self._exchange(request, url)
            if response.status_code not in _REDIRECTS:
                return asked, response
            response.close()
            heard(method, path, request.query, response.status_code, self._redactor.headers(response.headers), None)
            location = self._redactor.text(response.headers.get("Location") or "")
            # the address with its query, to which a Location may be relative
            url = redirected(method, path, response.status_code, response.url or url, location)
            # the new address has its own query
            request = request._replace(query=None)
        raise AnswerError(
            f"{method} {path} was redirected more than {_MOST_REDIRECTS} times",
            method, path, status=response.status_code, advice="check base_url",
        )  # fmt: skip

    def arriving(self, request: Request, response: requests.Response) -> Iterator[bytes]:
        """The pieces of a body as they arrive."""
        try:
            while piece := response.raw.read(_CHUNK, decode_content=False):
                yield piece
        except (urllib3.exceptions.HTTPError, OSError):
            if self.limits.late:
                raise request.too_late(self.limits.seconds) from None
            if self.limits.full:
                raise TooMuch from None
            raise request.broken_off() from None

    def _exchange(self, request: Request, url: str) -> requests.Response:
        try:
            return self._session.request(
                request.method,
                url,
                params=request.query,
                data=request.form,
                json=request.json,
                headers=request.headers,
                # without an auth object, requests would use the session's, or ~/.netrc
                auth=(lambda prepared: prepared) if request.at_host else None,
                stream=True,
                allow_redirects=False,
                timeout=min(self.connection.timeout, self.limits.left()),
                # here, as an environment variable would replace a false one of the session
                verify=self.connection.verify,
                proxies=self._proxies,
            )
        except requests.exceptions.RequestException as error:
            raise self._network_error(request, error) from None
        except (OSError, ValueError) as error:
            if self.limits.late:
                raise request.too_late(self.limits.seconds) from None
            # certificate files that cannot be read or parsed, addresses that cannot be encoded
            raise WrongOption(
                f"{request.method} {request.path} could not be sent ({printable(type(error).__name__)}). Check base_url,"
                " proxy, ca_path, client_cert and client_key."
            ) from None

    def _network_error(self, request: Request, error: requests.exceptions.RequestException) -> NetworkError:
        known = requests.exceptions
        # an end of file means that the connection broke, maybe after the request
        if isinstance(error, known.SSLError) and "EOF" not in str(error):
            found = _TLS_REASON.search(str(error))
            reason = found.group(0).strip() if found else "handshake failed"
            advice = next((advice for words, advice in _TLS_ADVICE.items() if words in reason), _TLS_ADVICE[""])
            return request.not_sent(f"the TLS connection failed ({printable(reason)})", advice, final=True)
        if isinstance(error, (known.InvalidURL, known.InvalidSchema, known.MissingSchema, known.InvalidProxyURL)):
            return request.not_sent("the address is not valid", "check base_url and proxy", final=True)
        cause = getattr(error.args[0], "reason", None) if error.args else None
        if isinstance(error, known.ConnectTimeout) or _never_connected(cause):
            if isinstance(error, known.ProxyError):
                advice = "check proxy and the environment variables for proxies"
                return request.not_sent("the proxy made no connection", advice)
            # urllib3 1.26 has no error for a host name without an address
            nameless = isinstance(cause, getattr(urllib3.exceptions, "NameResolutionError", ()))
            if not request.about.answered and (
                nameless or isinstance(getattr(cause, "__context__", None), socket.gaierror)
            ):
                return request.not_sent(
                    f"the host name in base_url has no address ({printable(self._origin[1])})",
                    "correct base_url, or check the name resolution (DNS) of this host",
                )
            return request.not_sent(f"nothing accepts connections at {self._origin[1]}", unreachable(request.about))
        limits, timeout = self.limits, self.connection.timeout
        if limits.late and (limits.arrived or limits.seconds < timeout):
            return request.too_late(limits.seconds)
        # on Python 3.9 the TimeoutError of the limits is not the one of sockets
        if limits.late or isinstance(error, known.Timeout):
            late = f"No answer to {request.method} {request.path} within {timeout:g} s"
            return request.no_answer(late, "raise timeout if this persists")
        return request.no_answer(f"No answer to {request.method} {request.path} (the connection broke)")


# the text of ssl in an error, without the address and the pool around it
_TLS_REASON = re.compile(r"\[SSL[^]]*\][^()]*|certificate verify failed[^()]*|hostname '[^']*' doesn't match[^()]*")
_OTHER_HOST = "use the host name of the certificate in base_url, or replace the certificate"
# what helps, by words in the reason
_TLS_ADVICE = {
    "certificate has expired": "renew the certificate of the service or of its authority, or correct the clock of this host",
    "certificate is not yet valid": "correct the clock of this host, or replace the certificate of the service",
    "certificate is not valid for": _OTHER_HOST,
    # urllib3 1 compares the name itself
    "doesn't match": _OTHER_HOST,
    "": "check base_url, set ca_path to the authority that signed the service's certificate, or check client_cert",
}


def _never_connected(cause: object) -> bool:
    """Whether urllib3's cause of an error means that no request was sent."""
    known = urllib3.exceptions
    if isinstance(cause, known.ProxyError):
        # with urllib3 1.26, a connection that broke after the request is a proxy error too
        cause = getattr(cause, "original_error", None)
        if "Tunnel connection failed" in str(cause):
            return True
    return isinstance(cause, (known.NewConnectionError, known.ConnectTimeoutError))


# --- redirects


def redirected(method: str, path: str, status: int, url: str, location: str) -> str:
    """The address to which a GET is sent again: that of the answer, but for a slash at the end of its path.

    Another one may have lost the filters, or be an object that nobody asked for. Raises AnswerError for it, and for any other
    method. url: where the answer came from; location: where it points to.
    """
    try:
        target = urljoin(url, location)
        found, asked = urlsplit(target), urlsplit(url)
    except ValueError:
        where = "no valid address"
    else:
        # without user information and query, which may hold secrets
        where = printable(f"{found.scheme}://{found.netloc.rpartition('@')[2]}{found.path}")
        if not location or not found.netloc:
            where = "no valid address"
        elif found[:2] != asked[:2]:
            where += ", where the key is not sent"
        elif method != "GET":
            where += ", and only reads follow a redirect"
        elif found.path.rstrip("/") != asked.path.rstrip("/"):
            where += ", which is another address"
        elif sorted(parse_qsl(found.query, True)) != sorted(parse_qsl(asked.query, True)):
            where += " with another query"
        else:
            return target
    raise AnswerError(
        f"{method} {path} was redirected to {where}",
        method, path, status=status, advice="set base_url to the address of the API itself",
    )  # fmt: skip
