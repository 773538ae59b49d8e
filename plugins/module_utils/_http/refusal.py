# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The error for an answer that is not a success: a refusal, a redirect, one that is late, too long or broken. Pure."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from .._advice import ANY_CALL, Call, Hints, after_interrupt, after_no_answer, next_step
from .._errors import AnswerError, ApiError, CallError, Interrupted, NetworkError, printable
from .answer import Answer
from .retry import GATEWAY

# where JSON errors hold their reason, the best place first: the service's own form, RFC 9457 (problem+json), and what
# common frameworks and gateways send
_MESSAGES = ("message", "title", "error", "faultstring", "fault", "msg", "reason", "detail", "errors", "description")
_DETAILS = ("details", "detail", "error_description", "errors", "description")
_MOST_REASONS = 5


def refusal(answer: Answer, hints: Hints | None = None) -> CallError:
    """The error for an answer that is not a success.

    A 404 in another form than the service's never means that an object is absent.
    """
    method, path, status = answer.method, answer.path, answer.status
    try:
        said = None if answer.cut else answer.json()
    except AnswerError:
        said = None
    message, details = reason_in(said)
    # a gateway in front of the service answers so, without the service's error body
    if is_own_form(said) or status in (429, 500) or status in GATEWAY:
        note = ", with an error body of more than 1 MiB" if answer.cut else ""
        return api_error(status, message, details, method, path, hints, answer.about, note)
    if answer.cut:
        return answer.unexpected("an error body of more than 1 MiB")
    if message is None:
        return answer.unexpected("no error body of the service")
    quoted = f"{printable(message)!r}" + (f" ({printable(details)})" if details else "")
    other = answer.unexpected(f"an error in another form than the service's, {quoted}", message, details)
    if status == 404:
        return other
    advice = next_step(status, message, hints, answer.about)
    if not answer.about.answered:
        advice = f"{other.advice}; if it is, {advice}"
    return ApiError(other.what, method, path, status, message, details, advice=advice)


def is_own_form(said: Any) -> bool:
    """Whether JSON is an error body as the service writes it."""
    return isinstance(said, dict) and isinstance(said.get("message"), str)


class Reason(NamedTuple):
    """What an error body says."""

    message: str | None
    details: str | None


def reason_in(said: Any) -> Reason:
    """The reason in an error body read as JSON."""
    if not isinstance(said, dict):
        return Reason(_text(said), None)
    named = {str(key).lower(): value for key, value in said.items()}
    place = next((name for name in _MESSAGES if _text(named.get(name))), None)
    if place is None:
        return Reason(None, None)
    more = (_details(named[name]) for name in _DETAILS if name != place and name in named)
    return Reason(_text(named[place]), next(filter(None, more), None))


def _text(value: Any) -> str | None:
    """A value as a reason, None where it holds none."""
    if isinstance(value, str):
        return value if value.strip() else None
    if isinstance(value, list):
        return "; ".join(filter(None, map(_text, value[:_MOST_REASONS]))) or None
    if isinstance(value, dict) and value:
        return ": ".join(filter(None, reason_in(value))) or json.dumps(value)
    return None


def _details(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)


# --- calls that were not sent, and answers that do not end as they should


def not_sent(method: str, path: str, why: str, advice: str, final: bool = False) -> NetworkError:
    """The error for a request that never left this host. why, advice: clauses without a full stop."""
    return NetworkError(f"{method} {path} was not sent, because {why}", method, path, final=final, advice=advice)


def tls_reason(error: Exception) -> str:
    """The short reason in a TLS error: the text of ssl, without the address and the pool around it."""
    found = re.search(
        r"\[SSL[^]]*\][^()]*|certificate verify failed[^()]*|hostname '[^']*' doesn't match[^()]*", str(error)
    )
    return found.group(0).strip() if found else "handshake failed"


def interrupted(method: str, path: str, about: Call, why: str, in_flight: bool, after_loss: bool) -> Interrupted:
    """The error for a call of a task that was interrupted.

    why: a clause about the task; in_flight: whether the call was broken off; after_loss: as of CallError.
    """
    how = "was broken off" if in_flight else "was not sent again" if after_loss else "was not sent"
    maybe_done = method != "GET" and (in_flight or after_loss)
    return Interrupted(
        f"{method} {path} {how}: the task ends, because {why}", method, path,
        maybe_done=maybe_done, final=True, advice=after_interrupt(about, maybe_done),
    ).with_facts(after_loss=after_loss)  # fmt: skip


def no_answer(
    what: str, method: str, path: str, about: Call, otherwise: str = "check the network if this persists"
) -> NetworkError:
    """The error for a request that may have arrived, without a complete answer to it."""
    advice = after_no_answer(about, otherwise)
    return NetworkError(what, method, path, maybe_done=True, advice=advice)


def broken_off(answer: Answer, how: str = "broke off before its announced end") -> NetworkError:
    method, path = answer.method, answer.path
    return no_answer(f"The answer to {method} {path} {how}", method, path, answer.about)


def too_late(method: str, path: str, seconds: float, about: Call) -> NetworkError:
    what = f"No complete answer to {method} {path} within {seconds:g} s, the limit of call_timeout"
    return no_answer(what, method, path, about, "raise call_timeout if the service is slow")


def too_long(answer: Answer, most: int) -> AnswerError:
    return AnswerError(
        f"{answer.method} {answer.path} was answered {answer.status} with more than {most} bytes, the limit of max_answer",
        answer.method,
        answer.path,
        status=answer.status,
        maybe_done=answer.method != "GET",
        advice="raise max_answer if answers may be so large, or check base_url",
    )


# --- redirects

_PORTS = {"http": 80, "https": 443}


def redirected(method: str, path: str, status: int, url: str, location: str) -> str:
    """The address to which a GET is sent again. Raises AnswerError for any other call, for another host, and for
    user information.

    url: where the answer came from; location: where it points to.
    """
    target = _joined(url, location)
    if target is None:
        raise _not_followed(method, path, status, "no valid address")
    if _place(target) != _place(url):
        raise _not_followed(method, path, status, f"{_shown(target)}, where the key is not sent")
    if "@" in urlsplit(target).netloc:
        raise _not_followed(
            method, path, status, f"{_shown(target)} with user information, which would replace the key"
        )
    if method != "GET":
        raise _not_followed(method, path, status, f"{_shown(target)}, and only reads follow a redirect")
    return target


def _joined(url: str, location: str) -> str | None:
    """The address that a Location means, or None where it is not an http address."""
    try:
        target = urljoin(url, location)
        scheme, host, dummy = _place(target)
    except ValueError:
        return None
    return target if location and host and scheme in _PORTS else None


def _place(url: str) -> tuple[str, str | None, int | None]:
    """(scheme, host, port) of an address. Raises ValueError."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)


def _shown(url: str) -> str:
    """An address for messages, without user info and query, which may hold secrets."""
    parts = urlsplit(url)
    return printable(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}")


def _not_followed(method: str, path: str, status: int, where: str) -> AnswerError:
    return AnswerError(
        f"{method} {path} was redirected to {where}",
        method,
        path,
        status=status,
        advice="set base_url to the address of the API itself",
    )


def api_error(
    status: int,
    message: str | None,
    details: str | None,
    method: str,
    path: str,
    hints: Hints | None = None,
    call: Call = ANY_CALL,
    note: str = "",
) -> ApiError:
    """The error for an answer with the service's JSON error body. note: what else to say about that body."""
    said = f", {printable(message)!r}" if message else ""
    if details:
        said += f" ({printable(details)})"
    return ApiError(
        f"{method} {path} was answered {status}{said}{note}",
        method,
        path,
        status=status,
        message=message,
        details=details,
        maybe_done=status in (500, 502, 503, 504),
        advice=next_step(status, message, hints, call, details),
    )


def unconfirmed(error: CallError, what: str, done: str) -> CallError:
    """The error of a write whose work a read after it does not show."""
    if error.status == 500 and not error.after_loss:
        # the service has ended its work on the call, so it was not done
        return error.with_facts(maybe_done=False, after_loss=False)
    if error.may_have_worked:
        return error.with_effect(f"The {what} may have been {done}, although reading again did not show it.")
    return error
