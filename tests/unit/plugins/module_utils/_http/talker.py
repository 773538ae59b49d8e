# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A server on loopback that says to each connection what a test wants it to say, byte by byte if need be."""

from __future__ import annotations

import socket
import threading


class Talker:
    """Accepts connections, reads the head of one request on each, and leaves the rest to a function of (connection, head).

    context: None, or an SSLContext for TLS; url: its address; heads: what was asked. A context manager.
    """

    def __init__(self, talk, context=None):
        self._talk = talk
        self._context = context
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"{'https' if context else 'http'}://127.0.0.1:{self._listener.getsockname()[1]}"
        self.heads = []
        self._over = threading.Event()

    def __enter__(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *exc):
        self._over.set()
        self._listener.close()

    def _accept(self):
        while True:
            try:
                connection, _address = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        try:
            with connection:
                if self._context:
                    connection = self._context.wrap_socket(connection, server_side=True)
                head = b""
                while b"\r\n\r\n" not in head:
                    piece = connection.recv(65536)
                    if not piece:
                        return
                    head += piece
                self.heads.append(head.decode("latin-1"))
                self._talk(connection, head)
        except OSError:
            """The client has gone, which is what most tests wait for."""

    def drip(self, connection, data, seconds):
        """Send bytes one by one, with a pause before each, until the client has gone or the test is over."""
        for place in range(len(data)):
            if self._over.wait(seconds):
                return
            connection.sendall(data[place : place + 1])
