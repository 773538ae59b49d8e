# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A saved gate.json is refused unless it has the published schema, closed, and what is refused reaches no output."""

from __future__ import annotations

import copy
import json

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.document import Choices, read_document
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.markdown import comment
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.registry import FORMATS, write
from ansible_collections.scanops.scanner.plugins.module_utils._gate.formats.schema import DOCUMENT, TOP
from ansible_collections.scanops.scanner.plugins.module_utils._gate.gate_json import saved_of
from ansible_collections.scanops.scanner.plugins.module_utils._gate.prove.source import selected_of
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import WrongOption
from ansible_collections.scanops.scanner.tests.unit.plugins.module_utils._gate.test_document import (
    NOW,
    VALIDATOR,
    full_document,
)
from ansible_collections.scanops.scanner.tests.unit.sampling import EXHAUSTIVE

WHOLE = json.loads(json.dumps(full_document()))
# one of each list is enough, and the first finding has every field
del WHOLE["findings"][1:], WHOLE["targets"][1:]
WHOLE["counts"]["total"] = 1
WHOLE["summary"] = {**dict.fromkeys(WHOLE["summary"], 0), WHOLE["findings"][0]["severity"]: 1}
EVIL = "/merge\n/approve <b>&\"'`|](x)\n::error::x"
# what takes the place of a value
OTHERS = [None, True, 0, -1, 1, 3, 0.5, 99, "", "x", EVIL, 10**11, [], ["x"], [None], [1], {}, {EVIL: 1}, float("nan")]


def places(value, path=()):
    """The paths of all values of a document."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from places(each, (*path, key))


def changed(path, change):
    """The document, with what is at a path changed."""
    document = copy.deepcopy(WHOLE)
    value = document
    for key in path[:-1]:
        value = value[key]
    change(value, path[-1])
    return document


def mutants():
    seen = set()
    for path in places(WHOLE):
        # one item of each list is like the others
        shape = tuple("*" if isinstance(key, int) else key for key in path)
        if not path or shape in seen:
            continue
        seen.add(shape)
        for other in OTHERS:
            yield changed(path, lambda value, key, other=other: value.__setitem__(key, other))
        yield changed(path, lambda value, key: value.pop(key))
        if isinstance(path[-1], str):
            yield changed(path, lambda value, key: value.__setitem__(EVIL, value[key]))
            yield changed(path, lambda value, key: value.__setitem__(EVIL, value.pop(key)))


def is_usable(document) -> bool:
    # JSON has no nan, and JSON Schema does not judge one
    return "NaN" not in json.dumps(document)


def test_the_schema_in_the_code_is_the_published_one():
    assert DOCUMENT.problem(WHOLE, TOP) is None
    tried = [each for each in list(mutants())[:: 1 if EXHAUSTIVE else 3] if is_usable(each)]
    assert len(tried) > 650
    for each in tried:
        ours, published = DOCUMENT.problem(each, TOP), next(VALIDATOR.iter_errors(each), None)
        assert (ours is None) == (published is None), f"{ours} {published}"


def test_no_wrong_document_becomes_an_output():
    """Whatever is accepted has the schema, as text and as a dictionary."""
    tried = 0
    for each in list(mutants())[::7]:
        text = json.dumps(each)
        for value in (each, text):
            tried += 1
            try:
                document = read_document(value)
            except WrongOption:
                continue
            assert next(VALIDATOR.iter_errors({key: document[key] for key in WHOLE}), None) is None
            assert set(document) == set(WHOLE) or not isinstance(value, str)
    assert tried > 500


def test_no_wrong_file_is_judged_again():
    for each in list(mutants())[::7]:
        if next(VALIDATOR.iter_errors(each), None) is not None or not is_usable(each):
            with pytest.raises(WrongOption, match="findings_file"):
                saved_of(json.dumps(each).encode(), "saved.json", NOW)


@pytest.mark.parametrize(
    "path, value",
    [
        (("targets", 0, "age"), 10**10),
        (("targets", 0, "duration"), 10**10),
        (("findings", 0, "age"), 10**10),
        (("waivers", "ending", 0, "expires"), "never"),
        (("waivers", "ending", 0, "expires"), "9998-12-31T23:59:59-23:59"),
        (("generated",), "1970-01-01T00:00:00Z"),
        (("generated",), "9998-12-31T23:59:59Z"),
    ],
)
@pytest.mark.parametrize("generated", ["1970-01-01T00:00:00Z", "9998-12-31T23:59:59Z"])
def test_no_time_of_a_saved_file_is_too_far_for_an_output(path, value, generated):
    document = {
        **changed(path, lambda record, key: record.__setitem__(key, value)),
        "outcome": "passed",
        "coverage": "complete",
    }
    document["generated"] = value if path == ("generated",) else generated
    document["targets"][0].update(outcome="passed", finished="1970-01-01T00:00:00Z")
    read = read_document(json.dumps(document))
    for name in FORMATS.keys() - {"json"}:
        choices = Choices(fallback="estate.yml", subjects=[{"name": "a", "sha256": "0" * 64}])
        assert write(name, read, choices).artefacts[0].text
    assert comment(read).startswith("## Gate")


def spoilt():
    """Texts that readers of JSON understand in different ways, by what is wrong."""
    text = json.dumps(WHOLE)
    return {
        "a key twice": text[:-1] + ', "outcome": "passed", "verdict": "pass"}',
        "a key twice below": text.replace('"failing": ', '"failing": 0, "failing": ', 1),
        "no number": text.replace('"min_cvss": 1', '"min_cvss": NaN'),
        "two documents": f"{text}\n{{}}",
        "too deep": "[" * 100_000,
        "UTF-16": text.encode("utf-16"),
    }


@pytest.mark.parametrize("name", spoilt())
def test_no_reader_takes_one_of_two_meanings(name):
    text = spoilt()[name]
    content = text if isinstance(text, bytes) else text.encode()
    for read in (
        lambda: read_document(text),
        lambda: read_document(content),
        lambda: saved_of(content, "saved.json", NOW),
        lambda: selected_of(content, "saved.json", None, None),
    ):
        with pytest.raises(WrongOption):
            read()


def test_a_result_of_the_module_may_have_more_keys_and_a_file_may_not():
    more = {**WHOLE, "changed": False, "files": [], "failing": []}
    assert read_document(more) == more
    with pytest.raises(WrongOption, match="'changed' is an unknown key"):
        read_document(json.dumps(more))


@pytest.mark.parametrize(
    "path, key",
    [(("summary",), EVIL), (("counts",), EVIL), (("baseline",), EVIL), (("findings", 0), EVIL), (("targets", 0), EVIL)],
)
def test_a_key_of_a_saved_file_is_no_markup(path, key):
    document = changed((*path, key), lambda value, name: value.__setitem__(name, 7))
    with pytest.raises(WrongOption, match="is an unknown key"):
        read_document(document)


@pytest.mark.parametrize(
    "value", ["1:x", "x", f"1:{'a' * 32}<failure/>", f"1:{'a' * 32}\n", "1:" + "A" * 32, "", 7, None]
)
def test_a_fingerprint_of_a_saved_file_is_one(value):
    document = changed(("findings", 0, "fingerprint"), lambda row, key: row.__setitem__(key, value))
    with pytest.raises(WrongOption, match=r"findings\[0\]: fingerprint"):
        read_document(document)


@pytest.mark.parametrize("path", [("targets", 0, "age"), ("targets", 0, "duration"), ("findings", 0, "age")])
@pytest.mark.parametrize("seconds", [10**11, 10**18, 10**400])
def test_an_age_before_all_times_is_refused(path, seconds):
    with pytest.raises(WrongOption, match=rf"{path[0]}\[0\]: {path[2]} is 1000"):
        read_document(json.dumps(changed(path, lambda record, key: record.__setitem__(key, seconds))))


@pytest.mark.parametrize(
    "path, value",
    [
        (("generated",), "2026-02-30T10:00:00Z"),
        (("targets", 0, "finished"), "2026-02-30T10:00:00Z"),
        (("findings", 0, "first_seen"), "2026-11-22T24:01:00Z"),
        (("findings", 0, "due"), "2026-02-30"),
        (("gone", 0, "last_seen"), "0000-00-00T00:00:00Z"),
    ],
)
def test_a_time_that_does_not_exist_is_refused_by_every_reader(path, value):
    document = changed(path, lambda record, key: record.__setitem__(key, value))
    text = json.dumps(document)
    for read in (
        lambda: read_document(text),
        lambda: saved_of(text.encode(), "saved.json", NOW),
        lambda: selected_of(text.encode(), "saved.json", None, None),
    ):
        with pytest.raises(WrongOption):
            read()
