# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Stories of the directory stories: what happens at the service, which tasks run, and what follows.

A file names its account: a fixture, or what is added to the fresh service. A step of a story does something at the service,
runs a module, or says what the service holds or has received. What is expected of a run is a field of its result, or a field
and a relation: "msg has", "warnings counts"; same: as in the run before. {later} is a day in a month.
A run must not fail unless its story says so.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest
import yaml
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scan_time import Time, bodies

RELATIONS = {
    "": lambda found, wanted: found == wanted,
    "has": lambda found, wanted: not [word for word in wanted if word not in found],
    "has no": lambda found, wanted: not [word for word in wanted if word in found],
    "begins": lambda found, wanted: found.startswith(wanted),
    "ends": lambda found, wanted: found.endswith(wanted),
    "counts": lambda found, wanted: len(found) == wanted,
    "holds": lambda found, wanted: bool(found) is wanted,
    "are": lambda found, wanted: sorted(set(found), key=str) == wanted,
}


def stories():
    cases = []
    later = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 30 * 86400))
    for path in sorted(Path(__file__).parent.glob("stories/*.yml")):
        for document in yaml.safe_load_all(path.read_text(encoding="utf-8").replace("{later}", later)):
            for name, steps in document["stories"].items():
                for check in (False, True) if any(step.get("check") == "both" for step in steps) else (None,):
                    label = f"{path.stem}: {name}" + ("" if check is None else f", check mode: {check}")
                    cases.append(pytest.param(document["account"], steps, check, id=label))
    return cases


def at(value, path):
    """What stands at a path as in targets.*.id."""
    name, _dot, rest = path.partition(".")
    if name == "*":
        return [at(each, rest) for each in value]
    value = value[int(name)] if isinstance(value, list) else value[name]
    return at(value, rest) if rest else value


def fields_of(result, path):
    fields = {name: getattr(result, name) for name in ("failed", "changed", "msg", "warnings", "diff")}
    return at({**result.result, **fields}, path)


def assert_meets(result, key, wanted):
    if key == "lacks":
        assert [name for name in as_list(wanted) if name in result.result] == []
        return
    if key == "results do":
        actions = {row["name"]: row["action"] for row in result["results"]}
        assert {name: actions[name] for name in wanted} == wanted
        return
    path, _blank, relation = key.partition(" ")
    found = str(result.result) if path == "text" else fields_of(result, path)
    if relation in ("has", "has no"):
        found, wanted = found if isinstance(found, str) else str(found), as_list(wanted)
    assert RELATIONS[relation](found, wanted), f"{key}: {found!r}"


def as_list(value):
    return value if isinstance(value, list) else [value]


# what a step says of the service, of the time that passed and of files: a function of (service, passing, what it names)
FACTS = {
    "calls": lambda service, _passing, _given: service.calls(),
    "writes": lambda service, _passing, _given: service.writes(),
    "last calls": lambda service, _passing, given: service.calls()[-len(given) :],
    "calls count": lambda service, _passing, _given: len(service.calls()),
    "writes count": lambda service, _passing, _given: len(service.writes()),
    "count": lambda service, _passing, given: {call: service.calls().count(call) for call in given},
    "forms": lambda service, _passing, _given: [each["form"] for each in service.log() if each["method"] == "POST"],
    "bodies": lambda service, _passing, _given: bodies(service),
    "state": lambda service, _passing, given: {path: at(service.state(), path) for path in given},
    "held": lambda service, _passing, given: {path: len(at(service.state(), path)) for path in given},
    "names": lambda service, _passing, _given: sorted(each["name"] for each in service.targets()),
    "slept": lambda _service, passing, _given: passing.slept,
    "exists": lambda _service, _passing, given: {name: Path(name).exists() for name in given},
    "file": lambda _service, _passing, given: {name: Path(name).read_text(encoding="utf-8") for name in given},
}


def play(service, run, passing, step, check, before):
    """Play a step, and return the result of the last run."""
    ((does, given), *_more) = step.items()
    if does == "run":
        mode = check if step.get("check") == "both" else "check" in step
        waits = {"sleep": passing.sleep, "clock": passing} if passing else {}
        result = run(given, check=mode, **waits, **step.get("options", {}))
        assert "\n" not in result.msg and "exception" not in result.result
        expected = {"failed": False, **step.get("expect", {})}
        for path in as_list(expected.pop("same", [])):
            assert fields_of(result, path) == fields_of(before, path)
        for key, wanted in expected.items():
            assert_meets(result, key, wanted)
        return result
    if does in FACTS:
        assert FACTS[does](service, passing, given) == given
    elif does in ("target has", "target has no"):
        assert (given in [each["name"] for each in service.targets()]) is (does == "target has")
    elif does == "passed":
        assert given[0] <= passing.now <= given[1]
    elif does in ("file has", "file has no"):
        ((name, words),) = given.items()
        assert (words in Path(name).read_text(encoding="utf-8")) is (does == "file has")
    elif does == "write":
        for name, text in given.items():
            Path(name).write_text(text, encoding="utf-8")
    elif does == "allow_violations":
        service.allow_violations = given
    else:
        getattr(service, does)(**given)
    return before


@pytest.mark.parametrize("at_first, steps, check", stories())
def test_story(request, service, run, at_first, steps, check):
    if isinstance(at_first, str):
        request.getfixturevalue(at_first)
    else:
        steps = [*at_first, *steps]
    passing = Time(service) if at_first == "scan_account" else None
    result = None
    for step in steps:
        result = play(service, run, passing, step, check, result)
