# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The table of the API: one entry for each family."""

from __future__ import annotations

from typing import NamedTuple

# the largest page of the target list (public documentation of the service: limit 1 to 1000)
PAGE_SIZE = 1000


class Resource(NamedTuple):
    """One API family.

    name, plural: result keys; noun: the word in messages; path: the collection; key: the field that is its natural key.
    fields: what a record always carries in results; text: those of them that are text, null read as "".
    declared: the fields beside the key that a user may declare; updatable: those fields, the key included, that PUT
    takes; where ``declared`` holds a field that ``updatable`` lacks, the field can drift.
    in_workspace: "" where the family stands outside workspaces, else how a create names the workspace: form,
    query or json.
    identity: the field that tells records apart and names one in a path, "" where a record has none.
    paged: how the list is cut, by "page" or by "offset", or "" where it comes whole. page_sizes: the rows of a page that
    are asked for; where the service refuses one, the next is tried. holds: the families that are deleted
    with it. created: the fields of a create's answer that may hold the new id, the first that is there counts.
    also: where a field of a record may be found under another name, by field. read_only: the API has no call that makes
    or deletes one. kept: the field that, where true, forbids deletion, or "". delete_hints: what to do next after a
    refused delete, by status.
    scoped: whether a POST or PUT can create, scan or contact a target, so that the gate judges its body (a new family is
    judged unless its entry says otherwise). target_names: the fields of that body that are a target's name.
    unscoped_fields: the fields of that body that name no place: prose, and secrets, which must not appear in a refusal.
    harmless_actions: what a POST below one of its objects may ask without being judged, as "stop".
    key_is_place: whether the key is a host, an address or a URL, of which one has several spellings.
    key_is_account_wide: whether a key is unique in the account, although the family is in workspaces.
    """

    name: str
    plural: str
    noun: str
    path: str
    key: str
    fields: tuple[str, ...]
    text: tuple[str, ...] = ()
    declared: tuple[str, ...] = ()
    updatable: tuple[str, ...] = ()
    in_workspace: str = ""
    identity: str = "id"
    paged: str = ""
    page_sizes: tuple[int, ...] = (PAGE_SIZE,)
    holds: tuple[str, ...] = ()
    created: tuple[str, ...] = ("created_id", "id")
    also: dict[str, str] | None = None
    read_only: bool = False
    kept: str = ""
    delete_hints: dict[int, str] | None = None
    scoped: bool = True
    target_names: tuple[str, ...] = ()
    unscoped_fields: tuple[str, ...] = ()
    harmless_actions: tuple[str, ...] = ()
    key_is_place: bool = False
    key_is_account_wide: bool = False

    @property
    def recreatable(self) -> bool:
        """Whether declared fields can drift: no call updates them, so only a new object can have other ones."""
        return not set(self.declared) <= set(self.updatable)


WORKSPACE = Resource(
    name="workspace",
    plural="workspaces",
    noun="workspace",
    path="/workspaces",
    key="name",
    fields=("id", "name", "description"),
    text=("name", "description"),
    declared=("description",),
    updatable=("name", "description"),
    holds=("target", "http_logger"),
    scoped=False,
    delete_hints={
        409: "the account's current workspace cannot be deleted; select another one in the web application, and run the"
        " task again"
    },
)

TARGET = Resource(
    name="target",
    plural="targets",
    noun="target",
    path="/targets",
    key="name",
    fields=("id", "name", "type", "description", "workspace_id"),
    text=("name", "description"),
    declared=("description",),
    in_workspace="form",
    paged="page",
    delete_hints={403: "the account's plan may not include deleting targets; delete it in the web application"},
    target_names=("name",),
    unscoped_fields=("description",),
    key_is_place=True,
)

HTTP_LOGGER = Resource(
    name="http_logger",
    plural="http_loggers",
    noun="HTTP logger",
    path="/http_loggers",
    key="label",
    fields=("id", "label", "handler_url", "active_days", "num_requests"),
    text=("label",),
    in_workspace="query",
    scoped=False,
    key_is_account_wide=True,
)

WORDLIST = Resource(
    name="wordlist",
    plural="wordlists",
    noun="wordlist",
    path="/wordlists",
    key="name",
    fields=("id", "name", "description", "num_words", "predefined"),
    text=("name", "description"),
    # what the service does on the delete of a predefined list is not public, so it is never asked
    kept="predefined",
    scoped=False,
)

SCAN = Resource(
    name="scan",
    plural="scans",
    noun="scan",
    path="/scans",
    key="id",
    fields=(
        "id", "tool_id", "target_id", "workspace_id", "status_name", "status_message", "progress", "result_summary",
        "start_time", "end_time", "duration", "num_tests", "num_finished_tests",
    ),
    in_workspace="json",
    paged="page",
    # the contract's illustration of a record calls it status; the public documentation of scans status_name
    also={"status_name": "status"},
    delete_hints={409: "a running scan cannot be deleted; stop it first, or set force"},
    target_names=("target_name",),
    unscoped_fields=tuple(
        f"authentication.params.{name}" for name in ("cookie_header", "headers", "username", "password")
    ),
    harmless_actions=("stop",),
)  # fmt: skip

FINDING = Resource(
    name="finding",
    plural="findings",
    noun="finding",
    path="/findings",
    key="id",
    fields=("id", "name", "risk_level", "status", "cve", "target_id", "task_id"),
    text=("name",),
    # a finding that is read by its id may call it so (tests of the service's published client)
    also={"risk_level": "vuln_risk_level"},
    in_workspace="query",
    read_only=True,
)

REPORT = Resource(
    name="report",
    plural="reports",
    noun="report",
    path="/reports",
    key="id",
    fields=("id", "format", "status"),
    # whether a report has a status is not public; scans call theirs status_name
    also={"status": "status_name"},
    created=("report_id", "created_id", "id"),
    # a webhook gets the report and is not scanned
    scoped=False,
)

VPN_PROFILE = Resource(
    name="vpn_profile",
    plural="vpn_profiles",
    noun="VPN profile",
    path="/vpn_profiles",
    key="name",
    fields=("uuid", "name"),
    text=("name",),
    identity="uuid",
    read_only=True,
)

FINDING_TEMPLATE = Resource(
    name="finding_template",
    plural="finding_templates",
    noun="finding template",
    path="/public/finding_templates",
    key="name",
    fields=("name",),
    text=("name",),
    identity="",
    paged="offset",
    # the most that it takes is not public
    page_sizes=(PAGE_SIZE, 500, 100, 50, 10),
    read_only=True,
)

RESOURCES = {
    entry.name: entry
    for entry in (WORKSPACE, TARGET, HTTP_LOGGER, WORDLIST, SCAN, FINDING, REPORT, VPN_PROFILE, FINDING_TEMPLATE)
}

# values of the type filter of the target list (public documentation of the service)
TARGET_TYPES = ("hostname", "ip_address", "url")
