# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each link into the repository, in any file of it, leads to a file or a directory, and to a heading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from ansible_collections.scanops.scanner.tests.unit.conventions.collection import ROOT

HOST = "https://github.com/scanops/scanops.scanner/"
RAW = "https://raw.githubusercontent.com/scanops/scanops.scanner/main/"
TREES = ("docs", "ee", "extensions", "meta", "playbooks", "plugins", "release", "roles")
TEXTS = {".cfg", ".j2", ".md", ".py", ".rego", ".rst", ".toml", ".txt", ".yml"}
FILES = sorted(
    path
    for path in [*ROOT.iterdir(), *(path for tree in TREES for path in (ROOT / tree).rglob("*"))]
    if path.suffix in TEXTS and path.is_file()
)
# what is between the address of the repository and a path
KINDS = {"blob/main/": Path.is_file, "tree/main/": Path.is_dir}
# pages of the host that are no files
OTHERS = ("issues", "issues/new")


@cache
def headings(page: Path) -> frozenset[str]:
    """The anchors of a page: those that the repository's host makes of its headings, and with a guide those that docutils
    makes, too."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".md":
        text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
        titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    else:
        titles = [title for title, _line in re.findall(r"^(\S.*)\n([=^~-])\2+$", text, re.MULTILINE)]
    anchors = [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles]
    theirs = [re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") for title in titles]
    # a heading that occurs twice has a number in its anchor
    return frozenset(
        anchor
        for anchor, other in zip(anchors, theirs)
        if anchors.count(anchor) == 1 and (page.suffix == ".md" or anchor == other)
    )


def links(page: Path) -> Iterator[str]:
    """The links into the repository, as they are written."""
    text = page.read_text(encoding="utf-8")
    for link in re.findall(rf"(?:{re.escape(HOST)}|{re.escape(RAW)})[^\s<>()\[\]{{}}\"'`,;|\\]*", text):
        yield link.rstrip(".:")
    if page.suffix == ".md":
        yield from (each for each in re.findall(r"\]\(([^)\s]+)\)", text) if not re.match(r"https?:|mailto:", each))


def is_dead(page: Path, link: str) -> bool:
    place, _mark, anchor = link.partition("#")
    if place.startswith(RAW):
        return not (ROOT / place.removeprefix(RAW)).is_file()
    if not place.startswith(HOST):
        target = (page.parent / place).resolve() if place else page
        return not target.exists() or bool(anchor and anchor not in headings(target))
    place = place.removeprefix(HOST)
    if place in OTHERS or not place:
        return False
    for kind, is_one in KINDS.items():
        if place.startswith(kind) and is_one(ROOT / place.removeprefix(kind)):
            return bool(anchor) and anchor not in headings(ROOT / place.removeprefix(kind))
    return True


def test_each_link_into_the_repository_leads_to_a_file_and_a_heading():
    found = [(page.relative_to(ROOT).as_posix(), link) for page in FILES for link in links(page)]
    assert len(found) > 100 and [each for each in found if is_dead(ROOT / each[0], each[1])] == []


@pytest.mark.parametrize("link, dead", [
    (f"{HOST}blob/main/docs/docsite/rst/guide_gate.rst#prove-a-fix", False),
    (f"{HOST}blob/main/docs/docsite/rst/guide_gate.rst#prove-a-fixx", True),
    # docutils and the host make different anchors of this heading
    (f"{HOST}blob/main/docs/docsite/rst/guide_gate.rst#what-gatejson-contains", True),
    (f"{HOST}tree/main/docs/pipelines", False),
    (f"{HOST}blob/main/docs/pipelines", True),
    (f"{HOST}wiki", True),
    ("docs/examples/README.md#before-each-example", False),
    ("docs/examples/README.md#after-each-example", True),
    (f"{RAW}docs/pictures/none.svg", True),
])  # fmt: skip
def test_a_dead_link_is_noticed(link, dead):
    assert is_dead(ROOT / "README.md", link) is dead


# --- guides by their titles

TITLES = {
    re.search(r"^(\S.*)\n=+$", path.read_text(encoding="utf-8"), re.MULTILINE)[1]
    for path in (ROOT / "docs/docsite/rst").glob("*.rst")
}


def test_each_guide_that_is_named_by_its_title_exists():
    # a comment may break the line in the name
    texts = {path: re.sub(r"\n# +", " ", path.read_text(encoding="utf-8")) for path in FILES}
    named = [(path.name, title) for path in FILES for title in re.findall(r"guide \"([^\"]+)\"", texts[path])]
    assert named and [each for each in named if each[1] not in TITLES] == []
