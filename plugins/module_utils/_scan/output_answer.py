# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What the output of a scan is taken for: whose it is, whether it can be whole, what a refusal means."""

from __future__ import annotations

from .._errors import Refused, printable
from .._resources import SCAN
from .record import is_in_progress

# the kinds whose data the public documentation and clients describe, an object each
_KNOWN_KINDS = ("finding_list", "subdomain_list", "domain_list", "port_scanner", "waf_results")


def scan_of(client, scan_id):
    """The record of the scan whose output is wanted. Refuses an id that is not there."""
    scan = client.read(SCAN, scan_id)
    if scan is None:
        raise Refused(
            f"id names no scan that this key may see, {scan_id}: correct it; scanops.scanner.scan_info lists those there are."
        )
    return scan


def refusal_hints(scan, other_form):
    """What to do next where the service refuses the output of this scan, by status.

    other_form: what to do where the tool has no output in the form that was asked for, a clause.
    """
    status = repr(printable(scan["status_name"], 60))
    if is_in_progress(scan):
        wait = f"the scan is still in progress, its status is {status}; wait until it has finished, and run again"
        return {404: wait, 406: wait, 409: wait}
    return {
        404: f"the scan left no output behind, its status is {status}; scan again",
        406: other_form,
        409: f"the output cannot be read in the scan's present state, its status is {status}; run again later",
    }


def parsed_output(answer):
    """The output in an answer, a dict with ``output_type`` and ``output_data``."""
    body = answer.json()
    data = body.get("data") if isinstance(body, dict) else None
    missing = what_is_missing(data)
    if missing:
        raise answer.unexpected(f"data that is no output of a scan ({missing})")
    return data


def what_is_missing(data):
    """Why a value cannot be the output of a scan, a phrase, or None where it can.

    Assumed: every output names its kind and carries its data. The data of a kind that nobody has described may be any
    JSON, also null.
    """
    if not isinstance(data, dict):
        return "it is not an object"
    kind = data.get("output_type")
    if not isinstance(kind, str) or not kind.strip():
        return "output_type is missing" if kind is None else "output_type is not a name"
    if "output_data" not in data:
        return "output_data is missing"
    # an empty list may be how the service writes an object without entries
    if kind in _KNOWN_KINDS and not isinstance(data["output_data"], (dict, list)):
        return f"the output_data of a {kind} is neither an object nor a list"
    return None
