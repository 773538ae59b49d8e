# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Stubs of GitHub, GitLab and Gitea on loopback: the user of a token, and the comments on pull or merge request 7 of shop/web.
The base URLs are ADDRESS/ACCOUNT, such as http://127.0.0.1:1234/github-1. An account begins with the name of its provider.

They follow the public descriptions of the three APIs: issues/list-comments, create-comment and update-comment of GitHub, the
notes of GitLab, issueGetComments, issueCreateComment and issueEditComment of Gitea; and the requests of a commit:
repos/list-pull-requests-associated-with-commit, "list merge requests associated with a commit", repoGetCommitPullRequest.

    python forge.py --ready FILE

runs in the background for ten minutes or until POST /_stop, and writes ADDRESS to FILE. GET /_state returns the requests and
the comments of all accounts; POST /_refuse sets the statuses of an account.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import threading
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

TOKEN = "t0ken-of-the-tests"
OWN = {"id": 5, "name": "gate", "type": "User"}
OTHER = {"id": 6, "name": "mallory", "type": "User"}
APP = {"id": 7, "name": "github-actions[bot]", "type": "Bot"}

# the paths after the name of an account, which begins with the provider and stands for the host; what is sent as the token,
# and what an author is called
COMMON = r"/repos/shop/web/issues/7/comments"
# a commit that request 7 merged, and that of a direct push
MERGED, PUSHED = "a1b2c3d4e5", "f00d1e5f00"
PROVIDERS = {
    "github": {
        "list": COMMON, "one": r"/repos/shop/web/issues/comments/(\d+)", "method": "PATCH",
        "token": ("Authorization", f"Bearer {TOKEN}"), "author": "user", "login": "login",
        "requests": r"/repos/shop/web/commits/(\w+)/pulls", "number": "number",
    },
    "gitlab": {
        "list": r"/projects/(?:shop%2Fweb|42)/merge_requests/7/notes",
        "one": r"/projects/(?:shop%2Fweb|42)/merge_requests/7/notes/(\d+)", "method": "PUT",
        "token": ("PRIVATE-TOKEN", TOKEN), "author": "author", "login": "username",
        "requests": r"/projects/(?:shop%2Fweb|42)/repository/commits/(\w+)/merge_requests", "number": "iid",
    },
    "gitea": {
        "list": COMMON, "one": r"/repos/shop/web/issues/comments/(\d+)", "method": "PATCH",
        "token": ("Authorization", f"token {TOKEN}"), "author": "user", "login": "login",
        "requests": r"/repos/shop/web/commits/(\w+)/pull", "number": "number",
    },
}  # fmt: skip


class Account:
    """The comments of one provider, and the requests that it received."""

    def __init__(self) -> None:
        self.comments: list[dict] = []
        self.log: list[str] = []
        # a status instead of an answer, by "METHOD" or "METHOD /user"
        self.refuses: dict[str, int] = {}
        # the same for the next calls: (status, message, headers); a status of 0 closes the connection
        self.faults: dict[str, list[tuple[int, str, dict[str, str]]]] = {}
        self.user = OWN
        # a page of the list is at most so long
        self.most = 100
        # ids that the token may not see; they count for the pages
        self.hidden: set[int] = set()

    def add(self, body: str, author: dict | None = None) -> int:
        number = 1000 + len(self.comments)
        self.comments.append({"id": number, "body": body, "author": author or self.user})
        return number


class Forge(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.accounts: defaultdict[str, Account] = defaultdict(Account)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Forge

    def answer(self, status: int, value: object, **headers: str) -> None:
        text = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(text)))
        for name, header in headers.items():
            self.send_header(name.replace("_", "-"), header)
        self.end_headers()
        self.wfile.write(text)

    def handle_call(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        name, _slash, rest = urlsplit(self.path).path[1:].partition("/")
        if name.startswith("_"):
            return self.control(name, json.loads(body or b"null"))
        account, path = self.server.accounts[name], f"/{rest}"
        name = name.partition("-")[0]
        provider = PROVIDERS[name]
        account.log.append(f"{self.command} {path}")
        status = account.refuses.get(f"{self.command} {path}", account.refuses.get(self.command, 0))
        header, token = provider["token"]
        if self.headers.get(header) != token:
            status = 401
        faults = account.faults.get(f"{self.command} {path}", account.faults.get(self.command))
        if faults:
            status, said, headers = faults.pop(0)
            if not status:
                self.close_connection = True
                return None
            return self.answer(status, {"message": said}, **headers)
        if status:
            headers = {"Location": f"{self.server.address}/github/moved"} if 300 <= status < 400 else {}
            said = "Resource not accessible by integration" if status == 403 else f"{status} from the stub"
            return self.answer(status, {"message": said}, **headers)
        if self.command == "GET" and path == "/user":
            return self.answer(200, self.as_user(provider, account.user))
        of_commit = re.fullmatch(provider["requests"], path)
        if of_commit and self.command == "GET":
            return self.requests(name, provider, of_commit[1] == MERGED)
        if re.fullmatch(provider["list"], path):
            if self.command == "GET":
                return self.page(name, provider, account)
            if self.command == "POST":
                number = account.add(json.loads(body)["body"])
                return self.answer(201, self.as_comment(name, provider, account.comments[-1] | {"id": number}))
        one = re.fullmatch(provider["one"], path)
        if one and self.command == provider["method"]:
            for each in account.comments:
                if each["id"] == int(one[1]):
                    each["body"] = json.loads(body)["body"]
                    return self.answer(200, self.as_comment(name, provider, each))
        return self.answer(404, {"message": "Not Found"})

    do_GET = do_POST = do_PATCH = do_PUT = handle_call

    def as_user(self, provider: dict, user: dict) -> dict:
        return {"id": user["id"], provider["login"]: user["name"], "type": user["type"]}

    def as_comment(self, name: str, provider: dict, comment: dict) -> dict:
        address = {} if name == "gitlab" else {"html_url": f"https://forge.example/shop/web/7#{comment['id']}"}
        # as a browser sends it
        body = comment["body"].replace("\n", "\r\n").rstrip() if name == "gitea" else comment["body"]
        author = self.as_user(provider, comment["author"])
        return {"id": comment["id"], "body": body, provider["author"]: author, **address}

    def requests(self, name: str, provider: dict, merged: bool) -> None:
        """The requests of a commit: an open one of another branch, and the merged one. Gitea knows only the latter."""
        known = {provider["number"]: 7, "merged_at": "2026-11-02T10:00:00Z"}
        if name == "gitea":
            self.answer(*((200, known) if merged else (404, {"message": "Not Found"})))
        else:
            self.answer(200, [{provider["number"]: 9, "merged_at": None}, known] if merged else [])

    def page(self, name: str, provider: dict, account: Account) -> None:
        """A page of the list. Gitea has only one, whatever is asked for."""
        query = parse_qs(urlsplit(self.path).query)
        rows, headers = account.comments, {"X-Total-Count": str(len(account.comments))}
        if name != "gitea":
            size, number = min(int(query["per_page"][0]), account.most), int(query["page"][0])
            if name == "gitlab" and (query["order_by"], query["sort"]) != (["created_at"], ["asc"]):
                rows = rows[::-1]
            if number * size < len(rows):
                headers["Link"] = f'<{self.server.address}/elsewhere?page={number + 1}>; rel="next"'
            rows = rows[(number - 1) * size : number * size]
        shown = [self.as_comment(name, provider, row) for row in rows if row["id"] not in account.hidden]
        self.answer(200, shown, **headers)

    def control(self, name: str, value: dict | None) -> None:
        if name == "_refuse":
            self.server.accounts[value["account"]].refuses = value["refuses"]
        accounts = self.server.accounts
        self.answer(200, {each: {"log": accounts[each].log, "comments": accounts[each].comments} for each in accounts})
        if name == "_stop":
            # after the answer, because the process ends without waiting for it
            threading.Thread(target=self.server.shutdown).start()

    def log_message(self, *_arguments: object) -> None:
        pass


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--ready", required=True)
    path = parser.parse_args().ready
    forge = Forge()
    if os.fork():
        return
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    timer = threading.Timer(600, forge.shutdown)
    timer.daemon = True
    timer.start()
    with open(path, "w", encoding="utf-8") as file:
        file.write(forge.address)
    forge.serve_forever()


if __name__ == "__main__":
    main()
