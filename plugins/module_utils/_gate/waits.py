# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What tasks of the module scan say of their scans, so that no older scan is judged in place of one that failed. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .._errors import WrongOption, printable
from .._names import normal_form
from .._scan.statuses import FINISHED
from .._scan.tools import tool_id_of
from .model import FINDINGS, INCOMPLETE, OUTCOMES, PASSED, SERVICE_ERROR, Pair, Trouble, outcome_of_scan


class _Wait(NamedTuple):
    """How the wait for a scan ended. tool_id: None if unknown."""

    target: str
    tool_id: int | None
    outcome: str
    sentence: str


def with_results(
    pairs: Sequence[Pair], results: Iterable[object] | None
) -> tuple[tuple[Pair, ...], tuple[Trouble, ...]]:
    """The pairs, with the outcomes of the waits, and what failed for none of them.

    results: what such tasks registered, also those of loops. Raises WrongOption.
    """
    waits: list[_Wait] = []
    troubles: list[Trouble] = []
    for result in _flat(results or (), "scan_results"):
        own = list(_waits_in(result))
        waits += own
        if _failed(result) and not own:
            msg = printable(result.get("msg") or "A task before the gate failed.", 2000)
            named = result.get("outcome")
            if isinstance(named, str) and named in OUTCOMES and named not in (FINDINGS, PASSED):
                troubles.append(Trouble(named, msg, True))
            else:
                troubles.append(Trouble(SERVICE_ERROR, msg))
        waits += _overlooked(result, pairs)
    judged = list(pairs)
    for wait in waits:
        numbers = [number for number, pair in enumerate(judged) if _is_of(pair, wait)]
        if not numbers:
            troubles.append(Trouble(wait.outcome, f"{printable(wait.target)}: {wait.sentence}"))
        for number in numbers:
            judged[number] = judged[number]._replace(outcome=wait.outcome, complete=False, problems=(wait.sentence,))
    return tuple(judged), tuple(troubles)


def _flat(results: Iterable[object], path: str) -> Iterator[Mapping[str, Any]]:
    for index, result in enumerate(results):
        if not isinstance(result, Mapping):
            raise WrongOption(f"{path}[{index}] is not the result of a task: give what tasks have registered.")
        if _is_loop(result):
            yield from _flat(result["results"], f"{path}[{index}].results")
        else:
            yield result


def _is_loop(result: Mapping[str, Any]) -> bool:
    """Whether a result holds those of a loop. The modules estate and targets have ``results`` of their own."""
    results = result.get("results")
    return isinstance(results, list) and any(
        isinstance(each, Mapping) and ("ansible_loop_var" in each or "item" in each or "scans" in each)
        for each in results
    )


def _failed(result: Mapping[str, Any]) -> bool:
    """Whether a task failed, also one with ``failed_when: false``. Only a failed task of this collection has a message."""
    return not result.get("skipped") and bool(result.get("failed") or result.get("msg") or "api_error" in result)


def _waits_in(result: Mapping[str, Any]) -> Iterator[_Wait]:
    """The scans of a result that did not finish."""
    scans = result.get("scans")
    for scan in scans if isinstance(scans, list) else ():
        outcome = scan.get("outcome") if isinstance(scan, Mapping) else None
        if outcome is None or outcome == FINISHED:
            continue
        record = scan.get("scan") if isinstance(scan.get("scan"), Mapping) else {}
        sentence = scan.get("error") or f"The scan ended as {printable(outcome, 60)}."
        yield _Wait(
            str(scan.get("target") or ""), _tool_id(record, result), outcome_of_scan(outcome), printable(sentence, 2000)
        )


def _overlooked(result: Mapping[str, Any], pairs: Sequence[Pair]) -> Iterator[_Wait]:
    """The finished scans of a result in whose place an older one would be judged, as if it were the newest."""
    scans = result.get("scans")
    for scan in scans if isinstance(scans, list) else ():
        record = scan.get("scan") if isinstance(scan, Mapping) and scan.get("outcome") == FINISHED else None
        if not isinstance(record, Mapping) or not isinstance(record.get("id"), int):
            continue
        for pair in pairs:
            is_its_own = (pair.target_id, pair.tool_id) == (record.get("target_id"), record.get("tool_id"))
            if is_its_own and pair.outcome == PASSED and (pair.scan_id or 0) < record["id"]:
                sentence = (
                    f"Scan {record['id']} has finished, but scan {pair.scan_id} is the newest one that could be read: run"
                    " the gate again."
                )
                yield _Wait(pair.target, pair.tool_id, INCOMPLETE, sentence)


def _tool_id(record: Mapping[str, Any], result: Mapping[str, Any]) -> int | None:
    """From the record of the scan, else from the item of a loop over tools."""
    if isinstance(record.get("tool_id"), int):
        return int(record["tool_id"])
    try:
        return tool_id_of(str(result.get("item") or ""))
    except WrongOption:
        return None


def _is_of(pair: Pair, wait: _Wait) -> bool:
    return normal_form(pair.target) == normal_form(wait.target) and wait.tool_id in (None, pair.tool_id)
