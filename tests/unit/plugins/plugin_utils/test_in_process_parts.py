# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import importlib
import logging
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from ansible_collections.scanops.scanner.plugins.module_utils._task import masking
from ansible_collections.scanops.scanner.plugins.plugin_utils import _core
from ansible_collections.scanops.scanner.plugins.plugin_utils._in_process import apart
from ansible_collections.scanops.scanner.plugins.plugin_utils._run_as import _is_own


class Late(BaseException):
    """The time limit of a task is no Exception either."""


def test_the_environment_and_the_directory_of_a_task_end_with_it(monkeypatch):
    monkeypatch.setenv("HOME", "/before")
    monkeypatch.delenv("SCANNER_TIMEOUT", raising=False)
    before, directory = dict(os.environ), os.getcwd()
    with pytest.raises(Late), apart({"HOME": "/task", "SCANNER_TIMEOUT": "5"}, os.sep):
        assert os.getcwd() == os.sep
        assert os.environ["HOME"] + os.environ["SCANNER_TIMEOUT"] == "/task5"
        raise Late
    assert (dict(os.environ), os.getcwd()) == (before, directory)


@pytest.fixture
def log_of_ansible(tmp_path):
    """The log file, as ansible-core opens it."""
    path = tmp_path / "ansible.log"
    handler = logging.FileHandler(path)
    logging.getLogger().addHandler(handler)
    yield path
    logging.getLogger().removeHandler(handler)
    handler.close()


def test_libraries_print_nothing_and_speak_again_afterwards(capfd, log_of_ansible, monkeypatch):
    shown = []
    monkeypatch.setattr(warnings, "showwarning", lambda message, *_where: shown.append(str(message)))

    with apart({}, os.curdir):
        warnings.warn("an unverified request", stacklevel=1)
        logging.getLogger("urllib3.connectionpool").warning("a pool is full")
    assert shown == []
    assert log_of_ansible.read_text(encoding="utf-8") == ""
    warnings.warn("afterwards", stacklevel=1)
    logging.getLogger("urllib3.connectionpool").warning("also afterwards")
    assert shown == ["afterwards"]
    assert log_of_ansible.read_text(encoding="utf-8") == "also afterwards\n"
    assert capfd.readouterr() == ("", "")


def test_the_own_interpreter_may_have_another_name_in_its_directory(tmp_path, monkeypatch):
    own, other = tmp_path / "own", tmp_path / "other"
    for directory in (own, other):
        directory.mkdir()
        (directory / "python3.12").symlink_to(os.path.realpath(sys.executable))
    (own / "python").symlink_to("python3.12")
    (own / "perl").write_text("", encoding="utf-8")
    monkeypatch.setattr(sys, "executable", str(own / "python3.12"))
    assert _is_own(str(own / "python3.12"))
    assert _is_own(str(own / "python"))
    # another virtual environment has other libraries, although the program is the same
    assert not _is_own(str(other / "python3.12"))
    assert not _is_own(str(own / "perl"))
    assert not _is_own("python3.12")
    # none is set, or ansible-core looks for one
    assert _is_own("") and _is_own("auto_silent")


@pytest.mark.parametrize("method", [None, "_update_module_args", "_compute_environment_string", "_parse_returned_data"])
def test_what_another_ansible_core_lacks_is_named(monkeypatch, method):
    if method:
        monkeypatch.delattr(_core.ActionBase, method)
    assert _core.unknown() == method


def test_a_method_with_other_parameters_is_not_used(monkeypatch):
    monkeypatch.setattr(_core.ActionBase, "_parse_returned_data", lambda self, one, two, three: None)
    assert _core.unknown() == "_parse_returned_data of a known form"


def test_arguments_lose_what_json_does_not_have():
    read = _core.as_module_reads({"names": ("a", "b"), "timeout": 5, "text": "é"})
    assert read == {"names": ["a", "b"], "timeout": 5, "text": "é"}
    assert read["text"].__class__ is str


def test_arguments_that_are_not_json_are_refused():
    with pytest.raises((TypeError, ValueError)):
        _core.as_module_reads({"name": object()})


# --- the short ways through large results

SECRETS = {"k\u00e9y-\U0001f511", 'quo"te', "back\\slash", "7", "ru"}
VALUES = [
    "innocent",
    "k\u00e9y-\U0001f511",
    "a k\u00e9y-\U0001f511 inside",
    'with a quo"te',
    "with a back\\slash",
    1,
    1747,
    2.5,
    1.75,
    True,
    None,
    ["rust", {"deep": ['quo"te', 7]}, []],
    [["plain"], 7],
    {"k\u00e9y-\U0001f511": {"7": "7", "x": {"y": [8, "k\u00e9y-\U0001f511"]}}},
    ("a", "7"),
    pytest.param({"b", "7"}, id="set"),
]


@pytest.mark.skipif(masking.remove_values is None, reason="ansible-core masks what it shows, and no results")
@pytest.mark.parametrize("value", VALUES, ids=repr)
@pytest.mark.parametrize("secrets", [SECRETS, {"key"}, {"N"}, set()], ids=len)
def test_secrets_are_masked_as_ansible_core_masks_them(value, secrets):
    result = {"rows": [value, {"in": value}], "one": {"of": value, "more": {"and": value}}}
    assert masking.shown_result(result, secrets) == masking.remove_values(result, secrets)


def test_values_beyond_json_are_not_plain():
    assert masking.is_plain({"a": [1, "x", None, True, 2.5, {"b": []}]})

    class Text(str):
        __slots__ = ()

    for value in (b"x", {b"x": 1}, {1: "x"}, (1,), {1}, Text("x"), [[b"x"]], {"a": {"b": [object()]}}):
        assert not masking.is_plain(value)
    deep = []
    for _level in range(101):
        deep = [deep]
    assert not masking.is_plain(deep)


def test_what_filters_import_is_imported_before_the_workers_start():
    program = f"import sys, {_core.__name__}; print(*sys.modules)"
    # in a process of its own, which has imported nothing yet
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(_core.__file__).parents[5]), *sys.path])}
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    assert {"ansible.utils.encrypt", "ansible.parsing.yaml.dumper"} <= set(run.stdout.split())


def test_the_fields_of_results_are_read_before_the_workers_start():
    try:
        from ansible._internal._task import UnifiedTaskResult
    except ImportError:
        pytest.skip("before ansible-core 2.21, nothing reads them")
    cached = UnifiedTaskResult.get_result_key_to_resolved_field_mapping
    cached.cache_clear()
    _core.warm()
    read = cached.cache_info().misses
    UnifiedTaskResult.from_action_result_dict({})
    UnifiedTaskResult._from_result_dict({}, source_is_module=True)
    assert cached.cache_info().misses == read == 2


def test_a_release_of_ansible_core_that_lacks_them_is_no_failure(monkeypatch):
    tried = []

    def missing(name):
        tried.append(name)
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    _core.warm()
    assert len(tried) == 3
