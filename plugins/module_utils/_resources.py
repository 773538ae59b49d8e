# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The table of the API: one entry for each family."""

from __future__ import annotations

from typing import NamedTuple

# the largest page of the target list (public documentation of the service: limit 1 to 1000)
PAGE_SIZE = 1000


class Resource(NamedTuple):
    """One API family. What code does for one family and not for another is decided by these fields, never by its name.

    Names: ``name`` and ``plural`` are result keys, ``noun`` is the word in messages, ``path`` the collection in the API.

    Records: ``key`` is the field that is the natural key; ``identity`` the one that tells records apart and names one in a
    path, "" where records have none; ``fields`` are what a record always has in results; ``text`` are those of them that
    are text, so that null is read as "". ``also`` maps a field to another name under which the service may send it.
    ``workspace_field`` is the field that names a workspace.

    Declarations: ``declared`` are the fields beside the key that a user may declare; ``updatable`` those fields, the key
    included, that PUT takes; ``key_suffices`` says that a list may declare an object by its key alone.

    Workspaces: ``in_workspace`` is how a create names the workspace, "" where the family has none: "form" or "query"; "json"
    is only for a family that neither ``ensure`` nor ``_bulk`` creates, because they send forms;
    ``key_is_account_wide`` says that the key is unique in all workspaces together; ``uses_current_workspace`` that a call
    without a workspace means the account's current one; ``holds`` are the families that are deleted with an object.

    Lists: ``paged`` is how a list is cut, by "page" or by "offset", "" where it has one page; ``page_sizes`` are the rows of
    a page that are asked for, the next where the service refuses one.

    Calls: ``created`` are the fields in the answer to a create that may hold the new id, the first one found counts;
    ``read_only`` families have no call that creates or deletes; a true field ``kept`` forbids deletion; ``delete_hints``
    say what to do next after a refused delete.

    Scope: ``scoped`` says that a POST or PUT can create, scan or contact a target, so that the gate judges its body (a new
    family is judged unless its entry says otherwise); ``target_names`` are the fields of that body that are a target's name;
    ``unscoped_fields`` those that name no place: prose, and secrets, which must not appear in a refusal;
    ``harmless_actions`` what a POST below one of its objects may ask without being judged, such as "stop".
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
    key_suffices: bool = False
    in_workspace: str = ""
    workspace_field: str = "workspace_id"
    key_is_account_wide: bool = False
    uses_current_workspace: bool = False
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

    @property
    def key_is_place(self) -> bool:
        """Whether the key is the name of a target: a host, an address or a URL, each of which has several spellings."""
        return self.key in self.target_names

    @property
    def recreatable(self) -> bool:
        """Whether a declared field can drift, because only deleting and creating again changes it."""
        return not set(self.declared) <= set(self.updatable)

    @property
    def shows_workspace(self) -> bool:
        """Whether a record says in which workspace it is."""
        return bool(self.in_workspace) and self.workspace_field in self.fields


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
    workspace_field="id",
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
    key_suffices=True,
    in_workspace="form",
    uses_current_workspace=True,
    paged="page",
    delete_hints={403: "the account's plan may not include deleting targets; delete it in the web application"},
    target_names=("name",),
    unscoped_fields=("description",),
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
    key_is_account_wide=True,
    scoped=False,
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

# severities of a finding by the service's risk_level, 0 to 4, and the keys of a scan's result_summary
SEVERITIES = ("info", "low", "medium", "high", "critical")

# values of the type filter of the target list (public documentation of the service)
TARGET_TYPES = ("hostname", "ip_address", "url")
