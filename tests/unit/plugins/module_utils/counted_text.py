# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Texts that count their comparisons, to tell linear work from quadratic work without a clock."""

from __future__ import annotations


class CountedText(str):
    """A text. comparisons: how often any of these texts was compared."""

    comparisons = 0

    def __eq__(self, other: object) -> bool:
        CountedText.comparisons += 1
        return str(self) == str(other)

    __hash__ = str.__hash__

    def strip(self, *_characters: object) -> CountedText:
        return self

    def lower(self) -> CountedText:
        return self


def comparisons(call: object, *arguments: object) -> int:
    """How many comparisons a call needs, whether it succeeds or raises ValueError."""
    CountedText.comparisons = 0
    try:
        call(*arguments)  # type: ignore[operator]  # any function
    except ValueError:
        pass
    return CountedText.comparisons
