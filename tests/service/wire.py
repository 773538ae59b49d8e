# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Putting an answer on the wire, the broken ones too: resets, closed connections, wrong lengths."""

from __future__ import annotations

import asyncio
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


def head_of(answer: Answer) -> bytes:
    """The head of an answer that is written without the web framework, which ends the connection."""
    head = [f"HTTP/1.1 {answer.status} {responses.get(answer.status, 'Unknown')}"]
    head += [f"{name}: {value}" for name, value in answer.headers.items()]
    if answer.content_type:
        head.append(f"Content-Type: {answer.content_type}")
    head += [f"Content-Length: {answer.announce}", "Connection: close"]
    return "\r\n".join([*head, "", ""]).encode()


def partial(request: web.Request, answer: Answer) -> None:
    """Announce one length, send another, and end the connection."""
    request.transport.write(head_of(answer) + answer.body)
    request.transport.close()


async def drip(request: web.Request, answer: Answer) -> None:
    """Send the head or the body byte by byte, until the client has gone."""
    head, body = head_of(answer), answer.body
    if answer.drip.part == "head":
        # the status line as a whole: some libraries wait for it in another way
        first, _end, slow = head.partition(b"\r\n")
        fast, rest = first + b"\r\n", body
    else:
        fast, slow, rest = head, body, b""
    request.transport.write(fast)
    for place in range(len(slow)):
        await asyncio.sleep(answer.drip.seconds)
        if request.transport is None or request.transport.is_closing():
            return
        request.transport.write(slow[place : place + 1])
    request.transport.write(rest)
    request.transport.close()


async def send(request: web.Request, answer: Answer) -> web.Response:
    """Send an answer. For a broken one the connection is gone afterwards and the returned response goes nowhere."""
    if request.transport is None:
        return web.Response()
    if answer.ending == "reset":
        reset(request)
    elif answer.ending == "close":
        close(request)
    elif answer.drip is not None:
        await drip(request, answer)
    elif answer.announce is not None:
        partial(request, answer)
    else:
        headers = dict(answer.headers)
        if answer.content_type:
            headers["Content-Type"] = answer.content_type
        return web.Response(status=answer.status, body=answer.body or None, headers=headers)
    return web.Response()
