# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Which findings of a gate.json are to be proven fixed. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..._evidence.findings import SUMMARY
from ..._evidence.matchers import Matcher, matchers_of
from ..._model.errors import WrongOption, first_of, printable
from ..._model.outcomes import FAILING, PASSED, SCHEMA
from ..._model.records import Record
from ..gate_json import refuse_other_keys, rows_in, saved_in
from ..json_file import Wrong, parsed, text_of

_OPTION = "prove_fix_source"
_MOST_NAMED = 5


def selected_of(
    source: bytes | Mapping[str, Any],
    path: str,
    fingerprints: Sequence[str] | None,
    select: Sequence[Mapping[str, object]] | None,
    refuse: Callable[[Record], None] = lambda document: None,
) -> list[Record]:
    """The findings that the options select, each once, as gate.json has them: by default those that fail. [] only if the
    gate has passed.

    source: the content of a gate.json, or the result of the module gate; refuse: raises WrongOption for one that must not be
    believed. Raises WrongOption.
    """
    if fingerprints is not None and select is not None:
        raise WrongOption("prove_fix_fingerprints and prove_fix_select are mutually exclusive: remove one of them.")
    matchers = None if select is None else matchers_of(select, "prove_fix_select")
    document = _document(source, path)
    refuse(document)
    rows = document["findings"]
    unique = {(row["fingerprint"], row["scan_id"]): row for row in reversed(rows)}
    found = [row for row in reversed(list(unique.values())) if _is_selected(row, fingerprints, matchers)]
    known = {each for row in rows for each in _fingerprints(row)}
    missing = [printable(each, 60) for each in fingerprints or () if each not in known]
    if missing:
        raise WrongOption(
            f"prove_fix_fingerprints names {first_of(missing, _MOST_NAMED)}, which {_OPTION} does not have: correct it, or"
            " give the gate.json that has it."
        )
    selects = "prove_fix_fingerprints names" if fingerprints is not None else "prove_fix_select matches"
    if fingerprints is None and matchers is None:
        selects = f"fails, and its outcome is {printable(document['outcome'], 60)}"
    if not found and not (selects.startswith("fails") and document["outcome"] == PASSED):
        raise WrongOption(
            f"{_OPTION} has no finding that {selects}, so nothing would be proven: select findings that it has."
        )
    return found


def _document(source: bytes | Mapping[str, Any], path: str) -> Record:
    try:
        # also turns the texts of ansible-core into plain ones
        document = parsed(text_of(source if isinstance(source, bytes) else json.dumps(source, default=str)))
        if not isinstance(document, dict) or document.get("schema") != SCHEMA:
            raise Wrong("is neither a gate.json nor the result of the module gate")
        rows = document.get("findings")
        copied = [*rows] if isinstance(rows, list) else None
        # with rows: failing, a result counts more findings than it lists, which no file does
        counted = document if isinstance(source, bytes) else {**document, "summary": dict.fromkeys(SUMMARY)}
        saved_in({**counted, "findings": copied}, 0)
        refuse_other_keys(document, others=not isinstance(source, bytes))
        return document
    except Wrong as error:
        raise WrongOption(f"{_OPTION} {printable(repr(path), 200)} {error}. Give the gate.json of a gate.") from None


def _is_selected(row: Record, fingerprints: Sequence[str] | None, matchers: Sequence[Matcher] | None) -> bool:
    if fingerprints is not None:
        return not set(fingerprints).isdisjoint(_fingerprints(row))
    if matchers is not None:
        (read,) = rows_in([row], lambda key: 0)
        return any(matcher.matches(read) for matcher in matchers)
    return bool(row["state"] == FAILING)


def _fingerprints(row: Record) -> list[str]:
    """Those of a finding and of its places."""
    return [row["fingerprint"], *(place["fingerprint"] for place in row["places"])]
