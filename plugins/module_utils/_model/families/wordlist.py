# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Wordlists. Pure."""

from __future__ import annotations

from .family import Family, Operation, typed


class _Wordlist(Family):
    name = "wordlist"
    plural = "wordlists"
    noun = "wordlist"
    path = "/wordlists"
    key = "name"
    fields = ("id", "name", "description", "num_words", "predefined")
    text = ("name", "description")
    # what the service does on the delete of a predefined list is not public, so it is never asked
    kept = "predefined"
    scoped = False
    further = (Operation("GET", "/wordlists/{id}/contents", accepts=("text/plain",)),)
    types = typed(integer="id num_words", string="name description", boolean="predefined")


WORDLIST = _Wordlist()
