# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Build the documentation site of the installed collection that this is run in: `python build.py CHECKOUT`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

checkout = Path(sys.argv[1])
build = checkout / "build" / "docs"
pages, site = build / "rst", build / "html"
shutil.rmtree(build, ignore_errors=True)
# antsibull-docs refuses a directory that others may write to.
pages.mkdir(mode=0o700, parents=True)
subprocess.run(
    [
        *(
            "antsibull-docs",
            f"--config-file={checkout / 'docs/sphinx/antsibull-docs.cfg'}",
            "collection",
            "--use-current",
        ),
        *("--squash-hierarchy", "--fail-on-error", f"--dest-dir={pages}", "scanops.scanner"),
    ],
    check=True,
    env={**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(Path.cwd().parents[2])},
)
shutil.copytree(checkout / "docs" / "pictures", pages / "pictures")
# with groups in the sidebar, and where to start
shutil.copy(checkout / "docs" / "sphinx" / "index.rst", pages)
options = ["--quiet", "--fail-on-warning", "--keep-going", "-c", str(checkout / "docs" / "sphinx")]
subprocess.run(["sphinx-build", *options, str(pages), str(site)], check=True)
sys.stdout.write(f"The documentation is in {site / 'index.html'}\n")
