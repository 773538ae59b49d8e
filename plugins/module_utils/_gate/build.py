# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The build that was scanned: where its address says it, its value in an answer, and whether it is the one to judge. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from .._model.errors import WrongOption, harmless, printable, refuse_unknown_keys, shape_of
from .._model.passwords import without_user_info
from .._model.records import Record
from .._model.strict_json import json_text, read_json
from .._model.times import seconds_of, span

OPTION = "scan_gate_build"
_VALUES = ("expected", "before", "after")
# the option of the module gate
BUILD_OPTIONS: dict[str, Any] = {
    "url": dict(type="str", required=True),
    **{key: dict(type="str") for key in (*_VALUES, "wait", "problem")},
}
_LONGEST = 200
_URL = re.compile(r"https?://[^/?#@\\\s]+([/?#]\S*)?")
_PLACES = ("header", "json", "pattern")


class NoValue(Exception):
    """An answer does not say the build. Its text is a clause."""


def check(given: Mapping[str, Any]) -> None:
    """Raise WrongOption for a wrong variable of the role."""
    # ansible-core checks none of it in a role that is not validated
    if not isinstance(given, Mapping) or "url" not in given:
        raise WrongOption(f"{OPTION} has no url: give a dictionary with the url of the build.")
    refuse_unknown_keys([(OPTION, given)], ("url", "expect", "wait", *_PLACES))
    for key, value in given.items():
        if value in (None, ""):
            raise WrongOption(
                f"{OPTION}.{key} is empty, probably because a variable is unset: give a value, or leave it out."
            )
        # YAML reads 1.10 as 1.1, and the commit 0123456 as 42798
        if key != "wait" and not isinstance(value, str):
            raise WrongOption(f"{OPTION}.{key} is {shape_of(value)}, not text: write it in quotes.")
    if not _URL.fullmatch(given["url"]) or not _is_url(given["url"]):
        raise WrongOption(
            f"{OPTION}.url is no http or https URL, or has a user: write a URL without a user and a password."
        )
    expected = given.get("expect")
    if expected is not None and not _is_value(expected):
        raise WrongOption(
            f"{OPTION}.expect is {printable(repr(expected), 100)}, which no build is: write one printable line of 1 to"
            f" {_LONGEST} characters, without spaces around it."
        )
    places = [key for key in _PLACES if key in given]
    if places[1:]:
        raise WrongOption(f"{OPTION} has {' and '.join(places)}: give one of them.")
    try:
        groups = re.compile(given.get("pattern", "()")).groups
    except (re.error, OverflowError, RecursionError) as error:
        raise WrongOption(f"{OPTION}.pattern is no regular expression ({error}): correct it.") from None
    if groups != 1:
        raise WrongOption(f"{OPTION}.pattern has {groups} groups: put the build into the only (parentheses).")
    seconds_of(given.get("wait", 0), f"{OPTION}.wait")


def _is_url(url: str) -> bool:
    """Whether it can be taken apart: an address in brackets, for example, must be one."""
    try:
        parts = urlsplit(url)
        if "[" in parts.netloc:
            # Python 3.10 and older take any text in brackets
            ip_address(parts.hostname or "")
        return bool(parts.hostname) and (parts.port or 0) >= 0
    except ValueError:
        return False


def shown_url(url: str) -> str:
    """The URL without a user and without its query, which may hold secrets."""
    return re.split("[?#]", without_user_info(url))[0]


# --- an answer


def value_in(given: Mapping[str, Any], headers: Mapping[str, str], body: bytes) -> str:
    """The build in an answer. Raises NoValue. given: the variable of the role; headers: a mapping that ignores case."""
    place = next((key for key in _PLACES if key in given), "")
    where = given.get(place, "")
    try:
        if place == "header":
            found = headers[where]
        elif place == "json":
            value: Any = read_json(json_text(body))
            for key in where.split("."):
                value = value[int(key)] if isinstance(value, list) else value[key]
            # JSON does not tell 1.1 from 1.10
            if isinstance(value, bool) or not isinstance(value, (str, int)):
                raise TypeError
            found = str(value)
        else:
            found = body.decode("utf-8-sig")
            if not place and found.lstrip().startswith(("<", "{", "[")):
                raise NoValue(
                    "its answer is a page or JSON, so name the place of the build with header, json or pattern"
                )
            if place:
                found = re.search(where, found)[1] or ""  # type: ignore[index]  # caught below
    except (LookupError, TypeError, ValueError, RecursionError):
        raise NoValue(f"its answer has no text at {place} {where}" if place else "its answer is not text") from None
    build = found.strip()
    if not _is_value(build):
        raise NoValue(f"its value is not one printable line of 1 to {_LONGEST} characters")
    return build


def _is_value(text: str) -> bool:
    """Whether a text has no control characters, no commands of pipelines, and no spaces around it."""
    return 0 < len(text) <= _LONGEST and text.isprintable() and text == harmless(text) == text.strip()


# --- the decision


def build_of(given: Mapping[str, Any]) -> Record:
    """The build in gate.json, from the option of the module gate."""
    return {"url": shown_url(given["url"]), **{key: given[key] for key in _VALUES}}


def moved_in(build: Mapping[str, Any]) -> str | None:
    """Why a build is not the one to judge, sentences; None if it is. build: of gate.json, or the option of the module gate."""
    expected, before, after, wait = map(build.get, (*_VALUES, "wait"))
    url, later = shown_url(build["url"]), f" after {span(seconds_of(wait, 'build.wait'))}" if wait else ""
    if expected and before and before != expected:
        return f"This is not the expected build{later}: {url} answers {before}, and {expected} is expected. Deploy it."
    if not before or not after:
        when, why = (
            " after the scans" if before else later or " before the scans",
            build.get("problem") or "it was not read",
        )
        return f"The build could not be read{when}: {why} ({url}). Run the gate again."
    if before != after:
        return f"Another build was deployed while it was scanned: {before} → {after} ({url}). Run the gate again."
    return None
