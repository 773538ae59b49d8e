# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Code that exists only for one form of the service's answers, which a recording may exclude."""

from __future__ import annotations

from typing import Any, NamedTuple


class Alternative(NamedTuple):
    """Code for one form."""

    # the setting of the local service, and its value in this form; True for any value but an empty one
    setting: str
    value: Any
    # below plugins/, and the function, class, or method of a class
    file: str
    name: str
    # what of it is for this form only
    code: str

    def is_excluded(self, settings: dict[str, Any]) -> bool:
        """Whether the recording with these settings shows another form."""
        if self.setting not in settings:
            return False
        found = settings[self.setting]
        return not found if self.value is True and not isinstance(found, bool) else bool(found != self.value)


ALTERNATIVES = (
    Alternative("lists", "bare", "module_utils/_http/listing.py", "rows_of", "a list without data"),
    Alternative("create_answer", "record", "module_utils/_http/create.py", "_created", "the record in the answer"),
    Alternative("create_answer", "nothing", "module_utils/_http/create.py", "create", "the look that finds the new id"),
    Alternative("create_answer", "nothing", "module_utils/_http/create.py", "object_in", "an answer without a body"),
    Alternative("contents", "text", "module_utils/_http/client.py", "Client.data", "is_text"),
    Alternative("contents", "text", "modules/wordlist_info.py", "words", "plain text"),
    Alternative("contents", "wrapped", "modules/wordlist_info.py", "words", "contents in data"),
    Alternative("logger_data", "array", "module_utils/_estate/logger_data.py", "captured", "requests in a list"),
    Alternative("null_description", True, "module_utils/_model/records.py", "record_of", "null as an empty text"),
    Alternative(
        "first_page", 0, "module_utils/_http/listing.py", "Reading.next_place", "_may_repeat, and page 2 before page 1"
    ),
    Alternative("max_limit", 100, "module_utils/_http/listing.py", "_first_page", "smaller pages"),
    Alternative("omitted_workspace", "all", "module_utils/_model/records.py", "rows_in", "rows of other workspaces"),
    Alternative("ignored_filters", True, "module_utils/_model/records.py", "rows_in", "rows of other workspaces"),
    Alternative("ignored_filters", True, "module_utils/_task/lookup.py", "_refuse_unfiltered", "the refusal"),
    Alternative(
        "delete_status", 200, "module_utils/_http/client.py", "_accepted", "an object in the answer to a delete"
    ),
    Alternative("deletes_done", False, "module_utils/_http/client.py", "Client.delete", "read_back"),
    Alternative(
        "put_replaces", True, "module_utils/_model/records.py", "not_as_written", "fields that nobody declared"
    ),
    Alternative("redirects", "slash", "module_utils/_http/connection.py", "redirected", "the slash at the end"),
    Alternative("logger_workspace", "form", "module_utils/_model/families.py", "_HttpLogger", "form in in_workspace"),
    Alternative("id_form", "text", "module_utils/_model/records.py", "read_id", "digits as text"),
    Alternative("time_form", "unix", "module_utils/_model/times.py", "_numeric", "seconds"),
    Alternative("time_form", "unix_ms", "module_utils/_model/times.py", "_numeric", "milliseconds"),
    Alternative("time_form", "offset", "module_utils/_model/times.py", "_moment", "the offset of a time"),
    Alternative("time_form", "plain", "module_utils/_evidence/clock.py", "service_now", "times without a zone"),
    Alternative("finding_names", "alternative", "module_utils/_model/families.py", "_Finding", "the attribute also"),
    Alternative("beside_data", "total", "module_utils/_http/listing.py", "beside", "totals"),
    Alternative("beside_data", "pages", "module_utils/_http/listing.py", "_query_of", "the address of the next page"),
    Alternative("report_status", "status_name", "module_utils/_model/families.py", "_Report", "the attribute also"),
    Alternative(
        "report_status", "none", "module_utils/_scan/report.py", "_Present._try", "the download without a status"
    ),
    Alternative(
        "missing_fields",
        True,
        "module_utils/_model/records.py",
        "not_shown",
        "with _NotShown, revealed and not_compared",
    ),
)
