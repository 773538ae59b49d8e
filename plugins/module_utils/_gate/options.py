# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The options of the module gate and the files that they name, read and checked before any call."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from .._evidence.exploits import Exploits
from .._evidence.must_see import Control, controls_of
from .._evidence.owners import Owners, read_owners
from .._model.errors import WrongOption
from .._model.inputs import content_of, needed_content_of
from .._model.records import Record
from .._model.times import seconds_of
from .._model.trust import refuse_untrusted
from .enrichment import read_epss, read_known_exploited, stale_in
from .formats.attestation import NAME as ATTESTATION
from .formats.attestation import Subject, subjects_of
from .formats.document import Place
from .formats.registry import FORMATS
from .formats.sarif import locations_of
from .gate_files import path_in_repository, refuse_without_directory
from .policy import Expect, Policy, expect_of, mapping_of, origin_of, policy_of
from .waivers import Rule, read_waivers

# nearly every repository has it
_README = "README.md"

_Value = TypeVar("_Value")


class Options(NamedTuple):
    """The options and files of a task, read and checked before any call."""

    policy: Policy
    expect: Expect
    mapping: Mapping[str, str]
    origin: Mapping[str, str | None]
    exploits: Exploits
    # why the files of these are too old, sentences
    stale: Sequence[str]
    waivers: Sequence[Rule]
    # the seconds within which a waiver ends soon
    notice: int
    owners: Owners | None
    baseline: bytes | None
    locations: Mapping[str, Place]
    sarif_location: str
    controls: Sequence[Control]
    subjects: Sequence[Subject]


def options_of(params: Record, now: float) -> Options:
    """The options of a task. Raises WrongOption for a wrong one, and for a file that cannot be used."""
    _refuse_wrong_options(params)
    options = {"epss": "epss_max_age", "known_exploited": "known_exploited_max_age"}
    limits = {field: seconds_of(params[option], option) for field, option in options.items()}
    exploits = Exploits(
        _from_file(params, "epss_file", read_epss), _from_file(params, "known_exploited_file", read_known_exploited)
    )
    return Options(
        policy_of(params["policy"]),
        expect_of(params["expect"]),
        mapping_of(params["outcomes"]),
        origin_of(params["origin"]),
        exploits,
        stale_in(exploits, limits, now),
        _waivers(params, now),
        seconds_of(params["notice"], "notice"),
        _from_file(params, "owners", read_owners),
        content_of(params["baseline"], "baseline") if params["baseline"] else None,
        locations_of(
            [
                (path_in_repository(path, "estate_files"), text.decode("utf-8", "replace"))
                for path, text in _contents(params, "estate_files")
            ]
        ),
        _sarif_location(params),
        controls_of(params["must_see"]),
        subjects_of(
            params["subjects"],
            ATTESTATION in params["formats"] and not (params["subjects"] and params["artifacts"] is None),
        ),
    )


def _from_file(params: Record, option: str, read: Callable[[bytes, str], _Value]) -> _Value | None:
    """What is in the file of an option, None if the option is not set. An empty path is a file that does not exist."""
    path = params[option]
    return None if path is None else read(needed_content_of(path, option), path)


def _waivers(params: Record, now: float) -> list[Rule]:
    """The waivers of the task. Raises WrongOption, with its problems as a list, because ansible-core shows a line break in a
    message as a backslash and an n."""
    try:
        return read_waivers(_contents(params, "waivers"), now, params["allow_permanent"])
    except WrongOption as error:
        head, *problems = str(error).split("\n")
        if not problems:
            raise
        sentence = f"{head} The first is in {problems[0]} All of them are in problems of the result."
        raise error.with_sentence(sentence).with_result(problems=problems) from None


def _sarif_location(params: Mapping[str, Any]) -> str:
    """The file of the repository for the findings of targets that no estate file declares."""
    path = params["sarif_location"]
    if path is None:
        files = params["estate_files"]
        return path_in_repository(files[0], "estate_files") if files else _README
    return path_in_repository(path, "sarif_location") if os.path.isabs(path) else str(path)


def _refuse_wrong_options(params: Record) -> None:
    directory = params["artifacts"]
    if directory is not None:
        if not params["formats"]:
            raise WrongOption("formats is empty, so artifacts would hold no file: name a format, or remove artifacts.")
        if directory == "":
            raise WrongOption("artifacts is empty: give the path of a directory, or remove it.")
        refuse_untrusted(directory, "artifacts")
        for name in params["formats"]:
            FORMATS[name].check()
    if params["tools"] == []:
        raise WrongOption("tools is empty, so nothing would be judged: name at least one, or leave it out.")
    if params["baseline"] and params["baseline_missing"] == "create":
        refuse_without_directory(params["baseline"], "baseline")


def _contents(params: Record, option: str) -> list[tuple[str, bytes]]:
    """The paths of an option and the contents of these files."""
    paths = params[option]
    return [(path, needed_content_of(path, f"{option}[{index}]")) for index, path in enumerate(paths)]
