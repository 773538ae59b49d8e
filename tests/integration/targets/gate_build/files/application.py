# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An application on loopback that says its build at /version.json.

    python application.py --ready FILE

runs in the background for an hour or until POST /_stop, and writes its address to FILE. POST /_answers sets the builds that
it says, the last one again and again, and forgets the requests. GET /_requests returns the path and the headers of each.
"""

from __future__ import annotations

import argparse
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        server = self.server
        if self.path == "/_requests":
            return self.answer(server.requests)
        server.requests.append({"path": self.path, "headers": dict(self.headers)})
        build = server.builds.pop(0) if server.builds[1:] else server.builds[0]
        return self.answer({"build": {"commit": build}})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path == "/_answers":
            self.server.builds, self.server.requests = json.loads(body), []
        self.answer({})
        if self.path == "/_stop":
            threading.Thread(target=self.server.shutdown).start()

    def answer(self, value: object) -> None:
        content = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_arguments: object) -> None:
        pass


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--ready", required=True)
    path = parser.parse_args().ready
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.builds, server.requests = [""], []
    if os.fork():
        return
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    timer = threading.Timer(3600, server.shutdown)
    timer.daemon = True
    timer.start()
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"http://127.0.0.1:{server.server_port}")
    server.serve_forever()


if __name__ == "__main__":
    main()
