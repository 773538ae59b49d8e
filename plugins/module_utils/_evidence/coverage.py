# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The work of coverage_info: reads targets and scans, and decides which targets have a finished scan that is recent enough."""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .._http.client import Client
from .._model.errors import WrongOption, first_of, printable, shown
from .._model.families import SCAN, TARGET, WORKSPACE
from .._model.inputs import needed_content_of
from .._model.outcomes import BLIND, PASSED
from .._model.passwords import without_passwords
from .._model.records import Record
from .._model.safe_text import exact_cell, line
from .._model.target_names import normal_form
from .._model.times import LONGEST_EXCEPTION, Clock, expiry_of, seconds_of, span, utc_text
from .._model.tools import tool_id_of, tool_name_of
from .._task.atomic_files import Draft, store
from .._task.lookup import Contents, Place, not_empty
from .._task.references import belongs, place_of
from .._task.task import Task
from .clock import latest_clock
from .findings import matches_all, name_pattern
from .must_see import Control, controls_of, look
from .owners import NOBODY, Owner, Owners, read_owners
from .proof import surplus_warning
from .read import Wanted, named_targets, read_pair
from .rows import Pair, rows_of
from .scans import ended_in, lacks, newest_of
from .sight import could_see, finished, why_incomplete

_MOST_NAMED = 5
_FORMATS = (".csv", ".json")
_COLUMNS = (
    "workspace",
    "target",
    "tool",
    "covered",
    "excluded",
    "scan_id",
    "finished",
    "age",
    "reason",
    *Owner._fields,
)


def coverage(task: Task) -> Record:
    """The work of coverage_info."""
    params = task.params
    # a tool has a name and an id
    tools = [*dict.fromkeys(tool_id_of(tool, f"tools[{index}]") for index, tool in enumerate(params["tools"] or ()))]
    max_age = None if params["max_age"] is None else seconds_of(params["max_age"])
    now = time.time()
    exclusions = [_exclusion(f"exclusions[{i}]", each, now) for i, each in enumerate(params["exclusions"] or ())]
    path = params["owners"]
    owners = read_owners(needed_content_of(path, "owners"), path) if path is not None else None
    controls = controls_of(params["must_see"])
    for each in controls:
        if each.tool_id not in (None, *tools):
            raise WrongOption(
                f"{each.option}.tool is a tool that tools does not name, so a scan with another one would cover the target:"
                " name it in tools, or remove it."
            )
    asked = _Asked(params["targets"], tools, max_age, exclusions, owners, controls)
    for index, name in enumerate(params["targets"] or ()):
        not_empty(f"targets[{index}]", name)
    dest = params["dest"]
    if dest is not None and not dest.lower().endswith(_FORMATS):
        raise WrongOption(f"dest {shown(dest)} ends neither in .csv nor in .json: choose one of them.")
    if dest is None:
        result = _judged(task.client, place_of(task), asked)[0]
        return dict(result, changed=False, dest=None, size=None, checksum=None)
    results: list[Record] = []

    def fill(draft: Draft) -> None:
        result, generated = _judged(task.client, place_of(task), asked)
        results.append(result)
        others = (record["name"] for key in ("undeclared", "duplicates") for record in result[key])
        written = without_passwords(result, [*(row["target"] for row in result["rows"]), *others])
        if dest.lower().endswith(".csv"):
            text = _as_csv(written, generated)
        else:
            text = json.dumps({"generated": generated, **written}, indent=2, sort_keys=True) + "\n"
        draft.write(text.encode("utf-8"))

    # reads after the place of the file is checked
    stored = store(task.host, dest, fill)
    return dict(results[0], changed=stored.changed, dest=dest, **stored.after._asdict())


def _judged(client: Client, place: Place, asked: _Asked) -> tuple[Record, str]:
    """The coverage of the account, and the service's time."""
    if asked.targets is not None and not place.declared:
        raise WrongOption("targets are names in one workspace: set workspace or workspace_id as well.")
    accounts = _read(client, place)
    clock = latest_clock(client, [scan for account in accounts for scan in account.scans])
    notes: list[str] = []
    result = _coverage_of(accounts, asked, clock, lambda wanted: read_pair(client, wanted, clock, notes))
    if notes:
        client.warn(surplus_warning(notes))
    expired = result["exclusions"]["expired"]
    if expired:
        client.warn(f"{len(expired)} of exclusions expired and no longer count: see exclusions in the result.")
    unused = [
        f"exclusions[{number}]"
        for number, each in enumerate(asked.exclusions)
        if each.given in result["exclusions"]["unused"]
    ]
    if unused and result["rows"]:
        names = "matches" if len(unused) == 1 else "match"
        client.warn(
            f"{first_of(unused, _MOST_NAMED)} {names} no target: check for a typo, or remove what is no longer needed."
        )
    for sentence in asked.owners.warnings(row["target"] for row in result["rows"]) if asked.owners else ():
        client.warn(sentence)
    return result, utc_text(clock.now)


def _as_csv(result: Record, now: str) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["generated", *_COLUMNS])
    for row in result["rows"]:
        cells = [now]
        for column in _COLUMNS:
            value = row[column]
            if isinstance(value, bool):
                value = "yes" if value else "no"
            cells.append("" if value is None else exact_cell(line(str(value))))
        writer.writerow(cells)
    return stream.getvalue()


def _read(client: Client, place: Place) -> list[_Account]:
    """The declared workspace, or all of them; none where check mode assumes that an earlier task creates it."""
    if place.missing:
        return []
    workspaces: Sequence[Record]
    if place.id is not None:
        record = None if place.name is not None else client.read(WORKSPACE, place.id)
        name = place.name if place.name is not None else record["name"] if record else f"workspace {place.id}"
        workspaces = [dict(id=place.id, name=name)]
    else:
        workspaces = client.all(WORKSPACE)
    # a target that the list hides would be no gap, whereas a hidden scan makes one
    contents = Contents(client, [(workspace["id"], TARGET) for workspace in workspaces], recheck=True)
    accounts = []
    for workspace in workspaces:
        query = {"workspace_id": workspace["id"]}
        scans = [row for row in client.all(SCAN, query) if belongs(row, query)]
        own = Place(workspace["id"], workspace["name"])
        accounts.append(_Account(workspace["name"], list(contents[TARGET, workspace["id"]]), scans, own))
    return accounts


# --- the decision, without requests


class _Exclusion(NamedTuple):
    """What need not be scanned."""

    # the item of the option
    given: Record
    # Unix time
    ends: float

    def takes(self, row: Record) -> bool:
        """Whether all patterns of the exclusion match a row."""
        patterns = ((self.given[key], row[key]) for key in ("workspace", "target", "tool"))
        return all(pattern is None or name_pattern(pattern)(name) for pattern, name in patterns)


class _Asked(NamedTuple):
    """What a task asks."""

    # names in the only workspace, None for the existing targets of all
    targets: Sequence[str] | None
    # ids, empty if a scan with any tool counts
    tools: Sequence[int]
    # in seconds
    max_age: int | None
    exclusions: Sequence[_Exclusion]
    owners: Owners | None
    controls: Sequence[Control] = ()


class _Account(NamedTuple):
    """One workspace."""

    workspace: str
    # all of its targets and scans
    targets: Sequence[Record]
    scans: Sequence[Record]
    place: Place


def _exclusion(where: str, given: Mapping[str, Any], now: float) -> _Exclusion:
    """The exclusion in an item of the option. where: its name; now: Unix time. Raises WrongOption."""
    texts = {key: value and value.strip() for key, value in given.items()}
    for key, text in texts.items():
        if text == "":
            raise WrongOption(f"{where}.{key} is empty: give a value, or remove it.")
    if all(matches_all(texts[key]) for key in ("workspace", "target", "tool") if texts[key]):
        raise WrongOption(f"{where} matches every target: name the workspace, the target or the tool that it is for.")
    ends = expiry_of(texts["expires"])
    if ends is None or ends - now > LONGEST_EXCEPTION:
        raise WrongOption(
            f"{where}.expires is {printable(texts['expires'], 60)!r}: write a date of the next five years, as in 2027-01-31,"
            " or a time with its zone, as in 2027-01-31T18:00:00Z."
        )
    return _Exclusion(texts, ends)


def _coverage_of(accounts: Sequence[_Account], asked: _Asked, clock: Clock, read: Callable[[Wanted], Pair]) -> Record:
    """The result of coverage_info, without its file. read: reads the findings of a scan that has to see a control."""
    in_force = [each for each in asked.exclusions if each.ends > clock.now]
    wanted = [named_targets(asked.targets, account.targets) for account in accounts]
    found_rows = [row for account, each in zip(accounts, wanted) for row in _rows(account, each, asked, clock)]
    rows, controls = _sighted(found_rows, asked.controls, read)
    used = []
    for row in rows:
        match = next((each for each in in_force if each.takes(row)), None)
        if match is not None:
            used.append(match)
            if not row["covered"]:
                row.update(excluded=True, reason=f"Excluded until {match.given['expires']}: {match.given['reason']}")
        row.update((asked.owners.of(row["target"]) if asked.owners else NOBODY)._asdict())
    by_form: dict[tuple[int, str], list[Record]] = {}
    for number, account in enumerate(accounts):
        for record in account.targets:
            by_form.setdefault((number, normal_form(record["name"])), []).append(record)
    found = {record["id"] for each in wanted for _name, record in each if record}
    gaps = [row for row in rows if not row["covered"] and not row["excluded"]]
    numbers = {key: sum(row[key] for row in rows) for key in ("covered", "excluded")}
    return dict(
        rows=rows,
        gaps=gaps,
        total=len(rows),
        **numbers,
        summary=dict(numbers, gaps=len(gaps)),
        undeclared=[record for account in accounts for record in account.targets if record["id"] not in found],
        duplicates=[record for same in by_form.values() if len(same) > 1 for record in same],
        controls=controls,
        empty_workspaces=[account.workspace for account in accounts if not account.targets],
        exclusions=dict(
            expired=[each.given for each in asked.exclusions if each not in in_force],
            unused=[each.given for each in in_force if each not in used],
        ),
    )


def _sighted(
    found: Sequence[tuple[Record, Wanted]], controls: Sequence[Control], read: Callable[[Wanted], Pair]
) -> tuple[list[Record], list[Record]]:
    """The rows, of which only those are covered whose scans saw their controls, and what the scans saw. Raises WrongOption."""
    pairs = []
    for row, wanted in found:
        is_named = any(each.names(wanted.target, wanted.tool_id) for each in controls)
        unread = Pair(wanted.target, wanted.target_id, row["workspace"], row["tool"], wanted.tool_id, row["scan_id"])
        pairs.append(read(wanted) if row["covered"] and is_named else unread)
    sight = look(controls, pairs, rows_of(pairs))
    if sight.wrong:
        raise WrongOption(sight.wrong[0])
    for (row, _wanted), pair, was in zip(found, sight.pairs, pairs):
        if pair.scan_id is not None and was.outcome == PASSED and (pair.blind or not pair.complete):
            row.update(covered=False, reason=f"{BLIND}: {pair.blind[0]}" if pair.blind else pair.problems[0])
    return [row for row, _wanted in found], [each._asdict() for each in sight.controls]


def _rows(
    account: _Account, wanted: Iterable[tuple[str, Record | None]], asked: _Asked, clock: Clock
) -> Iterator[tuple[Record, Wanted]]:
    """The rows, each with its target, its tool, and the scan that covers it."""
    ended = list(filter(finished, account.scans))
    unplaced = sorted((scan for scan in ended if lacks(scan)), key=lambda scan: int(scan["id"]))
    placed = [scan for scan in ended if not lacks(scan)]
    # of each target with each tool, and with any
    newest, blind = (
        {**newest_of(scans), **newest_of(scans, any_tool=True)}
        for scans in ([scan for scan in placed if could_see(scan) is sees] for sees in (True, False))
    )
    for name, record in wanted:
        for tool in asked.tools or (None,):
            row = dict.fromkeys(("scan_id", "finished", "age"))
            row.update(
                workspace=account.workspace, target=name, tool="any tool" if tool is None else tool_name_of(tool)
            )
            scan_found = newest.get((record["id"], tool)) if record else None
            if record is None:
                reason = "The target does not exist in this workspace."
            elif scan_found is None:
                short = blind.get((record["id"], tool))
                # finished scans whose records lack a field cover nothing
                own = [scan for scan in unplaced if scan["target_id"] in (None, record["id"])]
                loose = [scan for scan in own if tool is None or scan["tool_id"] in (None, tool)]
                if short:
                    reason = why_incomplete(short)
                elif loose:
                    reason = f"Scan {loose[0]['id']} may be of it, but its record has no {lacks(loose[0])}."
                else:
                    reason = "No scan of it has finished."
            else:
                row.update(tool=tool_name_of(scan_found["tool_id"]), scan_id=scan_found["id"])
                times, reason = _age(scan_found, asked.max_age, clock)
                row.update(times)
            ids = (record["id"] if record else None, scan_found["tool_id"] if scan_found else tool)
            found = Wanted(name, ids[0], str(row["tool"]), ids[1], account.place, scan_found)
            yield dict(row, covered=not reason, excluded=False, reason=reason), found


def _age(scan: Record, max_age: int | None, clock: Clock) -> tuple[Record, str]:
    """The fields finished and age of a row, and why its scan does not cover the target, "" if it does."""
    finished, age = ended_in(scan, clock)
    times = dict(finished=finished, age=age)
    if max_age is None or (age is not None and age <= max_age):
        return times, ""
    if age is None:
        return times, f"The record of scan {scan['id']} does not say when it ended."
    return times, f"Its newest finished scan ended {span(age)} ago, and max_age is {span(max_age)}."
