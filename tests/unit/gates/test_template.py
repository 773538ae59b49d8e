# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The template of an API family is complete: what it gives for an existing family passes its own tests, and what it gives
for a made-up one can be imported and is documented as it is coded."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys

import ansible
import jinja2
import pytest
import yaml
from ansible_collections.scanops.scanner.tests.unit.gates.collection import ROOT
from ansible_collections.scanops.scanner.tests.unit.gates.test_conditions import conditions

TEMPLATES = ROOT / "tests" / "templates"
# galaxy.yml keeps them out
pytestmark = pytest.mark.skipif(not TEMPLATES.is_dir(), reason="the artefact has no templates")
NAMES = "ansible_collections.scanops.scanner.plugins"

IMPORT = f"""
import yaml
from {NAMES}.modules import ukulele, ukulele_info
for module in (ukulele, ukulele_info):
    options = yaml.safe_load(module.DOCUMENTATION)["options"]
    assert set(options) == set(module.OPTIONS), options
    for name, option in module.OPTIONS.items():
        assert options[name]["type"] == option["type"]
        assert options[name].get("default") == option.get("default")
        assert options[name].get("choices") == option.get("choices")
    assert yaml.safe_load(module.DOCUMENTATION)["version_added"] == yaml.safe_load(open("galaxy.yml"))["version"]
    assert yaml.safe_load(module.EXAMPLES) and yaml.safe_load(module.RETURN)
print("imported")
"""


def add_family():
    spec = importlib.util.spec_from_file_location("add_family", TEMPLATES / "add_family.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def scratch(tmp_path):
    """A copy of the collection without its integration tests."""
    place = tmp_path / "ansible_collections" / "scanops" / "scanner"
    for part in ("plugins", "tests/unit", "tests/service", "tests/templates", "meta"):
        shutil.copytree(ROOT / part, place / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "galaxy.yml", place)
    return place


def change_table(scratch, *changes):
    table = scratch / "plugins" / "module_utils" / "_resources.py"
    text = table.read_text(encoding="utf-8")
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    table.write_text(text, encoding="utf-8")


def run(scratch, *command):
    # ansible-test has ansible-core in a directory of its own
    libraries = os.pathsep.join([str(scratch.parents[2]), os.path.dirname(os.path.dirname(ansible.__file__))])
    environment = {**os.environ, "PYTHONPATH": libraries, "PYTHONDONTWRITEBYTECODE": "1"}
    for name in list(environment):
        if name.startswith("PYTEST_"):
            del environment[name]
    return subprocess.run(
        [sys.executable, *map(str, command)], cwd=scratch, env=environment, capture_output=True, text=True, check=False
    )


def test_what_it_gives_for_an_existing_family_passes_its_own_tests(scratch):
    made = add_family().files("workspace", "workspaces")
    for place, text in made.items():
        (scratch / place).parent.mkdir(parents=True, exist_ok=True)
        (scratch / place).write_text(text, encoding="utf-8")
    # the template has no force
    change_table(scratch, ('    holds=("target", "http_logger"),\n', ""))
    tests = [place for place in made if place.startswith("tests/unit/")]
    assert len(tests) == 2
    result = run(scratch, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests)
    assert result.returncode == 0, result.stdout + result.stderr


def test_what_it_gives_for_a_made_up_family_can_be_imported(scratch):
    result = run(scratch, "tests/templates/add_family.py", "ukulele", "ukuleles")
    assert result.returncode == 0, result.stderr
    entry = add_family().resource("ukulele", "ukuleles")
    assert entry in result.stdout
    change_table(scratch, ("\nRESOURCES = {", f"\n{entry}\nRESOURCES = {{"), ("entry in (", "entry in (UKULELE, "))
    result = run(scratch, "-c", IMPORT)
    assert result.stdout == "imported\n", result.stderr


def test_an_existing_file_is_not_replaced(scratch):
    before = (scratch / "plugins/modules/workspace.py").read_bytes()
    result = run(scratch, "tests/templates/add_family.py", "workspace", "workspaces")
    assert "Nothing was copied" in result.stderr
    assert result.returncode == 1
    assert (scratch / "plugins/modules/workspace.py").read_bytes() == before


def test_its_integration_targets_are_readable():
    made = add_family().files("ukulele", "ukuleles")
    assert not [place for place, text in made.items() if "gadget" in (place + text).lower()]
    targets = {place: text for place, text in made.items() if place.startswith("tests/integration/")}
    assert len(targets) == 6
    for place, text in targets.items():
        if place.endswith(".yml"):
            for condition in conditions(yaml.safe_load(text)):
                jinja2.Environment().parse(f"{{% if {condition} %}}{{% endif %}}")
