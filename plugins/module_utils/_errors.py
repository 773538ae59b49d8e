# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The exception tree: what was wrong with the options, the network, or the service's answer.

The text of every exception is one sentence that says what to do next. None holds a header or a request body.
"""

from __future__ import annotations


class ScannerError(Exception):
    """Base of all. ``result`` holds keys that a failing module adds to what it returns."""

    def __init__(self, sentence, **result):
        super().__init__(sentence)
        self.result = result


class ConfigurationError(ScannerError):
    """An option is wrong; no call was made because of it. ``secret``: the option's value where it may hold one, or None."""

    def __init__(self, sentence, secret=None):
        super().__init__(sentence)
        self.secret = secret


class Refused(ScannerError):
    """The collection will not do what was declared; nothing was written."""


class CallError(ScannerError):
    """A call that did not succeed.

    status: int or None, the HTTP status, None where no answer came; message, details: str or None, the service's;
    method, path: str; maybe_done: bool, True where the service may have done the work all the same; final: bool, True
    where the same call can only fail again; after_loss: bool, True where an earlier try of the same call may have done
    the work.
    """

    def __init__(self, sentence, method, path, status=None, message=None, details=None, maybe_done=False, final=False):
        super().__init__(
            sentence, api_error=dict(status=status, message=message, details=details, method=method, path=path)
        )
        self.method = method
        self.path = path
        self.status = status
        self.message = message
        self.maybe_done = maybe_done
        self.final = final
        self.after_loss = False


class NetworkError(CallError):
    """No answer: the connection was not made, or it broke, or it took too long."""


class AnswerError(CallError):
    """An answer that is not the service's: HTML, broken JSON, another shape, a wrong address."""


class ApiError(CallError):
    """The service's own refusal: an HTTP error status with its JSON error body."""


def printable(text, longest=300):
    """The service's text on one line, control characters escaped, at most ``longest`` characters."""
    cut = str(text)[:longest]
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in cut)
    return shown + ("..." if len(str(text)) > longest else "")


# what to do next, by status, where no more is known about the call
_NEXT_STEP = {
    400: "check the options of this task",
    401: "check api_key, or create a new key in the account's API section",
    403: "check that the account's plan includes API access and that this key may do this",
    404: "check the id and that this key may see the object",
    406: "ask for another format",
    409: "the object's present state does not allow it; look at it in the web application and run again",
    422: "correct the value that the service names",
    429: "run again later, or raise rate_limit_wait",
    502: "a gateway answered in the service's place; run again later",
    503: "the service is not available now; run again later",
    504: "a gateway waited for the service in vain; run again later",
    500: "look at what was done, run again later, and tell the service's support if it stays",
}

# the reasons of a 403 on a create, told apart by words of the service's message
_CREATE_REFUSALS = (
    (("blacklist", "blocklist"), "the service never scans this target; remove it from the declaration"),
    (
        ("too many", "maximum", "limit"),
        "the account is full; delete targets that are no longer needed or change the plan",
    ),
    (("licen",), "the account's licence is not valid; renew it in the web application"),
)


def create_hints(key):
    """What to do next, by status, after a create of an object that the option ``key`` names."""
    correct = f"correct the option {key}"
    return {400: correct, 403: _CREATE_REFUSALS, 404: "no workspace has this id; check workspace_id", 422: correct}


def next_step(status, message=None, hints=None):
    """What the reader of an error with this status does next: a clause without a full stop.

    hints: dict or None, for this call, from status to a clause, or to (words of the message, clause) pairs.
    """
    hint = (hints or {}).get(status)
    if isinstance(hint, tuple):
        words = (message or "").lower()
        hint = next((step for marks, step in hint if any(mark in words for mark in marks)), None)
    return hint or _NEXT_STEP.get(status) or "look at the service's message, and run again later if it is passing"


def api_error(status, message, details, method, path, hints=None):
    """The ApiError for an answer with the service's JSON error body."""
    said = f", {printable(message)!r}" if message else ""
    if details:
        said += f" ({printable(details)})"
    return ApiError(
        f"{method} {path} was answered {status}{said}: {next_step(status, message, hints)}.",
        method,
        path,
        status=status,
        message=message,
        details=details,
        maybe_done=status in (500, 502, 503, 504),
    )
