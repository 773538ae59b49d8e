# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The results that tasks have registered, in any form that Ansible gives them, and the scans in a result. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

# one of them is in the result of an item of a loop
_OF_ITEMS = ("ansible_loop_var", "item", "scans")


def results_in(registered: Iterable[object], path: str = "scan_results") -> Iterator[tuple[str, object]]:
    """What tasks have registered, each with its path; in place of a loop, the results of its items."""
    for index, result in enumerate(registered):
        here = f"{path}[{index}]"
        results = result.get("results") if isinstance(result, Mapping) else None
        # the modules estate and targets have ``results`` of their own
        if isinstance(results, list) and any(
            isinstance(each, Mapping) and any(key in each for key in _OF_ITEMS) for each in results
        ):
            yield from results_in(results, f"{here}.results")
        else:
            yield here, result


def scans_in(result: object) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """What a result says of each scan, and the service's record of it. Either is {} if it is missing or something else."""
    scans = result.get("scans") if isinstance(result, Mapping) else None
    for each in scans if isinstance(scans, list) else ():
        said: Mapping[str, Any] = each if isinstance(each, Mapping) else {}
        record = said.get("scan")
        yield said, record if isinstance(record, Mapping) else {}
