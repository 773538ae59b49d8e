# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each message of the code is in the guide, with its cause and cure."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
_SPEC = importlib.util.spec_from_file_location("troubleshooting", CHECKOUT / "tests" / "troubleshooting.py")
troubleshooting = importlib.util.module_from_spec(_SPEC)
sys.modules["troubleshooting"] = troubleshooting
_SPEC.loader.exec_module(troubleshooting)


MESSAGES = troubleshooting.messages()


@pytest.fixture(scope="module")
def sorted_messages():
    return troubleshooting.sort(MESSAGES, *troubleshooting.read())


def test_each_message_has_cause_and_cure(sorted_messages):
    assert sorted_messages[1] == []


def test_the_guide_is_the_one_of_the_present_messages(sorted_messages):
    families, _ignored = troubleshooting.read()
    expected = troubleshooting.page(families, sorted_messages[0])
    assert troubleshooting.PAGE.read_text(encoding="utf-8") == expected, "run nox -s troubleshooting"


def test_a_family_says_what_to_do_and_its_places_exist():
    families, ignored = troubleshooting.read()
    places = {message.place for message in MESSAGES}
    for family in families:
        assert family.cause.endswith(".") and family.cure.endswith("."), family.title
    for family in [*families, *ignored]:
        for pattern in family.places:
            assert troubleshooting.fnmatch.filter(places, pattern), f"{family.title}: {pattern}"


@pytest.mark.parametrize("code", [
    'raise WrongOption(f"{path} is something new: correct it.")',
    'TEXT = "something new: correct it"',
    'def f():\n    """A docstring."""\n    warn("something new: " + reason + ": correct it")',
])  # fmt: skip
def test_a_new_message_without_a_family_is_found(code, tmp_path):
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "new.py").write_text(code, encoding="utf-8")
    found = troubleshooting.messages(tmp_path, None)
    (problem,) = [
        each for each in troubleshooting.sort(found, *troubleshooting.read())[1] if each.startswith("plugins/")
    ]
    assert problem.startswith("plugins/modules/new.py") and "something new: " in problem


@pytest.mark.parametrize("code", [
    '"""A docstring of a module with many words."""',
    'DOCUMENTATION = """short_description: a text with many words"""',
    'def f(x: "a type with many words") -> None: pass',
    'NAME = "two words"',
])  # fmt: skip
def test_what_is_no_message_is_left_out(code):
    assert list(troubleshooting.texts_in(code)) == []


@pytest.mark.parametrize("message, title", [
    ("… … was answered … (…) with …", "The service or a gateway fails"),
    ("base_url is empty: set it, or the environment variable SCANNER_BASE_URL", "base_url or api_key is wrong"),
    ("… is outside the authorised scope", "A target is outside the scope"),
    ("the estate or the declaration has changed since the plan was reviewed", "A purge or a plan is refused"),
    ("The findings are incomplete", "Findings are incomplete"),
])  # fmt: skip
def test_a_message_that_users_meet_is_below_its_cause(message, title):
    page = troubleshooting.PAGE.read_text(encoding="utf-8")
    heading = re.findall(r"^(.+)\n-+$", page[: page.index(f"* ``{message}")], re.MULTILINE)[-1]
    assert heading.startswith(title)
