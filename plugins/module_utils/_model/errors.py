# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The errors of the collection. The text of each says what failed, why, and what to do (see ``_http/advice``).

None holds a header or a request body. Pure.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

_Error = TypeVar("_Error", bound="ScannerError")
_FailedCall = TypeVar("_FailedCall", bound="CallError")

# what some program may take for user info or a query; without a scheme, a text before an @ may be an ordinary word
_USER_INFO = re.compile(r"(//)[^/?#]*@")
_PASSWORD = re.compile(r"(^[^/?#@:]*:)[^/?#]*@")
_QUERY = re.compile(r"\?.+", re.DOTALL)
# what may be a name with a login anywhere in a text, also behind a slash that is missing one, and a user that begins at its
# start, or behind a quote, bracket or comma
_RUN = re.compile(r"(//|(?<=:)/)?([^\s/?#]+)")
_USER_LATER = re.compile(r"""(?<=['"(\[,])[^@:'"(\[,]*:(?=.)""")
_USER = re.compile(rf"^[^@:'\"(\[,]*:(?=.)|{_USER_LATER.pattern}")
# commands of pipelines, and characters that a terminal obeys. The double colon of an IPv6 address is none: it has only
# hexadecimal digits behind it, and no command of GitHub has such a name. Sources:
# https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs
# https://github.com/microsoft/azure-pipelines-agent/blob/master/src/Agent.Sdk/Util/CommandUtil.cs
# https://www.jetbrains.com/help/teamcity/service-messages.html
# https://docs.gitlab.com/ci/jobs/job_logs/#custom-collapsible-sections
_COMMAND = re.compile(
    r"##(?=\w*\[)|:{3,}|::(?!(?:[0-9a-fA-F.]|:(?!:))*(?![\w:-]))|section_(?:start|end):(?=\d)"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)


class ScannerError(Exception):
    """Base of all errors. An error never changes after it was raised: the ``with_...`` methods return another one.

    result: keys that a failing module adds to what it returns.
    """

    def __init__(self, sentence: str, **result: Any) -> None:
        super().__init__(sentence)
        self.result: Mapping[str, Any] = result

    def with_sentence(self: _Error, sentence: str) -> _Error:
        """This error in other words."""
        return self._copy(sentence)

    def with_result(self: _Error, **more: Any) -> _Error:
        """This error with more keys in its result, which replace those of the same name."""
        return self._copy(str(self), result={**self.result, **more})

    def _copy(self: _Error, sentence: str, **attributes: Any) -> _Error:
        # without the constructor, because its parameters differ between the classes
        copy = type(self).__new__(type(self), sentence)
        copy.__dict__.update({**self.__dict__, **attributes})
        return copy


class WrongOption(ScannerError):
    """An option is wrong; nothing was written because of it. ``secret``: its value where that may hold one, or None."""

    def __init__(self, sentence: str, secret: str | None = None) -> None:
        super().__init__(sentence)
        self.secret = secret


class Refused(ScannerError):
    """The task refuses what was declared; nothing was written."""


class Incomplete(ScannerError):
    """The task failed after it had written something, or may have: its result says ``changed``."""

    def __init__(self, sentence: str, **result: Any) -> None:
        super().__init__(sentence, **{**result, "changed": True})


# mistakes of one kind that a message names
_MOST_NAMED = 20
# characters of the service's text in api_error, which programs read
_LONGEST_QUOTE = 10000


class CallError(ScannerError):
    """A call that failed.

    what: what failed and why, without a full stop; advice: what to do next, a clause that becomes a sentence of its own.
    Without advice, what is the complete text.
    status: the HTTP status, None where no answer came; message, details: the service's own words.
    maybe_done: the service may have done the work all the same; final: the same call can only fail again; after_loss: an
    earlier try of the same call may have done the work; unread: the read that should have shown whether the work was done
    failed too.
    """

    def __init__(
        self,
        what: str,
        method: str,
        path: str,
        status: int | None = None,
        message: str | None = None,
        details: str | None = None,
        maybe_done: bool = False,
        final: bool = False,
        advice: str | None = None,
    ) -> None:
        message = message and printable(message, _LONGEST_QUOTE)
        details = details and printable(details, _LONGEST_QUOTE)
        super().__init__(
            f"{what}. {_sentence(advice)}" if advice else what,
            api_error=dict(status=status, message=message, details=details, method=method, path=path),
        )
        self.what = what
        self.advice = advice
        self.method = method
        self.path = path
        self.status = status
        self.message = message
        self.details = details
        self.maybe_done = maybe_done
        self.final = final
        self.after_loss = False
        self.unread = False

    @property
    def may_have_worked(self) -> bool:
        """Whether this is a write that may have been done."""
        return self.method != "GET" and (self.maybe_done or self.after_loss)

    def with_sentence(self: _FailedCall, sentence: str) -> _FailedCall:
        return self._copy(sentence, what=sentence, advice=None)

    def with_facts(
        self: _FailedCall,
        *,
        maybe_done: bool | None = None,
        after_loss: bool | None = None,
        unread: bool | None = None,
    ) -> _FailedCall:
        """This error with what else is known of its call; None leaves a fact as it is."""
        facts = dict(maybe_done=maybe_done, after_loss=after_loss, unread=unread)
        return self._copy(str(self), **{name: value for name, value in facts.items() if value is not None})

    def with_effect(self: _FailedCall, effect: str) -> _FailedCall:
        """This error, saying in its text and its result that something may have changed. effect: a sentence; the first one
        counts."""
        if self.result.get("changed"):
            return self
        advice = f" {_sentence(self.advice)}" if self.advice else ""
        return self._copy(f"{self.what.rstrip('.')}. {effect}{advice}", result={**self.result, "changed": True})


class NetworkError(CallError):
    """No answer: the connection was not made, or it broke, or it took too long."""


class Interrupted(NetworkError):
    """A call that was not made, or broken off, because the task was interrupted. Every further call is refused too."""


class AnswerError(CallError):
    """An answer that is not the service's: HTML, broken JSON, another shape, a wrong address."""


class ApiError(CallError):
    """The service's own refusal: an HTTP error status with its JSON error body."""


def _sentence(clause: str) -> str:
    return f"{clause[0].upper()}{clause[1:]}."


def printable(text: object, longest: int = 300) -> str:
    """The service's text on one line, control characters escaped, without passwords, at most ``longest`` characters."""
    # before the end of a login is cut off
    text = without_logins(str(text))
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text[:longest])
    return shown + ("..." if len(text) > longest else "")


def shown(path: str | None) -> str:
    """A path as messages show it."""
    return repr(printable(path))


def reason_of(error: OSError) -> str:
    """The reason of an OSError, without its path."""
    return printable(error.strerror or type(error).__name__)


def harmless(value: Any) -> Any:
    """A copy of what a message, a warning or a failed result says, at any depth of lists and dictionaries, in which no runner
    of a pipeline finds a command, and no terminal an escape sequence.

    A space breaks the marks of GitHub (``::`` and ``##[``), Azure Pipelines and TeamCity (``##vso[``, ``##teamcity[``) and
    GitLab (``section_start:``). They are broken anywhere in a line, because ansible-core wraps long lines. ``***`` replaces the
    password in the name of a target, whose normal form does not have it either.
    """
    if isinstance(value, str):
        value = without_logins(value)
        return _COMMAND.sub(_broken, value) if _COMMAND.search(value) else value
    if isinstance(value, dict):
        return {harmless(key): harmless(part) for key, part in value.items()}
    return [harmless(part) for part in value] if isinstance(value, (list, tuple)) else value


def without_logins(text: str) -> str:
    """A text of several names, in which *** replaces passwords. Its time grows as its length does."""
    return _RUN.sub(_without_login, text) if "@" in text else text


def _without_login(found: re.Match[str]) -> str:
    start, end = found.start(), found[2].rfind("@")
    begins = found[1] or not start or found.string[start - 1].isspace()
    user = (_USER if begins else _USER_LATER).search(found[2], 0, end) if end > 0 else None
    return f"{found[1] or ''}{found[2][: user.end()]}***{found[2][end:]}" if user else found[0]


def _broken(found: re.Match[str]) -> str:
    text = found.group()
    if text[0] in "#:":
        return " ".join(text)
    return f"{text[:-1]} :" if text[-1] == ":" else text.encode("unicode_escape").decode("ascii")


def shape_of(value: object) -> str:
    """What kind of value this is, for a message that must not quote a text."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"a boolean ({str(value).lower()})"
    if isinstance(value, (int, float)):
        return f"a number ({value})"
    if isinstance(value, dict):
        return "a dictionary"
    return "a list" if isinstance(value, list) else "a string"


def without_secrets(text: str) -> str:
    """A name for messages: the user info and the query of a URL, readable or not, may hold secrets."""
    return _QUERY.sub("?***", _PASSWORD.sub(r"\1***@", _USER_INFO.sub(r"\1***@", text)))


def counted(number: int, noun: str) -> str:
    """A number with its noun: 1 target, 2 targets."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def first_of(texts: Sequence[str], most: int) -> str:
    """The first of these texts, for a message, and the number of the others."""
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more


def first_clauses(found: Sequence[str]) -> str | None:
    """The first of these clauses, for a message, and the number of the others; None without any."""
    more = f"; and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
    return "; ".join(found[:_MOST_NAMED]) + more if found else None


def first_sentences(found: Sequence[str]) -> str:
    """The first of these sentences, for a message, and the number of the others."""
    more = f" {len(found) - _MOST_NAMED} more follow." if len(found) > _MOST_NAMED else ""
    return " ".join(found[:_MOST_NAMED]) + more


def elapsed(seconds: float) -> str:
    """A duration in words: 45 s, 3 min 20 s, 2 h 05 min."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def unknown_keys(dictionaries: Iterable[tuple[str, Mapping[Any, object]]], keys: Sequence[str]) -> str | None:
    """The message on all unknown keys of dictionaries, each with its path, without a full stop; None if there is none."""
    problems = []
    for path, value in dictionaries:
        for key in [each for each in value if each not in keys]:
            near = difflib.get_close_matches(str(key), keys, 1)
            advice = f"the closest one is {near[0]}" if near else f"its keys are {', '.join(keys)}"
            problems.append(f"{path} has the unknown key {printable(key)!r}: {advice}")
    return first_clauses(problems)


def refuse_unknown_keys(dictionaries: Iterable[tuple[str, Mapping[Any, object]]], keys: Sequence[str]) -> None:
    """Raise WrongOption for all unknown keys of dictionaries, each with its path."""
    unknown = unknown_keys(dictionaries, keys)
    if unknown:
        raise WrongOption(f"{unknown}.")
