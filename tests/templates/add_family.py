# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Copy the template of an API family to this checkout: `python tests/templates/add_family.py NAME PLURAL`."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

TEMPLATES = Path(__file__).parent
CHECKOUT = TEMPLATES.parents[1]
# ansible-test refuses this line outside of plugins/modules
INTERPRETER = "#!/usr/bin/python\n"


def filled(text: str, name: str, plural: str) -> str:
    """A template for this family instead of the gadgets."""
    version = re.search(r"^version: (.+)$", (CHECKOUT / "galaxy.yml").read_text(encoding="utf-8"), re.MULTILINE)
    words = {"gadgets": plural, "gadget": name, "GADGET": name.upper(), "VERSION": version[1] if version else ""}
    return re.sub("gadgets|gadget|GADGET|VERSION", lambda found: words[found[0]], text)


def files(name: str, plural: str) -> dict[str, str]:
    """The files of the family by their paths in a checkout."""
    made = {}
    for path in sorted(TEMPLATES.rglob("*/**/*.in")):
        place = filled(path.relative_to(TEMPLATES).with_suffix("").as_posix(), name, plural)
        text = filled(path.read_text(encoding="utf-8"), name, plural)
        made[place] = INTERPRETER + text if place.startswith("plugins/modules/") else text
    return made


def resource(name: str, plural: str) -> str:
    """The entry of the family for _resources.py."""
    return filled((TEMPLATES / "resource.py.in").read_text(encoding="utf-8"), name, plural)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", metavar="NAME", help="the name of the module, such as http_logger")
    parser.add_argument("plural", metavar="PLURAL", help="the key of its list in results, such as http_loggers")
    options = parser.parse_args()
    for word in (options.name, options.plural):
        if not re.fullmatch(r"[a-z][a-z0-9_]*", word):
            parser.error(f"{word!r} is not a name of lower-case letters, digits and underscores")
    made = files(options.name, options.plural)
    existing = [place for place in made if (CHECKOUT / place).exists()]
    if existing:
        sys.exit(f"Nothing was copied, because these files exist: {', '.join(existing)}")
    for place, text in made.items():
        (CHECKOUT / place).parent.mkdir(parents=True, exist_ok=True)
        (CHECKOUT / place).write_text(text, encoding="utf-8")
        print(place)
    print(f"\nAdd this entry to plugins/module_utils/_resources.py:\n\n{resource(options.name, options.plural)}")


if __name__ == "__main__":
    main()
