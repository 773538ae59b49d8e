# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The steps of the role gate_comment: what the comment says, and which comments of a change are its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_collections.scanops.scanner.plugins.module_utils._errors import ScannerError
from ansible_collections.scanops.scanner.plugins.module_utils._exports.document import read_document
from ansible_collections.scanops.scanner.plugins.module_utils._exports.markdown import comment
from ansible_collections.scanops.scanner.plugins.module_utils._gate.files import LONGEST_FINDINGS, needed_content_of
from ansible_collections.scanops.scanner.plugins.plugin_utils._core import play_of
from ansible_collections.scanops.scanner.plugins.plugin_utils._play import wrong_strategy
from ansible_collections.scanops.scanner.plugins.plugin_utils._role_action import Result, RoleAction

_SOURCE = "gate_comment_source"


class CommentAction(RoleAction):
    """With ``source``, writes the text; with ``page``, reads a page of comments; with ``result``, returns it; else checks the
    names of the variables, and the strategy."""

    def step(self, variables: Result) -> Result:
        given = self._task.args
        if "source" in given:
            # the variable ansible_check_mode does not know of the keyword check_mode
            return {"check_mode": self._task.check_mode, **text_of(given["source"])}
        if "page" in given:
            return with_page(given["read"], given["page"], given["author"], given["mark"])
        if "result" in given:
            newest = given["comment"]
            return {**given["result"], "id": newest.get("id"), "url": newest.get("html_url")}
        strategy = self._templar.template(play_of(self._task).strategy)
        problem = self.unknown(variables) or wrong_strategy(strategy, variables, "each would write a comment")
        return {"failed": True, "msg": problem} if problem else {}


def text_of(source: Any) -> Result:
    """The text of the comment. source: the result of the gate, or the path of its gate.json."""
    try:
        if isinstance(source, str):
            source = needed_content_of(source, _SOURCE, LONGEST_FINDINGS)
    except ScannerError as error:
        return {"failed": True, "msg": str(error)}
    try:
        return {"text": comment(read_document(source, False))}
    except ScannerError as error:
        problem = str(error)
    except (LookupError, TypeError, ValueError, AttributeError):
        problem = "The input is not as the gate writes it: give the gate.json of a gate."
    return {"failed": True, "msg": f"{_SOURCE}: {problem}"}


def with_page(read: Result, page: Mapping[str, Any], author: Mapping[str, Any], mark: str) -> Result:
    """The comments that were read up to an answer; ``valid`` is false if it is no page of comments.

    author: the fields of those who write the comments of the role, by the key of the author.
    """
    rows = page.get("json")
    if page.get("status") != 200 or not isinstance(rows, list) or not all(map(_is_comment, rows)):
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


def _is_comment(row: object) -> bool:
    return isinstance(row, Mapping) and isinstance(row.get("id"), int) and isinstance(row.get("body"), str)


def _contains(value: object, wanted: object) -> bool:
    if isinstance(value, Mapping) and isinstance(wanted, Mapping):
        return all(_contains(value.get(key), each) for key, each in wanted.items())
    return value == wanted
