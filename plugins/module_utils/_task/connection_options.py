# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The connection options of the modules and the inventory plugin, and their checks before any call."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from ansible.module_utils.common.parameters import DEFAULT_TYPE_VALIDATORS

from .._http.connection import Connection
from .._model.errors import WrongOption, printable
from .._model.trust import refuse_untrusted

LONGEST_TIMEOUT = 86400

_DEFAULTS = Connection._field_defaults
_LEAST = {"retries": 0, "rate_limit_wait": 0, "max_answer": 1}
_TYPES = {"int": "an integer", "float": "a number", "bool": "true or false"}


CONNECTION_OPTIONS: dict[str, dict[str, Any]] = dict(
    base_url=dict(type="str"),
    api_key=dict(type="str", no_log=True),
    timeout=dict(type="float", default=_DEFAULTS["timeout"]),
    retries=dict(type="int", default=_DEFAULTS["retries"]),
    rate_limit_wait=dict(type="int", default=_DEFAULTS["rate_limit_wait"]),
    rate_share=dict(type="int", default=_DEFAULTS["rate_share"]),
    call_timeout=dict(type="float"),
    max_answer=dict(type="int", default=_DEFAULTS["max_answer"]),
    validate_certs=dict(type="bool", default=True),
    ca_path=dict(type="path"),
    client_cert=dict(type="path"),
    client_key=dict(type="path"),
    proxy=dict(type="str", no_log=True),
    allow_http=dict(type="bool", default=False),
    in_process=dict(type="bool", default=True),
)
# those of a call; an inventory always runs on the controller
INVENTORY_OPTIONS = {name: entry for name, entry in CONNECTION_OPTIONS.items() if name != "in_process"}

# the environment variable of each option
VARIABLES = {name: f"SCANNER_{name.upper()}" for name in CONNECTION_OPTIONS}
# not declared as required, so that no program asks for them where a variable of the environment gives them
NEEDED = {name: VARIABLES[name] for name in ("base_url", "api_key")}


def from_environment(
    spec: Iterable[str], given: Mapping[str, object], environ: Mapping[str, str]
) -> tuple[dict[str, str], str | None]:
    """The values of environment variables for options that are not given, and why one of them is wrong, a sentence, or None.
    ansible-core would name the option only. An empty variable is not set."""
    found = {
        name: environ[VARIABLES[name]]
        for name in spec
        if given.get(name) is None and name in VARIABLES and environ.get(VARIABLES[name])
    }
    for name, text in found.items():
        if _converted(name, text) is None:
            type_ = _TYPES[CONNECTION_OPTIONS[name]["type"]]
            return found, (
                f"The environment variable {VARIABLES[name]} is {printable(text, 100)!r}, which is not {type_}: correct it,"
                " or unset it."
            )
    return found, None


def connection_from(options: Mapping[str, Any]) -> Connection:
    """Check the connection options, without a call; raises WrongOption, which names the option, and the environment variable
    from which it comes."""
    try:
        return _connection(options)
    except WrongOption as error:
        option = str(error).partition(" ")[0]
        variable = VARIABLES.get(option, "")
        given = os.environ.get(variable)
        # as text, because nan is not equal to itself
        if not given or str(_converted(option, given)) != str(options[option]):
            raise
        raise error.with_sentence(f"{error} Its value comes from the environment variable {variable}.") from None


def _converted(option: str, text: str) -> object:
    """The value of an option in the text of its variable, None if it has none."""
    try:
        return DEFAULT_TYPE_VALIDATORS[CONNECTION_OPTIONS[option]["type"]](text)
    except (TypeError, ValueError):
        return None


def _connection(options: Mapping[str, Any]) -> Connection:
    verify = options["validate_certs"]
    if verify and options["ca_path"]:
        verify = options["ca_path"]
        _existing_file(verify, "ca_path")
    base_url = _checked_base_url(options["base_url"], options["allow_http"])
    # http to a loopback address keeps the key on this machine; a proxy would send it elsewhere
    local_only = base_url.startswith("http:") and not options["allow_http"]
    api_key = options["api_key"]
    if not api_key:
        raise WrongOption(
            "api_key is empty: set it, or the environment variable SCANNER_API_KEY, to a key from the account's API"
            " section."
        )
    if not re.fullmatch("[!-~]+", api_key):
        # not quoted: it is a secret
        raise WrongOption(
            "api_key contains a space, a line break or another character that no key has: copy the key again,"
            " without what surrounds it."
        )
    for name in ("timeout", "call_timeout"):
        # also refuses nan
        if options[name] is not None and not 0 < options[name] <= LONGEST_TIMEOUT:
            raise WrongOption(f"{name} is {options[name]:g}: set it to more than 0, and to {LONGEST_TIMEOUT} at most.")
    for name, least in _LEAST.items():
        if options[name] < least:
            raise WrongOption(f"{name} is {options[name]}: set it to {least} or more.")
    if not 1 <= options["rate_share"] <= 100:
        raise WrongOption(f"rate_share is {options['rate_share']}: set it to a percentage from 1 to 100.")
    cert, key = options["client_cert"] or None, options["client_key"]
    if key and not cert:
        raise WrongOption("client_key is set without client_cert: set both, or client_cert alone.")
    if cert:
        _existing_file(cert, "client_cert")
    if key:
        _existing_file(key, "client_key")
    return Connection(
        base_url=base_url,
        api_key=api_key,
        **{name: options[name] for name in ("timeout", "call_timeout", "rate_share", *_LEAST)},
        verify=verify,
        cert=(cert, key) if cert and key else cert,
        proxy=_checked_proxy(options["proxy"], local_only) if options["proxy"] else None,
        direct=local_only,
    )


def _checked_base_url(base_url: str | None, allow_http: bool) -> str:
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
        # the value may be the key, given in the wrong option
        raise WrongOption("base_url does not begin with https://: write it as https://HOST/api/v2.", secret=base_url)
    if not host or port == 0 or re.search(r"[\s\\\0]", text):
        raise WrongOption(f"base_url {text!r} has no valid host: write it as https://HOST/api/v2.")
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


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _checked_proxy(proxy: str, local_only: bool) -> str:
    # never quoted: it may hold a password
    try:
        parts = urlsplit(proxy)
        host = None if parts.port == 0 else parts.hostname
    except ValueError:
        host = None
    if not host or "://" not in proxy:
        raise WrongOption("proxy is not the address of a proxy: write it as http://HOST:PORT.")
    if local_only and not _is_loopback(host):
        raise WrongOption(
            "proxy would receive api_key unencrypted, because base_url is plain http: leave proxy out, or set"
            " allow_http: true if you accept that."
        )
    return proxy


def _existing_file(path: str, option: str) -> None:
    if not os.path.exists(path):
        raise WrongOption(f"{option} names a file that does not exist: {path!r}; correct the path.")
    refuse_untrusted(path, option)
