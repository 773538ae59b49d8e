# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The connection options, once for modules and for the inventory plugin, and their checks before any call."""

from __future__ import annotations

import ipaddress
import os
from typing import NamedTuple
from urllib.parse import urlsplit

from ansible.module_utils.basic import env_fallback

from ._errors import WrongOption


def _option(type_, variable, **more):
    return dict(type=type_, fallback=(env_fallback, [variable]), **more)


CONNECTION_OPTIONS = dict(
    base_url=_option("str", "SCANNER_BASE_URL", required=True),
    api_key=_option("str", "SCANNER_API_KEY", required=True, no_log=True),
    timeout=_option("float", "SCANNER_TIMEOUT", default=30.0),
    retries=_option("int", "SCANNER_RETRIES", default=3),
    rate_limit_wait=_option("int", "SCANNER_RATE_LIMIT_WAIT", default=300),
    call_timeout=_option("float", "SCANNER_CALL_TIMEOUT"),
    max_answer=_option("int", "SCANNER_MAX_ANSWER", default=256 * 1024 * 1024),
    validate_certs=_option("bool", "SCANNER_VALIDATE_CERTS", default=True),
    ca_path=_option("path", "SCANNER_CA_PATH"),
    client_cert=_option("path", "SCANNER_CLIENT_CERT"),
    client_key=_option("path", "SCANNER_CLIENT_KEY"),
    proxy=_option("str", "SCANNER_PROXY", no_log=True),
    allow_http=_option("bool", "SCANNER_ALLOW_HTTP", default=False),
)


LONGEST_TIMEOUT = 86400
# the time of a whole call, where call_timeout is not set, in multiples of timeout
CALL_TIMEOUTS = 4


class Connection(NamedTuple):
    """What is needed to talk to the service, checked. Times are in seconds."""

    base_url: str
    api_key: str
    timeout: float = 30.0
    retries: int = 3
    rate_limit_wait: int = 300
    call_timeout: float | None = None  # None: a multiple of timeout
    max_answer: int = 256 * 1024 * 1024
    verify: object = True  # bool, or the path of a CA bundle
    cert: object = None  # None, a path, or (certificate path, key path)
    proxy: str | None = None
    direct: bool = False  # never by the proxy variables

    @property
    def longest_call(self):
        """Seconds that a whole call may take."""
        return CALL_TIMEOUTS * self.timeout if self.call_timeout is None else self.call_timeout

    def __repr__(self):
        # the key and the proxy's password must not reach a traceback that prints its variables
        return f"Connection({self.base_url!r})"


def connection_from(options):
    """Check the connection options (a mapping by option name) and return a Connection.

    Raises WrongOption, which names the option; makes no call.
    """
    verify = options["validate_certs"]
    if verify and options["ca_path"]:
        verify = _existing(options["ca_path"], "ca_path")
    base_url = _checked_base_url(options["base_url"], options["allow_http"])
    # http to a loopback address keeps the key on this machine, and a proxy would carry it away
    local_only = base_url.startswith("http:") and not options["allow_http"]
    return Connection(
        base_url=base_url,
        api_key=_checked_api_key(options["api_key"]),
        timeout=_checked_seconds(options["timeout"], "timeout"),
        retries=_at_least(options["retries"], "retries", 0),
        rate_limit_wait=_at_least(options["rate_limit_wait"], "rate_limit_wait", 0),
        call_timeout=_checked_seconds(options["call_timeout"], "call_timeout"),
        max_answer=_at_least(options["max_answer"], "max_answer", 1),
        verify=verify,
        cert=_client_certificate(options["client_cert"], options["client_key"]),
        proxy=_checked_proxy(options["proxy"], local_only),
        direct=local_only,
    )


def _checked_base_url(base_url, allow_http):
    text = (base_url or "").strip()
    if not text:
        raise WrongOption(
            "base_url is empty: set it, or the environment variable SCANNER_BASE_URL, to the API's address, which ends in"
            " /api/v2."
        )
    if "@" in text.split("?")[0].split("#")[0]:
        raise WrongOption(
            "base_url contains user info (user:password@): remove it and set api_key instead.", secret=base_url
        )
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise WrongOption("base_url is not a valid URL: write it as https://HOST/api/v2.", secret=base_url) from None
    if parts.scheme not in ("http", "https"):
        # it may be the key, given in the wrong place
        raise WrongOption("base_url does not begin with https://: write it as https://HOST/api/v2.", secret=base_url)
    if not host or port == 0 or any(character.isspace() or character in "\\\x00" for character in text):
        raise WrongOption(f"base_url {text!r} names no valid host: write it as https://HOST/api/v2.")
    if parts.query or parts.fragment:
        raise WrongOption("base_url has a query or fragment: end it with the path, /api/v2.", secret=base_url)
    path = parts.path.rstrip("/")
    if not path:
        raise WrongOption(f"base_url {text!r} has no path: add the API's path, as in {text.rstrip('/')}/api/v2.")
    if parts.scheme == "http" and not allow_http and not _is_loopback(host):
        raise WrongOption(
            f"base_url {text!r} would send api_key unencrypted over http: use https, or set allow_http: true"
            " if you accept that."
        )
    return f"{parts.scheme}://{parts.netloc}{path}"


def _is_loopback(host):
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _checked_api_key(api_key):
    if not api_key:
        raise WrongOption(
            "api_key is empty: set it, or the environment variable SCANNER_API_KEY, to a key from the account's API"
            " section."
        )
    if not all("!" <= character <= "~" for character in api_key):
        # not quoted: it is a secret
        raise WrongOption(
            "api_key contains a space, a line break or another character that no key has: copy the key again,"
            " without what surrounds it."
        )
    return api_key


def _checked_proxy(proxy, local_only):
    if not proxy:
        return None
    # never quoted: it may hold a password
    try:
        parts = urlsplit(proxy)
        host, _port = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or "://" not in proxy:
        raise WrongOption("proxy is no address of a proxy: write it as http://HOST:PORT.")
    if local_only and not _is_loopback(host):
        raise WrongOption(
            "proxy would get api_key unencrypted, as base_url is plain http: leave it out, or set allow_http: true if you"
            " accept that."
        )
    return proxy


def _client_certificate(certificate, key):
    if key and not certificate:
        raise WrongOption("client_key is set without client_cert: set both, or client_cert alone.")
    if not certificate:
        return None
    certificate = _existing(certificate, "client_cert")
    return (certificate, _existing(key, "client_key")) if key else certificate


def _existing(path, option):
    if not os.path.exists(path):
        raise WrongOption(f"{option} names a file that is not there: {path!r}; correct the path.")
    return path


def _checked_seconds(seconds, option):
    # also false for what is not a number
    if seconds is not None and not 0 < seconds <= LONGEST_TIMEOUT:
        raise WrongOption(f"{option} is {seconds:g}: set it to more than 0, and to {LONGEST_TIMEOUT} at most.")
    return seconds


def _at_least(value, option, least):
    if value < least:
        raise WrongOption(f"{option} is {value}: set it to {least} or more.")
    return value
