# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files of an estate: which are read, and what is said of one that is broken."""

from __future__ import annotations

import pytest
from ansible_collections.scanops.scanner.plugins.plugin_utils._estate_role import files_of, joined

GOOD = "estate_apply_workspaces: []\n"


def test_files_and_those_directly_in_directories_are_read_in_order(tmp_path):
    (tmp_path / "estate" / "below").mkdir(parents=True)
    for name in ("z.yml", "estate/b.yaml", "estate/a.yml", "estate/.hidden.yml", "estate/n.txt", "estate/below/c.yml"):
        (tmp_path / name).write_text(GOOD)
    # ansible-core decrypts it
    (tmp_path / "estate" / "v.yml").write_text("$ANSIBLE_VAULT;1.1;AES256\n6162\n")
    paths = [str(tmp_path / name) for name in ("z.yml", "estate", "estate/a.yml")]
    read = [path.removeprefix(f"{tmp_path}/") for path in files_of(paths)]
    assert read == ["estate/a.yml", "estate/b.yaml", "estate/v.yml", "z.yml"]


@pytest.mark.parametrize(
    "text, said",
    [
        (
            "estate_apply_workspaces:\n  - name: x\n   targets: [a]\n",
            ":3: not valid YAML (did not find expected '-' indicator): correct it.",
        ),
        (
            "estate_apply_workspaces:\n\t- name: x\n",
            ":2: not valid YAML (found character that cannot start any token): write spaces in place of tabs.",
        ),
        ("estate_apply_workspaces: [a\n", ":2: not valid YAML (did not find expected ',' or ']'): correct it."),
        (b"estate_apply_workspaces: [{name: B\xfc}]\n", " is not encoded in UTF-8: save it as UTF-8."),
        ("", " must hold estate_apply_workspaces and nothing else: correct the file."),
        ("[]", " must hold estate_apply_workspaces and nothing else: correct the file."),
        (GOOD + "estate_apply_purge: []\n", " must hold estate_apply_workspaces and nothing else: correct the file."),
    ],
)
def test_a_broken_file_is_named_with_its_line(tmp_path, text, said):
    path = tmp_path / "estate.yml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError) as failed:
        files_of([str(path)])
    assert str(failed.value) == f"{path}{said}"


def test_paths_that_do_not_exist_are_named(tmp_path):
    with pytest.raises(ValueError, match=f"do not exist, {tmp_path}/a, {tmp_path}/b: correct them"):
        files_of([f"{tmp_path}/a", str(tmp_path), f"{tmp_path}/b"])


def test_a_directory_without_files_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"holds no file whose name ends in \.yml or \.yaml"):
        files_of([str(tmp_path)])


def test_the_workspaces_of_all_files_are_joined_and_each_has_its_place():
    loaded = [{"estate_apply_workspaces": ["a", "b"]}, {"estate_apply_workspaces": ["c"]}]
    assert joined(["x.yml", "y.yml"], loaded) == {
        "workspaces": ["a", "b", "c"],
        "declared_at": [
            "x.yml: estate_apply_workspaces[0]",
            "x.yml: estate_apply_workspaces[1]",
            "y.yml: estate_apply_workspaces[0]",
        ],
    }


@pytest.mark.parametrize(
    "variables, said",
    [
        ({"estate_apply_workspaces": None}, "estate_apply_workspaces in x.yml is not a list: write a list, [] for no"),
        ({"estate_apply_workspaces": "a"}, "estate_apply_workspaces in x.yml is not a list"),
        ({"estate_apply_purge": []}, "x.yml must hold estate_apply_workspaces and nothing else"),
    ],
)
def test_a_file_that_declares_something_else_is_named(variables, said):
    with pytest.raises(ValueError) as failed:
        joined(["x.yml"], [variables])
    assert str(failed.value).startswith(said)
