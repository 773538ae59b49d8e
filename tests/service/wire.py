# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Putting an answer on the wire, the broken ones too: resets, closed connections, wrong lengths."""

from __future__ import annotations

import socket
import struct
from http.client import responses

from aiohttp import web
from answers import Answer


def reset(request: web.Request) -> None:
    """End the connection with a TCP reset."""
    connection = request.transport.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    request.transport.abort()


def close(request: web.Request) -> None:
    """End the connection in good order, without an answer."""
    request.transport.close()


def partial(request: web.Request, answer: Answer) -> None:
    """Announce one length, send another, and end the connection."""
    head = [f"HTTP/1.1 {answer.status} {responses.get(answer.status, 'Unknown')}"]
    head += [f"{name}: {value}" for name, value in answer.headers.items()]
    if answer.content_type:
        head.append(f"Content-Type: {answer.content_type}")
    head += [f"Content-Length: {answer.announce}", "Connection: close"]
    request.transport.write("\r\n".join([*head, "", ""]).encode() + answer.body)
    request.transport.close()


def send(request: web.Request, answer: Answer) -> web.Response:
    """Send an answer. For a broken one the connection is gone afterwards and the returned response goes nowhere."""
    if request.transport is None:
        return web.Response()
    if answer.ending == "reset":
        reset(request)
    elif answer.ending == "close":
        close(request)
    elif answer.announce is not None:
        partial(request, answer)
    else:
        headers = dict(answer.headers)
        if answer.content_type:
            headers["Content-Type"] = answer.content_type
        return web.Response(status=answer.status, body=answer.body or None, headers=headers)
    return web.Response()
