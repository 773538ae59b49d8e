# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the event sources decide: which objects are events, how far they have come, and what an event contains. Pure."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple
from uuid import UUID, uuid5

from ..module_utils._http.retry import backoff

# The beginning of a template, and of the line that changes its delimiters (#jinja2:), also where they only arise when
# ansible-rulebook evaluates a text, or several in a row, as a literal of Python: from adjacent literals, and from escapes.
_TEMPLATE = re.compile(
    r"""(?<=[{#])(?=(?:['"][\s'"rRuU]*)?(?:[{%#j]|\Z))"""
    r"""|(?<=\\)(?=[xN0-7\r\n]|[uU]0*(?:2[35]|6[aA]|7[bB]|[267]?\Z)|\Z)"""
)

# objects by their ids, and whether each has ended
Ended = Mapping[int, bool]


class Cursor(NamedTuple):
    """How far a source has come. An id that appears later than a higher one, but in the next read, is not lost."""

    # every object up to this id is passed on, or in open
    high: int
    # the highest id that a complete read has shown
    seen: int
    # the objects above high that are passed on
    passed: frozenset[int] = frozenset()
    # the objects that had not ended when they were read
    open: frozenset[int] = frozenset()

    @classmethod
    def first(cls, ended: Ended, skip: bool) -> Cursor:
        """The cursor of a first run. skip: whether what has ended is not passed on."""
        seen = max(ended, default=0)
        return cls(seen if skip else 0, seen, open=_open(ended))

    def due(self, ended: Ended) -> list[int]:
        """The ids of the objects to pass on, in the order in which to do it."""
        return sorted(
            each
            for each in ended
            if ended[each] and (each in self.open or (each > self.high and each not in self.passed))
        )

    def began(self, ended: Ended) -> Cursor:
        """The cursor after a read, before anything is passed on."""
        return self._replace(open=self.open | _open(ended))

    def after(self, each: int) -> Cursor:
        """The cursor after this object was passed on, and all that were due before it."""
        high = max(self.high, each) if each <= self.seen else self.high
        passed = {one for one in (*self.passed, each) if one > high}
        return Cursor(high, self.seen, frozenset(passed), self.open - {each})

    def over(self, ended: Ended) -> Cursor:
        """The cursor after everything that was due was passed on."""
        high = max(self.high, self.seen)
        passed = frozenset(each for each in self.passed if each > high)
        return Cursor(high, max([self.seen, *ended]), passed, self.open)

    def text(self, owner: Owner, source: str) -> str:
        """The content of the state file. source: as of ``event_id``."""
        fields = {"high": self.high, "seen": self.seen, "passed": sorted(self.passed), "open": sorted(self.open)}
        return json.dumps({"owner": owner.name, "selection": owner.selection, "source": source, **fields}) + "\n"


class Owner(NamedTuple):
    """What a state file belongs to."""

    # the kind of the source, the address, and what a source reads that has no selection
    name: list[Any]
    # which objects of the source are events, by option
    selection: Mapping[str, Any]


def read_state(text: str, owner: Owner) -> tuple[str, Cursor]:
    """The source and the cursor in a state file. Raises ValueError, a clause."""
    try:
        state = json.loads(text)
        high, seen, passed, still_open = (state[name] for name in ("high", "seen", "passed", "open"))
        for each in (high, seen, *passed, *still_open):
            if not isinstance(each, int) or isinstance(each, bool) or each < 0:
                raise TypeError
        source, found = str(state["source"]), Owner(state["owner"], state.get("selection", {}))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ValueError("it is not the state of an event source") from None
    if found.name != owner.name:
        raise ValueError(f"it belongs to another source, {json.dumps(found.name)}")
    if found.selection != owner.selection:
        # which of the objects that the other selection left out were events is unknown
        raise ValueError(
            f"it belongs to a source that selects {json.dumps(found.selection, sort_keys=True)}, and this one selects"
            f" {json.dumps(owner.selection, sort_keys=True)}"
        )
    return source, Cursor(high, seen, frozenset(passed), frozenset(still_open))


def _open(ended: Ended) -> frozenset[int]:
    return frozenset(each for each in ended if not ended[each])


# --- events


def account_of(base_url: str, api_key: str) -> UUID:
    """A name for the account, from which nobody can tell the key."""
    return UUID(bytes=hashlib.sha256(f"{base_url}\n{api_key}".encode()).digest()[:16])


def event_id(account: UUID, source: str, each: int) -> str:
    """The id of an event: the same whenever this object of a source is passed on."""
    return str(uuid5(account, f"{source}/{each}"))


def event(kind: str, uuid: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """An event. ansible-rulebook adds the name of the source."""
    return {"type": kind, kind: plain(content), "meta": {"uuid": uuid}}


def plain(value: Any) -> Any:
    """A copy of a value of the service that is no template at any depth, with spaces that break its marks. ansible-rulebook
    passes events on as extra variables, in which Ansible evaluates templates."""
    if isinstance(value, str):
        return _TEMPLATE.sub(" ", value)
    if isinstance(value, Mapping):
        return {plain(key): plain(part) for key, part in value.items()}
    return [plain(part) for part in value] if isinstance(value, (list, tuple)) else value


def pause(interval: float, failures: int, jitter: float) -> float:
    """Seconds until the next read, after so many failed ones in a row."""
    return max(interval, backoff(failures, jitter)) if failures else interval
