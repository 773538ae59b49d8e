# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The marks of owners in descriptions."""

from __future__ import annotations

import time

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._estate.marks import (
    Mark,
    check_owner,
    check_text,
    marked,
    split,
)
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import WrongOption
from ansible_collections.scanops.scanner.plugins.module_utils._model.texts import normal_text
from hypothesis import example, given
from hypothesis import strategies as st

BROKEN = Mark(broken=True)
LONGEST = "a" * 60

READ = [
    ("", "", Mark()),
    ("Production", "Production", Mark()),
    ("Production [managed by cmdb]", "Production", Mark("cmdb")),
    ("[managed by cmdb]", "", Mark("cmdb")),
    ("Production [managed by cmdb, protected]", "Production", Mark("cmdb", True)),
    ("Production [protected]", "Production", Mark(None, True)),
    ("x [managed by estate_register: cmdb]", "x", Mark("estate_register: cmdb")),
    ("x [managed by Größe 7.a-b_c]", "x", Mark("Größe 7.a-b_c")),
    (f"x [managed by {LONGEST}]", "x", Mark(LONGEST)),
    ("two\nlines [managed by cmdb]\n", "two\nlines", Mark("cmdb")),
    ("is managed by the CMDB", "is managed by the CMDB", Mark()),
    ("all ports protected", "all ports protected", Mark()),
    ("an [unprotected] host", "an [unprotected] host", Mark()),
]
UNREADABLE = [
    f"x [managed by {LONGEST}a]",
    "x [managed by ]",
    "x [managed by cmdb, protec]",
    "x [managed by cm",
    "x [managed by",
    "x [protected",
    "x [Managed By cmdb]",
    "x [managed by cmdb,protected]",
    "x [protected, managed by cmdb]",
    "x [managed by a] [managed by b]",
    "x [managed by a] [protected]",
    "x [managed by cmdb] y",
    "x [managed by cmdb].",
    "x [managed by a/b]",
    "x &#91;managed by cmdb&#93;",
    "x &lt;managed by cmdb&gt;",
    "x \\[managed by cmdb\\]",
    "x (managed by cmdb)",
    "x [ managed by cmdb ]",
    "x [managed  by cmdb]",
    "x managed by cmdb]",
    # of a text field in a web page, or of a keyboard
    "x \uff3bmanaged by cmdb\uff3d",
    "x \u3010protected\u3011",
    "x [man\u00adaged by cmdb]",
    "x [\u200bpro\u200btected\u200b]",
]


@pytest.mark.parametrize("description, text, mark", READ)
def test_a_mark_is_read(description, text, mark):
    assert split(description) == (text, mark)


@pytest.mark.parametrize("description", UNREADABLE)
def test_a_mark_that_cannot_be_read_is_somebody_elses(description):
    assert split(description)[1] == BROKEN


@pytest.mark.parametrize("part", ["[", "[ ", "(managed "])
def test_a_long_text_of_brackets_is_read_in_time(part):
    begun = time.process_time()
    assert split(part * (20_000 // len(part)))[1] == Mark()
    assert time.process_time() - begun < 2


owners = st.from_regex(r"\A[A-Za-z0-9_.:-]([A-Za-z0-9_ .:-]{0,58}[A-Za-z0-9_.:-])?\Z")
texts = st.text(max_size=40).filter(lambda text: split(text)[1] == Mark())


@given(texts, st.one_of(st.none(), owners), st.booleans())
@example("Production", "cmdb", True)
@example(" spaces ", None, False)
@example("two\rlines", None, True)
@example("two\rlines", None, False)
def test_what_was_written_is_read(text, owner, protected):
    mark = Mark(owner, protected)
    # a description without a mark is read as it is, one with a mark in normal form
    expected = normal_text(text) if str(mark) else text
    assert split(marked(text, mark)) == (expected, mark)


@given(owners, st.booleans(), st.data())
def test_a_mark_that_a_service_has_cut_is_never_that_of_another_owner(owner, protected, data):
    written = marked("Production", Mark(owner, protected))
    cut = written[: data.draw(st.integers(len("Production [m"), len(written) - 1))]
    assert split(cut)[1] == BROKEN


@pytest.mark.parametrize("owner", ["", " ", "a ", " a", "a" * 61, "a/b", "a, protected", "a]", "a\nb", "e\u0301"])
def test_what_cannot_be_an_owner_is_refused(owner):
    with pytest.raises(WrongOption, match=r"owner is .*: give 1 to 60 letters"):
        check_owner(owner, "owner")


@pytest.mark.parametrize("owner", ["a", "cmdb", "estate_register: cmdb", "Größe", LONGEST])
def test_what_can_be_an_owner(owner):
    check_owner(owner, "owner")
    assert split(marked("", Mark(owner)))[1] == Mark(owner)


@pytest.mark.parametrize("text", ["x [managed by cmdb]", "[protected]", "x [managed by"])
def test_a_declared_description_has_no_mark(text):
    with pytest.raises(WrongOption, match=r"targets\[0\]\.description has a mark of an owner"):
        check_text(text, "targets[0].description")
