# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A home directory below the checkout, for ansible-test: it keeps its environments there."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

# ansible-test runs this with the interpreter of a new environment, which has no pip, in place of the script that it would
# download from a site of its own. The first argument list is pip's; the two options are for packages that nobody asks for.
GET_PIP = """\
import glob, os, runpy, sys

# the last wheel that this Python can run; those of older Pythons come first
wheel = {wheels!r}["%d.%d" % sys.version_info[:2]]
sys.path.insert(0, wheel)
sys.argv = ["pip", "install"] + [part for part in sys.argv[1:] if part not in ("--no-setuptools", "--no-wheel")]
runpy.run_module("pip", run_name="__main__")
"""
PIP_VERSION = re.compile(r"""\bpip=["']([0-9.]+)["']""")


def prepare(home: Path, environment: Path) -> None:
    """Create what ansible-test needs for its environments: pip, from the wheels of virtualenv, and the settings of pip.

    environment: the directory of the programs of an environment, in which ansible-test may be installed.
    """
    cache = home / ".ansible" / "test" / "cache"
    cache.mkdir(parents=True, exist_ok=True)
    for source in environment.parent.glob("lib/python*/site-packages/ansible_test/_internal/python_requirements.py"):
        versions = set(PIP_VERSION.findall(source.read_text(encoding="utf-8")))
        if not versions:
            sys.exit(f"{source} names no version of pip: correct PIP_VERSION in {__file__}.")
        for version in versions:
            script = cache / f"get_pip_{version.replace('.', '_')}.py"
            script.write_text(GET_PIP.format(wheels=pip_wheels()), encoding="utf-8")
    # ansible-test passes neither variables nor the user's files on to pip.
    settings = home / ".config" / "pip" / "pip.conf"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.touch(mode=0o600)
    settings.write_text(pip_settings(), encoding="utf-8")


def pip_wheels() -> dict[str, str]:
    """The wheel of pip that virtualenv, which comes with nox, has for each Python."""
    from virtualenv.seed.wheels.embed import BUNDLE_FOLDER, BUNDLE_SUPPORT

    return {python: str(BUNDLE_FOLDER / wheels["pip"]) for python, wheels in BUNDLE_SUPPORT.items()}


def pip_settings() -> str:
    """What variables and files set for pip, as one file."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    values = {}
    for line in listed.splitlines():
        name, _equals, value = line.partition("=")
        values[name.rpartition(".")[2]] = " ".join(str(ast.literal_eval(value)).split())
    return "\n".join(["[global]", *(f"{name} = {value}" for name, value in values.items()), ""])
