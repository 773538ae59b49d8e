# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What tasks of the module scan say of their scans, so that no older scan is judged in place of one that failed. Pure.

Nothing that they say is ignored: each result changes the pairs that it concerns, confirms one of them, or is a Trouble.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .._evidence.rows import Pair, Trouble, outcome_of_scan
from .._model.errors import WrongOption, printable
from .._model.families import FINISHED
from .._model.gate_words import FINDINGS, INCOMPLETE, NOT_COVERED, OUTCOMES, PASSED, SERVICE_ERROR, worst_outcome
from .._model.names import normal_form
from .._model.records import read_id
from .._model.tools import tool_id_of


class _Scan(NamedTuple):
    """A scan as a task has seen it; None for what is unknown."""

    # its name
    target: str
    target_id: int | None
    tool_id: int | None
    scan_id: int | None
    outcome: str
    # whether it did not finish, so that its outcome replaces that of the pair
    ended: bool
    sentence: str

    def said(self, but: str) -> str:
        """What the task says of it, and, if it may have found something, why that is not judged, a clause."""
        return self.sentence if self.ended or self.scan_id is None else f"{self.sentence}, but {but}."


def with_results(
    pairs: Sequence[Pair], results: Iterable[object] | None
) -> tuple[tuple[Pair, ...], tuple[Trouble, ...]]:
    """The pairs, with the outcomes of the scans of these tasks, and the results that belong to no pair, worst first.

    results: what such tasks registered, also those of loops. Raises WrongOption.
    """
    judged = list(pairs)
    troubles: list[Trouble] = []
    for path, result in _flat(results or (), "scan_results"):
        own = list(_scans_in(result, path))
        troubles += _troubles_of(result, own, path)
        for scan in own:
            numbers = [number for number, pair in enumerate(judged) if _may_be_of(pair, scan)]
            if not numbers:
                said = scan.said(
                    "its target and tool are not judged: name them in targets and tools, or remove the result"
                )
                troubles.append(Trouble(scan.outcome, f"{printable(scan.target)}: {said}" if scan.target else said))
            if scan.ended or not any(_judges(judged[number], scan) for number in numbers):
                for number in numbers:
                    judged[number] = _with(judged[number], scan)
    return tuple(judged), tuple(sorted(troubles, key=lambda trouble: OUTCOMES.index(trouble.outcome)))


def _flat(results: Iterable[object], path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The results that are not of loops, each with its path."""
    for index, result in enumerate(results):
        here = f"{path}[{index}]"
        if not isinstance(result, Mapping):
            raise WrongOption(f"{here} is not the result of a task: give what tasks have registered.")
        if _is_loop(result):
            yield from _flat(result["results"], f"{here}.results")
        else:
            yield here, result


def _is_loop(result: Mapping[str, Any]) -> bool:
    """Whether a result holds those of a loop. The modules estate and targets have ``results`` of their own."""
    results = result.get("results")
    return isinstance(results, list) and any(
        isinstance(each, Mapping) and ("ansible_loop_var" in each or "item" in each or "scans" in each)
        for each in results
    )


# --- the results of tasks


def _troubles_of(result: Mapping[str, Any], own: Sequence[_Scan], path: str) -> Iterator[Trouble]:
    """What is wrong with a result as a whole."""
    if result.get("skipped"):
        yield Trouble(
            NOT_COVERED,
            f"The task of {path} was skipped, so it scanned nothing: run it, or remove its result from scan_results.",
        )
    elif _failed(result):
        if "api_error" in result or not any(scan.ended for scan in own):
            yield _failure(result)
    elif "ansible_job_id" in result and not result.get("finished"):
        yield Trouble(
            INCOMPLETE,
            f"The task of {path} runs in the background, so its scans are unknown: wait for it with"
            " ansible.builtin.async_status, and give the result of that.",
        )
    elif not own and not _is_of_targets(result):
        yield Trouble(
            INCOMPLETE,
            f"{path} has no scan, so nothing shows what its task did: give the result of a task that runs"
            " scanops.scanner.scan, or remove it.",
        )


def _failed(result: Mapping[str, Any]) -> bool:
    """Whether a task failed, also one with ``failed_when: false``. Only a failed task of this collection has a message."""
    return bool(result.get("failed") or result.get("unreachable") or result.get("msg") or "api_error" in result)


def _failure(result: Mapping[str, Any]) -> Trouble:
    msg = printable(result.get("msg") or "A task before the gate failed.", 2000)
    named = result.get("outcome")
    if isinstance(named, str) and named in OUTCOMES and named not in (FINDINGS, PASSED):
        return Trouble(named, msg, True)
    return Trouble(SERVICE_ERROR, msg)


def _is_of_targets(result: Mapping[str, Any]) -> bool:
    """Whether a result is one of the modules estate and targets, which scan nothing."""
    return isinstance(result.get("results"), list) and isinstance(result.get("plan"), Mapping)


# --- the scans in a result


def _scans_in(result: Mapping[str, Any], path: str) -> Iterator[_Scan]:
    scans = result.get("scans")
    for index, scan in enumerate(scans if isinstance(scans, list) else ()):
        if isinstance(scan, Mapping) and "outcome" in scan:
            yield _scan(scan, result)
        else:
            sentence = (
                f"{path}.scans[{index}] is not from a task that runs scanops.scanner.scan: give the result of one."
            )
            yield _Scan("", None, None, None, INCOMPLETE, False, sentence)


def _scan(scan: Mapping[str, Any], result: Mapping[str, Any]) -> _Scan:
    found = scan.get("scan")
    record: Mapping[str, Any] = found if isinstance(found, Mapping) else {}
    outcome, scan_id = scan["outcome"], read_id(record.get("id"))
    ended = outcome is not None and outcome != FINISHED
    if ended:
        sentence = scan.get("error") or f"The scan ended as {printable(outcome, 60)}."
    elif scan_id is None:
        sentence = scan.get("error") or "No scan was started, or its id is unknown: run the task again."
    else:
        sentence = f"Scan {scan_id} {'was started' if outcome is None else 'has finished'}"
    return _Scan(
        target=str(scan.get("target") or ""),
        target_id=read_id(record.get("target_id")),
        tool_id=read_id(record.get("tool_id")) or read_id(scan.get("tool_id")) or _tool_of_item(result),
        scan_id=scan_id,
        outcome=outcome_of_scan(outcome if isinstance(outcome, str) else "") if ended else INCOMPLETE,
        ended=ended,
        sentence=printable(sentence, 2000),
    )


def _tool_of_item(result: Mapping[str, Any]) -> int | None:
    """The tool that the item of a loop names."""
    try:
        return tool_id_of(str(result.get("item") or ""))
    except WrongOption:
        return None


# --- the pairs of a scan


def _may_be_of(pair: Pair, scan: _Scan) -> bool:
    if scan.scan_id is not None and scan.scan_id == pair.scan_id:
        return True
    if scan.target_id is not None and pair.target_id is not None:
        same = scan.target_id == pair.target_id
    else:
        same = bool(scan.target) and normal_form(pair.target) == normal_form(scan.target)
    return same and (scan.tool_id is None or pair.tool_id in (None, scan.tool_id))


def _judges(pair: Pair, scan: _Scan) -> bool:
    """Whether a pair judges this scan or a newer one of its tool."""
    if scan.scan_id is None or pair.scan_id is None:
        return False
    same_tool = pair.tool_id is not None and pair.tool_id == scan.tool_id
    return pair.scan_id == scan.scan_id or (same_tool and pair.scan_id > scan.scan_id)


def _with(pair: Pair, scan: _Scan) -> Pair:
    """The pair with the outcome of a scan that it does not judge."""
    sentence = scan.said(_instead_of(pair))
    if pair.outcome in (PASSED, NOT_COVERED):
        return pair._replace(outcome=scan.outcome, complete=False, problems=(sentence,))
    outcome = worst_outcome([pair.outcome, scan.outcome])
    return pair._replace(outcome=outcome, complete=False, problems=(*pair.problems, sentence))


def _instead_of(pair: Pair) -> str:
    if pair.saved:
        return "the file has no findings of it: judge the scans of the service, or remove the result"
    if pair.scan_id is None:
        return "no scan of its target and tool could be read: run the gate again"
    return f"scan {pair.scan_id} is the newest one that could be read: run the gate again"
