# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What a gate does with its baseline file: compare, create, update, or refuse it. Pure."""

from __future__ import annotations

from typing import NamedTuple

from .._errors import printable
from .._gate_words import CREATED, MISSING, READ, STALE, UPDATED
from .baseline import Baseline, empty_baseline, memory_of, update
from .baseline_file import StaleBaseline, parse, render
from .run import CompleteRun, Run
from .types import NO_MEMORY, Memory

# what to do if the file does not exist
CREATE = "create"
FAIL = "fail"
ALL_NEW = "all_new"
IF_MISSING = (CREATE, FAIL, ALL_NEW)


class Wanted(NamedTuple):
    """The options of the baseline. missing: one of IF_MISSING."""

    path: str | None
    missing: str
    update: bool


class Remembering(NamedTuple):
    """What the baseline says of a run, and the new text of its file, None to leave the file as it is."""

    memory: Memory
    text: str | None = None


def remember(
    wanted: Wanted, content: bytes | None, run: Run, workspace: str | None, collection_version: str
) -> Remembering:
    """content: of the file, None if it does not exist; workspace: the name of the one that was judged."""
    if wanted.path is None:
        return Remembering(NO_MEMORY)
    if content is None:
        return _without_file(wanted, wanted.path, run, workspace, collection_version)
    baseline = parse(content, workspace)
    if isinstance(baseline, StaleBaseline):
        return Remembering(_blocked(wanted.path, STALE, baseline.sentence(wanted.path)))
    if not wanted.update or not isinstance(run, CompleteRun):
        return Remembering(memory_of(wanted.path, READ, baseline, run))
    after = update(baseline, run, collection_version)
    state = READ if after == baseline else UPDATED
    # the run is judged by what was accepted before it
    memory = memory_of(wanted.path, state, baseline, run)
    return Remembering(memory, None if after == baseline else render(after))


def _without_file(wanted: Wanted, path: str, run: Run, workspace: str | None, collection_version: str) -> Remembering:
    empty = empty_baseline(workspace, collection_version)
    if wanted.missing == FAIL:
        sentence = (
            f"The baseline {printable(repr(path), 200)} does not exist. Correct the path, or set baseline_missing to create"
            " or all_new."
        )
        return Remembering(_blocked(path, MISSING, sentence))
    if wanted.missing == CREATE and isinstance(run, CompleteRun):
        baseline: Baseline = update(empty, run, collection_version)
        return Remembering(memory_of(path, CREATED, baseline, run), render(baseline))
    created = ", and was not created because not everything could be read" if wanted.missing == CREATE else ""
    sentence = (
        f"The baseline {printable(repr(path), 200)} does not exist{created}, so every finding counts as new. Correct the path,"
        f" or create the baseline with a complete run and baseline_missing: {CREATE}."
    )
    return Remembering(memory_of(path, MISSING, empty, run)._replace(reason=sentence))


def _blocked(path: str, state: str, sentence: str) -> Memory:
    return Memory(path=path, state=state, reason=sentence, blocks=True)
