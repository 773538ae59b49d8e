# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""What an API family is, and the calls and fields that the collection relies on. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

# the largest page of a list (public documentation of the service: limit 1 to 1000)
PAGE_SIZE = 1000
# a service that caps its pages does so at a multiple of this
_ROUND = 50
FORM, JSON = "application/x-www-form-urlencoded", "application/json"


class Body(NamedTuple):
    """The body of a create."""

    encoding: str
    # fields that are always sent
    always: tuple[str, ...]
    # fields that are sent if the task declares them
    sometimes: tuple[str, ...] = ()


class Operation(NamedTuple):
    """A call that a task may send."""

    method: str
    path: str
    # parameters that may be sent
    query: tuple[str, ...] = ()
    # FORM, JSON or "" for no body
    encoding: str = ""
    always: tuple[str, ...] = ()
    sometimes: tuple[str, ...] = ()
    # fields that are read in each record of the answer, and other names of these fields
    fields: tuple[str, ...] = ()
    also: Mapping[str, str] = {}
    # fields of which the answer must have one
    one_of: tuple[str, ...] = ()
    # the field of data that holds the records, "" for data itself
    inside: str = ""
    # content types that are requested beside JSON
    accepts: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def is_list(self) -> bool:
        """Whether this reads the list of a family."""
        return self.method == "GET" and "{" not in self.path


class Family:
    """One API family. What code does for one family and not for another is decided by these attributes, never by its name.

    Each family is an instance of a subclass, which sets what differs from the defaults below.
    """

    # keys of results, and the word in messages
    name: str
    plural: str
    noun: str
    # of the collection in the API
    path: str
    # the field that is the natural key
    key: str
    # the fields that a record always has in results, those of them that are text (null is read as ""), and other names under
    # which the service may send one
    fields: tuple[str, ...]
    text: tuple[str, ...] = ()
    also: Mapping[str, str] = {}
    # the fields beside the key that a user may declare, and those, the key included, that PUT takes
    declared: tuple[str, ...] = ()
    updatable: tuple[str, ...] = ()
    # no call creates or deletes an object
    read_only: bool = False
    # where a create names the workspace: "form", "query", or both; "json" where nothing in ``_estate`` creates
    in_workspace: tuple[str, ...] = ()
    # how a list is cut: "page", "offset", or "" where it has one page
    paged: str = ""
    # what to do next after a refused delete, by status
    delete_hints: Mapping[int, str] = {}
    # a POST or PUT can create, scan or contact a target, so that the permit judges its body
    scoped: bool = True
    # the calls: body of a create, filters of the list, fields of a record that only a read by id shows, and further calls
    creates: Body | None = None
    filters: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()
    further: tuple[Operation, ...] = ()
    # the JSON type of each field and parameter, and the values that are sent in one; one that is not listed may have any
    types: Mapping[str, str] = {}
    values: Mapping[tuple[str, str], tuple[str, ...]] = {}

    # --- what one or two families have; each says why in its own file

    # tells records apart and names one in a path, "" where records have no such field
    identity: str = "id"
    # names a workspace in a record
    workspace_field: str = "workspace_id"
    # a list may declare an object by its key alone
    key_suffices: bool = False
    # the key is unique in all workspaces together
    key_is_account_wide: bool = False
    # a call without a workspace means the account's current one
    uses_current_workspace: bool = False
    # names of the families whose objects are deleted with one; counted before, at 1 GET each
    holds: tuple[str, ...] = ()
    # what the service deletes with an object, for a message
    lost_with: str = "everything that belongs to it"
    # the rows of a page that are asked for, the next where the service refuses one
    page_sizes: tuple[int, ...] = (PAGE_SIZE,)
    # the fields in the answer to a create that may hold the new id; the first one found counts
    created: tuple[str, ...] = ("created_id", "id")
    # a record in which this field is true is never deleted
    kept: str = ""
    # the fields of a body that are the name of a target
    target_names: tuple[str, ...] = ()
    # the fields of a body that name no place: prose, and secrets, which must not appear in a refusal
    unscoped_fields: tuple[str, ...] = ()
    # what a POST below an object may ask without being judged
    harmless_actions: tuple[str, ...] = ()
    # the methods that reach no target, whatever the body
    harmless_methods: tuple[str, ...] = ("DELETE",)

    @property
    def key_is_place(self) -> bool:
        """Whether the key is the name of a target: a host, an address or a URL, each of which has several spellings."""
        return self.key in self.target_names

    @property
    def hides_workspace(self) -> bool:
        """Whether only the list of a workspace shows that an object is in it."""
        return bool(self.in_workspace) and self.workspace_field not in self.fields

    @property
    def recreatable(self) -> bool:
        """Whether a declared field can drift, because only deleting and creating again changes it."""
        return not set(self.declared) <= set(self.updatable)

    def operations(self) -> Iterator[Operation]:
        """The calls that tasks may send."""
        workspace = ("workspace_id",) if self.in_workspace else ()
        pages = {"page": ("limit", "page"), "offset": ("limit", "offset")}.get(self.paged, ())
        yield Operation("GET", self.path, query=workspace + pages + self.filters, fields=self.fields, also=self.also)
        one = self.path + "/{id}"
        if self.identity == "id":
            yield Operation("GET", one, fields=self.fields + self.alone, also=self.also)
        if self.creates:
            in_query = workspace if "query" in self.in_workspace else ()
            yield Operation("POST", self.path, in_query, *self.creates, one_of=self.created)
        if self.updatable:
            yield Operation("PUT", one, encoding=JSON, sometimes=self.updatable)
        if not self.read_only:
            yield Operation("DELETE", one)
        yield from self.further


def typed(**names: str) -> dict[str, str]:
    """The JSON type of each field, from the fields of each type, separated by spaces."""
    return {name: kind for kind, listed in names.items() for name in listed.split()}


def may_be_full(rows: int) -> bool:
    """Whether a page with so many rows may be full, so that another one follows."""
    return rows % _ROUND == 0
