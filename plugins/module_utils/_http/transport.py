# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""One HTTP session with the service: key, TLS, proxy, timeout, retries, rate limit, call log.

The only file that imports requests.
"""

from __future__ import annotations

import contextlib
import io
import random
import re
import socket
import time
from urllib.parse import urlsplit

from ansible.module_utils.ansible_release import __version__ as ANSIBLE_CORE_VERSION

from .._errors import ANY_CALL, AnswerError, Call, NetworkError, WrongOption, printable, unreachable
from .._scope.gate import require
from . import bounds, retry, tail
from .answer import Answer
from .border import Border
from .budget import Budget
from .known import Known
from .refusal import broken_off, no_answer, redirected, refusal, too_late, too_long

try:
    import requests
    import urllib3
except ImportError:
    requests = None

COLLECTION_VERSION = "1.0.0"
REQUESTS_FLOOR = (2, 31)

_CHUNK = 65536
_MOST_REDIRECTS = 5


def missing_requests():
    """What is missing, as text for missing_required_lib: requests, or a newer version of it; None where it is there."""
    if requests is None:
        return "requests >= 2.31"
    found = tuple(int(digits) for digits in re.findall(r"[0-9]+", requests.__version__)[:2])
    return f"requests >= 2.31 (found {requests.__version__})" if found < REQUESTS_FLOOR else None


class Transport:
    """Sends calls to one base URL with one key.

    connection: a ``_options.Connection``; calls: list of "METHOD path -> status", what was sent so far; last: the Answer to
    the last try, a refusal too, None where it got none or a redirect; known: a ``_known.Known``;
    sleep, clock, jitter: replaced in tests.
    """

    def __init__(self, connection, sleep=time.sleep, clock=time.monotonic, jitter=random.random):
        self.connection = connection
        self.calls = []
        self.last = None
        self.known = Known()
        self._about = ANY_CALL
        self._sleep = sleep
        self._clock = clock
        self._jitter = jitter
        self.budget = Budget(connection.rate_limit_wait, sleep, clock, jitter)
        self._origin = urlsplit(connection.base_url)[:2]
        self._border = Border(connection.api_key)
        self._bounds = None
        self._proxies = self._chosen_proxies()
        self._session = self._open_session()

    def _open_session(self):
        session = requests.Session()
        bearer = f"Bearer {self.connection.api_key}"

        def authorize(request):
            request.headers["Authorization"] = bearer
            return request

        # an auth object, not a header: a header would be replaced from ~/.netrc
        session.auth = authorize
        # what is asked for here is decoded here, within bounds
        session.headers["Accept-Encoding"] = "gzip"
        session.headers["User-Agent"] = f"scanops.scanner/{COLLECTION_VERSION} ansible-core/{ANSIBLE_CORE_VERSION}"
        session.cert = self.connection.cert
        # redirects are followed here; requests would prepare the next request all the same, and fail on a broken address
        session.get_redirect_target = lambda response: None
        for adapter in session.adapters.values():
            bounds.hold(adapter, lambda: self._bounds)
        return session

    def _chosen_proxies(self):
        """For each request, as requests takes them; None: those of the environment."""
        proxy = self.connection.proxy
        if proxy:
            return {"http": proxy, "https": proxy}
        return {"no_proxy": urlsplit(self.connection.base_url).hostname} if self.connection.direct else None

    def close(self):
        self._session.close()

    def pause(self, seconds):
        """Wait between two reads of something that takes its time."""
        self._sleep(seconds)

    def now(self):
        """Seconds on a clock that only goes forward."""
        return self._clock()

    def jitter(self):
        """A random number from 0 to 1."""
        return self._jitter()

    def send(
        self,
        method,
        path,
        query=None,
        form=None,
        json=None,
        accept="application/json",
        hints=None,
        sink=None,
        at_host=False,
        permit=None,
        about=None,
    ):
        """Send one call and return its Answer, a success (2xx).

        path: str below the base URL, or below its host and then without the key where ``at_host`` is true;
        query, form: dict or None; json: a value for a JSON body, or None;
        hints: dict or None, what the reader of an error does next (see ``_errors.next_step``);
        sink: None, or where the body of a success goes in pieces instead of into the Answer: ``restart(answer)`` is called
        before the first piece of each try, with an Answer without body, and ``write(piece)`` for each;
        permit: for any method but GET, the Permit of the gate for exactly this call;
        about: what the call is, a ``_errors.Call``, or None.
        Raises NetworkError, AnswerError, ApiError, what the sink raises; repeats what may be repeated (see ``retry``).
        """
        require(permit, method, path, query, form, json)
        self._about = (about or _call_of(method))._replace(answered=self.known.answered)
        request = dict(params=query, data=form, json=json, headers={"Accept": accept})
        if at_host:
            request["auth"] = _anonymous
        if sink is not None:
            # so that the end of the answer shows, whatever length was announced
            request["headers"]["Connection"] = "close"
        self._bounds = bounds.Bounds(self.connection.longest_call, self.connection.max_answer)
        limit = retry.budget_of(method, path)
        after_loss = False
        attempt = limited = 0
        while True:
            self.budget.keep_spacing(limit)
            error = answer = self.last = None
            try:
                answer = self.last = self._try_once(method, path, request, sink)
                outcome = answer.status
            except NetworkError as caught:
                error = caught
                outcome = retry.LOST if caught.maybe_done else retry.UNREACHABLE
            self._log(method, path, query, answer)
            if answer is not None:
                self.budget.learn(limit, answer.headers)
                if 200 <= answer.status < 300:
                    self.known.answered |= answer.content_type.startswith("application/json")
                    return answer
                error = refusal(answer, hints)
            error.after_loss = after_loss
            if not retry.may_repeat(method, outcome) or error.final or self._bounds.over:
                raise error
            if outcome == 429:
                limited += 1
                self.budget.wait(answer, error, limited)
                continue
            if attempt >= self.connection.retries:
                raise error
            attempt += 1
            after_loss = after_loss or error.maybe_done
            self._sleep(retry.backoff(attempt, self._jitter()))

    def _log(self, method, path, query, answer):
        shown = path + ("?" + "&".join(f"{name}={value}" for name, value in query.items()) if query else "")
        self.calls.append(f"{method} {shown} -> {answer.status if answer is not None else 'no answer'}")

    def _try_once(self, method, path, request, sink):
        with self._bounds.one_try():
            asked, response = self._follow(method, path, request)
            with contextlib.closing(response):
                answer = Answer(
                    method, path, response.status_code, response.headers,
                    moments=(asked, time.time()), about=self._about, border=self._border,
                )  # fmt: skip
                if sink is not None and 200 <= answer.status < 300:
                    self._pass_on(answer, response, sink)
                else:
                    self._read(answer, response)
        return answer

    def _follow(self, method, path, request):
        """(Unix time of the request, response) after the redirects that may be followed."""
        url = (f"{self._origin[0]}://{self._origin[1]}" if "auth" in request else self.connection.base_url) + path
        for _hop in range(_MOST_REDIRECTS + 1):
            asked = time.time()
            response = self._exchange(method, path, url, request)
            if response.status_code not in (301, 302, 303, 307, 308):
                return asked, response
            response.close()
            location = self._border.text(response.headers.get("Location") or "")
            # with its query, which an address that is relative to it may keep
            url = redirected(method, path, response.status_code, response.url or url, location)
            # the new address carries its own query
            request = dict(request, params=None)
        raise AnswerError(
            f"{method} {path} was redirected more than {_MOST_REDIRECTS} times: check base_url.",
            method, path, status=response.status_code,
        )  # fmt: skip

    def _exchange(self, method, path, url, request):
        connection = self.connection
        try:
            return self._session.request(
                method,
                url,
                stream=True,
                allow_redirects=False,
                timeout=min(connection.timeout, self._bounds.left()),
                # for each request: a variable of the environment would replace the session's false
                verify=connection.verify,
                proxies=self._proxies,
                **request,
            )
        except requests.exceptions.RequestException as error:
            raise self._network_error(method, path, error) from None
        except (OSError, ValueError) as error:
            if self._bounds.late:
                raise too_late(method, path, self._bounds.seconds, self._about) from None
            # certificate files that cannot be read or parsed, addresses that cannot be encoded
            raise WrongOption(
                f"{method} {path} could not be sent ({printable(type(error).__name__)}): check base_url, proxy, ca_path,"
                " client_cert and client_key."
            ) from None

    def _network_error(self, method, path, error):
        where = f"{method} {path}"
        known = requests.exceptions
        cause = getattr(error.args[0], "reason", None) if error.args else None
        never_sent = isinstance(error, known.ConnectTimeout) or _never_connected(cause)
        final = False
        # an end of file is a connection that broke, maybe after the request
        if isinstance(error, known.SSLError) and "EOF" not in str(error):
            final = never_sent = True
            sentence = (
                f"{where} was not sent, the TLS connection failed ({printable(_tls_reason(error))}): check base_url, set"
                " ca_path to the authority that signed the service's certificate, or check client_cert."
            )
        elif isinstance(error, known.ProxyError) and never_sent:
            sentence = f"{where} was not sent, the proxy did not connect it: check proxy and the proxy variables."
        elif isinstance(error, (known.InvalidURL, known.InvalidSchema, known.MissingSchema, known.InvalidProxyURL)):
            final = never_sent = True
            sentence = f"{where} was not sent, the address is not valid: check base_url and proxy."
        elif never_sent and not self.known.answered and _no_such_host(cause):
            sentence = (
                f"{where} was not sent, the host name in base_url has no address ({printable(self._origin[1])}): correct"
                " base_url, or check the name resolution (DNS) of this host."
            )
        elif never_sent:
            sentence = (
                f"{where} was not sent, nothing accepts connections at {self._origin[1]}: {unreachable(self._about)}."
            )
        elif self._bounds.late and (self._bounds.arrived or self._bounds.seconds < self.connection.timeout):
            return too_late(method, path, self._bounds.seconds, self._about)
        # on Python 3.9 the TimeoutError of the bounds is not the one of sockets
        elif isinstance(error, known.Timeout) or self._bounds.late:
            within = f"got no answer within {self.connection.timeout:g} s"
            return no_answer(method, path, within, self._about, "raise timeout if this persists")
        else:
            return no_answer(method, path, "got no answer, the connection broke", self._about)
        return NetworkError(sentence, method, path, maybe_done=not never_sent, final=final)

    def _pass_on(self, answer, response, sink):
        """Hand the body of a success to a sink."""
        self._bounds.flows()
        rest = tail.watch(response.raw)
        sink.restart(answer)
        if not self._read_pieces(answer, response, self._bounds.most, sink.write):
            raise too_long(answer, self._bounds.most)
        if rest is not None and rest.excess:
            raise broken_off(answer, "more came than its announced length")

    def _read(self, answer, response):
        """Read the body into the answer; of an error only so much as a reason needs."""
        body = io.BytesIO()
        success = 200 <= answer.status < 300
        most = self._bounds.most if success else min(self._bounds.most, bounds.MOST_OF_ERROR)
        if not success and not bounds.can_decode(response.headers):
            return
        answer.cut = not self._read_pieces(answer, response, most, body.write)
        if answer.cut and success:
            raise too_long(answer, self._bounds.most)
        answer.keep(body.getvalue())

    def _read_pieces(self, answer, response, most, take):
        """Read a body; False where it is longer than ``most`` and only its beginning was read."""
        if not bounds.can_decode(response.headers):
            encoding = printable(answer.headers["Content-Encoding"], 60)
            raise answer.unexpected(f"the content encoding {encoding!r}, which was not asked for")
        arriving = iter(lambda: response.raw.read(_CHUNK, decode_content=False), b"")
        pieces = bounds.decoded(arriving, response.headers, most)
        try:
            while piece := self._next_piece(answer, pieces):
                answer.look(piece)
                take(piece)
        except bounds.TooMuch:
            return False
        announced = retry.number_in(response.headers.get("Content-Length"))
        # counted before decoding; older urllib3 takes a short body for a whole one
        if announced and response.status_code != 204 and response.raw.tell() < announced:
            raise broken_off(answer)
        return True

    def _next_piece(self, answer, pieces):
        try:
            return next(pieces, b"")
        except bounds.Undecodable as error:
            raise broken_off(answer, str(error)) from None
        except (urllib3.exceptions.HTTPError, OSError):
            if self._bounds.late:
                raise too_late(answer.method, answer.path, self._bounds.seconds, self._about) from None
            if self._bounds.full:
                raise bounds.TooMuch from None
            raise broken_off(answer) from None


def _call_of(method):
    """What is known of a call that its sender does not describe."""
    return Call({"GET": "list", "POST": "create", "PUT": "update", "DELETE": "delete"}.get(method, "list"))


def _anonymous(request):
    """An auth object that adds nothing: without one requests would take that of the session, or ``~/.netrc``."""
    return request


def _never_connected(cause):
    """Whether what urllib3 gives as the cause means that no request was sent."""
    known = urllib3.exceptions
    if isinstance(cause, known.ProxyError):
        # urllib3 1.26 also calls a connection that broke after the request a proxy error
        cause = getattr(cause, "original_error", None)
        if "Tunnel connection failed" in str(cause):
            return True
    return isinstance(cause, (known.NewConnectionError, known.ConnectTimeoutError))


def _no_such_host(cause):
    """Whether a connection was not made because its host name has no address; urllib3 1.26 has no error of its own."""
    named = getattr(urllib3.exceptions, "NameResolutionError", ())
    return isinstance(cause, named) or isinstance(getattr(cause, "__context__", None), socket.gaierror)


def _tls_reason(error):
    """The short reason in a TLS error: what ssl says, without the address and the pool around it."""
    found = re.search(
        r"\[SSL[^]]*\][^()]*|certificate verify failed[^()]*|hostname '[^']*' doesn't match[^()]*", str(error)
    )
    return found.group(0).strip() if found else "handshake failed"
