# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The cells of the table of forms that differ without a sign in the result, each with its reason."""

from __future__ import annotations


def _all(form: str, tasks: str, reason: str) -> dict[tuple[str, str], str]:
    return {(form, task): reason for task in tasks.split()}


GONE = "A read has shown it, and the delete was answered 404: somebody else deleted it, and this task changed nothing."
NOT_FRESH = "A scan that may be too old, or may be of another target or tool, is never fresh: another one is started."

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
    **_all("scan-without-times", "scan-fresh", NOT_FRESH),
    **_all("scan-without-target", "scan-fresh", NOT_FRESH),
    **_all("scan-without-tool", "scan-fresh", NOT_FRESH),
    **_all("names-in-lower-case", "targets-create", "The service stores the declared name in lower case."),
    **_all(
        "workspace-without-description",
        "workspace-rename-by-id",
        "It is renamed, and a warning says that the description is not shown and was not compared.",
    ),
}
# defects, which this table demands to be removed from here as soon as they are fixed
WRONG = {
    **_all(
        "pages-from-0-of-1",
        "scan_info-workspace",
        "After a short first page and an empty page 2, nobody asks for page 1, which is the second one of 2.",
    ),
    **_all(
        "findings-capped",
        "finding_info-workspace finding_info-filtered",
        "Neither the list nor the counts of the scans show that rows are missing.",
    ),
    **_all(
        "times-ahead",
        "scan-wait",
        "The zone of the times is guessed from the newest one, so that an old scan is fresh.",
    ),
    **_all("json-as-text", "wordlist_info-name", "Words in a JSON string that is sent as text are read as one word."),
    **_all(
        "workspace-filter-ignored",
        "http_logger_info-workspace",
        "A logger does not say in which workspace it is, and one list does not show that it is not filtered.",
    ),
}
