# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The cells of the table of forms that differ without a sign in the result, each with its reason."""

from __future__ import annotations

from typing import NamedTuple


def _all(form: str, tasks: str, reason: str) -> dict[tuple[str, str], str]:
    return {(form, task): reason for task in tasks.split()}


GONE = "A read has shown it, and the delete was answered 404: somebody else deleted it, and this task changed nothing."
NOT_FRESH = "A scan that may be too old, or may be of another target or tool, is never fresh: another one is started."

NO_LEVEL = "A severity is unknown if its level is anything but an integer from 0 to 4."

# as documented
SETTLED = {
    **_all(
        "delete-404",
        "workspace-delete target-delete targets-delete targets-purge http_logger-delete-in-workspace"
        " http_logger_data-clear wordlist-delete estate-describe-and-purge scan-delete report-delete",
        GONE,
    ),
    **_all("clock-behind", "scan-fresh", NOT_FRESH),
    **_all("times-behind", "scan-fresh", NOT_FRESH),
    **_all("times-ahead", "scan-fresh", NOT_FRESH),
    **_all("scan-without-times", "scan-fresh", NOT_FRESH),
    **_all("scan-without-target", "scan-fresh", NOT_FRESH),
    **_all("scan-without-tool", "scan-fresh", NOT_FRESH),
    **_all("numbers-as-text", "finding-status", NO_LEVEL),
    **_all("numbers-as-float", "finding-status finding-fingerprint", NO_LEVEL),
    **_all("finding-changes-one", "finding-status", "The task names one finding by its id."),
    **_all("names-in-lower-case", "targets-create", "The service stores the declared name in lower case."),
    **_all(
        "workspace-without-description",
        "workspace-rename-by-id",
        "It is renamed, and a warning says that the description is not shown and was not compared.",
    ),
}


class Undetectable(NamedTuple):
    """Why the answers are those of another account on the usual form, and the assumption that says so."""

    reason: str
    assumption: str


# cells in which a task cannot notice that it is wrong; service_verification does not confirm the assumption there
UNDETECTABLE = {
    ("pages-from-0-of-1", task): Undetectable(
        "After a short first page and an empty page 2, page 1 is not read: it would cost 1 GET for each list, and differs from"
        " the first page only where pages start at 0, are smaller than requested, and are two.",
        "scan-pages",
    )
    # the last three say how many scans a deletion takes with it
    for task in ("scan_info-workspace", "targets-delete", "targets-purge", "estate-describe-and-purge")
}
# defects, which this table demands to be removed from here as soon as they are fixed
WRONG: dict[tuple[str, str], str] = {}
