# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the filters for findings share: reading their input, the errors of filters, files of the controller."""

from __future__ import annotations

from collections.abc import Sequence

from ansible.errors import AnsibleFilterError
from ansible_collections.scanops.scanner.plugins.module_utils._errors import WrongOption, printable
from ansible_collections.scanops.scanner.plugins.module_utils._exports.document import read_document
from ansible_collections.scanops.scanner.plugins.module_utils._exports.formats import FORMATS, Choices, Written, write
from ansible_collections.scanops.scanner.plugins.plugin_utils._unsafe import unsafe


def exported(result: object, name: str, choices: Choices | None = None) -> Written:
    """The artefacts of a format for the result of the module gate, or for a gate.json. Raises AnsibleFilterError."""
    every_row = FORMATS[name].every_row if name in FORMATS else True
    try:
        return write(name, read_document(result, every_row), choices)
    except WrongOption as error:
        raise AnsibleFilterError(f"findings_{name}: {error}") from None


def exported_text(result: object, name: str, choices: Choices | None = None) -> str:
    """The text of a format that has one file. Raises AnsibleFilterError."""
    ((dummy, text),) = exported(result, name, choices).artefacts
    document: str = unsafe(text)
    return document


def read_files(paths: Sequence[str], option: str) -> list[tuple[str, str]]:
    """Paths and texts of files on the controller. Raises AnsibleFilterError."""
    found = []
    for path in paths:
        try:
            with open(path, encoding="utf-8-sig") as file:
                found.append((path, file.read()))
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise AnsibleFilterError(
                f"{option} names a file that cannot be read, {printable(path)!r} ({printable(reason)}): correct the path,"
                " or remove it."
            ) from None
    return found
