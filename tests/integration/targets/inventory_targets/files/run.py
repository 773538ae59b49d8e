# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run an Ansible command and print {"rc", "stdout", "stderr"} as JSON; fail where the key is in what it printed.

    python run.py --ready FILE [--with-key] [--set NAME=VALUE] -- ansible-inventory …
    python run.py --ready FILE --search DIRECTORY

FILE is what setup_service wrote. --with-key puts the address and the key into the environment of the command. --search
fails where the key is in the name or the contents of a file of the directory; it prints {"files": number}.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path


def program(name: str) -> str:
    beside = Path(sys.executable).with_name(name)
    return shutil.which(name) or str(beside)


def search(directory: Path, key: str) -> int:
    files = [path for path in directory.rglob("*") if path.is_file()]
    for path in files:
        if key in str(path) or key.encode() in path.read_bytes():
            sys.exit(f"The key is in {path.name}.")
    return len(files)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--ready", type=Path, required=True)
    parser.add_argument("--with-key", action="store_true")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--search", type=Path)
    parser.add_argument("command", nargs="*")
    arguments = parser.parse_args()
    service = json.loads(arguments.ready.read_text())
    if arguments.search:
        print(json.dumps({"files": search(arguments.search, service["api_key"])}))
        return
    # what a surrounding test run sets must not decide what is tested here
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("SCANNER_", "ANSIBLE_INV"))
    }
    environment.update(setting.split("=", 1) for setting in arguments.set)
    if arguments.with_key:
        environment.update(SCANNER_BASE_URL=service["base_url"], SCANNER_API_KEY=service["api_key"])
    done = subprocess.run(
        [program(arguments.command[0]), *arguments.command[1:]],
        env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    if service["api_key"] in done.stdout + done.stderr:
        sys.exit("The key is in the output.")
    print(json.dumps({"rc": done.returncode, "stdout": done.stdout, "stderr": done.stderr}))


if __name__ == "__main__":
    main()
