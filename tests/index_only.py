# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run `make demo` and `make test` in a fresh clone where no name but those of the package index can be resolved.

The names are those that pip uses. The clone, an empty home directory and the tests are in a mount namespace with a hosts file
of its own and without a name server. Needs Linux, `unshare`, and the right to create such a namespace.
"""

from __future__ import annotations

import os
import re
import shlex
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
# a small package that every environment has
PACKAGE = "packaging"
NAMESPACE = ["unshare", "--mount", "--map-root-user"]


def index_names() -> set[str]:
    """The hosts of the package index and of its files, from the requests of a download."""
    pip = [sys.executable, "-m", "pip"]
    with tempfile.TemporaryDirectory() as place:
        log = subprocess.run(
            [*pip, "download", "--no-deps", "--no-cache-dir", "-vv", "--dest", place, PACKAGE],
            check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
    # Requests are what its urllib3 logs; other addresses are links of the page that nobody follows.
    return set(re.findall(r'(?m)^\s*https?://([^\s:/"]+):\d+ "GET ', log))


def main() -> int:
    probe = subprocess.run([*NAMESPACE, "true"], check=False, capture_output=True, text=True)
    if probe.returncode:
        print(f"Skipped: no mount namespace can be created here: {probe.stderr.strip()}")
        return 0
    hosts = ["127.0.0.1 localhost", "::1 localhost"]
    for name in sorted(index_names()):
        hosts += [f"{address[4][0]} {name}" for address in socket.getaddrinfo(name, 443, type=socket.SOCK_STREAM)]
    with tempfile.TemporaryDirectory() as place:
        clone, home = Path(place, "clone"), Path(place, "home")
        home.mkdir()
        Path(place, "hosts").write_text("\n".join([*hosts, ""]), encoding="utf-8")
        Path(place, "empty").touch()
        subprocess.run(["git", "clone", "--quiet", CHECKOUT, clone], check=True)
        steps = [
            f"mount --bind {shlex.quote(place)}/hosts /etc/hosts",
            f"mount --bind {shlex.quote(place)}/empty /etc/resolv.conf",
            f"cd {shlex.quote(str(clone))}",
            "make demo",
            "make test",
        ]
        environment = {"HOME": str(home), "PATH": path_without_environments()}
        status = subprocess.run([*NAMESPACE, "sh", "-c", " && ".join(steps)], check=False, env=environment).returncode
        written = sorted(path.name for path in home.iterdir() if path.name != ".cache")
        if written:
            print(f"Written to the home directory: {', '.join(written)}")
        return status or bool(written)


def path_without_environments() -> str:
    """PATH without the environments of this checkout."""
    return os.pathsep.join(
        entry for entry in os.environ["PATH"].split(os.pathsep) if not Path(entry).is_relative_to(CHECKOUT)
    )


if __name__ == "__main__":
    sys.exit(main())
