# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An application on loopback that says its build, and notes what it is asked."""

from __future__ import annotations

import contextlib
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Preview(ThreadingHTTPServer):
    """answers: a text, or a status with headers and the pieces of a body; the last one is repeated. requests: the path and the
    headers of each request."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers, self.requests = ["4f2a"], []
        self.url = f"http://127.0.0.1:{self.server_port}/version"


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        server.requests.append((self.path, dict(self.headers)))
        answer = server.answers.pop(0) if server.answers[1:] else server.answers[0]
        status, headers, pieces = (200, {}, [answer.encode()]) if isinstance(answer, str) else answer
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        # the reader may have gone
        with contextlib.suppress(OSError):
            for piece in pieces:
                if isinstance(piece, float):
                    self.wfile.flush()
                    time.sleep(piece)
                else:
                    self.wfile.write(piece)

    def log_message(self, *_arguments):
        """Print nothing."""


@contextlib.contextmanager
def preview_server():
    server = Preview()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
