# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The option ``must_see``: controls, known and harmless weaknesses that a scan must see, or it saw too little. Pure.

A control is looked for in all that was read of a scan. Baseline, waivers, policy and statuses have no part in it. What matches
a control is no finding. Only a finished scan of which everything was read can have missed a control.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from .._model.errors import WrongOption, first_of, printable, refuse_unknown_keys, without_secrets
from .._model.outcomes import PASSED
from .._model.target_names import lasting_form
from .._model.tools import tool_id_of
from .findings import matches_all, pattern_of
from .fingerprint import check_or_name, identity_of, stands_for_no_check
from .matchers import KEYS, READERS, Matcher, accepts, matcher_of, with_paths
from .rows import Pair, Row, numbered

_OWN_KEYS = ("path", "tool", "reason")
# one of them says which finding it is
_NAMING = ("name", "check", "cve", "fingerprint")
_MOST_NAMED = 2
_LONGEST = 100
# of a control that no pair can have
NO_PAIR = Pair("")


class Control(NamedTuple):
    """A weakness that scans must see."""

    # where it is written, such as must_see[0]
    option: str
    matcher: Matcher
    # a pattern, None for any path
    path: str | None
    # None for any tool
    tool_id: int | None
    reason: str

    @property
    def name(self) -> str:
        """The control for people, such as ``Directory listing at /account/canary/``."""
        written = self.matcher.written
        what = next(printable(written[key], _LONGEST) for key in _NAMING if key in written)
        path = f" at {printable(self.path, _LONGEST)}" if self.path else ""
        return what + path + (f", port {self.matcher.port}" if self.matcher.port else "")

    def names(self, target: str, tool_id: int | None) -> bool:
        """Whether it is for the scans of a target and tool. One that is unknown may be the one that it names."""
        is_tool = self.tool_id is None or tool_id in (None, self.tool_id)
        return is_tool and (self.matcher.target is None or not target or self.matcher.target(target))

    def matches(self, row: Row) -> bool:
        """Whether it is a finding at one place."""
        # an entry that says that nothing was found may have the name of what was looked for
        if stands_for_no_check(row.check) or not self.matcher.matches(row):
            return False
        return self.path is None or row.path == self.path or bool(row.path and pattern_of(self.path).match(row.path))


class Seen(NamedTuple):
    """Whether a scan saw a control. The fields are those of gate.json."""

    # the control for people
    name: str
    # "" if no target that is judged is known to be one of the control
    target: str
    tool: str
    scan_id: int | None
    # None if the scan could not be read completely, so that it is unknown
    seen: bool | None
    reason: str


class Sight(NamedTuple):
    """What scans saw of the controls."""

    pairs: tuple[Pair, ...]
    # without those of controls
    rows: tuple[Row, ...]
    # those of controls, each at one place
    taken: tuple[Row, ...] = ()
    # one for each control and each pair that it names
    controls: tuple[Seen, ...] = ()
    # what is wrong with controls, sentences
    wrong: tuple[str, ...] = ()


def controls_of(given: Iterable[Mapping[str, object]] | None, option: str = "must_see") -> tuple[Control, ...]:
    """The controls in an option. Raises WrongOption."""
    named = with_paths(given or (), option)
    refuse_unknown_keys(named, (*KEYS, *_OWN_KEYS))
    controls = []
    for where, each in named:
        if "reason" not in each:
            raise WrongOption(
                f"{where}.reason is missing: say why scans must see it, as in: only users get to this page."
            )
        own = {key: READERS["name"](each[key], f"{where}.{key}") for key in ("path", "reason") if key in each}
        tool_id = tool_id_of(str(each["tool"]), f"{where}.tool") if "tool" in each else None
        if not any(key in each and not matches_all(str(each[key])) for key in _NAMING):
            raise WrongOption(
                f"{where} does not say which finding is the control: add its {', '.join(_NAMING[:-1])} or {_NAMING[-1]}."
            )
        path = own.get("path")
        if path is not None and not path.startswith(("/", "*")):
            raise WrongOption(
                f"{where}.path is {printable(path, 60)!r}: begin it with / or with *, as in /account/canary/."
            )
        matcher = matcher_of({key: value for key, value in each.items() if key not in _OWN_KEYS}, where)
        controls.append(Control(where, matcher, path, tool_id, own["reason"].rstrip(".")))
    return tuple(controls)


def look(
    controls: Sequence[Control],
    pairs: Sequence[Pair],
    rows: Sequence[Row],
    expected: Sequence[Pair] = (),
    others: bool = False,
) -> Sight:
    """What the scans of some pairs saw.

    rows: of these pairs; expected: pairs without a scan; others: whether there may be pairs that could not be read.
    """
    if not controls:
        return Sight(tuple(pairs), tuple(rows))
    own: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        own[row.pair].append(row)
    every = [*pairs, *expected]
    looked = [_look(controls, each, own[number]) for number, each in enumerate(every)]
    kept, taken = _apart(rows, [each.usable for each in looked])
    lost = [each for each in controls if not any(each.names(pair.target, pair.tool_id) for pair in every)]
    wrong = [sentence for each in looked for sentence in each.wrong]
    if every and not others:
        wrong += [
            f"{each.option} is for a target or tool that is not judged, so no scan can see it: correct it, or remove it."
            for each in lost
        ]
    seen = [*(row for each in looked for row in each.seen), *(_seen(each, NO_PAIR, None) for each in lost)]
    return Sight(tuple(each.pair for each in looked[: len(pairs)]), kept, taken, tuple(seen), tuple(wrong))


class _Look(NamedTuple):
    """What one scan saw."""

    pair: Pair
    seen: list[Seen]
    # what is wrong with controls, sentences
    wrong: list[str]
    # those of which it is clear what they match
    usable: list[Control]


def _look(controls: Iterable[Control], pair: Pair, rows: Sequence[Row]) -> _Look:
    found = _Look(pair, [], [], [])
    blind = []
    for control in controls:
        if not control.names(pair.target, pair.tool_id):
            continue
        # the places of one finding may differ in parameters; findings that are not equal each count
        places = {
            (*check_or_name(spot.check, spot.name), spot.port, spot.path, row.fingerprint, row.name, row.severity): spot
            for row in rows
            for spot in row.at_each_place()
            if control.matches(spot)
        }
        is_clear = len(places) <= 1
        was_read = pair.outcome == PASSED and pair.complete and is_clear
        found.seen.append(_seen(control, pair, bool(places) if was_read else None))
        if not is_clear:
            where = []
            for spot in places.values():
                port = "an unknown place" if spot.port is None else f"port {spot.port}"
                where.append(f"{printable(spot.name, _LONGEST)} at {printable(spot.path or port, _LONGEST)}")
            found.wrong.append(
                f"{control.option} matches {len(places)} findings of {printable(without_secrets(pair.target))}"
                f" ({first_of(where, _MOST_NAMED)}), so others than the control would not count: name its path, port, check or"
                " fingerprint."
            )
            continue
        found.usable.append(control)
        if was_read and not places:
            blind.append(
                f"Scan {pair.scan_id} did not see {control.name} ({printable(control.reason, 200)}): the login may have failed,"
                " or the scan did not get there. Check its login and its parameters, and that the control still exists."
            )
    return found._replace(pair=pair._replace(blind=tuple(blind)))


def _seen(control: Control, pair: Pair, seen: bool | None) -> Seen:
    return Seen(control.name, pair.target, pair.tool, pair.scan_id, seen, control.reason)


def _apart(rows: Iterable[Row], usable: Sequence[Sequence[Control]]) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
    """The rows without those of controls, and those, each at one place. usable: the controls of each pair."""
    kept: list[Row] = []
    taken: list[Row] = []
    is_cut = False
    for row in rows:
        spots = row.at_each_place() if usable[row.pair] else ()
        mine = [
            spot for spot in spots if accepts((each.matcher for each in usable[row.pair] if each.matches(spot)), spot)
        ]
        rest = [spot for spot in spots if spot not in mine]
        taken += mine
        if not mine:
            kept.append(row)
        elif rest:
            kept.append(_at(row, rest))
            is_cut = True
    return numbered(kept) if is_cut else tuple(kept), tuple(taken)


def _at(row: Row, spots: Sequence[Row]) -> Row:
    """A finding with several places at some of them only."""
    if len(spots) == 1:
        return spots[0]
    identity = identity_of(lasting_form(row.target), row.check, row.name, tuple(spot.place for spot in spots))
    same = {key: getattr(identity.subject, key) for key in ("path", "method", "parameter")}
    return row._replace(fingerprint=identity.fingerprint, number=1, places=identity.places, **same)
