# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run the local service: `python tests/service [options]`. See README.md beside this file."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import secrets
import signal
import socket
import ssl
import sys
from contextlib import suppress
from pathlib import Path

try:
    from aiohttp import web
except ImportError:
    sys.exit("The local service needs aiohttp: pip install -r tests/service/requirements.txt")

from .answers import BASE
from .app import Service, build
from .recorded import read, settings_of
from .records import Record
from .settings import SettingsError


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python tests/service", description="A local implementation of the scanning service."
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument("--port", type=int, default=0, help="port to listen on (default: a free one)")
    parser.add_argument("--key", help="the API key to accept (default: a random one)")
    parser.add_argument("--settings", help="settings as a JSON object, or a file that contains one")
    parser.add_argument("--recording", type=Path, help="also take the settings that this recording shows")
    parser.add_argument("--tls-cert", help="serve https with this certificate (PEM)")
    parser.add_argument("--tls-key", help="private key of the certificate (PEM)")
    parser.add_argument("--tls-client-ca", help="require a client certificate that this authority signed (PEM)")
    parser.add_argument("--json", action="store_true", help="print only one line of JSON, when the service listens")
    parser.add_argument("--exit-with-parent", action="store_true", help="stop when the parent process ends")
    parser.add_argument("--log", type=Path, help="append the log to this file when it is cleared, and at the end")
    parser.add_argument("--max-life", type=float, help="stop after this many seconds")
    return parser.parse_args(arguments)


def read_settings(text: str | None) -> Record:
    """Settings from the command line: JSON, or the path of a JSON file."""
    if not text:
        return {}
    if not text.lstrip().startswith("{"):
        with open(text, encoding="utf-8") as stream:
            text = stream.read()
    settings: Record = json.loads(text)
    return settings


def tls(arguments: argparse.Namespace) -> ssl.SSLContext | None:
    if not arguments.tls_cert:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(arguments.tls_cert, arguments.tls_key)
    if arguments.tls_client_ca:
        # optional in the handshake, so that the answer can say what is missing, as that of a web server does
        context.verify_mode = ssl.CERT_OPTIONAL
        context.load_verify_locations(arguments.tls_client_ca)
    return context


def greeting(base_url: str, control_url: str, key: str) -> str:
    return f"""\
The local service is ready. It listens on this machine only and loses its state when it stops.

  base URL  {base_url}
  API key   {key}
  control   {control_url}

Try it:

  curl -H 'Authorization: Bearer {key}' {base_url}/workspaces

  SCANNER_BASE_URL={base_url} SCANNER_API_KEY={key} \\
    ansible localhost -m scanops.scanner.service_info

Stop it with Ctrl-C."""


async def parent_ends(parent: int) -> None:
    while os.getppid() == parent:
        await asyncio.sleep(0.5)


async def run(arguments: argparse.Namespace, first_settings: Record) -> None:
    parent = os.getppid()
    key = arguments.key or f"local-{secrets.token_hex(16)}"
    family = socket.AF_INET6 if ":" in arguments.host else socket.AF_INET
    listener = socket.create_server((arguments.host, arguments.port), family=family, backlog=128)
    name = f"[{arguments.host}]" if ":" in arguments.host else arguments.host
    context = tls(arguments)
    origin = f"{'https' if context else 'http'}://{name}:{listener.getsockname()[1]}"

    service = Service(key, origin, first_settings, client_ca=bool(arguments.tls_client_ca), log=arguments.log)
    runner = web.AppRunner(build(service), access_log=None, handle_signals=False, shutdown_timeout=1)
    await runner.setup()
    await web.SockSite(runner, listener, ssl_context=context).start()

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)

    base_url, control_url = f"{origin}{BASE}", f"{origin}/_control"
    if arguments.json:
        ready = {"base_url": base_url, "api_key": key, "control_url": control_url, "pid": os.getpid()}
        print(json.dumps(ready), flush=True)
    else:
        print(greeting(base_url, control_url, key), flush=True)

    ends: list[asyncio.Future[object]] = [asyncio.ensure_future(stop.wait())]
    if arguments.exit_with_parent:
        ends.append(asyncio.ensure_future(parent_ends(parent)))
    await asyncio.wait(ends, timeout=arguments.max_life, return_when=asyncio.FIRST_COMPLETED)
    for end in ends:
        end.cancel()
        with suppress(asyncio.CancelledError):
            await end
    await runner.cleanup()
    service.log.clear()


def main() -> None:
    arguments = options()
    try:
        recorded = settings_of(read(arguments.recording)) if arguments.recording else {}
        asyncio.run(run(arguments, {**recorded, **read_settings(arguments.settings)}))
    except (OSError, ValueError, SettingsError) as exc:
        sys.exit(f"The local service could not start: {exc}")


if __name__ == "__main__":
    main()
