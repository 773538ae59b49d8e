# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The schema of gate.json, closed: what docs/docsite/gate.schema.json accepts, and nothing else. Pure.

Formats write words, numbers and keys of a document as they are, so that an unknown one would be markup.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter
from typing import Any, NamedTuple, Optional

from ..._evidence.findings import SUMMARY
from ..._model.errors import printable
from ..._model.galaxy import DOCUMENTATION
from ..._model.outcomes import (
    BASELINE_STATES,
    CHANGES,
    COVERED,
    FAIL,
    NONE,
    OUTCOMES,
    PARTIAL,
    SCHEMA,
    STATES,
    UNPROVEN,
    VERDICTS,
    VERSION,
    WAIVER_STATUSES,
)
from ..._model.times import is_date, iso_moment
from ..json_file import is_time

_FINGERPRINT = re.compile(r"[0-9]+:[0-9a-f]{32}")
_VERSION = re.compile(r"[0-9A-Za-z.+-]{1,40}")
# addresses of this collection only, so that no saved file leads elsewhere
_HTTPS = re.compile(re.escape(DOCUMENTATION) + r"/[0-9A-Za-z._~/#-]{1,300}")
_LONGEST_TEXT = 4000
# the path of the document itself
TOP = "the top level"
_NULL = type(None)

# the path of what is wrong in a value, with the reason; None if nothing is
_Rule = Callable[[Any, str], Optional[str]]


class Kind(NamedTuple):
    """What a value may be: one of these types, and what a rule says of it, which does not see null."""

    types: tuple[type, ...]
    rule: _Rule | None = None

    @property
    def or_null(self) -> Kind:
        return Kind((*self.types, _NULL), self.rule)


class Shape:
    """An object with exactly these keys."""

    def __init__(self, keys: Mapping[str, Kind]) -> None:
        self._keys = keys
        self._values = itemgetter(*keys)
        self._ruled = [(place, name, kind.rule) for place, (name, kind) in enumerate(keys.items()) if kind.rule]
        # the types of values that were right, because most findings have the same ones
        self._right: set[tuple[type, ...]] = set()

    def __contains__(self, name: object) -> bool:
        return name in self._keys

    def problem(self, value: Any, where: str, others: bool = False) -> str | None:
        """The path of what is wrong, with the reason; None if nothing is. others: whether other keys are accepted."""
        try:
            values = self._values(value)
        except (KeyError, TypeError):
            missing = [name for name in self._keys if isinstance(value, Mapping) and name not in value]
            return f"{where}: {missing[0]} is missing" if missing else f"{where}: not an object"
        if len(value) != len(values) and not others:
            unknown = sorted(printable(repr(name), 60) for name in value if name not in self._keys)
            return f"{where}: {unknown[0]} is an unknown key"
        found = tuple(map(type, values))
        if found not in self._right:
            for (name, kind), each in zip(self._keys.items(), values):
                if not _is_one(each, kind.types):
                    return _wrong(each, _inside(where, name))
            self._right.add(found)
        for place, name, rule in self._ruled:
            # the path is needed only where something is wrong
            if values[place] is not None and rule(values[place], ""):
                return rule(values[place], _inside(where, name))
        return None


def _is_one(value: object, types: tuple[type, ...]) -> bool:
    return isinstance(value, types) and (bool in types or not isinstance(value, bool))


def _inside(where: str, name: str) -> str:
    return name if where == TOP else f"{where}.{name}"


def _wrong(value: object, path: str) -> str:
    where, _dot, name = path.rpartition(".")
    return f"{where or TOP}: {name} is {printable(repr(value), 60)}"


def _rule(is_right: Callable[[Any], object]) -> _Rule:
    return lambda value, where: None if is_right(value) else _wrong(value, where)


def _words(words: Iterable[str]) -> Kind:
    return Kind((str,), _rule(frozenset(words).__contains__))


def _text(pattern: re.Pattern[str]) -> Kind:
    return Kind((str,), _rule(pattern.fullmatch))


def _number(least: float, most: float = float("inf"), types: tuple[type, ...] = (int,)) -> Kind:
    return Kind(types, _rule(lambda value: least <= value <= most))


def _list(kind: Kind, least: int = 0) -> Kind:
    def rule(value: Any, where: str) -> str | None:
        if len(value) < least:
            return _wrong(value, where)
        for place, each in enumerate(value):
            if not _is_one(each, kind.types):
                return _wrong(each, f"{where}[{place}]")
            if kind.rule and each is not None and kind.rule(each, ""):
                return kind.rule(each, f"{where}[{place}]")
        return None

    return Kind((list, tuple), rule)


def _object(keys: Mapping[str, Kind]) -> Kind:
    return Kind((Mapping,), Shape(keys).problem)


def _map(names: Iterable[str], kind: Kind, least: int = 0) -> Kind:
    """An object with some of these keys."""
    known = frozenset(names)

    def rule(value: Any, where: str) -> str | None:
        unknown = [name for name in value if name not in known]
        if unknown or len(value) < least:
            return f"{where}: {printable(repr(unknown[0]), 60)} is an unknown key" if unknown else _wrong(value, where)
        return _list(kind).rule([*value.values()], where)  # type: ignore[misc]  # a list has a rule

    return Kind((Mapping,), rule)


_TEXT, _WHOLE, _BOOLEAN = Kind((str,)), Kind((int,)), Kind((bool,))
_TEXTS, _TEXT_OR_NULL, _WHOLE_OR_NULL = _list(_TEXT), _TEXT.or_null, _WHOLE.or_null
_COUNT, _PLACE = _number(0), _number(1)
# seconds before a time that are still a time
_SPAN = _number(0, 10**10).or_null
_SHARE = _number(0, 1, (int, float)).or_null
_TIME, _PRINT, _ADDRESS = Kind((str,), _rule(is_time)), _text(_FINGERPRINT), _text(_HTTPS)
_DAY = Kind((str,), _rule(lambda value: is_date(value) and iso_moment(value) is not None))
_OUTCOME, _VERDICT, _SEVERITY = _words(OUTCOMES), _words(VERDICTS), _words(SUMMARY)
_LONG = Kind((str,), _rule(lambda value: len(value) <= _LONGEST_TEXT))
_MATCHER = _map(("name", "check", "cve", "target", "severity", "port", "fingerprint"), Kind((str, int)), 1)
_SOURCE = _object({"path": _TEXT, "date": _TEXT_OR_NULL}).or_null
_OF_WAIVER = {
    "file": _TEXT,
    "line": _PLACE,
    "matcher": _MATCHER,
    "reason": _TEXT,
    "owner": _TEXT,
    "expires": _TEXT,
    "status": _words(WAIVER_STATUSES),
}
_WAIVER = _object(_OF_WAIVER)
_SPOT = {"path": _TEXT_OR_NULL, "method": _TEXT_OR_NULL, "parameter": _TEXT_OR_NULL}
_OF_SCAN = {
    "target": _TEXT,
    "target_id": _WHOLE_OR_NULL,
    "workspace": _TEXT_OR_NULL,
    "tool": _TEXT,
    "scan_id": _WHOLE_OR_NULL,
}
TARGET = Shape(
    {
        **_OF_SCAN,
        "tool_id": _WHOLE_OR_NULL,
        "status": _TEXT,
        "outcome": _OUTCOME,
        "verdict": _VERDICT,
        "complete": _BOOLEAN,
        "finished": _TIME.or_null,
        "age": _SPAN,
        "duration": _SPAN,
        "reasons": _TEXTS,
    }
)
FINDING = Shape(
    {
        "fingerprint": _PRINT,
        "index": _PLACE,
        "state": _words(STATES),
        "change": _words(CHANGES).or_null,
        "reasons": _TEXTS,
        "severity": _SEVERITY,
        "id": _WHOLE_OR_NULL,
        "name": _TEXT,
        "check": _TEXT_OR_NULL,
        "cve": _TEXTS,
        "cwe": _TEXT_OR_NULL,
        "cvss": _number(0, 10, (int, float)).or_null,
        "epss": _SHARE,
        "epss_percentile": _SHARE,
        "known_exploited": _BOOLEAN.or_null,
        "verified": _BOOLEAN.or_null,
        "status": _TEXT_OR_NULL,
        **_OF_SCAN,
        "port": _WHOLE_OR_NULL,
        "protocol": _TEXT_OR_NULL,
        "service": _TEXT_OR_NULL,
        **_SPOT,
        "places": _list(_object({"fingerprint": _PRINT, **_SPOT})),
        **dict.fromkeys(("description", "risk", "recommendation", "evidence"), _LONG),
        "references": _TEXTS,
        "first_seen": _TIME.or_null,
        "age": _SPAN,
        "due": _DAY.or_null,
        **dict.fromkeys(("team", "contact", "channel"), _TEXT_OR_NULL),
        "waiver": _WAIVER.or_null,
    }
)
_CONTROL = _object(
    {
        "name": _TEXT,
        "target": _TEXT,
        "tool": _TEXT,
        "scan_id": _WHOLE_OR_NULL,
        "seen": _BOOLEAN.or_null,
        "reason": _TEXT,
    }
)
_OF_POLICY = {
    "fail_on": _words((*(each for each in SUMMARY if each != "unknown"), NONE)),
    "max": _map(SUMMARY, _COUNT),
    "only_new": _BOOLEAN,
    "verified_only": _BOOLEAN,
    "min_cvss": _number(0, 10, (int, float)).or_null,
    "min_epss": _SHARE,
    "known_exploited": _BOOLEAN,
    "older_than": _map(SUMMARY, _COUNT),
    "include": _list(_MATCHER),
    "exclude": _list(_MATCHER),
    "missing": _words(("fail", "ignore")),
}
_OF_GONE = {
    "fingerprint": _PRINT,
    "name": _TEXT,
    "check": _TEXT_OR_NULL,
    "severity": _SEVERITY,
    "target": _TEXT,
    "tool": _TEXT,
    "first_seen": _TIME.or_null,
    "last_seen": _TIME.or_null,
}
DOCUMENT = Shape(
    {
        "schema": _words((SCHEMA,)),
        "version": _number(VERSION, VERSION),
        "collection_version": _text(_VERSION),
        "generated": _TIME,
        "run": _TEXT,
        "outcome": _OUTCOME,
        "passed": _BOOLEAN,
        "verdict": _VERDICT,
        "reasons": _TEXTS,
        "see": _object({"outcome": _ADDRESS, "reasons": _list(_ADDRESS), "policy": _map(_OF_POLICY, _ADDRESS)}),
        "coverage": _words((COVERED, PARTIAL, UNPROVEN)),
        "workspace": _TEXT_OR_NULL,
        "origin": _object(dict.fromkeys(("build", "commit", "scan_url"), _TEXT_OR_NULL)),
        "build": _object({"url": _TEXT, **dict.fromkeys(("expected", "before", "after"), _TEXT_OR_NULL)}).or_null,
        "policy": _object(_OF_POLICY),
        "outcomes": _object({each: _words((FAIL,)) if each == "misconfigured" else _VERDICT for each in OUTCOMES}),
        "baseline": _object(
            {
                "path": _TEXT_OR_NULL,
                "state": _words(BASELINE_STATES),
                "scheme": _WHOLE_OR_NULL,
                "accepted": _COUNT,
                "reason": _TEXT_OR_NULL,
            }
        ),
        "sources": _object({"epss": _SOURCE, "known_exploited": _SOURCE}),
        "owners": _object({"path": _TEXT, "unowned": _TEXTS}).or_null,
        "targets": _list(Kind((Mapping,), TARGET.problem)),
        "controls": _list(_CONTROL),
        "summary": _object(dict.fromkeys(SUMMARY, _COUNT)),
        "counts": _object(
            dict.fromkeys(
                ("total", "failing", "waived", "known", "below", "new", "reopened", "worse", "gone", "unseen"),
                _COUNT,
            )
        ),
        "waivers": _object(
            {
                "expired": _list(_WAIVER),
                "unused": _list(_WAIVER),
                "doubled": _list(_object({"fingerprint": _PRINT, "waivers": _list(_WAIVER, 2)})),
                "ending": _list(_object({**_OF_WAIVER, "days": _COUNT})),
            }
        ),
        "gone": _list(_object(_OF_GONE)),
        "unseen": _list(_object({**_OF_GONE, "reason": _TEXT})),
        "findings": _list(Kind((Mapping,), FINDING.problem)),
    }
)
