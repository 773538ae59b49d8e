# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Send answers, also broken ones: resets, closed connections, wrong lengths."""

from __future__ import annotations

import asyncio
import socket
import struct
from http.client import responses

from aiohttp import web

from .answers import Answer, Drip


def _transport(request: web.Request) -> asyncio.Transport:
    if request.transport is None:
        raise ConnectionResetError("the client has closed the connection")
    return request.transport


def reset(request: web.Request) -> None:
    """End the connection with a TCP reset."""
    transport = _transport(request)
    connection = transport.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()


def close(request: web.Request) -> None:
    """End the connection in the usual way, without an answer."""
    _transport(request).close()


def head_of(answer: Answer) -> bytes:
    """The head of an answer that is sent without the web framework and ends the connection."""
    head = [f"HTTP/1.1 {answer.status} {responses.get(answer.status, 'Unknown')}"]
    head += [f"{name}: {value}" for name, value in answer.headers.items()]
    if answer.content_type:
        head.append(f"Content-Type: {answer.content_type}")
    head += [f"Content-Length: {answer.announce}", "Connection: close"]
    return "\r\n".join([*head, "", ""]).encode()


def partial(request: web.Request, answer: Answer) -> None:
    """Announce one length, send another, and end the connection."""
    transport = _transport(request)
    transport.write(head_of(answer) + answer.body)
    transport.close()


async def send_slowly(request: web.Request, answer: Answer, drip: Drip) -> None:
    """Send the head or the body byte by byte, until the client closes the connection."""
    head, body = head_of(answer), answer.body
    if drip.part == "head":
        # the status line at once: some libraries have another timeout for it
        first, _end, slow = head.partition(b"\r\n")
        fast, rest = first + b"\r\n", body
    else:
        fast, slow, rest = head, body, b""
    transport = _transport(request)
    transport.write(fast)
    for place in range(len(slow)):
        await asyncio.sleep(drip.seconds)
        if request.transport is None or transport.is_closing():
            return
        transport.write(slow[place : place + 1])
    transport.write(rest)
    transport.close()


async def send(request: web.Request, answer: Answer) -> web.Response:
    """Send an answer. A broken one ends the connection, so that the returned response is never sent."""
    if request.transport is None:
        return web.Response()
    if answer.ending == "reset":
        reset(request)
    elif answer.ending == "close":
        close(request)
    elif answer.drip is not None:
        await send_slowly(request, answer, answer.drip)
    elif answer.announce is not None:
        partial(request, answer)
    else:
        headers = dict(answer.headers)
        if answer.content_type:
            headers["Content-Type"] = answer.content_type
        return web.Response(status=answer.status, body=answer.body or None, headers=headers)
    return web.Response()
