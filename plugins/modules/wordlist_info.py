#!/usr/bin/python
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: wordlist_info
short_description: Read wordlists
description:
  - Returns all wordlists, or those with a name or id. With O(contents=true), also returns their words.
  - Cost - 1 GET; with O(contents=true) + 1 GET for each returned wordlist.
version_added: 1.0.0
author:
  - The scanops.scanner contributors (!UNKNOWN)
extends_documentation_fragment:
  - scanops.scanner.attributes
  - scanops.scanner.attributes.reads
  - scanops.scanner.attributes.action_group
  - scanops.scanner.connection
options:
  name:
    description:
      - Return only wordlists with this name. An unknown name returns an empty list.
    type: str
  id:
    description:
      - Return only the wordlist with this id. An unknown id returns an empty list.
    type: int
  contents:
    description:
      - Also return the words. Long wordlists make long results, so select one with O(name) or O(id).
      - The task warns if the number of words differs from C(num_words).
    type: bool
    default: false
seealso:
  - module: scanops.scanner.wordlist
"""

EXAMPLES = r"""
- name: Read the words of a wordlist
  scanops.scanner.wordlist_info:
    base_url: https://scanner.example.com/api/v2
    api_key: "{{ vault_scanner_api_key }}"
    name: Our subdomains
    contents: true
  register: ours

- name: Show the number of words
  ansible.builtin.debug:
    msg: "{{ ours.wordlists | map(attribute='words') | flatten | length }}"
"""

RETURN = r"""
wordlists:
  description: The wordlists in the service's order, with every field that the service returns.
  returned: success
  type: list
  elements: dict
  sample:
    - id: 31
      name: Our subdomains
      description: ""
      num_words: 2
      predefined: false
      words: [api, www]
  contains:
    id:
      description: The id of the wordlist.
      returned: success
      type: int
      sample: 31
    name:
      description: Its name.
      returned: success
      type: str
      sample: Our subdomains
    description:
      description: Its description. Empty if it has none.
      returned: success
      type: str
      sample: ""
    num_words:
      description: The number of its words, as the service reports it.
      returned: success
      type: int
      sample: 2
    predefined:
      description: Whether the service provides it.
      returned: success
      type: bool
      sample: false
    words:
      description: Its words.
      returned: with O(contents=true)
      type: list
      elements: str
      sample: [api, www]
"""

from typing import Any

from ..module_utils._http.client import Client
from ..module_utils._model.errors import printable
from ..module_utils._model.families import WORDLIST
from ..module_utils._task.module import Module, run
from ..module_utils._task.references import information
from ..module_utils._task.task import Task

OPTIONS = dict(
    name=dict(type="str"),
    id=dict(type="int"),
    contents=dict(type="bool", default=False),
)


def words(client: Client, wordlist_id: int) -> list[str]:
    """The words of a wordlist."""
    answer = client.data(WORDLIST, wordlist_id, "/contents", is_text=True)
    # assumed: one text with a word on each line, as JSON, as plain text, or wrapped in data
    body = answer.text() if answer.content_type.startswith("text/plain") else answer.json()
    if isinstance(body, dict):
        body = body.get("data")
    if isinstance(body, str):
        found = [word.rstrip("\r") for word in body.split("\n")]
        return found if found[-1] else found[:-1]
    if not isinstance(body, list) or not all(isinstance(word, str) for word in body):
        raise answer.unexpected("contents that are not words")
    return body


def read(task: Task) -> dict[str, Any]:
    wordlists = []
    for row in information(task, WORDLIST):
        if task.params["contents"]:
            found, counted = words(task.client, row["id"]), row["num_words"]
            # contents in a form that is misread show in their number
            if isinstance(counted, int) and counted != len(found):
                task.warn(
                    f"Wordlist {printable(row['name'])!r} (id {row['id']}) has {counted:,} words by its num_words, but"
                    f" {len(found):,} in its contents: some may be missing, or read in a wrong way. Compare with the web"
                    " application."
                )
            row = dict(row, words=found)
        wordlists.append(row)
    return {"wordlists": wordlists}


MODULE = Module(OPTIONS, read, mutually_exclusive=[("name", "id")])


def main() -> None:
    run(MODULE)


if __name__ == "__main__":
    main()
