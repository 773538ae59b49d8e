# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What identifies the check of a finding, for fingerprints and exports. Pure."""

from __future__ import annotations

import re
import unicodedata

# how many characters of a name identify a finding whose check has no id
LONGEST_NAME = 500
# an entry such as "Nothing was found" has this id, whatever was looked for (the service's published client)
_NO_CHECK = re.compile(r"NONVULN-[0-9]+-0+", re.IGNORECASE)


def check_or_name(check: object, name: object) -> tuple[str | None, str | None]:
    """The service's id of a check, or else the finding's name in the form in which names are compared. The other one is None.

    A CVE id is neither: different findings may have the same.
    """
    known = check_of(check)
    if known:
        return known, None
    # its first characters in lower case, composed, with single spaces
    text = "" if name is None else str(name)[:LONGEST_NAME]
    return None, " ".join(unicodedata.normalize("NFC", text.casefold()).split())


def check_of(value: object) -> str | None:
    """The id of a check in a field of the service; None if it is missing or stands for no check."""
    return None if stands_for_no_check(value) else _text_of(value) or None


def stands_for_no_check(value: object) -> bool:
    """Whether a field of the service has the id of an entry that says that nothing was found."""
    return bool(_NO_CHECK.fullmatch(_text_of(value)))


def _text_of(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    return value.strip() if isinstance(value, str) else ""
