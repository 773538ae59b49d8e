# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A forward proxy on loopback for tests: plain requests and CONNECT tunnels, and what it saw of them."""

from __future__ import annotations

import http.client
import selectors
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


class Proxy:
    """A running proxy. url: its address; seen: list of method and address; headers: those of the last request; carried: list
    of bytes, what went through tunnels. A context manager."""

    def __init__(self):
        self.seen = []
        self.carried = []
        self.headers = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"proxy": self}))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *exc):
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    proxy = None

    def do_CONNECT(self):
        self._note()
        host, _colon, port = self.path.rpartition(":")
        with socket.create_connection((host.strip("[]"), int(port)), timeout=30) as there:
            self.send_response(200, "Connection established")
            self.end_headers()
            self._carry(self.connection, there)
        self.close_connection = True

    def _carry(self, here, there):
        # not select.select(), which takes no file descriptor above 1023
        with selectors.DefaultSelector() as ready:
            ready.register(here, selectors.EVENT_READ, there)
            ready.register(there, selectors.EVENT_READ, here)
            while True:
                for key, _events in ready.select(30):
                    data = key.fileobj.recv(65536)
                    if not data:
                        return
                    self.proxy.carried.append(data)
                    key.data.sendall(data)

    def _forward(self):
        self._note()
        to = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name: value for name, value in self.headers.items() if not name.lower().startswith("proxy-")}
        there = http.client.HTTPConnection(to.hostname, to.port, timeout=30)
        there.request(self.command, to.path + (f"?{to.query}" if to.query else ""), body or None, headers)
        answer = there.getresponse()
        content = answer.read()
        there.close()
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.headers.get("Content-Type") or "text/plain")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_DELETE = _forward

    def _note(self):
        self.proxy.seen.append(f"{self.command} {self.path}")
        self.proxy.headers = dict(self.headers.items())

    def log_message(self, *arguments):
        """Tests read `seen`."""
