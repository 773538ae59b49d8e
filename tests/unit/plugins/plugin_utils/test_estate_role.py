# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files of an estate: which are read, and what is said of one that is broken."""

from __future__ import annotations

import contextlib
import os
from unittest import mock

import pytest
from ansible.parsing import vault
from ansible.parsing.dataloader import DataLoader
from ansible.parsing.vault import VaultLib, VaultSecret
from ansible.template import Templar
from ansible_collections.scanops.scanner.plugins.module_utils._model.errors import WrongOption
from ansible_collections.scanops.scanner.plugins.plugin_utils._estate_files import (
    files_of,
    joined,
    read_estate_files,
)

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


# --- files are data

RUNS = """estate_apply_workspaces:
  - name: "{{ lookup('pipe', 'touch MARK') }}x"
    description: "{{ word }}"
    targets:
      - "{{ word }}.example"
      - {name: a.example, description: "#jinja2: variable_start_string: '<<'\\n<< word >>"}
"""


def read(path, templates=False, secrets=()):
    loader = DataLoader()
    loader.set_vault_secrets([("default", VaultSecret(each)) for each in secrets])
    template = Templar(loader, variables={"word": "evaluated"}).template if templates else None
    with contextlib.ExitStack() as stack:
        if hasattr(vault, "VaultSecretsContext"):
            # as ansible-playbook does, from ansible-core 2.19 on
            held = vault.VaultSecretsContext(loader._vault.secrets)
            stack.enter_context(mock.patch.object(vault.VaultSecretsContext, "current", lambda optional=False: held))
        return read_estate_files([str(path)], loader, template)


def test_a_template_in_a_file_is_not_evaluated(tmp_path):
    path = tmp_path / "a.yml"
    path.write_text(RUNS.replace("MARK", str(tmp_path / "mark")))
    (workspace,) = read(path)["workspaces"]
    assert workspace["description"] == "{{ word }}"
    assert workspace["targets"][0] == "{{ word }}.example"
    assert workspace["name"].startswith("{{ lookup")
    # neither now nor by what reads the result
    again = Templar(DataLoader(), variables={"word": "evaluated"}).template(workspace)
    assert again["description"] == "{{ word }}"
    assert not (tmp_path / "mark").exists()


def test_a_template_in_a_file_is_evaluated_where_the_user_asks_for_it(tmp_path):
    path = tmp_path / "a.yml"
    path.write_text("estate_apply_workspaces: [{name: '{{ word }}', description: !unsafe '{{ word }}'}]\n")
    assert read(path, templates=True)["workspaces"] == [{"name": "evaluated", "description": "{{ word }}"}]


def test_an_undefined_variable_in_a_template_is_named_with_its_file(tmp_path):
    path = tmp_path / "a.yml"
    path.write_text("estate_apply_workspaces: [{name: '{{ nowhere }}'}]\n")
    with pytest.raises(ValueError, match=r"a\.yml cannot be read \(.*nowhere.* undefined"):
        read(path, templates=True)


def test_an_encrypted_file_is_read(tmp_path):
    secret = b"of-nobody"
    library = VaultLib([("default", VaultSecret(secret))])
    path = tmp_path / "a.yml"
    path.write_bytes(library.encrypt(b"estate_apply_workspaces: [{name: A, description: hidden}]\n"))
    found = read(path, secrets=[secret])
    assert found["workspaces"] == [{"name": "A", "description": "hidden"}]
    with pytest.raises(ValueError, match=r"a\.yml cannot be read \("):
        read(path)


@pytest.mark.parametrize("templates", [False, True])
def test_an_encrypted_value_is_decrypted(tmp_path, templates):
    secret = b"of-nobody"
    text = VaultLib([("default", VaultSecret(secret))]).encrypt(b"hidden {{ word }}").decode().replace("\n", "\n    ")
    path = tmp_path / "a.yml"
    path.write_text(f"estate_apply_workspaces:\n - name: A\n   description: !vault |\n    {text}\n")
    (workspace,) = read(path, templates, [secret])["workspaces"]
    assert isinstance(workspace["description"], str)
    assert workspace["description"] == "hidden {{ word }}"


def test_a_file_that_everybody_can_write_is_refused(tmp_path):
    path = tmp_path / "a.yml"
    path.write_text(GOOD)
    path.chmod(0o666)
    with pytest.raises(WrongOption, match=r"estate_apply_files '.*' can be written by every user"):
        read(path)
    path.chmod(0o644)
    os.chmod(tmp_path, 0o777)
    with pytest.raises(WrongOption, match="because every user can write in"):
        read(path)


@pytest.mark.parametrize("place", ["top", "workspace", "target"])
def test_a_key_that_is_there_twice_is_refused_with_its_line(tmp_path, place):
    texts = {
        "top": "estate_apply_workspaces: []\nestate_apply_workspaces: []\n",
        "workspace": "estate_apply_workspaces:\n  - {name: A, targets: [a.example], targets: []}\n",
        "target": "estate_apply_workspaces:\n  - name: A\n    targets: [{name: a.example,\n      name: b.example}]\n",
    }
    path = tmp_path / "a.yml"
    path.write_text(texts[place])
    line = {"top": 2, "workspace": 2, "target": 4}[place]
    with pytest.raises(ValueError, match=rf"a\.yml:{line}: the key '\w+' is here a second time"):
        read(path)


BOMB = "&a0 [{name: a.example}]" + "".join(f", &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30))


@pytest.mark.parametrize("templates", [False, True])
@pytest.mark.parametrize("text", ["&a [*a]", "&a [{name: A, targets: *a}]", f"[{BOMB}]", f"[{{name: [{BOMB}]}}]"])
def test_a_text_that_repeats_itself_without_end_is_refused(tmp_path, text, templates):
    """Aliases take no memory before they are copied: these would be 10**29 targets."""
    path = tmp_path / "a.yml"
    path.write_text(f"estate_apply_workspaces: {text}\n")
    with pytest.raises(ValueError, match=r"a\.yml has a list .* contains itself, or that aliases repeat too often"):
        read(path, templates)


def test_aliases_may_repeat_what_is_declared(tmp_path):
    path = tmp_path / "a.yml"
    path.write_text("estate_apply_workspaces:\n- {name: A, targets: &all [a.example]}\n- {name: B, targets: *all}\n")
    assert [each["targets"] for each in read(path)["workspaces"]] == [["a.example"]] * 2


@pytest.mark.parametrize(
    "value",
    [
        "2001-12-14 21:59:43",
        "2026-01-01",
        "!!binary aGVsbG8=",
        "!!set {a, b}",
        "!!omap [a: b]",
        "{2026-01-01: a}",
        "9" * 5000,
    ],
)
def test_what_no_task_can_declare_is_refused(tmp_path, value):
    """A date would be declared in another form than it is written."""
    path = tmp_path / "a.yml"
    path.write_text(f"estate_apply_workspaces: [{{name: A, description: {value}}}]\n")
    with pytest.raises(ValueError, match=r"a\.yml cannot be read \("):
        read(path)


def test_a_key_that_an_encrypted_file_has_twice_is_refused(tmp_path):
    secret = b"of-nobody"
    path = tmp_path / "a.yml"
    text = b"estate_apply_workspaces:\n- {name: A, targets: [a.example], targets: []}\n"
    path.write_bytes(VaultLib([("default", VaultSecret(secret))]).encrypt(text))
    with pytest.raises(ValueError, match=r"a\.yml:2: the key 'targets' is here a second time"):
        read(path, secrets=[secret])


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda path: path.symlink_to("missing"), "is a link that leads nowhere: correct or remove it"),
        (lambda path: path.symlink_to("b.yml"), r"cannot be read \(Too many levels of symbolic links\)"),
        (os.mkfifo, "is not a regular file"),
    ],
)
def test_an_entry_of_a_directory_that_cannot_be_read_is_not_missed(tmp_path, make, said):
    """What it declares would be deleted as not declared."""
    (tmp_path / "a.yml").write_text(GOOD)
    make(tmp_path / "b.yml")
    with pytest.raises(WrongOption, match=rf"estate_apply_files '.*b\.yml' {said}"):
        files_of([str(tmp_path)])


def test_a_directory_that_cannot_be_read_is_named(tmp_path, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("os.listdir", refuse)
    monkeypatch.setattr("os.scandir", refuse)
    with pytest.raises(ValueError, match=rf"{tmp_path} cannot be read \(Permission denied\)"):
        files_of([str(tmp_path)])
