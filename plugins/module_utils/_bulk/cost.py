# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What a plan costs: its calls, and how long the rate limits make them wait. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .._families.family import Family, may_be_full
from .._families.table import FAMILIES
from .model import Step

# calls a minute for each user (service-api.md, Limits; the one of PUT is assumed to be that of POST)
CALLS_A_MINUTE = {"GET": 250, "POST": 125, "PUT": 125, "DELETE": 125}


class Listing(NamedTuple):
    """A list of the service. resource: the name of its family; workspace: None for the list of the account."""

    resource: str
    workspace: str | None

    @property
    def family(self) -> Family:
        return FAMILIES[self.resource]


def listing_of(step: Step) -> Listing:
    """The list that shows what a step creates. Where keys are unique in the account, one list shows them all."""
    own = step.family.in_workspace and not step.family.key_is_account_wide
    return Listing(step.resource, step.workspace if own else None)


def calls_of(steps: Sequence[Step], reads: int, sizes: Mapping[str, int] | None = None) -> dict[str, int]:
    """The number of calls of the whole task, by method. reads: the GET calls that made the plan; sizes: the number of
    targets in each workspace now, by its name."""
    calls = dict(GET=reads, POST=0, PUT=0, DELETE=0)
    read_again = Counter({listing_of(step): 0 for step in steps if step.action == "create" or step.recreates})
    for step in steps:
        if listing_of(step) in read_again:
            read_again[listing_of(step)] += (step.action == "create") - (step.action == "delete")
        if step.action == "create" or step.recreates:
            calls["POST"] += 1
        elif step.action == "update":
            calls["PUT"] += 1
        if step.action == "delete" or step.recreates:
            calls["DELETE"] += 1
    for listing, more in read_again.items():
        calls["GET"] += _calls_to_list(listing, more, sizes or {})
    return calls


def _calls_to_list(listing: Listing, more: int, sizes: Mapping[str, int]) -> int:
    """more: how many rows the plan adds to the list."""
    if not listing.family.paged:
        return 1
    rows = sizes.get(listing.workspace or "", 0) + more
    # a list that is cut into pages ends with an empty one, and page 1 shows what the pages of a longer list count from
    size = max(listing.family.page_sizes)
    return -(-rows // size) + 1 + (rows >= size or bool(rows and may_be_full(rows)))


def minutes_of(calls: Mapping[str, int]) -> int:
    """The minimum wait for a run of these calls under the documented rate limits, in minutes; 0 for a run that fits."""
    writes = calls["POST"] + calls["PUT"] + calls["DELETE"]
    windows = max(-(-writes // CALLS_A_MINUTE["POST"]), -(-calls["GET"] // CALLS_A_MINUTE["GET"]))
    return max(0, windows - 1)
