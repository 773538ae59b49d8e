# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What tasks of the module scan say of their scans, so that no older scan is judged in place of one that failed. Pure.

Nothing that they say is ignored: each result changes the pairs that it concerns, confirms one of them, or is a Trouble.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .._evidence.registered import results_in, scans_in
from .._evidence.rows import Pair, Trouble, outcome_of_scan
from .._model.errors import WrongOption, printable
from .._model.families import FINISHED
from .._model.outcomes import FINDINGS, INCOMPLETE, NOT_COVERED, OUTCOMES, PASSED, SERVICE_ERROR, worst_outcome
from .._model.records import read_id
from .._model.target_names import normal_form
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
    for path, result in results_in(results or ()):
        if not isinstance(result, Mapping):
            raise WrongOption(f"{path} is not the result of a task: give what tasks have registered.")
        own = list(_scans_of(result, path))
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


# --- the results of tasks


def _troubles_of(result: Mapping[str, Any], own: Sequence[_Scan], path: str) -> Iterator[Trouble]:
    """What is wrong with a result as a whole."""
    if result.get("skipped"):
        yield Trouble(
            NOT_COVERED,
            f"The task of {path} was skipped, so it scanned nothing: run it, or remove its result from scan_results.",
        )
    elif result.get("failed") or result.get("unreachable") or result.get("msg") or "api_error" in result:
        # also one with ``failed_when: false``: only a failed task of this collection has a message
        if "api_error" in result or not any(scan.ended for scan in own):
            outcome = str(result.get("outcome"))
            explains = outcome in OUTCOMES and outcome not in (FINDINGS, PASSED)
            msg = printable(result.get("msg") or "A task before the gate failed.", 2000)
            yield Trouble(outcome if explains else SERVICE_ERROR, msg, explains)
    elif "ansible_job_id" in result and not result.get("finished"):
        yield Trouble(
            INCOMPLETE,
            f"The task of {path} runs in the background, so its scans are unknown: wait for it with"
            " ansible.builtin.async_status, and give the result of that.",
        )
    elif not own and not (isinstance(result.get("results"), list) and isinstance(result.get("plan"), Mapping)):
        # estate and targets scan nothing; only their results have these two
        yield Trouble(
            INCOMPLETE,
            f"{path} has no scan, so nothing shows what its task did: give the result of a task that runs"
            " scanops.scanner.scan, or remove it.",
        )


# --- the scans in a result


def _scans_of(result: Mapping[str, Any], path: str) -> Iterator[_Scan]:
    for index, (scan, record) in enumerate(scans_in(result)):
        if "outcome" not in scan:
            sentence = (
                f"{path}.scans[{index}] is not from a task that runs scanops.scanner.scan: give the result of one."
            )
            yield _Scan("", None, None, None, INCOMPLETE, False, sentence)
            continue
        outcome, scan_id = scan["outcome"], read_id(record.get("id"))
        ended = outcome is not None and outcome != FINISHED
        if ended:
            sentence = scan.get("error") or f"The scan ended as {printable(outcome, 60)}."
        elif scan_id is None:
            sentence = scan.get("error") or "No scan was started, or its id is unknown: run the task again."
        else:
            sentence = f"Scan {scan_id} {'was started' if outcome is None else 'has finished'}"
        tool_id = read_id(record.get("tool_id")) or read_id(scan.get("tool_id"))
        if tool_id is None:
            # the item of a loop may name it
            with contextlib.suppress(WrongOption):
                tool_id = tool_id_of(str(result.get("item") or ""))
        yield _Scan(
            target=str(scan.get("target") or ""),
            target_id=read_id(record.get("target_id")),
            tool_id=tool_id,
            scan_id=scan_id,
            outcome=outcome_of_scan(outcome if isinstance(outcome, str) else "") if ended else INCOMPLETE,
            ended=ended,
            sentence=printable(sentence, 2000),
        )


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
    if pair.saved:
        but = "the file has no findings of it: judge the scans of the service, or remove the result"
    elif pair.scan_id is None:
        but = "no scan of its target and tool could be read: run the gate again"
    else:
        but = f"scan {pair.scan_id} is the newest one that could be read: run the gate again"
    sentence = scan.said(but)
    if pair.outcome in (PASSED, NOT_COVERED):
        return pair._replace(outcome=scan.outcome, complete=False, problems=(sentence,))
    outcome = worst_outcome([pair.outcome, scan.outcome])
    return pair._replace(outcome=outcome, complete=False, problems=(*pair.problems, sentence))
