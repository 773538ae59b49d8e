# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role gate_comment: what the comment says, which comments of a change are its own, and the calls to the provider."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import quote

from ..module_utils._gate.formats.document import origin_of, read_document
from ..module_utils._gate.formats.markdown import comment
from ..module_utils._gate.gate_files import LONGEST_FINDINGS
from ..module_utils._http.redact import Redactor
from ..module_utils._http.retry import GATEWAY, asked_wait
from ..module_utils._model.errors import ScannerError, WrongOption, printable
from ..module_utils._model.inputs import needed_content_of
from ..module_utils._model.safe_text import code
from ..module_utils._model.times import utc_text
from ._gate_runs import refuse_other_run
from ._play import place_of
from ._role_action import SHOWN, SKIPPED, Result, RoleAction

_SOURCE = "gate_comment_source"
# instead of an older comment, which may say that the gate passed
_NO_RESULT = (
    "## Gate failed: no result\n\nThe gate left no result that can be read. The log of the pipeline says more.\n"
)
# GitHub accepts 2,500 comments on a change, GitLab 5,000
_MOST_PAGES = 100
_LONGEST_COMMIT = 64
# answers after which a call that is safe to repeat is repeated; -1: no answer
_PASSING = (-1, *GATEWAY)
# seconds before each of the next attempts
_WAITS = (1, 3)
# GitHub asks for at least a minute after a secondary limit without Retry-After, see
# https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
_LIMITED_WAIT = _LONGEST_WAIT = 60
# how GitHub calls a secondary limit, and how it did before; a POST may get status 422 with this code, see
# https://github.com/mitchspano/sfdx-scan-pull-request/issues/6
_LIMIT = re.compile("rate limit|abuse detection")
_ABUSE = "'code': 'abuse'"
# what ansible.builtin.uri says of a connection that was never made, so that a POST did nothing
_NEVER_MADE = re.compile("Connection refused|Name or service not known|name resolution|No route to host|is unreachable")
# what GitHub answers to the tokens of workflows and apps, which have no user
_NO_USER = "Resource not accessible by integration"
_GENERATED = re.compile(r"<!-- generated ([0-9TZ:-]{20}) -->\s*\Z")
_MOVED = "The provider redirects to another address. Use that one in gate_comment_url and gate_comment_repository."
_SENTENCE = (
    "The token may not do this. The token of a pipeline that a fork started may only read. Where the owner of the token is"
    " unknown, set gate_comment_author."
)


class Provider(NamedTuple):
    """What differs between the providers, from their public OpenAPI descriptions. {number} is that of the request."""

    noun: str
    url: str
    header: str
    scheme: str
    comments: str
    pages: str
    # without the id of the comment
    comment: str
    method: str
    # the keys of a comment and of its author
    author: str
    login: str
    # the author, if the provider does not say who owns the token, as for the tokens of workflows
    unnamed: Mapping[str, str]
    requests: str
    number: str


_GITHUB = Provider(
    noun="pull request",
    url="https://api.github.com",
    header="Authorization",
    scheme="Bearer ",
    comments="/repos/{repository}/issues/{number}/comments",
    pages="per_page=100",
    comment="/repos/{repository}/issues/comments",
    method="PATCH",
    author="user",
    login="login",
    unnamed={"login": "github-actions[bot]"},
    requests="/repos/{repository}/commits/{commit}/pulls",
    number="number",
)
PROVIDERS = {
    "github": _GITHUB,
    "gitlab": Provider(
        noun="merge request",
        url="https://gitlab.com/api/v4",
        header="PRIVATE-TOKEN",
        scheme="",
        comments="/projects/{repository}/merge_requests/{number}/notes",
        # by default, the newest come first, and a new one moves the others to the next page
        pages="order_by=created_at&sort=asc&per_page=100",
        comment="/projects/{repository}/merge_requests/{number}/notes",
        method="PUT",
        author="author",
        login="username",
        unnamed={},
        requests="/projects/{repository}/repository/commits/{commit}/merge_requests",
        number="iid",
    ),
    "gitea": _GITHUB._replace(
        url="",
        scheme="token ",
        pages="limit=100",
        unnamed={},
        # at most one, or status 404
        requests="/repos/{repository}/commits/{commit}/pull",
    ),
}


class CommentAction(RoleAction):
    """One host does the work, once for each batch, which has its own gate."""

    steps = ("enter", "write", "report")
    given = ("gate_comment_result",)
    together = "each would write a comment"

    def write(self) -> Result:
        """Find the comment, and write it."""
        if not self.is_in_charge():
            return SKIPPED
        result = _Comment(self).result()
        warnings = result.pop("warnings")
        self.keep("result", {**result, "warnings": warnings})
        return {"changed": result["changed"], "warnings": warnings}

    def report(self) -> Result:
        """What was written, for all hosts."""
        result = None if self.is_out() else self.kept("result")
        if result is None:
            return SKIPPED
        if result["action"] == "skipped" and not result["warnings"] and self.claims("report"):
            return {**result, **SHOWN}
        return dict(result)


class _Comment:
    """One run of the role."""

    def __init__(self, action: CommentAction) -> None:
        self.action = action
        options = [name.removeprefix("gate_comment_") for name in action.documented()]
        defaults = {"number": "", "commit": "", "name": "gate", "author": "", "on_failure": "warn"}
        given = {name: each for name, each in action.values(options).items() if each is not None}
        self.values: Result = {**defaults, **given}
        self.token = str(self.values.get("token") or "")
        self.redactor = Redactor(self.token)
        self.provider = PROVIDERS[self.values["provider"]]
        self.url = re.sub("/+$", "", str(self.values.get("url") or self.provider.url))
        self.number, self.commit = str(self.values["number"]), str(self.values["commit"])
        self.mark = f"<!-- scanops.scanner.gate_comment {self.values['name']} -->"
        # of the last call
        self.answer: Result = {}
        self.warnings: list[str] = []

    def result(self) -> Result:
        """The result of the role. Raises WrongOption before any call."""
        problem = mistake_in(self.provider, self.url, self.values)
        if problem:
            raise WrongOption(problem)
        skipped = self._looks_up()
        if skipped:
            return self._ended("skipped", msg=f"No comment was written: {skipped}")
        source = self.values.get("source")
        path = self.action.absolute(source) if isinstance(source, str) else source
        where = place_of(self.action._task, self.action.variables)
        made = text_of(path, self.values.get("source_run", "this"), self.values.get("source_max_age", "1h"), where)
        if made.get("msg"):
            self.warnings.append(made["msg"])
        if not self.number:
            return self._failed(f"The {self.provider.noun} of the commit is unknown")
        author: Mapping[str, Any] = {self.provider.login: self.values["author"]} if self.values["author"] else {}
        if not author:
            answer = self._call("GET", "/user")
            user = answer.get("json")
            if answer.get("status") == 200 and isinstance(user, Mapping) and isinstance(user.get("id"), int):
                author = {"id": user["id"]}
            # any other refusal, such as a rate limit, says nothing about the owner
            elif answer.get("status") == 403 and isinstance(user, Mapping) and user.get("message") == _NO_USER:
                author = self.provider.unnamed
        if not author:
            return self._failed("The owner of the token is unknown")
        read: Result = {"valid": True, "pages": 0, "ids": [], "own": [], "more": True}
        while read["more"] and read["pages"] < _MOST_PAGES:
            place = f"{self._path(self.provider.comments)}?{self.provider.pages}&page={read['pages'] + 1}"
            read = with_page(read, self._call("GET", place), {self.provider.author: author}, self.mark)
        if not read["valid"]:
            return self._failed("The comments cannot be read")
        if read["more"]:
            return self._failed(f"The comments have more than {_MOST_PAGES} pages")
        return self._written(made, sorted(read["own"], key=lambda row: -int(row["id"])), author)

    def _looks_up(self) -> str:
        """Ask for the request of the commit; why there is nothing to do, a sentence, or ""."""
        if not self.token:
            return "gate_comment_token is empty, as in the pipeline of a fork."
        if self.number:
            return ""
        if not self.commit:
            return "gate_comment_number and gate_comment_commit are empty."
        answer = self._call("GET", self._path(self.provider.requests))
        found = answer.get("json")
        requests = [found] if isinstance(found, Mapping) else found
        if answer.get("status") != 200 or not isinstance(requests, list):
            return ""
        if not requests:
            return f"commit {self.commit} belongs to no {self.provider.noun}."
        rows = [each for each in requests if isinstance(each, Mapping)]
        rows.sort(key=lambda each: not each.get("merged_at"))
        self.number = str(rows[0].get(self.provider.number, "")) if rows else ""
        return ""

    def _path(self, template: str) -> str:
        repository = str(self.values["repository"])
        repository = quote(repository, safe="") if self.provider.author == "author" else repository
        return template.format(repository=repository, number=self.number, commit=self.commit)

    def _written(self, made: Result, own: list[Result], author: Mapping[str, Any]) -> Result:
        """Write the comment, unless it says this already or is of a newer run.

        made: see ``text_of``; own: the comments of this gate, the newest first.
        """
        commit, generated = printable(made.get("commit") or self.commit, _LONGEST_COMMIT), str(made["generated"])
        parts = [self.mark, made.get("text", _NO_RESULT).rstrip("\n"), f"Commit {code(commit)}." if commit else ""]
        # the end of a comment tells which of two runs is the newer one
        body = "\n\n".join(filter(None, [*parts, f"<!-- generated {generated} -->"])) + "\n"
        if own[1:]:
            others = ", ".join(str(each["id"]) for each in own[1:])
            self.warnings.append(
                f"More than one comment of this gate exists. The newest one is used. Delete the other, {others}."
            )
        newest: Mapping[str, Any] = own[0] if own else {}
        newer = _GENERATED.search(str(newest.get("body", "")).replace("\r", ""))
        if newer and newer[1] > generated:
            self.warnings.append(
                f"The comment is of a newer gate, which ended at {newer[1]}, so it was kept. This gate ended at {generated}."
            )
            return self._ended("skipped", newest)
        # providers may change line ends, and remove those at the end
        if own and str(newest["body"]).replace("\r", "").strip() == body.strip():
            return self._ended("unchanged", newest)
        action = "update" if own else "create"
        if not self.action._task.check_mode:
            place = self._path(self.provider.comment if own else self.provider.comments)
            method, path = (self.provider.method, f"{place}/{newest['id']}") if own else ("POST", place)
            answer = self._call(method, path, {"body": body})
            newest = answer.get("json") if isinstance(answer.get("json"), Mapping) else {}  # type: ignore[assignment]
            if answer.get("status") not in (200, 201) or not isinstance(newest.get("id"), int):
                return self._failed("The comment was not written")
        writer = newest.get(self.provider.author) or {}
        if newest and not _contains(writer, author):
            name = printable(writer.get(self.provider.login, "another user"), 100)
            self.warnings.append(
                f"The next run will not find the comment, because {name} wrote it. Set gate_comment_author to this name."
            )
        return self._ended(action, newest)

    def _ended(self, action: str, newest: Mapping[str, Any] = MappingProxyType({}), msg: str = "") -> Result:
        number, url = newest.get("id"), newest.get("html_url")
        changed = action in ("create", "update")
        shown = {"msg": msg} if msg else {}
        result = {"action": action, "id": number, "url": url, "problem": "", "changed": changed, "failed": False}
        return {**result, **shown, "warnings": self.warnings}

    def _failed(self, what: str) -> Result:
        """The result of a call that failed. what: the begin of a sentence."""
        status = self.answer.get("status", -1)
        answered = self.answer.get("json")
        if status < 0:
            said = re.sub("^Status code was -1 and not [^:]*: ", "", str(self.answer.get("msg", "the task failed")))
        else:
            said = (answered.get("message") or answered.get("error") or "") if isinstance(answered, Mapping) else ""
        said = json.dumps(said) if said else ""
        why = ", ".join(filter(None, [f"status {status}" if status > 0 else "", said]))
        by_commit = self.commit and not self.values["number"]
        known = {
            -1: "The provider did not answer. Check gate_comment_url, and that this machine can reach it.",
            **dict.fromkeys((301, 302, 307, 308), _MOVED),
            401: "The token is wrong or has expired. Replace gate_comment_token.",
            403: _SENTENCE,
            404: (
                "Correct gate_comment_url, gate_comment_repository and"
                f" gate_comment_{'commit' if by_commit else 'number'}, or give the token access."
            ),
        }
        advice = known.get(status, "Run the job again later." if status >= 429 else "")
        problem = " ".join(filter(None, [f"{what} ({why}).", advice, "The outcome of the gate is the same."]))
        fails = self.values["on_failure"] == "fail"
        if not fails:
            self.warnings.append(f"No comment was written. {problem}")
        return {**self._ended("failed"), "problem": problem, "msg": problem, "failed": fails}

    def _call(self, method: str, path: str, body: Result | None = None) -> Result:
        """The answer to a call, as ansible.builtin.uri returns it. A call that is safe to repeat is repeated."""
        arguments = {
            "url": f"{self.url}{path}",
            "method": method,
            "headers": {self.provider.header: f"{self.provider.scheme}{self.token}", "Accept": "application/json"},
            "timeout": self.values.get("timeout", 30),
            "validate_certs": self.values.get("validate_certs", True),
            "follow_redirects": "none",
            "use_netrc": False,
            "status_code": [200, 201] if body else [200],
            **({"ca_path": self.values["ca_path"]} if self.values.get("ca_path") else {}),
            **({"body_format": "json", "body": body} if body else {}),
        }
        for wait in (*_WAITS, None):
            # a provider may repeat what it got
            self.answer = self.redactor.value(self.action.other("ansible.builtin.uri", arguments))
            if wait is None or not is_passing(self.answer, method):
                break
            time.sleep(wait_after(self.answer, wait, time.time()))
        return self.answer


def is_passing(answer: Mapping[str, Any], method: str) -> bool:
    """Whether a call can succeed a little later, and does no harm if it is repeated."""
    status = answer.get("status", -1)
    if _is_limited(answer):
        return True
    if method == "POST":
        return bool(status == -1 and _NEVER_MADE.search(str(answer.get("msg"))))
    return status in _PASSING


def _is_limited(answer: Mapping[str, Any]) -> bool:
    """Whether the provider did nothing because of a rate limit."""
    status, said = answer.get("status"), str(answer.get("json")).lower()
    signs = ("retry_after" in answer, answer.get("x_ratelimit_remaining") == "0", _LIMIT.search(said))
    return status == 429 or (status == 403 and any(signs)) or (status == 422 and _ABUSE in said)


def wait_after(answer: Mapping[str, Any], usual: float, now: float) -> float:
    """The seconds until a call may be repeated: what the provider asks for, but not longer than a minute."""
    limited = _is_limited(answer)
    headers = {"Retry-After": str(answer.get("retry_after", ""))}
    if limited:
        headers["X-RateLimit-Reset"] = str(answer.get("x_ratelimit_reset", ""))
    asked = asked_wait(headers, now)
    if asked is None and limited and answer.get("status") != 429:
        asked = _LIMITED_WAIT
    return min(max(usual, asked or 0), _LONGEST_WAIT)


def mistake_in(provider: Provider, url: str, values: Mapping[str, Any]) -> str | None:
    """What is wrong with the variables, a sentence, or None."""
    repository, number, commit, name = (str(values[key]) for key in ("repository", "number", "commit", "name"))
    is_gitlab = provider.author == "author"
    if not re.fullmatch("[!-~]*", str(values.get("token") or "")):
        # an error of the connection would quote the header, in a form that is not masked
        return (
            "gate_comment_token contains a space, a line break or another character that no token has: copy it again, without"
            " what surrounds it."
        )
    if not url:
        return "gate_comment_url is empty: give the base URL of the API, such as https://gitea.example.com/api/v1."
    if not re.fullmatch(r"https?://[^/@?#\s]+(/[^@?#\s]*)?", url):
        return "gate_comment_url is no URL, or one with a user, a query or a fragment: give the base URL of the API."
    is_safe = re.match(r"(https://|http://(localhost|127\.[0-9.]+|\[::1\])(:[0-9]+)?(/|$))", url)
    if not is_safe and values.get("allow_http", False) not in (True, "true", "yes"):
        return (
            "gate_comment_url is plain HTTP, so the token would be sent unencrypted: use HTTPS, or set"
            " gate_comment_allow_http."
        )
    is_named = re.fullmatch(r"(?!.*(^|/)[.]{1,2}(/|$))[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*", repository)
    if not is_named or (not is_gitlab and repository.count("/") != 1):
        more = ", or as the id of the project." if is_gitlab else "."
        return f"gate_comment_repository is {json.dumps(repository)}: give it as owner/name{more}"
    if not re.fullmatch("([1-9][0-9]*)?", number):
        return f"gate_comment_number is {json.dumps(number)}: give the number of the {provider.noun}."
    if not re.fullmatch("([0-9A-Fa-f]{7,64})?", commit):
        return f"gate_comment_commit is {json.dumps(commit)}: give the hash of a commit."
    if not re.fullmatch("[A-Za-z0-9._]{1,60}", name):
        return f"gate_comment_name is {json.dumps(name)}: give up to 60 letters, digits, dots or underscores."
    return None


def text_of(source: Any, source_run: str, max_age: Any, place: Sequence[Any] = ()) -> Result:
    """The text of the comment, and when the gate ended. source: the result of the gate, or the path of its gate.json;
    source_run, max_age, place: see ``refuse_other_run``. Without a text, ``msg`` says why."""
    now = {"generated": utc_text(time.time())}
    try:
        if isinstance(source, str):
            source = needed_content_of(source, _SOURCE, LONGEST_FINDINGS)
    except ScannerError as error:
        return {**now, "msg": str(error)}
    try:
        # a result may have rows: failing, and a file has all
        document = read_document(source, isinstance(source, bytes))
        text = comment(document)
    except ScannerError as error:
        return {**now, "msg": f"{_SOURCE}: {error}"}
    except (LookupError, TypeError, ValueError, AttributeError):
        return {**now, "msg": f"{_SOURCE}: The input is not as the gate writes it: give the gate.json of a gate."}
    try:
        refuse_other_run(document, _SOURCE, source_run, max_age, place)
    except ScannerError as error:
        return {**now, "msg": str(error)}
    return {"text": text, "generated": document["generated"], "commit": origin_of(document, "commit")}


def with_page(read: Result, page: Mapping[str, Any], author: Mapping[str, Any], mark: str) -> Result:
    """The comments that were read up to an answer; ``valid`` is false if it is no page of comments.

    author: the fields of those who write the comments of the role, by the key of the author.
    """
    rows = page.get("json") if page.get("status") == 200 else None
    if not isinstance(rows, list) or not all(
        isinstance(row, Mapping) and isinstance(row.get("id"), int) and isinstance(row.get("body"), str) for row in rows
    ):
        return {**read, "valid": False, "more": False}
    new = [row for row in rows if row["id"] not in read["ids"]]
    return {
        "valid": True,
        "pages": read["pages"] + 1,
        "ids": [*read["ids"], *(row["id"] for row in new)],
        "own": [*read["own"], *(row for row in new if row["body"].startswith(mark) and _contains(row, author))],
        # a page of GitLab may be empty before the last one, and Gitea returns all comments for each page
        "more": bool(new) or 'rel="next"' in str(page.get("link")),
    }


def _contains(value: object, wanted: object) -> bool:
    if isinstance(value, Mapping) and isinstance(wanted, Mapping):
        return all(_contains(value.get(key), each) for key, each in wanted.items())
    return value == wanted
