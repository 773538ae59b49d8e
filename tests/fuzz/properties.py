# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties: a test that Hypothesis calls with many inputs, those of its corpus first.

Each call is counted, and ends with an error after a limit of processor time, so that no input can stop a run.
"""

from __future__ import annotations

import functools
import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from hypothesis import HealthCheck, example, given, note, settings
from hypothesis.strategies import SearchStrategy

CORPUS = Path(__file__).parent / "corpus"
# the calls of each property in this process
CALLS: Counter[str] = Counter()
# far more than any input needs, of the processor and not of the clock
LIMIT = 60.0

_QUIET = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much, HealthCheck.large_base_example)


def register_profiles() -> None:
    """`sample`: the same inputs in each run, a few seconds for each property; `hour`: random ones, in rounds."""
    settings.register_profile(
        "sample", max_examples=25, derandomize=True, database=None, deadline=None, suppress_health_check=_QUIET
    )
    settings.register_profile(
        "hour",
        max_examples=int(os.environ.get("SCANNER_FUZZ_EXAMPLES") or 1000),
        database=None,
        deadline=None,
        suppress_health_check=_QUIET,
        print_blob=True,
    )


class Hang(Exception):
    """A call that used its limit of processor time."""


@contextmanager
def limited(seconds: float = LIMIT) -> Iterator[None]:
    """Raise Hang in a block that uses more processor time."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise Hang(f"the call used more than {seconds:g} s of the processor")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def corpus_of(name: str) -> list[dict[str, Any]]:
    """The inputs of a property: the arguments of its calls. A text in a dictionary with the key "bytes" means bytes."""
    path = CORPUS / f"{name.removeprefix('test_')}.json"
    return [_read(each) for each in json.loads(path.read_text(encoding="ascii"))] if path.exists() else []


def _read(value: Any) -> Any:
    if isinstance(value, dict):
        if value.keys() == {"bytes"}:
            return value["bytes"].encode("latin-1")
        # what would be too long to write down
        if value.keys() == {"repeat", "times"}:
            return _read(value["repeat"]) * value["times"]
        return {key: _read(each) for key, each in value.items()}
    return [_read(each) for each in value] if isinstance(value, list) else value


def prop(**strategies: SearchStrategy[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A decorator: the test is called with what these strategies make, and before that with its corpus."""

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        name = function.__name__

        @functools.wraps(function)
        def counted(*fixtures: Any, **values: Any) -> None:
            CALLS[name] += 1
            note(repr(values))
            with limited():
                function(*fixtures, **values)

        test = given(**strategies)(counted)
        for values in reversed(corpus_of(name)):
            test = example(**values)(test)
        return test

    return decorate


def growth(call: Callable[[int], Callable[[], object]], size: int) -> tuple[int, int]:
    """The work of ``call(size)`` and of ``call(4 * size)``, after a first call that fills caches."""
    work(call(4 * size))
    return work(call(size)), work(call(4 * size))


def work(call: Callable[[], object]) -> int:
    """How many lines of Python a call runs, in the collection and in the standard library. Errors end the call."""
    lines = 0

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal lines
        if event == "line":
            lines += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except Exception:
        # what a parser refuses costs work, too
        pass
    finally:
        sys.settrace(before)
    return lines
